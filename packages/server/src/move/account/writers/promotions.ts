import { invalidPayload } from '../../../core/http/errors.ts'
import { discountOf } from '../../../rules/terms/discount.ts'
import { type Batch, forEach, ownId, reference, type Writer } from '../batch.ts'
import { amount, type Foreign, flag, LeftOut, list, moments, part, requiredText, text } from '../foreign.ts'
import { present } from '../insert-rows.ts'
import { keptId } from '../kept-id.ts'
import { count } from '../report.ts'
import { validityOf } from '../validity.ts'
import { insertConfiguration } from './definitions.ts'

/** The promotion of a tier or stack, which must be in the project. */
async function promotionsOf({ ctx, objects }: Batch) {
  const idOf = (row: Foreign) =>
    reference('campaign', row, 'campaign_id') ?? reference('campaign', part(row, 'campaign'), 'id')
  const ids = await present(ctx, 'campaigns', objects.map(idOf))
  return (row: Foreign) => {
    const id = idOf(row)
    if (id === null || !ids.has(id)) throw new LeftOut('its campaign was not carried over')
    return id
  }
}

export const promotionTiers: Writer = {
  list: 'promotion-tiers',
  size: 200,
  async write(batch) {
    const promotionOf = await promotionsOf(batch)
    const rows = await forEach(batch, async (tier) => {
      const { discount } = part(tier, 'action')
      return {
        id: ownId(batch, 'promotion_tier', tier),
        campaign_id: promotionOf(tier),
        name: requiredText(tier, 'name'),
        banner: text(tier, 'banner'),
        discount: discount == null ? null : await discountOf(batch.ctx, discount, invalidPayload),
        metadata: part(tier, 'metadata'),
        hierarchy: Math.max(1, amount(tier, 'hierarchy')),
        active: flag(tier, 'active', true),
        ...validityOf(tier),
        category_id: reference('category', tier, 'category_id'),
        ...moments(tier, batch.copied_at),
      }
    })
    await insertConfiguration(batch, 'promotion_tiers', rows)
  },
}

export const promotionStacks: Writer = {
  list: 'promotion-stacks',
  size: 200,
  async write(batch) {
    const { ctx, objects, report } = batch
    const promotionOf = await promotionsOf(batch)
    const tierIds = await present(ctx, 'promotion_tiers', objects.flatMap(tiersOf))
    const rows = await forEach(batch, (stack) => {
      const named = tiersOf(stack)
      const known = named.filter((id) => tierIds.has(id))
      if (known.length < named.length)
        count(report.changed, 'tiers of the stack that were not carried over were dropped', stack.id)
      return {
        id: ownId(batch, 'promotion_stack', stack),
        campaign_id: promotionOf(stack),
        name: requiredText(stack, 'name'),
        tier_ids: known,
        category_id: reference('category', stack, 'category_id'),
        ...moments(stack, batch.copied_at),
      }
    })
    await insertConfiguration(batch, 'promotion_stacks', rows)
  },
}

const tiersOf = (stack: Foreign): string[] =>
  list(part(stack, 'tiers'), 'ids').flatMap((id) => (typeof id === 'string' ? [keptId('promotion_tier', id)] : []))
