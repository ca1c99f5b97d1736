import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { median } from './measure.ts'
import { type BenchShop, openShop } from './shop.ts'

const rows = 1_000_000
const campaigns = 200
const days = 400
const rounds = 20
/** As many as an answer reads beside the sums. */
const waiting = 200

/**
 * Statistics, search and attention on a million redemptions, orders, codes and customers: how fast history is added up, how long each
 * operation takes alone, and what the position costs a redemption. The database time of a request is less than its latency.
 */
export async function statistics(): Promise<void> {
  const shop = await openShop()
  const client = new pg.Client({ connectionString: shop.database_url })
  await client.connect()
  try {
    await fill(client, shop)
    await addUpHistory(client, shop)
    await measure(shop, 'all rows in the sums')
    await withWaitingRows(client, shop)
    await positionCost(client, shop)
  } finally {
    await client.end()
    await shop.stop()
  }
}

async function fill(client: pg.Client, { project_id }: BenchShop): Promise<void> {
  const run = (text: string, ...values: unknown[]) => client.query(text, [project_id, ...values])
  const start = performance.now()
  await client.query('set synchronous_commit = off')
  await run(
    `insert into campaigns (project_id, id, name, campaign_type, type, voucher_type, voucher, terms_id, auto_join, join_once,
       use_voucher_metadata_schema, active, metadata, status, created_at, config_version, expiration_date)
     select $1, 'camp_' || lpad(n::text, 18, '0'), 'Campaign ' || n, 'DISCOUNT_COUPONS', 'STATIC', 'DISCOUNT_VOUCHER', '{}', 'terms',
       false, false, false, true, '{}', 'DONE', now() - interval '500 days', 0, now() + n * interval '1 day'
     from generate_series(1, ${campaigns}) n`,
  )
  await run(
    `insert into vouchers (project_id, id, code, code_key, type, campaign_id, terms_id, active, is_referral_code, publish_count, asset_id,
       created_at)
     select $1, 'v_' || lpad(n::text, 32, '0'), 'CODE-' || md5(n::text), 'CODE-' || md5(n::text), 'DISCOUNT_VOUCHER',
       'camp_' || lpad((1 + n % ${campaigns})::text, 18, '0'), 'terms', true, false,
       case when n % 20 = 0 then 0 else 1 end, gen_random_uuid(), now() - interval '500 days'
     from generate_series(1, ${rows}) n`,
  )
  await run(
    `insert into customers (project_id, id, source_id, name, email, metadata, created_at)
     select $1, 'cust_' || lpad(n::text, 24, '0'), 'source-' || n, (array['Ann', 'Ben', 'Cleo', 'Dan'])[1 + n % 4] || ' ' || md5(n::text),
       md5('e' || n) || '@example.com', '{}', now() from generate_series(1, ${rows}) n`,
  )
  await run(
    `insert into orders (project_id, id, source_id, status, amount, initial_amount, discount_amount, items, metadata, created_at, position)
     select $1, 'ord_' || lpad(n::text, 18, '0'), 'order-' || n, 'PAID', 5000 + n % 1000, 5000 + n % 1000, case when n % 3 = 0 then 0 else 500 end,
       '[]', '{}', now() - (n % (${days} * 1440)) * interval '1 minute', 0 from generate_series(1, ${rows}) n`,
  )
  await run(
    `insert into redemptions (project_id, id, object, result, status, related_object_type, related_object_id, campaign_id, voucher_code,
       order_id, channel_type, channel_id, failure_code, undo, created_at, position)
     select $1, 'r_' || lpad(n::text, 18, '0'), 'redemption', case when n % 10 = 0 then 'FAILURE' else 'SUCCESS' end,
       case when n % 10 = 0 then 'FAILED' else 'SUCCEEDED' end, 'voucher', 'v_' || lpad(n::text, 32, '0'),
       'camp_' || lpad((1 + n % ${campaigns})::text, 18, '0'), 'CODE', 'ord_' || lpad(n::text, 18, '0'), 'API', 'app',
       case when n % 10 = 0 then (array['quantity_exceeded', 'voucher_expired', 'order_rules_violated'])[1 + n / 10 % 3] end,
       case when n % 10 <> 0 then jsonb_build_object('orders_amount', 5000, 'discounted_amount', 500, 'credits', 0, 'day', '2026-01-01') end,
       now() - (n % (${days} * 1440)) * interval '1 minute', 0 from generate_series(1, ${rows}) n`,
  )
  await run(
    `insert into publications (project_id, id, campaign_id, voucher_ids, is_referral_code, channel, metadata, result, created_at, position)
     select $1, 'pub_' || lpad(n::text, 18, '0'), 'camp_' || lpad((1 + n % ${campaigns})::text, 18, '0'), '{v_1}', false, 'API', '{}', 'SUCCESS',
       now() - (n % (${days} * 1440)) * interval '1 minute', 0 from generate_series(1, ${rows}) n where n % 20 <> 0`,
  )
  await run(
    `insert into tallies (project_id, name, id, delta) select $1, 'campaign/camp_' || lpad(n::text, 18, '0') || '/vouchers', 'w-1', ${rows / campaigns}
     from generate_series(1, ${campaigns}) n`,
  )
  await client.query('vacuum (analyze) vouchers, customers, orders, redemptions, publications, tallies, campaigns')
  await client.query('update projects set config_version = config_version + 1 where id = $1', [project_id])
  console.log(`filled in ${((performance.now() - start) / 1_000).toFixed(0)} s`)
}

