import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Consents of customers, with what each customer decided and when. */
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
]
