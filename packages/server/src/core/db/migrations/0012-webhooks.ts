import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * Webhooks, and what is sent to them. A trigger writes the send-outs of events in the statement that inserts the events: also for the
 * events of nodes of the previous release (docs/decisions/0047-webhook-delivery.md).
 */
export async function up(db: Db): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // Receivers get signatures of both tokens for a day after a token was replaced.
  `alter table projects add column previous_webhook_token text, add column webhook_token_replaced_at timestamptz(3)`,

  `create table webhooks (
    project_id text collate "C" not null,
    id text collate "C" not null,
    target_url text not null,
    events text[] not null,
    active boolean not null,
    -- When delivery switched it off, after the last retry of a send-out.
    failed_at timestamptz(3),
    -- The node that delivers to it, until when, by the clock of the database.
    lease_node text,
    lease_until timestamptz,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3),
    primary key (project_id, id)
  ) with (fillfactor = 80)`,

  // Room in the pages: every send-out is updated at least once, when its first attempt ends.
  `create table webhook_sendouts (
    project_id text collate "C" not null,
    id text collate "C" not null,
    webhook_id text collate "C" not null,
    -- Null if the event of a test was made up.
    event_id text collate "C",
    -- Only of a test; otherwise the body is made of the event, which never changes.
    body text,
    type text not null,
    -- The address of the webhook when the send-out was created, as its body says.
    source_url text not null,
    -- The address of the last attempt, if the webhook has got another one since.
    target_url text,
    status text not null check (status in ('PENDING', 'RETRYING', 'SUCCEEDED', 'FAILED')),
    reason text,
    is_test boolean not null default false,
    request_id text collate "C" not null,
    created_at timestamptz(3) not null,
    first_attempt_at timestamptz(3),
    executed_at timestamptz(3),
    -- By the schedule of retries; null when no attempt follows.
    next_attempt_at timestamptz(3),
    -- When a node sends it next: next_attempt_at, or -infinity while somebody waits for a manual attempt.
    due_at timestamptz,
    is_manual boolean not null default false,
    attempts jsonb not null default '[]',
    primary key (project_id, id)
  ) with (fillfactor = 80)`,
  `create index webhook_sendouts_due on webhook_sendouts (project_id, webhook_id, due_at, id) where due_at is not null`,
  `create index webhook_sendouts_webhook on webhook_sendouts (project_id, webhook_id, id)`,
  `create index webhook_sendouts_type on webhook_sendouts (project_id, type, id)`,
  `create index webhook_sendouts_request on webhook_sendouts (project_id, request_id, id)`,
  `create index webhook_sendouts_event on webhook_sendouts (project_id, event_id)`,
  // Almost all succeed: the others are found without reading those.
  `create index webhook_sendouts_status on webhook_sendouts (project_id, status, id) where status <> 'SUCCEEDED'`,
  `create sequence webhook_sendout_numbers cache 32`,

  // Needed by the trigger below; functions/write_sendouts.sql replaces it.
  `create function write_sendouts() returns trigger language plpgsql as $$ begin return null; end $$`,
  `create trigger write_sendouts after insert on event_rows referencing new table as written
    for each statement execute function write_sendouts()`,
]
