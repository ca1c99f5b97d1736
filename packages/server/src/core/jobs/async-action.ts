import assert from 'node:assert'
import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Caller, Ctx, Runtime } from '../context.ts'
import { isOutage } from '../db/outage.ts'
import { ApiError, errorMessage } from '../http/errors.ts'
import { type Id, newId } from '../lib/ids.ts'
import type { AsyncActionType } from './async-actions/schema.ts'
import { inBackground } from './background.ts'
import {
  breakAction,
  type Checkpoint,
  finishAction,
  insertFailures,
  listFailures,
  lockAction,
  saveCheckpoint,
} from './checkpoint.ts'
import type { Run } from './jobs.ts'
import type { QueueData } from './queues.ts'

/**
 * A long operation, told in steps. Each step is one transaction that also stores how far it came, so a crash repeats at
 * most the step that was never stored, and nothing is done twice or lost. Everything it changes, it changes through the
 * `db` of its context. Input and state are plain JSON; the input is forgotten once the action is over.
 */
export interface AsyncAction<Input extends object = object, State extends object = object> {
  type: AsyncActionType
  /** Actions of one lane run one after another, in the order of arrival. The type itself, unless told otherwise. */
  lane?(input: Input): string
  begin(ctx: Ctx, input: Input): State | Promise<State>
  step(ctx: Ctx, input: Input, state: State): Promise<Step<State>>
  /** What the single read shows as `result`. */
  finish(ctx: Ctx, input: Input, outcome: Outcome<State>): object | Promise<object>
  /** Called in the transaction that ends the action as FAILED; `state` is null when it never began. */
  broken?(ctx: Ctx, input: Input, state: State | null): Promise<void>
}

export interface Step<State> {
  state: State
  /** 0 to 100. */
  progress: number
  /** Records this step brought in. */
  done: number
  /** Records it could not, as they will be listed. */
  failed: object[]
  /** Whether this was the last step. */
  finished: boolean
}

export interface Outcome<State> {
  state: State
  done_count: number
  failed_count: number
  /** The first of the failures, at most `limits.async_failures_listed_max`. */
  failed: object[]
}

/** Gives an action its types: `defineAsyncAction<Input, State>({ type: 'CUSTOMERS.IMPORT_CSV', begin … })`. */
export const defineAsyncAction = <Input extends object, State extends object>(
  action: AsyncAction<Input, State>,
): AsyncAction<Input, State> => action

/** Starts an action in the caller's transaction: its record and its job exist if and only if that commits. */
export async function startAsyncAction<Input extends object>(
  ctx: Ctx,
  action: AsyncAction<Input>,
  input: Input,
): Promise<{ async_action_id: Id<'async_action'> }> {
  const { db, project_id, now, request_id, caller, jobs } = ctx
  const id = newId('async_action')
  await db
    .insertInto('async_actions')
    .values({
      project_id,
      id,
      type: action.type,
      status: 'ENQUEUED',
      operation_status: 'UNKNOWN',
      created_at: now,
      updated_at: now,
      request_id,
      event_source: JSON.stringify(caller),
      processing_time: null,
      progress: 0,
      input: JSON.stringify(input),
      state: '{}',
      result: null,
    })
    .execute()
  const lane = `${project_id} ${action.lane?.(input) ?? action.type}`
  const isSent = await jobs.send(ctx, 'async-actions', { project_id, action_id: id }, { id: jobIdOf(id), lane })
  assert(isSent)
  return { async_action_id: id }
}

/** Runs the actions of this table in this process. */
export async function workAsyncActions(runtime: Runtime, actions: readonly AsyncAction[]): Promise<void> {
  assert(new Set(actions.map(({ type }) => type)).size === actions.length, 'two async actions of one type')
  await runtime.jobs.work('async-actions', (data, run) => runAsyncAction(runtime, actions, data, run))
}

/** So often an action is taken up again without a step forward, after crashes and outages, before it ends as FAILED. */
const retriesWithoutProgressMax = 20

