import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { zstdCompressSync as compressed, zstdDecompressSync } from 'node:zlib'
import { sql } from 'kysely'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import type { Database } from '../core/db/database.ts'
import { listPartitions, makePartitions } from '../core/db/partitions.ts'
import { eventTables, maintainEvents } from '../core/events/partitions.ts'
import { newId, timeDigitsAt } from '../core/lib/ids.ts'
import { openAuditLog } from '../monitoring/audit-log/writer.ts'
import { connect } from '../runtime.ts'
import { newAuditEntry } from '../testing/audit-entry.ts'
import { newCommands } from '../testing/command.ts'
import { archiveCommand, readArchiveCommand, restoreArchiveCommand } from './archive.ts'
import { migrateCommand } from './migrate.ts'

const [january, february, march] = [0, 1, 2].map((month) => Date.UTC(2026, month)) as [number, number, number]

async function open() {
  const { outputOf, environment } = await newCommands()
  const projectId = /Project (proj_\w+)/.exec(await outputOf(migrateCommand))?.[1] as string
  const folder = mkdtempSync(join(tmpdir(), 'guerdon-archive-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const within = async <T>(work: (database: Database) => Promise<T>): Promise<T> => {
    const database = await connect(environment.settings)
    try {
      return await work(database)
    } finally {
      await database.close()
    }
  }
  // An installation that was there before these months: the first partition ends before them.
  await within(async ({ db, execute }) => {
    for (const table of ['event_rows', 'event_parts']) {
      await execute(`alter table ${table} detach partition ${table}_before`)
      await execute(
        `alter table ${table} attach partition ${table}_before for values from (minvalue) to ('${timeDigitsAt(january)}')`,
      )
    }
    await makePartitions(db, eventTables, [january, february, march])
  })
  return {
    environment,
    projectId,
    folder,
    within,
    outputOf,
    archive: (options: Parameters<typeof archiveCommand>[1]) =>
      outputOf((given) => archiveCommand(given, { out: folder, ...options })),
    restore: (file: string) => outputOf((given) => restoreArchiveCommand(given, join(folder, file))),
    /** Writes the events of a request, which share their data, and one with data of its own. */
    write: (at: number) =>
      within(async ({ db }) => {
        const ids = [newId('customer_event', at), newId('redemption_event', at + 1)]
        await sql`insert into event_parts (project_id, id, event_ids, parts)
          values (${projectId}, ${ids[0]}, ${ids}::text[], '[{"name":"Ann","n":12345678901234567890},{"b":1,"a":1.50}]')`.execute(
          db,
        )
        await sql`insert into event_rows (project_id, id, type, category, entity_id, created_at, group_id, event_source, data, parts_id)
          select ${projectId}, id, 'customer.updated', 'EFFECT', 'cust_1', now(), 'v-1', '{}', '{"order":1,"customer":0}', ${ids[0]}
          from unnest(${ids}::text[]) id`.execute(db)
        const own = newId('voucher_event', at + 2)
        await sql`insert into event_rows (project_id, id, type, category, entity_id, created_at, group_id, event_source, data)
          values (${projectId}, ${own}, 'voucher.updated', 'ACTION', 'v_1', now(), 'v-2', '{}', '{"voucher":{"code":"ü"}}')`.execute(
          db,
        )
        return [...ids, own]
      }),
    listed: () =>
      within(async ({ db }) => {
        const { rows } = await sql`select e.id, e.data, e.type, e.created_at, r.position from events e
          join event_rows r on r.project_id = e.project_id and r.id = e.id order by right(e.id, 18)`.execute(db)
        return rows
      }),
  }
}

async function read(path: string): Promise<string> {
  let text = ''
  await readArchiveCommand(
    path,
    new Writable({
      write(chunk, _, done) {
        text += chunk
        done()
      },
    }),
  )
  return text
}

test('months that have ended are written with complete events, dropped, read and put back', async () => {
  const { archive, restore, write, listed, folder, projectId, within } = await open()
  const ids = [...(await write(january)), ...(await write(february - 10))]
  const later = await write(march)
  const before = await listed()
  expect(await archive({ before: '2026-02-01' })).toContain('events-202601.jsonl.zst: 6 rows.\n')
  expect(await listed()).toEqual(before)
  const path = join(folder, 'events-202601.jsonl.zst')
  expect(statSync(path).mode & 0o777).toBe(0o600)

  expect(await archive({ before: '2026-02-28', drop: true })).toContain(
    'events-202601.jsonl.zst: 6 rows, was written before, dropped from the database.\n',
  )
  expect((await listed()).map((row) => (row as { id: string }).id)).toEqual(later)
  const names = await within(async ({ db }) => (await listPartitions(db, eventTables)).map(({ name }) => name))
  expect(names.filter((name) => /_(before|20260[1-3])$/.test(name))).toEqual(
    ['event_parts', 'event_rows'].flatMap((table) => ['202602', '202603'].map((month) => `${table}_${month}`)),
  )
  expect(readdirSync(folder).sort()).toEqual(['events-202601.jsonl.zst', 'events-before.jsonl.zst'])

  const lines = (await read(path)).trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line).id).sort()).toEqual([...ids].sort())
  expect(lines[0]).toContain('"data":{"order":{"b":1,"a":1.50},"customer":{"name":"Ann","n":12345678901234567890}}')
  expect(JSON.parse(lines[0] as string)).toMatchObject({
    project_id: projectId,
    type: 'customer.updated',
    entity_id: 'cust_1',
  })

  expect(await restore('events-202601.jsonl.zst')).toBe(
    'Restored 6 of 6 rows; the others were there already, or their project was deleted.\n',
  )
  expect(await restore('events-202601.jsonl.zst')).toContain('Restored 0 of 6 rows')
  expect(await listed()).toEqual(before)
})

