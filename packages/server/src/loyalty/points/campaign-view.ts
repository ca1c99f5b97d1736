import type { Configuration, ConfiguredCampaign } from '../../core/configuration/configuration.ts'
import type { SimpleCampaign } from '../../core/events/shapes.ts'
import { toSimpleCampaign } from '../../incentives/campaigns/campaign.ts'
import { configuredCampaign } from '../../incentives/campaigns/configured-campaign.ts'

/** The short form of a campaign of the cached configuration. */
export const simpleCampaign = (configuration: Configuration, campaign: ConfiguredCampaign): SimpleCampaign =>
  toSimpleCampaign(configuredCampaign(configuration, campaign))
