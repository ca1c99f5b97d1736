import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { newProject, type Shop, uniqueName } from '../testing/app.ts'
import { eventsOf, getVoucher, newCampaign, newVoucher } from '../testing/campaigns.ts'
import {
  amountOff,
  newCard,
  newDiscount,
  newGiftCard,
  newProduct,
  newRule,
  newStack,
  percentOff,
  redeem,
  redeemed,
  rollBack,
  rollBackAll,
  setStackingRules,
  stack,
  tier,
  voucher,
  vouchers,
  when,
} from '../testing/checkout.ts'
import { newOrder, ok, orderEvents, orderSummary } from '../testing/orders.ts'
import { newPromotion, newTier } from '../testing/promotions.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
type Body = any

const dbOf = (shop: Shop) => shop.service.runtime.database.db

const buyer = { source_id: 'ann' }

/** A shop where Ann has redeemed 500 off an order of 2000. */
async function newSale(more: object = {}) {
  const shop = await newProject()
  const code = await newDiscount(shop, 'OFF', amountOff(500))
  const done = await redeemed(shop, {
    redeemables: vouchers('OFF'),
    order: { source_id: 'order-1', amount: 2000 },
    customer: buyer,
    ...more,
  })
  return { shop, code, redemption: done.redemptions[0], order: done.order }
}

const summaryOf = async (shop: Shop, customer = buyer.source_id) =>
  (await ok(shop, 'GET', `/v1/customers/${customer}`)).summary

/** The events of one type, oldest first. */
async function eventsOfType(shop: Shop, type: string): Promise<Array<{ entity_id: string; data: Body }>> {
  return dbOf(shop)
    .selectFrom('events')
    .where('project_id', '=', shop.project_id)
    .where('type', '=', type as never)
    .orderBy('id')
    .select(['entity_id', 'data'])
    .execute()
}

/** Backdates a redemption. */
const age = (shop: Shop, id: string, createdAt: string) =>
  sql`update redemptions set created_at = ${createdAt}::timestamptz where project_id = ${shop.project_id} and id = ${id}`.execute(
    dbOf(shop),
  )

