import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { inTransaction } from '../../core/db/transaction.ts'
import { backendOf, untilOthersWait } from '../../testing/lock-waits.ts'
import { ok } from '../../testing/orders.ts'
import { openWebhookTarget } from '../../testing/webhook-target.ts'
import { newWebhook, newWebhookShop, openDeliveringService, sendoutsOf } from '../../testing/webhooks.ts'

test('the copy of an event does not outlive a customer that is erased while the copy is made', async () => {
  const service = await openDeliveringService()
  const target = await openWebhookTarget()
  const shop = await newWebhookShop(service)
  const { id } = await newWebhook(shop, `${target.url}/hooks`, ['voucher.created'])
  const ann = await ok(shop, 'POST', '/v1/customers', { source_id: 'ann' })
  const { database } = service.runtime
  await sql`create function pause_copy() returns trigger language plpgsql as $$ begin
    perform pg_advisory_xact_lock(42); return new; end $$`.execute(database.db)
  await sql`create trigger pause_copy before insert on webhook_sendouts for each row when (new.is_test)
    execute function pause_copy()`.execute(database.db)
  const running = await inTransaction(database.db, async (trx) => {
    await sql`select pg_advisory_xact_lock(42)`.execute(trx)
    const tested = shop.manage('POST', `/webhooks/${id}/test`, { type: 'customer.created' })
    const holder = await backendOf(trx)
    await untilOthersWait(database, holder)
    const erased = ok(shop, 'POST', `/v1/customers/${ann.id}/permanent-deletion`)
    await Promise.race([erased, untilOthersWait(database, holder, 2)])
    return { tested, erased }
  })
  await running.erased
  expect([200, 404]).toContain((await running.tested).status)
  expect(await sendoutsOf(shop)).toEqual([])
})
