import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { asRequest, insertProject, openIdleRuntime, until } from '../../testing/background.ts'
import { countedRows, countingAction } from '../../testing/counting-action.ts'
import { startCrashWorker } from '../../testing/crash.ts'
import { ownDatabase } from '../../testing/nodes.ts'
import { startAsyncAction, workAsyncActions } from './async-action.ts'
import { getAsyncAction } from './async-actions/store.ts'
import { supervision } from './declare-queues.ts'

test('a dead node is noticed within a minute: its heartbeat expires after 30 s, and another node looks every 15 s', () => {
  expect(supervision.postgres).toEqual({ superviseIntervalSeconds: 15, monitorIntervalSeconds: 15 })
})

test('after kill -9 during a step, another node finishes the action and processes each row once', async () => {
  const { ...usual } = supervision.postgres
  Object.assign(supervision.postgres, { superviseIntervalSeconds: 1, monitorIntervalSeconds: 1 })
  onTestFinished(() => void Object.assign(supervision.postgres, usual))
  const { database, url } = await ownDatabase()
  const runtime = await openIdleRuntime(database) // the surviving node supervises from the beginning, and works later
  const project = await insertProject(runtime)
  const read = (id: string) => asRequest(runtime, project, (ctx) => getAsyncAction(ctx, id))
  const counted = () => countedRows({ db: database.db, project_id: project.id })

  const worker = startCrashWorker(url as string, { last_step: 20 })
  await worker.says('ready')
  const { async_action_id: id } = await asRequest(runtime, project, (ctx) =>
    startAsyncAction(ctx, countingAction(), { rows_count: 60, step_rows: 10, pause_ms: 0 }),
  )
  await worker.says('step 20')
  await worker.kill()
  expect(await counted()).toEqual({ 1: 20 }) // its uncommitted third step was rolled back
  expect(await read(id)).toMatchObject({ status: 'IN_PROGRESS', progress: 33 })

  const steps: number[] = []
  await heartbeatsLapse(id)
  await workAsyncActions(runtime, [countingAction((first) => steps.push(first))])
  await until(async () => ((await read(id)).status === 'DONE' ? true : undefined))
  expect(await read(id)).toMatchObject({
    operation_status: 'SUCCESS',
    progress: 100,
    result: { done_count: 60, failed_count: 0 },
  })
  expect(steps).toEqual([20, 30, 40, 50])
  expect(await counted()).toEqual({ 1: 60 })

  /** Expires the heartbeat of the dead process without waiting 30 s, unless that time has passed already. */
  async function heartbeatsLapse(actionId: string): Promise<void> {
    const { rows } = await sql`
      update pgboss.job set heartbeat_on = heartbeat_on - case when state = 'active' then interval '31 s' else interval '0' end
      where data ->> 'action_id' = ${actionId} returning heartbeat_seconds`.execute(database.db)
    expect(rows).toEqual([{ heartbeat_seconds: 30 }])
  }
})
