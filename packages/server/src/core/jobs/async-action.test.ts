// @embedded: so do the steps of long work
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import {
  asRequest,
  insertProject,
  openIdleRuntime,
  runAsyncActions,
  testCaller,
  until,
  untilRetried,
} from '../../testing/background.ts'
import { type Counting, countedRows, countingAction } from '../../testing/counting-action.ts'
import { databaseKind } from '../../testing/database.ts'
import { ownDatabase } from '../../testing/nodes.ts'
import { setLimits } from '../../testing/set-limits.ts'
import type { Ctx, Runtime } from '../context.ts'
import type { Project } from '../db/project-row.ts'
import { ApiError } from '../http/errors.ts'
import { type AsyncActionDefinition, defineAsyncAction, startAsyncAction, workAsyncActions } from './async-action.ts'
import type { AsyncAction as AsyncActionView } from './async-actions/schema.ts'
import { getAsyncAction } from './async-actions/store.ts'
import { rowByRow } from './row-by-row.ts'

const { database } = await ownDatabase()

/** A node that is closed at the end of the test. */
async function newNode(): Promise<Runtime> {
  const runtime = await openIdleRuntime(database)
  onTestFinished(() => runtime.jobs.close({ graceful_seconds: 1 }))
  return runtime
}

/** A node that runs the given actions, with a project to start them in. */
async function atWork(...actions: AsyncActionDefinition[]) {
  const runtime = await newNode()
  const project = await insertProject(runtime)
  await workAsyncActions(runtime, actions)
  return { runtime, project, ...callsTo(runtime, project) }
}

const callsTo = (runtime: Runtime, project: Project) => ({
  start: <Input extends object>(action: AsyncActionDefinition<Input>, input: Input) =>
    asRequest(runtime, project, (ctx) => startAsyncAction(ctx, action, input)).then(
      ({ async_action_id }) => async_action_id,
    ),
  read: (id: string) => asRequest(runtime, project, (ctx) => getAsyncAction(ctx, id)),
  ended: (id: string): Promise<AsyncActionView> =>
    until(async () => {
      const action = await asRequest(runtime, project, (ctx) => getAsyncAction(ctx, id))
      return action.status === 'DONE' || action.status === 'FAILED' ? action : undefined
    }),
  counted: () => countedRows({ db: database.db, project_id: project.id }),
})

const counting = { rows_count: 25, step_rows: 10, pause_ms: 0 }

/** An import whose rows are numbers; every third one is refused and rolled back. */
const threesRefused = defineAsyncAction<{ numbers: number[] }, { next: number }>({
  type: 'PRODUCTS.IMPORT_CSV',
  begin: () => ({ next: 0 }),
  async step(ctx, { numbers }, { next }) {
    const last = Math.min(next + 500, numbers.length)
    const { done, failed } = await rowByRow(
      ctx,
      numbers.slice(next, last),
      async (number) => {
        await sql`insert into guards (project_id, name, version, touched_at) values (${ctx.project_id}, ${`row ${number}`}, 1, now())`.execute(
          ctx.db,
        )
        if (number % 3 === 0) throw new ApiError('invalid_payload', { details: `${number} is a multiple of three` })
      },
      (number, { message }, index) => ({ row: next + index + 1, source_id: `${number}`, reason: message }),
    )
    return {
      state: { next: last },
      progress: (100 * last) / numbers.length,
      done,
      failed,
      finished: last === numbers.length,
    }
  },
  finish: (_ctx, _input, { done_count, failed_count, failed }) => ({
    message: `${done_count} product(s) imported successfully, ${failed_count} failed.`,
    failed,
    done_count,
    failed_count,
  }),
})

/** Each step imports one row and refuses 600. */
const allRefused = defineAsyncAction<{ steps: number }, { step: number }>({
  type: 'SKUS.IMPORT_CSV',
  begin: () => ({ step: 0 }),
  async step(_ctx, { steps }, { step }) {
    const failed = Array.from({ length: 600 }, (_, index) => ({ row: step * 600 + index + 1, reason: 'no' }))
    return { state: { step: step + 1 }, progress: 0, done: 1, failed, finished: step + 1 === steps }
  },
  finish: (_ctx, _input, { done_count, failed_count, failed }) => ({ done_count, failed_count, failed }),
})

