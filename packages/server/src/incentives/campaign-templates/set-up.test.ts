import { describe, expect, test } from 'vitest'
import { newProject, type Shop } from '../../testing/app.ts'
import { runAsyncActions } from '../../testing/background.ts'
import { eventsOf, newPromotion, newTier } from '../../testing/promotions.ts'
import { generateVouchers } from '../campaigns/generate.ts'
import { deleteVouchers } from '../campaigns/remove.ts'

const path = '/v1/templates/campaigns'
const tenOff = { type: 'DISCOUNT_VOUCHER', discount: { type: 'PERCENT', percent_off: 10 } }

/** Makes a call that must succeed, and returns its response body. */
async function callOk(shop: Shop, method: string, url: string, body?: unknown) {
  const answer = await shop.call(method, url, body)
  expect(answer.status, `${method} ${url}: ${JSON.stringify(answer.body)}`).toBeLessThan(300)
  return answer.body
}

const refused = (status: number, key: string, more: object = {}) => ({ status, body: { key, ...more } })

interface Source {
  campaign?: object
  rule?: object
}

/** The id of a template of a campaign, with a rule if given. */
async function newTemplate(shop: Shop, { campaign = {}, rule }: Source = {}): Promise<string> {
  const rules = rule === undefined ? [] : [(await callOk(shop, 'POST', '/v1/validation-rules', rule)).id]
  const source = { name: 'Source', voucher: tenOff, validation_rules: rules, ...campaign }
  const { id: campaignId } = await callOk(shop, 'POST', '/v1/campaigns', source)
  const { id } = await callOk(shop, 'POST', path, { name: 'Template', campaign_id: campaignId })
  await callOk(shop, 'DELETE', `/v1/campaigns/${campaignId}?force=true`)
  for (const ruleId of rules) await callOk(shop, 'DELETE', `/v1/validation-rules/${ruleId}`)
  return id
}

const setUp = (shop: Shop, template: string, body: object = {}) =>
  shop.call('POST', `${path}/${template}/campaign-setup`, { name: 'Campaign', ...body })

async function copyTo(shop: Shop, template: string, destination: Shop): Promise<string> {
  const body = { name: 'Copied', destination_project_id: destination.project_id }
  const copied = await shop.manage('POST', `/templates/campaigns/${template}/copy`, body)
  expect(copied.status).toBe(200)
  return copied.body.id
}

/** The rule that was assigned to a campaign or tier. */
async function ruleOf(shop: Shop, made: { data: Array<{ rule_id: string }> }) {
  expect(made.data).toHaveLength(1)
  return callOk(shop, 'GET', `/v1/validation-rules/${made.data[0]?.rule_id}`)
}

type Resource = { id: string; object: string }
const objectsIn = (created: Resource[]) => created.map(({ object }) => object).sort()
const idOf = (created: Resource[], object: string) => created.find((one) => one.object === object)?.id as string

