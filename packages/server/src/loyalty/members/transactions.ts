import type { Ctx } from '../../core/context.ts'
import type { Condition } from '../../core/query/filter/conditions.ts'
import { type FilterFields, filterSql, parseFilter } from '../../core/query/filter/filter.ts'
import { listed } from '../../core/query/list.ts'
import type { StoredCampaign } from '../../incentives/campaigns/store.ts'
import { listTransactions } from '../../incentives/vouchers/transactions.ts'
import type { StoredVoucher } from '../../incentives/vouchers/voucher.ts'
import type { CardTransactionQuery } from './schema.ts'

/**
 * The transactions of a program. Other campaigns are seen here too, but have none
 * (docs/reference/loyalty-cards.md#list-transactions).
 */
export async function listProgramTransactions(
  ctx: Ctx,
  { id, campaign_type }: StoredCampaign,
  query: CardTransactionQuery,
) {
  const where = conditionOf(ctx, query, { id: by_id, voucher_id: by_voucher })
  if (campaign_type !== 'LOYALTY_PROGRAM') return listed('data', [], { has_more: false, total: 0 })
  const { transactions, ...more } = await listTransactions(ctx, { campaign_id: id }, query, [where])
  return listed('data', transactions, more)
}

export async function listMemberTransactions(ctx: Ctx, { id }: StoredVoucher, query: CardTransactionQuery) {
  const where = conditionOf(ctx, query, { id: by_id, created_at: by_moment })
  const { transactions, ...more } = await listTransactions(ctx, { voucher_id: id }, query, [where])
  return listed('data', transactions, more)
}

const by_id = { type: 'string', column: 'voucher_transactions.id' } as const
const by_voucher = { type: 'string', column: 'voucher_transactions.voucher_id' } as const
const by_moment = { type: 'datetime', column: 'voucher_transactions.created_at' } as const

const conditionOf = (ctx: Ctx, { filters }: CardTransactionQuery, fields: FilterFields): Condition =>
  filterSql(parseFilter(filters, fields), { now: ctx.now, timezone: ctx.project.timezone })
