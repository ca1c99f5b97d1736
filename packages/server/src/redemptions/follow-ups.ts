import { sql } from 'kysely'
import type { Ctx } from '../core/context.ts'
import type { CascadeState } from '../loyalty/points/card.ts'
import { simpleEvent } from '../loyalty/points/earning-trigger.ts'
import { applyMemberChanges, paidOrder } from '../loyalty/points/member-changes.ts'
import { pays } from '../loyalty/points/programs.ts'
import { convertRedemption, type RedeemedReferralCode } from '../loyalty/referrals/convert.ts'
import { countRewards } from '../loyalty/rewards/count-rewards.ts'
import { simpleRedemption } from './events.ts'
import type { Redeemed } from './redeemed-part.ts'

/** Whether more follows from what is redeemed than one statement writes: points move or are earned, somebody was referred. */
export function hasFollowUps(redeemed: Redeemed): boolean {
  const { children, who } = redeemed
  if (who.customer === null) return false
  if (children.some(({ code }) => code?.after.type === 'LOYALTY_CARD' || code?.voucher.is_referral_code === true))
    return true
  return isPaid(redeemed) && pays(redeemed.it.loaded.configuration, 'order.paid')
}

/** The redemption made the order of a customer PAID. */
const isPaid = ({ order }: Redeemed): boolean => order?.order.status === 'PAID' && order.before?.status !== 'PAID'

/** All that follows from what was redeemed and is written: tiers, points for the order, rewards for whoever referred. */
export async function applyFollowUps(ctx: Ctx, redeemed: Redeemed, chain: CascadeState): Promise<void> {
  const { children, who, order, paid_event_id, it } = redeemed
  if (who.customer === null) return
  await convertRedemption(ctx, who.customer, referralCodesOf(redeemed), chain)
  const spent = children.flatMap(({ code }) => (code?.after.type === 'LOYALTY_CARD' ? [code.after.id] : []))
  const grown = children.flatMap(({ rewarded }) => rewarded?.issued.grown ?? [])
  const isEarning = order !== null && paid_event_id !== null && pays(it.loaded.configuration, 'order.paid')
  if (spent.length + grown.length > 0 || isEarning)
    await applyMemberChanges(ctx, who.customer.id, {
      configuration: it.loaded.configuration,
      touched: spent,
      grown,
      ...(isEarning
        ? {
            causes: [
              paidOrder(order.order, simpleEvent({ ctx }, paid_event_id, 'customer.order.paid', who.customer.id)),
            ],
            order_id: order.order.id,
          }
        : {}),
      chain,
    })
  await countRewards(ctx, rewardsOf(redeemed), 1)
}

function referralCodesOf({ it, who, order, children }: Redeemed): RedeemedReferralCode[] {
  const { configuration, held_codes } = it.loaded
  return children.flatMap(({ row, candidate, code }) => {
    const { campaign } = candidate
    if (code?.voucher.is_referral_code !== true || campaign === null) return []
    return [
      {
        configuration,
        program: campaign,
        code: code.after,
        was_held: held_codes.includes(code.voucher.id),
        redemption_id: row.id,
        redemption: simpleRedemption({ it, customer: who.customer, order }, row, { candidate, voucher: code.after }),
      },
    ]
  })
}

export const rewardsOf = ({ children }: Redeemed): string[] =>
  children.flatMap(({ rewarded }) => (rewarded === null ? [] : [rewarded.reward.id]))

/** What was issued may have changed the row of the customer, and nobody but us can have. */
export async function refreshVersion({ db, project_id }: Ctx, { who, children }: Redeemed): Promise<void> {
  if (who.customer === null || !who.isChanged || children.every(({ rewarded }) => rewarded === null)) return
  const { rows } = await sql<{ xmin: string }>`
    select xmin::text as xmin from customers where project_id = ${project_id} and id = ${who.customer.id}`.execute(db)
  who.xmin = rows[0]?.xmin ?? who.xmin
}
