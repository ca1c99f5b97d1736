import { sql } from 'kysely'
import type { Db } from './database.ts'
import type { ProjectRow } from './tables.ts'

/**
 * Takes the next configuration version of a project. Whoever changes a campaign, tier, rule, category or stacking rule
 * stamps the changed rows with it, in the same transaction; every node sees the version with the next facts it loads
 * and fetches only the rows stamped since. The project row stays locked until commit, so versions appear in order.
 */
export async function nextConfigurationVersion(db: Db, projectId: string): Promise<number> {
  if (db.isTransaction) changing.add(db) // a statement by itself is committed at once, and its connections serve everybody
  const { config_version } = await db
    .updateTable('projects')
    .set({ config_version: sql`config_version + 1` })
    .where('id', '=', projectId as ProjectRow['id'])
    .returning('config_version')
    .executeTakeFirstOrThrow()
  return config_version
}

/** Transactions that have changed configuration. */
const changing = new WeakSet<Db>()

/** Whether what a transaction sees of the configuration may never come to be: nobody else may be told. */
export const isChanging = (db: Db): boolean => changing.has(db)

/** Takes the next version for a deletion and leaves a mark with it: a row that is gone can carry no stamp. */
export async function recordDeletion(db: Db, projectId: string, objectType: string, objectId: string): Promise<void> {
  const configVersion = await nextConfigurationVersion(db, projectId)
  await db
    .insertInto('configuration_deletions')
    .values({ project_id: projectId, config_version: configVersion, object_type: objectType, object_id: objectId })
    .execute()
}
