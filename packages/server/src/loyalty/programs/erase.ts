import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { recordDeletion } from '../../core/db/configuration.ts'
import type { CampaignRow } from '../../core/db/tables.ts'
import { deleteAssignmentsOf } from '../../rules/validation-rules/unassign.ts'

/**
 * Deletes the earning rules and tiers of a program that is being deleted, and its queued tier review. Emits no events for them:
 * the campaign has its own. Left in the bin, they could not be changed, and would keep segments and custom events in use until
 * the bin is emptied.
 */
export async function eraseProgram(ctx: Ctx, campaignId: CampaignRow['id']): Promise<void> {
  const { db, project_id } = ctx
  const rules = await lockParts(ctx, 'earning_rules', campaignId)
  const tiers = await lockParts(ctx, 'loyalty_tiers', campaignId)
  if (rules.length > 0) await deleteAssignmentsOf(ctx, 'earning_rule', rules)
  await erase(ctx, 'earning_rules', 'earning_rule', rules)
  await erase(ctx, 'loyalty_tiers', 'loyalty_tier', tiers)
  await sql`delete from tier_walks where project_id = ${project_id} and campaign_id = ${campaignId}`.execute(db)
}

type PartTable = 'earning_rules' | 'loyalty_tiers'

/** Locks the rows, so that no transaction assigns a validation rule to them while their assignments are deleted. */
async function lockParts({ db, project_id }: Ctx, table: PartTable, campaignId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from ${sql.table(table)} where project_id = ${project_id} and campaign_id = ${campaignId}
    order by id for update`.execute(db)
  return rows.map(({ id }) => id)
}

async function erase(
  { db, project_id }: Ctx,
  table: PartTable,
  objectType: string,
  ids: readonly string[],
): Promise<void> {
  for (const id of ids) await recordDeletion(db, project_id, objectType, id)
  await sql`delete from ${sql.table(table)} where project_id = ${project_id} and id = any(${ids}::text[])`.execute(db)
}
