import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { sql } from 'kysely'
import pg from 'pg'
import { connectPostgres } from '../packages/server/src/core/db/connect.ts'
import { keepPositionsAscending } from '../packages/server/src/core/db/event-positions.ts'
import { monthOf, months } from '../packages/server/src/core/db/periods.ts'
import { timeDigitsAt } from '../packages/server/src/core/lib/ids.ts'
import { type Club, fillClub } from './growth-club.ts'
import { customerOf, linesOf } from './proof/fixture.ts'
import { type BenchShop, call, newProject } from './shop.ts'

export interface HistorySize {
  redemptions: number
  /** At least four per redemption; the rest are those of validations. */
  events: number
  years: number
}

/** What a row takes with its indexes; measured, printed after each run. */
const bytesOf = { event: 600, redemption: 4_200 }
const eventsPerRedemption = 4
/** Redemptions of one statement, each of which ends with a line on the console. */
const atOnce = 500_000
const projects = 5
const redemptionsPerCode = 2
const redemptionsPerCustomer = 10
const redemptionsPerCard = 100

/** Stops before the disk is full, which would end more than this bench. */
export async function requireDisk({ events, redemptions }: HistorySize): Promise<void> {
  const { bavail, bsize } = await statfs(tmpdir())
  const [free, needed] = [bavail * bsize, events * bytesOf.event + redemptions * bytesOf.redemption]
  const gb = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`
  console.log(`${gb(needed)} of ${gb(free)} free in ${tmpdir()}`)
  // Indexes are sorted in files before they are written.
  if (needed * 1.15 > free) throw new Error(`Too little: ${gb(needed * 1.15)} with room to sort. Ask for fewer rows.`)
}

/** A customer, a code and a campaign with history. */
export interface FilledNames {
  customer_id: string
  code: string
  campaign_id: string
}

/**
 * Fills the shop and four other projects as if they had redeemed for years: half of the rows are the shop's. Redemption n is at its part of
 * the time, with an order, of one of the codes and customers; what is counted, summed up and stored is what the service would have stored.
 * It writes tables without indexes, and partitions before they are attached.
 */
export async function fillHistory(shop: BenchShop, club: Club, size: HistorySize): Promise<FilledNames> {
  if (size.events < eventsPerRedemption * size.redemptions)
    throw new Error(`A redemption has ${eventsPerRedemption} events: ask for more events, or fewer redemptions.`)
  if (size.events > 7 * size.redemptions) throw new Error('At most seven events for each redemption.')
  const others = []
  for (let n = 1; n < projects; n += 1) others.push((await newProject(shop, `History ${n}`)).project_id)
  const model = await redeemOnce(shop)
  const client = await open(shop)
  const lock = await open(shop)
  const start = performance.now()
  const say = (text: string) =>
    console.log(`  ${((performance.now() - start) / 1_000).toFixed(0).padStart(5)} s  ${text}`)
  try {
    for (const setting of ["max_wal_size = '8GB'", 'autovacuum = off', "maintenance_work_mem = '512MB'"])
      await client.query(`alter system set ${setting}`)
    await client.query('select pg_reload_conf()')
    const projectIds = [shop.project_id, ...others]
    const from = monthOf(Date.now(), -12 * size.years)
    const to = Date.now() - 3_600_000
    await prepare(client, projectIds, { ...size, from, to })
    await copyModel(client, shop, model)
    // The node would add up rows while they are written: it skips a project whose progress somebody has locked.
    await lock.query('begin')
    await lock.query('insert into statistics_progress (project_id) select unnest($1::text[]) on conflict do nothing', [
      projectIds,
    ])
    await lock.query('select from statistics_progress where project_id = any($1) for update', [projectIds])
    await fillTables(client, size, say)
    await fillSums(client, say)
    await fillEvents(shop, client, { ...size, from, to }, say)
    await fillClub(client, shop, club)
    say('the members of a club')
    await lock.query(
      `update statistics_progress set redemptions_to = $2, orders_to = $2, publications_to = $2, postings_to = $2 where project_id = any($1)`,
      [projectIds, size.redemptions],
    )
    await lock.query('commit')
    const database = connectPostgres({ connectionString: shop.database_url })
    await database.db.transaction().execute(async (trx) => {
      await sql`set local statement_timeout = 0`.execute(trx)
      await keepPositionsAscending(trx)
    })
    await database.close()
    await client.query('alter system reset autovacuum')
    await client.query('select pg_reload_conf()')
    // Table by table, as autovacuum does: it does not analyse a partitioned table as a whole.
    const { rows: tables } = await client.query(
      `select format('%I.%I', nspname, relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where relkind = 'r' and nspname in ('public', 'pgboss')`,
    )
    for (const { name } of tables) await client.query(`vacuum (analyze) ${name}`)
    await client.query('checkpoint')
    say('vacuumed and analysed')
    await report(client, size)
    return await findNames(client)
  } finally {
    await client.end()
    await lock.end()
  }
}

async function open({ database_url }: BenchShop): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database_url })
  client.on('error', () => {}) // when the bench ends because of another error, the database goes first
  await client.connect()
  await client.query(
    `set synchronous_commit = off; set statement_timeout = 0; set max_parallel_maintenance_workers = 0`,
  )
  return client
}

interface Model {
  redemption_id: string
  order_id: string
  campaign_id: string
}

/** A redemption by the service, whose rows are the model of all others. */
async function redeemOnce(shop: BenchShop): Promise<Model> {
  const { redemptions, order } = await call(shop, 'POST', '/v1/redemptions', {
    redeemables: [{ object: 'voucher', id: 'HOT' }],
    customer: customerOf(0),
    order: { items: linesOf(1) },
  })
  const { campaigns } = await call(shop, 'GET', '/v1/campaigns?limit=1')
  return { redemption_id: redemptions[0].id, order_id: order.id, campaign_id: campaigns[0].id }
}

/** What the rows have in common. The terms of the campaign are those of all codes, in each project. */
async function copyModel(client: Client, { project_id }: BenchShop, model: Model): Promise<void> {
  await client.query(
    `create table growth.model as
     select o.items, o.amount, o.initial_amount, o.discount_amount, o.items_discount_amount, o.discounted_goods, r."order", r.undo, c.voucher,
       c.terms_id
     from orders o, redemptions r, campaigns c
     where o.project_id = $1 and o.id = $2 and r.project_id = $1 and r.id = $3 and c.project_id = $1 and c.id = $4`
      .replaceAll('$1', `'${project_id}'`)
      .replace('$2', `'${model.order_id}'`)
      .replace('$3', `'${model.redemption_id}'`)
      .replace('$4', `'${model.campaign_id}'`),
  )
  await client.query(`
    insert into terms (project_id, id, content, created_at)
    select distinct on (1, 2) growth.project(n), t.id, t.content, t.created_at
    from generate_series(0, 99) n, growth.model m, terms t where t.project_id = '${project_id}' and t.id = m.terms_id
    on conflict do nothing`)
}

type Client = pg.Client
type Say = (text: string) => void

/** Functions that make the ids of things by their number, in the form and order of those of the service. */
async function prepare(
  client: Client,
  projectIds: readonly string[],
  { redemptions, from, to }: { redemptions: number; from: number; to: number },
): Promise<void> {
  const digit = (place: number) =>
    `substr('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', ((at / ${62n ** BigInt(place)}) % 62)::int + 1, 1)`
  const hundreds = (each: number) => Math.max(1, Math.floor(redemptions / each / 100))
  const span = to - from
  await client.query(`
    create schema growth;
    -- Half of a hundred numbers are the first project's, and 13, 12, 12 and 13 the others'.
    create function growth.project(n bigint) returns text language sql immutable as $$
      select (array['${projectIds.join("', '")}'])[case when n % 100 < 50 then 1 else 2 + (n % 100 - 50) / 13 end] $$;
    create function growth.at(n bigint) returns bigint language sql immutable as $$
      select ${from} + floor(n::numeric * ${span} / ${redemptions})::bigint $$;
    create function growth.base62(at bigint) returns text language sql immutable as $$
      select ${[7, 6, 5, 4, 3, 2, 1, 0].map(digit).join(' || ')} $$;
    create function growth.hex(at bigint, n bigint) returns text language sql immutable as $$
      select lpad(to_hex(at), 11, '0') || lpad(to_hex(n % 268435456), 7, '0') $$;
    -- Numbers of a code, a customer and a card of the same project.
    create function growth.code(n bigint) returns bigint language sql immutable as $$
      select n % 100 + 100 * ((n / 100) % ${hundreds(redemptionsPerCode)}) $$;
    create function growth.customer(n bigint) returns bigint language sql immutable as $$
      select n % 100 + 100 * ((n / 100 * 7919) % ${hundreds(redemptionsPerCustomer)}) $$;
    create function growth.card(n bigint) returns bigint language sql immutable as $$
      select n % 100 + 100 * ((n / 100) % ${hundreds(redemptionsPerCard)}) $$;
    create function growth.campaign(n bigint) returns text language sql immutable as $$
      select 'camp_' || growth.base62(${from}) || lpad((1 + n % 100 / 5)::text, 16, '0') $$;
    create function growth.voucher_id(c bigint) returns text language sql immutable as $$
      select 'v_' || growth.base62(${from}) || lpad(c::text, 24, '0') $$;
    create function growth.customer_id(c bigint) returns text language sql immutable as $$
      select 'cust_' || growth.base62(${from}) || lpad(c::text, 16, '0') $$;
    create function growth.card_id(c bigint) returns text language sql immutable as $$
      select 'v_' || growth.base62(${from} + 1) || lpad(c::text, 24, '0') $$;
    create table growth.size as select ${100 * hundreds(redemptionsPerCode)}::bigint as codes,
      ${100 * hundreds(redemptionsPerCustomer)}::bigint as customers, ${100 * hundreds(redemptionsPerCard)}::bigint as cards,
      ${from}::bigint as "from", ${redemptions}::bigint as redemptions`)
}

/** Inserts without the indexes of a table, except its key, and makes them again. */
async function withoutIndexes(client: Client, table: string, work: () => Promise<void>): Promise<void> {
  const { rows } = await client.query(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
     where indrelid = $1::regclass and not exists (select from pg_constraint where conindid = indexrelid)`,
    [table],
  )
  for (const { name } of rows) await client.query(`drop index ${name}`)
  await work()
  for (const { definition } of rows) await client.query(definition)
}

