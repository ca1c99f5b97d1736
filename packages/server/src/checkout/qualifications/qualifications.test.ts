import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { clientView } from '../../audience/customers/client-view.ts'
import { nextConfigurationVersion } from '../../core/db/configuration.ts'
import { inTransaction } from '../../core/db/transaction.ts'
import { newId } from '../../core/lib/ids.ts'
import { toInstant } from '../../core/lib/instant.ts'
import { limits } from '../../core/lib/limits.ts'
import { newProject, type Shop, uniqueName } from '../../testing/app.ts'
import { eventsOf, newCampaign, newVoucher } from '../../testing/campaigns.ts'
import {
  amountOff,
  asClient,
  newCard,
  newCategory,
  newDiscount,
  newGiftCard,
  newProduct,
  newRule,
  newStack,
  newTier,
  percentOff,
  redeemed,
  setStackingRules,
  validated,
  vouchers,
  when,
} from '../../testing/checkout.ts'
import { ok } from '../../testing/orders.ts'
import { newPromotion } from '../../testing/promotions.ts'
import { scaled } from '../../testing/scale.ts'
import { setLimits } from '../../testing/set-limits.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
type Body = any

const qualified = (shop: Shop, body: object = {}): Promise<Body> => ok(shop, 'POST', '/v1/qualifications', body)

/** The ids of the qualified offers, in the order of the response. */
const idsOf = async (shop: Shop, body: object = {}): Promise<string[]> =>
  (await qualified(shop, body)).redeemables.data.map(({ id }: Body) => id)

const order = { amount: 10_000 }
const wide = { limit: 50 }
const dbOf = (shop: Shop) => shop.service.runtime.database.db

const publish = (shop: Shop, body: object): Promise<Body> => ok(shop, 'POST', '/v1/publications', body)
const inTier = (discount: object, more: object = {}) => ({ action: { discount }, ...more })

/** An order line of a product. */
const line = (productId: string, quantity = 1, price = 1_000) => ({ product_id: productId, quantity, price })
const reference = (id: string) => ({ id, object: 'product', type: 'product_or_sku' })
const onProduct = (id: string) => ({
  applicable_to: { included: [{ object: 'product', id }], excluded: [], included_all: false },
})

/** Inserts tiers directly, each a second older than the previous one unless they share a moment. */
async function insertTiers(
  shop: Shop,
  count: number,
  { at = 1_700_000_000_000, apart = 1_000 } = {},
): Promise<string[]> {
  const campaignId = await newPromotion(shop, uniqueName('Promotion'))
  const tiers = Array.from({ length: count }, (_, n) => ({
    id: newId('promotion_tier', at - n * apart),
    created_at: toInstant(at - n * apart),
  }))
  await inTransaction(dbOf(shop), async (db) => {
    const configVersion = await nextConfigurationVersion(db, shop.project_id)
    await sql`insert into promotion_tiers (project_id, id, campaign_id, name, discount, metadata, hierarchy, active, created_at, config_version)
      select ${shop.project_id}, t->>'id', ${campaignId}, 'Tier', '{"type": "AMOUNT", "amount_off": 100}', '{}', 1, true,
        (t->>'created_at')::timestamptz, ${configVersion}
      from jsonb_array_elements(${JSON.stringify(tiers)}::jsonb) t`.execute(db)
  })
  return tiers.map(({ id }) => id)
}

/** Inserts vouchers without a campaign directly, as copies of an existing one. */
async function insertCodes(shop: Shop, like: string, moments: number[], more: object = {}): Promise<string[]> {
  const codes = moments.map((at) => {
    const id = newId('voucher', at)
    return { id, at: toInstant(at), code: `C-${id}` }
  })
  // Reads the original once, not for each copy.
  await sql`
    with one as materialized (
      select v from vouchers v where v.project_id = ${shop.project_id} and v.code = ${like}
    )
    insert into vouchers select made.* from one, jsonb_array_elements(${JSON.stringify(codes)}::jsonb) c,
      lateral jsonb_populate_record(one.v, ${JSON.stringify(more)}::jsonb || jsonb_build_object('id', c->>'id', 'code', c->>'code',
        'code_key', c->>'code', 'created_at', c->>'at', 'asset_id', gen_random_uuid())) made`.execute(dbOf(shop))
  return codes.map(({ code }) => code)
}

describe('candidates', () => {
  let full: ReturnType<typeof newFullShop> | undefined
  const fullShop = () => (full ??= newFullShop())

  /** One of everything: generic and bulk codes, held ones, tiers, a stack. */
  async function newFullShop() {
    const shop = await newProject()
    await newDiscount(shop, 'GENERIC', percentOff(10))
    await newCampaign(shop, 'Public', {
      type: 'STANDALONE',
      voucher: { type: 'DISCOUNT_VOUCHER', code: 'PUBLIC', discount: amountOff(100) },
    })
    const bulk = await newCampaign(shop, 'Bulk')
    await ok(shop, 'POST', '/v1/campaigns/Bulk/vouchers/BULK', {})
    await ok(shop, 'POST', '/v1/campaigns/Bulk/vouchers/MINE', {})
    await publish(shop, { voucher: 'MINE', customer: { source_id: 'anna' } })
    const promotion = await newPromotion(shop, 'Promotion')
    const tier = await newTier(shop, promotion)
    const body = { name: 'Stack', tiers: { ids: [tier.id] } }
    const stack = await ok(shop, 'POST', `/v1/promotions/${promotion}/stacks`, body)
    return { shop, bulk: bulk.id, tier: tier.id, stack: stack.id }
  }

  test('are all usable offers, and of bulk codes only those that the customer holds', async () => {
    const { shop, bulk, tier, stack } = await fullShop()
    const customer = { source_id: 'anna' }
    const all = ['GENERIC', 'PUBLIC', bulk, tier]
    const byId = (ids: string[]) => ids.toSorted()
    expect(byId(await idsOf(shop, { order, options: wide }))).toEqual(byId(all))
    expect(byId(await idsOf(shop, { order, customer, options: wide }))).toEqual(byId([...all, 'MINE']))
    expect(byId(await idsOf(shop, { order, customer, scenario: 'AUDIENCE_ONLY', options: wide }))).toEqual(
      byId([...all, 'MINE']),
    )
    expect(await idsOf(shop, { order, customer, scenario: 'CUSTOMER_WALLET' })).toEqual(['MINE'])
    expect(await idsOf(shop, { order, customer: 'unknown', scenario: 'CUSTOMER_WALLET' })).toEqual([])
    expect(await idsOf(shop, { order, customer, scenario: 'PROMOTION_STACKS' })).toEqual([stack])
    expect(await shop.call('POST', '/v1/qualifications', { order, scenario: 'CUSTOMER_WALLET' })).toMatchObject({
      status: 400,
      body: { key: 'missing_customer' },
    })
  })

  test('exclude offers that are inactive, outside their dates, used up, empty, held or in the trash bin', async () => {
    const shop = await newProject()
    const far = { start_date: '2090-01-01T00:00:00Z' }
    const past = { expiration_date: '2020-01-01T00:00:00Z' }
    const promotion = await newPromotion(shop)
    for (const [name, more] of Object.entries({ OFF: { active: false }, FAR: far, PAST: past })) {
      await newDiscount(shop, name, percentOff(10), more)
      await newTier(shop, promotion, { name, ...more })
    }
    for (const [name, more] of Object.entries({ Far: far, Past: past })) await newCampaign(shop, name, more)
    await newCampaign(shop, 'Off')
    await ok(shop, 'POST', '/v1/campaigns/Off/disable')
    await newCampaign(shop, 'Free', {
      campaign_type: 'LOYALTY_PROGRAM',
      voucher: { type: 'LOYALTY_CARD', loyalty_card: { points: 0 } },
    })
    await newDiscount(shop, 'USED', percentOff(10), { redemption: { quantity: 1 } })
    await redeemed(shop, { redeemables: vouchers('USED'), order })
    await newDiscount(shop, 'HELD', percentOff(10), { redemption: { quantity: 1 } })
    await validated(shop, { redeemables: vouchers('HELD'), order, session: { type: 'LOCK', key: 'mine' } })
    await newGiftCard(shop, 'EMPTY', 100)
    await redeemed(shop, { redeemables: vouchers('EMPTY'), order })
    await newDiscount(shop, 'BINNED', percentOff(10))
    await shop.call('DELETE', '/v1/vouchers/BINNED')
    await newDiscount(shop, 'HOURS', percentOff(10), {
      validity_hours: { daily: [{ start_time: '00:00', expiration_time: '23:59' }] },
    })
    expect(await idsOf(shop, { order, options: wide })).toEqual(['HOURS'])
    expect(await idsOf(shop, { order, options: wide, session: { key: 'mine' } })).toEqual(['HOURS', 'HELD'])
    expect(await idsOf(shop, { order, scenario: 'AUDIENCE_ONLY', options: wide })).toEqual(['HOURS'])
  })

  test('include a referral code in the wallets of the referrer and of the referee', async () => {
    const shop = await newProject()
    await newCampaign(shop, 'Refer', {
      campaign_type: 'REFERRAL_PROGRAM',
      type: 'AUTO_UPDATE',
      referral_program: { conversion_event: { type: 'redemption' } },
    })
    const { voucher } = await publish(shop, { campaign: 'Refer', customer: { source_id: 'anna' } })
    const ask = (customer: string, role: string) =>
      idsOf(shop, {
        order,
        customer: { source_id: customer },
        scenario: 'CUSTOMER_WALLET',
        options: { filters: { holder_role: { conditions: { $is: [role] } } } },
      })
    expect(await ask('anna', 'REFERRER')).toEqual([voucher.code])
    expect(await ask('anna', 'OWNER')).toEqual([])
    expect(await ask('ben', 'REFEREE')).toEqual([])
    await redeemed(shop, { redeemables: vouchers(voucher.code), order, customer: { source_id: 'ben' } })
    expect(await ask('ben', 'REFEREE')).toEqual([voucher.code])
    const { redeemables } = await qualified(shop, {
      order,
      customer: { source_id: 'ben' },
      scenario: 'CUSTOMER_WALLET',
    })
    expect(redeemables.data[0].order.referrer_id).toMatch(/^cust_/)
  })

  test('exclude other projects', async () => {
    const { shop } = await fullShop()
    const other = await newProject()
    expect(await idsOf(other, { order, customer: { source_id: 'anna' } })).toEqual([])
    expect((await qualified(shop, { order })).redeemables.total).toBe(4)
  })
})

