import type { Ctx } from '../../core/context.ts'
import { emit } from '../../core/events/emit.ts'
import { showCampaign } from './show.ts'
import { getCampaign, type StoredCampaign, updateCampaign } from './store.ts'

/** Switches a campaign on or off; its codes keep their own switch, and nothing happens to one that is so already. */
export async function switchCampaign(ctx: Ctx, { id, active: was }: StoredCampaign, active: boolean): Promise<void> {
  if (was === active) return
  await updateCampaign(ctx, id, { active, updated_at: ctx.now })
  const campaign = await showCampaign(ctx, await getCampaign(ctx, id))
  await emit(ctx, active ? 'campaign.enabled' : 'campaign.disabled', id, { campaign })
}
