import type { Applicable, RewardFacts, Verdict } from '@guerdon/engine/schema'
import { toSimpleCustomer } from '../audience/customers/customer.ts'
import type { Checkout } from '../checkout/decision/facts.ts'
import { mappingFor, type RedeemableCandidate } from '../checkout/decision/redeemables.ts'
import { type RepeatedOrder, repeatedOrder } from '../checkout/decision/repeated-orders.ts'
import { candidateOf } from '../checkout/decision/results.ts'
import type { CheckoutVoucher } from '../checkout/decision/voucher-row.ts'
import type { Configuration } from '../core/configuration/configuration.ts'
import type { Ctx } from '../core/context.ts'
import { newId } from '../core/lib/ids.ts'
import { todayIn } from '../core/query/filter/calendar.ts'
import { blankRow } from './blank-row.ts'
import { failedRow } from './failed.ts'
import { type RedeemingCustomer, redeemingCustomer } from './redeemed-customer.ts'
import { partOrder, type RedeemedOrder, redeemedOrder, wholeOrder } from './redeemed-order.ts'
import type { Redeemed, RedeemedPart } from './redeemed-part.ts'
import { redeemedCode } from './redeemed-voucher.ts'
import type { StoredRedemption } from './redemption.ts'
import type { RedeemedReward } from './schema.ts'
import type { Undo } from './undo.ts'

/**
 * Turns a valid verdict into redemptions (docs/reference/redemptions.md#answer and
 * docs/reference/redemptions.md#state-changes).
 */
export function redeemAll(ctx: Ctx, checkout: Checkout, verdict: Verdict): Redeemed {
  const applied = verdict.redeemables.filter((outcome) => outcome.status === 'APPLICABLE')
  const redeemer = redeemingCustomer(ctx, checkout)
  const order = redeemedOrder(ctx, checkout, verdict, redeemer.customer?.id ?? null)
  const parentId = applied.length > 1 ? newId('redemption', Date.parse(ctx.now)) : null
  const shared: SharedParts = {
    checkout,
    redeemer,
    order,
    parent_id: parentId,
    repeated: repeatedOrder(ctx, applied.length),
  }
  const children = applied.map((outcome, index) => redeemOne(ctx, shared, outcome, index))
  const parent = parentId === null ? null : parentRow(ctx, shared, parentId)
  const rows = children.map(({ row }) => row)
  if (order !== null) {
    order.order.redemptions = withRedemptions(order.order.redemptions, parent, rows)
    const orderColumns = { order: wholeOrder(order), order_id: order.order.id }
    Object.assign(parent ?? (rows[0] as StoredRedemption), orderColumns)
  }
  const failed = failedChildren(ctx, checkout, verdict, parentId)
  return { checkout, verdict, redeemer, order, parent, children, failed, paid_event_id: null }
}

/** What all redemptions of a request share. */
interface SharedParts {
  checkout: Checkout
  redeemer: RedeemingCustomer
  order: RedeemedOrder | null
  parent_id: string | null
  repeated: RepeatedOrder
}

function redeemOne(
  ctx: Ctx,
  { checkout, redeemer, order, parent_id, repeated }: SharedParts,
  outcome: Applicable,
  index: number,
): RedeemedPart {
  const candidate = candidateOf(checkout, outcome) as RedeemableCandidate
  const { voucher, tier, campaign, stack_id } = candidate
  const id = newId('redemption', Date.parse(ctx.now))
  const reward = voucher === null ? null : rewardOf(checkout, candidate, redeemer)
  const code =
    voucher === null
      ? null
      : redeemedCode(ctx, checkout, voucher, outcome, {
          redemption_id: id,
          order: order === null ? null : { id: order.order.id, source_id: order.order.source_id },
          reward: reward && { id: reward.id, name: reward.name },
        })
  const spent = outcome.gift?.credits ?? outcome.loyalty_card?.points
  const undo: Undo = {
    order: { amount: 0, discount_amount: 0 },
    lines: [],
    goods: [],
    ...order?.steps[index]?.undo,
    units: countedUnits(candidate, outcome, redeemer),
    ...(code?.entry == null ? {} : { transaction_id: code.entry.transaction.id }),
    day: todayIn({ now: ctx.now, timezone: ctx.project.timezone }),
    orders_amount: outcome.order?.amount ?? 0,
    discounted_amount: outcome.order?.total_applied_discount_amount ?? 0,
    credits: spent ?? 0,
  }
  return {
    row: {
      ...blankRow(ctx, checkout, redeemer),
      id,
      related_object_type: voucher === null ? 'promotion_tier' : 'voucher',
      related_object_id: voucher?.id ?? (tier?.id as string),
      campaign_id: campaign?.id ?? null,
      stack_id: stack_id as StoredRedemption['stack_id'],
      voucher_code: voucher?.code ?? null,
      parent_id,
      order_id: order?.order.id ?? null,
      amount: spent ?? null,
      reward,
      // `redeemAll` gives a single redemption the whole order.
      order: order === null || parent_id === null ? null : partOrder(order, index, repeated),
      undo,
    },
    candidate,
    outcome,
    code,
    rewarded: null,
  }
}

