import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Db } from '../../core/db/database.ts'
import { limits } from '../../core/lib/limits.ts'
import { type LookupKeys, newLookupBatcher } from './lookup-batcher.ts'

/** Each test advances the slot timeout itself. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const noKeys: LookupKeys = {
  code_keys: [],
  customer_sources: [],
  customer_ids: [],
  product_sources: [],
  product_ids: [],
  sku_sources: [],
  sku_ids: [],
}

/** A batcher whose queries return when the test calls `finish`. */
function newBatcher() {
  const batches: Array<{
    project_id: string
    codes: readonly string[]
    now: string
    finish(rows: string[] | Error): void
  }> = []
  const batcher = newLookupBatcher<string[]>(
    (_, projectId, now, { code_keys }) =>
      new Promise((resolve, reject) => {
        const finish = (rows: string[] | Error) => (rows instanceof Error ? reject(rows) : resolve(rows))
        batches.push({ project_id: projectId, codes: code_keys, now, finish })
      }),
    (rows) =>
      ({ code_keys }) =>
        rows.filter((row) => code_keys.includes(row)),
  )
  const db = {} as Db
  let seconds = 10
  const lookUp = (code: string, projectId = 'proj_1') =>
    batcher({ project_id: projectId, now: `2026-01-01T00:00:${seconds++}.000Z` }, db, { ...noKeys, code_keys: [code] })
  const nextTick = () => new Promise((resolve) => setImmediate(resolve))
  return { batches, lookUp, nextTick }
}

test('the first lookup starts at once, lookups that arrive meanwhile become one batch, and each gets its own rows', async () => {
  const { batches, lookUp, nextTick } = newBatcher()
  const first = lookUp('A')
  const others = [lookUp('B'), lookUp('C'), lookUp('B')]
  expect(batches.map(({ codes }) => codes)).toEqual([['A']])
  batches[0]?.finish(['A'])
  expect(await first).toEqual(['A'])
  await nextTick()
  expect(batches.map(({ codes }) => codes)).toEqual([['A'], ['B', 'C']])
  expect(batches[1]?.now).toBe('2026-01-01T00:00:13.000Z') // the latest `now` of the batch, so that nothing expired by then is returned
  batches[1]?.finish(['B', 'C'])
  expect(await Promise.all(others)).toEqual([['B'], ['C'], ['B']])
})

test('a failed batch rejects its own lookups only, and the next batch starts', async () => {
  const { batches, lookUp, nextTick } = newBatcher()
  const first = lookUp('A')
  const second = lookUp('B')
  batches[0]?.finish(new Error('gone'))
  await expect(first).rejects.toThrow('gone')
  await nextTick()
  batches[1]?.finish(['B'])
  expect(await second).toEqual(['B'])
})

test('a batch contains lookups of one project only, and projects take turns', async () => {
  const { batches, lookUp, nextTick } = newBatcher()
  const waiting = [lookUp('A'), lookUp('B', 'proj_2'), lookUp('C'), lookUp('D', 'proj_2')]
  for (let batch = 0; batch < 3; batch += 1) {
    batches[batch]?.finish(['A', 'B', 'C', 'D'])
    await nextTick()
  }
  expect(batches.map(({ project_id, codes }) => [project_id, codes])).toEqual([
    ['proj_1', ['A']],
    ['proj_2', ['B', 'D']],
    ['proj_1', ['C']],
  ])
  await Promise.all(waiting)
})

test('a batch has at most lookup_batch_size_max lookups', async () => {
  const { batches, lookUp, nextTick } = newBatcher()
  const waiting = Array.from({ length: 2 + limits.lookup_batch_size_max }, (_, n) => lookUp(`C${n}`))
  batches[0]?.finish([])
  await nextTick()
  batches[1]?.finish([])
  await nextTick()
  expect(batches.map(({ codes }) => codes.length)).toEqual([1, limits.lookup_batch_size_max, 1])
  batches[2]?.finish([])
  await Promise.all(waiting)
})

test('a stuck batch gives up its slot after slot_timeout_ms, and later lookups still run', async () => {
  const { batches, lookUp, nextTick } = newBatcher()
  const stuck = lookUp('STUCK')
  const second = lookUp('B')
  vi.advanceTimersByTime(limits.slot_timeout_ms - 1)
  expect(batches).toHaveLength(1)
  vi.advanceTimersByTime(1)
  expect(batches.map(({ codes }) => codes)).toEqual([['STUCK'], ['B']])
  const third = lookUp('C')
  expect(batches).toHaveLength(2)
  batches[0]?.finish(['STUCK']) // late, while another batch is in flight
  expect(await stuck).toEqual(['STUCK'])
  batches[1]?.finish(['B'])
  expect(await second).toEqual(['B'])
  await nextTick()
  batches[2]?.finish(['C'])
  expect(await third).toEqual(['C'])
})
