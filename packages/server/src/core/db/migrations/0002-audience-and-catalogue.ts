import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * Customers, catalogue, orders, rules. Rows that a checkout reads from the cache carry the configuration version of their last
 * change; the big tables (customers, orders, custom events) do not.
 */
export async function up(db: Db): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // Row counts of a project, as a sum of changes: each writer inserts its own row, so writers never wait for each other;
  // maintenance merges the rows into one.
  `create table tallies (
    project_id text collate "C" not null,
    name text collate "C" not null,
    id text collate "C" not null,
    delta bigint not null,
    primary key (project_id, name, id)
  )`,

  // Files that jobs read or write in chunks: imports, reports, exports.
  `create table files (
    project_id text collate "C" not null,
    id text collate "C" not null,
    token_hash bytea unique,
    size bigint not null default 0,
    created_at timestamptz(3) not null,
    expires_at timestamptz(3),
    primary key (project_id, id)
  )`,
  'create index files_expiry on files (expires_at) where expires_at is not null',
  `create table file_chunks (
    project_id text collate "C" not null,
    file_id text collate "C" not null,
    start bigint not null,
    bytes bytea not null,
    primary key (project_id, file_id, start),
    foreign key (project_id, file_id) references files (project_id, id) on delete cascade
  )`,
  'alter table file_chunks alter column bytes set storage external',
  `create table exports (
    project_id text collate "C" not null,
    id text collate "C" not null,
    exported_object text not null,
    parameters jsonb not null,
    status text not null check (status in ('SCHEDULED', 'IN_PROGRESS', 'DONE', 'ERROR')),
    state jsonb not null default '{}',
    file_id text collate "C" not null,
    token text not null,
    created_at timestamptz(3) not null,
    primary key (project_id, id)
  )`,
  `create index exports_waiting on exports (id) where status in ('SCHEDULED', 'IN_PROGRESS')`,

  `create table metadata_schemas (
    project_id text collate "C" not null,
    id text collate "C" not null,
    related_object text collate "C" not null,
    properties jsonb not null,
    allow_defined_only boolean,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3),
    config_version bigint not null,
    primary key (project_id, id),
    unique (project_id, related_object)
  )`,
  `create table custom_event_schemas (
    project_id text collate "C" not null,
    id text collate "C" not null,
    name text collate "C" not null,
    schema jsonb not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3),
    config_version bigint not null,
    primary key (project_id, id),
    unique (project_id, name)
  )`,

  // Every paid order changes the summary columns; none of them is indexed, so such an update stays on its page (HOT).
  `create table customers (
    project_id text collate "C" not null,
    id text collate "C" not null,
    source_id text collate "C",
    name text,
    description text,
    email text,
    phone text,
    birthdate date,
    birthday date,
    address jsonb,
    metadata jsonb not null,
    system_metadata jsonb not null default '{}',
    orders_total_amount bigint not null default 0,
    orders_total_count bigint not null default 0 check (orders_total_count >= 0),
    last_order_amount bigint,
    last_order_date timestamptz(3),
    redemptions_succeeded bigint not null default 0,
    redemptions_failed bigint not null default 0,
    redemptions_rolled_back bigint not null default 0,
    rollbacks_succeeded bigint not null default 0,
    rollbacks_failed bigint not null default 0,
    gift_redeemed_amount bigint not null default 0,
    gift_amount_to_go bigint not null default 0,
    redeemed_points bigint not null default 0,
    points_to_go bigint not null default 0,
    loyalty jsonb not null default '{"points": 0, "referred_customers": 0, "campaigns": {}}',
    referrals jsonb not null default '{"total": 0, "campaigns": []}',
    created_at timestamptz(3) not null,
    updated_at timestamptz(3),
    deleted_at timestamptz(3),
    primary key (project_id, id)
  ) with (fillfactor = 85)`,
  // The source id of a soft-deleted customer is free for a new one.
  'create unique index customers_source on customers (project_id, source_id) where deleted_at is null',
  'create index customers_created on customers (project_id, created_at, id) where deleted_at is null',
  'create index customers_updated on customers (project_id, updated_at, id) where deleted_at is null',
  'create index customers_email on customers (project_id, lower(email)) where deleted_at is null',
  'create index customers_name on customers (project_id, lower(name)) where deleted_at is null',
  `create index customers_city on customers (project_id, lower(address ->> 'city')) where deleted_at is null`,
  'create index customers_metadata on customers using gin (metadata jsonb_path_ops)',

  `create table custom_events (
    project_id text collate "C" not null,
    id text collate "C" not null,
    type text collate "C" not null,
    customer_id text collate "C" not null,
    referral jsonb,
    loyalty jsonb,
    metadata jsonb not null,
    created_at timestamptz(3) not null,
    primary key (project_id, id)
  )`,
  'create index custom_events_customer on custom_events (project_id, customer_id, id)',
  `create table custom_event_tallies (
    project_id text collate "C" not null,
    customer_id text collate "C" not null,
    type text collate "C" not null,
    count bigint not null,
    first_at timestamptz(3) not null,
    last_at timestamptz(3) not null,
    primary key (project_id, customer_id, type)
  )`,

  // A walk recomputes the membership of every customer in the order of their ids; `walked_to` is the last one processed. The walk
  // ends when no transaction is open that began before `walk_after`. `known_on` is the project day for which memberships are valid,
  // if the filter depends on the day. See audience/segments/recompute-batch.ts.
  `create table segments (
    project_id text collate "C" not null,
    id text collate "C" not null,
    name text not null,
    type text not null check (type in ('auto-update', 'passive', 'static')),
    filter jsonb,
    is_day_relative boolean not null,
    walk_started_at timestamptz(3),
    walk_is_silent boolean not null default false,
    walked_to text collate "C",
    walk_after xid8,
    known_on date,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3),
    deleted_at timestamptz(3),
    config_version bigint not null,
    primary key (project_id, id),
    check ((type = 'static') = (filter is null))
  )`,
  'create index segments_walking on segments (walk_started_at) where walk_started_at is not null',
  'create index segments_deleted on segments (deleted_at) where deleted_at is not null',
  `create table segment_members (
    project_id text collate "C" not null,
    segment_id text collate "C" not null,
    customer_id text collate "C" not null,
    primary key (project_id, segment_id, customer_id)
  )`,
  'create index segment_members_customer on segment_members (project_id, customer_id)',
  // Queue of changed customers whose segment memberships must be recomputed.
  `create table segment_checks (
    project_id text collate "C" not null,
    customer_id text collate "C" not null,
    request_id text collate "C" not null,
    caller jsonb not null,
    created_at timestamptz(3) not null,
    primary key (project_id, customer_id, request_id)
  )`,
  'create index segment_checks_oldest on segment_checks (created_at)',

  `create table products (
    project_id text collate "C" not null,
    id text collate "C" not null,
    source_id text collate "C",
    name text,
    price bigint check (price >= 0),
    attributes jsonb not null,
    metadata jsonb not null,
    image_url text,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3),
    deleted_at timestamptz(3),
    primary key (project_id, id),
    unique (project_id, source_id)
  )`,
  'create index products_created on products (project_id, created_at, id) where deleted_at is null',
  'create index products_updated on products (project_id, updated_at, id) where deleted_at is null',
  'create index products_metadata on products using gin (metadata jsonb_path_ops)',
  `create table skus (
    project_id text collate "C" not null,
    id text collate "C" not null,
    product_id text collate "C" not null,
    source_id text collate "C",
    sku text,
    price bigint check (price >= 0),
    currency text,
    attributes jsonb not null,
    metadata jsonb not null,
    image_url text,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3),
    deleted_at timestamptz(3),
    primary key (project_id, id),
    unique (project_id, source_id)
  )`,
  'create index skus_product on skus (project_id, product_id, created_at, id)',
  'create index skus_created on skus (project_id, created_at, id) where deleted_at is null',
  'create index skus_metadata on skus using gin (metadata jsonb_path_ops)',
  `create table product_collections (
    project_id text collate "C" not null,
    id text collate "C" not null,
    name text collate "C" not null,
    type text not null check (type in ('STATIC', 'AUTO_UPDATE')),
    filter jsonb,
    products jsonb,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3),
    config_version bigint not null,
    primary key (project_id, id),
    unique (project_id, name),
    check ((type = 'STATIC') = (products is not null))
  )`,

  // Built-in objects for existing projects; new projects get them on creation (account/projects/create.ts).
  `insert into products (project_id, id, source_id, name, attributes, metadata, created_at)
   select id, 'prod_5h1pp1ng', '5h1pp1ng', 'Shipping', '[]', '{}', created_at from projects`,
  `insert into product_collections (project_id, id, name, type, created_at, config_version)
   select id, 'pc_a11pr0dUc75', 'All Products', 'AUTO_UPDATE', created_at, 0 from projects`,

  `create table orders (
    project_id text collate "C" not null,
    id text collate "C" not null,
    source_id text collate "C",
    status text not null check (status in ('CREATED', 'PAID', 'CANCELED', 'FULFILLED')),
    amount bigint check (amount >= 0),
    initial_amount bigint check (initial_amount >= 0),
    discount_amount bigint not null default 0 check (discount_amount >= 0),
    items_discount_amount bigint not null default 0 check (items_discount_amount >= 0),
    total_discount_amount bigint not null generated always as (discount_amount + items_discount_amount) stored,
    total_amount bigint generated always as (amount - discount_amount - items_discount_amount) stored check (total_amount >= 0),
    items jsonb not null,
    metadata jsonb not null,
    customer_id text collate "C",
    referrer_id text collate "C",
    redemptions jsonb,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3),
    primary key (project_id, id),
    unique (project_id, source_id)
  )`,
  'create index orders_created on orders (project_id, created_at, id)',
  'create index orders_updated on orders (project_id, updated_at, id)',
  `create index orders_customer on orders (project_id, customer_id, created_at, id)`,
  'create index orders_referrer on orders (project_id, referrer_id) where referrer_id is not null',
  'create index orders_metadata on orders using gin (metadata jsonb_path_ops)',

  `create table validation_rules (
    project_id text collate "C" not null,
    id text collate "C" not null,
    name text not null,
    type text not null,
    context_type text not null,
    rules jsonb not null,
    bundle_rules jsonb,
    applicable_to jsonb not null,
    error jsonb,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3),
    config_version bigint not null,
    primary key (project_id, id)
  )`,
  'create index validation_rules_created on validation_rules (project_id, created_at, id)',
  `create table rule_assignments (
    project_id text collate "C" not null,
    id text collate "C" not null,
    rule_id text collate "C" not null,
    related_object_type text not null,
    related_object_id text collate "C" not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3),
    config_version bigint not null,
    primary key (project_id, id),
    unique (project_id, rule_id, related_object_type, related_object_id),
    foreign key (project_id, rule_id) references validation_rules (project_id, id) on delete cascade
  )`,
  'create index rule_assignments_object on rule_assignments (project_id, related_object_id, id)',
  'create index rule_assignments_created on rule_assignments (project_id, created_at, id)',

  `create table locations (
    project_id text collate "C" not null,
    id text collate "C" not null,
    name text not null,
    shape jsonb not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3),
    config_version bigint not null,
    primary key (project_id, id)
  )`,
  'create index locations_created on locations (project_id, created_at, id)',
]
