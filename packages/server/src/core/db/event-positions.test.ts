import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openNode, ownDatabase } from '../../testing/nodes.ts'
import { insertTestProject } from '../../testing/project.ts'
import { newId } from '../lib/ids.ts'
import { migrate } from './migrate.ts'

test('after a restore into a server with lower transaction ids, new events still follow the restored ones', async () => {
  const { database } = await ownDatabase()
  const { db } = database
  const { runtime } = await openNode(database, { only: [] })
  const { project_id: projectId } = await insertTestProject(runtime, {})
  const insert = async (position?: number): Promise<number> => {
    const { rows } = await sql<{ position: number }>`
      insert into event_rows (project_id, id, type, category, entity_id, created_at, group_id, event_source, data
        ${position === undefined ? sql`` : sql`, position`})
      values (${projectId}, ${newId('voucher_event')}, 'voucher.updated', 'ACTION', 'v_1', now(), 'w-1', '{}', '{}'
        ${position === undefined ? sql`` : sql`, ${position}`}) returning position`.execute(db)
    return rows[0]?.position as number
  }
  const first = await insert()
  expect(first).toBeGreaterThan(0)
  await migrate(db, async () => {})
  expect(await insert()).toBeLessThan(first + 1_000) // nothing to do: positions are transaction ids

  const restored = 1_000_000_000_000
  await insert(restored)
  await migrate(db, async () => {})
  const next = await insert()
  expect(next).toBeGreaterThan(restored)
  await migrate(db, async () => {})
  expect(await insert()).toBeGreaterThan(next)
})