describe('a rollback of a redemption', () => {
  test('undoes all its effects: on the voucher, the order, the customer and itself', async () => {
    const { shop, code, redemption, order } = await newSale()
    const { status, body } = await rollBack(shop, redemption.id, { reason: 'broken', metadata: { agent: 'eve' } })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      id: expect.stringMatching(/^rr_/),
      object: 'redemption_rollback',
      customer_id: redemption.customer_id,
      tracking_id: redemption.tracking_id,
      metadata: { agent: 'eve' },
      redemption: redemption.id,
      reason: 'broken',
      result: 'SUCCESS',
      status: 'SUCCEEDED',
      order: { id: order.id, status: 'CANCELED', amount: 2000, total_amount: 2000 },
      channel: { channel_id: shop.app_id, channel_type: 'API' },
      customer: { id: redemption.customer_id, source_id: 'ann', object: 'customer' },
      related_object_type: 'voucher',
      related_object_id: code.id,
      related_redemptions: { redemptions: [{ id: redemption.id, date: redemption.date }] },
      voucher: { code: 'OFF', redemption: { redeemed_quantity: 0 } },
    })
    for (const absent of ['amount', 'gift', 'loyalty_card', 'promotion_tier', 'failure_code'])
      expect(body).not.toHaveProperty(absent)

    const entry = { rollback_id: body.id, rollback_date: body.date }
    const stored = await ok(shop, 'GET', `/v1/orders/${order.id}`)
    expect(stored).toMatchObject({ status: 'CANCELED', amount: 2000, total_amount: 2000 })
    expect(stored.redemptions).toEqual({ [redemption.id]: { ...order.redemptions[redemption.id], ...entry } })
    for (const absent of ['discount_amount', 'total_discount_amount', 'items_discount_amount'])
      expect(stored).not.toHaveProperty(absent)

    expect(await ok(shop, 'GET', `/v1/redemptions/${redemption.id}`)).toMatchObject({
      result: 'SUCCESS',
      status: 'ROLLED_BACK',
      order: { status: 'PAID', total_amount: 1500 },
      related_redemptions: { rollbacks: [{ id: body.id, date: body.date, rollback_order_mode: 'WITH_ORDER' }] },
    })
    expect(await ok(shop, 'GET', `/v1/redemptions/${body.id}`)).toEqual(body)
    expect((await getVoucher(shop, 'OFF')).redemption.redeemed_quantity).toBe(0)
    expect(await summaryOf(shop)).toMatchObject({
      redemptions: { total_succeeded: 1, total_rolled_back: 1, total_rollback_succeeded: 1, total_rollback_failed: 0 },
      orders: { total_amount: 0, total_count: 0, last_order_amount: 0 },
    })
    expect(await ok(shop, 'GET', '/v1/redemptions')).toMatchObject({ total: 2 })
    expect(await ok(shop, 'GET', '/v1/vouchers/OFF/redemption')).toMatchObject({
      redeemed_quantity: 0,
      total: 2,
      redemption_entries: [{ id: body.id }, { id: redemption.id }],
    })
  })

  test('leaves the order unchanged, if the stacking rules say so', async () => {
    const { shop, redemption, order } = await newSale()
    await setStackingRules(shop, { redeemables_rollback_order_mode: 'WITHOUT_ORDER' })
    const { body } = await rollBack(shop, redemption.id)
    expect(body).toMatchObject({ order: { status: 'PAID', discount_amount: 500, total_amount: 1500 } })
    expect(await ok(shop, 'GET', `/v1/orders/${order.id}`)).toMatchObject({
      status: 'PAID',
      total_amount: 1500,
      redemptions: { [redemption.id]: { rollback_id: body.id } },
    })
    expect(await ok(shop, 'GET', `/v1/redemptions/${redemption.id}`)).toMatchObject({
      related_redemptions: { rollbacks: [{ rollback_order_mode: 'WITHOUT_ORDER' }] },
    })
    expect(await orderSummary(shop, 'ann')).toMatchObject({ total_amount: 2000, total_count: 1 })
    expect((await getVoucher(shop, 'OFF')).redemption.redeemed_quantity).toBe(0)
  })

  test('works without a customer and an order', async () => {
    const shop = await newProject()
    await newGiftCard(shop, 'GIFT', 1000)
    const done = await redeemed(shop, { redeemables: [voucher('GIFT', { gift: { credits: 300 } })] })
    const { id } = done.redemptions[0]
    expect(await rollBack(shop, id)).toMatchObject({
      status: 200,
      body: { order: null, customer: null, customer_id: null, tracking_id: null, amount: -300 },
    })
    expect(await rollBackAll(shop, id)).toMatchObject({ status: 400, body: { key: 'already_rolled_back' } })
    expect((await eventsOf(shop)).filter((type) => type.startsWith('customer.'))).toEqual([])
  })

  test('frees the counter of a limit', async () => {
    const { shop, redemption } = await newSale()
    await newRule(shop, when('redemption.count.per_customer', { $less_than_or_equal: [1] }), { voucher: 'OFF' })
    const again = { redeemables: vouchers('OFF'), order: { amount: 2000 }, customer: buyer }
    expect(await redeem(shop, again)).toMatchObject({ status: 400, body: { key: 'redemption_rules_violated' } })
    await rollBack(shop, redemption.id)
    expect(await redeem(shop, again)).toMatchObject({ status: 200 })
  })

  test('restores the budget of a campaign and the figures of its summary', async () => {
    const shop = await newProject()
    const campaign = await newCampaign(shop, 'Spring')
    const code = await ok(shop, 'POST', '/v1/campaigns/Spring/vouchers/ONE', {})
    await newRule(shop, when('campaign.orders.amount_discounted', { $less_than_or_equal: [250] }), {
      campaign: campaign.id,
    })
    const sale = { redeemables: vouchers(code.code), order: { amount: 2000 } }
    const done = await redeemed(shop, sale)
    expect(await redeem(shop, sale)).toMatchObject({ status: 400 })
    const { id } = done.redemptions[0]
    await rollBack(shop, id)
    await rollBack(shop, id)
    await redeemed(shop, sale)
    expect(await ok(shop, 'GET', `/v1/campaigns/${campaign.id}/summary`)).toMatchObject({
      redemptions_succeeded: 2,
      rollbacks: 2,
      rollbacks_succeeded: 1,
      rollbacks_failed: 1,
      orders_amount: 4000,
      orders_rolledback_amount: 2000,
      discounted_amount: 400,
      rolledback_discounted_amount: 200,
    })
  })

  test('works for a voucher in the trash bin', async () => {
    const { shop, redemption } = await newSale()
    await shop.call('DELETE', '/v1/vouchers/OFF')
    expect(await rollBack(shop, redemption.id)).toMatchObject({ status: 200, body: { voucher: { code: 'OFF' } } })
  })

  test('keeps the discounts of later redemptions of the same order', async () => {
    const { shop, redemption, order } = await newSale({
      order: { items: [{ source_id: 'cup', quantity: 2, price: 1000 }] },
    })
    await newDiscount(shop, 'TEN', percentOff(10, { effect: 'APPLY_TO_ITEMS' }))
    const second = await redeemed(shop, { redeemables: vouchers('TEN'), order: { id: order.id } })
    expect(second.order).toMatchObject({ discount_amount: 500, items_discount_amount: 200, total_amount: 1300 })
    expect((await rollBack(shop, redemption.id)).body.order).toMatchObject({
      status: 'CANCELED',
      amount: 2000,
      items_discount_amount: 200,
      total_amount: 1800,
      items: [{ discount_amount: 200, subtotal_amount: 1800 }],
    })
    const { body } = await rollBack(shop, second.redemptions[0].id)
    expect(body.order).toMatchObject({ amount: 2000, total_amount: 2000, items: [{ subtotal_amount: 2000 }] })
    for (const absent of ['discount_amount', 'items_discount_amount', 'total_discount_amount'])
      expect(body.order).not.toHaveProperty(absent)
    expect(body.order.items[0]).not.toHaveProperty('discount_amount')
    for (const entry of Object.values(body.order.redemptions))
      expect(entry).toMatchObject({ rollback_id: expect.stringMatching(/^rr_/) })
  })

  test('removes units that it gave away from the order', async () => {
    const shop = await newProject()
    const mug = await newProduct(shop, 'Mug', { price: 1500 })
    const tea = await newProduct(shop, 'Tea', { price: 400 })
    const unit = { type: 'UNIT', unit_off: 2, effect: 'ADD_NEW_ITEMS', unit_type: mug.id }
    await newDiscount(shop, 'MUGS', unit)
    const order = { items: [{ product_id: tea.id, quantity: 1 }] }
    const done = await redeemed(shop, { redeemables: vouchers('MUGS'), order })
    expect(done.order).toMatchObject({ amount: 3400, items: [{}, { quantity: 2, discount_amount: 3000 }] })
    const { body } = await rollBack(shop, done.redemptions[0].id)
    expect(body.order).toMatchObject({ amount: 400, initial_amount: 400, total_amount: 400 })
    expect(body.order.items).toMatchObject([{ product_id: tea.id, quantity: 1, amount: 400 }])
    expect(body.order.items).toHaveLength(1)
    const { initial_amount: _, initial_quantity: __, ...teaLine } = body.order.items[0]
    expect(await ok(shop, 'GET', `/v1/orders/${done.order.id}`)).toMatchObject({ items: [teaLine] })
  })

  test('restores units that it replaced', async () => {
    const shop = await newProject()
    const mug = await newProduct(shop, 'Mug', { price: 1500 })
    const cup = await newProduct(shop, 'Cup', { price: 1000 })
    const discount = { type: 'UNIT', unit_off: 1, effect: 'REPLACE_ITEMS', unit_type: mug.id }
    await newDiscount(shop, 'SWAP', discount)
    await newRule(
      shop,
      { applicable_to: { included: [{ object: 'product', id: cup.id }], excluded: [], included_all: false } },
      { voucher: 'SWAP' },
    )
    const order = { items: [{ product_id: cup.id, quantity: 2 }] }
    const done = await redeemed(shop, { redeemables: vouchers('SWAP'), order })
    expect(done.order.items.map(({ product_id }: Body) => product_id)).toContain(mug.id)
    const { body } = await rollBack(shop, done.redemptions[0].id)
    expect(body.order).toMatchObject({ amount: 2000, total_amount: 2000 })
    expect(body.order.items).toHaveLength(1)
    expect(body.order.items).toMatchObject([{ product_id: cup.id, quantity: 2, amount: 2000, subtotal_amount: 2000 }])
  })

  test('restores units of a lifetime limit', async () => {
    const shop = await newProject()
    const mug = await newProduct(shop, 'Mug', { price: 1000 })
    await newDiscount(shop, 'HALF', percentOff(50, { effect: 'APPLY_TO_ITEMS' }))
    const included = [{ object: 'product', id: mug.id, product_campaign_quantity_limit: 2 }]
    await newRule(shop, { applicable_to: { included, excluded: [], included_all: false } }, { voucher: 'HALF' })
    const sale = { redeemables: vouchers('HALF'), order: { items: [{ product_id: mug.id, quantity: 2 }] } }
    const first = await redeemed(shop, sale)
    expect(first.order.total_discount_amount).toBe(1000)
    expect((await redeemed(shop, sale)).order.total_discount_amount).toBe(0)
    await rollBack(shop, first.redemptions[0].id)
    expect((await redeemed(shop, sale)).order.total_discount_amount).toBe(1000)
  })

  test('allows a product to be discounted again under ONCE', async () => {
    const shop = await newProject()
    await setStackingRules(shop, { redeemables_products_application_mode: 'ONCE' })
    await newDiscount(shop, 'A', percentOff(10, { effect: 'APPLY_TO_ITEMS' }))
    await newDiscount(shop, 'B', percentOff(20, { effect: 'APPLY_TO_ITEMS' }))
    const items = [{ product_id: (await newProduct(shop, 'Mug', { price: 1000 })).id, quantity: 1 }]
    const first = await redeemed(shop, { redeemables: vouchers('A'), order: { items } })
    await rollBack(shop, first.redemptions[0].id)
    const second = await redeemed(shop, { redeemables: vouchers('B'), order: { id: first.order.id } })
    expect(second.order).toMatchObject({ status: 'PAID', total_discount_amount: 200 })
  })

  test('of a promotion tier decreases its summary', async () => {
    const shop = await newProject()
    const campaignId = await newPromotion(shop)
    const { id } = await newTier(shop, campaignId, { action: { discount: amountOff(300) } })
    const done = await redeemed(shop, { redeemables: [tier(id)], order: { amount: 1000 } })
    const summary = { redemptions: { total_redeemed: 0 }, orders: { total_amount: 0, total_discount_amount: 0 } }
    expect((await rollBack(shop, done.redemptions[0].id)).body).toMatchObject({
      voucher: null,
      related_object_type: 'promotion_tier',
      related_object_id: id,
      promotion_tier: { id, summary },
    })
    expect(await ok(shop, 'GET', `/v1/promotions/tiers/${id}`)).toMatchObject({ summary })
    expect(await ok(shop, 'GET', `/v1/campaigns/${campaignId}/summary`)).toMatchObject({ rollbacks_succeeded: 1 })
  })

  test('of a deleted promotion tier decreases its campaign, and creates no usage of the tier', async () => {
    const shop = await newProject()
    const campaignId = await newPromotion(shop)
    const { id } = await newTier(shop, campaignId, { action: { discount: amountOff(300) } })
    const done = await redeemed(shop, { redeemables: [tier(id)], order: { amount: 1000 } })
    await shop.call('DELETE', `/v1/promotions/tiers/${id}`)
    const { status, body } = await rollBack(shop, done.redemptions[0].id)
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { related_object_id: id, order: { total_amount: 1000 } },
    })
    expect(body).not.toHaveProperty('promotion_tier')
    const { rows } =
      await sql`select scope_id, sum(case when is_undone then -redemptions else redemptions end)::int as used
      from usage where project_id = ${shop.project_id} group by 1`.execute(dbOf(shop))
    expect(rows).toEqual([{ scope_id: campaignId, used: 0 }])
  })

  test('of a referral code undoes the referral', async () => {
    const shop = await newProject()
    await newCampaign(shop, 'Friends', { campaign_type: 'REFERRAL_PROGRAM', type: 'AUTO_UPDATE' })
    const { voucher: code } = await ok(shop, 'POST', '/v1/publications', {
      campaign: 'Friends',
      customer: { source_id: 'bob' },
    })
    const sale = { redeemables: vouchers(code.code), order: { amount: 1000 }, customer: buyer }
    const ids = [(await redeemed(shop, sale)).redemptions[0].id, (await redeemed(shop, sale)).redemptions[0].id]
    const referees = async () =>
      (await sql`select 1 from holders where project_id = ${shop.project_id} and role = 'REFEREE'`.execute(dbOf(shop)))
        .rows.length
    for (const [index, left] of [1, 0].entries()) {
      await rollBack(shop, ids[index] as string)
      expect(await referees()).toBe(left)
    }
  })
})

