import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../context.ts'
import type { Project } from '../db/project-row.ts'
import { limits } from '../lib/limits.ts'
import { networkOf } from '../lib/network.ts'
import { isTrustedOrigin } from '../lib/trusted-origin.ts'
import { checkAccept, checkApiVersion, forbidden, isBulk, missingPermission, rolesFor } from './admission-checks.ts'
import { authenticate, authenticateManagement, type Identity, type Presentation } from './authenticate.ts'
import { clientIdentityIn } from './client-identity.ts'
import { answerCors } from './cors.ts'
import { isAllowed } from './credentials.ts'
import type { Admitted, Gate, GateKeeper } from './gate.ts'
import { type Family, familyOf, isOpen, type Operation } from './operation.ts'
import { parseQueryString } from './query-string.ts'
import { covers, scopesFor } from './scopes.ts'
import { hashOf } from './secrets.ts'
import { authGate, isSessionCall, managementSessionGate, sessionGate } from './session-admission.ts'

/** The checks of one operation before its body is read, in the order of docs/reference/http.md#order-of-checks, steps 4 to 9. */
export function gateOf(operation: Operation, keeper: GateKeeper): Gate {
  const family = familyOf(operation.path)
  if (isOpen(operation)) return openGate
  if (family === 'auth') return authGate(operation, keeper)
  const gate = family === 'management' ? managementGate(operation, keeper) : projectGate(operation, family, keeper)
  if (operation.download === undefined) return gate
  return (request, reply) => (hasToken(request) ? openGate(request, reply) : gate(request, reply))
}

/**
 * Ignores credentials: the secret in the URL is the authorization. Ignores `Accept` too: a download has one representation,
 * and many HTTP clients send `Accept: application/json` by default.
 */
function openGate(request: FastifyRequest, reply: FastifyReply): null {
  checkApiVersion(request.headers['x-voucherify-api-version'], reply)
  return null
}

const hasToken = ({ query }: FastifyRequest): boolean => parseQueryString(query as string).token !== undefined

function projectGate(operation: Operation, family: Presentation['family'], keeper: GateKeeper): Gate {
  const { runtime, limiter, wrongCredentials } = keeper
  const { credentials, settings } = runtime
  const admitSession = sessionGate(operation, keeper)
  const requiredScopes = scopesFor(operation.path)
  const roles = rolesFor(operation)
  const bulk = isBulk(operation)
  return (request, reply) => {
    checkAccept(request.headers.accept)
    if (isSessionCall(request.headers, family, settings)) return admitSession(request, reply)
    const identity = authenticate({
      headers: request.headers,
      connection: request.raw.socket,
      family,
      mode: settings.auth_mode,
      credentials,
      now: runtime.now(),
      guard: (presented, check) =>
        wrongCredentials.guard({ network: networkOf(request.ip), credentials: presented, now: runtime.now() }, check),
    })
    return identity instanceof Promise
      ? identity.then((verified) => count(verified, request, reply))
      : count(identity, request, reply)
  }

  /** Counts the call of an authenticated caller, then checks what it may do. */
  function count(identity: Identity, request: FastifyRequest, reply: FastifyReply): Admitted | Promise<Admitted> {
    const { headers } = request
    request.identity = identity
    const { project } = identity
    checkKeys(identity, request.ip)
    const isPage = family !== 'server' && !identity.has_server_pair
    if (isPage || family === 'client') {
      checkOrigin(headers.origin, project, identity)
      answerCors(headers.origin, reply)
    }
    if (!isPage) return countProject(true, null)
    // A call for which its network has no calls left may prove a customer that has: then its body decides (`clientCheckOf`).
    const network = networkOf(request.ip)
    const isCounted = family === 'client' ? limiter.countNetwork(network) : limiter.countClient(network)
    return isCounted instanceof Promise
      ? isCounted.then((counted) => countProject(counted, network))
      : countProject(isCounted, network)

    function countProject(isCounted: boolean, client: string | null): Admitted | Promise<Admitted> {
      const pendingCount = isCounted ? limiter.countProject(project, { bulk, client }, reply) : null
      return pendingCount === null
        ? admitted(identity, request, reply, isCounted)
        : pendingCount.then(() => admitted(identity, request, reply, isCounted))
    }
  }

  function admitted(
    identity: Identity,
    { headers }: FastifyRequest,
    reply: FastifyReply,
    isCounted: boolean,
  ): Admitted {
    const { project } = identity
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
      ...(family === 'client' && !identity.has_server_pair ? { is_page: true } : {}),
      ...callingApplication(headers['x-voucherify-channel']),
    }
    return { caller, project, key_scope: keyScopeOf(family, identity), is_counted: isCounted }
  }
}

