import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto'
import type { Project } from '../../core/db/project-row.ts'

type Secret = Pick<Project, 'tracking_secret'>

const prefix = 'track_'

/**
 * The token by which a shop's pages name a customer without showing who it is: always the same for a project and a
 * `source_id`, and only we can turn it back (docs/reference/requests.md#customer). The nonce is made of what is hidden, so that
 * the token is a function of it, and proves on the way back that we made it.
 *
 * `trackingId(project, 'customer-1')` → `track_kM3…`
 */
export function trackingId({ tracking_secret }: Secret, source_id: string): string {
  const name = `${tracking_secret} ${source_id}`
  const token = tokens.get(name) ?? newToken(tracking_secret, source_id)
  tokens.delete(name)
  tokens.set(name, token)
  if (tokens.size > tokens_max) tokens.delete(tokens.keys().next().value as string)
  return token
}

/** Those who are at the till ask several times. */
const tokens = new Map<string, string>()
const tokens_max = 10_000

function newToken(tracking_secret: string, source_id: string): string {
  const nonce = nonceOf(tracking_secret, source_id)
  const cipher = createCipheriv('aes-256-ctr', keyOf(tracking_secret), nonce)
  const hidden = Buffer.concat([nonce, cipher.update(source_id, 'utf8'), cipher.final()])
  return prefix + hidden.toString('base64url')
}

/** The `source_id` behind a token of ours; anything else is a `source_id` itself. */
export function sourceIdBehind({ tracking_secret }: Secret, token: string): string {
  if (!token.startsWith(prefix)) return token
  const hidden = Buffer.from(token.slice(prefix.length), 'base64url')
  if (hidden.length <= nonce_bytes) return token
  const nonce = hidden.subarray(0, nonce_bytes)
  const decipher = createDecipheriv('aes-256-ctr', keyOf(tracking_secret), nonce)
  const source_id = Buffer.concat([decipher.update(hidden.subarray(nonce_bytes)), decipher.final()]).toString('utf8')
  return timingSafeEqual(nonceOf(tracking_secret, source_id), nonce) ? source_id : token
}

const nonce_bytes = 16

const nonceOf = (secret: string, source_id: string): Buffer =>
  createHmac('sha256', `nonce ${secret}`).update(source_id).digest().subarray(0, nonce_bytes)

const keyOf = (secret: string): Buffer => createHmac('sha256', secret).update('tracking').digest()
