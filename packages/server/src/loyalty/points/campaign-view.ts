import type { Configuration, ConfiguredCampaign } from '../../core/configuration/configuration.ts'
import type { SimpleCampaign } from '../../core/events/shapes.ts'
import { toSimpleCampaign } from '../../incentives/campaigns/campaign.ts'
import { toCategory } from '../../rules/categories/store.ts'

/** The configuration in memory stores only the id of a campaign's category; it is resolved here. */
export function simpleCampaign({ categories }: Configuration, campaign: ConfiguredCampaign): SimpleCampaign {
  const category = campaign.category_id === null ? undefined : categories.get(campaign.category_id)
  return toSimpleCampaign({
    ...campaign,
    category: category === undefined ? null : toCategory(category),
    vouchers_count: 0,
  })
}
