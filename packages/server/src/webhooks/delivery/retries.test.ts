import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { TestService } from '../../testing/app.ts'
import { until } from '../../testing/background.ts'
import { newVoucher } from '../../testing/campaigns.ts'
import { openWebhookTarget } from '../../testing/webhook-target.ts'
import {
  newWebhook,
  newWebhookShop,
  openDeliveringService,
  sendoutsOf,
  stoppedClock,
  untilDelivered,
} from '../../testing/webhooks.ts'
import { nextAttemptAt, retryOffsets } from './schedule.ts'

const first = '2026-01-01T00:00:00.000Z'
const afterMinutes = (minutes: number) => new Date(Date.parse(first) + minutes * 60_000).toISOString()

test('retries follow 1, 2, 4, … 1024 and 1440 minutes after the start of the first attempt', () => {
  const times = [first]
  for (let at: string | null = nextAttemptAt(first, first); at !== null; at = nextAttemptAt(first, at)) times.push(at)
  expect(times).toEqual([
    '2026-01-01T00:00:00.000Z',
    '2026-01-01T00:01:00.000Z',
    '2026-01-01T00:02:00.000Z',
    '2026-01-01T00:04:00.000Z',
    '2026-01-01T00:08:00.000Z',
    '2026-01-01T00:16:00.000Z',
    '2026-01-01T00:32:00.000Z',
    '2026-01-01T01:04:00.000Z',
    '2026-01-01T02:08:00.000Z',
    '2026-01-01T04:16:00.000Z',
    '2026-01-01T08:32:00.000Z',
    '2026-01-01T17:04:00.000Z',
    '2026-01-02T00:00:00.000Z',
  ])
})

test('a late attempt stands for all retries that were missed', () => {
  expect(nextAttemptAt(first, afterMinutes(5))).toBe(afterMinutes(8))
  expect(nextAttemptAt(first, afterMinutes(1_439))).toBe(afterMinutes(1_440))
  expect(nextAttemptAt(first, afterMinutes(3_000))).toBeNull()
})

/** Lets the node look twice, at what it should leave alone. */
async function letLook({ runtime }: TestService): Promise<void> {
  for (let looks = 0; looks < 2; looks += 1) {
    runtime.jobs.wake('webhooks')
    await setTimeout(30)
  }
}

test('a target that answers 500 for ever gets 13 attempts with the same bytes, then its webhook is switched off', async () => {
  const clock = stoppedClock(first)
  const service = await openDeliveringService({ clock })
  const target = await openWebhookTarget()
  target.answer = () => 500
  const shop = await newWebhookShop(service)
  const webhook = await newWebhook(shop, `${target.url}/hooks`, ['voucher.created'])
  const recorded = (attempts: number) =>
    untilDelivered(service, async () => {
      const found = (await sendoutsOf(shop)).at(-1)
      return found.attempts.length === attempts ? found : undefined
    })

  await newVoucher(shop, 'A')
  expect(await recorded(1)).toMatchObject({ status: 'RETRYING', next_attempt_at: afterMinutes(1) })
  const notified = await until(async () => (await shop.manage('GET', '/notifications')).body.data[0])
  expect(notified).toMatchObject({ kind: 'webhook_failed', severity: 'WARNING', created_at: first })
  for (const [index, minutes] of retryOffsets.entries()) {
    clock.set(Date.parse(afterMinutes(minutes)) - 1)
    await letLook(service)
    if (minutes === 1_440) await newVoucher(shop, 'LATE')
    clock.set(afterMinutes(minutes))
    const { status, next_attempt_at } = await recorded(index + 2)
    const next = retryOffsets[index + 1]
    expect({ status, next_attempt_at }).toEqual(
      next === undefined
        ? { status: 'FAILED', next_attempt_at: null }
        : { status: 'RETRYING', next_attempt_at: afterMinutes(next) },
    )
  }

  const failed = await recorded(13)
  expect(failed.attempts.map(({ at }: { at: string }) => at)).toEqual([first, ...retryOffsets.map(afterMinutes)])
  expect(failed).toMatchObject({ status: 'FAILED', reason: null, executed_at: afterMinutes(1_440) })
  expect(failed.attempts[0]).toEqual({
    at: first,
    status_code: 500,
    duration_ms: expect.any(Number),
    error: expect.stringContaining('500'),
    response_body: '{"received":true}',
  })
  const sent = target.requests.filter(({ body }) => body.id === failed.id)
  expect(sent).toHaveLength(13)
  expect(new Set(sent.map(({ text }) => text)).size).toBe(1)
  expect(new Set(sent.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([failed.id]))

  expect((await shop.manage('GET', `/webhooks/${webhook.id}`)).body.active).toBe(false)
  const late = await until(async () => (await sendoutsOf(shop, 'status=FAILED')).find(({ id }) => id !== failed.id))
  expect(late).toMatchObject({ reason: 'webhook disabled', next_attempt_at: null })

  const { body: notifications } = await shop.manage('GET', '/notifications?limit=100')
  const failures = notifications.data.filter(({ kind }: { kind: string }) => kind === 'webhook_failed')
  expect(failures.at(-1)).toMatchObject({ id: notified.id, data: { webhook_id: webhook.id, sendout_id: failed.id } })
  expect(failures.length).toBeLessThanOrEqual(2) // one of the first attempt of each send-out, if LATE had one
  expect(notifications.data.filter(({ kind }: { kind: string }) => kind === 'webhook_disabled')).toMatchObject([
    { severity: 'ERROR', data: { webhook_id: webhook.id, sendout_id: failed.id, status_code: 500 } },
  ])

  // Switched on again, it gets new events; those that failed only when somebody asks.
  target.answer = () => 200
  expect((await shop.manage('PUT', `/webhooks/${webhook.id}`, { active: true })).body.active).toBe(true)
  const before = target.requests.length
  await newVoucher(shop, 'NEW')
  // Without being woken, as all others here are.
  await until(async () => (await sendoutsOf(shop, 'status=SUCCEEDED'))[0])
  await letLook(service)
  expect(target.requests.slice(before).map(({ body }) => body.data.voucher.code)).toEqual(['NEW'])
  for (const { id } of [failed, late]) {
    const retried = await shop.manage('POST', `/webhook-sendouts/${id}/retry`)
    expect(retried).toMatchObject({ status: 200, body: { id, status: 'SUCCEEDED', reason: null } })
  }
  expect(target.requests.at(-2)?.text).toBe(sent[0]?.text)
})