describe('evaluated rules', () => {
  const gold = when('customer.metadata', { $is: ['gold'] }, { property: 'level' })

  test('rules about the customer, the order and the redemption', async () => {
    const shop = await newProject()
    const rules = {
      GOLD: gold,
      MANY: when('order.items.count', { $more_than: [3] }),
      TILL: when('redemption.metadata', { $is: ['till'] }, { property: 'channel' }),
    }
    for (const [code, rule] of Object.entries(rules)) {
      await newDiscount(shop, code, percentOff(10))
      await newRule(shop, rule, { voucher: code })
    }
    const customer = { metadata: { level: 'gold' } }
    const items = [{ source_id: 'x', quantity: 4, price: 100 }]
    const cases: Array<[body: object, ids: string[]]> = [
      [{ order }, []],
      [{ order, customer }, ['GOLD']],
      [{ order: { items } }, ['MANY']],
      [{ order, metadata: { channel: 'till' } }, ['TILL']],
      [{ order: { items }, customer, metadata: { channel: 'till' } }, ['TILL', 'MANY', 'GOLD']],
      // Without an order, rules about it are omitted; rules about the redemption are not.
      [{ customer }, ['MANY', 'GOLD']],
      [{ customer, scenario: 'AUDIENCE_ONLY' }, ['TILL', 'MANY', 'GOLD']],
      [{ customer: { metadata: { level: 'tin' } }, scenario: 'AUDIENCE_ONLY' }, ['TILL', 'MANY']],
      [
        { order: { items: [{ source_id: 'x', quantity: 1, price: 100 }] }, customer, scenario: 'AUDIENCE_ONLY' },
        ['TILL', 'MANY', 'GOLD'],
      ],
    ]
    for (const [body, ids] of cases) expect([body, await idsOf(shop, body)]).toEqual([body, ids])
  })

  test('without a customer, offers with a customer rule are excluded, even if another rule would suffice', async () => {
    const shop = await newProject()
    const { id } = await newProduct(shop, 'Mug')
    await newDiscount(shop, 'EITHER', percentOff(10, { effect: 'APPLY_TO_ITEMS' }))
    const either = {
      '1': gold.rules['1'],
      '2': { name: 'order.items.any', conditions: { $is: [reference(id)] } },
      logic: '1 or 2',
    }
    await newRule(shop, { rules: either }, { voucher: 'EITHER' })
    const body = { order: { items: [line(id)] } }
    const ofCustomers = ['ALL', 'AUDIENCE_ONLY', 'PRODUCTS_BY_CUSTOMER', 'PRODUCTS_DISCOUNT_BY_CUSTOMER']
    const ofAnybody = ['PRODUCTS', 'PRODUCTS_DISCOUNT']
    for (const scenario of ofCustomers)
      expect([scenario, await idsOf(shop, { ...body, scenario })]).toEqual([scenario, []])
    for (const scenario of ofAnybody)
      expect([scenario, await idsOf(shop, { ...body, scenario })]).toEqual([scenario, ['EITHER']])
    const customer = { metadata: { level: 'tin' } }
    for (const scenario of [...ofCustomers, ...ofAnybody])
      expect([scenario, await idsOf(shop, { ...body, scenario, customer })]).toEqual([scenario, ['EITHER']])
  })

  test.each([
    ['campaign.redemptions.count', { $less_than: [1] }],
    ['campaign.redemptions.customers_count', { $less_than: [1] }],
    ['campaign.orders.amount_discounted', { $less_than: [1] }],
    ['redemption.count.per_customer', { $less_than: [1] }],
    ['redemption.count.daily', { $less_than: [1] }],
    ['order.amount', { $more_than: [99_999] }],
  ])('%s is never evaluated', async (name, conditions) => {
    const shop = await newProject()
    const promotion = await newPromotion(shop)
    const tier = await newTier(shop, promotion)
    await newRule(shop, when(name, conditions), { promotion_tier: tier.id })
    const { id } = await ok(shop, 'POST', `/v1/promotions/${promotion}/stacks`, {
      name: 'S',
      tiers: { ids: [tier.id] },
    })
    expect(await idsOf(shop, { order, customer: { source_id: 'anna' } })).toEqual([tier.id])
    expect(await idsOf(shop, { order })).toEqual([tier.id])
    expect(await idsOf(shop, { order, scenario: 'PROMOTION_STACKS' })).toEqual([id])
    await newRule(shop, when('order.initial_amount', { $more_than: [99_999] }), { promotion_tier: tier.id })
    expect(await idsOf(shop, { order })).toEqual([])
    expect(await idsOf(shop, { order, scenario: 'PROMOTION_STACKS' })).toEqual([])
  })

  test('bundles must be complete, except in scenarios about the audience or products', async () => {
    const shop = await newProject()
    const [pot, lid] = [await newProduct(shop, 'Pot'), await newProduct(shop, 'Lid')]
    await newDiscount(shop, 'SET', percentOff(10))
    const any = (id: string) => ({ name: 'order.items.any', conditions: { $is: [reference(id)] } })
    await newRule(shop, { bundle_rules: { '1': any(pot.id), '2': any(lid.id), logic: '1 and 2' } }, { voucher: 'SET' })
    const half = { order: { items: [line(pot.id)] } }
    expect(await idsOf(shop, half)).toEqual([])
    expect(await idsOf(shop, { order: { items: [line(pot.id), line(lid.id)] } })).toEqual(['SET'])
    const { redeemables } = await qualified(shop, { ...half, scenario: 'AUDIENCE_ONLY' })
    expect(redeemables.data).toMatchObject([
      { id: 'SET', result: { bundle: { quantity: 0, missing: [{ id: lid.id }] } } },
    ])
  })

  test('a campaign for holders only treats the customer as the holder of its code', async () => {
    const shop = await newProject()
    const { id } = await newCampaign(shop, 'Linked')
    await ok(shop, 'POST', '/v1/campaigns/Linked/vouchers/OURS', {})
    await newRule(shop, when('publication.redeemable_by_linked_customer', { $is: [true] }), { campaign: id })
    await ok(shop, 'POST', '/v1/customers', { source_id: 'anna' })
    const body = { order, customer: { source_id: 'anna' }, options: wide }
    expect(await idsOf(shop, body)).toEqual([id])
    expect(await idsOf(shop, { order })).toEqual([])
    await publish(shop, { voucher: 'OURS', customer: { source_id: 'anna' } })
    expect(await idsOf(shop, body)).toEqual(['OURS', id])
  })

  test('units beyond a lifetime limit are not discounted again', async () => {
    const shop = await newProject()
    const { id } = await newProduct(shop, 'Mug')
    const tier = await newTier(shop, await newPromotion(shop), inTier(percentOff(50, { effect: 'APPLY_TO_ITEMS' })))
    const included = [{ object: 'product', id, product_campaign_quantity_limit: 3 }]
    await newRule(shop, { applicable_to: { included, excluded: [], included_all: false } }, { promotion_tier: tier.id })
    const body = { order: { items: [line(id, 2)] } }
    const taken = async () => (await qualified(shop, body)).redeemables.data[0].order.total_applied_discount_amount
    expect(await taken()).toBe(1_000)
    await redeemed(shop, { ...body, redeemables: [{ object: 'promotion_tier', id: tier.id }] })
    expect(await taken()).toBe(500)
  })
})

