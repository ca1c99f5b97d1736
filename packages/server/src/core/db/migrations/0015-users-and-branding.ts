import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * States and one-time links of users, and brandings. Users that exist already have never used a link. Logins compare without case,
 * as e-mail addresses do. The tables of users are small, so that constraints and indexes are made at once.
 */
export async function up(db: Db): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `alter table users add column state text not null default 'INVITED' check (state in ('INVITED', 'ACTIVE'))`,
  'drop index users_login',
  'create unique index users_login on users (lower(login))',
  // The primary key keeps one link of each purpose: a new one replaces the older.
  `create table user_links (
    user_id text collate "C" not null references users (id) on delete cascade,
    purpose text not null check (purpose in ('set_password')),
    token_hash bytea not null unique,
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    mailed_at timestamptz(3),
    primary key (user_id, purpose)
  )`,
  `alter table project_users
    add constraint project_users_user foreign key (user_id) references users (id) on delete cascade,
    add constraint project_users_role check (role in ('ADMIN', 'USER', 'VIEWER', 'MERCHANT', 'USER_RESTRICTED'))`,
  'create index project_users_by_user on project_users (user_id, project_id)',
  `create table brandings (
    project_id text collate "C" primary key,
    id text collate "C" not null,
    details jsonb not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3)
  )`,
]
