import type { DiscountVouchersTypesEnum } from '@voucherify/sdk'
import { expect, test } from 'vitest'
import { newEventSchema } from '../testing/loyalty.ts'
import { ok } from '../testing/orders.ts'
import { clientOf } from './client.ts'

const client = clientOf('client-side', {
  project: {
    client_redeem_enabled: true,
    client_publish_enabled: true,
    client_publish_campaigns: ['Welcome & more'],
    client_create_customer_enabled: true,
    client_loyalty_events_enabled: true,
  },
})

async function newCoupon(code: string, amountOff: number, quantity?: number) {
  const { vouchers } = (await client()).library
  const discount = { type: 'AMOUNT' as DiscountVouchersTypesEnum.AMOUNT, amount_off: amountOff }
  return vouchers.create({ code, type: 'DISCOUNT_VOUCHER', discount, ...(quantity && { redemption: { quantity } }) })
}

test('the client side validates a code, with everything a cart can send in a query', async () => {
  const { clientSide } = (await client()).library
  await newCoupon('PAGE', 500)
  expect(await clientSide.validate('PAGE')).toMatchObject({ valid: true, code: 'PAGE', discount: { amount_off: 500 } })
  const verdict = await clientSide.validate({
    code: ' PAGE\t',
    amount: 3_000,
    items: [
      { source_id: 'mug', related_object: 'product', quantity: 2, amount: 2_000 },
      { source_id: 'cup', related_object: 'product', quantity: 1, amount: 1_000 },
    ],
    customer: { source_id: 'ann', metadata: { vip: true } },
    metadata: { page: '/cart' },
    orderMetadata: { gift_wrap: 'yes' },
  })
  expect(verdict).toMatchObject({
    valid: true,
    code: 'PAGE',
    order: { amount: 3_000, total_discount_amount: 500, total_amount: 2_500 },
    tracking_id: expect.any(String),
  })
  expect(verdict.order?.items).toMatchObject([{ source_id: 'mug', quantity: 2 }, { source_id: 'cup' }])
  expect(await clientSide.validate('NO-SUCH-CODE')).toMatchObject({ valid: false, code: 'NO-SUCH-CODE' })
})

test('the client side validates a code that contains a space, which the library does not remove', async () => {
  const { clientSide } = (await client()).library
  await newCoupon('TWO WORDS', 500)
  expect(await clientSide.validate(' TWO WORDS\n')).toMatchObject({ valid: true, code: 'TWO WORDS' })
})

test('without a code the client side validates promotions', async () => {
  const { clientSide, promotions } = (await client()).library
  const { promotion } = await promotions.create({
    name: 'Sale',
    campaign_type: 'PROMOTION',
    promotion: {
      tiers: [
        {
          name: 'Tier',
          banner: '',
          action: { discount: { type: 'PERCENT' as DiscountVouchersTypesEnum.PERCENT, percent_off: 10 } },
        },
      ],
    },
  })
  expect(await clientSide.validate({ amount: 1_000, customer: { source_id: 'ann' } })).toMatchObject({
    valid: true,
    promotions: [{ id: promotion.tiers?.[0]?.id, object: 'promotion_tier' }],
  })
})

test('the client side holds a voucher in a session, and redeems it as the identified customer', async () => {
  const { clientSide, vouchers, redemptions } = (await client()).library
  await newCoupon('MINE', 500, 1)
  clientSide.setIdentity('visitor@shop.example')
  const session = {
    session_type: 'LOCK' as const,
    session_key: 'cart-1',
    session_ttl: 1,
    session_ttl_unit: 'HOURS' as const,
  }
  expect(await clientSide.validate({ code: 'MINE', amount: 1_000, ...session })).toMatchObject({
    valid: true,
    session: { type: 'LOCK', key: 'cart-1', ttl: 1, ttl_unit: 'HOURS' },
  })
  await expect(clientSide.redeem('MINE', { order: { amount: 1_000 } })).rejects.toMatchObject({ code: 400 })
  const redeemed = await clientSide.redeem('MINE\n', {
    order: { amount: 1_000 },
    metadata: { page: '/pay' },
    session: { key: 'cart-1', type: 'LOCK' } as never,
  })
  expect(redeemed).toMatchObject({
    result: 'SUCCESS',
    metadata: { page: '/pay' },
    customer: { source_id: 'visitor@shop.example' },
    order: { total_amount: 500 },
    voucher: { code: 'MINE' },
  })
  expect(await redemptions.get(redeemed.id)).toMatchObject({ customer: { source_id: 'visitor@shop.example' } })
  expect(await vouchers.get('MINE')).toMatchObject({ redemption: { redeemed_quantity: 1 } })
})

