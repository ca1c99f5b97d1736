import { describe, expect, test } from 'vitest'
import { limits } from '../../core/lib/limits.ts'
import { newProject, type Shop } from '../../testing/app.ts'
import {
  amountOff,
  newCategory,
  newDiscount,
  newProduct,
  newRule,
  newTier,
  percentOff,
  setStackingRules,
  validated,
  vouchers,
  when,
} from '../../testing/checkout.ts'
import { ok } from '../../testing/orders.ts'
import { eventsOf, newPromotion } from '../../testing/promotions.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
type Body = any

const order = { amount: 1000 }
const nothing = { object: 'list', data_ref: 'data', data: [], total: 0 }

const validateTier = (shop: Shop, id: string, body: object = { order }) =>
  shop.call('POST', `/v1/promotions/tiers/${id}/validation`, body)

const validatePromotions = (shop: Shop, body: object = { order }, query = ''): Promise<Body> =>
  ok(shop, 'POST', `/v1/promotions/validation${query}`, body)

const namesIn = ({ promotions }: Body): string[] => promotions.map(({ name }: Body) => name)

const discount = (discount: object) => ({ action: { discount } })

describe('one tier', () => {
  test('shows its effect if it applies', async () => {
    const shop = await newProject()
    const campaignId = await newPromotion(shop)
    const tier = await newTier(shop, campaignId, {
      name: 'Ten',
      banner: 'Ten off',
      metadata: { color: 'red' },
      expiration_date: '2199-01-01T00:00:00.000Z',
      ...discount(percentOff(10)),
    })
    const { status, body } = await validateTier(shop, tier.id, { order, customer: { source_id: 'anna' } })
    expect(status).toBe(200)
    expect(body).toEqual({
      valid: true,
      applicable_to: nothing,
      inapplicable_to: nothing,
      tracking_id: expect.stringMatching(/^track_/),
      order: expect.objectContaining({ amount: 1000, total_amount: 900, applied_discount_amount: 100 }),
      id: tier.id,
      name: 'Ten',
      banner: 'Ten off',
      discount: { type: 'PERCENT', effect: 'APPLY_TO_ORDER', percent_off: 10, is_dynamic: false },
      expiration_date: '2199-01-01T00:00:00.000Z',
      campaign: { id: campaignId, active: true, object: 'campaign' },
      hierarchy: 1,
      discount_amount: 100,
      applied_discount_amount: 100,
      metadata: { color: 'red' },
      category_id: null,
      object: 'promotion_tier',
    })
  })

  test('shows the reason and its discount if it does not apply', async () => {
    const shop = await newProject()
    const campaignId = await newPromotion(shop)
    const formula = { type: 'AMOUNT', amount_off: 500, amount_off_formula: 'ORDER_AMOUNT / 10' }
    const tier = await newTier(shop, campaignId, { name: 'Big', ...discount(formula) })
    await newRule(shop, when('order.amount', { $more_than: [5000] }), { promotion_tier: tier.id })
    const { status, body } = await validateTier(shop, tier.id, { order, options: { explain: true } })
    expect(status).toBe(200)
    expect(body).toEqual({
      valid: false,
      reason: 'order does not match validation rules',
      error: {
        code: 400,
        key: 'order_rules_violated',
        message: 'order does not match validation rules',
        details: expect.stringMatching(/^Promotion Tier cannot be redeemed .*val_/),
        resource_id: tier.id,
        resource_type: 'promotion_tier',
        redeemable_id: tier.id,
        redeemable_type: 'promotion_tier',
        request_id: expect.stringMatching(/^v-/),
      },
      id: tier.id,
      name: 'Big',
      discount: expect.objectContaining(formula),
      campaign: { id: campaignId, active: true, object: 'campaign' },
      hierarchy: 1,
      metadata: {},
      explanation: expect.objectContaining({ status: 'INAPPLICABLE', sentence: expect.stringContaining(tier.id) }),
      object: 'promotion_tier',
    })
  })

  test('shows the custom error message of a rule', async () => {
    const shop = await newProject()
    const { id } = await newTier(shop, await newPromotion(shop))
    const error = { message: 'Spend more' }
    await newRule(shop, when('order.amount', { $more_than: [5000] }, { error }), { promotion_tier: id })
    const { body } = await validateTier(shop, id)
    expect(body).toMatchObject({ valid: false, reason: 'order does not match validation rules' })
    expect(body.error).toEqual(error)
  })

  test('is invalid, and not an error, if the request lacks an input', async () => {
    const shop = await newProject()
    const { id } = await newTier(shop, await newPromotion(shop))
    await newRule(shop, when('customer.metadata', { $is: ['x'] }, { property: 'vip' }), { promotion_tier: id })
    expect(await validateTier(shop, id)).toMatchObject({
      status: 200,
      body: { valid: false, reason: 'Missing customer', error: { key: 'missing_customer' } },
    })
  })

  test('is checked to exist before the body is, even if it was deleted just before', async () => {
    const shop = await newProject()
    const { id } = await newTier(shop, await newPromotion(shop))
    const missing = { status: 404, body: { key: 'not_found', resource_type: 'promotion_tier' } }
    expect(await validateTier(shop, 'promo_none', { customer: 5 })).toMatchObject(missing)
    expect(await validateTier(shop, id, { customer: 5 })).toMatchObject({ status: 400 })
    expect(await validateTier(shop, id)).toMatchObject({ status: 200 })
    await shop.call('DELETE', `/v1/promotions/tiers/${id}`)
    expect(await validateTier(shop, id)).toMatchObject({ ...missing, body: { ...missing.body, resource_id: id } })
  })

  test('is recorded in a session, but not held from others', async () => {
    const shop = await newProject()
    const { id } = await newTier(shop, await newPromotion(shop))
    await newDiscount(shop, 'ONE', percentOff(10), { redemption: { quantity: 1 } })
    const session = { type: 'LOCK', key: 'S' }
    await validated(shop, { redeemables: vouchers('ONE'), order, session })
    const answer = await validateTier(shop, id, { order, session })
    expect(answer.body).toMatchObject({ valid: true, session: { ...session, ttl: 7, ttl_unit: 'DAYS' } })
    expect((await validateTier(shop, id)).body).toMatchObject({ valid: true })
    // It replaced the earlier holds of the session.
    expect(await validated(shop, { redeemables: vouchers('ONE'), order })).toMatchObject({ valid: true })
    const { db } = shop.service.runtime.database
    const holds = await db.selectFrom('holds').where('project_id', '=', shop.project_id).selectAll().execute()
    expect(holds).toMatchObject([{ session_key: 'S', resource_id: id, quantity: 0, credits: 0 }])
  })

  test('is not subject to stacking limits', async () => {
    const shop = await newProject()
    await setStackingRules(shop, { redeemables_no_effect_rule: 'SKIP' })
    const { id } = await newTier(shop, await newPromotion(shop), discount(amountOff(0)))
    const { body } = await validateTier(shop, id)
    expect(body).toMatchObject({ valid: true, order: { total_amount: 1000 } })
    expect(body).not.toHaveProperty('discount_amount')
    expect(body).not.toHaveProperty('applied_discount_amount')
  })
})

