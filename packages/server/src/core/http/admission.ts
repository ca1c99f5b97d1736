import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller, Runtime } from '../context.ts'
import type { Project } from '../db/project-row.ts'
import type { Role } from '../db/tables.ts'
import { isTrustedOrigin } from '../lib/trusted-origin.ts'
import { authenticate, authenticateManagement, type Identity } from './authenticate.ts'
import type { CallLimiter } from './call-limiter.ts'
import { answerCors } from './cors.ts'
import { isAllowed } from './credentials.ts'
import { ApiError } from './errors.ts'
import { type Family, familyOf, isOpen, type Operation } from './operation.ts'
import { parseQueryString } from './query-string.ts'
import { covers, scopesFor } from './scopes.ts'

/** The authenticated caller and its project; the project is null for management calls until the path names one. */
export interface Admitted {
  caller: Caller
  project: Project | null
}

/** Authenticates and admits a request. Null: an unauthenticated download, which may read the file of its URL and nothing else. */
export type Gate = (request: FastifyRequest, reply: FastifyReply) => Promise<Admitted | null>

export interface GateKeeper {
  runtime: Runtime
  limiter: CallLimiter
}

export const apiVersion = 'v2018-08-01'

/** The checks of one operation before its body is read, in the order of docs/reference/http.md#order-of-checks, steps 4 to 9. */
export function gateOf(operation: Operation, keeper: GateKeeper): Gate {
  const family = familyOf(operation.path)
  if (isOpen(operation)) return openGate
  const gate = family === 'management' ? managementGate(keeper) : projectGate(operation, family, keeper)
  if (operation.download === undefined) return gate
  return (request, reply) => (hasToken(request) ? openGate(request, reply) : gate(request, reply))
}

/**
 * Ignores credentials: the secret in the URL is the authorization. Ignores `Accept` too: a download has one representation,
 * and many HTTP clients send `Accept: application/json` by default.
 */
async function openGate(request: FastifyRequest, reply: FastifyReply): Promise<null> {
  checkApiVersion(request.headers['x-voucherify-api-version'], reply)
  return null
}

const hasToken = ({ query }: FastifyRequest): boolean => parseQueryString(query as string).token !== undefined

function projectGate(
  operation: Operation,
  family: Exclude<Family, 'management'>,
  { runtime, limiter }: GateKeeper,
): Gate {
  const { credentials, settings } = runtime
  const requiredScopes = scopesFor(operation.path)
  const roles = rolesFor(operation)
  const bulk = isBulk(operation)
  return async (request, reply) => {
    const { headers } = request
    checkAccept(headers.accept)
    const authenticated = authenticate({ headers, family, mode: settings.auth_mode, credentials, now: runtime.now() })
    const identity = authenticated instanceof Promise ? await authenticated : authenticated
    const { project } = identity
    checkKeys(identity, request.ip)
    if (family === 'client') {
      checkOrigin(headers.origin, project, identity)
      answerCors(headers.origin, reply)
    }
    const clientAddress = family === 'client' && !identity.has_application_pair ? request.ip : null
    const pendingCount = limiter.countCall(project, { bulk, client_address: clientAddress }, reply)
    if (pendingCount !== null) await pendingCount
    checkApiVersion(headers['x-voucherify-api-version'], reply)
    if (identity.token !== null && requiredScopes !== null && !covers(identity.token.scope, requiredScopes))
      throw outOfScope(requiredScopes)
    if (family !== 'oauth' && !roles.has(identity.role)) throw missingPermission()
    if (operation.flag !== undefined && !project[operation.flag])
      throw forbidden(`Client-side operation is disabled: ${operation.flag}`)
    const { id, name, app_id } = identity.key
    const caller: Caller = {
      channel: family === 'client' ? 'CLIENT_API' : 'API',
      api_key: { id, name, app_id },
      role: identity.role,
    }
    return { caller, project }
  }
}

function managementGate({ runtime: { credentials } }: GateKeeper): Gate {
  return async (request, reply) => {
    checkAccept(request.headers.accept)
    const key = await authenticateManagement(request.headers, credentials)
    checkStatus(key, request.ip)
    checkApiVersion(request.headers['x-voucherify-api-version'], reply)
    const caller: Caller = {
      channel: 'MANAGEMENT',
      api_key: { id: key.id, name: key.name, app_id: key.app_id },
      role: 'ADMIN',
    }
    return { caller, project: null }
  }
}

/** Every role may call GET; other methods require a writing role, or one that the operation lists in `also_for`. */
function rolesFor({ method, also_for = [] }: Operation): ReadonlySet<Role> {
  const writers: Role[] = ['ADMIN', 'USER', 'USER_RESTRICTED']
  return new Set<Role>(method === 'GET' ? [...writers, 'VIEWER', 'MERCHANT'] : [...writers, ...also_for])
}

/** Calls that count against the bulk limit instead of the ordinary one (docs/reference/limits.md#rate-limits). */
function isBulk({ method, path }: Operation): boolean {
  return method === 'POST' && (/\/(import|importCSV|bulk\/async|metadata\/async)$/.test(path) || path === '/v1/exports')
}

/** The most specific matching range decides: a client that refuses JSON by name (`q=0`) gets 406 even if it accepts a wildcard. */
function checkAccept(accept: string | undefined): void {
  if (accept === undefined || accept === '*/*' || accept === 'application/json' || accept.trim() === '') return
  const ranges = accept.split(',').map((part) => {
    const [type = '', ...parameters] = part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/)
    return { rank: rankOf(type), wanted: !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)) }
  })
  const highest = Math.max(...ranges.map(({ rank }) => rank))
  if (highest === 0 || !ranges.some(({ rank, wanted }) => rank === highest && wanted))
    throw new ApiError('not_acceptable', { details: 'This service answers with application/json' })
}

/** Specificity of a media range that matches JSON; 0 when it does not match. */
function rankOf(type: string): number {
  if (type === 'application/json' || type.endsWith('+json')) return 3
  return type === 'application/*' ? 2 : type === '*/*' ? 1 : 0
}

function checkKeys({ keys }: Identity, address: string): void {
  for (const key of keys) checkStatus(key, address)
}

function checkStatus(key: { status: string; allowed: Parameters<typeof isAllowed>[0] }, address: string): void {
  if (key.status === 'BLOCKED') throw forbidden('API key is blocked')
  if (!isAllowed(key.allowed, address)) throw forbidden(`IP address ${address} is not allowed`)
}

function checkOrigin(origin: string | undefined, project: Project, { has_application_pair }: Identity): void {
  if (origin === undefined) {
    if (!has_application_pair) throw forbidden('Origin header is required')
  } else if (!isTrustedOrigin(project.client_trusted_domains, origin))
    throw forbidden(`Origin '${origin}' is not allowed`)
}

function checkApiVersion(version: string | string[] | undefined, reply: FastifyReply): void {
  if (version === undefined) return
  if (version !== apiVersion)
    throw new ApiError('invalid_api_version', {
      details: `Version '${version}' is not supported; the only version is ${apiVersion}`,
    })
  reply.header('X-Voucherify-API-Version', apiVersion)
}

const forbidden = (details: string) => new ApiError('forbidden', { details })

const outOfScope = (requiredScopes: readonly string[]) =>
  forbidden(`Access token does not cover this resource. Required scope: ${requiredScopes.join(' or ')}`)

const missingPermission = () =>
  new ApiError('missing_required_permission', {
    details: 'User does not have a required permission to perform this operation.',
  })
