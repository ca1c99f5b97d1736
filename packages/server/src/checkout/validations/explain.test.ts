import type { StackingRules } from '@guerdon/engine/schema'
import { describe, expect, test } from 'vitest'
import { newProject, type Shop, uniqueName } from '../../testing/app.ts'
import { newCampaign } from '../../testing/campaigns.ts'
import {
  amountOff,
  asClient,
  newCard,
  newCategory,
  newDiscount,
  newGiftCard,
  newProduct,
  newRule,
  newTier,
  percentOff,
  redeem,
  redeemed,
  setStackingRules,
  tier,
  validate,
  validated,
  voucher,
  vouchers,
  when,
} from '../../testing/checkout.ts'
import { ok } from '../../testing/orders.ts'
import { newPromotion } from '../../testing/promotions.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
type Body = any

interface Request {
  redeemables: object[]
  [more: string]: unknown
}

/** A refused request, and the step of the explanation with the reason. */
interface Provoked {
  request: Request
  step: object
  /** The sentence after the name of the redeemable. */
  sentence: RegExp
}

type Row = [key: string, about: string, provoke: (shop: Shop) => Promise<Provoked>]

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const check = (name: string, expected: unknown, actual: unknown) => ({
  step: 'check',
  check: name,
  expected,
  actual,
  passed: false,
})
const limit = (name: string, used: number, allowed: number) => ({
  step: 'limit',
  limit: name,
  used,
  allowed,
  passed: false,
})
const rule = (name: string, expected: object, actual: unknown, more: object = {}) => ({
  step: 'rule',
  rule_id: expect.stringMatching(/^val_/),
  key: '1',
  name,
  expected,
  actual,
  passed: false,
  ...more,
})

const order = { amount: 1000 }
const newCode = () => uniqueName('CODE')

/** A voucher with a rule of one condition, and the rest of the request. */
const ruled =
  (condition: object, sent: object, step: object, sentence: RegExp) =>
  async (shop: Shop): Promise<Provoked> => {
    const code = newCode()
    await newDiscount(shop, code, amountOff(500))
    await newRule(shop, condition, { voucher: code })
    return { request: { redeemables: vouchers(code), ...sent }, step, sentence }
  }

/** A voucher that is unusable from its creation. */
const made =
  (more: object, step: object, sentence: RegExp) =>
  async (shop: Shop): Promise<Provoked> => {
    const code = newCode()
    await newDiscount(shop, code, amountOff(500), more)
    return { request: { redeemables: vouchers(code), order }, step, sentence }
  }

const tiered =
  (more: object, step: object, sentence: RegExp) =>
  async (shop: Shop): Promise<Provoked> => {
    const { id } = await newTier(shop, await newPromotion(shop, uniqueName('Promotion')), more)
    return { request: { redeemables: [tier(id)], order }, step, sentence }
  }

/** A loyalty card that pays with points, 40 for 3.00. */
const paid =
  (
    balance: number,
    asked: object,
    sent: object,
    stepOf: (card: Awaited<ReturnType<typeof newCard>>) => object,
    sentence: RegExp,
  ) =>
  async (shop: Shop): Promise<Provoked> => {
    const card = await newCard(shop, { points: balance, coin: { exchange_ratio: 3, points_ratio: 40 } })
    const reward = 'reward' in asked ? asked : { reward: { id: card.reward_id, ...asked } }
    return { request: { redeemables: [voucher(card.code, reward)], ...sent }, step: stepOf(card), sentence }
  }

const soon = new Date()
const otherDay = (soon.getUTCDay() + 3) % 7
const otherHours = soon.getUTCHours() < 12 ? ['20:00', '21:00'] : ['02:00', '03:00']
const twoHoursAgo = new Date(soon.getTime() - 2 * 3_600_000).toISOString()
const hours = { daily: [{ start_time: otherHours[0], expiration_time: otherHours[1] }] }

const customer = { source_id: 'anna' }
async function newCustomer(shop: Shop, more: object = {}): Promise<Body> {
  return ok(shop, 'POST', '/v1/customers', { source_id: uniqueName('customer'), ...more })
}

