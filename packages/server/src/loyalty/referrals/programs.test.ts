import { describe, expect, test } from 'vitest'
import { newProject, type Shop } from '../../testing/app.ts'
import { newCampaign, runCampaignJobs, tenOff } from '../../testing/campaigns.ts'
import { amountOff, redeem, redeemed, setStackingRules, validate, validated, vouchers } from '../../testing/checkout.ts'
import { ok } from '../../testing/orders.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
type Body = any

const create = (shop: Shop, body: object) =>
  shop.call('POST', '/v1/campaigns', {
    name: 'Friends',
    campaign_type: 'REFERRAL_PROGRAM',
    voucher: { type: 'DISCOUNT_VOUCHER', discount: tenOff },
    ...body,
  })

/** A gift campaign that rewards referees. */
const newGifts = (shop: Shop, name = 'Gifts') =>
  newCampaign(shop, name, { type: 'AUTO_UPDATE', voucher: { type: 'GIFT_VOUCHER', gift: { amount: 0 } } })

const rewarding = (relatedObjectParent: object, more: object = {}) => ({
  referee_reward: { type: 'GIFT_VOUCHER', amount: 500, related_object_parent: relatedObjectParent, ...more },
})

/** A program with these codes; anna is the referrer of one of them. */
async function newReferral(shop: Shop, more: object = {}): Promise<{ code: string; anna: string; program: Body }> {
  const program = await newCampaign(shop, 'Friends', {
    campaign_type: 'REFERRAL_PROGRAM',
    type: 'AUTO_UPDATE',
    voucher: { type: 'DISCOUNT_VOUCHER', discount: amountOff(1000), redemption: { quantity: null } },
    ...more,
  })
  const given = await ok(shop, 'POST', '/v1/publications', { campaign: 'Friends', customer: { source_id: 'anna' } })
  return { code: given.voucher.code, anna: given.customer_id, program }
}

describe('creating a referral program', () => {
  test('its codes are always referral codes', async () => {
    const shop = await newProject()
    const { body } = await create(shop, {
      voucher: { type: 'DISCOUNT_VOUCHER', discount: tenOff, is_referral_code: false },
      vouchers_count: 2,
    })
    expect(body).toMatchObject({
      campaign_type: 'REFERRAL_PROGRAM',
      join_once: false,
      referral_program: { conversion_event_type: 'redemption' },
      voucher: { type: 'DISCOUNT_VOUCHER', is_referral_code: true },
    })
    expect(body.referral_program).toEqual({ conversion_event_type: 'redemption' })
    await runCampaignJobs(shop)
    const { vouchers: codes } = await ok(shop, 'GET', '/v1/vouchers?campaign=Friends')
    expect(codes.map(({ is_referral_code }: Body) => is_referral_code)).toEqual([true, true])
  })

  test.each(['id', 'name'] as const)('the converting event can be given by its %s', async (field) => {
    const shop = await newProject()
    const { body: schema } = await shop.manage('POST', '/custom-event-schemas', {
      name: 'signed_up',
      schema: { properties: {} },
    })
    const { body } = await create(shop, {
      referral_program: { conversion_event_type: 'custom_event', custom_event: { [field]: schema[field] } },
    })
    expect(body.referral_program).toEqual({
      conversion_event_type: 'custom_event',
      custom_event: { id: schema.id, name: 'signed_up' },
    })
  })

  test.each(['id', 'name'] as const)('the rewarding campaign can be given by its %s', async (field) => {
    const shop = await newProject()
    const gifts = await newGifts(shop)
    const { body } = await create(shop, {
      voucher: { type: 'DISCOUNT_VOUCHER' },
      referral_program: rewarding({ [field]: gifts[field] }),
    })
    expect(body.referral_program.referee_reward).toEqual({
      type: 'GIFT_VOUCHER',
      amount: 500,
      related_object_parent: { id: gifts.id, name: 'Gifts', object: 'CAMPAIGN' },
    })
    expect(body.voucher).not.toHaveProperty('discount')
  })

  const event = { conversion_event_type: 'custom_event' }
  const refusals: Array<[title: string, body: object, status: number, error: object]> = [
    [
      'without a discount',
      { voucher: { type: 'DISCOUNT_VOUCHER' } },
      400,
      { key: 'invalid_campaign', details: "Property 'discount' is required for REFERRAL_PROGRAM campaign" },
    ],
    [
      'with gift cards',
      { voucher: { type: 'GIFT_VOUCHER', gift: { amount: 5 } } },
      400,
      { details: 'Property .voucher.type must be DISCOUNT_VOUCHER for REFERRAL_PROGRAM campaign' },
    ],
    ['of type STANDALONE', { type: 'STANDALONE' }, 400, { key: 'invalid_campaign' }],
    ['with a missing event', { referral_program: event }, 400, { key: 'invalid_campaign' }],
    [
      'with an unknown event name',
      { referral_program: { ...event, custom_event: { name: 'signed_up' } } },
      404,
      { resource_type: 'custom_event_schema', resource_id: 'signed_up' },
    ],
    [
      'with an unknown event id',
      { referral_program: { ...event, custom_event: { id: 'ms_0' } } },
      404,
      { resource_type: 'custom_event_schema', resource_id: 'ms_0' },
    ],
    [
      'with an unknown rewarding campaign',
      { referral_program: rewarding({ id: 'camp_0' }) },
      404,
      { resource_type: 'campaign', resource_id: 'camp_0' },
    ],
    ['with a missing rewarding campaign', { referral_program: rewarding({}) }, 400, { key: 'invalid_campaign' }],
    [
      'with a reward of points from a gift campaign',
      { referral_program: rewarding({ name: 'Gifts' }, { type: 'LOYALTY_CARD' }) },
      400,
      { details: 'Property .referral_program.referee_reward.type must be that of the codes of Gifts' },
    ],
    [
      'with a reward of 0',
      { referral_program: rewarding({ name: 'Gifts' }, { amount: 0 }) },
      400,
      { key: 'invalid_payload', details: 'Property .referral_program.referee_reward.amount must be >= 1' },
    ],
  ]

  test.each(refusals)('a program %s is refused', async (_, body, status, error) => {
    const shop = await newProject()
    await newGifts(shop)
    expect(await create(shop, body)).toMatchObject({ status, body: error })
    expect((await ok(shop, 'GET', '/v1/campaigns')).campaigns).toHaveLength(1)
  })
})

