import assert from 'node:assert/strict'
import { expirationDate, nextExpiration, reverse } from '@guerdon/engine'
import type { PointsExpirationRules } from '@guerdon/engine/schema'
import type { Selectable } from 'kysely'
import type { Ctx } from '../core/context.ts'
import type { Changes, CustomerChange, CustomerFigure } from '../core/db/checkout-changes.ts'
import type { LoyaltyTierRow } from '../core/db/tables.ts'
import type { Tally } from '../core/db/tallies.ts'
import { newId } from '../core/lib/ids.ts'
import { todayIn } from '../core/query/filter/calendar.ts'
import { figureTallies } from '../incentives/campaigns/summary-figures.ts'
import { type EntryChanges, entryChanges } from '../incentives/vouchers/entry-changes.ts'
import { giftLotId, loadAccount } from '../incentives/vouchers/initial-credits.ts'
import { findLastTransaction } from '../incentives/vouchers/transactions.ts'
import type { StoredVoucher } from '../incentives/vouchers/voucher.ts'
import { findMembership } from '../loyalty/members/store.ts'
import { summaryMoves } from '../orders/effects.ts'
import { type StoredOrder, toCalculatedOrder } from '../orders/order.ts'
import { callerChannel } from './caller-channel.ts'
import { columnsOf } from './redeemed-order.ts'
import type { StoredRedemption } from './redemption.ts'
import { listPostings, type RollbackFacts, type RollbackPart } from './rollback-load.ts'
import { undone, usedUnits } from './undo.ts'

export type OrderMode = NonNullable<StoredRedemption['rollback']>['rollback_order_mode']

/** What the caller sends with a rollback; it is stored in its rows. */
export type RollbackEventContext = Pick<StoredRedemption, 'reason' | 'metadata' | 'tracking_id'>

/** A rollback before it is saved: its rows, and the order and vouchers after it. */
export interface Rollback {
  mode: OrderMode
  /** After the rollback; null when there is none. */
  order: StoredOrder | null
  /** The rollback of the parent redemption; null: a single redemption is rolled back. */
  parent: StoredRedemption | null
  parts: RolledBackPart[]
}

export interface RolledBackPart {
  redemption: RollbackPart
  row: StoredRedemption
  /** The voucher after the rollback; null for a tier. */
  voucher: StoredVoucher | null
  /** The refund in the ledger of a card; null where nothing is refunded. */
  entry: EntryChanges | null
  /** The loyalty tier of the card's member. */
  tier: Selectable<LoyaltyTierRow> | null
}

export async function decideRollback(
  ctx: Ctx,
  facts: RollbackFacts,
  mode: OrderMode,
  context: RollbackEventContext,
): Promise<Rollback> {
  const isStack = facts.redemption.related_object_type === 'redemption'
  const parent = isStack ? { ...rollbackRow(ctx, facts.redemption, context), amount: null } : null
  if (parent !== null) parent.related_object_id = parent.id
  const parts: RolledBackPart[] = []
  for (const redemption of facts.parts) {
    const row = { ...rollbackRow(ctx, redemption, context), parent_id: parent?.id ?? null }
    parts.push({ redemption, row, ...(await refund(ctx, facts, redemption, row)) })
  }
  const order = orderAfter(ctx, facts, { mode, parent, parts })
  const orderView = order && toCalculatedOrder(order)
  if (parent !== null) parent.order = orderView
  for (const { row } of parts) row.order = orderView
  return { mode, order, parent, parts }
}

/** The row of a rollback. */
export function rollbackRow(ctx: Ctx, redemption: StoredRedemption, context: RollbackEventContext): StoredRedemption {
  const { amount } = redemption
  return {
    ...redemption,
    ...context,
    id: newId('rollback', Date.parse(ctx.now)),
    object: 'redemption_rollback',
    status: 'SUCCEEDED',
    parent_id: null,
    redemption_id: redemption.id,
    amount: amount === null ? null : 0 - amount,
    session_key: null,
    ...callerChannel(ctx.caller),
    order: null,
    undo: null,
    rollback: null,
    created_at: ctx.now,
  }
}

/**
 * The voucher with one redemption less; a card gets its credits or points back, into the lots they came from unless those have
 * expired.
 */
