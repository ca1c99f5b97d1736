import { expect, test } from 'vitest'
import { newProject, type Shop } from '../../testing/app.ts'
import { expectStablePaging } from '../../testing/paging.ts'
import type { StoredVoucher } from '../vouchers/voucher.ts'
import { statusOf } from './customer-redeemables.ts'

const discount = { type: 'DISCOUNT_VOUCHER', discount: { type: 'AMOUNT', amount_off: 700 } }

async function called(shop: Shop, method: string, path: string, body?: unknown) {
  const answer = await shop.call(method, path, body)
  expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBe(200)
  return answer.body
}

/** Publishes a new voucher to anna, and returns its id. */
async function give(shop: Shop, code: string, voucher: object = discount, campaign = '') {
  if (campaign === '') await called(shop, 'POST', `/v1/vouchers/${code}`, voucher)
  else await called(shop, 'POST', `/v1/campaigns/${campaign}/vouchers/${code}`, {})
  return (await called(shop, 'POST', '/v1/publications', { voucher: code, customer: 'anna' })).voucher.id
}

const redeemables = (shop: Shop, query = '') => called(shop, 'GET', `/v1/customers/anna/redeemables${query}`)

test('lists the vouchers that a customer holds, with their current state', async () => {
  const shop = await newProject()
  const campaign = await called(shop, 'POST', '/v1/campaigns', {
    name: 'Refer',
    campaign_type: 'REFERRAL_PROGRAM',
    referral_program: { conversion_event: { type: 'redemption' } },
    voucher: discount,
  })
  const first = await give(shop, 'R1', {}, 'Refer')
  const second = await give(shop, 'GIFT', { gift: { amount: 500 } })
  const anna = await called(shop, 'GET', '/v1/customers/anna')
  const { validation_rules_assignments: _, ...gift } = await called(shop, 'GET', '/v1/vouchers/GIFT')
  const { validation_rules_assignments: __, ...referral } = await called(shop, 'GET', '/v1/vouchers/R1')
  const common = {
    id: expect.stringMatching(/^rh_[0-9a-f]{18}$/),
    created_at: expect.any(String),
    customer_id: anna.id,
  }
  expect(await redeemables(shop)).toEqual({
    object: 'list',
    data_ref: 'data',
    data: [
      {
        ...common,
        redeemable_id: second,
        redeemable_object: 'voucher',
        holder_role: 'OWNER',
        campaign_id: null,
        campaign_type: null,
        voucher_type: 'GIFT_VOUCHER',
        redeemable: { type: 'voucher', voucher: gift, status: 'ACTIVE' },
      },
      {
        ...common,
        redeemable_id: first,
        redeemable_object: 'voucher',
        holder_role: 'REFERRER',
        campaign_id: campaign.id,
        campaign_type: 'REFERRAL_PROGRAM',
        voucher_type: 'DISCOUNT_VOUCHER',
        redeemable: { type: 'voucher', voucher: referral, status: 'ACTIVE' },
      },
    ],
    total: 2,
    has_more: false,
  })
  const page = await redeemables(shop, '?limit=1&order=id')
  expect(page).toMatchObject({ total: 2, has_more: true, more_starting_after: page.data[0].id })
  expect(page.data[0].redeemable_id).toBe(first)

  await called(shop, 'POST', '/v1/campaigns/Refer/disable')
  expect((await redeemables(shop, '?order=id')).data[0].redeemable.status).toBe('DISABLED')
  await shop.call('DELETE', '/v1/vouchers/GIFT')
  expect((await redeemables(shop)).data.map((row: { redeemable_id: string }) => row.redeemable_id)).toEqual([first])
  await shop.call('DELETE', '/v1/campaigns/Refer')
  expect(await redeemables(shop)).toMatchObject({ data: [], total: 0 })
  expect(await shop.call('GET', '/v1/customers/unknown/redeemables')).toMatchObject({
    status: 404,
    body: { resource_type: 'customer' },
  })
})

