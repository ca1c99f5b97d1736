import type { Configuration, ConfiguredCampaign } from '../../core/configuration/configuration.ts'
import type { SimpleCampaign } from '../../core/events/shapes.ts'
import { toSimpleCampaign } from '../../incentives/campaigns/campaign.ts'
import { configuredCampaign } from '../../incentives/campaigns/configured-campaign.ts'

/** Short forms of the campaigns of each version of a configuration. */
const made = new WeakMap<Configuration, Map<ConfiguredCampaign, SimpleCampaign>>()

/** The short form of a campaign of the cached configuration. Checkouts show the same few campaigns again and again. */
export function simpleCampaign(configuration: Configuration, campaign: ConfiguredCampaign): SimpleCampaign {
  let forms = made.get(configuration)
  if (forms === undefined) {
    forms = new Map()
    made.set(configuration, forms)
  }
  let form = forms.get(campaign)
  if (form === undefined) {
    form = toSimpleCampaign(configuredCampaign(configuration, campaign))
    forms.set(campaign, form)
  }
  return form
}
