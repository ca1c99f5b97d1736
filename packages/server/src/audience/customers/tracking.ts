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
export function trackingId({ tracking_secret }: Secret, sourceId: string): string {
  const name = `${tracking_secret} ${sourceId}`
  const token = tokens.get(name) ?? newToken(tracking_secret, sourceId)
  tokens.delete(name)
  tokens.set(name, token)
  if (tokens.size > tokensMax) tokens.delete(tokens.keys().next().value as string)
  return token
}

/** Those who are at the till ask several times. */
const tokens = new Map<string, string>()
const tokensMax = 10_000

function newToken(trackingSecret: string, sourceId: string): string {
  const nonce = nonceOf(trackingSecret, sourceId)
  const cipher = createCipheriv('aes-256-ctr', keyOf(trackingSecret), nonce)
  const hidden = Buffer.concat([nonce, cipher.update(sourceId, 'utf8'), cipher.final()])
  return prefix + hidden.toString('base64url')
}

/** The `source_id` behind a token of ours; anything else is a `source_id` itself. */
export function sourceIdBehind({ tracking_secret }: Secret, token: string): string {
  if (!token.startsWith(prefix)) return token
  const hidden = Buffer.from(token.slice(prefix.length), 'base64url')
  if (hidden.length <= nonceBytes) return token
  const nonce = hidden.subarray(0, nonceBytes)
  const decipher = createDecipheriv('aes-256-ctr', keyOf(tracking_secret), nonce)
  const sourceId = Buffer.concat([decipher.update(hidden.subarray(nonceBytes)), decipher.final()]).toString('utf8')
  return timingSafeEqual(nonceOf(tracking_secret, sourceId), nonce) ? sourceId : token
}

const nonceBytes = 16

const nonceOf = (secret: string, sourceId: string): Buffer =>
  createHmac('sha256', `nonce ${secret}`).update(sourceId).digest().subarray(0, nonceBytes)

const keyOf = (secret: string): Buffer => createHmac('sha256', secret).update('tracking').digest()