/** Brings one action from where it stands to its end, or to the moment it is told to stop. */
export async function runAsyncAction(
  runtime: Runtime,
  actions: readonly AsyncAction[],
  { project_id, action_id }: QueueData['async-actions'],
  { retries, signal }: Run,
): Promise<'again' | undefined> {
  // The input can be large and never changes: it is read once per run, not once per step.
  const record = await runtime.database.db
    .selectFrom('async_actions')
    .where('project_id', '=', project_id)
    .where('id', '=', action_id)
    .where('status', 'in', ['ENQUEUED', 'IN_PROGRESS'])
    .select(['type', 'input', 'request_id', 'event_source'])
    .executeTakeFirst()
  if (record === undefined) return undefined
  const action = actions.find(({ type }) => type === record.type)
  // A newer node knows it, most likely: let it have the job.
  if (action === undefined && retries < retriesWithoutProgressMax)
    throw new Error(`No async action ${record.type} here`)

  const origin = { request_id: record.request_id, caller: record.event_source as Caller }
  const inStep = (work: (ctx: Ctx) => Promise<boolean>) => inBackground(runtime, project_id, origin, work)
  try {
    // Null: the project is gone, and the record with it soon.
    for (let isOver: boolean | null = false; isOver === false; ) {
      if (signal.aborted) return 'again'
      isOver = await inStep((ctx) => advance(ctx, action, action_id, record.input, retries))
      await setImmediate() // requests first
    }
  } catch (error) {
    if (isOutage(error)) throw error
    runtime.log.error({ err: error, project_id, action_id, type: record.type }, 'an async action broke')
    await breakOff(error)
  }
  return undefined

  async function breakOff(cause: unknown): Promise<void> {
    const message = cause instanceof ApiError ? cause.message : errorMessage('internal_error')
    try {
      await inStep((ctx) => end(ctx, action))
    } catch (error) {
      if (isOutage(error)) throw error
      runtime.log.error({ err: error, project_id, action_id }, 'the last words of an async action broke')
      await inStep((ctx) => end(ctx, undefined))
    }

    async function end(ctx: Ctx, speaker: AsyncAction | undefined): Promise<boolean> {
      const at = await lockAction(ctx, action_id)
      if (at === null) return true
      await speaker?.broken?.(ctx, record?.input ?? {}, at.checkpoint?.state ?? null)
      await breakAction(ctx, action_id, at, message)
      return true
    }
  }
}

/** One step forward, in one transaction; answers whether the action is over. */
async function advance(
  ctx: Ctx,
  action: AsyncAction | undefined,
  id: Id<'async_action'>,
  input: object,
  retries: number,
): Promise<boolean> {
  // The row stays locked until the step is stored. Should two nodes believe the job is theirs, they take turns, each
  // from where the other left it.
  const at = await lockAction(ctx, id)
  if (at === null) return true
  const { checkpoint, progress } = at
  if (action === undefined || retries - (checkpoint?.retries ?? 0) > retriesWithoutProgressMax)
    throw new Error(`Gave up after ${retries} retries`)

  if (checkpoint === null) {
    const state = await action.begin(ctx, input)
    await saveCheckpoint(ctx, id, { state, finished: false, done_count: 0, failed_count: 0, retries }, 0)
    return false
  }
  if (!checkpoint.finished) {
    const { state, finished, done, failed, progress: reached } = await action.step(ctx, input, checkpoint.state)
    await insertFailures(ctx, id, checkpoint.failed_count, failed)
    const next: Checkpoint = {
      state,
      finished,
      done_count: checkpoint.done_count + done,
      failed_count: checkpoint.failed_count + failed.length,
      retries,
    }
    // Never back, and nothing of nothing (0 / 0) is no step forward.
    await saveCheckpoint(ctx, id, next, Math.max(progress, Math.min(100, Math.floor(reached || 0))))
    return false
  }
  const { state, done_count, failed_count } = checkpoint
  const failed = await listFailures(ctx, id)
  await finishAction(ctx, id, at, await action.finish(ctx, input, { state, done_count, failed_count, failed }))
  return true
}

/**
 * A UUID that sorts like the id of its action: jobs of one lane and one tick of the database's clock, which on PGlite
 * is a millisecond, keep the order of arrival.
 */
function jobIdOf(id: Id<'async_action'>): string {
  const digits = id.slice('aa_'.length) + randomBytes(7).toString('hex')
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
