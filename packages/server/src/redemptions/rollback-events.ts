import { toSimpleCustomer } from '../audience/customers/customer.ts'
import type { Ctx } from '../core/context.ts'
import type { EventData } from '../core/events/catalogue.ts'
import type { NewEvent } from '../core/events/emit.ts'
import type { SimpleOrder } from '../core/events/shapes.ts'
import type { Id } from '../core/lib/ids.ts'
import { toSimpleCampaign } from '../incentives/campaigns/campaign.ts'
import { toSimpleStack } from '../incentives/promotions/stack.ts'
import { toSimplePromotionTier } from '../incentives/promotions/tier.ts'
import { noEarningDetails } from '../incentives/vouchers/entry-changes.ts'
import { showVoucher } from '../incentives/vouchers/show.ts'
import { type StoredVoucher, toSimpleVoucher } from '../incentives/vouchers/voucher.ts'
import { toLoyaltyTier } from '../loyalty/tiers/loyalty-tier.ts'
import { orderEvents } from '../orders/effects.ts'
import { toEventOrder } from '../orders/order.ts'
import { type StoredRedemption, toSimpleRedemption } from './redemption.ts'
import type { Rollback, RolledBackPart } from './rollback-changes.ts'
import type { RollbackFacts } from './rollback-load.ts'

/**
 * The events of a rollback (docs/reference/redemptions.md#events): of each part, of the parent, of the cards, and of the order.
 */
export async function rollbackEvents(ctx: Ctx, facts: RollbackFacts, rollback: Rollback): Promise<NewEvent[]> {
  const { order, parent, parts } = rollback
  const parentEntry = parent === null ? [] : [{ redemption: facts.redemption, row: parent, voucher: null }]
  const all = [...parts, ...parentEntry].map(({ redemption, row, voucher }) => ({
    row,
    data: dataOf(
      facts,
      order && toEventOrder(order, parts.length),
      { ...redemption, status: 'ROLLED_BACK' },
      row,
      voucher,
    ),
  }))
  const events = all.flatMap(({ row, data }) => eventsWith('succeeded', row, data))
  for (const [index, part] of parts.entries())
    if (part.entry !== null) events.push(await transactionEvent(ctx, part, (all[index] as (typeof all)[number]).data))
  if (order === null) return events
  const people = { customer: facts.order_customer, referrer: facts.order_referrer }
  const redemption = (all.at(-1) as (typeof all)[number]).data.redemption_rollback
  return [...events, ...orderEvents({ before: facts.order, order, people, redemption })]
}

/** The events of a refused rollback, which is stored too. */
export function rollbackFailureEvents(facts: RollbackFacts, row: StoredRedemption): NewEvent[] {
  const voucher = facts.vouchers.get(facts.redemption.related_object_id) ?? null
  return eventsWith(
    'failed',
    row,
    dataOf(facts, facts.order && toEventOrder(facts.order), facts.redemption, row, voucher),
  )
}

type RollbackData = EventData<'redemption.rollback.succeeded'>

function eventsWith(
  result: 'succeeded' | 'failed',
  { id, customer_id }: StoredRedemption,
  data: RollbackData,
): NewEvent[] {
  return [
    { type: `redemption.rollback.${result}`, entity_id: id, data },
    ...(customer_id === null || data.customer === null
      ? []
      : [{ type: `customer.redemption.rollback.${result}`, entity_id: customer_id, data } as const]),
  ]
}

/** The event data: all objects as they are after the rollback. */
function dataOf(
  { customer, campaigns, tiers, stacks, holders }: RollbackFacts,
  order: SimpleOrder | null,
  redemption: StoredRedemption,
  row: StoredRedemption,
  storedVoucher: StoredVoucher | null,
): RollbackData {
  const campaign = campaigns.get(redemption.campaign_id ?? '')
  const tier = tiers.get(redemption.related_object_id)
  const stack = stacks.get(redemption.stack_id ?? '')
  const holder = holders.get(storedVoucher?.holder_id ?? '')
  const parts = {
    customer: customer && toSimpleCustomer(customer),
    voucher: storedVoucher && toSimpleVoucher(storedVoucher),
    promotion_tier: tier === undefined ? null : toSimplePromotionTier(tier),
  }
  return {
    ...parts,
    order,
    campaign: campaign === undefined ? null : toSimpleCampaign(campaign),
    holder: holder === undefined ? null : toSimpleCustomer(holder),
    promotion_stack: stack === undefined ? null : toSimpleStack(stack),
    redemption: toSimpleRedemption(redemption, { ...parts, order }),
    redemption_rollback: toSimpleRedemption(row, { ...parts, order: row.order === null ? null : order }),
  }
}

async function transactionEvent(
  ctx: Ctx,
  { redemption: { reward }, voucher, entry, tier }: RolledBackPart,
  { order, campaign, holder, redemption, redemption_rollback }: RollbackData,
): Promise<NewEvent> {
  const card = voucher as StoredVoucher
  const { transaction, balance } = entry as NonNullable<RolledBackPart['entry']>
  const common = {
    transaction,
    voucher: await showVoucher(ctx, card),
    holder,
    order,
    redemption,
    rollback: redemption_rollback,
    campaign,
    balance,
  }
  const entityId: Id<'voucher'> = card.id
  if (card.type === 'GIFT_VOUCHER')
    return { type: 'voucher.gift.transaction.created', entity_id: entityId, data: common }
  return {
    type: 'voucher.loyalty_card.transaction.created',
    entity_id: entityId,
    data: {
      ...common,
      ...noEarningDetails,
      holder_loyalty_tier: tier && toLoyaltyTier(tier),
      reward: reward as Record<string, unknown> | null,
    },
  }
}