describe('products', () => {
  async function productShop() {
    const shop = await newProject()
    const [mug, pot] = [await newProduct(shop, 'Mug'), await newProduct(shop, 'Pot')]
    const onItems = percentOff(10, { effect: 'APPLY_TO_ITEMS' })
    await newDiscount(shop, 'ORDER', percentOff(10))
    await newDiscount(shop, 'ITEMS', onItems)
    await newDiscount(shop, 'MUGS', onItems)
    await newRule(shop, onProduct(mug.id), { voucher: 'MUGS' })
    await newDiscount(shop, 'NEEDS-MUG', percentOff(10))
    await newRule(shop, when('order.items.any', { $is: [reference(mug.id)] }), { voucher: 'NEEDS-MUG' })
    await newDiscount(shop, 'NO-MUG', percentOff(10))
    await newRule(shop, when('order.items.none', { $is: [reference(mug.id)] }), { voucher: 'NO-MUG' })
    await newDiscount(shop, 'FEW-MUGS', percentOff(10))
    const many = { name: 'order.items.quantity', conditions: { $more_than: [5] }, rules: {} }
    const few = when('order.items.none', { $is: [reference(mug.id)] }, { rules: { '1': many, logic: '1' } })
    await newRule(shop, few, { voucher: 'FEW-MUGS' })
    await newDiscount(shop, 'MUGS-GOLD', onItems)
    const rules = when('customer.metadata', { $is: ['gold'] }, { property: 'level' })
    await newRule(shop, { ...rules, ...onProduct(mug.id) }, { voucher: 'MUGS-GOLD' })
    return { shop, mug: mug.id as string, pot: pot.id as string }
  }

  test('offers that discount a line, or require it', async () => {
    const { shop, mug, pot } = await productShop()
    const ask = (scenario: string, product: string, level: string) =>
      idsOf(shop, { scenario, order: { items: [line(product)] }, customer: { metadata: { level } }, options: wide })
    expect(await ask('PRODUCTS', mug, 'tin')).toEqual(['MUGS-GOLD', 'NEEDS-MUG', 'MUGS', 'ITEMS'])
    expect(await ask('PRODUCTS_DISCOUNT', mug, 'tin')).toEqual(['MUGS-GOLD', 'MUGS', 'ITEMS'])
    expect(await ask('PRODUCTS_BY_CUSTOMER', mug, 'tin')).toEqual(['NEEDS-MUG', 'MUGS', 'ITEMS'])
    expect(await ask('PRODUCTS_DISCOUNT_BY_CUSTOMER', mug, 'tin')).toEqual(['MUGS', 'ITEMS'])
    expect(await ask('PRODUCTS_DISCOUNT_BY_CUSTOMER', mug, 'gold')).toEqual(['MUGS-GOLD', 'MUGS', 'ITEMS'])
    expect(await ask('PRODUCTS', pot, 'gold')).toEqual(['ITEMS'])
  })

  test('offers whose goods are in the order, though not yet in the quantity they require, as partially valid', async () => {
    const { shop, mug, pot } = await productShop()
    const onMugs = percentOff(10, { effect: 'APPLY_TO_ITEMS' })
    const three = { name: 'order.items.aggregated_quantity', conditions: { $more_than_or_equal: [3] }, rules: {} }
    const threeMugs = when('order.items.any', { $is: [reference(mug)] }, { rules: { '1': three, logic: '1' } })
    await newDiscount(shop, 'THREE', percentOff(10))
    await newRule(shop, threeMugs, { voucher: 'THREE' })
    await newDiscount(shop, 'THREE-OFF', onMugs)
    await newRule(shop, { ...threeMugs, ...onProduct(mug) }, { voucher: 'THREE-OFF' })
    const ask = async (scenario: string, ...items: object[]) => {
      const options = {
        ...wide,
        expand: ['validation_rules'],
        filters: { code: { conditions: { $in: ['THREE', 'THREE-OFF'] } } },
      }
      const { redeemables } = await qualified(shop, { scenario, order: { items }, options })
      return redeemables.data.map(({ id, validation_rules_assignments: { data } }: Body) => [
        id,
        data[0].validation_status,
        data[0].validation_omitted_rules,
      ])
    }
    expect(await ask('PRODUCTS', line(mug, 2))).toEqual([
      ['THREE-OFF', 'PARTIALLY_VALID', ['1']],
      ['THREE', 'PARTIALLY_VALID', ['1']],
    ])
    expect(await ask('PRODUCTS_DISCOUNT', line(mug, 2))).toEqual([['THREE-OFF', 'PARTIALLY_VALID', ['1']]])
    expect(await ask('PRODUCTS', line(mug, 3))).toEqual([
      ['THREE-OFF', 'VALID', []],
      ['THREE', 'VALID', []],
    ])
    expect(await ask('PRODUCTS', line(pot, 9))).toEqual([])
    expect(await ask('ALL', line(mug, 2))).toEqual([])
  })

  test('nothing for an order without lines', async () => {
    const { shop } = await productShop()
    for (const scenario of ['PRODUCTS', 'PRODUCTS_DISCOUNT', 'PRODUCTS_BY_CUSTOMER', 'PRODUCTS_DISCOUNT_BY_CUSTOMER']) {
      expect(await idsOf(shop, { scenario, order })).toEqual([])
      expect(await idsOf(shop, { scenario })).toEqual([])
    }
  })

  test('a line without a price counts too', async () => {
    const { shop, mug } = await productShop()
    const items = [{ product_id: mug, quantity: 1 }]
    expect(await idsOf(shop, { scenario: 'PRODUCTS_DISCOUNT', order: { items } })).toContain('MUGS')
  })
})

