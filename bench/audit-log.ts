import { connectPostgres } from '../packages/server/src/core/db/connect.ts'
import type { Database } from '../packages/server/src/core/db/database.ts'
import { firstIdAt } from '../packages/server/src/core/lib/ids.ts'
import { readSettings } from '../packages/server/src/core/settings.ts'
import { maintainPartitions, makeAuditPartitions } from '../packages/server/src/monitoring/audit-log/partitions.ts'
import { type AuditLogFilter, listEntries } from '../packages/server/src/monitoring/audit-log/store.ts'
import { median } from './measure.ts'
import { openShop, query } from './shop.ts'

/*
 * The audit log with many entries: how long the searches of its list take and which indexes they read, and how long it takes to
 * drop the oldest day while entries are written. BENCH_AUDIT_ENTRIES sets the number of entries, over ten days; ten million take
 * some 15 GB.
 */

const entries = Number(process.env.BENCH_AUDIT_ENTRIES ?? 1_000_000)
const days = 10
const dayMs = 86_400_000
const today = Date.UTC(2026, 5, 30)
const firstDay = today - (days - 1) * dayMs
const projectId = 'proj_bench'
const tries = 15

export async function auditLog(): Promise<void> {
  const shop = await openShop({ env: { AUDIT_LOG: 'off' } })
  const texts: string[] = []
  const database = connectPostgres({
    connectionString: shop.database_url,
    onStatement: (text) => void texts.push(text),
  })
  try {
    await fill(database)
    await query(shop, 'vacuum analyze audit_log') // as the database does by itself within a minute
    await report(database)
    await measureSearches(database, texts)
    await measureDrop(database)
  } finally {
    await database.close()
    await shop.stop()
  }
}

/** Two of three calls read a voucher; one in fifty fails; one endpoint and one key are rare. */
async function fill({ db, execute }: Database): Promise<void> {
  await makeAuditPartitions(
    db,
    Array.from({ length: days }, (_, day) => firstDay + day * dayMs),
  )
  const perDay = Math.floor(entries / days)
  const body = (length: number) => JSON.stringify({ text: 'abcdefghij'.repeat(length / 10) })
  for (let day = 0; day < days; day += 1) {
    const values = [projectId, body(300).slice(0, -2), body(700).slice(0, -2), firstDay + day * dayMs, perDay]
    for (let from = 0; from < perDay; from += atOnce)
      await execute(insertion, [...values, from, Math.min(from + atOnce, perDay) - 1])
    console.log(`  ${(perDay * (day + 1)).toLocaleString('en')} entries`)
  }
}

/** Entries of one statement, which has a time limit. */
const atOnce = 100_000

const insertion = `
  insert into audit_log (project_id, id, created_at, request_duration, status_code, channel, method, endpoint, url, app_id,
    request_body, response_body)
  select $1, 'log_' || lpad(to_hex(at), 11, '0') || lpad(to_hex(n), 7, '0'), to_timestamp(at / 1000.0), n % 50,
    case when n % 50 = 0 then 404 else 200 end, 'API',
    case when n % 100000 = 7 then 'DELETE' when n % 3 = 0 then 'POST' else 'GET' end,
    case when n % 100000 = 7 then 'DELETE_v1_vouchers' when n % 3 = 0 then 'POST_v1_redemptions' else 'GET_v1_vouchers' end,
    '/v1/vouchers/CODE-' || n, case when n % 100000 = 9 then 'rare-' else 'common' end || '0123456789abcdef0123456789abcd',
    case when n % 3 = 0 then $2 || n || '"}' end, $3 || n || '"}'
  from (select n, $4::bigint + (n::bigint * ${dayMs}) / $5::bigint as at from generate_series($6::int, $7::int) n) entries`

async function report({ execute }: Database): Promise<void> {
  const { rows } = await execute(`
    select pg_size_pretty(sum(pg_total_relation_size(c.oid))) as size,
      round(sum(pg_total_relation_size(c.oid)) / ${entries}) as bytes_each,
      round(sum(pg_indexes_size(c.oid)) / ${entries}) as index_bytes_each
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'audit_log'::regclass`)
  console.log(rows[0])
}

