import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { Webhook } from 'standardwebhooks'
import { beforeAll, describe, expect, test } from 'vitest'
import { maintain } from '../../core/jobs/maintenance.ts'
import { newId } from '../../core/lib/ids.ts'
import { limits } from '../../core/lib/limits.ts'
import { newClock, newProjectOn, type Shop, send, type TestService, uniqueName } from '../../testing/app.ts'
import { newVoucher } from '../../testing/campaigns.ts'
import { amountOff, newDiscount, redeemed, vouchers } from '../../testing/checkout.ts'
import { openNode, ownDatabase } from '../../testing/nodes.ts'
import { ok } from '../../testing/orders.ts'
import { scaled } from '../../testing/scale.ts'
import { setLimits } from '../../testing/set-limits.ts'
import { openWebhookTarget, type ReceivedRequest, type WebhookTarget } from '../../testing/webhook-target.ts'
import {
  newWebhook,
  newWebhookShop,
  openDeliveringService,
  sendoutsOf,
  untilDelivered,
} from '../../testing/webhooks.ts'
import { deleteOldSendouts } from '../sendouts/retention.ts'
import { measureWaiting } from './waiting.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
type Body = any

let service: TestService
let target: WebhookTarget
/** How each path is answered; 200 otherwise. */
const answers = new Map<string, WebhookTarget['answer']>()
beforeAll(async () => {
  service = await openDeliveringService()
  target = await openWebhookTarget()
  target.answer = (request) => answers.get(request.path)?.(request) ?? 200
})

interface Fixture {
  shop: Shop
  webhook: Body
  path: string
  received(): ReceivedRequest[]
  codes(): string[]
}

/** A new shop with one webhook for new vouchers, at a path of its own. */
async function fixture(answer?: WebhookTarget['answer'], more: object = {}): Promise<Fixture> {
  const path = `/${uniqueName('hooks')}`
  if (answer !== undefined) answers.set(path, answer)
  const shop = await newWebhookShop(service)
  const webhook = await newWebhook(shop, target.url + path, ['voucher.created'], more)
  const received = () => target.requests.filter((request) => request.path === path)
  return { shop, webhook, path, received, codes: () => received().map(({ body }) => body.data.voucher.code) }
}

const until: <T>(look: () => T | undefined | Promise<T | undefined>) => Promise<T> = (look) =>
  untilDelivered(service, look)

const ended = (shop: Shop, count: number, query = '') =>
  until(async () => {
    const found = await sendoutsOf(shop, query)
    return found.length === count && found.every(({ status }) => status === 'SUCCEEDED') ? found : undefined
  })

/** Lets time pass, and the node look at what is due then. */
function pass(milliseconds: number): void {
  service.clock.advance(milliseconds)
  service.runtime.jobs.wake('webhooks')
}

/** Lets the node look at what it should leave alone. */
async function letLook(): Promise<void> {
  for (let looks = 0; looks < 2; looks += 1) {
    service.runtime.jobs.wake('webhooks')
    await setTimeout(50)
  }
}

const update = (shop: Shop, { id }: Body, body: object) => shop.manage('PUT', `/webhooks/${id}`, body)

/** Does what is asked whenever it is free. */
const retry = (shop: Shop, { id }: Body): Promise<Body> => shop.manage('POST', `/webhook-sendouts/${id}/retry`)

