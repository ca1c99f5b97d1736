import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { connect } from '../runtime.ts'
import { addUp } from '../statistics/sums/add-up.ts'
import { until } from '../testing/background.ts'
import { newCommands } from '../testing/command.ts'
import { migrateCommand } from './migrate.ts'
import { rebuildCommand } from './statistics.ts'

test('after rows were deleted by hand, the statistics of a project are added up again', async () => {
  const { outputOf, environment } = await newCommands()
  const projectId = /Project (proj_\w+)/.exec(await outputOf(migrateCommand))?.[1] as string
  const onDatabase = async <T>(work: (db: Awaited<ReturnType<typeof connect>>['db']) => Promise<T>) => {
    const database = await connect(environment.settings)
    try {
      return await work(database.db)
    } finally {
      await database.close()
    }
  }
  const published = () =>
    onDatabase(async (db) => {
      const { rows } = await sql<{ count: number }>`
        select coalesce(sum(published_codes), 0) as count from statistics_sums
        where project_id = ${projectId} and grain = 0 and scope_id = ''`.execute(db)
      return Number(rows[0]?.count)
    })
  await onDatabase(async (db) => {
    await sql`insert into publications (project_id, id, voucher_ids, is_referral_code, channel, metadata, result, created_at)
      select ${projectId}, 'pub_' || n, array['v_' || n], false, 'API', '{}', 'SUCCESS', '2026-04-01T10:00:00Z'
      from generate_series(1, 5) n`.execute(db)
    // A transaction in another database of the server may hold the rows back.
    await until(async () => (await reachedBy(db)) > 0 || undefined)
    await sql`delete from publications where project_id = ${projectId} and id in ('pub_1', 'pub_2')`.execute(db)
  })
  expect(await published()).toBe(5)
  const rebuilt = await outputOf((given) => rebuildCommand(given, {}))
  expect(rebuilt).toMatch(
    /^Adding up the statistics of .+ \(proj_\w+\) again; they are not complete meanwhile …\nDone\.\n$/,
  )
  expect(await published()).toBe(3)
  await outputOf((given) => rebuildCommand(given, { project: projectId }))
  expect(await published()).toBe(3)
  const elsewhere = outputOf((given) => rebuildCommand(given, { project: 'proj_nowhere' }))
  await expect(elsewhere).rejects.toThrow('There is no project proj_nowhere.')

  async function reachedBy(db: Parameters<typeof addUp>[0]): Promise<number> {
    await addUp(db, projectId)
    const { rows } = await sql<{ reached: number }>`
      select publications_to as reached from statistics_progress where project_id = ${projectId}`.execute(db)
    return Number(rows[0]?.reached)
  }
})
