import type { Configuration } from '../../core/configuration/configuration.ts'
import type { Ctx } from '../../core/context.ts'
import type { Changes } from '../../core/db/checkout-changes.ts'
import type { Db } from '../../core/db/database.ts'
import { inTransaction, sqlState } from '../../core/db/transaction.ts'
import { ApiError } from '../../core/http/errors.ts'
import { newTimeSlice } from '../../core/lib/time-slice.ts'
import { BatchState } from './batch-state.ts'
import type { CheckoutRows, Rows } from './checkout-rows.ts'
import { conflictingRow, type Decision, type TransactionalDecision } from './decide.ts'
import { comparesCounters, withDetails } from './details.ts'
import { assembleCheckout, type Checkout } from './facts.ts'
import { lockBatch } from './lock-batch.ts'
import { type LookupKeys, mergeKeys } from './lookup-batcher.ts'
import { isBatchable, type Payload, payloadOf } from './payload.ts'
import type { CheckoutRequest } from './request.ts'
import { loadBatch, rowsForRequest } from './rows.ts'
import { saveBatch, saveCheckout } from './save.ts'

/** A redemption that waits for its batch. */
export interface QueuedRedemption {
  ctx: Ctx
  request: CheckoutRequest
  keys: LookupKeys
  decide(checkout: Checkout): Decision<unknown> | TransactionalDecision<unknown>
  /** The path without a batch: for a redemption that cannot be batched, and after a conflict. */
  decideAlone(): Promise<unknown>
  resolve(result: unknown): void
  reject(error: unknown): void
}

/** A decision whose changes are not saved yet. */
interface UnsavedDecision {
  redemption: QueuedRedemption
  result: unknown
  changes: Changes
}

/** What becomes of the redemptions of a batch; nothing of it has happened yet. */
interface EvaluatedBatch {
  batchable: Array<UnsavedDecision & { payload: Payload }>
  /** Decisions that are saved on their own. */
  separate: UnsavedDecision[]
  /** Redemptions that a batch cannot decide. */
  individual: QueuedRedemption[]
  /** Sends the answers of those that save nothing. */
  answers: Array<() => void>
  /** By voucher id. */
  codeKeys: ReadonlyMap<string, string>
}

/** The redemptions of a batch that lost a version conflict on a voucher, and the codes of that voucher. */
interface LostBatch {
  redemptions: QueuedRedemption[]
  code_keys: string[]
}

/**
 * Loads, evaluates and saves a batch; redemptions that cannot be decided in it are decided individually. Returns what is left if
 * another transaction changed a voucher first.
 */
export async function decideBatch(
  db: Db,
  projectId: string,
  batch: readonly QueuedRedemption[],
): Promise<LostBatch | null> {
  const { ctx } = batch.at(-1) as QueuedRedemption
  const { batchable, separate, individual, answers, codeKeys } = await evaluateBatch(db, ctx, projectId, batch)
  for (const answer of answers) answer()
  decideIndividually(individual)
  const saved = await save(batchable, () => saveBatch(ctx, db, payloadsOf(batchable)))
  // The separate decisions were evaluated against the state after the batch: if that was not saved, they must be decided again.
  if (saved === 'saved') {
    for (const decision of separate)
      void save([decision], () => saveCheckout(decision.redemption.ctx, db, decision.changes)).then((saved) => {
        if (isUndecided(saved)) decideIndividually([decision.redemption])
      })
    return null
  }
  const again = separate.map(({ redemption }) => redemption)
  if (!isUndecided(saved)) {
    decideIndividually(again)
    return null
  }
  again.unshift(...batchable.map(({ redemption }) => redemption))
  const contended = contendedCodes(saved.conflict, batch, codeKeys)
  if (contended.length > 0) return { redemptions: again, code_keys: contended }
  decideIndividually(again)
  return null
}

/** The codes for which it lost against another node; none: the conflict is about other rows. */
function contendedCodes(
  conflict: string,
  batch: readonly QueuedRedemption[],
  codeKeys: EvaluatedBatch['codeKeys'],
): string[] {
  const stale = codeKeys.get(voucherId(conflict) ?? '')
  if (stale !== undefined) return [stale]
  // Several requests waited for the lock of one code: individually, each would wait for the others too.
  const keys = new Set(batch.flatMap(({ keys }) => keys.code_keys))
  return conflict === lockTimeout && batch.length > 1 && keys.size === 1 ? [...keys] : []
}

/** The same with the rows locked first, in one transaction: no other request can change a voucher in between. */
export async function decideLockedBatch(db: Db, projectId: string, batch: readonly QueuedRedemption[]): Promise<void> {
  const afterCommit: Array<() => void> = []
  const { ctx } = batch.at(-1) as QueuedRedemption
  let evaluated: EvaluatedBatch
  try {
    evaluated = await inTransaction(db, async (trx) => {
      afterCommit.length = 0
      await lockBatch(trx, projectId, mergeKeys(batch.map(({ keys }) => keys)))
      const evaluated = await evaluateBatch(trx, ctx, projectId, batch)
      const trxCtx: Ctx = { ...ctx, db: trx, afterCommit: (work) => void afterCommit.push(work) }
      if (evaluated.batchable.length > 0) await saveBatch(trxCtx, trx, payloadsOf(evaluated.batchable))
      return evaluated
    })
  } catch (error) {
    if (isConflict(error) || sqlState(error) === '55P03' || (batch.length > 1 && isRejectedByDatabase(error)))
      decideIndividually(batch)
    else for (const { reject } of batch) reject(error)
    return
  }
  for (const work of afterCommit) work()
  for (const answer of evaluated.answers) answer()
  for (const { redemption, result } of evaluated.batchable) redemption.resolve(result)
  decideIndividually([...evaluated.individual, ...evaluated.separate.map(({ redemption }) => redemption)])
}

