import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { root } from './sources.ts'

/** What a file imports from another: some names, or everything. */
export interface Import {
  file: string
  names: readonly string[] | 'everything'
}

const statement =
  /^(?:import|export)\s+(?:type\s+)?((?:[\w$,*\s]|\{[^}]*\})*?)\s*\bfrom\s+'([^']+)'|^import\s+'([^']+)'|\bimport\('([^']+)'\)/gm

/** The imports from our own files by `import`, `import type`, `export … from` and `import(…)`. */
export function importsIn(path: string, text: string): Import[] {
  return [...text.matchAll(statement)].flatMap(([, clause, from, alone, called]) => {
    const file = fileOf(path, from ?? alone ?? called ?? '')
    if (file === undefined) return []
    // What is taken from `import(…)` is anywhere in the file.
    return [{ file, names: called === undefined ? namesIn(clause ?? '') : (text.match(/\w+/g) ?? []) }]
  })
}

function namesIn(clause: string): Import['names'] {
  if (clause.includes('*')) return 'everything'
  const named = /\{([^}]*)\}/.exec(clause)?.[1] ?? ''
  return [...named.matchAll(/(?:^|,)\s*(?:type\s+)?(\w+)/g)].map(([, name]) => name as string)
}

/** The file behind an import; undefined for packages that are not ours. */
function fileOf(path: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : packageEntries.get(specifier)
}

/** The files that our packages offer to others: `packages/client/src/session.ts` as `@guerdon/client/session`. */
export const packageEntries: ReadonlyMap<string, string> = new Map(
  globSync('packages/*/package.json', { cwd: root }).flatMap((path) => {
    const { name, exports = {} } = JSON.parse(readFileSync(`${root}/${path}`, 'utf8')) as PackageFile
    return Object.entries(exports).flatMap(([entry, { source }]): [string, string][] =>
      source === undefined ? [] : [[posix.join(name, entry), posix.join(posix.dirname(path), source)]],
    )
  }),
)

interface PackageFile {
  name: string
  exports?: Record<string, { source?: string }>
}
