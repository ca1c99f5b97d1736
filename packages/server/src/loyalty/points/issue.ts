import type { StoredCustomer } from '../../audience/customers/customer.ts'
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

/** A reward as it was given. */
export interface Issued {
  /** A code that was published, or a card that was topped up, as it is afterwards. */
  voucher: StoredVoucher | null
  publication: SimplePublication | null
  product: Product | null
  sku: Sku | null
  /** What a card has more. */
  balance: { points: number } | { amount: number } | null
  /** A loyalty card that is to get points, which is still to be done. */
  grown: RewardCredit | null
  /** For a rollback. */
  kept: { voucher_id: string; amount?: number } | null
}

export interface RewardCredit {
  voucher_id: string
  points: number
  /** Its holder has joined the program by it. */
  isNew: boolean
}

const nothing: Issued = {
  voucher: null,
  publication: null,
  product: null,
  sku: null,
  balance: null,
  grown: null,
  kept: null,
}

/** Where a reward comes from and goes to. */
export interface RewardOrigin {
  customer: StoredCustomer
  reward: Pick<ConfiguredReward, 'type' | 'parameters'>
}

/**
 * Gives a reward to a customer (docs/reference/rewards.md#redeem-a-reward), or throws why it cannot be given. What was written
 * then is to be undone.
 */
export async function issueReward(ctx: Ctx, occasion: RewardOrigin): Promise<Issued> {
  const { reward } = occasion
  if (reward.type === 'MATERIAL')
    return material(ctx, reward.parameters as { product: { id: string; sku_id: string | null } })
  if (reward.type === 'COIN') return nothing
  const { campaign } = reward.parameters as { campaign: { id: string; balance?: number; type: string } }
  const balance = campaign.balance ?? 0
  if (campaign.type === 'GIFT_VOUCHERS') return giftCredits(ctx, occasion, campaign.id, balance)
  if (campaign.type === 'LOYALTY_PROGRAM') return loyaltyPoints(ctx, occasion, campaign.id, balance)
  const { id, publication } = await newCode(ctx, occasion, campaign.id)
  return { ...nothing, voucher: await getVoucher(ctx, id), publication, kept: { voucher_id: id } }
}

/** Nothing goes out by itself: somebody sends it, and says so. */
async function material(ctx: Ctx, { product: { id, sku_id } }: { product: { id: string; sku_id: string | null } }) {
  const product = (await findProduct(ctx, id)) ?? null
  const sku = sku_id === null ? null : ((await findSku(ctx, sku_id)) ?? null)
  return { ...nothing, product, sku }
}

/** A code of a campaign, and not one that the customer has already. */
async function newCode(
  ctx: Ctx,
  { customer }: RewardOrigin,
  campaignId: string,
): Promise<{ id: string; publication: SimplePublication }> {
  const request = { customer: { id: customer.id }, campaign: { name: campaignId } }
  const published = await publishCodes(ctx, request, { is_followed: false })
  if (published instanceof ApiError) throw published
  const { publication, vouchers, isNew } = published
  const [voucher] = vouchers
  if (voucher === undefined || !isNew)
    throw new ApiError('voucher_cannot_be_published', {
      details: 'Voucher cannot be published. Customer already joined program.',
    })
  return { id: voucher.id, publication: toSimplePublication(publication, published.customer, vouchers) }
}

/** The card of a campaign that a customer has. */
function findHeld({ db, project_id }: Ctx, { id }: StoredCustomer, campaignId: string) {
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

async function giftCredits(ctx: Ctx, occasion: RewardOrigin, campaignId: string, amount: number): Promise<Issued> {
  const held = await findHeld(ctx, occasion.customer, campaignId)
  const published = held === undefined ? await newCode(ctx, occasion, campaignId) : null
  const id = held?.id ?? (published?.id as string)
  const card = await getVoucher(ctx, id, { lock: 'alone' })
  await changeGift(ctx, card, { amount }, { source: 'Automation', operation_type: 'AUTOMATIC' })
  return {
    ...nothing,
    voucher: await getVoucher(ctx, id),
    publication: published?.publication ?? null,
    balance: { amount },
    kept: { voucher_id: id, amount },
  }
}

/**
 * Points on the card of another program. The card is there from now on, and is shown as it will be; the points themselves come
 * when what they are given for is written, for they may set off a lot (see `followGrown`).
 */
async function loyaltyPoints(ctx: Ctx, occasion: RewardOrigin, campaignId: string, points: number): Promise<Issued> {
  const held = await findHeld(ctx, occasion.customer, campaignId)
  const published = held === undefined ? await newCode(ctx, occasion, campaignId) : null
  const id = held?.id ?? (published?.id as string)
  const card = await getVoucher(ctx, id)
  const creditsAdded = (card.credits_added ?? 0) + points
  if (!Number.isSafeInteger(creditsAdded))
    throw new ApiError('invalid_amount', { details: `A card cannot hold so much: ${card.code}` })
  return {
    ...nothing,
    voucher: { ...card, credits_added: creditsAdded },
    publication: published?.publication ?? null,
    balance: { points },
    grown: { voucher_id: id, points, isNew: published !== null },
    kept: { voucher_id: id, amount: points },
  }
}
