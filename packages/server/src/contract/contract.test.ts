import { describe, expect, test } from 'vitest'
import type { Operation } from '../core/http/operation.ts'
import { documentOf } from '../document.ts'
import { operations } from '../operations.ts'
import { compareContract } from './compare.ts'
import { contractCoverageOf, documentDifferences } from './coverage.ts'
import { coveragePage } from './coverage-page.ts'
import { type PublicOperation, publicOperations } from './public-operations.ts'

describe('the committed files', () => {
  const { isPageCurrent, differences } = compareContract()

  test('docs/coverage.md matches the operations and the public contract', () => {
    expect(isPageCurrent, 'docs/coverage.md is out of date: run `npm run contract` and commit it').toBe(true)
  })

  test('openapi.json documents exactly the declared operations', () => {
    expect(differences, 'run `npm run openapi` and commit it').toEqual([])
  })
})

describe('the table of the public contract', () => {
  test('has 258 operations, each once', () => {
    const routes = publicOperations.map(({ method, path }) => `${method} ${path}`)
    expect(routes).toHaveLength(258)
    expect(routes).toEqual([...new Set(routes)])
  })

  test('lists each operation as either served or missing, and every operation of ours is counted', () => {
    const { tags, served_count, public_count, extensions } = contractCoverageOf(operations, publicOperations)
    const missingCount = tags.reduce((count, { missing }) => count + missing.length, 0)
    expect(served_count + missingCount).toBe(public_count)
    const serving = new Set(tags.flatMap(({ served }) => served.map(({ by }) => by.id)))
    expect(serving.size + extensions.length).toBe(operations.length)
  })
})

describe('coverage', () => {
  const ours = (method: Operation['method'], path: string, id: string): Operation => ({
    ...{ id, method, path, summary: 'A summary' },
    ...{ reply: null, errors: [] },
  })
  const theirs = (method: Operation['method'], path: string, tag = 'Mugs'): PublicOperation => ({
    ...{ method, path, tag, title: `${method} it` },
  })
  const idsOf = (operations: readonly Operation[], contract: readonly PublicOperation[]) => {
    const { tags, extensions } = contractCoverageOf(operations, contract)
    return {
      served: tags.flatMap(({ served }) => served.map(({ by }) => by.id)),
      missing: tags.flatMap(({ missing }) => missing.map(({ method, path }) => `${method} ${path}`)),
      extensions: extensions.map(({ id }) => id),
    }
  }

  test('does not depend on the names of parameters', () => {
    expect(idsOf([ours('GET', '/v1/mugs/{mugId}', 'getMug')], [theirs('GET', '/v1/mugs/{mug_Id}')])).toEqual({
      served: ['getMug'],
      missing: [],
      extensions: [],
    })
  })

  test('distinguishes methods and paths', () => {
    const operations = [ours('PUT', '/v1/mugs/{mugId}', 'updateMug'), ours('GET', '/v1/mugs/all', 'listAllMugs')]
    expect(idsOf(operations, [theirs('GET', '/v1/mugs/{mugId}')])).toEqual({
      served: [],
      missing: ['GET /v1/mugs/{mugId}'],
      extensions: ['listAllMugs', 'updateMug'],
    })
  })

  test('the page does not depend on the order of the operations', () => {
    const pageOf = (listed: readonly Operation[]) => coveragePage(contractCoverageOf(listed, publicOperations))
    expect(pageOf(operations.toReversed())).toBe(pageOf(operations))
  })
})

describe('the difference is reported when the committed document', () => {
  const made = documentOf(operations)
  const [{ id: _, method, path }] = operations as [Operation]

  test.each<[string, Partial<typeof made>, string]>([
    ['lacks an operation', { paths: withoutFirst(made.paths) }, `operation ${method} ${path} is missing`],
    [
      'has an operation too many',
      { paths: { ...made.paths, '/v1/gone': made.paths[path] ?? {} } },
      `operation ${method} /v1/gone does not exist any more`,
    ],
    [
      'describes a schema differently',
      { components: { ...made.components, schemas: { ...made.components.schemas, Error: { type: 'string' } } } },
      'schema Error differs',
    ],
    ['has another title', { info: { ...made.info, title: 'Other' } }, 'its general part differs'],
  ])('%s', (_what, changed, difference) => {
    expect(documentDifferences({ ...made, ...changed }, made)).toContain(difference)
  })

  function withoutFirst(paths: typeof made.paths): typeof made.paths {
    const { [path]: _, ...rest } = paths
    return rest
  }
})
