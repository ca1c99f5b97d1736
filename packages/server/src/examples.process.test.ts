import { spawn, spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { newProject } from './testing/app.ts'
import { atEnd } from './testing/closings.ts'
import { storedEventIds, untilFinal, walkEvents } from './testing/event-list.ts'
import { ok } from './testing/orders.ts'
import { newWebhook, newWebhookShop, openDeliveringService } from './testing/webhooks.ts'

// The programs of docs/examples, as docs/guides/building-on-webhooks.md shows them.

const example = (name: string) => fileURLToPath(new URL(`../../../docs/examples/${name}`, import.meta.url))

/** Starts a program and returns what it prints, line by line. */
function start(name: string, env: Record<string, string>) {
  const child = spawn(process.execPath, [example(name)], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const lines: string[] = []
  const waiting: Array<() => void> = []
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line)
    for (const wake of waiting.splice(0)) wake()
  })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  atEnd(async () => {
    child.kill()
    await ended
  })
  const line = async (index: number): Promise<string> => {
    while (lines.length <= index) await new Promise<void>((resolve) => waiting.push(resolve))
    return lines[index] as string
  }
  return { lines, line, ended }
}

const token = '5d3c1b0a-9f8e-4d7c-8b6a-0f1e2d3c4b5a'
const now = () => Math.floor(Date.now() / 1_000)
const payload = (eventId: string, more: object = {}) =>
  JSON.stringify({
    id: 'whs_19b76da900012ab34c',
    type: 'voucher.enabled',
    data: { name: 'ü' },
    event: { id: eventId, entity_id: 'v_1' },
    ...more,
  })

/** The headers of a send-out, by the formula of docs/reference/webhooks.md#signature. */
function signed(body: string, { seconds = now(), keys = [token] }: { seconds?: number; keys?: string[] } = {}) {
  const id = 'whs_19b76da900012ab34c'
  const signatures = keys.map((key) => createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64'))
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': `${seconds}`,
    'webhook-signature': signatures.map((signature) => `v1,${signature}`).join(' '),
  }
}

test('the receiver of the guide takes what is signed, once, and refuses everything else', async () => {
  const receiver = start('webhook-receiver.mjs', { WEBHOOK_TOKEN: token, PORT: '0' })
  const port = /^listening on (\d+)$/.exec(await receiver.line(0))?.[1]
  const post = async (body: string, headers: Record<string, string>) =>
    (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers })).status

  const first = payload('evvou_1')
  expect(await post(first, signed(first))).toBe(204)
  expect(await receiver.line(1)).toBe('evvou_1 voucher.enabled v_1')
  expect(await post(first, signed(first))).toBe(204) // a retry

  // While the token is replaced: both signatures, the new one first, whichever the receiver knows.
  const second = payload('evvou_2')
  expect(await post(second, signed(second, { keys: ['the-new-token', token] }))).toBe(204)
  expect(await receiver.line(2)).toBe('evvou_2 voucher.enabled v_1')

  const third = payload('evvou_3')
  const refused: Array<[string, Record<string, string>]> = [
    [third, {}],
    [third, signed(third, { keys: ['another-token'] })],
    [third, signed(second)],
    [`${third} `, signed(third)],
    [third, signed(third, { seconds: now() - 600 })],
    [third, { ...signed(third, { seconds: now() - 600 }), 'webhook-timestamp': `${now()}` }],
    [third, { ...signed(third), 'webhook-signature': 'v1,' }],
    [third, { ...signed(third), 'webhook-signature': 'v1,AAAA v2,BBBB' }],
  ]
  for (const [body, headers] of refused) expect(await post(body, headers)).toBe(401)
  const fourth = payload('evvou_4')
  await post(fourth, signed(fourth))
  expect(await receiver.line(3)).toBe('evvou_4 voucher.enabled v_1')
  expect(receiver.lines).toHaveLength(4)
})

test('the receiver of the guide outlives callers that break off, send too much or do not sign', async () => {
  const receiver = start('webhook-receiver.mjs', { WEBHOOK_TOKEN: token, PORT: '0' })
  const port = Number(/^listening on (\d+)$/.exec(await receiver.line(0))?.[1])
  const post = async (body: string, headers: Record<string, string>) =>
    (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers })).status

  const brokenOff = connect(port, '127.0.0.1')
  // The receiver closes its side once it has noticed, so what follows comes later.
  brokenOff.end('POST / HTTP/1.1\r\nHost: receiver\r\nContent-Length: 1000\r\n\r\n{"id":').resume()
  await once(brokenOff, 'close')

  const padding = { padding: 'a'.repeat(1_048_576) }
  const tooLarge = payload('evvou_1', padding)
  expect(await post(tooLarge, signed(tooLarge))).toBe(413)

  const good = payload('evvou_2')
  expect(await post(good, signed(good, { keys: ['another-token'] }))).toBe(401)
  expect(await post(good, signed(good))).toBe(204)
  expect(await receiver.line(1)).toBe('evvou_2 voucher.enabled v_1')
})

