import { getSegment, type StoredSegment } from '../../audience/segments/store.ts'
import { activateSegment } from '../../audience/segments/update.ts'
import type { Ctx } from '../../core/context.ts'
import { emitMany, type NewEvent } from '../../core/events/emit.ts'
import { ApiError, invalidPayload } from '../../core/http/errors.ts'
import { numbersRead } from '../../core/http/numeric-text.ts'
import { newId } from '../../core/lib/ids.ts'
import { limits } from '../../core/lib/limits.ts'
import { findCustomEventSchema } from '../../definitions/custom-event-schemas/store.ts'
import { loadMetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import { toSimpleCampaign } from '../../incentives/campaigns/campaign.ts'
import type { StoredCampaign } from '../../incentives/campaigns/store.ts'
import { refuseProtected } from '../../incentives/campaigns/store.ts'
import { always, validityColumns } from '../../rules/terms/validity.ts'
import { assignRules, rulesNamed } from '../../rules/validation-rules/assign.ts'
import { getLoyaltyTier } from '../tiers/store.ts'
import { eventKind, expirationRulesOf, pendingOf, pointsOf, refuseWithoutSource } from './define.ts'
import { toEarningRule } from './earning-rule.ts'
import { type EarningRule, type NewEarningRule, NewEarningRules } from './schema.ts'
import { countEarningRules, insertEarningRules, listEarningRulesById, type NewEarningRuleRow } from './store.ts'
import { validityWithin } from './validity.ts'

/** Adds rules to a program that the caller has locked, all or nothing (docs/reference/earning-rules.md#endpoints). */
export async function createEarningRules(
  ctx: Ctx,
  campaign: StoredCampaign,
  bodies: NewEarningRule[],
): Promise<EarningRule[]> {
  refuseProtected(campaign)
  for (const { loyalty } of bodies) refuseWithoutSource(loyalty)
  const sent = readRules(bodies)
  const rules = await rulesNamed(
    ctx,
    sent.flatMap(({ validation_rule_id }) => validation_rule_id ?? []),
  )
  const segments = await segmentsOf(ctx, sent)
  const rows = await newRows(ctx, campaign, sent, segments)

  await insertEarningRules(ctx, rows)
  await refuseTooMany(ctx)
  await refuseDeletedSchemas(ctx, rows)
  for (const segment of segments.values()) await activateSegment(ctx, segment)
  for (const [index, { id }] of rows.entries())
    await assignRules(
      ctx,
      rules.filter((rule) => rule.id === sent[index]?.validation_rule_id),
      'earning_rule',
      id,
    )

  const ids = rows.map(({ id }) => id)
  const created = (await listEarningRulesById(ctx, ids)).map((row) => toEarningRule(row, row.validation_rule_id))
  await emitRulesAssigned(ctx, campaign, created)
  return created
}

const readRules = numbersRead(NewEarningRules)

/** Locks the segments that rules refer to, in the order of their ids: two requests with the same segments cannot deadlock. */
async function segmentsOf(ctx: Ctx, sent: readonly NewEarningRule[]): Promise<Map<string, StoredSegment>> {
  const ids = sent.flatMap(({ event, segment }) => {
    if (eventKind(event) !== 'segment') return []
    if (segment?.id == null) throw missingParameter('segment.id')
    return [segment.id]
  })
  const segments = new Map<string, StoredSegment>()
  for (const id of [...new Set(ids)].sort()) segments.set(id, await getSegment(ctx, id, { lock: true }))
  return segments
}

const missingParameter = (parameter: string): ApiError =>
  new ApiError('missing_param', { details: `Parameter '${parameter}' is required` })

/** The rows of new rules; throws if any of them is invalid. */
async function newRows(
  ctx: Ctx,
  campaign: StoredCampaign,
  sent: readonly NewEarningRule[],
  segments: ReadonlyMap<string, StoredSegment>,
): Promise<NewEarningRuleRow[]> {
  const metadataRules = await loadMetadataRules(ctx, 'earning_rule')
  const rows: NewEarningRuleRow[] = []
  for (const [index, rule] of sent.entries()) {
    const path = `[${index}]`
    const metadata = rule.metadata ?? {}
    metadataRules.check(metadata, { isNew: true, property: `${path}.metadata` })
    rows.push({
      // The ids sort in the order of the request, also in lists ordered by `created_at`.
      id: newId('earning_rule', Date.parse(ctx.now) + index),
      campaign_id: campaign.id,
      automation_id: newId('automation', Date.parse(ctx.now) + index),
      event: rule.event,
      segment_id: null,
      schema_id: null,
      loyalty_tier_id: null,
      ...(await subjectOf(ctx, rule, index, segments)),
      loyalty: JSON.stringify(pointsOf(rule.loyalty, rule.event, path)),
      pending_points:
        rule.pending_points == null ? null : JSON.stringify(pendingOf(rule.pending_points, rule.event, path)),
      expiration_rules:
        rule.expiration_rules == null ? null : JSON.stringify(expirationRulesOf(rule.expiration_rules, path)),
      banner: rule.source?.banner ?? null,
      active: rule.active ?? true,
      ...validityColumns(validityWithin(campaign, always, rule, path)),
      metadata: JSON.stringify(metadata),
    })
  }
  return rows
}

/** The segment, schema or tier that the event of a rule refers to; members for other kinds of events are ignored. */
async function subjectOf(
  ctx: Ctx,
  { event, segment, custom_event, loyalty_tier }: NewEarningRule,
  index: number,
  segments: ReadonlyMap<string, StoredSegment>,
): Promise<Partial<Pick<NewEarningRuleRow, 'segment_id' | 'schema_id' | 'loyalty_tier_id'>>> {
  switch (eventKind(event)) {
    case 'order':
      return {}
    case 'segment':
      return { segment_id: (segments.get(segment?.id as string) as StoredSegment).id }
    case 'tier': {
      const id = loyalty_tier?.id ?? anyTier
      return { loyalty_tier_id: id === anyTier ? id : (await getLoyaltyTier(ctx, id)).id }
    }
    case 'custom': {
      const schema = await findCustomEventSchema(ctx, event)
      if (schema === undefined) throw unknownEvent(index, event)
      if (custom_event?.schema_id == null) throw missingParameter('custom_event.schema_id')
      if (custom_event.schema_id !== schema.id)
        throw invalidPayload(`Property [${index}].custom_event.schema_id must be that of the event ${event}`)
      return { schema_id: schema.id as NonNullable<NewEarningRuleRow['schema_id']> }
    }
  }
}

/** Any tier of the rule's own campaign. */
const anyTier = '__ANY__'

const unknownEvent = (index: number, event: string): ApiError =>
  invalidPayload(`Property [${index}].event must be a built-in event or the name of a custom event, not ${event}`)

/**
 * Counted after `insertEarningRules` has locked the configuration version of the project: no concurrent request can add rules.
 */
async function refuseTooMany(ctx: Ctx): Promise<void> {
  const countMax = ctx.project.limits?.earning_rules ?? limits.earning_rules_max
  if ((await countEarningRules(ctx)) > countMax)
    throw invalidPayload(`Project must NOT have more than ${countMax} earning rules`)
}

/**
 * Checked again: a request that deletes a schema locks the configuration version first, and this transaction holds that lock
 * now.
 */
async function refuseDeletedSchemas(ctx: Ctx, rows: readonly NewEarningRuleRow[]): Promise<void> {
  for (const [index, { event, schema_id }] of rows.entries())
    if (schema_id != null && (await findCustomEventSchema(ctx, event))?.id !== schema_id)
      throw unknownEvent(index, event)
}

async function emitRulesAssigned(ctx: Ctx, campaign: StoredCampaign, created: readonly EarningRule[]): Promise<void> {
  const simpleCampaign = toSimpleCampaign(campaign)
  await emitMany(
    ctx,
    created.map(
      (earningRule): NewEvent => ({
        type: 'campaign.earning_rule.assigned',
        entity_id: campaign.id,
        data: { campaign: simpleCampaign, earning_rule: earningRule },
      }),
    ),
  )
}
