import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { modules } from './testing/modules.ts'
import { sourceTexts } from './testing/sources.ts'

/** Folders that may import from every module. No module imports from them, nor from the files beside them (`wiring.ts`, `app.ts` …). */
const foldersAbove = ['platform', 'command-line', 'demo', 'move', 'contract', 'client-library']

const root = 'server/src/'
const imports = importsOf(sourceTexts())

test('every folder is a module with a place in the order, or stands above all modules', () => {
  const folders = new Set(serverFiles().flatMap((path) => (path.includes('/') ? [folderOf(path)] : [])))
  expect([...folders].sort()).toEqual([...modules, ...foldersAbove].sort())
})

test('a module imports from itself and from the modules below it', () => {
  expect(serverFiles().flatMap(upwardImportsOf)).toEqual([])
})

test('no file imports itself, directly or through other files', () => {
  expect(importCycles(imports)).toEqual([])
})

function serverFiles(): string[] {
  return [...imports.keys()].filter((path) => path.startsWith(root)).map(withoutRoot)
}

function withoutRoot(path: string): string {
  return path.startsWith(root) ? path.slice(root.length) : path
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.indexOf('/')))
}

function upwardImportsOf(path: string): string[] {
  const ownPlace = modules.indexOf(folderOf(path))
  if (ownPlace < 0) return []
  return [...(imports.get(`${root}${path}`) ?? [])].flatMap((full) => {
    const target = withoutRoot(full)
    const place = modules.indexOf(folderOf(target))
    return place < ownPlace ? [`${path} -> ${target}`] : []
  })
}

/** The files that each file imports by `import`, `import type`, `export … from` and `import(…)`; packages are omitted. */
function importsOf(texts: ReadonlyMap<string, string>): Map<string, Set<string>> {
  const statement =
    /^(?:import|export)\s+(?:type\s+)?(?:[\w$,*\s]|\{[^}]*\})*\s*from\s+'(\.[^']+)'|^import\s+'(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm
  return new Map(
    [...texts].map(([path, text]) => {
      const specifiers = [...text.matchAll(statement)].map(([, from, alone, called]) => from ?? alone ?? called ?? '')
      return [path, new Set(specifiers.map((file) => posix.join(posix.dirname(path), file)))]
    }),
  )
}

/** Import cycles: groups of files that reach each other by imports (Tarjan's strongly connected components). */
function importCycles(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const cycles: string[][] = []
  const places = new Map<string, number>()
  const stack: string[] = []

  function visit(file: string): number {
    let low = places.size
    places.set(file, low)
    stack.push(file)
    const next = graph.get(file) ?? new Set()
    for (const target of next) {
      if (!places.has(target)) low = Math.min(low, visit(target))
      else if (stack.includes(target)) low = Math.min(low, places.get(target) as number)
    }
    if (low === places.get(file)) {
      const group = stack.splice(stack.indexOf(file))
      if (group.length > 1 || next.has(file)) cycles.push(group.sort())
    }
    return low
  }

  for (const file of graph.keys()) if (!places.has(file)) visit(file)
  return cycles
}
