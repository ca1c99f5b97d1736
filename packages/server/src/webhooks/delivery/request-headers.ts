import { createHmac } from 'node:crypto'
import { version } from '../../core/lib/version.ts'

/** How long receivers get signatures of the old token too, after it was replaced. */
const overlapMs = 24 * 3_600_000

export interface SigningKeys {
  webhook_token: string
  previous_webhook_token: string | null
  webhook_token_replaced_at: string | null
}

/** The tokens to sign with at a moment, the current one first. */
export function signingTokens(keys: SigningKeys, now: number): [string, ...string[]] {
  const { webhook_token, previous_webhook_token, webhook_token_replaced_at } = keys
  if (previous_webhook_token === null || webhook_token_replaced_at === null) return [webhook_token]
  if (now - Date.parse(webhook_token_replaced_at) >= overlapMs) return [webhook_token]
  return [webhook_token, previous_webhook_token]
}

/**
 * The headers of one attempt (docs/reference/webhooks.md#signature): the signature of the contract, and those of Standard Webhooks,
 * for whose libraries the secret is `whsec_` and the token in Base64.
 */
export function requestHeaders(
  { id, is_test }: { id: string; is_test: boolean },
  body: Buffer,
  tokens: readonly [string, ...string[]],
  now: number,
): Record<string, string> {
  const seconds = Math.floor(now / 1_000)
  const signatures = tokens.map((token) => {
    const hmac = createHmac('sha256', token).update(`${id}.${seconds}.`).update(body)
    return `v1,${hmac.digest('base64')}`
  })
  return {
    'content-type': 'application/json',
    'user-agent': `Guerdon/${version}`,
    'x-voucherify-signature': createHmac('sha256', tokens[0]).update(body).digest('hex'),
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures.join(' '),
    ...(is_test ? { 'guerdon-test': 'true' } : {}),
  }
}
