import type { Ctx } from '../../core/context.ts'
import type { Changes } from '../../core/db/checkout-changes.ts'
import type { Db } from '../../core/db/database.ts'
import { joinJsonTexts } from '../../core/db/join-json-texts.ts'
import { JsonParameter } from '../../core/db/json-parameter.ts'
import { savingStatement } from '../../core/db/latest-commit.ts'
import { isOvertaken, sqlState } from '../../core/db/transaction.ts'
import { noteEvents } from '../../core/events/emit.ts'
import { ApiError } from '../../core/http/errors.ts'
import { limits } from '../../core/lib/limits.ts'
import type { CheckoutRows } from './checkout-rows.ts'
import { type IdempotentReply, mergePayloads, type Payload, payloadOf, type SaveParameter } from './payload.ts'
import { plainParameters, type Saved, savePlain } from './save-plain.ts'

/** Another transaction changed a row after this decision read it: nothing was saved. `row` names it (`guard …` for a guard). */
export class StaleVersionError extends Error {
  readonly row: string

  constructor(row: string) {
    super(`${row} has changed`)
    this.row = row
  }
}

/** A concurrent request with the same Idempotency-Key was saved first. */
export class IdempotencyKeyTakenError extends Error {}

/**
 * The request could not lock its rows in time, or lost too many version conflicts; it changed nothing
 * (docs/reference/concurrency.md).
 */
export const multipleRequests = (): ApiError =>
  new ApiError('multiple_requests', { details: 'Other requests are changing the same things' })

const save = savingStatement<Saved>('checkout_save_all($1, $2::jsonb, $3) as has_checks')

/**
 * Saves a decision in one round trip, if every row still has the version that was read; else throws `StaleVersionError` and
 * saves nothing.
 */
export async function saveCheckout(
  ctx: Ctx,
  db: Db,
  changes: Changes,
  reply: IdempotentReply | null = null,
): Promise<void> {
  await savePayload(ctx, db, { ...payloadOf(ctx, changes), ...(reply === null ? {} : { key: reply }) })
}

/**
 * Saves the decisions of a batch in one round trip, all or none. What they add to the same row is summed first, so that each row
 * is updated once. All must be `isBatchable`: the version of a row is checked once, for the first decision that read it.
 */
export async function saveBatch(ctx: Ctx, db: Db, payloads: readonly Payload[]): Promise<void> {
  await savePayload(ctx, db, mergePayloads(payloads), batchLockTimeoutMs)
}

/** Short: one locked row makes the whole batch wait, whereas decided individually only one redemption waits for it. */
const batchLockTimeoutMs = 250

async function savePayload(
  ctx: Ctx,
  db: Db,
  payload: Payload & { key?: IdempotentReply },
  lockTimeoutMs: number = limits.checkout_lock_seconds * 1_000,
): Promise<void> {
  const lockTimeout = `${lockTimeoutMs}ms`
  const plain = plainParameters(ctx, payload, lockTimeout)
  let results: Saved[]
  try {
    results = await (plain === null ? saveAny(ctx, db, payload, lockTimeout) : savePlain(db, plain))
  } catch (error) {
    const state = sqlState(error)
    if (state === 'GU001') throw new StaleVersionError((error as Error).message)
    if (isOvertaken(error)) throw new StaleVersionError('partition')
    if (state === 'GU002') throw new IdempotencyKeyTakenError()
    if (state === '55P03') throw multipleRequests()
    throw error
  }
  ctx.afterCommit(() => {
    noteEvents(ctx.jobs)
    ctx.jobs.note('usage')
  })
  if (results[0]?.has_checks === true) ctx.afterCommit(() => ctx.jobs.wake('segments'))
}

function saveAny(
  { project_id, now }: Ctx,
  db: Db,
  { event_parts, item_texts: _, ...payload }: Payload & { key?: IdempotentReply },
  lockTimeout: string,
): Promise<Saved[]> {
  const parameter: SaveParameter = {
    now,
    lock_timeout: lockTimeout,
    ...payload,
    ...(event_parts.length === 0
      ? {}
      : {
          events: event_parts.flatMap(({ rows }) => rows),
          told: event_parts.map(({ rows }) => rows.map(({ id }) => id)),
        }),
  }
  return save(db, [
    project_id,
    new JsonParameter(parameter),
    event_parts.length === 0 ? null : joinJsonTexts(event_parts.map(({ parts }) => parts)),
  ])
}

/** The guards that the counters of some redeemables depend on, each once. */
export function guardsOf(
  counted: ReadonlyArray<CheckoutRows['counted'][string] | null>,
): Array<{ name: string; version: number }> {
  const guards = new Map(counted.flatMap((counters) => Object.entries(counters?.guards ?? {})))
  return [...guards].map(([name, version]) => ({ name, version }))
}
