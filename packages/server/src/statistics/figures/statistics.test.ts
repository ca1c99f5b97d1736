import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { toInstant } from '../../core/lib/instant.ts'
import { newProject, newProjectOn, type Shop } from '../../testing/app.ts'
import { until } from '../../testing/background.ts'
import { newCampaign, newVoucher, runCampaignJobs, tenOff } from '../../testing/campaigns.ts'
import {
  addPoints,
  fixed,
  inDays,
  newEarningRules,
  newMember,
  newProgram,
  newTiers,
  payOrder,
} from '../../testing/loyalty.ts'
import { newProjectAlone } from '../../testing/nodes.ts'
import { ok } from '../../testing/orders.ts'
import { plainOwed } from '../../testing/plain-statistics.ts'
import { addUpAllOf } from '../../testing/statistics.ts'
import { addUpAll } from '../sums/work.ts'

test('the overview counts redemptions, discounts and orders at once, and the same after they are added up', async () => {
  const shop = await newProject({ project: { timezone: 'Europe/Warsaw' } })
  const campaign = await shop.call('POST', '/v1/campaigns', {
    name: 'Ten off',
    campaign_type: 'DISCOUNT_COUPONS',
    voucher: {
      type: 'DISCOUNT_VOUCHER',
      discount: { type: 'AMOUNT', amount_off: 1000 },
      redemption: { quantity: null },
    },
  })
  expect(campaign.status).toBe(200)
  const code = await shop.call('POST', `/v1/campaigns/${campaign.body.id}/vouchers`, {})
  const redeem = (amount: number) =>
    shop.call('POST', '/v1/redemptions', {
      redeemables: [{ object: 'voucher', id: code.body.code }],
      order: { amount },
    })
  const first = await redeem(5_000)
  expect(first.status).toBe(200)
  await redeem(3_000)
  await shop.call('POST', '/v1/orders', { status: 'PAID', amount: 700 })
  const before = await shop.call('GET', '/v1/statistics/overview')
  expect(before.status).toBe(200)
  expect(before.body.totals).toMatchObject({
    redemptions: 2,
    discount_amount: 2_000,
    orders: 2,
    order_amount: 8_000,
    discounted_order_amount: 6_000,
    orders_without_discount: 1,
    order_amount_without_discount: 700,
  })
  expect(before.body.series).toHaveLength(30)
  expect(before.body.campaigns).toEqual([
    {
      id: campaign.body.id,
      name: 'Ten off',
      campaign_type: 'DISCOUNT_COUPONS',
      redemptions: 2,
      discount_amount: 2_000,
      order_amount: 8_000,
    },
  ])
  await addUpAllOf(shop)
  const after = await shop.call('GET', '/v1/statistics/overview')
  expect({ ...after.body, updated_at: 0 }).toEqual({ ...before.body, updated_at: 0 })
})

const overview = (shop: Shop, query = '') => ok(shop, 'GET', `/v1/statistics/overview${query}`)

