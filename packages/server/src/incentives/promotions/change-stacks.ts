import type { Ctx } from '../../core/context.ts'
import { emit } from '../../core/events/emit.ts'
import { notFound } from '../../core/http/errors.ts'
import { chosenCategory } from '../../rules/categories/assign.ts'
import { toSimpleCampaign } from '../campaigns/campaign.ts'
import type { StoredCampaign } from '../campaigns/store.ts'
import { refuseProtected } from '../campaigns/store.ts'
import type { PromotionStack, PromotionStackBody, UpdatePromotionStack } from './schema.ts'
import { toPromotionStack } from './stack.ts'
import { deleteStack, insertStack, type StoredStack, updateStack } from './stack-store.ts'
import { listTierIds } from './tier-store.ts'

export interface StackInCampaign {
  campaign: StoredCampaign
  stack: StoredStack
}

// Every change of a stack requires the lock on its campaign: otherwise a tier deleted concurrently could stay in the
// stack.

export async function createStack(
  ctx: Ctx,
  campaign: StoredCampaign,
  { name, tiers, category_id }: PromotionStackBody,
): Promise<PromotionStack> {
  refuseProtected(campaign)
  await refuseForeignTiers(ctx, campaign, tiers.ids)
  const stack = await insertStack(ctx, {
    campaign_id: campaign.id,
    name,
    tier_ids: JSON.stringify(tiers.ids),
    category_id: (await chosenCategory(ctx, { category_id: category_id ?? null })) ?? null,
  })
  return emitStack(ctx, 'created', { campaign, stack })
}

export async function changeStack(
  ctx: Ctx,
  { campaign, stack }: StackInCampaign,
  { name, tiers, category_id }: UpdatePromotionStack,
): Promise<PromotionStack> {
  refuseProtected(campaign)
  if (tiers !== undefined) await refuseForeignTiers(ctx, campaign, tiers.ids)
  const categoryId = category_id === undefined ? undefined : await chosenCategory(ctx, { category_id })
  const updatedStack = await updateStack(ctx, stack.id, {
    name,
    tier_ids: tiers && JSON.stringify(tiers.ids),
    category_id: categoryId,
  })
  return emitStack(ctx, 'updated', { campaign, stack: updatedStack })
}

export async function removeStack(ctx: Ctx, { campaign, stack }: StackInCampaign): Promise<void> {
  refuseProtected(campaign)
  await deleteStack(ctx, stack.id)
  await emitStack(ctx, 'deleted', { campaign, stack })
}

/** Emits the event of a changed stack and returns the stack as the API shows it. */
export async function emitStack(
  ctx: Ctx,
  verb: 'created' | 'updated' | 'deleted',
  { campaign, stack }: StackInCampaign,
): Promise<PromotionStack> {
  const promotionStack = toPromotionStack(stack)
  await emit(ctx, `campaign.promotion_stack.${verb}`, campaign.id, {
    campaign: toSimpleCampaign(campaign),
    promotion_stack: promotionStack,
  })
  return promotionStack
}

async function refuseForeignTiers(ctx: Ctx, { id }: StoredCampaign, tierIds: readonly string[]): Promise<void> {
  const ownTierIds = new Set<string>(await listTierIds(ctx, id))
  const foreign = tierIds.find((tierId) => !ownTierIds.has(tierId))
  if (foreign !== undefined) throw notFound('promotion_tier', foreign)
}
