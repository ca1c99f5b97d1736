import { expirationDate } from '@guerdon/engine'
import type { ConfiguredEarningRule, ConfiguredRewardAssignment } from '../../core/configuration/configuration.ts'
import { asOfMoment, type Card, cardIn, cardNamed, type LoyaltyUnitOfWork, type Moment, noteMoved } from './card.ts'
import { isRedeemable } from './due.ts'
import { type EarningTrigger, simpleEvent } from './earning-trigger.ts'
import { emitTransaction, tellPointsAdded } from './events.ts'
import type { RewardCredit } from './issue.ts'
import { joinProgram } from './join.ts'
import { firing, judge } from './judge.ts'
import { canHold, credit } from './ledger.ts'
import { addPendingPoints, pay } from './pay.ts'
import { reviewTier, type TierChange } from './tiers.ts'
import { flushAndReload } from './unit-of-work.ts'

/*
 * One recursion in one file: points that a rule credits may pay for a reward that the program redeems automatically, the reward may
 * credit points on another card, and both may change a tier that a rule pays for. A rule pays once per request (`Chain`) and a card
 * redeems a limited number of times a day, so it ends.
 */

/**
 * Pays what a customer earns by something that happened (docs/reference/earning-rules.md#from-event-to-points): all rules are
 * judged first, as everything was when it happened; then points are credited or promised, and what follows from that is followed.
 */
export async function creditEarnings(
  books: LoyaltyUnitOfWork,
  customerId: string,
  cause: EarningTrigger,
  moment: Moment,
): Promise<void> {
  const paid = await judge(books, customerId, cause, moment)
  const credited: string[] = []
  for (const { program, accruals } of paid) {
    const campaignId = program.campaign.id
    const card = cardIn(books, customerId, campaignId) ?? (await joinProgram(books, customerId, campaignId, moment))
    if (card === undefined) continue
    for (const accrual of accruals) {
      const fired = firing(customerId, accrual.earning_rule_id)
      // To join may have set it off already.
      if (books.chain.fired.has(fired) || !canHold(card, accrual.points)) continue
      books.chain.fired.add(fired)
      const rule = books.configuration.earning_rules.get(accrual.earning_rule_id) as ConfiguredEarningRule
      if (accrual.activates_at === null) pay(books, card, rule, accrual, cause, moment)
      else addPendingPoints(books, card, rule, accrual, cause, moment)
      if (cause.order !== undefined)
        books.written.earnings.push({
          order_id: cause.order.id,
          voucher_id: card.voucher.id,
          earning_rule_id: rule.id,
          created_at: moment.at,
        })
    }
    if (accruals.some(({ activates_at }) => activates_at === null)) credited.push(card.voucher.id)
  }
  await followBalances(books, credited, moment, { isIncreased: true })
}

/**
 * What a changed balance means: points that are redeemed by themselves, then the tier, then what rules pay for a change of tier
 * (docs/reference/earning-rules.md#from-event-to-points, steps 4 and 5). It ends because a rule pays once for one cause.
 */
export async function followBalances(
  books: LoyaltyUnitOfWork,
  voucherIds: readonly string[],
  moment: Moment,
  { isIncreased }: { isIncreased: boolean },
): Promise<void> {
  for (const id of voucherIds) {
    if (isIncreased) await autoRedeem(books, id, moment)
    const card = cardNamed(books, id)
    if (card !== undefined) await followTiers(books, reviewTier(books, card, moment), moment)
  }
}

/** What rules pay for changes of a tier; a tier of one program may pay in another. */
export async function followTiers(
  books: LoyaltyUnitOfWork,
  changes: readonly TierChange[],
  moment: Moment,
): Promise<void> {
  for (const { event_id, type, tier_id, card } of changes) {
    if (type === 'customer.loyalty.tier.expiration.changed') continue
    const { person, program } = card
    const cause: EarningTrigger = {
      event: { event: type, tier: { id: tier_id, campaign_id: program.campaign.id } },
      told: simpleEvent(books, event_id, type, person.customer.id),
    }
    await creditEarnings(books, person.customer.id, cause, moment)
  }
}

/** So many units at once, and so many times a day (docs/reference/rewards.md#automatic-redemption). */
const unitsMax = 25
const runsMax = 10

/**
 * Redeems points for the reward that a program redeems by itself, while there are enough of them. What cannot be issued ends it
 * silently and leaves the points. A run counts before it begins, so that rewards that pay for each other come to an end.
 */
export async function autoRedeem(books: LoyaltyUnitOfWork, voucherId: string, moment: Moment): Promise<void> {
  const card = cardNamed(books, voucherId)
  if (card === undefined || !isRedeemable(books.configuration, card, moment.spent_on)) return
  const { member, program } = card
  const runs = member.redeemed_on === moment.today ? member.redeemed_runs : 0
  if (runs >= runsMax || program.auto_redeem === null) return
  card.member = { ...member, redeemed_on: moment.today, redeemed_runs: runs + 1 }
  card.is_member_changed = true
  const assignment = program.auto_redeem
  const given = await flushAndReload(books, () => redeemUnits(books, card, assignment, moment))
  const redeemed = cardNamed(books, voucherId)
  if (redeemed !== undefined && given.length > 0) noteMoved(redeemed)
  await creditRewards(
    books,
    given.flatMap((grown) => grown ?? []),
    moment,
  )
}

/** What grew by each unit, if anything did. */
async function redeemUnits(
  { ctx }: LoyaltyUnitOfWork,
  { voucher: { code } }: Card,
  assignment: ConfiguredRewardAssignment,
  moment: Moment,
): Promise<Array<RewardCredit | null>> {
  const given: Array<RewardCredit | null> = []
  while (given.length < unitsMax) {
    const redeemed = await ctx.reactions.rewardDue(asOfMoment(ctx, moment), code, assignment, moment.spent_on)
    if (redeemed === null) break
    given.push(redeemed.grown)
  }
  return given
}

/** Puts the points of rewards on cards (docs/reference/rewards.md#redeem-a-reward), and follows what that sets off. */
export async function creditRewards(
  books: LoyaltyUnitOfWork,
  grown: readonly RewardCredit[],
  moment: Moment,
): Promise<void> {
  for (const { voucher_id, points, isNew } of grown) {
    const joined = isNew ? cardNamed(books, voucher_id) : undefined
    if (joined !== undefined) noteJoined(joined)
    const card = cardNamed(books, voucher_id)
    if (card === undefined || !canHold(card, points)) continue
    const posted = credit(
      books,
      card,
      { amount: points, expires_at: expirationDate(moment.today, card.program.expiration_rules) },
      { type: 'POINTS_ADDITION', source: 'Automation', operation_type: 'AUTOMATIC' },
      moment,
    )
    emitTransaction(books, card, posted)
    tellPointsAdded(books, card, posted)
    await followBalances(books, [voucher_id], moment, { isIncreased: true })
  }
}

/** A member more: what is on the card from its beginning is part of what the holder has. */
export function noteJoined({ person, program, lots }: Card): void {
  const points = lots.reduce((sum, lot) => sum + lot.points, 0)
  const { name } = program.campaign
  person.moves[name] = { ...person.moves[name], points: (person.moves[name]?.points ?? 0) + points }
}
