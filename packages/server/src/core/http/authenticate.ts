import type { IncomingHttpHeaders } from 'node:http'
import type { Project } from '../db/project-row.ts'
import type { Role } from '../db/tables.ts'
import { isSigned, readClientToken } from './client-token.ts'
import type { Credentials, KnownKey, KnownManagementKey, KnownToken } from './credentials.ts'
import { ApiError } from './errors.ts'
import { missingCredentials } from './missing-credentials.ts'
import type { Family } from './operation.ts'
import { hashOf, isSecret } from './secrets.ts'

/** The verified identity of the caller. */
export interface Identity {
  project: Project
  /** The key that events and logs record: the presented key, or the key that issued the token. */
  key: KnownKey
  /** The weakest role of all presented keys. */
  role: Role
  token: KnownToken | null
  /** Whether a key pair of the server side (not only a token or a client pair) was presented. */
  has_server_pair: boolean
  /** Every key whose status and addresses must allow the call. */
  keys: KnownKey[]
}

export type AuthMode = 'strict' | 'either'

/** The headers of a request and the rules to check them by. */
export interface Presentation {
  headers: IncomingHttpHeaders
  /** The connection that the request came on: most connections present the same credentials with each request. */
  connection?: object
  family: Exclude<Family, 'management' | 'auth'>
  mode: AuthMode
  credentials: Credentials
  /** Unix milliseconds. */
  now: number
  /** Runs a check of credentials, given as one text, whose result is not cached. */
  guard?<T>(presented: string, check: () => Promise<T>): Promise<T>
}

/**
 * Checks all presented credentials of a server-side or client-side request
 * (docs/reference/authentication.md#authentication-modes), or throws 401. Recently verified
 * credentials come from the cache without a promise.
 */
export function authenticate(presentation: Presentation): Identity | Promise<Identity> {
  const { headers, connection, family, credentials, now, guard = (_, check) => check() } = presentation
  const presented = cacheKeyOf(headers, family)
  const identity = credentials.proven(presented, () => guard(presented, () => prove(presentation)), connection)
  return identity instanceof Promise
    ? identity.then((verified) => requireUnexpired(verified, now))
    : requireUnexpired(identity, now)
}

function requireUnexpired(identity: Identity, now: number): Identity {
  if (identity.token !== null && identity.token.expires_at <= now) throw unauthorized('token')
  return identity
}

/** The cache key: all headers that identify the caller. Values cannot contain line breaks; `\0` marks an absent header. */
function cacheKeyOf(headers: IncomingHttpHeaders, family: Family): string {
  const pair = `${family}\n${headers['x-app-id'] ?? '\0'}\n${headers['x-app-token'] ?? '\0'}\n${headers.authorization ?? '\0'}`
  if (family !== 'client') return pair
  return `${pair}\n${headers['x-client-application-id'] ?? '\0'}\n${headers['x-client-token'] ?? '\0'}`
}

async function prove(presentation: Presentation): Promise<Identity> {
  const { headers, family, mode, credentials, now } = presentation
  const refusal = (challenge?: 'token') => unauthorized(challenge, missingCredentials(headers, family, mode))
  const isStrict = mode === 'strict' && family !== 'oauth'
  // Checked first: a caller without a valid token gets `WWW-Authenticate` whatever else is wrong.
  const token = family === 'oauth' ? null : await bearer(headers.authorization, credentials, now)
  if (token === 'wrong' || (token === null && isStrict)) throw refusal('token')
  const application = await pair(headers['x-app-id'], headers['x-app-token'], applicationKinds[family], credentials)
  if (application === 'wrong' || (application === null && (isStrict || family === 'oauth'))) throw refusal()
  const usesClientPair = family === 'client' && mode === 'either'
  const client = usesClientPair
    ? await pair(headers['x-client-application-id'], headers['x-client-token'], ['client'], credentials)
    : null
  if (client === 'wrong') throw refusal()
  const pairs = [application, client].filter((key) => key !== null)
  if (pairs.length === 0 && token === null) throw refusal('token')
  const keys = token === null ? pairs : [...pairs, token.key]
  const key = keys[0] as KnownKey
  if (keys.some(({ project_id }) => project_id !== key.project_id)) throw refusal()
  const project = await credentials.project(key.project_id)
  if (project === null) throw refusal()
  const hasServerPair = application !== null && application.kind !== 'client'
  return { project, key, role: weakestOf(keys), token, has_server_pair: hasServerPair, keys }
}

