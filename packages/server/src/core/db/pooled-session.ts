import pg from 'pg'
import { limits } from '../lib/limits.ts'

/** What every statement relies on, whichever server process runs it. The times are milliseconds. */
export const sessionTimeouts = {
  statement_timeout: limits.request_timeout_seconds * 1_000,
  lock_timeout: limits.lock_timeout_seconds * 1_000,
  idle_in_transaction_session_timeout: limits.request_timeout_seconds * 1_000,
}

/**
 * Sent with `begin`, in the same message: behind a transaction pooler a setting lasts for one transaction. Statements outside of
 * transactions have the settings of the role (pooler-check.ts).
 */
export const transactionSettings = [...Object.entries(sessionTimeouts), ['TimeZone', "'UTC'"]]
  .map(([name, value]) => `; set local ${name} = ${value}`)
  .join('')

/** `@types/pg` leaves out the parameters that a connection sends when it starts. */
declare module 'pg' {
  interface ClientBase {
    getStartupConf(): Record<string, string>
  }
}

/**
 * The parameters with which a connection to a pooler starts. PgBouncer refuses those that it does not track; it tracks the time zone, and
 * sets it on every server connection that it lends to this client, also on those that it opened before.
 */
export const pooledStartup = (parameters: Record<string, string>): Record<string, string> => ({
  ...parameters,
  TimeZone: 'UTC',
})

/** A connection to a pooler. */
export class PooledClient extends pg.Client {
  override getStartupConf(): Record<string, string> {
    return pooledStartup(super.getStartupConf())
  }
}
