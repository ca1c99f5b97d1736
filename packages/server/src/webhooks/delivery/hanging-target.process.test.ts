import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { newClock } from '../../testing/app.ts'
import { until } from '../../testing/background.ts'
import { newVoucher } from '../../testing/campaigns.ts'
import { openNode, ownDatabase } from '../../testing/nodes.ts'
import { startWebhookReceiver } from '../../testing/webhook-receiver.ts'
import { openWebhookTarget } from '../../testing/webhook-target.ts'
import { newWebhook, newWebhookShop, sendoutsOf } from '../../testing/webhooks.ts'
import { newDelivery } from './deliver.ts'
import { lookIntervalMs } from './work.ts'

/**
 * Counted in looks of the node instead of seconds, which depend on what else the machine does: each send-out leaves in the first look
 * after it was written, and the node looks every half second.
 */
test('while 1,000 send-outs wait for a target that hangs, each one of another target leaves in the next look', async () => {
  expect(lookIntervalMs).toBeLessThanOrEqual(1_000) // the other second of the two is for the attempt
  const { database } = await ownDatabase()
  // No attempt at the hanging target ends during the test.
  const env = { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true', WEBHOOK_TIMEOUT_MS: '600000' }
  const service = { ...(await openNode(database, { env })), clock: newClock() }
  const delivery = newDelivery(service.runtime)
  const hanging = await startWebhookReceiver()
  const answering = await openWebhookTarget()

  const stuck = await newWebhookShop(service)
  await newWebhook(stuck, `${hanging.address}/hang`, ['voucher.created'])
  await newVoucher(stuck, 'SEED')
  await sql`
    insert into webhook_sendouts (project_id, id, webhook_id, event_id, type, source_url, status, request_id, created_at,
      next_attempt_at, due_at)
    select project_id, 'whs_' || lpad(to_hex(n), 18, '0'), webhook_id, event_id, type, source_url, 'PENDING', request_id,
      created_at, created_at, created_at
    from webhook_sendouts cross join generate_series(1, 1000) n where project_id = ${stuck.project_id}
  `.execute(database.db)
  await delivery.look()
  await until(() => (hanging.requests.length >= 10 ? true : undefined))

  const shop = await newWebhookShop(service)
  await newWebhook(shop, `${answering.url}/hooks`, ['voucher.created'])
  const codes = () => answering.requests.map(({ body }) => body.data.voucher.code)
  const expected: string[] = []
  // Also the first one, when nobody knows yet that this target answers; and more at once than may run at once.
  for (const batch of [1, 1, 1, 30, 1, 1]) {
    const written = Array.from({ length: batch }, (_, index) => `V${expected.length + index}`)
    expected.push(...written)
    await Promise.all(written.map((code) => newVoucher(shop, code)))
    await delivery.look()
    await until(() => (codes().length >= expected.length ? true : undefined))
  }
  expect(codes().sort()).toEqual(expected.sort())
  await until(async () => ((await sendoutsOf(shop, 'status=SUCCEEDED')).length === expected.length ? true : undefined))
  expect(service.runtime.webhook_attempts).toMatchObject({ succeeded: expected.length, failed: 0, in_flight: 10 })
  expect((await hanging.allRequests()).length).toBe(10)
  expect(await sendoutsOf(stuck, 'status=PENDING')).toHaveLength(1_001)

  await hanging.kill() // its attempts end, and the node need not wait for them
  await delivery.stop()
})
