import { expirationDate } from '@guerdon/engine'
import { asService } from '../../audience/customers/on-client-side.ts'
import type { ConfiguredEarningRule, ConfiguredRewardAssignment } from '../../core/configuration/configuration.ts'
import { ApiError } from '../../core/http/errors.ts'
import { publishCodes } from '../../incentives/publications/publish.ts'
import {
  asOfMoment,
  type Card,
  cardIn,
  findCard,
  type LedgerMoment,
  type LoyaltyUnitOfWork,
  markHolderChanged,
} from './card.ts'
import { isRedeemable } from './due.ts'
import { type EarningTrigger, simpleEvent } from './earning-trigger.ts'
import { evaluateEarningRules, firingKey } from './evaluate-rules.ts'
import { emitPointsAdded, emitTransaction } from './events.ts'
import type { RewardCredit } from './issue.ts'
import { canHold, credit } from './ledger.ts'
import { addPendingPoints, pay } from './pay.ts'
import { inSavepointOrNull } from './savepoint.ts'
import { reviewTier, type TierChange } from './tiers.ts'
import { flushAndReload } from './unit-of-work.ts'

/*
 * One recursion in one file: points that a rule credits may pay for a reward that the program redeems automatically, the reward
 * may credit points on another card, and both may change a tier that a rule pays for. It ends because a rule pays once per
 * request (`CascadeState`) and a card redeems a limited number of times a day.
 */

/**
 * Credits what a customer earns by an event (docs/reference/earning-rules.md#from-event-to-points). All rules are evaluated
 * first, against the state at the time of the event; then points are credited or added as pending, and their consequences
 * applied.
 */
export async function creditEarnings(
  work: LoyaltyUnitOfWork,
  customerId: string,
  trigger: EarningTrigger,
  moment: LedgerMoment,
): Promise<void> {
  const accrualsByProgram = await evaluateEarningRules(work, customerId, trigger, moment)
  const credited: string[] = []
  for (const { program, accruals } of accrualsByProgram) {
    const campaignId = program.campaign.id
    const card = cardIn(work, customerId, campaignId) ?? (await joinProgram(work, customerId, campaignId, moment))
    if (card === undefined) continue
    for (const accrual of accruals) {
      const key = firingKey(customerId, accrual.earning_rule_id)
      // Joining the program may have fired this rule already.
      if (work.cascade.fired.has(key) || !canHold(card, accrual.points)) continue
      work.cascade.fired.add(key)
      const rule = work.configuration.earning_rules.get(accrual.earning_rule_id) as ConfiguredEarningRule
      const earning = { card, rule, accrual, trigger, moment }
      if (accrual.activates_at === null) pay(work, earning)
      else addPendingPoints(work, earning)
      if (trigger.order !== undefined)
        work.writes.earnings.push({
          order_id: trigger.order.id,
          voucher_id: card.voucher.id,
          earning_rule_id: rule.id,
          created_at: moment.at,
        })
    }
    if (accruals.some(({ activates_at }) => activates_at === null)) credited.push(card.voucher.id)
  }
  await applyBalanceChanges(work, credited, moment, { isIncreased: true })
}

/**
 * Publishes a card of a program to a customer (docs/reference/earning-rules.md#when-a-rule-fires: auto-join); undefined if no
 * card is available. It is a regular publication: it is stored and its events are emitted, also on failure, and it may put the
 * customer into a tier.
 */
async function joinProgram(
  work: LoyaltyUnitOfWork,
  customerId: string,
  campaignId: string,
  moment: LedgerMoment,
): Promise<Card | undefined> {
  const ctx = asOfMoment(work.ctx, moment)
  const request = { customer: { id: customerId }, campaign: { name: campaignId } }
  const published = await flushAndReload(work, () =>
    inSavepointOrNull(ctx, () => publishCodes(asService(ctx), request, { cascade: work.cascade })),
  )
  return published === null || published instanceof ApiError ? undefined : cardIn(work, customerId, campaignId)
}

/**
 * Applies the consequences of a changed balance: automatic redemptions, then the tier, then what rules pay for a change of tier
 * (docs/reference/earning-rules.md#from-event-to-points, steps 4 and 5). The recursion ends because a rule pays once per
 * trigger.
 */
