import { beforeAll, expect, test } from 'vitest'
import type { Ctx } from '../../core/context.ts'
import type { Project } from '../../core/db/project-row.ts'
import { newProject, type Shop } from '../../testing/app.ts'
import {
  amountOff,
  newCard,
  newDiscount,
  newGiftCard,
  newProduct,
  newRule,
  validated,
  voucher,
  vouchers,
  when,
} from '../../testing/checkout.ts'
import { ok } from '../../testing/orders.ts'
import type { Rows } from './checkout-rows.ts'
import type { CheckoutRequest } from './request.ts'
import { loadRows } from './rows.ts'

/*
 * The statement and the function `checkout_facts` read the same rows: the function serves requests with extra lookups, and nodes of
 * the previous release.
 */

let shop: Shop
let ctx: Ctx
let card: { code: string; customer_id: string; source_id: string }
let other: { code: string }
let [anna, ben]: Array<{ id: string }> = []
let mug: { id: string }
let sku: { id: string }

beforeAll(async () => {
  shop = await newProject()
  const { runtime } = shop.service
  const project = (await runtime.credentials.project(shop.project_id)) as Project
  ctx = {
    project,
    project_id: shop.project_id,
    now: new Date(runtime.now()).toISOString(),
    db: runtime.database.db,
  } as Ctx
  anna = await ok(shop, 'POST', '/v1/customers', { source_id: 'anna', name: 'Anna "A" Ö', metadata: { a: [1, null] } })
  ben = await ok(shop, 'POST', '/v1/customers', {
    source_id: 'ben',
    birthdate: '1990-03-01',
    address: { city: 'Łódź' },
  })
  mug = await newProduct(shop, 'Mug', { source_id: 'mug', price: 500, attributes: ['colour'] })
  await newProduct(shop, 'Pot', { source_id: 'pot', metadata: { 'a b': true } })
  const gone = await newProduct(shop, 'Gone', { source_id: 'gone' })
  sku = await ok(shop, 'POST', `/v1/products/${mug.id}/skus`, { source_id: 'red', sku: 'Red', price: 550 })
  await ok(shop, 'POST', `/v1/products/${mug.id}/skus`, { source_id: 'blue', sku: 'Blue' })
  await shop.call('DELETE', `/v1/products/${gone.id}`)
  await newDiscount(shop, 'PLAIN', amountOff(100))
  await newDiscount(shop, 'LIMITED', amountOff(100), {
    redemption: { quantity: 5 },
    start_date: '2020-01-01T00:00:00Z',
    expiration_date: '2120-01-01T00:00:00.500Z',
  })
  await newDiscount(shop, 'RULED', amountOff(100))
  for (const amount of [1, 2, 3])
    await newRule(shop, when('order.amount', { $more_than: [amount] }), { voucher: 'RULED' })
  await newDiscount(shop, 'GIVEN', amountOff(100))
  await ok(shop, 'POST', '/v1/publications', { voucher: 'GIVEN', customer: { source_id: 'anna' } })
  await newDiscount(shop, 'OWNED', amountOff(100))
  await newGiftCard(shop, 'GIFT', 5000)
  card = await newCard(shop, { points: 500 })
  other = await newCard(shop, { points: 100 })
  await ok(shop, 'POST', '/v1/publications', { voucher: 'OWNED', customer: { source_id: card.source_id } })
  await validated(shop, {
    redeemables: [...vouchers('LIMITED'), voucher('GIFT', { gift: { credits: 30 } })],
    order: { amount: 1000 },
    session: { type: 'LOCK' },
  })
})

const request = (sent: Partial<CheckoutRequest>): CheckoutRequest =>
  ({ redeemables: [], customer: null, order: null, referrer: null, session: null, ...sent }) as CheckoutRequest

const redeemables = (...codes: string[]) => vouchers(...codes) as CheckoutRequest['redeemables']
const customer = (id: string | null, sourceId: string | null) =>
  ({ id, source_id: sourceId }) as CheckoutRequest['customer']
const items = (...lines: object[]) => ({ items: lines }) as CheckoutRequest['order']

/** Rows in a fixed order. */
function sorted(rows: Rows): Rows {
  const byId = <Row extends { id: string }>(list: readonly Row[]): Row[] =>
    [...list].sort((a, b) => (a.id < b.id ? -1 : 1))
  return {
    ...rows,
    vouchers: rows.vouchers.map((found) => ({ ...found, holders: [...found.holders].sort() })),
    customers: byId(rows.customers),
    goods: { products: byId(rows.goods.products), skus: byId(rows.goods.skus) },
  }
}

test('a lookup finds the same rows as the function', async () => {
  const requests: Record<string, Partial<CheckoutRequest>> = {
    nothing: {},
    'a code': { redeemables: redeemables('PLAIN') },
    'an unknown code': { redeemables: redeemables('NOWHERE') },
    'a code with a hold': { redeemables: redeemables('LIMITED') },
    'a code with three rules': { redeemables: redeemables('RULED') },
    'a code with a holder, for its holder': { redeemables: redeemables('GIVEN'), customer: customer(null, 'anna') },
    'a code with a holder, for another customer by id': {
      redeemables: redeemables('GIVEN'),
      customer: customer(ben?.id ?? '', 'ben'),
    },
    'a code with a holder, for nobody': { redeemables: redeemables('GIVEN') },
    'a gift card': { redeemables: redeemables('GIFT') },
    'a loyalty card': { redeemables: redeemables(card.code) },
    'the holder of a card holds another code': { redeemables: redeemables(card.code, 'OWNED') },
    'many codes, one of them twice': {
      redeemables: redeemables(
        'PLAIN',
        'GIFT',
        card.code,
        'GIVEN',
        'OWNED',
        'LIMITED',
        other.code,
        'RULED',
        'PLAIN',
        'NOWHERE',
      ),
      customer: customer(card.customer_id, 'anna'),
      referrer: anna?.id ?? '',
    },
    'products, SKUs and both': {
      order: items(
        { product_id: mug.id },
        { source_id: 'pot' },
        { source_id: 'gone' },
        { sku_id: sku.id },
        { source_id: 'blue', related_object: 'sku' },
      ),
    },
    'a product by its source id': { order: items({ source_id: 'mug' }), customer: customer(null, 'nobody') },
    'an SKU by its source id': { order: items({ source_id: 'red', related_object: 'sku' }) },
    everything: {
      redeemables: redeemables('GIVEN', card.code),
      customer: customer(null, 'anna'),
      order: items({ product_id: mug.id, source_id: 'red', related_object: 'sku' }, { source_id: 'pot' }),
    },
  }
  const configuration = shop.service.runtime.configurations.cached(shop.project_id)
  for (const [about, sent] of Object.entries(requests)) {
    const byStatement = await loadRows(ctx, request(sent), configuration, { db: ctx.db })
    const byFunction = await loadRows(ctx, request(sent), configuration, { db: ctx.db, key: 'unknown' })
    expect(sorted(byStatement as Rows), about).toEqual(sorted(byFunction as Rows))
  }
})
