import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { recordDeletion } from '../../core/db/configuration.ts'
import type { CampaignRow } from '../../core/db/tables.ts'
import { deleteAssignmentsOf } from '../../rules/validation-rules/unassign.ts'

/**
 * Erases the earning rules and tiers of a program that is being deleted, and the walk through its members that was still to
 * be made. Nothing is told of them: their campaign is what was deleted. Nobody could change them in the bin, and until it is
 * emptied segments and custom events would be in use by them.
 */
export async function eraseProgram(ctx: Ctx, campaignId: CampaignRow['id']): Promise<void> {
  const { db, project_id } = ctx
  const rules = await listHeld(ctx, 'earning_rules', campaignId)
  const tiers = await listHeld(ctx, 'loyalty_tiers', campaignId)
  if (rules.length > 0) await deleteAssignmentsOf(ctx, 'earning_rule', rules)
  await erase(ctx, 'earning_rules', 'earning_rule', rules)
  await erase(ctx, 'loyalty_tiers', 'loyalty_tier', tiers)
  await sql`delete from tier_walks where project_id = ${project_id} and campaign_id = ${campaignId}`.execute(db)
}

type Part = 'earning_rules' | 'loyalty_tiers'

/** Held, so that nobody assigns a rule to one of them while those that it has are taken back. */
async function listHeld({ db, project_id }: Ctx, table: Part, campaignId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from ${sql.table(table)} where project_id = ${project_id} and campaign_id = ${campaignId}
    order by id for update`.execute(db)
  return rows.map(({ id }) => id)
}

async function erase({ db, project_id }: Ctx, table: Part, objectType: string, ids: readonly string[]): Promise<void> {
  for (const id of ids) await recordDeletion(db, project_id, objectType, id)
  await sql`delete from ${sql.table(table)} where project_id = ${project_id} and id = any(${ids}::text[])`.execute(db)
}
