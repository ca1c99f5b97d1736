import { numbersRead } from '../../core/http/numeric-text.ts'
import { invalidCampaign } from '../../incentives/campaigns/define.ts'
import type { CreateCampaign, UpdateCampaign } from '../../incentives/campaigns/schema.ts'
import { LoyaltyProgramChanges, NewLoyaltyProgram } from './schema.ts'

const readNew = numbersRead(NewLoyaltyProgram)
const readChanges = numbersRead(LoyaltyProgramChanges)

/** The campaign described by a request body, always of type LOYALTY_PROGRAM. */
export const campaignIn = (sent: NewLoyaltyProgram): CreateCampaign => ({
  ...readNew(sent),
  campaign_type: 'LOYALTY_PROGRAM',
})

/**
 * The changes of a program in a request body. Unknown members are skipped, also those that the campaign endpoints would accept.
 */
export function changesIn(sent: LoyaltyProgramChanges): UpdateCampaign {
  const { unset_metadata_fields, ...changes } = readChanges(sent)
  if (changes.type === 'STANDALONE') throw invalidCampaign('A loyalty program cannot be STANDALONE')
  const known = Object.entries(changes).filter(([name]) => Object.hasOwn(LoyaltyProgramChanges.properties, name))
  return {
    ...(Object.fromEntries(known) as Omit<UpdateCampaign, 'unset_metadata_fields'>),
    ...(unset_metadata_fields == null ? {} : { unset_metadata_fields }),
  }
}