describe('campaign-setup', () => {
  test('creates a campaign from the template, with a copy of its rule, and emits the events', async () => {
    const shop = await newProject()
    const settings = {
      type: 'AUTO_UPDATE',
      description: 'Ten off',
      join_once: true,
      metadata: { season: 'spring' },
      start_date: '2026-03-01T00:00:00.000Z',
      expiration_date: '2026-05-01T00:00:00.000Z',
      validity_timeframe: { interval: 'P7D', duration: 'P1D' },
      activity_duration_after_publishing: 'P10D',
    }
    const voucher = { ...tenOff, redemption: { quantity: 2 }, code_config: { pattern: 'S-###', charset: 'AB' } }
    const rule = {
      name: 'From 50',
      rules: { '1': { name: 'order.amount', conditions: { $more_than: [5000] } }, logic: '1' },
      error: { message: 'Buy more' },
    }
    const template = await newTemplate(shop, { campaign: { ...settings, voucher, category: 'Sales' }, rule })
    const { status, body } = await setUp(shop, template)
    expect({ status, object: body.object }).toEqual({ status: 200, object: 'campaign_setup' })
    expect(body.campaign).toMatchObject({
      name: 'Campaign',
      campaign_type: 'DISCOUNT_COUPONS',
      ...settings,
      vouchers_count: 0,
      category_id: null,
      voucher: { ...tenOff, redemption: { quantity: 2 }, code_config: { pattern: 'S-###', charset: 'AB', length: 3 } },
    })
    const made = await ruleOf(shop, body.campaign.validation_rules_assignments)
    expect(made).toMatchObject({ ...rule, rules: { '1': rule.rules['1'], logic: '1' }, assignments_count: 1 })
    expect(body.created_resources).toEqual([{ id: made.id, object: 'validation_rules' }])
    expect(await callOk(shop, 'GET', '/v1/campaigns/Campaign')).toEqual(body.campaign)
    const events = (await eventsOf(shop, '')).filter(({ entity_id }) => [made.id, body.campaign.id].includes(entity_id))
    expect(events.map(({ type }) => type).sort()).toEqual([
      'business_validation_rule.assignment.created',
      'business_validation_rule.created',
      'campaign.created',
    ])
    expect(await setUp(shop, template)).toMatchObject(refused(409, 'duplicate_found'))
    expect((await callOk(shop, 'GET', '/v1/validation-rules')).total).toBe(1)
  })

  test('values in the request override the template; null removes a limit', async () => {
    const shop = await newProject()
    const template = await newTemplate(shop, {
      campaign: {
        description: 'Ten off',
        join_once: true,
        metadata: { season: 'spring', year: 2025 },
        start_date: '2026-03-01',
        expiration_date: '2026-05-01',
        validity_hours: { daily: [{ start_time: '09:00', expiration_time: '12:00' }] },
        activity_duration_after_publishing: 'P10D',
        voucher: { ...tenOff, redemption: { quantity: 2 }, code_config: { prefix: 'S-' } },
      },
    })
    const { status, body } = await setUp(shop, template, {
      description: null,
      type: 'AUTO_UPDATE',
      join_once: false,
      use_voucher_metadata_schema: false,
      metadata: { season: 'summer' },
      expiration_date: '2026-09-01',
      validity_hours: null,
      validity_day_of_week: [6],
      activity_duration_after_publishing: null,
      category: 'Sales',
      vouchers_count: 1,
      voucher: { redemption: { quantity: null }, code_config: { pattern: 'SUMMER-#####' } },
      validation_rules: ['val_unknown'],
      campaign_type: 'GIFT_VOUCHERS',
    })
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        created_resources: [],
        campaign: {
          campaign_type: 'DISCOUNT_COUPONS',
          type: 'AUTO_UPDATE',
          join_once: false,
          use_voucher_metadata_schema: false,
          start_date: '2026-03-01T00:00:00.000Z',
          expiration_date: '2026-09-01T00:00:00.000Z',
          validity_day_of_week: [6],
          category: 'Sales',
          vouchers_count: 1,
          voucher: { ...tenOff, redemption: { quantity: null }, code_config: { pattern: 'SUMMER-#####' } },
        },
      },
    })
    const { campaign } = body
    expect(campaign.metadata).toEqual({ season: 'summer' })
    expect(campaign.voucher.code_config).not.toHaveProperty('prefix')
    for (const cleared of ['description', 'validity_hours', 'activity_duration_after_publishing'])
      expect(campaign).not.toHaveProperty(cleared)

    // Null for a setting without a limit has no effect.
    const nothing = { type: null, join_once: null, metadata: null, vouchers_count: null, voucher: null }
    expect(await setUp(shop, template, { name: 'Second', ...nothing })).toMatchObject({
      status: 200,
      body: {
        campaign: {
          type: 'STATIC',
          join_once: true,
          metadata: { season: 'spring', year: 2025 },
          voucher: { redemption: { quantity: 2 }, code_config: { prefix: 'S-' } },
        },
      },
    })
  })

  test('creates cards with the value of the template, and codes like any campaign', async () => {
    const shop = await newProject()
    const template = await newTemplate(shop, {
      campaign: { voucher: { type: 'GIFT_VOUCHER', gift: { amount: 5000 } } },
    })
    const { body } = await setUp(shop, template, { vouchers_count: 3 })
    expect(body.campaign).toMatchObject({ campaign_type: 'GIFT_VOUCHERS', creation_status: 'IN_PROGRESS' })
    await runAsyncActions(shop.service.runtime, shop.project_id, [generateVouchers, deleteVouchers])
    const { vouchers } = await callOk(shop, 'GET', '/v1/vouchers')
    expect(vouchers).toMatchObject(Array.from({ length: 3 }, () => ({ gift: { amount: 5000, balance: 5000 } })))
  })

  test('requires a code for a standalone campaign', async () => {
    const shop = await newProject()
    const one = { type: 'STANDALONE', voucher: { ...tenOff, code: 'PUBLIC' } }
    const template = await newTemplate(shop, { campaign: one })
    expect(await setUp(shop, template)).toMatchObject(refused(400, 'invalid_campaign'))
    const made = await setUp(shop, template, { voucher: { code: 'OTHER' } })
    expect(made).toMatchObject({ status: 200, body: { campaign: { type: 'STANDALONE', vouchers_count: 1 } } })
    expect(await callOk(shop, 'GET', '/v1/vouchers/OTHER')).toMatchObject({ discount: tenOff.discount })
    const again = await setUp(shop, template, { name: 'Pool', type: 'STATIC' })
    expect(again).toMatchObject({ status: 200, body: { campaign: { type: 'STATIC' } } })
  })

  test('is refused for the same errors as any new campaign', async () => {
    const shop = await newProject()
    const template = await newTemplate(shop, { campaign: { start_date: '2026-03-01' } })
    const call = (body: object) => shop.call('POST', `${path}/${template}/campaign-setup`, body)
    for (const [body, status, key] of [
      [{}, 400, 'invalid_payload'],
      [{ name: '' }, 400, 'invalid_payload'],
      [{ name: 'X', type: 'OPEN' }, 400, 'invalid_payload'],
      [{ name: 'X', vouchers_count: -1 }, 400, 'invalid_payload'],
      [{ name: 'X', voucher: { redemption: { quantity: 0 } } }, 400, 'invalid_payload'],
      [{ name: 'X', expiration_date: '2026-02-01' }, 400, 'invalid_campaign'],
      [{ name: 'X', category_id: 'cat_unknown' }, 404, 'not_found'],
      [{ name: 'X', voucher: { code_config: { charset: '' } } }, 400, 'invalid_code_config'],
    ] as const)
      expect(await call(body), JSON.stringify(body)).toMatchObject(refused(status, key))
    expect(await callOk(shop, 'GET', '/v1/campaigns')).toMatchObject({ total: 0 })
  })

  test('copies all assigned rules, in their order', async () => {
    const shop = await newProject()
    await callOk(shop, 'POST', '/v1/campaigns', { name: 'Source', voucher: tenOff })
    for (const name of ['First', 'Second', 'Third']) {
      const { id } = await callOk(shop, 'POST', '/v1/validation-rules', { name })
      const body = { related_object_type: 'campaign', related_object_id: 'Source' }
      await callOk(shop, 'POST', `/v1/validation-rules/${id}/assignments`, body)
    }
    const { id } = await callOk(shop, 'POST', path, { name: 'Template', campaign_id: 'Source' })
    const { json_template } = await callOk(shop, 'GET', `${path}/${id}?expand=json_template`)
    expect(json_template.validation_rule).toMatchObject({ name: 'First' })
    const { body } = await setUp(shop, id)
    const names: string[] = []
    for (const { rule_id } of body.campaign.validation_rules_assignments.data)
      names.push((await callOk(shop, 'GET', `/v1/validation-rules/${rule_id}`)).name)
    expect(names).toEqual(['First', 'Second', 'Third'])
  })
})