/** What an installation with history does after an upgrade. */
async function addUpHistory(client: pg.Client, { project_id }: BenchShop): Promise<void> {
  const start = performance.now()
  await client.query(
    `insert into statistics_history (project_id, source)
     select $1, unnest(array['redemptions', 'publications', 'postings', 'orders']) on conflict do nothing`,
    [project_id],
  )
  while ((await client.query('select from statistics_history where project_id = $1', [project_id])).rows.length > 0)
    await setTimeout(200)
  const seconds = (performance.now() - start) / 1_000
  console.log(`history of 3 × ${rows} rows added up in ${seconds.toFixed(0)} s, in the background`)
  await client.query('vacuum (analyze) statistics_sums, statistics_refusals, statistics_orders')
  const { rows: sizes } =
    await client.query(`select relname, pg_size_pretty(pg_total_relation_size(oid)) as size, reltuples::bigint as rows
    from pg_class where relname like 'statistics\\_%' and relkind = 'r' order by relname`)
  for (const { relname, size, rows: count } of sizes) console.log(`  ${relname}: ${count} rows, ${size}`)
}

const dateBefore = (count: number) => new Date(Date.now() - count * 86_400_000).toISOString().slice(0, 10)

async function measure({ address, headers }: BenchShop, title: string): Promise<void> {
  const campaign = `camp_${'1'.padStart(18, '0')}`
  const cases = {
    'overview, 30 days': '/v1/statistics/overview',
    'overview, 90 days': `/v1/statistics/overview?from=${dateBefore(89)}`,
    'overview, 200 days': `/v1/statistics/overview?from=${dateBefore(199)}`,
    'overview, 8 days by hour': `/v1/statistics/overview?from=${dateBefore(7)}&interval=hour`,
    'overview, 5 years by month': `/v1/statistics/overview?from=${dateBefore(1_800)}&interval=month`,
    'campaign, 90 days': `/v1/statistics/campaigns/${campaign}?from=${dateBefore(89)}`,
    'search for a code': '/v1/search?q=code-a3',
    'search for a name': '/v1/search?q=ann',
    'search for an e-mail': '/v1/search?q=c0ffe',
    'search for nothing': '/v1/search?q=zzzz',
    'attention': '/v1/attention',
  } // biome-ignore format: a table
  console.log(`${title}:`)
  const measured = new Map<string, number[]>(Object.keys(cases).map((name) => [name, []]))
  for (let round = -5; round < rounds; round += 1)
    for (const [name, path] of Object.entries(cases)) {
      const start = performance.now()
      const answer = await fetch(`${address}${path}`, { headers })
      const body = await answer.text()
      if (answer.status !== 200) throw new Error(`${name}: ${body}`)
      if (round >= 0) measured.get(name)?.push(performance.now() - start) // the first rounds warm up
    }
  for (const [name, times] of measured)
    console.log(
      `  ${name.padEnd(28)} ${median(times).toFixed(1).padStart(7)} ms, at most ${Math.max(...times).toFixed(1)} ms`,
    )
}

/** A node that adds up waits for the lock, so that as many rows stay outside of the sums as an answer may read. */
async function withWaitingRows(client: pg.Client, shop: BenchShop): Promise<void> {
  await client.query('begin')
  await client.query('select from statistics_progress where project_id = $1 for update', [shop.project_id])
  const other = new pg.Client({ connectionString: shop.database_url })
  await other.connect()
  for (let from = 0; from < waiting; from += 20)
    await other.query(insertRedemptions, [shop.project_id, from, from + 20])
  await measure(shop, `${waiting} redemptions and ${waiting} orders not added up yet`)
  await other.end()
  await client.query('commit')
}

const insertRedemptions = `with o as (
    insert into orders (project_id, id, status, amount, initial_amount, discount_amount, items, metadata, created_at)
    select $1, 'ord_x' || gen_random_uuid(), 'PAID', 5000, 5000, 500, '[]', '{}', now() from generate_series($2::int + 1, $3::int)
  )
  insert into redemptions (project_id, id, object, result, status, related_object_type, related_object_id, campaign_id, channel_type,
    channel_id, undo, created_at)
  select $1, 'r_x' || gen_random_uuid(), 'redemption', 'SUCCESS', 'SUCCEEDED', 'voucher', 'v_' || lpad(n::text, 32, '0'),
    'camp_' || lpad((1 + n % ${campaigns})::text, 18, '0'), 'API', 'app', '{"orders_amount": 5000, "discounted_amount": 500}', now()
  from generate_series($2::int + 1, $3::int) n`

/** Inserts redemptions with their orders, in turn with and without the indexes on the position. */
async function positionCost(client: pg.Client, { project_id }: BenchShop): Promise<void> {
  const took = { with: [] as number[], without: [] as number[] }
  const count = 20_000
  for (let round = 0; round < 5; round += 1)
    for (const which of ['with', 'without'] as const) {
      await client.query('begin')
      if (which === 'without') await client.query('drop index redemptions_position, orders_position')
      const start = performance.now()
      await client.query(insertRedemptions, [project_id, 0, count])
      took[which].push(((performance.now() - start) * 1_000) / count)
      await client.query('rollback')
    }
  const [withIt, without] = [median(took.with), median(took.without)]
  console.log(
    `a redemption and its order are inserted in ${withIt.toFixed(1)} µs, without the indexes on the position in ${without.toFixed(1)} µs`,
  )
}