describe('response', () => {
  test('each redeemable is evaluated on its own on the order as it was sent', async () => {
    const shop = await newProject()
    await newDiscount(shop, 'TEN', percentOff(10))
    await newGiftCard(shop, 'GIFT', 3_000)
    const campaign = await newCampaign(shop, 'Gifts', {
      campaign_type: 'GIFT_VOUCHERS',
      voucher: { type: 'GIFT_VOUCHER', gift: { amount: 50_000 } },
    })
    const { redeemables, stacking_rules, ...rest } = await qualified(shop, { order, customer: { source_id: 'anna' } })
    expect(redeemables).toMatchObject({ object: 'list', data_ref: 'data', total: 3, has_more: false })
    expect(redeemables).not.toHaveProperty('more_starting_after')
    expect(redeemables.data).toMatchObject([
      {
        id: campaign.id,
        object: 'campaign',
        created_at: campaign.created_at,
        result: { gift: { balance: 50_000, credits: 10_000 } },
        order: { total_amount: 0 },
      },
      {
        id: 'GIFT',
        object: 'voucher',
        result: { gift: { balance: 3_000, credits: 3_000 } },
        order: { total_amount: 7_000 },
      },
      {
        id: 'TEN',
        object: 'voucher',
        result: { discount: { type: 'PERCENT', percent_off: 10 } },
        order: {
          amount: 10_000,
          total_applied_discount_amount: 1_000,
          total_amount: 9_000,
          customer_id: null,
          object: 'order',
        },
        applicable_to: { data: [], total: 0, object: 'list' },
        inapplicable_to: { data: [] },
      },
    ])
    for (const one of redeemables.data) {
      for (const name of [
        'metadata',
        'name',
        'campaign_id',
        'categories',
        'validation_rules_assignments',
        'explanation',
      ])
        expect(one).not.toHaveProperty(name)
      expect(one.result.gift ?? {}).not.toHaveProperty('locked_credits')
      expect(one.order).not.toHaveProperty('customer')
    }
    expect(stacking_rules).toMatchObject({ redeemables_limit: 30 })
    expect(rest.tracking_id).toMatch(/^track_/)
    expect(rest.order).toEqual({
      amount: 10_000,
      items: [],
      metadata: {},
      customer_id: null,
      referrer_id: null,
      object: 'order',
    })
  })

  test('the order has its recognised goods and no calculated amounts', async () => {
    const shop = await newProject()
    const { id } = await newProduct(shop, 'Mug', { source_id: 'mug', price: 1_250 })
    const { order: understood } = await qualified(shop, {
      order: { items: [{ source_id: 'mug', related_object: 'product', quantity: 2 }] },
    })
    expect(understood).toEqual({
      items: [
        {
          id: expect.stringMatching(/^ordli_/),
          object: 'order_item',
          source_id: 'mug',
          related_object: 'product',
          product_id: id,
          quantity: 2,
          price: 1_250,
          product: { id, source_id: 'mug', name: 'Mug', price: 1_250, metadata: {} },
        },
      ],
      metadata: {},
      customer_id: null,
      referrer_id: null,
      object: 'order',
    })
    expect(await qualified(shop, {})).not.toHaveProperty('order')
  })

  test('a loyalty card shows its points and their value, and discounts nothing', async () => {
    const shop = await newProject()
    const card = await newCard(shop, { points: 120, coin: { exchange_ratio: 3, points_ratio: 40 } })
    const { redeemables } = await qualified(shop, {
      order,
      customer: { source_id: card.source_id },
      scenario: 'CUSTOMER_WALLET',
    })
    expect(redeemables.data).toMatchObject([
      {
        id: card.code,
        result: { loyalty_card: { points: 120, balance: 120, exchange_ratio: 3, points_ratio: 40 } },
        order: { total_applied_discount_amount: 0, total_amount: 10_000 },
      },
    ])
  })

  test('with a session, the credits that other sessions hold are shown', async () => {
    const shop = await newProject()
    await newGiftCard(shop, 'GIFT', 3_000)
    const redeemables = [{ object: 'voucher', id: 'GIFT', gift: { credits: 1_000 } }]
    await validated(shop, { redeemables, order, session: { type: 'LOCK', key: 'other' } })
    const gift = async (session: object) => (await qualified(shop, { order, session })).redeemables.data[0].result.gift
    expect(await gift({ type: 'LOCK' })).toEqual({ balance: 3_000, credits: 2_000, locked_credits: 1_000 })
    expect(await gift({ type: 'LOCK', key: 'other' })).toEqual({ balance: 3_000, credits: 3_000, locked_credits: 0 })
    expect(await gift({ key: 'none' })).toEqual({ balance: 3_000, credits: 2_000 })
  })

  test('free goods of a discount are recognised, even if they are not in the order', async () => {
    const shop = await newProject()
    const { id } = await newProduct(shop, 'Mug', { price: 700 })
    const tier = await newTier(
      shop,
      await newPromotion(shop),
      inTier({ type: 'UNIT', unit_off: 1, unit_type: id, effect: 'ADD_NEW_ITEMS' }),
    )
    const { redeemables } = await qualified(shop, { order: { items: [{ source_id: 'x', quantity: 1, price: 100 }] } })
    expect(redeemables.data).toMatchObject([
      { id: tier.id, order: { amount: 800, total_applied_discount_amount: 700 } },
    ])
  })

  test('expand adds properties', async () => {
    const shop = await newProject()
    const category = await newCategory(shop, 'Spring')
    await setStackingRules(shop, { joint_categories: [category.id] })
    const promotion = await newPromotion(shop, 'Promotion')
    const more = { name: 'Gold', banner: 'Only today', metadata: { a: 1 }, category_id: category.id }
    const tier = await newTier(shop, promotion, more)
    const campaign = await newCampaign(shop, 'Coupons', { metadata: { b: 2 }, category_id: category.id })
    await newVoucher(shop, 'CODE', { metadata: { c: 3 } })
    const { redeemables } = await qualified(shop, { order, options: { expand: ['redeemable', 'category'] } })
    const categories = [{ id: category.id, name: 'Spring', stacking_rules_type: 'JOINT' }]
    expect(redeemables.data).toMatchObject([
      { id: 'CODE', metadata: { c: 3 }, categories: [] },
      {
        id: campaign.id,
        name: 'Coupons',
        metadata: { b: 2 },
        campaign_id: campaign.id,
        campaign_name: 'Coupons',
        categories,
      },
      {
        id: tier.id,
        name: 'Gold',
        banner: 'Only today',
        metadata: { a: 1 },
        campaign_id: promotion,
        campaign_name: 'Promotion',
        categories,
      },
    ])
    expect(redeemables.data[0]).not.toHaveProperty('campaign_id')
  })

  test('expand validation_rules shows the assignments and their omitted rules', async () => {
    const shop = await newProject()
    const { id: campaign } = await newCampaign(shop, 'Coupons')
    await ok(shop, 'POST', '/v1/campaigns/Coupons/vouchers/CODE', {})
    await publish(shop, { voucher: 'CODE', customer: { source_id: 'anna' } })
    const both = {
      '1': { name: 'customer.metadata', property: 'level', conditions: { $is: ['gold'] } },
      '2': { name: 'order.amount', conditions: { $more_than: [99_999] } },
      '3': { name: 'order.items.count', conditions: { $more_than: [3] } },
      logic: '1 and 2 and 3',
    }
    const inherited = await newRule(shop, when('campaign.redemptions.count', { $less_than: [1] }), { campaign })
    const own = await newRule(shop, { rules: both }, { voucher: 'CODE' })
    const customer = { source_id: 'anna', metadata: { level: 'gold' } }
    const judged = async (scenario: string, sent: object) => {
      const body = {
        scenario,
        customer,
        ...sent,
        options: { expand: ['validation_rules'], filters: { code: { conditions: { $is: ['CODE'] } } } },
      }
      const { redeemables } = await qualified(shop, body)
      const [{ validation_rules_assignments: list, ...rest }] = redeemables.data
      expect(rest).not.toHaveProperty('explanation')
      expect(list).toMatchObject({ object: 'list', data_ref: 'data', total: 2 })
      return list.data.map((one: Body) => [one.rule_id, one.validation_status, one.validation_omitted_rules])
    }
    const items = [{ source_id: 'x', quantity: 4, price: 100 }]
    expect(await judged('ALL', { order: { items } })).toEqual([
      [inherited.id, 'PARTIALLY_VALID', ['1']],
      [own.id, 'PARTIALLY_VALID', ['2']],
    ])
    expect(await judged('ALL', {})).toEqual([
      [inherited.id, 'PARTIALLY_VALID', ['1']],
      [own.id, 'PARTIALLY_VALID', ['2', '3']],
    ])
    expect(await judged('AUDIENCE_ONLY', { order })).toEqual([
      [inherited.id, 'PARTIALLY_VALID', ['1']],
      [own.id, 'PARTIALLY_VALID', ['2', '3']],
    ])
    await ok(shop, 'PUT', `/v1/validation-rules/${own.id}`, { rules: { '1': both['1'], logic: '1' } })
    expect((await judged('ALL', { order }))[1]).toEqual([own.id, 'VALID', []])
  })

  test('nothing changes and no events are emitted', async () => {
    const shop = await newProject()
    await newDiscount(shop, 'TEN', percentOff(10))
    const before = await eventsOf(shop)
    await qualified(shop, {
      order: { ...order, source_id: 'o-1' },
      customer: { source_id: 'new', name: 'N' },
      session: { type: 'LOCK' },
    })
    expect(await eventsOf(shop)).toEqual(before)
    expect((await ok(shop, 'GET', '/v1/customers')).total).toBe(0)
    expect((await ok(shop, 'GET', '/v1/orders')).total).toBe(0)
    expect(await sql`select 1 from holds where project_id = ${shop.project_id}`.execute(dbOf(shop))).toMatchObject({
      rows: [],
    })
  })

  test('a coupon campaign shows its discount, also for a cart without items to which nothing of it applies', async () => {
    const shop = await newProject()
    const mug = await newProduct(shop, 'Mug', { price: 500 })
    const collection = await ok(shop, 'POST', '/v1/product-collections', {
      name: 'Mugs',
      type: 'STATIC',
      products: [{ id: mug.id, object: 'product' }],
    })
    const rules = [
      null,
      await newRule(shop, onProduct(mug.id)),
      await newRule(shop, when('order.items.any', { $is: [reference(mug.id)] })),
    ]
    const unit = { type: 'UNIT', unit_off: 1, unit_type: mug.id }
    const discounts: object[] = [
      percentOff(10, { effect: 'APPLY_TO_ITEMS' }),
      amountOff(100, { effect: 'APPLY_TO_ITEMS_BY_QUANTITY' }),
      { type: 'FIXED', fixed_amount: 100, effect: 'APPLY_TO_ITEMS' },
      { ...unit, effect: 'ADD_MISSING_ITEMS' },
      { ...unit, effect: 'ADD_SAME_ITEMS', unit_type: collection.id },
      { ...unit, unit_type: 'prod_5h1pp1ng', effect: 'ADD_MISSING_ITEMS' },
      { type: 'UNIT', effect: 'ADD_MANY_ITEMS', units: [{ ...unit, effect: 'ADD_MISSING_ITEMS' }] },
    ]
    const made: string[] = []
    for (const discount of discounts)
      for (const rule of rules) {
        const { id } = await ok(shop, 'POST', '/v1/campaigns', {
          name: uniqueName('Coupons'),
          campaign_type: 'DISCOUNT_COUPONS',
          type: 'AUTO_UPDATE',
          voucher: { type: 'DISCOUNT_VOUCHER', discount },
          ...(rule === null ? {} : { validation_rules: [rule.id] }),
        })
        made.push(id)
      }
    for (const sent of [{ amount: 1_000 }, { items: [] }, {}]) {
      const { redeemables } = await qualified(shop, { order: sent, options: wide })
      expect(redeemables.data.map(({ id }: Body) => id).toSorted()).toEqual(made.toSorted())
      for (const { result } of redeemables.data)
        expect(result.discount).toMatchObject({ type: expect.any(String), effect: expect.any(String) })
    }
  })

  test('a limit above the largest page gives the largest page', async () => {
    const shop = await newProject()
    await insertTiers(shop, limits.qualification_page_max + 1)
    const { redeemables } = await qualified(shop, { order, options: { limit: 100 } })
    expect(redeemables).toMatchObject({ total: limits.qualification_page_max, has_more: true })
  })

  test('the client side gets the same response, of codes that it may list', async () => {
    const shop = await newProject({
      project: {
        client_trusted_domains: ['shop.example'],
        client_list_vouchers_enabled: true,
        client_public_codes: ['TEN'],
      },
    })
    await newDiscount(shop, 'TEN', percentOff(10))
    const { body, status } = await asClient(shop, 'POST', '/client/v1/qualifications', { order })
    expect({ status, body }).toMatchObject({ status: 200, body: { redeemables: { total: 1, data: [{ id: 'TEN' }] } } })
    expect(body).toEqual(clientView({}, await qualified(shop, { order })))
  })

  describe('what a page learns without an identity', () => {
    const item = { ...line('mug'), metadata: { note: 'secret' }, product: { name: 'Mug', metadata: { cost: 100 } } }
    const body = {
      order: { items: [item], metadata: { note: 'secret' } },
      options: { limit: 50, expand: ['redeemable', 'category'] },
    }
    const trusted = { client_trusted_domains: ['shop.example'] }
    const pageOf = async (shop: Shop): Promise<Body> =>
      (await asClient(shop, 'POST', '/client/v1/qualifications', body)).body

    test('campaigns that issue codes only where pages may publish', async () => {
      const shop = await newProject({ project: { ...trusted, client_publish_enabled: false } })
      await newCampaign(shop, 'Secret plan')
      expect((await pageOf(shop)).redeemables.data).toEqual([])
      expect(await idsOf(shop, body)).toHaveLength(1)
      const publishes = { client_publish_enabled: true, client_publish_campaigns: ['Welcome'] }
      const open = await newProject({ project: { ...trusted, ...publishes } })
      await newCampaign(open, 'Welcome')
      expect((await pageOf(open)).redeemables.data).toMatchObject([{ object: 'campaign', name: 'Welcome' }])
    })

    test('no metadata of campaigns and tiers, and none of the order and its lines in elements', async () => {
      const publishes = { client_publish_enabled: true, client_publish_campaigns: ['Coupons'] }
      const shop = await newProject({ project: { ...trusted, ...publishes } })
      await newCampaign(shop, 'Coupons', { metadata: { budget: 5 } })
      await newTier(shop, await newPromotion(shop), { metadata: { budget: 5 } })
      const { redeemables, order } = await pageOf(shop)
      expect(redeemables.data).toHaveLength(2)
      for (const element of redeemables.data) {
        expect(element.metadata).toEqual({})
        expect(element.order).toMatchObject({ metadata: {}, items: [{ product_id: 'mug', price: 1_000 }] })
        expect(JSON.stringify(element)).not.toMatch(/budget|secret|cost/)
      }
      expect(order.items[0]).toMatchObject({ metadata: { note: 'secret' } })
      // The server side sees all of it.
      for (const element of (await qualified(shop, body)).redeemables.data)
        expect(element).toMatchObject({ metadata: { budget: 5 }, order: { items: [{ metadata: { note: 'secret' } }] } })
    })
  })

  test.each([
    [{ scenario: 'SOME' }, 'invalid_payload'],
    [{ options: { limit: 0 } }, 'invalid_payload'],
    [{ options: { limit: 1.5 } }, 'invalid_payload'],
    [{ options: { starting_after: 'yesterday' } }, 'invalid_payload'],
    [{ options: { sorting_rule: 'WORST' } }, 'invalid_payload'],
    [{ options: { filters: { junction: 'xor' } } }, 'invalid_payload'],
    [{ options: { filters: { junction: 'and or' } } }, 'invalid_payload'],
    [{ order: { amount: -1 } }, 'invalid_amount'],
    [{ order: { items: [{ source_id: 'x', quantity: 2, price: 2 ** 53 - 1 }] } }, 'invalid_amount'],
    [{ order: { id: 'ord_none' } }, 'not_found'],
    [{ tracking_id: 'anna', customer: { source_id: 'ben' } }, 'ambiguous_tracking_id'],
  ])('%j is refused: %s', async (body, key) => {
    const shop = await newProject()
    expect((await shop.call('POST', '/v1/qualifications', body)).body).toMatchObject({ key })
  })
})

