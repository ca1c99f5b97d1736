import type { SimplePromotionStack } from '../../core/events/shapes.ts'
import { toCategory } from '../../rules/categories/store.ts'
import type { PromotionStack } from './schema.ts'
import type { StoredStack } from './stack-store.ts'

/** A stack as the API returns it. */
export function toPromotionStack({ id, name, tier_ids, campaign_id, category, ...stack }: StoredStack): PromotionStack {
  const { created_at, updated_at } = stack
  return {
    id,
    name,
    tiers: { ids: tier_ids, hierarchy_mode: 'MANUAL' },
    campaign_id,
    category_id: category?.id ?? null,
    categories: category === null ? [] : [toCategory(category)],
    created_at,
    ...(updated_at === null ? {} : { updated_at }),
    object: 'promotion_stack',
  }
}

/** [SPS], the short form in events. */
export const toSimpleStack = ({
  id,
  name,
  category_id,
  campaign_id,
  tier_ids,
}: Pick<StoredStack, 'id' | 'name' | 'category_id' | 'campaign_id' | 'tier_ids'>): SimplePromotionStack => ({
  id,
  name,
  category_id,
  campaign: { id: campaign_id },
  tiers: { ids: tier_ids, hierarchy_mode: 'MANUAL' },
})
