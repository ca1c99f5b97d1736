import type { Ctx } from '../../core/context.ts'
import { listed } from '../../core/query/list.ts'
import { listAssignmentsOfVoucher } from '../../rules/validation-rules/assignment-store.ts'
import type { ValidationRuleAssignment } from '../../rules/validation-rules/schema.ts'
import type { Voucher } from './schema.ts'
import { type StoredVoucher, toVoucher } from './voucher.ts'

/** A voucher as the response for a single voucher shows it: with its own rules and those of its campaign. */
export async function showVoucher(ctx: Ctx, stored: StoredVoucher): Promise<Voucher> {
  return withAssignments(toVoucher(ctx, stored), await listAssignmentsOfVoucher(ctx, stored))
}

/** The same with assignments that the caller has. */
export const withAssignments = (voucher: Voucher, assignments: ValidationRuleAssignment[]): Voucher => ({
  ...voucher,
  validation_rules_assignments: listed('data', assignments, { total: assignments.length }),
})