describe('stacks', () => {
  test('a stack qualifies when all its tiers apply one after another', async () => {
    const shop = await newProject()
    const { stack, tiers } = await newStack(shop, [amountOff(2_000), percentOff(10)])
    const { redeemables } = await qualified(shop, {
      order,
      scenario: 'PROMOTION_STACKS',
      options: { explain: true, expand: ['redeemable'] },
    })
    expect(redeemables.data).toMatchObject([
      {
        id: stack.id,
        object: 'promotion_stack',
        created_at: stack.created_at,
        name: stack.name,
        order: { total_applied_discount_amount: 2_800, total_amount: 7_200 },
        redeemables: [
          {
            id: tiers[0].id,
            object: 'promotion_tier',
            result: { discount: { amount_off: 2_000 } },
            order: { total_amount: 8_000, total_applied_discount_amount: 2_000 },
          },
          {
            id: tiers[1].id,
            object: 'promotion_tier',
            order: { total_amount: 7_200, total_applied_discount_amount: 800 },
            explanation: { amount: 800 },
          },
        ],
      },
    ])
    // The second tier needs a higher amount than the first one leaves.
    await newRule(shop, when('order.total_amount', { $more_than: [8_000] }), { promotion_tier: tiers[1].id })
    expect(await idsOf(shop, { order, scenario: 'PROMOTION_STACKS' })).toEqual([])
    expect(await idsOf(shop, { order: { amount: 20_000 }, scenario: 'PROMOTION_STACKS' })).toEqual([stack.id])
    // Rules about an order that was not sent are omitted, and shown as omitted.
    const options = { expand: ['validation_rules'], explain: true }
    const { redeemables: without } = await qualified(shop, { scenario: 'PROMOTION_STACKS', options })
    const [, second] = without.data[0].redeemables
    expect(second.validation_rules_assignments.data).toMatchObject([
      { related_object_id: tiers[1].id, validation_status: 'PARTIALLY_VALID', validation_omitted_rules: ['1'] },
    ])
    expect(second.explanation.steps).toContainEqual(
      expect.objectContaining({
        step: 'rule',
        name: 'order.total_amount',
        expected: { $more_than: [8_000] },
        passed: null,
      }),
    )
  })

  test('a stack and its tiers each have their own categories', async () => {
    const shop = await newProject()
    const category = await newCategory(shop, 'Spring')
    const { stack, tiers } = await newStack(shop, [amountOff(2_000), percentOff(10)])
    await ok(shop, 'PUT', `/v1/promotions/${stack.campaign_id ?? tiers[0].campaign_id}/stacks/${stack.id}`, {
      category_id: category.id,
    })
    const { redeemables } = await qualified(shop, {
      order,
      scenario: 'PROMOTION_STACKS',
      options: { expand: ['category'] },
    })
    expect(redeemables.data).toMatchObject([
      { categories: [{ id: category.id }], redeemables: [{ categories: [] }, { categories: [] }] },
    ])
  })

  test('a stack with a tier for known customers qualifies only for those', async () => {
    const shop = await newProject()
    const { stack, tiers } = await newStack(shop, [amountOff(2_000), percentOff(10)])
    await newRule(shop, when('customer.metadata', { $is: ['gold'] }, { property: 'level' }), {
      promotion_tier: tiers[0].id,
    })
    const ask = (customer?: object) => idsOf(shop, { order, customer, scenario: 'PROMOTION_STACKS' })
    expect(await ask()).toEqual([])
    expect(await ask({ metadata: { level: 'tin' } })).toEqual([])
    expect(await ask({ metadata: { level: 'gold' } })).toEqual([stack.id])
  })
})

