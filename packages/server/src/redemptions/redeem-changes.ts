import type { StoredCustomer } from '../audience/customers/customer.ts'
import { guardsOf } from '../checkout/decision/save.ts'
import { versionOf } from '../checkout/sessions/hold.ts'
import type { Ctx } from '../core/context.ts'
import type { Changes, CustomerChange } from '../core/db/checkout-changes.ts'
import { type NewEvent, withEventId } from '../core/events/emit.ts'
import { newId } from '../core/lib/ids.ts'
import { referrerIdOf } from '../loyalty/referrals/conversion.ts'
import { orderEvents, summaryMoves } from '../orders/effects.ts'
import { redemptionEvents, simpleRedemption, transactionEvents } from './events.ts'
import { failedTallies, failureEvents } from './failed.ts'
import { customerChange } from './redeemed-customer.ts'
import { columnsOf } from './redeemed-order.ts'
import type { Redeemed, RedeemedPart } from './redeemed-part.ts'
import type { StoredRedemption } from './redemption.ts'
import { rewardEvents } from './rewarded.ts'
import { type Undo, usedUnits } from './undo.ts'

/** All that is written when a request redeems (docs/reference/redemptions.md#state-changes). */
export function changesOf(ctx: Ctx, redeemed: Redeemed): Changes {
  const { it, who, order, parent, children, failed } = redeemed
  const { request, loaded } = it
  const entries = children.flatMap(({ code }) => code?.entry?.changes ?? [])
  const rows = [...(parent === null ? [] : [parent]), ...children.map(({ row }) => row), ...failed]
  return {
    ...(order === null ? {} : { order: { row: columnsOf(order.order), xmin: loaded.order?.xmin ?? null } }),
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
      ['customers', who.isNew ? 1 : 0],
      ...failed.flatMap(({ campaign_id }) => failedTallies(ctx, campaign_id)),
    ],
    ...(who.customer === null ? {} : { segment_checks: [who.customer.id] }),
    events: eventsOf(ctx, redeemed),
  }
}

/**
 * Who redeemed, and whoever the order belonged to before, unless that customer is gone. Whoever referred the one who redeems has
 * nothing to be written yet, but is locked with the others, in the order in which everybody locks customers.
 */
function customersOf(redeemed: Redeemed): CustomerChange[] {
  const { it, who, order, children, failed } = redeemed
  const moves = order === null ? [] : summaryMoves(order.before, order.order)
  const own = moves.find(({ customer_id }) => customer_id === who.customer?.id)
  const change = customerChange(who, {
    add: {
      redemptions_succeeded: children.length,
      redemptions_failed: failed.length,
      gift_redeemed_amount: spentOf(children, 'GIFT_VOUCHER'),
      redeemed_points: spentOf(children, 'LOYALTY_CARD'),
      orders_total_amount: own?.amount ?? 0,
      orders_total_count: own?.count ?? 0,
    },
    ...(own === undefined || order === null
      ? {}
      : { latest: { amount: order.order.amount ?? 0, date: order.order.created_at } }),
  })
  const left = moves.filter(
    ({ customer_id }) => customer_id !== who.customer?.id && it.loaded.customers.some(({ id }) => id === customer_id),
  )
  const loyalty = pointsMoved(children)
  return [
    ...(change === null ? [] : ['row' in change || loyalty === null ? change : { ...change, loyalty }]),
    ...left.map(({ customer_id, amount, count }) => ({
      id: customer_id,
      add: { orders_total_amount: amount, orders_total_count: count },
      looks_for_latest: true as const,
    })),
    ...referrersOf(redeemed)
      .filter((id) => !left.some(({ customer_id }) => customer_id === id))
      .map((id) => ({ id, add: {} })),
  ]
}

/** Those whose codes somebody redeems, unless they are gone. */
function referrersOf({ it, who, children }: Redeemed): StoredCustomer['id'][] {
  if (who.customer === null) return []
  const ids = children.flatMap(({ code }) =>
    code?.voucher.is_referral_code === true ? [referrerIdOf(code.after)] : [],
  )
  return it.loaded.customers.flatMap(({ id }) => (ids.includes(id) && id !== who.customer?.id ? [id] : []))
}

/** The row of the holder says what is left on a card, too. */
function pointsMoved(children: readonly RedeemedPart[]): Record<string, { points: number }> | null {
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

/** Whoever redeems a referral code holds it too, as the one who was referred (docs/reference/redemptions.md#state-changes). */
function refereesOf({ now }: Ctx, { children, who: { customer } }: Redeemed): NonNullable<Changes['holders']> {
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

/** It counts for its campaign, or for itself where it has none; and a tier has a summary of its own. */
function usageOf({ row, candidate: { tier } }: RedeemedPart): NonNullable<Changes['usage']> {
  const { day, orders_amount, discounted_amount, credits, units } = row.undo as Undo
  const used = { day, is_undone: false, redemptions: 1, orders_amount, discounted_amount, credits }
  const scopes = [row.campaign_id ?? row.related_object_id, ...(tier === null ? [] : [tier.id])]
  return [...scopes.map((scopeId) => ({ scope_id: scopeId, ...used })), ...usedUnits(units, { is_undone: false })]
}

function eventsOf(ctx: Ctx, redeemed: Redeemed): NewEvent[] {
  const { it, who, order, parent, children, failed } = redeemed
  const told = { it, customer: who.customer, order }
  const events = [
    ...who.events,
    ...children.flatMap(({ row, candidate, code }) =>
      redemptionEvents(ctx, told, row, { candidate, voucher: code?.after ?? null }),
    ),
    ...(parent === null ? [] : redemptionEvents(ctx, told, parent, null)),
    ...failed.flatMap((row) => failureEvents(ctx, it, row)),
    ...children.flatMap((child) => transactionEvents(ctx, told, child)),
    ...children.flatMap((child) => rewardEvents(redeemed, child)),
  ]
  if (order === null) return events
  const referrer = it.loaded.customers.find(({ id }) => id === order.order.referrer_id) ?? null
  const first = parent ?? (children[0]?.row as StoredRedemption)
  const change = {
    before: order.before,
    order: order.order,
    people: { customer: who.customer, referrer },
    redemption: simpleRedemption(told, first, null),
  }
  const all = [...events, ...orderEvents(change)].map(withEventId)
  redeemed.paid_event_id = all.find(({ type }) => type === 'customer.order.paid')?.id ?? null
  return all
}
