import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { newId } from '../lib/ids.ts'
import { openHouse, until } from '../testing/background.ts'
import { databaseKind } from '../testing/database.ts'
import { ownDatabase } from '../testing/nodes.ts'
import { maintain, startMaintenance } from './maintenance.ts'

const { database } = await ownDatabase()
const { db } = database
const now = '2026-06-01T12:00:00.000Z'
const before = (minutes: number) => new Date(Date.parse(now) - minutes * 60_000).toISOString()

test('what is over is deleted, what is not stays; a second run finds nothing', async () => {
  const project_id = newId('project')
  await insertKeys(project_id, { expired: before(1), fresh: before(-1) })
  const api_key_id = newId('api_key')
  await sql`
    insert into api_keys (id, project_id, name, kind, role, app_id, secret_hash, client_id, ip_whitelist, status, is_primary, created_at)
    values (${api_key_id}, ${project_id}, 'key', 'server', 'ADMIN', 'a', '', 'c', '[]', 'ACTIVE', true, ${now})`.execute(
    db,
  )
  const token = (scope: string, expires_at: string) => ({
    token_hash: randomBytes(8),
    project_id,
    api_key_id,
    scope,
    created_at: now,
    expires_at,
  })
  await db
    .insertInto('oauth_tokens')
    .values([token('long gone', before(25 * 60)), token('just gone', before(60)), token('valid', before(-60))])
    .execute()
  const window = (kind: string, seconds: number, starts_at: string) => ({
    project_id,
    kind,
    seconds,
    starts_at,
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

  for (let run = 0; run < 2; run += 1) {
    await maintain(database, now)
    expect(await left('select key as name from idempotency_keys')).toEqual(['fresh'])
    expect(await left('select scope as name from oauth_tokens')).toEqual(['just gone', 'valid'])
    expect(await left('select kind as name from call_windows')).toEqual(['of this month', 'recent'])
  }
})

test('many rows go in batches, on two nodes at once', async () => {
  const project_id = newId('project')
  await sql`
    insert into idempotency_keys (project_id, key, fingerprint, expires_at)
    select ${project_id}, 'key ' || n, '', ${before(1)}::timestamptz from generate_series(1, 3500) as n`.execute(db)
  await Promise.all([maintain(database, now), maintain(database, now)])
  expect(await left(`select key as name from idempotency_keys where project_id = '${project_id}'`)).toEqual([])
})

test('a run that is told to stop does no more', async () => {
  const project_id = newId('project')
  await insertKeys(project_id, { expired: before(1) })
  await maintain(database, now, AbortSignal.abort())
  expect(await left(`select key as name from idempotency_keys where project_id = '${project_id}'`)).toEqual(['expired'])
})

test('it is scheduled, and runs when its time has come', async () => {
  const house = await openHouse(database)
  const project_id = newId('project')
  await insertKeys(project_id, { expired: '2020-01-01T00:00:00.000Z' })
  await startMaintenance(house)
  const { rows } = await database.execute(`select name, cron from pgboss.schedule`)
  expect(rows).toEqual([{ name: 'maintenance', cron: '*/10 * * * *' }])
  expect(await house.jobs.send({ db, afterCommit: (work) => work() }, 'maintenance', null)).toBe(true)
  await until(async () =>
    (await left(`select key as name from idempotency_keys where project_id = '${project_id}'`)).length === 0
      ? true
      : undefined,
  )
  await house.jobs.close()
})

test.runIf(databaseKind() === 'pglite')(
  'embedded, worn tables are vacuumed, which PGlite does not do by itself',
  async () => {
    await database.execute(
      'create table worn (n int); insert into worn select 1 from generate_series(1, 2000); update worn set n = 2',
    )
    await database.execute('select pg_stat_force_next_flush()') // otherwise the counts are up to a second behind
    await maintain(database, now)
    const { rows } = await database.execute(`
    select n_dead_tup as dead, last_vacuum is not null as vacuumed, last_analyze is not null as analyzed
    from pg_stat_user_tables where relname = 'worn'`)
    expect(rows).toEqual([{ dead: 0, vacuumed: true, analyzed: true }])
  },
)

const left = async (query: string) =>
  (await database.execute(`${query} order by 1`)).rows.map((row) => (row as { name: string }).name)

async function insertKeys(project_id: string, keys: Record<string, string>): Promise<void> {
  for (const [key, expires_at] of Object.entries(keys))
    await sql`insert into idempotency_keys (project_id, key, fingerprint, expires_at) values (${project_id}, ${key}, '', ${expires_at})`.execute(
      db,
    )
}
