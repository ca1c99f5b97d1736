import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { Shop } from '../../server/src/testing/app.ts'
import { until } from '../../server/src/testing/background.ts'
import { openWebhookTarget, type ReceivedRequest } from '../../server/src/testing/webhook-target.ts'
import { newWebhook, newWebhookShop, openDeliveringService } from '../../server/src/testing/webhooks.ts'
import { unwrap, verifyWebhook } from '../src/index.ts'

let shop: Shop
let token: string
let delivered: ReceivedRequest
const target = openWebhookTarget()

/** The next delivery for a new code. */
async function deliver(code: string): Promise<ReceivedRequest> {
  const { url, requests } = await target
  if (requests.length === 0) await newWebhook(shop, url, ['voucher.created'])
  const count = requests.length
  await shop.call('POST', `/v1/vouchers/${encodeURIComponent(code)}`, { type: 'GIFT_VOUCHER', gift: { amount: 700 } })
  return until(() => requests[count])
}

async function regenerateToken(): Promise<string> {
  const { body } = await shop.manage('POST', '/webhook-token/regenerate')
  return body.webhook_token
}

beforeAll(async () => {
  shop = await newWebhookShop(await openDeliveringService())
  token = await regenerateToken()
  delivered = await deliver('GRÜẞE-1')
})
afterEach(() => vi.useRealTimers())

const headersOf = ({ headers }: ReceivedRequest) => headers as Record<string, string>

test('what the service signed is an event, however body and headers are held', async () => {
  const { text, headers } = delivered
  const event = unwrap(await verifyWebhook(text, headersOf(delivered), token))
  expect(event.type).toBe('voucher.created')
  if (event.type === 'voucher.created') expect(event.data.voucher).toMatchObject({ code: 'GRÜẞE-1' })

  const bytes = new TextEncoder().encode(text)
  const asHeaders = new Headers(headers as Record<string, string>)
  expect(await verifyWebhook(bytes, asHeaders, token)).toMatchObject({ ok: true })
  expect(await verifyWebhook(bytes.buffer, asHeaders, `whsec_${btoa(token)}`)).toMatchObject({ ok: true })
})

test.each<[string, (request: ReceivedRequest) => Parameters<typeof verifyWebhook>, string]>([
  ['another body', (sent) => [sent.text.replace('700', '900'), headersOf(sent), token], 'wrong_signature'],
  ['another id', (sent) => [sent.text, { ...headersOf(sent), 'webhook-id': 'whs_1' }, token], 'wrong_signature'],
  ['another secret', (sent) => [sent.text, headersOf(sent), `${token}x`], 'wrong_signature'],
  ['no Base64', (sent) => [sent.text, { ...headersOf(sent), 'webhook-signature': 'v1,*' }, token], 'wrong_signature'],
  ['no headers', (sent) => [sent.text, {}, token], 'missing_headers'],
  ['no time', (sent) => [sent.text, { ...headersOf(sent), 'webhook-timestamp': 'now' }, token], 'stale_timestamp'],
])('%s is refused', async (_, change, key) => {
  const result = await verifyWebhook(...change(delivered))
  expect(result).toMatchObject({ ok: false, error: { key } })
  expect(() => unwrap(result)).toThrow(key)
})

test('an empty secret verifies nothing', async () => {
  await expect(verifyWebhook(delivered.text, headersOf(delivered), '')).rejects.toThrow()
})

test('a request that is sent again later is refused, unless its receiver tolerates the time', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 301_000 })
  const stale = await verifyWebhook(delivered.text, headersOf(delivered), token)
  expect(stale).toMatchObject({ ok: false, error: { key: 'stale_timestamp' } })
  const tolerant = await verifyWebhook(delivered.text, headersOf(delivered), token, { toleranceSeconds: 900 })
  expect(tolerant.ok).toBe(true)
})

test('while a token is replaced, the old one and the new one verify', async () => {
  const next = await regenerateToken()
  const both = await deliver('ROTATED')
  expect(String(both.headers['webhook-signature']).split(' ')).toHaveLength(2)
  expect((await verifyWebhook(both.text, headersOf(both), token)).ok).toBe(true)
  expect((await verifyWebhook(both.text, headersOf(both), next)).ok).toBe(true)
  expect((await verifyWebhook(both.text, headersOf(both), 'neither')).ok).toBe(false)
})
