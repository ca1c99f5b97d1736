import type { SimpleReferralTier } from '../../core/events/shapes.ts'
import type { ReferralTier } from './schema.ts'
import type { StoredReferralTier } from './tier-store.ts'

export function toReferralTier(tier: StoredReferralTier): ReferralTier {
  const { id, campaign_id, banner, parameters, reward_id, assignment_id, created_at, updated_at } = tier
  return {
    id,
    campaign_id,
    banner,
    parameters,
    reward: { id: reward_id, assignment_id },
    created_at,
    updated_at,
    object: 'referral_tier',
  }
}

/** [SRT], the short form in events. */
export const toSimpleReferralTier = ({
  id,
  campaign_id,
  banner,
  parameters,
}: Pick<StoredReferralTier, 'id' | 'campaign_id' | 'banner' | 'parameters'>): SimpleReferralTier => ({
  id,
  campaign_id,
  banner,
  parameters,
})
