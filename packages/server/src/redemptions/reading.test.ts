import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Ctx } from '../core/context.ts'
import { foldUsage } from '../core/db/usage.ts'
import { limits } from '../core/lib/limits.ts'
import { newProject, type Shop } from '../testing/app.ts'
import { newCampaign, newVoucher, runCampaignJobs } from '../testing/campaigns.ts'
import { ok } from '../testing/orders.ts'
import { expectStablePaging } from '../testing/paging.ts'
import { newPromotion, newTier } from '../testing/promotions.ts'
import { newRedemption, ofTier, ofVoucher, type RedemptionFields } from '../testing/redemptions.ts'
import { setLimits } from '../testing/set-limits.ts'
import { pageOfRedemptions } from './list.ts'

const dbOf = (shop: Shop) => shop.service.runtime.database.db
const gift = { type: 'GIFT_VOUCHER', discount: undefined, gift: { amount: 5000 } }

const newCustomer = (shop: Shop, sourceId: string) =>
  ok(shop, 'POST', '/v1/customers', { source_id: sourceId, name: sourceId.toUpperCase(), metadata: { vip: true } })

/** The codes, or else the ids, of the rows of a list, and its total. */
async function listed(shop: Shop, query = ''): Promise<string> {
  const { redemptions, total } = await ok(shop, 'GET', `/v1/redemptions${query}`)
  const names = redemptions.map((one: { id: string; voucher: { code: string } | null }) => one.voucher?.code ?? one.id)
  return `${names.join(' ')} of ${total}`
}

/** Minutes after the beginning of 2026. */
const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()

