import assert from 'node:assert'
import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Caller, Ctx, Runtime } from '../context.ts'
import { isTransient } from '../db/outdated-node.ts'
import { ApiError, errorMessage } from '../http/errors.ts'
import { type Id, newId } from '../lib/ids.ts'
import { actionInputJson, readActionInput } from './action-input.ts'
import type { AsyncActionType } from './async-actions/schema.ts'
import { inBackground } from './background.ts'
import {
  type Checkpoint,
  failAction,
  finishAction,
  insertFailures,
  listFailures,
  lockAction,
  saveCheckpoint,
} from './checkpoint.ts'
import type { QueueData } from './queues.ts'
import type { JobRun } from './workers.ts'

/**
 * A long operation that runs in steps. Each step is one transaction that also saves a checkpoint, so after a crash only the
 * uncommitted step is repeated, and nothing is done twice or lost. All changes go through the `db` of the context. Input and
 * state are plain JSON; the input is deleted when the action ends.
 */
export interface AsyncActionDefinition<Input extends object = object, State extends object = object> {
  type: AsyncActionType
  /** The serialisation key: actions with the same key run one after another, in order of arrival. Default: the type. */
  serialKey?(input: Input): string
  begin(ctx: Ctx, input: Input): State | Promise<State>
  step(ctx: Ctx, input: Input, state: State): Promise<ActionStep<State>>
  /** Returns the `result` of the action in the API. */
  finish(ctx: Ctx, input: Input, outcome: ActionOutcome<State>): object | Promise<object>
  /** Called in the transaction that ends the action as FAILED; `state` is null if `begin` never committed. */
  onFailed?(ctx: Ctx, input: Input, state: State | null): Promise<void>
}

export interface ActionStep<State> {
  state: State
  /** 0 to 100. */
  progress: number
  /** Number of records processed in this step. */
  done: number
  /** Records that failed, as the result will list them. */
  failed: object[]
  /** Whether this was the last step. */
  finished: boolean
}

export interface ActionOutcome<State> {
  state: State
  done_count: number
  failed_count: number
  /** The first failures, at most `limits.async_failures_listed_max`. */
  failed: object[]
}

/** Infers the types of an action: `defineAsyncAction<Input, State>({ type: 'CUSTOMERS.IMPORT_CSV', begin … })`. */
export const defineAsyncAction = <Input extends object, State extends object>(
  action: AsyncActionDefinition<Input, State>,
): AsyncActionDefinition<Input, State> => action

/** Starts an action in the caller's transaction: its record and its job exist if and only if the transaction commits. */
export async function startAsyncAction<Input extends object>(
  ctx: Ctx,
  action: AsyncActionDefinition<Input>,
  input: Input,
): Promise<{ async_action_id: Id<'async_action'> }> {
  const { db, project_id, now, request_id, caller, jobs } = ctx
  const id = newId('async_action')
  const json = await actionInputJson(input)
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
      input: json,
      state: '{}',
      result: null,
    })
    .execute()
  const lane = `${project_id} ${action.serialKey?.(input) ?? action.type}`
  const isSent = await jobs.send(
    ctx,
    'async-actions',
    { project_id, action_id: id },
    { id: jobIdOf(id), lane, owner: project_id },
  )
  assert(isSent)
  return { async_action_id: id }
}

/** Runs queued actions in this process. */
export async function workAsyncActions(runtime: Runtime, actions: readonly AsyncActionDefinition[]): Promise<void> {
  assert(new Set(actions.map(({ type }) => type)).size === actions.length, 'two async actions have the same type')
  await runtime.jobs.work('async-actions', (data, run) => runAsyncAction(runtime, actions, data, run))
}

/** The actions of a project that have not ended, in order of arrival. */
export async function listStartedActions({ database }: Runtime, projectId: string) {
  const actions = await database.db
    .selectFrom('async_actions')
    .where('project_id', '=', projectId)
    .where('status', 'in', ['ENQUEUED', 'IN_PROGRESS'])
    .orderBy('created_at')
    .orderBy('id')
    .select('id')
    .execute()
  return actions.map(({ id }) => ({ project_id: projectId, action_id: id }))
}

/** Retries without a new checkpoint, after crashes and outages, before the action ends as FAILED. */
const retriesWithoutProgressMax = 20

