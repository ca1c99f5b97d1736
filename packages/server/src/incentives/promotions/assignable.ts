import type { Assignable } from '../../rules/validation-rules/assignable.ts'
import { toSimplePromotionTier } from './tier.ts'
import { findPromotionTier, listTiersById } from './tier-store.ts'

export const assignablePromotionTier: Assignable<'promotion_tier'> = {
  async find(ctx, id) {
    const tier = await findPromotionTier(ctx, id, { lock: 'keyShare' })
    return tier && toSimplePromotionTier(tier)
  },
  list: async (ctx, ids) => (await listTiersById(ctx, ids)).map(toSimplePromotionTier),
}
