import type { Discount } from '@guerdon/engine/schema'
import type { Ctx } from '../../core/context.ts'
import { invalidPayload, under } from '../../core/http/errors.ts'
import { discountOf } from '../../rules/terms/discount.ts'
import type { PromotionTierBody } from './schema.ts'

/** The validated discount of a body, which is at `path` in the request; undefined if it has none. */
export async function tierDiscount(
  ctx: Ctx,
  { action }: Pick<PromotionTierBody, 'action'>,
  path = '',
): Promise<Discount | undefined> {
  if (action?.discount === undefined) return undefined
  return discountOf(ctx, action.discount, under(`${path}.action`, invalidPayload))
}
