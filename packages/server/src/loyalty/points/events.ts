import type { EventData } from '../../core/events/catalogue.ts'
import type { PendingBalance, SimpleOrder, SimpleVoucher } from '../../core/events/shapes.ts'
import { nothingEarned } from '../../incentives/vouchers/entry-changes.ts'
import { toBucket } from '../members/bucket.ts'
import { toPendingPoints } from '../members/pending-points.ts'
import { type Card, type LoyaltyUnitOfWork, type OpenLot, type PendingEntry, tell } from './card.ts'
import type { Posted } from './ledger.ts'
import { aboutCard, shownCard, shownTier } from './view.ts'

type TransactionData = EventData<'voucher.loyalty_card.transaction.created'>

/** What a transaction was about, where it was about anything. */
export type Concerning = Partial<
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

/** That points have moved: every transaction is told, whatever else is (docs/reference/loyalty-programs.md#events). */
export function emitTransaction(
  books: LoyaltyUnitOfWork,
  card: Card,
  { transaction, balance }: Posted,
  concerning: Concerning = {},
): void {
  const { customer, campaign } = aboutCard(books, card)
  tell(books, {
    type: 'voucher.loyalty_card.transaction.created',
    entity_id: card.voucher.id,
    data: {
      transaction,
      voucher: shownCard(books, card),
      holder: customer,
      campaign,
      balance,
      order: null,
      redemption: null,
      rollback: null,
      ...nothingEarned,
      holder_loyalty_tier: shownTier(books.configuration, card.member.tier_id),
      ...concerning,
    },
  })
}

/** That a card has more points, or fewer by somebody's hand. */
export function tellPointsAdded(books: LoyaltyUnitOfWork, card: Card, { transaction, balance }: Posted): void {
  const data = { ...aboutCard(books, card), balance, transaction }
  tell(
    books,
    { type: 'voucher.loyalty_card.points_added', entity_id: card.voucher.id, data },
    { type: 'customer.voucher.loyalty_card.points_added', entity_id: card.person.customer.id, data },
  )
}

export function tellExpired(
  books: LoyaltyUnitOfWork,
  card: Card,
  { transaction, points, expired }: Posted & { points: number; expired: OpenLot[] },
): void {
  const buckets = expired.map((lot) => toBucket(bucketRow(books, card, lot), card.program.campaign.id))
  const data = { ...aboutCard(books, card), points, buckets, transaction }
  tell(
    books,
    { type: 'voucher.loyalty_card.points_expired', entity_id: card.voucher.id, data },
    { type: 'customer.voucher.loyalty_card.points_expired', entity_id: card.person.customer.id, data },
  )
}

/** As it was before its day was over. */
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
  books: LoyaltyUnitOfWork,
  card: Card,
  what: 'added' | 'updated' | 'canceled',
  entry: PendingEntry,
  voucherPendingPointsBalance: PendingBalance,
  order: SimpleOrder | null,
): void {
  const data = {
    ...aboutCard(books, card),
    voucher_pending_points_balance: voucherPendingPointsBalance,
    order,
    pending_points: toPendingPoints({ ...entry, project_id: books.ctx.project_id }),
  }
  tell(
    books,
    { type: `voucher.loyalty_card.pending_points.${what}`, entity_id: card.voucher.id, data },
    { type: `customer.voucher.loyalty_card.pending_points.${what}`, entity_id: card.person.customer.id, data },
  )
}

export function tellActivated(
  books: LoyaltyUnitOfWork,
  card: Card,
  entry: PendingEntry,
  { transaction, balance }: Posted,
  order: SimpleOrder | null,
): void {
  const data = {
    ...aboutCard(books, card),
    balance,
    order,
    transaction,
    pending_points: toPendingPoints({ ...entry, project_id: books.ctx.project_id }),
  }
  tell(
    books,
    { type: 'voucher.loyalty_card.pending_points.activated', entity_id: card.voucher.id, data },
    { type: 'customer.voucher.loyalty_card.pending_points.activated', entity_id: card.person.customer.id, data },
  )
}

/** One for each holder of the two cards. */
export function tellTransferred(
  books: LoyaltyUnitOfWork,
  card: Card,
  { transaction, balance }: Posted,
  sides: { source_voucher: SimpleVoucher; destination_voucher: SimpleVoucher },
): void {
  tell(books, {
    type: 'customer.voucher.loyalty_card.points_transferred',
    entity_id: card.person.customer.id,
    data: { ...aboutCard(books, card), balance, transaction, ...sides },
  })
}
