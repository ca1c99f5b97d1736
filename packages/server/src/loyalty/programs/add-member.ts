import type { Ctx } from '../../core/context.ts'
import { ApiError } from '../../core/http/errors.ts'
import type { StoredCampaign } from '../../incentives/campaigns/store.ts'
import { publishCodes } from '../../incentives/publications/publish.ts'
import type { Voucher } from '../../incentives/vouchers/schema.ts'
import { getVoucher } from '../../incentives/vouchers/store.ts'
import { toVoucher } from '../../incentives/vouchers/voucher.ts'
import type { CreateLoyaltyMember } from './schema.ts'
import { getMember } from './store.ts'

/**
 * Gives a customer a card of a program, or answers the card that the customer has (docs/reference/loyalty-cards.md#list-members).
 * That is a publication that settles for the card of an earlier one, unless it names another card.
 */
export async function addMember(
  ctx: Ctx,
  program: StoredCampaign,
  { voucher, ...sent }: CreateLoyaltyMember,
): Promise<Voucher | ApiError> {
  const { customer } = sent
  if (typeof customer !== 'string' && customer.id == null && customer.source_id == null)
    throw new ApiError('invalid_customer', { details: "Property .customer must have an 'id' or a 'source_id'" })
  const named = voucher == null ? null : await getMember(ctx, voucher, program)
  const published = await publishCodes(
    ctx,
    { ...sent, ...(named === null ? { campaign: program.id } : { voucher: named.code }) },
    { join_once: named === null },
  )
  if (published instanceof ApiError) return published
  // Read again: to join may have brought a tier, and the tier points.
  return toVoucher(ctx, await getVoucher(ctx, published.publication.voucher_ids[0] as string))
}
