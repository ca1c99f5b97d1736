import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Runtime } from '../core/context.ts'
import { errorText } from '../core/http/errors.ts'
import { type ExceededLimit, unavailable } from '../core/http/failures.ts'
import { limits } from '../core/lib/limits.ts'
import { finishConnections } from './finish-connections.ts'

export type ShedReason = 'closing' | 'database' | 'event_loop'

/** The state of load shedding, for readiness and metrics. */
export interface Load {
  /** How late the event loop was at the last check. */
  late_ms(): number
  /** Whether the process stops: it may still serve requests, but wants no more of them. */
  isStopping(): boolean
  /** Requests rejected so far. */
  shed: Readonly<Record<ShedReason, number>>
}

/**
 * Load shedding: rejects operations with 503 before they cost anything, while the process stops, while too many requests
 * wait for the database, and, while the event loop cannot keep up, as large a share of them as it takes. A client that
 * retries after a 503 is served sooner than one that waits in a queue that only grows. When off, it still measures the
 * event loop for the metrics, and rejects operations only while the process stops.
 */
export function shedLoad(
  app: FastifyInstance,
  { database, settings, siblings }: Pick<Runtime, 'database' | 'settings' | 'siblings'>,
  { is_on }: { is_on: boolean },
): Load {
  const shed: Record<ShedReason, number> = { closing: 0, database: 0, event_loop: 0 }
  const admission = newAdmissionController()
  let lateMs = 0
  let stopping = false
  let closing = false

  const timer = setInterval(checkEventLoop, intervalMs).unref()
  let lastCheckAt = performance.now()
  app.addHook('preClose', async () => {
    const { listening } = app.server
    // Other workers go on: the node is as ready as before, and nobody needs to be turned away, unless it stops meanwhile.
    if (listening && siblings?.isReplaced()) await finishConnections(app.server, siblings.node_stops)
    const goesOn = siblings?.isReplaced() && !siblings.node_stops.aborted
    stopping = !goesOn
    // Proxies go on sending requests until their next health check. Fastify answers them with `Connection: close` by now.
    if (listening && stopping) await sleep(settings.drain_seconds * 1_000)
    closing = true
  })
  app.addHook('onClose', async () => clearInterval(timer))

  app.addHook('onRequest', (request, reply, next) => {
    const reason = request.routeOptions.config.operation === undefined ? null : rejectionReason()
    if (reason === null) return next()
    shed[reason] += 1
    // Not thrown: a stack trace and a log line for each rejection would add to the load.
    const refusal = unavailable(limitOf[reason])
    reply
      .code(refusal.status)
      .headers(refusal.headers)
      .header('Content-Type', 'application/json; charset=utf-8')
      .send(errorText(refusal, request.id, settings.error_messages))
  })
  return { late_ms: () => lateMs, isStopping: () => stopping, shed }

  function rejectionReason(): ShedReason | null {
    if (closing) return 'closing'
    if (!is_on) return null
    if (database.load().waiting >= limits.database_waiting_max) return 'database'
    return admission.shouldReject() ? 'event_loop' : null
  }

  function checkEventLoop(): void {
    const now = performance.now()
    lateMs = Math.max(0, now - lastCheckAt - intervalMs)
    lastCheckAt = now
    if (!is_on) return
    const before = admission.share()
    admission.adjust(lateMs)
    if (before === 0 && admission.share() > 0)
      app.log.warn({ late_ms: Math.round(lateMs) }, 'overloaded: rejecting requests with 503')
    if (before > 0 && admission.share() === 0) app.log.warn({ shed: shed.event_loop }, 'no longer overloaded')
  }
}

/** The limit that a rejection names; a stopping process has exceeded none. */
const limitOf: Record<ShedReason, ExceededLimit | undefined> = {
  closing: undefined,
  database: 'database_waiting_max',
  event_loop: 'event_loop_late_ms_max',
}

const intervalMs = 250

const shareMax = 15 / 16

/** Decides which requests are rejected. */
export interface AdmissionController {
  adjust(lateMs: number): void
  /** The share of requests to reject, from 0 to 15/16. */
  share(): number
  /** Whether to reject the current request. */
  shouldReject(): boolean
}

/**
 * Raises the rejected share quickly while the event loop is late and lowers it slowly once it is not, so that it settles
 * where the process just keeps up instead of oscillating between all and nothing. A single pause (a large garbage
 * collection, a vacuum of the embedded database) is no overload: rejection starts after three late checks in a row. One request
 * in sixteen is admitted in any case, so that a client that waits and retries gets through however long the overload lasts.
 */
export function newAdmissionController(): AdmissionController {
  let lateInARow = 0
  let share = 0
  let rejectionsDue = 0
  return {
    adjust(lateMs) {
      lateInARow = lateMs > limits.event_loop_late_ms_max ? lateInARow + 1 : 0
      const isOverloaded = lateInARow >= 3 || (lateInARow > 0 && share > 0)
      share = isOverloaded ? Math.min(shareMax, share + 0.25) : Math.max(0, share - 0.0625)
    },
    share: () => share,
    shouldReject() {
      if (share === 0) return false
      rejectionsDue += share
      if (rejectionsDue < 1) return false
      rejectionsDue -= 1
      return true
    },
  }
}
