import type { Discount } from '@guerdon/engine/schema'
import type { Ctx } from '../../core/context.ts'
import { invalidPayload } from '../../core/http/errors.ts'
import { discountOf } from '../../rules/terms/discount.ts'
import type { PromotionTierBody } from './schema.ts'

/** The discount that a body sends, checked; undefined where it sends none. */
export async function tierDiscount(
  ctx: Ctx,
  { action }: Pick<PromotionTierBody, 'action'>,
): Promise<Discount | undefined> {
  if (action?.discount === undefined) return undefined
  // In a tier it stands one step deeper than in the bodies it is usually read from.
  return discountOf(ctx, action.discount, (details) =>
    invalidPayload(details.replace(/^Property \.discount/, 'Property .action.discount')),
  )
}
