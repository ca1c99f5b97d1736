import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import { newProject, type Shop, send, testService } from '../../testing/app.ts'
import { expectStablePaging } from '../../testing/paging.ts'
import { eventsOf, newPromotion, newTier, orderOf, percentOff } from '../../testing/promotions.ts'

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const database = (shop: Shop) => shop.service.runtime.database.db
const pathOf = ({ id }: { id: string }) => `/v1/promotions/tiers/${id}`
const typesOf = async (shop: Shop, prefix: string) => (await eventsOf(shop, prefix)).map(({ type }) => type)

async function newRule(shop: Shop): Promise<string> {
  const { status, body } = await shop.call('POST', '/v1/validation-rules', {})
  expect(status).toBe(200)
  return body.id
}

/** Updates campaign columns that no API call can change. */
const setCampaign = (shop: Shop, id: string, columns: object) =>
  database(shop)
    .updateTable('campaigns')
    .set(columns)
    .where('project_id', '=', shop.project_id)
    .where('id', '=', id as `camp_${string}`)
    .execute()

const rulesOf = (tier: { validation_rule_assignments: { data: Array<{ rule_id: string }> } }) =>
  tier.validation_rule_assignments.data.map(({ rule_id }) => rule_id)

test('a tier can be created, read, updated and deleted, with an event for each change', async () => {
  const shop = await newProject()
  const campaignId = await newPromotion(shop, 'Black week')
  const created = await newTier(shop, 'Black week', { name: 'Ten off' })
  expect(created).toEqual({
    id: expect.stringMatching(/^promo_[0-9A-Za-z]{24}$/),
    name: 'Ten off',
    action: { discount: { type: 'PERCENT', percent_off: 10 } },
    metadata: {},
    hierarchy: 1,
    promotion_id: campaignId,
    campaign_id: campaignId,
    campaign: {
      id: campaignId,
      start_date: null,
      expiration_date: null,
      active: true,
      category_id: null,
      object: 'campaign',
    },
    active: true,
    summary: { redemptions: { total_redeemed: 0 }, orders: { total_amount: 0, total_discount_amount: 0 } },
    validation_rule_assignments: { object: 'list', data_ref: 'data', data: [], total: 0 },
    category_id: null,
    categories: [],
    created_at: instant,
    object: 'promotion_tier',
  })
  expect((await shop.call('GET', pathOf(created))).body).toEqual(created)

  const updated = await shop.call('PUT', pathOf(created), { name: 'Twenty off', action: percentOff(20) })
  expect(updated.status).toBe(200)
  expect(updated.body).toEqual({ ...created, name: 'Twenty off', action: percentOff(20), updated_at: instant })
  expect((await shop.call('GET', pathOf(created))).body).toEqual(updated.body)

  expect(await shop.call('DELETE', pathOf(created))).toMatchObject({ status: 204, body: null })
  for (const method of ['GET', 'PUT', 'DELETE'])
    expect(await shop.call(method, pathOf(created), method === 'PUT' ? { name: 7 } : undefined)).toMatchObject({
      status: 404,
      body: { resource_type: 'promotion_tier', resource_id: created.id },
    })

  const events = await eventsOf(shop, 'campaign.promotion_tier.')
  expect(events.map(({ type, data }) => [type, data.promotion_tier])).toEqual([
    ['campaign.promotion_tier.created', created],
    ['campaign.promotion_tier.updated', updated.body],
    ['campaign.promotion_tier.deleted', updated.body],
  ])
  for (const { entity_id, data } of events) {
    expect(entity_id).toBe(campaignId)
    expect(data.campaign).toMatchObject({ id: campaignId, name: 'Black week', campaign_type: 'PROMOTION' })
  }
})

test('all members of a tier are stored, and a response can be sent back unchanged', async () => {
  const shop = await newProject()
  const campaign = await newPromotion(shop)
  await setCampaign(shop, campaign, {
    start_date: '2026-01-01T00:00:00.000Z',
    validity_day_of_week: '[1]',
    active: false,
  })
  const rule = await newRule(shop)
  const body = {
    name: '🎁'.repeat(255),
    banner: 'Only today',
    action: { discount: { type: 'AMOUNT', amount_off: 500, effect: 'APPLY_TO_ORDER' } },
    metadata: { colour: 'red', nested: { a: [1, null] } },
    active: false,
    start_date: '2026-01-01',
    expiration_date: '2026-12-31T23:59:59+01:00',
    validity_timeframe: { interval: 'P2D', duration: 'P1D' },
    validity_day_of_week: [5, 6, 5],
  }
  const tier = await newTier(shop, campaign, { ...body, category: 'Sale', validation_rules: [rule, rule] })
  expect(tier).toMatchObject({
    ...body,
    start_date: '2026-01-01T00:00:00.000Z',
    expiration_date: '2026-12-31T22:59:59.000Z',
    validity_day_of_week: [5, 6],
    category_id: expect.stringMatching(/^cat_/),
    categories: [{ name: 'Sale', hierarchy: 0, object: 'category', created_at: instant }],
    campaign: { start_date: '2026-01-01T00:00:00.000Z', validity_day_of_week: [1], active: false },
    validation_rule_assignments: {
      total: 1,
      data: [{ rule_id: rule, related_object_id: tier.id, related_object_type: 'promotion_tier' }],
    },
  })
  const again = await shop.call('PUT', pathOf(tier), tier)
  expect(again.body).toEqual({ ...tier, updated_at: instant, warnings: expect.any(Array) })
})

