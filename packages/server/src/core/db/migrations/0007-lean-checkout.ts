import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * A checkout reads only what it needs, and data shared by several events is stored once. Which counters a rule uses is derived
 * from the cached rule. The view `events` shows each event with its complete data; its campaign and voucher are columns, because
 * lists filter by them.
 */
export async function up(db: Db): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  'alter table validation_rules drop column counters',
  'alter table events rename to event_rows',
  `alter table event_rows alter column data type text using data::text, add column parts_id text collate "C",
    add column campaign_id text collate "C", add column voucher_id text collate "C"`,
  `update event_rows set campaign_id = data::json #>> '{campaign,id}', voucher_id = data::json #>> '{voucher,id}'`,
  `create table event_parts (
    project_id text collate "C" not null,
    id text collate "C" not null,
    event_ids text[] not null,
    parts text not null,
    primary key (project_id, id)
  )`,
  // Needed by the view below.
  `create function event_data(data text, parts text) returns jsonb language plpgsql immutable as $$
  declare
    list jsonb := parts::jsonb;
  begin
    if parts is null then return data::jsonb; end if;
    return (select coalesce(jsonb_object_agg(key, list -> value::int), '{}') from json_each_text(data::json));
  end $$`,
  `create view events as
    select e.project_id, e.id, e.type, e.category, e.entity_id, e.created_at, e.group_id, e.event_source, e.campaign_id,
      e.voucher_id, said.data
    from event_rows e left join event_parts p on p.project_id = e.project_id and p.id = e.parts_id
    -- offset 0: a query that uses the data twice computes it once.
    cross join lateral (select event_data(e.data, p.parts) as data offset 0) said`,
  `drop function if exists checkout_facts(jsonb), checkout_counted(text, jsonb, text, jsonb), checkout_save(jsonb)`,
]
