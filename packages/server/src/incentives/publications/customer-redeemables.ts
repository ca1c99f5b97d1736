import { sql } from 'kysely'
import type { StoredCustomer } from '../../audience/customers/customer.ts'
import type { Ctx } from '../../core/context.ts'
import type { Condition } from '../../core/query/filter/conditions.ts'
import type { FilterField } from '../../core/query/filter/field.ts'
import { filterSql, parseFilter } from '../../core/query/filter/filter.ts'
import { countOf, cursorOf, listed } from '../../core/query/list.ts'
import { listVouchersById } from '../vouchers/store.ts'
import { type StoredVoucher, toVoucher, voucherBalanceOf } from '../vouchers/voucher.ts'
import type { CustomerRedeemable, CustomerRedeemableQuery } from './schema.ts'

/**
 * The vouchers that a customer holds, each with its current status
 * (docs/reference/publications.md#redeemables-of-a-customer).
 */
export async function listRedeemablesOf(ctx: Ctx, { id }: StoredCustomer, query: CustomerRedeemableQuery) {
  const holdings = holdingQuery(ctx, id)
  const where = conditions(ctx, query)
  const { rows, ...rest } = await cursorOf(holdings, query, {
    columns: { id: 'holders.id' },
    default_order: '-id',
    id: 'holders.id',
    where,
  })
  const vouchers = await listVouchersById(
    ctx,
    rows.map(({ voucher_id }) => voucher_id),
  )
  const byId = new Map(vouchers.map((voucher) => [voucher.id, voucher]))
  const redeemables = rows.flatMap(({ voucher_id, role, ...row }): CustomerRedeemable[] => {
    const voucher = byId.get(voucher_id)
    if (voucher === undefined) return [] // deleted between the two statements
    const redeemable = {
      type: 'voucher',
      voucher: toVoucher(ctx, voucher),
      status: statusOf(voucher, ctx.now),
    } as const
    return [{ ...row, redeemable_id: voucher_id, redeemable_object: 'voucher', holder_role: role, redeemable }]
  })
  return listed('data', redeemables, { total: await countOf(holdings, where), ...rest })
}

/** Excludes vouchers in the bin. */
const holdingQuery = ({ db, project_id }: Ctx, customerId: StoredCustomer['id']) =>
  db
    .selectFrom('holders')
    .innerJoin('vouchers', (join) =>
      join.onRef('vouchers.project_id', '=', 'holders.project_id').onRef('vouchers.id', '=', 'holders.voucher_id'),
    )
    .leftJoin('campaigns', (join) =>
      join.onRef('campaigns.project_id', '=', 'holders.project_id').onRef('campaigns.id', '=', 'holders.campaign_id'),
    )
    .where('holders.project_id', '=', project_id)
    .where('holders.customer_id', '=', customerId)
    .where('vouchers.deleted_at', 'is', null)
    .where('campaigns.deleted_at', 'is', null)
    .select([
      'holders.id',
      'holders.created_at',
      'holders.voucher_id',
      'holders.customer_id',
      'holders.role',
      'holders.campaign_id',
      'campaigns.campaign_type',
      'vouchers.type as voucher_type',
    ])

function conditions({ now, project: { timezone } }: Ctx, { filters }: CustomerRedeemableQuery): Condition[] {
  return filters === undefined ? [] : [filterSql(parseFilter(filters, redeemableFields), { now, timezone })]
}

const text = (column: string | FilterField['column']): FilterField => ({ type: 'string', column })

export const redeemableFields = {
  id: text('holders.id'),
  created_at: { type: 'datetime', column: 'holders.created_at' },
  redeemable_id: text('holders.voucher_id'),
  redeemable_object: text(sql`'voucher'::text`),
  holder_role: text('holders.role'),
  campaign_id: text('holders.campaign_id'),
  campaign_type: text('campaigns.campaign_type'),
  voucher_type: text('vouchers.type'),
} as const

type Status = CustomerRedeemable['redeemable']['status']

/** The first status that applies; weekday and hour limits are ignored. */
export function statusOf(voucher: StoredVoucher, now: string): Status {
  const { active, campaign_active, expiration_date, start_date, quantity, redeemed_quantity, type } = voucher
  if (!active || campaign_active === false) return 'DISABLED'
  if (expiration_date !== null && expiration_date < now) return 'EXPIRED'
  if (start_date !== null && start_date > now) return 'NOT_ACTIVE_YET'
  if (quantity !== null && redeemed_quantity >= quantity) return 'USED'
  return type !== 'DISCOUNT_VOUCHER' && voucherBalanceOf(voucher) === 0 ? 'NO_BALANCE' : 'ACTIVE'
}
