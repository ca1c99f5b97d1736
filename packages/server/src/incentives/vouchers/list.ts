import { sql } from 'kysely'
import { findCustomer } from '../../audience/customers/store.ts'
import type { Ctx } from '../../core/context.ts'
import type { CampaignRow } from '../../core/db/tables.ts'
import { type Condition, no } from '../../core/query/filter/conditions.ts'
import { filterSql, locationsIn, parseFilter } from '../../core/query/filter/filter.ts'
import { dateBounds, idsSql, listed } from '../../core/query/list.ts'
import { listLocationShapes } from '../../definitions/locations/store.ts'
import { metadataTypes } from '../../definitions/metadata-schemas/rules.ts'
import { findCampaign } from '../campaigns/store.ts'
import { voucherFields } from './fields.ts'
import type { VoucherQuery } from './schema.ts'
import { codeKey, listVouchers } from './store.ts'
import { toVoucher } from './voucher.ts'

/** A page of vouchers that match the query (docs/reference/vouchers.md#read-vouchers). */
export async function pageOfVouchers(ctx: Ctx, query: VoucherQuery) {
  const campaign = await campaignIn(ctx, query)
  const where = campaign === null ? [no] : await conditions(ctx, query)
  const { vouchers, total } = await listVouchers(ctx, query, where, campaign ?? undefined)
  return listed(
    'vouchers',
    vouchers.map((voucher) => toVoucher(ctx, voucher)),
    { total },
  )
}

/** The campaign in the query; undefined if there is none in the query, null if no campaign has that name or id. */
async function campaignIn(
  ctx: Ctx,
  { campaign, campaign_id }: VoucherQuery,
): Promise<CampaignRow['id'] | null | undefined> {
  if (campaign === undefined && campaign_id === undefined) return undefined
  const found = await findCampaign(ctx, campaign_id ?? (campaign as string))
  if (found === undefined) return null
  const matchesBoth =
    (campaign === undefined || found.name === campaign) && (campaign_id === undefined || found.id === campaign_id)
  return matchesBoth ? found.id : null
}

async function conditions(ctx: Ctx, query: VoucherQuery): Promise<Condition[]> {
  const { category, customer, code, ids, created_at, updated_at, filters } = query
  const where: Condition[] = [
    ...dateBounds(
      { ...(created_at && { created_at }), ...(updated_at && { updated_at }) },
      { created_at: 'vouchers.created_at', updated_at: 'vouchers.updated_at' },
    ),
    ...idsSql(
      ids?.flatMap((id) => id.split(',')),
      'vouchers.id',
    ),
  ]
  if (category !== undefined) where.push(sql`(categories.name = ${category} or categories.id = ${category})`)
  if (code !== undefined) where.push(sql`vouchers.code_key = ${codeKey(ctx.project, code)}`)
  if (customer !== undefined) {
    const holder = await findCustomer(ctx, customer)
    where.push(holder === undefined ? no : sql`vouchers.holder_id = ${holder.id}`)
  }
  if (filters !== undefined) where.push(await voucherFilterSql(ctx, filters))
  return where
}

/** The `filters` of a voucher list as a SQL condition. */
async function voucherFilterSql(ctx: Ctx, filters: unknown): Promise<Condition> {
  const filter = parseFilter(filters, voucherFields(await metadataTypes(ctx, 'voucher'), ctx.project))
  const locations = await listLocationShapes(ctx, locationsIn(filter))
  return filterSql(filter, { now: ctx.now, timezone: ctx.project.timezone }, { locations })
}