describe('a send-out', () => {
  test('arrives signed, and the log keeps what happened', async () => {
    const { shop, received } = await fixture()
    await newVoucher(shop, 'Ä-1')
    const [sendout] = await ended(shop, 1)
    const [request, ...others] = received()
    expect(others).toEqual([])
    expect(request?.body).toEqual(sendout.data)
    expect(request?.text).toBe(JSON.stringify(sendout.data)) // compact, in the documented order
    expect(request?.headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': sendout.id })
    expect(request?.headers['guerdon-test']).toBeUndefined()
    const { webhook_token } = (
      await send(shop.service.app, 'GET', `/management/v1/projects/${shop.project_id}`, undefined, shop.management)
    ).body as Body
    const secret = `whsec_${Buffer.from(webhook_token).toString('base64')}`
    new Webhook(secret).verify(request?.text as string, request?.headers as Record<string, string>)
    expect(sendout).toMatchObject({
      status: 'SUCCEEDED',
      executed_at: sendout.attempts[0].at,
      next_attempt_at: null,
      attempts: [{ status_code: 200, error: null, response_body: '{"received":true}' }],
    })
  })

  test('is signed with both tokens for a day after the token was replaced', async () => {
    const { shop, received } = await fixture()
    const path = `/management/v1/projects/${shop.project_id}`
    const tokenOf = async () =>
      ((await send(shop.service.app, 'GET', path, undefined, shop.management)).body as Body).webhook_token
    const old = await tokenOf()
    expect((await shop.manage('POST', '/webhook-token/regenerate')).status).toBe(200)
    const current = await tokenOf()
    expect(current).not.toBe(old)
    await newVoucher(shop, 'A')
    await ended(shop, 1)
    const request = received()[0] as ReceivedRequest
    for (const token of [current, old])
      new Webhook(`whsec_${Buffer.from(token).toString('base64')}`).verify(request.text, request.headers as never)
  })

  test('arrives once if nothing fails, at most ten at once', async () => {
    const { shop, received, path } = await fixture(() => ({ after_ms: 20 }))
    const count = scaled(100, 15)
    await Promise.all(Array.from({ length: count }, (_, index) => newVoucher(shop, `M${index}`)))
    await ended(shop, count)
    expect(new Set(received().map(({ body }) => body.id)).size).toBe(count)
    expect(received()).toHaveLength(count)
    expect(target.most_at_once(path)).toBeLessThanOrEqual(10)
    expect(target.most_at_once(path)).toBeGreaterThan(1)
  })

  test('whose attempt cannot be recorded at once is recorded later, and not sent again meanwhile', async () => {
    const { shop, received } = await fixture()
    const { db } = service.runtime.database
    await sql`create trigger broken before update on webhook_sendouts execute function refuse_change()`.execute(db)
    await newVoucher(shop, 'A')
    await until(() => (received().length > 0 ? true : undefined))
    await letLook()
    await setTimeout(100)
    await sql`drop trigger broken on webhook_sendouts`.execute(db)
    await ended(shop, 1)
    expect(received()).toHaveLength(1)
  })

  test('whose event is gone is dropped', async () => {
    const { shop, webhook, received } = await fixture(undefined, { active: false })
    const { db } = service.runtime.database
    const eventId = newId('voucher_event', Date.UTC(2026, 0))
    await sql`
      insert into webhook_sendouts (project_id, id, webhook_id, event_id, type, source_url, status, request_id, created_at,
        next_attempt_at, due_at)
      values (${shop.project_id}, 'whs_000000000000000001', ${webhook.id}, ${eventId}, 'voucher.created', 'x', 'PENDING', 'v-1',
        '2026-01-01', '2026-01-01', '2026-01-01')`.execute(db)
    await update(shop, webhook, { active: true })
    await until(async () => {
      const left = await sql`select from webhook_sendouts where project_id = ${shop.project_id}`.execute(db)
      return left.rows.length === 0 ? true : undefined
    })
    expect(received()).toEqual([])
  })

  test('whose attempt fails waits for the next one, at the address that the webhook has then, with the same bytes', async () => {
    const { shop, webhook, received } = await fixture(() => 503)
    await newVoucher(shop, 'A')
    const failed = await until(async () => (await sendoutsOf(shop, 'status=RETRYING'))[0])
    expect(failed.attempts).toMatchObject([{ status_code: 503, error: expect.any(String) }])
    const path = `/${uniqueName('moved')}`
    expect((await update(shop, webhook, { target_url: target.url + path })).status).toBe(200)
    const { status, body } = await retry(shop, failed)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      status: 'SUCCEEDED',
      source: failed.source,
      target_url: target.url + path,
      attempts: [{ status_code: 503 }, { status_code: 200 }],
    })
    expect(target.requests.filter((request) => request.path === path).map(({ text }) => text)).toEqual([
      received()[0]?.text,
    ])
  })
})

