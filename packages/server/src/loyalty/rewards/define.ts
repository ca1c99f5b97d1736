import { getProduct } from '../../catalogue/products/store.ts'
import { listSkusByKey } from '../../catalogue/skus/store.ts'
import type { Ctx } from '../../core/context.ts'
import { ApiError, invalidPayload, notFound } from '../../core/http/errors.ts'
import { getCampaign } from '../../incentives/campaigns/store.ts'
import type {
  CampaignReward,
  CoinReward,
  MaterialReward,
  RewardAttributes,
  RewardChanges,
  RewardedCampaignType,
  RewardParameters,
  RewardParametersBody,
  RewardType,
} from './schema.ts'

/** The reward type of each member of the parameters. */
const kinds = { campaign: 'CAMPAIGN', coin: 'COIN', product: 'MATERIAL' } as const
type Member = keyof typeof kinds
const members = Object.keys(kinds) as Member[]

/** The reward type that the parameters imply; a type in the request body must agree. */
export function rewardKindOf(parameters: RewardParametersBody, sentType: RewardType | null | undefined): RewardType {
  const sentMembers = members.filter((member) => parameters[member] != null)
  const missingMember = members.find((member) => kinds[member] === sentType)
  if (sentMembers.length === 0 && missingMember !== undefined)
    throw new ApiError('missing_param', { details: `Parameter 'parameters.${missingMember}' is required` })
  const [member, ...surplus] = sentMembers
  if (member === undefined || surplus.length > 0)
    throw invalidPayload(`Property .parameters must have exactly one of the properties [ ${members.join(', ')} ]`)
  if (sentType != null && sentType !== kinds[member])
    throw invalidPayload(`Property .type must be ${kinds[member]} for a reward with parameters.${member}`)
  return kinds[member]
}

/**
 * The parameters of a reward as stored. Objects they refer to are locked against deletion until the end of the transaction; the
 * type of a campaign is read each time the parameters are written (docs/reference/rewards.md#reward-object).
 */
export async function parametersOf(
  ctx: Ctx,
  { campaign, coin, product }: RewardParametersBody,
): Promise<RewardParameters> {
  if (campaign != null) return campaignReward(ctx, campaign)
  if (coin != null) return coinReward(coin)
  return materialReward(ctx, product as NonNullable<typeof product>)
}

type Sent<M extends Member> = NonNullable<RewardParametersBody[M]>

async function campaignReward(ctx: Ctx, { id, balance }: Sent<'campaign'>): Promise<CampaignReward> {
  const campaign = await getCampaign(ctx, id, { lock: 'keyShare' })
  const type = campaign.campaign_type as RewardedCampaignType
  switch (type) {
    case 'DISCOUNT_COUPONS':
      return { campaign: { id: campaign.id, type } }
    case 'GIFT_VOUCHERS':
    case 'LOYALTY_PROGRAM':
      if (balance == null || balance <= 0)
        throw new ApiError('invalid_balance', {
          message: "Property 'parameters.campaign.balance' is invalid",
          details: `Property 'parameters.campaign.balance' must be greater than zero for campaign type: ${type}`,
        })
      return { campaign: { id: campaign.id, balance, type } }
    default:
      throw invalidPayload(
        'Property .parameters.campaign.id must be a campaign of type DISCOUNT_COUPONS, GIFT_VOUCHERS or LOYALTY_PROGRAM',
      )
  }
}

const coinReward = ({ exchange_ratio, points_ratio }: Sent<'coin'>): CoinReward => ({
  coin: { exchange_ratio, points_ratio: points_ratio ?? 1 },
})

async function materialReward(ctx: Ctx, { id, sku_id }: Sent<'product'>): Promise<MaterialReward> {
  const product = await getProduct(ctx, id, { lock: 'keyShare' })
  if (sku_id == null) return { product: { id: product.id, sku_id: null } }
  const skus = await listSkusByKey(ctx, [sku_id], { lock: true })
  const sku = skus.find((candidate) => candidate.id === sku_id) ?? skus[0]
  if (sku?.product_id !== product.id) throw notFound('sku', sku_id)
  return { product: { id: product.id, sku_id: sku.id } }
}

/** Only MATERIAL rewards have a stock and attributes. */
export function refuseMaterialMembers(
  type: RewardType,
  { stock, attributes }: Pick<RewardChanges, 'stock' | 'attributes'>,
): void {
  if (type === 'MATERIAL') return
  if (stock != null) throw invalidPayload('Property .stock is for MATERIAL rewards only')
  if (Object.keys(attributesOf(attributes)).length > 0)
    throw invalidPayload('Property .attributes is for MATERIAL rewards only')
}

export const attributesOf = (sent: RewardChanges['attributes']): RewardAttributes => ({
  ...(sent?.image_url == null ? {} : { image_url: sent.image_url }),
  ...(sent?.description == null ? {} : { description: sent.description }),
})

/** The campaign whose points a reward credits, or null. */
export function creditedProgram(parameters: object): string | null {
  const { campaign } = parameters as Partial<CampaignReward>
  return campaign?.type === 'LOYALTY_PROGRAM' ? campaign.id : null
}