/** Runs an action from its checkpoint to the end, or until `signal` aborts or its turn is over. */
export async function runAsyncAction(
  runtime: Runtime,
  actions: readonly AsyncActionDefinition[],
  { project_id, action_id }: QueueData['async-actions'],
  { retries, signal, isTurnOver = async () => false }: JobRun,
): Promise<'again' | undefined> {
  const record = await runtime.database.db
    .selectFrom('async_actions')
    .where('project_id', '=', project_id)
    .where('id', '=', action_id)
    .where('status', 'in', ['ENQUEUED', 'IN_PROGRESS'])
    .select(['type', 'request_id', 'event_source'])
    .executeTakeFirst()
  if (record === undefined) return undefined
  const action = actions.find(({ type }) => type === record.type)
  // Probably a type of a newer release: throwing lets a newer node retry the job.
  if (action === undefined && retries < retriesWithoutProgressMax)
    throw new Error(`Unknown async action type ${record.type}`)

  // The input can be large and never changes: it is read once per run, not once per step.
  const input = await readActionInput(runtime.database.db, project_id, action_id)
  const origin = { request_id: record.request_id, caller: record.event_source as Caller }
  const inStepTransaction = (work: (ctx: Ctx) => Promise<boolean>) => inBackground(runtime, project_id, origin, work)
  try {
    // Null: the project was deleted.
    for (let isOver: boolean | null = false; isOver === false; ) {
      if (signal.aborted) return 'again'
      isOver = await inStepTransaction((ctx) => advance(ctx, action, action_id, input, retries))
      await setImmediate() // yield to requests
      if (isOver === false && (await isTurnOver())) return 'again'
    }
  } catch (error) {
    if (await isTransient(error, runtime.database)) throw error
    const logged = { project_id, action_id, type: record.type }
    if (error instanceof ApiError) runtime.log.info({ ...logged, reason: error.message }, 'async action refused')
    else runtime.log.error({ ...logged, err: error }, 'async action failed')
    await endAsFailed(error)
  }
  return undefined

  async function endAsFailed(cause: unknown): Promise<void> {
    const message = cause instanceof ApiError ? cause.message : errorMessage('internal_error')
    try {
      await inStepTransaction((ctx) => end(ctx, action))
    } catch (error) {
      if (await isTransient(error, runtime.database)) throw error
      runtime.log.error({ err: error, project_id, action_id }, 'the failure handler of an async action failed')
      await inStepTransaction((ctx) => end(ctx, undefined))
    }

    async function end(ctx: Ctx, definition: AsyncActionDefinition | undefined): Promise<boolean> {
      const lockedAction = await lockAction(ctx, action_id)
      if (lockedAction === null) return true
      await definition?.onFailed?.(ctx, input, lockedAction.checkpoint?.state ?? null)
      await failAction(ctx, action_id, lockedAction, message)
      return true
    }
  }
}

/** Runs the next step in one transaction and returns whether the action is finished. */
async function advance(
  ctx: Ctx,
  action: AsyncActionDefinition | undefined,
  id: Id<'async_action'>,
  input: object,
  retries: number,
): Promise<boolean> {
  // The row stays locked until the step commits. If two nodes run the same job, their steps are serialised, each from the
  // checkpoint of the other.
  const lockedAction = await lockAction(ctx, id)
  if (lockedAction === null) return true
  const { checkpoint, progress } = lockedAction
  if (action === undefined || retries - (checkpoint?.retries ?? 0) > retriesWithoutProgressMax)
    throw new Error(`Gave up after ${retries} retries`)

  if (checkpoint === null) {
    const state = await action.begin(ctx, input)
    await saveCheckpoint(ctx, id, { state, finished: false, done_count: 0, failed_count: 0, retries }, 0)
    return false
  }
  if (!checkpoint.finished) {
    const { state, finished, done, failed, progress: stepProgress } = await action.step(ctx, input, checkpoint.state)
    await insertFailures(ctx, id, checkpoint.failed_count, failed)
    const next: Checkpoint = {
      state,
      finished,
      done_count: checkpoint.done_count + done,
      failed_count: checkpoint.failed_count + failed.length,
      retries,
    }
    // Progress never decreases, and NaN (0 / 0 records) counts as 0.
    await saveCheckpoint(ctx, id, next, Math.max(progress, Math.min(100, Math.floor(stepProgress || 0))))
    return false
  }
  const { state, done_count, failed_count } = checkpoint
  const failed = await listFailures(ctx, id)
  await finishAction(
    ctx,
    id,
    lockedAction,
    await action.finish(ctx, input, { state, done_count, failed_count, failed }),
  )
  return true
}

/**
 * A UUID that sorts like the id of its action: jobs with the same serialisation key that were created in the same tick of the
 * database clock (a millisecond on PGlite) keep the order of arrival.
 */
export function jobIdOf(id: Id<'async_action'>): string {
  const digits = id.slice('aa_'.length) + randomBytes(7).toString('hex')
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
