import { getProduct } from '../../catalogue/products/store.ts'
import { listSkusNamed } from '../../catalogue/skus/store.ts'
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

/** The kind of each member of the parameters. */
const kinds = { campaign: 'CAMPAIGN', coin: 'COIN', product: 'MATERIAL' } as const
type Member = keyof typeof kinds
const members = Object.keys(kinds) as Member[]

/** Of which kind a reward is that has these parameters; what the body says about it must agree. */
export function kindOf(parameters: RewardParametersBody, said: RewardType | null | undefined): RewardType {
  const sent = members.filter((member) => parameters[member] != null)
  const wanted = members.find((member) => kinds[member] === said)
  if (sent.length === 0 && wanted !== undefined)
    throw new ApiError('missing_param', { details: `Parameter 'parameters.${wanted}' is required` })
  const [member, ...others] = sent
  if (member === undefined || others.length > 0)
    throw invalidPayload(`Property .parameters must have exactly one of the properties [ ${members.join(', ')} ]`)
  if (said != null && said !== kinds[member])
    throw invalidPayload(`Property .type must be ${kinds[member]} for a reward with parameters.${member}`)
  return kinds[member]
}

/**
 * The parameters of a reward as they are kept. What they name is looked up and stays until the end of the transaction; a
 * campaign tells its type each time they are written (docs/reference/rewards.md#reward-object).
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
  const campaign = await getCampaign(ctx, id, { lock: 'here' })
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
  const product = await getProduct(ctx, id, { lock: 'here' })
  if (sku_id == null) return { product: { id: product.id, sku_id: null } }
  const named = await listSkusNamed(ctx, [sku_id], { lock: true })
  const sku = named.find((one) => one.id === sku_id) ?? named[0]
  if (sku?.product_id !== product.id) throw notFound('sku', sku_id)
  return { product: { id: product.id, sku_id: sku.id } }
}

/** Only what can be handed over has a stock and a picture. */
export function refuseOfOthers(
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

/** The campaign whose points a reward credits, if it does. */
export function creditedProgram(parameters: object): string | null {
  const { campaign } = parameters as Partial<CampaignReward>
  return campaign?.type === 'LOYALTY_PROGRAM' ? campaign.id : null
}
