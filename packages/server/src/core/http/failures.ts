import type { FastifyInstance } from 'fastify'
import type { Database } from '../db/database.ts'
import { DiskFullError } from '../db/embedded.ts'
import { isOutage, isPoolExhausted } from '../db/outage.ts'
import { isTransient } from '../db/outdated-node.ts'
import { limits } from '../lib/limits.ts'
import type { Settings } from '../settings.ts'
import { ApiError, errorText, unsupportedMediaType } from './errors.ts'
import { mediaTypeOf, type Operation } from './operation.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The thrown error of a 5xx response, for the log; otherwise null. */
    failure: unknown
    /** The refusal that the request is answered with, for the metrics; null also for a stored reply that is sent again. */
    refusal: ApiError | null
  }
}

/** Turns any thrown error into an error body of the contract. An unexpected error reveals nothing but the request id. */
export function answerFailures(app: FastifyInstance, settings: Settings, database: Pick<Database, 'execute'>): void {
  app.decorateRequest('failure', null)
  app.decorateRequest('refusal', null)
  app.setErrorHandler(async (thrown, request, reply) => {
    const found = refusalOf(thrown, {
      max_body_bytes: request.routeOptions.bodyLimit ?? settings.max_body_bytes,
      operation: (request.routeOptions.config as { operation?: Operation } | undefined)?.operation,
    })
    const refusal = found.status === 500 && (await isTransient(thrown, database)) ? unavailable() : found
    request.refusal = refusal
    // An ApiError thrown on purpose has nothing to log unless it has a cause; a full disk is logged once, when it begins.
    if (refusal.status >= 500 && !(thrown instanceof DiskFullError))
      request.failure = refusal === thrown ? (refusal.cause ?? null) : thrown
    reply.code(refusal.status).headers(refusal.headers)
    if (refusal.bodiless) return reply.send()
    request.reply_body = errorText(refusal, request.id, settings.error_messages)
    return reply.header('Content-Type', 'application/json; charset=utf-8').send(request.reply_body)
  })
}

interface Expected extends Pick<Settings, 'max_body_bytes'> {
  operation?: Operation | undefined
}

export function refusalOf(thrown: unknown, { max_body_bytes, operation }: Expected): ApiError {
  if (thrown instanceof ApiError) return thrown
  const { code, statusCode } = (thrown ?? {}) as { code?: unknown; statusCode?: unknown }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return payloadTooLarge(max_body_bytes)
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return unsupportedMediaType(operation && mediaTypeOf(operation))
  // A wrong Content-Length, or a body that breaks off: Fastify marks both with status 400. A `statusCode` on
  // any other error is ignored.
  if (statusCode === 400 && (isFrameworkCode(code) || code === 'ECONNRESET'))
    return new ApiError('invalid_payload', { details: 'The request is malformed' })
  if (isPoolExhausted(thrown)) return unavailable('connection_wait_seconds')
  return isOutage(thrown) ? unavailable() : new ApiError('internal_error')
}

const isFrameworkCode = (code: unknown): boolean => typeof code === 'string' && code.startsWith('FST_ERR_')

const payloadTooLarge = (maxBodyBytes: number) =>
  new ApiError('payload_too_large', {
    message: `Payload content length greater than maximum allowed: ${maxBodyBytes}`,
  })

/** The limits of core/lib/limits.ts that make a node answer 503. */
export type ExceededLimit = keyof typeof exceeded

const exceeded = {
  client_body_seconds: 'The body did not arrive in time',
  connection_wait_seconds: `No database connection became free within ${limits.connection_wait_seconds} s`,
  database_waiting_max: `${limits.database_waiting_max} requests wait for the database`,
  event_loop_late_ms_max: 'The node is overloaded',
  request_timeout_seconds: `The request took longer than ${limits.request_timeout_seconds} s`,
} as const satisfies Partial<Record<keyof typeof limits, string>>

/** 503: the caller may retry after a few seconds. The header names the limit that was exceeded, if it was one. */
export const unavailable = (limit?: ExceededLimit): ApiError =>
  limit === undefined
    ? new ApiError('service_unavailable', {}, { 'Retry-After': '5' })
    : new ApiError('service_unavailable', { details: exceeded[limit] }, { 'Retry-After': '5', 'Guerdon-Limit': limit })
