import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import type { AuditEntry, ClaimedCredentials } from '../../core/http/audit-log.ts'
import { limits } from '../../core/lib/limits.ts'
import { operations } from '../../operations.ts'
import { newProject, newTestApp, send } from '../../testing/app.ts'
import { newAuditEntry } from '../../testing/audit-entry.ts'
import { insertProject, openIdleRuntime, until } from '../../testing/background.ts'
import { ownDatabase } from '../../testing/nodes.ts'
import { insertTestProject } from '../../testing/project.ts'
import { openTestRuntime } from '../../testing/runtime.ts'
import { listEntries } from './store.ts'
import { openAuditLog } from './writer.ts'

const log = pino({ level: 'silent' })
const { database } = await ownDatabase()
const { db } = database
const { id: projectId } = await insertProject(await openIdleRuntime(database))

const newEntry = (changes: Partial<AuditEntry> = {}): AuditEntry => newAuditEntry(projectId, Date.now(), changes)

const long = 'x'.repeat(limits.audit_body_bytes_max)

async function writtenOf(entries: readonly AuditEntry[]): Promise<number> {
  const ids = entries.map(({ request_id }) => request_id.replace('v-', 'log_'))
  const { rows } = await sql`select from audit_log where id = any(${ids}::text[])`.execute(db)
  return rows.length
}

test('entries are written in batches, a moment later, without being asked to', async () => {
  const auditLog = openAuditLog(db, log)
  const entries = Array.from({ length: 1_200 }, () => newEntry())
  for (const entry of entries) auditLog.record(entry)
  await until(() => (auditLog.counts().written === 1_200 ? true : undefined))
  expect(await writtenOf(entries)).toBe(1_200)
  expect(auditLog.counts()).toEqual({
    written: 1_200,
    dropped_overload: 0,
    dropped_refused: 0,
    dropped_failure: 0,
    waiting_bytes: 0,
  })
})

test('entries that arrive during a write wait for others again, instead of a statement for each', async () => {
  const auditLog = openAuditLog(db, log)
  auditLog.record(newEntry())
  let flushing = Promise.resolve()
  await db.transaction().execute(async (trx) => {
    await sql`lock table audit_log in access exclusive mode`.execute(trx)
    flushing = auditLog.flush()
    await setImmediate()
    for (let n = 0; n < 5; n += 1) auditLog.record(newEntry())
  })
  await flushing
  expect(auditLog.counts().written).toBe(1)
  await until(() => (auditLog.counts().written === 6 ? true : undefined))
})

