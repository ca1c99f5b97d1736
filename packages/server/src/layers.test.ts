import { describe, expect, test } from 'vitest'
import { importsIn } from './testing/imports.ts'
import { modules } from './testing/modules.ts'
import { sourceTexts } from './testing/sources.ts'

/** What each part of the repository imports from others. Test kits may import from everywhere. */
const parts: Record<string, readonly string[]> = {
  'packages/engine': [],
  'packages/server': ['packages/engine'],
  'packages/client/src': [],
  'packages/client/generate': ['packages/client/src', 'packages/server'],
  'packages/dashboard': ['packages/client/src'],
  bench: ['packages/engine', 'packages/server'],
  examples: ['packages/engine', 'packages/client/src'],
  scripts: ['packages/client/src'],
  docs: [],
}

/** Folders of the server that may import from every module. No module imports from them, nor from the files beside them (`wiring.ts`, `app.ts` …). */
const foldersAboveModules = ['platform', 'command-line', 'demo', 'move', 'contract', 'client-library']

/** The folders of the dashboard, from the top as `modules`. */
const dashboardFolders = ['app', 'pages', 'parts', 'words', 'ui', 'api']

const server = 'packages/server/src/'
const dashboard = 'packages/dashboard/src/'

const imports = importsOf(sourceTexts())

test('the search finds every form of import', () => {
  const text = `
    import { call, type Reply as Answer } from '../api/client.ts'
    import type { Tone } from './state.tsx'
    import * as words from './words.ts'
    export {
      one,
      two,
    } from './numbers.ts'
    import './theme.css'
    import { useState } from 'react'
    import { createGuerdon } from '@guerdon/client'
    const page = () => import('./page.tsx').then(({ Page }) => Page)`
  const found = importsIn('dashboard/ui/list.tsx', text.replaceAll(/^ {4}/gm, ''))
  expect(found.slice(0, -1)).toEqual([
    { file: 'dashboard/api/client.ts', names: ['call', 'Reply'] },
    { file: 'dashboard/ui/state.tsx', names: ['Tone'] },
    { file: 'dashboard/ui/words.ts', names: 'everything' },
    { file: 'dashboard/ui/numbers.ts', names: ['one', 'two'] },
    { file: 'dashboard/ui/theme.css', names: [] },
    { file: 'packages/client/src/index.ts', names: ['createGuerdon'] },
  ])
  expect(found.at(-1)).toEqual({ file: 'dashboard/ui/page.tsx', names: expect.arrayContaining(['Page']) })
})

test('no file imports itself, directly or through other files', () => {
  expect(importCycles(importsOf(sourceTexts({ tests: true })))).toEqual([])
})

describe('the parts of the repository', () => {
  test('every file belongs to one', () => {
    expect([...imports.keys()].filter((path) => partOf(path) === undefined)).toEqual([])
  })

  test('each imports from those that it may', () => {
    const forbidden = importsWhere((from, to) => {
      const [own, other] = [partOf(from), partOf(to)]
      return own !== undefined && other !== undefined && own !== other && !parts[own]?.includes(other)
    })
    expect(forbidden).toEqual([])
  })
})

describe('the server', () => {
  test('every folder is a module with a place in the order, or stands above all modules', () => {
    expect(foldersIn(server)).toEqual([...modules, ...foldersAboveModules].sort())
  })

  test('a module imports from itself and from the modules below it', () => {
    expect(upwardImports(server, modules)).toEqual([])
  })
})

describe('the dashboard', () => {
  test('every folder has a place in the order', () => {
    expect(foldersIn(dashboard)).toEqual([...dashboardFolders].sort())
  })

  test('a folder imports from itself and from the folders below it', () => {
    expect(upwardImports(dashboard, dashboardFolders)).toEqual([])
  })

  test('no place imports from the pages of another', () => {
    const placeOf = (path: string) => /^packages\/dashboard\/src\/pages\/([^/]+)/.exec(path)?.[1]
    const across = importsWhere((from, to) => {
      const [own, other] = [placeOf(from), placeOf(to)]
      return own !== undefined && other !== undefined && own !== other
    })
    expect(across).toEqual([])
  })
})

/** The files that each file imports. */
function importsOf(texts: ReadonlyMap<string, string>): Map<string, Set<string>> {
  return new Map([...texts].map(([path, text]) => [path, new Set(importsIn(path, text).map(({ file }) => file))]))
}

function partOf(path: string): string | undefined {
  return Object.keys(parts).find((part) => path.startsWith(`${part}/`))
}

function importsWhere(isFound: (from: string, to: string) => boolean): string[] {
  return [...imports].flatMap(([from, targets]) =>
    [...targets].filter((to) => isFound(from, to)).map((to) => `${from} -> ${to}`),
  )
}

/** The folder of a file below `root`; empty for files beside the folders, undefined for all others. */
function folderOf(path: string, root: string): string | undefined {
  if (!path.startsWith(root)) return undefined
  const rest = path.slice(root.length)
  return rest.slice(0, Math.max(0, rest.indexOf('/')))
}

function foldersIn(root: string): string[] {
  const folders = [...imports.keys()].map((path) => folderOf(path, root))
  return [...new Set(folders.filter((folder) => folder !== undefined && folder !== ''))].sort() as string[]
}

/** Imports of a folder from one above it, or from outside of `order`; `order` is from the top. */
function upwardImports(root: string, order: readonly string[]): string[] {
  return importsWhere((from, to) => {
    const own = order.indexOf(folderOf(from, root) ?? '')
    const other = folderOf(to, root)
    return own >= 0 && other !== undefined && order.indexOf(other) < own
  })
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