describe('all tiers', () => {
  test('are listed if they apply, by hierarchy and then newest first, each evaluated on its own', async () => {
    const shop = await newProject()
    const [first, second] = [await newPromotion(shop, 'First'), await newPromotion(shop, 'Second')]
    await newTier(shop, first, { name: 'A1', ...discount(percentOff(10)) })
    await newTier(shop, first, { name: 'A2', ...discount(percentOff(20)) })
    await newTier(shop, second, { name: 'B1', ...discount(amountOff(300)) })
    const off = await newTier(shop, second, { name: 'B2' })
    await shop.call('POST', `/v1/promotions/tiers/${off.id}/disable`)
    await newTier(shop, second, { name: 'B3', ...discount(amountOff(50)) })
    const body = await validatePromotions(shop, { order, customer: { source_id: 'anna' } })
    expect(body).toMatchObject({ valid: true, tracking_id: expect.stringMatching(/^track_/) })
    expect(namesIn(body)).toEqual(['B1', 'A1', 'A2', 'B3'])
    expect(body.promotions.map((one: Body) => one.order.total_amount)).toEqual([700, 900, 800, 950])
    for (const one of body.promotions)
      expect(one).toMatchObject({ valid: true, tracking_id: body.tracking_id, object: 'promotion_tier' })
  })

  test('return valid false if none applies', async () => {
    const shop = await newProject()
    expect(await validatePromotions(shop)).toEqual({ valid: false, promotions: [] })
    await newTier(shop, await newPromotion(shop), { active: false })
    expect(await validatePromotions(shop, { order, customer: { source_id: 'anna' } })).toEqual({
      valid: false,
      promotions: [],
      tracking_id: expect.stringMatching(/^track_/),
    })
  })

  test('are checked for customer rules only with audienceRulesOnly', async () => {
    const shop = await newProject()
    const campaign = await newPromotion(shop)
    const mug = await newProduct(shop, 'Mug')
    const rules: Record<string, object> = {
      'of gold': when('customer.metadata', { $is: ['gold'] }, { property: 'level' }),
      'of tin': when('customer.metadata', { $is: ['tin'] }, { property: 'level' }),
      'of orders': when('order.amount', { $more_than: [5000] }),
      'of counters': when('redemption.count.per_customer', { $less_than: [0] }),
      'of bundles': {
        bundle_rules: { '1': { name: 'order.items.any', conditions: { $is: [{ id: mug.id, object: 'product' }] } } },
      },
    }
    for (const [name, rule] of Object.entries(rules)) {
      const { id } = await newTier(shop, campaign, { name })
      await newRule(shop, rule, { promotion_tier: id })
    }
    const asked = { order, customer: { source_id: 'anna', metadata: { level: 'gold' } } }
    expect(namesIn(await validatePromotions(shop, asked))).toEqual(['of gold'])
    expect(namesIn(await validatePromotions(shop, asked, '?audienceRulesOnly=true'))).toEqual([
      'of gold',
      'of orders',
      'of counters',
      'of bundles',
    ])
    expect(namesIn(await validatePromotions(shop, asked, '?audienceRulesOnly=false'))).toEqual(['of gold'])
    expect(await shop.call('POST', '/v1/promotions/validation?audienceRulesOnly=5', {})).toMatchObject({
      status: 400,
      body: { key: 'invalid_query_params' },
    })
  })

  test('show their categories with expand', async () => {
    const shop = await newProject()
    const [own, inherited] = [await newCategory(shop, 'Own'), await newCategory(shop, 'Inherited')]
    const campaign = await newPromotion(shop)
    await ok(shop, 'PUT', `/v1/campaigns/${campaign}`, { category_id: inherited.id })
    await newTier(shop, campaign, { category_id: own.id })
    await newTier(shop, campaign)
    const { promotions } = await validatePromotions(shop, { order, options: { expand: ['category'] } })
    expect(promotions).toMatchObject([
      { category_id: own.id, categories: [{ name: 'Own' }], campaign: { categories: [{ name: 'Inherited' }] } },
      { category_id: null, categories: [{ name: 'Inherited' }], campaign: { categories: [{ name: 'Inherited' }] } },
    ])
  })

  test('are selected by filters', async () => {
    const shop = await newProject()
    const [first, second] = [await newPromotion(shop, 'First'), await newPromotion(shop, 'Second')]
    await newTier(shop, first, { name: 'A1', metadata: { color: 'red', size: 5 } })
    await newTier(shop, first, { name: 'A2', metadata: { color: 'blue', size: 50 } })
    await newTier(shop, second, { name: 'B1', metadata: { color: 'red' } })
    const find = async (filter: string) => namesIn(await validatePromotions(shop, { order }, `?${filter}`)).sort()
    expect(await find(`filters[promotion_id][conditions][$is]=${first}`)).toEqual(['A1', 'A2'])
    expect(await find(`filters[promotion_id][conditions][$not_in][0]=${first}`)).toEqual(['B1'])
    expect(await find('filters[metadata][color][conditions][$is]=red')).toEqual(['A1', 'B1'])
    expect(await find('filters[metadata.color][conditions][$is]=blue')).toEqual(['A2'])
    expect(await find('filters[metadata][size][conditions][$more_than]=9')).toEqual(['A2'])
    expect(await find('filters[metadata][size][conditions][$is_unknown]=true')).toEqual(['B1'])
    expect(
      await find(
        `filters[junction]=or&filters[promotion_id][conditions][$is]=${second}&filters[metadata][size][conditions][$is]=5`,
      ),
    ).toEqual(['A1', 'B1'])
    for (const bad of ['filters[name][conditions][$is]=x', 'filters[promotion_id][$is]=x', 'filters[metadata]=x'])
      expect(await shop.call('POST', `/v1/promotions/validation?${bad}`, {}), bad).toMatchObject({
        status: 400,
        body: { key: 'invalid_query_params', details: expect.stringMatching(/^Property \.filters/) },
      })
  })

  test('are limited to the newest 150 that match the filters', async () => {
    const shop = await newProject()
    const old = Array.from({ length: 3 }, (_, n) => ({ name: `old ${n}`, metadata: { age: 'old' }, ...tenth }))
    await newPromotion(shop, 'Old', old)
    const recent = Array.from({ length: limits.promotions_validated_max - 1 }, (_, n) => ({ name: `${n}`, ...tenth }))
    await newPromotion(shop, 'New', recent)
    const all = namesIn(await validatePromotions(shop))
    expect(all).toHaveLength(limits.promotions_validated_max)
    expect(all.filter((name) => name.startsWith('old'))).toHaveLength(1)
    const filtered = await validatePromotions(shop, { order }, '?filters[metadata][age][conditions][$is]=old')
    expect(namesIn(filtered)).toEqual(['old 0', 'old 1', 'old 2'])
  })
  const tenth = { action: { discount: percentOff(10) } }

  test('are subject to their counters', async () => {
    const shop = await newProject()
    const campaign = await newPromotion(shop)
    const { id } = await newTier(shop, campaign)
    await newRule(shop, when('campaign.redemptions.count', { $less_than_or_equal: [1] }), { campaign })
    expect(namesIn(await validatePromotions(shop))).toHaveLength(1)
    await shop.service.runtime.database.db
      .insertInto('usage')
      .values({
        project_id: shop.project_id,
        scope_id: campaign,
        day: '2026-01-01',
        is_undone: false,
        id: 'usage-1',
        redemptions: 1,
        orders_amount: 0,
        discounted_amount: 0,
        credits: 0,
      } as never)
      .execute()
    expect(namesIn(await validatePromotions(shop))).toEqual([])
    expect((await validateTier(shop, id)).body).toMatchObject({ valid: false })
  })

  test('emit one event for a known customer, and count for the campaigns of applicable tiers', async () => {
    const shop = await newProject()
    const [yes, no] = [await newPromotion(shop, 'Yes'), await newPromotion(shop, 'No')]
    await newTier(shop, yes)
    await newTier(shop, no, { active: false })
    await ok(shop, 'POST', '/v1/customers', { source_id: 'anna' })
    await validatePromotions(shop, { order, customer: { source_id: 'anna' } })
    await shop.service.runtime.deferred.flush()
    expect(await eventsOf(shop, 'customer.validation.')).toMatchObject([
      { type: 'customer.validation.succeeded', data: { validation: { promotions: [{ name: 'Tier' }] } } },
    ])
    const counted = async (id: string) => (await ok(shop, 'GET', `/v1/campaigns/${id}/summary`)).validations
    expect([await counted(yes), await counted(no)]).toEqual([1, 0])
  })

  test.each<[about: string, body: object, status: number, error: object]>([
    ['an unknown order', { order: { id: 'ord_none' } }, 404, { key: 'not_found', resource_type: 'order' }],
    ['a negative amount', { order: { amount: -1 } }, 400, { key: 'invalid_amount' }],
    [
      'a tracking id of another customer',
      { customer: { source_id: 'anna' }, tracking_id: 'bert' },
      400,
      { key: 'ambiguous_tracking_id' },
    ],
    ['an order that is no object', { order: 5 }, 400, { key: 'invalid_payload' }],
  ])('refuse %s', async (_, body, status, error) => {
    const shop = await newProject()
    expect(await shop.call('POST', '/v1/promotions/validation', body)).toMatchObject({ status, body: error })
  })
})