test('the receiver of the guide does not start without a token', () => {
  const { status, stderr } = spawnSync(process.execPath, [example('webhook-receiver.mjs')], {
    env: {},
    encoding: 'utf8',
  })
  expect(status).toBe(1)
  expect(stderr).toBe('Set WEBHOOK_TOKEN to the webhook_token of the project.\n')
})

test('the receiver of the guide prints test deliveries and does nothing else with them', async () => {
  const shop = await newWebhookShop(await openDeliveringService())
  const { webhook_token } = (await shop.manage('GET', '')).body
  const receiver = start('webhook-receiver.mjs', { WEBHOOK_TOKEN: webhook_token, PORT: '0' })
  const port = /^listening on (\d+)$/.exec(await receiver.line(0))?.[1]
  const webhook = await newWebhook(shop, `http://127.0.0.1:${port}/`, ['customer.created'])
  const tryOut = () => shop.manage('POST', `/webhooks/${webhook.id}/test`, { type: 'customer.created' })
  expect(await tryOut()).toMatchObject({ status: 200, body: { status: 'SUCCEEDED' } }) // a made-up event
  expect(await receiver.line(1)).toBe('test customer.created')
  const ann = await ok(shop, 'POST', '/v1/customers', { source_id: 'ann' })
  expect(await receiver.line(2)).toMatch(new RegExp(`^evcus_\\w+ customer.created ${ann.id}$`))
  expect(await tryOut()).toMatchObject({ status: 200, body: { status: 'SUCCEEDED' } }) // a copy of that event
  expect(await receiver.line(3)).toBe('test customer.created')
})

test('the receiver of the guide takes what the service delivers, also while the token is replaced', async () => {
  const shop = await newWebhookShop(await openDeliveringService())
  const { webhook_token: oldToken } = (await shop.manage('GET', '')).body
  const receiver = start('webhook-receiver.mjs', { WEBHOOK_TOKEN: oldToken, PORT: '0' })
  const port = /^listening on (\d+)$/.exec(await receiver.line(0))?.[1]
  await newWebhook(shop, `http://127.0.0.1:${port}/`, ['customer.created', 'customer.updated'])
  const ann = await ok(shop, 'POST', '/v1/customers', { source_id: 'ann', name: 'Änn' })
  expect(await receiver.line(1)).toMatch(new RegExp(`^evcus_\\w+ customer.created ${ann.id}$`))
  await shop.manage('POST', '/webhook-token/regenerate') // the receiver still knows the old one only
  await ok(shop, 'PUT', '/v1/customers/ann', { name: 'Ann' })
  expect(await receiver.line(2)).toMatch(new RegExp(`^evcus_\\w+ customer.updated ${ann.id}$`))

  // Webhooks and the list of events have the same ids.
  await untilFinal(shop)
  const { events } = await walkEvents(shop)
  expect(receiver.lines.slice(1).map((line) => line.split(' ')[0])).toEqual(events.map(({ id }) => id))
})

test('the program that catches up prints every event once, over several runs', async () => {
  const shop = await newProject()
  const address = await shop.service.app.listen({ port: 0, host: '127.0.0.1' })
  const folder = mkdtempSync(join(tmpdir(), 'guerdon-catch-up-'))
  atEnd(async () => rmSync(folder, { recursive: true }))
  const run = async (): Promise<string[]> => {
    await untilFinal(shop)
    const { lines, ended } = start('catch-up.mjs', {
      GUERDON_URL: address,
      PROJECT_ID: shop.project_id,
      MANAGEMENT_ID: shop.management_id,
      MANAGEMENT_TOKEN: shop.management_token,
      CURSOR_FILE: join(folder, 'cursor.txt'),
    })
    expect(await ended).toBe(0)
    return lines.map((line) => line.split(' ')[0] as string)
  }
  const create = async (count: number) => {
    for (let n = 0; n < count; n++) await ok(shop, 'POST', '/v1/customers', { name: `Customer ${n}` })
  }
  await create(110)
  const first = await run()
  expect(first).toHaveLength(110)
  expect(await run()).toEqual([])
  await create(5)
  expect([...first, ...(await run())]).toEqual(await storedEventIds(shop))
})

test('the guide shows the programs as they are', () => {
  const guide = readFileSync(new URL('../../../docs/guides/building-on-webhooks.md', import.meta.url), 'utf8')
  const [receiver, catchUp] = [...guide.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code as string)
  expect(readFileSync(example('webhook-receiver.mjs'), 'utf8')).toContain(receiver)
  expect(readFileSync(example('catch-up.mjs'), 'utf8')).toContain(catchUp)
})