async function fillTables(client: Client, { redemptions }: HistorySize, say: Say): Promise<void> {
  const { rows: sizes } = await client.query('select * from growth.size')
  const { codes, customers, cards } = sizes[0]
  const fill = (table: string, count: number, statement: string) =>
    withoutIndexes(client, table, async () => {
      for (let first = 0; first < count; first += atOnce)
        await client.query(statement, [first, Math.min(first + atOnce, count) - 1])
      say(`${Number(count).toLocaleString('en')} rows of ${table}`)
    })
  await client.query(`insert into campaigns (project_id, id, name, campaign_type, type, voucher_type, voucher, terms_id, auto_join, join_once,
      use_voucher_metadata_schema, active, metadata, status, created_at, config_version)
    select distinct on (1, 2) growth.project(n), growth.campaign(n), 'History ' || n % 100 / 5, 'DISCOUNT_COUPONS', 'STATIC', 'DISCOUNT_VOUCHER',
      m.voucher, m.terms_id, false, false, false, true, '{}'::jsonb, 'DONE', to_timestamp(growth.at(0) / 1000.0),
      p.config_version + 1
    from generate_series(0, 99) n join projects p on p.id = growth.project(n) cross join growth.model m`)
  await client.query(
    'update projects set config_version = config_version + 1 where id in (select growth.project(n) from generate_series(0, 99) n)',
  )
  await fill(
    'vouchers',
    codes,
    `insert into vouchers (project_id, id, code, code_key, type, campaign_id, terms_id, active, is_referral_code, publish_count, asset_id,
       redeemed_quantity, created_at, updated_at)
     select growth.project(c), growth.voucher_id(c), 'OLD-' || c, 'OLD-' || c, 'DISCOUNT_VOUCHER', growth.campaign(c), m.terms_id, true, false,
       1, gen_random_uuid(), ${redemptionsPerCode}, to_timestamp(growth.at(0) / 1000.0), to_timestamp(growth.at(0) / 1000.0)
     from generate_series($1::bigint, $2::bigint) c, growth.model m`,
  )
  await fill(
    'customers',
    customers,
    `insert into customers (project_id, id, source_id, name, email, metadata, orders_total_amount, orders_total_count, redemptions_succeeded,
       created_at)
     select growth.project(c), growth.customer_id(c), 'old-' || c, (array['Ann', 'Ben', 'Cleo', 'Dan'])[1 + c % 4] || ' ' || md5(c::text),
       md5('e' || c) || '@example.com', '{}', ${redemptionsPerCustomer * 5_000}, ${redemptionsPerCustomer}, ${redemptionsPerCustomer},
       to_timestamp(growth.at(0) / 1000.0)
     from generate_series($1::bigint, $2::bigint) c`,
  )
  await fill(
    'orders',
    redemptions,
    `insert into orders (project_id, id, source_id, status, amount, initial_amount, discount_amount, items_discount_amount, items, metadata, customer_id,
       redemptions, discounted_goods, created_at, position)
     select growth.project(n), 'ord_' || growth.base62(at) || lpad(n::text, 16, '0'), 'old-' || n, 'PAID', m.amount, m.initial_amount,
       m.discount_amount, m.items_discount_amount, m.items, '{}', growth.customer_id(growth.customer(n)),
       jsonb_build_object('r_' || growth.base62(at) || lpad(n::text, 16, '0'), jsonb_build_object('date', to_timestamp(at / 1000.0))),
       m.discounted_goods, to_timestamp(at / 1000.0), n + 1
     from generate_series($1::bigint, $2::bigint) n, growth.at(n) at, growth.model m`,
  )
  await fill(
    'redemptions',
    redemptions,
    `insert into redemptions (project_id, id, object, result, status, related_object_type, related_object_id, campaign_id, voucher_code,
       customer_id, order_id, channel_type, channel_id, "order", undo, created_at, position)
     select growth.project(n), 'r_' || growth.base62(at) || lpad(n::text, 16, '0'), 'redemption', 'SUCCESS', 'SUCCEEDED', 'voucher',
       growth.voucher_id(growth.code(n)), growth.campaign(n), 'OLD-' || growth.code(n), growth.customer_id(growth.customer(n)),
       'ord_' || growth.base62(at) || lpad(n::text, 16, '0'), 'API', 'bench-app',
       m."order", m.undo, to_timestamp(at / 1000.0), n + 1
     from generate_series($1::bigint, $2::bigint) n, growth.at(n) at, growth.model m`,
  )
  await fill(
    'vouchers',
    cards,
    `insert into vouchers (project_id, id, code, code_key, type, terms_id, active, is_referral_code, publish_count, asset_id, redeemed_quantity,
       credits_added, credits_subtracted, credits_redeemed, credits_expired, credits_pending, created_at)
     select growth.project(c), growth.card_id(c), 'OLD-CARD-' || c, 'OLD-CARD-' || c, 'GIFT_VOUCHER', m.terms_id, true, false, 1,
       gen_random_uuid(), 0, 10000, 0, 1000, 0, 0, to_timestamp(growth.at(0) / 1000.0)
     from generate_series($1::bigint, $2::bigint) c, growth.model m`,
  )
  // Each card was used ten times: with every tenth redemption of its hundred.
  const uses = `generate_series($1::bigint, $2::bigint) c, generate_series(0, 9) use,
    growth.at(least(c * ${redemptionsPerCard} + use * 10, ${redemptions - 1})) at`
  await fill(
    'voucher_transactions',
    cards,
    `insert into voucher_transactions (project_id, id, voucher_id, type, amount, balance, source_id, source, details, created_at)
     select growth.project(c), 'vtx_' || growth.hex(at, c * 10 + use), growth.card_id(c), 'CREDITS_REDEMPTION', -100, 10000 - 100 * (use + 1),
       null, 'API', '{}', to_timestamp(at / 1000.0) from ${uses}`,
  )
  await fill(
    'postings',
    cards,
    `insert into postings (project_id, voucher_id, id, transaction_id, source, destination, amount, created_at, position)
     select growth.project(c), growth.card_id(c), 'post_' || growth.hex(at, c * 10 + use), 'vtx_' || growth.hex(at, c * 10 + use),
       growth.card_id(c), 'redeemed', 100, to_timestamp(at / 1000.0), 1 from ${uses}`,
  )
}

