import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { sqlState, type Trx } from '../db/transaction.ts'
import { type Instant, toInstant } from '../lib/instant.ts'
import { limits } from '../lib/limits.ts'
import { within } from '../lib/within.ts'
import { ApiError, invalidPayload } from './errors.ts'
import type { StoredReply } from './stored-reply.ts'

/**
 * Reads the `Idempotency-Key` header: 1 to 255 printable ASCII characters. The result begins with the scope of the caller: a page
 * and a server that choose the same key do not meet.
 */
export function idempotencyKey(header: string | string[] | undefined, scope: string): string | null {
  if (header === undefined) return null
  if (typeof header !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(header))
    throw invalidPayload(
      `Header Idempotency-Key must have 1 to ${limits.idempotency_key_length_max} printable ASCII characters`,
    )
  return scope === '' ? header : `${scope}${scopeEnd}${header}`
}

/**
 * The reply that a node of 0.1.0, where keys had no scope, has stored for the same client-side request. Such replies expire within a
 * day of an upgrade.
 */
export async function findUnscoped(
  db: Db,
  owner: string,
  key: string,
  fingerprint: Buffer,
  now: Instant,
): Promise<StoredReply | null> {
  const unscoped = sentKey(key)
  if (unscoped === key) return null
  const stored = await db
    .selectFrom('idempotency_keys')
    .where('project_id', '=', owner)
    .where('key', '=', unscoped)
    .where('fingerprint', '=', fingerprint)
    .where('expires_at', '>', now)
    .select(['status', 'body'])
    .executeTakeFirst()
  return stored?.status == null ? null : { status: stored.status, body: stored.body as string }
}

/** No header contains a control character. */
const scopeEnd = '\u0001'

/** The key as it was sent. */
const sentKey = (key: string): string => key.slice(key.indexOf(scopeEnd) + 1)

/** Two requests are equal when method, URL and body bytes are. */
export function fingerprintOf(method: string, url: string, body: Uint8Array | undefined): Buffer {
  return hash('sha256', Buffer.concat([Buffer.from(`${method} ${url}\n`), body ?? Buffer.alloc(0)]), 'buffer')
}

/**
 * Claims an idempotency key inside the writing transaction (null), or returns the reply that is stored under it.
 *
 * While another transaction holds the same key uncommitted, the database blocks this statement: if that transaction
 * commits, its reply is returned; if it fails or its process dies, the key is free again and claimed here. So a request has
 * one effect and one reply, whatever the timing.
 *
 * A stored refusal has spent nothing: it is repeated to its own request, and gives way to another one
 * (docs/decisions/0085-refusals-free-their-key.md).
 */
export async function claim(
  trx: Trx,
  scope: string,
  key: string,
  fingerprint: Buffer,
  now: Instant,
): Promise<StoredReply | null> {
  const expiresAt = keyExpiryOf(now)
  const { rows } = await sql`
    insert into idempotency_keys as k (project_id, key, fingerprint, expires_at)
    values (${scope}, ${key}, ${fingerprint}, ${expiresAt})
    on conflict (project_id, key) do update
      set fingerprint = excluded.fingerprint, expires_at = excluded.expires_at, status = null, body = null
      where k.expires_at <= ${now} or (k.status >= 400 and k.fingerprint <> excluded.fingerprint)
    returning 1`
    .execute(trx)
    .catch((error: unknown) => {
      throw sqlState(error) === '55P03' ? inProgress() : error
    })
  if (rows.length > 0) return null
  const stored = await trx
    .selectFrom('idempotency_keys')
    .where('project_id', '=', scope)
    .where('key', '=', key)
    .select(['fingerprint', 'status', 'body'])
    .executeTakeFirstOrThrow()
  if (!fingerprint.equals(stored.fingerprint)) throw idempotencyKeyConflict(key)
  return { status: stored.status as number, body: stored.body as string }
}

/** Whether a stored reply gives way to another request with the same key. */
export const givesWay = (stored: { status: number; fingerprint: string }, fingerprint: string): boolean =>
  stored.status >= 400 && stored.fingerprint !== fingerprint

/** When a stored reply expires. */
export const keyExpiryOf = (now: Instant): Instant =>
  toInstant(Date.parse(now) + limits.idempotency_ttl_hours * 3_600_000)

export const idempotencyKeyConflict = (key: string): ApiError =>
  new ApiError('idempotency_key_conflict', {
    details: `Idempotency key '${sentKey(key)}' was used with another request`,
  })

/** Stores the reply under a claimed key, in the same transaction as the effects it reports. */
export async function keep(trx: Trx, scope: string, key: string, { status, body }: StoredReply): Promise<void> {
  await trx
    .updateTable('idempotency_keys')
    .set({ status, body })
    .where('project_id', '=', scope)
    .where('key', '=', key)
    .execute()
}

/** Releases a claimed key, so that a retry runs again; the writes of the request stay. */
export async function release(trx: Trx, scope: string, key: string): Promise<void> {
  await trx.deleteFrom('idempotency_keys').where('project_id', '=', scope).where('key', '=', key).execute()
}

/** Replies 401, 403, 429 and 5xx are not stored: they do not depend on the request alone, so a retry may succeed. */
export const isKept = (status: number): boolean => status < 500 && ![401, 403, 429].includes(status)

/** Refusals caused by concurrent requests are not stored either: a retry may succeed. */
export const isKeptRefusal = ({ status, key }: ApiError): boolean =>
  isKept(status) && key !== 'multiple_requests' && key !== 'idempotency_key_conflict'

const inProgress = () =>
  new ApiError('idempotency_key_in_progress', { details: 'A request with this Idempotency-Key has not ended yet' })

/**
 * Runs work of the same key one after another within this process: a hundred retries wait here instead of occupying a
 * hundred database connections. The timeout equals the lock timeout of the database.
 */
export function keyedQueue(
  waitMs: number = limits.lock_timeout_seconds * 1_000,
): <T>(name: string, work: () => Promise<T>) => Promise<T> {
  const queues = new Map<string, Promise<void>>()
  return async (name, work) => {
    const previous = queues.get(name)
    const result = previous === undefined ? work() : within(waitMs, previous, inProgress).then(work)
    // A waiter that timed out must not let the next one start while the work it waited for still runs.
    const finished = Promise.allSettled([previous, result]).then(() => {
      if (queues.get(name) === finished) queues.delete(name)
    })
    queues.set(name, finished)
    return result
  }
}
