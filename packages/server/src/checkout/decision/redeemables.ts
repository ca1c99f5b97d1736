import { coinPointsRatio, balanceOf as openBalance, rewardMapping, rewardPrice } from '@guerdon/engine'
import type {
  CampaignFacts,
  Redeemable,
  RewardFacts,
  RewardMapping,
  UnitLimit,
  ValidationRule,
} from '@guerdon/engine/schema'
import {
  type Configuration,
  type ConfiguredCampaign,
  type ConfiguredRewardAssignment,
  type ConfiguredTier,
  categoryOf,
  rulesOf,
} from '../../core/configuration/configuration.ts'
import type { Project } from '../../core/db/project-row.ts'
import { accountOf } from '../../incentives/vouchers/entry-changes.ts'
import { codeKey } from '../../incentives/vouchers/store.ts'
import { voucherBalanceOf, voucherMetadataOf } from '../../incentives/vouchers/voucher.ts'
import type { CheckoutRows, Counted } from './checkout-rows.ts'
import type { Buyer } from './customer.ts'
import type { RedeemableInput } from './request.ts'
import type { CheckoutVoucher } from './voucher-row.ts'

/** A redeemable of a request: its facts for the engine, and its rows. */
export interface RedeemableCandidate {
  facts: Redeemable
  voucher: CheckoutVoucher | null
  tier: ConfiguredTier | null
  campaign: ConfiguredCampaign | null
  /** The promotion stack that it is part of. */
  stack_id: string | null
  counted: Counted | null
}

/**
 * The redeemables of a request, in its order. A promotion stack becomes all of its tiers; an unknown redeemable stays as
 * `unknown`.
 */
export function candidatesOf(
  project: Project,
  redeemables: readonly RedeemableInput[],
  rows: CheckoutRows,
  buyer: Buyer,
): RedeemableCandidate[] {
  const { configuration } = rows
  return redeemables.flatMap((input) => {
    const { object, id } = input
    if (object === 'voucher') {
      const voucher = findVoucher(project, id, rows)
      return [voucher === null ? unknown(input) : voucherCandidate(input, voucher, rows, buyer)]
    }
    if (object === 'promotion_tier') {
      const tier = configuration.tiers.get(id)
      const campaign = tier && configuration.campaigns.get(tier.campaign_id)
      return [campaign === undefined ? unknown(input) : tierCandidate(tier as ConfiguredTier, campaign, rows, null)]
    }
    const stack = configuration.stacks.get(id)
    const campaign = stack && configuration.campaigns.get(stack.campaign_id)
    if (campaign === undefined) return [unknown(input)]
    return (stack as { tier_ids: string[] }).tier_ids.flatMap((tierId) => {
      const tier = configuration.tiers.get(tierId)
      return tier === undefined ? [] : [tierCandidate(tier, campaign, rows, id)]
    })
  })
}

/** Null also for a voucher whose campaign is in the trash bin. */
function findVoucher(project: Project, key: string, { vouchers, configuration }: CheckoutRows): CheckoutVoucher | null {
  const normalizedKey = codeKey(project, key)
  const found = vouchers.find(({ id }) => id === key) ?? vouchers.find(({ code_key }) => code_key === normalizedKey)
  if (found === undefined) return null
  return found.campaign_id === null || configuration.campaigns.has(found.campaign_id) ? found : null
}

const unknown = ({ object, id }: RedeemableInput): RedeemableCandidate => ({
  facts: { kind: 'unknown', object, id },
  voucher: null,
  tier: null,
  campaign: null,
  stack_id: null,
  counted: null,
})

function voucherCandidate(
  input: RedeemableInput,
  voucher: CheckoutVoucher,
  rows: CheckoutRows,
  buyer: Buyer,
): RedeemableCandidate {
  const { configuration } = rows
  const campaign = voucher.campaign_id === null ? null : (configuration.campaigns.get(voucher.campaign_id) ?? null)
  const counted = rows.counted[voucher.id] ?? null
  return {
    facts: voucherFacts(input, voucher, campaign, rows, buyer),
    voucher,
    tier: null,
    campaign,
    stack_id: null,
    counted,
  }
}

