import type { StackingRules } from '@guerdon/engine/schema'
import type { Selectable } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { nextConfigurationVersion, recordDeletion } from '../../core/db/configuration.ts'
import type { StackingRulesRow } from '../../core/db/tables.ts'
import { newId } from '../../core/lib/ids.ts'
import type { StoredStackingRules } from './schema.ts'

/** The rules that the project created, if any; with `lock`, locked for an update. */
export async function findStackingRules(
  { db, project_id }: Ctx,
  { lock = false } = {},
): Promise<StoredStackingRules | undefined> {
  const query = db.selectFrom('stacking_rules').where('project_id', '=', project_id).selectAll()
  const row = await (lock ? query.forUpdate() : query).executeTakeFirst()
  return row === undefined ? undefined : toStackingRules(row)
}

/** Inserts the rules of a project; undefined if it has some already. */
export async function insertStackingRules(
  { db, project_id, now }: Ctx,
  rules: StackingRules,
): Promise<StoredStackingRules | undefined> {
  const configVersion = await nextConfigurationVersion(db, project_id)
  const row = await db
    .insertInto('stacking_rules')
    .values({
      project_id,
      id: newId('stacking_rules'),
      rules: JSON.stringify(rules),
      created_at: now,
      updated_at: null,
      config_version: configVersion,
    })
    .onConflict((conflict) => conflict.column('project_id').doNothing())
    .returningAll()
    .executeTakeFirst()
  return row === undefined ? undefined : toStackingRules(row)
}

export async function updateStackingRules(
  { db, project_id, now }: Ctx,
  rules: StackingRules,
): Promise<StoredStackingRules> {
  const configVersion = await nextConfigurationVersion(db, project_id)
  const row = await db
    .updateTable('stacking_rules')
    .set({ rules: JSON.stringify(rules), updated_at: now, config_version: configVersion })
    .where('project_id', '=', project_id)
    .returningAll()
    .executeTakeFirstOrThrow()
  return toStackingRules(row)
}

export async function deleteStackingRules({ db, project_id }: Ctx, id: string): Promise<void> {
  await recordDeletion(db, project_id, 'stacking_rules', id)
  await db.deleteFrom('stacking_rules').where('project_id', '=', project_id).execute()
}

function toStackingRules({ id, rules, created_at, updated_at }: Selectable<StackingRulesRow>): StoredStackingRules {
  return { id, ...(rules as StackingRules), created_at, updated_at }
}