test('an action goes from ENQUEUED to DONE, with its progress, time and result', async () => {
  let id = ''
  const reads: Array<Promise<AsyncActionView>> = []
  // On PGlite, a request during a step is answered after the step; on PostgreSQL, while the step runs.
  const isEmbedded = databaseKind() === 'pglite'
  const { runtime, start, read, ended, counted } = await atWork(
    countingAction(async () => {
      const asked = read(id)
      reads.push(asked)
      if (!isEmbedded) await asked
    }),
  )
  const idle = callsTo(await newNode(), await insertProject(runtime))
  const waiting = await idle.start(allRefused, { steps: 1 })
  expect(await idle.read(waiting)).toEqual({
    id: waiting,
    type: 'SKUS.IMPORT_CSV',
    status: 'ENQUEUED',
    operation_status: 'UNKNOWN',
    created_at: expect.any(String),
    updated_at: expect.any(String),
    request_id: expect.stringMatching(/^v-/),
    progress: 0,
    object: 'async_action',
  })

  id = await start(countingAction(), { ...counting, pause_ms: 50 })
  const action = await ended(id)
  const seen = await Promise.all(reads)
  expect(seen.map(({ progress }) => progress)).toEqual(isEmbedded ? [40, 80, 100] : [0, 40, 80])
  const running = seen.find(({ progress }) => progress === 80)
  expect(running).toMatchObject({ status: 'IN_PROGRESS', operation_status: 'UNKNOWN' })
  expect(running).not.toHaveProperty('result')
  expect(running).not.toHaveProperty('processing_time')
  expect(action).toMatchObject({
    status: 'DONE',
    operation_status: 'SUCCESS',
    progress: 100,
    result: { message: 'Counted 25.', done_count: 25 },
  })
  expect(action.processing_time).toBe(Date.parse(action.updated_at) - Date.parse(action.created_at))
  expect(action.processing_time).toBeGreaterThanOrEqual(150)
  expect(await counted()).toEqual({ 1: 25 })
})

test('processing_time is measured by the service clock, from start to end', async () => {
  let clock = Date.parse('2026-06-01T00:00:00.000Z')
  const runtime = { ...(await newNode()), now: () => clock }
  const project = await insertProject(runtime)
  const { start, read } = callsTo(runtime, project)
  const action = countingAction(() => {
    clock += 1_000
  })
  const id = await start(action, counting)
  clock += 500
  await runAsyncActions(runtime, project.id, [action])
  expect(await read(id)).toMatchObject({
    status: 'DONE',
    created_at: '2026-06-01T00:00:00.000Z',
    updated_at: '2026-06-01T00:00:03.500Z', // it waited half a second, and three steps took one each
    processing_time: 3_500,
  })
})

test('an action with nothing to do is done', async () => {
  const { start, ended } = await atWork(countingAction())
  const action = await ended(await start(countingAction(), { ...counting, rows_count: 0 }))
  expect(action).toMatchObject({
    status: 'DONE',
    operation_status: 'SUCCESS',
    progress: 100,
    result: { done_count: 0 },
  })
})

test('an action stops when its project is deleted', async () => {
  const steps: number[] = []
  let deleted: Promise<unknown> = Promise.resolve()
  const { runtime, project, start } = await atWork(
    countingAction(async (first) => {
      steps.push(first)
      deleted = sql`update projects set deleted_at = now() where id = ${project.id}`.execute(database.db)
      if (databaseKind() === 'postgres') await deleted // on PGlite it runs between this step and the next one
    }),
  )
  await start(countingAction(), counting)
  await until(() => (steps.length > 0 ? true : undefined))
  await deleted
  await until(async () => {
    const counts = await runtime.jobs.counts()
    return counts.some(({ queue, active }) => queue === 'async-actions' && active === 0) || undefined
  })
  expect(steps).toEqual([0])
})