describe('a webhook', () => {
  test('that is switched off pauses what waits, and sends it when it is switched on, with a new schedule', async () => {
    const { shop, webhook, path, codes } = await fixture(() => 500)
    await newVoucher(shop, 'A')
    const failed = await until(async () => (await sendoutsOf(shop, 'status=RETRYING'))[0])
    await update(shop, webhook, { active: false })
    service.clock.advance(25 * 3_600_000) // all of its retries are missed
    await letLook()
    expect(codes()).toEqual(['A'])
    await update(shop, webhook, { active: true })
    const again = await until(async () => {
      const [found] = await sendoutsOf(shop)
      return found.attempts.length === 2 ? found : undefined
    })
    expect(again).toMatchObject({ id: failed.id, status: 'RETRYING' })
    expect(Date.parse(again.next_attempt_at) - Date.parse(again.attempts[1].at)).toBe(60_000)
    expect((await shop.manage('GET', `/webhooks/${webhook.id}`)).body.active).toBe(true)
    answers.delete(path)
    pass(60_000)
    await ended(shop, 1)
  })

  test('that is deleted gets nothing more, and the log says so', async () => {
    const { shop, webhook, path, codes } = await fixture(() => 500)
    await newVoucher(shop, 'A')
    await until(async () => (await sendoutsOf(shop, 'status=RETRYING'))[0])
    expect((await shop.manage('DELETE', `/webhooks/${webhook.id}`)).status).toBe(204)
    answers.delete(path)
    pass(60_000)
    const [failed] = await until(async () => {
      const found = await sendoutsOf(shop, 'status=FAILED')
      return found.length === 1 ? found : undefined
    })
    expect(failed).toMatchObject({ reason: 'webhook deleted', next_attempt_at: null, attempts: [{ status_code: 500 }] })
    expect(codes()).toEqual(['A'])
    expect(await retry(shop, failed)).toMatchObject({ status: 404, body: { resource_type: 'webhook' } })
  })

  test('of a deleted project gets nothing more', async () => {
    const { shop, path, codes } = await fixture(() => 500)
    await newVoucher(shop, 'A')
    await until(async () => (await sendoutsOf(shop, 'status=RETRYING'))[0])
    const { app } = service
    const gone = await send(app, 'DELETE', `/management/v1/projects/${shop.project_id}`, undefined, shop.management)
    expect(gone.status).toBe(204)
    answers.delete(path)
    service.clock.advance(60_000)
    await letLook()
    expect(codes()).toEqual(['A'])
  })
})

