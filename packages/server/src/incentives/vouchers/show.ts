import type { Ctx } from '../../core/context.ts'
import { listed } from '../../core/query/list.ts'
import { listAssignmentsOfVoucher } from '../../rules/validation-rules/assignment-store.ts'
import type { Voucher } from './schema.ts'
import { type StoredVoucher, toVoucher } from './voucher.ts'

/** A voucher as the response for a single voucher shows it: with its own rules and those of its campaign. */
export async function showVoucher(ctx: Ctx, stored: StoredVoucher): Promise<Voucher> {
  const assignments = await listAssignmentsOfVoucher(ctx, stored)
  return {
    ...toVoucher(ctx, stored),
    validation_rules_assignments: listed('data', assignments, { total: assignments.length }),
  }
}