/** What the service counts and adds up, from the rows. */
async function fillSums(client: Client, say: Say): Promise<void> {
  const figures = 'redemptions, discount_amount, orders, order_amount, discounted_order_amount'
  const sums = figures
    .split(', ')
    .map((name) => `sum(${name})`)
    .join(', ')
  await client.query(`
    create temporary table quarters as
    select growth.project(n) as project_id, growth.campaign(n) as campaign_id,
      date_bin('15 minutes', to_timestamp(growth.at(n) / 1000.0), 'epoch') as starts_at, count(*)::numeric as redemptions,
      count(*) * max(m.discount_amount)::numeric as discount_amount, count(*)::numeric as orders,
      count(*) * max(m.amount)::numeric as order_amount, count(*) * max(m.amount)::numeric as discounted_order_amount
    from growth.size, growth.model m, generate_series(0, size.redemptions - 1) n group by 1, 2, 3`)
  await client.query(`
    insert into statistics_sums (project_id, scope_id, grain, starts_at, ${figures})
    select project_id, scope, grain, case grain when 0 then 'epoch' else date_bin(grain * interval '1 minute', starts_at, 'epoch') end, ${sums}
    from quarters cross join unnest(array['', campaign_id]) scope cross join unnest(array[0, 15, 60, 1440, 23040]) grain
    group by 1, 2, 3, 4
    on conflict do nothing`)
  await client.query(`
    insert into usage (project_id, scope_id, day, is_undone, id, redemptions, orders_amount, discounted_amount, credits)
    select project_id, campaign_id, starts_at::date, false, '', sum(redemptions), sum(order_amount), sum(discount_amount), 0
    from quarters group by 1, 2, 3`)
  await client.query(`
    insert into statistics_orders (project_id, order_id, is_discounted, amount, total_amount)
    select growth.project(n), 'ord_' || growth.base62(growth.at(n)) || lpad(n::text, 16, '0'), true, m.amount, m.amount - m.discount_amount
    from growth.size, growth.model m, generate_series(0, size.redemptions - 1) n`)
  for (const [name, count] of [
    ['orders', 'redemptions'],
    ['redemptions', 'redemptions'],
    ['customers', 'customers'],
    ['vouchers', 'codes + cards'],
    ['codes', 'codes + cards'],
  ])
    await client.query(`
      insert into tallies (project_id, name, id, delta)
      select growth.project(n), '${name}', 'w-growth', sum((select ${count} from growth.size) / 100) from generate_series(0, 99) n group by 1`)
  await client.query(`
    insert into tallies (project_id, name, id, delta)
    select growth.project(n), 'campaign/' || growth.campaign(n) || '/vouchers', 'w-growth', count(*) * (select codes from growth.size) / 100
    from generate_series(0, 99) n group by 1, 2`)
  say('usage, statistics and totals')
}

