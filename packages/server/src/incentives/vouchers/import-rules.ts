import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { nextConfigurationVersion } from '../../core/db/configuration.ts'
import { emitMany, type NewEvent } from '../../core/events/emit.ts'
import { type Id, newId } from '../../core/lib/ids.ts'
import { limits } from '../../core/lib/limits.ts'
import { carriedIn } from '../../rules/validation-rules/assignable.ts'
import { listAssignmentsOf } from '../../rules/validation-rules/assignment-store.ts'
import { getRule, listRulesById } from '../../rules/validation-rules/store.ts'
import { listVouchersById } from './store.ts'
import { toSimpleVoucher } from './voucher.ts'

/** Finds each rule that rows name once, and holds it until they are assigned; one that does not exist refuses its row. */
export function rememberedRules(ctx: Ctx): (id: string) => Promise<void> {
  const known = new Set<string>()
  return async (id) => {
    if (known.has(id)) return
    await getRule(ctx, id, { lock: 'key share' })
    known.add(id)
  }
}

interface NewAssignment {
  rule_id: string
  voucher_id: Id<'voucher'>
}

/** Assigns rules that the caller holds to codes that have just been made, with one statement. */
export async function assignToNew(
  ctx: Ctx,
  wanted: readonly NewAssignment[],
  { tell }: { tell: boolean },
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
  // Each event carries its rule, which may be large.
  for (let told = 0; tell && told < wanted.length; told += limits.unassigned_at_once_max)
    await tellAssigned(ctx, wanted.slice(told, told + limits.unassigned_at_once_max))
}

async function tellAssigned(ctx: Ctx, made: readonly NewAssignment[]): Promise<void> {
  const ids = made.map(({ voucher_id }) => voucher_id)
  const rules = new Map(
    (await listRulesById(ctx, [...new Set(made.map(({ rule_id }) => rule_id))])).map((rule) => [rule.id, rule]),
  )
  const vouchers = new Map((await listVouchersById(ctx, ids)).map((voucher) => [voucher.id as string, voucher]))
  const assignments = await listAssignmentsOf(ctx, 'voucher', ids)
  await emitMany(
    ctx,
    assignments.flatMap((assignment): NewEvent[] => {
      const rule = rules.get(assignment.rule_id)
      const voucher = vouchers.get(assignment.related_object_id)
      if (rule === undefined || voucher === undefined) return []
      const data = { rule, assignment, ...carriedIn('voucher', toSimpleVoucher(voucher)) }
      return [{ type: 'business_validation_rule.assignment.created', entity_id: rule.id, data } as NewEvent]
    }),
  )
}
