import { type Html, html } from '../../core/lib/html.ts'
import { groupsOf, type Resource, shortNameOf } from './outline.ts'

export interface PageContent {
  title: string
  /** The page that the contents show as the current one. */
  page: string
  content: Html
}

/** What pages lead to besides each other. */
export interface OutwardLinks {
  has_guides: boolean
}

/** A page of the reference: contents at the side, search above. Its own ids have a hyphen, which no name of a property has. Scripts and style are files of their own, as the policy wants (mount.ts). */
export function layout(
  { title, page, content }: PageContent,
  resources: readonly Resource[],
  { has_guides }: OutwardLinks,
): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="mark.svg" type="image/svg+xml">
<link rel="stylesheet" href="docs.css">
<script src="theme.js"></script>
<script type="module" src="docs.js"></script>
</head>
<body>
<a class="skip" href="#page-content">Skip to the content</a>
<header>
<a class="home" href="./">Guerdon API</a>
<search hidden><label for="search-text">Search</label><input id="search-text" type="search" autocomplete="off" spellcheck="false" placeholder="Operations, properties, errors" aria-describedby="found-count"><p id="found-count" role="status"></p><ul id="found-list" hidden></ul></search>
${has_guides && html`<a class="guides" href="../guides/">Guides</a>`}
<button id="theme-switch" type="button" hidden>Dark</button>
</header>
<nav aria-label="Contents"><details><summary>Contents</summary>
${contents(resources, page)}</details></nav>
<main id="page-content" tabindex="-1">
${content}
</main>
</body>
</html>
`.markup
}

function contents(resources: readonly Resource[], page: string): Html {
  return html`<ul class="top"><li>${link('./', 'Overview', page === '')}</li><li>${link('schemas', 'Schemas', page === 'schemas')}</li><li>${link('errors', 'Error keys', page === 'errors')}</li></ul>
${groupsOf(resources).map(
  ({ title, members }) => html`<h2>${title}</h2>
<ul>${members.map(
    (
      resource,
    ) => html`<li>${link(resource.page, shortNameOf(resource), resource.page === page)}${resource.page === page && operationLinks(resource)}</li>
`,
  )}</ul>
`,
)}`
}

const link = (target: string, text: string, isCurrent: boolean): Html =>
  isCurrent ? html`<a href="${target}" aria-current="page">${text}</a>` : html`<a href="${target}">${text}</a>`

const operationLinks = ({ operations }: Resource): Html =>
  html`<ul>${operations.map(({ operationId, summary }) => html`<li><a href="#${operationId}">${summary}</a></li>`)}</ul>`
