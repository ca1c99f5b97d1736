import type { StoredCustomer } from '../../audience/customers/customer.ts'
import { asService } from '../../audience/customers/on-client-side.ts'
import type { Product } from '../../catalogue/products/schema.ts'
import { findProduct } from '../../catalogue/products/store.ts'
import type { Sku } from '../../catalogue/skus/schema.ts'
import { findSku } from '../../catalogue/skus/store.ts'
import type { ConfiguredReward } from '../../core/configuration/configuration.ts'
import type { Ctx } from '../../core/context.ts'
import type { SimplePublication } from '../../core/events/shapes.ts'
import { ApiError } from '../../core/http/errors.ts'
import type { Id } from '../../core/lib/ids.ts'
import { toSimplePublication } from '../../incentives/publications/publication.ts'
import { publishCodes } from '../../incentives/publications/publish.ts'
import { changeGift } from '../../incentives/vouchers/change-gift.ts'
import { getVoucher } from '../../incentives/vouchers/store.ts'
import type { StoredVoucher } from '../../incentives/vouchers/voucher.ts'

/** An issued reward. */
export interface Issued {
  /** The published code or the topped-up card, after the change. */
  voucher: StoredVoucher | null
  publication: SimplePublication | null
  product: Product | null
  sku: Sku | null
  /** The points or credits added to a card. */
  balance: { points: number } | { amount: number } | null
  /** Points still to be credited to a loyalty card, by `creditRewards`. */
  rewardCredit: RewardCredit | null
  /** Stored for a rollback. */
  kept: { voucher_id: string; amount?: number } | null
}

export interface RewardCredit {
  voucher_id: string
  points: number
  /** The holder joined the program by this reward. */
  isNew: boolean
}

const emptyIssue: Issued = {
  voucher: null,
  publication: null,
  product: null,
  sku: null,
  balance: null,
  rewardCredit: null,
  kept: null,
}

/** The customer who gets a reward, and the reward. */
export interface RewardOrigin {
  customer: StoredCustomer
  reward: Pick<ConfiguredReward, 'type' | 'parameters'>
}

/**
 * Issues a reward to a customer (docs/reference/rewards.md#redeem-a-reward), or throws the reason why it cannot be issued. In
 * that case the caller rolls back what was written.
 */
export async function issueReward(ctx: Ctx, origin: RewardOrigin): Promise<Issued> {
  const { reward } = origin
  if (reward.type === 'MATERIAL')
    return issueMaterial(ctx, reward.parameters as { product: { id: string; sku_id: string | null } })
  if (reward.type === 'COIN') return emptyIssue
  const { campaign } = reward.parameters as { campaign: { id: string; balance?: number; type: string } }
  const balance = campaign.balance ?? 0
  if (campaign.type === 'GIFT_VOUCHERS') return issueGiftCredits(ctx, origin, campaign.id, balance)
  if (campaign.type === 'LOYALTY_PROGRAM') return issueLoyaltyPoints(ctx, origin, campaign.id, balance)
  const { id, publication } = await publishCode(ctx, origin, campaign.id)
  return { ...emptyIssue, voucher: await getVoucher(ctx, id), publication, kept: { voucher_id: id } }
}

/** The shop hands over the goods itself and confirms it later. */
async function issueMaterial(
  ctx: Ctx,
  { product: { id, sku_id } }: { product: { id: string; sku_id: string | null } },
) {
  const product = (await findProduct(ctx, id)) ?? null
  const sku = sku_id === null ? null : ((await findSku(ctx, sku_id)) ?? null)
  return { ...emptyIssue, product, sku }
}

/** Publishes a code of a campaign to the customer; refused if the customer has one already. */
async function publishCode(
  ctx: Ctx,
  { customer }: RewardOrigin,
  campaignId: string,
): Promise<{ id: string; publication: SimplePublication }> {
  const request = { customer: { id: customer.id }, campaign: { name: campaignId } }
  const published = await publishCodes(asService(ctx), request, { runsReactions: false })
  if (published instanceof ApiError) throw published
  const { publication, vouchers, isNew } = published
  const [voucher] = vouchers
  if (voucher === undefined || !isNew)
    throw new ApiError('voucher_cannot_be_published', {
      details: 'Voucher cannot be published. Customer already joined program.',
    })
  return { id: voucher.id, publication: toSimplePublication(publication, published.customer, vouchers) }
}

/** The customer's card of a campaign. */
function findCardOf({ db, project_id }: Ctx, { id }: StoredCustomer, campaignId: string) {
  return db
    .selectFrom('vouchers')
    .where('project_id', '=', project_id)
    .where('holder_id', '=', id)
    .where('campaign_id', '=', campaignId as Id<'campaign'>)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .limit(1)
    .select('id')
    .executeTakeFirst()
}

async function issueGiftCredits(ctx: Ctx, origin: RewardOrigin, campaignId: string, amount: number): Promise<Issued> {
  const existing = await findCardOf(ctx, origin.customer, campaignId)
  const published = existing === undefined ? await publishCode(ctx, origin, campaignId) : null
  const id = existing?.id ?? (published?.id as string)
  const card = await getVoucher(ctx, id, { lock: 'update' })
  await changeGift(ctx, card, { amount }, { source: 'Automation', operation_type: 'AUTOMATIC' })
  return {
    ...emptyIssue,
    voucher: await getVoucher(ctx, id),
    publication: published?.publication ?? null,
    balance: { amount },
    kept: { voucher_id: id, amount },
  }
}

/**
 * Prepares points for the card of another program. The card exists from now on and is returned as it will be; `creditRewards`
 * credits the points after the redemption is written, because they may start a cascade.
 */
async function issueLoyaltyPoints(ctx: Ctx, origin: RewardOrigin, campaignId: string, points: number): Promise<Issued> {
  const existing = await findCardOf(ctx, origin.customer, campaignId)
  const published = existing === undefined ? await publishCode(ctx, origin, campaignId) : null
  const id = existing?.id ?? (published?.id as string)
  const card = await getVoucher(ctx, id)
  const creditsAdded = (card.credits_added ?? 0) + points
  if (!Number.isSafeInteger(creditsAdded))
    throw new ApiError('invalid_amount', { details: `A card cannot hold so much: ${card.code}` })
  return {
    ...emptyIssue,
    voucher: { ...card, credits_added: creditsAdded },
    publication: published?.publication ?? null,
    balance: { points },
    rewardCredit: { voucher_id: id, points, isNew: published !== null },
    kept: { voucher_id: id, amount: points },
  }
}
