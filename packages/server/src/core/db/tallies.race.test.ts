import { expect, test } from 'vitest'
import { anotherConnection, ownDatabase } from '../../testing/nodes.ts'
import { newId } from '../lib/ids.ts'
import { foldTallies, tally, tallyOf } from './tallies.ts'

test('while two nodes merge tallies and others write, every sum is exact', async () => {
  const { database, url } = await ownDatabase()
  const { db } = database
  const other = anotherConnection(url as string)
  const projects = [newId('project'), newId('project')]
  const rounds = 150
  let isOver = false

  /** Adds and subtracts the same number in one transaction: every other transaction always sees the same sum. */
  const count = async (projectId: string) => {
    for (let round = 0; round < rounds; round += 1)
      await db.transaction().execute(async (trx) => {
        await tally(trx, projectId, 'customers', 3)
        await tally(trx, projectId, 'customers', -3)
      })
  }
  const add = async (projectId: string) => {
    for (let round = 0; round < rounds; round += 1) await tally(db, projectId, 'orders', 1)
  }
  const fold = async (on: typeof db, rowsMax: number) => {
    let folds = 0
    while (!isOver) if ((await foldTallies(on, rowsMax)) > 0) folds += 1
    return folds
  }
  const look = async (projectId: string) => {
    const seen: Array<{ customers: number; orders: number }> = []
    while (!isOver)
      seen.push(
        await other.db
          .selectNoFrom([tallyOf(projectId, 'customers').as('customers'), tallyOf(projectId, 'orders').as('orders')])
          .executeTakeFirstOrThrow(),
      )
    return seen
  }

  for (const projectId of projects) await tally(db, projectId, 'customers', 10)
  const folding = [fold(db, 20), fold(other.db, 50), fold(other.db, 7)]
  const looking = projects.map(look)
  await Promise.all(
    projects.flatMap((projectId) => [count(projectId), count(projectId), add(projectId), add(projectId)]),
  )
  isOver = true

  expect(Math.min(...(await Promise.all(folding)))).toBeGreaterThan(0)
  for (const seen of await Promise.all(looking)) {
    expect(seen.length).toBeGreaterThan(10)
    expect([...new Set(seen.map(({ customers }) => customers))]).toEqual([10])
    const orders = seen.map((one) => one.orders)
    expect(orders).toEqual([...orders].sort((a, b) => a - b)) // it never decreased
  }
  while ((await foldTallies(db, 1_000)) > 0);
  const rows = await db
    .selectFrom('tallies')
    .orderBy('project_id')
    .orderBy('name')
    .select(['project_id', 'name', 'delta'])
    .execute()
  expect(rows).toEqual(
    [...projects].sort().flatMap((projectId) => [
      { project_id: projectId, name: 'customers', delta: 10 },
      { project_id: projectId, name: 'orders', delta: 2 * rounds },
    ]),
  )
})