const payloadsOf = (decisions: EvaluatedBatch['batchable']): Payload[] => decisions.map(({ payload }) => payload)

/** Loads and evaluates a batch, each redemption against the state left by the previous one. */
async function evaluateBatch(
  db: Db,
  { now, configurations }: Ctx,
  projectId: string,
  batch: readonly QueuedRedemption[],
): Promise<EvaluatedBatch> {
  const configuration = configurations.cached(projectId)
  const rows = await loadBatch(
    db,
    projectId,
    now,
    batch.map(({ keys }) => keys),
  )
  const evaluated: EvaluatedBatch = {
    batchable: [],
    separate: [],
    individual: [],
    answers: [],
    codeKeys: new Map(rows.vouchers.map(({ id, code_key }) => [id, code_key])),
  }
  const { batchable, separate, individual, answers } = evaluated
  // The cached configuration determined which rows to load: those of an outdated one may be too few.
  if (rows.config_version !== configuration.version) {
    await configurations.atLeast(db, projectId, rows.config_version)
    individual.push(...batch)
    return evaluated
  }
  const state = new BatchState()
  const slice = newTimeSlice()
  for (const [redemption, checkoutRows] of await loadDetails(db, configuration, rows, batch, evaluated)) {
    const { ctx, request, decide, resolve, reject } = redemption
    try {
      const decision = decide(assembleCheckout(ctx, request, state.applyTo(checkoutRows)))
      if ('issueRewards' in decision) individual.push(redemption)
      else if (decision.changes === null) answers.push(() => resolve(decision.result))
      else {
        const { result, changes } = decision
        // `BatchState` does not update counters that rules compare: they would have to be counted again after each decision.
        if (Object.keys(checkoutRows.counted).length > 0 || !isBatchable(changes))
          separate.push({ redemption, result, changes })
        else {
          batchable.push({ redemption, result, changes, payload: payloadOf(ctx, changes) })
          state.record(changes, checkoutRows)
        }
      }
    } catch (error) {
      answers.push(() => reject(error))
    }
    if (slice.isOver()) await slice.pause()
  }
  return evaluated
}

/**
 * Completes the rows of each redemption. One whose rules compare counters is decided individually, because its decision could not
 * be saved with the batch; in a batch of one that makes no difference.
 */
async function loadDetails(
  db: Db,
  configuration: Configuration,
  batchRows: Rows,
  batch: readonly QueuedRedemption[],
  { individual, answers }: Pick<EvaluatedBatch, 'individual' | 'answers'>,
): Promise<Array<[QueuedRedemption, CheckoutRows]>> {
  const rowsFor = batch.length === 1 ? () => batchRows : rowsForRequest(batchRows)
  const loaded = await Promise.all(
    batch.map(async (redemption): Promise<Array<[QueuedRedemption, CheckoutRows]>> => {
      const { ctx, request, keys } = redemption
      try {
        const rows = rowsFor(keys)
        if (batch.length > 1 && comparesCounters(ctx, request, configuration, rows)) {
          individual.push(redemption)
          return []
        }
        return [[redemption, await withDetails(ctx, request, configuration, rows, db)]]
      } catch (error) {
        answers.push(() => redemption.reject(error))
        return []
      }
    }),
  )
  return loaded.flat()
}

/** Whether decisions were saved and answered; failed, and the failure was answered; or lost a conflict and must be decided again. */
type Saved = 'saved' | 'failed' | { conflict: string }

const isUndecided = (saved: Saved): saved is { conflict: string } => typeof saved === 'object'

/**
 * Saves decisions and answers them. After a conflict, or where the database rejects several of them together, nothing was saved,
 * and they must be decided again.
 */
async function save(decisions: readonly UnsavedDecision[], run: () => Promise<void>): Promise<Saved> {
  if (decisions.length === 0) return 'saved'
  try {
    await run()
  } catch (error) {
    if (isConflict(error)) return { conflict: conflictingRow(error) ?? lockTimeout }
    if (decisions.length > 1 && isRejectedByDatabase(error)) return { conflict: 'rejected' }
    for (const { redemption } of decisions) redemption.reject(error)
    return 'failed'
  }
  for (const { redemption, result } of decisions) redemption.resolve(result)
  return 'saved'
}

function decideIndividually(redemptions: readonly QueuedRedemption[]): void {
  for (const { decideAlone, resolve, reject } of redemptions) decideAlone().then(resolve, reject)
}

/** Nothing was saved: another transaction changed a row first, or holds its lock. */
const isConflict = (error: unknown): boolean =>
  conflictingRow(error) !== null || (error instanceof ApiError && error.key === 'multiple_requests')

/** The conflict of a save that waited too long for a row. */
const lockTimeout = 'lock timeout'

/** The id of the voucher that a conflict names; null: another row. */
const voucherId = (conflict: string): string | null =>
  conflict.startsWith('voucher ') ? conflict.slice('voucher '.length) : null

/** The database refused a value or a size, of one redemption or of the whole batch. */
const isRejectedByDatabase = (error: unknown): boolean =>
  error instanceof RangeError || /^(22|23|54)/.test(sqlState(error) ?? '')
