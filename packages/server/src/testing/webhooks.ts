import { expect } from 'vitest'
import { watchSendouts } from '../webhooks/delivery/work.ts'
import { newClock, newProjectOn, type Shop, type TestClock, type TestService } from './app.ts'
import { until } from './background.ts'
import { openNode, ownDatabase } from './nodes.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
type Body = any

/**
 * A service that delivers webhooks, also to this machine, alone on its database: on a shared one it would deliver for the tests of
 * other files too.
 */
export async function openDeliveringService({
  env = {},
  clock = newClock(),
}: {
  env?: Record<string, string>
  clock?: TestClock
} = {}): Promise<TestService> {
  const { database } = await ownDatabase()
  const node = await openNode(database, {
    env: { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true', ...env },
    now: clock.now,
  })
  watchSendouts(node.runtime)
  return { ...node, clock }
}

/** Polls until `look` returns a value. The node looks for what is due each time, instead of twice a second. */
export const untilDelivered = <T>(
  { runtime }: TestService,
  look: () => T | undefined | Promise<T | undefined>,
): Promise<T> =>
  until(
    () => {
      runtime.jobs.wake('webhooks')
      return look()
    },
    { pause_ms: 50 }, // what an attempt came to is recorded after 100 ms
  )

/** A clock that stands still until it is moved. */
export function stoppedClock(at: string): TestClock {
  let now = Date.parse(at)
  return {
    now: () => now,
    set: (moment) => {
      now = new Date(moment).getTime()
    },
    advance: (milliseconds) => {
      now += milliseconds
    },
  }
}

export const newWebhookShop = (service: TestService): Promise<Shop> => newProjectOn(service)

export async function newWebhook(shop: Shop, targetUrl: string, events: string[], more: object = {}): Promise<Body> {
  const { status, body } = await shop.manage('POST', '/webhooks', { target_url: targetUrl, events, ...more })
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

/** All send-outs of a project that match a query, newest first. */
export async function sendoutsOf(shop: Shop, query = ''): Promise<Body[]> {
  const found: Body[] = []
  for (let after = ''; ; ) {
    const { status, body } = await shop.manage('GET', `/webhook-sendouts?limit=100&${query}${after}`)
    expect(status, JSON.stringify(body)).toBe(200)
    found.push(...body.data)
    if (!body.has_more) return found
    after = `&starting_after_id=${body.more_starting_after}`
  }
}
