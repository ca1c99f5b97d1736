import type { Selectable } from 'kysely'
import type { EarningRuleRow } from '../../core/db/tables.ts'
import type { SimpleEarningRule } from '../../core/events/shapes.ts'
import { setOnly, type ValidityState } from '../../rules/terms/validity.ts'
import type { EarningRule } from './schema.ts'

type Row = Selectable<EarningRuleRow>

/**
 * An earning rule as the API returns it (docs/reference/earning-rules.md#rule-object). Its validation rule comes from the rule
 * assignment.
 */
export function toEarningRule(row: Row, validationRuleId: string | null): EarningRule {
  const { banner, pending_points, expiration_rules } = row
  return {
    id: row.id,
    created_at: row.created_at,
    updated_at: row.updated_at,
    validation_rule_id: validationRuleId,
    loyalty: row.loyalty,
    event: row.event,
    ...subjectOf(row),
    ...setOnly({ pending_points, expiration_rules }),
    source: { ...setOnly({ banner }), object_id: row.campaign_id, object_type: 'campaign' },
    active: row.active,
    ...setOnly(earningRuleValidityOf(row)),
    metadata: row.metadata,
    automation_id: row.automation_id,
    object: 'earning_rule',
  }
}

/** [SER], the short form in events. */
export function toSimpleEarningRule(row: Row, validationRuleId: string | null): SimpleEarningRule {
  const { id, campaign_id, event, banner, loyalty, automation_id, active, metadata } = row
  return {
    id,
    campaign_id,
    validation_rule_id: validationRuleId,
    parameters: { event, banner, loyalty, ...subjectOf(row) },
    automation_id,
    active,
    metadata,
  }
}

/** The segment, tier or custom event that the rule's event refers to. */
function subjectOf({
  segment_id,
  schema_id,
  loyalty_tier_id,
}: Row): Pick<EarningRule, 'segment' | 'custom_event' | 'loyalty_tier'> {
  return {
    ...(schema_id === null ? {} : { custom_event: { schema_id } }),
    ...(segment_id === null ? {} : { segment: { id: segment_id } }),
    ...(loyalty_tier_id === null ? {} : { loyalty_tier: { id: loyalty_tier_id } }),
  }
}

export const earningRuleValidityOf = (row: Row): ValidityState => ({
  start_date: row.start_date,
  expiration_date: row.expiration_date,
  validity_timeframe: row.validity_timeframe,
  validity_day_of_week: row.validity_day_of_week,
  validity_hours: row.validity_hours,
})
