import type { EarningRule, LoyaltyTier, PointsExpirationRules, TierExpiration } from '@guerdon/engine/schema'
import type {
  Configuration,
  ConfiguredCampaign,
  ConfiguredEarningRule,
  ConfiguredLoyaltyTier,
  ConfiguredRewardAssignment,
} from '../../core/configuration/configuration.ts'
import type { Ctx } from '../../core/context.ts'
import { toTierFacts } from '../tiers/loyalty-tier.ts'

/** A loyalty program as it is configured, in the words of the engine. */
export interface Program {
  campaign: ConfiguredCampaign
  /** When its points expire, unless an earning rule knows better. */
  expiration_rules: PointsExpirationRules | null
  /** How its tiers are won and lost. */
  settings: TierExpiration | null
  tiers: readonly LoyaltyTier[]
  /** In the order of creation, in which they pay. */
  rules: readonly EarningRule[]
  /** What points are redeemed for by themselves. */
  auto_redeem: ConfiguredRewardAssignment | null
}

export type Programs = ReadonlyMap<string, Program>

const known = new WeakMap<Configuration, Programs>()

/** The programs of a project by the ids of their campaigns. */
export function programsOf(configuration: Configuration): Programs {
  let programs = known.get(configuration)
  if (programs === undefined) {
    programs = newPrograms(configuration)
    known.set(configuration, programs)
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
  const found = new Map<string, Row[]>()
  for (const row of rows) {
    const own = found.get(campaignOf(row))
    if (own === undefined) found.set(campaignOf(row), [row])
    else own.push(row)
  }
  return found
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

/** Whether anything is earned for an event in any program. */
export function pays(configuration: Configuration, event: string): boolean {
  for (const { rules } of programsOf(configuration).values())
    if (rules.some((rule) => rule.active && rule.event === event)) return true
  return false
}

/** The tier that an id names; one that is gone is none. */
export const tierNamed = ({ loyalty_tiers }: Configuration, id: string | null): ConfiguredLoyaltyTier | null =>
  id === null ? null : (loyalty_tiers.get(id) ?? null)

/** The configuration as this transaction sees it. */
export async function configurationNow({ db, project_id, configurations }: Ctx): Promise<Configuration> {
  const { config_version } = await db
    .selectFrom('projects')
    .where('id', '=', project_id as `proj_${string}`)
    .select('config_version')
    .executeTakeFirstOrThrow()
  return configurations.atLeast(db, project_id, config_version)
}
