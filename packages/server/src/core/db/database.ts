import type { Kysely } from 'kysely'
import type pg from 'pg'
import type { Tables } from './tables.ts'

export type Db = Kysely<Tables>

export interface Database {
  kind: 'postgres' | 'pglite'
  db: Db
  /** Runs SQL text unchanged, also several statements at once: for the schema of the job queue. */
  execute(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
  /** Runs `work` under a lock that excludes all other nodes, for steps that must not run concurrently when many nodes start. */
  alone<T>(work: () => Promise<T>): Promise<T>
  /** Runs `work` on connections that keep their session, such as a migration, which holds a lock between its transactions. */
  inSession<T>(work: (db: Db) => Promise<T>): Promise<T>
  /** A connection of its own that keeps its session, not opened yet: for short statements. It goes where the database moves to. */
  newClient(applicationName: string): pg.Client
  /** Open and idle connections, and requests waiting for one. */
  load(): { connections: number; idle: number; waiting: number }
  /** Calls `onMessage` for every notification on the channel, and `onGap` when notifications may have been missed. */
  listen(channel: string, onMessage: (payload: string) => void, onGap: () => void): Promise<{ close(): Promise<void> }>
  close(): Promise<void>
}
