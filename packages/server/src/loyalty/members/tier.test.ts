import { expect, test } from 'vitest'
import { newProject, type Shop } from '../../testing/app.ts'
import { type HeldCard, insertTier, newCardCampaign, newHeldCard, putIntoTier } from '../../testing/member-rows.ts'

async function tiersOf(shop: Shop, { code }: HeldCard) {
  const { status, body } = await shop.call('GET', `/v1/loyalties/members/${code}/tiers`)
  expect({ status, body }).toMatchObject({ status: 200, body: { object: 'list', data_ref: 'data' } })
  expect(body.total).toBe(body.data.length)
  return body.data
}

test('the tier of a member contains its dates', async () => {
  const shop = await newProject()
  const card = await newHeldCard(shop, await newCardCampaign(shop))
  const tierId = await insertTier(shop, card.campaign_id)
  await putIntoTier(shop, card, {
    tier_id: tierId,
    tier_start_date: '2031-03-14',
    tier_expiration_date: '2031-06-30',
    tier_created_at: '2031-03-14T11:00:00.000Z',
  })
  const expiration = {
    customer_id: card.customer_id,
    campaign_id: card.campaign_id,
    tier_id: tierId,
    start_date: '2031-03-14',
    expiration_date: '2031-06-30',
    created_at: '2031-03-14T11:00:00.000Z',
  }
  expect(await tiersOf(shop, card)).toEqual([
    {
      id: tierId,
      name: 'Silver',
      campaign_id: card.campaign_id,
      metadata: {},
      created_at: '2031-01-05T00:00:00.000Z',
      updated_at: null,
      earning_rules: { ern_1: { type: 'MULTIPLY', multiplier: 2 } },
      rewards: {},
      config: { points: { from: 250, to: 999 } },
      points: { from: 250, to: 999 },
      expiration,
      object: 'loyalty_tier',
    },
  ])
})

test('a tier without an end has no expiration date, and a prolonged one has updated_at', async () => {
  const shop = await newProject()
  const card = await newHeldCard(shop, await newCardCampaign(shop))
  const tierId = await insertTier(shop, card.campaign_id)
  await putIntoTier(shop, card, {
    tier_id: tierId,
    tier_start_date: '2031-03-14',
    tier_created_at: '2031-03-14T11:00:00.000Z',
    tier_updated_at: '2031-04-01T00:00:00.000Z',
  })
  const [{ expiration }] = await tiersOf(shop, card)
  expect(expiration).not.toHaveProperty('expiration_date')
  expect(expiration).toMatchObject({ start_date: '2031-03-14', updated_at: '2031-04-01T00:00:00.000Z' })
})

test('a tier that starts later is not returned', async () => {
  const shop = await newProject()
  const card = await newHeldCard(shop, await newCardCampaign(shop))
  expect(await tiersOf(shop, card)).toEqual([])
  const tierId = await insertTier(shop, card.campaign_id)
  await putIntoTier(shop, card, { scheduled_tier_id: tierId, scheduled_start_date: '2031-07-01' })
  expect(await tiersOf(shop, card)).toEqual([])
  expect(await shop.call('GET', '/v1/loyalties/members/unknown/tiers')).toMatchObject({
    status: 404,
    body: { resource_type: 'voucher' },
  })
})
