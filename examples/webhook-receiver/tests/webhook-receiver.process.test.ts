import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { untilFinal } from '../../../packages/server/src/testing/event-list.ts'
import { newWebhookShop, openDeliveringService, sendoutsOf } from '../../../packages/server/src/testing/webhooks.ts'
import { startExample } from '../../testing/start-example.ts'
import { openEventStore } from '../src/event-store.ts'
import { openReceiver } from '../src/receiver.ts'

test('the receiver starts a service of its own by one command, receives what happens there, and ends in order', async () => {
  const receiver = startExample('webhook-receiver')
  await receiver.line(/^Caught up: 0 events were missed\.$/)
  await receiver.line(/^evcus_\w+ customer\.created cust_\w+$/)
  await receiver.line(/^evred_\w+ redemption\.succeeded r_\w+$/)
  expect(await receiver.stop()).toBe(0)
  expect(receiver.lines.at(-1)).toBe('2 events are stored.')
})

test('the receiver stores each event once, refuses what is not signed, and catches up with what it missed', async () => {
  const shop = await newWebhookShop(await openDeliveringService())
  const folder = mkdtempSync(join(tmpdir(), 'guerdon-receiver-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const start = (port = '0') =>
    startExample('webhook-receiver', {
      PORT: port,
      EVENTS_FILE: join(folder, 'events.sqlite'),
      GUERDON_URL: address,
      PROJECT_ID: shop.project_id,
      APP_ID: shop.app_id,
      APP_TOKEN: shop.app_token,
      CLIENT_ID: shop.client_id,
      CLIENT_TOKEN: shop.client_token,
      MANAGEMENT_ID: shop.management_id,
      MANAGEMENT_TOKEN: shop.management_token,
    })
  const address = await shop.service.app.listen({ port: 0, host: '127.0.0.1' })
  const create = async (sourceId: string): Promise<string> =>
    (await shop.call('POST', '/v1/customers', { source_id: sourceId })).body.id

  const first = start()
  const [, url = '', port] = await first.line(/^Listening on (http:\S+:(\d+)\/)$/)
  await first.line(/^Caught up: 0/)
  const ann = await create('ann')
  await first.line(new RegExp(`^evcus_\\w+ customer\\.created ${ann}$`))
  const unsigned = await fetch(url, { method: 'POST', body: '{"type":"customer.created"}' })
  expect([unsigned.status, await unsigned.text()]).toEqual([401, 'missing_headers'])
  // The last byte is the one too many: nothing is left unsent when it is refused, so the answer always arrives.
  const statusOf = async (size: number) => (await fetch(url, { method: 'POST', body: 'a'.repeat(size) })).status
  expect([await statusOf(1_048_576), await statusOf(1_048_577)]).toEqual([401, 413])
  expect(await first.stop()).toBe(0)

  // While it is away the delivery fails; the list of events has it, and the repeated delivery brings nothing new.
  const bob = await create('bob')
  await expect.poll(async () => (await sendoutsOf(shop)).map(({ status }) => status)).toContain('RETRYING')
  await untilFinal(shop)
  const second = start(port)
  await second.line(/^Caught up: 1 events were missed\.$/)
  shop.service.clock.advance(61_000) // the first retry; not so far that the signature would be too old
  await expect.poll(async () => (await sendoutsOf(shop, 'status=SUCCEEDED')).length).toBe(2)
  expect(await second.stop()).toBe(0)
  expect(second.lines.filter((line) => line.endsWith(bob))).toHaveLength(1)
  expect(second.lines.filter((line) => line.endsWith(ann))).toEqual([])
  expect(second.lines.at(-1)).toBe('2 events are stored.')
})

test('an event that cannot be stored is refused, so that it is delivered again, and the receiver goes on', async () => {
  const store = openEventStore(':memory:')
  const receiver = openReceiver(store, 'secret', () => {}).listen(0, '127.0.0.1')
  onTestFinished(() => void receiver.close())
  await once(receiver, 'listening')
  const deliver = async () => {
    const event = {
      id: 'evcus_1',
      type: 'customer.created',
      entity_id: 'cust_1',
      created_at: '2026-01-01T00:00:00.000Z',
    }
    const body = JSON.stringify({ event, data: {} })
    const [id, timestamp] = ['ws_1', String(Math.floor(Date.now() / 1_000))]
    const signature = createHmac('sha256', 'secret').update(`${id}.${timestamp}.${body}`).digest('base64')
    const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
    const { port } = receiver.address() as AddressInfo
    return (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers })).status
  }
  expect(await deliver()).toBe(204)
  store.close() // as if the disk were full
  expect(await deliver()).toBe(500)
  expect(await deliver()).toBe(500)
})