test('what is owed is the value of the cards that exist, whenever cards and campaigns are deleted', async () => {
  const shop = await newProject()
  const gift = { type: 'GIFT_VOUCHER', discount: undefined, gift: { amount: 1_000 } }
  const [kept, binned] = [await newCampaign(shop, 'Kept', gifts), await newCampaign(shop, 'Binned', gifts)]
  const program = await newProgram(shop, { points: 10 })
  const member = await newMember(shop, program, 'ann')
  const cardOf = async (campaign: { id: string }) =>
    (await ok(shop, 'POST', `/v1/campaigns/${campaign.id}/vouchers`, {})).code as string
  const expectOwed = async (expected: { points: number; gift_cards: number }) => {
    expect((await overview(shop)).owed).toEqual(expected)
    expect(await plainOwed(shop.service.runtime.database.db, shop.project_id)).toEqual(expected)
    await addUpAllOf(shop)
    expect((await overview(shop)).owed).toEqual(expected)
  }
  await addPoints(shop, member.code, 5)
  for (const campaign of [kept, binned]) for (let count = 0; count < 2; count += 1) await cardOf(campaign)
  await newVoucher(shop, 'ALONE', gift)
  await expectOwed({ points: 15, gift_cards: 4 * 500 + 1_000 })

  await ok(shop, 'POST', '/v1/vouchers/ALONE/redemption', { order: { amount: 300 } })
  await expectOwed({ points: 15, gift_cards: 4 * 500 + 700 })

  // Into the bin, and for good: cards that were added up, and cards that were not.
  await shop.call('DELETE', '/v1/vouchers/ALONE')
  await shop.call('DELETE', `/v1/vouchers/${await cardOf(kept)}?force=true`)
  await shop.call('DELETE', `/v1/vouchers/${await cardOf(kept)}`)
  await expectOwed({ points: 15, gift_cards: 4 * 500 })
  const added = await cardOf(kept)
  await addUpAllOf(shop)
  await ok(shop, 'POST', `/v1/vouchers/${added}/redemption`, { order: { amount: 200 } })
  await shop.call('DELETE', `/v1/vouchers/${added}?force=true`) // added up, except for what was spent last
  await expectOwed({ points: 15, gift_cards: 4 * 500 })

  await shop.call('DELETE', `/v1/campaigns/${binned.id}`)
  await expectOwed({ points: 15, gift_cards: 2 * 500 })
  await shop.call('DELETE', `/v1/campaigns/${program.id}?force=true`)
  await runCampaignJobs(shop)
  await expectOwed({ points: 0, gift_cards: 2 * 500 })
})

const gifts = {
  campaign_type: 'GIFT_VOUCHERS',
  voucher: { type: 'GIFT_VOUCHER', gift: { amount: 500 }, redemption: { quantity: null } },
}

test('an order counts when it was created, with its present status and amounts', async () => {
  const shop = await newProject()
  await newVoucher(shop, 'HALF', { discount: { type: 'PERCENT', percent_off: 50 }, redemption: { quantity: null } })
  const counted = async () => {
    const { totals } = await overview(shop)
    await addUpAllOf(shop)
    expect((await overview(shop)).totals).toEqual(totals)
    const { orders, order_amount, discounted_order_amount, orders_without_discount, order_amount_without_discount } =
      totals
    return [orders, order_amount, discounted_order_amount, orders_without_discount, order_amount_without_discount]
  }
  const { id } = await ok(shop, 'POST', '/v1/orders', { status: 'CREATED', amount: 800 })
  expect(await counted()).toEqual([0, 0, 0, 0, 0]) // not paid yet
  await ok(shop, 'PUT', `/v1/orders/${id}`, { status: 'PAID' })
  expect(await counted()).toEqual([0, 0, 0, 1, 800])
  await ok(shop, 'PUT', `/v1/orders/${id}`, { amount: 1_000 })
  expect(await counted()).toEqual([0, 0, 0, 1, 1_000])
  const { redemptions } = await ok(shop, 'POST', '/v1/redemptions', {
    redeemables: [{ object: 'voucher', id: 'HALF' }],
    order: { id },
  })
  expect(await counted()).toEqual([1, 1_000, 500, 0, 0])
  await ok(shop, 'POST', `/v1/redemptions/${redemptions[0].id}/rollback`)
  expect(await counted()).toEqual([0, 0, 0, 0, 0]) // the rollback cancels it
})