describe('tier-setup', () => {
  test('adds a tier with the discount, the limits and the rule of the template', async () => {
    const shop = await newProject()
    const promotion = await newPromotion(shop, 'Promotion')
    await newTier(shop, promotion, { name: 'First' })
    const rule = { name: 'From 50', rules: { '1': { name: 'order.amount', conditions: { $more_than: [5000] } } } }
    const campaign = { metadata: { season: 'spring' }, start_date: '2026-03-01', validity_day_of_week: [1] }
    const template = await newTemplate(shop, { campaign, rule })
    const { status, body } = await shop.call('POST', `${path}/${template}/tier-setup`, {
      campaign_id: promotion,
      name: 'Tier',
      banner: 'Now!',
      hierarchy: 1,
      active: false,
      category: 'Sales',
      validity_day_of_week: null,
      expiration_date: '2026-05-01',
    })
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        object: 'promotion_tier_setup',
        promotion_tier: {
          name: 'Tier',
          banner: 'Now!',
          campaign_id: promotion,
          hierarchy: 1,
          active: false,
          action: { discount: tenOff.discount },
          metadata: { season: 'spring' },
          start_date: '2026-03-01T00:00:00.000Z',
          expiration_date: '2026-05-01T00:00:00.000Z',
          categories: [{ name: 'Sales' }],
        },
      },
    })
    expect(body.promotion_tier).not.toHaveProperty('validity_day_of_week')
    const made = await ruleOf(shop, body.promotion_tier.validation_rule_assignments)
    expect(made).toMatchObject({ name: 'From 50' })
    expect(body.created_resources).toEqual([{ id: made.id, object: 'validation_rules' }])
    expect(await callOk(shop, 'GET', `/v1/promotions/tiers/${body.promotion_tier.id}`)).toEqual(body.promotion_tier)
    expect(await eventsOf(shop, 'campaign.promotion_tier.created')).toHaveLength(2)
  })

  test('restores the banner and metadata of a tier', async () => {
    const shop = await newProject()
    const promotion = await newPromotion(shop)
    const tier = await newTier(shop, promotion, { banner: 'Ten off!', metadata: { channel: 'web' } })
    const { id } = await callOk(shop, 'POST', path, { name: 'Template', promotion_tier_id: tier.id })
    const add = (body: object) =>
      callOk(shop, 'POST', `${path}/${id}/tier-setup`, { campaign_id: promotion, name: 'Again', ...body })
    expect((await add({})).promotion_tier).toMatchObject({
      banner: 'Ten off!',
      metadata: { channel: 'web' },
      action: tier.action,
      hierarchy: 2,
    })
    const { promotion_tier } = await add({ banner: null, metadata: {} })
    expect(promotion_tier).toMatchObject({ metadata: {} })
    expect(promotion_tier).not.toHaveProperty('banner')
    expect(await setUp(shop, id)).toMatchObject({
      status: 200,
      body: { campaign: { metadata: { channel: 'web' }, voucher: tenOff } },
    })
  })

  test('is refused without a promotion, for a gift card template, and without a name', async () => {
    const shop = await newProject()
    const promotion = await newPromotion(shop)
    const gifts = await newTemplate(shop, { campaign: { voucher: { type: 'GIFT_VOUCHER', gift: { amount: 1 } } } })
    const { id: codes } = await callOk(shop, 'POST', '/v1/campaigns', { name: 'Codes', voucher: tenOff })
    const { id: template } = await callOk(shop, 'POST', path, { name: 'Ten', campaign_id: codes })
    for (const [id, body, expected] of [
      [template, { name: 'X' }, refused(400, 'invalid_payload')],
      [template, { campaign_id: promotion }, refused(400, 'invalid_payload')],
      [template, { name: 'X', campaign_id: 'camp_unknown' }, refused(404, 'not_found', { resource_type: 'campaign' })],
      [template, { name: 'X', campaign_id: codes }, refused(400, 'invalid_campaign')],
      [
        gifts,
        { name: 'X', campaign_id: promotion },
        refused(400, 'campaign_type_is_not_supported_by_campaign_template'),
      ],
    ] as const)
      expect(await shop.call('POST', `${path}/${id}/tier-setup`, body)).toMatchObject(expected)
    const { db } = shop.service.runtime.database
    await db.updateTable('campaigns').set({ protected: true }).where('project_id', '=', shop.project_id).execute()
    expect(
      await shop.call('POST', `${path}/${template}/tier-setup`, { name: 'X', campaign_id: promotion }),
    ).toMatchObject(refused(400, 'resource_protected'))
    expect(await callOk(shop, 'GET', '/v1/promotions/tiers')).toMatchObject({ total: 0 })
  })
})

