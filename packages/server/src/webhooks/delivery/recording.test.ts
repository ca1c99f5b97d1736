import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { limits } from '../../core/lib/limits.ts'
import type { TestService } from '../../testing/app.ts'
import { until } from '../../testing/background.ts'
import { newVoucher } from '../../testing/campaigns.ts'
import { openWebhookTarget, type WebhookTarget } from '../../testing/webhook-target.ts'
import { newWebhook, newWebhookShop, openDeliveringService, sendoutsOf } from '../../testing/webhooks.ts'

let service: TestService
let target: WebhookTarget
beforeAll(async () => {
  service = await openDeliveringService()
  target = await openWebhookTarget()
})

test('a send-out keeps its latest attempts, however often it is retried by hand', async () => {
  const shop = await newWebhookShop(service)
  await newWebhook(shop, `${target.url}/often`, ['voucher.created'])
  await newVoucher(shop, 'A')
  const [{ id }] = await until(async () => {
    const found = await sendoutsOf(shop, 'status=SUCCEEDED')
    return found.length === 1 ? found : undefined
  })
  // As a script leaves it that asked for an attempt again and again.
  await sql`
    update webhook_sendouts set attempts = (
      select jsonb_agg(attempts -> 0 || jsonb_build_object('duration_ms', n) order by n)
      from generate_series(1, ${limits.sendout_attempts_kept + 20}) n)
    where id = ${id}`.execute(service.runtime.database.db)
  for (const kept of [22, 23]) {
    const { status, body } = await shop.manage('POST', `/webhook-sendouts/${id}/retry`)
    expect(status).toBe(200)
    expect(body.attempts).toHaveLength(limits.sendout_attempts_kept)
    expect(body.attempts[0].duration_ms).toBe(kept)
    expect(body.attempts.at(-1).at).toBe(body.executed_at)
  }
})

test('an attempt that the database refuses keeps no other from being recorded, and is not made again and again', async () => {
  const { db } = service.runtime.database
  await sql`create function refuse_poison() returns trigger language plpgsql as $$ begin
    if new.source_url like '%/poison' then raise 'array too large' using errcode = '54000'; end if;
    return new; end $$`.execute(db)
  await sql`create trigger refuse_poison before update on webhook_sendouts for each row execute function refuse_poison()`.execute(
    db,
  )
  const shop = await newWebhookShop(service)
  for (const path of ['/poison', '/good']) await newWebhook(shop, target.url + path, ['voucher.created'])
  const succeeded = (count: number) =>
    until(async () => ((await sendoutsOf(shop, 'status=SUCCEEDED')).length === count ? true : undefined))
  await newVoucher(shop, 'A')
  await succeeded(1)
  await Promise.all(['B', 'C', 'D', 'E', 'F'].map((code) => newVoucher(shop, code)))
  await succeeded(6)
  const sent = (path: string) => target.requests.filter((request) => request.path === path)
  await until(() => (sent('/poison').length === 6 ? true : undefined))
  await newVoucher(shop, 'G')
  await succeeded(7)
  await until(() => (sent('/poison').length >= 7 ? true : undefined))
  expect(new Set(sent('/poison').map(({ headers }) => headers['webhook-id'])).size).toBe(7)
  expect(sent('/poison')).toHaveLength(7)
})
