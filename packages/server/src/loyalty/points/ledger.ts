import { earn, expire, spend, totalsOf } from '@guerdon/engine'
import type { Entry } from '@guerdon/engine/schema'
import type { Balance, PendingBalance, Transaction } from '../../core/events/shapes.ts'
import { ApiError } from '../../core/http/errors.ts'
import { newId } from '../../core/lib/ids.ts'
import type { Instant } from '../../core/lib/instant.ts'
import { type Figure, figureTallies } from '../../incentives/campaigns/summary-figures.ts'
import { balanceAfter } from '../../incentives/vouchers/entry-changes.ts'
import { nextTransactionId } from '../../incentives/vouchers/transaction-id.ts'
import { accountOf, type Card, type LoyaltyUnitOfWork, type Moment, type OpenLot, type PendingEntry } from './card.ts'
import { findTier } from './programs.ts'

/** How a movement of points is recorded (docs/reference/loyalty-cards.md#transactions). */
export interface TransactionDetails {
  type: Transaction['type']
  source: 'API' | 'Automation' | null
  source_id?: string | null
  reason?: string | null
  operation_type: 'MANUAL' | 'AUTOMATIC'
  details?: object
  related_transaction_id?: string
}

/** A posted movement. */
export interface Posted {
  transaction: Transaction
  balance: Balance
}

/** Whether the card can hold that many more points: numbers are exact only up to 2^53 - 1. */
export const canHold = ({ voucher: { credits_added } }: Card, amount: number): boolean =>
  Number.isSafeInteger((credits_added ?? 0) + amount)

/** Credits points to a card, in the lot of their expiration date. */
export function credit(
  work: LoyaltyUnitOfWork,
  card: Card,
  { amount, expires_at }: { amount: number; expires_at: string | null },
  transactionDetails: TransactionDetails,
  moment: Moment,
): Posted {
  if (!canHold(card, amount))
    throw new ApiError('invalid_amount', { details: `A card cannot hold so much: ${card.voucher.code}` })
  const lotId = newId('points_bucket', Date.parse(moment.at))
  return post(
    work,
    card,
    earn(accountOf(card), { amount, expires_at, lot_id: lotId }),
    amount,
    transactionDetails,
    moment,
  )
}

/** Links two movements: the first one, already queued, gets the id of the second. */
export function linkTransactions({ writes }: LoyaltyUnitOfWork, first: Posted, second: Posted): void {
  first.transaction.related_transaction_id = second.transaction.id
  const row = writes.transactions.find(({ id }) => id === first.transaction.id)
  if (row !== undefined) row.related_transaction_id = second.transaction.id
}

/** Debits points from a card, the lots that expire first before the others. */
export function debit(
  work: LoyaltyUnitOfWork,
  card: Card,
  amount: number,
  transactionDetails: TransactionDetails,
  moment: Moment,
): Posted {
  const entry = spend(accountOf(card), { amount, to: 'subtracted', today: moment.today })
  if ('key' in entry) throw new ApiError(entry.key, { details: card.voucher.code })
  return post(work, card, entry, -amount, transactionDetails, moment)
}

/** Closes expired lots and returns them as they were; null if they were empty. */
export function expireLots(
  work: LoyaltyUnitOfWork,
  card: Card,
  moment: Moment,
): (Posted & { points: number; expired: OpenLot[] }) | null {
  const { account, postings, expired } = expire(accountOf(card), moment.today)
  if (expired.length === 0) return null
  const points = expired.reduce((sum, lot) => sum + lot.points, 0)
  for (const { id, points, expires_at, created_at } of expired as OpenLot[])
    work.writes.lots.push({
      voucher_id: card.voucher.id,
      id,
      points: 0,
      expires_at,
      expired_points: points,
      ...(created_at === undefined ? {} : { created_at }),
    })
  if (points === 0) {
    card.lots = account.lots
    return null
  }
  const posted = post(
    work,
    card,
    { account, postings },
    -points,
    { type: 'POINTS_EXPIRATION', source: 'Automation', operation_type: 'AUTOMATIC' },
    moment,
  )
  return { ...posted, points, expired }
}

