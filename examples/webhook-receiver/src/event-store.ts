import { DatabaseSync } from 'node:sqlite'

/** What is kept of an event: the same from a webhook and from the list of events. */
export interface KeptEvent {
  id: string
  type: string
  entity_id: string
  created_at: string
  data: unknown
}

/** Events in SQLite, each once, and how far the list of events was read. */
export function openEventStore(file: string) {
  const database = new DatabaseSync(file)
  database.exec(`
    create table if not exists events (id text primary key, type text, entity_id text, created_at text, data text) strict;
    create table if not exists reading (is_only integer primary key check (is_only = 1), cursor text) strict;`)
  const insert = database.prepare('insert into events values (?, ?, ?, ?, ?) on conflict do nothing')
  const readCursor = database.prepare('select cursor from reading')
  const writeCursor = database.prepare(
    'insert into reading values (1, ?) on conflict (is_only) do update set cursor = excluded.cursor',
  )
  const count = database.prepare('select count(*) as events from events')
  const keep = ({ id, type, entity_id, created_at, data }: KeptEvent): boolean =>
    insert.run(id, type, entity_id, created_at, JSON.stringify(data)).changes === 1

  return {
    /** Stores an event; false if it is there already: deliveries are repeated, and the list has them too. */
    keep,
    /** Stores a page of the list together with its cursor, so that a crash loses and repeats nothing; returns what was new. */
    keepPage(events: readonly KeptEvent[], cursor: string): KeptEvent[] {
      database.exec('begin immediate')
      try {
        const added = events.filter(keep)
        writeCursor.run(cursor)
        database.exec('commit')
        return added
      } catch (error) {
        database.exec('rollback')
        throw error
      }
    },
    cursor: (): string | undefined => readCursor.get()?.cursor as string | undefined,
    count: (): number => count.get()?.events as number,
    close: (): void => database.close(),
  }
}

export type EventStore = ReturnType<typeof openEventStore>
