import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { RuleAssignmentRow, Tables } from '../../core/db/tables.ts'
import { newId } from '../../core/lib/ids.ts'
import { pageOf } from '../../core/query/list.ts'
import { toAssignment } from './assignment-view.ts'
import type { RelatedObjectType, ValidationRuleAssignment, ValidationRuleAssignmentQuery } from './schema.ts'

/** A filter for assignments; all given members must match. */
export interface AssignmentsWhere {
  id?: string
  rule_id?: string
  related_object_type?: RelatedObjectType
  related_object_ids?: readonly string[]
}

export async function listAssignments(
  { db, project_id }: Ctx,
  { rule, related_object_id, ...page }: ValidationRuleAssignmentQuery,
): Promise<{ assignments: ValidationRuleAssignment[]; total: number }> {
  const matching = db
    .selectFrom('rule_assignments')
    .where('project_id', '=', project_id)
    .where(
      matches({
        ...(rule === undefined ? {} : { rule_id: rule }),
        ...(related_object_id === undefined ? {} : { related_object_ids: [related_object_id] }),
      }),
    )
    .selectAll()
  const { rows, total } = await pageOf(matching, page, {
    columns: { created_at: 'created_at' },
    default_order: '-created_at',
  })
  return { assignments: rows.map(toAssignment), total }
}

/**
 * The assignments of objects of one type, in the order of creation, which is the order of evaluation
 * (docs/reference/rules.md#failure).
 */
export async function listAssignmentsOf(
  { db, project_id }: Ctx,
  relatedObjectType: RelatedObjectType,
  relatedObjectIds: readonly string[],
): Promise<ValidationRuleAssignment[]> {
  const rows = await db
    .selectFrom('rule_assignments')
    .where('project_id', '=', project_id)
    .where(matches({ related_object_type: relatedObjectType, related_object_ids: relatedObjectIds }))
    .orderBy('created_at')
    .orderBy('id')
    .selectAll()
    .execute()
  return rows.map(toAssignment)
}

/** The assignments of a voucher, its own before those of its campaign, each in the order of creation. */
export async function listAssignmentsOfVoucher(
  { db, project_id }: Ctx,
  { id, campaign_id }: { id: string; campaign_id: string | null },
): Promise<ValidationRuleAssignment[]> {
  const rows = await db
    .selectFrom('rule_assignments')
    .where('project_id', '=', project_id)
    .where((is) =>
      is.or([
        is.and([is('related_object_type', '=', 'voucher'), is('related_object_id', '=', id)]),
        is.and([is('related_object_type', '=', 'campaign'), is('related_object_id', '=', campaign_id)]),
      ]),
    )
    .orderBy('related_object_type', 'desc')
    .orderBy('created_at')
    .orderBy('id')
    .selectAll()
    .execute()
  return rows.map(toAssignment)
}

export type AssignmentKey = Pick<ValidationRuleAssignment, 'rule_id' | 'related_object_type' | 'related_object_id'>

/** The assignment of a rule to an object, which is there. */
export async function getAssignment(
  { db, project_id }: Ctx,
  { rule_id, related_object_type, related_object_id }: AssignmentKey,
): Promise<ValidationRuleAssignment> {
  const row = await db
    .selectFrom('rule_assignments')
    .where('project_id', '=', project_id)
    .where('rule_id', '=', rule_id)
    .where('related_object_type', '=', related_object_type)
    .where('related_object_id', '=', related_object_id)
    .selectAll()
    .executeTakeFirstOrThrow()
  return toAssignment(row)
}

/** Returns undefined if the rule is already assigned to the object. */
export async function insertAssignment(
  { db, project_id, now }: Ctx,
  {
    config_version,
    rule_id,
    place = 0,
    ...related
  }: AssignmentKey & {
    config_version: number
    /** Position within one request: rules are evaluated in the order of their assignment. */
    place?: number
  },
): Promise<ValidationRuleAssignment | undefined> {
  const row = await db
    .insertInto('rule_assignments')
    .values({
      project_id,
      id: newId('rule_assignment', Date.parse(now) + place),
      rule_id,
      ...related,
      created_at: now,
      updated_at: null,
      config_version,
    })
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'rule_id', 'related_object_type', 'related_object_id']).doNothing(),
    )
    .returningAll()
    .executeTakeFirst()
  return row && toAssignment(row)
}

/**
 * Deletes at most `countMax` assignments, with a deletion record for each. Most objects have none, so the configuration
 * is locked only if there is something to delete; as everywhere, before the rows change.
 */
export async function deleteAssignments(
  ctx: Ctx,
  where: AssignmentsWhere,
  countMax: number,
): Promise<{ deleted: ValidationRuleAssignment[]; has_more: boolean }> {
  const { db, project_id } = ctx
  const found = await db
    .selectFrom('rule_assignments')
    .where('project_id', '=', project_id)
    .where(matches(where))
    .orderBy('id')
    .limit(countMax)
    .select('id')
    .execute()
  if (found.length === 0) return { deleted: [], has_more: false }

  const ids = found.map(({ id }) => id)
  await recordDeletions(ctx, ids)
  const rows = await db
    .deleteFrom('rule_assignments')
    .where('project_id', '=', project_id)
    .where('id', 'in', ids)
    .returningAll()
    .execute()
  const deleted = rows.map(toAssignment).sort((a, b) => (a.id < b.id ? -1 : 1))
  return { deleted, has_more: found.length === countMax }
}

/** Like `recordDeletion`, with a version for each of many assignments, in one statement. */
async function recordDeletions({ db, project_id }: Ctx, ids: string[]): Promise<void> {
  await sql`
    with project as (
      update projects set config_version = config_version + ${ids.length}
      where id = ${project_id} returning config_version
    )
    insert into configuration_deletions (project_id, config_version, object_type, object_id)
    select own.id, project.config_version - ${ids.length} + gone.place, 'rule_assignment', gone.id
    from projects own, project, unnest(${ids}::text[]) with ordinality as gone (id, place)
    where own.id = ${project_id}
  `.execute(db)
}

function matches({ id, rule_id, related_object_type, related_object_ids }: AssignmentsWhere) {
  return (eb: ExpressionBuilder<Tables, 'rule_assignments'>): Expression<SqlBool> =>
    eb.and([
      ...(id === undefined ? [] : [eb('id', '=', id as RuleAssignmentRow['id'])]),
      ...(rule_id === undefined ? [] : [eb('rule_id', '=', rule_id as RuleAssignmentRow['rule_id'])]),
      ...(related_object_type === undefined ? [] : [eb('related_object_type', '=', related_object_type)]),
      ...(related_object_ids === undefined
        ? []
        : [sql<SqlBool>`${eb.ref('related_object_id')} = any(${related_object_ids}::text[])`]),
    ])
}