/** A voucher as the engine sees it: its terms, and its remaining quantity or balance. */
export function voucherFacts(
  sent: SentVoucher,
  voucher: CheckoutVoucher,
  campaign: ConfiguredCampaign | null,
  rows: CheckoutRows,
  buyer: Buyer,
): Redeemable {
  const { configuration, counted, held_codes, publication_metadata } = rows
  const { terms } = voucher
  return {
    ...factsByType[voucher.type](voucher, sent, rows),
    object: 'voucher',
    id: sent.id,
    resource_id: voucher.id,
    code: voucher.code,
    ...(campaign === null ? {} : { campaign: { id: campaign.id, active: campaign.active } }),
    ...categoryFacts(configuration, voucher),
    active: voucher.active,
    start_date: voucher.start_date,
    expiration_date: voucher.expiration_date,
    validity_timeframe: terms.validity_timeframe ?? null,
    validity_day_of_week: terms.validity_day_of_week ?? null,
    validity_hours: terms.validity_hours ?? null,
    metadata: voucherMetadataOf(voucher),
    rules: [...voucherRules(configuration, voucher), ...rewardRules(configuration, voucher, sent.reward)],
    ...countedFacts(counted[voucher.id]),
    quantity: voucher.quantity,
    redeemed_quantity: voucher.redeemed_quantity,
    locked_quantity: voucher.held.quantity,
    publish_count: voucher.publish_count,
    publication_metadata: publication_metadata[voucher.id] ?? null,
    holders: held_codes.includes(voucher.id) && buyer.stored !== null ? [buyer.stored.id] : [],
  }
}

type SentVoucher = Omit<RedeemableInput, 'object'>

/** The facts that only vouchers of one type have. */
const factsByType = {
  GIFT_VOUCHER: (voucher, { credits }) => ({
    kind: 'gift_voucher' as const,
    gift: { balance: voucherBalanceOf(voucher), effect: voucher.terms.effect ?? null },
    locked_credits: voucher.held.credits,
    credits: credits ?? null,
  }),
  LOYALTY_CARD: (voucher, { reward }, rows) => ({
    kind: 'loyalty_card' as const,
    // Expired points do not count, even if their expiration is not posted yet.
    balance: openBalance(accountOf(voucher), rows.today),
    locked_points: voucher.held.credits,
    holder_id: voucher.holder_id,
    reward: reward === undefined ? null : rewardFacts(rows, voucher, reward),
    points: reward?.points ?? null,
  }),
  DISCOUNT_VOUCHER: ({ terms, is_referral_code, holder_id, referrer_id }) => ({
    kind: 'discount_voucher' as const,
    discount: terms.discount ?? null,
    ...(is_referral_code ? { referral: { referrer_id: holder_id ?? referrer_id } } : {}),
  }),
} satisfies Record<
  CheckoutVoucher['type'],
  (voucher: CheckoutVoucher, sent: SentVoucher, rows: CheckoutRows) => Partial<Redeemable>
>

/** The rules of the campaign come first (docs/reference/rules.md#failure). */
function voucherRules(
  configuration: Configuration,
  { campaign_id, assignments }: Pick<CheckoutVoucher, 'campaign_id' | 'assignments'>,
): ValidationRule[] {
  const campaignRules = campaign_id === null ? [] : rulesOf(configuration, campaign_id)
  return [...campaignRules, ...assignments.flatMap(({ rule_id }) => configuration.rules.get(rule_id) ?? [])]
}

type SentReward = NonNullable<RedeemableInput['reward']>

/** The reward to redeem points for, among those of the card's program (docs/reference/discounts.md#loyalty-cards). */
function rewardFacts(
  { configuration, rewards_redeemed }: CheckoutRows,
  card: Card,
  sent: SentReward,
): RewardFacts | null {
  const sentId = sent.id ?? sent.assignment_id
  if (sentId === undefined) return null
  const assignment = assignmentFor(configuration, card, sent)
  const reward = assignment && configuration.rewards.get(assignment.reward_id)
  const unknown: RewardFacts = { type: 'UNKNOWN', id: sentId }
  if (assignment === undefined || reward === undefined) return unknown
  const { id, type, parameters, stock } = reward
  const assignmentId = assignment.id
  const mapping = mappingFor(configuration, card, assignment)
  if (type === 'COIN') {
    const { coin } = parameters as { coin: { exchange_ratio: number; points_ratio: number } }
    const pointsRatio = coinPointsRatio(coin.points_ratio, mapping)
    if (pointsRatio === null) return unknown
    return { type, id, assignment_id: assignmentId, exchange_ratio: coin.exchange_ratio, points_ratio: pointsRatio }
  }
  const price = rewardPrice(assignment.parameters.loyalty?.points ?? 0, mapping)
  if (price === null) return unknown
  if (type === 'CAMPAIGN') return { type, id, assignment_id: assignmentId, price }
  return { type, id, assignment_id: assignmentId, price, stock, redeemed: rewards_redeemed[id] ?? 0 }
}