describe('filters', () => {
  test('work for each field and junction', async () => {
    const shop = await newProject()
    const category = await newCategory(shop, 'Spring')
    await newDiscount(shop, 'Ten', percentOff(10))
    await newGiftCard(shop, 'GIFT', 500, { ...{ category_id: category.id } })
    const coupons = await newCampaign(shop, 'Coupons')
    await newCampaign(shop, 'Public', {
      type: 'STANDALONE',
      voucher: { type: 'DISCOUNT_VOUCHER', code: 'PUBLIC', discount: amountOff(100) },
    })
    const promotion = await newPromotion(shop, 'Promotion')
    const tier = await newTier(shop, promotion, { category_id: category.id })
    await ok(shop, 'POST', '/v1/campaigns/Coupons/vouchers/MINE', {})
    await publish(shop, { voucher: 'MINE', customer: { source_id: 'anna' } })
    const mine = await ok(shop, 'GET', '/v1/vouchers/MINE')
    const all = ['MINE', tier.id, 'PUBLIC', coupons.id, 'GIFT', 'Ten']
    const is = (...values: string[]) => ({ conditions: { $is: values } })
    const cases: Array<[filters: object, ids: string[]]> = [
      [{}, all],
      [{ category_id: is(category.id) }, [tier.id, 'GIFT']],
      [{ category_id: { conditions: { $is_unknown: [] } } }, ['MINE', 'PUBLIC', coupons.id, 'Ten']],
      [{ category_id: { conditions: { $has_value: [] } } }, [tier.id, 'GIFT']],
      [{ campaign_id: is(coupons.id) }, ['MINE', coupons.id]],
      [{ campaign_id: { conditions: { $in: [coupons.id, promotion] } } }, ['MINE', tier.id, coupons.id]],
      [{ campaign_id: { conditions: { $not_in: [coupons.id, promotion] } } }, ['PUBLIC', 'GIFT', 'Ten']],
      [{ campaign_type: is('PROMOTION') }, [tier.id]],
      [{ campaign_type: is('DISCOUNT_COUPONS') }, ['MINE', 'PUBLIC', coupons.id]],
      [{ resource_id: is(mine.id) }, ['MINE']],
      [{ resource_id: { conditions: { $in: [mine.id, tier.id] } } }, ['MINE', tier.id]],
      [{ resource_type: is('voucher') }, ['MINE', 'PUBLIC', 'GIFT', 'Ten']],
      [{ resource_type: is('voucher', 'promotion_tier') }, ['MINE', 'PUBLIC', 'GIFT', 'Ten']],
      [{ resource_type: { conditions: { $in: ['campaign', 'promotion_tier'] } } }, [tier.id, coupons.id]],
      [{ resource_type: { conditions: { $is_not: ['voucher'] } } }, [tier.id, coupons.id]],
      [{ voucher_type: is('GIFT_VOUCHER') }, ['GIFT']],
      [{ code: is('Ten') }, ['Ten']],
      [{ code: { conditions: { $not_in: ['Ten', 'GIFT'] } } }, ['MINE', tier.id, 'PUBLIC', coupons.id]],
      [{ holder_role: is('OWNER') }, ['MINE']],
      [{ holder_role: { conditions: { $is_not: ['OWNER'] } } }, all.slice(1)],
      [{ campaign_type: is('DISCOUNT_COUPONS'), resource_type: is('voucher') }, ['MINE', 'PUBLIC']],
      [{ junction: 'or', campaign_type: is('PROMOTION'), code: is('Ten') }, [tier.id, 'Ten']],
      [{ junction: 'Or', campaign_type: is('PROMOTION'), code: is('Ten') }, [tier.id, 'Ten']],
      [{ junction: 'and', campaign_type: is('PROMOTION'), code: is('Ten') }, []],
      [{ junction: 'AND', campaign_type: is('PROMOTION'), code: is('Ten') }, []],
    ]
    const customer = { source_id: 'anna' }
    for (const [filters, ids] of cases)
      expect([filters, await idsOf(shop, { order, customer, options: { ...wide, filters } })]).toEqual([filters, ids])
  })

  test('compare codes as the project is case-sensitive or not', async () => {
    const shop = await newProject({ project: { case_sensitive_codes: false } })
    await newDiscount(shop, 'Ten', percentOff(10))
    for (const code of ['Ten', 'TEN', 'ten'])
      expect(await idsOf(shop, { order, options: { filters: { code: { conditions: { $in: [code] } } } } })).toEqual([
        'Ten',
      ])
  })
})

