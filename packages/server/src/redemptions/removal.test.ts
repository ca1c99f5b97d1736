import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { limits } from '../core/lib/limits.ts'
import { newProject, type Shop } from '../testing/app.ts'
import { newCampaign, newVoucher, runCampaignJobs } from '../testing/campaigns.ts'
import { ok } from '../testing/orders.ts'
import { newPromotion, newTier } from '../testing/promotions.ts'
import { newRedemption, ofTier, ofVoucher } from '../testing/redemptions.ts'
import { setLimits } from '../testing/set-limits.ts'

const dbOf = (shop: Shop) => shop.service.runtime.database.db

/** The rows that a project still has: redemptions, usage, holds, and the tally. */
async function left({ project_id, ...shop }: Shop) {
  const { rows } = await sql<{ redemptions: number; usage: number; holds: number; total: number }>`
    select (select count(*) from redemptions where project_id = ${project_id}) as redemptions,
      (select count(*) from usage where project_id = ${project_id}) as usage,
      (select count(*) from holds where project_id = ${project_id}) as holds,
      (select coalesce(sum(delta), 0)::bigint from tallies where project_id = ${project_id} and name = 'redemptions') as total`.execute(
    shop.service.runtime.database.db,
  )
  return rows[0]
}

const hold = (shop: Shop, resourceId: string) =>
  sql`insert into holds values (${shop.project_id}, 'ssn_1', ${resourceId}, 1, 0, now(), now() + interval '1 day')`.execute(
    dbOf(shop),
  )

test('permanently deleting a voucher deletes its redemptions, holds and usage', async () => {
  const shop = await newProject()
  const [gone, stays] = [await newVoucher(shop, 'GONE'), await newVoucher(shop, 'STAYS')]
  for (const voucher of [gone, stays]) {
    const id = await newRedemption(shop, ofVoucher(voucher))
    await newRedemption(shop, { ...ofVoucher(voucher), result: 'FAILURE' })
    await newRedemption(shop, { ...ofVoucher(voucher), object: 'redemption_rollback', redemption_id: id })
    await hold(shop, voucher.id)
  }
  expect(await left(shop)).toEqual({ redemptions: 6, usage: 4, holds: 2, total: 6 })
  await shop.call('DELETE', '/v1/vouchers/GONE?force=true')
  expect(await left(shop)).toEqual({ redemptions: 3, usage: 2, holds: 1, total: 3 })
  expect((await ok(shop, 'GET', '/v1/redemptions')).total).toBe(3)
})

test('destroying a voucher in the trash bin deletes them too; the total excluded them already', async () => {
  const shop = await newProject()
  await newRedemption(shop, ofVoucher(await newVoucher(shop, 'GONE')))
  await newRedemption(shop, ofVoucher(await newVoucher(shop, 'STAYS')))
  await shop.call('DELETE', '/v1/vouchers/GONE')
  expect((await ok(shop, 'GET', '/v1/redemptions')).total).toBe(1)
  const { data } = await ok(shop, 'GET', '/v1/trash-bin')
  expect(await shop.call('DELETE', `/v1/trash-bin/${data[0].id}`)).toMatchObject({ status: 204 })
  expect((await ok(shop, 'GET', '/v1/redemptions')).total).toBe(1)
  expect(await left(shop)).toMatchObject({ redemptions: 1, total: 1 })
})

test.each(['at once', 'from the bin'])('a campaign that is destroyed %s leaves no redemptions, holds or usage', async (how) => {
  const shop = await newProject()
  const campaign = await newCampaign(shop, 'C')
  await newRedemption(shop, ofVoucher(await ok(shop, 'POST', '/v1/campaigns/C/vouchers/IN', {})))
  const promotion = await newPromotion(shop, 'P')
  const tier = await newTier(shop, promotion)
  const id = await newRedemption(shop, ofTier(tier))
  await hold(shop, tier.id)
  // More than one deletion step.
  setLimits({ redemptions_deleted_at_once: 20 })
  await sql`
    insert into redemptions (project_id, id, object, result, status, related_object_type, related_object_id, campaign_id, channel_type, channel_id, created_at)
    select project_id, id || n, object, result, status, related_object_type, related_object_id, campaign_id, channel_type, channel_id, created_at
    from redemptions, generate_series(1, ${limits.redemptions_deleted_at_once + 5}::int) n
    where project_id = ${shop.project_id} and id = ${id}`.execute(dbOf(shop))
  await sql`insert into tallies values (${shop.project_id}, 'redemptions', 'more', ${limits.redemptions_deleted_at_once + 5})`.execute(
    dbOf(shop),
  )
  await newRedemption(shop, ofVoucher(await newVoucher(shop, 'STAYS')))
  for (const one of [campaign.id, promotion]) await shop.call('DELETE', `/v1/campaigns/${one}${how === 'at once' ? '?force=true' : ''}`)
  await runCampaignJobs(shop)
  if (how === 'from the bin') {
    for (const entry of (await ok(shop, 'GET', '/v1/trash-bin')).data) await shop.call('DELETE', `/v1/trash-bin/${entry.id}`)
    await runCampaignJobs(shop)
  }
  expect(await left(shop)).toEqual({ redemptions: 1, usage: 1, holds: 0, total: 1 })
  expect((await ok(shop, 'GET', '/v1/redemptions')).total).toBe(1)
  const { rows } = await sql`select id from campaigns where project_id = ${shop.project_id}`.execute(dbOf(shop))
  expect(rows).toEqual([])
}) // biome-ignore format: one thought

