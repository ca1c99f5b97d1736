import type { Selectable } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { VoucherTransactionRow } from '../../core/db/tables.ts'
import type { Transaction } from '../../core/events/shapes.ts'
import type { Condition } from '../../core/query/filter/conditions.ts'
import type { FilterFields } from '../../core/query/filter/filter.ts'
import { cursorOf } from '../../core/query/list.ts'
import type { VoucherTransactionQuery } from './schema.ts'

type NewTransaction = Omit<Selectable<VoucherTransactionRow>, 'project_id'>

export async function insertTransaction({ db, project_id }: Ctx, row: NewTransaction): Promise<Transaction> {
  const inserted = await db
    .insertInto('voucher_transactions')
    .values({ ...row, project_id, details: JSON.stringify(row.details) })
    .returningAll()
    .executeTakeFirstOrThrow()
  return toTransaction(inserted)
}

/** The `source` of a transaction: the application that asked for it, if it named itself and the movement is not automatic. */
export const transactionSource = <T extends 'API' | 'Automation' | null>({ caller }: Ctx, source: T): T | string =>
  source === 'Automation' ? source : (caller.application ?? source)

/** Filter fields for the transactions of all cards of a campaign. */
export const campaignTransactionFields: FilterFields = {
  id: { type: 'string', column: 'voucher_transactions.id' },
  voucher_id: { type: 'string', column: 'voucher_transactions.voucher_id' },
}

/** The transactions of one card, or of all cards of a campaign. */
export async function listTransactions(
  { db, project_id }: Ctx,
  owner: { voucher_id: string } | { campaign_id: string },
  query: VoucherTransactionQuery,
  where: Condition[] = [],
): Promise<{ transactions: Transaction[]; has_more: boolean; more_starting_after?: string }> {
  const matching = db.selectFrom('voucher_transactions').where('project_id', '=', project_id).selectAll()
  const { rows, ...more } = await cursorOf(
    'voucher_id' in owner
      ? matching.where('voucher_id', '=', owner.voucher_id as VoucherTransactionRow['voucher_id'])
      : matching.where('campaign_id', '=', owner.campaign_id as VoucherTransactionRow['campaign_id']),
    query,
    { columns: { id: 'id' }, default_order: '-id', where },
  )
  return { transactions: rows.map(toTransaction), ...more }
}

/** The id of the latest transaction of a locked card. */
export async function findLastTransaction({ db, project_id }: Ctx, voucherId: string): Promise<string | null> {
  const found = await db
    .selectFrom('voucher_transactions')
    .where('project_id', '=', project_id)
    .where('voucher_id', '=', voucherId as VoucherTransactionRow['voucher_id'])
    .select(({ fn }) => fn.max('id').as('id'))
    .executeTakeFirst()
  return found?.id ?? null
}

function toTransaction(row: Selectable<VoucherTransactionRow>): Transaction {
  const { id, source_id, voucher_id, campaign_id, source, reason, type, details, related_transaction_id, created_at } =
    row
  return {
    id,
    source_id,
    voucher_id,
    campaign_id,
    source,
    reason,
    type: type as Transaction['type'],
    details,
    related_transaction_id,
    created_at,
  }
}
