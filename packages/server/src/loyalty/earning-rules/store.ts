import { type Selectable, sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { EarningRuleRow } from '../../core/db/tables.ts'
import { notFound } from '../../core/http/errors.ts'
import { pageOf } from '../../core/query/list.ts'
import { deleteRow, insertRows, type NewRow, type RowChanges, type RowLock, updateRow } from '../../core/rows.ts'
import { toEarningRule } from './earning-rule.ts'
import type { EarningRule, EarningRuleQuery } from './schema.ts'

type RuleId = EarningRuleRow['id']

const earningRules = { table: 'earning_rules', type: 'earning_rule', configuration_type: 'earning_rule' } as const

/** An earning rule with its assigned validation rule; the first if there are several. */
export interface StoredEarningRule extends Selectable<EarningRuleRow> {
  validation_rule_id: string | null
}

function ruleQuery({ db, project_id }: Ctx) {
  return db
    .selectFrom('earning_rules')
    .where('earning_rules.project_id', '=', project_id)
    .selectAll('earning_rules')
    .select(
      sql<string | null>`(select rule_id from rule_assignments a
        where a.project_id = ${project_id} and a.related_object_type = 'earning_rule'
          and a.related_object_id = earning_rules.id
        order by a.created_at, a.id limit 1)`.as('validation_rule_id'),
    )
}

/** A rule of a program; 404 if the program has no rule with this id. */
export async function getEarningRule(
  ctx: Ctx,
  campaignId: string,
  id: string,
  options: { lock?: RowLock } = {},
): Promise<StoredEarningRule> {
  const rule = await findEarningRule(ctx, id, options)
  if (rule === undefined || rule.campaign_id !== campaignId) throw notFound('earning_rule', id)
  return rule
}

/** A rule of any program. The lock `keyShare` keeps other transactions from deleting it, `update` from changing it, too. */
export async function findEarningRule(
  ctx: Ctx,
  id: string,
  { lock }: { lock?: RowLock } = {},
): Promise<StoredEarningRule | undefined> {
  return ruleQuery(ctx)
    .where('earning_rules.id', '=', id as RuleId)
    .where(
      sql<boolean>`exists (select from campaigns c where c.project_id = ${ctx.project_id}
        and c.id = earning_rules.campaign_id and c.deleted_at is null)`,
    )
    .$if(lock === 'keyShare', (query) => query.forKeyShare('earning_rules'))
    .$if(lock === 'update', (query) => query.forUpdate('earning_rules'))
    .executeTakeFirst()
}

export function listEarningRulesById(ctx: Ctx, ids: readonly string[]): Promise<StoredEarningRule[]> {
  return ruleQuery(ctx)
    .where(sql<boolean>`earning_rules.id = any(${ids}::text[])`)
    .orderBy('earning_rules.id')
    .execute()
}

/** A page of the rules of a program. */
export async function listEarningRules(
  ctx: Ctx,
  campaignId: string,
  query: EarningRuleQuery,
): Promise<{ rules: EarningRule[]; total: number }> {
  const { rows, total } = await pageOf(
    ruleQuery(ctx).where('earning_rules.campaign_id', '=', campaignId as EarningRuleRow['campaign_id']),
    query,
    {
      columns: { created_at: 'earning_rules.created_at', updated_at: { nullable: 'earning_rules.updated_at' } },
      default_order: 'created_at',
      id: 'earning_rules.id',
    },
  )
  return { rules: rows.map((row) => toEarningRule(row, row.validation_rule_id)), total }
}

/** The ids among these that are rules of a program. */
export async function listEarningRuleIds({ db, project_id }: Ctx, campaignId: string, ids: readonly string[]) {
  const rows = await db
    .selectFrom('earning_rules')
    .where('project_id', '=', project_id)
    .where('campaign_id', '=', campaignId as EarningRuleRow['campaign_id'])
    .where(sql<boolean>`id = any(${ids}::text[])`)
    .select('id')
    .execute()
  return new Set<string>(rows.map(({ id }) => id))
}

/** The number of rules in all programs that are not in the bin, for the limit of the project. */
export async function countEarningRules({ db, project_id }: Ctx): Promise<number> {
  const { count } = await db
    .selectFrom('earning_rules')
    .innerJoin('campaigns', (join) =>
      join
        .onRef('campaigns.project_id', '=', 'earning_rules.project_id')
        .onRef('campaigns.id', '=', 'earning_rules.campaign_id'),
    )
    .where('earning_rules.project_id', '=', project_id)
    .where('campaigns.deleted_at', 'is', null)
    .select((is) => is.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

export type NewEarningRuleRow = NewRow<'earning_rules'>

/** Inserts rules. This locks the configuration version, so no other transaction adds rules until this one ends. */
export async function insertEarningRules(ctx: Ctx, rules: readonly NewEarningRuleRow[]): Promise<void> {
  await insertRows(ctx, earningRules, rules)
}

/** Updates a rule that the caller has locked exclusively. */
export async function updateEarningRule(ctx: Ctx, id: RuleId, changes: RowChanges<'earning_rules'>): Promise<void> {
  await updateRow(ctx, earningRules, id, changes)
}

/** The caller has deleted its validation rule assignment and its mappings in tiers already. */
export const deleteEarningRule = (ctx: Ctx, id: RuleId): Promise<void> => deleteRow(ctx, earningRules, id)