describe('a promotion', () => {
  test('is created with its tiers, which take their places one after another', async () => {
    const shop = await newProject()
    const rule = await newRule(shop)
    const campaign = await newPromotion(shop, 'Black week', [
      { name: 'A', action: percentOff(5) },
      { name: 'B', hierarchy: 1, validation_rules: [rule] },
      { name: 'C' },
      { name: 'D', hierarchy: 2, category: 'Sale' },
    ])
    expect(await orderOf(shop, campaign)).toBe('B1 D2 A3 C4')
    const { body } = await shop.call('GET', `/v1/campaigns/${campaign}`)
    const { tiers, total, has_more } = body.promotion
    expect({ total, has_more }).toEqual({ total: 4, has_more: false })
    expect(tiers.map(({ name, hierarchy }: { name: string; hierarchy: number }) => `${name}${hierarchy}`)).toEqual([
      'B1',
      'D2',
      'A3',
      'C4',
    ])
    expect(rulesOf(tiers[0])).toEqual([rule])
    expect(tiers[1].categories).toMatchObject([{ name: 'Sale' }])
    for (const tier of tiers) expect((await shop.call('GET', pathOf(tier))).body).toEqual(tier)
    const events = await eventsOf(shop, 'campaign.promotion_tier.created')
    expect(events.map(({ data }) => data.promotion_tier)).toEqual(tiers)
  })

  test('is not created if one of its tiers is refused, or if it has more than 1,000', async () => {
    const shop = await newProject()
    const create = (tiers: object[]) =>
      shop.call('POST', '/v1/campaigns', { name: 'Black week', campaign_type: 'PROMOTION', promotion: { tiers } })
    expect(await create([{ name: 'A' }, { name: 'B', action: percentOff(101) }])).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload' },
    })
    expect(await create(Array.from({ length: 1001 }, () => ({ name: 'A' })))).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload' },
    })
    expect((await shop.call('GET', '/v1/promotions/tiers')).body.total).toBe(0)
    expect(await shop.call('GET', '/v1/campaigns/Black%20week')).toMatchObject({ status: 404 })
  })

  test('deleted for good takes its tiers, stacks and assignments with it, without an event for each', async () => {
    const shop = await newProject()
    const rule = await newRule(shop)
    const [goes, stays] = [await newPromotion(shop, 'Goes'), await newPromotion(shop, 'Stays')]
    const tier = await newTier(shop, goes, { validation_rules: [rule] })
    const kept = await newTier(shop, stays, { validation_rules: [rule] })
    const { body: stack } = await shop.call('POST', `/v1/promotions/${goes}/stacks`, {
      name: 'Stack',
      tiers: { ids: [tier.id] },
    })
    await shop.call('DELETE', `/v1/campaigns/${goes}`)
    const { body: bin } = await shop.call('GET', '/v1/trash-bin')
    expect(await shop.call('DELETE', `/v1/trash-bin/${bin.data[0].id}`)).toMatchObject({ status: 204 })

    for (const table of ['promotion_tiers', 'promotion_stacks'] as const) {
      const rows = await database(shop)
        .selectFrom(table)
        .where('project_id', '=', shop.project_id)
        .select('campaign_id')
        .execute()
      expect(rows).toEqual(table === 'promotion_tiers' ? [{ campaign_id: stays }] : [])
    }
    const { body } = await shop.call('GET', '/v1/validation-rules-assignments')
    expect(body.data).toMatchObject([{ related_object_id: kept.id }])
    expect(await typesOf(shop, 'campaign.promotion_')).toEqual([
      'campaign.promotion_tier.created',
      'campaign.promotion_tier.created',
      'campaign.promotion_stack.created',
    ])
    const [unassigned] = await eventsOf(shop, 'business_validation_rule.assignment.deleted')
    expect(unassigned!.data.promotion_tier).toMatchObject({ id: tier.id })
    const deletions = await database(shop)
      .selectFrom('configuration_deletions')
      .where('project_id', '=', shop.project_id)
      .where('object_type', 'like', 'promotion_%')
      .orderBy('config_version')
      .select('object_id')
      .execute()
    expect(deletions.map(({ object_id }) => object_id)).toEqual([stack.id, tier.id])
  })
})

