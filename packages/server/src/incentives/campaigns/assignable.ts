import type { Assignable } from '../../rules/validation-rules/assignable.ts'
import { toSimpleCampaign } from './campaign.ts'
import { findCampaign, listCampaignsById } from './store.ts'

export const assignableCampaign: Assignable<'campaign'> = {
  async find(ctx, reference) {
    const campaign = await findCampaign(ctx, reference, { lock: 'keyShare' })
    return campaign && toSimpleCampaign(campaign)
  },
  list: async (ctx, ids) => (await listCampaignsById(ctx, ids)).map(toSimpleCampaign),
}
