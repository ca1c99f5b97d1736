import { clientView } from '../../audience/customers/client-view.ts'
import type { Ctx } from '../../core/context.ts'
import { operation, operationPair } from '../../core/http/operation.ts'
import { listed } from '../../core/query/list.ts'
import { getCampaign } from '../campaigns/store.ts'
import { changeStack, createStack, removeStack, type StackInCampaign } from './change-stacks.ts'
import { createTier } from './create-tiers.ts'
import { showTierPage } from './list-tiers.ts'
import { removeTier } from './remove-tier.ts'
import {
  CampaignTierQuery,
  ClientPromotionTierList,
  PromotionStack,
  PromotionStackBody,
  PromotionStackList,
  PromotionStackQuery,
  PromotionTier,
  PromotionTierBody,
  PromotionTierList,
  PromotionTierQuery,
  UpdatePromotionStack,
  UpdatePromotionTier,
} from './schema.ts'
import { showTier } from './show-tiers.ts'
import { toPromotionStack } from './stack.ts'
import { getStack, listStacks, listStacksIn } from './stack-store.ts'
import { getTier, lockTier } from './tier-store.ts'
import { changeTier, switchTier } from './update-tier.ts'

const tiers = [
  ...operationPair({
    id: 'listPromotionTiers',
    method: 'GET',
    path: '/v1/promotions/tiers',
    summary: 'List promotion tiers',
    description: 'Tiers of all promotions, page by page.',
    second: {
      id: 'listClientPromotionTiers',
      path: '/client/v1/promotions/tiers',
      summary: 'List promotion tiers (client side)',
      description: 'Tiers of all promotions, page by page, as far as pages of the shop may see them.',
      for_pages: { reply: ClientPromotionTierList, view: clientView },
    },
    query: PromotionTierQuery,
    reply: PromotionTierList,
    errors: ['invalid_query_params'],
    run: (ctx, { query }) => showTierPage(ctx, query),
  }),
  operation({
    id: 'listPromotionTiersOfCampaign',
    method: 'GET',
    path: '/v1/promotions/{campaignId}/tiers',
    summary: 'List the promotion tiers of a campaign',
    description: 'Newest first: all of them, unless `limit`, `page` or `starting_after_id` is sent.',
    query: CampaignTierQuery,
    reply: PromotionTierList,
    errors: ['invalid_query_params', 'not_found'],
    target: (ctx, { params }) => getCampaign(ctx, params.campaignId),
    run: (ctx, { target, query }) => showTierPage(ctx, { ...query, campaign_id: target.id }),
  }),
  operation({
    id: 'createPromotionTier',
    method: 'POST',
    path: '/v1/promotions/{campaignId}/tiers',
    summary: 'Add a promotion tier to a campaign',
    description: 'The last one, unless `hierarchy` gives it a place: then those from there on move back by one.',
    body: PromotionTierBody,
    reply: PromotionTier,
    errors: ['invalid_payload', 'not_found', 'invalid_campaign', 'resource_protected', 'metadata_validation_failed'],
    target: (ctx, { params }) => getCampaign(ctx, params.campaignId, { lock: 'update' }),
    run: (ctx, { target, body }) => createTier(ctx, target, body),
  }),
  operation({
    id: 'getPromotionTier',
    method: 'GET',
    path: '/v1/promotions/tiers/{promotionTierId}',
    summary: 'Get a promotion tier',
    description: 'By id, with its figures and rule assignments.',
    reply: PromotionTier,
    errors: ['not_found'],
    run: async (ctx, { params }) => showTier(ctx, await getTier(ctx, params.promotionTierId)),
  }),
  operation({
    id: 'updatePromotionTier',
    method: 'PUT',
    path: '/v1/promotions/tiers/{promotionTierId}',
    summary: 'Update a promotion tier',
    description: 'Metadata are merged key by key; a list of rules replaces those that are assigned.',
    body: UpdatePromotionTier,
    reply: PromotionTier,
    errors: ['invalid_payload', 'not_found', 'resource_protected', 'metadata_validation_failed'],
    target: (ctx, { params }) => lockTier(ctx, params.promotionTierId),
    run: (ctx, { target, body }) => changeTier(ctx, target, body),
  }),
  operation({
    id: 'deletePromotionTier',
    method: 'DELETE',
    path: '/v1/promotions/tiers/{promotionTierId}',
    summary: 'Delete a promotion tier',
    description: 'For good. Stacks go on without it, and one that had nothing else is deleted.',
    reply: null,
    errors: ['not_found', 'resource_protected'],
    target: (ctx, { params }) => lockTier(ctx, params.promotionTierId),
    run: (ctx, { target }) => removeTier(ctx, target),
  }),
  operation({
    id: 'enablePromotionTier',
    method: 'POST',
    path: '/v1/promotions/tiers/{promotionTierId}/enable',
    summary: 'Enable a promotion tier',
    description: 'The tier can be redeemed again. Enabling an enabled tier changes nothing.',
    reply: PromotionTier,
    errors: ['not_found'],
    target: (ctx, { params }) => lockTier(ctx, params.promotionTierId),
    run: (ctx, { target }) => switchTier(ctx, target, true),
  }),
  operation({
    id: 'disablePromotionTier',
    method: 'POST',
    path: '/v1/promotions/tiers/{promotionTierId}/disable',
    summary: 'Disable a promotion tier',
    description: 'The tier cannot be redeemed until it is enabled again.',
    reply: PromotionTier,
    errors: ['not_found'],
    target: (ctx, { params }) => lockTier(ctx, params.promotionTierId),
    run: (ctx, { target }) => switchTier(ctx, target, false),
  }),
]