/** Each month in a table of its own, which gets its indexes and its place when it is full. Two connections, a month each. */
async function fillEvents(
  shop: BenchShop,
  client: Client,
  { redemptions, events, years, from, to }: HistorySize & { from: number; to: number },
  say: Say,
): Promise<void> {
  for (const table of ['event_rows', 'event_parts']) {
    await client.query(`alter table ${table} detach partition ${table}_before`)
    await client.query(
      `alter table ${table} attach partition ${table}_before for values from (minvalue) to ('${timeDigitsAt(from)}')`,
    )
  }
  const numberAt = (at: number) =>
    Math.min(redemptions, Math.max(0, Math.ceil(((at - from) * redemptions) / (to - from))))
  const wanted = Array.from({ length: 12 * years + 1 }, (_, n) => monthOf(from, n))
  const validations = (events - eventsPerRedemption * redemptions) / redemptions
  const work = async () => {
    const own = await open(shop)
    for (let start = wanted.shift(); start !== undefined; start = wanted.shift()) {
      await fillMonth(own, { start, first: numberAt(start), end: numberAt(months.after(start)), validations })
      say(`events of ${months.nameOf(start)}`)
    }
    await own.end()
  }
  await Promise.all([work(), work()])
}

async function fillMonth(
  client: Client,
  { start, first, end, validations }: { start: number; first: number; end: number; validations: number },
): Promise<void> {
  const suffix = months.nameOf(start)
  const { rows } = await client.query(`select to_regclass('event_rows_${suffix}') is not null as is_there`)
  const isNew = !rows[0].is_there
  for (const table of ['event_parts', 'event_rows']) {
    const name = `${table}_${suffix}`
    if (isNew)
      await client.query(
        `create table ${name} (like ${table} including defaults including storage including compression including constraints)`,
      )
    for (let n = first; n < end; n += atOnce)
      await client.query(table === 'event_rows' ? insertEvents(name, validations) : insertParts(name), [
        n,
        Math.min(n + atOnce, end) - 1,
      ])
    if (!isNew) continue
    const [low, high] = [timeDigitsAt(start), timeDigitsAt(months.after(start))]
    await client.query(`alter table ${name} add primary key (project_id, id)`)
    if (table === 'event_rows') {
      await client.query(`create index on ${name} (project_id, entity_id, id)`)
      await client.query(`create index on ${name} (project_id, position) where position > 0`)
    }
    await client.query(`alter table ${table} attach partition ${name} for values from ('${low}') to ('${high}')`)
  }
}