describe('a card gets back', () => {
  test('its credits, in a refund transaction', async () => {
    const shop = await newProject()
    await newGiftCard(shop, 'GIFT', 5000)
    const sale = {
      redeemables: [voucher('GIFT', { gift: { credits: 1200 } })],
      order: { source_id: 'o', amount: 2000 },
    }
    const done = await redeemed(shop, { ...sale, customer: buyer })
    expect((await summaryOf(shop)).redemptions.gift.redeemed_amount).toBe(1200)
    const [spent] = (await ok(shop, 'GET', '/v1/vouchers/GIFT/transactions')).data
    const { body } = await rollBack(shop, done.redemptions[0].id)
    expect(body).toMatchObject({
      amount: -1200,
      gift: { amount: -1200 },
      voucher: { gift: { balance: 5000 }, redemption: { redeemed_amount: 0, redeemed_quantity: 0 } },
    })
    const [refund] = (await ok(shop, 'GET', '/v1/vouchers/GIFT/transactions')).data
    const balance = {
      type: 'gift_voucher',
      amount: 1200,
      total: 5000,
      balance: 5000,
      operation_type: 'MANUAL',
      object: 'balance',
      related_object: { type: 'voucher', id: body.voucher.id },
    }
    expect(refund).toMatchObject({
      type: 'CREDITS_REFUND',
      source: null,
      source_id: null,
      reason: null,
      related_transaction_id: spent.id,
    })
    expect(refund.details).toEqual({
      balance,
      order: { id: done.order.id, source_id: 'o' },
      redemption: { id: done.redemptions[0].id },
      rollback: { id: body.id },
    })
    expect(await eventsOfType(shop, 'voucher.gift.transaction.created')).toMatchObject([
      {},
      {
        entity_id: body.voucher.id,
        data: {
          transaction: { id: refund.id },
          balance,
          voucher: { gift: { balance: 5000 } },
          redemption: { id: done.redemptions[0].id, status: 'ROLLED_BACK' },
          rollback: { id: body.id, object: 'redemption_rollback', amount: -1200 },
          order: { status: 'CANCELED' },
          holder: null,
          campaign: null,
        },
      },
    ])
    expect((await summaryOf(shop)).redemptions.gift.redeemed_amount).toBe(0)
    // The refund can be spent again, to the last cent.
    expect(await redeem(shop, { ...sale, redeemables: vouchers('GIFT'), order: { amount: 5000 } })).toMatchObject({
      status: 200,
      body: { order: { total_amount: 0 } },
    })
  })

  test('nothing where nothing was spent', async () => {
    const shop = await newProject()
    await newGiftCard(shop, 'GIFT', 5000)
    const done = await redeemed(shop, {
      redeemables: [voucher('GIFT', { gift: { credits: 0 } })],
      order: { amount: 0 },
    })
    expect(await rollBack(shop, done.redemptions[0].id)).toMatchObject({
      status: 200,
      body: { voucher: { redemption: { redeemed_quantity: 0 } } },
    })
    expect((await ok(shop, 'GET', '/v1/vouchers/GIFT/transactions')).data).toEqual([])
  })

  /** The points of a card by expiration date. */
  const lotsOf = async (shop: Shop, voucherId: string) =>
    (
      await sql<{ points: number; expires_at: string | null }>`
        select points, expires_at::text as expires_at from lots
        where project_id = ${shop.project_id} and voucher_id = ${voucherId} and points > 0 order by expires_at`.execute(
        dbOf(shop),
      )
    ).rows

  const addLot = async (shop: Shop, { id }: { id: string }, lotId: string, points: number, expiresAt: string) => {
    const db = dbOf(shop)
    await sql`insert into lots (project_id, voucher_id, id, points, expires_at, created_at)
      values (${shop.project_id}, ${id}, ${lotId}, ${points}, ${expiresAt}::date, now())`.execute(db)
    await sql`insert into postings (project_id, voucher_id, id, source, destination, amount, lot_id, expires_at, created_at)
      values (${shop.project_id}, ${id}, ${`post_${lotId}`}, 'issued', ${id}, ${points}, ${lotId}, ${expiresAt}::date, now())`.execute(
      db,
    )
    await sql`update vouchers set credits_added = credits_added + ${points}::bigint where project_id = ${shop.project_id} and id = ${id}`.execute(
      db,
    )
  }

  const dayFromNow = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

  test('its points in the lots they came from; points that have expired since get a new expiration date', async () => {
    const shop = await newProject()
    const card = await newCard(shop, { points: 1000 })
    const [over, lasting] = [dayFromNow(-1), dayFromNow(90)]
    await addLot(shop, card, 'lopb_1', 120, dayFromNow(5))
    await addLot(shop, card, 'lopb_2', 300, lasting)
    const done = await redeemed(shop, {
      redeemables: [voucher(card.code, { reward: { id: card.reward_id, points: 250 } })],
      order: { amount: 100_000 },
      customer: { source_id: card.source_id },
    })
    expect(await lotsOf(shop, card.id)).toEqual([
      { points: 170, expires_at: lasting },
      { points: 1000, expires_at: null },
    ])
    expect((await summaryOf(shop, card.source_id)).redemptions.loyalty_card.redeemed_points).toBe(250)
    // The first lot has expired when the redemption is rolled back.
    await sql`update lots set expires_at = ${over}::date where project_id = ${shop.project_id} and id = 'lopb_1'`.execute(
      dbOf(shop),
    )
    await sql`with gone as (
        delete from postings where project_id = ${shop.project_id} and lot_id = 'lopb_1' returning *)
      insert into postings select project_id, voucher_id, id || '0', transaction_id, source, destination, amount, lot_id,
        ${over}::date, created_at from gone`.execute(dbOf(shop))
    const { body } = await rollBack(shop, done.redemptions[0].id)
    expect(body).toMatchObject({
      amount: -250,
      loyalty_card: { points: -250 },
      reward: { id: card.reward_id },
      voucher: { loyalty_card: { balance: 1420, next_expiration_date: lasting, next_expiration_points: 300 } },
    })
    expect(body).not.toHaveProperty('gift')
    expect(await lotsOf(shop, card.id)).toEqual([
      { points: 300, expires_at: lasting },
      { points: 1120, expires_at: null }, // the program has no expiration rule
    ])
    const [event] = (await eventsOfType(shop, 'voucher.loyalty_card.transaction.created')).slice(-1)
    expect(event).toMatchObject({
      entity_id: card.id,
      data: {
        transaction: {
          type: 'POINTS_REFUND',
          source: null,
          details: { rollback: { id: body.id }, reward: { id: card.reward_id } },
        },
        balance: { type: 'loyalty_card', points: 250, total: 1420, balance: 1420, operation_type: 'MANUAL' },
        holder: { id: card.customer_id },
        campaign: { id: card.campaign_id },
        rollback: { id: body.id },
      },
    })
    expect((await summaryOf(shop, card.source_id)).redemptions.loyalty_card.redeemed_points).toBe(0)
    expect(await ok(shop, 'GET', `/v1/campaigns/${card.campaign_id}/summary`)).toMatchObject({ points_rolledback: 250 })
  })
})

