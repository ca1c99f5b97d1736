import { sql } from 'kysely'
import type { Database, Db } from '../core/db/database.ts'
import { newId } from '../core/lib/ids.ts'
import { insertProject } from './background.ts'
import { ownDatabase } from './nodes.ts'

const projectId = 'proj_1'

/**
 * A database whose events have a first partition until a moment, a default one and no months; or, as the migration leaves one with many
 * events, everything in one partition.
 */
export async function openEvents({ first_until }: { first_until: string | null }): Promise<EventDatabase> {
  const { database, url } = await ownDatabase()
  const { id } = await insertProject({ database, now: Date.now })
  await database.execute('update projects set id = $1 where id = $2', [projectId, id])
  for (const table of ['event_rows', 'event_parts']) {
    for (const name of await partitionsOf(database.db, table))
      if (!name.endsWith('_before') && (first_until === null || !name.endsWith('_default')))
        await database.execute(`drop table ${name}`)
    await database.execute(`alter table ${table} detach partition ${table}_before`)
    const bounds = first_until === null ? 'default' : `for values from (minvalue) to ('${first_until}')`
    await database.execute(`alter table ${table} attach partition ${table}_before ${bounds}`)
  }
  return { database, url, ...writerOf(database.db) }
}

type EventDatabase = { database: Database; url: string | null } & ReturnType<typeof writerOf>

const partitionsOf = async (db: Db, table: string): Promise<string[]> => {
  const { rows } = await sql<{ name: string }>`select inhrelid::regclass::text as name from pg_inherits
    where inhparent = ${table}::regclass order by 1`.execute(db)
  return rows.map(({ name }) => name)
}

export const writerOf = (db: Db) => ({
  /** Writes an event, at a moment by the clock of its node. */
  async write(at: number, kind: 'customer_event' | 'voucher_event' = 'customer_event'): Promise<string> {
    const id = newId(kind, at)
    await sql`insert into event_rows (project_id, id, type, category, entity_id, created_at, group_id, event_source, data)
      values (${projectId}, ${id}, 'customer.created', 'EFFECT', 'cust_1', now(), 'v-1', '{}', '{"customer":{}}')`.execute(
      db,
    )
    return id
  },
  /** Writes events that share their data, in one transaction. */
  async writeShared(...moments: number[]): Promise<string[]> {
    const ids = moments.map((at) => newId('customer_event', at))
    await db.transaction().execute(async (trx) => {
      await sql`insert into event_parts (project_id, id, event_ids, parts)
        values (${projectId}, ${ids[0]}, ${ids}::text[], '[{"id":"cust_1"}]')`.execute(trx)
      await sql`insert into event_rows (project_id, id, type, category, entity_id, created_at, group_id, event_source, data, parts_id)
        select ${projectId}, id, 'customer.updated', 'EFFECT', 'cust_1', now(), 'v-1', '{}', '{"customer":0}', ${ids[0]}
        from unnest(${ids}::text[]) id`.execute(trx)
    })
    return ids
  },
  /** Where each event is. */
  async places(): Promise<Record<string, string>> {
    const { rows } = await sql<{ id: string; place: string }>`
      select id, tableoid::regclass::text as place from event_rows`.execute(db)
    return Object.fromEntries(rows.map(({ id, place }) => [id, place.replace('event_rows_', '')]))
  },
  /** All events with their data. */
  async events(): Promise<Array<{ id: string; data: object }>> {
    const { rows } = await sql<{ id: string; data: object }>`select id, data from events order by id`.execute(db)
    return rows
  },
  partitions: async (): Promise<string[]> =>
    (await partitionsOf(db, 'event_rows')).map((name) => name.replace('event_rows_', '')),
})