const product = (shop: Shop, sourceId: string | null, more: object = {}) =>
  callOk(shop, 'POST', '/v1/products', { source_id: sourceId, name: sourceId ?? 'Nameless', ...more })
const sku = (shop: Shop, productId: string, sourceId: string | null, more: object = {}) =>
  callOk(shop, 'POST', `/v1/products/${productId}/skus`, { source_id: sourceId, sku: sourceId, ...more })
const anyOf = (...references: object[]) => ({ name: 'order.items.any', conditions: { $is: references } })

describe('products and SKUs of a template', () => {
  test('that exist are reused in their current state', async () => {
    const shop = await newProject()
    const mug = await product(shop, 'mug', { price: 1000 })
    const red = await sku(shop, mug.id, 'mug-red')
    const template = await newTemplate(shop, {
      rule: { rules: { '1': anyOf({ id: mug.id, object: 'product' }, { id: red.id, object: 'sku' }) } },
    })
    const changed = await callOk(shop, 'PUT', `/v1/products/${mug.id}`, { price: 2000 })
    const { body } = await setUp(shop, template)
    expect(objectsIn(body.created_resources)).toEqual(['validation_rules'])
    const { rules } = await ruleOf(shop, body.campaign.validation_rules_assignments)
    expect(rules['1'].conditions.$is).toEqual([
      { id: mug.id, object: 'product' },
      { id: red.id, object: 'sku' },
    ])
    const { skus: _, ...now } = await callOk(shop, 'GET', `/v1/products/${mug.id}`)
    expect(now).toEqual(changed)
    expect((await callOk(shop, 'GET', '/v1/products')).total).toBe(2) // with the built-in one
  })

  test('that are missing are created again with all their SKUs, and all references point to the new ones', async () => {
    const shop = await newProject()
    const mug = await product(shop, 'mug', { price: 1000, attributes: ['color'], metadata: { dishwasher: true } })
    const red = await sku(shop, mug.id, 'mug-red', { price: 1100, currency: 'USD', attributes: { color: 'red' } })
    await sku(shop, mug.id, null, { sku: 'blue' })
    const cup = await product(shop, null)
    const tea = await product(shop, 'tea')
    const green = await sku(shop, tea.id, 'green')
    await sku(shop, tea.id, 'black')
    const template = await newTemplate(shop, {
      campaign: {
        voucher: {
          type: 'DISCOUNT_VOUCHER',
          discount: {
            type: 'UNIT',
            effect: 'ADD_MANY_ITEMS',
            units: [
              { unit_type: cup.id, unit_off: 1, effect: 'ADD_NEW_ITEMS' },
              { unit_type: green.id, unit_off: 2, effect: 'ADD_MISSING_ITEMS' },
            ],
          },
        },
      },
      rule: {
        rules: {
          '1': anyOf({ id: mug.id, source_id: 'mug', object: 'product' }, { id: 'prod_unknown', object: 'product' }),
          '2': { name: 'product.id', conditions: { $in: [cup.id, 'tea-pot'] } },
          '3': { name: 'sku.id', conditions: { $is_not: [{ id: red.id }] } },
          '4': { name: 'order.metadata', property: 'with', conditions: { $is: [mug.id] } },
          '5': { ...anyOf({ id: cup.id }), name: 'order.items.cheapest' },
        },
        bundle_rules: {
          '1': {
            ...anyOf({ id: cup.id, object: 'product' }),
            rules: { '1': { name: 'order.items.aggregated_quantity', conditions: { $is: [2] } } },
          },
        },
        applicable_to: {
          included: [
            { object: 'product', id: cup.id },
            { object: 'sku', id: red.id },
          ],
          excluded: [{ object: 'sku', id: green.id, quantity_limit: 3 }],
        },
      },
    })
    for (const { id } of [mug, cup, tea]) await callOk(shop, 'DELETE', `/v1/products/${id}?force=true`)

    const { status, body } = await setUp(shop, template)
    expect(status, JSON.stringify(body)).toBe(200)
    expect(objectsIn(body.created_resources)).toEqual([
      ...['product', 'product', 'product', 'sku', 'sku', 'sku', 'validation_rules'],
    ])
    const mugNow = await callOk(shop, 'GET', '/v1/products/mug')
    const redNow = await callOk(shop, 'GET', '/v1/skus/mug-red')
    const greenNow = await callOk(shop, 'GET', '/v1/skus/green')
    const { products } = await callOk(shop, 'GET', '/v1/products')
    const cupNow = products.find(({ name }: { name: string }) => name === 'Nameless')
    const { id: _id, created_at: _created, skus: _skus, ...ofMug } = mugNow
    expect(mug).toMatchObject(ofMug)
    expect(mugNow.skus.data).toMatchObject([{ sku: 'mug-red' }, { sku: 'blue' }])
    const { id: _sku, product_id, created_at: _made, ...ofRed } = redNow
    expect(red).toMatchObject(ofRed)
    expect(product_id).toBe(mugNow.id)
    const teaNow = await callOk(shop, 'GET', '/v1/products/tea')
    expect(teaNow.skus.data).toMatchObject([{ id: greenNow.id }]) // not named: black

    expect(body.campaign.voucher.discount.units).toEqual([
      {
        unit_type: cupNow.id,
        unit_off: 1,
        effect: 'ADD_NEW_ITEMS',
        product: { id: cupNow.id, name: 'Nameless' },
      },
      {
        unit_type: greenNow.id,
        unit_off: 2,
        effect: 'ADD_MISSING_ITEMS',
        sku: { id: greenNow.id, source_id: 'green', sku: 'green' },
        product: { id: teaNow.id, source_id: 'tea', name: 'tea' },
      },
    ])
    const made = await ruleOf(shop, body.campaign.validation_rules_assignments)
    const argumentsOf = (n: string) => made.rules[n].conditions
    expect(argumentsOf('1').$is).toEqual([
      { id: mugNow.id, source_id: 'mug', object: 'product' },
      { id: 'prod_unknown', object: 'product' },
    ])
    expect(argumentsOf('2').$in).toEqual([cupNow.id, 'tea-pot'])
    expect(argumentsOf('3').$is_not).toEqual([{ id: redNow.id }])
    expect(argumentsOf('4').$is).toEqual([mug.id]) // a metadata value is no reference
    expect(argumentsOf('5').$is).toEqual([{ id: cupNow.id }])
    expect(made.bundle_rules['1'].conditions.$is).toEqual([{ id: cupNow.id, object: 'product' }])
    expect(made.applicable_to).toMatchObject({
      included: [
        { object: 'product', id: cupNow.id, source_id: null },
        { object: 'sku', id: redNow.id, source_id: 'mug-red', product_id: mugNow.id, product_source_id: 'mug' },
      ],
      excluded: [{ object: 'sku', id: greenNow.id, quantity_limit: 3 }],
    })
    expect(JSON.stringify(body.campaign)).not.toContain(cup.id)

    // Products with a source id are found again; the one without is created anew each time.
    const again = await setUp(shop, template, { name: 'Again' })
    expect(objectsIn(again.body.created_resources)).toEqual(['product', 'validation_rules'])
  })

  test('that another project has under the same source ids are reused there', async () => {
    const shop = await newProject()
    const other = await newProject()
    const mug = await product(shop, 'mug')
    const red = await sku(shop, mug.id, 'mug-red')
    const green = await sku(shop, (await product(shop, 'tea')).id, 'green')
    const template = await newTemplate(shop, {
      rule: { rules: { '1': anyOf({ id: mug.id }, { id: red.id }, { id: green.id }) } },
    })
    const mugThere = await product(other, 'mug', { name: 'Another mug' })
    const greenThere = await sku(other, (await product(other, 'drinks')).id, 'green')
    const { status, body } = await setUp(other, await copyTo(shop, template, other))
    expect(status).toBe(200)
    expect(objectsIn(body.created_resources)).toEqual(['sku', 'validation_rules'])
    const redThere = await callOk(other, 'GET', '/v1/skus/mug-red')
    expect(redThere.product_id).toBe(mugThere.id)
    const { rules } = await ruleOf(other, body.campaign.validation_rules_assignments)
    expect(rules['1'].conditions.$is).toEqual([{ id: mugThere.id }, { id: redThere.id }, { id: greenThere.id }])
    expect(await callOk(other, 'GET', '/v1/products/mug')).toMatchObject({ name: 'Another mug', updated_at: null })
    expect(await other.call('GET', '/v1/products/tea')).toMatchObject({ status: 404 })
  })

  test.each([
    ['a product', (mug: string) => ({ id: mug, object: 'product' }), (mug: string) => `/v1/products/${mug}`],
    ['an SKU', (_: string, red: string) => ({ id: red, object: 'sku' }), (_: string, red: string) => `/v1/skus/${red}`],
    ['the product of an SKU', (_: string, red: string) => ({ id: red }), (mug: string) => `/v1/products/${mug}`],
  ])('that are in the bin make the setup fail, and nothing is created: %s', async (_, reference, url) => {
    const shop = await newProject()
    const mug = await product(shop, 'mug')
    const red = await sku(shop, mug.id, 'mug-red')
    const tea = await product(shop, 'tea')
    const template = await newTemplate(shop, {
      rule: { rules: { '1': anyOf({ id: tea.id }, reference(mug.id, red.id)) } },
    })
    await callOk(shop, 'DELETE', `/v1/products/${tea.id}?force=true`)
    const target = url(mug.id, red.id).replace('/v1/skus/', `/v1/products/${mug.id}/skus/`)
    await callOk(shop, 'DELETE', target)
    expect(await setUp(shop, template)).toMatchObject(refused(400, 'resource_in_use'))
    expect(await shop.call('GET', '/v1/products/tea')).toMatchObject({ status: 404 })
    expect(await callOk(shop, 'GET', '/v1/campaigns')).toMatchObject({ total: 0 })
    expect(await callOk(shop, 'GET', '/v1/validation-rules')).toMatchObject({ total: 0 })

    const { data } = await callOk(shop, 'GET', '/v1/trash-bin')
    for (const { id } of data) await callOk(shop, 'DELETE', `/v1/trash-bin/${id}`)
    expect(await setUp(shop, template)).toMatchObject({ status: 200 })
  })

  test('deleted SKUs of an existing product are not created again unless the rule references them', async () => {
    const shop = await newProject()
    const mug = await product(shop, 'mug')
    const [red, blue] = [await sku(shop, mug.id, 'mug-red'), await sku(shop, mug.id, 'mug-blue')]
    const template = await newTemplate(shop, {
      rule: { rules: { '1': anyOf({ id: mug.id, object: 'product' }, { id: red.id, object: 'sku' }) } },
    })
    await callOk(shop, 'DELETE', `/v1/products/${mug.id}/skus/${blue.id}`)
    const { status, body } = await setUp(shop, template)
    expect({ status, created: objectsIn(body.created_resources) }).toEqual({
      status: 200,
      created: ['validation_rules'],
    })
  })
})

