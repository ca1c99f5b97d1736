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
import { type Figure, figureTallies } from '../incentives/campaigns/summary-figures.ts'
import { type EntryChanges, entryChanges } from '../incentives/vouchers/entry-changes.ts'
import { heap, loadAccount } from '../incentives/vouchers/initial-credits.ts'
import { findLastTransaction } from '../incentives/vouchers/transactions.ts'
import type { StoredVoucher } from '../incentives/vouchers/voucher.ts'
import { findMembership } from '../loyalty/members/store.ts'
import { summaryMoves } from '../orders/effects.ts'
import { type StoredOrder, toOrder } from '../orders/order.ts'
import { columnsOf } from './redeemed-order.ts'
import type { StoredRedemption } from './redemption.ts'
import { listPostings, type RedeemedPart, type RollbackFacts } from './rollback-load.ts'
import { undone, usedUnits } from './undo.ts'

export type OrderMode = NonNullable<StoredRedemption['rollback']>['rollback_order_mode']

/** What the caller says of a rollback, and is written down with it. */
export type RollbackEventContext = Pick<StoredRedemption, 'reason' | 'metadata' | 'tracking_id'>

/** A rollback that is decided: its rows, and what they make of everything else. */
export interface Rollback {
  mode: OrderMode
  /** After it; null when there is none. */
  order: StoredOrder | null
  /** Of one among several; null: a single redemption is rolled back. */
  parent: StoredRedemption | null
  parts: RolledBackPart[]
}

export interface RolledBackPart {
  redemption: RedeemedPart
  row: StoredRedemption
  /** Of a code, as it is afterwards. */
  voucher: StoredVoucher | null
  /** What the books of a card say of it; null where nothing comes back. */
  entry: EntryChanges | null
  /** Of whoever holds the card. */
  tier: Selectable<LoyaltyTierRow> | null
}

export async function decideRollback(
  ctx: Ctx,
  facts: RollbackFacts,
  mode: OrderMode,
  told: RollbackEventContext,
): Promise<Rollback> {
  const isStack = facts.redemption.related_object_type === 'redemption'
  const parent = isStack ? { ...rollbackRow(ctx, facts.redemption, told), amount: null } : null
  if (parent !== null) parent.related_object_id = parent.id
  const parts: RolledBackPart[] = []
  for (const redemption of facts.parts) {
    const row = { ...rollbackRow(ctx, redemption, told), parent_id: parent?.id ?? null }
    parts.push({ redemption, row, ...(await returned(ctx, facts, redemption, row)) })
  }
  const order = facts.order === null ? null : orderAfter(ctx, facts.order, facts, mode, parent, parts)
  const shown = order && toOrder(order)
  if (parent !== null) parent.order = shown
  for (const { row } of parts) row.order = shown
  return { mode, order, parent, parts }
}

/** A rollback as it is stored. */
export function rollbackRow(ctx: Ctx, redemption: StoredRedemption, told: RollbackEventContext): StoredRedemption {
  const { amount } = redemption
  return {
    ...redemption,
    ...told,
    id: newId('rollback', Date.parse(ctx.now)),
    object: 'redemption_rollback',
    status: 'SUCCEEDED',
    parent_id: null,
    redemption_id: redemption.id,
    amount: amount === null ? null : 0 - amount,
    session_key: null,
    channel_type: 'API',
    channel_id: ctx.caller.api_key?.app_id ?? '',
    order: null,
    undo: null,
    rollback: null,
    created_at: ctx.now,
  }
}

