import { CompiledQuery, sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import type { Runtime } from '../../core/context.ts'
import type { Database, Db } from '../../core/db/database.ts'
import type { Instant } from '../../core/lib/instant.ts'
import { limits } from '../../core/lib/limits.ts'
import { newClock, type Shop, type TestService } from '../../testing/app.ts'
import { until } from '../../testing/background.ts'
import { newVoucher } from '../../testing/campaigns.ts'
import { openNode, ownDatabase } from '../../testing/nodes.ts'
import { openWebhookTarget, type WebhookTarget } from '../../testing/webhook-target.ts'
import { newWebhook, newWebhookShop, sendoutsOf } from '../../testing/webhooks.ts'
import { newDelivery } from './deliver.ts'
import type { DueSendout } from './due-sendouts.ts'
import { takeWebhooks } from './leases.ts'

interface Fixture {
  service: TestService
  database: Database
  /** Hangs where the path begins with `/hang`. */
  target: WebhookTarget
}

async function openFixture(timeoutMs: number): Promise<Fixture> {
  const { slow_attempt_ms } = limits
  Object.assign(limits, { slow_attempt_ms: 60_000 }) // what answers at once counts as fast on a busy machine, too
  onTestFinished(() => void Object.assign(limits, { slow_attempt_ms }))
  const { database } = await ownDatabase()
  const env = { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true', WEBHOOK_TIMEOUT_MS: String(timeoutMs) }
  const service = { ...(await openNode(database, { env })), clock: newClock() }
  const target = await openWebhookTarget()
  target.answer = ({ path }) => (path.startsWith('/hang') ? 'hang' : 200)
  return { service, database, target }
}

/** A shop with webhooks whose target hangs, and send-outs of one event for each of them. */
async function hangingShop(
  { service, database, target }: Fixture,
  { webhooks, sendouts, length = 0 }: { webhooks: number; sendouts: number; length?: number },
): Promise<Shop> {
  const shop = await newWebhookShop(service)
  await newWebhook(shop, `${target.url}/hang`, ['voucher.created'])
  await newVoucher(shop, 'SEED', { metadata: { text: 'MARK' } })
  for (const [table, column] of [
    ['event_rows', 'data'],
    ['event_parts', 'parts'],
  ] as const)
    await sql`update ${sql.table(table)} set ${sql.ref(column)} = replace(${sql.ref(column)}, 'MARK', repeat('x', ${length}))
      where project_id = ${shop.project_id}`.execute(database.db)
  const { project_id } = shop
  await sql`
    insert into webhooks (project_id, id, target_url, events, active, created_at)
    select project_id, 'wh_' || lpad(to_hex(n), 18, '0'), target_url, events, true, created_at
    from webhooks cross join generate_series(1, ${webhooks}) n where project_id = ${project_id}`.execute(database.db)
  await sql`
    insert into webhook_sendouts (project_id, id, webhook_id, event_id, type, source_url, status, request_id, created_at,
      next_attempt_at, due_at)
    select project_id, 'whs_' || lpad(to_hex(h * 1000 + n), 18, '0'), 'wh_' || lpad(to_hex(h), 18, '0'), event_id, type,
      source_url, 'PENDING', request_id, created_at, created_at, created_at
    from webhook_sendouts cross join generate_series(1, ${webhooks}) h cross join generate_series(1, ${sendouts}) n
    where project_id = ${project_id}`.execute(database.db)
  await sql`delete from webhook_sendouts where id not like 'whs_00000%' and project_id = ${project_id}`.execute(
    database.db,
  )
  await sql`analyze`.execute(database.db)
  return shop
}

/** The runtime, with everything that its prepared statements return. */
function watched(runtime: Runtime): { runtime: Runtime; results: object[][] } {
  const results: object[][] = []
  const { db } = runtime.database
  const watchedDb = new Proxy(db, {
    get(target, key) {
      const value = Reflect.get(target, key, target)
      if (key !== 'executeQuery') return typeof value === 'function' ? value.bind(target) : value
      return async (query: Parameters<Db['executeQuery']>[0]) => {
        const result = await target.executeQuery(query)
        results.push(result.rows as object[])
        return result
      }
    },
  })
  return { runtime: { ...runtime, database: { ...runtime.database, db: watchedDb } }, results }
}

test('a node reads no more than it can start, however many webhooks hang and however large their events are', async () => {
  const fixture = await openFixture(600_000)
  await hangingShop(fixture, { webhooks: 120, sendouts: 45, length: 60_000 })
  const { runtime, results } = watched(fixture.service.runtime)
  const delivery = newDelivery(runtime)
  for (let looks = 0; looks < 4; looks += 1) await delivery.look()
  const reads = results.map((rows) => rows.flatMap((row) => ('data' in row ? [String(row.data).length] : [])))
  const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0)
  expect(sum(reads.flat())).toBeGreaterThan(1_000_000)
  for (const read of reads) {
    expect(read.length).toBeLessThanOrEqual(limits.slow_attempts_max)
    expect(sum(read)).toBeLessThan(limits.sendouts_read_bytes_max + 100_000)
  }
  await until(() => (fixture.target.requests.length >= 25 ? true : undefined))
  await stopAtOnce(fixture, delivery)
})

test('one budget holds for what is read for all webhooks', async () => {
  const fixture = await openFixture(600_000)
  // One and a half MiB each: three fit.
  await hangingShop(fixture, { webhooks: 12, sendouts: 2, length: 1_500_000 })
  const { runtime, results } = watched(fixture.service.runtime)
  const delivery = newDelivery(runtime)
  await delivery.look()
  const readFor = () => results.flat().flatMap((row) => ('data' in row ? [(row as DueSendout).webhook_id] : []))
  expect(readFor()).toHaveLength(3)
  expect(new Set(readFor()).size).toBe(3)
  await stopAtOnce(fixture, delivery)
})

test('hanging webhooks take turns, and one that is new or was fast is tried at once', async () => {
  const fixture = await openFixture(600_000)
  const { service, target } = fixture
  await hangingShop(fixture, { webhooks: 100, sendouts: 60 })
  const delivery = newDelivery(service.runtime)
  const tally = service.runtime.webhook_attempts
  const tried = () => new Set(target.requests.map(({ headers }) => webhookOf(String(headers['webhook-id'])))).size
  // A busy node starts them in several steps.
  const lookUntil = (isReached: () => boolean) =>
    until(async () => {
      if (isReached()) return true
      await delivery.look()
      return undefined
    })
  for (const round of [1, 2]) {
    await lookUntil(() => target.requests.length === 50 * round)
    expect(tried()).toBe(50 * round)
    target.release() // they fail
    await until(() => (tally.failed === 50 * round ? true : undefined))
  }
  const triedMax = limits.slow_attempts_max - limits.untried_attempts_reserved
  await lookUntil(() => tally.in_flight === triedMax)

  const shop = await newWebhookShop(service)
  await newWebhook(shop, `${target.url}/new`, ['voucher.created'])
  const arrived = () => target.requests.filter(({ path }) => path === '/new').length
  const arrives = async (count: number) => {
    await newVoucher(shop, `V${count}`)
    await delivery.look()
    await until(() => (arrived() === count && tally.in_flight === triedMax ? true : undefined))
  }
  await arrives(1)
  target.answer = ({ path }) => (path === '/new' ? 500 : 'hang')
  await arrives(2)
  target.answer = ({ path }) => (path === '/new' ? 200 : 'hang')
  await arrives(3) // one failure in between is forgiven
  await stopAtOnce(fixture, delivery)
})

/** The number of the webhook of a send-out of `hangingShop`. */
const webhookOf = (sendoutId: string): number => Math.floor(Number.parseInt(sendoutId.slice(4), 16) / 1_000)

interface Plan {
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Join Filter'?: number
  Plans?: Plan[]
}

/** The rows that all steps of a statement went through. */
const rowsOf = (plan: Plan): number =>
  plan['Actual Loops'] *
    (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Join Filter'] ?? 0)) +
  (plan.Plans ?? []).reduce((sum, each) => sum + rowsOf(each), 0)

/** Runs a prepared statement and returns how many rows it went through. */
async function rowsThrough(db: Db, run: (db: Db) => Promise<unknown>): Promise<number> {
  let rows = 0
  const explaining = {
    async executeQuery({ sql: text, parameters }: CompiledQuery) {
      const explained = CompiledQuery.raw(`explain (analyze, format json) ${text}`, [...parameters])
      const result = await db.executeQuery<{ 'QUERY PLAN': Array<{ Plan: Plan }> }>(explained)
      rows = rowsOf((result.rows[0] as (typeof result.rows)[0])['QUERY PLAN'][0]?.Plan as Plan)
      return { rows: [] }
    },
  }
  await run(explaining as unknown as Db)
  return rows
}

const start = { project_id: '', webhook_id: '' }

test('a look at 5,000 waiting webhooks is bounded, comes to all of them, and leaves the fast ones none the slower', async () => {
  const fixture = await openFixture(600_000)
  const { service, target, database } = fixture
  const shop = await newWebhookShop(service)
  await newWebhook(shop, `${target.url}/fast`, ['voucher.created'])
  await newVoucher(shop, 'V1')
  const delivery = newDelivery(service.runtime)
  const arrived = () => target.requests.filter(({ path }) => path === '/fast').length
  await delivery.look()
  await until(async () => ((await sendoutsOf(shop, 'status=SUCCEEDED')).length === 1 ? true : undefined))
  await hangingShop(fixture, { webhooks: 5_000, sendouts: 1 })
  const { db } = database
  const lease = { node: 'other', lease_ms: 1, renew_below_ms: 0, fast: [], except: [], fast_max: 100, slow_max: 50 }
  const now = new Date(service.runtime.now()).toISOString() as Instant
  const rows = await rowsThrough(db, (explaining) => takeWebhooks(explaining, { ...lease, now, after: start }))
  expect(rows).toBeGreaterThan(limits.webhooks_looked_at_once)
  expect(rows).toBeLessThan(20 * limits.webhooks_looked_at_once)

  const seen = new Set<string>()
  let looks = 0
  for (let after: typeof start | null = start; after !== null; looks += 1) {
    const { webhooks, walked } = await takeWebhooks(db, { ...lease, now, after })
    expect(webhooks.filter(({ is_leased }) => is_leased)).toHaveLength(Math.min(lease.slow_max, webhooks.length))
    for (const { webhook_id } of webhooks) seen.add(webhook_id)
    after = walked
  }
  expect(seen.size).toBe(5_000)
  expect(looks).toBe(6) // the last one finds the end

  for (const count of [2, 3, 4]) {
    await newVoucher(shop, `V${count}`)
    await until(async () => {
      if (arrived() === count) return true
      await delivery.look()
      return undefined
    })
  }
  await stopAtOnce(fixture, delivery)
})

/** Answers what hangs, so that the stop need not wait for it. */
async function stopAtOnce({ target }: Fixture, delivery: ReturnType<typeof newDelivery>): Promise<void> {
  target.release()
  await delivery.stop()
}
