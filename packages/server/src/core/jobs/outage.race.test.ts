import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { asRequest, insertProject, openIdleRuntime, untilRetried } from '../../testing/background.ts'
import { countedRows, countingAction } from '../../testing/counting-action.ts'
import { ownDatabase } from '../../testing/nodes.ts'
import { startAsyncAction, workAsyncActions } from './async-action.ts'
import { getAsyncAction } from './async-actions/store.ts'

test('with repeatedly broken connections, no row is lost or processed twice', async () => {
  const { database } = await ownDatabase()
  const runtime = await openIdleRuntime(database)
  const project = await insertProject(runtime)
  let steps = 0
  /** The steps during which the connection breaks; each stays open until then. */
  const cuts = new Map([1, 3].map((step) => [step, Promise.withResolvers<void>()]))
  await workAsyncActions(runtime, [
    countingAction(() => {
      steps += 1
      return cuts.get(steps)?.promise
    }),
  ])
  const { async_action_id: id } = await asRequest(runtime, project, (ctx) =>
    startAsyncAction(ctx, countingAction(), { rows_count: 50, step_rows: 10, pause_ms: 0 }),
  )
  for (const [step, cut] of cuts) {
    await untilRetried(runtime, () => (steps === step ? true : undefined))
    const { rows } = await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and state = 'idle in transaction'`.execute(
      database.db,
    )
    expect(rows).toHaveLength(1)
    cut.resolve()
  }
  await untilRetried(runtime, async () => {
    const { status } = await asRequest(runtime, project, (ctx) => getAsyncAction(ctx, id))
    return status === 'DONE' ? true : undefined
  })
  expect(steps).toBe(7) // five committed, two interrupted
  expect(await countedRows({ db: database.db, project_id: project.id })).toEqual({ 1: 50 })
})
