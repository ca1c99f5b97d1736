import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * The bodies of the audit log, those of many entries in one row, compressed by the service (docs/decisions/0058-bodies-in-batches.md). A
 * partition per day, as the log itself has. Entries that were written before keep their bodies in their own row.
 */
export async function up(db: Db): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table audit_bodies (
    project_id text collate "C" not null,
    id text collate "C" not null,
    data bytea not null,
    primary key (project_id, id)
  ) partition by range (id)`,
  // It is compressed already.
  'alter table audit_bodies alter column data set storage external',
  `alter table audit_log add column bodies_id text collate "C", add column bodies_from int, add column request_bytes int,
    add column response_bytes int`,
]