describe('the order of tiers', () => {
  const lettered = async (shop: Shop, letters: string) => {
    const campaign = await newPromotion(shop)
    const tiers: Record<string, { id: string }> = {}
    for (const name of letters) tiers[name] = await newTier(shop, campaign, { name })
    return { campaign, tiers }
  }

  test('a moved or deleted tier shifts those behind it, and a place beyond the end is the last', async () => {
    const shop = await newProject()
    const { campaign, tiers } = await lettered(shop, 'ABCD')
    expect(await orderOf(shop, campaign)).toBe('A1 B2 C3 D4')
    const moved = await shop.call('PUT', pathOf(tiers.D!), { hierarchy: 2 })
    expect(moved.body).toMatchObject({ name: 'D', hierarchy: 2 })
    expect(await orderOf(shop, campaign)).toBe('A1 D2 B3 C4')
    await shop.call('DELETE', pathOf(tiers.A!))
    expect(await orderOf(shop, campaign)).toBe('D1 B2 C3')
    const last = await shop.call('PUT', pathOf(tiers.B!), { hierarchy: 9 })
    expect(last.body).toMatchObject({ name: 'B', hierarchy: 3 })
    expect(await orderOf(shop, campaign)).toBe('D1 C2 B3')
    expect(await newTier(shop, campaign, { name: 'E' })).toMatchObject({ hierarchy: 4 })
    expect(await orderOf(shop, campaign)).toBe('D1 C2 B3 E4')
  })

  test('a new tier shifts those behind it; each campaign has its own order', async () => {
    const shop = await newProject()
    const { campaign } = await lettered(shop, 'AB')
    const other = await newPromotion(shop, 'Other')
    await newTier(shop, other, { name: 'Z' })
    expect(await newTier(shop, campaign, { name: 'C', hierarchy: 1 })).toMatchObject({ hierarchy: 1 })
    expect(await newTier(shop, campaign, { name: 'D', hierarchy: 99 })).toMatchObject({ hierarchy: 4 })
    expect(await newTier(shop, campaign, { name: 'E', hierarchy: -3 })).toMatchObject({ hierarchy: 1 })
    expect(await orderOf(shop, campaign)).toBe('E1 C2 A3 B4 D5')
    expect(await orderOf(shop, other)).toBe('Z1')
  })

  test('tiers that are only shifted get a new configuration version, but no updated_at and no event', async () => {
    const shop = await newProject()
    const { tiers } = await lettered(shop, 'ABC')
    const versions = async () =>
      Object.fromEntries(
        (
          await database(shop)
            .selectFrom('promotion_tiers')
            .where('project_id', '=', shop.project_id)
            .select(['name', 'config_version'])
            .execute()
        ).map(({ name, config_version }) => [name, config_version]),
      )
    const before = await versions()
    await shop.call('PUT', pathOf(tiers.C!), { hierarchy: 2 })
    const after = await versions()
    expect(after.A).toBe(before.A)
    expect(after.B).toBeGreaterThan(before.C as number)
    expect(after.C).toBeGreaterThan(before.C as number)
    expect((await shop.call('GET', pathOf(tiers.B!))).body).not.toHaveProperty('updated_at')
    expect((await eventsOf(shop, 'campaign.promotion_tier.updated')).length).toBe(1)
  })

  test('a campaign has at most 1,000 tiers', async () => {
    const shop = await newProject()
    const { campaign } = await lettered(shop, 'A')
    await sql`
      insert into promotion_tiers (project_id, id, campaign_id, name, metadata, hierarchy, active, created_at, config_version)
      select ${shop.project_id}, 'promo_' || n, ${campaign}, 'Tier', '{}', n, true, now(), 1 from generate_series(2, 999) n
    `.execute(database(shop))
    expect(await newTier(shop, campaign, { hierarchy: 500 })).toMatchObject({ hierarchy: 500 })
    expect(await shop.call('POST', `/v1/promotions/${campaign}/tiers`, { name: 'One too many' })).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload', details: 'A campaign must NOT have more than 1000 promotion tiers' },
    })
    expect((await shop.call('GET', `/v1/promotions/${campaign}/tiers`)).body).toMatchObject({
      total: 1000,
      has_more: false,
      tiers: { length: 1000 },
    })
  })
})

const refused: Array<[body: object, details: string]> = [
  [{ name: 7 }, 'Property .name must be string'],
  [{ name: null }, 'Property .name must be string'],
  [{ name: '' }, 'Property .name must NOT have fewer than 1 characters'],
  [{ name: 'n'.repeat(256) }, 'Property .name must NOT have more than 255 characters'],
  [{ banner: 7 }, 'Property .banner must be string,null'],
  [{ hierarchy: 1.5 }, 'Property .hierarchy must be integer'],
  [{ hierarchy: null }, 'Property .hierarchy must be integer'],
  [{ metadata: null }, 'Property .metadata must be object'],
  [{ action: null }, 'Property .action must be object'],
  [{ action: { discount: null } }, 'Property .action.discount must be object'],
  [{ action: { discount: {} } }, "Property .action.discount should have required property 'type'"],
  [
    { action: { discount: { type: 'PERCENT' } } },
    "Property .action.discount should have required property 'percent_off'",
  ],
  [{ action: percentOff(101) }, 'Property .action.discount.percent_off must be <= 100'],
  [{ start_date: 'soon' }, 'Property .start_date cannot be recognized as a ISO-8601 compliant date'],
  [
    { start_date: '2026-02-01', expiration_date: '2026-01-01' },
    'Property .expiration_date must not be earlier than .start_date',
  ],
  [{ validity_timeframe: { interval: 'P1D', duration: 'PT1H' } }, 'Property .validity_timeframe requires .start_date'],
  [{ validity_day_of_week: [7] }, 'Property .validity_day_of_week[0] must be <= 6'],
  [{ validation_rules: 'val_1' }, 'Property .validation_rules must be array,null'],
  [
    { validation_rules: Array.from({ length: 21 }, (_, n) => `val_${n}`) },
    'Property .validation_rules must NOT have more than 20 items',
  ],
]

