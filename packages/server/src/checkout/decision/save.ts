import type { Ctx } from '../../core/context.ts'
import type { Changes } from '../../core/db/checkout-changes.ts'
import type { Db } from '../../core/db/database.ts'
import { joined } from '../../core/db/joined.ts'
import { JsonParameter } from '../../core/db/json-parameter.ts'
import { preparedStatement } from '../../core/db/prepared-statements.ts'
import { sqlState } from '../../core/db/transaction.ts'
import { ApiError } from '../../core/http/errors.ts'
import { limits } from '../../core/lib/limits.ts'
import type { CheckoutRows } from './loaded.ts'
import { type KeptKey, merged, type Payload, payloadOf, type SaveParameter } from './payload.ts'

/** Somebody was faster: what was decided on has changed. The name says which row. */
export class StaleVersionError extends Error {
  readonly row: string

  constructor(row: string) {
    super(`${row} has changed`)
    this.row = row
  }
}

/** Another request with the same Idempotency-Key has been answered. */
export class IdempotencyKeyTakenError extends Error {}

/** Whoever could not get hold of what it needs in time has changed nothing (docs/reference/concurrency.md). */
export const multipleRequests = (): ApiError =>
  new ApiError('multiple_requests', { details: 'Other requests are changing the same things' })

const save = preparedStatement<{ has_checks: boolean }>('select checkout_save($1::jsonb, $2) as has_checks')

/** Writes a decision in one trip, or throws `Outrun` and has written nothing. */
export async function saveCheckout(ctx: Ctx, db: Db, changes: Changes, key: KeptKey | null = null): Promise<void> {
  await savePayload(ctx, db, { ...payloadOf(ctx, changes), ...(key === null ? {} : { key }) })
}

/**
 * Writes decisions of several requests in one trip, all or none. What they add to the same row is added once, so that each of
 * them costs less; none may rely on more than rows of codes, whose changes it knows of (`canGoTogether`).
 */
export async function saveTogether(ctx: Ctx, db: Db, payloads: readonly Payload[]): Promise<void> {
  await savePayload(ctx, db, merged(payloads), waitsTogetherMs)
}

/** Whoever goes together does not wait long for a row that somebody else holds: alone, only one of them would. */
const waitsTogetherMs = 250

async function savePayload(
  ctx: Ctx,
  db: Db,
  { told, ...payload }: Payload & { key?: KeptKey },
  waitMs: number = limits.checkout_lock_seconds * 1_000,
): Promise<void> {
  const { project_id, now } = ctx
  const sent: SaveParameter = {
    project_id,
    now,
    lock_timeout: `${waitMs}ms`,
    ...payload,
    ...(told.length === 0
      ? {}
      : { events: told.flatMap(({ rows }) => rows), told: told.map(({ rows }) => rows.map(({ id }) => id)) }),
  }
  let saved: Array<{ has_checks: boolean }>
  try {
    saved = await save(db, [new JsonParameter(sent), told.length === 0 ? null : joined(told.map(({ parts }) => parts))])
  } catch (error) {
    const state = sqlState(error)
    if (state === 'GU001') throw new StaleVersionError((error as Error).message)
    if (state === 'GU002') throw new IdempotencyKeyTakenError()
    if (state === '55P03') throw multipleRequests()
    throw error
  }
  if (saved[0]?.has_checks === true) ctx.afterCommit(() => ctx.jobs.wake('segments'))
}

/** The guards of some redeemables, each once. */
export function guardsOf(
  counted: ReadonlyArray<CheckoutRows['counted'][string] | null>,
): Array<{ name: string; version: number }> {
  const guards = new Map(counted.flatMap((one) => Object.entries(one?.guards ?? {})))
  return [...guards].map(([name, version]) => ({ name, version }))
}