const circle = (radius: string) => ({
  type: 'circle',
  format: 'distance',
  distance: { center: 'geo:52.2297,21.0122', radius },
})

/** A segment and collections that use every kind of reference, and a template of a campaign whose rule references them. */
async function newPlaces(shop: Shop) {
  for (const relatedObject of ['customer', 'product'])
    await callOk(shop, 'POST', '/v1/metadata-schemas', {
      related_object: relatedObject,
      properties: { place: { type: 'geopoint', array: false, optional: true } },
    })
  const town = await callOk(shop, 'POST', '/v1/locations', { name: 'Town', shape: circle('2 km') })
  const inTown = { junction: 'and', 'metadata.place': { conditions: { $in_location: [town.id] } } }
  const segment = await callOk(shop, 'POST', '/v1/segments', { name: 'Townsfolk', type: 'auto-update', filter: inTown })
  const mug = await product(shop, 'mug')
  const red = await sku(shop, mug.id, 'mug-red')
  const collection = (body: object) => callOk(shop, 'POST', '/v1/product-collections', body)
  const members = [{ id: red.id, object: 'sku', product_id: mug.id }]
  const fixed = await collection({ name: 'Mugs', type: 'STATIC', products: members })
  const local = await collection({ name: 'Local', type: 'AUTO_UPDATE', filter: inTown })
  const template = await newTemplate(shop, {
    campaign: {
      voucher: {
        type: 'DISCOUNT_VOUCHER',
        discount: { type: 'UNIT', effect: 'ADD_SAME_ITEMS', unit_off: 1, unit_type: fixed.id },
      },
    },
    rule: {
      rules: {
        '1': { name: 'customer.segment', conditions: { $in: [segment.id, 'seg_unknown'] } },
        '2': anyOf({ id: fixed.id, object: 'products_collection' }, { id: 'pc_a11pr0dUc75' }),
      },
      applicable_to: { included: [{ object: 'products_collection', id: local.id }] },
    },
  })
  return { town, segment, mug, red, fixed, local, template }
}

