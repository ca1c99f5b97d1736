import type { Ctx } from '../context.ts'
import { tierExpiration } from '../loyalty/view.ts'
import { toLoyaltyTier } from '../loyalty-tiers/loyalty-tier.ts'
import type { LoyaltyTier } from '../loyalty-tiers/schema.ts'
import type { StoredVoucher } from '../vouchers/voucher.ts'
import { findMembership, type Membership } from './store.ts'

/** The tier of a member, alone in its list, or nothing. */
export async function listMemberTiers(ctx: Ctx, { id }: StoredVoucher): Promise<LoyaltyTier[]> {
  const membership = await findMembership(ctx, id)
  return membership === undefined ? [] : [toMemberTier(membership)]
}

const toMemberTier = ({ member, tier }: Membership): LoyaltyTier => ({
  ...toLoyaltyTier(tier),
  expiration: tierExpiration(member),
})
