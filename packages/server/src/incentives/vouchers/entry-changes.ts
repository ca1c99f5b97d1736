import { totalsOf } from '@guerdon/engine'
import type { Account, Entry } from '@guerdon/engine/schema'
import type { Ctx } from '../../core/context.ts'
import type { Changes, VoucherChange } from '../../core/db/checkout-changes.ts'
import type { Balance, Transaction } from '../../core/events/shapes.ts'
import { newId } from '../../core/lib/ids.ts'
import { giftLotId } from './initial-credits.ts'
import { nextTransaction } from './transaction-moment.ts'
import { transactionSource } from './transactions.ts'
import { type StoredVoucher, voucherBalanceOf, voucherTotalOf } from './voucher.ts'

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

/** The account of a card as the engine expects it (see initial-credits.ts), built from loaded rows. */
export function accountOf(card: Card & { lots: readonly Account['lots'][number][] }): Account {
  if (card.type === 'LOYALTY_CARD') return { id: card.id, asset: 'points', lots: [...card.lots] }
  return { id: card.id, asset: 'credits', lots: [{ id: giftLotId, points: voucherBalanceOf(card), expires_at: null }] }
}

export interface EntryChanges {
  changes: Pick<Changes, 'lots' | 'postings' | 'transactions'>
  voucher: Omit<VoucherChange, 'id' | 'xmin'>
  transaction: Transaction
  balance: Balance
}

/**
 * The rows that a ledger entry of a card writes: postings, changed lots and the transaction. `after` is the card after
 * the entry, `last` the id of its latest transaction, and `amount` is signed.
 */
export function entryChanges(
  ctx: Ctx,
  { before, after, last }: { before: Account; after: Card; last: string | null },
  { account, postings }: Entry,
  transactionDetails: Pick<Transaction, 'type' | 'related_transaction_id'> & {
    amount: number
    details: object
    operation_type?: 'MANUAL' | 'AUTOMATIC'
  },
): EntryChanges {
  const { id, created_at } = nextTransaction(ctx.now, last)
  const balance = {
    ...balanceAfter(after, transactionDetails.amount),
    operation_type: transactionDetails.operation_type ?? 'MANUAL',
  }
  const transaction: Transaction = {
    id,
    source_id: null,
    voucher_id: after.id,
    campaign_id: after.campaign_id,
    source: transactionDetails.operation_type === 'AUTOMATIC' ? null : transactionSource(ctx, null),
    reason: null,
    type: transactionDetails.type,
    details: { balance, ...transactionDetails.details },
    related_transaction_id: transactionDetails.related_transaction_id,
    created_at,
  }
  const pointsBefore = new Map(before.lots.map((lot) => [lot.id, lot.points]))
  const lots = account.asset === 'points' ? account.lots.filter((lot) => pointsBefore.get(lot.id) !== lot.points) : []
  const { points, subtracted, redeemed, expired } = totalsOf(after.id, postings)
  return {
    changes: {
      lots: lots.map(({ id, points, expires_at }) => ({ voucher_id: after.id, id, points, expires_at })),
      postings: postings.map(({ from, to, amount, lot, expires_at }) => ({
        voucher_id: after.id,
        id: newId('posting', Date.parse(created_at)),
        transaction_id: id,
        source: from,
        destination: to,
        amount,
        lot_id: lot === giftLotId ? null : lot,
        expires_at,
        created_at,
      })),
      transactions: [{ ...transaction, amount: transactionDetails.amount, balance: balance.balance }],
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

/** [B] The change and the balance after it. */
export function balanceAfter(card: Card, amount: number): Balance {
  const common = {
    total: voucherTotalOf(card),
    balance: voucherBalanceOf(card),
    operation_type: 'MANUAL',
    object: 'balance',
    related_object: { type: 'voucher', id: card.id },
  } as const
  return card.type === 'GIFT_VOUCHER'
    ? { ...common, type: 'gift_voucher', amount }
    : { ...common, type: 'loyalty_card', points: amount }
}

/** Members of a transaction event about earned or moved points, all null for any other transaction. */
export const noEarningDetails = {
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
