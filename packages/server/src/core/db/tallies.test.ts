import { expect, test } from 'vitest'
import { ownDatabase } from '../../testing/nodes.ts'
import { newId } from '../lib/ids.ts'
import { foldTallies, type Tally, tally, tallyOf } from './tallies.ts'

const { database } = await ownDatabase()
const { db } = database

const sumOf = async (projectId: string, name: Tally) =>
  (await db.selectNoFrom(tallyOf(projectId, name).as('sum')).executeTakeFirstOrThrow()).sum

const rowsOf = async (projectId: string) =>
  (await db.selectFrom('tallies').where('project_id', '=', projectId).select('delta').orderBy('id').execute()).map(
    ({ delta }) => delta,
  )

test('a tally is the sum of the changes of one project and one name', async () => {
  const projectId = newId('project')
  expect(await sumOf(projectId, 'customers')).toBe(0)
  for (const delta of [1, 1, -1, 0, 5]) await tally(db, projectId, 'customers', delta)
  await tally(db, projectId, 'orders', 9)
  await tally(db, newId('project'), 'customers', 4)
  expect(await sumOf(projectId, 'customers')).toBe(6)
  expect(await sumOf(projectId, 'orders')).toBe(9)
})

test('a change that is rolled back does not count', async () => {
  const projectId = newId('project')
  await db
    .transaction()
    .execute(async (trx) => {
      await tally(trx, projectId, 'customers', 1)
      throw new Error('no')
    })
    .catch(() => {})
  expect(await sumOf(projectId, 'customers')).toBe(0)
})

test('folding merges at most the given number of changes, of several tallies, and keeps the sums', async () => {
  while ((await foldTallies(db, 1_000)) > 0);
  const one = newId('project')
  const other = newId('project')
  for (let n = 0; n < 5; n += 1) await tally(db, one, 'customers', 1)
  for (let n = 0; n < 3; n += 1) await tally(db, other, 'orders', 2)
  expect(await foldTallies(db, 1_000)).toBe(8)
  expect(await rowsOf(one)).toEqual([5])
  expect(await rowsOf(other)).toEqual([6])
  expect(await foldTallies(db, 1_000)).toBe(0)

  for (let n = 0; n < 4; n += 1) await tally(db, one, 'customers', -1)
  expect(await foldTallies(db, 3)).toBe(3)
  expect(await sumOf(one, 'customers')).toBe(1)
  expect(await rowsOf(one)).toHaveLength(3)
  expect(await rowsOf(other)).toEqual([6])
})
