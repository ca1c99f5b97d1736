import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { codeColours } from './code-colours.ts'
import { headingAnchor } from './heading-anchor.ts'
import { followLinks } from './links.ts'
import { keepBraces } from './literal-braces.ts'
import { nav, sidebar } from './parts.ts'
import { readableTables } from './tables.ts'

const colours = codeColours()
const mark = new URL('../../packages/dashboard/src/app/mark.svg', import.meta.url)

/** The guides: docs/ as a site with search, without any request to another host. See docs/decisions/0071-guides-site.md. */
export default defineConfig({
  title: 'Guerdon',
  description: 'Guides to Guerdon, a self-hosted service for promotions, vouchers and loyalty',
  lang: 'en',
  // Where the service serves them; `npm run guides -- --base /x/` builds them for another place.
  base: '/guides/',
  // Addresses end in .html, which every web host serves without settings.
  cleanUrls: false,
  srcExclude: ['examples/**'],
  rewrites: { ':folder/README.md': ':folder/index.md' },
  // A file instead of a script inline in every page, which the Content-Security-Policy would not run.
  metaChunk: true,
  // Otherwise a change of the theme inserts a style element, which the policy blocks.
  appearance: { disableTransition: false },
  vite: {
    resolve: {
      alias: [{ find: /^.*\/VPHome\.vue$/, replacement: fileURLToPath(new URL('./theme/Home.vue', import.meta.url)) }],
    },
  },
  markdown: {
    // The theme's own colours have too little contrast for a comment or a keyword.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: headingAnchor },
    codeTransformers: [colours.transformer],
    config: (markdown) => void markdown.use(followLinks).use(readableTables).use(keepBraces),
  },
  transformHead: ({ siteData: { base } }) => [
    ['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}mark.svg` }],
    ...colours.head(base),
  ],
  transformHtml: withoutStyleAttributes,
  buildEnd({ outDir }) {
    colours.write(outDir)
    copyFileSync(fileURLToPath(mark), join(outDir, 'mark.svg'))
  },
  themeConfig: {
    logo: '/mark.svg',
    nav,
    sidebar,
    outline: { level: [2, 3], label: 'On this page' },
    search: {
      provider: 'local',
      options: {
        _render: (source, env, markdown) => (isSearchable(env.relativePath) ? markdown.render(source, env) : ''),
      },
    },
  },
})

/** Decisions explain the code, to who changes it, and coverage is a list of paths: they would hide the pages that help. */
function isSearchable(page: string): boolean {
  return !/^(?:decisions\/|coverage\.md$)/.test(page)
}

/** The theme writes two; its script sets the first again when it needs it, theme/style.css has the second. The policy blocks both. */
function withoutStyleAttributes(html: string): string {
  return html.replaceAll(/ style="(?:--vp-vh:0px;|position:relative;|)"/g, '')
}
