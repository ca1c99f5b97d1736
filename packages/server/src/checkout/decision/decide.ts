import assert from 'node:assert/strict'
import type { Ctx } from '../../core/context.ts'
import type { Changes } from '../../core/db/checkout-changes.ts'
import { inTransaction, sqlState } from '../../core/db/transaction.ts'
import { ApiError } from '../../core/http/errors.ts'
import { isKept, keyedQueue, usedOtherwise } from '../../core/http/idempotency.ts'
import { StoredReplyResult } from '../../core/http/operation.ts'
import { limits } from '../../core/lib/limits.ts'
import { assembleCheckout, type Checkout } from './facts.ts'
import { loadCheckout } from './load.ts'
import type { KeptReply } from './loaded.ts'
import type { CheckoutRequest } from './request.ts'
import { IdempotencyKeyTakenError, multipleRequests, StaleVersionError, saveCheckout } from './save.ts'

/** What was decided: what is answered, and what has to be written before it is. */
export interface Decision<Result> {
  /** A refusal may have something to be written too. */
  result: Result | ApiError
  /** Null: nothing. */
  changes: Changes | null
}

/**
 * A decision that takes more than one statement to write: something has to be issued before it can be, or follows from it. All
 * of that is one transaction. What cannot be issued is a refusal, which undoes the rest.
 */
export interface TransactionalDecision<Result> {
  /** What has to happen before it is known what is answered and written. */
  issue(ctx: Ctx): Promise<Decision<Result>>
  /** What follows from what was written. */
  follow(ctx: Ctx): Promise<void>
  refused(error: ApiError): Decision<Result>
}

/**
 * Load, decide, save (docs/architecture.md): nothing is locked while it is decided, and what was decided is written only
 * if all that it relied on is still as it was read. Otherwise it is decided anew on fresh facts, of those in this process
 * that want the same thing one after another; and under locks when that has not helped a few times.
 */
