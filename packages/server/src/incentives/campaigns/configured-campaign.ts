import type { Configuration, ConfiguredCampaign } from '../../core/configuration/configuration.ts'
import { toCategory } from '../../rules/categories/store.ts'
import type { CampaignInEvents } from './campaign.ts'

/** A campaign of the cached configuration, which stores only the id of its category, as events show it. */
export function configuredCampaign({ categories }: Configuration, campaign: ConfiguredCampaign): CampaignInEvents {
  const category = campaign.category_id === null ? undefined : categories.get(campaign.category_id)
  return { ...campaign, category: category === undefined ? null : toCategory(category) }
}