/** Each refusal of docs/reference/validity.md#failure-keys that concerns a redeemable. */
const refusals: Row[] = [
  [
    'not_found',
    'an unknown code',
    async () => ({
      request: { redeemables: vouchers('NOWHERE'), order },
      step: check('exists', true, false),
      sentence: /cannot be used: resource not found/,
    }),
  ],
  [
    'not_found',
    'a reward of another program',
    paid(
      100,
      { reward: { id: 'rew_none' } },
      { order },
      () => check('exists', true, false),
      /cannot be used: resource not found/,
    ),
  ],
  ['voucher_disabled', 'switched off', made({ active: false }, check('active', true, false), /active is false/)],
  [
    'voucher_disabled',
    'in an inactive campaign',
    async (shop) => {
      const [name, code] = [uniqueName('Campaign'), newCode()]
      await newCampaign(shop, name)
      await ok(shop, 'POST', `/v1/campaigns/${name}/vouchers/${code}`, {})
      await ok(shop, 'POST', `/v1/campaigns/${name}/disable`)
      return {
        request: { redeemables: vouchers(code), order },
        step: check('active', true, false),
        sentence: /voucher is disabled \(active is false, must be true\)/,
      }
    },
  ],
  [
    'voucher_not_active',
    'before its start',
    made(
      { start_date: '2090-01-01T00:00:00Z' },
      check('start_date', '2090-01-01T00:00:00.000Z', instant),
      /start_date 2090-01-01T00:00:00.000Z, and it is 20/,
    ),
  ],
  [
    'voucher_expired',
    'after its end',
    made(
      { expiration_date: '2020-01-01T00:00:00Z' },
      check('expiration_date', '2020-01-01T00:00:00.000Z', instant),
      /voucher expired \(expiration_date 2020-01-01T00:00:00.000Z, and it is 20/,
    ),
  ],
  [
    'voucher_not_active_now',
    'between its windows',
    made(
      { start_date: twoHoursAgo, validity_timeframe: { interval: 'P1D', duration: 'PT1H' } },
      check('validity_timeframe', { interval: 'P1D', duration: 'PT1H' }, instant),
      /voucher not active now \(validity_timeframe/,
    ),
  ],
  [
    'voucher_not_active_now',
    'on another day of the week',
    made(
      { validity_day_of_week: [otherDay] },
      check('validity_day_of_week', [otherDay], instant),
      /validity_day_of_week/,
    ),
  ],
  [
    'voucher_not_active_now',
    'at another hour',
    made({ validity_hours: hours }, check('validity_hours', hours, instant), /validity_hours/),
  ],
  [
    'quantity_exceeded',
    'used up',
    async (shop) => {
      const code = newCode()
      await newDiscount(shop, code, amountOff(500), { redemption: { quantity: 2 } })
      for (const _ of [1, 2]) await redeemed(shop, { redeemables: vouchers(code), order })
      return {
        request: { redeemables: vouchers(code), order },
        step: limit('redemption.quantity', 2, 2),
        sentence: /quantity exceeded \(redemption\.quantity: 2 of 2\)/,
      }
    },
  ],
  [
    'quantity_exceeded',
    'held by a session',
    async (shop) => {
      const code = newCode()
      await newDiscount(shop, code, amountOff(500), { redemption: { quantity: 1 } })
      await validated(shop, { redeemables: vouchers(code), order, session: { type: 'LOCK' } })
      return {
        request: { redeemables: vouchers(code), order },
        step: limit('redemption.quantity', 1, 1),
        sentence: /redemption\.quantity: 1 of 1/,
      }
    },
  ],
  [
    'gift_amount_exceeded',
    'more credits than there are',
    async (shop) => {
      const code = newCode()
      await newGiftCard(shop, code, 300)
      return {
        request: { redeemables: [voucher(code, { gift: { credits: 700 } })], order },
        step: limit('gift.balance', 700, 300),
        sentence: /gift amount exceeded \(gift\.balance: 7\.00 of 3\.00\)/,
      }
    },
  ],
  [
    'loyalty_card_points_exceeded',
    'more points than there are',
    paid(
      60,
      { points: 80 },
      { order },
      () => limit('loyalty_card.balance', 80, 60),
      /loyalty card points exceeded \(loyalty_card\.balance: 80 of 60\)/,
    ),
  ],
  [
    'loyalty_card_points_exceeded',
    'fewer points than one unit costs',
    paid(30, {}, { order }, () => limit('loyalty_card.balance', 40, 30), /loyalty_card\.balance: 40 of 30/),
  ],
  [
    'loyalty_card_points_exceeded',
    'a reward that costs more',
    async (shop) => {
      const { id } = await newProduct(shop, 'Mug')
      const reward = { type: 'MATERIAL', parameters: { product: { id, sku_id: null } }, price: 75 } as const
      const { code, reward_id } = await newCard(shop, { points: 50, reward })
      return {
        request: { redeemables: [voucher(code, { reward: { id: reward_id } })] },
        step: limit('loyalty_card.balance', 75, 50),
        sentence: /loyalty_card\.balance: 75 of 50/,
      }
    },
  ],
  [
    'reward_out_of_stock',
    'no stock left',
    async (shop) => {
      const { id } = await newProduct(shop, 'Mug')
      const parameters = { product: { id, sku_id: null } }
      const reward = { type: 'MATERIAL', parameters, price: 75, stock: 4, redeemed: 4 } as const
      const { code, reward_id } = await newCard(shop, { points: 500, reward })
      return {
        request: { redeemables: [voucher(code, { reward: { id: reward_id } })] },
        step: limit('reward.stock', 4, 4),
        sentence: /reward out of stock \(reward\.stock: 4 of 4\)/,
      }
    },
  ],
  [
    'referrer_not_permitted_to_redeem',
    'by the referrer',
    async (shop) => {
      const [name, referrer] = [uniqueName('Refer'), await newCustomer(shop)]
      await newCampaign(shop, name, {
        campaign_type: 'REFERRAL_PROGRAM',
        type: 'AUTO_UPDATE',
        referral_program: { conversion_event: { type: 'redemption' } },
      })
      const { voucher: given } = await ok(shop, 'POST', '/v1/publications', { campaign: name, customer: referrer.id })
      return {
        request: { redeemables: vouchers(given.code), order, customer: { id: referrer.id } },
        step: check('redeemed by the referrer', false, true),
        sentence: /voucher cannot be redeemed by referrer \(redeemed by the referrer is true, must be false\)/,
      }
    },
  ],
  [
    'not_published',
    'a referral code without a holder',
    async (shop) => {
      const [name, code] = [uniqueName('Refer'), newCode()]
      await newCampaign(shop, name, {
        campaign_type: 'REFERRAL_PROGRAM',
        referral_program: { conversion_event: { type: 'redemption' } },
      })
      await ok(shop, 'POST', `/v1/campaigns/${name}/vouchers/${code}`, {})
      return {
        request: { redeemables: vouchers(code), order },
        step: check('published', true, false),
        sentence: /voucher is not published \(published is false, must be true\)/,
      }
    },
  ],
  [
    'not_published',
    'a card without a holder',
    async (shop) => {
      const { campaign_id, reward_id } = await newCard(shop, { points: 100 })
      const code = newCode()
      await ok(shop, 'POST', `/v1/campaigns/${campaign_id}/vouchers/${code}`, {})
      return {
        request: { redeemables: [voucher(code, { reward: { id: reward_id } })], order },
        step: check('published', true, false),
        sentence: /voucher is not published/,
      }
    },
  ],
  [
    'invalid_customer',
    'a card of another customer',
    async (shop) => {
      const { code, reward_id, customer_id } = await newCard(shop, { points: 100 })
      const { id } = await newCustomer(shop)
      return {
        request: { redeemables: [voucher(code, { reward: { id: reward_id } })], order, customer: { id } },
        step: check('holder', customer_id, id),
        sentence: new RegExp(`holder is ${id}, must be ${customer_id}`),
      }
    },
  ],
  [
    'customer_rules_violated',
    'metadata',
    ruled(
      when('customer.metadata', { $is: ['gold'] }, { property: 'level' }),
      { order, customer: { ...customer, metadata: { level: 'tin' } } },
      rule('customer.metadata', { $is: ['gold'] }, 'tin', { property: 'level' }),
      /rule 1 of val_\w+: customer\.metadata "level" is tin, must be gold/,
    ),
  ],
  [
    'customer_rules_violated',
    'a segment',
    async (shop) => {
      const { id } = await ok(shop, 'POST', '/v1/segments', { name: uniqueName('Members'), type: 'static' })
      return ruled(
        when('customer.segment', { $is: [id] }),
        { order, customer },
        rule('customer.segment', { $is: [id] }, expect.anything()),
        new RegExp(`customer\\.segment .*must be ${id}`),
      )(shop)
    },
  ],
  [
    'order_rules_violated',
    'the amount',
    ruled(
      when('order.amount', { $more_than_or_equal: [5000] }),
      { order },
      rule('order.amount', { $more_than_or_equal: [5000] }, 1000),
      /rule 1 of val_\w+: order\.amount is 10\.00, must be more than or equal to 50\.00/,
    ),
  ],
  [
    'order_rules_violated',
    'the remaining amount',
    ruled(
      when('order.total_amount', { $more_than: [600] }),
      { order },
      rule('order.total_amount', { $more_than: [600] }, 500),
      /order\.total_amount is 5\.00, must be more than 6\.00/,
    ),
  ],
  [
    'order_rules_violated',
    'a line',
    async (shop) => {
      const { id } = await newProduct(shop, 'Mug', { price: 500 })
      const reference = { id, object: 'product', type: 'product_or_sku' }
      const enough = { name: 'order.items.quantity', conditions: { $more_than_or_equal: [3] }, rules: {} }
      return ruled(
        when('order.items.any', { $is: [reference] }, { rules: { '1': enough, logic: '1' } }),
        { order: { items: [{ product_id: id, quantity: 2 }] } },
        rule('order.items.any', { $is: [expect.objectContaining({ id })] }, [0], {
          rules: [rule('order.items.quantity', { $more_than_or_equal: [3] }, [{ line: 0, actual: 2, passed: false }])],
        }),
        new RegExp(`finds line 1, must be ${id}; rule 1 of val_\\w+: order\\.items\\.quantity is 2 on line 1`),
      )(shop)
    },
  ],
  [
    'order_rules_violated',
    'an incomplete bundle',
    async (shop) => {
      const { id } = await newProduct(shop, 'Pot', { price: 500 })
      const pot = {
        name: 'order.items.any',
        conditions: { $is: [{ id, object: 'product', type: 'product_or_sku' }] },
        rules: { '1': { name: 'order.items.aggregated_quantity', conditions: { $is: [2] }, rules: {} }, logic: '1' },
      }
      return ruled(
        { bundle_rules: { '1': pot, limit: 3, logic: '1' } },
        { order: { items: [{ product_id: id, quantity: 1 }] } },
        { step: 'bundle', quantity: 0, limit: 3 },
        /order does not match validation rules/,
      )(shop)
    },
  ],
  [
    'redemption_rules_violated',
    'metadata',
    ruled(
      when('redemption.metadata', { $is: ['till'] }, { property: 'channel' }),
      { order, metadata: { channel: 'web' } },
      rule('redemption.metadata', { $is: ['till'] }, 'web', { property: 'channel' }),
      /redemption\.metadata "channel" is web, must be till/,
    ),
  ],
  [
    'redemption_rules_violated',
    'once per customer',
    async (shop) => {
      const { id } = await newCustomer(shop)
      const provoked = await ruled(
        when('redemption.count.per_customer', { $less_than_or_equal: [1] }),
        { order, customer: { id } },
        rule('redemption.count.per_customer', { $less_than_or_equal: [1] }, 2),
        /redemption\.count\.per_customer is 2, must be less than or equal to 1/,
      )(shop)
      await redeemed(shop, provoked.request)
      return provoked
    },
  ],
  [
    'redemption_rules_violated',
    'the budget of a campaign',
    async (shop) => {
      const [name, first, second] = [uniqueName('Budget'), newCode(), newCode()]
      const discount = { type: 'DISCOUNT_VOUCHER', discount: amountOff(600) }
      const { id } = await newCampaign(shop, name, { voucher: discount })
      for (const code of [first, second]) await ok(shop, 'POST', `/v1/campaigns/${name}/vouchers/${code}`, {})
      await newRule(shop, when('campaign.orders.amount_discounted', { $less_than_or_equal: [1000] }), { campaign: id })
      await redeemed(shop, { redeemables: vouchers(first), order })
      return {
        request: { redeemables: vouchers(second), order },
        step: rule('campaign.orders.amount_discounted', { $less_than_or_equal: [1000] }, 1200),
        sentence: /campaign\.orders\.amount_discounted is 12\.00, must be less than or equal to 10\.00/,
      }
    },
  ],
  [
    'redemption_rules_violated',
    'only for its holder',
    ruled(
      when('publication.redeemable_by_linked_customer', { $is: [true] }),
      { order, customer },
      rule('publication.redeemable_by_linked_customer', { $is: [true] }, false),
      /publication\.redeemable_by_linked_customer is false, must be true/,
    ),
  ],
  [
    'promotion_inactive',
    'inactive',
    tiered(
      { active: false },
      check('active', true, false),
      /^Promotion \S+ cannot be used: inactive Promotion \(active/,
    ),
  ],
  [
    'promotion_inactive',
    'after its end',
    tiered(
      { expiration_date: '2020-01-01T00:00:00Z' },
      check('expiration_date', '2020-01-01T00:00:00.000Z', instant),
      /expiration_date 2020-01-01/,
    ),
  ],
  [
    'promotion_not_active_now',
    'on another day of the week',
    tiered(
      { validity_day_of_week: [otherDay] },
      check('validity_day_of_week', [otherDay], instant),
      /promotion not active now \(validity_day_of_week/,
    ),
  ],
  [
    'missing_customer',
    'required by a rule',
    ruled(
      when('customer.metadata', { $is: ['gold'] }, { property: 'level' }),
      { order },
      { step: 'rule', name: 'customer.metadata', expected: { $is: ['gold'] }, actual: null, passed: false },
      /missing customer \(rule 1 of val_/,
    ),
  ],
  [
    'missing_order',
    'required by a rule',
    ruled(
      when('order.amount', { $more_than: [1] }),
      {},
      { step: 'rule', name: 'order.amount', expected: { $more_than: [1] }, actual: null, passed: false },
      /missing order \(rule 1 of val_/,
    ),
  ],
  ['missing_order', 'to pay with points', paid(100, {}, {}, () => check('order', 'present', null), /missing order/)],
  [
    'missing_amount',
    'required by a rule',
    ruled(
      when('order.amount', { $more_than: [1] }),
      { order: { items: [{ product_id: 'unknown', quantity: 1 }] } },
      { step: 'rule', name: 'order.amount', expected: { $more_than: [1] }, actual: null, passed: false },
      /missing order amount \(rule 1 of val_/,
    ),
  ],
  [
    'missing_amount',
    'to pay with a gift card',
    async (shop) => {
      const code = newCode()
      await newGiftCard(shop, code, 300)
      return {
        request: { redeemables: vouchers(code), order: { items: [{ product_id: 'unknown', quantity: 1 }] } },
        step: check('order.amount', 'present', null),
        sentence: /missing order amount/,
      }
    },
  ],
  [
    'missing_order_items',
    'required by a rule',
    ruled(
      when('order.items.any', { $is: [{ id: 'prod_1', object: 'product' }] }),
      { order },
      { step: 'rule', name: 'order.items.any', passed: false },
      /missing order items \(rule 1 of val_/,
    ),
  ],
  [
    'missing_order_items_amount',
    'to pay with a gift card',
    async (shop) => {
      const code = newCode()
      await newGiftCard(shop, code, 300, { effect: 'APPLY_TO_ITEMS' })
      return {
        request: { redeemables: vouchers(code), order },
        step: check('order.items.amount', 'present', null),
        sentence: /missing applicable order items/,
      }
    },
  ],
  [
    'missing_reward',
    'to spend points on',
    paid(100, { reward: undefined }, { order }, () => check('reward', 'present', null), /missing reward/),
  ],
]

const explaining = (request: Request): Request => ({ ...request, options: { explain: true } })

/** The explanation of a refusal, in any of the lists. */
const explained = (status: string, key: string, { step, sentence }: Pick<Provoked, 'step' | 'sentence'>) => ({
  object: expect.stringMatching(/^(voucher|promotion_tier)$/),
  id: expect.any(String),
  status,
  reason: { key, message: expect.any(String) },
  steps: expect.arrayContaining([expect.objectContaining(step)]),
  sentence: expect.stringMatching(sentence),
})

const isUnexplained = (body: unknown): boolean => !/"(explanation|sentence|steps)"/.test(JSON.stringify(body))

let shared: Promise<Shop> | undefined
function sharedShop(): Promise<Shop> {
  shared ??= newProject()
  return shared
}

describe('a refusal explains which check, rule or limit caused it', () => {
  test.each(refusals)('%s: %s', async (key, _, provoke) => {
    const shop = await sharedShop()
    const provoked = await provoke(shop)
    const { request } = provoked
    const expected = explained('INAPPLICABLE', key, provoked)

    const body = await validated(shop, explaining(request))
    expect(body).toMatchObject({
      valid: false,
      redeemables: [{ status: 'INAPPLICABLE', result: { error: { key } }, explanation: expected }],
      inapplicable_redeemables: [{ explanation: body.redeemables[0].explanation }],
    })
    expect(isUnexplained(await validated(shop, request))).toBe(true)

    const refused = await redeem(shop, explaining(request))
    expect(refused.status).toBe(key === 'not_found' ? 404 : 400)
    expect(refused.body).toMatchObject({ key, explanation: [expected] })
    const quiet = await redeem(shop, request)
    expect(quiet).toMatchObject({ status: refused.status, body: { key } })
    expect(isUnexplained(quiet.body)).toBe(true)
  })

  test('all failure keys of the reference are tested', () => {
    expect([...new Set(refusals.map(([key]) => key))].sort()).toEqual(
      [
        'not_found',
        'voucher_disabled',
        'voucher_not_active',
        'voucher_not_active_now',
        'voucher_expired',
        'quantity_exceeded',
        'gift_amount_exceeded',
        'loyalty_card_points_exceeded',
        'reward_out_of_stock',
        'referrer_not_permitted_to_redeem',
        'not_published',
        'customer_rules_violated',
        'order_rules_violated',
        'redemption_rules_violated',
        'promotion_inactive',
        'promotion_not_active_now',
        'missing_customer',
        'missing_reward',
        'missing_order',
        'missing_amount',
        'missing_order_items',
        'missing_order_items_amount',
        'invalid_customer',
      ].sort(),
    )
  })

  test('the rules of a campaign and of its voucher are both explained, by their ids', async () => {
    const shop = await newProject()
    const { id } = await newCampaign(shop, 'C')
    await ok(shop, 'POST', '/v1/campaigns/C/vouchers/V', {})
    const ofCampaign = await newRule(shop, when('order.amount', { $more_than: [500] }), { campaign: id })
    const ofCode = await newRule(shop, when('order.amount', { $more_than: [5000] }), { voucher: 'V' })
    const body = await validated(shop, explaining({ redeemables: vouchers('V'), order }))
    const [{ explanation, result }] = body.redeemables
    expect(explanation.steps.filter((one: Body) => one.step === 'rule')).toMatchObject([
      { rule_id: ofCampaign.id, expected: { $more_than: [500] }, actual: 1000, passed: true },
      { rule_id: ofCode.id, expected: { $more_than: [5000] }, actual: 1000, passed: false },
    ])
    expect(result.error.details).toContain(ofCode.id)
    expect(result.error.details).not.toContain(ofCampaign.id)
  })

  test("the response has the shop's custom error message, the explanation has the rule", async () => {
    const shop = await newProject()
    await newDiscount(shop, 'V', amountOff(500))
    await newRule(shop, when('order.amount', { $more_than: [5000] }, { error: { message: 'From 50.00 only' } }), {
      voucher: 'V',
    })
    const body = await validated(shop, explaining({ redeemables: vouchers('V'), order }))
    expect(body.redeemables[0]).toMatchObject({
      result: {
        error: { key: 'order_rules_violated', error: { message: 'From 50.00 only' } },
        details: { key: 'order_rules_violated', message: 'From 50.00 only' },
      },
      explanation: { sentence: expect.stringContaining('order.amount is 10.00') },
    })
  })
})

interface Skip {
  key: string
  about: string
  rules?: Partial<StackingRules> | ((category: string) => Partial<StackingRules>)
  /** The codes among A, B and so on that are in the category. */
  categorised: string[]
  discounts: Record<string, object>
  skipped: string
  step: object
  sentence: RegExp
}

const five = amountOff(500)
const limited = (name: string, used: number, allowed: number) => ({
  step: limit(name, used, allowed),
  sentence: new RegExp(`is skipped: .* \\(${name}: ${used} of ${allowed}\\)`),
})

/** Each skip of docs/reference/stacking.md#order-of-application. */
const skips: Skip[] = [
  {
    key: 'applicable_redeemables_limit_exceeded',
    about: 'beyond the limit of applied redeemables',
    rules: { applicable_redeemables_limit: 2 },
    categorised: [],
    discounts: { A: five, B: five, C: five },
    skipped: 'C',
    ...limited('applicable_redeemables_limit', 2, 2),
  },
  {
    key: 'applicable_redeemables_per_category_limit_exceeded',
    about: 'beyond the limit of its category',
    categorised: ['A', 'B'],
    discounts: { A: five, B: five },
    skipped: 'B',
    ...limited('applicable_redeemables_per_category_limit', 1, 1),
  },
  {
    key: 'applicable_exclusive_redeemables_limit_exceeded',
    about: 'beyond the limit of exclusive redeemables',
    rules: (category) => ({ exclusive_categories: [category], applicable_redeemables_per_category_limit: 5 }),
    categorised: ['A', 'B'],
    discounts: { A: five, B: five },
    skipped: 'B',
    ...limited('applicable_exclusive_redeemables_limit', 1, 1),
  },
  {
    key: 'applicable_exclusive_redeemables_per_category_limit_exceeded',
    about: 'beyond the limit of its exclusive category',
    rules: (category) => ({
      exclusive_categories: [category],
      applicable_exclusive_redeemables_limit: 2,
      applicable_redeemables_per_category_limit: 5,
    }),
    categorised: ['A', 'B'],
    discounts: { A: five, B: five },
    skipped: 'B',
    ...limited('applicable_exclusive_redeemables_per_category_limit', 1, 1),
  },
  {
    key: 'exclusion_rules_not_met',
    about: 'combined with an exclusive redeemable',
    rules: (category) => ({ exclusive_categories: [category] }),
    categorised: ['B'],
    discounts: { A: five, B: five },
    skipped: 'A',
    step: check('exclusive redeemables', 'none', 'applicable'),
    sentence: /is skipped: redeemable cannot be applied due to exclusion rules/,
  },
  {
    key: 'no_effect',
    about: 'nothing left to discount',
    rules: { redeemables_no_effect_rule: 'SKIP' },
    categorised: [],
    discounts: { A: amountOff(1000), B: percentOff(10) },
    skipped: 'B',
    step: check('effect', true, false),
    sentence: /is skipped: redeemable does not have any effect/,
  },
]

describe('a skip explains which limit caused it', () => {
  test.each(skips)('$key: $about', async ({ key, rules, categorised, discounts, skipped, step, sentence }) => {
    const shop = await newProject()
    const { id: categoryId } = await newCategory(shop, 'Category')
    if (rules !== undefined) await setStackingRules(shop, typeof rules === 'function' ? rules(categoryId) : rules)
    for (const [code, discount] of Object.entries(discounts))
      await newDiscount(shop, code, discount, categorised.includes(code) ? { category_id: categoryId } : {})
    const request = { redeemables: vouchers(...Object.keys(discounts)), order }
    const expected = { ...explained('SKIPPED', key, { step, sentence }), id: skipped }

    const body = await validated(shop, explaining(request))
    expect(body).toMatchObject({
      valid: true,
      skipped_redeemables: [{ id: skipped, result: { details: { key } }, explanation: expected }],
    })
    expect(body.redeemables).toContainEqual(expect.objectContaining({ id: skipped, explanation: expected }))
    for (const one of body.redeemables) expect(one).toMatchObject({ explanation: { id: one.id, status: one.status } })
    expect(isUnexplained(await validated(shop, request))).toBe(true)

    const done = await redeemed(shop, explaining(request))
    expect(done.skipped_redeemables).toMatchObject([{ id: skipped, explanation: expected }])
    expect(done.redemptions).toHaveLength(Object.keys(discounts).length - 1)
    for (const one of done.redemptions)
      expect(one).toMatchObject({ explanation: { id: one.voucher.code, status: 'APPLICABLE' } })
    expect(isUnexplained(await redeemed(shop, request))).toBe(true)
  })

  test('preceding_validation_failed: after an inapplicable redeemable', async () => {
    const shop = await newProject()
    await newDiscount(shop, 'A', five)
    await newDiscount(shop, 'X', five, { active: false })
    await newDiscount(shop, 'B', five)
    const request = explaining({ redeemables: vouchers('A', 'X', 'B'), order })
    const expected = [
      { id: 'A', status: 'APPLICABLE', amount: 500 },
      { id: 'X', status: 'INAPPLICABLE', reason: { key: 'voucher_disabled' } },
      {
        id: 'B',
        status: 'SKIPPED',
        reason: { key: 'preceding_validation_failed' },
        sentence: expect.stringContaining('due to preceding validation failure'),
      },
    ]
    const body = await validated(shop, request)
    expect(body.redeemables.map(({ explanation }: Body) => explanation)).toMatchObject(expected)
    expect(body.skipped_redeemables).toMatchObject([{ explanation: expected[2] }])
    expect(await redeem(shop, request)).toMatchObject({
      status: 400,
      body: { key: 'voucher_disabled', explanation: expected },
    })
  })
})

describe('a discount is explained', () => {
  test('with every cut, in cents and in a sentence', async () => {
    const shop = await newProject()
    await newDiscount(shop, 'SUMMER', percentOff(30, { amount_limit: 9000 }))
    const request = { redeemables: vouchers('SUMMER'), order: { amount: 40000 } }
    const expected = {
      object: 'voucher',
      id: 'SUMMER',
      status: 'APPLICABLE',
      amount: 9000,
      steps: expect.arrayContaining([
        expect.objectContaining({
          step: 'amount',
          base: '40000',
          rounded: 12000,
          cuts: [{ by: 'amount_limit', to: 9000 }],
          amount: 9000,
        }),
      ]),
      sentence: 'Voucher SUMMER takes 90.00 off: 90.00 off the order (120.00 of 400.00, cut to 90.00 by amount_limit).',
    }
    const body = await validated(shop, explaining(request))
    expect(body.redeemables[0].explanation).toEqual(expected)
    expect(isUnexplained(await validated(shop, request))).toBe(true)
    const done = await redeemed(shop, explaining(request))
    expect(done.redemptions[0].explanation).toEqual(expected)
    expect(isUnexplained(await redeemed(shop, request))).toBe(true)
    // The explanation is not stored.
    expect(isUnexplained(await ok(shop, 'GET', `/v1/redemptions/${done.redemptions[0].id}`))).toBe(true)
  })

  test('with its formula', async () => {
    const shop = await newProject()
    await newDiscount(shop, 'F', amountOff(500, { amount_off_formula: 'CUSTOMER_METADATA("bonus") + 1' }))
    const body = await validated(shop, explaining({ redeemables: vouchers('F'), order, customer }))
    expect(body.redeemables[0].explanation.steps).toContainEqual({
      step: 'formula',
      field: 'amount_off',
      formula: 'CUSTOMER_METADATA("bonus") + 1',
      fault: expect.any(String),
    })
  })

  test('as part of a promotion stack, tier by tier', async () => {
    const shop = await newProject()
    const campaign = await newPromotion(shop)
    const first = await newTier(shop, campaign, { action: { discount: amountOff(300) } })
    const second = await newTier(shop, campaign, { action: { discount: percentOff(10) } })
    const tiers = { ids: [first.id, second.id] }
    const { id } = await ok(shop, 'POST', `/v1/promotions/${campaign}/stacks`, { name: 'Both', tiers })
    const request = explaining({ redeemables: [{ object: 'promotion_stack', id }], order })
    const expected = [
      { object: 'promotion_tier', id: first.id, amount: 300 },
      { object: 'promotion_tier', id: second.id, amount: 70, sentence: expect.stringContaining('takes 0.70 off') },
    ]
    const { redeemables } = await validated(shop, request)
    expect(redeemables.map(({ explanation }: Body) => explanation)).toMatchObject(expected)
    const { redemptions } = await redeemed(shop, request)
    expect(redemptions.map(({ explanation }: Body) => explanation)).toMatchObject(expected)
  })

  test('in a qualification', async () => {
    const shop = await newProject()
    await newDiscount(shop, 'V', percentOff(10))
    const request = { order }
    const { redeemables } = await ok(shop, 'POST', '/v1/qualifications', { ...request, options: { explain: true } })
    expect(redeemables.data).toMatchObject([
      {
        id: 'V',
        explanation: {
          id: 'V',
          status: 'APPLICABLE',
          amount: 100,
          sentence: expect.stringContaining('takes 1.00 off'),
        },
      },
    ])
    expect(isUnexplained(await ok(shop, 'POST', '/v1/qualifications', request))).toBe(true)
  })

  test('only if options.explain is set', async () => {
    const shop = await newProject()
    await newDiscount(shop, 'V', percentOff(10))
    for (const options of [undefined, null, {}, { explain: false }, { explain: null }, { expand: ['order'] }])
      expect(isUnexplained(await validated(shop, { redeemables: vouchers('V'), order, options }))).toBe(true)
  })
})

describe('options.as_of', () => {
  const month = 31 * 86_400_000
  const at = (fromNow: number) => new Date(Date.now() + fromNow).toISOString()
  const invalid = { status: 400, body: { key: 'invalid_payload' } }

  async function timedShop(): Promise<Shop> {
    const shop = await newProject({
      project: { client_trusted_domains: ['shop.example'], client_redeem_enabled: true },
    })
    await newDiscount(shop, 'NEXT', five, { start_date: at(month) })
    await newDiscount(shop, 'PAST', five, { expiration_date: at(-month / 2) })
    return shop
  }

  test('a voucher of next month and an expired one are valid as of their dates', async () => {
    const shop = await timedShop()
    const cases: Array<[code: string, as_of: string | null, key: string | null]> = [
      ['NEXT', null, 'voucher_not_active'],
      ['NEXT', at(month + 60_000), null],
      ['NEXT', at(month - 60_000), 'voucher_not_active'],
      ['PAST', null, 'voucher_expired'],
      ['PAST', at(-month), null],
      ['PAST', at(month), 'voucher_expired'],
    ]
    for (const [code, asOf, key] of cases) {
      const body = await validated(shop, { redeemables: vouchers(code), order, options: { as_of: asOf } })
      expect([code, asOf, body.valid, body.redeemables[0].result.error?.key ?? null]).toEqual([
        code,
        asOf,
        key === null,
        key,
      ])
      expect(JSON.stringify(body)).not.toContain('as_of')
    }
  })

  test('the explanation shows the time', async () => {
    const shop = await timedShop()
    const asOf = at(-2 * month)
    const body = await validated(shop, {
      redeemables: vouchers('NEXT'),
      order,
      options: { as_of: asOf, explain: true },
    })
    expect(body.redeemables[0].explanation.steps).toContainEqual(
      expect.objectContaining({ check: 'start_date', actual: asOf, passed: false }),
    )
  })

  test('qualifications use that time too', async () => {
    const shop = await timedShop()
    const qualified = async (asOf?: string) => {
      const { redeemables } = await ok(shop, 'POST', '/v1/qualifications', { order, options: { as_of: asOf } })
      return redeemables.data.map(({ id }: Body) => id)
    }
    expect(await qualified()).toEqual([])
    expect(await qualified(at(month + 60_000))).toEqual(['NEXT'])
    expect(await qualified(at(-month))).toEqual(['PAST'])
  })

  test('opens no session', async () => {
    const shop = await timedShop()
    const request = { redeemables: vouchers('NEXT'), order, options: { as_of: at(2 * month) } }
    expect(await validate(shop, { ...request, session: { type: 'LOCK' } })).toMatchObject(invalid)
    expect(await validate(shop, request)).toMatchObject({ status: 200, body: { valid: true } })
  })

  test('is refused for redemptions and on the client side', async () => {
    const shop = await timedShop()
    const request = { redeemables: vouchers('NEXT'), order, options: { as_of: at(2 * month) } }
    expect(await redeem(shop, request)).toMatchObject(invalid)
    expect((await ok(shop, 'GET', '/v1/redemptions')).total).toBe(0)
    for (const path of ['validations', 'redemptions'])
      expect([path, await asClient(shop, 'POST', `/client/v1/${path}`, request)]).toMatchObject([path, invalid])
    const { options } = request
    expect(await asClient(shop, 'POST', '/client/v1/qualifications', { order, options })).toMatchObject(invalid)
  })

  test.each(['yesterday', 7, '2025-13-01T00:00:00Z'])('%j is refused', async (asOf) => {
    const shop = await timedShop()
    const options = { as_of: asOf }
    expect(await validate(shop, { redeemables: vouchers('PAST'), order, options })).toMatchObject(invalid)
    expect(await shop.call('POST', '/v1/qualifications', { order, options })).toMatchObject(invalid)
  })
})