test.each(refused)('creation and update refuse %j: %s', async (body, details) => {
  const shop = await newProject()
  const campaign = await newPromotion(shop)
  const tier = await newTier(shop, campaign)
  const refusal = { status: 400, body: { key: 'invalid_payload', message: 'Invalid payload', details } }
  expect(await shop.call('POST', `/v1/promotions/${campaign}/tiers`, { name: 'Tier', ...body })).toMatchObject(refusal)
  expect(await shop.call('PUT', pathOf(tier), body)).toMatchObject(refusal)
  expect((await shop.call('GET', `/v1/promotions/${campaign}/tiers`)).body.tiers).toEqual([tier])
})

test('references must exist; otherwise nothing is created', async () => {
  const shop = await newProject()
  const campaign = await newPromotion(shop)
  const tier = await newTier(shop, campaign)
  const rule = await newRule(shop)
  const unit = { discount: { type: 'UNIT', unit_off: 1, unit_type: 'prod_0', effect: 'ADD_NEW_ITEMS' } }
  for (const [body, resourceType, resourceId] of [
    [{ category_id: 'cat_0' }, 'category', 'cat_0'],
    [{ validation_rules: [rule, 'val_0'], category: 'Never made' }, 'validation_rules', 'val_0'],
    [{ validation_rule_assignments: { data: [{ rule_id: 'val_0' }] } }, 'validation_rules', 'val_0'],
    [{ action: unit }, 'product', 'prod_0'],
  ] as const) {
    const refusal = { status: 404, body: { key: 'not_found', resource_type: resourceType, resource_id: resourceId } }
    expect(await shop.call('POST', `/v1/promotions/${campaign}/tiers`, { name: 'Tier', ...body })).toMatchObject(
      refusal,
    )
    expect(await shop.call('PUT', pathOf(tier), body)).toMatchObject(refusal)
  }
  expect((await shop.call('GET', `/v1/promotions/${campaign}/tiers`)).body.tiers).toEqual([tier])
  expect((await shop.call('GET', '/v1/categories')).body.total).toBe(0)
  expect((await shop.call('GET', '/v1/validation-rules-assignments')).body.total).toBe(0)
})

describe('POST /v1/promotions/{campaignId}/tiers', () => {
  test('an unknown campaign is reported before the body is validated', async () => {
    const shop = await newProject()
    expect(await shop.call('POST', '/v1/promotions/nothing/tiers', { name: 7 })).toMatchObject({
      status: 404,
      body: { resource_type: 'campaign', resource_id: 'nothing' },
    })
  })

  test('only a promotion has tiers', async () => {
    const shop = await newProject()
    const { body: campaign } = await shop.call('POST', '/v1/campaigns', {
      name: 'Coupons',
      campaign_type: 'DISCOUNT_COUPONS',
      voucher: { type: 'DISCOUNT_VOUCHER', ...percentOff(10) },
    })
    for (const key of [campaign.id, 'Coupons']) {
      expect(await shop.call('POST', `/v1/promotions/${key}/tiers`, { name: 'Tier', category: 'Sale' })).toMatchObject({
        status: 400,
        body: { key: 'invalid_campaign', details: `Campaign ${campaign.id} is not a promotion campaign` },
      })
      expect((await shop.call('GET', `/v1/promotions/${key}/tiers`)).body).toMatchObject({ total: 0, tiers: [] })
    }
  })

  test('a discount that gives products away contains their names', async () => {
    const shop = await newProject()
    const { body: product } = await shop.call('POST', '/v1/products', { name: 'Mug', source_id: 'mug' })
    const tier = await newTier(shop, await newPromotion(shop), {
      action: { discount: { type: 'UNIT', unit_off: 1, unit_type: product.id, effect: 'ADD_NEW_ITEMS' } },
    })
    expect(tier.action.discount).toMatchObject({ product: { id: product.id, source_id: 'mug', name: 'Mug' } })
  })
})