test('an action started in a transaction that rolls back leaves neither record nor job', async () => {
  const { runtime, project, counted } = await atWork(countingAction())
  const undone = asRequest(runtime, project, async (ctx) => {
    await startAsyncAction(ctx, countingAction(), counting)
    throw new Error('no')
  })
  await expect(undone).rejects.toThrow('no')
  const { rows } = await sql`select from pgboss.job where data ->> 'project_id' = ${project.id}`.execute(database.db)
  expect(rows).toEqual([])
  expect(await counted()).toEqual({})
  const records = await database.db
    .selectFrom('async_actions')
    .where('project_id', '=', project.id)
    .selectAll()
    .execute()
  expect(records).toEqual([])
})

test('rows fail independently: the list of failures stops at 1,000, the counts do not', async () => {
  const { start, ended, counted, project } = await atWork(threesRefused, allRefused)
  const few = await ended(await start(threesRefused, { numbers: [1, 2, 3, 4, 6] }))
  expect(few).toMatchObject({ status: 'DONE', operation_status: 'FAILED', progress: 100 })
  expect(few.result).toEqual({
    message: '3 product(s) imported successfully, 2 failed.',
    failed: [
      { row: 3, source_id: '3', reason: '3 is a multiple of three' },
      { row: 5, source_id: '6', reason: '6 is a multiple of three' },
    ],
    done_count: 3,
    failed_count: 2,
  })
  expect(await counted()).toEqual({ 1: 3 })

  const many = await ended(await start(allRefused, { steps: 3 }))
  const result = many.result as { failed: Array<{ row: number }>; done_count: number; failed_count: number }
  expect(result).toMatchObject({ done_count: 3, failed_count: 1_800 })
  expect(result.failed.map(({ row }) => row)).toEqual(Array.from({ length: 1_000 }, (_, index) => index + 1))

  const stored = await database.db
    .selectFrom('async_failures')
    .where('project_id', '=', project.id)
    .selectAll()
    .execute()
  expect(stored).toEqual([]) // they are in the result now
})

test('a step runs on behalf of the request that started the action, with the time of the step', async () => {
  const seen: Ctx[] = []
  const action = defineAsyncAction<{ steps: number }, { step: number }>({
    type: 'ORDERS.IMPORT',
    begin: () => ({ step: 1 }),
    async step(ctx, { steps }, { step }) {
      seen.push(ctx)
      await pause(30)
      return { state: { step: step + 1 }, progress: 0, done: 0, failed: [], finished: step === steps }
    },
    finish: () => ({}),
  })
  const { start, ended, project } = await atWork(action)
  const { request_id } = await ended(await start(action, { steps: 3 }))
  expect(seen.map(({ project_id }) => project_id)).toEqual([project.id, project.id, project.id])
  expect(seen.map((ctx) => ctx.request_id)).toEqual([request_id, request_id, request_id])
  expect(seen[2]?.caller).toEqual(testCaller)
  const clocks = seen.map(({ now }) => now)
  expect(new Set(clocks).size).toBe(3)
  expect(clocks.toSorted()).toEqual(clocks)
})

test('actions of one type in one project run one after another, also if an earlier one fails', async () => {
  const log: string[] = []
  const action = defineAsyncAction<{ name: string; breaks?: boolean }, object>({
    type: 'VOUCHERS.IMPORT',
    begin: () => ({}),
    async step(_ctx, { name, breaks }) {
      log.push(`${name} starts`)
      await pause(50)
      log.push(`${name} ends`)
      if (breaks) throw new Error('broken')
      return { state: {}, progress: 100, done: 1, failed: [], finished: true }
    },
    finish: () => ({}),
  })
  const runtime = await newNode()
  const { start, ended } = callsTo(runtime, await insertProject(runtime))
  const first = await start(action, { name: 'first', breaks: true })
  const second = await start(action, { name: 'second' })
  const third = await start(action, { name: 'third' })
  const elsewhere = callsTo(runtime, await insertProject(runtime))
  const other = await elsewhere.start(action, { name: 'other' })
  await workAsyncActions(runtime, [action])
  expect(
    (await Promise.all([ended(first), ended(second), ended(third), elsewhere.ended(other)])).map(
      ({ status }) => status,
    ),
  ).toEqual(['FAILED', 'DONE', 'DONE', 'DONE'])
  const here = log.filter((what) => !what.startsWith('other'))
  expect(here).toEqual(['first starts', 'first ends', 'second starts', 'second ends', 'third starts', 'third ends'])
  expect(log.indexOf('other starts')).toBeLessThan(log.indexOf('third starts')) // it did not wait for another project
})

