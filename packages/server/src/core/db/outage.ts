import { sqlState } from './transaction.ts'

/**
 * Whether an error says something about the moment (the database is away, full, busy or was asked to stop) and not about
 * the work: the same work may succeed later.
 */
export function isOutage(error: unknown): boolean {
  const { code, message = '' } = (error ?? {}) as { code?: unknown; message?: string }
  if (typeof code === 'string' && connectionCodes.test(code)) return true
  const state = sqlState(error)
  return state === undefined ? brokenConnection.test(message) : passingStates.test(state)
}

/** Of the network. Looked at before SQLSTATEs, for one of which `EPIPE` could be taken. */
const connectionCodes = /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_)/

/** Connection, conflict, resources, operator, system; no lock in time; idle in a transaction. */
const passingStates = /^(08|40|53|57|58|55P03|25P03)/

/** Drivers have no codes for these. */
const brokenConnection =
  /timeout exceeded when trying to connect|Connection terminated|connection error|Query read timeout|is not queryable|pool after calling end|PGlite is clos|driver has already been destroyed/
