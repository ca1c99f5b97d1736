import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { headingAnchor } from '../../../../../docs/.vitepress/heading-anchor.ts'

const root = fileURLToPath(new URL('../../../../..', import.meta.url))

const filesLike = (...patterns: string[]): string[] =>
  globSync(patterns, { cwd: root, exclude: (name) => name === 'node_modules' || name === 'dist' })
    .map((path) => path.replaceAll('\\', '/'))
    .sort()

const textOf = (path: string): string => readFileSync(join(root, path), 'utf8')

/** References in code comments to pages or headings that do not exist, each as `file: target`. */
export function brokenReferences(): string[] {
  return filesLike('packages/**/*.{ts,sql}', 'bench/**/*.ts', 'scripts/*.mjs').flatMap((path) =>
    [...textOf(path).matchAll(/\bdocs\/[\w/-]+\.md(?:#[\w-]+)?/g)]
      .map(([target]) => target)
      .filter((target) => !exists(target))
      .map((target) => `${path}: ${target}`),
  )
}

/** Relative links of the documentation whose target does not exist, each as `page: link`. */
export function brokenLinks(): string[] {
  return filesLike('*.md', 'docs/**/*.md', 'packages/*/*.md').flatMap((path) =>
    linksIn(textOf(path))
      .filter((link) => !/^[a-z]+:/.test(link))
      .filter((link) => !exists(link.startsWith('#') ? path + link : join(dirname(path), link)))
      .map((link) => `${path}: ${link}`),
  )
}

const linksIn = (text: string): string[] =>
  [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link as string)

const withoutCode = (text: string): string => withoutBlocks(text).replaceAll(/`[^`\n]*`/g, '')
const withoutBlocks = (text: string): string => text.replaceAll(/^(```+).*?^\1$/gms, '')

/** Whether the file or folder exists, and the heading if the target has one. */
function exists(target: string): boolean {
  const [path = '', anchor] = target.split('#')
  if (!existsSync(join(root, path))) return false
  return anchor === undefined || anchorsIn(normalize(path)).has(anchor)
}

const anchors = new Map<string, ReadonlySet<string>>()

/** The anchors of a page's headings, as GitHub generates them: repeated headings are numbered. */
function anchorsIn(path: string): ReadonlySet<string> {
  const cached = anchors.get(path)
  if (cached !== undefined) return cached
  const pageAnchors = new Set<string>()
  for (const [, heading = ''] of withoutBlocks(textOf(path)).matchAll(/^#{1,6} +(.+?) *$/gm)) {
    const name = headingAnchor(heading)
    let unique = name
    for (let count = 1; pageAnchors.has(unique); count += 1) unique = `${name}-${count}`
    pageAnchors.add(unique)
  }
  anchors.set(path, pageAnchors)
  return pageAnchors
}
