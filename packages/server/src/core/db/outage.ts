import { sqlState } from './transaction.ts'

/**
 * Whether an error is transient (the database is unreachable, full, busy or shutting down) and not caused by the work: a
 * retry may succeed.
 */
export function isOutage(error: unknown): boolean {
  const { code, message = '' } = (error ?? {}) as { code?: unknown; message?: string }
  if (typeof code === 'string' && connectionCodes.test(code)) return true
  const state = sqlState(error)
  return state === undefined ? brokenConnection.test(message) : transientStates.test(state)
}

/** Whether no connection of the pool became free in time. */
export const isPoolExhausted = (error: unknown): boolean =>
  error instanceof Error && error.message === 'timeout exceeded when trying to connect'

/** Network errors. Checked before SQLSTATEs, because `EPIPE` looks like one. */
const connectionCodes = /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_)/

/**
 * SQLSTATE classes: connection, conflict, resources, operator, system; lock timeout; idle in transaction timeout; a server that only
 * reads: its place as the primary has been taken, or is not decided yet.
 */
const transientStates = /^(08|40|53|57|58|55P03|25P03|25006)/

/** Messages of errors for which the drivers have no code. */
const brokenConnection =
  /timeout exceeded when trying to connect|timeout expired|Connection terminated|connection error|Query read timeout|is not queryable|pool after calling end|PGlite is clos|driver has already been destroyed/
