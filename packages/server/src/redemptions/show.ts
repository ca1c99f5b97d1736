import { sql } from 'kysely'
import { toSimpleCustomer } from '../audience/customers/customer.ts'
import type { Ctx } from '../core/context.ts'
import type { SimpleCustomer } from '../core/events/shapes.ts'
import { listed } from '../core/query/list.ts'
import type { PromotionTier } from '../incentives/promotions/schema.ts'
import { showTiers } from '../incentives/promotions/show-tiers.ts'
import { listTiersById } from '../incentives/promotions/tier-store.ts'
import type { Voucher } from '../incentives/vouchers/schema.ts'
import { listVouchersIncludingBinned } from '../incentives/vouchers/store.ts'
import { toVoucher } from '../incentives/vouchers/voucher.ts'
import { listAssignmentsOf } from '../rules/validation-rules/assignment-store.ts'
import { toRedemption, toRollback } from './redemption.ts'
import type { RedeemedVoucher, RedemptionEntry } from './schema.ts'
import type { ShownRow } from './store.ts'

/**
 * Redemptions and rollbacks as read operations show them: with their vouchers, tiers and customers as they are now. The number
 * of statements does not depend on the number of rows.
 */
export async function showRedemptions(ctx: Ctx, rows: readonly ShownRow[]): Promise<RedemptionEntry[]> {
  const vouchers = await vouchersOf(ctx, rows)
  const tiers = await tiersOf(ctx, rows)
  const customers = await customersOf(ctx, [
    ...rows.map(({ customer_id }) => customer_id),
    ...[...vouchers.values()].map(({ holder_id }) => holder_id ?? null),
  ])
  return rows.map((row) => {
    const parts = {
      customer: customers.get(row.customer_id ?? '') ?? null,
      voucher: withHolder(vouchers.get(row.related_object_id), customers),
      promotion_tier: tiers.get(row.related_object_id) ?? null,
    }
    if (row.object === 'redemption') return toRedemption(row, parts, { in_get: true })
    const { redemption_id, undone_at } = row
    const undone = redemption_id === null || undone_at === null ? null : { id: redemption_id, date: undone_at }
    return toRollback(row, { ...parts, undone })
  })
}

export async function showRedemption(ctx: Ctx, row: ShownRow): Promise<RedemptionEntry> {
  const [entry] = await showRedemptions(ctx, [row])
  return entry as RedemptionEntry
}

const relatedIds = (rows: readonly ShownRow[], type: ShownRow['related_object_type']): string[] => [
  ...new Set(rows.filter((row) => row.related_object_type === type).map((row) => row.related_object_id)),
]

/** Each with its rule assignments: first its own, then those of its campaign. */
async function vouchersOf(ctx: Ctx, rows: readonly ShownRow[]): Promise<Map<string, Voucher>> {
  const vouchers = await listVouchersIncludingBinned(ctx, relatedIds(rows, 'voucher'))
  if (vouchers.length === 0) return new Map()
  const ids = vouchers.map(({ id }) => id)
  const campaignIds = [...new Set(vouchers.flatMap(({ campaign_id }) => campaign_id ?? []))]
  const assignments = [
    ...(await listAssignmentsOf(ctx, 'voucher', ids)),
    ...(campaignIds.length === 0 ? [] : await listAssignmentsOf(ctx, 'campaign', campaignIds)),
  ]
  const byObject = Map.groupBy(assignments, ({ related_object_id }) => related_object_id)
  return new Map(
    vouchers.map((voucher) => {
      const voucherAssignments = [
        ...(byObject.get(voucher.id) ?? []),
        ...(byObject.get(voucher.campaign_id ?? '') ?? []),
      ]
      const validationRulesAssignments = listed('data', voucherAssignments, { total: voucherAssignments.length })
      return [voucher.id, { ...toVoucher(ctx, voucher), validation_rules_assignments: validationRulesAssignments }]
    }),
  )
}

async function tiersOf(ctx: Ctx, rows: readonly ShownRow[]): Promise<Map<string, PromotionTier>> {
  const ids = relatedIds(rows, 'promotion_tier')
  const tiers = ids.length === 0 ? [] : await showTiers(ctx, await listTiersById(ctx, ids))
  return new Map(tiers.map((tier) => [tier.id, tier]))
}

/** The holder may be a hidden customer: its redemptions still show it (docs/reference/customers.md#endpoints). */
function withHolder(
  voucher: Voucher | undefined,
  customers: ReadonlyMap<string, SimpleCustomer>,
): RedeemedVoucher | null {
  if (voucher === undefined) return null
  const holder = customers.get(voucher.holder_id ?? '')
  return holder === undefined ? voucher : { ...voucher, holder }
}

async function customersOf(
  { db, project_id }: Ctx,
  customerIds: ReadonlyArray<string | null>,
): Promise<Map<string, SimpleCustomer>> {
  const ids = [...new Set(customerIds.flatMap((id) => id ?? []))]
  if (ids.length === 0) return new Map()
  const customers = await db
    .selectFrom('customers')
    .where('project_id', '=', project_id)
    .where(sql<boolean>`id = any(${ids}::text[])`)
    .select(['id', 'name', 'email', 'source_id', 'metadata'])
    .execute()
  return new Map(customers.map((customer) => [customer.id, toSimpleCustomer(customer)]))
}