export async function decideAndSave<Result>(
  ctx: Ctx,
  request: CheckoutRequest,
  decide: (it: Checkout) => Decision<Result> | TransactionalDecision<Result>,
  { is_redemption = false, is_large = false, prepare }: DecideOptions = {},
): Promise<Result | StoredReplyResult | ApiError> {
  let isLarge = is_large || prepare !== undefined
  try {
    return await first()
  } catch (error) {
    const lost = conflictingRow(error)
    if (lost === null) throw translated(error)
    const second = () => again(lost)
    return (isRow(lost) ? serializeByRow(`${ctx.project_id} ${lost}`, second) : second()).catch((error: unknown) => {
      throw translated(error)
    })
  }

  /** Whether it is large shows when it is decided. */
  async function first(): Promise<Result | StoredReplyResult | ApiError> {
    if (isLarge) return inOneTransaction()
    try {
      return await attempt(ctx, false, [])
    } catch (error) {
      if (!(error instanceof TransactionRequiredError)) throw error
      isLarge = true
      return inOneTransaction()
    }
  }

  async function again(lost: string): Promise<Result | StoredReplyResult | ApiError> {
    const guards = new Set([lost])
    for (let tries = 2; ; tries += 1) {
      const isLocked = tries > limits.checkout_tries_unlocked
      try {
        if (isLarge) return await inOneTransaction([...guards].flatMap((row) => guardName(row) ?? []))
        if (!isLocked) return await first()
        return await inTransaction(ctx.db, (trx) =>
          attempt(
            { ...ctx, db: trx },
            true,
            [...guards].flatMap((row) => guardName(row) ?? []),
          ),
        )
      } catch (error) {
        const row = conflictingRow(error)
        if (row === null) throw error
        if (tries === limits.checkout_tries_max) throw multipleRequests()
        guards.add(row)
      }
    }
  }

  /** A refusal, and an answer that was given before, undo what was prepared and issued. */
  async function inOneTransaction(guards: string[] = []): Promise<Result | StoredReplyResult | ApiError> {
    const afterCommit: Array<() => void> = []
    try {
      const result = await inTransaction(ctx.db, async (trx) => {
        afterCommit.length = 0
        const inside: Ctx = { ...ctx, db: trx, afterCommit: (work) => void afterCommit.push(work) }
        await prepare?.(inside)
        const result = await attempt(inside, true, guards)
        if (result instanceof StoredReplyResult && result.isReplayed) throw new RolledBackResult(result)
        return result
      })
      for (const work of afterCommit) work()
      return result
    } catch (error) {
      if (!(error instanceof RolledBackResult)) throw error
      return error.kept instanceof StoredReplyResult ? error.kept : saved(ctx, error.kept as Decision<Result>)
    }
  }

  async function attempt(ctx: Ctx, lock: boolean, guards: string[]): Promise<Result | StoredReplyResult | ApiError> {
    const { db } = ctx
    const key = ctx.saving?.key ?? null
    const loaded = await loadCheckout(ctx, request, { db, lock, key: key?.key ?? null, guards, is_redemption })
    if (loaded.kept !== null) return replay(loaded.kept)
    const decision = decide(assembleCheckout(ctx, request, loaded))
    if ('issue' in decision) {
      if (!isLarge) throw new TransactionRequiredError()
      return saveInTransaction(ctx, decision)
    }
    if (prepare !== undefined && decision.result instanceof ApiError) throw new RolledBackResult(decision)
    return saved(ctx, decision)
  }

  async function saveInTransaction(
    ctx: Ctx,
    large: TransactionalDecision<Result>,
  ): Promise<Result | StoredReplyResult | ApiError> {
    try {
      const result = await saved(ctx, await large.issue(ctx))
      await large.follow(ctx)
      return result
    } catch (error) {
      if (!(error instanceof RewardUnavailableError)) throw error
      throw new RolledBackResult(large.refused(error.reason))
    }
  }

  async function saved(
    ctx: Ctx,
    { result, changes }: Decision<Result>,
  ): Promise<Result | StoredReplyResult | ApiError> {
    const key = ctx.saving?.key ?? null
    if (changes === null) return result
    if (key === null || ctx.saving === undefined) {
      await saveCheckout(ctx, ctx.db, changes)
      return result
    }
    const reply = ctx.saving.replyOf(result)
    assert(isKept(reply.status), 'what is saved is kept')
    await saveCheckout(ctx, ctx.db, changes, { ...key, ...reply })
    return new StoredReplyResult(reply)
  }

  function replay({ fingerprint, status, body }: KeptReply): StoredReplyResult {
    const key = ctx.saving?.key
    if (key != null && key.fingerprint !== fingerprint) throw usedOtherwise(key.key)
    return new StoredReplyResult({ status, body }, { is_replayed: true })
  }
}

export interface DecideOptions {
  is_redemption?: boolean
  /** It will probably take a transaction: then it is not tried without one first. */
  is_large?: boolean
  /** What has to be there before it is decided, and gone again if nothing comes of it. */
  prepare?: (ctx: Ctx) => Promise<void>
}

/** What was decided cannot be issued: why. */
export class RewardUnavailableError extends Error {
  readonly reason: ApiError

  constructor(reason: ApiError) {
    super(reason.message)
    this.reason = reason
  }
}

/** It needs a transaction, which is not open. */
class TransactionRequiredError extends Error {}

/** Takes back what was prepared, and keeps what was decided or answered before. */
class RolledBackResult extends Error {
  readonly kept: Decision<unknown> | StoredReplyResult

  constructor(kept: Decision<unknown> | StoredReplyResult) {
    super('undone')
    this.kept = kept
  }
}

/** Within one process those who want the same row go one after another, instead of outrunning each other. */
const serializeByRow = keyedQueue(limits.checkout_lock_seconds * 2_000)

/** What a decision lost to, where it may be made again. */
export function conflictingRow(error: unknown): string | null {
  if (error instanceof StaleVersionError) return error.row
  if (error instanceof IdempotencyKeyTakenError) return 'key'
  return ['40001', '40P01'].includes(sqlState(error) ?? '') ? 'conflict' : null
}

/** Whether it is something that others in this process may want too. */
const isRow = (lost: string): boolean => lost !== 'key' && lost !== 'conflict'

/** The guard that a decision lost to; null: it was something else. */
export const guardName = (row: string): string | null => (row.startsWith('guard ') ? row.slice('guard '.length) : null)

const translated = (error: unknown): unknown =>
  sqlState(error) === '55P03' || (error instanceof ApiError && error.key === 'idempotency_key_in_progress')
    ? multipleRequests()
    : error
