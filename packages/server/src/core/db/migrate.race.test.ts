import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { bootstrap } from '../../account/installation/bootstrap.ts'
import { newPostgresDatabase } from '../../testing/database.ts'
import { backendOf, untilOthersWait } from '../../testing/lock-waits.ts'
import { anotherConnection, ownDatabase } from '../../testing/nodes.ts'
import { pastReleases, restoreRelease } from '../../testing/past-releases.ts'
import { testSettings } from '../../testing/runtime.ts'
import type { Database, Db } from './database.ts'
import { migrate } from './migrate.ts'
import type { LockWaits } from './migration-locks.ts'

/** As a node does when it starts. */
const start = (database: Database, waits: LockWaits = {}) =>
  database.inSession((db) => migrate(db, async () => {}, waits))

test('of ten nodes that start at once on an empty database, one migrates and creates the first project, and all start', async () => {
  const { url, drop } = await newPostgresDatabase()
  try {
    const nodes = Array.from({ length: 10 }, () => anotherConnection(url))
    const settings = testSettings()
    const startAll = () =>
      Promise.all(
        nodes.map((node) =>
          node.inSession((db) => migrate(db, (trx) => bootstrap(trx, settings, new Date().toISOString()))),
        ),
      )
    const starts = await startAll()
    expect(starts.filter(({ applied }) => applied.length > 0)).toHaveLength(1)
    const made = starts.filter(({ result }) => result !== null)
    expect(made).toHaveLength(1)
    expect(made[0]!.applied).toContain('0001-foundation')

    for (const table of ['organizations', 'users', 'projects', 'management_keys'] as const)
      expect(await nodes[0]!.db.selectFrom(table).selectAll().execute()).toHaveLength(1)
    expect(await nodes[0]!.db.selectFrom('api_keys').selectAll().execute()).toHaveLength(2)
    for (const { applied, result } of await startAll())
      expect({ applied, result }).toEqual({ applied: [], result: null })
    await Promise.all(nodes.map((node) => node.close()))
  } finally {
    await drop()
  }
})

test('a failed first start leaves nothing behind, and the next start succeeds', async () => {
  const { url, drop } = await newPostgresDatabase()
  try {
    const node = anotherConnection(url)
    await expect(
      node.inSession((db) =>
        migrate(db, async () => {
          throw new Error('power cut')
        }),
      ),
    ).rejects.toThrow('power cut')
    expect((await node.execute(`select tablename from pg_tables where schemaname = 'public'`)).rows).toEqual([])
    expect((await start(node)).applied).toContain('0001-foundation')
    await node.close()
  } finally {
    await drop()
  }
})

/** A database of a past release, whose events somebody reads until `end`. */
async function databaseWithReader() {
  const { database, url } = await ownDatabase({ migrated: false })
  await restoreRelease(database, pastReleases[0] as string)
  const started = Promise.withResolvers<number>()
  const ending = Promise.withResolvers<void>()
  const reading = database.db.transaction().execute(async (trx) => {
    await sql`select count(*) from event_rows`.execute(trx)
    started.resolve(await backendOf(trx))
    await ending.promise
  })
  const end = () => {
    ending.resolve()
    return reading
  }
  return { database, reader: await started.promise, end, node: () => anotherConnection(url as string) }
}

const migrationsOf = async (db: Db) =>
  (await sql<{ name: string }>`select name from migrations order by 1`.execute(db)).rows

test('while somebody reads a table that a migration changes, requests are served; the migration follows', async () => {
  const { database, reader, end, node } = await databaseWithReader()
  const problems: string[] = []
  let isMigrated = false
  const startNode = () =>
    start(node(), {
      lock_seconds: 1,
      pause_seconds: 1,
      onWait: (problem) => problems.push(problem),
    }).finally(() => {
      isMigrated = true
    })
  const startedAt = performance.now()
  const migrations = [startNode(), startNode()]
  for (let round = 1; round <= 3; round += 1) {
    await untilOthersWait(database, reader)
    // The migration holds `projects` now. It must give it back although the reader goes on reading: without that, this statement
    // fails after 30 s.
    await database.execute('select id from projects')
  }
  expect(isMigrated).toBe(false)
  // Only one node tries, and it repeats itself every half a minute at most.
  expect(problems.length).toBeGreaterThan(0)
  expect(problems.length).toBeLessThanOrEqual(1 + (performance.now() - startedAt) / 30_000)
  expect(problems[0]).toMatch(/^the migration waits for tables that others use: .*; trying again for \d+ s$/)
  expect(problems[0]).toMatch(new RegExp(`pid ${reader} \\(guerdon, user \\w+, since [^)]+\\) on event_rows;`))
  await end()
  const applied = (await Promise.all(migrations)).map(({ applied }) => applied.length)
  expect(applied.sort((a, b) => a - b)).toEqual([0, expect.toSatisfy((count) => count > 4)])
})

test('a migration that waited in vain says for whom, changes nothing, and leaves the lock to the next start', async () => {
  const { database, reader, end, node } = await databaseWithReader()
  const before = await migrationsOf(database.db)
  const first = node()
  await expect(start(first, { lock_seconds: 0.2, pause_seconds: 0.1, wait_seconds: 0.5 })).rejects.toThrow(
    new RegExp(
      `^The database was not migrated, and nothing has changed: for 0.5 s others used its tables: .*pid ${reader} .* on event_rows.*\\. Wait until they end`,
    ),
  )
  expect(await migrationsOf(database.db)).toEqual(before)
  await end()
  expect((await start(node())).applied).toContain('0016-consents-and-event-positions')
  expect((await start(first)).applied).toEqual([])
})

/** Takes back what the migration of statistics did, as far as it has to be gone before that migration can run again. */
const beforeStatistics = `
  delete from migrations where name = '0024-statistics';
  drop table statistics_sums, statistics_refusals, statistics_orders, statistics_progress, statistics_history;
  drop function mark_changed_order, subtract_deleted_card cascade;
  drop statistics customers_email_frequency, customers_name_frequency;
  drop index customers_email_start, customers_name_start, campaigns_name_start, products_name_start;
  create index customers_email on customers (project_id, email);
  create index customers_name on customers (project_id, name)`

test('a migration waits for a request before it locks tables that the request uses next', async () => {
  const { database, url } = await ownDatabase()
  for (const statement of beforeStatistics.split(';')) await database.execute(statement)
  const node = anotherConnection(url as string)
  let migrating: Promise<{ applied: string[] }> | undefined
  await database.db.transaction().execute(async (trx) => {
    // In the order of a redemption (functions/checkout_save_all.sql).
    await sql`select from customers for update`.execute(trx)
    migrating = start(node, { lock_seconds: 60 })
    await untilOthersWait(database, await backendOf(trx))
    await sql`set local lock_timeout = 500`.execute(trx) // shorter than the detection of deadlocks, which may end the migration instead
    for (const table of ['vouchers', 'redemptions', 'publications', 'postings'])
      await sql`select from ${sql.table(table)} for update`.execute(trx)
  })
  expect((await migrating)?.applied).toEqual(['0024-statistics'])
  await node.close()
})
