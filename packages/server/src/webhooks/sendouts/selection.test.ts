import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { emitMany } from '../../core/events/emit.ts'
import { newProject, type Shop } from '../../testing/app.ts'
import { asRequest } from '../../testing/background.ts'
import { newCampaign, newVoucher, runCampaignJobs } from '../../testing/campaigns.ts'
import { amountOff, newDiscount, newTier, redeem, redeemed, rollBack, tier, vouchers } from '../../testing/checkout.ts'
import { addPoints, newMember, newProgram, runDailyLoyaltyJob } from '../../testing/loyalty.ts'
import { newPromotion } from '../../testing/promotions.ts'
import { importCsv } from '../../testing/voucher-imports.ts'
import { newWebhook, sendoutsOf } from '../../testing/webhooks.ts'

// No node delivers here: send-outs stay as their events have written them.
const newShop = (project = {}): Promise<Shop> => newProject({ env: { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' }, project })

const url = 'https://shop.test/hooks'
const order = { amount: 10_000 }

describe('every event that a webhook asked for becomes a send-out', () => {
  test('one per webhook, with what the webhook and the event were', async () => {
    const shop = await newShop()
    const both = await newWebhook(shop, `${url}/both`, ['voucher.created', 'voucher.deleted'])
    const one = await newWebhook(shop, `${url}/one`, ['voucher.created'])
    await newWebhook(shop, `${url}/other`, ['campaign.created'])
    await newWebhook(shop, `${url}/off`, ['voucher.created'], { active: false })
    const { status, headers } = await shop.call('POST', '/v1/vouchers/A', {
      type: 'DISCOUNT_VOUCHER',
      discount: amountOff(100),
    })
    expect(status).toBe(200)
    const found = await sendoutsOf(shop)
    expect(found.map(({ webhook_id }) => webhook_id).sort()).toEqual([both.id, one.id].sort())
    const sendout = found.find(({ webhook_id }) => webhook_id === one.id)
    expect(sendout).toEqual({
      id: expect.stringMatching(/^whs_[0-9a-f]{18}$/),
      object: 'webhook_sendout',
      webhook_id: one.id,
      type: 'voucher.created',
      status: 'PENDING',
      reason: null,
      test: false,
      source: { id: one.id, object: 'webhook', target_url: `${url}/one` },
      target_url: `${url}/one`,
      request_id: headers['x-request-id'],
      event_id: expect.stringMatching(/^evvou_[0-9a-f]{18}$/),
      event_created_at: sendout.created_at,
      created_at: expect.any(String),
      executed_at: null,
      next_attempt_at: sendout.created_at,
      attempts: [],
      data: {
        id: sendout.id,
        project_id: shop.project_id,
        created_at: sendout.created_at,
        type: 'voucher.created',
        data: { voucher: expect.objectContaining({ code: 'A' }), campaign: null },
        source: sendout.source,
        event: {
          id: sendout.event_id,
          type: 'voucher.created',
          created_at: sendout.created_at,
          entity_id: expect.stringMatching(/^v_/),
          group_id: headers['x-request-id'],
          event_source: { channel: 'API', api_key: { name: 'Server key', app_id: shop.app_id } },
        },
      },
    })
    expect(Object.keys(sendout.data)).toEqual(['id', 'project_id', 'created_at', 'type', 'data', 'source', 'event'])
    expect(new Set(found.map(({ id }) => id)).size).toBe(2)
  })

  test('not an earlier one, and none while the webhook is switched off', async () => {
    const shop = await newShop()
    await newVoucher(shop, 'BEFORE')
    const webhook = await newWebhook(shop, url, ['voucher.created'])
    await newVoucher(shop, 'ON')
    await shop.manage('PUT', `/webhooks/${webhook.id}`, { active: false })
    await newVoucher(shop, 'OFF')
    await shop.manage('PUT', `/webhooks/${webhook.id}`, { active: true })
    await newVoucher(shop, 'AGAIN')
    const codes = (await sendoutsOf(shop)).map(({ data }) => data.data.voucher.code)
    expect(codes).toEqual(['AGAIN', 'ON'])
  })

  test('of another project go nowhere', async () => {
    const shop = await newShop()
    const other = await newShop()
    await newWebhook(other, url, ['voucher.created'])
    await newVoucher(shop, 'A')
    expect(await sendoutsOf(other)).toEqual([])
    expect(await sendoutsOf(shop)).toEqual([])
  })

  test('a stack of three redeemables is four send-outs of one group, a single voucher one', async () => {
    const shop = await newShop()
    await newDiscount(shop, 'A', amountOff(100))
    await newDiscount(shop, 'B', amountOff(200))
    const { id } = await newTier(shop, await newPromotion(shop), { action: { discount: amountOff(300) } })
    await newWebhook(shop, url, ['redemption.succeeded'])
    const { status, body, headers } = await redeem(shop, { redeemables: [...vouchers('A', 'B'), tier(id)], order })
    expect(status, JSON.stringify(body)).toBe(200)
    const found = await sendoutsOf(shop, `request_id=${headers['x-request-id']}`)
    expect(found).toHaveLength(4)
    expect(new Set(found.map(({ data }) => data.event.group_id))).toEqual(new Set([headers['x-request-id']]))
    expect(found.map(({ data }) => data.event.entity_id).sort()).toEqual(
      [body.parent_redemption.id, ...body.redemptions.map((one: { id: string }) => one.id)].sort(),
    )
    await redeemed(shop, { redeemables: vouchers('A'), order })
    expect(await sendoutsOf(shop)).toHaveLength(5)
  })

  test('send-outs of one request have the order of its events', async () => {
    const shop = await newShop()
    await newDiscount(shop, 'A', amountOff(100))
    await newDiscount(shop, 'B', amountOff(200))
    await newWebhook(shop, url, ['redemption.succeeded'])
    await redeemed(shop, { redeemables: vouchers('A', 'B'), order })
    const events = (await sendoutsOf(shop)).map(({ event_id }) => event_id as string)
    expect(events).toHaveLength(3)
    expect(events).toEqual(events.toSorted().reverse()) // newest first
  })

  test('of redemptions that are saved in batches, and of failed ones and rollbacks', async () => {
    const shop = await newShop()
    await newDiscount(shop, 'MANY', amountOff(100))
    await newDiscount(shop, 'ONCE', amountOff(100), { redemption: { quantity: 1 } })
    await newWebhook(shop, url, ['redemption.succeeded', 'redemption.failed', 'redemption.rollback.succeeded'])
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => redeem(shop, { redeemables: vouchers('MANY'), order })),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    const succeeded = await sendoutsOf(shop, 'type=redemption.succeeded')
    expect(new Set(succeeded.map(({ data }) => data.event.entity_id))).toEqual(
      new Set(answers.map(({ body }) => body.redemptions[0].id)),
    )
    expect(succeeded).toHaveLength(40)

    await redeemed(shop, { redeemables: vouchers('ONCE'), order })
    expect((await redeem(shop, { redeemables: vouchers('ONCE'), order })).status).toBe(400)
    expect(await sendoutsOf(shop, 'type=redemption.failed')).toHaveLength(1)
    expect((await rollBack(shop, answers[0]?.body.redemptions[0].id)).status).toBe(200)
    expect(await sendoutsOf(shop, 'type=redemption.rollback.succeeded')).toHaveLength(1)
  })

  test('of jobs: the generation of codes and an import with webhooks', async () => {
    const shop = await newShop()
    await newWebhook(shop, url, ['campaign.vouchers.generation.completed', 'voucher.created'])
    const { status, headers } = await shop.call('POST', '/v1/campaigns', {
      name: 'Codes',
      vouchers_count: 3,
      voucher: { type: 'DISCOUNT_VOUCHER', discount: amountOff(100) },
    })
    expect(status).toBe(200)
    await runCampaignJobs(shop)
    const [generated, ...others] = await sendoutsOf(shop)
    expect(others).toEqual([])
    expect(generated).toMatchObject({
      type: 'campaign.vouchers.generation.completed',
      request_id: headers['x-request-id'],
      data: { data: { count: 3 } },
    })

    await importCsv(shop, '/v1/vouchers/importCSV', 'Code,Voucher Type,Value\nC1,GIFT_VOUCHER,2\nC2,GIFT_VOUCHER,2\n', {
      webhooks_enable: 'true',
    })
    const codes = (await sendoutsOf(shop, 'type=voucher.created')).map(({ data }) => data.data.voucher.code)
    expect(codes.sort()).toEqual(['C1', 'C2'])
  })

  test('of the daily job: points that expire', async () => {
    const shop = await newShop()
    const program = await newProgram(shop, {
      expiration_rules: { period_type: 'MONTH', period_value: 1 },
    })
    const { code } = await newMember(shop, program, 'buyer')
    await addPoints(shop, code, 100)
    await newWebhook(shop, url, ['voucher.loyalty_card.points_expired'])
    shop.service.clock.advance(40 * 86_400_000)
    await runDailyLoyaltyJob(shop)
    expect(await sendoutsOf(shop)).toMatchObject([
      {
        type: 'voucher.loyalty_card.points_expired',
        data: { data: { points: 100 }, event: { event_source: { channel: 'INTERNAL' } } },
      },
    ])
  })

  test('none of a transaction that is rolled back', async () => {
    const shop = await newShop()
    await newWebhook(shop, url, ['campaign.created'])
    const { runtime } = shop.service
    const project = await runtime.database.db
      .selectFrom('projects')
      .where('id', '=', shop.project_id as `proj_${string}`)
      .selectAll()
      .executeTakeFirstOrThrow()
    const rolledBack = asRequest(runtime, project, async (ctx) => {
      const event = {
        type: 'campaign.created',
        entity_id: 'camp_1',
        data: { campaign: {}, created_at: ctx.now },
      } as const
      await emitMany(ctx, [event, event])
      const { rows } = await sql`select from webhook_sendouts where project_id = ${shop.project_id}`.execute(ctx.db)
      expect(rows).toHaveLength(2)
      throw new Error('refused')
    })
    await expect(rolledBack).rejects.toThrow('refused')
    expect(await sendoutsOf(shop)).toEqual([])
    await newCampaign(shop, 'Kept')
    expect(await sendoutsOf(shop)).toHaveLength(1)
  })
})
