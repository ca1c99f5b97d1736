import type { StackingRules } from '@guerdon/engine/schema'
import { expect } from 'vitest'
import { nextConfigurationVersion } from '../core/db/configuration.ts'
import type { RewardRow } from '../core/db/tables.ts'
import { inTransaction } from '../core/db/transaction.ts'
import type { RelatedObjectType } from '../rules/validation-rules/schema.ts'
import { type Answer, type Shop, uniqueName } from './app.ts'
import { newCampaign, newVoucher } from './campaigns.ts'
import { ok } from './orders.ts'
import { newPromotion, newTier } from './promotions.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
type Body = any

export { newTier }

/** Both return any response; `validated` and `redeemed` expect 200. */
export const validate = (shop: Shop, body: object): Promise<Answer<Body>> => shop.call('POST', '/v1/validations', body)
export const redeem = (shop: Shop, body: object): Promise<Answer<Body>> => shop.call('POST', '/v1/redemptions', body)

export const validated = (shop: Shop, body: object): Promise<Body> => ok(shop, 'POST', '/v1/validations', body)
export const redeemed = (shop: Shop, body: object): Promise<Body> => ok(shop, 'POST', '/v1/redemptions', body)

/** Rolls back a single redemption; `rollBackAll` rolls back a stack by its parent. */
export const rollBack = (shop: Shop, id: string, body: object = {}): Promise<Answer<Body>> =>
  shop.call('POST', `/v1/redemptions/${id}/rollback`, body)
export const rollBackAll = (shop: Shop, id: string, body: object = {}): Promise<Answer<Body>> =>
  shop.call('POST', `/v1/redemptions/${id}/rollbacks`, body)

/** Redeemables of a request: codes alone, or with credits, points or a reward. */
export const voucher = (id: string, more: object = {}) => ({ object: 'voucher', id, ...more })
export const vouchers = (...codes: string[]) => codes.map((code) => voucher(code))
export const tier = (id: string) => ({ object: 'promotion_tier', id })
export const stack = (id: string) => ({ object: 'promotion_stack', id })

export const amountOff = (cents: number, more: object = {}) => ({ type: 'AMOUNT', amount_off: cents, ...more })
export const percentOff = (percent: number, more: object = {}) => ({ type: 'PERCENT', percent_off: percent, ...more })

/** Creates a discount voucher with this code. */
export const newDiscount = (shop: Shop, code: string, discount: object, more: object = {}): Promise<Body> =>
  newVoucher(shop, code, { discount, ...more })

export const newGiftCard = (shop: Shop, code: string, amount: number, more: { effect?: string } & object = {}) => {
  const { effect, ...rest } = more
  return newVoucher(shop, code, {
    type: 'GIFT_VOUCHER',
    discount: undefined,
    gift: { amount, ...(effect === undefined ? {} : { effect }) },
    ...rest,
  })
}

export const newProduct = (shop: Shop, name: string, more: object = {}): Promise<Body> =>
  ok(shop, 'POST', '/v1/products', { name, ...more })

/** Creates a rule and assigns it to objects, such as `{ voucher: 'SPRING' }` or `{ campaign: 'camp_…' }`. */
export async function newRule(
  shop: Shop,
  body: object,
  assignments: Partial<Record<RelatedObjectType, string>> = {},
): Promise<Body> {
  const rule = await ok(shop, 'POST', '/v1/validation-rules', body)
  for (const [relatedObjectType, relatedObjectId] of Object.entries(assignments)) {
    const path = `/v1/validation-rules/${rule.id}/assignments`
    await ok(shop, 'POST', path, { related_object_type: relatedObjectType, related_object_id: relatedObjectId })
  }
  return rule
}

/** A rule with one condition: `newRule(shop, when('order.amount', { $more_than: [100] }), { voucher: 'V' })`. */
export const when = (name: string, conditions: object, more: object = {}) => ({
  rules: { '1': { name, conditions, ...more }, logic: '1' },
})

export const newCategory = (shop: Shop, name: string, hierarchy = 0): Promise<Body> =>
  ok(shop, 'POST', '/v1/categories', { name, hierarchy })