describe('a manual retry', () => {
  test('makes one attempt at once and leaves the schedule alone', async () => {
    const { shop, received, path } = await fixture(() => 500)
    await newVoucher(shop, 'A')
    const failed = await until(async () => (await sendoutsOf(shop, 'status=RETRYING'))[0])
    const { status, body } = await retry(shop, failed)
    expect(status).toBe(200)
    expect(body).toMatchObject({ status: 'RETRYING', next_attempt_at: failed.next_attempt_at })
    expect(body.attempts).toHaveLength(2)
    expect(received()).toHaveLength(2)
    answers.delete(path)
    expect((await retry(shop, failed)).body).toMatchObject({ status: 'SUCCEEDED', next_attempt_at: null })
    service.clock.advance(3_600_000)
    await letLook()
    expect(received()).toHaveLength(3)
    // What has arrived can be sent again, and stays a success if that fails.
    answers.set(path, () => 500)
    expect((await retry(shop, failed)).body).toMatchObject({ status: 'SUCCEEDED', next_attempt_at: null })
    expect(received()).toHaveLength(4)
    expect(new Set(received().map(({ text }) => text)).size).toBe(1)
  })

  test('works while the webhook is switched off, and does not switch it on', async () => {
    const { shop, webhook, path, received } = await fixture(() => 500)
    await newVoucher(shop, 'A')
    const failed = await until(async () => (await sendoutsOf(shop, 'status=RETRYING'))[0])
    await update(shop, webhook, { active: false })
    answers.delete(path)
    expect((await retry(shop, failed)).body).toMatchObject({ status: 'SUCCEEDED' })
    expect(received()).toHaveLength(2)
    expect((await shop.manage('GET', `/webhooks/${webhook.id}`)).body.active).toBe(false)
  })

  test('many at once keep the limit of the webhook', async () => {
    const { shop, path, received } = await fixture(() => ({ after_ms: 20 }))
    const count = scaled(30, 14)
    await Promise.all(Array.from({ length: count }, (_, index) => newVoucher(shop, `R${index}`)))
    const done = await ended(shop, count)
    const answersOfAll = await Promise.all(done.map((sendout) => retry(shop, sendout)))
    expect(new Set(answersOfAll.map(({ body }) => body.attempts.length))).toEqual(new Set([2]))
    expect(received()).toHaveLength(2 * count)
    expect(target.most_at_once(path)).toBeLessThanOrEqual(10)
    expect(target.most_at_once_of_one()).toBe(1)
  })

  test('of a send-out of another project, or of none, is not found', async () => {
    const { shop } = await fixture()
    const other = await fixture()
    await newVoucher(other.shop, 'A')
    const [sendout] = await ended(other.shop, 1)
    for (const id of [sendout.id, 'whs_000000000000000000', 'nonsense'])
      expect(await retry(shop, { id })).toMatchObject({
        status: 404,
        body: { resource_id: id, resource_type: 'webhook_sendout' },
      })
  })
})

