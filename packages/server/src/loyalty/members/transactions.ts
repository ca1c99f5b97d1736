import type { Ctx } from '../../core/context.ts'
import type { Condition } from '../../core/query/filter/conditions.ts'
import { type FilterFields, filterSql, parseFilter } from '../../core/query/filter/filter.ts'
import { listed } from '../../core/query/list.ts'
import type { StoredCampaign } from '../../incentives/campaigns/store.ts'
import { campaignTransactionFields, listTransactions } from '../../incentives/vouchers/transactions.ts'
import type { StoredVoucher } from '../../incentives/vouchers/voucher.ts'
import type { CardTransactionQuery } from './schema.ts'

/**
 * The transactions of a program. Campaigns of other types are accepted, with an empty list
 * (docs/reference/loyalty-cards.md#list-transactions).
 */
export async function listProgramTransactions(
  ctx: Ctx,
  { id, campaign_type }: StoredCampaign,
  query: CardTransactionQuery,
) {
  const where = conditionOf(ctx, query, campaignTransactionFields)
  if (campaign_type !== 'LOYALTY_PROGRAM') return listed('data', [], { has_more: false, total: 0 })
  const { transactions, ...more } = await listTransactions(ctx, { campaign_id: id }, query, [where])
  return listed('data', transactions, more)
}

export async function listMemberTransactions(ctx: Ctx, { id }: StoredVoucher, query: CardTransactionQuery) {
  const where = conditionOf(ctx, query, memberTransactionFields)
  const { transactions, ...more } = await listTransactions(ctx, { voucher_id: id }, query, [where])
  return listed('data', transactions, more)
}

/** The filter fields in the list of a card's transactions. */
export const memberTransactionFields: FilterFields = {
  id: { type: 'string', column: 'voucher_transactions.id' },
  created_at: { type: 'datetime', column: 'voucher_transactions.created_at' },
}

const conditionOf = (ctx: Ctx, { filters }: CardTransactionQuery, fields: FilterFields): Condition =>
  filterSql(parseFilter(filters, fields), { now: ctx.now, timezone: ctx.project.timezone })