describe('order and pages', () => {
  test('BEST_DEAL and LEAST_DEAL rank all qualified offers', async () => {
    const shop = await newProject()
    for (const [code, amount] of Object.entries({ A: 100, B: 300, C: 200, D: 300 }))
      await newDiscount(shop, code, amountOff(amount))
    const ask = async (sortingRule: string, limit: number) => {
      const { redeemables } = await qualified(shop, { order, options: { sorting_rule: sortingRule, limit } })
      expect(redeemables).not.toHaveProperty('more_starting_after')
      return [redeemables.data.map(({ id }: Body) => id).join(''), redeemables.has_more]
    }
    expect(await ask('BEST_DEAL', 4)).toEqual(['DBCA', false])
    expect(await ask('BEST_DEAL', 2)).toEqual(['DB', true])
    expect(await ask('LEAST_DEAL', 4)).toEqual(['ACDB', false])
    expect(await ask('LEAST_DEAL', 1)).toEqual(['A', true])
    expect(await idsOf(shop, { order, options: { sorting_rule: 'DEFAULT' } })).toEqual(['D', 'C', 'B', 'A'])
  })

  /** All pages, each with the cursor of the next one. */
  async function pagesOf(shop: Shop, body: Body): Promise<string[][]> {
    const pages: string[][] = []
    let startingAfter: string | undefined = 'null'
    while (startingAfter !== undefined) {
      const { redeemables } = await qualified(shop, {
        ...body,
        options: { ...body.options, starting_after: startingAfter },
      })
      pages.push(redeemables.data.map(({ id }: Body) => id))
      expect(redeemables.has_more).toBe(redeemables.more_starting_after !== undefined)
      startingAfter = redeemables.more_starting_after
    }
    return pages
  }

  test('a page continues where the previous one ended, and never splits offers created at the same time', async () => {
    const shop = await newProject()
    const at = 1_700_000_000_000
    const moments = Array.from({ length: 9 }, (_, n) => at - 500 - n * 1_000)
    const tiers = await insertTiers(shop, 9, { at })
    const same = await insertTiers(shop, 6, { at: at - 4_500, apart: 0 })
    await newDiscount(shop, 'LIKE', amountOff(50))
    const codes = await insertCodes(shop, 'LIKE', moments)
    const everything = ['LIKE', ...tiers, ...same, ...codes].toSorted()
    for (const limit of [2, 7, 50, 1, 3, 4].slice(0, scaled(6, 3))) {
      const pages = await pagesOf(shop, { order, options: { limit } })
      expect([limit, pages.flat().toSorted()]).toEqual([limit, everything])
      for (const page of pages.slice(0, -1)) expect(page.length).toBeGreaterThanOrEqual(limit)
      const [page] = pages.filter((one) => one.includes(same[0] as string))
      for (const id of [...same, codes[4]]) expect(page).toContain(id)
    }
    // Newest first, tiers and vouchers alternating.
    const [first] = await pagesOf(shop, { order, options: { limit: 5 } })
    expect(first).toEqual(['LIKE', tiers[0], codes[0], tiers[1], codes[1]])
  })

  const tiersCount = scaled(1_000, 300)

  test(`the page is right among ${tiersCount} tiers of which few qualify`, async () => {
    const shop = await newProject()
    const tiers = await insertTiers(shop, tiersCount)
    const half = tiersCount / 2
    const wanted = [3, half, half + 1, tiersCount - 2, tiersCount - 1].map((place) => tiers[place] as string)
    const rule = await ok(
      shop,
      'POST',
      '/v1/validation-rules',
      when('customer.metadata', { $is: ['gold'] }, { property: 'level' }),
    )
    await inTransaction(dbOf(shop), async (db) => {
      const configVersion = await nextConfigurationVersion(db, shop.project_id)
      const others = tiers
        .filter((id) => !wanted.includes(id))
        .map((id) => ({ id, assignment: newId('rule_assignment') }))
      await sql`insert into rule_assignments (project_id, id, rule_id, related_object_type, related_object_id, created_at, config_version)
        select ${shop.project_id}, t->>'assignment', ${rule.id}, 'promotion_tier', t->>'id', now(), ${configVersion}
        from jsonb_array_elements(${JSON.stringify(others)}::jsonb) t`.execute(db)
    })
    expect(await pagesOf(shop, { order, options: { limit: 2 } })).toEqual([
      wanted.slice(0, 2),
      wanted.slice(2, 4),
      wanted.slice(4),
    ])
    expect(await idsOf(shop, { order, customer: { metadata: { level: 'tin' } } })).toEqual(wanted)
    expect(await idsOf(shop, { order, customer: { metadata: { level: 'gold' } } })).toEqual(tiers.slice(0, 5))
    expect(await idsOf(shop, { order, options: { sorting_rule: 'BEST_DEAL' } })).toEqual(wanted)
  })

  test('unusable codes are skipped, and beyond the limit the next page continues', async () => {
    setLimits({ qualification_codes_max: 2_000 })
    const shop = await newProject()
    const at = 1_700_000_000_000
    await newDiscount(shop, 'LIKE', amountOff(50))
    const [old] = await insertCodes(shop, 'LIKE', [at - 86_400_000])
    const dead = Array.from({ length: limits.qualification_codes_max + 500 }, (_, n) => at - n * 10)
    await insertCodes(shop, 'LIKE', dead, { active: false })
    // Another offer was created at the moment where the search stops: the next page must not skip it.
    const stop = dead[100 + 2 * 1_000 - 2] as number
    const tiers = await insertTiers(shop, 2, { at: stop, apart: 0 })
    const pages = await pagesOf(shop, { order })
    expect(pages).toEqual([['LIKE'], [...tiers.toSorted().toReversed(), old]])
  })

  test('offers created at the same time are cut at the maximum of a page, and the next page has the rest', async () => {
    setLimits({ qualified_at_once_max: 60 })
    const shop = await newProject()
    const at = 1_700_000_000_000
    await newDiscount(shop, 'LIKE', amountOff(50))
    const tiers = await insertTiers(shop, 70, { at, apart: 0 })
    const codes = await insertCodes(shop, 'LIKE', Array(80).fill(at))
    const pages = await pagesOf(shop, { order })
    expect(pages.map(({ length }) => length)).toEqual([60, 60, 31]) // 1 + 150 offers
    expect(pages.flat().toSorted()).toEqual(['LIKE', ...tiers, ...codes].toSorted())
  })

  test('where one moment has more codes than a request examines, the next page goes on within it', async () => {
    setLimits({ qualification_codes_max: 200, qualified_at_once_max: 40 })
    const shop = await newProject()
    const at = 1_700_000_000_000
    await newDiscount(shop, 'LIKE', amountOff(50))
    await insertCodes(shop, 'LIKE', Array(400).fill(at), { active: false })
    const codes = await insertCodes(shop, 'LIKE', Array(100).fill(at))
    const older = await insertTiers(shop, 2, { at: at - 1_000 })
    await insertCodes(shop, 'LIKE', Array(700).fill(at), { active: false })
    const pages = await pagesOf(shop, { order, options: { limit: 50 } })
    expect(pages.flat().toSorted()).toEqual(['LIKE', ...codes, ...older].toSorted())
  })

  describe('a page ends before its elements exceed their bytes', () => {
    const long = {
      items: Array.from({ length: 20 }, (_, n) => ({ ...line(`p-${n}`), metadata: { note: 'x'.repeat(50) } })),
    }
    const bytesOf = (page: Body[]) => JSON.stringify(page).length

    test('and its cursor leads to the others, also within a moment', async () => {
      setLimits({ qualification_page_bytes_max: 20_000 })
      const shop = await newProject()
      const at = 1_700_000_000_000
      await newDiscount(shop, 'LIKE', amountOff(50))
      const tiers = await insertTiers(shop, 6, { at })
      const same = await insertTiers(shop, 5, { at: at - 2_000, apart: 0 })
      const codes = await insertCodes(shop, 'LIKE', [at, at - 2_000, at - 2_000, at - 9_000])
      const pages = await pagesOf(shop, { order: long, options: { limit: 50 } })
      expect(pages.length).toBeGreaterThan(4)
      expect(Math.max(...pages.map(({ length }) => length))).toBeLessThan(5) // some 5,500 bytes each
      expect(pages.flat().toSorted()).toEqual(['LIKE', ...tiers, ...same, ...codes].toSorted())
    })

    test('the first one is shown whatever its size is', async () => {
      setLimits({ qualification_page_bytes_max: 100 })
      const shop = await newProject()
      const tiers = await insertTiers(shop, 3)
      expect(await pagesOf(shop, { order: long, options: { limit: 2 } })).toEqual(tiers.map((id) => [id]))
    })

    test('of the best deals, the page has the best that fit', async () => {
      setLimits({ qualification_page_bytes_max: 20_000 })
      const shop = await newProject()
      for (const [code, amount] of Object.entries({ A: 100, B: 300, C: 200, D: 600, E: 500, F: 400 }))
        await newDiscount(shop, code, amountOff(amount))
      const { redeemables } = await qualified(shop, { order: long, options: { sorting_rule: 'BEST_DEAL', limit: 50 } })
      expect(redeemables.data.map(({ id }: Body) => id)).toEqual(['D', 'E', 'F'])
      expect(redeemables.has_more).toBe(true)
      expect(bytesOf(redeemables.data)).toBeLessThan(20_000)
    })
  })
})