describe('a test', () => {
  const tryOut = (shop: Shop, { id }: Body, type: string) => shop.manage('POST', `/webhooks/${id}/test`, { type })

  test('sends a copy of the newest event of the type, also to a webhook that is switched off or asked for other types', async () => {
    const { shop, webhook, received } = await fixture(undefined, { active: false })
    await newDiscount(shop, 'A', amountOff(100))
    await redeemed(shop, { redeemables: vouchers('A'), order: { amount: 1_000 } })
    const { status, body } = await tryOut(shop, webhook, 'redemption.succeeded')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      webhook_id: webhook.id,
      type: 'redemption.succeeded',
      test: true,
      status: 'SUCCEEDED',
      attempts: [{ status_code: 200 }],
      data: { data: { voucher: { code: 'A' } }, event: { type: 'redemption.succeeded' }, test: true },
    })
    const [request] = received()
    expect(request?.headers).toMatchObject({ 'guerdon-test': 'true', 'webhook-id': body.id })
    expect(request?.body).toEqual(body.data)
    expect(await sendoutsOf(shop)).toEqual([body])
  })

  test('has an event id of its own, so that no receiver ignores it as a duplicate or the original as one of it', async () => {
    const { shop, webhook, received } = await fixture()
    await newVoucher(shop, 'A')
    const [original] = await ended(shop, 1)
    const tests = [await tryOut(shop, webhook, 'voucher.created'), await tryOut(shop, webhook, 'voucher.created')]
    const bodies = received().map(({ body }) => body)
    expect(bodies.map(({ test }) => test)).toEqual([undefined, true, true])
    expect(new Set(bodies.map(({ event }) => event.id)).size).toBe(3)
    const { id, ...event } = original.data.event
    for (const { body } of tests) {
      expect(body.data).toMatchObject({ data: original.data.data, event })
      expect(body.data.event.id).toMatch(/^evvou_[0-9a-f]{18}$/)
      expect(body.event_id).toBe(id) // what the log says it is a copy of
      expect(Object.keys(body.data).at(-1)).toBe('test')
    }
  })

  test('is erased with the event that it is a copy of', async () => {
    const { shop, webhook } = await fixture(undefined, { active: false })
    const ann = await ok(shop, 'POST', '/v1/customers', { source_id: 'ann' })
    const { body } = await tryOut(shop, webhook, 'customer.created')
    expect(body).toMatchObject({ status: 'SUCCEEDED', data: { data: { customer: { id: ann.id } } } })
    await ok(shop, 'POST', `/v1/customers/${ann.id}/permanent-deletion`)
    expect(await sendoutsOf(shop)).toEqual([])
  })

  test('makes an event up if there is none', async () => {
    const { shop, webhook, received } = await fixture()
    const { status, body } = await tryOut(shop, webhook, 'campaign.vouchers.aded')
    expect(status).toBe(200)
    expect(body).toMatchObject({ type: 'campaign.vouchers.added', status: 'SUCCEEDED', event_id: null, test: true })
    expect(received()[0]?.body.data).toMatchObject({ count: 0, campaign: { object: 'campaign' } })
  })

  test('that fails is not repeated and changes nothing', async () => {
    const { shop, webhook, received } = await fixture(() => 500)
    const { body } = await tryOut(shop, webhook, 'voucher.created')
    expect(body).toMatchObject({ status: 'FAILED', next_attempt_at: null, attempts: [{ status_code: 500 }] })
    service.clock.advance(3_600_000)
    await letLook()
    expect(received()).toHaveLength(1)
    expect((await shop.manage('GET', `/webhooks/${webhook.id}`)).body.active).toBe(true)
  })

  test('of a type that no webhook can get is refused', async () => {
    const { shop, webhook } = await fixture()
    expect(await tryOut(shop, webhook, 'customer.segment.entered')).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload', details: expect.stringMatching(/^Property \.type must be equal to one of/) },
    })
  })
})

