import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { limits } from '../../core/lib/limits.ts'
import type { TestService } from '../../testing/app.ts'
import { newVoucher } from '../../testing/campaigns.ts'
import { openWebhookTarget, type WebhookTarget } from '../../testing/webhook-target.ts'
import {
  newWebhook,
  newWebhookShop,
  openDeliveringService,
  sendoutsOf,
  untilDelivered,
} from '../../testing/webhooks.ts'

let service: TestService
let target: WebhookTarget
beforeAll(async () => {
  service = await openDeliveringService()
  target = await openWebhookTarget()
})

const until: <T>(look: () => T | undefined | Promise<T | undefined>) => Promise<T> = (look) =>
  untilDelivered(service, look)

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

test('an attempt whose result the database refuses is recorded without what the target answered', async () => {
  const { db } = service.runtime.database
  await sql`create function refuse_answers() returns trigger language plpgsql as $$ begin
    if new.source_url like '%/bare' and new.attempts @? '$[*] ? (@.response_body != null)' then
      raise 'invalid text' using errcode = '22P05'; end if;
    return new; end $$`.execute(db)
  await sql`create trigger refuse_answers before update on webhook_sendouts for each row execute function refuse_answers()`.execute(
    db,
  )
  const shop = await newWebhookShop(service)
  await newWebhook(shop, `${target.url}/bare`, ['voucher.created'])
  await newVoucher(shop, 'A')
  const arrived = await until(async () => (await sendoutsOf(shop, 'status=SUCCEEDED'))[0])
  expect(arrived.attempts).toMatchObject([{ status_code: 200, error: null, response_body: null }])
  target.answer = ({ path }) => (path === '/bare' ? 500 : 200)
  await newVoucher(shop, 'B')
  const failed = await until(async () => (await sendoutsOf(shop, 'status=RETRYING'))[0])
  expect(failed.attempts).toMatchObject([
    { status_code: 500, error: 'the attempt failed; its result could not be stored', response_body: null },
  ])
  expect(failed.next_attempt_at).not.toBeNull()
})

test('an attempt whose request cannot be made fails, and leaves its slot to others', async () => {
  const { db } = service.runtime.database
  const shop = await newWebhookShop(service)
  await newWebhook(shop, `${target.url}/unsigned`, ['voucher.created'])
  await sql`alter table projects alter column webhook_token drop not null`.execute(db)
  await sql`update projects set webhook_token = null where id = ${shop.project_id}`.execute(db) // nothing can be signed
  await newVoucher(shop, 'A')
  const failed = await until(async () => (await sendoutsOf(shop, 'status=RETRYING'))[0])
  expect(failed.attempts).toMatchObject([
    { status_code: null, error: 'the request could not be made', response_body: null },
  ])
  expect(service.runtime.webhook_attempts.in_flight).toBe(0)
  expect((await shop.manage('POST', `/webhook-sendouts/${failed.id}/retry`)).body.attempts).toHaveLength(2)
})

test('a first failure is notified of, also while the last failure of another webhook cannot be recorded', async () => {
  const { db } = service.runtime.database
  target.answer = () => 500
  const shop = await newWebhookShop(service)
  const old = await newWebhook(shop, `${target.url}/old`, ['voucher.created'])
  await newVoucher(shop, 'A')
  await until(async () => (await sendoutsOf(shop, 'status=RETRYING'))[0])
  await sql`create function refuse_off() returns trigger language plpgsql as $$ begin raise 'not now'; end $$`.execute(
    db,
  )
  await sql`create trigger refuse_off before update on webhooks for each row when (old.active and not new.active)
    execute function refuse_off()`.execute(db)
  const fresh = await newWebhook(shop, `${target.url}/fresh`, ['voucher.created'])
  service.clock.advance(1_440 * 60_000)
  await newVoucher(shop, 'B')
  const kinds = async (webhookId: string) => {
    const { data } = (await shop.manage('GET', '/notifications?limit=100')).body
    return data.flatMap((one: { kind: string; data: { webhook_id: string } }) =>
      one.data.webhook_id === webhookId ? [one.kind] : [],
    )
  }
  await until(async () => ((await kinds(fresh.id)).includes('webhook_failed') ? true : undefined))
  expect(await kinds(old.id)).not.toContain('webhook_disabled')
  await sql`drop trigger refuse_off on webhooks`.execute(db)
  await until(async () => ((await kinds(old.id)).includes('webhook_disabled') ? true : undefined))
  target.answer = () => 200
})