const insertParts = (table: string) => `
  insert into ${table} (project_id, id, event_ids, parts)
  select growth.project(n), 'evcus_' || growth.hex(at, n * 8),
    array['evcus_' || growth.hex(at, n * 8), 'evcus_' || growth.hex(at, n * 8 + 1), 'evred_' || growth.hex(at, n * 8 + 2), 'evvou_' || growth.hex(at, n * 8 + 3)],
    '[{"id":"' || growth.customer_id(growth.customer(n)) || '","object":"customer"},{"id":"ord_' || n || '","amount":5000},{"id":"r_' || n || '"}]'
  from generate_series($1::bigint, $2::bigint) n, growth.at(n) at`

const insertEvents = (table: string, validations: number) => `
  insert into ${table} (project_id, id, type, category, entity_id, created_at, group_id, event_source, campaign_id, voucher_id, data, parts_id,
    position)
  select growth.project(n), prefix || growth.hex(at, n * 8 + k), type, category,
    case prefix when 'evcus_' then growth.customer_id(growth.customer(n)) when 'evvou_' then growth.voucher_id(growth.code(n))
      else 'r_' || growth.base62(at) || lpad(n::text, 16, '0') end,
    to_timestamp(at / 1000.0), 'v-' || growth.hex(at, n), '{"channel": "API"}', growth.campaign(n), growth.voucher_id(growth.code(n)),
    case when k < 4 then '{"order": 1, "customer": 0, "redemption": 2}' else '{"customer":{"source_id":null},"validation":{}}' end,
    case when k < 4 then 'evcus_' || growth.hex(at, n * 8) end, n + 1
  from generate_series($1::bigint, $2::bigint) n, growth.at(n) at,
    (values (0, 'evcus_', 'customer.redemption.succeeded', 'EFFECT'), (1, 'evcus_', 'customer.order.paid', 'EFFECT'),
      (2, 'evred_', 'redemption.succeeded', 'ACTION'), (3, 'evvou_', 'voucher.updated', 'EFFECT'),
      (4, 'evcus_', 'customer.validation.succeeded', 'ACTION'), (5, 'evcus_', 'customer.validation.succeeded', 'ACTION'),
      (6, 'evcus_', 'customer.validation.succeeded', 'ACTION')) kind (k, prefix, type, category)
  where k < 4 or (k - 4) < floor((n + 1) * ${validations}::numeric) - floor(n * ${validations}::numeric)`

