import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { version } from '../../core/lib/version.ts'
import { requestHeaders, signingTokens } from './request-headers.ts'

const token = '5d3c1b0a-9f8e-4d7c-8b6a-0f1e2d3c4b5a'
const now = Date.now()
const sendout = { id: 'whs_19b76da900012ab34c', is_test: false }

describe('the signature of the contract', () => {
  test.each([
    ['{"a":1,"b":"ü"}', 16, '72ce943a6d14b7bd539ddeed2b53fff1cfa38c47979e3ba9a12a6a76301534ae'],
    [
      '{"id":"whs_19b76da900012ab34c","type":"voucher.enabled","data":{"n":2}}',
      71,
      'b49c6cc9a5b1de3bc0b7fe0ead13f61a871d3fa8a760ec5f25509ed0265e2b27',
    ],
  ])('of %s (%i bytes) is %s', (text, bytes, signature) => {
    const body = Buffer.from(text)
    expect(body.length).toBe(bytes)
    expect(requestHeaders(sendout, body, [token], now)['x-voucherify-signature']).toBe(signature)
  })
})

describe('the headers of Standard Webhooks', () => {
  const body = Buffer.from('{"a":1,"b":"ü"}')
  const secretOf = (text: string) => `whsec_${Buffer.from(text).toString('base64')}`

  test('are accepted by its library, whose secret is the token in Base64', () => {
    const headers = requestHeaders(sendout, body, [token], now)
    expect(new Webhook(secretOf(token)).verify(body, headers)).toEqual({ a: 1, b: 'ü' })
    expect(() => new Webhook(secretOf('another')).verify(body, headers)).toThrow()
    expect(() => new Webhook(secretOf(token)).verify(Buffer.from('{}'), headers)).toThrow()
    expect(() => new Webhook(secretOf(token)).verify(body, { ...headers, 'webhook-id': 'whs_2' })).toThrow()
  })

  test('are the id, the seconds of the attempt and their signature with the body', () => {
    const seconds = Math.floor(now / 1_000)
    const signed = createHmac('sha256', token).update(`${sendout.id}.${seconds}.{"a":1,"b":"ü"}`).digest('base64')
    expect(requestHeaders(sendout, body, [token], now)).toEqual({
      'content-type': 'application/json',
      'user-agent': `Guerdon/${version}`,
      'x-voucherify-signature': expect.stringMatching(/^[0-9a-f]{64}$/),
      'webhook-id': sendout.id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': `v1,${signed}`,
    })
    expect(requestHeaders({ ...sendout, is_test: true }, body, [token], now)).toMatchObject({ 'guerdon-test': 'true' })
  })

  test('carry both signatures for a day after the token was replaced, the new one first', () => {
    const keys = {
      webhook_token: 'new',
      previous_webhook_token: 'old',
      webhook_token_replaced_at: new Date(now).toISOString(),
    }
    const dayMs = 86_400_000
    expect(signingTokens(keys, now)).toEqual(['new', 'old'])
    expect(signingTokens(keys, now + dayMs - 1)).toEqual(['new', 'old'])
    expect(signingTokens(keys, now + dayMs)).toEqual(['new'])
    expect(signingTokens({ ...keys, previous_webhook_token: null, webhook_token_replaced_at: null }, now)).toEqual([
      'new',
    ])

    const headers = requestHeaders(sendout, body, ['new', 'old'], now)
    for (const secret of ['new', 'old']) new Webhook(secretOf(secret)).verify(body, headers)
    const [first] = (headers['webhook-signature'] as string).split(' ')
    new Webhook(secretOf('new')).verify(body, { ...headers, 'webhook-signature': first as string })
    expect(headers['x-voucherify-signature']).toBe(createHmac('sha256', 'new').update(body).digest('hex'))
  })
})