describe('a referral code at the checkout', () => {
  const order = { amount: 5000 }

  test('gives its discount to every customer except its referrer', async () => {
    const shop = await newProject()
    const { code, anna } = await newReferral(shop)
    const by = (customer: object) => ({ redeemables: vouchers(code), order, customer })
    for (const customer of [{ id: anna }, { source_id: 'anna' }]) {
      const { body } = await validate(shop, by(customer))
      expect(body).toMatchObject({ valid: false })
      expect(body.redeemables[0].result.error).toMatchObject({
        key: 'referrer_not_permitted_to_redeem',
        message: 'voucher cannot be redeemed by referrer',
      })
      expect(await redeem(shop, by(customer))).toMatchObject({
        status: 400,
        body: { key: 'referrer_not_permitted_to_redeem', message: 'voucher cannot be redeemed by referrer' },
      })
    }
    expect(await validated(shop, by({ source_id: 'ben' }))).toMatchObject({ valid: true })
  })

  test('must be published', async () => {
    const shop = await newProject()
    await newReferral(shop)
    await ok(shop, 'POST', '/v1/campaigns/Friends/vouchers/FREE', {})
    const body = { redeemables: vouchers('FREE'), order, customer: { source_id: 'ben' } }
    expect((await validate(shop, body)).body.redeemables[0].result.error).toMatchObject({ key: 'not_published' })
    expect(await redeem(shop, body)).toMatchObject({
      status: 400,
      body: { key: 'not_published', message: 'Voucher is not published' },
    })
  })

  test('sets the referrer of the order, at the checkout and later', async () => {
    const shop = await newProject()
    const { code, anna } = await newReferral(shop)
    const body = { redeemables: vouchers(code), order, customer: { source_id: 'ben' } }
    const referrer = { referrer_id: anna, referrer: { id: anna, object: 'customer' } }
    expect((await validated(shop, body)).order).toMatchObject(referrer)
    const done = await redeemed(shop, body)
    expect(done.order).toMatchObject({ ...referrer, total_applied_discount_amount: 1000, total_amount: 4000 })
    expect(await ok(shop, 'GET', `/v1/orders/${done.order.id}`)).toMatchObject(referrer)
  })

  test('gives its discount to an anonymous customer, and creates no customer', async () => {
    const shop = await newProject()
    const { code, anna } = await newReferral(shop)
    const { order: paid } = await redeemed(shop, { redeemables: vouchers(code), order })
    expect(paid).toMatchObject({ referrer_id: anna, customer_id: null, total_amount: 4000 })
    expect((await ok(shop, 'GET', `/v1/referrals/members/${code}/holders`)).data).toMatchObject([
      { customer_id: anna, holder_role: 'REFERRER' },
    ])
    expect(await ok(shop, 'GET', '/v1/customers/anna')).toMatchObject({ loyalty: { referred_customers: 0 } })
  })

  test('may give no discount if the referee is rewarded otherwise', async () => {
    const shop = await newProject()
    const gifts = await newGifts(shop)
    const { code, anna } = await newReferral(shop, {
      voucher: { type: 'DISCOUNT_VOUCHER', redemption: { quantity: null } },
      referral_program: rewarding({ id: gifts.id }),
    })
    expect(await ok(shop, 'GET', `/v1/vouchers/${code}`)).toMatchObject({ discount: null, referrer_id: anna })
    const body = { redeemables: vouchers(code), order, customer: { source_id: 'ben' } }
    expect(await validated(shop, body)).toMatchObject({ valid: true, order: { total_amount: 5000, referrer_id: anna } })
    expect(await ok(shop, 'POST', `/v1/vouchers/${code}/validate`, { order })).toMatchObject({ valid: true })
    expect(await redeemed(shop, body)).toMatchObject({ order: { total_amount: 5000, referrer_id: anna } })
    await setStackingRules(shop, { redeemables_application_mode: 'PARTIAL' })
    expect(await redeemed(shop, body)).toMatchObject({ redemptions: [{ result: 'SUCCESS' }] })
    const found = await ok(shop, 'POST', '/v1/qualifications', { customer: { source_id: 'ben' }, order })
    expect(found.redeemables.data.map(({ id }: Body) => id)).toContain(code)
  })
})
