import type { Ctx } from '../../core/context.ts'
import { ApiError } from '../../core/http/errors.ts'
import type { StoredCampaign } from '../../incentives/campaigns/store.ts'
import { publishCodes } from '../../incentives/publications/publish.ts'
import { identifiesCustomer } from '../../incentives/publications/recipient.ts'
import type { Voucher } from '../../incentives/vouchers/schema.ts'
import { getVoucher } from '../../incentives/vouchers/store.ts'
import { toVoucher } from '../../incentives/vouchers/voucher.ts'
import type { CreateLoyaltyMember } from './schema.ts'
import { getMember } from './store.ts'

/**
 * Publishes a card of a program to a customer, or returns the card that the customer already has
 * (docs/reference/loyalty-cards.md#list-members). It is a publication that returns the card of an earlier one, unless the
 * request names another card.
 */
export async function addMember(
  ctx: Ctx,
  program: StoredCampaign,
  { voucher, ...sent }: CreateLoyaltyMember,
): Promise<Voucher | ApiError> {
  const { customer } = sent
  if (!identifiesCustomer(customer))
    throw new ApiError('invalid_customer', { details: 'Property .customer must have at least one field' })
  const card = voucher == null ? null : await getMember(ctx, voucher, program)
  const published = await publishCodes(
    ctx,
    { ...sent, ...(card === null ? { campaign: program.id } : { voucher: card.code }) },
    { join_once: card === null },
  )
  if (published instanceof ApiError) return published
  // Reloaded: joining may have put the member into a tier, and the tier may have credited points.
  return toVoucher(ctx, await getVoucher(ctx, published.publication.voucher_ids[0] as string))
}
