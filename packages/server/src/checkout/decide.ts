import assert from 'node:assert/strict'
import type { Ctx } from '../context.ts'
import type { Db } from '../db/connect.ts'
import { inTransaction, sqlState } from '../db/transaction.ts'
import { ApiError } from '../http/errors.ts'
import { isKept, newFlights, usedOtherwise } from '../http/idempotency.ts'
import { Saved } from '../http/operation.ts'
import { limits } from '../lib/limits.ts'
import { type Case, caseOf } from './facts.ts'
import { type KeptReply, loadCheckout } from './load.ts'
import type { CheckoutRequest } from './request.ts'
import { type Changes, KeyTaken, multipleRequests, Outrun, saveCheckout } from './save.ts'

/** What was decided: what is answered, and what has to be written before it is. */
export interface Decision<Result> {
  /** A refusal may have something to be written too. */
  result: Result | ApiError
  /** Null: nothing. */
  changes: Changes | null
}

/**
 * Load, decide, save (docs/architecture.md): nothing is locked while it is decided, and what was decided is written only
 * if all that it relied on is still as it was read. Otherwise it is decided anew on fresh facts, of those in this process
 * that want the same thing one after another; and under locks when that has not helped a few times.
 */
export async function decided<Result>(
  ctx: Ctx,
  request: CheckoutRequest,
  decide: (it: Case) => Decision<Result>,
  { is_redemption = false, prepare }: DecideOptions = {},
): Promise<Result | Saved | ApiError> {
  try {
    return await (prepare === undefined ? attempt(ctx.db, false, []) : prepared(prepare))
  } catch (error) {
    const lost = lostTo(error)
    if (lost === null) throw translated(error)
    const second = () => again(lost)
    return (isRow(lost) ? one_by_one(`${ctx.project_id} ${lost}`, second) : second()).catch((error: unknown) => {
      throw translated(error)
    })
  }

  async function again(lost: string): Promise<Result | Saved | ApiError> {
    const guards = new Set([lost])
    for (let tries = 2; ; tries += 1) {
      const isLocked = tries > limits.checkout_tries_unlocked
      try {
        if (prepare !== undefined) return await prepared(prepare)
        if (!isLocked) return await attempt(ctx.db, false, [])
        return await inTransaction(ctx.db, (trx) => attempt(trx, true, [...guards].flatMap(guardName)))
      } catch (error) {
        const row = lostTo(error)
        if (row === null) throw error
        if (tries === limits.checkout_tries_max) throw multipleRequests()
        guards.add(row)
      }
    }
  }

  /** A refusal, and an answer that was given before, undo what was prepared. */
  async function prepared(prepare: (db: Db) => Promise<void>): Promise<Result | Saved | ApiError> {
    try {
      return await inTransaction(ctx.db, async (trx) => {
        await prepare(trx)
        const result = await attempt(trx, true, [])
        if (result instanceof Saved && result.is_replayed) throw new Undone(result)
        return result
      })
    } catch (error) {
      if (!(error instanceof Undone)) throw error
      return error.kept instanceof Saved ? error.kept : saved(ctx.db, error.kept as Decision<Result>)
    }
  }

  async function attempt(db: Db, lock: boolean, guards: string[]): Promise<Result | Saved | ApiError> {
    const key = ctx.saving?.key ?? null
    const loaded = await loadCheckout(ctx, request, { db, lock, key: key?.key ?? null, guards, is_redemption })
    if (loaded.kept !== null) return replay(loaded.kept)
    const decision = decide(caseOf(ctx, request, loaded))
    if (prepare !== undefined && decision.result instanceof ApiError) throw new Undone(decision)
    return saved(db, decision)
  }

  async function saved(db: Db, { result, changes }: Decision<Result>): Promise<Result | Saved | ApiError> {
    const key = ctx.saving?.key ?? null
    if (changes === null) return result
    if (key === null || ctx.saving === undefined) {
      await saveCheckout(ctx, db, changes)
      return result
    }
    const reply = ctx.saving.replyOf(result)
    assert(isKept(reply.status), 'what is saved is kept')
    await saveCheckout(ctx, db, changes, { ...key, ...reply })
    return new Saved(reply)
  }

  function replay({ fingerprint, status, body }: KeptReply): Saved {
    const key = ctx.saving?.key
    if (key != null && key.fingerprint !== fingerprint) throw usedOtherwise(key.key)
    return new Saved({ status, body }, { is_replayed: true })
  }
}

export interface DecideOptions {
  is_redemption?: boolean
  /** What has to be there before it is decided, and gone again if nothing comes of it. */
  prepare?: (db: Db) => Promise<void>
}

/** Takes back what was prepared, and keeps what was decided or answered before. */
class Undone extends Error {
  readonly kept: Decision<unknown> | Saved

  constructor(kept: Decision<unknown> | Saved) {
    super('undone')
    this.kept = kept
  }
}

/** Within one process those who want the same row go one after another, instead of outrunning each other. */
const one_by_one = newFlights(limits.checkout_lock_seconds * 2_000)

/** What a decision lost to, where it may be made again. */
function lostTo(error: unknown): string | null {
  if (error instanceof Outrun) return error.row
  if (error instanceof KeyTaken) return 'key'
  return ['40001', '40P01'].includes(sqlState(error) ?? '') ? 'conflict' : null
}

/** Whether it is something that others in this process may want too. */
const isRow = (lost: string): boolean => lost !== 'key' && lost !== 'conflict'

const guardName = (row: string): string[] => (row.startsWith('guard ') ? [row.slice('guard '.length)] : [])

const translated = (error: unknown): unknown =>
  sqlState(error) === '55P03' || (error instanceof ApiError && error.key === 'idempotency_key_in_progress')
    ? multipleRequests()
    : error
