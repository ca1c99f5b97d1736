import { hash } from 'node:crypto'
import { BlockList, isIPv6 } from 'node:net'
import type { Database, Db } from '../db/database.ts'
import { findProject } from '../db/project.ts'
import type { Project } from '../db/project-row.ts'
import type { KeyKind, KeyStatus, Role } from '../db/tables.ts'
import { limits } from '../lib/limits.ts'

/** An API key with the fields that admission needs. */
export interface KnownKey {
  id: string
  name: string
  app_id: string
  kind: KeyKind
  role: Role
  client_id: string
  secret_hash: Uint8Array
  status: KeyStatus
  project_id: string
  /** Addresses that may use the key; null: any. */
  allowed: BlockList | null
}

export interface KnownToken {
  scope: string
  /** Unix milliseconds. */
  expires_at: number
  key: KnownKey
}

export interface KnownManagementKey {
  id: string
  name: string
  app_id: string
  secret_hash: Uint8Array
  status: KeyStatus
  allowed: BlockList | null
}

/** Keys, tokens and projects, cached for a short time so that admission needs no round trip. */
export interface Credentials {
  key(appId: string): Promise<KnownKey | null>
  managementKey(appId: string): Promise<KnownManagementKey | null>
  token(tokenHash: Buffer): Promise<KnownToken | null>
  project(id: string): Promise<Project | null>
  /** The `client_trusted_domains` of all projects. */
  trustedDomains(): Promise<readonly string[]>
  /** Caches the identity verified from a set of credentials, so that repeated calls skip the checks. */
  proven<T extends object>(presented: string, prove: () => Promise<T>, connection?: object): T | Promise<T>
  /** Clears the cache of this node; call it after a change is committed. */
  forget(): void
  cacheStats(): { entries: number; hits: number; misses: number }
  close(): Promise<void>
}

/** Notification channel: a node announces changed credentials, and every node clears its cache. */
export const credentialChannel = 'guerdon_credentials'

/** `onGap` is called too when this node may have missed a change, and when its connection to the database was lost. */
export async function openCredentials(
  database: Database,
  now: () => number,
  onGap: () => void = () => {},
): Promise<Credentials> {
  const { db } = database
  const cache = new Map<string, { value: unknown; until: number }>()
  let generation = 0
  let hits = 0
  let misses = 0
  let lastDomains: readonly string[] | undefined

  const forget = () => {
    generation += 1
    cache.clear()
  }

  /** Never caches a missing row: a new key works as soon as it is committed. */
  function cached<T>(name: string, find: () => Promise<T>): T | Promise<T> {
    const known = cache.get(name)
    if (known === undefined || known.until <= now()) return load(name, find)
    hits += 1
    return known.value as T
  }

  async function load<T>(name: string, find: () => Promise<T>): Promise<T> {
    misses += 1
    const generationBefore = generation
    const value = await find()
    // A row read before the cache was cleared may be stale and must not be cached after.
    if (value !== null && generationBefore === generation) {
      if (cache.size >= limits.credential_cache_entries_max) cache.clear()
      cache.set(name, { value, until: now() + limits.credential_ttl_seconds * 1_000 })
    }
    return value
  }

  /** Asks all projects. If one of their servers is down, the last answer serves: each request is checked against its own project. */
  async function readTrustedDomains(): Promise<readonly string[]> {
    try {
      lastDomains = await listTrustedDomains(db)
      return lastDomains
    } catch (error) {
      if (lastDomains === undefined) throw error
      return lastDomains
    }
  }

  // Removes expired entries that no request asks for again.
  const sweeper = setInterval(() => {
    for (const [name, { until }] of cache) if (until <= now()) cache.delete(name)
  }, limits.credential_ttl_seconds * 1_000).unref()
  const listener = await database.listen(credentialChannel, forget, () => {
    forget()
    onGap()
  })
  return {
    key: async (appId) => cached(`key ${appId}`, () => findKey(db, appId)),
    managementKey: async (appId) => cached(`management ${appId}`, () => findManagementKey(db, appId)),
    token: async (tokenHash) => cached(`token ${tokenHash.toString('base64')}`, () => findToken(db, tokenHash)),
    project: async (id) => cached(`project ${id}`, () => findProject(db, id)),
    trustedDomains: async () => cached('trusted domains', readTrustedDomains),
    proven: (presented, prove, connection) => cached(nameOf(presented, connection), prove),
    forget,
    cacheStats: () => ({ entries: cache.size, hits, misses }),
    close: () => {
      clearInterval(sweeper)
      return listener.close()
    },
  }
}

