import type { EarningRule, LoyaltyTier, PointsExpirationRules, TierExpiration } from '@guerdon/engine/schema'
import type {
  Configuration,
  ConfiguredCampaign,
  ConfiguredEarningRule,
  ConfiguredLoyaltyTier,
  ConfiguredRewardAssignment,
} from '../../core/configuration/configuration.ts'
import { toTierFacts } from '../tiers/loyalty-tier.ts'

/** The configuration of a loyalty program, in the types of the engine. */
export interface Program {
  campaign: ConfiguredCampaign
  /** When its points expire; an earning rule may have expiration rules of its own. */
  expiration_rules: PointsExpirationRules | null
  /** How its tiers are gained and lost. */
  settings: TierExpiration | null
  tiers: readonly LoyaltyTier[]
  /** Ordered by creation; they pay in this order. */
  rules: readonly EarningRule[]
  /** The reward that the program redeems automatically. */
  auto_redeem: ConfiguredRewardAssignment | null
}

export type Programs = ReadonlyMap<string, Program>

const cache = new WeakMap<Configuration, Programs>()

/** The programs of a project by campaign id, cached per configuration. */
export function programsOf(configuration: Configuration): Programs {
  let programs = cache.get(configuration)
  if (programs === undefined) {
    programs = newPrograms(configuration)
    cache.set(configuration, programs)
  }
  return programs
}

function newPrograms(configuration: Configuration): Programs {
  const { campaigns, loyalty_tiers, earning_rules, reward_assignments } = configuration
  const tiers = byCampaign([...loyalty_tiers.values()], ({ campaign_id }) => campaign_id)
  const rules = byCampaign([...earning_rules.values()], ({ campaign_id }) => campaign_id)
  const automatic = [...reward_assignments.values()].filter(
    ({ parameters }) => parameters.loyalty?.auto_redeem === true,
  )
  const programs = new Map<string, Program>()
  for (const campaign of campaigns.values()) {
    if (campaign.campaign_type !== 'LOYALTY_PROGRAM') continue
    programs.set(campaign.id, {
      campaign,
      expiration_rules: (campaign.voucher?.loyalty_card?.expiration_rules ?? null) as PointsExpirationRules | null,
      settings: campaign.loyalty_tiers_expiration as TierExpiration | null,
      tiers: (tiers.get(campaign.id) ?? []).map(toTierFacts),
      rules: (rules.get(campaign.id) ?? []).sort(byCreation).map(toRuleFacts),
      auto_redeem: automatic.find(({ related_object_id }) => related_object_id === campaign.id) ?? null,
    })
  }
  return programs
}

function byCampaign<Row>(rows: readonly Row[], campaignOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const group = groups.get(campaignOf(row))
    if (group === undefined) groups.set(campaignOf(row), [row])
    else group.push(row)
  }
  return groups
}

const byCreation = (a: ConfiguredEarningRule, b: ConfiguredEarningRule): number =>
  a.created_at < b.created_at || (a.created_at === b.created_at && a.id < b.id) ? -1 : 1

const toRuleFacts = (row: ConfiguredEarningRule): EarningRule => ({
  id: row.id,
  created_at: row.created_at,
  active: row.active,
  start_date: row.start_date,
  expiration_date: row.expiration_date,
  validity_timeframe: row.validity_timeframe,
  validity_day_of_week: row.validity_day_of_week,
  validity_hours: row.validity_hours,
  event: row.event,
  custom_event: row.schema_id === null ? null : { schema_id: row.schema_id },
  segment: row.segment_id === null ? null : { id: row.segment_id },
  loyalty_tier: row.loyalty_tier_id === null ? null : { id: row.loyalty_tier_id },
  loyalty: row.loyalty,
  pending_points: row.pending_points,
  expiration_rules: row.expiration_rules,
})

/** Whether an active rule of any program pays for an event. */
export function hasRuleFor(configuration: Configuration, event: string): boolean {
  for (const { rules } of programsOf(configuration).values())
    if (rules.some((rule) => rule.active && rule.event === event)) return true
  return false
}

/** The tier of an id; null if it was deleted. */
export const findLoyaltyTier = ({ loyalty_tiers }: Configuration, id: string | null): ConfiguredLoyaltyTier | null =>
  id === null ? null : (loyalty_tiers.get(id) ?? null)
