import { invalidPayload, under } from '../../core/http/errors.ts'
import type { StoredCampaign } from '../../incentives/campaigns/store.ts'
import { type ValidityBody, type ValidityState, validityAfter } from '../../rules/terms/validity.ts'

/**
 * The validity of a rule after a request body is applied. The campaign's validity is the default
 * (docs/reference/earning-rules.md#when-a-rule-fires): a timeframe may count from the campaign's start date. `path` is the
 * position of the rule in the request body.
 */
export function validityWithin(
  campaign: StoredCampaign,
  stored: ValidityState,
  sent: ValidityBody,
  path: string,
): ValidityState {
  const refuse = under(path, invalidPayload)
  const timeframe = sent.validity_timeframe === undefined ? stored.validity_timeframe : sent.validity_timeframe
  const startDate = sent.start_date === undefined ? stored.start_date : sent.start_date
  const inherits = timeframe !== null && startDate === null && campaign.start_date !== null
  if (!inherits) return validityAfter(stored, sent, refuse)
  return { ...validityAfter(stored, { ...sent, start_date: campaign.start_date }, refuse), start_date: null }
}
