import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * Events and what they share are cut into partitions by month (docs/decisions/0081-growth.md). The tables that were there become the first
 * partitions, without being rewritten: of a small one PostgreSQL reads the rows to see where they belong; a large one is the default
 * partition until a job of a new node has read them (core/db/first-partition.ts), while requests are served.
 */
export async function up(db: Db): Promise<void> {
  for (const { table, statements } of tables) {
    for (const statement of statements) await sql.raw(statement).execute(db)
    await attach(db, table)
  }
  for (const statement of afterwards) await sql.raw(statement).execute(db)
}

/** In the order in which a checkout writes them. */
export const lockedTables = ['event_parts', 'event_rows']

/** Reading so much takes less than a second. */
const smallBytes = 256 * 1_048_576

const like = 'including defaults including constraints including storage including compression including statistics'

const tables = [
  {
    table: 'event_parts',
    statements: [
      'alter table event_parts rename to event_parts_before',
      'alter index event_parts_pkey rename to event_parts_before_pkey',
      `create table event_parts (like event_parts_before ${like}) partition by range (right(id, 18))`,
    ],
  },
  {
    table: 'event_rows',
    statements: [
      'drop trigger write_sendouts on event_rows',
      'drop trigger delete_sendouts on event_rows',
      'alter table event_rows rename to event_rows_before',
      'alter index events_pkey rename to event_rows_before_pkey',
      'alter index events_entity rename to event_rows_before_entity',
      'alter index events_position rename to event_rows_before_position',
      `create table event_rows (like event_rows_before ${like}) partition by range (right(id, 18))`,
      'create index events_entity on event_rows (project_id, entity_id, id)',
      'create index events_position on event_rows (project_id, position) where position > 0',
      `create trigger write_sendouts after insert on event_rows referencing new table as written
        for each statement execute function write_sendouts()`,
      `create trigger delete_sendouts after delete on event_rows referencing old table as deleted
        for each statement execute function delete_sendouts()`,
    ],
  },
]

/**
 * A large table takes everything as the default partition, for now. A small one gets its place: an empty one is for all that is older than
 * this month; another one ends at the beginning of a month, at least a week ahead, and gives what is later than that to the default partition.
 */
async function attach(db: Db, table: string): Promise<void> {
  const [first, rest] = [`${table}_before`, `${table}_default`]
  const { rows } = await sql<Found>`
    select pg_relation_size(${first}::regclass) as bytes, not exists (select from ${sql.table(first)}) as is_empty,
      (extract(epoch from now()) * 1000)::bigint as now`.execute(db)
  const { bytes, is_empty, now } = rows[0] as Found
  if (bytes > smallBytes) {
    await sql.raw(`alter table ${table} attach partition ${first} default`).execute(db)
    return
  }
  const end = is_empty ? monthOf(now, 0) : monthOf(now + 7 * 86_400_000, 1)
  await sql.raw(`create table ${rest} (like ${table} including all, primary key (project_id, id))`).execute(db)
  await sql
    .raw(
      `with later as (delete from ${first} where right(id, 18) >= '${digits(end)}' returning *) insert into ${rest} select * from later`,
    )
    .execute(db)
  await sql
    .raw(`alter table ${table} attach partition ${first} for values from (minvalue) to ('${digits(end)}')`)
    .execute(db)
  await sql.raw(`alter table ${table} attach partition ${rest} default`).execute(db)
}

interface Found {
  bytes: number
  is_empty: boolean
  now: number
}

/** The first moment of the month so many months later. */
const monthOf = (at: number, later: number): number => {
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later)
}

/** A moment as ids begin with it. */
const digits = (at: number): string => at.toString(16).padStart(11, '0')

const afterwards = [
  // The events before these digits of time were dropped.
  'alter table event_positions add column gone_until text collate "C"',
  // The digits of the parts say in which partition they are.
  `create or replace view events as
    select e.project_id, e.id, e.type, e.category, e.entity_id, e.created_at, e.group_id, e.event_source, e.campaign_id,
      e.voucher_id, said.data
    from event_rows e
    left join event_parts p on p.project_id = e.project_id and p.id = e.parts_id and right(p.id, 18) = right(e.parts_id, 18)
    -- offset 0: a query that uses the data twice computes it once.
    cross join lateral (select event_data(e.data, p.parts) as data offset 0) said`,
]