describe('the log', () => {
  test('is filtered and read by a cursor, the newest first', async () => {
    const { shop, webhook } = await fixture()
    const other = await newWebhook(shop, `${target.url}/${uniqueName('other')}`, ['voucher.created', 'voucher.deleted'])
    for (const code of ['A', 'B', 'C']) await newVoucher(shop, code)
    const { headers } = await shop.call('DELETE', '/v1/vouchers/B?force=true')
    await ended(shop, 7)
    const ids = (await sendoutsOf(shop)).map(({ id }) => id)
    expect(ids).toEqual(ids.toSorted().reverse())
    const page = async (query: string) => (await shop.manage('GET', `/webhook-sendouts?${query}`)).body
    const first = await page('limit=4')
    expect(first).toMatchObject({ object: 'list', data_ref: 'data', has_more: true, more_starting_after: ids[3] })
    const rest = await page(`limit=4&starting_after_id=${first.more_starting_after}`)
    expect(rest).toMatchObject({ has_more: false })
    expect([...first.data, ...rest.data].map(({ id }: Body) => id)).toEqual(ids)
    expect(await sendoutsOf(shop, `webhook_id=${webhook.id}`)).toHaveLength(3)
    expect(await sendoutsOf(shop, `webhook_id=${other.id}`)).toHaveLength(4)
    expect(await sendoutsOf(shop, 'type=voucher.deleted')).toHaveLength(1)
    expect(await sendoutsOf(shop, `request_id=${headers['x-request-id']}`)).toMatchObject([{ type: 'voucher.deleted' }])
    const [{ event_id }] = await sendoutsOf(shop, `webhook_id=${webhook.id}`)
    expect(await sendoutsOf(shop, `event_id=${event_id}`)).toMatchObject([{ event_id }, { event_id }])
    expect(await sendoutsOf(shop, 'status=SUCCEEDED')).toHaveLength(7)
    expect(await sendoutsOf(shop, 'status=FAILED')).toHaveLength(0)
    expect(await sendoutsOf(shop, `status=SUCCEEDED&type=voucher.created&webhook_id=${other.id}`)).toHaveLength(3)
    for (const query of ['status=OPEN', 'limit=101', 'starting_after_id=whs_0'])
      expect(await shop.manage('GET', `/webhook-sendouts?${query}`)).toMatchObject({
        status: 400,
        body: { key: 'invalid_query_params' },
      })
  })

  test('has pages that end before they are too large, with at least one send-out', async () => {
    setLimits({ sendouts_page_bytes_max: 50_000 })
    const { shop } = await fixture()
    for (const code of ['A', 'B', 'C']) await newVoucher(shop, code)
    const all = (await ended(shop, 3)).map(({ id }) => id)
    const grow = (bytes: number) =>
      sql`
        update webhook_sendouts set attempts = jsonb_build_array(attempts -> 0 || jsonb_build_object('response_body', repeat('x', ${bytes})))
        where project_id = ${shop.project_id}`.execute(service.runtime.database.db)
    const sizes = async () => {
      const found: number[] = []
      const ids: string[] = []
      for (let after = ''; ; ) {
        const { body } = await shop.manage('GET', `/webhook-sendouts?limit=100${after}`)
        found.push(body.data.length)
        ids.push(...body.data.map(({ id }: Body) => id))
        if (!body.has_more) break
        expect(body.more_starting_after).toBe(ids.at(-1))
        after = `&starting_after_id=${body.more_starting_after}`
      }
      expect(ids).toEqual(all)
      return found
    }
    expect(await sizes()).toEqual([3])
    await grow(Math.round(limits.sendouts_page_bytes_max / 2.5))
    expect(await sizes()).toEqual([2, 1])
    await grow(limits.sendouts_page_bytes_max + 1)
    expect(await sizes()).toEqual([1, 1, 1])
  })

  test('is kept for AUDIT_RETENTION_DAYS; what waits, two days longer', async () => {
    const { shop, webhook, path } = await fixture()
    await newVoucher(shop, 'DONE')
    await ended(shop, 1)
    answers.set(path, () => 500)
    await newVoucher(shop, 'WAITING')
    await until(async () => (await sendoutsOf(shop, 'status=RETRYING'))[0])
    await update(shop, webhook, { active: false })
    const { database, now } = service.runtime
    const codesAfter = async (days: number) => {
      const at = new Date(now() + days * 86_400_000).toISOString()
      await maintain(database, at, undefined, [deleteOldSendouts({ audit_retention_days: 30 })])
      return (await sendoutsOf(shop)).map(({ data }) => data.data.voucher.code)
    }
    expect(await codesAfter(29.9)).toEqual(['WAITING', 'DONE'])
    expect(await codesAfter(30.1)).toEqual(['WAITING'])
    expect(await codesAfter(32.1)).toEqual([])
  })
})

