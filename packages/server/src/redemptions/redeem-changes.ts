import { type StoredCustomer, toSimpleCustomer } from '../audience/customers/customer.ts'
import { guardsOf } from '../checkout/decision/save.ts'
import { versionOf } from '../checkout/sessions/hold.ts'
import type { Ctx } from '../core/context.ts'
import type { Changes, CustomerChange } from '../core/db/checkout-changes.ts'
import { type NewEvent, withEventId } from '../core/events/emit.ts'
import { newId } from '../core/lib/ids.ts'
import { referrerIdOf } from '../loyalty/referrals/conversion.ts'
import { orderEvents, summaryMoves } from '../orders/effects.ts'
import { type EventContext, redemptionEvents, simpleRedemption, transactionEvents } from './events.ts'
import { failedTallies, redemptionFailureEvents } from './failed.ts'
import { customerChange } from './redeemed-customer.ts'
import { columnsOf } from './redeemed-order.ts'
import type { Redeemed, RedeemedPart } from './redeemed-part.ts'
import type { StoredRedemption } from './redemption.ts'
import { rewardEvents } from './rewarded.ts'
import { type Undo, usedUnits } from './undo.ts'

/** All changes that a redemption saves (docs/reference/redemptions.md#state-changes). */
export function changesOf(ctx: Ctx, redeemed: Redeemed): Changes {
  const { checkout, redeemer, order, parent, children, failed } = redeemed
  const { request } = checkout
  const entries = children.flatMap(({ code }) => code?.entry?.changes ?? [])
  const rows = [...(parent === null ? [] : [parent]), ...children.map(({ row }) => row), ...failed]
  return {
    ...(order === null ? {} : { order: { row: columnsOf(order.order), xmin: checkout.rows.order?.xmin ?? null } }),
    customers: customersOf(redeemed),
    vouchers: children.flatMap(({ code }) =>
      code === null ? [] : [{ ...versionOf(code.voucher), quantity: 1, ...code.entry?.voucher }],
    ),
    guards: guardsOf(children.map(({ candidate }) => candidate.counted)),
    lots: entries.flatMap(({ lots }) => lots ?? []),
    postings: entries.flatMap(({ postings }) => postings ?? []),
    transactions: entries.flatMap(({ transactions }) => transactions ?? []),
    redemptions: rows,
    reward_redemptions: children.flatMap(({ rewarded }) => (rewarded === null ? [] : [rewarded.row])),
    holders: refereesOf(ctx, redeemed),
    ...(request.session?.key == null ? {} : { released: request.session.key }),
    usage: children.flatMap(usageOf),
    tallies: [
      ['redemptions', rows.length],
      ['orders', order !== null && order.before === null ? 1 : 0],
      ['customers', redeemer.isNew ? 1 : 0],
      ...failed.flatMap(({ campaign_id }) => failedTallies(ctx, campaign_id)),
    ],
    ...(redeemer.customer === null ? {} : { segment_checks: [redeemer.customer.id] }),
    events: eventsOf(ctx, redeemed),
  }
}

/**
 * The redeeming customer, and the previous customer of the order unless it was deleted. A referrer has no changes yet, but is
 * locked with the others: locked later, by the follow-ups, it would break the common lock order and could deadlock.
 */
function customersOf(redeemed: Redeemed): CustomerChange[] {
  const { checkout, redeemer, order, children, failed } = redeemed
  const moves = order === null ? [] : summaryMoves(order.before, order.order)
  const orderMove = moves.find(({ customer_id }) => customer_id === redeemer.customer?.id)
  const change = customerChange(redeemer, {
    add: {
      redemptions_succeeded: children.length,
      redemptions_failed: failed.length,
      gift_redeemed_amount: spentOf(children, 'GIFT_VOUCHER'),
      redeemed_points: spentOf(children, 'LOYALTY_CARD'),
      orders_total_amount: orderMove?.amount ?? 0,
      orders_total_count: orderMove?.count ?? 0,
    },
    ...(orderMove === undefined || order === null
      ? {}
      : { latest: { amount: order.order.amount ?? 0, date: order.order.created_at } }),
  })
  const previousOwners = moves.filter(
    ({ customer_id }) =>
      customer_id !== redeemer.customer?.id && checkout.rows.customers.some(({ id }) => id === customer_id),
  )
  const loyalty = pointsSpent(children)
  return [
    ...(change === null ? [] : ['row' in change || loyalty === null ? change : { ...change, loyalty }]),
    ...previousOwners.map(({ customer_id, amount, count }) => ({
      id: customer_id,
      add: { orders_total_amount: amount, orders_total_count: count },
      looks_for_latest: true as const,
    })),
    ...referrersOf(redeemed)
      .filter((id) => !previousOwners.some(({ customer_id }) => customer_id === id))
      .map((id) => ({ id, add: {} })),
  ]
}

