// @embedded: it has no partitions to lock
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openIdleRuntime, until } from '../../testing/background.ts'
import { databaseKind } from '../../testing/database.ts'
import { ownDatabase } from '../../testing/nodes.ts'
import { tally } from '../db/tallies.ts'
import { newId } from '../lib/ids.ts'
import { maintain, startMaintenance } from './maintenance.ts'

const { database } = await ownDatabase()
const { db } = database
const now = '2026-06-01T12:00:00.000Z'
const before = (minutes: number) => new Date(Date.parse(now) - minutes * 60_000).toISOString()

test('expired rows are deleted, others stay; a second run finds nothing', async () => {
  const projectId = newId('project')
  await insertKeys(projectId, { expired: before(1), fresh: before(-1) })
  const apiKeyId = newId('api_key')
  await sql`
    insert into api_keys (id, project_id, name, kind, role, app_id, secret_hash, client_id, ip_whitelist, status, is_primary, created_at)
    values (${apiKeyId}, ${projectId}, 'key', 'server', 'ADMIN', 'a', '', 'c', '[]', 'ACTIVE', true, ${now})`.execute(
    db,
  )
  const token = (scope: string, expiresAt: string) => ({
    token_hash: randomBytes(8),
    project_id: projectId,
    api_key_id: apiKeyId,
    scope,
    created_at: now,
    expires_at: expiresAt,
  })
  await db
    .insertInto('oauth_tokens')
    .values([token('long gone', before(25 * 60)), token('just gone', before(60)), token('valid', before(-60))])
    .execute()
  const window = (kind: string, seconds: number, startsAt: string) => ({
    project_id: projectId,
    kind,
    seconds,
    starts_at: startsAt,
    calls: 1,
    calls_max: 9,
  })
  await db
    .insertInto('call_windows')
    .values([
      window('past', 60, before(62)),
      window('recent', 60, before(60)),
      window('of this month', 0, before(20 * 24 * 60)),
      window('of the month before', 0, before(32 * 24 * 60)),
    ])
    .execute()

  await insertFile(projectId, 'file_over', before(1), 3)
  await insertFile(projectId, 'file_empty', before(1), 0)
  await insertFile(projectId, 'file_fresh', before(-1), 2)
  await insertFile(projectId, 'file_kept', null, 1)

  for (const [resourceId, expiresAt] of [
    ['v_over', before(1)],
    ['v_held', before(-1)],
  ])
    await sql`insert into holds values (${projectId}, 'ssn_1', ${resourceId}, 1, 0, ${before(9)}, ${expiresAt})`.execute(
      db,
    )
  for (const [name, touchedAt] of [
    ['left', before(25 * 60)],
    ['in use', before(23 * 60)],
  ])
    await sql`insert into guards values (${projectId}, ${name}, 1, ${touchedAt})`.execute(db)

  for (let run = 0; run < 2; run += 1) {
    await maintain(database, now)
    expect(await namesIn('select resource_id as name from holds')).toEqual(['v_held'])
    expect(await namesIn('select name from guards')).toEqual(['in use'])
    expect(await namesIn('select key as name from idempotency_keys')).toEqual(['fresh'])
    expect(await namesIn('select scope as name from oauth_tokens')).toEqual(['just gone', 'valid'])
    expect(await namesIn('select kind as name from call_windows')).toEqual(['of this month', 'recent'])
    expect(await namesIn('select id as name from files')).toEqual(['file_fresh', 'file_kept'])
    expect(await namesIn(`select file_id || ' ' || start as name from file_chunks`)).toEqual([
      'file_fresh 0',
      'file_fresh 1',
      'file_kept 0',
    ])
  }
})

test('many rows are deleted in batches, on two nodes at once', async () => {
  const projectId = newId('project')
  await sql`
    insert into idempotency_keys (project_id, key, fingerprint, expires_at)
    select ${projectId}, 'key ' || n, '', ${before(1)}::timestamptz from generate_series(1, 3500) as n`.execute(db)
  await Promise.all([maintain(database, now), maintain(database, now)])
  expect(await namesIn(`select key as name from idempotency_keys where project_id = '${projectId}'`)).toEqual([])
})

test('a large file is deleted in batches, on two nodes at once', async () => {
  const projectId = newId('project')
  await insertFile(projectId, 'file_large', before(1), 250)
  await Promise.all([maintain(database, now), maintain(database, now)])
  await maintain(database, now)
  expect(await namesIn(`select id as name from files where project_id = '${projectId}'`)).toEqual([])
})

test('tallies are merged for every project', async () => {
  const projects = [newId('project'), newId('project'), newId('project')] as const
  await sql`
    insert into tallies (project_id, name, id, delta)
    select p, 'customers', 'w-' || n, case when n % 3 = 0 then -1 else 1 end
    from generate_series(1, 1500) as n, unnest(${[projects[0], projects[1]]}::text[]) as p`.execute(db)
  await tally(db, projects[1], 'orders', 7)
  await tally(db, projects[2], 'orders', 3)
  await maintain(database, now)
  for (const [projectId, name, sum] of [
    [projects[0], 'customers', 500],
    [projects[1], 'customers', 500],
    [projects[1], 'orders', 7],
    [projects[2], 'orders', 3],
  ] as const)
    expect(
      await db
        .selectFrom('tallies')
        .where('project_id', '=', projectId)
        .where('name', '=', name)
        .select('delta')
        .execute(),
    ).toEqual([{ delta: sum }])
})

