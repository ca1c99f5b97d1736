import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { limits } from '../../core/lib/limits.ts'
import { newClock, send, type TestService } from '../../testing/app.ts'
import { until } from '../../testing/background.ts'
import { newVoucher } from '../../testing/campaigns.ts'
import { amountOff, newDiscount, redeemed, vouchers } from '../../testing/checkout.ts'
import { openNode, ownDatabase } from '../../testing/nodes.ts'
import { statementsSentBy } from '../../testing/sent-statements.ts'
import { openWebhookTarget } from '../../testing/webhook-target.ts'
import { newWebhook, newWebhookShop, sendoutsOf } from '../../testing/webhooks.ts'
import { watchSendouts } from '../delivery/work.ts'

/** A service that makes no attempt before `watchSendouts`: until then all requests for one wait. */
async function openWaitingService(): Promise<TestService> {
  const { database } = await ownDatabase()
  const env = { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true', WEBHOOK_TIMEOUT_MS: '120000' }
  return { ...(await openNode(database, { env })), clock: newClock() }
}

async function shopWithWebhook(service: TestService, targetUrl: string) {
  const shop = await newWebhookShop(service)
  const webhook = await newWebhook(shop, targetUrl, ['voucher.created'])
  return { shop, tryOut: () => shop.manage('POST', `/webhooks/${webhook.id}/test`, { type: 'voucher.created' }) }
}

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make)

/** Waits until the attempts of so many send-outs are requested. */
const requested = ({ runtime }: TestService, count: number) =>
  until(async () => {
    const { rows } = await sql`select from webhook_sendouts where is_manual`.execute(runtime.database.db)
    return rows.length === count ? true : undefined
  })

test('a hundred requests that wait for an attempt ask the database as often as one, and for no more than whether it was made', async () => {
  const service = await openWaitingService()
  const target = await openWebhookTarget()
  const shops = await Promise.all(times(2, () => shopWithWebhook(service, target.url)))
  const answers = shops.flatMap(({ tryOut }) => times(50, tryOut))
  await requested(service, 100)

  const { answer: elapsedMs, sent } = await statementsSentBy(async (sentSoFar) => {
    const began = performance.now()
    await setTimeout(1_500)
    await until(() => (pollsIn(sentSoFar).length > 0 ? true : undefined))
    return performance.now() - began
  })
  const polls = pollsIn(sent)
  expect(polls.length).toBeLessThanOrEqual(elapsedMs / 100 + 1)
  expect(polls.filter((text) => /\b(?:body|attempts)\b/.test(text))).toEqual([])
  const [{ shop }] = shops as [(typeof shops)[number]]
  await newDiscount(shop, 'MEANWHILE', amountOff(100))
  await redeemed(shop, { redeemables: vouchers('MEANWHILE'), order: { amount: 1_000 } })

  watchSendouts(service.runtime)
  for (const { status, body } of await Promise.all(answers)) {
    expect(status).toBe(200)
    expect(body).toMatchObject({ status: 'SUCCEEDED', attempts: [{ status_code: 200 }] })
  }
})

/** The statements that ask whether attempts were made. */
const pollsIn = (sent: readonly string[]) =>
  sent.filter((text) => /^\s*select\b.*\bwebhook_sendouts\b/s.test(text.replaceAll('"', '')))

test('of one project, and of one node, only so many requests wait at once: one more is 429, and leaves nothing behind', async () => {
  const service = await openWaitingService()
  const target = await openWebhookTarget()
  const { project_attempt_waits_max: ofProject, node_attempt_waits_max: ofNode } = limits
  const shops = await Promise.all(times(ofNode / ofProject + 1, () => shopWithWebhook(service, target.url)))
  const [first, ...others] = shops as [(typeof shops)[number], ...typeof shops]
  const last = others.pop() as (typeof shops)[number]
  const refusal = {
    status: 429,
    headers: { 'retry-after': '5' },
    body: {
      code: 429,
      key: 'too_many_requests',
      message: 'Too many requests hit the API too quickly.',
      details: 'Too many manual retries and tests of webhooks wait for their attempt',
      request_id: expect.any(String),
    },
  }

  const answers = times(ofProject, first.tryOut)
  await requested(service, ofProject)
  expect(await first.tryOut()).toMatchObject(refusal)
  const [waiting] = await sendoutsOf(first.shop)
  expect(await first.shop.manage('POST', `/webhook-sendouts/${waiting.id}/retry`)).toMatchObject(refusal)

  answers.push(...others.flatMap(({ tryOut }) => times(ofProject, tryOut)))
  await requested(service, ofNode)
  expect(await last.tryOut()).toMatchObject(refusal)
  expect(await sendoutsOf(last.shop)).toEqual([])
  const { body: metrics } = await send(service.app, 'GET', '/metrics')
  expect(metrics).toContain('guerdon_rate_limited_total{limit="webhook_attempt_waits"} 3\n')

  watchSendouts(service.runtime)
  const replies = await Promise.all(answers)
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
  expect((await last.tryOut()).status).toBe(200)
  expect((await first.tryOut()).status).toBe(200)
})

test('retries of a send-out whose attempt is requested wait for the same attempt, write nothing, and share one read', async () => {
  const service = await openWaitingService()
  const { db } = service.runtime.database
  const target = await openWebhookTarget()
  const { shop } = await shopWithWebhook(service, target.url)
  await newVoucher(shop, 'A')
  const [sendout] = await sendoutsOf(shop)
  await sql`create table written (id text)`.execute(db)
  await sql`
    create function note_request() returns trigger language plpgsql as
      $$ begin insert into written values (new.id); return null; end $$`.execute(db)
  await sql`
    create trigger note_request after update on webhook_sendouts for each row when (new.is_manual)
    execute function note_request()`.execute(db)

  const { sent } = await statementsSentBy(async (sentSoFar) => {
    const answers = times(30, () => shop.manage('POST', `/webhook-sendouts/${sendout.id}/retry`))
    await until(() => (requestsIn(sentSoFar).length === 30 ? true : undefined))
    const polls = pollsIn(sentSoFar).length
    await until(() => (pollsIn(sentSoFar).length >= polls + 2 ? true : undefined))
    watchSendouts(service.runtime)
    for (const { status, body } of await Promise.all(answers)) {
      expect(status).toBe(200)
      expect(body).toMatchObject({ id: sendout.id, status: 'SUCCEEDED', attempts: [{ status_code: 200 }] })
    }
  })
  expect(target.requests).toHaveLength(1)
  expect((await sql`select id from written`.execute(db)).rows).toEqual([{ id: sendout.id }])
  expect(sent.filter((text) => /^\s*select .*\battempts_text\b.* from webhook_sendouts/s.test(text))).toHaveLength(1)
})

const requestsIn = (sent: readonly string[]) => sent.filter((text) => text.includes('set is_manual = true'))
