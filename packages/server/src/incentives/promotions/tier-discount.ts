import type { Discount } from '@guerdon/engine/schema'
import type { Ctx } from '../../core/context.ts'
import { invalidPayload } from '../../core/http/errors.ts'
import { discountOf } from '../../rules/terms/discount.ts'
import type { PromotionTierBody } from './schema.ts'

/** The validated discount of a body; undefined if it has none. */
export async function tierDiscount(
  ctx: Ctx,
  { action }: Pick<PromotionTierBody, 'action'>,
): Promise<Discount | undefined> {
  if (action?.discount === undefined) return undefined
  // Error messages name the path `.discount`; in a tier the discount is one level deeper.
  return discountOf(ctx, action.discount, (details) =>
    invalidPayload(details.replace(/^Property \.discount/, 'Property .action.discount')),
  )
}