describe('redemptions of one request', () => {
  async function newStackedSale() {
    const shop = await newProject()
    await newDiscount(shop, 'TEN', percentOff(10))
    await newGiftCard(shop, 'GIFT', 5000)
    const done = await redeemed(shop, {
      redeemables: [voucher('TEN'), voucher('GIFT', { gift: { credits: 3000 } })],
      order: { amount: 12000 },
      customer: buyer,
    })
    return { shop, done, parent: done.parent_redemption.id as string, children: done.redemptions as Body[] }
  }

  test('example 40: are rolled back together', async () => {
    const { shop, done, parent, children } = await newStackedSale()
    const { status, body } = await rollBackAll(shop, parent, { reason: 'all of it' })
    expect(status).toBe(200)
    const whole = { status: 'CANCELED', amount: 12000, total_amount: 12000 }
    expect(body).toMatchObject({
      rollbacks: children.map(({ id, date }) => ({
        id: expect.stringMatching(/^rr_/),
        redemption: id,
        reason: 'all of it',
        related_redemptions: { redemptions: [{ id, date }] },
        order: whole,
      })),
      parent_rollback: {
        object: 'redemption_rollback',
        redemption: parent,
        related_object_type: 'redemption',
        voucher: null,
        order: whole,
      },
      order: whole,
    })
    expect(body.parent_rollback.related_object_id).toBe(body.parent_rollback.id)
    expect(body.rollbacks[0]).not.toHaveProperty('amount')
    expect(body.rollbacks[1]).toMatchObject({ amount: -3000, gift: { amount: -3000 } })
    expect((await ok(shop, 'GET', `/v1/orders/${done.order.id}`)).redemptions).toEqual({
      [parent]: {
        ...done.order.redemptions[parent],
        rollback_id: body.parent_rollback.id,
        rollback_date: body.parent_rollback.date,
        rollback_stacked: body.rollbacks.map(({ id }: Body) => id),
      },
    })
    for (const [index, { id }] of children.entries())
      expect(await ok(shop, 'GET', `/v1/redemptions/${id}`)).toMatchObject({
        status: 'ROLLED_BACK',
        related_redemptions: { rollbacks: [{ id: body.rollbacks[index].id }] },
      })
    expect(await ok(shop, 'GET', `/v1/redemptions/${parent}`)).toMatchObject({
      status: 'ROLLED_BACK',
      related_redemptions: { rollbacks: [{ id: body.parent_rollback.id }] },
    })
    expect(await getVoucher(shop, 'GIFT')).toMatchObject({ gift: { balance: 5000 } })
    expect(await summaryOf(shop)).toMatchObject({
      redemptions: { total_succeeded: 2, total_rolled_back: 2, total_rollback_succeeded: 2 },
    })
    const ofParent = `filters[parent_redemption_id][conditions][$is]=${body.parent_rollback.id}`
    expect(await ok(shop, 'GET', `/v1/redemptions?${ofParent}`)).toMatchObject({ total: 2 })
    expect(await ok(shop, 'GET', '/v1/redemptions')).toMatchObject({ total: 6 })
  })

  test('example 40: emit three rollback events, each also for the customer, then those of the card and the order', async () => {
    const { shop, parent } = await newStackedSale()
    const before = (await eventsOf(shop)).length
    const { body } = await rollBackAll(shop, parent)
    const events = (await eventsOf(shop)).slice(before)
    expect(events).toEqual([
      ...[1, 2, 3].flatMap(() => ['redemption.rollback.succeeded', 'customer.redemption.rollback.succeeded']),
      'voucher.gift.transaction.created',
      'customer.order.updated',
      'customer.order.canceled',
    ])
    const rollbacks = await eventsOfType(shop, 'redemption.rollback.succeeded')
    expect(rollbacks.map(({ entity_id }) => entity_id)).toEqual([
      ...body.rollbacks.map(({ id }: Body) => id),
      body.parent_rollback.id,
    ])
    expect(rollbacks[0]?.data).toMatchObject({
      customer: { source_id: 'ann' },
      order: { status: 'CANCELED', total_amount: 12000 },
      campaign: null,
      voucher: { code: 'TEN', redemption: { redeemed_quantity: 0 } },
      holder: null,
      promotion_tier: null,
      promotion_stack: null,
      redemption: { object: 'redemption', status: 'ROLLED_BACK' },
      redemption_rollback: { id: body.rollbacks[0].id, object: 'redemption_rollback', status: 'SUCCEEDED' },
    })
    expect(rollbacks[2]?.data).toMatchObject({ voucher: null, redemption: { id: parent } })
    expect((await orderEvents(shop)).at(-1)).toMatchObject({
      type: 'customer.order.canceled',
      data: { order: { status: 'CANCELED' }, redemption: { id: body.parent_rollback.id } },
    })
  })

  test('example 40: are rolled back only once', async () => {
    const { shop, parent } = await newStackedSale()
    await rollBackAll(shop, parent)
    const { status, body } = await rollBackAll(shop, parent, { reason: 'again' })
    expect({ status, body }).toMatchObject({
      status: 400,
      body: {
        key: 'already_rolled_back',
        resource_id: expect.stringMatching(/^rrf_/),
        resource_type: 'redemption_rollback',
      },
    })
    const failed = await ok(shop, 'GET', `/v1/redemptions/${body.resource_id}`)
    expect(failed).toMatchObject({
      object: 'redemption_rollback',
      result: 'FAILURE',
      status: 'FAILED',
      failure_code: 'already_rolled_back',
      failure_message: 'Already rolled back',
      redemption: parent,
      related_object_type: 'redemption',
      related_object_id: body.resource_id,
      reason: 'again',
      voucher: null,
      order: null,
    })
    expect(await getVoucher(shop, 'GIFT')).toMatchObject({ gift: { balance: 5000 } })
    expect(await summaryOf(shop)).toMatchObject({
      redemptions: { total_rollback_failed: 1, total_rollback_succeeded: 2 },
    })
  })

  test('example 40: leave the order unchanged under WITHOUT_ORDER', async () => {
    const { shop, parent, done } = await newStackedSale()
    await setStackingRules(shop, { redeemables_rollback_order_mode: 'WITHOUT_ORDER' })
    expect(await rollBackAll(shop, parent)).toMatchObject({ status: 200, body: { order: { total_amount: 7800 } } })
    expect(await ok(shop, 'GET', `/v1/orders/${done.order.id}`)).toMatchObject({ status: 'PAID', total_amount: 7800 })
    expect(await getVoucher(shop, 'GIFT')).toMatchObject({ gift: { balance: 5000 } })
    expect((await orderEvents(shop)).at(-1)).toMatchObject({ type: 'customer.order.updated' })
  })

  test('accept a single redemption too', async () => {
    const { shop, redemption } = await newSale()
    const { status, body } = await rollBackAll(shop, redemption.id)
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { rollbacks: [{ redemption: redemption.id }], order: { status: 'CANCELED', total_amount: 2000 } },
    })
    expect(body).not.toHaveProperty('parent_rollback')
    expect(body.rollbacks).toHaveLength(1)
  })

  test('of a promotion stack refer to it', async () => {
    const shop = await newProject()
    const { stack: made, tiers } = await newStack(shop, [amountOff(300), percentOff(10)])
    const done = await redeemed(shop, { redeemables: [stack(made.id)], order: { amount: 1000 } })
    const { body } = await rollBackAll(shop, done.parent_redemption.id)
    expect(body).toMatchObject({
      rollbacks: tiers.map(({ id }) => ({ promotion_tier: { id, summary: { redemptions: { total_redeemed: 0 } } } })),
      order: { total_amount: 1000 },
    })
    const [event] = await eventsOfType(shop, 'redemption.rollback.succeeded')
    expect(event?.data).toMatchObject({
      promotion_tier: { id: tiers[0].id },
      promotion_stack: { id: made.id, tiers: { ids: tiers.map(({ id }) => id) } },
      campaign: { id: made.campaign_id },
    })
  })

  test('are rolled back without the failed ones', async () => {
    const shop = await newProject()
    await setStackingRules(shop, { redeemables_application_mode: 'PARTIAL' })
    await newDiscount(shop, 'A', amountOff(100))
    await newDiscount(shop, 'B', amountOff(200))
    await newDiscount(shop, 'C', amountOff(300), { active: false })
    const done = await redeemed(shop, { redeemables: vouchers('A', 'B', 'C'), order: { amount: 1000 } })
    const { body } = await rollBackAll(shop, done.parent_redemption.id)
    expect(body).toMatchObject({ rollbacks: { length: 2 }, order: { total_amount: 1000 } })
    const failed = await ok(shop, 'GET', '/v1/redemptions?result=FAILURE')
    expect(await rollBack(shop, failed.redemptions[0].id)).toMatchObject({
      status: 400,
      body: { key: 'invalid_redemption' },
    })
  })
})

