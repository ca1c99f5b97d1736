import { defaultStackingRules } from '@guerdon/engine'
import type { Collection, Filter, Shape, StackingRules, ValidationRule } from '@guerdon/engine/schema'
import type { Selectable } from 'kysely'
import type {
  CampaignRow,
  CategoryRow,
  EarningRuleRow,
  LoyaltyTierRow,
  MetadataSchemaRow,
  PromotionStackRow,
  PromotionTierRow,
  ReferralTierRow,
  RewardAssignmentRow,
  RewardRow,
  RuleAssignmentRow,
  SegmentRow,
} from '../db/tables.ts'

export type ConfiguredCampaign = Selectable<CampaignRow>
export type ConfiguredTier = Selectable<PromotionTierRow>
export type ConfiguredStack = Selectable<PromotionStackRow>
export type ConfiguredCategory = Selectable<CategoryRow>
export type ConfiguredReward = Selectable<RewardRow>
export type ConfiguredRewardAssignment = Selectable<RewardAssignmentRow>
export type ConfiguredEarningRule = Selectable<EarningRuleRow>
export type ConfiguredLoyaltyTier = Selectable<LoyaltyTierRow>
export type ConfiguredReferralTier = Selectable<ReferralTierRow>
export type ConfiguredSegment = Pick<Selectable<SegmentRow>, 'id' | 'name' | 'type'> & { filter: Filter }
/** An assignment to any object except a voucher. */
export type ConfiguredAssignment = Selectable<RuleAssignmentRow>

/** The name of a rule that was given none: explanations then show its id. */
export const unnamedRule = 'Business Validation Rule'

/**
 * An immutable snapshot of the configuration that checkouts read, at one version. A new version is a new object that shares the
 * unchanged parts with the old one, so rules, discounts and filters keep their identity, by which the engine caches what it has
 * compiled (docs/decisions/0011).
 */
export interface Configuration {
  readonly version: number
  /** Without campaigns in the bin. */
  readonly campaigns: ReadonlyMap<string, ConfiguredCampaign>
  readonly tiers: ReadonlyMap<string, ConfiguredTier>
  readonly stacks: ReadonlyMap<string, ConfiguredStack>
  readonly rules: ReadonlyMap<string, ValidationRule>
  readonly assignments: ReadonlyMap<string, ConfiguredAssignment>
  readonly categories: ReadonlyMap<string, ConfiguredCategory>
  readonly rewards: ReadonlyMap<string, ConfiguredReward>
  readonly reward_assignments: ReadonlyMap<string, ConfiguredRewardAssignment>
  readonly earning_rules: ReadonlyMap<string, ConfiguredEarningRule>
  readonly loyalty_tiers: ReadonlyMap<string, ConfiguredLoyaltyTier>
  readonly referral_tiers: ReadonlyMap<string, ConfiguredReferralTier>
  readonly collections: Readonly<Record<string, Collection>>
  readonly metadata_schemas: ReadonlyMap<string, Selectable<MetadataSchemaRow>>
  /** Locations that filters refer to. */
  readonly locations: Readonly<Record<string, Shape>>
  /** Dynamic segments only. */
  readonly segments: readonly ConfiguredSegment[]
  readonly stacking_rules: StackingRules
  /** Values computed from the rest on first use. */
  readonly derived: Derived
}

interface Derived {
  assignments_of?: ReadonlyMap<string, readonly ConfiguredAssignment[]>
  rules_of: Map<string, readonly ValidationRule[]>
  tiers_newest?: readonly ConfiguredTier[]
  asks_segments?: boolean
}

export const nothingConfigured: Configuration = {
  version: -1,
  campaigns: new Map(),
  tiers: new Map(),
  stacks: new Map(),
  rules: new Map(),
  assignments: new Map(),
  categories: new Map(),
  rewards: new Map(),
  reward_assignments: new Map(),
  earning_rules: new Map(),
  loyalty_tiers: new Map(),
  referral_tiers: new Map(),
  collections: {},
  metadata_schemas: new Map(),
  locations: {},
  segments: [],
  stacking_rules: defaultStackingRules,
  derived: { rules_of: new Map() },
}

/**
 * The assignments of a campaign, a tier or a reward in the order of evaluation, which is the order of creation
 * (docs/reference/rules.md#failure).
 */
export function assignmentsOf(configuration: Configuration, objectId: string): readonly ConfiguredAssignment[] {
  const { derived } = configuration
  derived.assignments_of ??= byObject(configuration.assignments)
  return derived.assignments_of.get(objectId) ?? noAssignments
}

/** The rules assigned to a campaign, a tier or a reward. */
export function rulesOf(configuration: Configuration, objectId: string): readonly ValidationRule[] {
  const { derived, rules } = configuration
  let found = derived.rules_of.get(objectId)
  if (found === undefined) {
    found = assignmentsOf(configuration, objectId).flatMap(({ rule_id }) => rules.get(rule_id) ?? [])
    derived.rules_of.set(objectId, found)
  }
  return found
}

const noAssignments: readonly ConfiguredAssignment[] = []

function byObject(assignments: Configuration['assignments']): Map<string, ConfiguredAssignment[]> {
  const sorted = [...assignments.values()].sort((a, b) => compare(a.created_at, b.created_at) || compare(a.id, b.id))
  const assignmentsByObject = new Map<string, ConfiguredAssignment[]>()
  for (const assignment of sorted) {
    const objectAssignments = assignmentsByObject.get(assignment.related_object_id)
    if (objectAssignments === undefined) assignmentsByObject.set(assignment.related_object_id, [assignment])
    else objectAssignments.push(assignment)
  }
  return assignmentsByObject
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** The promotion tiers of existing campaigns, newest first. */
export function tiersNewestFirst(configuration: Configuration): readonly ConfiguredTier[] {
  const { derived, tiers, campaigns } = configuration
  derived.tiers_newest ??= [...tiers.values()]
    .filter(({ campaign_id }) => campaigns.has(campaign_id))
    .sort((a, b) => compare(b.created_at, a.created_at) || compare(b.id, a.id))
  return derived.tiers_newest
}

/** The category of a voucher or tier: its own, else that of its campaign; a deleted category counts as none. */
export function categoryOf(
  { categories, campaigns }: Configuration,
  { category_id, campaign_id }: { category_id: string | null; campaign_id: string | null },
): ConfiguredCategory | null {
  const ownCategory = category_id === null ? undefined : categories.get(category_id)
  if (ownCategory !== undefined) return ownCategory
  const campaignCategoryId = campaign_id === null ? null : (campaigns.get(campaign_id)?.category_id ?? null)
  return campaignCategoryId === null ? null : (categories.get(campaignCategoryId) ?? null)
}

/** Whether any rule compares segments: only then a checkout loads the segments of a customer. */
export function asksForSegments({ derived, rules }: Configuration): boolean {
  derived.asks_segments ??= [...rules.values()].some(({ rules }) => /"customer[._]segment"/.test(JSON.stringify(rules)))
  return derived.asks_segments
}