describe('one redemption', () => {
  test('of a voucher shows the voucher as it is now, with its rules, and the customer', async () => {
    const shop = await newProject()
    const category = await ok(shop, 'POST', '/v1/categories', { name: 'Spring', hierarchy: 1 })
    const voucher = await newVoucher(shop, 'TEN', { category_id: category.id })
    const rule = await ok(shop, 'POST', '/v1/validation-rules', { name: 'Rule' })
    await ok(shop, 'POST', `/v1/validation-rules/${rule.id}/assignments`, { voucher: 'TEN' })
    const customer = await newCustomer(shop, 'anna')
    const order = { id: 'ord_1', source_id: null, amount: 1000, items: [], metadata: {}, object: 'order' }
    const id = await newRedemption(shop, {
      ...ofVoucher(voucher),
      created_at: at(1),
      customer_id: customer.id,
      tracking_id: 'track_1',
      session_key: 'ssn_1',
      metadata: { till: 7 },
      order,
    })
    await ok(shop, 'PUT', '/v1/vouchers/TEN', { additional_info: 'changed since' })
    const body = await ok(shop, 'GET', `/v1/redemptions/${id}`)
    expect(body).toEqual({
      id,
      object: 'redemption',
      date: at(1),
      customer_id: customer.id,
      tracking_id: 'track_1',
      metadata: { till: 7 },
      result: 'SUCCESS',
      status: 'SUCCEEDED',
      session: { key: 'ssn_1' },
      order,
      channel: { channel_id: 'app', channel_type: 'API' },
      customer: { id: customer.id, name: 'ANNA', email: null, source_id: 'anna', metadata: { vip: true }, object: 'customer' },
      related_object_type: 'voucher',
      related_object_id: voucher.id,
      voucher: (await shop.call('GET', '/v1/vouchers/TEN')).body,
    }) // biome-ignore format: the whole answer
    expect(body.voucher).toMatchObject({
      additional_info: 'changed since',
      categories: [{ name: 'Spring' }],
      validation_rules_assignments: { data: [{ rule_id: rule.id }], total: 1 },
    })
  })

  test('of a voucher of a campaign shows the rules of both, its own first', async () => {
    const shop = await newProject()
    const campaign = await newCampaign(shop, 'C')
    const voucher = await ok(shop, 'POST', '/v1/campaigns/C/vouchers/IN', {})
    const rules: string[] = []
    for (const target of [{ campaign: campaign.id }, { voucher: 'IN' }]) {
      const { id } = await ok(shop, 'POST', '/v1/validation-rules', { name: 'Rule' })
      await ok(shop, 'POST', `/v1/validation-rules/${id}/assignments`, target)
      rules.unshift(id)
    }
    const id = await newRedemption(shop, ofVoucher(voucher))
    const { validation_rules_assignments } = (await ok(shop, 'GET', `/v1/redemptions/${id}`)).voucher
    expect(validation_rules_assignments.data.map(({ rule_id }: { rule_id: string }) => rule_id)).toEqual(rules)
  })

  test('of a card shows the amount spent by its type of card, a rollback the negative amount', async () => {
    const shop = await newProject()
    const card = await newVoucher(shop, 'GIFT', gift)
    const points = await newVoucher(shop, 'POINTS', {
      type: 'LOYALTY_CARD',
      discount: undefined,
      loyalty_card: { points: 9 },
    })
    const rollback = { id: 'rr_1', date: at(9), rollback_order_mode: 'WITH_ORDER' } as const
    const id = await newRedemption(shop, {
      ...ofVoucher(card),
      amount: 700,
      status: 'ROLLED_BACK',
      rollback,
      created_at: at(1),
    })
    await newRedemption(shop, {
      ...ofVoucher(card),
      object: 'redemption_rollback',
      id: 'rr_1',
      amount: -700,
      redemption_id: id,
      reason: 'broken',
      created_at: at(9),
    })
    const spent = await newRedemption(shop, { ...ofVoucher(points), amount: 5 })
    const gone = await ok(shop, 'GET', `/v1/redemptions/${id}`)
    expect(gone).toMatchObject({ amount: 700, gift: { amount: 700 }, result: 'SUCCESS', status: 'ROLLED_BACK' })
    expect(gone.related_redemptions).toEqual({ rollbacks: [rollback], redemptions: [{ id, date: at(1) }] })
    expect(gone).not.toHaveProperty('loyalty_card')
    const undone = await ok(shop, 'GET', '/v1/redemptions/rr_1')
    expect(undone).toMatchObject({
      object: 'redemption_rollback',
      status: 'SUCCEEDED',
      redemption: id,
      reason: 'broken',
      amount: -700,
      gift: { amount: -700 },
      related_redemptions: { redemptions: [{ id, date: at(1) }] },
      metadata: null,
      voucher: { code: 'GIFT' },
    })
    const cardOfPoints = await ok(shop, 'GET', `/v1/redemptions/${spent}`)
    expect(cardOfPoints).toMatchObject({ amount: 5, loyalty_card: { points: 5 } })
    expect(cardOfPoints).not.toHaveProperty('gift')
  })

  test('of a tier shows the tier with its usage minus rollbacks, whether the usage rows are merged or not', async () => {
    const shop = await newProject()
    const tier = await newTier(shop, await newPromotion(shop))
    const id = await newRedemption(shop, { ...ofTier(tier), orders_amount: 9000, discounted_amount: 900 })
    await newRedemption(shop, { ...ofTier(tier), orders_amount: 500, discounted_amount: 50 })
    await foldUsage(dbOf(shop), 1_000)
    await newRedemption(shop, {
      ...ofTier(tier),
      object: 'redemption_rollback',
      redemption_id: id,
      orders_amount: 9000,
      discounted_amount: 900,
    })
    const summary = { redemptions: { total_redeemed: 1 }, orders: { total_amount: 500, total_discount_amount: 50 } }
    const body = await ok(shop, 'GET', `/v1/redemptions/${id}`)
    expect(body).toMatchObject({ voucher: null, customer: null, related_object_type: 'promotion_tier' })
    expect(body.promotion_tier).toEqual({ ...tier, summary })
    expect((await ok(shop, 'GET', `/v1/promotions/tiers/${tier.id}`)).summary).toEqual(summary)
    expect((await ok(shop, 'GET', '/v1/promotions/tiers')).tiers).toMatchObject([{ summary }])
  })

  test('of several refers to its parent, which is related to itself; a failure shows the reason', async () => {
    const shop = await newProject()
    const parent = await newRedemption(shop)
    const child = await newRedemption(shop, { ...ofVoucher(await newVoucher(shop, 'A')), parent_id: parent })
    const failed = await newRedemption(shop, {
      result: 'FAILURE',
      failure_code: 'quantity_exceeded',
      failure_message: 'quantity exceeded',
    })
    expect(await ok(shop, 'GET', `/v1/redemptions/${parent}`)).toMatchObject({
      related_object_type: 'redemption',
      related_object_id: parent,
      voucher: null,
      order: null,
    })
    expect(await ok(shop, 'GET', `/v1/redemptions/${child}`)).toMatchObject({ redemption: parent })
    expect(await ok(shop, 'GET', `/v1/redemptions/${failed}`)).toMatchObject({
      id: expect.stringMatching(/^rf_/),
      status: 'FAILED',
      failure_code: 'quantity_exceeded',
      failure_message: 'quantity exceeded',
    })
  })

  test('that is unknown or of another project is not found', async () => {
    const [shop, other] = [await newProject(), await newProject()]
    for (const id of ['r_0', await newRedemption(other)])
      expect(await shop.call('GET', `/v1/redemptions/${id}`)).toMatchObject({
        status: 404,
        body: { key: 'not_found', resource_type: 'redemption' },
      })
  })
})

