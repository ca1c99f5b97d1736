import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../context.ts'
import type { Project } from '../db/project-row.ts'
import type { Settings } from '../settings.ts'
import {
  changes,
  checkAccept,
  checkApiVersion,
  forbidden,
  isBulk,
  missingPermission,
  rolesFor,
} from './admission-checks.ts'
import { sessionCookie, valueOfCookie } from './cookies.ts'
import { ApiError, notFound } from './errors.ts'
import type { Admitted, Gate, GateKeeper } from './gate.ts'
import { authenticateSession, roleIn } from './known-session.ts'
import type { KnownSession } from './known-user.ts'
import { type Family, type Operation, pathParamNames } from './operation.ts'
import { requestOrigin } from './same-origin.ts'

/** Headers of programs. A request that has one of them is not a browser that happens to send its cookie: the cookie is ignored. */
const keyHeaders: Partial<Record<Family, readonly string[]>> = {
  server: ['x-app-id', 'x-app-token', 'authorization'],
  management: ['x-management-id', 'x-management-token'],
}

/** Whether a request shall be admitted by its cookie. On the client side and on OAuth paths, the cookie admits to nothing. */
export function isSessionCall(
  headers: IncomingHttpHeaders,
  family: Family,
  settings: Pick<Settings, 'base_url'>,
): boolean {
  const { cookie } = headers
  if (cookie === undefined) return false
  const others = keyHeaders[family]
  if (others === undefined || others.some((name) => headers[name] !== undefined)) return false
  return valueOfCookie(cookie, sessionCookie(settings)) !== null
}

/** Admits requests to `/v1` by a session: the user must have a role in the project of `X-Project-Id` that allows the call. */
export function sessionGate(operation: Operation, keeper: GateKeeper): Gate {
  const { runtime, limiter } = keeper
  const roles = rolesFor(operation)
  const bulk = isBulk(operation)
  const isSafe = isSafeBySession(operation)
  return async (request, reply) => {
    const session = await authenticateSession(request, keeper)
    if (!isSafe) requireSameOrigin(request, runtime)
    const { user } = session
    const projectId = projectIdIn(request.headers)
    const role = roleIn(user, projectId)
    const project = role === undefined ? null : await runtime.credentials.project(projectId)
    // One answer for a project that does not exist and for one of others.
    if (role === undefined || project === null) throw forbidden(`You have no role in the project '${projectId}'`)
    request.identity = { project, keys: [], user_email: user.email }
    await limiter.countProject(project, { bulk, client: null }, reply)
    checkApiVersion(request.headers['x-voucherify-api-version'], reply)
    if (!roles.has(role)) throw missingPermission()
    return admitted(
      session,
      { channel: 'USER', api_key: null, role, user: { id: user.id, email: user.email } },
      project,
    )
  }
}

/**
 * Admits requests to `/management/v1` by a session: an owner to all of them, an ADMIN of a project to those of the project, except what
 * only the operator decides (`owners_only`).
 */
export function managementSessionGate(operation: Operation, keeper: GateKeeper): Gate {
  const { runtime } = keeper
  const isSafe = isSafeBySession(operation)
  const namesProject = pathParamNames(operation.path).includes('projectId')
  const forAdmins = operation.owners_only !== true && (namesProject || operation.checks_user === true)
  return async (request, reply) => {
    const session = await authenticateSession(request, keeper)
    if (!isSafe) requireSameOrigin(request, runtime)
    checkApiVersion(request.headers['x-voucherify-api-version'], reply)
    const { user } = session
    if (!user.is_owner) {
      const { projectId } = request.params as { projectId?: string }
      const role = projectId === undefined ? undefined : roleIn(user, projectId)
      if (namesProject && role === undefined) throw notFound('project', projectId as string)
      if (!forAdmins || (namesProject && role !== 'ADMIN')) throw missingPermission()
    }
    return admitted(session, { channel: 'MANAGEMENT', api_key: null, role: 'ADMIN', user }, null)
  }
}

/** Admits requests to `/auth`: by a session, or without one where the operation says so. */
export function authGate(operation: Operation, keeper: GateKeeper): Gate {
  const { runtime } = keeper
  const isSafe = isSafeBySession(operation)
  const { session: need = 'required' } = operation
  return async (request, reply) => {
    if (operation.redirects !== true) checkAccept(request.headers.accept)
    checkApiVersion(request.headers['x-voucherify-api-version'], reply)
    // Without a session too: a foreign page must not sign somebody in as somebody else.
    if (!isSafe && requestOrigin(request.headers, runtime.settings) === 'foreign') throw foreignPage()
    const session = need === 'none' ? null : await sessionOf(request, need)
    if (session !== null && !isSafe) requireSameOrigin(request, runtime)
    const caller: Caller = { channel: 'USER', api_key: null, role: 'VIEWER' }
    return { ...admitted(session, caller, null), visitor: visitorOf(request, reply, session) }
  }

  async function sessionOf(request: FastifyRequest, need: 'required' | 'optional'): Promise<KnownSession | null> {
    try {
      return await authenticateSession(request, keeper)
    } catch (error) {
      if (need === 'optional' && error instanceof ApiError && error.key === 'not_signed_in') return null
      throw error
    }
  }
}

/** Replies stored under an idempotency key are those of the user, whoever else sends the same key. */
const admitted = (session: KnownSession | null, caller: Caller, project: Project | null): Admitted => ({
  caller,
  project,
  key_scope: session === null ? '' : `user ${session.user.id}`,
  is_counted: true,
})

function visitorOf({ ip, headers }: FastifyRequest, reply: FastifyReply, session: KnownSession | null) {
  return {
    session,
    address: ip,
    user_agent: headers['user-agent'] ?? '',
    cookies: headers.cookie,
    setCookie: (text: string) => void reply.header('Set-Cookie', text),
  }
}

/** Another site can make a browser send a GET by a link, whose reply it cannot read. */
const isSafeBySession = (operation: Operation): boolean =>
  operation.method === 'GET' && (operation.redirects === true || !changes(operation))

function requireSameOrigin({ headers }: FastifyRequest, { settings }: GateKeeper['runtime']): void {
  if (requestOrigin(headers, settings) !== 'same') throw foreignPage()
}

const foreignPage = () =>
  forbidden(
    'A change by a session must come from a page of this service: its Origin is missing or that of another site',
  )

function projectIdIn({ 'x-project-id': header }: IncomingHttpHeaders): string {
  if (typeof header === 'string' && header !== '') return header
  throw new ApiError('missing_project_id', {
    details: 'Missing header: X-Project-Id, the id of the project to work in',
  })
}
