import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { newClock, newProjectOn, type Shop, type TestService } from '../../testing/app.ts'
import { until } from '../../testing/background.ts'
import { newVoucher } from '../../testing/campaigns.ts'
import { anotherConnection, openNode, ownDatabase } from '../../testing/nodes.ts'
import { openWebhookTarget, type WebhookTarget } from '../../testing/webhook-target.ts'
import { newWebhook, sendoutsOf } from '../../testing/webhooks.ts'
import { watchSendouts } from './work.ts'

const env = { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' }
let url: string
let target: WebhookTarget
beforeAll(async () => {
  url = (await ownDatabase()).url as string
  target = await openWebhookTarget()
})

/** Another node on the database, which delivers. */
async function openDeliveringNode(): Promise<TestService> {
  const clock = newClock()
  const node = await openNode(anotherConnection(url), { env, now: clock.now })
  watchSendouts(node.runtime)
  return { ...node, clock }
}

/** The same shop, called through another node. */
const through = (shop: Shop, service: TestService): Shop => ({
  ...shop,
  service,
  manage: async (method, path, body) => {
    const {
      statusCode,
      headers,
      body: text,
    } = await service.app.inject({
      method: method as 'GET',
      url: `/management/v1/projects/${shop.project_id}${path}`,
      headers: shop.management,
      ...(body === undefined ? {} : { payload: body as object }),
    })
    return { status: statusCode, headers: headers as never, body: text === '' ? null : JSON.parse(text) }
  },
})

const allSucceeded = (shop: Shop, count: number) =>
  until(async () => {
    const found = await sendoutsOf(shop)
    return found.length === count && found.every(({ status }) => status === 'SUCCEEDED') ? found : undefined
  })

const leaseOf = async (shop: Shop, { id }: { id: string }) => {
  const { rows } = await sql<{ lease_node: string | null; seconds: number }>`
    select lease_node, extract(epoch from lease_until - clock_timestamp())::float8 as seconds
    from webhooks where id = ${id}`.execute(shop.service.runtime.database.db)
  return rows[0] as { lease_node: string | null; seconds: number }
}

test('two nodes never exceed ten attempts at once per webhook, nor send a send-out at the same time', async () => {
  const [one, two] = [await openDeliveringNode(), await openDeliveringNode()]
  const shop = await newProjectOn(one)
  target.answer = () => ({ after_ms: 30 })
  const paths = ['/a', '/b', '/c']
  for (const path of paths) await newWebhook(shop, target.url + path, ['voucher.created'])
  await Promise.all(Array.from({ length: 60 }, (_, index) => newVoucher(shop, `N${index}`)))
  const sent = await allSucceeded(shop, 180)
  const retried = await Promise.all(
    sent.map(({ id }, index) =>
      through(shop, index % 2 === 0 ? one : two).manage('POST', `/webhook-sendouts/${id}/retry`),
    ),
  )
  expect(new Set(retried.map(({ body }) => body.attempts.length))).toEqual(new Set([2]))
  expect(target.requests).toHaveLength(360)
  for (const path of paths) {
    expect(target.most_at_once(path)).toBeLessThanOrEqual(10)
    expect(target.most_at_once(path)).toBeGreaterThan(1)
  }
  expect(target.most_at_once_of_one()).toBe(1)
  await one.runtime.jobs.close()
  await two.runtime.jobs.close()
})

test('a node that stops gives its webhooks to others at once, with the attempts that it could not finish', async () => {
  const first = await openDeliveringNode()
  const shop = await newProjectOn(first)
  target.answer = () => 'hang'
  const webhook = await newWebhook(shop, `${target.url}/stop`, ['voucher.created'])
  await newVoucher(shop, 'A')
  const received = () => target.requests.filter(({ path }) => path === '/stop')
  await until(() => (received().length === 1 ? true : undefined))
  expect((await leaseOf(shop, webhook)).lease_node).not.toBeNull()
  await first.runtime.jobs.close()
  expect((await leaseOf(shop, webhook)).lease_node).toBeNull()
  expect(await sendoutsOf(shop)).toMatchObject([{ status: 'PENDING', attempts: [] }])
  target.answer = () => 200
  const second = await openDeliveringNode()
  await allSucceeded(through(shop, second), 1)
  expect(new Set(received().map(({ text }) => text)).size).toBe(1)
  expect(received()).toHaveLength(2)
  await second.runtime.jobs.close()
})

test('another node takes over when the lease of a killed node has ended, and not before', async () => {
  const node = await openDeliveringNode()
  const shop = await newProjectOn(node)
  target.answer = () => 200
  const webhook = await newWebhook(shop, `${target.url}/killed`, ['voucher.created'])
  // As a node leaves it that took the webhook and was killed.
  await sql`update webhooks set lease_node = 'killed', lease_until = clock_timestamp() + interval '3 seconds'
    where id = ${webhook.id}`.execute(node.runtime.database.db)
  const ends = (await leaseOf(shop, webhook)).seconds * 1_000 + performance.now()
  await newVoucher(shop, 'A')
  await until(() => (target.requests.some(({ path }) => path === '/killed') ? true : undefined))
  expect(performance.now()).toBeGreaterThan(ends - 100)
  const { lease_node, seconds } = await leaseOf(shop, webhook)
  expect(lease_node).not.toBe('killed')
  expect(seconds).toBeGreaterThan(20) // 30 s from when it was taken
  expect(seconds).toBeLessThanOrEqual(30)
  await node.runtime.jobs.close()
})
