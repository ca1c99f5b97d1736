import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * Campaigns and their codes, promotions, publications, ledgers of cards. A campaign may have millions of codes: the row of a
 * code is narrow, shared properties are in `terms`, and a redemption changes no indexed column.
 */
export async function up(db: Db): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // Tallies also sum amounts, and such a sum may exceed 64 bits.
  'alter table tallies alter column delta type numeric',

  `create table campaigns (
    project_id text collate "C" not null,
    id text collate "C" not null,
    name text collate "C" not null,
    description text,
    campaign_type text not null check (campaign_type in
      ('DISCOUNT_COUPONS', 'GIFT_VOUCHERS', 'LOYALTY_PROGRAM', 'REFERRAL_PROGRAM', 'PROMOTION')),
    type text not null check (type in ('AUTO_UPDATE', 'STATIC', 'STANDALONE')),
    voucher_type text check (voucher_type in ('DISCOUNT_VOUCHER', 'GIFT_VOUCHER', 'LOYALTY_CARD')),
    voucher jsonb,
    terms_id text collate "C",
    referral_program jsonb,
    loyalty_tiers_expiration jsonb,
    auto_join boolean not null,
    join_once boolean not null,
    use_voucher_metadata_schema boolean not null,
    start_date timestamptz(3),
    expiration_date timestamptz(3),
    validity_timeframe jsonb,
    validity_day_of_week jsonb,
    validity_hours jsonb,
    activity_duration_after_publishing text,
    category_id text collate "C",
    active boolean not null,
    metadata jsonb not null,
    protected boolean not null default false,
    status text not null check (status in ('DONE', 'IN_PROGRESS', 'FAILED', 'DRAFT', 'MODIFYING')),
    jobs_pending integer not null default 0 check (jobs_pending >= 0),
    vouchers_pending bigint not null default 0 check (vouchers_pending >= 0),
    created_at timestamptz(3) not null,
    updated_at timestamptz(3),
    deleted_at timestamptz(3),
    config_version bigint not null,
    primary key (project_id, id),
    unique (project_id, name),
    check ((campaign_type = 'PROMOTION') = (voucher is null)),
    check ((voucher is null) = (voucher_type is null)),
    check ((voucher is null) = (terms_id is null))
  )`,
  'create index campaigns_created on campaigns (project_id, created_at, id) where deleted_at is null',

  // An id begins with its creation time, so the primary key is in order of creation.
  `create table vouchers (
    project_id text collate "C" not null,
    id text collate "C" not null,
    code text not null,
    code_key text collate "C" not null,
    type text not null check (type in ('DISCOUNT_VOUCHER', 'GIFT_VOUCHER', 'LOYALTY_CARD')),
    campaign_id text collate "C",
    category_id text collate "C",
    terms_id text collate "C" not null,
    start_date timestamptz(3),
    expiration_date timestamptz(3),
    quantity bigint check (quantity >= 1),
    redeemed_quantity bigint not null default 0 check (redeemed_quantity >= 0),
    credits_added bigint check (credits_added >= 0),
    credits_subtracted bigint check (credits_subtracted >= 0),
    credits_redeemed bigint check (credits_redeemed >= 0),
    credits_expired bigint check (credits_expired >= 0),
    credits_pending bigint check (credits_pending >= 0),
    active boolean not null,
    additional_info text,
    metadata jsonb,
    is_referral_code boolean not null,
    is_automatic boolean not null default false,
    publish_count integer not null default 0 check (publish_count >= 0),
    holder_id text collate "C",
    referrer_id text collate "C",
    asset_id uuid not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3),
    deleted_at timestamptz(3),
    primary key (project_id, id),
    check (redeemed_quantity <= quantity),
    check ((type = 'DISCOUNT_VOUCHER') = (credits_added is null)),
    check (credits_added - credits_subtracted - credits_redeemed - credits_expired >= 0)
  ) with (fillfactor = 90)`,
  'create unique index vouchers_code on vouchers (project_id, code_key)',
  'create index vouchers_campaign on vouchers (project_id, campaign_id, id)',
  // Unpublished codes of a campaign, in the order of publication.
  `create index vouchers_free on vouchers (project_id, campaign_id, id)
    where publish_count = 0 and deleted_at is null`,
  'create index vouchers_holder on vouchers (project_id, holder_id, id) where holder_id is not null',
  // The URL of an image contains no project.
  'create index vouchers_asset on vouchers (asset_id)',

  // Holders of a code, and the publication that gave it to them.
  `create table holders (
    project_id text collate "C" not null,
    id text collate "C" not null,
    voucher_id text collate "C" not null,
    customer_id text collate "C" not null,
    campaign_id text collate "C",
    role text not null check (role in ('OWNER', 'REFERRER', 'REFEREE')),
    publication_id text collate "C",
    created_at timestamptz(3) not null,
    primary key (project_id, id),
    unique (project_id, voucher_id, customer_id)
  )`,
  'create index holders_customer on holders (project_id, customer_id, id)',
  `create index holders_publication on holders (project_id, publication_id, id) where publication_id is not null`,

  `create table publications (
    project_id text collate "C" not null,
    id text collate "C" not null,
    customer_id text collate "C",
    campaign_id text collate "C",
    voucher_ids text[] not null,
    voucher_code text,
    voucher_type text,
    is_referral_code boolean not null,
    source_id text collate "C",
    channel text not null,
    metadata jsonb not null,
    result text not null check (result in ('SUCCESS', 'FAILURE')),
    failure_code text,
    failure_message text,
    created_at timestamptz(3) not null,
    primary key (project_id, id)
  )`,
  // A failed attempt does not reserve its source id.
  `create unique index publications_source on publications (project_id, source_id) where result = 'SUCCESS'`,
  'create index publications_named on publications (project_id, source_id, id) where source_id is not null',
  'create index publications_customer on publications (project_id, customer_id, id)',
  'create index publications_campaign on publications (project_id, campaign_id, id)',
  `create index publications_failed_voucher on publications (project_id, (voucher_ids[1]), id) where result = 'FAILURE'`,

  // Changes of the credits of a card as the API shows them; the table below is the ledger.
  `create table voucher_transactions (
    project_id text collate "C" not null,
    id text collate "C" not null,
    voucher_id text collate "C" not null,
    campaign_id text collate "C",
    type text not null,
    amount bigint not null,
    balance bigint not null check (balance >= 0),
    source_id text,
    source text,
    reason text,
    details jsonb not null,
    related_transaction_id text collate "C",
    created_at timestamptz(3) not null,
    primary key (project_id, id)
  )`,
  'create index voucher_transactions_voucher on voucher_transactions (project_id, voucher_id, id)',
  'create index voucher_transactions_campaign on voucher_transactions (project_id, campaign_id, id)',

  // Every change of credits moves an amount between a card and one of the four system accounts (issued, redeemed, subtracted,
  // expired). Postings are immutable: a reversal is another posting.
  `create table postings (
    project_id text collate "C" not null,
    voucher_id text collate "C" not null,
    id text collate "C" not null,
    transaction_id text collate "C",
    source text collate "C" not null,
    destination text collate "C" not null,
    amount bigint not null check (amount > 0),
    lot_id text collate "C",
    expires_at date,
    created_at timestamptz(3) not null,
    primary key (project_id, voucher_id, id)
  )`,
  'create trigger postings_never_change before update on postings for each row execute function refuse_change()',
  // Points of a card by expiration day; gift credits do not expire and have no lots.
  `create table lots (
    project_id text collate "C" not null,
    voucher_id text collate "C" not null,
    id text collate "C" not null,
    points bigint not null check (points >= 0),
    expires_at date,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3),
    primary key (project_id, voucher_id, id)
  )`,
  'create unique index lots_date on lots (project_id, voucher_id, expires_at) nulls not distinct',

  `create table promotion_tiers (
    project_id text collate "C" not null,
    id text collate "C" not null,
    campaign_id text collate "C" not null,
    name text not null,
    banner text,
    discount jsonb,
    metadata jsonb not null,
    hierarchy integer not null check (hierarchy >= 1),
    active boolean not null,
    start_date timestamptz(3),
    expiration_date timestamptz(3),
    validity_timeframe jsonb,
    validity_day_of_week jsonb,
    validity_hours jsonb,
    category_id text collate "C",
    redemptions_total bigint not null default 0,
    orders_total_amount bigint not null default 0,
    orders_total_discount_amount bigint not null default 0,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3),
    config_version bigint not null,
    primary key (project_id, id),
    foreign key (project_id, campaign_id) references campaigns (project_id, id)
  )`,
  'create index promotion_tiers_campaign on promotion_tiers (project_id, campaign_id, hierarchy)',
  'create index promotion_tiers_created on promotion_tiers (project_id, created_at, id)',
  `create table promotion_stacks (
    project_id text collate "C" not null,
    id text collate "C" not null,
    campaign_id text collate "C" not null,
    name text not null,
    tier_ids jsonb not null,
    category_id text collate "C",
    created_at timestamptz(3) not null,
    updated_at timestamptz(3),
    config_version bigint not null,
    primary key (project_id, id),
    foreign key (project_id, campaign_id) references campaigns (project_id, id)
  )`,
  'create index promotion_stacks_campaign on promotion_stacks (project_id, campaign_id, id)',

  `create table campaign_templates (
    project_id text collate "C" not null,
    id text collate "C" not null,
    name text collate "C" not null,
    description text,
    campaign_type text not null check (campaign_type in ('DISCOUNT_COUPONS', 'GIFT_VOUCHERS')),
    content jsonb not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3),
    primary key (project_id, id),
    unique (project_id, name)
  )`,

  `create table bin_entries (
    project_id text collate "C" not null,
    id text collate "C" not null,
    resource_type text not null check (resource_type in ('campaign', 'voucher', 'product', 'sku')),
    resource_id text collate "C" not null,
    resource_name text,
    resource_parent_id text collate "C",
    created_at timestamptz(3) not null,
    primary key (project_id, id),
    unique (project_id, resource_type, resource_id)
  )`,
  'create index bin_entries_parent on bin_entries (project_id, resource_parent_id) where resource_parent_id is not null',
  // Entries for products and SKUs that were deleted before this table existed.
  `insert into bin_entries (project_id, id, resource_type, resource_id, resource_name, resource_parent_id, created_at)
    select project_id, 'tbe_' || substr(id, 6), 'product', id, name, null, deleted_at from products
    where deleted_at is not null`,
  `insert into bin_entries (project_id, id, resource_type, resource_id, resource_name, resource_parent_id, created_at)
    select s.project_id, 'tbe_' || substr(s.id, 5), 'sku', s.id, s.sku, s.product_id, s.deleted_at from skus s
    join products p on p.project_id = s.project_id and p.id = s.product_id
    where s.deleted_at is not null and p.deleted_at is null`,
]
