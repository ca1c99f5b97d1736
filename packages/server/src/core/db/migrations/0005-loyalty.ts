import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Loyalty programs: earning rules, tiers, members and their due changes, pending points, rewards, referrals. */
export async function up(db: Db): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table earning_rules (
    project_id text collate "C" not null,
    id text collate "C" not null,
    campaign_id text collate "C" not null,
    automation_id text collate "C" not null,
    event text not null,
    segment_id text collate "C",
    schema_id text collate "C",
    loyalty_tier_id text collate "C",
    loyalty jsonb not null,
    pending_points jsonb,
    expiration_rules jsonb,
    banner text,
    active boolean not null,
    start_date timestamptz(3),
    expiration_date timestamptz(3),
    validity_timeframe jsonb,
    validity_day_of_week jsonb,
    validity_hours jsonb,
    metadata jsonb not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3),
    config_version bigint not null,
    primary key (project_id, id),
    foreign key (project_id, campaign_id) references campaigns (project_id, id)
  )`,
  'create index earning_rules_campaign on earning_rules (project_id, campaign_id, created_at, id)',
  'create index earning_rules_version on earning_rules (project_id, config_version)',

  // earning_rules maps by id of the earning rule, rewards by id of the reward or of its assignment.
  `create table loyalty_tiers (
    project_id text collate "C" not null,
    id text collate "C" not null,
    campaign_id text collate "C" not null,
    name text not null,
    points_from bigint check (points_from >= 0),
    points_to bigint,
    earning_rules jsonb not null,
    rewards jsonb not null,
    metadata jsonb not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3),
    config_version bigint not null,
    primary key (project_id, id),
    foreign key (project_id, campaign_id) references campaigns (project_id, id),
    check (points_to >= points_from),
    check (points_from is not null or points_to is null)
  )`,
  'create index loyalty_tiers_campaign on loyalty_tiers (project_id, campaign_id, created_at, id)',
  'create index loyalty_tiers_version on loyalty_tiers (project_id, config_version)',

  `create table referral_tiers (
    project_id text collate "C" not null,
    id text collate "C" not null,
    campaign_id text collate "C" not null,
    banner text,
    parameters jsonb not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3),
    config_version bigint not null,
    primary key (project_id, id),
    foreign key (project_id, campaign_id) references campaigns (project_id, id)
  )`,
  'create index referral_tiers_campaign on referral_tiers (project_id, campaign_id, created_at, id)',

  'alter table reward_assignments drop constraint reward_assignments_related_object_type_check',
  `alter table reward_assignments add check (related_object_type in ('campaign', 'referral_tier'))`,
  'create index reward_assignments_object on reward_assignments (project_id, related_object_id, created_at, id)',

  // Holders of a card of a program: their tier, and the next day with a due change
  // (docs/reference/points.md#daily-job).
  `create table loyalty_members (
    project_id text collate "C" not null,
    voucher_id text collate "C" not null,
    campaign_id text collate "C" not null,
    customer_id text collate "C" not null,
    tier_id text collate "C",
    tier_start_date date,
    tier_expiration_date date,
    tier_created_at timestamptz(3),
    tier_updated_at timestamptz(3),
    scheduled_tier_id text collate "C",
    scheduled_start_date date,
    redeemed_on date,
    redeemed_runs integer not null default 0,
    due_on date,
    primary key (project_id, voucher_id),
    check ((tier_id is null) = (tier_start_date is null)),
    check ((scheduled_tier_id is null) = (scheduled_start_date is null))
  ) with (fillfactor = 90)`,
  'create index loyalty_members_due on loyalty_members (project_id, due_on, voucher_id) where due_on is not null',
  'create index loyalty_members_campaign on loyalty_members (project_id, campaign_id, voucher_id)',

  // Progress of the recomputation of all members of a program after a change
  // (docs/reference/loyalty-tiers.md#when-tiers-are-looked-at).
  `create table tier_walks (
    project_id text collate "C" not null,
    campaign_id text collate "C" not null,
    changed text not null check (changed in ('tiers', 'settings')),
    walked_to text collate "C" not null,
    request_id text not null,
    caller jsonb not null,
    started_at timestamptz(3) not null,
    primary key (project_id, campaign_id, changed)
  )`,

  `create table pending_points (
    project_id text collate "C" not null,
    id text collate "C" not null,
    voucher_id text collate "C" not null,
    campaign_id text collate "C" not null,
    customer_id text collate "C" not null,
    order_id text collate "C" not null,
    points bigint not null check (points >= 1),
    activates_at date not null,
    expiration_rules jsonb,
    details jsonb not null,
    status text not null check (status in ('PENDING', 'ACTIVATED', 'CANCELED')),
    created_at timestamptz(3) not null,
    updated_at timestamptz(3),
    primary key (project_id, id)
  )`,
  `create index pending_points_voucher on pending_points (project_id, voucher_id, id) where status = 'PENDING'`,
  'create index pending_points_card on pending_points (project_id, voucher_id)',
  `create index pending_points_campaign on pending_points (project_id, campaign_id, id) where status = 'PENDING'`,
  `create index pending_points_order on pending_points (project_id, order_id) where status = 'PENDING'`,

  // Earning rules that gave points for an order, per card: none does so twice (docs/reference/earning-rules.md#when-a-rule-fires).
  `create table earnings (
    project_id text collate "C" not null,
    order_id text collate "C" not null,
    voucher_id text collate "C" not null,
    earning_rule_id text collate "C" not null,
    created_at timestamptz(3) not null,
    primary key (project_id, order_id, voucher_id, earning_rule_id)
  )`,
  'create index earnings_voucher on earnings (project_id, voucher_id)',

  // Rewards given for points or for a referral; "issued" is kept for a rollback.
  `create table reward_redemptions (
    project_id text collate "C" not null,
    id text collate "C" not null,
    state text not null check (state in ('CREATED', 'PENDING', 'COMPLETED', 'ROLLEDBACK')),
    voucher_id text collate "C" not null,
    campaign_id text collate "C" not null,
    customer_id text collate "C" not null,
    reward_id text collate "C" not null,
    reward_assignment_id text collate "C" not null,
    source_id text collate "C" not null,
    source_type text not null check (source_type in ('redemption', 'custom_event')),
    issued jsonb,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3),
    primary key (project_id, id)
  )`,
  'create index reward_redemptions_source on reward_redemptions (project_id, source_id)',
  'create index reward_redemptions_voucher on reward_redemptions (project_id, voucher_id)',
  'create index reward_redemptions_customer on reward_redemptions (project_id, customer_id)',

  // Referrer and referee, once per program (docs/reference/referrals.md#conversion).
  `create table referral_conversions (
    project_id text collate "C" not null,
    campaign_id text collate "C" not null,
    referrer_id text collate "C" not null,
    referee_id text collate "C" not null,
    voucher_id text collate "C" not null,
    related_object_id text collate "C" not null,
    related_object_type text not null check (related_object_type in ('redemption', 'event')),
    created_at timestamptz(3) not null,
    -- All redemptions and events that ever converted this pair: a conversion after a rollback was rewarded before.
    undone_at timestamptz(3),
    source_ids text[] not null,
    primary key (project_id, campaign_id, referrer_id, referee_id)
  )`,
  'create index referral_conversions_source on referral_conversions (project_id, related_object_id)',
  'create index referral_conversions_voucher on referral_conversions (project_id, voucher_id)',
  'create index referral_conversions_referrer on referral_conversions (project_id, referrer_id)',
  'create index referral_conversions_referee on referral_conversions (project_id, referee_id)',
  // Each tier is granted once per referrer.
  `create table referral_grants (
    project_id text collate "C" not null,
    tier_id text collate "C" not null,
    referrer_id text collate "C" not null,
    created_at timestamptz(3) not null,
    primary key (project_id, tier_id, referrer_id)
  )`,

  // Null until it is first redeemed.
  'alter table rewards alter column redeemed drop not null, alter column redeemed drop default',
  'update rewards set redeemed = null where redeemed = 0',

  'alter table holders add column metadata jsonb',
  'create index holders_voucher on holders (project_id, voucher_id, id)',
  // Points that expired with the lot; null while it is open.
  'alter table lots add column expired_points bigint check (expired_points >= 0)',
  'alter table lots add check (expired_points is null or points = 0)',
  // A request that arrived before midnight may be processed after the lot of its day is closed: then it opens another one.
  'drop index lots_date',
  `create unique index lots_date on lots (project_id, voucher_id, expires_at) nulls not distinct where expired_points is null`,

  // Members for cards published before this table existed.
  `insert into loyalty_members (project_id, voucher_id, campaign_id, customer_id, due_on)
    select v.project_id, v.id, v.campaign_id, v.holder_id, (
      select min(l.expires_at) + 1 from lots l where l.project_id = v.project_id and l.voucher_id = v.id)
    from vouchers v join campaigns c on c.project_id = v.project_id and c.id = v.campaign_id
    where v.type = 'LOYALTY_CARD' and v.holder_id is not null and v.deleted_at is null and c.deleted_at is null`,
  `update customers c set loyalty = jsonb_build_object('points', m.points, 'referred_customers', 0, 'campaigns', m.campaigns)
    from (
      select v.project_id, v.holder_id, sum(v.credits_added - v.credits_subtracted - v.credits_redeemed - v.credits_expired) as points,
        jsonb_object_agg(g.name, jsonb_build_object('referred_customers', 0,
          'points', v.credits_added - v.credits_subtracted - v.credits_redeemed - v.credits_expired)) as campaigns
      from vouchers v join campaigns g on g.project_id = v.project_id and g.id = v.campaign_id
      where v.type = 'LOYALTY_CARD' and v.holder_id is not null and v.deleted_at is null and g.deleted_at is null
      group by v.project_id, v.holder_id) m
    where c.project_id = m.project_id and c.id = m.holder_id`,
]