/**
 * The keys that `X-App-Id` may name. A client-side key gets tokens with client scopes and is admitted to `/client/v1` only, so
 * that a page needs no secret of the server side.
 */
const applicationKinds: Record<Presentation['family'], KnownKey['kind'][]> = {
  server: ['server', 'integration'],
  client: ['server', 'integration', 'client'],
  oauth: ['server', 'integration', 'client'],
}

/** Checks the management pair, or throws 401. */
export async function authenticateManagement(
  headers: IncomingHttpHeaders,
  credentials: Credentials,
): Promise<KnownManagementKey> {
  const id = text(headers['x-management-id'])
  const secret = text(headers['x-management-token'])
  const key = id === undefined || secret === undefined ? null : await credentials.managementKey(id)
  if (key === null || !isSecret(secret as string, key.secret_hash))
    throw unauthorized(undefined, missingCredentials(headers, 'management', 'strict'))
  return key
}

/** Null when both headers are absent, `wrong` also when one of them is. */
async function pair(
  idHeader: string | string[] | undefined,
  secretHeader: string | string[] | undefined,
  kinds: KnownKey['kind'][],
  credentials: Credentials,
): Promise<KnownKey | 'wrong' | null> {
  if (idHeader === undefined && secretHeader === undefined) return null
  const id = text(idHeader)
  const secret = text(secretHeader)
  if (id === undefined || secret === undefined) return 'wrong'
  const key = await credentials.key(id)
  return key !== null && kinds.includes(key.kind) && isSecret(secret, key.secret_hash) ? key : 'wrong'
}

async function bearer(
  header: string | undefined,
  credentials: Credentials,
  now: number,
): Promise<KnownToken | 'wrong' | null> {
  if (header === undefined) return null
  const [scheme = '', value = '', ...more] = header.trim().split(/ +/)
  if (scheme.toLowerCase() !== 'bearer' || value === '' || more.length > 0) return 'wrong'
  const token = await findToken(value, credentials)
  const isLive = token !== null && token.expires_at > now && token.key.status === 'ACTIVE'
  return isLive ? token : 'wrong'
}

async function findToken(value: string, credentials: Credentials): Promise<KnownToken | null> {
  const stored = await credentials.token(hashOf(value))
  const said = readClientToken(value)
  if (said === null) return stored
  // The row of a token that is not stored says that it was revoked.
  const key = stored === null ? await credentials.key(said.app_id) : null
  const project = key?.kind === 'client' ? await credentials.project(key.project_id) : null
  if (key === null || project === null || !isSigned(project, value)) return null
  return { scope: said.scope, expires_at: said.expires_at * 1_000, key }
}

const weakestOf = (keys: KnownKey[]): Role => keys.map(({ role }) => role).reduce((a, b) => (isAtMost(a, b) ? a : b))

/** Whether `role` may do no more than `other`. */
export const isAtMost = (role: Role, other: Role): boolean => strength[role] <= strength[other]

const strength: Record<Role, number> = { VIEWER: 0, MERCHANT: 1, USER_RESTRICTED: 2, USER: 3, ADMIN: 4 }

/** The body says what is missing, never which credential was wrong; the header tells the client to fetch a token. */
function unauthorized(challenge?: 'token', missing?: string): ApiError {
  return new ApiError(
    'unauthorized',
    missing === undefined ? {} : { details: missing },
    challenge === 'token' ? { 'WWW-Authenticate': 'Bearer' } : {},
  )
}

const text = (header: string | string[] | undefined): string | undefined =>
  typeof header === 'string' && header !== '' ? header : undefined