async function measureSearches({ db, execute }: Database, texts: string[]): Promise<void> {
  const now = today + dayMs
  const lastDay = { from: firstIdAt('audit_entry', now - dayMs), before: 'log_g' }
  const allDays = { from: firstIdAt('audit_entry', firstDay), before: 'log_g' }
  const middle = firstIdAt('audit_entry', today + dayMs / 2)
  const rare = `rare-0123456789abcdef0123456789abcd`
  const searches: Record<string, AuditLogFilter> = {
    'first page': lastDay,
    'page by cursor': { ...lastDay, before: middle },
    'one request': { from: middle, before: `${middle}g` },
    failures: { ...lastDay, status: 'FAILURE' },
    'an endpoint': { ...lastDay, endpoint: 'POST_v1_redemptions' },
    'a rare endpoint': { ...lastDay, endpoint: 'DELETE_v1_vouchers' },
    'an endpoint without entries': { ...lastDay, endpoint: 'PUT_v1_vouchers' },
    'a key': { ...lastDay, app_id: 'common0123456789abcdef0123456789abcd' },
    'a rare key': { ...lastDay, app_id: rare },
    'failures of a rare key': { ...lastDay, app_id: rare, status: 'FAILURE' },
    'failures of an endpoint': { ...lastDay, endpoint: 'POST_v1_redemptions', status: 'FAILURE' },
    'failures of a common key and endpoint that has none': {
      ...lastDay,
      app_id: 'common0123456789abcdef0123456789abcd',
      endpoint: 'DELETE_v1_vouchers',
      status: 'FAILURE',
    },
    'a method': { ...lastDay, method: 'POST' },
    'a rare method': { ...lastDay, method: 'DELETE' },
    'a method without entries': { ...lastDay, method: 'PUT' },
    'first page of all days': allDays,
    'a rare key, all days': { ...allDays, app_id: rare },
    'an endpoint without entries, all days': { ...allDays, endpoint: 'PUT_v1_vouchers' },
    'a method without entries, all days': { ...allDays, method: 'PUT' },
  }
  console.log('\n| Search | p50 | entries | reads |\n|---|--:|--:|---|')
  for (const [name, filter] of Object.entries(searches)) {
    const times: number[] = []
    let found = 0
    for (let n = 0; n < tries && (n === 0 || (times[0] as number) < 2_000); n += 1) {
      const start = performance.now()
      found = await listEntries({ db, project_id: projectId }, filter, 10).then(
        ({ rows }) => rows.length,
        () => Number.NaN,
      )
      times.push(performance.now() - start)
    }
    const text = texts.findLast((each) => each.includes('from audit_log')) as string
    const methods = filter.method === undefined ? [] : [`${filter.method}_`, `${filter.method}\``]
    const values = [...methods, filter.endpoint, filter.app_id].filter((value) => value !== undefined)
    const { rows } = await execute(`explain ${text}`, [projectId, filter.from, filter.before, ...values, 11, 10])
    const plan = rows.map((row) => (row as { 'QUERY PLAN': string })['QUERY PLAN'])
    const reads = plan.flatMap(
      (line) => /(?:Scan.* using (\w+)|(Seq Scan) )/.exec(line)?.slice(1).filter(Boolean) ?? [],
    )
    const kinds = [...new Set(reads.map((index) => (index as string).replace(/^audit_log_\d+_/, '')))]
    console.log(
      `| ${name} | ${median(times).toFixed(1)} ms | ${Number.isNaN(found) ? 'refused' : found} | ${kinds.join(', ')} |`,
    )
  }
}

/** Drops the oldest day while another connection writes. */
async function measureDrop(database: Database): Promise<void> {
  const settings = readSettings({ AUDIT_RETENTION_DAYS: String(days - 1) })
  let isOver = false
  const waits: number[] = []
  const writing = (async () => {
    for (let n = 0; !isOver; n += 1) {
      const start = performance.now()
      await database.execute(
        `insert into audit_log (project_id, id, created_at, request_duration, status_code, channel, method, endpoint, url)
         values ($1, $2, now(), 1, 200, 'API', 'GET', 'GET_v1_vouchers', '/')`,
        [projectId, `${firstIdAt('audit_entry', today)}${(0xf000000 + n).toString(16)}`],
      )
      waits.push(performance.now() - start)
    }
  })()
  const start = performance.now()
  await maintainPartitions({ database, settings, now: () => today + dayMs })
  const took = performance.now() - start
  isOver = true
  await writing
  console.log(
    `\nthe oldest of ${days} days (${Math.floor(entries / days).toLocaleString('en')} entries) was dropped in ${took.toFixed(0)} ms; meanwhile ${waits.length} writes took ${median(waits).toFixed(1)} ms, the longest ${Math.max(...waits).toFixed(0)} ms`,
  )
}
