import { getSegment } from '../../audience/segments/store.ts'
import type { Ctx } from '../../core/context.ts'
import type { RewardRow } from '../../core/db/tables.ts'
import { emit } from '../../core/events/emit.ts'
import { invalidPayload } from '../../core/http/errors.ts'
import { numbersRead } from '../../core/http/numeric-text.ts'
import { newId } from '../../core/lib/ids.ts'
import { knownOnly } from '../../core/lib/known-only.ts'
import { limits } from '../../core/lib/limits.ts'
import { toSimpleCampaign } from '../../incentives/campaigns/campaign.ts'
import type { StoredCampaign } from '../../incentives/campaigns/store.ts'
import { refuseProtected } from '../../incentives/campaigns/store.ts'
import { getReward } from '../rewards/store.ts'
import { NewReferralTier, type ReferralTier, ReferralTierChanges, ReferralTierParameters } from './schema.ts'
import { toReferralTier, toSimpleReferralTier } from './tier.ts'
import {
  countReferralTiers,
  deleteReferralTier,
  getReferralTier,
  insertReferralTier,
  type StoredReferralTier,
  updateReferralTier,
} from './tier-store.ts'

const readTier = numbersRead(NewReferralTier)
const readChanges = numbersRead(ReferralTierChanges)

export interface TierInProgram {
  program: StoredCampaign
  tier: StoredReferralTier
}

/** Adds a tier to a referral program that the caller has locked exclusively (docs/reference/referrals.md#referral-tiers). */
export async function createReferralTier(
  ctx: Ctx,
  program: StoredCampaign,
  body: NewReferralTier,
): Promise<ReferralTier> {
  refuseProtected(program)
  const { banner, parameters, reward } = readTier(body)
  if ((await countReferralTiers(ctx, program.id)) >= limits.referral_tiers_max)
    throw invalidPayload(`A campaign must NOT have more than ${limits.referral_tiers_max} referral tiers`)
  const rewardId = await rewardFor(ctx, reward)
  const row = {
    id: newId('referral_tier', Date.parse(ctx.now)),
    campaign_id: program.id,
    banner: banner ?? null,
    parameters: JSON.stringify(await criteriaOf(ctx, parameters)),
  }
  await insertReferralTier(ctx, row, rewardId)
  return emitTierEvent(ctx, 'created', { program, tier: await getReferralTier(ctx, program.id, row.id) })
}

/** Updates a tier whose program the caller has locked exclusively; parameters are replaced as a whole. */
export async function changeReferralTier(
  ctx: Ctx,
  { program, tier }: TierInProgram,
  body: ReferralTierChanges,
): Promise<ReferralTier> {
  refuseProtected(program)
  const { banner, parameters, reward } = readChanges(body)
  const rewardId = reward === undefined ? undefined : await rewardFor(ctx, reward)
  const changes = { banner, parameters: parameters && JSON.stringify(await criteriaOf(ctx, parameters)) }
  await updateReferralTier(ctx, tier, changes, rewardId)
  return emitTierEvent(ctx, 'updated', { program, tier: await getReferralTier(ctx, program.id, tier.id) })
}

export async function removeReferralTier(ctx: Ctx, { program, tier }: TierInProgram): Promise<void> {
  refuseProtected(program)
  await deleteReferralTier(ctx, tier.id)
  await emitTierEvent(ctx, 'deleted', { program, tier })
}

async function emitTierEvent(
  ctx: Ctx,
  change: 'created' | 'updated' | 'deleted',
  { program, tier }: TierInProgram,
): Promise<ReferralTier> {
  await emit(ctx, `campaign.referral_tier.${change}`, program.id, {
    campaign: toSimpleCampaign(program),
    referral_tier: toSimpleReferralTier(tier),
  })
  return toReferralTier(tier)
}

/** Refuses COIN rewards: a referrer has no order that a discount bought with points could apply to. */
async function rewardFor(ctx: Ctx, { id }: NewReferralTier['reward']): Promise<RewardRow['id']> {
  const reward = await getReward(ctx, id, { lock: 'keyShare' })
  if (reward.type === 'COIN') throw invalidPayload('Property .reward.id must be that of a CAMPAIGN or MATERIAL reward')
  return reward.id
}

/** The criteria of a tier as stored. A segment must exist and is locked, but not activated. */
async function criteriaOf(ctx: Ctx, sent: ReferralTierParameters): Promise<ReferralTierParameters> {
  const parameters = knownOnly(ReferralTierParameters, sent)
  if (parameters.segment != null) await getSegment(ctx, parameters.segment.id, { lock: true })
  return parameters
}