describe('erasing', () => {
  test('a customer deletes the send-outs about it, and leaves the bytes of the others as they were', async () => {
    const { shop, webhook, path, received } = await fixture(() => 500)
    await update(shop, webhook, {
      events: ['customer.created', 'redemption.succeeded', 'voucher.gift.transaction.created'],
    })
    const customer = await ok(shop, 'POST', '/v1/customers', { source_id: 'erased', name: 'Ada' })
    await newVoucher(shop, 'GIFT', { type: 'GIFT_VOUCHER', discount: undefined, gift: { amount: 5_000 } })
    await redeemed(shop, {
      redeemables: [{ object: 'voucher', id: 'GIFT', gift: { credits: 100 } }],
      customer: { source_id: 'erased' },
      order: { amount: 1_000 },
    })
    const tried = await until(async () => {
      const found = await sendoutsOf(shop, 'status=RETRYING')
      return found.length === 3 ? found : undefined
    })
    await shop.manage('POST', `/webhooks/${webhook.id}/test`, { type: 'customer.created' })
    expect(await sendoutsOf(shop)).toHaveLength(4)
    expect((await shop.call('POST', `/v1/customers/${customer.id}/permanent-deletion`)).status).toBe(200)
    const left = await sendoutsOf(shop)
    expect(left.map(({ type }) => type)).toEqual(['voucher.gift.transaction.created'])
    answers.delete(path)
    for (const sendout of left) {
      expect((await retry(shop, sendout)).body.status).toBe('SUCCEEDED')
      const texts = received().flatMap(({ body, text }) => (body.id === sendout.id ? [text] : []))
      expect(texts).toHaveLength(2)
      expect(new Set(texts).size).toBe(1)
    }
    for (const { id, type } of tried)
      if (type !== 'voucher.gift.transaction.created') expect(await retry(shop, { id })).toMatchObject({ status: 404 })
  })
})

test('an event that a node of an earlier release erases takes its send-outs and the copies of tests along', async () => {
  const { shop, webhook } = await fixture()
  for (const code of ['ERASED', 'KEPT']) await newVoucher(shop, code)
  const [kept, erased] = await ended(shop, 2)
  await shop.manage('POST', `/webhooks/${webhook.id}/test`, { type: 'voucher.created' })
  const { db } = service.runtime.database
  const copyOf = (id: string) =>
    sql`update webhook_sendouts set event_id = ${id} where is_test and project_id = ${shop.project_id}`
  await copyOf(erased.event_id).execute(db)
  await sql`delete from event_rows where project_id = ${shop.project_id} and id = ${erased.event_id}`.execute(db)
  expect((await sendoutsOf(shop)).map(({ id }) => id)).toEqual([kept.id])
})

test('the metrics count attempts, and what waits for how long', async () => {
  const { shop, path } = await fixture(() => 500)
  const read = async (name: string) => {
    const { body } = await send(service.app, 'GET', '/metrics')
    const line = String(body)
      .split('\n')
      .find((one) => one.startsWith(`${name} `))
    return Number(line?.split(' ').at(-1))
  }
  const before = await read('guerdon_webhook_attempts_total{result="failed"}')
  await newVoucher(shop, 'A')
  await until(async () => (await sendoutsOf(shop, 'status=RETRYING'))[0])
  expect(await read('guerdon_webhook_attempts_total{result="failed"}')).toBe(before + 1)
  expect(await read('guerdon_webhook_sendouts_waiting')).toBeGreaterThanOrEqual(1)
  expect(await read('guerdon_webhook_lag_seconds')).toBeGreaterThanOrEqual(0)
  answers.delete(path)
})

test('what waits is measured without requested attempts, and without deleted projects', async () => {
  const { database } = await ownDatabase()
  const clock = newClock()
  const node = await openNode(database, { env: { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' }, now: clock.now })
  const shop = await newProjectOn({ ...node, clock })
  await newWebhook(shop, 'http://127.0.0.1:9/', ['voucher.created'])
  for (const code of ['A', 'B']) await newVoucher(shop, code)
  const measured = () => measureWaiting(database.db, new Date(clock.now()).toISOString())
  clock.advance(100_000)
  const before = await measured()
  expect(before.waiting).toBe(2)
  expect(before.lag_seconds).toBeGreaterThanOrEqual(100)
  const requested = sql`update webhook_sendouts set is_manual = true, due_at = '-infinity'
    where id = (select max(id) from webhook_sendouts)`
  await requested.execute(database.db)
  expect((await measured()).lag_seconds).toBeGreaterThanOrEqual(before.lag_seconds)
  await send(node.app, 'DELETE', `/management/v1/projects/${shop.project_id}`, undefined, shop.management)
  expect(await measured()).toEqual({ waiting: 0, lag_seconds: 0 })
})
