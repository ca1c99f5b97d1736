import type { EarningPoints, PendingPoints, PointsExpirationRules } from '@guerdon/engine/schema'
import { Type } from 'typebox'
import { compileValidator } from '../../../core/http/validation.ts'
import { findCustomEventSchema } from '../../../definitions/custom-event-schemas/store.ts'
import { eventKind, expirationRulesOf, pendingOf, pointsOf } from '../../../loyalty/earning-rules/define.ts'
import { NewLoyaltyTier } from '../../../loyalty/tiers/schema.ts'
import { type Batch, forEach, ownId, reference, type Writer } from '../batch.ts'
import { type Foreign, flag, integer, LeftOut, moments, oneOf, part, requiredText, shape, text } from '../foreign.ts'
import { present } from '../insert-rows.ts'
import { derivedId, keptId } from '../kept-id.ts'
import { count } from '../report.ts'
import { validityOf } from '../validity.ts'
import { insertConfiguration } from './definitions.ts'

export const rewards: Writer = {
  list: 'rewards',
  size: 200,
  async write(batch) {
    const rows = await forEach(batch, (reward) => ({
      id: ownId(batch, 'reward', reward),
      name: requiredText(reward, 'name'),
      type: oneOf(reward, 'type', ['CAMPAIGN', 'COIN', 'MATERIAL']),
      parameters: part(reward, 'parameters'),
      stock: integer(reward, 'stock'),
      redeemed: integer(reward, 'redeemed'),
      attributes: part(reward, 'attributes'),
      metadata: part(reward, 'metadata'),
      ...moments(reward, batch.copied_at),
    }))
    await insertConfiguration(batch, 'rewards', rows)
  },
}

export const rewardAssignments: Writer = {
  list: 'reward-assignments',
  size: 500,
  async write(batch) {
    const { ctx, objects } = batch
    const rewardIds = await present(
      ctx,
      'rewards',
      objects.map((one) => rewardOf(one)),
    )
    const campaignIds = await present(
      ctx,
      'campaigns',
      objects.map((one) => reference('campaign', one, 'related_object_id')),
    )
    const rows = await forEach(batch, (assignment) => {
      const rewardId = rewardOf(assignment)
      if (rewardId === null || !rewardIds.has(rewardId)) throw new LeftOut('its reward was not carried over')
      if (assignment.related_object_type === 'referral_tier')
        throw new LeftOut(
          'it rewards referrers by a referral tier, of which the public API has no list: create the tier again',
        )
      const type = oneOf(assignment, 'related_object_type', ['campaign'])
      const campaignId = keptId('campaign', requiredText(assignment, 'related_object_id'))
      if (!campaignIds.has(campaignId)) throw new LeftOut('its campaign was not carried over')
      const loyalty = part(part(assignment, 'parameters'), 'loyalty')
      const points = integer(loyalty, 'points')
      return {
        id: ownId(batch, 'reward_assignment', assignment),
        reward_id: rewardId,
        related_object_type: type,
        related_object_id: campaignId,
        parameters:
          points === null
            ? {}
            : { loyalty: { points, ...(loyalty.auto_redeem === true ? { auto_redeem: true } : {}) } },
        ...moments(assignment, batch.copied_at),
      }
    })
    await insertConfiguration(batch, 'reward_assignments', rows)
  },
}

const rewardOf = (assignment: Foreign) =>
  reference('reward', assignment, 'reward_id') ?? reference('reward', assignment, 'parent_id')

/** The campaign of a row of a list per campaign, which must be in the project. */
async function campaignsOf({ ctx, objects }: Batch) {
  const ids = await present(
    ctx,
    'campaigns',
    objects.map((row) => reference('campaign', row, 'parent_id')),
  )
  return (row: Foreign) => {
    const id = keptId('campaign', requiredText(row, 'parent_id'))
    if (!ids.has(id)) throw new LeftOut('its campaign was not carried over')
    return id
  }
}

const { earning_rules, rewards: rewardMappings } = NewLoyaltyTier.properties
const mappingsShape = compileValidator(Type.Object({ earning_rules, rewards: rewardMappings }))

export const loyaltyTiers: Writer = {
  list: 'loyalty-tiers',
  size: 500,
  async write(batch) {
    const campaignOf = await campaignsOf(batch)
    const rows = await forEach(batch, (tier) => {
      const fault = mappingsShape.firstError(tier, { root: 'Payload', required: 'should' })
      if (fault !== null) throw new LeftOut(fault)
      const config = part(part(tier, 'config'), 'points')
      const points = Object.keys(config).length > 0 ? config : part(tier, 'points')
      return {
        id: ownId(batch, 'loyalty_tier', tier),
        campaign_id: campaignOf(tier),
        name: requiredText(tier, 'name'),
        points_from: integer(points, 'from'),
        points_to: integer(points, 'to'),
        earning_rules: part(tier, 'earning_rules'),
        rewards: part(tier, 'rewards'),
        metadata: part(tier, 'metadata'),
        ...moments(tier, batch.copied_at),
      }
    })
    await insertConfiguration(batch, 'loyalty_tiers', rows)
  },
}

export const earningRules: Writer = {
  list: 'earning-rules',
  size: 500,
  async write(batch) {
    const campaignOf = await campaignsOf(batch)
    const rows = await forEach(batch, async (rule) => {
      const event = requiredText(rule, 'event')
      const pending = shape(rule, 'pending_points')
      const expiration = shape(rule, 'expiration_rules')
      const id = ownId(batch, 'earning_rule', rule)
      return {
        id,
        campaign_id: campaignOf(rule),
        automation_id: reference('automation', rule, 'automation_id') ?? derivedId('automation', id),
        event,
        ...(await subjectOf(batch, event, rule)),
        loyalty: pointsOf(part(rule, 'loyalty') as unknown as EarningPoints, event, ''),
        pending_points: pending && pendingOf(pending as PendingPoints, event, ''),
        expiration_rules: expiration && expirationRulesOf(expiration as PointsExpirationRules, ''),
        banner: text(part(rule, 'source'), 'banner'),
        active: flag(rule, 'active', true),
        ...validityOf(rule),
        metadata: part(rule, 'metadata'),
        ...moments(rule, batch.copied_at),
      }
    })
    await insertConfiguration(batch, 'earning_rules', rows)
  },
}

/** The segment, tier or custom event that an earning rule pays for. */
async function subjectOf({ ctx, report }: Batch, event: string, rule: Foreign) {
  const none = { segment_id: null, schema_id: null, loyalty_tier_id: null }
  switch (eventKind(event)) {
    case 'order':
      return none
    case 'segment': {
      const id = keptId('segment', requiredText(part(rule, 'segment'), 'id'))
      if (!(await present(ctx, 'segments', [id])).has(id)) throw new LeftOut('its segment was not carried over')
      return { ...none, segment_id: id }
    }
    case 'tier': {
      const id = text(part(rule, 'loyalty_tier'), 'id') ?? anyTier
      return { ...none, loyalty_tier_id: id === anyTier ? id : keptId('loyalty_tier', id) }
    }
    case 'custom': {
      const schema = await findCustomEventSchema(ctx, event)
      if (schema === undefined)
        throw new LeftOut('its custom event has no schema here (custom event schemas need management keys)')
      if (text(part(rule, 'custom_event'), 'schema_id') !== schema.id)
        count(report.changed, 'its custom event was found by name', rule.id)
      return { ...none, schema_id: schema.id }
    }
  }
}

const anyTier = '__ANY__'
