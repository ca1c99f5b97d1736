// @embedded: its file system can be full
import fs, { mkdtempSync, openAsBlob, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { pino } from 'pino'
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { buildApp } from '../../app.ts'
import { diskReporter } from '../../runtime.ts'
import { send } from '../../testing/app.ts'
import { atEnd } from '../../testing/closings.ts'
import { databaseKind } from '../../testing/database.ts'
import { insertTestProject } from '../../testing/project.ts'
import { openTestRuntime } from '../../testing/runtime.ts'
import { limits } from '../lib/limits.ts'
import { connectPglite } from './connect.ts'
import { DiskFullError } from './embedded.ts'

describe.runIf(databaseKind() === 'pglite')('a full disk under the embedded database', () => {
  test('writes are answered with 503 and reads are served, one line says why, and writes are served when there is room', async () => {
    const { database, disk, lines, log } = await openOnDisk()
    const runtime = { ...(await openTestRuntime(database)), log }
    const { app_id, app_token, access_token } = await insertTestProject(runtime, {})
    const app = buildApp({ runtime, sheds_load: false })
    onTestFinished(() => app.close())
    const headers = { 'x-app-id': app_id, 'x-app-token': app_token, authorization: `Bearer ${access_token}` }
    const call = (method: string, path: string, body?: object) => send(app, method, path, body, headers)
    const create = (name: string) => call('POST', '/v1/categories', { name, hierarchy: 1 })
    const names = async () => {
      const { status, body } = await call('GET', '/v1/categories')
      expect(status).toBe(200)
      return (body as { data: Array<{ name: string }> }).data.map(({ name }) => name).sort()
    }
    expect(await create('before')).toMatchObject({ status: 200 })

    disk.free_bytes = limits.embedded_reserve_bytes - 1
    // Until the service looks at the disk again, it still writes: each attempt a category of its own, which none refuses.
    let attempts = 0
    await expect
      .poll(() => create(`while full ${++attempts}`))
      .toMatchObject({
        status: 503,
        headers: { 'retry-after': '5' },
        body: { key: 'service_unavailable' },
      })
    const before = (await names()).length
    for (let n = 0; n < 5; n += 1) expect(await create('while full')).toMatchObject({ status: 503 })
    expect(await names()).toHaveLength(before)
    expect(await call('POST', '/v1/validations', { redeemables: [{ object: 'voucher', id: 'none' }] })).toMatchObject({
      status: 200,
      body: { valid: false },
    })
    await runtime.deferred.flush()
    expect(await send(app, 'GET', '/health/ready')).toMatchObject({ status: 200 })
    expect(lines.splice(0)).toEqual([expect.stringContaining('the disk of GUERDON_DATA_DIR is full')])

    disk.free_bytes = 2 * limits.embedded_reserve_bytes
    await expect.poll(() => create('after')).toMatchObject({ status: 200 })
    expect(lines.splice(0)).toEqual([expect.stringContaining('has room again')])
    await Promise.all([runtime.jobs.close(), runtime.deferred.close(), runtime.credentials.close()])
  })

  test('after a panic the database is opened again, without what was not committed', async () => {
    const { database, disk } = await openOnDisk()
    await sql`create table notes (text text)`.execute(database.db)
    await sql`insert into notes values ('committed')`.execute(database.db)
    const texts = async () => (await sql<{ text: string }>`select text from notes`.execute(database.db)).rows

    const panic = database.db.transaction().execute(async (trx) => {
      await sql`insert into notes values ('not committed')`.execute(trx)
      disk.free_bytes = 0
      refuseWrites()
    })
    await expect(panic).rejects.toThrow(DiskFullError) // the commit could not be written to the log
    await expect(texts()).rejects.toThrow(DiskFullError) // closed until there is room: opening writes

    vi.restoreAllMocks()
    disk.free_bytes = 2 * limits.embedded_reserve_bytes
    await expect.poll(texts).toEqual([{ text: 'committed' }])
    await sql`insert into notes values ('afterwards')`.execute(database.db)
    expect(await texts()).toHaveLength(2)
  })
})

/** The file system refuses to write, as a full one does. PGlite panics when that happens to its log. */
function refuseWrites(): void {
  vi.spyOn(fs, 'writeSync').mockImplementation(() => {
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', errno: -28 })
  })
}

/** An embedded database in a folder, on a disk with as much room as the test says. */
async function openOnDisk() {
  const folder = mkdtempSync(join(tmpdir(), 'guerdon-disk-'))
  const { snapshot } = inject('database') as { snapshot: string }
  const disk = { free_bytes: 10 * limits.embedded_reserve_bytes }
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  const database = await connectPglite({
    folder,
    snapshot: await openAsBlob(snapshot),
    freeBytes: () => disk.free_bytes,
    onDisk: diskReporter(log, folder),
  })
  atEnd(async () => {
    await database.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return { database, disk, lines, log }
}
