import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * Installation tables (organization, users, projects, keys, tokens) are small and looked up before the project is known.
 * Every other table begins its primary key and its indexes with `project_id`, which is also the distribution key.
 * Ids compare byte by byte (collation "C"): their order is the order of creation in every locale.
 */
export async function up(db: Db): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table organizations (
    id text collate "C" primary key,
    name text not null,
    created_at timestamptz(3) not null
  )`,
  `create table users (
    id text collate "C" primary key,
    login text not null,
    email text not null,
    first_name text not null,
    last_name text not null,
    is_owner boolean not null default false,
    created_at timestamptz(3) not null
  )`,
  'create unique index users_email on users (lower(email))',
  'create unique index users_login on users (login)',

  `create table projects (
    id text collate "C" primary key,
    name text not null,
    description text not null default '',
    timezone text not null,
    currency text not null,
    dial_code text,
    webhook_version text not null,
    client_trusted_domains jsonb not null,
    client_redeem_enabled boolean not null,
    client_publish_enabled boolean not null,
    client_list_vouchers_enabled boolean not null,
    client_create_customer_enabled boolean not null,
    client_loyalty_events_enabled boolean not null,
    client_set_voucher_expiration_date_enabled boolean not null,
    webhooks_callout_notifications jsonb not null,
    api_usage_notifications jsonb not null,
    case_sensitive_codes boolean not null,
    api_version text not null,
    is_sandbox boolean not null,
    webhook_token text not null,
    default_code_config jsonb,
    limits jsonb,
    config_version bigint not null default 0,
    created_at timestamptz(3) not null,
    deleted_at timestamptz(3)
  )`,
  `create table project_users (
    project_id text collate "C" not null,
    user_id text collate "C" not null,
    role text not null,
    primary key (project_id, user_id)
  )`,

  `create table api_keys (
    id text collate "C" primary key,
    project_id text collate "C" not null,
    name text not null,
    kind text not null check (kind in ('server', 'integration', 'client')),
    role text not null,
    app_id text not null unique,
    secret_hash bytea not null,
    client_id text not null unique,
    ip_whitelist jsonb not null,
    status text not null check (status in ('ACTIVE', 'BLOCKED')),
    is_primary boolean not null,
    created_at timestamptz(3) not null
  )`,
  'create index api_keys_project on api_keys (project_id, id)',
  `create table management_keys (
    id text collate "C" primary key,
    name text not null,
    app_id text not null unique,
    secret_hash bytea not null,
    ip_whitelist jsonb not null,
    status text not null check (status in ('ACTIVE', 'BLOCKED')),
    created_at timestamptz(3) not null
  )`,
  `create table oauth_tokens (
    token_hash bytea primary key,
    project_id text collate "C" not null,
    api_key_id text collate "C" not null references api_keys (id) on delete cascade,
    scope text not null,
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null
  )`,
  'create index oauth_tokens_live on oauth_tokens (project_id, expires_at)',

  `create table idempotency_keys (
    project_id text collate "C" not null,
    key text collate "C" not null,
    fingerprint bytea not null,
    status integer,
    body text,
    expires_at timestamptz(3) not null,
    primary key (project_id, key)
  )`,
  'create index idempotency_keys_expiry on idempotency_keys (expires_at)',
  `create table call_windows (
    project_id text collate "C" not null,
    kind text not null,
    seconds integer not null,
    starts_at timestamptz(3) not null,
    calls bigint not null,
    calls_max bigint not null check (calls <= calls_max),
    primary key (project_id, kind, seconds, starts_at)
  )`,

  `create table categories (
    project_id text collate "C" not null,
    id text collate "C" not null,
    name text not null,
    hierarchy bigint not null check (hierarchy >= 0),
    created_at timestamptz(3) not null,
    updated_at timestamptz(3),
    config_version bigint not null,
    primary key (project_id, id),
    unique (project_id, name)
  )`,
  `create table stacking_rules (
    project_id text collate "C" primary key,
    id text collate "C" not null,
    rules jsonb not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3),
    config_version bigint not null
  )`,

  // Deletions of configuration by version, for nodes that refresh their cache: a deleted row cannot carry a version.
  `create table configuration_deletions (
    project_id text collate "C" not null,
    config_version bigint not null,
    object_type text not null,
    object_id text collate "C" not null,
    primary key (project_id, config_version)
  )`,

  `create table terms (
    project_id text collate "C" not null,
    id text collate "C" not null,
    content jsonb not null,
    created_at timestamptz(3) not null,
    primary key (project_id, id)
  )`,
  `create function refuse_change() returns trigger language plpgsql as $$
  begin
    raise exception '% never change', tg_table_name;
  end $$`,
  'create trigger terms_never_change before update on terms for each row execute function refuse_change()',
  `create table counters (
    project_id text collate "C" not null,
    name text collate "C" not null,
    used bigint not null check (used >= 0),
    ceiling bigint,
    primary key (project_id, name),
    check (ceiling is null or used <= ceiling)
  )`,

  `create table events (
    project_id text collate "C" not null,
    id text collate "C" not null,
    type text not null,
    category text not null check (category in ('ACTION', 'EFFECT')),
    entity_id text collate "C" not null,
    created_at timestamptz(3) not null,
    group_id text collate "C" not null,
    event_source jsonb not null,
    data jsonb not null,
    primary key (project_id, id)
  )`,
  'create index events_entity on events (project_id, entity_id, id)',

  `create table async_actions (
    project_id text collate "C" not null,
    id text collate "C" not null,
    type text not null,
    status text not null check (status in ('ENQUEUED', 'IN_PROGRESS', 'DONE', 'FAILED')),
    operation_status text not null check (operation_status in ('UNKNOWN', 'SUCCESS', 'FAILED')),
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    request_id text collate "C" not null,
    event_source jsonb not null,
    processing_time integer,
    progress integer not null default 0 check (progress between 0 and 100),
    input jsonb not null,
    state jsonb not null,
    result jsonb,
    primary key (project_id, id)
  )`,
  'create index async_actions_newest on async_actions (project_id, created_at desc, id desc)',
  `create table async_failures (
    project_id text collate "C" not null,
    action_id text collate "C" not null,
    position bigint not null,
    failure jsonb not null,
    primary key (project_id, action_id, position)
  )`,
]
