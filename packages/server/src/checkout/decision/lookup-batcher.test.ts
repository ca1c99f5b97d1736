import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Db } from '../../core/db/database.ts'
import { limits } from '../../core/lib/limits.ts'
import { type LookupKeys, newLookupBatcher } from './lookup-batcher.ts'

/** Patience ends when a test says so. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const none: LookupKeys = {
  code_keys: [],
  customer_sources: [],
  customer_ids: [],
  product_sources: [],
  product_ids: [],
  sku_sources: [],
  sku_ids: [],
}

/** A database whose trips come back when the test says so. */
function gathering() {
  const trips: Array<{
    project_id: string
    codes: readonly string[]
    now: string
    back(rows: string[] | Error): void
  }> = []
  const ask = newLookupBatcher<string[]>(
    (_, projectId, now, { code_keys }) =>
      new Promise((resolve, reject) => {
        const back = (rows: string[] | Error) => (rows instanceof Error ? reject(rows) : resolve(rows))
        trips.push({ project_id: projectId, codes: code_keys, now, back })
      }),
    (rows) =>
      ({ code_keys }) =>
        rows.filter((row) => code_keys.includes(row)),
  )
  const db = {} as Db
  let seconds = 10
  const asked = (code: string, projectId = 'proj_1') =>
    ask({ project_id: projectId, now: `2026-01-01T00:00:${seconds++}.000Z` }, db, { ...none, code_keys: [code] })
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  return { trips, asked, settled }
}

test('the first goes at once, those who come meanwhile go together, and each gets what it named', async () => {
  const { trips, asked, settled } = gathering()
  const first = asked('A')
  const others = [asked('B'), asked('C'), asked('B')]
  expect(trips.map(({ codes }) => codes)).toEqual([['A']])
  trips[0]?.back(['A'])
  expect(await first).toEqual(['A'])
  await settled()
  expect(trips.map(({ codes }) => codes)).toEqual([['A'], ['B', 'C']])
  expect(trips[1]?.now).toBe('2026-01-01T00:00:13.000Z') // of the last of them: nothing that ended before is there any more
  trips[1]?.back(['B', 'C'])
  expect(await Promise.all(others)).toEqual([['B'], ['C'], ['B']])
})

test('a trip that fails fails for those who were on it, and the next one goes', async () => {
  const { trips, asked, settled } = gathering()
  const first = asked('A')
  const second = asked('B')
  trips[0]?.back(new Error('gone'))
  await expect(first).rejects.toThrow('gone')
  await settled()
  trips[1]?.back(['B'])
  expect(await second).toEqual(['B'])
})

test('projects do not go together, and none waits for ever', async () => {
  const { trips, asked, settled } = gathering()
  const waiting = [asked('A'), asked('B', 'proj_2'), asked('C'), asked('D', 'proj_2')]
  for (let trip = 0; trip < 3; trip += 1) {
    trips[trip]?.back(['A', 'B', 'C', 'D'])
    await settled()
  }
  expect(trips.map(({ project_id, codes }) => [project_id, codes])).toEqual([
    ['proj_1', ['A']],
    ['proj_2', ['B', 'D']],
    ['proj_1', ['C']],
  ])
  await Promise.all(waiting)
})

test('no more than so many go on one trip', async () => {
  const { trips, asked, settled } = gathering()
  const waiting = Array.from({ length: 2 + limits.lookup_batch_size_max }, (_, n) => asked(`C${n}`))
  trips[0]?.back([])
  await settled()
  trips[1]?.back([])
  await settled()
  expect(trips.map(({ codes }) => codes.length)).toEqual([1, limits.lookup_batch_size_max, 1])
  trips[2]?.back([])
  await Promise.all(waiting)
})

test('a trip that does not come back holds up nobody for long, and those who come after it are not forgotten', async () => {
  const { trips, asked, settled } = gathering()
  const stuck = asked('STUCK')
  const second = asked('B')
  vi.advanceTimersByTime(limits.slot_timeout_ms - 1)
  expect(trips).toHaveLength(1)
  vi.advanceTimersByTime(1)
  expect(trips.map(({ codes }) => codes)).toEqual([['STUCK'], ['B']])
  const third = asked('C')
  expect(trips).toHaveLength(2)
  trips[0]?.back(['STUCK']) // late, while another one is under way
  expect(await stuck).toEqual(['STUCK'])
  trips[1]?.back(['B'])
  expect(await second).toEqual(['B'])
  await settled()
  trips[2]?.back(['C'])
  expect(await third).toEqual(['C'])
})
