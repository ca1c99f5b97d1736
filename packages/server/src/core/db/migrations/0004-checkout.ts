import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Redemptions and their usage counters, holds of sessions, rewards. */
export async function up(db: Db): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // Secret that encrypts source ids of customers into tracking ids; the API never returns it.
  `alter table projects add column tracking_secret text not null
    default replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '')`,

  // The counters that a rule compares, so that only those are computed. For rules older than the column they are unknown: a rule
  // that uses any counter gets all of them.
  `alter table validation_rules add column counters text[] not null default '{}'`,
  `update validation_rules set counters = array['campaign', 'campaign_customer', 'incentive', 'incentive_customer', 'incentive_caller', 'units']
    where rules::text ~ '(campaign\\.|redemption\\.(count|gift))' or applicable_to::text ~ '_quantity_limit'`,

  // For nodes that refresh their cached configuration.
  'create index campaigns_version on campaigns (project_id, config_version)',
  'create index promotion_tiers_version on promotion_tiers (project_id, config_version)',
  'create index validation_rules_version on validation_rules (project_id, config_version)',
  `create index rule_assignments_version on rule_assignments (project_id, config_version)
    where related_object_type <> 'voucher'`,

  // Products and SKUs that redemptions of the order discounted, with the number of those redemptions.
  'alter table orders add column discounted_goods jsonb',

  // The summary of a tier is computed from the usage table.
  `alter table promotion_tiers drop column redemptions_total, drop column orders_total_amount,
    drop column orders_total_discount_amount`,

  // Redemptions and rollbacks, including failed ones. "undo" holds what a redemption changed in its order; "order" is the
  // order in the response.
  `create table redemptions (
    project_id text collate "C" not null,
    id text collate "C" not null,
    object text not null check (object in ('redemption', 'redemption_rollback')),
    result text not null check (result in ('SUCCESS', 'FAILURE')),
    status text not null check (status in ('SUCCEEDED', 'FAILED', 'ROLLED_BACK')),
    related_object_type text not null check (related_object_type in ('voucher', 'promotion_tier', 'redemption')),
    related_object_id text collate "C" not null,
    campaign_id text collate "C",
    scope_id text collate "C" not null generated always as (coalesce(campaign_id, related_object_id)) stored,
    stack_id text collate "C",
    voucher_code text,
    parent_id text collate "C",
    redemption_id text collate "C",
    customer_id text collate "C",
    tracking_id text,
    order_id text collate "C",
    amount bigint,
    metadata jsonb,
    session_key text,
    channel_type text not null,
    channel_id text not null,
    failure_code text,
    failure_message text,
    reason text,
    reward jsonb,
    "order" jsonb,
    undo jsonb,
    rollback jsonb,
    created_at timestamptz(3) not null,
    primary key (project_id, id)
  )`,
  'create index redemptions_created on redemptions (project_id, created_at, id)',
  'create index redemptions_object on redemptions (project_id, related_object_id, created_at, id)',
  'create index redemptions_campaign on redemptions (project_id, campaign_id, created_at, id) where campaign_id is not null',
  'create index redemptions_customer on redemptions (project_id, customer_id, created_at, id) where customer_id is not null',
  // Redemptions of a customer per redeemable or per campaign.
  `create index redemptions_used on redemptions (project_id, customer_id, scope_id, related_object_id)
    where customer_id is not null and object = 'redemption' and status = 'SUCCEEDED' and related_object_type <> 'redemption'`,
  // Successful redemptions per redeemable. Failures are excluded: any caller can produce millions of them.
  `create index redemptions_counted on redemptions (project_id, related_object_id, created_at) include (channel_id)
    where object = 'redemption' and status = 'SUCCEEDED'`,
  'create index redemptions_parent on redemptions (project_id, parent_id, id) where parent_id is not null',
  'create index redemptions_undone on redemptions (project_id, redemption_id, id) where redemption_id is not null',

  // Usage per day of a campaign, a tier, or a code without a campaign, and units that count against lifetime limits (scope
  // units/…, all on one day). Each redemption inserts a row; maintenance merges it into the sum of its day (the row with the
  // empty id). A rollback counts on the day of its redemption in a separate row (is_undone): net usage is the difference.
  `create table usage (
    project_id text collate "C" not null,
    scope_id text collate "C" not null,
    day date not null,
    is_undone boolean not null,
    id text collate "C" not null,
    redemptions bigint not null,
    orders_amount numeric not null,
    discounted_amount numeric not null,
    credits numeric not null,
    primary key (project_id, scope_id, day, is_undone, id)
  ) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02)`,
  `create index usage_single on usage (project_id, scope_id, day, is_undone) where id <> ''`,

  // Versions of counters. A checkout that relied on a counter updates its guard only if the version is still the one it read: of
  // two concurrent requests that read the same version, one gets a conflict. Versions never repeat, so unused rows can be deleted.
  `create table guards (
    project_id text collate "C" not null,
    name text collate "C" not null,
    version bigint not null,
    touched_at timestamptz(3) not null,
    primary key (project_id, name)
  )`,
  'create sequence guard_versions',
  'create index guards_touched on guards (touched_at)',
  'drop table counters',

  // Quantities and credits that sessions reserve until they end.
  `create table holds (
    project_id text collate "C" not null,
    session_key text collate "C" not null,
    resource_id text collate "C" not null,
    quantity bigint not null check (quantity >= 0),
    credits bigint not null check (credits >= 0),
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    primary key (project_id, session_key, resource_id)
  )`,
  'create index holds_resource on holds (project_id, resource_id, expires_at)',
  'create index holds_expiry on holds (expires_at)',

  `create table rewards (
    project_id text collate "C" not null,
    id text collate "C" not null,
    name text not null,
    type text not null check (type in ('CAMPAIGN', 'COIN', 'MATERIAL')),
    parameters jsonb not null,
    stock bigint check (stock >= 0),
    redeemed bigint not null default 0 check (redeemed >= 0),
    attributes jsonb not null,
    metadata jsonb not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3),
    config_version bigint not null,
    primary key (project_id, id)
  )`,
  `create table reward_assignments (
    project_id text collate "C" not null,
    id text collate "C" not null,
    reward_id text collate "C" not null,
    related_object_type text not null check (related_object_type = 'campaign'),
    related_object_id text collate "C" not null,
    parameters jsonb not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3),
    config_version bigint not null,
    primary key (project_id, id),
    unique (project_id, reward_id, related_object_id),
    foreign key (project_id, reward_id) references rewards (project_id, id)
  )`,
]
