import { toSimpleCustomer } from '../../audience/customers/customer.ts'
import { listSegmentsOf } from '../../audience/segments/of-customer.ts'
import { saveCheckout } from '../../checkout/decision/save.ts'
import type {
  ConfiguredReferralTier,
  ConfiguredReward,
  ConfiguredRewardAssignment,
} from '../../core/configuration/configuration.ts'
import type { Ctx } from '../../core/context.ts'
import type { NewEvent } from '../../core/events/emit.ts'
import { newId } from '../../core/lib/ids.ts'
import { toSimpleVoucher } from '../../incentives/vouchers/voucher.ts'
import type { CascadeState } from '../points/card.ts'
import { type Issued, issueReward } from '../points/issue.ts'
import { applyMemberChanges } from '../points/member-changes.ts'
import { inSavepointOrNull } from '../points/savepoint.ts'
import { toRewardAssignment } from '../reward-assignments/reward-assignment.ts'
import { countRewards } from '../rewards/count-rewards.ts'
import { toGivenReward } from '../rewards/reward.ts'
import { rewardRedemptionEvent, type StoredRewardRedemption } from '../rewards/reward-redemption.ts'
import { countReferees, insertGrant, listRewardedBy } from './conversion-store.ts'
import type { Conversion } from './conversion-terms.ts'
import { toSimpleReferralTier } from './tier.ts'

/** A tier with its reward. */
interface RewardingTier {
  tier: ConfiguredReferralTier
  assignment: ConfiguredRewardAssignment
  reward: ConfiguredReward
}

/**
 * Rewards a referrer for one more referee, by every tier of the program whose criteria are met
 * (docs/reference/referrals.md#referral-tiers). `earlier` are the redemptions or events that converted the same referee before
 * a rollback: a tier that rewarded for one of them does not reward again.
 */
export async function grantTiers(
  ctx: Ctx,
  conversion: Conversion,
  earlier: readonly string[],
  cascade: CascadeState,
): Promise<void> {
  const rewarded = await listRewardedBy(ctx, earlier, conversion.referrer.id)
  for (const tier of await tiersReached(ctx, conversion)) {
    if (rewarded.has(tier.assignment.id)) continue
    const issued = await inSavepointOrNull(ctx, () => issueTierReward(ctx, conversion, tier))
    if (issued === null) continue
    const row = redemptionOf(ctx, conversion, tier, issued)
    await saveCheckout(ctx, ctx.db, { reward_redemptions: [row], events: eventsOf(conversion, tier, issued, row) })
    if (issued.rewardCredit !== null)
      await applyMemberChanges(ctx, conversion.referrer.id, { rewardCredits: [issued.rewardCredit], cascade })
  }
}

/** The tiers whose number of referees is reached and whose segment contains the referrer, the oldest first. */
async function tiersReached(ctx: Ctx, conversion: Conversion): Promise<RewardingTier[]> {
  const { program, referrer } = conversion
  const tiers = tiersOf(conversion)
  const isRequired = (matches: (parameters: ConfiguredReferralTier['parameters']) => boolean) =>
    tiers.some(({ tier: { parameters } }) => matches(parameters))
  const referees = isRequired(({ criteria }) => criteria === 'MIN_REFEREES')
    ? await countReferees(ctx, { campaign_id: program.id, referrer_id: referrer.id })
    : 1
  const segments = isRequired(({ segment }) => segment !== undefined) ? await listSegmentsOf(ctx, referrer.id) : []
  return tiers.filter(({ tier: { parameters } }) => {
    const { min_referees = 1, segment } = parameters
    return referees >= min_referees && (segment === undefined || segments.some(({ id }) => id === segment.id))
  })
}

function tiersOf({ configuration, program }: Conversion): RewardingTier[] {
  const { referral_tiers, reward_assignments, rewards } = configuration
  const assignments = [...reward_assignments.values()].filter(
    (assignment) => assignment.related_object_type === 'referral_tier',
  )
  return [...referral_tiers.values()]
    .filter(({ campaign_id }) => campaign_id === program.id)
    .sort((a, b) => (a.created_at < b.created_at || (a.created_at === b.created_at && a.id < b.id) ? -1 : 1))
    .flatMap((tier) => {
      const assignment = assignments.find(({ related_object_id }) => related_object_id === tier.id)
      const reward = assignment && rewards.get(assignment.reward_id)
      return assignment === undefined || reward === undefined ? [] : [{ tier, assignment, reward }]
    })
}

/**
 * Null if the tier has already rewarded the referrer. If the reward cannot be issued, the grant is rolled back and a later
 * referral may issue it.
 */
async function issueTierReward(
  ctx: Ctx,
  { referrer }: Conversion,
  { tier, reward }: RewardingTier,
): Promise<Issued | null> {
  if (tier.parameters.criteria === 'MIN_REFEREES' && !(await insertGrant(ctx, tier.id, referrer.id))) return null
  const issued = await issueReward(ctx, { customer: referrer, reward })
  await countRewards(ctx, [reward.id], 1)
  return issued
}

const redemptionOf = (
  { now }: Ctx,
  { program, code, referrer, by }: Conversion,
  { reward, assignment }: RewardingTier,
  issued: Issued,
): StoredRewardRedemption => ({
  id: newId('reward_redemption', Date.parse(now)),
  state: reward.type === 'MATERIAL' ? 'PENDING' : 'COMPLETED',
  voucher_id: code.id,
  campaign_id: program.id,
  customer_id: referrer.id,
  reward_id: reward.id,
  reward_assignment_id: assignment.id,
  source_id: by.id,
  source_type: by.type === 'event' ? 'custom_event' : 'redemption',
  issued: issued.kept,
  created_at: now,
  updated_at: null,
})

function eventsOf(
  { campaign, code, referrer, by }: Conversion,
  { tier, assignment, reward: configuredReward }: RewardingTier,
  { voucher: issuedVoucher, product, sku, balance, publication }: Issued,
  row: StoredRewardRedemption,
): NewEvent[] {
  const customer = toSimpleCustomer(referrer)
  const voucher = toSimpleVoucher(code)
  const reward = toGivenReward(configuredReward, {
    customer,
    assignment_id: assignment.id,
    voucher: issuedVoucher && toSimpleVoucher(issuedVoucher),
    product,
    sku,
  })
  const rewardAssignment = toRewardAssignment(assignment)
  const parties = { customer, voucher, campaign, reward, reward_assignment: rewardAssignment, publication }
  return [
    {
      type: 'customer.rewarded',
      entity_id: referrer.id,
      data: {
        customer,
        holder: customer,
        voucher,
        campaign,
        redemption: by.redemption,
        reward,
        referral_tier: toSimpleReferralTier(tier),
        balance,
        custom_event: by.custom_event,
        customer_event: null,
      },
    },
    rewardRedemptionEvent('created', { ...row, state: 'CREATED' }, parties),
    rewardRedemptionEvent(row.state === 'PENDING' ? 'pending' : 'completed', row, parties),
  ]
}