/** A stack by its campaign and its id; operations that change it lock the campaign. */
async function stackIn(
  ctx: Ctx,
  { campaignId, stackId }: { campaignId: string; stackId: string },
  options: { lock?: 'update' } = {},
): Promise<StackInCampaign> {
  const campaign = await getCampaign(ctx, campaignId, options)
  return { campaign, stack: await getStack(ctx, campaign.id, stackId) }
}

const stacks = [
  operation({
    id: 'listPromotionStacks',
    method: 'GET',
    path: '/v1/promotions/stacks',
    summary: 'List promotion stacks',
    description: 'Stacks of all promotions, page by page.',
    query: PromotionStackQuery,
    reply: PromotionStackList,
    errors: ['invalid_query_params'],
    run: async (ctx, { query }) => {
      const { stacks, total } = await listStacks(ctx, query)
      return listed('data', stacks.map(toPromotionStack), { total })
    },
  }),
  operation({
    id: 'listPromotionStacksOfCampaign',
    method: 'GET',
    path: '/v1/promotions/{campaignId}/stacks',
    summary: 'List the promotion stacks of a campaign',
    description: 'All of them, oldest first.',
    reply: PromotionStackList,
    errors: ['not_found'],
    run: async (ctx, { params }) => {
      const { id } = await getCampaign(ctx, params.campaignId)
      const data = (await listStacksIn(ctx, id)).map(toPromotionStack)
      return listed('data', data, { total: data.length })
    },
  }),
  operation({
    id: 'createPromotionStack',
    method: 'POST',
    path: '/v1/promotions/{campaignId}/stacks',
    summary: 'Add a promotion stack to a campaign',
    description: 'The tiers must belong to the campaign; they are applied together, in the order of their ids.',
    body: PromotionStackBody,
    reply: PromotionStack,
    errors: ['invalid_payload', 'not_found', 'resource_protected'],
    target: (ctx, { params }) => getCampaign(ctx, params.campaignId, { lock: 'update' }),
    run: (ctx, { target, body }) => createStack(ctx, target, body),
  }),
  operation({
    id: 'getPromotionStack',
    method: 'GET',
    path: '/v1/promotions/{campaignId}/stacks/{stackId}',
    summary: 'Get a promotion stack',
    description: 'By id, below its campaign.',
    reply: PromotionStack,
    errors: ['not_found'],
    run: async (ctx, { params }) => toPromotionStack((await stackIn(ctx, params)).stack),
  }),
  operation({
    id: 'updatePromotionStack',
    method: 'PUT',
    path: '/v1/promotions/{campaignId}/stacks/{stackId}',
    summary: 'Update a promotion stack',
    description: 'Changes only what is sent; the tiers are replaced as a whole.',
    body: UpdatePromotionStack,
    reply: PromotionStack,
    errors: ['invalid_payload', 'not_found', 'resource_protected'],
    target: (ctx, { params }) => stackIn(ctx, params, { lock: 'update' }),
    run: (ctx, { target, body }) => changeStack(ctx, target, body),
  }),
  operation({
    id: 'deletePromotionStack',
    method: 'DELETE',
    path: '/v1/promotions/{campaignId}/stacks/{stackId}',
    summary: 'Delete a promotion stack',
    description: 'Its tiers stay.',
    reply: null,
    errors: ['not_found', 'resource_protected'],
    target: (ctx, { params }) => stackIn(ctx, params, { lock: 'update' }),
    run: (ctx, { target }) => removeStack(ctx, target),
  }),
]

export const promotions = [...tiers, ...stacks]