/** A new promotion with tiers that give these discounts, and a stack of all of them in this order. */
export async function newStack(shop: Shop, discounts: object[]): Promise<{ stack: Body; tiers: Body[] }> {
  const campaign = await newPromotion(shop, uniqueName('Promotion'))
  const tiers: Body[] = []
  for (const discount of discounts) tiers.push(await newTier(shop, campaign, { action: { discount } }))
  const body = { name: uniqueName('Stack'), tiers: { ids: tiers.map(({ id }) => id) } }
  return { stack: await ok(shop, 'POST', `/v1/promotions/${campaign}/stacks`, body), tiers }
}

/** Replaces the stacking rules of the project; omitted fields get their defaults. */
export async function setStackingRules(shop: Shop, rules: Partial<StackingRules>): Promise<void> {
  const { body } = await shop.manage('GET', '/stacking-rules')
  const { id } = body.data[0]
  if (id !== 'stk_default') expect(await shop.manage('DELETE', `/stacking-rules/${id}`)).toMatchObject({ status: 204 })
  const answer = await shop.manage('POST', '/stacking-rules', rules)
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200 })
}

export interface Coin {
  /** Major units of money that `points_ratio` points buy. */
  exchange_ratio: number
  points_ratio: number
}

export interface Card {
  code: string
  id: string
  campaign_id: string
  /** The holder of the card, and the source id of that customer. */
  customer_id: string
  source_id: string
  reward_id: string
  assignment_id: string
}

/** A loyalty program, a card of it with a holder, and a reward for its points, by default COIN. */
export async function newCard(
  shop: Shop,
  { points, coin, reward }: { points: number; coin?: Coin; reward?: Reward },
): Promise<Card> {
  const name = uniqueName('Program')
  const sourceId = uniqueName('holder')
  const { id: campaignId } = await newCampaign(shop, name, {
    campaign_type: 'LOYALTY_PROGRAM',
    type: 'AUTO_UPDATE',
    voucher: { type: 'LOYALTY_CARD', loyalty_card: { points } },
  })
  const publication = await ok(shop, 'POST', '/v1/publications', { campaign: name, customer: { source_id: sourceId } })
  const rewardBody = reward ?? { type: 'COIN', parameters: { coin: coin ?? { exchange_ratio: 1, points_ratio: 1 } } }
  const { code, id } = publication.voucher
  return {
    code,
    id,
    campaign_id: campaignId,
    customer_id: publication.customer_id,
    source_id: sourceId,
    ...(await newReward(shop, campaignId, rewardBody)),
  }
}

export interface Reward {
  type: 'CAMPAIGN' | 'COIN' | 'MATERIAL'
  parameters: object
  /** The price in points; a COIN reward has none. */
  price?: number
  stock?: number
  redeemed?: number
}

/** A reward of a loyalty program. A MATERIAL reward gets a new product unless its parameters name one. */
export async function newReward(
  shop: Shop,
  campaignId: string,
  { type, parameters, price, stock, redeemed = 0 }: Reward,
): Promise<{ reward_id: string; assignment_id: string }> {
  const hasParameters = type !== 'MATERIAL' || 'product' in parameters
  const { id: rewardId } = await ok(shop, 'POST', '/v1/rewards', {
    name: 'Reward',
    type,
    parameters: hasParameters ? parameters : { product: { id: (await newProduct(shop, 'Gift')).id } },
    stock,
  })
  if (redeemed > 0) await setRedeemed(shop, rewardId, redeemed)
  const { id: assignmentId } = await ok(shop, 'POST', `/v1/rewards/${rewardId}/assignments`, {
    campaign: campaignId,
    ...(price === undefined ? {} : { parameters: { loyalty: { points: price } } }),
  })
  return { reward_id: rewardId, assignment_id: assignmentId }
}

/** Sets the redeemed count of a reward directly, instead of making that many redemptions. */
async function setRedeemed({ service, project_id }: Shop, rewardId: RewardRow['id'], redeemed: number): Promise<void> {
  await inTransaction(service.runtime.database.db, async (db) => {
    const configVersion = await nextConfigurationVersion(db, project_id)
    await db
      .updateTable('rewards')
      .set({ redeemed, config_version: configVersion })
      .where('project_id', '=', project_id)
      .where('id', '=', rewardId)
      .execute()
  })
}

/** Calls the service as a page of a shop that trusts `shop.example`. */
export const asClient = (shop: Shop, method: string, path: string, body?: unknown): Promise<Answer<Body>> =>
  shop.call(method, path, body, {
    'x-app-id': shop.client_id,
    'x-app-token': shop.client_token,
    origin: 'https://shop.example',
  })
