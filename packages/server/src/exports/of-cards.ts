import type { Scalar } from '@guerdon/engine'
import { sql } from 'kysely'
import type { Ctx } from '../core/context.ts'
import { yes } from '../core/query/filter/conditions.ts'
import type { Filter } from '../core/query/filter/filter.ts'
import { codeKey } from '../incentives/vouchers/store.ts'
import { bothWays, column, type Exportable, withValues } from './exportable.ts'

/** The transactions of cards, including cards in the trash bin: transactions are history. */
export const voucherTransactions = {
  table: 'voucher_transactions',
  metadata: null,
  described_as: null,
  fields: {
    id: column('voucher_transactions.id'),
    type: column('voucher_transactions.type'),
    source_id: column('voucher_transactions.source_id'),
    reason: column('voucher_transactions.reason'),
    source: column('voucher_transactions.source'),
    balance: column('voucher_transactions.balance'),
    amount: column('voucher_transactions.amount'),
    created_at: column('voucher_transactions.created_at'),
    voucher_id: column('voucher_transactions.voucher_id'),
    campaign_id: column('voucher_transactions.campaign_id'),
    related_transaction_id: column('voucher_transactions.related_transaction_id'),
    details: column('voucher_transactions.details'),
  },
  default_fields: ['id', 'type', 'source_id', 'reason', 'source', 'balance', 'amount', 'created_at'],
  orders: bothWays('created_at'),
  sort_keys: { created_at: 'voucher_transactions.id' }, // begins with the time of creation
  sorted_with_nulls: [],
  where: yes,
  filterFields: () => ({
    created_at: { type: 'datetime', column: 'voucher_transactions.created_at' },
    voucher_id: { type: 'string', column: 'voucher_transactions.voucher_id' },
    campaign_id: { type: 'string', column: 'voucher_transactions.campaign_id' },
  }),
  resolve: codesToIds,
} satisfies Exportable

/**
 * Replaces codes by ids: the export of one voucher's transactions filters by the key in its path, which may be the code
 * (docs/reference/balances.md#export-transactions). As in a path, an id takes precedence over a code.
 */
async function codesToIds(ctx: Ctx, filter: Filter): Promise<Filter> {
  const conditions = filter.fields.filter(({ name }) => name === 'voucher_id').flatMap(({ conditions }) => conditions)
  const keys = conditions.flatMap(({ values }) => values.map(String))
  if (keys.length === 0) return filter
  const rows = await ctx.db
    .selectFrom('vouchers')
    .where('project_id', '=', ctx.project_id)
    .where(
      sql<boolean>`(id = any(${keys}::text[]) or code_key = any(${keys.map((key) => codeKey(ctx.project, key))}::text[]))`,
    )
    .select(['id', 'code_key'])
    .execute()
  const ids = new Set<string>(rows.map(({ id }) => id))
  const byCode = new Map(rows.map(({ id, code_key }) => [code_key, id]))
  const idOf = (value: Scalar): Scalar =>
    ids.has(String(value)) ? value : (byCode.get(codeKey(ctx.project, String(value))) ?? value)
  return withValues(filter, 'voucher_id', idOf)
}

/** The points of loyalty cards by expiration date (docs/reference/points.md#list-buckets). */
export const pointsExpiration = {
  table: 'lots',
  joins: sql`
    join vouchers on vouchers.project_id = lots.project_id and vouchers.id = lots.voucher_id
    left join campaigns on campaigns.project_id = vouchers.project_id and campaigns.id = vouchers.campaign_id`,
  metadata: null,
  described_as: null,
  fields: {
    id: column('lots.id'),
    campaign_id: column('vouchers.campaign_id'),
    voucher_id: column('lots.voucher_id'),
    status: sql`case when lots.expired_points is null then 'ACTIVE' else 'EXPIRED' end`,
    expires_at: column('lots.expires_at'),
    // Of an expired lot, the points that were lost.
    points: sql`coalesce(lots.expired_points, lots.points)`,
  },
  default_fields: ['id', 'campaign_id', 'voucher_id', 'status', 'expires_at', 'points'],
  orders: bothWays('expires_at'),
  sorted_with_nulls: ['expires_at'],
  sorted_without_index: ['expires_at'],
  // See of-vouchers.ts for the `case`.
  where: sql`vouchers.deleted_at is null and case when campaigns.deleted_at is null then true end`,
  filterFields: () => ({
    campaign_id: { type: 'string', column: 'vouchers.campaign_id' },
    voucher_id: { type: 'string', column: 'lots.voucher_id' },
  }),
} satisfies Exportable
