import { customerBody } from './audience.ts'
import {
  anybody,
  cartWith,
  type History,
  payOrder,
  publish,
  type Redeemable,
  redeem,
  type Visitor,
  voucher,
} from './checkout.ts'
import { reviewEvent } from './club.ts'
import { type Cart, newCart } from './goods.ts'
import { campaignNames, codes, vipCustomer } from './known.ts'
import type { DemoPerson } from './people.ts'
import { dayMs } from './plan.ts'
import { demoProducts } from './products.ts'

/** Somebody who was a customer before the history begins, or has just signed up. */
export const newVisitor = (person: DemoPerson): Visitor => ({
  ...person,
  card: null,
  points: 0,
  codes: [],
  gift: null,
  has_used_newsletter: false,
  orders: 0,
})

/** A new customer, with a code for the first order: that of a friend, or the one that welcomes them. */
export async function signUp(history: History, person: DemoPerson): Promise<void> {
  const { shop, chance, visitors, friend_codes } = history
  await shop.call('POST', '/v1/customers', customerBody(person))
  const visitor = newVisitor(person)
  visitors.push(visitor)
  shop.clock.advance(chance.between(5, 50))
  if (friend_codes.length > 0 && chance.isTrue(0.3)) {
    const { code } = chance.pick(friend_codes)
    await redeem(history, visitor, newCart(chance), [voucher(code)])
    return
  }
  visitor.codes.push(await publish(history, visitor, { campaign: campaignNames.welcome }))
}

/** An order of the day, with what this customer could use. */
export async function visit(history: History): Promise<void> {
  const { chance } = history
  const visitor = anybody(history)
  const cart = newCart(chance)
  const redeemables = chance.isTrue(0.62) ? offerFor(history, visitor, cart) : []
  if (redeemables.length === 0) return payOrder(history, visitor, cart)
  const reply = await redeem(history, visitor, cart, redeemables)
  if (reply === null) return
  const [first] = redeemables as [Redeemable]
  if (first.id === codes.newsletter) visitor.has_used_newsletter = true
  visitor.codes = visitor.codes.filter((code) => code !== first.id)
  if (visitor.gift !== null && redeemables.some(({ id }) => id === visitor.gift?.code)) {
    visitor.gift.balance -= giftCredits(redeemables)
    if (visitor.gift.balance < 500) visitor.gift = null
  }
  if (first.reward !== undefined) visitor.points -= (first.reward as { points: number }).points
}

const giftCredits = (redeemables: Redeemable[]): number =>
  redeemables.reduce((sum, { gift }) => sum + ((gift as { credits: number } | undefined)?.credits ?? 0), 0)

/** What a customer would use on this cart; nothing if nothing fits. */
function offerFor(history: History, visitor: Visitor, cart: Cart): Redeemable[] {
  const { shop, chance, plan, offers, club } = history
  const now = shop.clock.now()
  const isElif = visitor.source_id === vipCustomer.source_id
  const within = ({ from, to }: { from: number; to: number }) => now > from && now < to
  const own = visitor.codes[0]
  if (own !== undefined && chance.isTrue(0.6)) return [voucher(own)]
  if (visitor.gift !== null && chance.isTrue(0.5)) {
    const credits = Math.min(visitor.gift.balance, cart.amount)
    const card: Redeemable = { object: 'voucher', id: visitor.gift.code, gift: { credits } }
    return cart.amount >= 9_000 ? [card] : [...promotionFor(history, { ...cart, amount: cart.amount - credits }), card]
  }
  if (within(plan.sale) && chance.isTrue(0.6)) return [voucher(codes.sale)]
  if (within(plan.beans) && cart.has_coffee && chance.isTrue(0.35)) return [voucher(codes.beans)]
  // Elif can use the code at present: it takes at most two a month.
  if (visitor.is_vip && !(isElif && now > plan.present - 32 * dayMs) && chance.isTrue(0.4)) return [voucher(codes.vip)]
  if (visitor.is_reader && !visitor.has_used_newsletter && !isElif && cart.amount >= 3_000 && chance.isTrue(0.3))
    return [voucher(codes.newsletter)]
  if (visitor.card !== null && visitor.points > 120 && chance.isTrue(0.2)) {
    const points = Math.min(visitor.points, chance.between(20, 120), Math.ceil(cart.amount / 5))
    return [{ object: 'voucher', id: visitor.card, reward: { id: club.coin, points } }]
  }
  if (cart.amount >= 7_000 && chance.isTrue(0.2)) return [voucher(codes.freeMug)]
  if (cart.items.some(({ source_id }) => source_id === 'tasting-set')) return [voucher(codes.tastingSet)]
  return promotionFor(history, cart)

  function promotionFor({ offers: _ }: History, { amount }: Cart): Redeemable[] {
    const tier = offers.cart_tiers.filter(({ from }) => from <= amount).at(-1)
    return tier === undefined ? [] : [{ object: 'promotion_tier', id: tier.id }]
  }
}

