import { existsSync, statSync } from 'node:fs'
import { dirname, join, posix, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { MarkdownRenderer } from 'vitepress'
import { includedPages, projectPages } from './project-pages.ts'

const docs = fileURLToPath(new URL('..', import.meta.url))
const repository = join(docs, '..')

/**
 * Makes the links between files of the repository work on the site: a folder leads to its README, a page outside of docs/ to the page
 * that shows it. A link to a file that the site does not have, such as a source file, becomes plain text.
 */
export function followLinks(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('follow_links', ({ tokens, env }) => {
    const file: string | undefined = env.realPath ?? env.path
    if (file === undefined) return // a title, without a page
    const page = repositoryPath(file)
    const shownPage = Object.entries(includedPages).find(([, shownAt]) => shownAt === page)?.[0] ?? page
    for (const { children } of tokens) {
      let unlinked = 0
      for (const token of children ?? []) {
        if (token.type === 'link_open') {
          const link = token.attrGet('href') ?? ''
          if (/^(?:[a-z]+:|#|\/)/.test(link)) continue
          const target = siteTarget(join(dirname(shownPage), decodeURI(link)))
          if (target === null) {
            Object.assign(token, { type: 'html_inline', content: '' })
            unlinked += 1
          } else token.attrSet('href', posix.relative(posix.dirname(page), target) || './')
        } else if (token.type === 'link_close' && unlinked > 0) {
          Object.assign(token, { type: 'html_inline', content: '' })
          unlinked -= 1
        }
      }
    }
  })
}

const repositoryPath = (path: string): string => relative(repository, resolve(path)).replaceAll('\\', '/')

/** Where the site shows a file of the repository, as a path in the repository; null: nowhere. */
function siteTarget(link: string): string | null {
  const [path = '', ...anchor] = link.replaceAll('\\', '/').split(/(?=#)/)
  const target = projectPages[path] ?? pageAt(path.replace(/\/$/, ''))
  return target === null ? null : target.replace(/(^|\/)README\.md$/, '$1index.md') + anchor.join('')
}

/** A missing page is returned too: the build then fails for the dead link. */
function pageAt(path: string): string | null {
  if (!path.startsWith('docs/') && path !== 'docs') return null
  const file = join(repository, path)
  if (existsSync(file) && statSync(file).isDirectory())
    return existsSync(join(file, 'README.md')) ? `${path}/README.md` : null
  return path.endsWith('.md') ? path : null
}
