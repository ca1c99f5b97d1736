import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { campaigns } from '../../incentives/campaigns/routes.ts'
import { publications } from '../../incentives/publications/routes.ts'
import { newClock, newProject, newProjectOn, type Shop } from '../../testing/app.ts'
import { newCampaign, newVoucher, runCampaignJobs, tenOff } from '../../testing/campaigns.ts'
import { testDatabase } from '../../testing/database.ts'
import { openNode } from '../../testing/nodes.ts'
import { ok } from '../../testing/orders.ts'
import { addUpAllOf } from '../../testing/statistics.ts'
import { attention } from './routes.ts'

const matters = async (shop: Shop) => {
  const { data, total } = await ok(shop, 'GET', '/v1/attention')
  expect(total).toBe(data.length)
  return data.map(({ kind, severity, message }: Record<string, string>) => `${severity} ${kind}: ${message}`)
}

test('a new project needs no attention', async () => {
  expect(await matters(await newProject())).toEqual([])
})

test('a campaign needs attention from 80 % of its budget on', async () => {
  const shop = await newProject({ project: { currency: 'EUR' } })
  const rule = await ok(shop, 'POST', '/v1/validation-rules', {
    name: 'Budget',
    rules: { 1: { name: 'campaign.orders.amount_discounted', conditions: { $less_than_or_equal: [1_000] } }, 2: { name: 'campaign.redemptions.count', conditions: { $less_than: [100] } }, logic: '1 and 2' },
  }) // biome-ignore format: one thought
  const campaign = await newCampaign(shop, 'Spring', {
    voucher: {
      type: 'DISCOUNT_VOUCHER',
      discount: { type: 'AMOUNT', amount_off: 200 },
      redemption: { quantity: null },
    },
    validation_rules: [rule.id],
  })
  const { code } = await ok(shop, 'POST', `/v1/campaigns/${campaign.id}/vouchers`, {})
  const redeem = () => ok(shop, 'POST', '/v1/redemptions', { redeemables: [{ object: 'voucher', id: code }], order: { amount: 5_000 } }) // biome-ignore format: one thought
  for (let count = 0; count < 3; count += 1) await redeem()
  expect(await matters(shop)).toEqual([])
  await redeem()
  expect(await matters(shop)).toEqual([
    'WARNING budget_nearly_used: The campaign "Spring" has used 80 % of its budget: 8.00 EUR of 10.00 EUR.',
  ])
  await redeem()
  expect((await matters(shop))[0]).toContain('ERROR budget_nearly_used: The campaign "Spring" has used 100 %')
})

test('a campaign needs attention when few of its codes are left, and in the week in which it ends', async () => {
  const clock = newClock()
  const only = [...attention, ...campaigns, ...publications]
  const node = await openNode(await testDatabase(), { only, now: clock.now })
  const shop = await newProjectOn({ ...node, clock })
  clock.set('2026-06-01T12:00:00.000Z')
  const campaign = await newCampaign(shop, 'Twenty', { type: 'STATIC', vouchers_count: 20, expiration_date: '2026-06-12T12:30:00.000Z', voucher: { type: 'DISCOUNT_VOUCHER', discount: tenOff } }) // biome-ignore format: one thought
  await newCampaign(shop, 'Endless', { type: 'AUTO_UPDATE', vouchers_count: 10 })
  await runCampaignJobs(shop)
  const publish = (count: number) =>
    ok(shop, 'POST', '/v1/publications', { customer: { source_id: 'ann' }, campaign: { name: campaign.name, count } })
  await publish(17)
  await addUpAllOf(shop)
  expect(await matters(shop)).toEqual([])
  await publish(1)
  await addUpAllOf(shop)
  expect(await matters(shop)).toEqual([
    'WARNING codes_running_out: The campaign "Twenty" has 2 codes left to publish, of 20 codes.',
  ])
  await publish(2)
  await addUpAllOf(shop)
  clock.set('2026-06-09T12:00:00.000Z')
  expect(await matters(shop)).toEqual([
    'ERROR codes_running_out: The campaign "Twenty" has no code left to publish, of 20 codes.',
    'INFO campaign_ending: The campaign "Twenty" ends in 3 days.',
  ])
  clock.set('2026-06-13T12:00:00.000Z')
  expect(await matters(shop)).toEqual([]) // it has ended
})

test('webhooks that fail, jobs that failed and many refusals need attention', async () => {
  const shop = await newProject()
  const { db } = shop.service.runtime.database
  const { project_id } = shop
  const now = () => new Date(shop.service.clock.now()).toISOString()
  await sql`insert into webhooks (project_id, id, target_url, events, active, failed_at, created_at) values
    (${project_id}, 'wh_1', 'https://one.example/hook?token=secret', '{}', false, ${now()}, ${now()}),
    (${project_id}, 'wh_2', 'https://two.example/hook/secret', '{}', true, null, ${now()}),
    (${project_id}, 'wh_3', 'https://three.example/hook', '{}', false, null, ${now()})`.execute(db)
  for (const id of ['1', '2'])
    await sql`insert into webhook_sendouts (project_id, id, webhook_id, type, source_url, status, request_id, created_at)
      values (${project_id}, ${`whs_${id}`}, 'wh_2', 'redemption.succeeded', '', 'RETRYING', 'v-1', ${now()})`.execute(
      db,
    )
  const job = (id: string, status: string, result: object, failedCount = 0) =>
    sql`insert into async_actions (project_id, id, type, status, operation_status, created_at, updated_at, request_id, event_source, input, state, result)
      values (${project_id}, ${id}, 'CUSTOMER_IMPORT', ${status}, ${status === 'DONE' && failedCount === 0 ? 'SUCCESS' : 'FAILED'}, ${now()}, ${now()}, 'v-1', '{}', '{}', '{}', ${JSON.stringify(result)}::jsonb)`.execute(
      db,
    )
  await job('iaa_1', 'FAILED', { message: 'no' })
  await job('iaa_2', 'DONE', { done_count: 3, failed_count: 2 }, 2)
  await job('iaa_3', 'DONE', { done_count: 3, failed_count: 0 })
  await newVoucher(shop, 'ONCE', { redemption: { quantity: 1 } })
  const redeem = () => shop.call('POST', '/v1/vouchers/ONCE/redemption', { order: { amount: 100 } })
  for (let count = 0; count < 20; count += 1) await redeem()
  const others = [
    'ERROR webhook_switched_off: The webhook to one.example was switched off, because it did not accept an event after all retries.',
    'ERROR job_failed: The job CUSTOMER_IMPORT failed.',
    'WARNING webhook_failing: The webhook to two.example fails: 2 events wait for a retry.',
    'WARNING job_failed: The job CUSTOMER_IMPORT ended with 2 errors.',
  ]
  expect(await matters(shop)).toEqual(others) // 19 refusals
  // A VIEWER reads this list, and no webhook: its address may contain a secret.
  expect(JSON.stringify((await shop.call('GET', '/v1/attention')).body)).not.toContain('secret')
  await redeem()
  expect(await matters(shop)).toEqual([
    ...others,
    'WARNING many_refusals: In the last 24 hours, 20 redemptions of 21 attempts were refused for one reason: quantity_exceeded.',
  ])
})