/** The code with one redemption less, and what goes back to a card: to the points that it was taken from, if they last. */
async function returned(
  ctx: Ctx,
  { vouchers, campaigns, order }: RollbackFacts,
  redemption: RedeemedPart,
  row: StoredRedemption,
): Promise<Pick<RolledBackPart, 'voucher' | 'entry' | 'tier'>> {
  const stored = vouchers.get(redemption.related_object_id)
  if (stored === undefined) return { voucher: null, entry: null, tier: null }
  const { xmin: _, ...voucher } = stored
  const used = { ...voucher, redeemed_quantity: voucher.redeemed_quantity - 1, updated_at: ctx.now }
  const { transaction_id } = redemption.undo
  if (transaction_id === undefined) return { voucher: used, entry: null, tier: null }

  const before = await loadAccount(ctx, voucher)
  const today = todayIn({ now: ctx.now, timezone: ctx.project.timezone })
  const rules = campaigns.get(voucher.campaign_id ?? '')?.voucher?.loyalty_card?.expiration_rules
  const entry = reverse(before, await listPostings(ctx, voucher, transaction_id), {
    today,
    expires_at:
      voucher.type === 'GIFT_VOUCHER' ? null : expirationDate(today, rules as PointsExpirationRules | undefined),
    lot_id: voucher.type === 'GIFT_VOUCHER' ? heap : newId('points_bucket'),
  })
  assert(!('key' in entry), 'what was spent can always come back')
  const amount = redemption.amount ?? 0
  const after = {
    ...used,
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
  { xmin: _, ...order }: StoredOrder & { xmin: string },
  { redemption }: RollbackFacts,
  mode: OrderMode,
  parent: StoredRedemption | null,
  parts: readonly RolledBackPart[],
): StoredOrder {
  const { id } = parent ?? (parts[0] as RolledBackPart).row
  const entry = {
    ...(order.redemptions?.[redemption.id] as object | undefined),
    rollback_id: id,
    rollback_date: now,
    ...(parent === null ? {} : { rollback_stacked: parts.map(({ row }) => row.id) }),
  }
  const noted = { ...order, redemptions: { ...order.redemptions, [redemption.id]: entry }, updated_at: now }
  if (mode === 'WITHOUT_ORDER') return noted
  const left = undone(
    order,
    parts.map((part) => part.redemption.undo),
  )
  const totalDiscountAmount = left.discount_amount + left.items_discount_amount
  const totalAmount = left.amount === null ? null : left.amount - totalDiscountAmount
  return {
    ...noted,
    ...left,
    total_discount_amount: totalDiscountAmount,
    total_amount: totalAmount,
    status: 'CANCELED',
  }
}

/** All that a rollback writes, but for what it tells. */
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

/** Taken off on the day of the redemption. Of a tier that is gone nothing is counted any more. */
function undoneUsage({ tiers }: RollbackFacts, { redemption }: RolledBackPart): NonNullable<Changes['usage']> {
  const { related_object_type, related_object_id, campaign_id } = redemption
  const { day, orders_amount, discounted_amount, credits, units } = redemption.undo
  const isTier = related_object_type === 'promotion_tier' && tiers.has(related_object_id)
  const scopes = new Set([campaign_id ?? related_object_id, ...(isTier ? [related_object_id] : [])])
  const used = { day, is_undone: true, redemptions: 1, orders_amount, discounted_amount, credits }
  return [...[...scopes].map((scopeId) => ({ scope_id: scopeId, ...used })), ...usedUnits(units, { is_undone: true })]
}

function talliesOf(ctx: Ctx, { redemption, voucher }: RolledBackPart): Array<[Tally, number]> {
  const { orders_amount, discounted_amount, credits } = redemption.undo
  const returned: Partial<Record<Figure, number>> = {
    ...(voucher?.type === 'GIFT_VOUCHER' ? { amount_rolledback: credits } : {}),
    ...(voucher?.type === 'LOYALTY_CARD' ? { points_rolledback: credits } : {}),
  }
  return [
    ...(redemption.campaign_id === null
      ? []
      : figureTallies(ctx, redemption.campaign_id, {
          rollbacks_succeeded: 1,
          orders_rolledback_amount: orders_amount,
          rolledback_discounted_amount: discounted_amount,
          ...returned,
        })),
  ]
}

/**
 * The figures of who redeemed, and what whoever the order belongs to has ordered
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
    const loyalty = pointsReturned(campaigns, parts)
    changes.set(customer.id, { id: customer.id, add, ...(loyalty === null ? {} : { loyalty }) })
  }
  for (const { customer_id, amount, count } of order === null ? [] : summaryMoves(before, order)) {
    if (customer_id !== order_customer?.id) continue // gone since
    const add = { ...changes.get(customer_id)?.add, orders_total_amount: amount, orders_total_count: count }
    changes.set(customer_id, { ...changes.get(customer_id), id: customer_id, add, looks_for_latest: true })
  }
  return [...changes.values()]
}

/** The row of the holder says what is on a card again; of a card that is gone it says nothing. */
function pointsReturned(
  campaigns: RollbackFacts['campaigns'],
  parts: readonly RolledBackPart[],
): Record<string, { points: number }> | null {
  const moves = parts.flatMap(({ voucher, redemption }) => {
    const name = campaigns.get(redemption.campaign_id ?? '')?.name
    const isThere = voucher?.type === 'LOYALTY_CARD' && voucher.deleted_at === null && voucher.holder_id !== null
    return isThere && name !== undefined ? [[name, { points: redemption.amount ?? 0 }] as const] : []
  })
  return moves.length === 0 ? null : Object.fromEntries(moves)
}

const creditsOf = (parts: readonly RolledBackPart[], type: StoredVoucher['type']): number =>
  parts.reduce((sum, { voucher, redemption }) => sum + (voucher?.type === type ? (redemption.amount ?? 0) : 0), 0)