describe('PUT /v1/promotions/tiers/{promotionTierId}', () => {
  test('omitted members keep their value, null clears optional ones, and `active` is ignored', async () => {
    const shop = await newProject()
    const tier = await newTier(shop, await newPromotion(shop), {
      banner: 'Today',
      category: 'Sale',
      start_date: '2026-01-01T00:00:00.000Z',
      expiration_date: '2026-02-01T00:00:00.000Z',
      validity_timeframe: { interval: 'P2D', duration: 'P1D' },
      validity_day_of_week: [1],
    })
    const untouched = await shop.call('PUT', pathOf(tier), { active: false, summary: null })
    expect(untouched.body).toEqual({ ...tier, updated_at: instant, warnings: expect.any(Array) })

    const { banner: _, start_date: __, expiration_date: ___, validity_timeframe: _1, ...rest } = tier
    const { validity_day_of_week: _2, ...bare } = rest
    const cleared = await shop.call('PUT', pathOf(tier), {
      banner: null,
      category_id: null,
      start_date: null,
      expiration_date: null,
      validity_timeframe: null,
      validity_day_of_week: [],
    })
    expect(cleared.body).toEqual({ ...bare, category_id: null, categories: [], updated_at: instant })
  })

  test('validity is checked as it is after the update', async () => {
    const shop = await newProject()
    const tier = await newTier(shop, await newPromotion(shop), { start_date: '2026-03-01', validity_day_of_week: [1] })
    const hours = { daily: [{ start_time: '08:00', expiration_time: '10:00' }] }
    const refusal = (details: string) => ({ status: 400, body: { key: 'invalid_payload', details } })
    expect(await shop.call('PUT', pathOf(tier), { expiration_date: '2026-02-01' })).toMatchObject(
      refusal('Property .expiration_date must not be earlier than .start_date'),
    )
    expect(await shop.call('PUT', pathOf(tier), { validity_hours: hours })).toMatchObject(
      refusal('Property .validity_hours cannot be combined with .validity_timeframe or .validity_day_of_week'),
    )
    expect(
      (await shop.call('PUT', pathOf(tier), { validity_hours: hours, validity_day_of_week: null })).body,
    ).toMatchObject({ validity_hours: hours })
  })

  test('metadata is merged key by key, and keys can be unset', async () => {
    const shop = await newProject()
    const tier = await newTier(shop, await newPromotion(shop), { metadata: { a: 1, b: { c: 2, d: 3 }, e: 5 } })
    const { body } = await shop.call('PUT', pathOf(tier), {
      metadata: { b: { c: 9 }, a: null, f: 6 },
      unset_metadata_fields: ['e', 'f', 'nothing'],
    })
    expect(body.metadata).toEqual({ a: null, b: { c: 9 } })
    expect((await shop.call('PUT', pathOf(tier), { unset_metadata_fields: ['a'] })).body.metadata).toEqual({
      b: { c: 9 },
    })
  })

  test('metadata must match the schema of the project', async () => {
    const shop = await newProject()
    const campaign = await newPromotion(shop)
    await shop.call('POST', '/v1/metadata-schemas', {
      related_object: 'promotion_tier',
      properties: { level: { type: 'number', array: false, optional: false } },
    })
    const create = (metadata?: object) => shop.call('POST', `/v1/promotions/${campaign}/tiers`, { name: 'A', metadata })
    for (const metadata of [undefined, {}, { level: 'high' }])
      expect(await create(metadata)).toMatchObject({ status: 400, body: { key: 'metadata_validation_failed' } })
    const { body: tier } = await create({ level: 1 })
    expect(await shop.call('PUT', pathOf(tier), { metadata: { level: 'high' } })).toMatchObject({
      status: 400,
      body: { key: 'metadata_validation_failed', details: expect.stringMatching(/^level: must be a number/) },
    })
    expect((await shop.call('PUT', pathOf(tier), { metadata: { other: true } })).body.metadata).toEqual({
      level: 1,
      other: true,
    })
  })
})

describe('the rules of a tier', () => {
  test('are assigned once each, replaced by a list, and kept without one', async () => {
    const shop = await newProject()
    const [a, b, c] = [await newRule(shop), await newRule(shop), await newRule(shop)]
    const tier = await newTier(shop, await newPromotion(shop), { validation_rules: [b, a, b] })
    expect(rulesOf(tier).toSorted()).toEqual([a, b].toSorted())
    expect(rulesOf((await shop.call('PUT', pathOf(tier), { name: 'New' })).body)).toEqual(rulesOf(tier))

    const replaced = await shop.call('PUT', pathOf(tier), { validation_rules: [a, c] })
    expect(rulesOf(replaced.body)).toEqual([a, c])
    // The rule that stays keeps its assignment.
    expect(tier.validation_rule_assignments.data).toContainEqual(replaced.body.validation_rule_assignments.data[0])
    const events = await eventsOf(shop, 'business_validation_rule.assignment.')
    expect(events.map(({ type, entity_id, data }) => [type, entity_id, data.promotion_tier?.id])).toEqual([
      ['business_validation_rule.assignment.created', b, tier.id],
      ['business_validation_rule.assignment.created', a, tier.id],
      ['business_validation_rule.assignment.deleted', b, tier.id],
      ['business_validation_rule.assignment.created', c, tier.id],
    ])
    expect(events[0]!.data.promotion_tier).toEqual({
      id: tier.id,
      name: 'Tier',
      banner: null,
      campaign: { id: tier.campaign_id },
      metadata: {},
    })

    expect(rulesOf((await shop.call('PUT', pathOf(tier), { validation_rules: null })).body)).toEqual([a, c])
    expect(rulesOf((await shop.call('PUT', pathOf(tier), { validation_rules: [] })).body)).toEqual([])
  })

  test('can be sent in the form of a response; the plain list takes precedence', async () => {
    const shop = await newProject()
    const [a, b] = [await newRule(shop), await newRule(shop)]
    const campaign = await newPromotion(shop)
    const spelt = (...ids: string[]) => ({
      validation_rule_assignments: { data: ids.map((ruleId) => ({ rule_id: ruleId })) },
    })
    const tier = await newTier(shop, campaign, spelt(a))
    expect(rulesOf(tier)).toEqual([a])
    expect(rulesOf(await newTier(shop, campaign, { ...spelt(a), validation_rules: [b] }))).toEqual([b])
    expect(rulesOf((await shop.call('PUT', pathOf(tier), spelt(b))).body)).toEqual([b])
  })

  test('can also be assigned by their own endpoint; they are deleted with the tier', async () => {
    const shop = await newProject()
    const rule = await newRule(shop)
    const tier = await newTier(shop, await newPromotion(shop))
    const assign = (id: string) =>
      shop.call('POST', `/v1/validation-rules/${rule}/assignments`, {
        related_object_type: 'promotion_tier',
        related_object_id: id,
      })
    expect(await assign(tier.id)).toMatchObject({ status: 200 })
    expect(await assign('promo_0')).toMatchObject({ status: 404, body: { resource_type: 'promotion_tier' } })
    expect(rulesOf((await shop.call('GET', pathOf(tier))).body)).toEqual([rule])
    expect(rulesOf((await shop.call('GET', '/v1/promotions/tiers')).body.tiers[0])).toEqual([rule])

    await shop.call('DELETE', pathOf(tier))
    expect((await shop.call('GET', '/v1/validation-rules-assignments')).body.total).toBe(0)
    const [, deleted] = await eventsOf(shop, 'business_validation_rule.assignment.')
    expect(deleted).toMatchObject({
      type: 'business_validation_rule.assignment.deleted',
      data: { promotion_tier: { id: tier.id } },
    })
  })
})

