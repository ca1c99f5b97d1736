import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * The audit log: a partition per UTC day, made when its first entry is written (monitoring/audit-log/partitions.ts) and dropped
 * when it is too old. Partitioned by `id`, which begins with the time: so it is the primary key, the cursor and the order of
 * the list at once. An entry has the digits of its request's id, so that it is found by it without a further index.
 *
 * Bodies are text, because a cut body is no JSON and nobody searches in them; long ones are compressed by LZ4 where the server
 * has it, which costs a fraction of the default.
 */
export async function up(db: Db): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
  const { rows } = await sql`
    select from pg_settings where name = 'default_toast_compression' and 'lz4' = any(enumvals)`.execute(db)
  if (rows.length === 0) return
  for (const column of ['request_body', 'response_body'])
    await sql`alter table audit_log alter column ${sql.ref(column)} set compression lz4`.execute(db)
}

const statements = [
  `create table audit_log (
    project_id text collate "C" not null,
    id text collate "C" not null,
    created_at timestamptz(3) not null,
    request_duration int not null,
    status_code smallint not null,
    channel text not null,
    method text not null,
    endpoint text collate "C" not null,
    url text not null,
    user_email text,
    app_id text collate "C",
    client_app_id text collate "C",
    client_request_id text,
    async_action_id text,
    request_body text,
    response_body text,
    primary key (project_id, id)
  ) partition by range (id)`,
  'create index audit_log_endpoint on audit_log (project_id, endpoint, id)',
  'create index audit_log_key on audit_log (project_id, coalesce(app_id, client_app_id), id)',
  'create index audit_log_failures on audit_log (project_id, id) where status_code >= 400',
]
