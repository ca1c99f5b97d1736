import { sql } from 'kysely'
import type { SegmentEntries } from '../../audience/reactions.ts'
import type { Goods } from '../../catalogue/products/goods.ts'
import type { Configuration } from '../../core/configuration/configuration.ts'
import { configurationNow } from '../../core/configuration/configuration-now.ts'
import type { Ctx } from '../../core/context.ts'
import type { SimpleEvent } from '../../core/events/shapes.ts'
import type { StoredVoucher } from '../../incentives/vouchers/voucher.ts'
import type { StoredOrder } from '../../orders/order.ts'
import { toSimpleOrder } from '../../orders/order.ts'
import { allCards, type CascadeState, findCard, markHolderChanged, momentNow } from './card.ts'
import { addInitialPoints, applyBalanceChanges, creditEarnings, creditRewards } from './cascade.ts'
import { applyDueChanges } from './due-changes.ts'
import type { EarningTrigger } from './earning-trigger.ts'
import type { RewardCredit } from './issue.ts'
import { cancel } from './pending.ts'
import { hasRuleFor } from './programs.ts'
import { lockAndLoadMembers, saveMembers } from './unit-of-work.ts'

/** Changes to a customer and its cards in this transaction. */
export interface MemberChanges {
  /** Ids of cards on which points were spent or given back. */
  changedCardIds?: readonly string[]
  /** Cards that a reward credits points to. */
  rewardCredits?: readonly RewardCredit[]
  triggers?: readonly EarningTrigger[]
  order_id?: string
  cascade?: CascadeState
  configuration?: Configuration
}

/**
 * Applies the consequences of changes already written in this transaction
 * (docs/reference/earning-rules.md#from-event-to-points): earned points, automatic redemptions, tiers, and what rules pay for
 * tiers.
 */
export async function applyMemberChanges(
  ctx: Ctx,
  customerId: string,
  { changedCardIds = [], rewardCredits = [], triggers = [], ...options }: MemberChanges,
): Promise<void> {
  const work = await lockAndLoadMembers(ctx, [customerId], options)
  await applyDueChanges(work)
  const moment = momentNow(ctx)
  for (const id of changedCardIds) {
    const card = findCard(work, id)
    if (card !== undefined) markHolderChanged(card)
  }
  await applyBalanceChanges(work, changedCardIds, moment, { isIncreased: false })
  await creditRewards(work, rewardCredits, moment)
  for (const trigger of triggers) await creditEarnings(work, customerId, trigger, moment)
  await saveMembers(work)
}

/** The configuration if any rule pays for an event, else null. Called before any customer is locked. */
export async function paidFor(ctx: Ctx, event: string): Promise<{ configuration: Configuration } | null> {
  const configuration = await configurationNow(ctx)
  return hasRuleFor(configuration, event) ? { configuration } : null
}

/**
 * Credits what customers earn by entering segments (docs/reference/earning-rules.md#when-a-rule-fires). Most segments pay
 * nothing.
 */
export async function onSegmentsEntered(ctx: Ctx, entered: readonly SegmentEntries[]): Promise<void> {
  const { earning_rules } = await configurationNow(ctx)
  const paying = new Set<string>([...earning_rules.values()].flatMap(({ segment_id }) => segment_id ?? []))
  for (const { customer_id, entries } of entered) {
    const triggers = entries
      .filter(({ segment }) => paying.has(segment.id))
      .map(
        ({ segment, event }): EarningTrigger => ({
          event: { event: 'customer.segment.entered', segment_id: segment.id },
          source_event: event,
          segment,
        }),
      )
    if (triggers.length > 0) await applyMemberChanges(ctx, customer_id, { triggers })
  }
}

/** Credits what an order earns that has just been paid. */
export async function onOrderPaid(
  ctx: Ctx,
  order: StoredOrder,
  event: SimpleEvent,
  goods: Goods | null,
): Promise<void> {
  const paid = order.customer_id === null ? null : await paidFor(ctx, 'order.paid')
  if (order.customer_id === null || paid === null) return
  await applyMemberChanges(ctx, order.customer_id, {
    ...paid,
    triggers: [{ ...paidOrder(order, event), ...(goods === null ? {} : { goods }) }],
    order_id: order.id,
  })
}

export const paidOrder = (order: StoredOrder, event: SimpleEvent): EarningTrigger => ({
  event: { event: 'order.paid' },
  source_event: event,
  order,
})

/**
 * Cancels the pending points of a canceled order; points that are already credited stay
 * (docs/reference/loyalty-programs.md#rollback-cancellation-and-deletion).
 */
export async function onOrderCanceled(ctx: Ctx, order: StoredOrder): Promise<void> {
  const { rows } = await sql<{ customer_id: string }>`
    select distinct v.holder_id as customer_id from pending_points q
    join vouchers v on v.project_id = q.project_id and v.id = q.voucher_id and v.holder_id is not null
    where q.project_id = ${ctx.project_id} and q.order_id = ${order.id} and q.status = 'PENDING'`.execute(ctx.db)
  if (rows.length === 0) return
  const holders = rows.map(({ customer_id }) => customer_id)
  const work = await lockAndLoadMembers(ctx, holders, { order_id: order.id })
  await applyDueChanges(work)
  const cause = { order: toSimpleOrder(order), moment: momentNow(ctx), operation_type: 'AUTOMATIC' } as const
  for (const card of allCards(work))
    for (const entry of card.pending)
      if (entry.order_id === order.id && entry.status === 'PENDING') cancel(work, { card, entry, ...cause })
  await saveMembers(work)
}

/**
 * Counts the points of a card just published to a customer, and reviews its tier
 * (docs/reference/loyalty-tiers.md#when-tiers-are-looked-at). Vouchers of other types are ignored.
 */
export async function onCodesPublished(
  ctx: Ctx,
  customerId: string,
  vouchers: ReadonlyArray<Pick<StoredVoucher, 'id' | 'type'>>,
  cascade: CascadeState | undefined,
): Promise<void> {
  const voucherIds = vouchers.flatMap(({ id, type }) => (type === 'LOYALTY_CARD' ? [id] : []))
  if (voucherIds.length === 0) return
  const work = await lockAndLoadMembers(ctx, [customerId], cascade === undefined ? {} : { cascade })
  await applyDueChanges(work)
  for (const id of voucherIds) {
    const card = findCard(work, id)
    if (card !== undefined) addInitialPoints(card)
  }
  await applyBalanceChanges(work, voucherIds, momentNow(ctx), { isIncreased: true })
  await saveMembers(work)
}
