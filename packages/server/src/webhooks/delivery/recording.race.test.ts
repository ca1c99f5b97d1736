import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { inTransaction } from '../../core/db/transaction.ts'
import { until } from '../../testing/background.ts'
import { newVoucher } from '../../testing/campaigns.ts'
import { backendOf, untilOthersWait } from '../../testing/lock-waits.ts'
import { openWebhookTarget } from '../../testing/webhook-target.ts'
import { newWebhook, newWebhookShop, openDeliveringService, sendoutsOf } from '../../testing/webhooks.ts'

test('recording does not wait for notifications of failures', async () => {
  const service = await openDeliveringService()
  const target = await openWebhookTarget()
  target.answer = ({ path }) => (path === '/failing' ? 500 : 200)
  const failing = await newWebhookShop(service)
  const good = await newWebhookShop(service)
  await newWebhook(failing, `${target.url}/failing`, ['voucher.created'])
  await newWebhook(good, `${target.url}/good`, ['voucher.created'])
  const { database } = service.runtime
  await inTransaction(database.db, async (trx) => {
    await sql`lock table notifications in exclusive mode`.execute(trx)
    await newVoucher(failing, 'A')
    await untilOthersWait(database, await backendOf(trx))
    await newVoucher(good, 'B')
    await until(async () => (await sendoutsOf(good, 'status=SUCCEEDED'))[0])
    expect((await failing.manage('GET', '/notifications')).body.data).toEqual([])
  })
  await until(async () => (await failing.manage('GET', '/notifications')).body.data[0])
})
