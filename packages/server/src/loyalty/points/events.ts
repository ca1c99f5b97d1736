import type { EventData } from '../../core/events/catalogue.ts'
import type { PendingBalance, SimpleVoucher } from '../../core/events/shapes.ts'
import { noEarningDetails } from '../../incentives/vouchers/entry-changes.ts'
import { toBucket } from '../members/bucket.ts'
import { toPendingPoints } from '../members/pending-points.ts'
import { type Card, type LoyaltyUnitOfWork, type OpenLot, queueEvents } from './card.ts'
import type { PendingMovement, Posted } from './ledger.ts'
import { cardEventData, loyaltyTierView, shownCard } from './view.ts'

type TransactionData = EventData<'voucher.loyalty_card.transaction.created'>

/** The objects that a transaction refers to. */
export type TransactionSubjects = Partial<
  Pick<
    TransactionData,
    | 'order'
    | 'event'
    | 'earning_rule'
    | 'segment'
    | 'loyalty_tier'
    | 'custom_event'
    | 'source_voucher'
    | 'destination_voucher'
  >
>

/**
 * Emits the event that every points transaction has, besides more specific events (docs/reference/loyalty-programs.md#events).
 */
export function emitTransaction(
  work: LoyaltyUnitOfWork,
  card: Card,
  { transaction, balance }: Posted,
  subjects: TransactionSubjects = {},
): void {
  const { customer, campaign } = cardEventData(work, card)
  queueEvents(work, {
    type: 'voucher.loyalty_card.transaction.created',
    entity_id: card.voucher.id,
    data: {
      transaction,
      voucher: shownCard(work, card),
      holder: customer,
      campaign,
      balance,
      order: null,
      redemption: null,
      rollback: null,
      ...noEarningDetails,
      holder_loyalty_tier: loyaltyTierView(work.configuration, card.member.tier_id),
      ...subjects,
    },
  })
}

/** Emits `points_added`: points were added, or adjusted by a request in either direction. */
export function emitPointsAdded(work: LoyaltyUnitOfWork, card: Card, { transaction, balance }: Posted): void {
  const data = { ...cardEventData(work, card), balance, transaction }
  queueEvents(
    work,
    { type: 'voucher.loyalty_card.points_added', entity_id: card.voucher.id, data },
    { type: 'customer.voucher.loyalty_card.points_added', entity_id: card.person.customer.id, data },
  )
}

export function emitPointsExpired(
  work: LoyaltyUnitOfWork,
  card: Card,
  { transaction, points, expired }: Posted & { points: number; expired: OpenLot[] },
): void {
  const buckets = expired.map((lot) => toBucket(bucketRow(work, card, lot), card.program.campaign.id))
  const data = { ...cardEventData(work, card), points, buckets, transaction }
  queueEvents(
    work,
    { type: 'voucher.loyalty_card.points_expired', entity_id: card.voucher.id, data },
    { type: 'customer.voucher.loyalty_card.points_expired', entity_id: card.person.customer.id, data },
  )
}

/** The bucket as it was before it expired. */
const bucketRow = ({ ctx: { now } }: LoyaltyUnitOfWork, { voucher }: Card, lot: OpenLot) => ({
  voucher_id: voucher.id,
  id: lot.id as `lopb_${string}`,
  points: lot.points,
  expires_at: lot.expires_at as string,
  expired_points: null,
  created_at: lot.created_at ?? now,
  updated_at: lot.updated_at ?? null,
})

export function emitPending(
  work: LoyaltyUnitOfWork,
  change: 'added' | 'updated' | 'canceled',
  { card, entry, order }: PendingMovement,
  balance: PendingBalance,
): void {
  const data = {
    ...cardEventData(work, card),
    voucher_pending_points_balance: balance,
    order,
    pending_points: toPendingPoints({ ...entry, project_id: work.ctx.project_id }),
  }
  queueEvents(
    work,
    { type: `voucher.loyalty_card.pending_points.${change}`, entity_id: card.voucher.id, data },
    { type: `customer.voucher.loyalty_card.pending_points.${change}`, entity_id: card.person.customer.id, data },
  )
}

export function emitPendingActivated(
  work: LoyaltyUnitOfWork,
  { card, entry, order }: PendingMovement,
  { transaction, balance }: Posted,
): void {
  const data = {
    ...cardEventData(work, card),
    balance,
    order,
    transaction,
    pending_points: toPendingPoints({ ...entry, project_id: work.ctx.project_id }),
  }
  queueEvents(
    work,
    { type: 'voucher.loyalty_card.pending_points.activated', entity_id: card.voucher.id, data },
    { type: 'customer.voucher.loyalty_card.pending_points.activated', entity_id: card.person.customer.id, data },
  )
}

/** Called once for each of the two cards. */
export function emitPointsTransferred(
  work: LoyaltyUnitOfWork,
  card: Card,
  { transaction, balance }: Posted,
  sides: { source_voucher: SimpleVoucher; destination_voucher: SimpleVoucher },
): void {
  queueEvents(work, {
    type: 'customer.voucher.loyalty_card.points_transferred',
    entity_id: card.person.customer.id,
    data: { ...cardEventData(work, card), balance, transaction, ...sides },
  })
}
