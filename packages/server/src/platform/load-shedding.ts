import { performance } from 'node:perf_hooks'
import type { FastifyInstance } from 'fastify'
import type { Runtime } from '../core/context.ts'
import { errorText } from '../core/http/errors.ts'
import { unavailable } from '../core/http/failures.ts'
import { limits } from '../core/lib/limits.ts'

export type ShedReason = 'closing' | 'database' | 'event_loop'

/** What the process can still take. */
export interface Load {
  /** How late the event loop was when last looked at. */
  late_ms(): number
  isClosing(): boolean
  /** Requests that were turned away so far. */
  shed: Readonly<Record<ShedReason, number>>
}

/**
 * Turns operations away with 503 before they cost anything: while the process stops, while too many requests wait for
 * the database, and, of those that come while the event loop cannot keep up, as many as it takes. A client that is told
 * to come back is served sooner than one that waits in a queue that only grows. Switched off, it still watches the event
 * loop for the metrics, and turns operations away only while the process stops.
 */
export function shedLoad(
  app: FastifyInstance,
  { database, settings }: Pick<Runtime, 'database' | 'settings'>,
  { is_on }: { is_on: boolean },
): Load {
  const shed: Record<ShedReason, number> = { closing: 0, database: 0, event_loop: 0 }
  const valve = newAdmissionController()
  let lateMs = 0
  let closing = false

  const watch = setInterval(lookAtEventLoop, intervalMs).unref()
  let lookedAt = performance.now()
  app.addHook('preClose', async () => {
    closing = true
  })
  app.addHook('onClose', async () => clearInterval(watch))

  app.addHook('onRequest', (request, reply, next) => {
    const reason = request.routeOptions.config.operation === undefined ? null : whyNotNow()
    if (reason === null) return next()
    shed[reason] += 1
    // Not thrown: a stack trace and a line in the log for each would be one more load.
    const refusal = unavailable()
    reply
      .code(refusal.status)
      .headers(refusal.headers)
      .header('Content-Type', 'application/json; charset=utf-8')
      .send(errorText(refusal, request.id, settings.error_messages))
  })
  return { late_ms: () => lateMs, isClosing: () => closing, shed }

  function whyNotNow(): ShedReason | null {
    if (closing) return 'closing'
    if (!is_on) return null
    if (database.load().waiting >= limits.database_waiting_max) return 'database'
    return valve.turnsAway() ? 'event_loop' : null
  }

  function lookAtEventLoop(): void {
    const now = performance.now()
    lateMs = Math.max(0, now - lookedAt - intervalMs)
    lookedAt = now
    if (!is_on) return
    const before = valve.share()
    valve.adjust(lateMs)
    if (before === 0 && valve.share() > 0)
      app.log.warn({ late_ms: Math.round(lateMs) }, 'overloaded: turning requests away')
    if (before > 0 && valve.share() === 0) app.log.warn({ shed: shed.event_loop }, 'no longer overloaded')
  }
}

const intervalMs = 250

/** Which share of the requests is turned away. */
export interface Valve {
  adjust(lateMs: number): void
  share(): number
  /** Whether this request is one of them. */
  turnsAway(): boolean
}

/**
 * Closes quickly while the event loop is late and opens slowly once it is not, so that it settles where the process just
 * keeps up instead of swinging between all and nothing. A single pause (a large collection of garbage, a vacuum of the
 * embedded database) is no overload: it takes three late looks in a row.
 */
export function newAdmissionController(): Valve {
  let lateInARow = 0
  let share = 0
  let owed = 0
  return {
    adjust(lateMs) {
      lateInARow = lateMs > limits.event_loop_late_ms_max ? lateInARow + 1 : 0
      const isOverloaded = lateInARow >= 3 || (lateInARow > 0 && share > 0)
      share = isOverloaded ? Math.min(1, share + 0.25) : Math.max(0, share - 0.0625)
    },
    share: () => share,
    turnsAway() {
      if (share === 0) return false
      owed += share
      if (owed < 1) return false
      owed -= 1
      return true
    },
  }
}
