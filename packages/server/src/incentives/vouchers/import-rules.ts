import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { nextConfigurationVersion } from '../../core/db/configuration.ts'
import { emitMany, type NewEvent } from '../../core/events/emit.ts'
import { type Id, newId } from '../../core/lib/ids.ts'
import { limits } from '../../core/lib/limits.ts'
import { relatedObjectMembers } from '../../rules/validation-rules/assignable.ts'
import { listAssignmentsOf } from '../../rules/validation-rules/assignment-store.ts'
import { getRule, listRulesById } from '../../rules/validation-rules/store.ts'
import { listVouchersById } from './store.ts'
import { toSimpleVoucher } from './voucher.ts'

/** Loads each referenced rule once and locks it against deletion until it is assigned; an unknown rule refuses its row. */
export function cachedRules(ctx: Ctx): (id: string) => Promise<void> {
  const foundIds = new Set<string>()
  return async (id) => {
    if (foundIds.has(id)) return
    await getRule(ctx, id, { lock: 'key share' })
    foundIds.add(id)
  }
}

interface NewAssignment {
  rule_id: string
  voucher_id: Id<'voucher'>
}

/** Assigns rules that the caller has locked to newly created vouchers, in one statement. */
export async function assignToNewVouchers(
  ctx: Ctx,
  wanted: readonly NewAssignment[],
  { emitEvents }: { emitEvents: boolean },
): Promise<void> {
  if (wanted.length === 0) return
  const { db, project_id, now } = ctx
  const configVersion = await nextConfigurationVersion(db, project_id)
  const at = Date.parse(now)
  await sql`
    insert into rule_assignments (project_id, id, rule_id, related_object_type, related_object_id, created_at, config_version)
    select ${project_id}, made.id, made.rule_id, 'voucher', made.voucher_id, ${now}::timestamptz, ${configVersion}
    from unnest(${wanted.map(() => newId('rule_assignment', at))}::text[], ${wanted.map(({ rule_id }) => rule_id)}::text[],
      ${wanted.map(({ voucher_id }) => voucher_id)}::text[]) as made (id, rule_id, voucher_id)`.execute(db)
  // In batches: each event contains its rule, which may be large.
  for (let start = 0; emitEvents && start < wanted.length; start += limits.unassigned_at_once_max)
    await emitAssigned(ctx, wanted.slice(start, start + limits.unassigned_at_once_max))
}

async function emitAssigned(ctx: Ctx, created: readonly NewAssignment[]): Promise<void> {
  const ids = created.map(({ voucher_id }) => voucher_id)
  const rules = new Map(
    (await listRulesById(ctx, [...new Set(created.map(({ rule_id }) => rule_id))])).map((rule) => [rule.id, rule]),
  )
  const vouchers = new Map((await listVouchersById(ctx, ids)).map((voucher) => [voucher.id as string, voucher]))
  const assignments = await listAssignmentsOf(ctx, 'voucher', ids)
  await emitMany(
    ctx,
    assignments.flatMap((assignment): NewEvent[] => {
      const rule = rules.get(assignment.rule_id)
      const voucher = vouchers.get(assignment.related_object_id)
      if (rule === undefined || voucher === undefined) return []
      const data = { rule, assignment, ...relatedObjectMembers('voucher', toSimpleVoucher(voucher)) }
      return [{ type: 'business_validation_rule.assignment.created', entity_id: rule.id, data } as NewEvent]
    }),
  )
}
