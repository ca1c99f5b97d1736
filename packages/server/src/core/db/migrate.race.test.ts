import { expect, test } from 'vitest'
import { bootstrap } from '../../account/installation/bootstrap.ts'
import { newPostgresDatabase } from '../../testing/database.ts'
import { anotherConnection } from '../../testing/nodes.ts'
import { testSettings } from '../../testing/runtime.ts'
import { migrate } from './migrate.ts'

test('of ten nodes that start at once on an empty database, one migrates and creates the first project, and all start', async () => {
  const { url, drop } = await newPostgresDatabase()
  try {
    const nodes = Array.from({ length: 10 }, () => anotherConnection(url))
    const { bootstrap: settings } = testSettings()
    const start = () =>
      Promise.all(nodes.map(({ db }) => migrate(db, (trx) => bootstrap(trx, settings, new Date().toISOString()))))
    const starts = await start()
    expect(starts.filter(({ applied }) => applied.length > 0)).toHaveLength(1)
    const made = starts.filter(({ result }) => result !== null)
    expect(made).toHaveLength(1)
    expect(made[0]!.applied).toContain('0001-foundation')

    for (const table of ['organizations', 'users', 'projects', 'management_keys'] as const)
      expect(await nodes[0]!.db.selectFrom(table).selectAll().execute()).toHaveLength(1)
    expect(await nodes[0]!.db.selectFrom('api_keys').selectAll().execute()).toHaveLength(2)
    for (const { applied, result } of await start()) expect({ applied, result }).toEqual({ applied: [], result: null })
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
      migrate(node.db, async () => {
        throw new Error('power cut')
      }),
    ).rejects.toThrow('power cut')
    expect((await node.execute(`select tablename from pg_tables where schemaname = 'public'`)).rows).toEqual([])
    expect((await migrate(node.db, async () => {})).applied).toContain('0001-foundation')
    await node.close()
  } finally {
    await drop()
  }
})