/** The referrers of the redeemed referral codes, unless they were deleted. */
function referrersOf({ checkout, redeemer, children }: Redeemed): StoredCustomer['id'][] {
  if (redeemer.customer === null) return []
  const ids = children.flatMap(({ code }) =>
    code?.voucher.is_referral_code === true ? [referrerIdOf(code.after)] : [],
  )
  return checkout.rows.customers.flatMap(({ id }) => (ids.includes(id) && id !== redeemer.customer?.id ? [id] : []))
}

/** The points spent, by campaign name: the customer row repeats the balances of its cards. */
function pointsSpent(children: readonly RedeemedPart[]): Record<string, { points: number }> | null {
  const spent = children.filter(({ code, row }) => code?.after.type === 'LOYALTY_CARD' && (row.amount ?? 0) > 0)
  if (spent.length === 0) return null
  return Object.fromEntries(
    spent.flatMap(({ candidate: { campaign }, row }) =>
      campaign === null ? [] : [[campaign.name, { points: -(row.amount ?? 0) }]],
    ),
  )
}

const spentOf = (children: readonly RedeemedPart[], type: 'GIFT_VOUCHER' | 'LOYALTY_CARD'): number =>
  children.reduce((sum, { row, code }) => sum + (code?.after.type === type ? (row.amount ?? 0) : 0), 0)

/**
 * A customer that redeems a referral code becomes a holder of it, as its referee (docs/reference/redemptions.md#state-changes).
 */
function refereesOf({ now }: Ctx, { children, redeemer: { customer } }: Redeemed): NonNullable<Changes['holders']> {
  if (customer === null) return []
  const codes = children.flatMap(({ code }) => (code?.voucher.is_referral_code === true ? [code.voucher] : []))
  return codes.map(({ id, campaign_id }) => ({
    id: newId('holder', Date.parse(now)),
    voucher_id: id,
    customer_id: customer.id,
    campaign_id,
    role: 'REFEREE',
    publication_id: null,
    created_at: now,
  }))
}

/** Usage counts for the campaign, or for the voucher if it has none; a tier has its own usage too. */
function usageOf({ row, candidate: { tier } }: RedeemedPart): NonNullable<Changes['usage']> {
  const { day, orders_amount, discounted_amount, credits, units } = row.undo as Undo
  const used = { day, is_undone: false, redemptions: 1, orders_amount, discounted_amount, credits }
  const scopes = [row.campaign_id ?? row.related_object_id, ...(tier === null ? [] : [tier.id])]
  return [...scopes.map((scopeId) => ({ scope_id: scopeId, ...used })), ...usedUnits(units, { is_undone: false })]
}

function eventsOf(ctx: Ctx, redeemed: Redeemed): NewEvent[] {
  const { checkout, redeemer, order, parent, children, failed } = redeemed
  const customer = redeemer.customer && toSimpleCustomer(redeemer.customer)
  const context: EventContext = {
    checkout,
    customer: redeemer.customer,
    order,
    children: children.length,
    made: { customer, orders: new Map() },
  }
  const events = [
    ...redeemer.events,
    ...children.flatMap(({ row, candidate, code }) =>
      redemptionEvents(ctx, context, row, { candidate, voucher: code?.after ?? null }),
    ),
    ...(parent === null ? [] : redemptionEvents(ctx, context, parent, null)),
    ...failed.flatMap((row) => redemptionFailureEvents(ctx, checkout, row)),
    ...children.flatMap((child) => transactionEvents(ctx, context, child)),
    ...children.flatMap((child) => rewardEvents(redeemed, child)),
  ]
  if (order === null) return events
  const referrer = checkout.rows.customers.find(({ id }) => id === order.order.referrer_id) ?? null
  const first = parent ?? (children[0]?.row as StoredRedemption)
  const change = {
    before: order.before,
    order: order.order,
    people: { customer: redeemer.customer, referrer },
    redemption: simpleRedemption(context, first, null),
  }
  const all = [...events, ...orderEvents(change)].map(withEventId)
  redeemed.paid_event_id = all.find(({ type }) => type === 'customer.order.paid')?.id ?? null
  return all
}
