// @embedded: what a kill leaves in its folder
import { mkdtempSync, openAsBlob, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { asRequest, insertProject, openIdleRuntime, until } from '../../testing/background.ts'
import { countedRows, countingAction } from '../../testing/counting-action.ts'
import { startCrashWorker } from '../../testing/crash.ts'
import { databaseKind } from '../../testing/database.ts'
import { connectPglite } from '../db/connect.ts'
import { startAsyncAction, workAsyncActions } from './async-action.ts'
import { getAsyncAction } from './async-actions/store.ts'

test.runIf(databaseKind() === 'pglite')(
  'on PGlite, after kill -9 the next start continues at once and processes each row once',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'guerdon-crash-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const { snapshot } = inject('database') as { snapshot: string }
    const before = await connectPglite({ folder, snapshot: await openAsBlob(snapshot) })
    const first = await openIdleRuntime(before)
    const project = await insertProject(first)
    const { async_action_id: id } = await asRequest(first, project, (ctx) =>
      startAsyncAction(ctx, countingAction(), { rows_count: 60, step_rows: 10, pause_ms: 0 }),
    )
    await first.jobs.close()
    await before.close()

    const worker = startCrashWorker(folder, { last_step: 20 })
    await worker.says('step 20')
    await worker.kill()

    const after = await connectPglite({ folder })
    const runtime = await openIdleRuntime(after)
    onTestFinished(async () => {
      await runtime.jobs.close()
      await after.close()
    })
    const read = () => asRequest(runtime, project, (ctx) => getAsyncAction(ctx, id))
    expect(await read()).toMatchObject({ status: 'IN_PROGRESS', progress: 33 })
    const steps: number[] = []
    // No delay and no supervision interval before the first step: the job is due before any worker starts.
    const { rows } = await after.execute(`
      select state::text, start_after <= now() as is_due from pgboss.job where data ->> 'action_id' = '${id}'`)
    expect(rows).toEqual([{ state: 'retry', is_due: true }])
    await workAsyncActions(runtime, [countingAction((row) => steps.push(row))])
    await until(async () => ((await read()).status === 'DONE' ? true : undefined))
    expect(steps).toEqual([20, 30, 40, 50])
    expect(await countedRows({ db: after.db, project_id: project.id })).toEqual({ 1: 60 })
  },
)
