import { numbersRead } from '../../core/http/numeric-text.ts'
import { invalidCampaign } from '../../incentives/campaigns/define.ts'
import type { CreateCampaign, UpdateCampaign } from '../../incentives/campaigns/schema.ts'
import { LoyaltyProgramChanges, NewLoyaltyProgram } from './schema.ts'

const readNew = numbersRead(NewLoyaltyProgram)
const readChanges = numbersRead(LoyaltyProgramChanges)

/** The campaign that a body describes; its type is never guessed here. */
export const campaignIn = (sent: NewLoyaltyProgram): CreateCampaign => ({
  ...readNew(sent),
  campaign_type: 'LOYALTY_PROGRAM',
})

/** What a body says of a program. All else in it is skipped, also what could be said of the campaign elsewhere. */
export function changesIn(sent: LoyaltyProgramChanges): UpdateCampaign {
  const { unset_metadata_fields, ...changes } = readChanges(sent)
  if (changes.type === 'STANDALONE') throw invalidCampaign('A loyalty program cannot be STANDALONE')
  const known = Object.entries(changes).filter(([name]) => Object.hasOwn(LoyaltyProgramChanges.properties, name))
  return {
    ...(Object.fromEntries(known) as Omit<UpdateCampaign, 'unset_metadata_fields'>),
    ...(unset_metadata_fields == null ? {} : { unset_metadata_fields }),
  }
}
