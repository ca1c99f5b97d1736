import type { BundleRules, RuleTree } from '@guerdon/engine/schema'
import { type Selectable, sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { nextConfigurationVersion } from '../../core/db/configuration.ts'
import type { ValidationRuleRow } from '../../core/db/tables.ts'
import { notFound } from '../../core/http/errors.ts'
import { newId } from '../../core/lib/ids.ts'
import { dateBounds, pageOf } from '../../core/query/list.ts'
import { deleteRow, insertRow } from '../../core/rows.ts'
import type { RuleDefinition } from './definition.ts'
import type { StoredValidationRule, ValidationRuleQuery } from './schema.ts'

type RuleId = ValidationRuleRow['id']
const validationRules = {
  table: 'validation_rules',
  type: 'validation_rules',
  configuration_type: 'validation_rule',
} as const

type RuleRow = Selectable<ValidationRuleRow> & { assignments_count: number }

const countAssignments = (projectId: string) =>
  sql<number>`(
  select count(*) from rule_assignments
  where project_id = ${projectId} and rule_id = validation_rules.id
)`.as('assignments_count')

const selectRules = ({ db, project_id }: Ctx) =>
  db
    .selectFrom('validation_rules')
    .where('project_id', '=', project_id)
    .selectAll()
    .select(countAssignments(project_id))

/**
 * A rule, locked until the end of the transaction as the caller needs it: against deletion (`key share`), against changes
 * (`no key update`), or against changes and new assignments (`update`). Transactions that write lock the rule before the
 * configuration version of the project.
 */
export async function getRule(
  ctx: Ctx,
  id: string,
  { lock }: { lock?: 'key share' | 'no key update' | 'update' } = {},
): Promise<StoredValidationRule> {
  const row = await selectRules(ctx)
    .where('id', '=', id as RuleId)
    .$if(lock === 'key share', (query) => query.forKeyShare())
    .$if(lock === 'no key update', (query) => query.forNoKeyUpdate())
    .$if(lock === 'update', (query) => query.forUpdate())
    .executeTakeFirst()
  if (row === undefined) throw notFound('validation_rules', id)
  return toRule(row)
}

export async function listRules(
  ctx: Ctx,
  query: ValidationRuleQuery,
): Promise<{ rules: StoredValidationRule[]; total: number }> {
  const { rows, total } = await pageOf(selectRules(ctx), query, {
    columns: { created_at: 'created_at', updated_at: { nullable: 'updated_at' }, name: 'name' },
    default_order: '-created_at',
    where: dateBounds(query),
  })
  return { rules: rows.map(toRule), total }
}

export async function listRulesById(ctx: Ctx, ids: string[]): Promise<StoredValidationRule[]> {
  if (ids.length === 0) return []
  const rows = await selectRules(ctx)
    .where('id', 'in', ids as RuleId[])
    .execute()
  return rows.map(toRule)
}

export async function insertRule(ctx: Ctx, definition: RuleDefinition): Promise<StoredValidationRule> {
  const { rules, bundle_rules, applicable_to, error, ...labels } = definition
  const row = await insertRow(ctx, validationRules, {
    ...labels,
    id: newId('validation_rule', Date.parse(ctx.now)),
    rules: JSON.stringify(rules),
    bundle_rules: bundle_rules && JSON.stringify(bundle_rules),
    applicable_to: JSON.stringify(applicable_to),
    error: error && JSON.stringify(error),
  })
  return toRule({ ...row, assignments_count: 0 })
}

/** Updates only the properties that are given. */
export async function updateRule(
  { db, project_id, now }: Ctx,
  id: string,
  { rules, bundle_rules, applicable_to, error, ...labels }: Partial<RuleDefinition>,
): Promise<StoredValidationRule> {
  const configVersion = await nextConfigurationVersion(db, project_id)
  const row = await db
    .updateTable('validation_rules')
    .set({
      ...labels,
      ...(rules === undefined ? {} : { rules: JSON.stringify(rules) }),
      ...(bundle_rules === undefined ? {} : { bundle_rules: bundle_rules && JSON.stringify(bundle_rules) }),
      ...(applicable_to === undefined ? {} : { applicable_to: JSON.stringify(applicable_to) }),
      ...(error === undefined ? {} : { error: error && JSON.stringify(error) }),
      updated_at: now,
      config_version: configVersion,
    })
    .where('project_id', '=', project_id)
    .where('id', '=', id as RuleId)
    .returningAll()
    .returning(countAssignments(project_id))
    .executeTakeFirstOrThrow()
  return toRule(row)
}

/** The caller has already deleted its assignments: each needs a deletion record of its own. */
export const deleteRule = (ctx: Ctx, id: string): Promise<void> => deleteRow(ctx, validationRules, id)

function toRule(row: RuleRow): StoredValidationRule {
  const { id, name, rules, bundle_rules, error, applicable_to, type, context_type } = row
  const { created_at, updated_at, assignments_count } = row
  return {
    id,
    name,
    rules: rules as RuleTree,
    ...(bundle_rules === null ? {} : { bundle_rules: bundle_rules as BundleRules }),
    ...(error === null ? {} : { error }),
    applicable_to: applicable_to as StoredValidationRule['applicable_to'],
    type: type as StoredValidationRule['type'],
    context_type: context_type as StoredValidationRule['context_type'],
    created_at,
    ...(updated_at === null ? {} : { updated_at }),
    assignments_count,
    object: 'validation_rules',
  }
}
