import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify, LogController } from 'fastify'
import type { Runtime } from './core/context.ts'
import { acceptBodies } from './core/http/body.ts'
import { newCallLimiter } from './core/http/call-limiter.ts'
import { ApiError, errorText } from './core/http/errors.ts'
import { answerFailures } from './core/http/failures.ts'
import { keyedQueue } from './core/http/idempotency.ts'
import { mount, unknownRoute } from './core/http/mount.ts'
import type { Operation } from './core/http/operation.ts'
import { limitTime } from './core/http/time-limit.ts'
import { watchRequests } from './core/http/watch-requests.ts'
import { newWrongCredentials } from './core/http/wrong-credentials.ts'
import { newId } from './core/lib/ids.ts'
import { limits } from './core/lib/limits.ts'
import { recordRequests } from './monitoring/audit-log/record-requests.ts'
import { operations as allOperations } from './operations.ts'
import type { DashboardFiles } from './platform/dashboard-files.ts'
import type { Filling } from './platform/filling.ts'
import type { GuidesSite } from './platform/guides-site.ts'
import { mountPlatform } from './platform/mount-platform.ts'

export interface AppOptions {
  runtime: Runtime
  /** The operations to serve; all of them unless a test adds its own. */
  operations?: readonly Operation[]
  /** Whether the service rejects requests while it is overloaded; off in tests that must not depend on the machine's load. */
  sheds_load?: boolean
  /** The built dashboard to serve; null: none. */
  dashboard?: DashboardFiles | null
  /** The guides to serve; null: none. */
  guides?: GuidesSite | null
  /** How far the demo shop is that is made before the service takes requests; null: there is none, or it is complete. */
  filling?: () => Filling | null
}

/** The HTTP service over an open runtime. It does not listen yet. */
export function buildApp({
  runtime,
  operations = allOperations,
  sheds_load = true,
  dashboard = null,
  guides = null,
  filling = () => null,
}: AppOptions): FastifyInstance {
  const { settings } = runtime
  const app = fastify<Server>({
    loggerInstance: runtime.log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: () => newId('request', runtime.now()),
    requestIdHeader: false,
    trustProxy:
      settings.trust_proxy_hops === 0 ? false : (_address: string, hop: number) => hop < settings.trust_proxy_hops,
    bodyLimit: settings.max_body_bytes,
    // Node counts the request line too, of which the method and the version take a few bytes.
    http: { maxHeaderSize: settings.max_query_bytes + limits.header_bytes_max + 64 },
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: settings.max_query_bytes,
      // Passed on unparsed: an exception in the router's parser would end the process. A bad query is rejected in step 11.
      querystringParser: (text) => text as unknown as Record<string, unknown>,
    },
    return503OnClosing: false,
    clientErrorHandler(error, socket) {
      answerBrokenRequest(error, socket)
    },
    frameworkErrors: (_error: unknown, request: FastifyRequest, reply: FastifyReply) => {
      // A path that cannot be decoded matches no route. No hook runs for it, so its length is checked here too.
      const refusal = isTooLong(request)
        ? queryTooLarge()
        : unknownRoute(request.method, request.url.split('?')[0] as string)
      reply.raw
        .writeHead(refusal.status, { 'Content-Type': 'application/json; charset=utf-8', 'X-Request-Id': request.id })
        .end(errorText(refusal, request.id, settings.error_messages))
    },
  })
  app.decorateRequest('admitted', null)
  app.decorateRequest('identity', null)
  app.decorateRequest('raw_body', undefined)
  app.decorateRequest('reply_body', '')
  acceptBodies(app, settings)
  answerFailures(app, settings, runtime.database)
  const watch = watchRequests(app)
  limitTime(app, watch)
  recordRequests(watch, runtime)

  app.addHook('onRequest', (request, reply, next) => {
    // No cache may keep what one caller sees, and no browser may guess that an answer is a page.
    reply.headers({ 'X-Request-Id': request.id, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' })
    next()
  })
  app.addHook('preClose', async () => {
    // Fastify says `Connection: close` to requests that begin from now on; those under way would leave a connection that looks usable.
    for (const { reply } of watch.in_flight()) if (!reply.raw.headersSent) reply.raw.setHeader('Connection', 'close')
  })
  const platformRoutes = mountPlatform(app, runtime, operations, { watch, sheds_load, dashboard, guides, filling })
  // After the hook of load shedding, which goes on serving for a while: a connection that may still be used stays open as long.
  app.addHook('preClose', async () => {
    // A connection whose last request ends during the stop would otherwise stay open until its keep-alive runs out.
    const idle = setInterval(() => app.server.closeIdleConnections(), 100)
    app.server.once('close', () => clearInterval(idle))
    idle.unref()
  })
  app.addHook('onRequest', (request, _reply, next) => {
    if (isTooLong(request)) return next(queryTooLarge())
    next(hasLongHeaders(request) ? headersTooLarge(limits.header_bytes_max) : undefined)
  })

  const limiter = newCallLimiter(runtime)
  app.addHook('onClose', () => limiter.drain())
  mount(
    app,
    operations,
    {
      runtime,
      limiter,
      wrongCredentials: newWrongCredentials(runtime.callers.suspects),
      oneAtATime: keyedQueue(),
    },
    platformRoutes,
  )
  return app

  /** Node decodes the request target to one character per byte, so its length is in bytes. */
  function isTooLong(request: FastifyRequest): boolean {
    return request.raw.url !== undefined && request.raw.url.length > settings.max_query_bytes
  }

  function queryTooLarge(): ApiError {
    return new ApiError('query_too_large', {
      details: `The request target is longer than ${settings.max_query_bytes} bytes`,
    })
  }

  /** Names and values as they were sent, with the four bytes that separate and end each. */
  function hasLongHeaders({ raw: { rawHeaders } }: FastifyRequest): boolean {
    let bytes = rawHeaders.length * 2
    for (const text of rawHeaders) bytes += text.length
    return bytes > limits.header_bytes_max
  }

  function headersTooLarge(bytesMax: number): ApiError {
    return new ApiError('query_too_large', { details: `The headers are longer than ${bytesMax} bytes` })
  }

  /** Answers malformed HTTP, or headers that are too large, with an error body of the API. */
  function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
    if (!socket.writable) return
    const refusal =
      error.code === 'HPE_HEADER_OVERFLOW'
        ? headersTooLarge(limits.header_bytes_max)
        : new ApiError('invalid_payload', { details: 'The request is malformed' })
    const requestId = newId('request', runtime.now())
    const body = errorText(refusal, requestId, settings.error_messages)
    socket.end(
      `HTTP/1.1 ${refusal.status} Refused\r\nX-Request-Id: ${requestId}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    )
  }
}