describe('collections, segments and locations of a template', () => {
  test('that exist unchanged are reused', async () => {
    const shop = await newProject()
    const { segment, fixed, local, template } = await newPlaces(shop)
    const { status, body } = await setUp(shop, template)
    expect({ status, created: objectsIn(body.created_resources) }).toEqual({
      status: 200,
      created: ['validation_rules'],
    })
    const rule = await ruleOf(shop, body.campaign.validation_rules_assignments)
    expect(rule.rules['1'].conditions.$in).toEqual([segment.id, 'seg_unknown'])
    expect(rule.applicable_to.included).toMatchObject([{ id: local.id }])
    expect(body.campaign.voucher.discount.unit_type).toBe(fixed.id)
  })

  test('are created in another project, with references to each other', async () => {
    const shop = await newProject()
    const other = await newProject()
    const { town, segment, fixed, local, template } = await newPlaces(shop)
    const { status, body } = await setUp(other, await copyTo(shop, template, other))
    expect(status, JSON.stringify(body)).toBe(200)
    const { created_resources: created } = body
    expect(objectsIn(created)).toEqual([
      'location',
      'product',
      'products_collection',
      'products_collection',
      'segments',
      'sku',
      'validation_rules',
    ])
    const location = idOf(created, 'location')
    const { name, shape } = await callOk(other, 'GET', `/v1/locations/${location}`)
    expect({ name, shape }).toEqual({ name: town.name, shape: town.shape })
    const inTown = { junction: 'and', 'metadata.place': { conditions: { $in_location: [location] } } }
    expect(await callOk(other, 'GET', `/v1/segments/${idOf(created, 'segments')}`)).toMatchObject({
      name: 'Townsfolk',
      type: 'auto-update',
      filter: inTown,
    })
    const { data } = await callOk(other, 'GET', '/v1/product-collections?order=created_at')
    const named = (wanted: string) => data.find(({ name }: { name: string }) => name === wanted)
    expect(named('Mugs').products).toEqual([
      { id: idOf(created, 'sku'), object: 'sku', product_id: idOf(created, 'product') },
    ])
    expect(named('Local').filter).toEqual(inTown)
    const rule = await ruleOf(other, body.campaign.validation_rules_assignments)
    expect(rule.rules['1'].conditions.$in).toEqual([idOf(created, 'segments'), 'seg_unknown'])
    expect(rule.rules['2'].conditions.$is).toEqual([
      { id: named('Mugs').id, object: 'products_collection' },
      { id: 'pc_a11pr0dUc75' },
    ])
    expect(rule.applicable_to.included).toMatchObject([{ object: 'products_collection', id: named('Local').id }])
    expect(body.campaign.voucher.discount.unit_type).toBe(named('Mugs').id)
    for (const { id } of [town, segment, fixed, local]) expect(JSON.stringify([body, rule])).not.toContain(id)
  })

  test('that have changed are created next to the changed ones; a taken name gets a number', async () => {
    const shop = await newProject()
    const { town, segment, local, template } = await newPlaces(shop)
    await callOk(shop, 'PUT', `/v1/locations/${town.id}`, { shape: circle('3 km') })
    for (const [name, more] of [
      ['Campaign', '(2)'],
      ['Second', '(3)'],
    ] as const) {
      const { status, body } = await setUp(shop, template, { name })
      expect(status, JSON.stringify(body)).toBe(200)
      const { created_resources: created } = body
      // The static collection and its goods are the same; what is in town is not.
      expect(objectsIn(created)).toEqual(['location', 'products_collection', 'segments', 'validation_rules'])
      const collection = await callOk(shop, 'GET', `/v1/product-collections/${idOf(created, 'products_collection')}`)
      expect(collection.name).toBe(`Local ${more}`)
      const asked = [idOf(created, 'location')]
      expect(collection.filter['metadata.place'].conditions.$in_location).toEqual(asked)
      const { shape } = await callOk(shop, 'GET', `/v1/locations/${asked[0]}`)
      expect(shape).toEqual(circle('2 km'))
    }
    expect(await callOk(shop, 'GET', `/v1/product-collections/${local.id}`)).toEqual(local)
    expect(await callOk(shop, 'GET', `/v1/segments/${segment.id}`)).toEqual(segment)
  })

  test('a renamed segment counts as changed and is created again', async () => {
    const shop = await newProject()
    const { segment, template } = await newPlaces(shop)
    await callOk(shop, 'PUT', `/v1/segments/${segment.id}`, { name: 'Citizens' })
    const { body } = await setUp(shop, template)
    expect(objectsIn(body.created_resources)).toEqual(['segments', 'validation_rules'])
    const { data } = await callOk(shop, 'GET', '/v1/segments?order=created_at')
    expect(data.map(({ name }: { name: string }) => name)).toEqual(['Citizens', 'Townsfolk'])
  })
})