describe('while the database is busy', () => {
  test('entries wait in limited memory, further ones are dropped and counted, and those that waited are written', async () => {
    const auditLog = openAuditLog(db, log)
    const entries = Array.from({ length: 300 }, () => newEntry({ request_body: long, response_body: long }))
    await db.transaction().execute(async (trx) => {
      await sql`lock table audit_log in access exclusive mode`.execute(trx)
      for (const entry of entries) auditLog.record(entry)
      const { waiting_bytes, dropped_overload, written } = auditLog.counts()
      expect(waiting_bytes).toBeGreaterThan(limits.audit_bytes_max - 300_000)
      expect(waiting_bytes).toBeLessThanOrEqual(limits.audit_bytes_max)
      // Each takes two bytes per character: 4 × 64 KiB and the rest of the entry; 127 fit into 32 MiB.
      expect({ dropped_overload, written }).toEqual({ dropped_overload: 300 - 127, written: 0 })
    })
    await auditLog.flush()
    expect(auditLog.counts()).toMatchObject({ written: 127, waiting_bytes: 0 })
    expect(await writtenOf(entries.slice(0, 127))).toBe(127)
    const next = newEntry()
    auditLog.record(next)
    await auditLog.flush()
    expect(await writtenOf([next])).toBe(1)
  })

  test('refused credentials cannot displace the entries of others', async () => {
    const auditLog = openAuditLog(db, log)
    const url = `/v1/categories?${'x'.repeat(1_000)}`
    for (let n = 0; n < 3_000; n += 1) auditLog.record(newEntry({ project_id: null, is_refused: true, url }))
    expect(auditLog.counts().waiting_bytes).toBeLessThanOrEqual(limits.audit_refused_bytes_max)
    expect(auditLog.counts().dropped_overload).toBeGreaterThan(1_000)
    const { dropped_overload } = auditLog.counts()
    auditLog.record(newEntry())
    expect(auditLog.counts().dropped_overload).toBe(dropped_overload)
    await auditLog.flush()
    // Nobody knows the project of the others, so they are no entries, and not lost.
    expect(auditLog.counts()).toMatchObject({ written: 1, dropped_failure: 0, waiting_bytes: 0 })
    auditLog.record(newEntry({ project_id: null, is_refused: true }))
    expect(auditLog.counts().dropped_overload).toBe(dropped_overload)
    await auditLog.close()
  })

  test('of many refused requests of a project, some per second are logged and the others counted', async () => {
    let now = 10_000
    const auditLog = openAuditLog(db, log, { now: () => now })
    const max = limits.audit_refused_per_second_max
    const refuse = (project: string) =>
      auditLog.record(newEntry({ project_id: project, is_refused: true, status_code: 429 }))
    for (let n = 0; n < 1_000; n += 1) refuse(projectId)
    expect(auditLog.counts()).toMatchObject({ dropped_refused: 1_000 - max, dropped_overload: 0 })
    refuse('proj_other')
    now += 999
    refuse(projectId)
    expect(auditLog.counts().dropped_refused).toBe(1_001 - max)
    auditLog.record(newEntry()) // not refused
    now += 1
    for (let n = 0; n < max; n += 1) refuse(projectId)
    expect(auditLog.counts()).toMatchObject({ dropped_refused: 1_001 - max, dropped_overload: 0 })
    await auditLog.close()
    expect(auditLog.counts()).toMatchObject({ written: 2 * max + 2, waiting_bytes: 0 })
  })

  test('of many requests with wrong credentials that name a key, some per second are logged, whatever else they name', async () => {
    let now = 10_000
    const auditLog = openAuditLog(db, log, { now: () => now })
    const max = limits.audit_refused_per_second_max
    const refuse = (claimed: Partial<ClaimedCredentials>) => {
      const entry = newEntry({
        project_id: null,
        is_refused: true,
        status_code: 401,
        claimed: { app_id: null, client_app_id: null, token: null, ...claimed },
      })
      auditLog.record(entry)
      return entry
    }
    const runtime = await openTestRuntime(database)
    const { app_id, client_id, access_token } = await insertTestProject(runtime, {})
    // Who varies one of them still names the other.
    const byPage = Array.from({ length: 500 }, (_, n) => refuse({ app_id: `guess-${n}`, client_app_id: client_id }))
    const byToken = Array.from({ length: 500 }, (_, n) => refuse({ app_id: `guess-${n}`, token: access_token }))
    const byKey = Array.from({ length: 500 }, () => refuse({ app_id }))
    expect(auditLog.counts()).toMatchObject({ dropped_refused: 1_500 - 3 * max, dropped_overload: 0 })
    now += 1_000
    const later = refuse({ app_id })
    await auditLog.close()
    for (const entries of [byPage, byToken, byKey]) expect(await writtenOf(entries)).toBe(max)
    expect(await writtenOf([later])).toBe(1)
  })
})

