import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { Runtime } from '../../core/context.ts'
import type { LoggedIdentity } from '../../core/http/answer.ts'
import type { AuditEntry, ClaimedCredentials } from '../../core/http/audit-log.ts'
import type { KnownKey } from '../../core/http/credentials.ts'
import { familyOf, isOpen, type Operation } from '../../core/http/operation.ts'
import type { Ended, RequestWatch } from '../../core/http/watch-requests.ts'
import { limits } from '../../core/lib/limits.ts'
import { copyUpTo, textOfBytes, textUpToBytes } from './cut.ts'
import { endpointOf } from './endpoint.ts'

/**
 * Records each request to an operation of a project when it has ended: those whose credentials were accepted, whatever became of
 * them, and those answered with 401; of what is refused before its operation, short entries. Requests to management operations, downloads by a secret address and unknown routes have no
 * credentials of a project.
 */
export function recordRequests(watch: RequestWatch, { auditLog, settings }: Runtime): void {
  if (settings.audit_log === 'off') return
  const hasBodies = settings.audit_log === 'on'
  const routes = new Map<Operation, LoggedRoute | null>()

  watch.onEnd((request, reply, ended) => {
    const { operation } = reply.routeOptions.config
    if (operation === undefined) return
    let route = routes.get(operation)
    if (route === undefined) {
      route = loggedRouteOf(operation)
      routes.set(operation, route)
    }
    if (route === null) return
    const { identity } = request
    if (identity !== null) {
      const isRefused = ended.status === 429 || (route.isPublic && request.admitted === null)
      auditLog.record(
        isRefused
          ? withIdentity(refusedEntryOf(request, ended, route), identity)
          : entryOf(request, ended, route, identity, hasBodies),
      )
    } else if (ended.status === 401) auditLog.record(refusedEntryOf(request, ended, route))
  })
}

/** What the entries of an operation have in common. */
interface LoggedRoute {
  endpoint: string
  /** Of requests that do not name their channel. */
  channel: string
  /** Whether keys that anybody can read in a page may call it. */
  isPublic: boolean
  takesFile: boolean
}

function loggedRouteOf(operation: Operation): LoggedRoute | null {
  const family = familyOf(operation.path)
  if (family === 'management' || family === 'auth' || isOpen(operation)) return null
  return {
    endpoint: endpointOf(operation.method, operation.path),
    channel: family === 'client' ? 'CLIENT_API' : 'API',
    isPublic: family !== 'server',
    takesFile: operation.consumes === 'multipart',
  }
}

function entryOf(
  request: FastifyRequest,
  ended: Ended,
  route: LoggedRoute,
  identity: LoggedIdentity,
  hasBodies: boolean,
): AuditEntry {
  const { headers, reply_body } = request
  const urlLengthMax = route.isPublic ? limits.audit_public_bytes_max : limits.audit_url_length_max
  const entry = withIdentity(newEntry(request, ended, route, urlLengthMax), identity)
  if (!hasBodies) return entry
  const bytesMax = bodyBytesMax(route, ended)
  const type = typeOf(headers['content-type'], route)
  entry.is_form = type === 'form'
  entry.request_body = requestBodyOf(request, type, bytesMax)
  if (reply_body !== '' && entry.method !== 'HEAD') entry.response_body = textUpToBytes(reply_body, bytesMax)
  return entry
}

/** Anybody can send requests to the client side, and a refused request changes nothing: neither may fill the disk. */
function bodyBytesMax({ isPublic }: LoggedRoute, { status }: Ended): number {
  if (isPublic) return limits.audit_public_bytes_max
  return status >= 400 && status < 500 ? limits.audit_refusal_bytes_max : limits.audit_body_bytes_max
}

function withIdentity(entry: AuditEntry, { project, keys, user_email }: LoggedIdentity): AuditEntry {
  entry.project_id = project.id
  if (user_email !== undefined) {
    entry.channel = 'USER'
    entry.user_email = user_email
  }
  entry.app_id = appIdOf(keys, isServerKey)
  entry.client_app_id = appIdOf(keys, isClientKey)
  return entry
}

/** Without bodies, and with a short URL: anybody can send such requests, and no limit counts them. */
const refusedUrlLengthMax = 1_024

function refusedEntryOf(request: FastifyRequest, ended: Ended, route: LoggedRoute): AuditEntry {
  const entry = newEntry(request, ended, route, refusedUrlLengthMax)
  entry.is_refused = true
  if (request.identity === null) entry.claimed = claimedIn(request.headers)
  return entry
}

function newEntry(
  { id, method, url, headers }: FastifyRequest,
  ended: Ended,
  route: LoggedRoute,
  urlLengthMax: number,
): AuditEntry {
  return {
    project_id: null,
    claimed: null,
    is_refused: false,
    request_id: id,
    request_duration: Math.round(ended.seconds * 1_000),
    status_code: ended.status,
    channel: headerText(headers['x-voucherify-channel']) ?? route.channel,
    method,
    endpoint: method === 'HEAD' ? route.endpoint.replace('GET', method) : route.endpoint,
    url: copyUpTo(url, urlLengthMax),
    user_email: null,
    app_id: null,
    client_app_id: null,
    client_request_id: headerText(headers['x-request-id']),
    is_form: false,
    request_body: null,
    response_body: null,
  }
}

/** A header that is free text: cut, null if there is none. */
function headerText(header: string | string[] | undefined): string | null {
  if (header === undefined) return null
  const text = copyUpTo(String(header), limits.name_length_max).trim()
  return text === '' ? null : text
}

const isClientKey = ({ kind }: KnownKey): boolean => kind === 'client'
const isServerKey = ({ kind }: KnownKey): boolean => kind !== 'client'

function appIdOf(keys: readonly KnownKey[], isWanted: (key: KnownKey) => boolean): string | null {
  for (const key of keys) if (isWanted(key)) return key.app_id
  return null
}

function claimedIn(headers: IncomingHttpHeaders): ClaimedCredentials {
  return {
    app_id: credentialIn(headers['x-app-id']),
    client_app_id: credentialIn(headers['x-client-application-id']),
    token: credentialIn(/^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]),
  }
}

/** Real ids and tokens are short. */
function credentialIn(header: string | string[] | undefined): string | null {
  return typeof header === 'string' && header !== '' && header.length <= limits.name_length_max ? header : null
}

/** How a request body is logged. */
type BodyType = 'text' | 'form' | 'file'

function typeOf(contentType: string | undefined, { takesFile }: LoggedRoute): BodyType {
  if (contentType === undefined || contentType.startsWith('application/json')) return 'text'
  const type = mediaTypeIn(contentType)
  if (type === 'application/x-www-form-urlencoded') return 'form'
  if (type.endsWith('json')) return 'text'
  return type.startsWith('text/') && !takesFile ? 'text' : 'file'
}

const mediaTypeIn = (contentType: string): string => (contentType.split(';', 1)[0] as string).trim().toLowerCase()

/** Files are not logged, only their size. */
function requestBodyOf({ raw_body: bytes, headers }: FastifyRequest, type: BodyType, bytesMax: number): string | null {
  if (bytes === undefined || bytes.length === 0) return null
  if (type !== 'file') return textOfBytes(bytes, bytesMax)
  return `(${mediaTypeIn(headers['content-type'] ?? '').slice(0, limits.name_length_max)}, ${bytes.length} bytes)`
}
