import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { newProject, type Shop, uniqueName } from '../../testing/app.ts'
import { newCampaign, runCampaignJobs } from '../../testing/campaigns.ts'
import { newRule, when } from '../../testing/checkout.ts'
import { type HeldCard, insertRow, newCardCampaign, newHeldCard } from '../../testing/member-rows.ts'
import { ok } from '../../testing/orders.ts'

const createdAt = '2031-05-10T09:00:00.000Z'

const newReferral = (shop: Shop) =>
  newCampaign(shop, uniqueName('Friends'), {
    campaign_type: 'REFERRAL_PROGRAM',
    type: 'AUTO_UPDATE',
    referral_program: { conversion_event_type: 'redemption' },
  })

/** The number of rows left in each table, without empty tables. */
async function countRows(shop: Shop, ...tables: string[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const table of tables) {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from ${sql.table(table)} where project_id = ${shop.project_id}`.execute(
      shop.service.runtime.database.db,
    )
    if (rows[0]?.count) counts[table] = rows[0].count
  }
  return counts
}

const cardTables = ['loyalty_members', 'pending_points', 'earnings', 'reward_redemptions']

/** Inserts rows about a card: pending and activated points, earnings, reward redemptions. */
async function insertCardRows(shop: Shop, card: HeldCard): Promise<void> {
  const { id: voucherId, campaign_id, customer_id } = card
  const db = shop.service.runtime.database.db
  await sql`insert into loyalty_members (project_id, voucher_id, campaign_id, customer_id)
    values (${shop.project_id}, ${voucherId}, ${campaign_id}, ${customer_id}) on conflict do nothing`.execute(db)
  for (const status of ['PENDING', 'ACTIVATED'])
    await insertRow(shop, 'pending_points', {
      id: `lopp_${status}${voucherId}`,
      voucher_id: voucherId,
      campaign_id,
      customer_id,
      order_id: 'ord_1',
      points: 5,
      activates_at: '2031-05-20',
      details: {},
      status,
      created_at: createdAt,
    })
  await insertRow(shop, 'earnings', {
    order_id: 'ord_1',
    voucher_id: voucherId,
    earning_rule_id: 'ern_1',
    created_at: createdAt,
  })
  await insertRewardRedemption(shop, card)
}

const insertRewardRedemption = (shop: Shop, { id: voucherId, campaign_id, customer_id }: HeldCard) =>
  insertRow(shop, 'reward_redemptions', {
    id: `rewr_${voucherId}`,
    state: 'PENDING',
    voucher_id: voucherId,
    campaign_id,
    customer_id,
    reward_id: 'rew_1',
    reward_assignment_id: 'rewa_1',
    source_id: 'r_1',
    source_type: 'redemption',
    created_at: createdAt,
  })

const insertConversion = (shop: Shop, code: HeldCard, refereeId: string) =>
  insertRow(shop, 'referral_conversions', {
    campaign_id: code.campaign_id,
    referrer_id: code.customer_id,
    referee_id: refereeId,
    voucher_id: code.id,
    related_object_id: 'r_1',
    related_object_type: 'redemption',
    created_at: createdAt,
    source_ids: ['r_1'],
  })

test('deleting a card for good deletes its points and reward redemptions, and nothing of other cards', async () => {
  const shop = await newProject()
  const club = await newCardCampaign(shop)
  const [card, other] = [await newHeldCard(shop, club), await newHeldCard(shop, club)]
  for (const each of [card, other]) await insertCardRows(shop, each)
  const both = await countRows(shop, ...cardTables)
  expect(both).toEqual({ loyalty_members: 2, pending_points: 4, earnings: 2, reward_redemptions: 2 })
  expect(await shop.call('DELETE', `/v1/vouchers/${card.code}?force=true`)).toMatchObject({ status: 204 })
  expect(await countRows(shop, ...cardTables)).toEqual({
    loyalty_members: 1,
    pending_points: 2,
    earnings: 1,
    reward_redemptions: 1,
  })
})

test('deleting a customer for good deletes its cards, rewards and referrals', async () => {
  const shop = await newProject()
  const [club, friends] = [await newCardCampaign(shop), await newReferral(shop)]
  const card = await newHeldCard(shop, club)
  await insertCardRows(shop, card)
  const [codeOfAnother, code] = [await newHeldCard(shop, friends), await newHeldCard(shop, friends)]
  const reward = await ok(shop, 'POST', '/v1/rewards', {
    name: 'Coupon',
    parameters: { campaign: { id: (await newCampaign(shop, 'Coupons')).id } },
  })
  const tier = await ok(shop, 'POST', `/v1/referrals/${friends.id}/tiers`, {
    parameters: { criteria: 'EACH_REFEREE' },
    reward: { id: reward.id },
  })
  await insertConversion(shop, codeOfAnother, card.customer_id)
  await insertConversion(shop, codeOfAnother, 'cust_stays')
  await insertConversion(shop, code, 'cust_stays')
  await insertRewardRedemption(shop, code)
  for (const { customer_id } of [code, codeOfAnother])
    await insertRow(shop, 'referral_grants', { tier_id: tier.id, referrer_id: customer_id, created_at: createdAt })

  const tables = [...cardTables, 'referral_conversions', 'referral_grants']
  await ok(shop, 'POST', `/v1/customers/${card.customer_id}/permanent-deletion`)
  // Rows of other customers stay.
  expect(await countRows(shop, ...tables)).toEqual({
    reward_redemptions: 1,
    referral_conversions: 2,
    referral_grants: 2,
  })
  await ok(shop, 'POST', `/v1/customers/${code.customer_id}/permanent-deletion`)
  expect(await countRows(shop, ...tables)).toEqual({ referral_conversions: 1, referral_grants: 1 })
})

test('deleting a program for good deletes all its rows, and updates the configuration', async () => {
  const shop = await newProject()
  const club = await newCardCampaign(shop)
  const card = await newHeldCard(shop, club)
  await insertCardRows(shop, card)
  const rule = await newRule(shop, when('order.amount', { $more_than: [100] }))
  const coin = await ok(shop, 'POST', '/v1/rewards', {
    name: 'Coin',
    parameters: { coin: { exchange_ratio: 1, points_ratio: 1 } },
  })
  const [assignment] = await ok(shop, 'POST', `/v1/loyalties/${club.id}/rewards`, [
    { reward: coin.id, validation_rules: [rule.id] },
  ])
  const part = { campaign_id: club.id, metadata: {}, created_at: createdAt, config_version: 1 }
  await insertRow(shop, 'earning_rules', {
    ...part,
    id: 'ern_1',
    automation_id: 'auto_1',
    event: 'order.paid',
    loyalty: { type: 'FIXED', points: 1 },
    active: true,
  })
  await insertRow(shop, 'loyalty_tiers', { ...part, id: 'ltr_1', name: 'Gold', earning_rules: {}, rewards: {} })
  await insertRow(shop, 'tier_walks', {
    campaign_id: club.id,
    changed: 'tiers',
    walked_to: '',
    request_id: 'v-1',
    caller: {},
    started_at: createdAt,
  })
  await insertRow(shop, 'rule_assignments', {
    id: 'asgm_1',
    rule_id: rule.id,
    related_object_type: 'earning_rule',
    related_object_id: 'ern_1',
    created_at: createdAt,
    config_version: 1,
  })
  expect(await shop.call('DELETE', `/v1/campaigns/${club.id}?force=true`)).toMatchObject({ status: 202 })
  await runCampaignJobs(shop)
  const tables = ['campaigns', 'earning_rules', 'loyalty_tiers', 'tier_walks', 'reward_assignments', 'rule_assignments']
  expect(await countRows(shop, ...tables, ...cardTables)).toEqual({})
  const { rows } = await sql<{ object_type: string; object_id: string }>`
    select object_type, object_id from configuration_deletions where project_id = ${shop.project_id}
      and object_type <> 'rule_assignment' order by object_type`.execute(shop.service.runtime.database.db)
  expect(rows).toEqual([
    { object_type: 'campaign', object_id: club.id },
    { object_type: 'earning_rule', object_id: 'ern_1' },
    { object_type: 'loyalty_tier', object_id: 'ltr_1' },
    { object_type: 'reward_assignment', object_id: assignment.id },
  ])
})

test('deleting a referral program deletes its tiers at once, so that their rewards are no longer in use', async () => {
  const shop = await newProject()
  const friends = await newReferral(shop)
  const code = await newHeldCard(shop, friends)
  const reward = await ok(shop, 'POST', '/v1/rewards', {
    name: 'Coupon',
    parameters: { campaign: { id: (await newCampaign(shop, 'Coupons')).id } },
  })
  const tier = await ok(shop, 'POST', `/v1/referrals/${friends.id}/tiers`, {
    parameters: { criteria: 'EACH_REFEREE' },
    reward: { id: reward.id },
  })
  await insertConversion(shop, code, 'cust_referee')
  await insertRow(shop, 'referral_grants', { tier_id: tier.id, referrer_id: code.customer_id, created_at: createdAt })
  expect(await shop.call('DELETE', `/v1/rewards/${reward.id}`)).toMatchObject({ body: { key: 'resource_in_use' } })
  expect(await shop.call('DELETE', `/v1/campaigns/${friends.id}?force=true`)).toMatchObject({ status: 202 })
  expect(await shop.call('DELETE', `/v1/rewards/${reward.id}`)).toMatchObject({ status: 204 })
  await runCampaignJobs(shop)
  const tables = ['referral_tiers', 'referral_grants', 'referral_conversions', 'reward_assignments']
  expect(await countRows(shop, ...tables)).toEqual({})
})
