import { expect, test } from 'vitest'
import { newProject, type Shop } from '../../testing/app.ts'
import { newFailureNotifier } from './notify.ts'
import type { EndedAttempt } from './record-attempts.ts'

const failedAttempt = (shop: Shop, webhookId = 'wh_1'): EndedAttempt => ({
  project_id: shop.project_id,
  id: 'whs_1',
  webhook_id: webhookId,
  target_url: 'https://shop.example/hook',
  attempt: {
    at: '2026-01-01T00:00:00.000Z',
    status_code: 500,
    duration_ms: 1,
    error: 'the target answered 500',
    response_body: null,
  },
  succeeded: false,
  is_manual: false,
  activation: 0,
  is_first: true,
  next_attempt_at: '2026-01-01T00:01:00.000Z',
})

const notificationsOf = async (shop: Shop) => (await shop.manage('GET', '/notifications')).body.data

const setCallouts = (shop: Shop, inApp: boolean) =>
  shop.manage('PUT', '', {
    webhooks_callout_notifications: { webhooks: { email: false, in_app: inApp, emails: [] } },
  })

test('failures of a webhook are told once in an hour', async () => {
  const shop = await newProject()
  let now = Date.parse('2026-01-01T00:00:00.000Z')
  const notify = newFailureNotifier({ ...shop.service.runtime, now: () => now })
  await notify([failedAttempt(shop), failedAttempt(shop), failedAttempt(shop, 'wh_2')])
  now += 3_599_999
  await notify([failedAttempt(shop)])
  expect(await notificationsOf(shop)).toHaveLength(2)
  now += 1
  await notify([failedAttempt(shop)])
  expect(await notificationsOf(shop)).toHaveLength(3)
})

test('a notification that is switched on later in the hour still applies to it, a minute later at most', async () => {
  const shop = await newProject()
  let now = Date.parse('2026-01-01T00:00:00.000Z')
  const notify = newFailureNotifier({ ...shop.service.runtime, now: () => now })
  await setCallouts(shop, false)
  await notify([failedAttempt(shop)])
  await setCallouts(shop, true)
  now += 60_000
  await notify([failedAttempt(shop)])
  expect(await notificationsOf(shop)).toMatchObject([{ kind: 'webhook_failed', data: { webhook_id: 'wh_1' } }])
})

test('a notification that could not be stored is raised with the next failure', async () => {
  const shop = await newProject()
  const { runtime } = shop.service
  const notify = newFailureNotifier(runtime)
  const unstorable = { ...failedAttempt(shop), target_url: 'https://shop.example/\0' }
  await expect(notify([unstorable])).rejects.toThrow()
  await notify([failedAttempt(shop)])
  expect(await notificationsOf(shop)).toHaveLength(1)
})