test('redeemables are found by every filter', async () => {
  const shop = await newProject()
  const { id: campaignId } = await called(shop, 'POST', '/v1/campaigns', { name: 'Autumn', voucher: discount })
  const coupon = await give(shop, 'A1', {}, 'Autumn')
  await give(shop, 'GIFT', { gift: { amount: 500 } })
  const { data } = await redeemables(shop)
  const cases: Array<[field: string, operator: string, value: string, found: string]> = [
    ['id', '$is', data[0].id, 'GIFT'],
    ['created_at', '$after', '2020-01-01', 'GIFT A1'],
    ['created_at', '$before', '2020-01-01', ''],
    ['redeemable_id', '$is', coupon, 'A1'],
    ['redeemable_object', '$is', 'voucher', 'GIFT A1'],
    ['holder_role', '$is', 'REFERRER', ''],
    ['campaign_id', '$is', campaignId, 'A1'],
    ['campaign_id', '$is_unknown', '', 'GIFT'],
    ['campaign_type', '$in', 'DISCOUNT_COUPONS', 'A1'],
    ['voucher_type', '$is', 'GIFT_VOUCHER', 'GIFT'],
  ]
  for (const [field, operator, value, found] of cases) {
    const { data, total } = await redeemables(shop, `?filters[${field}][conditions][${operator}][0]=${value}`)
    const codes = data.map(({ redeemable }: { redeemable: { voucher: { code: string } } }) => redeemable.voucher.code)
    expect([field, codes.join(' '), total]).toEqual([field, found, codes.length])
  }
  const unknown = await shop.call('GET', '/v1/customers/anna/redeemables?filters[code][conditions][$is]=A1')
  expect(unknown).toMatchObject({ status: 400, body: { key: 'invalid_query_params' } })
})

test('the status is the first that applies', () => {
  const now = '2025-07-15T12:00:00.000Z'
  const [yesterday, tomorrow] = ['2025-07-14T12:00:00.000Z', '2025-07-16T12:00:00.000Z']
  const plain = {
    type: 'DISCOUNT_VOUCHER',
    active: true,
    campaign_active: null,
    start_date: null,
    expiration_date: null,
    quantity: null,
    redeemed_quantity: 0,
  }
  const empty = { type: 'GIFT_VOUCHER', credits_added: 500, credits_redeemed: 400, credits_subtracted: 100 }
  const used = { quantity: 1, redeemed_quantity: 1 }
  const cases: Array<[voucher: object, status: string]> = [
    [{}, 'ACTIVE'],
    [{ ...used, expiration_date: yesterday }, 'EXPIRED'],
    [used, 'USED'],
    [{ ...used, quantity: 2 }, 'ACTIVE'],
    [empty, 'NO_BALANCE'],
    [{ ...empty, credits_redeemed: 399 }, 'ACTIVE'],
    [{ ...empty, type: 'LOYALTY_CARD', ...used }, 'USED'],
    [{ ...empty, start_date: tomorrow }, 'NOT_ACTIVE_YET'],
    [{ start_date: yesterday, expiration_date: tomorrow, campaign_active: true }, 'ACTIVE'],
    [{ start_date: now, expiration_date: now }, 'ACTIVE'],
    [{ ...empty, start_date: tomorrow, campaign_active: false }, 'DISABLED'],
    [{ ...used, expiration_date: yesterday, active: false }, 'DISABLED'],
    [{ terms: { validity_day_of_week: [1] } }, 'ACTIVE'], // and today is Tuesday
  ]
  for (const [voucher, status] of cases)
    expect([voucher, statusOf({ ...plain, ...voucher } as StoredVoucher, now)]).toEqual([voucher, status])
})

test('pages stay stable while vouchers are published', async () => {
  const shop = await newProject()
  await called(shop, 'POST', '/v1/campaigns', { name: 'Auto', type: 'AUTO_UPDATE', voucher: discount })
  await expectStablePaging({
    shop,
    path: '/v1/customers/anna/redeemables',
    orders: ['id', '-id'],
    data_ref: 'data',
    async create() {
      await called(shop, 'POST', '/v1/publications', { campaign: 'Auto', customer: 'anna' })
      return (await redeemables(shop, '?limit=1')).data[0].id
    },
  })
})

