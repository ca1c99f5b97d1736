import assert from 'node:assert/strict'
import type { Ctx } from '../../core/context.ts'
import type { Changes } from '../../core/db/checkout-changes.ts'
import { inTransaction, sqlState } from '../../core/db/transaction.ts'
import { ApiError } from '../../core/http/errors.ts'
import { givesWay, idempotencyKeyConflict, isKept, keyedQueue } from '../../core/http/idempotency.ts'
import { StoredReplyResult } from '../../core/http/operation.ts'
import { limits } from '../../core/lib/limits.ts'
import { newTimeSlice } from '../../core/lib/time-slice.ts'
import type { StoredReplyRow } from './checkout-rows.ts'
import { assembleCheckout, type Checkout } from './facts.ts'
import { loadCheckout } from './load.ts'
import type { CheckoutRequest } from './request.ts'
import { IdempotencyKeyTakenError, multipleRequests, StaleVersionError, saveCheckout } from './save.ts'

/** The outcome of an evaluation: the response, and the changes to save before it is sent. */
export interface Decision<Result> {
  /** A refusal may come with changes too: a failed redemption is stored. */
  result: Result | ApiError
  /** Null: nothing to save. */
  changes: Changes | null
}

/**
 * A decision that takes more than one statement to save, because rewards are issued before it or follow-ups apply after it. All
 * of it runs in one transaction. If a reward is unavailable, the transaction is rolled back and the refusal is saved instead.
 */
export interface TransactionalDecision<Result> {
  /** Runs first: the response and the changes depend on what is issued. */
  issueRewards(ctx: Ctx): Promise<Decision<Result>>
  /** Runs after the changes are saved, in the same transaction. */
  applyFollowUps(ctx: Ctx): Promise<void>
  /** The decision that replaces this one if a reward is unavailable. */
  refuse(error: ApiError): Decision<Result>
}

type Evaluate<Result> = (checkout: Checkout) => Decision<Result> | TransactionalDecision<Result>

type Outcome<Result> = Result | StoredReplyResult | ApiError

/**
 * Optimistic concurrency (docs/architecture.md): load without locks, evaluate, then save only if every row still has the `xmin`
 * that was read. On a conflict, retry with fresh rows; retries for the same row are serialised within this process. After
 * `checkout_tries_unlocked` conflicts the rows are locked first.
 */
export const decideAndSave = <Result>(
  ctx: Ctx,
  request: CheckoutRequest,
  decide: Evaluate<Result>,
  options: DecideOptions = {},
): Promise<Outcome<Result>> => new CheckoutAttempt(ctx, request, decide, options).run()

class CheckoutAttempt<Result> {
  readonly #ctx: Ctx
  readonly #request: CheckoutRequest
  readonly #decide: Evaluate<Result>
  readonly #options: DecideOptions
  #needsTransaction: boolean
  /** The guards that were stale in an earlier attempt: a transaction locks them too. */
  readonly #staleGuards = new Set<string>()

  constructor(ctx: Ctx, request: CheckoutRequest, decide: Evaluate<Result>, options: DecideOptions) {
    this.#ctx = ctx
    this.#request = request
    this.#decide = decide
    this.#options = options
    this.#needsTransaction = options.needs_transaction === true || options.prepare !== undefined
  }

  async run(): Promise<Outcome<Result>> {
    try {
      return await this.#attempt()
    } catch (error) {
      // What fails on a replica is repeated on the primary.
      if (this.#ctx.primary !== undefined) throw error
      return this.#retry(error).catch((error: unknown) => {
        throw toApiError(error)
      })
    }
  }

  async #retry(firstError: unknown): Promise<Outcome<Result>> {
    const row = this.#staleRow(firstError)
    return isRow(row)
      ? serializeByRow(`${this.#ctx.project_id} ${row}`, () => this.#retryUntilSaved())
      : this.#retryUntilSaved()
  }

  async #retryUntilSaved(): Promise<Outcome<Result>> {
    for (let tries = 2; ; tries += 1) {
      if (tries > limits.checkout_tries_unlocked) this.#needsTransaction = true
      try {
        return await this.#attempt()
      } catch (error) {
        this.#staleRow(error)
        if (tries === limits.checkout_tries_max) throw multipleRequests()
      }
    }
  }

  /** The row that an attempt conflicted on. Throws an error that is no conflict again: a retry does not help. */
  #staleRow(error: unknown): string {
    const row = conflictingRow(error)
    if (row === null) throw error
    const guard = guardName(row)
    if (guard !== null) this.#staleGuards.add(guard)
    return row
  }

  /** Only the evaluation shows whether a transaction is needed: then everything starts again inside one. */
  async #attempt(): Promise<Outcome<Result>> {
    if (this.#needsTransaction) return this.#attemptInTransaction()
    try {
      return await this.#loadDecideSave(this.#ctx)
    } catch (error) {
      if (!(error instanceof TransactionRequiredError)) throw error
      this.#needsTransaction = true
      return this.#attemptInTransaction()
    }
  }

  /**
   * Locks the rows first. A refusal, or a stored reply of the same Idempotency-Key, rolls back what `prepare` and `issueRewards`
   * wrote; the refusal is then saved on its own.
   */
  async #attemptInTransaction(): Promise<Outcome<Result>> {
    const ctx = this.#ctx
    const afterCommit: Array<() => void> = []
    try {
      const result = await inTransaction(ctx.db, async (trx) => {
        afterCommit.length = 0
        const trxCtx: Ctx = { ...ctx, db: trx, afterCommit: (work) => void afterCommit.push(work) }
        await this.#options.prepare?.(trxCtx)
        const result = await this.#loadDecideSave(trxCtx)
        if (result instanceof StoredReplyResult && result.isReplayed) throw new RolledBackResult(result)
        return result
      })
      for (const work of afterCommit) work()
      return result
    } catch (error) {
      if (!(error instanceof RolledBackResult)) throw error
      return error.outcome instanceof StoredReplyResult
        ? error.outcome
        : saveDecision(ctx, error.outcome as Decision<Result>)
    }
  }

  async #loadDecideSave(ctx: Ctx): Promise<Outcome<Result>> {
    const key = ctx.replyStore?.key ?? null
    let rows = await this.#load(ctx, key?.key ?? null)
    // Only the stored reply was looked up.
    if (rows.kept !== null && key !== null && givesWay(rows.kept, key.fingerprint)) rows = await this.#load(ctx, null)
    if (rows.kept !== null) return replay(ctx, rows.kept)
    const slice = newTimeSlice()
    const decision = this.#decide(assembleCheckout(ctx, this.#request, rows))
    if (slice.isOver()) await slice.pause()
    if ('issueRewards' in decision) {
      if (!this.#needsTransaction) throw new TransactionRequiredError()
      return saveWithRewards(ctx, decision)
    }
    if (this.#options.prepare !== undefined && decision.result instanceof ApiError) throw new RolledBackResult(decision)
    return saveDecision(ctx, decision)
  }

  #load(ctx: Ctx, key: string | null) {
    return loadCheckout(ctx, this.#request, {
      db: ctx.db,
      lock: this.#needsTransaction,
      key,
      guards: [...this.#staleGuards],
      is_redemption: this.#options.is_redemption ?? false,
    })
  }
}