test('the audit log is archived by days, with its bodies', async () => {
  const { archive, restore, within, folder, projectId } = await open()
  const write = (at: number) =>
    within(async ({ db }) => {
      const auditLog = openAuditLog(db, pino({ level: 'silent' }))
      auditLog.record(newAuditEntry(projectId, at, { request_body: '{"a":1}', response_body: '{"ä":2}' }))
      auditLog.record(newAuditEntry(projectId, at + 1, { request_body: null, response_body: null }))
      await auditLog.close()
    })
  await write(january)
  await write(january + 86_400_000)
  expect(await archive({ before: '2026-01-02', only: 'audit-log', drop: true })).toContain(
    'audit-log-20260101.jsonl.zst: 2 rows',
  )
  const lines = (await read(join(folder, 'audit-log-20260101.jsonl.zst'))).trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { request_body: '{"a":1}', response_body: '{"ä":2}' },
    { request_body: null, response_body: null },
  ])
  const tables = () =>
    within(
      async ({ execute }) =>
        (await execute(`select relname from pg_class where relname ~ '^audit_(log|bodies)_20260101$'`)).rows.length,
    )
  expect(await tables()).toBe(0)
  // The day would be dropped again at once.
  await expect(restore('audit-log-20260101.jsonl.zst')).rejects.toThrow('Raise AUDIT_RETENTION_DAYS first')
})

test('one project is written alone, and nothing dropped', async () => {
  const { archive, write, projectId, folder } = await open()
  await write(january)
  const said = await archive({ before: '2026-02-01', only: 'events', project: projectId })
  expect(said).toContain(`events-202601-${projectId}.jsonl.zst: 3 rows.\n`)
  await expect(archive({ before: '2026-02-01', project: projectId, drop: true })).rejects.toThrow('leave --project out')
  expect(await read(join(folder, `events-202601-${projectId}.jsonl.zst`))).toContain(projectId)
})

test('what changed after a file was written is written again beside it, and no file is replaced', async () => {
  const { archive, write, within, folder } = await open()
  const [first, second] = await write(january)
  await archive({ before: '2026-02-01', only: 'events' })
  await within(({ db }) => sql`delete from event_rows where id = ${first}`.execute(db))
  expect(await archive({ before: '2026-02-01', only: 'events', drop: true })).toContain(
    'events-202601-2.jsonl.zst: 2 rows',
  )
  expect(await read(join(folder, 'events-202601.jsonl.zst'))).toContain(first)
  const again = await read(join(folder, 'events-202601-2.jsonl.zst'))
  expect(again).toContain(second)
  expect(again).not.toContain(`"id":"${first}"`)
})

test('a month that was taken out of sight before a crash is archived and dropped by the next run', async () => {
  const { archive, write, within, folder } = await open()
  await write(january)
  await within(async ({ execute }) => {
    await execute('alter table event_rows detach partition event_rows_202601')
  })
  writeFileSync(join(folder, 'events-202601.jsonl.zst.partial'), 'half')
  expect(await archive({ before: '2026-02-01', only: 'events', drop: true })).toContain(
    'events-202601.jsonl.zst: 3 rows, dropped',
  )
  expect(await read(join(folder, 'events-202601.jsonl.zst'))).toContain('"name":"Ann"')
  expect(readdirSync(folder).filter((name) => name.endsWith('.partial'))).toEqual([])
})

test('a damaged file is noticed, when it is read, put back or found by another run', async () => {
  const { archive, write, restore, folder, listed } = await open()
  await write(january)
  await archive({ before: '2026-02-01', only: 'events' })
  const path = join(folder, 'events-202601.jsonl.zst')
  const text = zstdDecompressSync(readFileSync(path)).toString()
  const damages = {
    'its lines are not those that were written': text.replace('"Ann"', '"Bob"'),
    'it ends without its last line': `${text.split('\n').slice(0, -2).join('\n')}\n`,
    'it goes on after its last line': `${text}{}\n`,
    'it has 2 rows': `${text.split('\n').toSpliced(1, 1).join('\n')}`,
  }
  for (const [why, damaged] of Object.entries(damages)) {
    writeFileSync(path, compressed(damaged))
    await expect(read(path)).rejects.toThrow(why)
    await expect(restore('events-202601.jsonl.zst')).rejects.toThrow(why)
    await expect(archive({ before: '2026-02-01', only: 'events', drop: true })).rejects.toThrow(why)
  }
  writeFileSync(path, readFileSync(path).subarray(0, 30))
  await expect(archive({ before: '2026-02-01', only: 'events', drop: true })).rejects.toThrow()
  expect(await listed()).toHaveLength(3)
})

test('bad arguments are refused', async () => {
  const { archive } = await open()
  for (const before of ['', 'yesterday', '2026-13-01', '2026-1-1'])
    await expect(archive({ before })).rejects.toThrow('--before must be a date such as 2026-01-01, in UTC.')
  await expect(archive({ before: '2999-01-01' })).rejects.toThrow('--before must not be in the future.')
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
  await expect(archive({ before: yesterday, drop: true })).rejects.toThrow('webhooks may still wait')
  await expect(archive({ before: '2026-01-01', only: 'orders' })).rejects.toThrow(
    '--only must be of events, audit-log, not "orders".',
  )
})

test('events that are put back are not in the way of the partitions to come', async () => {
  const { archive, restore, write, within, listed } = await open()
  await write(january)
  await archive({ before: '2026-02-01', only: 'events', drop: true })
  await restore('events-202601.jsonl.zst')
  await within(({ db }) => maintainEvents(db, { event_retention_days: null }, march))
  expect(await listed()).toHaveLength(3)
})
