import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openIdleRuntime, until } from '../../testing/background.ts'
import { ownDatabase } from '../../testing/nodes.ts'
import { netUsageOf } from '../db/usage.ts'
import { newId } from '../lib/ids.ts'
import { watchUsage } from './usage.ts'

test('usage rows are merged soon after, however many there are', async () => {
  const { database } = await ownDatabase()
  const { db } = database
  const runtime = await openIdleRuntime(database)
  const projectId = newId('project')
  const use = (scopeId: string, count: number) =>
    sql`
    insert into usage select ${projectId}, ${scopeId}, '2026-01-01', false, ${scopeId} || n, 1, 100, 10, 3
    from generate_series(1, ${count}::int) n`.execute(db)
  const rowsLeft = async () =>
    (await sql<{ id: string }>`select id from usage where project_id = ${projectId}`.execute(db)).rows.length
  try {
    await use('camp_1', 1_200)
    watchUsage(runtime)
    runtime.jobs.wake('usage')
    await until(async () => ((await rowsLeft()) === 1 ? true : undefined))

    await use('camp_1', 1)
    await use('camp_2', 1)
    for (let woken = 0; woken < 3; woken += 1) runtime.jobs.wake('usage')
    await until(async () => ((await rowsLeft()) === 2 ? true : undefined))
    const usage = await netUsageOf(db, projectId, ['camp_1', 'camp_2'])
    expect([usage('camp_1').redemptions, usage('camp_2').redemptions]).toEqual([1_201, 1])
    expect(usage('camp_1').orders_amount).toBe(120_100)
  } finally {
    await runtime.jobs.close()
  }
})
