import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Mails that wait to be sent, notifications of projects, and when each kind of them was raised. */
export async function up(db: Db): Promise<void> {
  await sql`
    create table mails (
      id text collate "C" primary key,
      recipients text[] not null,
      subject text not null,
      text text not null,
      failed_attempts integer not null default 0,
      created_at timestamptz(3) not null default now()
    )`.execute(db)
  await sql`
    create table notifications (
      project_id text collate "C" not null,
      id text collate "C" not null,
      kind text not null,
      severity text not null,
      message text not null,
      data jsonb not null,
      read boolean not null default false,
      created_at timestamptz(3) not null,
      primary key (project_id, id)
    )`.execute(db)
  await sql`create index notifications_by_time on notifications (created_at)`.execute(db)
  await sql`create index notifications_unread on notifications (project_id, id) where not read`.execute(db)
  // The transaction that inserts the row, or renews an expired one, raises the notification; others find it and raise none.
  await sql`
    create table raised_notifications (
      project_id text collate "C" not null,
      kind text not null,
      subject text collate "C" not null,
      expires_at timestamptz(3) not null,
      primary key (project_id, kind, subject)
    )`.execute(db)
}
