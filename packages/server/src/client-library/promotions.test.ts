import type { DiscountVouchersTypesEnum } from '@voucherify/sdk'
import { expect, test } from 'vitest'
import { clientOf } from './client.ts'

const client = clientOf('promotions')
const percentOff = (off: number) => ({
  discount: { type: 'PERCENT' as DiscountVouchersTypesEnum.PERCENT, percent_off: off },
})

test('a promotion with tiers is created, validated and redeemed', async () => {
  const { promotions, redemptions } = (await client()).library
  const made = await promotions.create({
    name: 'Happy hours',
    campaign_type: 'PROMOTION',
    promotion: { tiers: [{ name: 'Ten', banner: 'Ten percent off', action: percentOff(10) }] },
  })
  expect(made).toMatchObject({
    id: expect.stringMatching(/^promo_|^camp_/),
    campaign_type: 'PROMOTION',
    promotion: { object: 'list', data_ref: 'tiers', tiers: [{ name: 'Ten', banner: 'Ten percent off' }] },
  })
  const ten = made.promotion.tiers?.[0] as { id: string }

  const order = { amount: 10_000 }
  const verdict = await promotions.validate({ customer: { source_id: 'ann' }, order })
  expect(verdict).toMatchObject({ valid: true, tracking_id: expect.any(String) })
  expect(verdict.promotions).toMatchObject([
    { id: ten.id, object: 'promotion_tier', order: { total_discount_amount: 1_000, total_amount: 9_000 } },
  ])

  const redemption = await promotions.tiers.redeem(ten.id, { order })
  expect(redemption).toMatchObject({
    result: 'SUCCESS',
    order: { amount: 10_000, total_discount_amount: 1_000 },
    promotion_tier: { id: ten.id, name: 'Ten' },
  })
  expect(await redemptions.get(redemption.id)).toMatchObject({ id: redemption.id, promotion_tier: { id: ten.id } })
})

test('validation filters promotions by fields and by audience', async () => {
  const { promotions } = (await client()).library
  const { id, promotion } = await promotions.create({
    name: 'Narrow',
    campaign_type: 'PROMOTION',
    promotion: { tiers: [{ name: 'Five', banner: '', action: percentOff(5) }] },
  })
  const five = promotion.tiers?.[0]?.id as string
  const filters = { promotion_id: { conditions: { $in: [id] } } }
  const found = await promotions.validate({ order: { amount: 100 } }, { filters, audienceRulesOnly: true })
  expect(found).toMatchObject({ valid: true, promotions: [{ id: five }] })
})

test('tiers are created, read, listed, changed and deleted', async () => {
  const { promotions } = (await client()).library
  const { tiers } = promotions
  const { id } = await promotions.create({ name: 'Tiers', campaign_type: 'PROMOTION' })
  const first = await tiers.create(id, { name: 'First', banner: '1', action: percentOff(10), metadata: { n: 1 } })
  const second = await tiers.create(id, { name: 'Second', action: percentOff(20) })
  expect(first).toMatchObject({
    id: expect.stringMatching(/^promo_/),
    name: 'First',
    action: percentOff(10),
    campaign: { id },
    hierarchy: 1,
    metadata: { n: 1 },
    object: 'promotion_tier',
  })
  expect(await tiers.get(first.id)).toMatchObject({ name: 'First', banner: '1' })
  // The library sends the id in the path and in the body.
  expect(await tiers.update({ id: second.id, name: 'Other', action: percentOff(25) })).toMatchObject({
    id: second.id,
    name: 'Other',
    action: percentOff(25),
  })
  const ofCampaign = await tiers.list(id)
  expect(ofCampaign).toMatchObject({ object: 'list', data_ref: 'tiers' })
  expect(ofCampaign.tiers.map(({ name, hierarchy }) => [name, hierarchy])).toEqual([
    ['Other', 2],
    ['First', 1],
  ])
  const all = await tiers.listAll({ is_available: true, limit: 100, page: 1 })
  expect(all.tiers.map((tier) => tier.id)).toEqual(expect.arrayContaining([first.id, second.id]))
  await tiers.delete(first.id)
  await expect(tiers.get(first.id)).rejects.toMatchObject({ code: 404, resource_type: 'promotion_tier' })
})

test('stacks are created, read, listed, changed and deleted', async () => {
  const { promotions, categories } = (await client()).library
  const { stack } = promotions
  const campaign = await promotions.create({
    name: 'Stacks',
    campaign_type: 'PROMOTION',
    promotion: { tiers: [10, 20].map((percent) => ({ name: `${percent}`, banner: '', action: percentOff(percent) })) },
  })
  const ids = (campaign.promotion.tiers ?? []).map(({ id }) => id)
  const category = await categories.create({ name: 'Combined', hierarchy: 1 })
  const made = await stack.createInCampaign(campaign.id, {
    name: 'Both',
    tiers: { ids, hierarchy_mode: 'MANUAL' },
    category_id: category.id,
  })
  expect(made).toMatchObject({
    id: expect.stringMatching(/^stack_/),
    name: 'Both',
    tiers: { ids, hierarchy_mode: 'MANUAL' },
    campaign_id: campaign.id,
    category_id: category.id,
    object: 'promotion_stack',
  })
  expect(await stack.get(campaign.id, made.id)).toMatchObject({ name: 'Both', categories: [{ name: 'Combined' }] })
  const turned = ids.toReversed()
  expect(await stack.update(campaign.id, made.id, { name: 'Turned', tiers: { ids: turned } })).toMatchObject({
    id: made.id,
    name: 'Turned',
    tiers: { ids: turned },
    updated_at: expect.any(String),
  })
  expect(await stack.listInCampaign(campaign.id)).toMatchObject({
    object: 'list',
    data_ref: 'data',
    total: 1,
    data: [{ id: made.id }],
  })
  const createdAt = { after: '2020-01-01T00:00:00Z' }
  expect(await stack.list({ order: '-name', limit: 5, created_at: createdAt })).toMatchObject({
    total: 1,
    data: [{ name: 'Turned' }],
  })
  await stack.delete(campaign.id, made.id)
  await expect(stack.get(campaign.id, made.id)).rejects.toMatchObject({ code: 404, resource_type: 'promotion_stack' })
})

test('every method of these objects was called', async () => (await client()).expectAllMethodsCalled())
