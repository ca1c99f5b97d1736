import { sql } from 'kysely'
import type { SegmentEntries } from '../../audience/reactions.ts'
import type { Goods } from '../../catalogue/products/goods.ts'
import type { Configuration } from '../../core/configuration/configuration.ts'
import type { Ctx } from '../../core/context.ts'
import type { SimpleEvent } from '../../core/events/shapes.ts'
import type { StoredVoucher } from '../../incentives/vouchers/voucher.ts'
import type { StoredOrder } from '../../orders/order.ts'
import { toSimpleOrder } from '../../orders/order.ts'
import { type CascadeState, cardNamed, momentNow, noteMoved } from './card.ts'
import { creditEarnings, creditRewards, followBalances, noteJoined } from './cascade.ts'
import { applyDueChanges } from './due-changes.ts'
import type { EarningTrigger } from './earning-trigger.ts'
import type { RewardCredit } from './issue.ts'
import { cancel } from './pending.ts'
import { configurationNow, pays } from './programs.ts'
import { lockAndLoadMembers, saveMembers } from './unit-of-work.ts'

/** What happened to a customer, and to the points of its cards, in this transaction. */
export interface MemberChanges {
  /** Cards on which points were spent or given back, by their ids. */
  touched?: readonly string[]
  /** Cards that get points by a reward. */
  grown?: readonly RewardCredit[]
  causes?: readonly EarningTrigger[]
  order_id?: string
  chain?: CascadeState
  configuration?: Configuration
}

/**
 * All that follows for a member from what has just been written (docs/reference/earning-rules.md#from-event-to-points), in the
 * same transaction: points that are earned, rewards that are redeemed by themselves, tiers, and what rules pay for tiers.
 */
export async function applyMemberChanges(
  ctx: Ctx,
  customerId: string,
  { touched = [], grown = [], causes = [], ...options }: MemberChanges,
): Promise<void> {
  const books = await lockAndLoadMembers(ctx, [customerId], options)
  await applyDueChanges(books)
  const moment = momentNow(ctx)
  for (const id of touched) {
    const card = cardNamed(books, id)
    if (card !== undefined) noteMoved(card)
  }
  await followBalances(books, touched, moment, { isIncreased: false })
  await creditRewards(books, grown, moment)
  for (const cause of causes) await creditEarnings(books, customerId, cause, moment)
  await saveMembers(books)
}

/** The configuration, if anything is earned for an event by it; asked before anybody is locked for it. */
export async function paidFor(ctx: Ctx, event: string): Promise<{ configuration: Configuration } | null> {
  const configuration = await configurationNow(ctx)
  return pays(configuration, event) ? { configuration } : null
}

/** What customers earn by entering segments (docs/reference/earning-rules.md#when-a-rule-fires). Most segments pay nothing. */
export async function followSegmentEntries(ctx: Ctx, entered: readonly SegmentEntries[]): Promise<void> {
  const { earning_rules } = await configurationNow(ctx)
  const paying = new Set<string>([...earning_rules.values()].flatMap(({ segment_id }) => segment_id ?? []))
  for (const { customer_id, entries } of entered) {
    const causes = entries
      .filter(({ segment }) => paying.has(segment.id))
      .map(
        ({ segment, event }): EarningTrigger => ({
          event: { event: 'customer.segment.entered', segment_id: segment.id },
          told: event,
          segment,
        }),
      )
    if (causes.length > 0) await applyMemberChanges(ctx, customer_id, { causes })
  }
}

/** What an order pays that has just been paid. */
export async function followPaidOrder(
  ctx: Ctx,
  order: StoredOrder,
  told: SimpleEvent,
  goods: Goods | null,
): Promise<void> {
  const paid = order.customer_id === null ? null : await paidFor(ctx, 'order.paid')
  if (order.customer_id === null || paid === null) return
  await applyMemberChanges(ctx, order.customer_id, {
    ...paid,
    causes: [{ ...paidOrder(order, told), ...(goods === null ? {} : { goods }) }],
    order_id: order.id,
  })
}

export const paidOrder = (order: StoredOrder, told: SimpleEvent): EarningTrigger => ({
  event: { event: 'order.paid' },
  told,
  order,
})

/**
 * Points that wait for an order which is canceled will never count; those that do already stay
 * (docs/reference/loyalty-programs.md#rollback-cancellation-and-deletion).
 */
export async function followCanceledOrder(ctx: Ctx, order: StoredOrder): Promise<void> {
  const { rows } = await sql<{ customer_id: string }>`
    select distinct v.holder_id as customer_id from pending_points q
    join vouchers v on v.project_id = q.project_id and v.id = q.voucher_id and v.holder_id is not null
    where q.project_id = ${ctx.project_id} and q.order_id = ${order.id} and q.status = 'PENDING'`.execute(ctx.db)
  if (rows.length === 0) return
  const holders = rows.map(({ customer_id }) => customer_id)
  const books = await lockAndLoadMembers(ctx, holders, { order_id: order.id })
  await applyDueChanges(books)
  for (const { cards } of books.people.values())
    for (const card of cards)
      for (const entry of card.pending)
        if (entry.order_id === order.id && entry.status === 'PENDING')
          cancel(books, card, entry, toSimpleOrder(order), momentNow(ctx), { isByHand: false })
  await saveMembers(books)
}

/**
 * A card that was just given to a customer: a member more, and perhaps in a tier already
 * (docs/reference/loyalty-tiers.md#when-tiers-are-looked-at). Codes that are no loyalty cards change nothing.
 */
export async function followPublication(
  ctx: Ctx,
  customerId: string,
  vouchers: ReadonlyArray<Pick<StoredVoucher, 'id' | 'type'>>,
  chain: CascadeState | undefined,
): Promise<void> {
  const voucherIds = vouchers.flatMap(({ id, type }) => (type === 'LOYALTY_CARD' ? [id] : []))
  if (voucherIds.length === 0) return
  const books = await lockAndLoadMembers(ctx, [customerId], chain === undefined ? {} : { chain })
  await applyDueChanges(books)
  for (const id of voucherIds) {
    const card = cardNamed(books, id)
    if (card !== undefined) noteJoined(card)
  }
  await followBalances(books, voucherIds, momentNow(ctx), { isIncreased: true })
  await saveMembers(books)
}