test('usage is merged by campaign and day, rollbacks separately', async () => {
  const projectId = newId('project')
  await sql`
    insert into usage (project_id, scope_id, day, is_undone, id, redemptions, orders_amount, discounted_amount, credits)
    select ${projectId}, s, '2026-01-01'::date + n % 2, n % 10 = 0, 'r_' || n, 1, 100, 10, n
    from generate_series(1, 2500) as n, unnest(array['camp_1', 'camp_2']) as s`.execute(db)
  await sql`insert into usage values (${projectId}, 'camp_1', '2026-01-02', false, '', 5, 9007199254740991, 5, 0)`.execute(
    db,
  )
  await maintain(database, now)
  const { rows } = await sql<{ row: string }>`
    select concat_ws(' ', scope_id, day, is_undone, quote_literal(id), redemptions, orders_amount, discounted_amount, credits) as row
    from usage where project_id = ${projectId} order by 1`.execute(db)
  expect(rows.map(({ row }) => row)).toEqual([
    "camp_1 2026-01-01 f '' 1000 100000 10000 1250000",
    "camp_1 2026-01-01 t '' 250 25000 2500 313750",
    "camp_1 2026-01-02 f '' 1255 9007199254865991 12505 1562500",
    "camp_2 2026-01-01 f '' 1000 100000 10000 1250000",
    "camp_2 2026-01-01 t '' 250 25000 2500 313750",
    "camp_2 2026-01-02 f '' 1250 125000 12500 1562500",
  ])
})

test('an aborted run stops', async () => {
  const projectId = newId('project')
  await insertKeys(projectId, { expired: before(1) })
  await maintain(database, now, AbortSignal.abort())
  expect(await namesIn(`select key as name from idempotency_keys where project_id = '${projectId}'`)).toEqual([
    'expired',
  ])
})

test('it is scheduled, and runs when due', async () => {
  const runtime = await openIdleRuntime(database)
  const projectId = newId('project')
  await insertKeys(projectId, { expired: '2020-01-01T00:00:00.000Z' })
  await startMaintenance(runtime)
  const { rows } = await database.execute(`select name, cron from pgboss.schedule`)
  expect(rows).toEqual([{ name: 'maintenance', cron: '* * * * *' }])
  expect(await runtime.jobs.send({ db, afterCommit: (work) => work() }, 'maintenance', null)).toBe(true)
  await until(async () =>
    (await namesIn(`select key as name from idempotency_keys where project_id = '${projectId}'`)).length === 0
      ? true
      : undefined,
  )
  await runtime.jobs.close()
})

test.each([
  ['ahead', 400, ['in a day']],
  ['behind', -400, ['in a day', 'yesterday']],
] as const)('a node whose clock is far %s deletes nothing that is not old', async (_, days, kept) => {
  const runtime = await openIdleRuntime(database)
  const dayMs = 86_400_000
  const at = (later: number) => new Date(Date.now() + later * dayMs).toISOString()
  const projectId = newId('project')
  await insertKeys(projectId, { yesterday: at(-1), 'in a day': at(1) })
  const times: string[] = []
  const lastTask = {
    rows_max: 1,
    processBatch: async (_db: unknown, time: string) => {
      times.push(time)
      return 0
    },
  }
  await startMaintenance({ ...runtime, now: () => Date.now() + days * dayMs }, [lastTask])
  await runtime.jobs.send({ db, afterCommit: (work) => work() }, 'maintenance', null)
  const time = Date.parse(await until(async () => times[0]))
  expect(Math.abs(time - Date.parse(at(Math.min(days, 0))))).toBeLessThan(dayMs / 2)
  expect(await namesIn(`select key as name from idempotency_keys where project_id = '${projectId}'`)).toEqual(kept)
  await runtime.jobs.close()
})

test.runIf(databaseKind() === 'pglite')(
  'on PGlite, tables with dead rows are vacuumed, because it has no autovacuum',
  async () => {
    await database.execute(
      'create table worn (n int); insert into worn select 1 from generate_series(1, 2000); update worn set n = 2',
    )
    await database.execute('select pg_stat_force_next_flush()') // otherwise the statistics are up to a second old
    await maintain(database, now)
    const { rows } = await database.execute(`
    select n_dead_tup as dead, last_vacuum is not null as vacuumed, last_analyze is not null as analyzed
    from pg_stat_user_tables where relname = 'worn'`)
    expect(rows).toEqual([{ dead: 0, vacuumed: true, analyzed: true }])
  },
)

const namesIn = async (query: string) =>
  (await database.execute(`${query} order by 1`)).rows.map((row) => (row as { name: string }).name)

async function insertKeys(projectId: string, keys: Record<string, string>): Promise<void> {
  for (const [key, expiresAt] of Object.entries(keys))
    await sql`insert into idempotency_keys (project_id, key, fingerprint, expires_at) values (${projectId}, ${key}, '', ${expiresAt})`.execute(
      db,
    )
}

async function insertFile(projectId: string, id: string, expiresAt: string | null, chunks: number): Promise<void> {
  await sql`insert into files (project_id, id, created_at, expires_at) values (${projectId}, ${id}, ${now}, ${expiresAt})`.execute(
    db,
  )
  await sql`
    insert into file_chunks (project_id, file_id, start, bytes)
    select ${projectId}, ${id}, n, 'x' from generate_series(0, ${sql.lit(chunks - 1)}::int) as n`.execute(db)
}