function callingApplication(header: string | string[] | undefined): Pick<Caller, 'application'> {
  const application = typeof header === 'string' ? header.slice(0, limits.name_length_max).trim() : ''
  return application === '' ? {} : { application }
}

/** Server-side keys have none: their stored replies from earlier releases stay valid. That of a page is completed by `clientCheckOf`. */
const keyScopeOf = (family: Family, { has_server_pair }: Identity): string =>
  family === 'client' ? (has_server_pair ? 'client by server key' : 'client') : ''

/**
 * The check of a client-side request after its body is read: which customer it proves. Behind a proxy many customers share an
 * address, so a request that proves a customer counts against the rate limit of that customer instead of its network.
 */
export function clientCheckOf(
  operation: Operation,
  { runtime: { now, settings }, limiter }: GateKeeper,
): ((request: FastifyRequest, reply: FastifyReply) => Promise<void>) | null {
  if (familyOf(operation.path) !== 'client') return null
  const ageMaxMs = settings.tracking_id_hours_max * 3_600_000
  return async (request, reply) => {
    const admitted = request.admitted as Admitted & { project: Project }
    const { project, is_counted } = admitted
    const sent = { params: request.params, body: request.body, query: queryOf(request) }
    const identity = clientIdentityIn(sent, project, { now: now(), age_max_ms: ageMaxMs })
    admitted.identity = identity
    if (admitted.caller.is_page !== true) return
    const isProven = identity?.is_proven === true
    const network = networkOf(request.ip)
    const client = isProven ? `${project.id} ${identity.source_id}` : network
    admitted.client = client
    // A page must not take the keys of others: whoever uses one first would have the request of the other refused.
    if (admitted.key_scope === 'client') admitted.key_scope = `client ${hashOf(client).toString('base64url')}`
    if (!is_counted) {
      if (isProven) await limiter.endDeferral(network)
      await limiter.countClient(client)
      await limiter.countProject(project, { bulk: false, client }, reply)
    } else if (isProven) await limiter.recount(network, client)
  }
}

/** A malformed query is refused later, where the operation has query parameters. */
function queryOf({ query }: FastifyRequest): unknown {
  try {
    return parseQueryString(query as string)
  } catch {
    return {}
  }
}

function managementGate(operation: Operation, keeper: GateKeeper): Gate {
  const {
    runtime: { credentials, settings, now },
    wrongCredentials,
  } = keeper
  const admitSession = managementSessionGate(operation, keeper)
  return async (request, reply) => {
    checkAccept(request.headers.accept)
    if (isSessionCall(request.headers, 'management', settings)) return admitSession(request, reply)
    const { 'x-management-id': id, 'x-management-token': token } = request.headers
    const presented = { network: networkOf(request.ip), credentials: `management\n${id}\n${token}`, now: now() }
    const key = await wrongCredentials.guard(presented, () => authenticateManagement(request.headers, credentials))
    checkStatus(key, request.ip)
    checkApiVersion(request.headers['x-voucherify-api-version'], reply)
    const caller: Caller = {
      channel: 'MANAGEMENT',
      api_key: { id: key.id, name: key.name, app_id: key.app_id },
      role: 'ADMIN',
    }
    return { caller, project: null, key_scope: '', is_counted: true }
  }
}

function checkKeys({ keys }: Identity, address: string): void {
  for (const key of keys) checkStatus(key, address)
}

function checkStatus(key: { status: string; allowed: Parameters<typeof isAllowed>[0] }, address: string): void {
  if (key.status === 'BLOCKED') throw forbidden('API key is blocked')
  if (!isAllowed(key.allowed, address)) throw forbidden(`IP address ${address} is not allowed`)
}

/** Every browser sends its origin. A call without one comes from elsewhere, and needs the secret of a server-side key. */
function checkOrigin(origin: string | undefined, project: Project, { has_server_pair }: Identity): void {
  if (origin === undefined) {
    if (!has_server_pair) throw forbidden('Origin header is required')
  } else if (!isTrustedOrigin(project.client_trusted_domains, origin))
    throw forbidden(`Origin '${origin}' is not allowed`)
}

const outOfScope = (requiredScopes: readonly string[]) =>
  forbidden(`Access token does not cover this resource. Required scope: ${requiredScopes.join(' or ')}`)