async function saveWithRewards<Result>(ctx: Ctx, decision: TransactionalDecision<Result>): Promise<Outcome<Result>> {
  try {
    const result = await saveDecision(ctx, await decision.issueRewards(ctx))
    await decision.applyFollowUps(ctx)
    return result
  } catch (error) {
    if (!(error instanceof RewardUnavailableError)) throw error
    throw new RolledBackResult(decision.refuse(error.reason))
  }
}

async function saveDecision<Result>(ctx: Ctx, { result, changes }: Decision<Result>): Promise<Outcome<Result>> {
  if (changes === null) return result
  const { replyStore } = ctx
  if (replyStore === undefined || replyStore.key === null) {
    await saveCheckout(ctx, ctx.db, changes)
    return result
  }
  const reply = await replyStore.replyOf(result)
  assert(isKept(reply.status), 'a reply that is saved with changes must be storable under its Idempotency-Key')
  await saveCheckout(ctx, ctx.db, changes, { ...replyStore.key, ...reply })
  return new StoredReplyResult(reply)
}

function replay({ replyStore }: Ctx, { fingerprint, status, body }: StoredReplyRow): StoredReplyResult {
  const key = replyStore?.key
  if (key != null && key.fingerprint !== fingerprint) throw idempotencyKeyConflict(key.key)
  return new StoredReplyResult({ status, body }, { is_replayed: true })
}

export interface DecideOptions {
  is_redemption?: boolean
  /** The decision will probably be transactional: skips the attempt without a transaction. */
  needs_transaction?: boolean
  /** Writes that the evaluation depends on, in its transaction; rolled back if the result is a refusal. */
  prepare?: (ctx: Ctx) => Promise<void>
}

/** A reward of the decision cannot be issued; `reason` is the refusal to answer. */
export class RewardUnavailableError extends Error {
  readonly reason: ApiError

  constructor(reason: ApiError) {
    super(reason.message)
    this.reason = reason
  }
}

/** The decision is transactional, but no transaction is open. */
class TransactionRequiredError extends Error {}

/** Thrown to roll the transaction back; carries the refusal or the stored reply to answer nevertheless. */
class RolledBackResult extends Error {
  readonly outcome: Decision<unknown> | StoredReplyResult

  constructor(outcome: Decision<unknown> | StoredReplyResult) {
    super('rolled back')
    this.outcome = outcome
  }
}

/** Retries for the same row run one after another within this process: in parallel they would conflict with each other again. */
const serializeByRow = keyedQueue(limits.checkout_lock_seconds * 2_000) // in milliseconds: twice the lock timeout of a checkout

/** The row whose version check failed, `key` or `conflict`; null: the error is no conflict, and a retry does not help. */
export function conflictingRow(error: unknown): string | null {
  if (error instanceof StaleVersionError) return error.row
  if (error instanceof IdempotencyKeyTakenError) return 'key'
  return ['40001', '40P01'].includes(sqlState(error) ?? '') ? 'conflict' : null
}

/** Whether the conflict names a row, which other requests of this process may contend for. */
const isRow = (row: string): boolean => row !== 'key' && row !== 'conflict'

/** The name of the guard that was stale; null: the stale row is no guard. */
export const guardName = (row: string): string | null => (row.startsWith('guard ') ? row.slice('guard '.length) : null)

const toApiError = (error: unknown): unknown =>
  sqlState(error) === '55P03' || (error instanceof ApiError && error.key === 'idempotency_key_in_progress')
    ? multipleRequests()
    : error