test('actions created in the same instant keep their order', async () => {
  const log: number[] = []
  const action = defineAsyncAction<{ number: number }, object>({
    type: 'ORDERS.IMPORT',
    begin: () => ({}),
    async step(_ctx, { number }) {
      log.push(number)
      return { state: {}, progress: 100, done: 1, failed: [], finished: true }
    },
    finish: () => ({}),
  })
  const { runtime, project } = await atWork(action)
  const numbers = [1, 2, 3, 4, 5, 6, 7, 8]
  await asRequest(runtime, project, async (ctx) => {
    for (const number of numbers) await startAsyncAction(ctx, action, { number })
  })
  await until(() => (log.length === numbers.length ? true : undefined))
  expect(log).toEqual(numbers)
})

test('an action can define its serialisation key', async () => {
  const action = defineAsyncAction<{ campaign_id: string }, object>({
    type: 'CAMPAIGN.VOUCHERS_GENERATE',
    serialKey: ({ campaign_id }) => `campaign ${campaign_id}`,
    begin: () => ({}),
    async step() {
      return { state: {}, progress: 100, done: 1, failed: [], finished: true }
    },
    finish: () => ({}),
  })
  const { start, ended } = await atWork(action)
  const ids = [await start(action, { campaign_id: 'camp_1' }), await start(action, { campaign_id: 'camp_2' })]
  for (const id of ids) expect(await ended(id)).toMatchObject({ status: 'DONE' })
  const { rows } = await sql<{ lane: string }>`
    select singleton_key as lane from pgboss.job where data ->> 'action_id' = any(${ids}) order by lane`.execute(
    database.db,
  )
  expect(rows.map(({ lane }) => lane.split(' ').slice(1).join(' '))).toEqual(['campaign camp_1', 'campaign camp_2'])
})

test('an action that throws ends as FAILED with its counts; the failed step is rolled back', async () => {
  const brokenAt: Array<object | null> = []
  const action: AsyncActionDefinition<typeof counting, { next: number }> = {
    ...countingAction((first) => {
      if (first === 20) throw new TypeError('a fault of ours')
    }),
    onFailed: async (_ctx, _input, state) => void brokenAt.push(state),
  }
  const { start, ended, counted } = await atWork(action as AsyncActionDefinition)
  const endedAction = await ended(await start(action, counting))
  expect(endedAction).toMatchObject({ status: 'FAILED', operation_status: 'FAILED', progress: 80 })
  expect(endedAction.result).toEqual({ message: 'Internal Server Error', failed: [], done_count: 20, failed_count: 0 })
  expect(endedAction.processing_time).toEqual(expect.any(Number))
  expect(brokenAt).toEqual([{ next: 20 }])
  expect(await counted()).toEqual({ 1: 20 })
})

test('an action whose failure handler throws too still ends', async () => {
  const action: AsyncActionDefinition<typeof counting, { next: number }> = {
    ...countingAction(),
    begin() {
      throw new ApiError('resource_in_use', { details: 'The campaign is gone' })
    },
    async onFailed({ db }) {
      await sql`select 1 / 0`.execute(db)
    },
  }
  const { start, ended } = await atWork(action as AsyncActionDefinition)
  expect(await ended(await start(action, counting))).toMatchObject({
    status: 'FAILED',
    result: { message: 'The campaign is gone' },
  })
})

test('a step rolled back by an outage is repeated once', async () => {
  let outages = 0
  const action = countingAction((first) => {
    if (first !== 10 || outages > 0) return
    outages += 1
    throw Object.assign(new Error('terminating connection due to administrator command'), { code: '57P01' })
  })
  const { runtime, start, read, counted } = await atWork(action)
  const id = await start(action, counting)
  const done = await untilRetried(runtime, async () => ((await read(id)).status === 'DONE' ? read(id) : undefined))
  expect(done).toMatchObject({ result: { done_count: 25 } })
  expect(outages).toBe(1)
  expect(await counted()).toEqual({ 1: 25 })
})