/** An order with the code of a partnership. */
export async function visitByPartner(history: History, code: string): Promise<void> {
  const cart = cartWith(history.chance, { from: 2_500 })
  await redeem(history, anybody(history), cart, [voucher(code)], { is_final: true })
}

/** Somebody tries a code that does not work for them. */
export async function visitInVain(history: History): Promise<void> {
  const { shop, chance, plan } = history
  const now = shop.clock.now()
  const visitor = anybody(history)
  if (visitor.source_id === vipCustomer.source_id) return
  const kind = chance.pickWeighted([
    ['small', 30],
    ['segment', 25],
    ['expired', now > plan.sale.to ? 25 : 0],
    ['budget', now > plan.podcast.until + dayMs ? 14 : 0],
    ['again', visitor.has_used_newsletter ? 40 : 0],
  ] as const)
  if (kind === 'segment' && visitor.is_vip) return
  await tryInVain(history, visitor, kind)
}

const codeInVain = {
  small: codes.newsletter,
  again: codes.newsletter,
  segment: codes.vip,
  expired: codes.sale,
  budget: codes.podcast,
} as const

async function tryInVain(history: History, visitor: Visitor, kind: keyof typeof codeInVain): Promise<void> {
  const cart = cartWith(history.chance, kind === 'small' ? { to: 2_900 } : { from: 3_000 })
  await redeem(history, visitor, cart, [voucher(codeInVain[kind])], { is_final: true })
}

/** One refusal of each kind that chance may leave out of a small shop. */
export async function tryEachInVain(history: History): Promise<void> {
  const outsider = history.visitors.find(({ is_vip }) => !is_vip) as Visitor
  for (const kind of ['small', 'segment', 'budget'] as const) {
    await tryInVain(history, outsider, kind)
    history.shop.clock.advance(60)
  }
}

/** Somebody finds the code of the sale on a page that collects codes, too late. */
export async function tryExpiredCode(history: History): Promise<void> {
  await redeem(history, anybody(history), newCart(history.chance), [voucher(codes.sale)], { is_final: true })
}

/** A gift card is bought for a customer; some are topped up. */
export async function giveGiftCard(history: History): Promise<void> {
  const { shop, chance } = history
  const visitor = anybody(history)
  if (visitor.gift !== null || visitor.source_id === vipCustomer.source_id) return
  const code = await publish(history, visitor, { campaign: campaignNames.gift })
  visitor.gift = { code, balance: 5_000 }
  if (!chance.isTrue(0.3)) return
  shop.clock.advance(30)
  await shop.call('POST', `/v1/vouchers/${code}/balance`, { amount: 2_500 })
  visitor.gift.balance += 2_500
}

/** A birthday card with a code is sent. */
export async function sendBirthdayCard(history: History): Promise<void> {
  const visitor = anybody(history)
  const code = await publish(history, visitor, { campaign: campaignNames.birthday })
  if (visitor.source_id !== vipCustomer.source_id) visitor.codes.push(code)
}

/** A member of the club writes about a product, which earns points. */
export async function writeReview(history: History): Promise<void> {
  const { shop, chance } = history
  const visitor = anybody(history)
  if (visitor.card === null) return
  await shop.call('POST', '/v1/events', {
    event: reviewEvent,
    customer: { source_id: visitor.source_id },
    metadata: { product: chance.pick(demoProducts).name, stars: chance.between(3, 5) },
  })
  visitor.points += 25
}

/** A member of the club exchanges points. */
export async function takeReward(history: History): Promise<void> {
  const { shop, chance, club, visitors, counts } = history
  const isRich = ({ card, points, source_id }: Visitor) =>
    card !== null && points >= club.rewards.mug.points && source_id !== vipCustomer.source_id
  const rich = visitors.filter(isRich)
  if (rich.length === 0) return
  const visitor = chance.pick(rich)
  const reward = chance.isTrue(0.45) ? club.rewards.mug : club.rewards.coupon
  const { is_refused, reply } = await shop.attempt('POST', `/v1/loyalties/members/${visitor.card}/redemption`, {
    reward: { id: reward.id },
  })
  // The points have expired meanwhile, or the mugs are gone: the shop has kept the refusal.
  if (is_refused) counts.refusals += 1
  else counts.redemptions += 1
  visitor.points = is_refused ? 0 : visitor.points - reward.points
  const coupon = reply?.reward?.voucher?.code
  if (coupon !== undefined) visitor.codes.push(coupon)
}