test('deleting a tier keeps its redemptions, which are history of its campaign', async () => {
  const shop = await newProject()
  const promotion = await newPromotion(shop, 'P')
  const tier = await newTier(shop, promotion)
  const id = await newRedemption(shop, { ...ofTier(tier), orders_amount: 900, discounted_amount: 90 })
  await hold(shop, tier.id)
  await shop.call('DELETE', `/v1/promotions/tiers/${tier.id}`)
  expect(await left(shop)).toEqual({ redemptions: 1, usage: 1, holds: 0, total: 1 })
  const body = await ok(shop, 'GET', `/v1/redemptions/${id}`)
  expect(body).toMatchObject({ related_object_type: 'promotion_tier', related_object_id: tier.id, voucher: null })
  expect(body).not.toHaveProperty('promotion_tier')
  expect(await ok(shop, 'GET', '/v1/campaigns/P/summary')).toMatchObject({
    redemptions_succeeded: 1,
    orders_amount: 900,
  })
})

test('an erased customer is removed from redemptions and events, a hidden one is still shown', async () => {
  const shop = await newProject()
  const [anna, ben] = [
    await ok(shop, 'POST', '/v1/customers', { source_id: 'anna', name: 'Anna' }),
    await ok(shop, 'POST', '/v1/customers', { source_id: 'ben', name: 'Ben' }),
  ]
  const voucher = await newVoucher(shop, 'V')
  const ids: string[] = []
  for (const { id } of [anna, ben]) {
    const order = { id: 'ord_1', source_id: 'o-1', amount: 1000, items: [], metadata: { gate: '7b' }, customer_id: id, customer: { id, object: 'customer' }, object: 'order' }
    const redemption = await newRedemption(shop, { ...ofVoucher(voucher), customer_id: id, tracking_id: 'track', order, metadata: { till: 7 } })
    await sql`insert into event_rows (project_id, id, type, category, entity_id, created_at, group_id, event_source, data) values (${shop.project_id}, ${`ev_${id}`}, 'redemption.succeeded', 'ACTION', ${redemption}, now(), 'g', '{}', ${JSON.stringify({ name: id })})`.execute(dbOf(shop))
    ids.push(redemption)
  }
  await shop.call('DELETE', '/v1/customers/ben')
  const erased = await ok(shop, 'POST', '/v1/customers/anna/permanent-deletion')
  expect(erased.data_json.customer_events).toBe(2) // its creation, and the redemption
  const [blank, named] = [await ok(shop, 'GET', `/v1/redemptions/${ids[0]}`), await ok(shop, 'GET', `/v1/redemptions/${ids[1]}`)]
  expect(blank).toMatchObject({
    customer_id: null,
    customer: null,
    tracking_id: null,
    metadata: { till: 7 },
    order: { id: 'ord_1', amount: 1000, customer_id: null, metadata: {} },
  })
  const { rows } = await sql<{ all: string }>`select row_to_json(r)::text as all from redemptions r where project_id = ${shop.project_id} and id = ${ids[0]}`.execute(dbOf(shop))
  expect(rows[0]?.all).not.toContain(anna.id)
  const events = await sql`select id from events where project_id = ${shop.project_id} and type = 'redemption.succeeded'`.execute(dbOf(shop))
  expect(events.rows).toEqual([{ id: `ev_${ben.id}` }])
  expect(named).toMatchObject({ customer_id: ben.id, customer: { name: 'Ben' }, order: { customer: { id: ben.id } } })
  expect((await ok(shop, 'GET', `/v1/redemptions?customer=${ben.id}`)).total).toBe(1)
}) // biome-ignore format: one thought