const parentRow = (ctx: Ctx, { checkout, redeemer }: SharedParts, id: string): StoredRedemption => ({
  ...blankRow(ctx, checkout, redeemer),
  id: id as StoredRedemption['id'],
  related_object_id: id,
  stack_id: (checkout.candidates.find(({ stack_id }) => stack_id !== null)?.stack_id ??
    null) as StoredRedemption['stack_id'],
})

/** The reward of a card's redemption, as the redemption shows it (docs/reference/redemptions.md#redemption-object). */
function rewardOf(
  { rows }: Checkout,
  { facts, voucher }: RedeemableCandidate,
  { customer }: RedeemingCustomer,
): RedeemedReward | null {
  if (facts.kind !== 'loyalty_card' || facts.reward == null || voucher === null) return null
  const reward = rows.configuration.rewards.get(facts.reward.id)
  if (reward === undefined) return null
  const { id, name, type, parameters, metadata, created_at, updated_at } = reward
  return {
    id,
    name,
    type,
    parameters,
    metadata,
    assignment_id: 'assignment_id' in facts.reward ? (facts.reward.assignment_id ?? null) : null,
    customer: customer && toSimpleCustomer(customer),
    loyalty_tier_id: pricingTier(rows.configuration, voucher, facts.reward),
    created_at,
    updated_at,
    object: 'reward',
  }
}

/** The loyalty tier that changed the price of the reward; null: none did. */
function pricingTier(configuration: Configuration, card: CheckoutVoucher, reward: RewardFacts): string | null {
  const id = 'assignment_id' in reward ? reward.assignment_id : null
  const assignment = id == null ? undefined : configuration.reward_assignments.get(id)
  if (assignment === undefined || mappingFor(configuration, card, assignment) === null) return null
  return card.member?.tier_id ?? null
}

/** Units that count towards lifetime limits, by the scopes under which `checkout_counted` reads them. */
function countedUnits(
  { campaign, voucher, tier }: RedeemableCandidate,
  { units }: Applicable,
  { customer }: RedeemingCustomer,
): Record<string, number> {
  const counted: Record<string, number> = {}
  for (const [limit, keys] of Object.entries(units ?? {})) {
    const scope = limit.includes('_promotion_tier_') ? tier?.id : (campaign?.id ?? voucher?.id)
    const customerSuffix = limit.includes('_customer_') ? `:${customer?.id}` : ''
    for (const [key, count] of Object.entries(keys))
      if (count > 0) counted[`units/${scope}${customerSuffix}/${limit}/${key}`] = count
  }
  return counted
}

/**
 * The entries that the order stores of its redemptions (docs/reference/calculated-order.md#redemptions-of-an-order). An object without
 * a prototype: V8 derives a hidden class from the names of any other, and these names never repeat.
 */
function withRedemptions(
  before: Record<string, unknown> | null,
  parent: StoredRedemption | null,
  rows: readonly StoredRedemption[],
): Record<string, unknown> {
  const entries: Record<string, unknown> = Object.create(null)
  Object.assign(entries, before)
  if (parent !== null)
    entries[parent.id] = {
      date: parent.created_at,
      related_object_type: 'redemption',
      related_object_id: parent.id,
      stacked: rows.map(({ id }) => id),
    }
  else
    for (const { id, created_at, related_object_type, related_object_id, campaign_id } of rows)
      entries[id] = {
        date: created_at,
        related_object_type,
        related_object_id,
        ...(campaign_id === null ? {} : { related_object_parent_id: campaign_id }),
      }
  return entries
}

/** Under PARTIAL, inapplicable redeemables that exist are stored as failures too (docs/reference/redemptions.md#failure). */
function failedChildren(
  ctx: Ctx,
  checkout: Checkout,
  { redeemables }: Verdict,
  parentId: string | null,
): StoredRedemption[] {
  return redeemables.flatMap((outcome) => {
    const candidate = outcome.status === 'INAPPLICABLE' ? candidateOf(checkout, outcome) : null
    return outcome.status !== 'INAPPLICABLE' || candidate === null
      ? []
      : [{ ...failedRow(ctx, checkout, candidate, outcome.reason), parent_id: parentId }]
  })
}