describe('the list', () => {
  const orders = ['created_at', 'id', 'voucher_code', 'tracking_id', 'customer_id'].flatMap((name) => [
    name,
    `-${name}`,
  ])

  test('is paged in every order during new redemptions, each older one exactly once', async () => {
    const shop = await newProject()
    const customers = [await newCustomer(shop, 'anna'), await newCustomer(shop, 'Ben')]
    const vouchers = [await newVoucher(shop, 'B'), await newVoucher(shop, 'a')]
    await expectStablePaging({
      shop,
      path: '/v1/redemptions',
      data_ref: 'redemptions',
      orders,
      // Several at one moment, some without a customer, some without a code.
      create: (n) =>
        newRedemption(shop, {
          created_at: at(Math.floor(n / 3)),
          ...(n % 4 === 3 ? { result: 'FAILURE' } : {}),
          ...(n % 3 === 0 ? {} : ofVoucher(vouchers[n % 2] as never)),
          ...(n % 5 < 2 ? {} : { customer_id: customers[n % 2].id, tracking_id: `t${n % 7}` }),
        }),
      sorted: { created_at: (row) => row.date, voucher_code: (row) => row.voucher?.code ?? null },
    })
  })

  test('without parameters has all redemptions, newest first, and its total grows with them', async () => {
    const shop = await newProject()
    expect(await ok(shop, 'GET', '/v1/redemptions')).toEqual({
      object: 'list',
      data_ref: 'redemptions',
      redemptions: [],
      total: 0,
    })
    for (const [n, code] of ['A', 'B', 'C'].entries())
      await newRedemption(shop, { ...ofVoucher(await newVoucher(shop, code)), created_at: at(n) })
    await newRedemption(await newProject(), {})
    expect(await listed(shop)).toBe('C B A of 3')
    expect(await listed(shop, '?limit=2&page=2')).toBe('A of 3')
    expect(await listed(shop, '?limit=2&page=3')).toBe(' of 3')
  })

  test('is filtered by its parameters and filters', async () => {
    const shop = await newProject()
    const campaign = await newCampaign(shop, 'Spring')
    const anna = await newCustomer(shop, 'anna')
    const [a, b] = [await newVoucher(shop, 'A-1'), await ok(shop, 'POST', '/v1/campaigns/Spring/vouchers/B-1', {})]
    const tier = await newTier(shop, await newPromotion(shop, 'Promo'))
    const ids: Record<string, string> = {}
    const add = async (name: string, fields: RedemptionFields) => {
      ids[name] = await newRedemption(shop, { ...fields, created_at: at(Object.keys(ids).length) })
    }
    await add('parent', { customer_id: anna.id, tracking_id: 'web' })
    await add('a', { ...ofVoucher(a), customer_id: anna.id, parent_id: ids.parent as string })
    await add('b', { ...ofVoucher(b), parent_id: ids.parent as string })
    await add('failed', { ...ofVoucher(b), result: 'FAILURE', failure_code: 'voucher_expired' })
    await add('tier', ofTier(tier))
    await add('undone', {
      ...ofVoucher(a),
      object: 'redemption_rollback',
      redemption_id: ids.a as string,
      customer_id: anna.id,
    })
    const nameOf = new Map(Object.entries(ids).map(([name, id]) => [id, name]))
    const is = (field: string, operator: string, value: string) => `filters[${field}][conditions][${operator}]=${value}`

    const cases: Array<[query: string, found: string]> = [
      ['', 'parent a b failed tier undone'],
      ['result=FAILURE', 'failed'],
      ['result=FAILURE&result=SUCCESS', 'parent a b failed tier undone'],
      ['campaign=Spring', 'b failed'],
      ['campaign=Promo', 'tier'],
      ['campaign=Nowhere', ''],
      ['customer=anna', 'parent a undone'],
      [`customer=${anna.id}&result=SUCCESS`, 'parent a undone'],
      ['customer=unknown', ''],
      [`created_at[after]=${at(1)}&[created_at][before]=${at(4)}`, 'b failed'],
      [is('voucher_code', '$starts_with', 'A'), 'a undone'],
      [is('voucher_code', '$is_unknown', ''), 'parent tier'],
      [is('related_object_id', '$in][0', tier.id), 'tier'],
      [is('related_object_parent_id', '$is', campaign.id), 'b failed'],
      [is('parent_redemption_id', '$is', ids.parent as string), 'a b'],
      [is('failure_code', '$has_value', ''), 'failed'],
      [is('failure_code', '$is_not', 'voucher_expired'), 'parent a b tier undone'],
      [is('result', '$not_in][0', 'SUCCESS'), 'failed'],
      [is('object', '$is', 'redemption_rollback'), 'undone'],
      [is('customer_id', '$is', anna.id), 'parent a undone'],
      [is('campaign_name', '$contains', 'r'), 'b failed tier'],
      [is('user_login', '$is_unknown', ''), 'parent a b failed tier undone'],
      [is('user_login', '$is', 'any login'), ''],
      [`${is('campaign_name', '$is', 'Spring')}&${is('result', '$is', 'FAILURE')}`, 'failed'],
      [`filters[junction]=or&${is('campaign_name', '$is', 'Promo')}&${is('result', '$is', 'FAILURE')}`, 'failed tier'],
    ] // biome-ignore format: one case is one line
    for (const [query, found] of cases) {
      const { redemptions, total } = await ok(shop, 'GET', `/v1/redemptions?order=created_at&limit=100&${query}`)
      const names = redemptions.map(({ id }: { id: string }) => nameOf.get(id))
      expect([query, names.join(' '), total]).toEqual([query, found, names.length])
    }
  })

  test('compares codes as the project is case-sensitive or not', async () => {
    for (const caseSensitiveCodes of [true, false]) {
      const shop = await newProject({ project: { case_sensitive_codes: caseSensitiveCodes } })
      await newRedemption(shop, ofVoucher(await newVoucher(shop, 'Spring')))
      const { total } = await ok(shop, 'GET', '/v1/redemptions?filters[voucher_code][conditions][$is]=SPRING')
      expect(total).toBe(caseSensitiveCodes ? 0 : 1)
    }
  })

  test.each([
    'order=date',
    'result=MAYBE',
    'limit=101',
    'page=101',
    'page=0',
    'created_at[before]=yesterday',
    'filters[colour][conditions][$is]=red',
    'filters[result][conditions][$like]=1',
    'starting_after_id=r_0',
  ])('refuses %s', async (query) => {
    const shop = await newProject()
    await newRedemption(shop)
    expect(await shop.call('GET', `/v1/redemptions?${query}`)).toMatchObject({
      status: 400,
      body: { key: 'invalid_query_params' },
    })
  })

  test('takes the same number of statements for any number of redemptions, codes, tiers and customers', async () => {
    const shop = await newProject()
    const campaignId = await newPromotion(shop)
    const add = async (n: number) => {
      const customerId = (await newCustomer(shop, `c${n}`)).id
      await newRedemption(shop, { ...ofVoucher(await newVoucher(shop, `V${n}`)), customer_id: customerId })
      await newRedemption(shop, {
        ...ofTier(await newTier(shop, campaignId, { name: `T${n}` })),
        customer_id: customerId,
      })
    }
    await add(0)
    const few = await statementsOfList(shop, 2)
    for (let n = 1; n < 8; n += 1) await add(n)
    expect(await statementsOfList(shop, 16)).toBe(few)
    expect(few).toBeLessThanOrEqual(7)
  })
})