export async function applyBalanceChanges(
  work: LoyaltyUnitOfWork,
  voucherIds: readonly string[],
  moment: LedgerMoment,
  { isIncreased }: { isIncreased: boolean },
): Promise<void> {
  for (const id of voucherIds) {
    if (isIncreased) await autoRedeem(work, id, moment)
    const card = findCard(work, id)
    if (card !== undefined) await creditTierEarnings(work, reviewTier(work, card, moment), moment)
  }
}

/** Credits what rules pay for changes of a tier; a tier of one program may pay in another. */
export async function creditTierEarnings(
  work: LoyaltyUnitOfWork,
  changes: readonly TierChange[],
  moment: LedgerMoment,
): Promise<void> {
  for (const { event_id, type, tier_id, card } of changes) {
    if (type === 'customer.loyalty.tier.expiration.changed') continue
    const { person, program } = card
    const trigger: EarningTrigger = {
      event: { event: type, tier: { id: tier_id, campaign_id: program.campaign.id } },
      source_event: simpleEvent(work, event_id, type, person.customer.id),
    }
    await creditEarnings(work, person.customer.id, trigger, moment)
  }
}

/**
 * The limits of automatic redemption: units per run, and runs per card and day
 * (docs/reference/rewards.md#automatic-redemption).
 */
const unitsMax = 25
const runsMax = 10

/**
 * Redeems the automatic reward of a program while the balance covers its price. If the reward cannot be issued, the run ends
 * without an error and the points stay. A run is counted before it starts, so that rewards that credit each other's programs
 * come to an end.
 */
export async function autoRedeem(work: LoyaltyUnitOfWork, voucherId: string, moment: LedgerMoment): Promise<void> {
  const card = findCard(work, voucherId)
  if (card === undefined || !isRedeemable(work.configuration, card, moment.spent_on)) return
  const { member, program } = card
  const runs = member.redeemed_on === moment.today ? member.redeemed_runs : 0
  if (runs >= runsMax || program.auto_redeem === null) return
  card.member = { ...member, redeemed_on: moment.today, redeemed_runs: runs + 1 }
  card.is_member_changed = true
  const assignment = program.auto_redeem
  const rewardCredits = await flushAndReload(work, () => redeemUnits(work, card, assignment, moment))
  const redeemed = findCard(work, voucherId)
  if (redeemed !== undefined && rewardCredits.length > 0) markHolderChanged(redeemed)
  await creditRewards(
    work,
    rewardCredits.flatMap((rewardCredit) => rewardCredit ?? []),
    moment,
  )
}

/** The points that each redeemed unit credits to a card; null for a unit that credits none. */
async function redeemUnits(
  { ctx }: LoyaltyUnitOfWork,
  { voucher: { code } }: Card,
  assignment: ConfiguredRewardAssignment,
  moment: LedgerMoment,
): Promise<Array<RewardCredit | null>> {
  const rewardCredits: Array<RewardCredit | null> = []
  while (rewardCredits.length < unitsMax) {
    const redeemed = await ctx.reactions.rewardDue(asOfMoment(ctx, moment), code, assignment, moment.spent_on)
    if (redeemed === null) break
    rewardCredits.push(redeemed.rewardCredit)
  }
  return rewardCredits
}

/** Credits the points of rewards to cards (docs/reference/rewards.md#redeem-a-reward) and applies the consequences. */
export async function creditRewards(
  work: LoyaltyUnitOfWork,
  credits: readonly RewardCredit[],
  moment: LedgerMoment,
): Promise<void> {
  for (const { voucher_id, points, isNew } of credits) {
    const newCard = isNew ? findCard(work, voucher_id) : undefined
    if (newCard !== undefined) addInitialPoints(newCard)
    const card = findCard(work, voucher_id)
    if (card === undefined || !canHold(card, points)) continue
    const expiresAt = expirationDate(moment.today, card.program.expiration_rules)
    const movement = { card, points, moment, type: 'POINTS_ADDITION', source: 'Automation' } as const
    const posted = credit(work, { ...movement, expires_at: expiresAt })
    emitTransaction(work, card, posted)
    emitPointsAdded(work, card, posted)
    await applyBalanceChanges(work, [voucher_id], moment, { isIncreased: true })
  }
}

/** Adds the initial points of a new member's card to the points of its holder. */
export function addInitialPoints({ person, program, lots }: Card): void {
  const points = lots.reduce((sum, lot) => sum + lot.points, 0)
  const { name } = program.campaign
  person.moves[name] = { ...person.moves[name], points: (person.moves[name]?.points ?? 0) + points }
}