async function report(client: Client, { events, redemptions }: HistorySize): Promise<void> {
  const { rows } = await client.query(`
    select regexp_replace(c.relname, '_([0-9]{6}|before|default)$', '') as name, sum(c.reltuples)::bigint as rows, count(*)::int as tables,
      sum(pg_table_size(c.oid)) as bytes, sum(pg_indexes_size(c.oid)) as index_bytes
    from pg_class c where relkind = 'r' and relnamespace = 'public'::regnamespace group by 1 having sum(c.reltuples) > 10000
    order by sum(pg_total_relation_size(c.oid)) desc`)
  console.log('\n| Table | rows | bytes per row | of its indexes | GB |\n|---|--:|--:|--:|--:|')
  let [ofEvents, ofRest] = [0, 0]
  for (const { name, rows: count, tables, bytes, index_bytes } of rows) {
    const all = Number(bytes) + Number(index_bytes)
    if (name.startsWith('event_')) ofEvents += all
    else ofRest += all
    const cells = [
      tables > 1 ? `${name}, ${tables} partitions` : name,
      Number(count).toLocaleString('en'),
      Math.round(Number(bytes) / count),
      Math.round(Number(index_bytes) / count),
      (all / 1e9).toFixed(2),
    ]
    console.log(`| ${cells.join(' | ')} |`)
  }
  console.log(
    `\n${Math.round(ofEvents / events)} bytes per event, ${Math.round(ofRest / redemptions)} per redemption with what belongs to it`,
  )
}

async function findNames(client: Client): Promise<FilledNames> {
  const { rows } = await client.query(
    `select growth.customer_id(growth.customer(0)) as customer_id, 'OLD-' || growth.code(0) as code, growth.campaign(0) as campaign_id`,
  )
  return rows[0]
}