test('while it cannot be written it is kept, and written once when it can be again', async () => {
  const auditLog = openAuditLog(db, log)
  const entries = Array.from({ length: 700 }, () => newEntry())
  await database.execute('alter table audit_log rename to audit_log_away')
  for (const entry of entries) auditLog.record(entry)
  await auditLog.flush()
  expect(auditLog.counts()).toMatchObject({ written: 0, dropped_failure: 0 })
  expect(auditLog.counts().waiting_bytes).toBeGreaterThan(0)
  await database.execute('alter table audit_log_away rename to audit_log')
  // One of them arrived, although its node never learned so.
  await openAuditLogAndWrite(entries[0] as AuditEntry)
  await until(() => (auditLog.counts().waiting_bytes === 0 ? true : undefined))
  expect(await writtenOf(entries)).toBe(700)
  expect(auditLog.counts()).toMatchObject({ written: 700, dropped_failure: 0 })
  await auditLog.close()
})

async function openAuditLogAndWrite(entry: AuditEntry): Promise<void> {
  const another = openAuditLog(db, log)
  another.record(entry)
  await another.close()
}

test('an entry that the database refuses is dropped and counted, its neighbours are written', async () => {
  const auditLog = openAuditLog(db, log)
  const entries = Array.from({ length: 40 }, (_, n) => newEntry(n % 17 === 3 ? { status_code: 1_000_000 } : {}))
  for (const entry of entries) auditLog.record(entry)
  await auditLog.flush()
  expect(auditLog.counts()).toEqual({
    written: 37,
    dropped_failure: 3,
    dropped_overload: 0,
    dropped_refused: 0,
    waiting_bytes: 0,
  })
  expect(await writtenOf(entries)).toBe(37)
})

test('what cannot be written when the node stops is counted as lost, and stops nothing', async () => {
  const gone = (await ownDatabase()).database
  const auditLog = openAuditLog(gone.db, log)
  await gone.close()
  for (let n = 0; n < 5; n += 1) auditLog.record(newEntry())
  await auditLog.close()
  expect(auditLog.counts()).toMatchObject({ written: 0, dropped_failure: 5 })
})

test('requests are served while the log cannot be written', async () => {
  const runtime = await openTestRuntime(database, { env: { AUDIT_LOG: 'on' } })
  const keys = await insertTestProject(runtime, {})
  const app = newTestApp(
    runtime,
    operations.filter(({ path }) => path === '/v1/categories'),
  )
  const headers = {
    'x-app-id': keys.app_id,
    'x-app-token': keys.app_token,
    authorization: `Bearer ${keys.access_token}`,
  }
  await database.execute('alter table audit_log rename to audit_log_away')
  const create = (name: string) => send(app, 'POST', '/v1/categories', { name, hierarchy: 1 }, headers)
  for (const name of ['a', 'b']) {
    expect(await create(name)).toMatchObject({ status: 200 })
    await runtime.auditLog.flush()
  }
  await database.execute('alter table audit_log_away rename to audit_log')
  expect(await create('c')).toMatchObject({ status: 200 })

  // The orderly stop: first the requests, then what they leave behind (runtime.ts).
  await app.close()
  await runtime.auditLog.close()
  const { rows } = await listEntries({ db, project_id: keys.project_id }, { from: '', before: 'log_g' }, 10)
  expect(rows.map(({ request_body }) => JSON.parse(request_body as string).name)).toEqual(['c', 'b', 'a'])
  await Promise.all([runtime.jobs.close(), runtime.deferred.close(), runtime.credentials.close()])
})

test('the metrics count entries', async () => {
  const shop = await newProject({ env: { AUDIT_LOG: 'on', LOG_REQUESTS: 'true' } })
  await shop.call('GET', '/v1/categories')
  await until(() => (shop.service.runtime.auditLog.counts().written === 1 ? true : undefined))
  const { body } = await send(shop.service.app, 'GET', '/metrics')
  for (const line of [
    'guerdon_audit_entries_total{result="written"} 1',
    'guerdon_audit_entries_total{result="dropped_overload"} 0',
    'guerdon_audit_entries_total{result="dropped_failure"} 0',
    'guerdon_audit_entries_total{result="dropped_refused"} 0',
    'guerdon_audit_waiting_bytes 0',
  ])
    expect(body).toContain(line)
})