describe('deprecated operations', () => {
  test('list qualified vouchers in their usual form', async () => {
    const shop = await newProject()
    const { id } = await newProduct(shop, 'Mug')
    await newDiscount(shop, 'A', percentOff(10))
    await newDiscount(shop, 'B', percentOff(20, { effect: 'APPLY_TO_ITEMS' }))
    await newRule(shop, onProduct(id), { voucher: 'B' })
    await newDiscount(shop, 'C', percentOff(10))
    await newRule(shop, when('order.items.count', { $more_than: [3] }), { voucher: 'C' })
    await newCampaign(shop, 'Coupons')
    await newTier(shop, await newPromotion(shop))
    const body = { customer: { source_id: 'anna' }, order: { items: [line(id)] } }
    const answer = await ok(shop, 'POST', '/v1/vouchers/qualification', body)
    expect(answer).toMatchObject({
      object: 'list',
      data_ref: 'data',
      total: 2,
      id: expect.any(String),
      created_at: expect.any(String),
      tracking_id: expect.any(String),
    })
    expect(answer.data).toMatchObject([
      {
        code: 'B',
        object: 'voucher',
        discount: { percent_off: 20 },
        applicable_to: { data: [{ object: 'product', id }] },
        inapplicable_to: { data: [] },
        validation_rules_assignments: { total: 1, data: [{ validation_status: 'VALID' }] },
      },
      { code: 'A', validation_rules_assignments: { total: 0 } },
    ])
    const codes = async (query: string) =>
      (await ok(shop, 'POST', `/v1/vouchers/qualification${query}`, body)).data.map(({ code }: Body) => code).join('')
    expect(await codes('?audienceRulesOnly=true')).toBe('CBA')
    expect(await codes('?audienceRulesOnly=true&limit=2')).toBe('CB')
    expect(await codes('?audienceRulesOnly=true&order=code')).toBe('ABC')
    expect(await codes('?audienceRulesOnly=true&order=created_at&limit=1')).toBe('A')
    await ok(shop, 'PUT', '/v1/vouchers/B', { additional_info: 'x' })
    expect(await codes('?audienceRulesOnly=true&order=-updated_at')).toBe('BCA')
  })

  test('list campaigns whose vouchers qualify', async () => {
    const shop = await newProject()
    const first = await newCampaign(shop, 'Zebra')
    const second = await newCampaign(shop, 'Ant', { type: 'AUTO_UPDATE' })
    const third = await newCampaign(shop, 'Many')
    await newRule(shop, when('order.items.count', { $more_than: [3] }), { campaign: third.id })
    await newDiscount(shop, 'CODE', percentOff(10))
    const body = { order }
    const names = async (query = '') =>
      (await ok(shop, 'POST', `/v1/campaigns/qualification${query}`, body)).data.map(({ name }: Body) => name)
    const answer = await ok(shop, 'POST', '/v1/campaigns/qualification', {
      order: { items: [{ source_id: 'x', quantity: 1, price: 5 }] },
    })
    expect(answer).toMatchObject({
      object: 'list',
      total: 2,
      data: [
        {
          id: second.id,
          object: 'campaign',
          voucher: { type: 'DISCOUNT_VOUCHER' },
          validation_rules_assignments: { total: 0 },
        },
        { id: first.id },
      ],
    })
    expect(await names()).toEqual(['Ant', 'Zebra'])
    expect(await names('?audienceRulesOnly=true')).toEqual(['Many', 'Ant', 'Zebra'])
    expect(await names('?order=campaign&limit=1')).toEqual(['Ant'])
    expect(await names('?order=-campaign')).toEqual(['Zebra', 'Ant'])
    expect(await names('?order=type')).toEqual(['Ant', 'Zebra'])
  })
})
