import { earn, expire, spend, totalsOf } from '@guerdon/engine'
import type { Entry } from '@guerdon/engine/schema'
import type { Balance, PendingBalance, SimpleOrder, Transaction } from '../../core/events/shapes.ts'
import { ApiError } from '../../core/http/errors.ts'
import { newId } from '../../core/lib/ids.ts'
import type { Instant } from '../../core/lib/instant.ts'
import { type Figure, figureTallies } from '../../incentives/campaigns/summary-figures.ts'
import { balanceAfter } from '../../incentives/vouchers/entry-changes.ts'
import { nextTransaction } from '../../incentives/vouchers/transaction-moment.ts'
import { transactionSource } from '../../incentives/vouchers/transactions.ts'
import {
  type Card,
  cardAccountOf,
  type LedgerMoment,
  type LoyaltyUnitOfWork,
  type OpenLot,
  type PendingEntry,
} from './card.ts'
import { findLoyaltyTier } from './programs.ts'

/** A movement of points on a card, as its transaction records it (docs/reference/loyalty-cards.md#transactions). */
interface Movement {
  card: Card
  points: number
  moment: LedgerMoment
  type: keyof typeof figureOf
  /** Movements by `Automation` are automatic, all others manual. */
  source: 'API' | 'Automation' | null
  source_id?: string | null
  reason?: string | null
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
  { expires_at, ...movement }: Movement & { expires_at: string | null },
): Posted {
  const { card, points, moment } = movement
  if (!canHold(card, points))
    throw new ApiError('invalid_amount', { details: `A card cannot hold so much: ${card.voucher.code}` })
  const lotId = newId('points_bucket', Date.parse(moment.at))
  return post(work, movement, earn(cardAccountOf(card), { amount: points, expires_at, lot_id: lotId }))
}

/** Links two movements: the first one, already queued, gets the id of the second. */
export function linkTransactions({ writes }: LoyaltyUnitOfWork, first: Posted, second: Posted): void {
  first.transaction.related_transaction_id = second.transaction.id
  const row = writes.transactions.find(({ id }) => id === first.transaction.id)
  if (row !== undefined) row.related_transaction_id = second.transaction.id
}

/** Debits points from a card, the lots that expire first before the others. */
export function debit(work: LoyaltyUnitOfWork, movement: Movement): Posted {
  const { card, points, moment } = movement
  const entry = spend(cardAccountOf(card), { amount: points, to: 'subtracted', today: moment.today })
  if ('key' in entry) throw new ApiError(entry.key, { details: card.voucher.code })
  return post(work, { ...movement, points: -points }, entry)
}

/** Closes expired lots and returns them as they were; null if they were empty. */
export function expireLots(
  work: LoyaltyUnitOfWork,
  card: Card,
  moment: LedgerMoment,
): (Posted & { points: number; expired: OpenLot[] }) | null {
  const { account, postings, expired } = expire(cardAccountOf(card), moment.today)
  if (expired.length === 0) return null
  const points = expired.reduce((sum, lot) => sum + lot.points, 0)
  for (const { id, points: expiredPoints, expires_at, created_at } of expired as OpenLot[])
    work.writes.lots.push({
      voucher_id: card.voucher.id,
      id,
      points: 0,
      expires_at,
      expired_points: expiredPoints,
      ...(created_at === undefined ? {} : { created_at }),
    })
  if (points === 0) {
    card.lots = account.lots
    return null
  }
  const movement = { card, points: -points, moment, type: 'POINTS_EXPIRATION', source: 'Automation' } as const
  return { ...post(work, movement, { account, postings }), points, expired }
}

/** Queues a ledger entry: its postings and its transaction. `points` are negative if they leave the card. */
function post(work: LoyaltyUnitOfWork, movement: Movement, { account, postings }: Entry): Posted {
  const { card, points, type, source } = movement
  const { at, today } = movement.moment
  const { voucher, member } = card
  const totals = totalsOf(voucher.id, postings)
  addTo(card, 'credits_added', totals.points)
  addTo(card, 'credits_subtracted', totals.subtracted)
  addTo(card, 'credits_redeemed', totals.redeemed)
  addTo(card, 'credits_expired', totals.expired)
  const lotsBefore = new Map(card.lots.map((lot) => [lot.id, lot]))
  card.lots = account.lots.map((lot) => ({ created_at: at, ...lotsBefore.get(lot.id), ...lot }))
  const { id, created_at } = nextTransaction(at, voucher.last_transaction)
  for (const { from, to, amount, lot, expires_at } of postings)
    work.writes.postings.push({
      voucher_id: voucher.id,
      id: newId('posting', Date.parse(created_at)),
      transaction_id: id,
      source: from,
      destination: to,
      amount,
      lot_id: lot,
      expires_at,
      created_at,
    })
  const operationType = source === 'Automation' ? ('AUTOMATIC' as const) : ('MANUAL' as const)
  const balance = { ...balanceAfter(card.voucher, points), operation_type: operationType }
  const holderTier = findLoyaltyTier(work.configuration, member.tier_id)
  const transaction: Transaction = {
    id,
    source_id: movement.source_id ?? null,
    voucher_id: voucher.id,
    campaign_id: voucher.campaign_id,
    source: transactionSource(work.ctx, source),
    reason: movement.reason ?? null,
    type,
    details: {
      balance,
      ...movement.details,
      ...(holderTier === null ? {} : { holder_loyalty_tier: { id: holderTier.id, name: holderTier.name } }),
    },
    related_transaction_id: movement.related_transaction_id ?? null,
    created_at,
  }
  card.voucher = { ...card.voucher, last_transaction: id }
  work.writes.transactions.push({ ...transaction, amount: points, balance: balance.balance })
  addToHolderPoints(card, points)
  queueTallies(work, card, at, { [figureOf[type]]: Math.abs(points) })
  if (points > 0 && collectedTypes.has(type)) card.credits.push({ date: today, points })
  return { transaction, balance }
}