test('days, weeks and months are those of the project, also after its time zone changed', async () => {
  const shop = await newProject({ project: { timezone: 'Asia/Kathmandu' } }) // 5:45 ahead
  const { clock } = shop.service
  await newVoucher(shop, 'TEN', { redemption: { quantity: null } })
  for (const at of ['2026-05-31T18:10:00.000Z', '2026-05-31T18:15:00.000Z', '2026-06-01T18:14:00.000Z']) {
    clock.set(at)
    await ok(shop, 'POST', '/v1/vouchers/TEN/redemption', { order: { amount: 100 } })
  }
  await addUpAllOf(shop)
  const counts = async (query: string) =>
    (await overview(shop, query)).series.map(({ from, redemptions }: { from: string; redemptions: number }) => [
      from,
      redemptions,
    ])
  expect(await counts('?from=2026-05-30&to=2026-06-01')).toEqual([
    ['2026-05-29T18:15:00.000Z', 0],
    ['2026-05-30T18:15:00.000Z', 1], // 31 May
    ['2026-05-31T18:15:00.000Z', 2], // 1 June
  ])
  expect(await counts('?from=2026-05-01&to=2026-06-30&interval=month')).toEqual([
    ['2026-04-30T18:15:00.000Z', 1],
    ['2026-05-31T18:15:00.000Z', 2],
  ])
  expect(await counts('?from=2026-05-25&to=2026-06-07&interval=week')).toEqual([
    ['2026-05-24T18:15:00.000Z', 1],
    ['2026-05-31T18:15:00.000Z', 2],
  ])
  await shop.manage('PUT', '', { timezone: 'UTC' })
  expect(await counts('?from=2026-05-31&to=2026-06-01')).toEqual([
    ['2026-05-31T00:00:00.000Z', 2],
    ['2026-06-01T00:00:00.000Z', 1],
  ])
  expect(await counts('?from=2026-05-31T18:00:00Z&to=2026-05-31T19:00:00Z&interval=hour')).toEqual([
    ['2026-05-31T18:00:00.000Z', 2],
  ])
})

test('the range before, refusals and campaigns are those of the range', async () => {
  const shop = await newProject()
  const { clock } = shop.service
  clock.set('2026-02-10T12:00:00.000Z')
  const campaign = await newCampaign(shop, 'Once', {
    voucher: { type: 'DISCOUNT_VOUCHER', discount: tenOff, redemption: { quantity: 1 } },
  })
  const { code } = await ok(shop, 'POST', `/v1/campaigns/${campaign.id}/vouchers`, {})
  const redeem = () => shop.call('POST', `/v1/vouchers/${code}/redemption`, { order: { amount: 1_000 } })
  expect((await redeem()).status).toBe(200)
  clock.set('2026-02-11T12:00:00.000Z')
  expect((await redeem()).status).toBe(400)
  const yesterday = await overview(shop, '?from=2026-02-10&to=2026-02-10')
  expect(yesterday).toMatchObject({
    totals: { redemptions: 1, discount_amount: 100, failed_redemptions: 0 },
    refusals: [],
  })
  expect(yesterday.campaigns).toMatchObject([{ name: 'Once', discount_amount: 100 }])
  const today = await overview(shop, '?from=2026-02-11&to=2026-02-11')
  expect(today).toMatchObject({
    totals: { redemptions: 0, failed_redemptions: 1 },
    previous: { redemptions: 1, discount_amount: 100 },
    refusals: [{ reason: 'quantity_exceeded', count: 1 }],
    campaigns: [],
  })
  await addUpAllOf(shop)
  expect({ ...(await overview(shop, '?from=2026-02-11&to=2026-02-11')), updated_at: '' }).toEqual({
    ...today,
    updated_at: '',
  })
  expect(await ok(shop, 'GET', `/v1/statistics/campaigns/${campaign.id}`)).toMatchObject({
    totals: { redemptions: 1, failed_redemptions: 1, orders: 1, order_amount: 1_000, discounted_order_amount: 900 },
    campaign: { id: campaign.id, name: 'Once', campaign_type: 'DISCOUNT_COUPONS' },
    vouchers_count: 1,
  })
})

