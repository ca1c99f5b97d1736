import type { Ctx } from '../../core/context.ts'
import { emit } from '../../core/events/emit.ts'
import { showCampaign } from './show.ts'
import { getCampaign, type StoredCampaign, updateCampaign } from './store.ts'

/** Enables or disables a campaign; no effect if it already has that state. Its vouchers keep their own `active`. */
export async function switchCampaign(
  ctx: Ctx,
  { id, active: wasActive }: StoredCampaign,
  active: boolean,
): Promise<void> {
  if (wasActive === active) return
  await updateCampaign(ctx, id, { active, updated_at: ctx.now })
  const campaign = await showCampaign(ctx, await getCampaign(ctx, id))
  await emit(ctx, active ? 'campaign.enabled' : 'campaign.disabled', id, { campaign })
}