/** How the loyalty tier of the card's member changes the price of a reward (docs/reference/rewards.md#price). */
export function mappingFor(
  { loyalty_tiers }: Configuration,
  { member }: Card,
  { id, reward_id }: ConfiguredRewardAssignment,
): RewardMapping | null {
  const tier = member?.tier_id == null ? undefined : loyalty_tiers.get(member.tier_id)
  return rewardMapping(tier ?? null, { id: reward_id, assignment_id: id })
}

/** The rules of the reward assignment apply too (docs/reference/validity.md#order-of-checks). */
function rewardRules(
  configuration: Configuration,
  card: Card,
  sent: SentReward | undefined,
): readonly ValidationRule[] {
  const assignment = sent && assignmentFor(configuration, card, sent)
  return assignment === undefined ? [] : rulesOf(configuration, assignment.id)
}

type Card = Pick<CheckoutVoucher, 'type' | 'campaign_id' | 'member'>

function assignmentFor({ reward_assignments }: Configuration, { type, campaign_id }: Card, sent: SentReward) {
  if (type !== 'LOYALTY_CARD' || (sent.id === undefined && sent.assignment_id === undefined)) return undefined
  return [...reward_assignments.values()].find(
    ({ id, reward_id, related_object_id }) =>
      related_object_id === campaign_id &&
      (sent.assignment_id === undefined || id === sent.assignment_id) &&
      (sent.id === undefined || reward_id === sent.id),
  )
}

export function tierCandidate(
  tier: ConfiguredTier,
  campaign: ConfiguredCampaign,
  { configuration, counted }: Pick<CheckoutRows, 'configuration' | 'counted'>,
  stackId: string | null,
): RedeemableCandidate {
  const numbers = counted[tier.id]
  return {
    facts: {
      kind: 'promotion_tier',
      object: 'promotion_tier',
      id: tier.id,
      resource_id: tier.id,
      campaign: campaignFacts(campaign),
      ...categoryFacts(configuration, tier),
      active: tier.active,
      start_date: tier.start_date,
      expiration_date: tier.expiration_date,
      validity_timeframe: tier.validity_timeframe,
      validity_day_of_week: tier.validity_day_of_week,
      validity_hours: tier.validity_hours,
      metadata: tier.metadata,
      rules: [...rulesOf(configuration, campaign.id), ...rulesOf(configuration, tier.id)],
      ...countedFacts(numbers),
      discount: tier.discount,
    },
    voucher: null,
    tier,
    campaign,
    stack_id: stackId,
    counted: numbers ?? null,
  }
}

function categoryFacts(configuration: Configuration, owner: Parameters<typeof categoryOf>[1]) {
  const category = categoryOf(configuration, owner)
  return category === null ? {} : { category: { id: category.id, hierarchy: category.hierarchy } }
}

const campaignFacts = (campaign: ConfiguredCampaign): CampaignFacts => ({
  id: campaign.id,
  active: campaign.active,
  start_date: campaign.start_date,
  expiration_date: campaign.expiration_date,
  validity_timeframe: campaign.validity_timeframe,
  validity_day_of_week: campaign.validity_day_of_week,
  validity_hours: campaign.validity_hours,
})

/** Units are keyed by their limit and the id it counts: `product_campaign_quantity_limit/prod_1`. */
function countedFacts(counted: Counted | undefined) {
  if (counted === undefined) return {}
  const unitsUsed: Record<string, Record<string, number>> = {}
  for (const [name, units] of Object.entries(counted.units)) {
    const [limit, ...key] = name.split('/') as [UnitLimit, ...string[]]
    unitsUsed[limit] = { ...unitsUsed[limit], [key.join('/')]: units }
  }
  return { counters: counted.numbers, units_used: unitsUsed }
}
