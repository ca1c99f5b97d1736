import type { Chance } from './chance.ts'
import type { Club } from './club.ts'
import { type Cart, newCart } from './goods.ts'
import type { Offers } from './offers.ts'
import type { DemoPerson } from './people.ts'
import { dayMs, type Plan } from './plan.ts'
import type { DemoShop, Reply } from './shop.ts'

/** A customer while the history is made: what the shop would know of them. */
export interface Visitor extends DemoPerson {
  /** Code of the club card. */
  card: string | null
  /** Points that should be on it. Those that have expired still count: some attempts to spend them are refused. */
  points: number
  /** Codes for one use. */
  codes: string[]
  gift: { code: string; balance: number } | null
  has_used_newsletter: boolean
  orders: number
}

/** All that the steps of the history share. */
export interface History {
  shop: DemoShop
  chance: Chance
  plan: Plan
  offers: Offers
  club: Club
  /** Who has signed up so far. */
  visitors: Visitor[]
  /** Referral codes in circulation. */
  friend_codes: Array<{ code: string; owner: string }>
  /** Orders and redemptions that will be taken back. */
  returns: Array<{ at: number; run(): Promise<void> }>
  last_order: number
  counts: HistoryCounts
}

export interface HistoryCounts {
  orders: number
  redemptions: number
  refusals: number
  rollbacks: number
  publications: number
}

export type Redeemable = { object: 'voucher' | 'promotion_tier'; id: string; gift?: object; reward?: object }

export const voucher = (id: string): Redeemable => ({ object: 'voucher', id })

const newOrderId = (history: History): string => {
  history.last_order += 1
  return `order-${history.last_order}`
}

/** An order without any code. */
export async function payOrder(history: History, visitor: Visitor, cart: Cart): Promise<void> {
  const { shop, chance, counts, plan, returns } = history
  await joinClub(history, visitor)
  const at = shop.clock.now()
  // Only an order that becomes PAID earns points; the others are sent on once they have left the house.
  const status = visitor.card === null && at < plan.present - 2 * dayMs ? 'FULFILLED' : 'PAID'
  const sourceId = newOrderId(history)
  await shop.call('POST', '/v1/orders', {
    source_id: sourceId,
    status,
    customer: { source_id: visitor.source_id },
    items: cart.items,
  })
  if (chance.isTrue(0.012))
    returns.push({
      at: at + chance.between(3, 40) * 3_600_000,
      run: async () => void (await shop.call('PUT', `/v1/orders/${sourceId}`, { status: 'CANCELED' })),
    })
  counts.orders += 1
  visitor.orders += 1
  if (visitor.card !== null) visitor.points += Math.floor(cart.amount / 100)
}

export interface RedeemOptions {
  /** The shop's id of the order, where tests look for it. */
  order?: string
  /** Whether it may be rolled back some days later. */
  is_final?: boolean
}

/**
 * An order with codes or a promotion; null if they are refused, which the shop keeps as a failed redemption. The customer then pays
 * without, or goes away.
 */
export async function redeem(
  history: History,
  visitor: Visitor,
  cart: Cart,
  redeemables: Redeemable[],
  { order, is_final = false }: RedeemOptions = {},
): Promise<Reply | null> {
  const { shop, chance, counts } = history
  await joinClub(history, visitor)
  const { is_refused, reply } = await shop.attempt('POST', '/v1/redemptions', {
    redeemables,
    customer: { source_id: visitor.source_id },
    order: { source_id: order ?? newOrderId(history), items: cart.items },
  })
  if (is_refused) {
    counts.refusals += 1
    if (chance.isTrue(0.6)) {
      shop.clock.advance(chance.between(20, 90))
      await payOrder(history, visitor, cart)
    }
    return null
  }
  counts.orders += 1
  counts.redemptions += 1
  visitor.orders += 1
  if (visitor.card !== null) visitor.points += Math.floor(reply.order.total_amount / 100)
  if (!is_final && chance.isTrue(0.04)) returnLater(history, reply)
  return reply
}

const reasons = ['Returned', 'Damaged in transit', 'Ordered twice', 'Changed their mind']

function returnLater(history: History, { redemptions, parent_redemption }: Reply): void {
  const { shop, chance, counts, returns } = history
  const id = parent_redemption?.id ?? redemptions[0].id
  const reason = chance.pick(reasons)
  returns.push({
    at: shop.clock.now() + chance.between(10, 90) * 3_600_000,
    run: async () => {
      await shop.call('POST', `/v1/redemptions/${id}/rollbacks`, { reason })
      counts.rollbacks += 1
    },
  })
}

async function joinClub({ shop, club, counts }: History, visitor: Visitor): Promise<void> {
  if (visitor.card !== null || !visitor.likes_points) return
  const customer = { source_id: visitor.source_id }
  const card = await shop.call('POST', `/v1/loyalties/${club.id}/members`, { customer })
  visitor.card = card.code
  visitor.points = 20
  counts.publications += 1
  shop.clock.advance(15)
}

/** Gives a code of a campaign, or a certain code, to a customer and returns it; null if there is none left. */
export async function publish(
  { shop, counts }: History,
  visitor: Visitor,
  what: { campaign: string } | { voucher: string },
): Promise<string> {
  const given = 'campaign' in what ? { campaign: { name: what.campaign, count: 1 } } : what
  const { voucher } = await shop.call('POST', '/v1/publications', {
    ...given,
    customer: { source_id: visitor.source_id },
    channel: 'shop',
  })
  counts.publications += 1
  return voucher.code
}

/** A cart that costs at least, or at most, this much. */
export function cartWith(chance: Chance, { from = 0, to = Infinity }: { from?: number; to?: number }): Cart {
  for (;;) {
    const cart = newCart(chance)
    if (cart.amount >= from && cart.amount <= to) return cart
  }
}

const pickers = new WeakMap<Visitor[], { length: number; weighted: Array<readonly [Visitor, number]> }>()

/** Somebody who has signed up, more often one who buys much. */
export function anybody({ chance, visitors }: History): Visitor {
  let known = pickers.get(visitors)
  if (known?.length !== visitors.length) {
    known = { length: visitors.length, weighted: visitors.map((visitor) => [visitor, visitor.weight] as const) }
    pickers.set(visitors, known)
  }
  return chance.pickWeighted(known.weighted)
}