test('the client side publishes a code of a campaign', async () => {
  const { clientSide, campaigns, vouchers } = (await client()).library
  await campaigns.create({
    name: 'Welcome & more',
    campaign_type: 'DISCOUNT_COUPONS',
    type: 'AUTO_UPDATE',
    voucher: {
      type: 'DISCOUNT_VOUCHER',
      discount: { type: 'AMOUNT' as DiscountVouchersTypesEnum.AMOUNT, amount_off: 100 },
    },
  })
  const published = await clientSide.publish('Welcome & more', { customer: { source_id: 'cat', name: 'Cat' } })
  expect(published).toMatchObject({
    result: 'SUCCESS',
    channel: 'Voucherify.js',
    customer: { source_id: 'cat' },
    voucher: { campaign: 'Welcome & more' },
  })
  const again = await clientSide.publish('Welcome & more', { customer: { source_id: 'cat' } }, { join_once: true })
  expect(again.voucher.code).toBe(published.voucher.code)
  expect(await vouchers.get(published.voucher.code)).toMatchObject({ holder_id: published.customer_id })
})

test('the client side tracks a custom event of a customer', async () => {
  const { library, shop } = await client()
  await newEventSchema(shop, 'read', { page: { type: 'string', optional: true } }) // the library has no method for this
  const event = await library.clientSide.track('read', { source_id: 'dan', name: 'Dan' }, { page: '/terms' })
  expect(event).toMatchObject({ object: 'event', type: 'read', customer: { source_id: 'dan' } })
  const { data } = await library.customers.listActivity('dan', { type: 'customer.custom_event' })
  expect(data).toMatchObject([{ data: { event: { type: 'read', metadata: { page: '/terms' } } } }])
})

test.each([undefined, true])(
  'the client side creates a customer; double opt-in %s makes no difference',
  async (optIn) => {
    const { clientSide, customers } = (await client()).library
    const sourceId = `signed-up-${optIn}`
    const made = await clientSide.createCustomer({ source_id: sourceId, email: 'e@shop.example' }, optIn)
    expect(made).toEqual({ id: expect.stringMatching(/^cust_/), source_id: sourceId, object: 'customer' })
    expect(await customers.get(sourceId)).toMatchObject({ id: (made as { id: string }).id, email: 'e@shop.example' })
  },
)

test('the client side qualifies, validates and redeems', async () => {
  const { library, shop } = await client()
  const { clientSide, orders } = library
  await newCoupon('STACK', 100)
  await shop.manage('PUT', '', { client_list_vouchers_enabled: true, client_public_codes: ['STACK'] })
  const cart = { redeemables: [{ object: 'voucher' as const, id: 'STACK' }], order: { amount: 1_000 } }
  const found = await clientSide.qualifications({
    order: cart.order,
    scenario: 'ALL',
    options: { filters: { code: { conditions: { $is: ['STACK'] } } } },
  })
  expect(found.redeemables.data).toMatchObject([{ id: 'STACK', object: 'voucher', order: { total_amount: 900 } }])
  expect(await clientSide.validateStackable(cart)).toMatchObject({ valid: true, order: { total_amount: 900 } })
  const done = await clientSide.redeemStackable({ ...cart, order: { source_id: 'web-1', amount: 1_000 } })
  expect(done).toMatchObject({ redemptions: [{ result: 'SUCCESS', voucher: { code: 'STACK' } }] })
  expect(await orders.get('web-1')).toMatchObject({ total_amount: 900 })
})

test('the client side lists the vouchers of a customer that it proves', async () => {
  const { library, shop } = await client()
  const { clientSide, customers, distributions } = library
  await shop.manage('PUT', '', { client_list_vouchers_enabled: true })
  await newCoupon('WALLET', 300)
  await customers.create({ source_id: 'fay' })
  await distributions.publications.create({ voucher: 'WALLET', customer: { source_id: 'fay' } })
  const { tracking_id } = await ok(shop, 'GET', '/v1/customers/fay/tracking-id') // the library has no method for this
  const { total, vouchers } = await clientSide.listVouchers({ customer: tracking_id, limit: 5 })
  expect(total).toBe(1)
  expect(vouchers).toMatchObject([{ code: 'WALLET', active: true, object: 'voucher' }])
  expect(Object.keys(vouchers[0] as object)).not.toContain('discount')
})

test('the client side lists consents and stores what a customer decides', async () => {
  const { library, shop } = await client()
  const { clientSide, customers } = library
  const { id } = (await shop.manage('POST', '/consents', { name: 'Newsletter' })).body
  await shop.manage('POST', '/consent-groups', { name: 'Advertising', consents: [id] })
  expect(await clientSide.listConsents()).toMatchObject({
    consents: { total: 1, data: [{ id, name: 'Newsletter' }] },
    groups: { total: 1, data: [{ consents: [id] }] },
  })
  await customers.create({ source_id: 'gus' })
  const { tracking_id } = await ok(shop, 'GET', '/v1/customers/gus/tracking-id')
  await clientSide.updateConsents(tracking_id, { [id]: true })
  expect((await ok(shop, 'GET', '/v1/customers/gus/consents')).data).toMatchObject([{ id, given: true }])
})

test('every method of these objects was called', async () => (await client()).expectAllMethodsCalled())