test('a loyalty program has its points, what is pending and owed, and its members by tier', async () => {
  const shop = await newProject()
  const program = await newProgram(shop)
  const tiers = await newTiers(shop, program, { Bronze: [0, 99], Silver: [100] })
  const [ann] = [await newMember(shop, program, 'ann'), await newMember(shop, program, 'ben')]
  await newEarningRules(shop, program, fixed(7, inDays(3)))
  await addPoints(shop, ann.code, 120)
  await addPoints(shop, ann.code, -5)
  await payOrder(shop, 'ben')
  const read = () => ok(shop, 'GET', `/v1/statistics/loyalties/${program.id}`)
  const statistics = await read()
  expect(statistics).toMatchObject({
    totals: { points_earned: 120, points_removed: 5, points_pending: 7, points_owed: 115 },
    owed: { points: 115, gift_cards: 0 },
    pending: 7,
    members: 2,
    vouchers_count: 2,
  })
  expect(statistics.tiers).toHaveLength(2)
  expect(statistics.tiers).toEqual(
    expect.arrayContaining([
      { id: tiers.Silver.id, name: 'Silver', members: 1 },
      { id: tiers.Bronze.id, name: 'Bronze', members: 1 },
    ]),
  )
  await addUpAllOf(shop)
  expect({ ...(await read()), updated_at: '' }).toEqual({ ...statistics, updated_at: '' })
  const coupons = await newCampaign(shop, 'Coupons')
  expect((await shop.call('GET', `/v1/statistics/loyalties/${coupons.id}`)).status).toBe(404)
})

test.each([
  ['?from=2026-02-01&to=2026-01-01', 'Property .to must be later than .from'],
  ['?from=2020-01-01&to=2026-01-01', 'Property .interval must NOT divide the range into more than 200 parts'],
  ['?from=2026-01-01&to=2026-02-01&interval=hour', 'more than 200 parts'],
  ['?interval=minute', '.interval'],
  ['?from=yesterday', '.from'],
])('a range that cannot be answered is refused: %s', async (query, fault) => {
  const shop = await newProject()
  const { status, body } = await shop.call('GET', `/v1/statistics/overview${query}`)
  expect(status).toBe(400)
  expect(JSON.stringify(body)).toContain(fault)
})

test('if too many rows wait, the answer is as old as the sums and says so', async () => {
  const shop = await newProject()
  const { db } = shop.service.runtime.database
  await sql`insert into publications (project_id, id, voucher_ids, is_referral_code, channel, metadata, result, created_at)
    select ${shop.project_id}, 'pub_' || n, '{v_1}', false, 'API', '{}', 'SUCCESS', ${toInstant(shop.service.clock.now())}::timestamptz from generate_series(1, 201) n`.execute(
    db,
  )
  const before = await overview(shop)
  expect(before.totals.published_codes).toBe(0)
  await addUpAllOf(shop)
  const after = await overview(shop)
  expect(after.totals.published_codes).toBe(201)
  expect(after.updated_at > before.updated_at).toBe(true)
})

test('the watch adds up every project that has something new, and the others not', async () => {
  const shop = await newProjectAlone()
  const idle = await newProjectOn(shop.service)
  const { db } = shop.service.runtime.database
  await newVoucher(shop, 'TEN', { redemption: { quantity: null } })
  await ok(shop, 'POST', '/v1/vouchers/TEN/redemption', { order: { amount: 100 } })
  const added = async ({ project_id }: Shop) =>
    (
      await sql`select from statistics_sums where project_id = ${project_id} and grain = 0 and redemptions = 1`.execute(
        db,
      )
    ).rows.length
  // Transactions in other databases of the server may hold it back for a while.
  await until(async () => {
    while (await addUpAll(db));
    return (await added(shop)) > 0 || undefined
  })
  expect(await added(idle)).toBe(0)
  const { rows } = await sql`select from statistics_progress where project_id = ${idle.project_id}`.execute(db)
  expect(rows).toEqual([])
})
