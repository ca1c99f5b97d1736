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
import { tierNamed } from './programs.ts'

/** What a movement of points is told as (docs/reference/loyalty-cards.md#transactions). */
export interface TransactionDetails {
  type: Transaction['type']
  source: 'API' | 'Automation' | null
  source_id?: string | null
  reason?: string | null
  operation_type: 'MANUAL' | 'AUTOMATIC'
  details?: object
  related_transaction_id?: string
}

/** A movement that is in the books. */
export interface Posted {
  transaction: Transaction
  balance: Balance
}

/** Whether a card can have so many points more: numbers are exact only so far. */
export const canHold = ({ voucher: { credits_added } }: Card, amount: number): boolean =>
  Number.isSafeInteger((credits_added ?? 0) + amount)

/** Puts points on a card, into the lot of their date. */
export function credit(
  books: LoyaltyUnitOfWork,
  card: Card,
  { amount, expires_at }: { amount: number; expires_at: string | null },
  told: TransactionDetails,
  moment: Moment,
): Posted {
  if (!canHold(card, amount))
    throw new ApiError('invalid_amount', { details: `A card cannot hold so much: ${card.voucher.code}` })
  const lotId = newId('points_bucket', Date.parse(moment.at))
  return post(books, card, earn(accountOf(card), { amount, expires_at, lot_id: lotId }), amount, told, moment)
}

/** Has the first of two movements, which is written already, name the second. */
export function relate({ written }: LoyaltyUnitOfWork, first: Posted, second: Posted): void {
  first.transaction.related_transaction_id = second.transaction.id
  const row = written.transactions.find(({ id }) => id === first.transaction.id)
  if (row !== undefined) row.related_transaction_id = second.transaction.id
}

/** Takes points off a card, those that expire first before the others. */
export function debit(
  books: LoyaltyUnitOfWork,
  card: Card,
  amount: number,
  told: TransactionDetails,
  moment: Moment,
): Posted {
  const spent = spend(accountOf(card), { amount, to: 'subtracted', today: moment.today })
  if ('key' in spent) throw new ApiError(spent.key, { details: card.voucher.code })
  return post(books, card, spent, -amount, told, moment)
}

/** Closes the lots whose day is over, and answers them as they were; null: nothing was on them. */
export function expireLots(
  books: LoyaltyUnitOfWork,
  card: Card,
  moment: Moment,
): (Posted & { points: number; expired: OpenLot[] }) | null {
  const { account, postings, expired } = expire(accountOf(card), moment.today)
  if (expired.length === 0) return null
  const points = expired.reduce((sum, lot) => sum + lot.points, 0)
  for (const { id, points, expires_at, created_at } of expired as OpenLot[])
    books.written.lots.push({
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
    books,
    card,
    { account, postings },
    -points,
    { type: 'POINTS_EXPIRATION', source: 'Automation', operation_type: 'AUTOMATIC' },
    moment,
  )
  return { ...posted, points, expired }
}

/** Writes an entry down: its postings, and the transaction that tells of it. */
function post(
  books: LoyaltyUnitOfWork,
  card: Card,
  { account, postings }: Entry,
  amount: number,
  told: TransactionDetails,
  { at, today }: Moment,
): Posted {
  const { voucher, member } = card
  const { points, subtracted, redeemed, expired } = totalsOf(voucher.id, postings)
  addTo(card, 'credits_added', points)
  addTo(card, 'credits_subtracted', subtracted)
  addTo(card, 'credits_redeemed', redeemed)
  addTo(card, 'credits_expired', expired)
  const known = new Map(card.lots.map((lot) => [lot.id, lot]))
  card.lots = account.lots.map((lot) => ({ created_at: at, ...known.get(lot.id), ...lot }))
  const id = nextTransactionId(at, voucher.last_transaction)
  for (const { from, to, amount, lot, expires_at } of postings)
    books.written.postings.push({
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
  const balance = { ...balanceAfter(card.voucher, amount), operation_type: told.operation_type }
  const holderTier = tierNamed(books.configuration, member.tier_id)
  const transaction: Transaction = {
    id,
    source_id: told.source_id ?? null,
    voucher_id: voucher.id,
    campaign_id: voucher.campaign_id,
    source: told.source,
    reason: told.reason ?? null,
    type: told.type,
    details: {
      balance,
      ...told.details,
      ...(holderTier === null ? {} : { holder_loyalty_tier: { id: holderTier.id, name: holderTier.name } }),
    },
    related_transaction_id: told.related_transaction_id ?? null,
    created_at: at,
  }
  card.voucher = { ...card.voucher, last_transaction: id }
  books.written.transactions.push({ ...transaction, amount, balance: balance.balance })
  movePoints(card, amount)
  count(books, card, at, { [figureOf[told.type] ?? 'points_added']: Math.abs(amount) })
  if (amount > 0 && collected.has(told.type)) card.credits.push({ date: today, points: amount })
  return { transaction, balance }
}

/** What counts for tiers of a period (docs/reference/loyalty-tiers.md#which-tier-qualifies). */
const collected = new Set<Transaction['type']>(['POINTS_ACCRUAL', 'PENDING_POINTS_ACTIVATION', 'POINTS_ADDITION'])

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
 * Points that wait: a posting to the system account `pending`, no transaction yet
 * (docs/reference/points.md#life-of-pending-points).
 */
export function promise(books: LoyaltyUnitOfWork, card: Card, entry: PendingEntry): PendingBalance {
  books.written.pending_points.push(entry)
  if (card.next_activation === null || entry.activates_at < card.next_activation)
    card.next_activation = entry.activates_at
  return movePending(books, card, entry, entry.points, 'AUTOMATIC', entry.created_at, 'pending_points_added')
}

/** Changes how many points wait, or ends the waiting. */
export function changePending(
  books: LoyaltyUnitOfWork,
  card: Card,
  entry: PendingEntry,
  change: { points: number; status: PendingEntry['status']; operation_type: 'MANUAL' | 'AUTOMATIC'; at: Instant },
): PendingBalance {
  const { points, status, operation_type, at } = change
  entry.status = status
  entry.updated_at = books.ctx.now
  if (status === 'PENDING') entry.points += points
  books.written.pending_points.push({ ...entry })
  return movePending(books, card, entry, points, operation_type, at, pendingFigure(status, points))
}

const pendingFigure = (status: PendingEntry['status'], points: number): Figure => {
  if (status === 'ACTIVATED') return 'pending_points_activated'
  if (status === 'CANCELED') return 'pending_points_canceled'
  return points > 0 ? 'pending_points_added' : 'pending_points_subtracted'
}

function movePending(
  books: LoyaltyUnitOfWork,
  card: Card,
  { id, activates_at }: PendingEntry,
  points: number,
  operationType: 'MANUAL' | 'AUTOMATIC',
  at: Instant,
  figure: Figure,
): PendingBalance {
  const { voucher } = card
  addTo(card, 'credits_pending', points)
  books.written.postings.push({
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
  count(books, card, at, { [figure]: Math.abs(points) })
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

/** The row of the holder says what is on the card, too. */
function movePoints({ person, program }: Card, points: number): void {
  const { name } = program.campaign
  const move = person.moves[name]
  person.moves[name] = { ...move, points: (move?.points ?? 0) + points }
}

function count(
  { ctx, written }: LoyaltyUnitOfWork,
  { program }: Card,
  now: Instant,
  counted: Partial<Record<Figure, number>>,
): void {
  written.tallies.push(...figureTallies({ ...ctx, now }, program.campaign.id, counted))
}
