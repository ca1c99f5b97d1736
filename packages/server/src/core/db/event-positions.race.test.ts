import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { anotherConnection, openNode, ownDatabase } from '../../testing/nodes.ts'
import { insertTestProject } from '../../testing/project.ts'
import { newId } from '../lib/ids.ts'
import type { Db } from './database.ts'
import { migrate } from './migrate.ts'
import { inTransaction } from './transaction.ts'

const insert = (db: Db, projectId: string) =>
  sql`insert into event_rows (project_id, id, type, category, entity_id, created_at, group_id, event_source, data)
    values (${projectId}, ${newId('voucher_event')}, 'voucher.updated', 'ACTION', 'v_1', now(), 'w-1', '{}', '{}')`.execute(
    db,
  )

test.each([{ has_savepoint: false }, { has_savepoint: true }])(
  'a node that starts while another one writes events changes nothing and waits for no transaction (savepoint: $has_savepoint)',
  async ({ has_savepoint }) => {
    const { database, url } = await ownDatabase()
    const { db } = database
    const { runtime } = await openNode(database, { only: [] })
    const { project_id: projectId } = await insertTestProject(runtime, {})
    const other = anotherConnection(url as string)
    await inTransaction(other.db, async (slow) => {
      await insert(slow, projectId)
      // The position of this one is beyond the oldest running transaction.
      await inTransaction(db, async (trx) => {
        if (has_savepoint) await sql`savepoint inner_work`.execute(trx)
        await insert(trx, projectId)
      })
      await database.inSession((session) => migrate(session, async () => {}))
    })
    const { rows } = await sql`select shift from event_positions`.execute(db)
    expect(rows).toEqual([{ shift: 0 }])
  },
)
