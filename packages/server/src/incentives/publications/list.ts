import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { VoucherRow } from '../../core/db/tables.ts'
import { ApiError, invalidQuery } from '../../core/http/errors.ts'
import { limits } from '../../core/lib/limits.ts'
import type { Condition } from '../../core/query/filter/conditions.ts'
import type { FilterField } from '../../core/query/filter/field.ts'
import {
  type FilterFields,
  filterSql,
  locationsIn,
  metadataField,
  parseFilter,
} from '../../core/query/filter/filter.ts'
import { listed } from '../../core/query/list.ts'
import { listLocationShapes } from '../../definitions/locations/store.ts'
import { metadataTypes } from '../../definitions/metadata-schemas/rules.ts'
import { codeKey, listVouchersIncludingBinned } from '../vouchers/store.ts'
import type { StoredVoucher } from '../vouchers/voucher.ts'
import { toListedPublication } from './publication.ts'
import type { PublicationQuery } from './schema.ts'
import { listPublications } from './store.ts'

/**
 * A page of publications that match the query (docs/reference/publications.md#list-publications), of one voucher if
 * given.
 */
export async function pageOfPublications(ctx: Ctx, query: PublicationQuery, voucherId?: VoucherRow['id']) {
  refuseFarPages(query)
  const where = await conditions(ctx, query)
  if (voucherId !== undefined) where.push(isOfVoucher(ctx, sql`${voucherId}`))
  const { rows, total } = await listPublications(ctx, query, where)
  const vouchers = await listVouchersIncludingBinned(ctx, [...new Set(rows.flatMap(({ voucher_ids }) => voucher_ids))])
  const byId = new Map<string, StoredVoucher>(vouchers.map((voucher) => [voucher.id, voucher]))
  const publications = rows.map((row) =>
    toListedPublication(
      ctx,
      row,
      row.voucher_ids.flatMap((id) => byId.get(id) ?? []),
    ),
  )
  return listed('publications', publications, { total })
}

/** Far pages have an error key of their own (docs/reference/errors.md#keys). */
function refuseFarPages({ page = 1 }: PublicationQuery): void {
  if (page > pageOverLimitAbove) throw new ApiError('page_over_limit')
  if (page > limits.page_max) throw invalidQuery(`Property .page must be <= ${limits.page_max}`)
}

const pageOverLimitAbove = 1_000

async function conditions(ctx: Ctx, query: PublicationQuery): Promise<Condition[]> {
  const where: Condition[] = []
  for (const name of [query.campaign, query.campaign_name]) if (name !== undefined) where.push(isOfCampaign(ctx, name))
  for (const key of [query.customer, query.customer_id]) if (key !== undefined) where.push(isToCustomer(ctx, key))
  for (const code of [query.voucher, query.voucher_code])
    if (code !== undefined) where.push(isOfVoucher(ctx, voucherIdSql(ctx, code)))
  const { result, voucher_type, is_referral_code, source_id, related_object_id, parent_object_id, filters } = query
  if (result !== undefined) where.push(sql`publications.result = ${result}`)
  if (voucher_type !== undefined) where.push(sql`${typeName} = ${voucher_type}`)
  if (is_referral_code === true) where.push(sql`publications.is_referral_code`)
  if (source_id !== undefined) where.push(sql`publications.source_id = ${source_id}`)
  if (related_object_id !== undefined) where.push(isOfVoucher(ctx, sql`${related_object_id}`))
  if (parent_object_id !== undefined) where.push(sql`publications.campaign_id = ${parent_object_id}`)
  if (filters !== undefined) {
    const filter = parseFilter(filters, publicationFields(await metadataTypes(ctx, 'publication')))
    const locations = await listLocationShapes(ctx, locationsIn(filter))
    where.push(filterSql(filter, { now: ctx.now, timezone: ctx.project.timezone }, { locations }))
  }
  return where
}

const isOfCampaign = ({ project_id }: Ctx, name: string): Condition => sql`publications.campaign_id = (
  select id from campaigns where project_id = ${project_id} and name = ${name} and deleted_at is null)`

/** Finds a hidden customer by id only: its `source_id` may belong to another customer by now. */
const isToCustomer = ({ project_id }: Ctx, key: string): Condition => sql`publications.customer_id = (
  select id from customers
  where project_id = ${project_id} and (id = ${key} or (source_id = ${key} and deleted_at is null))
  order by id = ${key} desc limit 1)`

const voucherIdSql = ({ project, project_id }: Ctx, code: string) => sql`(
  select id from vouchers where project_id = ${project_id} and code_key = ${codeKey(project, code)})`

/** Successful publications are found through the holders of the voucher; a failed one is recorded in its own row only. */
const isOfVoucher = ({ project_id }: Ctx, id: ReturnType<typeof sql>): Condition => sql`publications.id in (
  select publication_id from holders
  where project_id = ${project_id} and voucher_id = ${id} and publication_id is not null
  union all
  select id from publications where project_id = ${project_id} and result = 'FAILURE' and voucher_ids[1] = ${id})`

const typeName = sql`(case publications.voucher_type when 'DISCOUNT_VOUCHER' then 'discount'
  when 'GIFT_VOUCHER' then 'gift' when 'LOYALTY_CARD' then 'loyalty' end)`

/** Filter fields of publications, for lists and exports, over the tables that their query joins. */
export function publicationFields(types: Parameters<typeof metadataField>[1]): FilterFields {
  return {
    failure_code: text('publications.failure_code'),
    result: text('publications.result'),
    customer_id: text('publications.customer_id'),
    campaign_name: text(sql`(case when campaigns.deleted_at is null then campaigns.name end)`),
    voucher_type: text(typeName),
    is_referral_code: { type: 'boolean', column: 'publications.is_referral_code' },
    parent_object_id: text('publications.campaign_id'),
    related_object_id: { type: 'array', column: sql`nullif(to_jsonb(publications.voucher_ids), '[]')` },
    source_id: text('publications.source_id'),
    'metadata.*': metadataField('publications.metadata', types),
  }
}

const text = (column: string | FilterField['column']): FilterField => ({ type: 'string', column })
