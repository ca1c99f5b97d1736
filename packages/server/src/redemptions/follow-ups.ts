import { sql } from 'kysely'
import { isPage } from '../audience/customers/on-client-side.ts'
import type { Ctx } from '../core/context.ts'
import type { CascadeState } from '../loyalty/points/card.ts'
import { simpleEvent } from '../loyalty/points/earning-trigger.ts'
import { applyMemberChanges, paidOrder } from '../loyalty/points/member-changes.ts'
import { hasRuleFor } from '../loyalty/points/programs.ts'
import { convertRedemption, type RedeemedReferralCode } from '../loyalty/referrals/convert.ts'
import { countRewards } from '../loyalty/rewards/count-rewards.ts'
import { convertPaidOrder } from './convert-paid-order.ts'
import { simpleRedemption } from './events.ts'
import type { Redeemed } from './redeemed-part.ts'

/** Whether the redemption needs a transaction for follow-ups: it spends or earns points, or converts a referral. */
export function hasFollowUps(redeemed: Redeemed): boolean {
  const { children, redeemer } = redeemed
  if (redeemer.customer === null) return false
  if (isPaid(redeemed) && redeemed.order?.before?.redemptions != null) return true
  if (children.some(({ code }) => code?.after.type === 'LOYALTY_CARD' || code?.voucher.is_referral_code === true))
    return true
  return isPaid(redeemed) && hasRuleFor(redeemed.checkout.rows.configuration, 'order.paid')
}

/** Whether this redemption makes the order PAID. */
const isPaid = ({ order }: Redeemed): boolean => order?.order.status === 'PAID' && order.before?.status !== 'PAID'

/** Applies the follow-ups of a saved redemption: loyalty tiers, points for the order, rewards for the referrer. */
export async function applyFollowUps(ctx: Ctx, redeemed: Redeemed, cascade: CascadeState): Promise<void> {
  const { children, redeemer, order, paid_event_id, checkout } = redeemed
  if (redeemer.customer === null) return
  await convertRedemption(ctx, redeemer.customer, referralCodesOf(ctx, redeemed), cascade)
  if (order !== null && isPaid(redeemed))
    await convertPaidOrder(ctx, { ...order.order, redemptions: order.before?.redemptions ?? null }, cascade)
  const spentCards = children.flatMap(({ code }) => (code?.after.type === 'LOYALTY_CARD' ? [code.after.id] : []))
  const rewardCredits = children.flatMap(({ rewarded }) => rewarded?.issued.rewardCredit ?? [])
  const isEarning = order !== null && paid_event_id !== null && hasRuleFor(checkout.rows.configuration, 'order.paid')
  if (spentCards.length + rewardCredits.length > 0 || isEarning)
    await applyMemberChanges(ctx, redeemer.customer.id, {
      configuration: checkout.rows.configuration,
      changedCardIds: spentCards,
      rewardCredits,
      ...(isEarning
        ? {
            triggers: [
              paidOrder(order.order, simpleEvent({ ctx }, paid_event_id, 'customer.order.paid', redeemer.customer.id)),
            ],
            order_id: order.order.id,
          }
        : {}),
      cascade,
    })
  await countRewards(ctx, rewardsOf(redeemed), 1)
}

/** What a page redeems converts once the shop confirms it; without an order only where pages may say what happened. */
function waits(ctx: Ctx, { order }: Redeemed): boolean {
  if (!isPage(ctx)) return false
  return order === null
    ? !ctx.project.client_loyalty_events_enabled
    : order.order.status !== 'PAID' && order.order.status !== 'FULFILLED'
}

function referralCodesOf(ctx: Ctx, redeemed: Redeemed): RedeemedReferralCode[] {
  const { checkout, redeemer, order, children } = redeemed
  const { configuration, held_codes } = checkout.rows
  return children.flatMap(({ row, candidate, code }) => {
    const { campaign } = candidate
    if (code?.voucher.is_referral_code !== true || campaign === null) return []
    return [
      {
        configuration,
        program: campaign,
        code: code.after,
        was_held: held_codes.includes(code.voucher.id),
        waits: waits(ctx, redeemed),
        redemption_id: row.id,
        redemption: simpleRedemption({ checkout, customer: redeemer.customer, order }, row, {
          candidate,
          voucher: code.after,
        }),
      },
    ]
  })
}

export const rewardsOf = ({ children }: Redeemed): string[] =>
  children.flatMap(({ rewarded }) => (rewarded === null ? [] : [rewarded.reward.id]))

/**
 * Issuing a reward may update the customer row, which this transaction has locked: reads its new version, or the save would
 * conflict.
 */
export async function refreshVersion({ db, project_id }: Ctx, { redeemer, children }: Redeemed): Promise<void> {
  if (redeemer.customer === null || !redeemer.isChanged || children.every(({ rewarded }) => rewarded === null)) return
  const { rows } = await sql<{ xmin: string }>`
    select xmin::text as xmin from customers where project_id = ${project_id} and id = ${redeemer.customer.id}`.execute(
    db,
  )
  redeemer.xmin = rows[0]?.xmin ?? redeemer.xmin
}