describe('metadata', () => {
  const definition = (type: string, array = false) => ({ type, array, optional: true })
  const describeMetadata = (shop: Shop, relatedObject: string, properties: object) =>
    callOk(shop, 'POST', '/v1/metadata-schemas', { related_object: relatedObject, properties })

  test.each([
    [
      'a rule about customers',
      'customer',
      { rule: { rules: { '1': { name: 'customer.metadata', property: 'key', conditions: { $is: [1] } } } } },
    ],
    [
      'a rule about an object in the metadata of orders',
      'order',
      { rule: { rules: { '1': { name: 'order.metadata', property: 'key.inner', conditions: { $is: [1] } } } } },
    ],
    [
      'a sub-rule about lines',
      'product',
      {
        rule: {
          rules: {
            '1': {
              name: 'order.items.any',
              rules: { '1': { name: 'order.items.metadata', property: 'key', conditions: { $is: [1] } } },
            },
          },
        },
      },
    ],
    [
      'a formula of the discount',
      'customer',
      {
        campaign: {
          voucher: {
            type: 'DISCOUNT_VOUCHER',
            discount: { type: 'AMOUNT', amount_off: 1, amount_off_formula: 'CUSTOMER_METADATA("key") * 2' },
          },
        },
      },
    ],
  ] as Array<[string, string, Source]>)(
    'keys with another type in the project are refused: %s',
    async (_, object, source) => {
      const shop = await newProject()
      await describeMetadata(shop, object, { key: definition('number'), other: definition('string') })
      const template = await newTemplate(shop, source)
      expect(await setUp(shop, template, { name: 'Same' })).toMatchObject({ status: 200 })

      const [unknown, other, list] = [await newProject(), await newProject(), await newProject()]
      await describeMetadata(unknown, object, { other: definition('number') })
      expect(await setUp(unknown, await copyTo(shop, template, unknown))).toMatchObject({ status: 200 })
      await describeMetadata(other, object, { key: definition('string') })
      await describeMetadata(list, object, { key: definition('number', true) })
      for (const elsewhere of [other, list]) {
        const copied = await copyTo(shop, template, elsewhere)
        expect(await setUp(elsewhere, copied)).toMatchObject(
          refused(400, 'metadata_validation_failed', { details: expect.stringMatching(/^key: must be number/) }),
        )
        const promotion = await newPromotion(elsewhere)
        const tier = { name: 'X', campaign_id: promotion }
        expect(await elsewhere.call('POST', `${path}/${copied}/tier-setup`, tier)).toMatchObject(
          refused(400, 'metadata_validation_failed'),
        )
        expect(await callOk(elsewhere, 'GET', '/v1/validation-rules')).toMatchObject({ total: 0 })
      }
    },
  )

  test('keys that filters compare, and events that they count, are stored in the template', async () => {
    const shop = await newProject()
    await describeMetadata(shop, 'customer', { age: definition('number') })
    await describeMetadata(shop, 'product', { kind: definition('string') })
    const filter = {
      junction: 'and',
      'metadata.age': { conditions: { $more_than: [18] } },
      'events.signed-up.count': { conditions: { $more_than: [0] } },
    }
    const segment = await callOk(shop, 'POST', '/v1/segments', { name: 'Adults', type: 'passive', filter })
    const kinds = await callOk(shop, 'POST', '/v1/product-collections', {
      name: 'Teas',
      type: 'AUTO_UPDATE',
      filter: { junction: 'and', 'metadata.kind': { conditions: { $is: ['tea'] } } },
    })
    const template = await newTemplate(shop, {
      rule: {
        rules: {
          '1': { name: 'customer_segment', conditions: { $is: [segment.id] } },
          '2': anyOf({ id: kinds.id }),
        },
      },
    })
    const { db } = shop.service.runtime.database
    const { content } = await db
      .selectFrom('campaign_templates')
      .where('id', '=', template as `camp_tpl_${string}`)
      .select('content')
      .executeTakeFirstOrThrow()
    expect(content).toMatchObject({
      metadata_keys: [
        { object: 'customer', key: 'age', type: 'number', array: false },
        { object: 'product', key: 'kind', type: 'string', array: false },
      ],
      custom_events: ['signed-up'],
    })
    const other = await newProject()
    await describeMetadata(other, 'product', { kind: definition('number') })
    expect(await setUp(other, await copyTo(shop, template, other))).toMatchObject(
      refused(400, 'metadata_validation_failed'),
    )
  })

  test('of the campaign and of recreated products must match the schemas of the project', async () => {
    const shop = await newProject()
    const mug = await product(shop, 'mug', { metadata: { kind: 'mug' } })
    const template = await newTemplate(shop, {
      campaign: { metadata: { year: 2025 } },
      rule: { rules: { '1': anyOf({ id: mug.id }) } },
    })
    const failed = refused(400, 'metadata_validation_failed')
    for (const [object, properties] of [
      ['product', { kind: definition('number') }],
      ['voucher', { year: definition('string') }],
    ] as const) {
      const other = await newProject()
      await describeMetadata(other, object, properties)
      expect(await setUp(other, await copyTo(shop, template, other))).toMatchObject(failed)
      expect(await other.call('GET', '/v1/products/mug')).toMatchObject({ status: 404 })
    }
  })
})