test('a deleted category is shown as none, for the tier and for its campaign', async () => {
  const shop = await newProject()
  const campaign = await newPromotion(shop)
  const tier = await newTier(shop, campaign, { category: 'Sale' })
  await setCampaign(shop, campaign, { category_id: tier.category_id })
  expect((await shop.call('GET', pathOf(tier))).body.campaign.category_id).toBe(tier.category_id)
  await shop.call('DELETE', `/v1/categories/${tier.category_id}`)
  expect((await shop.call('GET', pathOf(tier))).body).toMatchObject({
    category_id: null,
    categories: [],
    campaign: { category_id: null },
  })
})

test('a tier can be disabled and enabled, with an event only on a change', async () => {
  const shop = await newProject()
  const tier = await newTier(shop, await newPromotion(shop))
  const off = await shop.call('POST', `${pathOf(tier)}/disable`)
  expect(off).toMatchObject({ status: 200 })
  expect(off.body).toEqual({ ...tier, active: false, updated_at: instant })
  expect((await shop.call('POST', `${pathOf(tier)}/disable`)).body).toEqual(off.body)
  expect((await shop.call('POST', `${pathOf(tier)}/enable`)).body).toMatchObject({ active: true })
  expect((await shop.call('POST', `${pathOf(tier)}/enable`)).body).toMatchObject({ active: true })
  expect(await typesOf(shop, 'campaign.promotion_tier.')).toEqual([
    'campaign.promotion_tier.created',
    'campaign.promotion_tier.disabled',
    'campaign.promotion_tier.enabled',
  ])
  for (const verb of ['enable', 'disable'])
    expect(await shop.call('POST', `/v1/promotions/tiers/promo_0/${verb}`)).toMatchObject({ status: 404 })
})

test('tiers and stacks of a protected campaign cannot be changed, only enabled and disabled', async () => {
  const shop = await newProject()
  const campaign = await newPromotion(shop)
  const tier = await newTier(shop, campaign)
  const { body: stack } = await shop.call('POST', `/v1/promotions/${campaign}/stacks`, {
    name: 'Both',
    tiers: { ids: [tier.id] },
  })
  await setCampaign(shop, campaign, { protected: true })
  for (const [method, path, body] of [
    ['POST', `/v1/promotions/${campaign}/tiers`, { name: 'More' }],
    ['PUT', pathOf(tier), {}],
    ['DELETE', pathOf(tier), undefined],
    ['POST', `/v1/promotions/${campaign}/stacks`, { name: 'More', tiers: { ids: [tier.id] } }],
    ['PUT', `/v1/promotions/${campaign}/stacks/${stack.id}`, {}],
    ['DELETE', `/v1/promotions/${campaign}/stacks/${stack.id}`, undefined],
  ] as const)
    expect(await shop.call(method, path, body), `${method} ${path}`).toMatchObject({
      status: 400,
      body: { key: 'resource_protected', resource_type: 'campaign', resource_id: campaign },
    })
  expect(await shop.call('POST', `${pathOf(tier)}/disable`)).toMatchObject({ status: 200 })
})

