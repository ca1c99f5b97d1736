import type { Kysely } from 'kysely'
import type { Tables } from './tables.ts'

export type Db = Kysely<Tables>

export interface Database {
  kind: 'postgres' | 'pglite'
  db: Db
  /** Runs SQL text as it is, also several statements at once: for the job queue's own schema. */
  execute(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
  /** Does something while no other node does, for what must happen once when many start together. */
  alone<T>(work: () => Promise<T>): Promise<T>
  /** Connections in use and requests waiting for one. */
  load(): { connections: number; idle: number; waiting: number }
  /** Calls back for every message other nodes announce on a channel; `onGap` when messages may have been missed. */
  listen(channel: string, onMessage: (payload: string) => void, onGap: () => void): Promise<{ close(): Promise<void> }>
  close(): Promise<void>
}