/** Queues a ledger entry: its postings and its transaction. */
function post(
  work: LoyaltyUnitOfWork,
  card: Card,
  { account, postings }: Entry,
  amount: number,
  transactionDetails: TransactionDetails,
  { at, today }: Moment,
): Posted {
  const { voucher, member } = card
  const { points, subtracted, redeemed, expired } = totalsOf(voucher.id, postings)
  addTo(card, 'credits_added', points)
  addTo(card, 'credits_subtracted', subtracted)
  addTo(card, 'credits_redeemed', redeemed)
  addTo(card, 'credits_expired', expired)
  const lotsBefore = new Map(card.lots.map((lot) => [lot.id, lot]))
  card.lots = account.lots.map((lot) => ({ created_at: at, ...lotsBefore.get(lot.id), ...lot }))
  const id = nextTransactionId(at, voucher.last_transaction)
  for (const { from, to, amount, lot, expires_at } of postings)
    work.writes.postings.push({
      voucher_id: voucher.id,
      id: newId('posting', Date.parse(at)),
      transaction_id: id,
      source: from,
      destination: to,
      amount,
      lot_id: lot,
      expires_at,
      created_at: at,
    })
  const balance = { ...balanceAfter(card.voucher, amount), operation_type: transactionDetails.operation_type }
  const holderTier = findTier(work.configuration, member.tier_id)
  const transaction: Transaction = {
    id,
    source_id: transactionDetails.source_id ?? null,
    voucher_id: voucher.id,
    campaign_id: voucher.campaign_id,
    source: transactionDetails.source,
    reason: transactionDetails.reason ?? null,
    type: transactionDetails.type,
    details: {
      balance,
      ...transactionDetails.details,
      ...(holderTier === null ? {} : { holder_loyalty_tier: { id: holderTier.id, name: holderTier.name } }),
    },
    related_transaction_id: transactionDetails.related_transaction_id ?? null,
    created_at: at,
  }
  card.voucher = { ...card.voucher, last_transaction: id }
  work.writes.transactions.push({ ...transaction, amount, balance: balance.balance })
  addToHolderPoints(card, amount)
  queueTallies(work, card, at, { [figureOf[transactionDetails.type] ?? 'points_added']: Math.abs(amount) })
  if (amount > 0 && collectedTypes.has(transactionDetails.type)) card.credits.push({ date: today, points: amount })
  return { transaction, balance }
}

/** The transaction types that count for tiers by points in a period (docs/reference/loyalty-tiers.md#which-tier-qualifies). */
const collectedTypes = new Set<Transaction['type']>(['POINTS_ACCRUAL', 'PENDING_POINTS_ACTIVATION', 'POINTS_ADDITION'])

const figureOf: Partial<Record<Transaction['type'], Figure>> = {
  POINTS_ACCRUAL: 'points_rewarded',
  PENDING_POINTS_ACTIVATION: 'points_rewarded',
  POINTS_ADDITION: 'points_added',
  POINTS_REMOVAL: 'points_subtracted',
  POINTS_EXPIRATION: 'points_expired',
  POINTS_TRANSFER_IN: 'points_transferred_in',
  POINTS_TRANSFER_OUT: 'points_transferred_out',
}

/**
 * Adds pending points: a posting to the system account `pending`, no transaction yet
 * (docs/reference/points.md#life-of-pending-points).
 */
export function postPending(work: LoyaltyUnitOfWork, card: Card, entry: PendingEntry): PendingBalance {
  work.writes.pending_points.push(entry)
  if (card.next_activation === null || entry.activates_at < card.next_activation)
    card.next_activation = entry.activates_at
  return movePending(work, card, entry, entry.points, 'AUTOMATIC', entry.created_at, 'pending_points_added')
}

/** Changes the number of pending points, or activates or cancels the entry. */
export function changePending(
  work: LoyaltyUnitOfWork,
  card: Card,
  entry: PendingEntry,
  change: { points: number; status: PendingEntry['status']; operation_type: 'MANUAL' | 'AUTOMATIC'; at: Instant },
): PendingBalance {
  const { points, status, operation_type, at } = change
  entry.status = status
  entry.updated_at = work.ctx.now
  if (status === 'PENDING') entry.points += points
  work.writes.pending_points.push({ ...entry })
  return movePending(work, card, entry, points, operation_type, at, pendingFigure(status, points))
}

const pendingFigure = (status: PendingEntry['status'], points: number): Figure => {
  if (status === 'ACTIVATED') return 'pending_points_activated'
  if (status === 'CANCELED') return 'pending_points_canceled'
  return points > 0 ? 'pending_points_added' : 'pending_points_subtracted'
}

function movePending(
  work: LoyaltyUnitOfWork,
  card: Card,
  { id, activates_at }: PendingEntry,
  points: number,
  operationType: 'MANUAL' | 'AUTOMATIC',
  at: Instant,
  figure: Figure,
): PendingBalance {
  const { voucher } = card
  addTo(card, 'credits_pending', points)
  work.writes.postings.push({
    voucher_id: voucher.id,
    id: newId('posting', Date.parse(at)),
    transaction_id: null,
    source: points > 0 ? 'issued' : 'pending',
    destination: points > 0 ? 'pending' : 'issued',
    amount: Math.abs(points),
    lot_id: id,
    expires_at: activates_at,
    created_at: at,
  })
  queueTallies(work, card, at, { [figure]: Math.abs(points) })
  return {
    points,
    total: card.voucher.credits_pending ?? 0,
    object: 'balance',
    related_object: { type: 'voucher', id: voucher.id },
    operation_type: operationType,
  }
}

function addTo(card: Card, column: keyof Card['change'], amount: number): void {
  if (amount === 0) return
  card.voucher = { ...card.voucher, [column]: (card.voucher[column] ?? 0) + amount }
  card.change[column] = (card.change[column] ?? 0) + amount
}

/** The row of the holder has the points of each program, too. */
function addToHolderPoints({ person, program }: Card, points: number): void {
  const { name } = program.campaign
  const move = person.moves[name]
  person.moves[name] = { ...move, points: (move?.points ?? 0) + points }
}

function queueTallies(
  { ctx, writes }: LoyaltyUnitOfWork,
  { program }: Card,
  now: Instant,
  amounts: Partial<Record<Figure, number>>,
): void {
  writes.tallies.push(...figureTallies({ ...ctx, now }, program.campaign.id, amounts))
}