test('after its process stops, another node continues an action from the last checkpoint', async () => {
  const steps: number[] = []
  const slow = { rows_count: 40, step_rows: 10, pause_ms: 100 }
  const { runtime, project, start, ended, counted } = await atWork(countingAction((first) => steps.push(first)))
  const id = await start(countingAction(), slow)
  await until(() => (steps.length === 2 ? true : undefined))
  await runtime.jobs.close()
  const { rows } = await sql`select state::text from pgboss.job where data ->> 'action_id' = ${id}`.execute(database.db)
  expect(rows).toEqual([{ state: 'retry' }])
  expect(await counted()).toEqual({ 1: 20 }) // the running step was finished, the next one was not started

  const next = await newNode()
  await workAsyncActions(next, [countingAction((first) => steps.push(first))])
  expect(await ended(id)).toMatchObject({ status: 'DONE', result: { done_count: 40 } })
  expect(steps).toEqual([0, 10, 20, 30])
  expect(await countedRows({ db: database.db, project_id: project.id })).toEqual({ 1: 40 })
})

test('two nodes that run the same action execute each step once', async () => {
  const steps: number[] = []
  const { runtime, start, ended, counted } = await atWork(countingAction((first) => steps.push(first)))
  await workAsyncActions(await newNode(), [countingAction((first) => steps.push(first))])
  const id = await start(countingAction(), { rows_count: 60, step_rows: 10, pause_ms: 60 })
  await until(() => (steps.length >= 1 ? true : undefined))
  // As if the heartbeat of the first node had expired.
  await sql`update pgboss.job set state = 'retry', start_after = now() where data ->> 'action_id' = ${id}`.execute(
    database.db,
  )
  runtime.jobs.wake('async-actions')
  expect(await ended(id)).toMatchObject({ status: 'DONE', result: { done_count: 60 } })
  expect(steps.toSorted((a, b) => a - b)).toEqual([0, 10, 20, 30, 40, 50])
  expect(await counted()).toEqual({ 1: 60 })
})

test('an action of an unknown type waits for a node that knows it', async () => {
  const action = countingAction()
  const { start, read, counted } = await atWork()
  const id = await start(action, counting)
  await until(async () => {
    const { rows } = await sql`
      select from pgboss.job where data ->> 'action_id' = ${id} and state = 'retry'`.execute(database.db)
    return rows.length > 0 ? true : undefined // the node has fetched the job and returned it to the queue
  })
  expect(await read(id)).toMatchObject({ status: 'ENQUEUED' })
  expect(await counted()).toEqual({})
})

test('an action without progress is given up', async () => {
  const { runtime, start, ended } = await atWork()
  await runtime.jobs.close()
  const id = await start(countingAction(), counting)
  // Retried 21 times by processes that died before they saved a checkpoint.
  await sql`update pgboss.job set retry_count = 20, started_on = now() where data ->> 'action_id' = ${id}`.execute(
    database.db,
  )
  await workAsyncActions(await newNode(), [countingAction()])
  expect(await ended(id)).toMatchObject({ status: 'FAILED', result: { done_count: 0 } })
})

test('one action of a project waits for a few steps of the long ones of another project, not for their end', async () => {
  setLimits({ job_turn_seconds: 0 }) // every turn is one step
  let steps = 0
  const long = defineAsyncAction<Counting & { lane: number }, { next: number }>({
    ...countingAction(() => {
      steps += 1
    }),
    serialKey: ({ lane }) => `lane ${lane}`,
  })
  const [lanes, stepsEach] = [6, 80]
  const { runtime, start, ended, counted } = await atWork(long, threesRefused)
  const other = callsTo(runtime, await insertProject(runtime))
  const ids = await Promise.all(
    Array.from({ length: lanes }, (_, lane) => start(long, { lane, rows_count: stepsEach, step_rows: 1, pause_ms: 0 })),
  )
  await until(() => (steps > lanes ? true : undefined))
  const before = steps
  const { result } = await other.ended(await other.start(threesRefused, { numbers: [1] }))
  expect(result).toMatchObject({ done_count: 1 })
  // It has three steps of its own, and lets each of the others have one after each; some more run beside it.
  expect(steps - before).toBeLessThan(10 * lanes)

  for (const id of ids) expect((await ended(id)).result).toMatchObject({ done_count: stepsEach })
  expect(await counted()).toEqual({ [lanes]: stepsEach })
})