test('the tiers and stacks of a campaign in the bin cannot be read, changed or given rules', async () => {
  const shop = await newProject()
  const campaign = await newPromotion(shop)
  const tier = await newTier(shop, campaign)
  const { body: stack } = await shop.call('POST', `/v1/promotions/${campaign}/stacks`, {
    name: 'Both',
    tiers: { ids: [tier.id] },
  })
  const rule = await newRule(shop)
  expect(await shop.call('DELETE', `/v1/campaigns/${campaign}`)).toMatchObject({ status: 202 })
  for (const [method, path, body] of [
    ['GET', pathOf(tier)],
    ['PUT', pathOf(tier), {}],
    ['DELETE', pathOf(tier)],
    ['POST', `${pathOf(tier)}/enable`],
    ['GET', `/v1/promotions/${campaign}/tiers`],
    ['POST', `/v1/promotions/${campaign}/tiers`, { name: 'More' }],
    ['GET', `/v1/promotions/${campaign}/stacks`],
    ['GET', `/v1/promotions/${campaign}/stacks/${stack.id}`],
    [
      'POST',
      `/v1/validation-rules/${rule}/assignments`,
      { related_object_type: 'promotion_tier', related_object_id: tier.id },
    ],
  ] as const)
    expect(await shop.call(method, path, body), `${method} ${path}`).toMatchObject({ status: 404 })
  expect((await shop.call('GET', '/v1/promotions/tiers')).body).toMatchObject({ tiers: [], total: 0 })
  expect((await shop.call('GET', '/v1/promotions/stacks')).body).toMatchObject({ data: [], total: 0 })
})

test('a deleted tier leaves a deletion record for every node', async () => {
  const shop = await newProject()
  const tier = await newTier(shop, await newPromotion(shop))
  await shop.call('DELETE', pathOf(tier))
  const deletions = await database(shop)
    .selectFrom('configuration_deletions')
    .where('project_id', '=', shop.project_id)
    .select(['object_type', 'object_id'])
    .execute()
  expect(deletions).toEqual([{ object_type: 'promotion_tier', object_id: tier.id }])
})

describe('lists of tiers', () => {
  const names = (body: { tiers: Array<{ name: string }> }) => body.tiers.map(({ name }) => name)

  test('a list shows tiers as a single request does, newest first', async () => {
    const shop = await newProject()
    const [one, other] = [await newPromotion(shop, 'One'), await newPromotion(shop, 'Other')]
    const tiers = []
    for (const [campaign, name] of [
      [one, 'A'],
      [other, 'B'],
      [one, 'C'],
    ] as const)
      tiers.push(await newTier(shop, campaign, { name, validation_rules: [await newRule(shop)] }))
    expect((await shop.call('GET', '/v1/promotions/tiers')).body).toEqual({
      object: 'list',
      data_ref: 'tiers',
      tiers: tiers.toReversed(),
      total: 3,
      has_more: false,
    })
    expect((await shop.call('GET', '/v1/promotions/tiers?limit=2')).body).toMatchObject({
      tiers: { length: 2 },
      total: 3,
      has_more: true,
      more_starting_after: tiers[1].id,
    })
    expect(names((await shop.call('GET', '/v1/promotions/tiers?limit=2&page=2')).body)).toEqual(['A'])
    expect((await shop.call('GET', '/v1/promotions/One/tiers')).body).toEqual({
      object: 'list',
      data_ref: 'tiers',
      tiers: [tiers[2], tiers[0]],
      total: 2,
      has_more: false,
    })
  })

  test('the tiers of a campaign are listed all at once, unless the client pages', async () => {
    const shop = await newProject()
    const campaign = await newPromotion(shop)
    for (let n = 0; n < 12; n++) await newTier(shop, campaign, { name: `${n}` })
    const list = async (query: string) => (await shop.call('GET', `/v1/promotions/${campaign}/tiers${query}`)).body
    expect(await list('')).toMatchObject({ tiers: { length: 12 }, total: 12, has_more: false })
    expect(await list('?limit=5&page=3')).toMatchObject({ tiers: { length: 2 }, total: 12, has_more: false })
    expect(await list('?page=1')).toMatchObject({ tiers: { length: 10 }, total: 12, has_more: true })
    expect(names(await list('?limit=2'))).toEqual(['11', '10'])
    expect(await list('?limit=101')).toMatchObject({ code: 400, key: 'invalid_query_params' })
    const { id: foreign } = await newTier(shop, await newPromotion(shop, 'Other'))
    expect(await list(`?starting_after_id=${foreign}`)).toMatchObject({ code: 400, key: 'invalid_query_params' })
    expect(await shop.call('GET', '/v1/promotions/nothing/tiers')).toMatchObject({ status: 404 })
  })

  test('the client side returns the same list without its figures', async () => {
    const shop = await newProject({
      env: { AUTH_MODE: 'either' },
      project: { client_trusted_domains: ['shop.example'] },
    })
    await newTier(shop, await newPromotion(shop))
    const client = { 'x-client-application-id': shop.client_id, 'x-client-token': shop.client_token }
    const list = (origin: string) =>
      send(shop.service.app, 'GET', '/client/v1/promotions/tiers?is_available=true', undefined, { ...client, origin })
    const { body } = await shop.call('GET', '/v1/promotions/tiers')
    expect(body.tiers).toHaveLength(1)
    const tiers = body.tiers.map(({ summary: _, ...tier }: { summary: object }) => tier)
    expect(await list('https://shop.example')).toMatchObject({ status: 200, body: { ...body, tiers } })
    expect(await list('https://evil.example')).toMatchObject({ status: 403 })
  })

  const orders = ['-created_at', 'created_at', 'updated_at', '-updated_at']

  test('pages stay stable while tiers are added', async () => {
    const shop = await newProject()
    const campaigns = [await newPromotion(shop, 'One'), await newPromotion(shop, 'Other')]
    const create = async (n: number) => {
      const tier = await newTier(shop, campaigns[n % 2] as string, { name: `${n}` })
      if (n % 3 === 0) await shop.call('PUT', pathOf(tier), {})
      return tier.id
    }
    await expectStablePaging({ shop, path: '/v1/promotions/tiers', orders, data_ref: 'tiers', create })
  })

  test('pages of one campaign, and of available tiers, stay stable while tiers are added', async () => {
    const shop = await newProject()
    const campaign = await newPromotion(shop)
    const create = async (n: number) => (await newTier(shop, campaign, { name: `${n}` })).id
    await expectStablePaging({
      shop,
      path: `/v1/promotions/${campaign}/tiers?is_available=true`,
      orders: ['-created_at'],
      data_ref: 'tiers',
      create,
    })
  })
})

