import { sql } from 'kysely'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { newTestApp, send } from '../../testing/app.ts'
import { newAuditEntry } from '../../testing/audit-entry.ts'
import { insertProject, openIdleRuntime, until } from '../../testing/background.ts'
import { atEnd } from '../../testing/closings.ts'
import { backendOf, untilOthersWait } from '../../testing/lock-waits.ts'
import { anotherConnection, ownDatabase } from '../../testing/nodes.ts'
import { insertTestProject } from '../../testing/project.ts'
import { openTestRuntime, testSettings } from '../../testing/runtime.ts'
import { maintainPartitions, makeAuditPartitions } from './partitions.ts'
import { openAuditLog } from './writer.ts'

const log = pino({ level: 'silent' })

test('at midnight, nodes that write the first entries of a day at once make one partition and lose nothing', async () => {
  const { database, url } = await ownDatabase()
  const { id } = await insertProject(await openIdleRuntime(database))
  const nodes = Array.from({ length: 4 }, () => openAuditLog(anotherConnection(url as string).db, log))
  const settings = testSettings()
  for (let day = 1; day <= 10; day += 1) {
    const midnight = Date.UTC(2026, 2, day)
    for (const node of nodes)
      for (const at of [midnight - 1, midnight, midnight + 1]) node.record(newAuditEntry(id, at))
    await Promise.all([
      ...nodes.map((node) => node.flush()),
      maintainPartitions({ database, settings, now: () => midnight }),
    ])
  }
  for (const node of nodes) {
    await node.close()
    expect(node.counts()).toEqual({
      written: 30,
      dropped_overload: 0,
      dropped_refused: 0,
      dropped_failure: 0,
      waiting_bytes: 0,
    })
  }
  const { rows } = await database.execute('select count(*)::int as entries from audit_log')
  expect(rows).toEqual([{ entries: 4 * 30 }])
})

test('an old day is dropped without keeping others from the log: it gives way to a reader, and comes again', async () => {
  const { database, url } = await ownDatabase()
  const { id } = await insertProject(await openIdleRuntime(database))
  const now = Date.UTC(2026, 2, 20)
  await makeAuditPartitions(database.db, [Date.UTC(2026, 2, 1), now])
  const other = anotherConnection(url as string)
  const maintenance = { database: other, settings: testSettings({ AUDIT_RETENTION_DAYS: '3' }), now: () => now }
  await database.db.transaction().execute(async (reader) => {
    await sql`select from audit_log`.execute(reader)
    const dropping = maintainPartitions(maintenance).then(
      () => 'dropped',
      (error: { code: string }) => error.code,
    )
    await untilOthersWait(database, await backendOf(reader))
    // Behind the waiting drop: the entry is written although the reader goes on.
    const auditLog = openAuditLog(database.db, log)
    auditLog.record(newAuditEntry(id, now))
    await auditLog.flush()
    expect(auditLog.counts()).toMatchObject({ written: 1 })
    expect(await dropping).toBe('55P03') // lock not available
  })
  await maintainPartitions(maintenance)
  const { rows } = await database.execute(`select to_regclass('audit_log_20260301') as gone`)
  expect(rows).toEqual([{ gone: null }])
})

test('two nodes drop the same days at once', async () => {
  const { database, url } = await ownDatabase()
  const other = anotherConnection(url as string)
  for (let round = 0; round < 5; round += 1) {
    const now = Date.UTC(2026, 2 + round, 20)
    await makeAuditPartitions(
      database.db,
      [1, 2, 3].map((day) => Date.UTC(2026, 2 + round, day)),
    )
    const settings = testSettings({ AUDIT_RETENTION_DAYS: '3' })
    const results = await Promise.allSettled(
      [database, other].map((each) => maintainPartitions({ database: each, settings, now: () => now })),
    )
    expect(results.map(({ status }) => status)).toContain('fulfilled')
    await maintainPartitions({ database, settings, now: () => now })
    const { rows } = await database.execute(`select relname from pg_class where relname ~ '^audit_log_2026..0[123]$'`)
    expect(rows).toEqual([])
  }
})

test('a lock on the log delays no request, and the entries are written after it', async () => {
  const { database, url } = await ownDatabase()
  const runtime = await openTestRuntime(database, { env: { AUDIT_LOG: 'on' } })
  const keys = await insertTestProject(runtime, {})
  const app = newTestApp(runtime)
  atEnd(async () => {
    await app.close()
    await Promise.all([runtime.jobs.close(), runtime.deferred.close(), runtime.credentials.close()])
  })
  const headers = {
    'x-app-id': keys.app_id,
    'x-app-token': keys.app_token,
    authorization: `Bearer ${keys.access_token}`,
  }
  const list = () => send(app, 'GET', '/v1/categories', undefined, headers)
  await list()
  await anotherConnection(url as string)
    .db.transaction()
    .execute(async (trx) => {
      await sql`lock table audit_log in access exclusive mode`.execute(trx)
      await list()
      await untilOthersWait(database, await backendOf(trx))
      for (let n = 0; n < 20; n += 1) expect(await list()).toMatchObject({ status: 200 })
      expect(runtime.auditLog.counts().written).toBe(0)
    })
  await until(() => (runtime.auditLog.counts().written === 22 ? true : undefined))
})