/** The number of statements that listing this many redemptions takes. */
async function statementsOfList(shop: Shop, shown: number): Promise<number> {
  let statements = 0
  const db = dbOf(shop).withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      statements += 1
      return result
    },
  })
  const { settings } = shop.service.runtime
  const project = { timezone: 'UTC', case_sensitive_codes: true }
  const ctx = { db, project_id: shop.project_id, project, settings, now: new Date().toISOString() } as unknown as Ctx
  const { redemptions } = await pageOfRedemptions(ctx, { limit: 100 })
  expect(redemptions.length).toBe(shown)
  return statements
}

describe('in the trash bin', () => {
  test('a voucher removes its redemptions from lists and totals', async () => {
    const shop = await newProject()
    const voucher = await newVoucher(shop, 'GONE')
    const id = await newRedemption(shop, { ...ofVoucher(voucher), created_at: at(0) })
    await newRedemption(shop, { ...ofVoucher(voucher), result: 'FAILURE', created_at: at(1) })
    await newRedemption(shop, { ...ofVoucher(await newVoucher(shop, 'STAYS')), created_at: at(2) })
    expect(await listed(shop)).toBe('STAYS GONE GONE of 3')
    expect(await shop.call('DELETE', '/v1/vouchers/GONE')).toMatchObject({ status: 204 })
    expect(await listed(shop)).toBe('STAYS of 1')
    expect(await listed(shop, '?result=SUCCESS')).toBe('STAYS of 1')
    // It can still be read by its id: only lists hide it.
    expect(await ok(shop, 'GET', `/v1/redemptions/${id}`)).toMatchObject({ voucher: { code: 'GONE' } })
    expect(await shop.call('GET', '/v1/vouchers/GONE/redemption')).toMatchObject({ status: 404 })
  })

  test('a campaign removes those of its vouchers and tiers, including vouchers binned before it', async () => {
    const shop = await newProject()
    await newCampaign(shop, 'C')
    for (const code of ['C1', 'C2'])
      await newRedemption(shop, ofVoucher(await ok(shop, 'POST', `/v1/campaigns/C/vouchers/${code}`, {})))
    const promotion = await newPromotion(shop, 'P')
    const tier = await newTier(shop, promotion)
    await newRedemption(shop, ofTier(tier))
    await newRedemption(shop, ofVoucher(await newVoucher(shop, 'STAYS')))
    await shop.call('DELETE', '/v1/vouchers/C1')
    expect((await ok(shop, 'GET', '/v1/redemptions')).total).toBe(3)
    for (const name of ['C', 'P'])
      expect(await shop.call('DELETE', `/v1/campaigns/${name}`)).toMatchObject({ status: 202 })
    expect(await listed(shop)).toBe('STAYS of 1')
    await runCampaignJobs(shop)
    expect(await listed(shop)).toBe('STAYS of 1')
  })
})

