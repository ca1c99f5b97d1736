import type { Ctx } from '../../core/context.ts'
import { listed } from '../../core/query/list.ts'
import { listAssignmentsOf } from '../../rules/validation-rules/assignment-store.ts'
import { listTiersOf } from '../promotions/tier-store.ts'
import { toCampaign } from './campaign.ts'
import type { Campaign } from './schema.ts'
import type { StoredCampaign } from './store.ts'

/** A campaign as the response for a single campaign shows it: with its rules, or with its tiers. */
export async function showCampaign(ctx: Ctx, stored: StoredCampaign): Promise<Campaign> {
  const campaign = toCampaign(stored)
  if (stored.campaign_type === 'PROMOTION') {
    const tiers = await listTiersOf(ctx, stored.id)
    return { ...campaign, promotion: { ...listed('tiers', tiers, { total: tiers.length }), has_more: false } }
  }
  const assignments = await listAssignmentsOf(ctx, 'campaign', [stored.id])
  return { ...campaign, validation_rules_assignments: listed('data', assignments, { total: assignments.length }) }
}
