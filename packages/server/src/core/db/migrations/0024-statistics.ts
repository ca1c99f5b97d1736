import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * Sums for statistics, and the position of the rows they add up (docs/decisions/0064-statistics-from-sums.md). Indexes by which a
 * search finds names and e-mails by their beginning (docs/decisions/0065-search-and-attention.md).
 */
export async function up(db: Db): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

/** `projects` first: every request reads it, so that few are under way when the others are locked. */
export const lockedTables = [
  'projects',
  'campaigns',
  'orders',
  'customers',
  'vouchers',
  'redemptions',
  'publications',
  'postings',
  'products',
]

const countedTables = ['redemptions', 'publications', 'postings', 'orders']

const figures = [
  'redemptions',
  'failed_redemptions',
  'rolled_back_redemptions',
  'discount_amount',
  'rolled_back_discount_amount',
  'orders',
  'order_amount',
  'discounted_order_amount',
  'orders_without_discount',
  'order_amount_without_discount',
  'published_codes',
  'points_earned',
  'points_spent',
  'points_returned',
  'points_expired',
  'points_removed',
  'points_pending',
  'points_owed',
  'gift_cards_issued',
  'gift_cards_spent',
  'gift_cards_returned',
  'gift_cards_owed',
]

const statements = [
  // Rows that exist already get the position 0 without rewriting the table; a job adds them up by their ids. As for events, an
  // operator may create column and index in advance (docs/operate/upgrade.md).
  ...countedTables.flatMap((table) => [
    `alter table ${table} add column if not exists position bigint not null default 0`,
    `do $$ begin
      execute format('alter table ${table} alter column position set default (pg_current_xact_id()::text::bigint + %s)',
        (select shift from event_positions));
      if exists (select from pg_index where indexrelid = to_regclass('${table}_position') and not indisvalid) then
        drop index ${table}_position;
      end if;
    end $$`,
    `create index if not exists ${table}_position on ${table} (project_id, position) where position > 0`,
  ]),
  // Needed by the trigger below.
  `create function mark_changed_order() returns trigger language plpgsql as $$
  begin
    new.position := pg_current_xact_id()::text::bigint + (select shift from event_positions);
    return new;
  end $$`,
  `create trigger orders_changed before update of status, amount, discount_amount, items_discount_amount on orders
    for each row when (row (old.status, old.amount, old.discount_amount, old.items_discount_amount)
      is distinct from row (new.status, new.amount, new.discount_amount, new.items_discount_amount))
    execute function mark_changed_order()`,

  // Figures of the project (the empty scope) and of each campaign: per 15 minutes, hour, day and 16 days of UTC, and of all time
  // (grain 0); grains are minutes.
  `create table statistics_sums (
    project_id text collate "C" not null,
    scope_id text collate "C" not null,
    grain smallint not null check (grain in (0, 15, 60, 1440, 23040)),
    starts_at timestamptz(3) not null,
    ${figures.map((name) => `${name} numeric not null default 0,`).join('\n    ')}
    primary key (project_id, scope_id, grain, starts_at)
  ) with (fillfactor = 75, autovacuum_vacuum_scale_factor = 0.05)`,
  // The campaigns of a project with figures in a range of time.
  `create index statistics_sums_campaigns on statistics_sums (project_id, grain, starts_at) where scope_id <> ''`,
  `create table statistics_refusals (
    project_id text collate "C" not null,
    scope_id text collate "C" not null,
    grain smallint not null check (grain in (0, 15, 60, 1440, 23040)),
    starts_at timestamptz(3) not null,
    reason text collate "C" not null,
    count bigint not null,
    primary key (project_id, scope_id, grain, starts_at, reason)
  ) with (fillfactor = 75, autovacuum_vacuum_scale_factor = 0.05)`,
  // What an order adds to the sums: when the order changes, the difference is added.
  `create table statistics_orders (
    project_id text collate "C" not null,
    order_id text collate "C" not null,
    is_discounted boolean not null,
    amount bigint not null,
    total_amount bigint not null,
    primary key (project_id, order_id)
  )`,
  // The position up to which the rows of each table are in the sums.
  `create table statistics_progress (
    project_id text collate "C" primary key,
    ${countedTables.map((table) => `${table}_to bigint not null default 0,`).join('\n    ')}
    added_up_at timestamptz(3) not null default now()
  )`,
  // Tables whose rows without a position are not yet in the sums, and the last key that is.
  `create table statistics_history (
    project_id text collate "C" not null,
    source text not null check (source in (${countedTables.map((table) => `'${table}'`).join(', ')})),
    walked_to text collate "C" not null default '',
    primary key (project_id, source)
  )`,
  `insert into statistics_history (project_id, source)
    select p.id, t.source from projects p
    cross join unnest(array[${countedTables.map((table) => `'${table}'`).join(', ')}]) t (source)`,

  // What is owed to holders of cards is the sum of their postings, less the balances of deleted cards. Needed by the triggers below;
  // functions/subtract_deleted_card.sql replaces it.
  'create function subtract_deleted_card() returns trigger language plpgsql as $$ begin return null; end $$',
  `create trigger card_binned after update of deleted_at on vouchers
    for each row when (old.deleted_at is null and new.deleted_at is not null and old.credits_added is not null)
    execute function subtract_deleted_card()`,
  `create trigger card_deleted after delete on vouchers
    for each row when (old.deleted_at is null and old.credits_added is not null)
    execute function subtract_deleted_card()`,
  // Cards that are in the bin already: the history of postings contains them.
  `insert into tallies (project_id, name, id, delta)
    select v.project_id, 'owed/' || coalesce(v.campaign_id, '') || case v.type when 'GIFT_VOUCHER' then '/gift_cards' else '/points' end,
      v.id, sum(case when p.destination = v.id then -p.amount when p.source = v.id then p.amount else 0 end)
    from vouchers v join postings p on p.project_id = v.project_id and p.voucher_id = v.id and p.created_at <= v.deleted_at
    where v.deleted_at is not null and v.credits_added is not null
    group by v.project_id, v.id, v.campaign_id, v.type`,

  // These find a text and its beginnings; the indexes that the first two replace found only the whole text. An operator may create them in
  // advance, as above.
  ...['customers_email_start', 'customers_name_start'].map(
    (index) => `do $$ begin
      if exists (select from pg_index where indexrelid = to_regclass('${index}') and not indisvalid) then
        drop index ${index};
      end if;
    end $$`,
  ),
  'create index if not exists customers_email_start on customers (project_id, lower(email) text_pattern_ops) where deleted_at is null',
  'create index if not exists customers_name_start on customers (project_id, lower(name) text_pattern_ops) where deleted_at is null',
  'drop index customers_email, customers_name',
  // PostgreSQL does not use what it knows about the expressions of a partial index: without these it expects each e-mail so often that it
  // reads all customers by their age until it has found a page of them.
  'create statistics customers_email_frequency on (lower(email)) from customers',
  'create statistics customers_name_frequency on (lower(name)) from customers',
  'analyze customers (email, name)',
  // Without it the planner expects a third of all rows above any position, until a tenth of a table has changed.
  ...countedTables.map((table) => `analyze ${table} (position)`),
  `create index campaigns_name_start on campaigns (project_id, lower(name collate "default") text_pattern_ops)
    where deleted_at is null`,
  'create index products_name_start on products (project_id, lower(name) text_pattern_ops) where deleted_at is null',
]
