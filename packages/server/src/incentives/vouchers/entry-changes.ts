import { totalsOf } from '@guerdon/engine'
import type { Account, Entry } from '@guerdon/engine/schema'
import type { Ctx } from '../../core/context.ts'
import type { Changes, VoucherChange } from '../../core/db/checkout-changes.ts'
import type { Balance, Transaction } from '../../core/events/shapes.ts'
import { type Id, newId } from '../../core/lib/ids.ts'
import { heap } from './initial-credits.ts'
import { nextTransactionId } from './transaction-id.ts'
import { balanceOf, type StoredVoucher, totalOf } from './voucher.ts'

type Card = Pick<
  StoredVoucher,
  | 'id'
  | 'type'
  | 'campaign_id'
  | 'credits_added'
  | 'credits_subtracted'
  | 'credits_redeemed'
  | 'credits_expired'
  | 'credits_pending'
>

/** A card as the engine keeps its books (see books.ts), from what was loaded of it. */
export function accountOf(card: Card & { lots: readonly Account['lots'][number][] }): Account {
  if (card.type === 'LOYALTY_CARD') return { id: card.id, asset: 'points', lots: [...card.lots] }
  return { id: card.id, asset: 'credits', lots: [{ id: heap, points: balanceOf(card), expires_at: null }] }
}

export interface EntryChanges {
  changes: Pick<Changes, 'lots' | 'postings' | 'transactions'>
  voucher: Omit<VoucherChange, 'id' | 'xmin'>
  transaction: Transaction
  balance: Balance
}

/**
 * What an entry in the books of a card writes: postings, lots that changed, and the transaction that tells of it. `after` is
 * the card as it is afterwards, `last` its latest transaction, and `amount` signed.
 */
export function entryChanges(
  { now }: Ctx,
  { before, after, last }: { before: Account; after: Card; last: string | null },
  { account, postings }: Entry,
  told: Pick<Transaction, 'type' | 'related_transaction_id'> & {
    amount: number
    details: object
    operation_type?: 'MANUAL' | 'AUTOMATIC'
  },
): EntryChanges {
  const at = Date.parse(now)
  const id = nextTransactionId(now, last)
  const balance = { ...balanceAfter(after, told.amount), operation_type: told.operation_type ?? 'MANUAL' }
  const transaction: Transaction = {
    id,
    source_id: null,
    voucher_id: after.id,
    campaign_id: after.campaign_id,
    source: null,
    reason: null,
    type: told.type,
    details: { balance, ...told.details },
    related_transaction_id: told.related_transaction_id,
    created_at: now,
  }
  const known = new Map(before.lots.map((lot) => [lot.id, lot.points]))
  const lots = account.asset === 'points' ? account.lots.filter((lot) => known.get(lot.id) !== lot.points) : []
  const { points, subtracted, redeemed, expired } = totalsOf(after.id, postings)
  return {
    changes: {
      lots: lots.map(({ id, points, expires_at }) => ({ voucher_id: after.id, id, points, expires_at })),
      postings: postings.map(({ from, to, amount, lot, expires_at }) => ({
        voucher_id: after.id,
        id: newId('posting', at),
        transaction_id: id as Id<'transaction'>,
        source: from,
        destination: to,
        amount,
        lot_id: lot === heap ? null : lot,
        expires_at,
        created_at: now,
      })),
      transactions: [{ ...transaction, amount: told.amount, balance: balance.balance }],
    },
    voucher: {
      credits_added: points,
      credits_subtracted: subtracted,
      credits_redeemed: redeemed,
      credits_expired: expired,
    },
    transaction,
    balance,
  }
}

/** [B] The change, and the card after it. */
export function balanceAfter(card: Card, amount: number): Balance {
  const common = {
    total: totalOf(card),
    balance: balanceOf(card),
    operation_type: 'MANUAL',
    object: 'balance',
    related_object: { type: 'voucher', id: card.id },
  } as const
  return card.type === 'GIFT_VOUCHER'
    ? { ...common, type: 'gift_voucher', amount }
    : { ...common, type: 'loyalty_card', points: amount }
}

/** What the event of a transaction tells of points that were earned or moved: nothing, where they were not. */
export const nothingEarned = {
  holder_loyalty_tier: null,
  event: null,
  earning_rule: null,
  segment: null,
  loyalty_tier: null,
  reward: null,
  custom_event: null,
  source_voucher: null,
  destination_voucher: null,
}
