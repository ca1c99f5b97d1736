import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * Consents of customers, with what each customer decided and when. The position of events, by which consumers read them
 * (docs/decisions/0052-events-by-position.md).
 */
export async function up(db: Db): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table consents (
    project_id text collate "C" not null,
    id text collate "C" not null,
    name text not null,
    description text not null,
    category text not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3),
    primary key (project_id, id),
    unique (project_id, name)
  )`,
  `create table consent_groups (
    project_id text collate "C" not null,
    id text collate "C" not null,
    name text not null,
    description text not null,
    consents jsonb not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3),
    primary key (project_id, id),
    unique (project_id, name)
  )`,
  // A new row for each change of mind: the rows of a consent prove what was agreed to when, also after it was withdrawn.
  `create table consent_decisions (
    project_id text collate "C" not null,
    customer_id text collate "C" not null,
    consent_id text collate "C" not null,
    number integer not null,
    is_given boolean not null,
    decided_at timestamptz(3) not null,
    channel text not null,
    app_id text,
    request_id text not null,
    primary key (project_id, customer_id, consent_id, number)
  )`,

  // Events that exist already get the position 0 without rewriting the table. An operator may create column and index in advance
  // (docs/operate/upgrade.md). Altering the table waits for every transaction that has inserted events.
  'alter table event_rows add column if not exists position bigint not null default 0',
  'alter table event_rows alter column position set default (pg_current_xact_id()::text::bigint)',
  // One whose creation was cancelled stays behind as invalid: no query uses it, and "if not exists" would keep it for ever.
  `do $$ begin
    if exists (select from pg_index where indexrelid = to_regclass('events_position') and not indisvalid) then
      drop index events_position;
    end if;
  end $$`,
  'create index if not exists events_position on event_rows (project_id, position) where position > 0',
  // One row. `shift` is added to transaction ids; no event without a position has a later id than `unpositioned_until`.
  `create table event_positions (
    id boolean primary key default true check (id),
    shift bigint not null,
    unpositioned_until text collate "C"
  )`,
  `insert into event_positions (shift, unpositioned_until)
    select 0, max(right(last.id, 18) collate "C")
    from projects p
    cross join unnest(array['evcus_', 'evvou_', 'evred_', 'evcam_', 'evpub_', 'evval_', 'evseg_', 'evpc_', 'evdis_']) prefix
    cross join lateral (select e.id from event_rows e where e.project_id = p.id and e.id >= prefix and e.id < prefix || 'g'
      order by e.id desc limit 1) last`,
]
