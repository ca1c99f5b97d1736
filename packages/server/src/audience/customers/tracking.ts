import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto'
import type { Project } from '../../core/db/project-row.ts'

type Secret = Pick<Project, 'tracking_secret'>

const prefix = 'track_'

/**
 * The token by which a shop's pages identify a customer without revealing its source id: deterministic for a project and a
 * `source_id`, and only we can decrypt it (docs/reference/requests.md#customer). The nonce is an HMAC of the source id, which
 * makes the token deterministic and authenticates it on decryption.
 *
 * `trackingId(project, 'customer-1')` → `track_kM3…`
 */
export function trackingId({ tracking_secret }: Secret, sourceId: string): string {
  const cacheKey = `${tracking_secret} ${sourceId}`
  const token = tokenCache.get(cacheKey) ?? newToken(tracking_secret, sourceId)
  tokenCache.delete(cacheKey)
  tokenCache.set(cacheKey, token)
  if (tokenCache.size > tokenCacheMax) tokenCache.delete(tokenCache.keys().next().value as string)
  return token
}

/** LRU cache: a customer at checkout sends several requests. */
const tokenCache = new Map<string, string>()
const tokenCacheMax = 10_000

function newToken(trackingSecret: string, sourceId: string): string {
  const nonce = nonceOf(trackingSecret, sourceId)
  const cipher = createCipheriv('aes-256-ctr', keyOf(trackingSecret), nonce)
  const bytes = Buffer.concat([nonce, cipher.update(sourceId, 'utf8'), cipher.final()])
  return prefix + bytes.toString('base64url')
}

/** Decrypts a token to its `source_id`; any other string is returned unchanged, as a `source_id`. */
export function decryptTrackingId({ tracking_secret }: Secret, token: string): string {
  if (!token.startsWith(prefix)) return token
  const bytes = Buffer.from(token.slice(prefix.length), 'base64url')
  if (bytes.length <= nonceBytes) return token
  const nonce = bytes.subarray(0, nonceBytes)
  const decipher = createDecipheriv('aes-256-ctr', keyOf(tracking_secret), nonce)
  const sourceId = Buffer.concat([decipher.update(bytes.subarray(nonceBytes)), decipher.final()]).toString('utf8')
  return timingSafeEqual(nonceOf(tracking_secret, sourceId), nonce) ? sourceId : token
}

const nonceBytes = 16

const nonceOf = (secret: string, sourceId: string): Buffer =>
  createHmac('sha256', `nonce ${secret}`).update(sourceId).digest().subarray(0, nonceBytes)

const keyOf = (secret: string): Buffer => createHmac('sha256', secret).update('tracking').digest()