/** What the last request on a connection presented, and its name in the cache. */
const lastPresented = new WeakMap<object, { presented: string; name: string }>()

/**
 * Presented credentials as the name of a cache entry. Hashed: the cache holds no secret, and no entry is longer for longer headers. To hash
 * takes about half the time of admission, so a connection remembers what it presented last, as long as it is open.
 */
function nameOf(presented: string, connection: object | undefined): string {
  const last = connection && lastPresented.get(connection)
  if (last?.presented === presented) return last.name
  const name = hash('sha256', presented, 'base64')
  if (connection !== undefined) lastPresented.set(connection, { presented, name })
  return name
}

const keyColumns = [
  'api_keys.id',
  'api_keys.name',
  'api_keys.app_id',
  'api_keys.kind',
  'api_keys.role',
  'api_keys.client_id',
  'api_keys.secret_hash',
  'api_keys.status',
  'api_keys.project_id',
  'api_keys.ip_whitelist',
] as const

/*
 * Keys and tokens are read without the project: whoever deletes it deletes them too, and `authenticate` asks for the project by itself. On a
 * distributed database, where projects are on several servers, those of the others are thereby served while one is down.
 */

async function findKey(db: Db, appId: string): Promise<KnownKey | null> {
  const row = await db.selectFrom('api_keys').where('api_keys.app_id', '=', appId).select(keyColumns).executeTakeFirst()
  if (row === undefined) return null
  const { ip_whitelist, ...key } = row
  return { ...key, allowed: allowList(ip_whitelist) }
}

async function findToken(db: Db, tokenHash: Buffer): Promise<KnownToken | null> {
  const row = await db
    .selectFrom('oauth_tokens')
    .innerJoin('api_keys', 'api_keys.id', 'oauth_tokens.api_key_id')
    .where('oauth_tokens.token_hash', '=', tokenHash)
    .select([...keyColumns, 'oauth_tokens.scope', 'oauth_tokens.expires_at'])
    .executeTakeFirst()
  if (row === undefined) return null
  const { ip_whitelist, scope, expires_at, ...key } = row
  return { scope, expires_at: Date.parse(expires_at), key: { ...key, allowed: allowList(ip_whitelist) } }
}

async function findManagementKey(db: Db, appId: string): Promise<KnownManagementKey | null> {
  const row = await db.selectFrom('management_keys').where('app_id', '=', appId).selectAll().executeTakeFirst()
  return row === undefined ? null : { ...row, allowed: allowList(row.ip_whitelist) }
}

async function listTrustedDomains(db: Db): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('projects')
    .where('deleted_at', 'is', null)
    .select('client_trusted_domains')
    .execute()
  return [...new Set(rows.flatMap(({ client_trusted_domains }) => client_trusted_domains))]
}

/** The addresses and CIDR ranges of a key; null when the list is empty. */
function allowList(entries: readonly string[]): BlockList | null {
  if (entries.length === 0) return null
  const list = new BlockList()
  for (const entry of entries) {
    const [address, bits] = entry.split('/') as [string, string?]
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return list
}

/** Whether the address is on the list; an IPv4-mapped IPv6 address (`::ffff:192.0.2.1`) counts as IPv4. */
export function isAllowed(list: BlockList | null, address: string): boolean {
  if (list === null) return true
  const plain = address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address
  return list.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4')
}