describe('the redemptions of one voucher', () => {
  test('are all listed, newest first, with the counters of the voucher', async () => {
    const shop = await newProject()
    const card = await newVoucher(shop, 'A CARD', gift)
    await newRedemption(shop, ofVoucher(await newVoucher(shop, 'OTHER')))
    const ids: string[] = []
    for (let n = 0; n < 12; n += 1)
      ids.unshift(await newRedemption(shop, { ...ofVoucher(card), amount: 1, created_at: at(n) }))
    ids.unshift(await newRedemption(shop, { ...ofVoucher(card), result: 'FAILURE', created_at: at(20) }))
    await sql`update vouchers set redeemed_quantity = 12, credits_redeemed = 12
      where project_id = ${shop.project_id} and id = ${card.id}`.execute(dbOf(shop))
    const { redemption_entries, ...about } = await ok(shop, 'GET', '/v1/vouchers/A%20CARD/redemption')
    expect(about).toEqual({
      quantity: null,
      redeemed_quantity: 12,
      redeemed_amount: 12,
      object: 'list',
      url: '/v1/vouchers/A%20CARD/redemptions?page=1&limit=10',
      data_ref: 'redemption_entries',
      total: 13,
    })
    const idsOf = (entries: Array<{ id: string }>) => entries.map(({ id }) => id)
    expect(idsOf(redemption_entries)).toEqual(ids)

    const first = await ok(shop, 'GET', about.url)
    expect(first).toEqual({ ...about, redemption_entries: redemption_entries.slice(0, 10) })
    const second = await ok(shop, 'GET', `/v1/vouchers/${card.id}/redemptions?page=2`)
    expect(idsOf(second.redemption_entries)).toEqual(ids.slice(10))
    for (const path of ['redemption', 'redemptions'])
      expect(await shop.call('GET', `/v1/vouchers/NONE/${path}`)).toMatchObject({ status: 404, body: { resource_type: 'voucher' } })
  }) // biome-ignore format: one thought

  test('are paged during new redemptions', async () => {
    const shop = await newProject()
    const voucher = await newVoucher(shop, 'V')
    await expectStablePaging({
      shop,
      path: '/v1/vouchers/V/redemptions',
      data_ref: 'redemption_entries',
      orders: ['created_at', '-created_at'],
      create: (n) => newRedemption(shop, { ...ofVoucher(voucher), created_at: at(Math.floor(n / 3)) }),
      sorted: { created_at: (row) => row.date },
    })
  })

  test('are limited without paging', async () => {
    setLimits({ voucher_redemptions_shown_max: 20 })
    const shop = await newProject()
    const voucher = await newVoucher(shop, 'V')
    const id = await newRedemption(shop, { ...ofVoucher(voucher), created_at: at(0) })
    await sql`
      insert into redemptions (project_id, id, object, result, status, related_object_type, related_object_id, channel_type, channel_id, created_at)
      select project_id, id || n, object, result, status, related_object_type, related_object_id, channel_type, channel_id,
        created_at + n * interval '1 second'
      from redemptions, generate_series(1, ${limits.voucher_redemptions_shown_max}::int) n
      where project_id = ${shop.project_id}`.execute(dbOf(shop))
    const { total, redemption_entries } = await ok(shop, 'GET', '/v1/vouchers/V/redemption')
    expect([total, redemption_entries.length]).toEqual([
      limits.voucher_redemptions_shown_max + 1,
      limits.voucher_redemptions_shown_max,
    ])
    expect(redemption_entries[0].id).toBe(`${id}${limits.voucher_redemptions_shown_max}`)
  })
})
