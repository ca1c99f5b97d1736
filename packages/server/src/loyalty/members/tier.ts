import type { Ctx } from '../../core/context.ts'
import type { StoredVoucher } from '../../incentives/vouchers/voucher.ts'
import { tierExpiration } from '../points/view.ts'
import { toLoyaltyTier } from '../tiers/loyalty-tier.ts'
import type { LoyaltyTier } from '../tiers/schema.ts'
import { findMembership, type Membership } from './store.ts'

/** The tier of a member as a list with one element, or an empty list. */
export async function listMemberTiers(ctx: Ctx, { id }: StoredVoucher): Promise<LoyaltyTier[]> {
  const membership = await findMembership(ctx, id)
  return membership === undefined ? [] : [toMemberTier(membership)]
}

const toMemberTier = ({ member, tier }: Membership): LoyaltyTier => ({
  ...toLoyaltyTier(tier),
  expiration: tierExpiration(member),
})
