import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto'
import type { Project } from '../db/project-row.ts'
import { withEncodedLetters } from '../lib/percent-encoding.ts'

type Secret = Pick<Project, 'tracking_secret'>

const namePrefix = 'track_'
const proofPrefix = 'track_v2.'

/** Sources of expressions: how a tracking id that proves a customer begins, and the rest of it, also percent-encoded. */
export const proofStart = 'track_v2[.]'
export const proofRest = '(?:[\\w-]|%[2-7][\\da-f])+'
const encodedProof = new RegExp(`(${withEncodedLetters(proofStart)})${proofRest}`, 'gi')

export const isProof = (trackingId: string): boolean => trackingId.startsWith(proofPrefix)

/** A URL with `***` in place of what proves a customer, wherever it is. */
export const maskProofs = (url: string): string => url.replace(encodedProof, '$1***')

/**
 * The pseudonym of a customer: the same for a project and a `source_id` at any time, and only we can decrypt it
 * (docs/reference/requests.md#tracking-token). It names a customer and proves nothing: redemptions and events show it.
 *
 * `trackingName(project, 'customer-1')` → `track_kM3…`
 */
export function trackingName({ tracking_secret }: Secret, sourceId: string): string {
  const tokens = tokensOf(tracking_secret, sourceId)
  tokens.name ??= namePrefix + encrypt(tracking_secret, 'tracking', Buffer.from(sourceId))
  return tokens.name
}

interface Tokens {
  name?: string
  proof?: { hour: number; token: string }
}

/** By secret and source id: a customer at checkout sends several requests, and a response may show its tracking id many times. */
const tokenCache = new Map<string, Map<string, Tokens>>()
const tokenCacheMax = 10_000
let cachedCount = 0

function tokensOf(secret: string, sourceId: string): Tokens {
  const known = tokenCache.get(secret)?.get(sourceId)
  if (known !== undefined) return known
  if (cachedCount >= tokenCacheMax) {
    tokenCache.clear()
    cachedCount = 0
  }
  const ofProject = tokenCache.get(secret) ?? new Map<string, Tokens>()
  const tokens: Tokens = {}
  tokenCache.set(secret, ofProject.set(sourceId, tokens))
  cachedCount += 1
  return tokens
}

/**
 * A tracking id that proves to the client side which customer it is for: the server side hands it to the page of a customer it
 * has recognised. It contains the hour of issue, so within an hour it is the same (docs/reference/client-side.md#identity).
 */
export function trackingProof({ tracking_secret }: Secret, sourceId: string, now: number): string {
  const hour = Math.floor(now / hourMs)
  const tokens = tokensOf(tracking_secret, sourceId)
  if (tokens.proof?.hour === hour) return tokens.proof.token
  const content = Buffer.alloc(4 + Buffer.byteLength(sourceId))
  content.writeUInt32BE(hour)
  content.write(sourceId, 4)
  const token = proofPrefix + encrypt(tracking_secret, 'proof', content)
  tokens.proof = { hour, token }
  return token
}

const hourMs = 3_600_000

/** A tracking id that this project issued. */
export interface TrackingId {
  source_id: string
  /** When it was issued, to the hour, in Unix milliseconds; null: it proves nothing. */
  issued_at: number | null
}

/** Decrypts a tracking id; null for any other text. */
export function readTrackingId({ tracking_secret }: Secret, token: string): TrackingId | null {
  if (isProof(token)) {
    const content = decrypt(tracking_secret, 'proof', token.slice(proofPrefix.length))
    if (content === null || content.length < 4) return null
    return { source_id: content.toString('utf8', 4), issued_at: content.readUInt32BE() * hourMs }
  }
  if (!token.startsWith(namePrefix)) return null
  const content = decrypt(tracking_secret, 'tracking', token.slice(namePrefix.length))
  return content === null ? null : { source_id: content.toString('utf8'), issued_at: null }
}

/** The `source_id` behind a tracking id; any other text is returned unchanged, as a `source_id`. */
export const sourceIdOf = (project: Secret, text: string): string => readTrackingId(project, text)?.source_id ?? text

type Purpose = 'tracking' | 'proof'

/** AES in counter mode. The nonce is an HMAC of the content: it makes the result deterministic and authenticates it. */
function encrypt(secret: string, purpose: Purpose, content: Buffer): string {
  const nonce = nonceOf(secret, purpose, content)
  const cipher = createCipheriv('aes-256-ctr', keyOf(secret, purpose), nonce)
  return Buffer.concat([nonce, cipher.update(content), cipher.final()]).toString('base64url')
}

function decrypt(secret: string, purpose: Purpose, text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64url')
  // One spelling only: the decoder skips characters that are not of its alphabet.
  if (bytes.length <= nonceBytes || bytes.toString('base64url') !== text) return null
  const nonce = bytes.subarray(0, nonceBytes)
  const decipher = createDecipheriv('aes-256-ctr', keyOf(secret, purpose), nonce)
  const content = Buffer.concat([decipher.update(bytes.subarray(nonceBytes)), decipher.final()])
  return timingSafeEqual(nonceOf(secret, purpose, content), nonce) ? content : null
}

const nonceBytes = 16

/** Names issued by earlier releases must stay readable: their nonce has no purpose in it. */
const nonceOf = (secret: string, purpose: Purpose, content: Buffer): Buffer =>
  createHmac('sha256', purpose === 'tracking' ? `nonce ${secret}` : `${purpose} nonce ${secret}`)
    .update(content)
    .digest()
    .subarray(0, nonceBytes)

const keyOf = (secret: string, purpose: Purpose): Buffer => createHmac('sha256', secret).update(purpose).digest()
