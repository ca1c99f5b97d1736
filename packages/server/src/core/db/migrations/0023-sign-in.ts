import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * Passwords, second factors, sessions and brakes of the users who sign in. They are tables of their own and no columns of `users`: what
 * reads a whole user never holds a secret.
 */
export async function up(db: Db): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table user_passwords (
    user_id text collate "C" primary key references users (id) on delete cascade,
    hash text not null,
    set_at timestamptz(3) not null
  )`,
  // `last_step` is the time step of the last code that was accepted: no code works twice.
  `create table user_second_factors (
    user_id text collate "C" primary key references users (id) on delete cascade,
    secret text not null,
    last_step bigint not null default 0,
    created_at timestamptz(3) not null,
    confirmed_at timestamptz(3)
  )`,
  `create table user_recovery_codes (
    user_id text collate "C" not null references users (id) on delete cascade,
    code_hash bytea not null,
    primary key (user_id, code_hash)
  )`,
  `create table user_sessions (
    id text collate "C" primary key,
    token_hash bytea not null unique,
    user_id text collate "C" not null references users (id) on delete cascade,
    created_at timestamptz(3) not null,
    last_used_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    user_agent text not null,
    address text not null
  )`,
  'create index user_sessions_by_user on user_sessions (user_id, id)',
  'create index user_sessions_expired on user_sessions (last_used_at)',
  `create table sign_in_brakes (
    subject text collate "C" primary key,
    failures integer not null,
    last_at timestamptz(3) not null,
    retry_at timestamptz(3) not null
  )`,
  'create index sign_in_brakes_expired on sign_in_brakes (last_at)',
  // A user without the right to see the rest of an installation may have made the link (docs/decisions/0062-sessions.md).
  'alter table user_links add column made_by text collate "C"',
]