describe('a rollback is refused', () => {
  /** The request, and the expected response. */
  interface Sale {
    shop: Shop
    single: string
    parent: string
    child: string
    failed: string
    order_id: string
  }

  async function newSales(): Promise<Sale> {
    const { shop, redemption, order } = await newSale()
    await newDiscount(shop, 'MORE', amountOff(100))
    const stacked = await redeemed(shop, {
      redeemables: vouchers('OFF', 'MORE'),
      order: { amount: 5000 },
      customer: buyer,
    })
    await newVoucher(shop, 'CLOSED', { active: false })
    const refused = await redeem(shop, { redeemables: vouchers('CLOSED'), order: { amount: 100 } })
    await ok(shop, 'POST', '/v1/customers', { source_id: 'bob' })
    await newOrder(shop, { source_id: 'other', amount: 1 })
    return {
      shop,
      single: redemption.id,
      parent: stacked.parent_redemption.id,
      child: stacked.redemptions[0].id,
      failed: refused.body.resource_id,
      order_id: order.id,
    }
  }

  const notFound = { code: 404, key: 'not_found', resource_type: 'redemption' }
  const invalidRedemption = { code: 400, key: 'invalid_redemption', resource_type: 'redemption' }
  const invalidParent = {
    code: 400,
    key: 'invalid_redemption_parent',
    details: 'You can rollback only a redemption that does not have parent redemption.',
  }
  const unknownCustomer = { code: 404, key: 'not_found', resource_type: 'customer' }
  const invalidCustomer = { code: 400, key: 'invalid_customer' }
  const invalidOrder = { code: 400, key: 'invalid_order' }

  const cases: Array<[what: string, path: (sale: Sale) => string, body: object, refusal: object]> = [
    ['an unknown redemption', () => 'r_unknown/rollback', {}, notFound],
    ['several, of an unknown redemption', () => 'r_unknown/rollbacks', {}, notFound],
    ['one of several', ({ child }) => `${child}/rollback`, {}, invalidParent],
    ['one of several, asked for like several', ({ child }) => `${child}/rollbacks`, {}, invalidParent],
    ['several, asked for like one', ({ parent }) => `${parent}/rollback`, {}, invalidRedemption],
    ['one that failed', ({ failed }) => `${failed}/rollback`, {}, invalidRedemption],
    ['one that failed, asked for like several', ({ failed }) => `${failed}/rollbacks`, {}, invalidRedemption],
    ['an unknown customer', ({ single }) => `${single}/rollback`, { customer: { id: 'cust_1' } }, unknownCustomer],
    [
      'one by the id of the shop',
      ({ single }) => `${single}/rollback`,
      { customer: { source_id: 'eve' } },
      unknownCustomer,
    ],
    ['one by a bare name', ({ parent }) => `${parent}/rollbacks`, { customer: 'eve' }, unknownCustomer],
    ['another customer', ({ single }) => `${single}/rollback`, { customer: { source_id: 'bob' } }, invalidCustomer],
    ['another customer of several', ({ parent }) => `${parent}/rollbacks`, { customer: 'bob' }, invalidCustomer],
    ['another customer by a token', ({ single }) => `${single}/rollback?tracking_id=bob`, {}, invalidCustomer],
    [
      'a customer and a token of another',
      ({ single }) => `${single}/rollback?tracking_id=bob`,
      { customer: { source_id: 'ann' } },
      { code: 400, key: 'ambiguous_tracking_id' },
    ],
    ['another order', ({ single }) => `${single}/rollback`, { order: { source_id: 'other' } }, invalidOrder],
    ['an unknown order', ({ single }) => `${single}/rollback`, { order: { id: 'ord_1' } }, invalidOrder],
    [
      'another order of several',
      ({ parent }) => `${parent}/rollbacks`,
      { order: { source_id: 'order-1' } },
      invalidOrder,
    ],
    [
      'a reason that is none',
      ({ single }) => `${single}/rollback`,
      { reason: 1 },
      { code: 400, key: 'invalid_payload' },
    ],
  ]
  test('because of the request, and no failure is stored', async () => {
    const sale = await newSales()
    const total = async () => (await ok(sale.shop, 'GET', '/v1/redemptions')).total
    const before = await total()
    for (const [what, path, body, refusal] of cases)
      expect((await sale.shop.call('POST', `/v1/redemptions/${path(sale)}`, body)).body, what).toMatchObject(refusal)
    expect(await total()).toBe(before)
    expect((await getVoucher(sale.shop, 'OFF')).redemption.redeemed_quantity).toBe(2)
  })

  test('of a rollback', async () => {
    const { shop, redemption } = await newSale()
    const { body } = await rollBack(shop, redemption.id)
    expect(await rollBack(shop, body.id)).toMatchObject({ status: 400, body: invalidRedemption })
    const again = await rollBack(shop, redemption.id)
    expect(await rollBack(shop, again.body.resource_id)).toMatchObject({ status: 400, body: invalidRedemption })
  })

  test('the second time, and is stored as a failure with its events', async () => {
    const { shop, code, redemption } = await newSale()
    await rollBack(shop, redemption.id)
    const { status, body } = await rollBack(shop, redemption.id, { metadata: { agent: 'eve' } })
    expect({ status, body }).toMatchObject({
      status: 400,
      body: {
        key: 'already_rolled_back',
        resource_type: 'redemption_rollback',
        resource_id: expect.stringMatching(/^rrf_/),
      },
    })
    expect(await ok(shop, 'GET', `/v1/redemptions/${body.resource_id}`)).toMatchObject({
      result: 'FAILURE',
      failure_code: 'already_rolled_back',
      related_object_id: code.id,
      metadata: { agent: 'eve' },
      order: null,
    })
    const [event] = await eventsOfType(shop, 'redemption.rollback.failed')
    expect(event).toMatchObject({
      entity_id: body.resource_id,
      data: { redemption: { id: redemption.id }, redemption_rollback: { result: 'FAILURE', order: null } },
    })
    expect(await eventsOfType(shop, 'customer.redemption.rollback.failed')).toHaveLength(1)
    expect((await getVoucher(shop, 'OFF')).redemption.redeemed_quantity).toBe(0)
    expect(await summaryOf(shop)).toMatchObject({ redemptions: { total_rollback_failed: 1, total_rolled_back: 1 } })
  })

  test('of a redemption older than three calendar months, but not of a slightly younger one', async () => {
    const { shop, redemption } = await newSale()
    const now = new Date(shop.service.clock.now())
    const ago = (seconds: number) => {
      const at = new Date(now)
      at.setUTCMonth(at.getUTCMonth() - 3)
      return new Date(at.getTime() - seconds * 1_000).toISOString()
    }
    await age(shop, redemption.id, ago(60))
    const { status, body } = await rollBack(shop, redemption.id)
    expect({ status, body }).toMatchObject({
      status: 400,
      body: {
        key: 'invalid_redemption',
        resource_type: 'redemption_rollback',
        resource_id: expect.stringMatching(/^rrf_/),
      },
    })
    expect(await ok(shop, 'GET', `/v1/redemptions/${body.resource_id}`)).toMatchObject({
      failure_code: 'invalid_redemption',
      failure_message: 'Invalid redemption',
    })
    expect((await getVoucher(shop, 'OFF')).redemption.redeemed_quantity).toBe(1)
    await age(shop, redemption.id, ago(-600))
    expect(await rollBack(shop, redemption.id)).toMatchObject({ status: 200 })
  })
})