/** The transaction types that count for tiers by points in a period (docs/reference/loyalty-tiers.md#which-tier-qualifies). */
const collectedTypes = new Set<Transaction['type']>(['POINTS_ACCRUAL', 'PENDING_POINTS_ACTIVATION', 'POINTS_ADDITION'])

/** The figure of the card that a movement changes. Redemptions and refunds are posted by the checkout. */
const figureOf = {
  POINTS_ACCRUAL: 'points_rewarded',
  PENDING_POINTS_ACTIVATION: 'points_rewarded',
  POINTS_ADDITION: 'points_added',
  POINTS_REMOVAL: 'points_subtracted',
  POINTS_EXPIRATION: 'points_expired',
  POINTS_TRANSFER_IN: 'points_transferred_in',
  POINTS_TRANSFER_OUT: 'points_transferred_out',
} as const satisfies Partial<Record<Transaction['type'], Figure>>

/** A change of an entry of pending points: added, adjusted, activated or canceled. */
export interface PendingMovement {
  card: Card
  entry: PendingEntry
  /** The order that earned the points; null if it was deleted since. */
  order: SimpleOrder | null
  moment: LedgerMoment
  operation_type: 'MANUAL' | 'AUTOMATIC'
}

/**
 * Adds pending points: a posting to the system account `pending`, no transaction yet
 * (docs/reference/points.md#life-of-pending-points).
 */
export function postPending(work: LoyaltyUnitOfWork, movement: PendingMovement): PendingBalance {
  const { card, entry } = movement
  work.writes.pending_points.push(entry)
  if (card.next_activation === null || entry.activates_at < card.next_activation)
    card.next_activation = entry.activates_at
  return movePending(work, movement, entry.points)
}

/** Changes the number of pending points. */
export function adjustPending(work: LoyaltyUnitOfWork, movement: PendingMovement, points: number): PendingBalance {
  movement.entry.points += points
  return changeEntry(work, movement, points)
}

/** Ends an entry: its points leave the pending balance, and it keeps their number. */
export function closePending(
  work: LoyaltyUnitOfWork,
  movement: PendingMovement,
  status: 'ACTIVATED' | 'CANCELED',
): PendingBalance {
  movement.entry.status = status
  return changeEntry(work, movement, -movement.entry.points)
}

function changeEntry(work: LoyaltyUnitOfWork, movement: PendingMovement, points: number): PendingBalance {
  movement.entry.updated_at = work.ctx.now
  work.writes.pending_points.push({ ...movement.entry })
  return movePending(work, movement, points)
}

function movePending(
  work: LoyaltyUnitOfWork,
  { card, entry, moment: { at }, operation_type }: PendingMovement,
  points: number,
): PendingBalance {
  addTo(card, 'credits_pending', points)
  const { voucher } = card
  work.writes.postings.push({
    voucher_id: voucher.id,
    id: newId('posting', Date.parse(at)),
    transaction_id: null,
    source: points > 0 ? 'issued' : 'pending',
    destination: points > 0 ? 'pending' : 'issued',
    amount: Math.abs(points),
    lot_id: entry.id,
    expires_at: entry.activates_at,
    created_at: at,
  })
  queueTallies(work, card, at, { [pendingFigure(entry.status, points)]: Math.abs(points) })
  return {
    points,
    total: voucher.credits_pending ?? 0,
    object: 'balance',
    related_object: { type: 'voucher', id: voucher.id },
    operation_type,
  }
}

const pendingFigure = (status: PendingEntry['status'], points: number): Figure => {
  if (status === 'ACTIVATED') return 'pending_points_activated'
  if (status === 'CANCELED') return 'pending_points_canceled'
  return points > 0 ? 'pending_points_added' : 'pending_points_subtracted'
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