test('erasing a customer deletes its loyalty cards and leaves its other vouchers without a holder', async () => {
  const shop = await newProject()
  const { db } = shop.service.runtime.database
  await called(shop, 'POST', '/v1/campaigns', {
    name: 'Club',
    campaign_type: 'LOYALTY_PROGRAM',
    type: 'AUTO_UPDATE',
    voucher: { type: 'LOYALTY_CARD', loyalty_card: { points: 5 } },
  })
  await called(shop, 'POST', '/v1/campaigns', {
    name: 'Refer',
    campaign_type: 'REFERRAL_PROGRAM',
    referral_program: { conversion_event: { type: 'redemption' } },
    voucher: discount,
  })
  const request = (campaign: string, customer: string) =>
    called(shop, 'POST', '/v1/publications', { campaign, customer: { source_id: customer, name: customer } })
  const card = (await request('Club', 'anna')).voucher
  const kept = (await request('Club', 'bob')).voucher
  await give(shop, 'R1', {}, 'Refer')
  await give(shop, 'BINNED', { type: 'LOYALTY_CARD', loyalty_card: { points: 7 } })
  await shop.call('DELETE', '/v1/vouchers/BINNED')
  await shop.call('POST', '/v1/publications', { voucher: 'R1', customer: 'anna' }) // a failed publication of anna
  await shop.call('POST', '/v1/publications', { voucher: 'R1', customer: 'bob' })
  const before = (await called(shop, 'GET', '/v1/vouchers')).total
  const { id } = await called(shop, 'GET', '/v1/customers/anna')

  await called(shop, 'POST', '/v1/customers/anna/permanent-deletion')
  expect((await shop.call('GET', `/v1/vouchers/${card.code}`)).status).toBe(404)
  const referral = await called(shop, 'GET', '/v1/vouchers/R1')
  expect(referral.publish.count).toBe(1)
  for (const name of ['holder_id', 'referrer_id']) expect(referral).not.toHaveProperty(name)
  const { publications, total } = await called(shop, 'GET', '/v1/publications')
  // Two publications were to bob; those to anna no longer have a customer, and that of the loyalty card is deleted with
  // it.
  expect(total).toBe(4)
  const named = publications.map((each: { customer_id: string | null }) => each.customer_id)
  expect(named).toEqual([expect.stringMatching(/^cust_/), null, null, expect.stringMatching(/^cust_/)])
  for (const name of ['customer', 'tracking_id']) expect(publications[1]).not.toHaveProperty(name)
  expect(await called(shop, 'GET', `/v1/vouchers/${kept.code}`)).toEqual(
    expect.objectContaining({ holder_id: kept.holder_id }),
  )
  expect(await called(shop, 'GET', '/v1/vouchers')).toMatchObject({ total: before - 1 })
  expect(await called(shop, 'GET', '/v1/campaigns/Club')).toMatchObject({ vouchers_count: 1 })
  expect(await called(shop, 'GET', '/v1/campaigns/Club/summary')).toMatchObject({
    vouchers_deleted: 1,
    points_deleted: 5,
  })
  // The code of a deleted card is free again, even of one from the bin.
  await called(shop, 'POST', '/v1/vouchers/BINNED', discount)
  // No event contains anna any more, except the deletion of a card.
  const events = await db
    .selectFrom('events')
    .where('project_id', '=', shop.project_id)
    .select(['type', 'data'])
    .execute()
  const traces = events.filter(({ data }) => JSON.stringify(data).includes(id)).map(({ type }) => type)
  expect(new Set(traces)).toEqual(new Set(['voucher.deleted']))
  // No other customer gets the vouchers that anna had.
  expect(await shop.call('POST', '/v1/publications', { campaign: 'Refer', customer: 'bob' })).toMatchObject({
    status: 400,
  })
})
