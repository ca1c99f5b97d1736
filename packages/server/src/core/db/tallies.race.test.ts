import { expect, test } from 'vitest'
import { anotherConnection, ownDatabase } from '../../testing/nodes.ts'
import { newId } from '../lib/ids.ts'
import { foldTallies, tally, tallyOf } from './tallies.ts'

test('while two nodes fold and others count, every sum that anybody sees is exact', async () => {
  const { database, url } = await ownDatabase()
  const { db } = database
  const other = anotherConnection(url as string)
  const projects = [newId('project'), newId('project')]
  const rounds = 150
  let isOver = false

  /** Adds one and takes it away again in pairs: whoever looks from outside sees ever the same sum. */
  const count = async (project_id: string) => {
    for (let round = 0; round < rounds; round += 1)
      await db.transaction().execute(async (trx) => {
        await tally(trx, project_id, 'customers', 3)
        await tally(trx, project_id, 'customers', -3)
      })
  }
  const add = async (project_id: string) => {
    for (let round = 0; round < rounds; round += 1) await tally(db, project_id, 'orders', 1)
  }
  const fold = async (on: typeof db, rows_max: number) => {
    let folds = 0
    while (!isOver) if ((await foldTallies(on, rows_max)) > 0) folds += 1
    return folds
  }
  const look = async (project_id: string) => {
    const seen: Array<{ customers: number; orders: number }> = []
    while (!isOver)
      seen.push(
        await other.db
          .selectNoFrom([tallyOf(project_id, 'customers').as('customers'), tallyOf(project_id, 'orders').as('orders')])
          .executeTakeFirstOrThrow(),
      )
    return seen
  }

  for (const project_id of projects) await tally(db, project_id, 'customers', 10)
  const folding = [fold(db, 20), fold(other.db, 50), fold(other.db, 7)]
  const looking = projects.map(look)
  await Promise.all(
    projects.flatMap((project_id) => [count(project_id), count(project_id), add(project_id), add(project_id)]),
  )
  isOver = true

  expect(Math.min(...(await Promise.all(folding)))).toBeGreaterThan(0)
  for (const seen of await Promise.all(looking)) {
    expect(seen.length).toBeGreaterThan(10)
    expect([...new Set(seen.map(({ customers }) => customers))]).toEqual([10])
    const orders = seen.map((one) => one.orders)
    expect(orders).toEqual([...orders].sort((a, b) => a - b)) // it only ever grew
  }
  while ((await foldTallies(db, 1_000)) > 0);
  const rows = await db
    .selectFrom('tallies')
    .orderBy('project_id')
    .orderBy('name')
    .select(['project_id', 'name', 'delta'])
    .execute()
  expect(rows).toEqual(
    [...projects].sort().flatMap((project_id) => [
      { project_id, name: 'customers', delta: 10 },
      { project_id, name: 'orders', delta: 2 * rounds },
    ]),
  )
})
