import { type Insertable, type Selectable, sql } from 'kysely'
import type { StoredCustomer } from '../../audience/customers/customer.ts'
import type { Ctx } from '../../core/context.ts'
import type { CustomerRow, HolderRow, VoucherRow } from '../../core/db/tables.ts'
import { notFound } from '../../core/http/errors.ts'
import type { Condition } from '../../core/query/filter/conditions.ts'
import { type FilterFields, filterSql, parseFilter } from '../../core/query/filter/filter.ts'
import { countOf, cursorOf } from '../../core/query/list.ts'
import type { RowLock } from '../../core/rows.ts'
import { getCampaign, type StoredCampaign } from '../../incentives/campaigns/store.ts'
import { findVoucher } from '../../incentives/vouchers/store.ts'
import type { StoredVoucher } from '../../incentives/vouchers/voucher.ts'
import type { RedeemableHolderQuery } from './schema.ts'

export type StoredHolder = Selectable<HolderRow>

/** A referral code and the program that it belongs to. */
export interface ReferralCode {
  program: StoredCampaign
  code: StoredVoucher
}

/** A referral program by its id or name; 404 for a campaign of another type. */
export async function getReferralProgram(
  ctx: Ctx,
  key: string,
  options: { lock?: RowLock } = {},
): Promise<StoredCampaign> {
  const campaign = await getCampaign(ctx, key, options)
  if (campaign.campaign_type !== 'REFERRAL_PROGRAM') throw notFound('campaign', key)
  return campaign
}

/**
 * A referral code by its code or id, within the program if the path names one; otherwise 404
 * (docs/reference/holders.md#endpoints).
 */
export async function getReferralCode(
  ctx: Ctx,
  { campaignId, memberId }: { campaignId?: string; memberId: string },
): Promise<ReferralCode> {
  const program = campaignId === undefined ? undefined : await getReferralProgram(ctx, campaignId)
  const code = await findVoucher(ctx, memberId)
  const isFound = code?.is_referral_code === true && (program === undefined || code.campaign_id === program.id)
  if (!isFound || code.campaign_id === null) throw notFound('voucher', memberId)
  return { program: program ?? (await getCampaign(ctx, code.campaign_id)), code }
}

/** The holders of a code, in any role. */
const holderQuery = ({ db, project_id }: Ctx, voucherId: VoucherRow['id']) =>
  db.selectFrom('holders').where('project_id', '=', project_id).where('voucher_id', '=', voucherId).selectAll()

export async function getHolder(ctx: Ctx, voucherId: VoucherRow['id'], id: string): Promise<StoredHolder> {
  const holder = await holderQuery(ctx, voucherId)
    .where('id', '=', id as StoredHolder['id'])
    .executeTakeFirst()
  if (holder === undefined) throw notFound('redeemable_holder', id)
  return holder
}

export const holderFields: FilterFields = {
  id: { type: 'string', column: 'id' },
  customer_id: { type: 'string', column: 'customer_id' },
  created_at: { type: 'datetime', column: 'created_at' },
  holder_role: { type: 'string', column: 'role' },
}

export async function listHolders(ctx: Ctx, voucherId: VoucherRow['id'], query: RedeemableHolderQuery) {
  const { now, project } = ctx
  const where: Condition[] =
    query.filters === undefined
      ? []
      : [filterSql(parseFilter(query.filters, holderFields), { now, timezone: project.timezone })]
  const holders = holderQuery(ctx, voucherId)
  const page = await cursorOf(holders, query, { columns: { id: 'id' }, default_order: '-id', where })
  return { ...page, total: await countOf(holders, where) }
}

/** Inserts holders of a code and returns those that did not hold it before. */
export async function insertHolders(
  { db, project_id }: Ctx,
  holders: ReadonlyArray<Omit<Insertable<HolderRow>, 'project_id'>>,
): Promise<StoredHolder[]> {
  return db
    .insertInto('holders')
    .values(holders.map((holder) => ({ ...holder, project_id })))
    .onConflict((conflict) => conflict.columns(['project_id', 'voucher_id', 'customer_id']).doNothing())
    .returningAll()
    .execute()
}

export async function deleteHolder({ db, project_id }: Ctx, id: StoredHolder['id']): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom('holders')
    .where('project_id', '=', project_id)
    .where('id', '=', id)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw notFound('redeemable_holder', id) // a concurrent request has deleted it
}

/** The customers with these ids or source ids, locked in the order of their ids. */
export async function listCustomersNamed(
  { db, project_id }: Ctx,
  { ids, source_ids }: { ids: readonly string[]; source_ids: readonly string[] },
): Promise<StoredCustomer[]> {
  return db
    .selectFrom('customers')
    .where('project_id', '=', project_id)
    .where(sql<boolean>`(id = any(${ids}::text[]) or source_id = any(${source_ids}::text[]))`)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .selectAll()
    .forUpdate()
    .execute()
}

/** The customer of a holder, also if deleted since: the holder row stays. */
export async function getCustomerOf({ db, project_id }: Ctx, { customer_id }: StoredHolder): Promise<StoredCustomer> {
  return db
    .selectFrom('customers')
    .where('project_id', '=', project_id)
    .where('id', '=', customer_id as CustomerRow['id'])
    .selectAll()
    .executeTakeFirstOrThrow()
}
