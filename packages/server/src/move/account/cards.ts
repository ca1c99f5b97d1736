import type { VoucherType } from '../../core/db/tables.ts'
import type { Id } from '../../core/lib/ids.ts'
import { amount, type Foreign, LeftOut, part } from './foreign.ts'
import type { NewRow } from './insert-rows.ts'
import { derivedId } from './kept-id.ts'

/** The counters of a card, whose difference is its balance. */
export interface CardCredits {
  credits_added: number
  credits_subtracted: number
  credits_redeemed: number
  credits_expired: number
  credits_pending: number
}

/**
 * The counters of a gift or loyalty card. The balance is what its holder can spend, so it decides: if the counters that the other
 * service shows do not add up to it, the difference counts as added or subtracted.
 *
 * Amount 100, redeemed 30, balance 80 → added 110, redeemed 30.
 */
export function creditsOf(type: VoucherType, voucher: Foreign): { credits: CardCredits | null; is_adjusted: boolean } {
  if (type === 'DISCOUNT_VOUCHER') return { credits: null, is_adjusted: false }
  const card = part(voucher, type === 'GIFT_VOUCHER' ? 'gift' : 'loyalty_card')
  const redemption = part(voucher, 'redemption')
  const isGift = type === 'GIFT_VOUCHER'
  const credits: CardCredits = {
    credits_added: amount(card, isGift ? 'amount' : 'points'),
    credits_subtracted: amount(card, isGift ? 'subtracted_amount' : 'subtracted_points'),
    credits_redeemed: amount(redemption, isGift ? 'redeemed_amount' : 'redeemed_points'),
    credits_expired: isGift ? 0 : amount(card, 'expired_points'),
    credits_pending: isGift ? 0 : amount(card, 'pending_points'),
  }
  if (card.balance == null) throw new LeftOut('the balance of the card is missing')
  const difference = amount(card, 'balance') - balanceOf(credits)
  if (difference > 0) credits.credits_added += difference
  else credits.credits_subtracted -= difference
  return { credits, is_adjusted: difference !== 0 }
}

const balanceOf = (card: CardCredits): number =>
  card.credits_added - card.credits_subtracted - card.credits_redeemed - card.credits_expired

/** A card without a ledger, and the lots that are known to expire. */
export interface NewCard extends CardCredits {
  id: string
  code: string
  type: VoucherType
  campaign_id: Id<'campaign'> | null
  created_at: string
  /** What it paid for redemptions that can still be rolled back. */
  reversible: number
  /** Whether postings of earlier redemptions name its undated lot (writers/transactions.ts). */
  has_postings: boolean
  dated_lots: ReadonlyArray<{ id: string; points: number; expires_at: string }>
}

/**
 * A rollback gives back what the card paid, so it has redeemed at least that much. A card that says otherwise was given the
 * difference, too: its balance stays.
 *
 * Amount 70, redeemed 0, balance 70, a redemption of 30 → added 100, redeemed 30.
 */
export function withReversible<Card extends NewCard>(card: Card): Card & { raised: number } {
  const raised = Math.max(0, card.reversible - card.credits_redeemed)
  return {
    ...card,
    raised,
    credits_added: card.credits_added + raised,
    credits_redeemed: card.credits_redeemed + raised,
  }
}

/** The lot of the points that never expire; all history of the card goes through it. */
export const heapOf = (cardId: string) => derivedId('points_bucket', cardId)

/**
 * The ledger of a card as if it had been filled at once: each lot is issued, and what was subtracted, redeemed and expired before
 * was issued and left again. Expired points have a closed lot of their own, so that the lots add up to what their postings say.
 */
export function openingOf(card: NewCard): { lots: NewRow[]; postings: NewRow[] } {
  const {
    id,
    type,
    created_at,
    credits_subtracted: subtracted,
    credits_redeemed: redeemed,
    credits_expired: expired,
  } = card
  const isGift = type === 'GIFT_VOUCHER'
  const at = Date.parse(created_at)
  const dated = card.dated_lots.reduce((sum, { points }) => sum + points, 0)
  const heap = { lot: isGift ? null : heapOf(id), expires_at: null }
  const gone = {
    lot: isGift ? null : derivedId('points_bucket', `${id} expired`),
    expires_at: isGift ? null : created_at.slice(0, 10),
  }
  const movements = [
    ...card.dated_lots.map((lot) => ({
      lot: lot.id,
      expires_at: lot.expires_at,
      from: 'issued',
      to: id,
      amount: lot.points,
    })),
    { ...heap, from: 'issued', to: id, amount: balanceOf(card) - dated + subtracted + redeemed },
    { ...gone, from: 'issued', to: id, amount: expired },
    { ...heap, from: id, to: 'subtracted', amount: subtracted },
    { ...heap, from: id, to: 'redeemed', amount: redeemed },
    { ...gone, from: id, to: 'expired', amount: expired },
  ].filter(({ amount: moved }) => moved > 0)
  const lot = (
    of: { lot: string | null; expires_at: string | null },
    points: number,
    expiredPoints: number | null,
  ) => ({
    voucher_id: id,
    id: of.lot,
    points,
    expires_at: of.expires_at,
    expired_points: expiredPoints,
    created_at,
  })
  return {
    lots: isGift
      ? []
      : [
          ...(card.has_postings || movements.some((one) => one.lot === heap.lot)
            ? [lot(heap, balanceOf(card) - dated, null)]
            : []),
          ...(expired > 0 ? [lot(gone, 0, expired)] : []),
        ],
    postings: movements.map(({ lot: lotId, expires_at, from, to, amount: moved }) => ({
      voucher_id: id,
      // Points are issued before they leave, and the order of ids is the order of time.
      id: derivedId('posting', `${id} ${lotId} ${from} ${to}`, from === 'issued' ? at : at + 1),
      source: from,
      destination: to,
      amount: moved,
      lot_id: lotId,
      expires_at,
      created_at,
    })),
  }
}
