import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { testDatabase } from '../testing/database.ts'
import type { Db } from './connect.ts'
import { type Spending, spend } from './counters.ts'
import { inTransaction } from './transaction.ts'

/** Counters of a project of their own. */
async function newCounters() {
  const { db } = await testDatabase()
  const project_id = `proj_${randomUUID()}`
  return {
    db,
    project_id,
    spend: (...spendings: Spending[]) => spend(db, project_id, spendings),
    used: () => usedIn(db, project_id),
  }
}

async function usedIn(db: Db, project_id: string): Promise<Record<string, number>> {
  const rows = await db.selectFrom('counters').where('project_id', '=', project_id).select(['name', 'used']).execute()
  return Object.fromEntries(rows.map(({ name, used }) => [name, used]))
}

const one = (name: string, ceiling: number | null = null): Spending => ({ name, by: 1, ceiling })

test('a counter begins at its first spending and adds up', async () => {
  const { spend, used } = await newCounters()
  expect(await spend({ name: 'a', by: 3, ceiling: 10 })).toEqual([])
  expect(await spend({ name: 'a', by: 7, ceiling: 10 })).toEqual([])
  expect(await used()).toEqual({ a: 10 })
})

test('what does not fit is refused, first time or later, and the counter stays as it was', async () => {
  const { spend, used } = await newCounters()
  expect(await spend({ name: 'a', by: 11, ceiling: 10 })).toEqual(['a'])
  expect(await used()).toEqual({})
  await spend({ name: 'a', by: 9, ceiling: 10 })
  expect(await spend({ name: 'a', by: 2, ceiling: 10 })).toEqual(['a'])
  expect(await used()).toEqual({ a: 9 })
  expect(await spend(one('a', 10))).toEqual([])
  expect(await spend(one('a', 10))).toEqual(['a'])
})

test('of several counters, exactly those without room are named', async () => {
  const { spend } = await newCounters()
  await spend({ name: 'full', by: 5, ceiling: 5 }, { name: 'nearly', by: 4, ceiling: 5 })
  expect(await spend(one('full', 5), one('nearly', 5), one('new', 0), one('free'))).toEqual(['full', 'new'])
})

test('a refusal undone by its caller leaves nothing behind', async () => {
  const { db, project_id, spend: spendHere, used } = await newCounters()
  await spendHere({ name: 'full', by: 5, ceiling: 5 })
  const attempt = inTransaction(db, async (trx) => {
    const refused = await spend(trx, project_id, [one('other'), one('full', 5)])
    if (refused.length > 0) throw new Error(refused.join())
  })
  await expect(attempt).rejects.toThrow('full')
  expect(await used()).toEqual({ full: 5 })
})

test('without a ceiling everything fits, to the largest number we count', async () => {
  const { spend, used } = await newCounters()
  await spend({ name: 'a', by: Number.MAX_SAFE_INTEGER - 1, ceiling: null })
  await spend(one('a'))
  expect(await used()).toEqual({ a: Number.MAX_SAFE_INTEGER })
})

test('what is given back can be spent again', async () => {
  const { spend, used } = await newCounters()
  await spend({ name: 'a', by: 10, ceiling: 10 })
  expect(await spend({ name: 'a', by: -4, ceiling: 10 })).toEqual([])
  expect(await used()).toEqual({ a: 6 })
  expect(await spend({ name: 'a', by: 4, ceiling: 10 })).toEqual([])
  expect(await spend(one('a', 10))).toEqual(['a'])
  expect(await spend({ name: 'a', by: -10, ceiling: null })).toEqual([])
  expect(await used()).toEqual({ a: 0 })
})

test('one call may spend here and give back there', async () => {
  const { spend, used } = await newCounters()
  await spend({ name: 'b', by: 5, ceiling: 5 }, { name: 'd', by: 5, ceiling: 5 })
  const moves = ['a', 'b', 'c', 'd', 'e'].map(
    (name): Spending => ({ name, by: 'bd'.includes(name) ? -2 : 3, ceiling: 5 }),
  )
  expect(await spend(...moves)).toEqual([])
  expect(await used()).toEqual({ a: 3, b: 3, c: 3, d: 3, e: 3 })
})

test('more than was used cannot be given back: that is our mistake, and nothing changes', async () => {
  const { spend, used } = await newCounters()
  await spend({ name: 'a', by: 3, ceiling: 10 })
  await expect(spend({ name: 'a', by: -4, ceiling: 10 })).rejects.toThrow()
  await expect(spend({ name: 'never', by: -1, ceiling: null })).rejects.toThrow('never')
  expect(await used()).toEqual({ a: 3 })
})

test('under a ceiling lowered below what is used, nothing more is spent, and giving back goes on', async () => {
  const { spend, used } = await newCounters()
  await spend({ name: 'a', by: 50, ceiling: 100 })
  expect(await spend(one('a', 10))).toEqual(['a'])
  expect(await spend({ name: 'a', by: -1, ceiling: 10 })).toEqual([])
  expect(await used()).toEqual({ a: 49 })
  await spend({ name: 'a', by: -40, ceiling: 10 })
  expect(await spend(one('a', 10))).toEqual([])
  expect(await spend(one('a', 10))).toEqual(['a'])
  expect(await used()).toEqual({ a: 10 })
})

test('a raised ceiling makes room at once', async () => {
  const { spend } = await newCounters()
  await spend({ name: 'a', by: 10, ceiling: 10 })
  expect(await spend(one('a', 10))).toEqual(['a'])
  expect(await spend(one('a', 11))).toEqual([])
})

test('nothing to spend needs no room and makes no counter', async () => {
  const { spend, used } = await newCounters()
  expect(await spend()).toEqual([])
  expect(await spend({ name: 'a', by: 0, ceiling: 0 })).toEqual([])
  expect(await used()).toEqual({})
})

test('the same name counts apart in another project', async () => {
  const [shop, other] = [await newCounters(), await newCounters()]
  await shop.spend({ name: 'a', by: 10, ceiling: 10 })
  expect(await other.spend(one('a', 10))).toEqual([])
  expect(await other.used()).toEqual({ a: 1 })
})