async function refund(
  ctx: Ctx,
  { vouchers, campaigns, order }: RollbackFacts,
  redemption: RollbackPart,
  row: StoredRedemption,
): Promise<Pick<RolledBackPart, 'voucher' | 'entry' | 'tier'>> {
  const stored = vouchers.get(redemption.related_object_id)
  if (stored === undefined) return { voucher: null, entry: null, tier: null }
  const { xmin: _, ...voucher } = stored
  const unredeemed = { ...voucher, redeemed_quantity: voucher.redeemed_quantity - 1, updated_at: ctx.now }
  const { transaction_id } = redemption.undo
  if (transaction_id === undefined) return { voucher: unredeemed, entry: null, tier: null }

  const before = await loadAccount(ctx, voucher)
  const today = todayIn({ now: ctx.now, timezone: ctx.project.timezone })
  const rules = campaigns.get(voucher.campaign_id ?? '')?.voucher?.loyalty_card?.expiration_rules
  const entry = reverse(before, await listPostings(ctx, voucher, transaction_id), {
    today,
    expires_at:
      voucher.type === 'GIFT_VOUCHER' ? null : expirationDate(today, rules as PointsExpirationRules | undefined),
    lot_id: voucher.type === 'GIFT_VOUCHER' ? giftLotId : newId('points_bucket'),
  })
  assert(!('key' in entry), 'a spent amount can always be refunded')
  const amount = redemption.amount ?? 0
  const after = {
    ...unredeemed,
    credits_redeemed: (voucher.credits_redeemed ?? 0) - amount,
    next_expiration: voucher.type === 'LOYALTY_CARD' ? nextExpiration(entry.account, today) : null,
  }
  const { reward } = redemption
  const tier = (await findMembership(ctx, voucher.id))?.tier ?? null
  return {
    tier,
    voucher: after,
    entry: entryChanges(ctx, { before, after, last: await findLastTransaction(ctx, voucher.id) }, entry, {
      type: voucher.type === 'GIFT_VOUCHER' ? 'CREDITS_REFUND' : 'POINTS_REFUND',
      amount,
      related_transaction_id: transaction_id,
      details: {
        ...(order === null ? {} : { order: { id: order.id, source_id: order.source_id } }),
        redemption: { id: redemption.id },
        rollback: { id: row.id },
        ...(reward === null ? {} : { reward: nameOf(reward) }),
        ...(tier === null ? {} : { holder_loyalty_tier: { id: tier.id, name: tier.name } }),
      },
    }),
  }
}

function nameOf(reward: object): object {
  const { id, name } = reward as { id: string; name: string }
  return { id, name }
}

function orderAfter(
  { now }: Ctx,
  { order: stored, redemption }: RollbackFacts,
  { mode, parent, parts }: Omit<Rollback, 'order'>,
): StoredOrder | null {
  if (stored === null) return null
  const { xmin: _, ...order } = stored
  const { id } = parent ?? (parts[0] as RolledBackPart).row
  const entry = {
    ...(order.redemptions?.[redemption.id] as object | undefined),
    rollback_id: id,
    rollback_date: now,
    ...(parent === null ? {} : { rollback_stacked: parts.map(({ row }) => row.id) }),
  }
  const annotated = { ...order, redemptions: { ...order.redemptions, [redemption.id]: entry }, updated_at: now }
  if (mode === 'WITHOUT_ORDER') return annotated
  const amounts = undone(
    order,
    parts.map((part) => part.redemption.undo),
  )
  const totalDiscountAmount = amounts.discount_amount + amounts.items_discount_amount
  const totalAmount = amounts.amount === null ? null : amounts.amount - totalDiscountAmount
  return {
    ...annotated,
    ...amounts,
    total_discount_amount: totalDiscountAmount,
    total_amount: totalAmount,
    status: 'CANCELED',
  }
}

/** All changes that a rollback saves, without its events. */
export function rollbackChanges(ctx: Ctx, facts: RollbackFacts, rollback: Rollback): Changes {
  const { order, parent, parts, mode } = rollback
  const rows = [...(parent === null ? [] : [parent]), ...parts.map(({ row }) => row)]
  const entries = parts.flatMap(({ entry }) => entry?.changes ?? [])
  const by = ({ id }: StoredRedemption) => ({ id, date: ctx.now, rollback_order_mode: mode })
  const customers = customerChanges(facts, rollback)
  return {
    ...(order === null || facts.order === null ? {} : { order: { row: columnsOf(order), xmin: facts.order.xmin } }),
    customers,
    vouchers: parts.flatMap(({ voucher, entry }) => {
      const stored = voucher && facts.vouchers.get(voucher.id)
      return stored == null ? [] : [{ id: stored.id, xmin: stored.xmin, quantity: -1, ...entry?.voucher }]
    }),
    lots: entries.flatMap(({ lots }) => lots ?? []),
    postings: entries.flatMap(({ postings }) => postings ?? []),
    transactions: entries.flatMap(({ transactions }) => transactions ?? []),
    redemptions: rows,
    rolled_back: [
      ...parts.map(({ redemption, row }) => ({ id: redemption.id, rollback: by(row) })),
      ...(parent === null ? [] : [{ id: facts.redemption.id, rollback: by(parent) }]),
    ],
    usage: parts.flatMap((part) => undoneUsage(facts, part)),
    tallies: [['redemptions', rows.length], ...parts.flatMap((part) => talliesOf(ctx, part))],
    ...(customers.length === 0 ? {} : { segment_checks: customers.map(({ id }) => id) }),
  }
}

