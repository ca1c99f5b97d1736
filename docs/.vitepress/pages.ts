import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DefaultTheme } from 'vitepress'

const docs = fileURLToPath(new URL('..', import.meta.url))

type Item = DefaultTheme.SidebarItem

/** The entry of a page, named by its heading unless a shorter name is given. A page that is missing fails the build. */
export function page(path: string, name: string = headingOf(path)): Item {
  return { text: name, link: `/${path.replace(/README\.md$/, '').replace(/\.md$/, '.html')}` }
}

/** The pages of a folder: those that are named come first in this order, the others follow by name. */
export function pagesIn(folder: string, first: readonly string[] = []): Item[] {
  const names = existsSync(join(docs, folder)) ? readdirSync(join(docs, folder)) : []
  const others = names.filter((name) => name.endsWith('.md') && name !== 'README.md' && !first.includes(name)).sort()
  return [...first, ...others].map((name) => page(`${folder}/${name}`))
}

/** The sections of a README that lists its pages in tables, one section per `###` heading. */
export function sectionsOf(folder: string): Item[] {
  const [, ...sections] = textOf(`${folder}/README.md`).split(/^### /m)
  return sections.map((section) => ({
    text: section.split('\n', 1)[0] as string,
    items: [...section.matchAll(/^\| \[[^\]]+\]\(([\w-]+\.md)\)/gm)].map(([, name]) => page(`${folder}/${name}`)),
  }))
}

/** The same for a README that lists its pages with bullets, one section per `##` heading. A page that is in none fails the build. */
export function listsOf(folder: string): Item[] {
  const [, ...sections] = textOf(`${folder}/README.md`).split(/^## /m)
  const lists = sections.map((section) => ({
    text: section.split('\n', 1)[0] as string,
    items: [...section.matchAll(/^- \[[^\]]+\]\(([\w./-]+\.md)\)/gm)].map(([, path]) =>
      page(posix.join(folder, path as string)),
    ),
  }))
  const listed = new Set(lists.flatMap(({ items }) => items.map(({ link }) => link)))
  const missing = pagesIn(folder).filter(({ link }) => !listed.has(link))
  if (missing.length > 0) throw new Error(`docs/${folder}/README.md does not list ${missing[0]?.link}`)
  return lists
}

const textOf = (path: string): string => readFileSync(join(docs, path), 'utf8')

function headingOf(path: string): string {
  const [, heading] = /^# (.+)$/m.exec(textOf(path)) ?? []
  if (heading === undefined) throw new Error(`docs/${path} has no heading`)
  return heading.replaceAll('`', '')
}
