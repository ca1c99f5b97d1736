import { EarningMapping, RewardMapping } from '@guerdon/engine/schema'
import type { Ctx } from '../../core/context.ts'
import { emitMany, type NewEvent } from '../../core/events/emit.ts'
import { invalidPayload, notFound } from '../../core/http/errors.ts'
import { mapValues, numbersRead } from '../../core/http/numeric-text.ts'
import { newId } from '../../core/lib/ids.ts'
import { knownOnly } from '../../core/lib/known-only.ts'
import { limits } from '../../core/lib/limits.ts'
import { loadMetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import { toSimpleCampaign } from '../../incentives/campaigns/campaign.ts'
import type { StoredCampaign } from '../../incentives/campaigns/store.ts'
import { refuseProtected } from '../../incentives/campaigns/store.ts'
import { listEarningRuleIds } from '../earning-rules/store.ts'
import { applyDueChangesToProgram, reviewMembers } from '../points/review.ts'
import { toLoyaltyTier, toTierFacts } from './loyalty-tier.ts'
import { whyNotRanges } from './ranges.ts'
import { type LoyaltyTier, type NewLoyaltyTier, NewLoyaltyTiers } from './schema.ts'
import { insertLoyaltyTiers, listLoyaltyTiersOf, listRewardKeys, type NewTierRow } from './store.ts'

/**
 * Adds tiers to a program that the caller has locked exclusively, all or nothing. Then the tiers of its members are reviewed
 * (docs/reference/loyalty-tiers.md#when-tiers-are-looked-at).
 */
export async function createLoyaltyTiers(
  ctx: Ctx,
  campaign: StoredCampaign,
  bodies: NewLoyaltyTier[],
): Promise<LoyaltyTier[]> {
  refuseProtected(campaign)
  if (bodies.length === 0) return []
  const sent = readTiers(bodies)
  await refuseRanges(ctx, campaign, sent)
  await refuseUnknownKeys(ctx, campaign, sent)
  const rows = await newRows(ctx, campaign, sent)
  await applyDueChangesToProgram(ctx, campaign.id)

  const tiers = (await insertLoyaltyTiers(ctx, rows)).map(toLoyaltyTier)
  await emitTiersCreated(ctx, campaign, tiers)
  await reviewMembers(ctx, campaign.id, 'tiers')
  return tiers
}

const readTiers = numbersRead(NewLoyaltyTiers)

async function refuseRanges(ctx: Ctx, { id }: StoredCampaign, sent: readonly NewLoyaltyTier[]): Promise<void> {
  const stored = await listLoyaltyTiersOf(ctx, id)
  if (stored.length + sent.length > limits.loyalty_tiers_max)
    throw invalidPayload(`A campaign must NOT have more than ${limits.loyalty_tiers_max} loyalty tiers`)
  const reason = whyNotRanges(
    sent,
    stored.map((tier) => ({ name: tier.name, points: toTierFacts(tier).points })),
  )
  if (reason !== null) throw invalidPayload(reason)
}

/** The keys of mappings must be earning rules of the same program, and rewards or their assignments to it. */
async function refuseUnknownKeys(ctx: Ctx, { id }: StoredCampaign, sent: readonly NewLoyaltyTier[]): Promise<void> {
  const rules = keysOf(sent, 'earning_rules')
  const rewards = keysOf(sent, 'rewards')
  const knownRules = rules.length === 0 ? none : await listEarningRuleIds(ctx, id, rules)
  const knownRewards = rewards.length === 0 ? none : await listRewardKeys(ctx, id, rewards)
  const unknownRule = rules.find((key) => !knownRules.has(key))
  if (unknownRule !== undefined) throw notFound('earning_rule', unknownRule)
  const unknownReward = rewards.find((key) => !knownRewards.has(key))
  if (unknownReward !== undefined) throw notFound('reward', unknownReward)
}

const none: ReadonlySet<string> = new Set()

function keysOf(sent: readonly NewLoyaltyTier[], name: 'earning_rules' | 'rewards'): string[] {
  return sent.flatMap((tier, index) => {
    const keys = Object.keys(tier[name] ?? {})
    if (keys.length > limits.tier_mappings_max)
      throw invalidPayload(`Property [${index}].${name} must NOT have more than ${limits.tier_mappings_max} properties`)
    return keys
  })
}

async function newRows(ctx: Ctx, campaign: StoredCampaign, sent: readonly NewLoyaltyTier[]): Promise<NewTierRow[]> {
  const metadataRules = await loadMetadataRules(ctx, 'loyalty_tier')
  return sent.map(({ name, points, earning_rules, rewards, metadata }, index) => {
    metadataRules.check(metadata ?? {}, { isNew: true, property: `[${index}].metadata` })
    return {
      // The ids sort in the order of the request.
      id: newId('loyalty_tier', Date.parse(ctx.now) + index),
      campaign_id: campaign.id,
      name,
      points_from: points.from ?? null,
      points_to: points.to ?? null,
      earning_rules: JSON.stringify(mapValues(earning_rules ?? {}, (mapping) => knownOnly(EarningMapping, mapping))),
      rewards: JSON.stringify(mapValues(rewards ?? {}, (mapping) => knownOnly(RewardMapping, mapping))),
      metadata: JSON.stringify(metadata ?? {}),
    }
  })
}

async function emitTiersCreated(ctx: Ctx, campaign: StoredCampaign, tiers: readonly LoyaltyTier[]): Promise<void> {
  const simpleCampaign = toSimpleCampaign(campaign)
  await emitMany(
    ctx,
    tiers.map(
      (loyaltyTier): NewEvent => ({
        type: 'campaign.loyalty_tier.created',
        entity_id: campaign.id,
        data: { campaign: simpleCampaign, loyalty_tier: loyaltyTier },
      }),
    ),
  )
}
