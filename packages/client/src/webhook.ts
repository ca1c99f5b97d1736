import type { EventShapes, WebhookData } from './generated/webhook-data.ts'
import type { Outcome } from './result.ts'

/** What a webhook sends (docs/reference/webhooks.md#payload), by the type of its event. */
export type WebhookEvent<Type extends keyof WebhookData = keyof WebhookData> = {
  [Name in Type]: {
    /** Of the delivery: the same on every retry. */
    id: string
    project_id: string
    created_at: string
    type: Name
    data: WebhookData[Name]
    source: { id: string; object: 'webhook' | 'distribution'; target_url: string }
    /** `id` is the same across webhooks: deduplicate by it. */
    event: {
      id: string
      type: Name
      created_at: string
      entity_id: string
      group_id: string
      event_source: EventShapes['EventSource']
    }
    /** Only of a test delivery: do not act on it as on a real event. */
    test?: true
  }
}[Type]

/** Why a request is not to be trusted. */
export interface WebhookProblem {
  key: 'missing_headers' | 'stale_timestamp' | 'wrong_signature'
  message: string
}

/** What frameworks have: `Headers`, or an object with lower-case names as of Node. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

interface VerifyOptions {
  /** How far the time of a request may be from ours: an old one may be sent again by somebody. Default: 300. */
  toleranceSeconds?: number
}

/**
 * The event of a request that the service signed, or why it is not to be trusted. `payload` is the body as it arrived, not parsed;
 * `secret` the `webhook_token` of the project, or its form for other libraries, `whsec_…`.
 */
export async function verifyWebhook(
  payload: string | Uint8Array<ArrayBuffer> | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string,
  { toleranceSeconds = 300 }: VerifyOptions = {},
): Promise<Outcome<WebhookEvent, WebhookProblem>> {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) => read(headers, `webhook-${name}`))
  if (!id || !timestamp || !signatures) return refused('missing_headers')
  // Written so that a timestamp which is no number is refused too.
  if (!(Math.abs(Date.now() / 1_000 - Number(timestamp)) <= toleranceSeconds)) return refused('stale_timestamp')
  const signed = await new Blob([`${id}.${timestamp}.`, payload]).arrayBuffer()
  const token = secret.startsWith('whsec_') ? bytesOf(secret.slice(6)) : new TextEncoder().encode(secret)
  const key = await crypto.subtle.importKey('raw', token, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
  // Two while a token is being replaced. `verify` compares in constant time.
  for (const signature of signatures.split(' ', 8))
    if (await crypto.subtle.verify('HMAC', key, bytesOf(signature.replace('v1,', '')), signed))
      return { ok: true, data: await new Response(payload).json() }
  return refused('wrong_signature')
}

const refused = (key: WebhookProblem['key']) => ({
  ok: false as const,
  error: { key, message: 'Untrusted webhook' },
})

function read(headers: WebhookHeaders, name: string): string | undefined {
  const value = typeof headers.get === 'function' ? headers.get(name) : (headers as Record<string, unknown>)[name]
  return value ? String(value) : undefined
}

/** The bytes of Base64; none if it is something else. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return new Uint8Array()
  }
}
