/** The anchor of a heading, as repository hosts generate it, so that one link works there and here: `POST /v1/oauth/token` → `post-v1oauthtoken`. */
export const headingAnchor = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-')