describe('a rollback request', () => {
  test('may refer to the customer and the order by any id', async () => {
    const names = ({ redemption, order }: Awaited<ReturnType<typeof newSale>>) => [
      { customer: redemption.customer_id },
      { customer: 'ann' },
      { customer: { id: redemption.customer_id } },
      { customer: { source_id: redemption.tracking_id } },
      { tracking_id: 'ann' },
      { tracking_id: redemption.tracking_id, customer: { source_id: 'ann' } },
      { order: { id: order.id } },
      { order: { source_id: 'order-1' } },
      { customer: {}, order: {}, reason: null, tracking_id: null, metadata: null },
    ]
    const sale = await newSale()
    for (const [index, body] of names(sale).entries()) {
      const done =
        index === 0
          ? sale.redemption
          : (
              await redeemed(sale.shop, {
                redeemables: vouchers('OFF'),
                order: { source_id: 'order-1' },
                customer: buyer,
              })
            ).redemptions[0]
      expect(await rollBack(sale.shop, done.id, body), JSON.stringify(body)).toMatchObject({ status: 200 })
    }
  })

  test('may send its parameters in the query, which takes precedence', async () => {
    const { shop, redemption } = await newSale()
    const path = `/v1/redemptions/${redemption.id}/rollback?reason=address&tracking_id=ann`
    expect(await ok(shop, 'POST', path, { reason: 'body', tracking_id: 'eve' })).toMatchObject({ reason: 'address' })
  })

  test('may have no body', async () => {
    const { shop, redemption } = await newSale()
    const body = await ok(shop, 'POST', `/v1/redemptions/${redemption.id}/rollback`)
    expect(body).toMatchObject({ metadata: null, status: 'SUCCEEDED' })
    expect(body).not.toHaveProperty('reason')
  })

  test('may update the customer, by the rules for customers', async () => {
    const { shop, redemption } = await newSale({ customer: { ...buyer, metadata: { a: 1 } } })
    const customer = { source_id: 'ann', name: 'Ann', metadata: { b: 2 } }
    expect((await rollBack(shop, redemption.id, { customer })).body).toMatchObject({
      customer: { name: 'Ann', metadata: { a: 1, b: 2 } },
    })
    expect(await ok(shop, 'GET', '/v1/customers/ann')).toMatchObject({
      name: 'Ann',
      metadata: { a: 1, b: 2 },
      summary: { redemptions: { total_rolled_back: 1 }, orders: { total_count: 0 } },
    })
    expect(await eventsOfType(shop, 'customer.updated')).toHaveLength(1)
    await rollBack(shop, redemption.id, { customer: { source_id: 'ann', name: 'Bea' } })
    expect((await ok(shop, 'GET', '/v1/customers/ann')).name).toBe('Ann') // refused: nothing is saved
  })

  test('is replayed with the same Idempotency-Key', async () => {
    const { shop, redemption } = await newSale()
    const key = { 'idempotency-key': uniqueName('key') }
    const path = `/v1/redemptions/${redemption.id}/rollback`
    const first = await shop.call('POST', path, {}, key)
    const second = await shop.call('POST', path, {}, key)
    expect([first.status, second.status]).toEqual([200, 200])
    expect(second.body).toEqual(first.body)
    expect((await ok(shop, 'GET', '/v1/redemptions')).total).toBe(2)
  })
})

test('after the latest order of a customer is rolled back, the previous one is its latest', async () => {
  const { shop, redemption } = await newSale({ order: { amount: 2000 } })
  const sale = { redeemables: vouchers('OFF'), order: { amount: 700 }, customer: buyer }
  const latest = await redeemed(shop, sale)
  expect(await orderSummary(shop, 'ann')).toMatchObject({ total_amount: 2700, total_count: 2, last_order_amount: 700 })
  await rollBack(shop, latest.redemptions[0].id)
  expect(await orderSummary(shop, 'ann')).toMatchObject({ total_amount: 2000, total_count: 1, last_order_amount: 2000 })
  await rollBack(shop, redemption.id)
  expect(await orderSummary(shop, 'ann')).not.toHaveProperty('last_order_date')
})