describe('what is available', () => {
  afterEach(async () => (await testService()).clock.set(Date.now()))

  // Monday 2 March 2026, 10:00 in UTC and 11:00 in Warsaw.
  const now = '2026-03-02T10:00:00.000Z'
  const [before, after] = ['2026-03-02T09:59:59.000Z', '2026-03-02T10:30:00.000Z'] // the clock goes on from ten
  const hours = (startTime: string, expirationTime: string, daysOfWeek?: number[]) => ({
    validity_hours: {
      daily: [
        { start_time: startTime, expiration_time: expirationTime, ...(daysOfWeek && { days_of_week: daysOfWeek }) },
      ],
    },
  })
  const every = (interval: string, duration: string) => ({ validity_timeframe: { interval, duration } })

  const limits: Array<[limits: Record<string, unknown>, isAvailable: boolean]> = [
    [{}, true],
    [{ active: false }, false],
    [{ start_date: now, expiration_date: after }, true],
    [{ start_date: after }, false],
    [{ expiration_date: before }, false],
    [{ validity_day_of_week: [1] }, true],
    [{ validity_day_of_week: [0, 2, 3, 4, 5, 6] }, false],
    [hours('11:00', '12:00'), true],
    [hours('10:00', '10:59'), false],
    [hours('08:00', '11:00', [1]), true],
    [hours('08:00', '12:00', [2]), false],
    [{ start_date: '2026-02-28T10:00:00.000Z', ...every('P2D', 'PT1H') }, true],
    [{ start_date: '2026-03-01T10:00:00.000Z', ...every('P2D', 'PT1H') }, false],
    [{ start_date: '2026-02-28T10:00:00.000Z', ...every('P2D', 'PT1H'), validity_day_of_week: [0] }, false],
  ]

  async function shopAtTen(): Promise<Shop> {
    const shop = await newProject({ project: { timezone: 'Europe/Warsaw' } })
    shop.service.clock.set(now)
    return shop
  }

  const available = async (shop: Shop, path = '/v1/promotions/tiers?limit=100') =>
    (await shop.call('GET', `${path}${path.includes('?') ? '&' : '?'}is_available=true`)).body

  test('a tier is available by its own limits, in the time zone of the project', async () => {
    const shop = await shopAtTen()
    const campaign = await newPromotion(shop)
    const expected = []
    for (const [index, [limit, isAvailable]] of limits.entries()) {
      await newTier(shop, campaign, { name: `${index}`, ...limit })
      if (isAvailable) expected.push(`${index}`)
    }
    await shop.call('POST', `/v1/promotions/${campaign}/tiers`, { name: 'without a discount' })
    for (const path of [undefined, `/v1/promotions/${campaign}/tiers`]) {
      const { tiers, total, has_more } = await available(shop, path)
      expect(tiers.map(({ name }: { name: string }) => name).toSorted((a: string, b: string) => +a - +b)).toEqual(
        expected,
      )
      expect({ total, has_more }).toEqual({ total: expected.length, has_more: false })
    }
    // Pages and totals count available tiers only.
    expect(await available(shop, '/v1/promotions/tiers?limit=4&page=2')).toMatchObject({
      total: expected.length,
      tiers: { length: expected.length - 4 },
      has_more: false,
    })
    for (const query of ['', '&is_available=false'])
      expect((await shop.call('GET', `/v1/promotions/tiers?limit=1${query}`)).body.total).toBe(limits.length + 1)
  })

  test('a tier is available only within the limits of its campaign', async () => {
    const shop = await shopAtTen()
    const expected = []
    for (const [index, [limit, isAvailable]] of limits.entries()) {
      const campaign = await newPromotion(shop, `${index}`)
      const asJson = ([name, value]: [string, unknown]) => [
        name,
        typeof value === 'object' ? JSON.stringify(value) : value,
      ]
      await setCampaign(shop, campaign, { active: true, ...Object.fromEntries(Object.entries(limit).map(asJson)) })
      const tier = await newTier(shop, campaign, { name: `${index}` })
      await newTier(shop, campaign, { name: 'closed', start_date: after })
      if (isAvailable) expected.push(tier.name)
    }
    const { tiers, total } = await available(shop)
    expect(tiers.map(({ name }: { name: string }) => name).toSorted((a: string, b: string) => +a - +b)).toEqual(
      expected,
    )
    expect(total).toBe(expected.length)
  })
})
