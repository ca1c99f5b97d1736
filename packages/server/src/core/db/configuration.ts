import { sql } from 'kysely'
import type { Db } from './database.ts'
import type { ProjectRow } from './tables.ts'

/**
 * Takes the next configuration version of a project. A transaction that changes a campaign, tier, rule, category or stacking
 * rule writes this version into the changed rows; every node sees the new version when it next loads checkout rows, and
 * fetches only the rows with a higher version than it has. The project row stays locked until commit, so versions are
 * committed in order.
 */
export async function nextConfigurationVersion(db: Db, projectId: string): Promise<number> {
  // Outside a transaction the statement commits at once, and `db` is shared by all requests.
  if (db.isTransaction) changing.add(db)
  const { config_version } = await db
    .updateTable('projects')
    .set({ config_version: sql`config_version + 1` })
    .where('id', '=', projectId as ProjectRow['id'])
    .returning('config_version')
    .executeTakeFirstOrThrow()
  return config_version
}

/** Open transactions that have changed configuration. */
const changing = new WeakSet<Db>()

/** Whether `db` is a transaction with uncommitted configuration changes: what it reads must not be cached, it may roll back. */
export const isChanging = (db: Db): boolean => changing.has(db)

/** Records a deletion under the next version: a deleted row cannot carry the version itself. */
export async function recordDeletion(db: Db, projectId: string, objectType: string, objectId: string): Promise<void> {
  const configVersion = await nextConfigurationVersion(db, projectId)
  await db
    .insertInto('configuration_deletions')
    .values({ project_id: projectId, config_version: configVersion, object_type: objectType, object_id: objectId })
    .execute()
}