/** Subtracted on the day of the redemption. A deleted tier has no usage any more. */
function undoneUsage({ tiers }: RollbackFacts, { redemption }: RolledBackPart): NonNullable<Changes['usage']> {
  const { related_object_type, related_object_id, campaign_id } = redemption
  const { day, orders_amount, discounted_amount, credits, units } = redemption.undo
  const isTier = related_object_type === 'promotion_tier' && tiers.has(related_object_id)
  const scopes = new Set([campaign_id ?? related_object_id, ...(isTier ? [related_object_id] : [])])
  const used = { day, is_undone: true, redemptions: 1, orders_amount, discounted_amount, credits }
  return [...[...scopes].map((scopeId) => ({ scope_id: scopeId, ...used })), ...usedUnits(units, { is_undone: true })]
}

function talliesOf(ctx: Ctx, { redemption, voucher }: RolledBackPart): Array<[Tally, number]> {
  if (redemption.campaign_id === null) return []
  const { orders_amount, discounted_amount, credits } = redemption.undo
  return figureTallies(ctx, redemption.campaign_id, {
    rollbacks_succeeded: 1,
    orders_rolledback_amount: orders_amount,
    rolledback_discounted_amount: discounted_amount,
    ...(voucher?.type === 'GIFT_VOUCHER' ? { amount_rolledback: credits } : {}),
    ...(voucher?.type === 'LOYALTY_CARD' ? { points_rolledback: credits } : {}),
  })
}

/**
 * The redemption figures of the customer that redeemed, and the order figures of the customer of the order
 * (docs/reference/customers.md#the-customer-object).
 */
function customerChanges(
  { customer, order_customer, order: before, campaigns }: RollbackFacts,
  { order, parts }: Rollback,
) {
  const changes = new Map<string, CustomerChange & { add: Partial<Record<CustomerFigure, number>> }>()
  if (customer !== null) {
    const add = {
      redemptions_rolled_back: parts.length,
      rollbacks_succeeded: parts.length,
      gift_redeemed_amount: 0 - creditsOf(parts, 'GIFT_VOUCHER'),
      redeemed_points: 0 - creditsOf(parts, 'LOYALTY_CARD'),
    }
    const loyalty = pointsRefunded(campaigns, parts)
    changes.set(customer.id, { id: customer.id, add, ...(loyalty === null ? {} : { loyalty }) })
  }
  for (const { customer_id, amount, count } of order === null ? [] : summaryMoves(before, order)) {
    if (customer_id !== order_customer?.id) continue // deleted since
    const add = { ...changes.get(customer_id)?.add, orders_total_amount: amount, orders_total_count: count }
    changes.set(customer_id, { ...changes.get(customer_id), id: customer_id, add, looks_for_latest: true })
  }
  return [...changes.values()]
}

/** The refunded points, by campaign name: the customer row repeats the balances of its cards, without deleted cards. */
function pointsRefunded(
  campaigns: RollbackFacts['campaigns'],
  parts: readonly RolledBackPart[],
): Record<string, { points: number }> | null {
  const moves = parts.flatMap(({ voucher, redemption }) => {
    const name = campaigns.get(redemption.campaign_id ?? '')?.name
    const isActiveCard = voucher?.type === 'LOYALTY_CARD' && voucher.deleted_at === null && voucher.holder_id !== null
    return isActiveCard && name !== undefined ? [[name, { points: redemption.amount ?? 0 }] as const] : []
  })
  return moves.length === 0 ? null : Object.fromEntries(moves)
}

const creditsOf = (parts: readonly RolledBackPart[], type: StoredVoucher['type']): number =>
  parts.reduce((sum, { voucher, redemption }) => sum + (voucher?.type === type ? (redemption.amount ?? 0) : 0), 0)
