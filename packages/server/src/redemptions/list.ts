import type { MetadataType } from '@guerdon/engine/schema'
import { sql } from 'kysely'
import type { Ctx } from '../core/context.ts'
import type { Project } from '../core/db/project-row.ts'
import { limits } from '../core/lib/limits.ts'
import { type Condition, no } from '../core/query/filter/conditions.ts'
import type { FilterField } from '../core/query/filter/field.ts'
import { type FilterFields, filterSql, metadataField, parseFilter } from '../core/query/filter/filter.ts'
import { dateBounds, listed } from '../core/query/list.ts'
import { type StoredVoucher, toVoucher } from '../incentives/vouchers/voucher.ts'
import type { RedemptionQuery, VoucherRedemptionQuery, VoucherRedemptions } from './schema.ts'
import { showRedemptions } from './show.ts'
import { listRedemptions, type RedemptionPageQuery } from './store.ts'

/** A page of the redemptions and rollbacks that match the query (docs/reference/redemptions.md#reading-redemptions). */
export async function pageOfRedemptions(ctx: Ctx, query: RedemptionQuery) {
  const { rows, total } = await listRedemptions(ctx, query, await conditions(ctx, query))
  return listed('redemptions', await showRedemptions(ctx, rows), { total })
}

/** The redemptions and rollbacks of one voucher: a page, or without one all of them up to `voucher_redemptions_shown_max`. */
export async function redemptionsOfVoucher(
  ctx: Ctx,
  voucher: StoredVoucher,
  page: VoucherRedemptionQuery | null,
): Promise<VoucherRedemptions> {
  const query: RedemptionPageQuery = page ?? { limit: limits.voucher_redemptions_shown_max }
  const { rows, total } = await listRedemptions(ctx, query, [sql`redemptions.related_object_id = ${voucher.id}`])
  return {
    ...toVoucher(ctx, voucher).redemption,
    data_ref: 'redemption_entries',
    total,
    redemption_entries: await showRedemptions(ctx, rows),
  }
}

async function conditions(ctx: Ctx, query: RedemptionQuery): Promise<Condition[]> {
  const { created_at, result, campaign, customer, filters } = query
  const where = dateBounds({ ...(created_at && { created_at }) }, { created_at: 'redemptions.created_at' })
  if (result !== undefined) where.push(sql`redemptions.result = any(${result}::text[])`)
  if (campaign !== undefined) where.push(await isOfCampaign(ctx, campaign))
  if (customer !== undefined) where.push(await isOfCustomer(ctx, customer))
  if (filters !== undefined) {
    const filter = parseFilter(filters, redemptionFields(ctx.project))
    where.push(filterSql(filter, { now: ctx.now, timezone: ctx.project.timezone }))
  }
  return where
}

async function isOfCampaign({ db, project_id }: Ctx, name: string): Promise<Condition> {
  const found = await db
    .selectFrom('campaigns')
    .where('project_id', '=', project_id)
    .where('name', '=', name)
    .where('deleted_at', 'is', null)
    .select('id')
    .executeTakeFirst()
  return found === undefined ? no : sql`redemptions.campaign_id = ${found.id}`
}

/** Finds a hidden customer too, but only by its id: another customer may have its `source_id` by now. */
async function isOfCustomer({ db, project_id }: Ctx, key: string): Promise<Condition> {
  const { rows } = await sql<{ id: string }>`
    select id from customers
    where project_id = ${project_id} and (id = ${key} or (source_id = ${key} and deleted_at is null))
    order by id = ${key} desc limit 1`.execute(db)
  return rows[0] === undefined ? no : sql`redemptions.customer_id = ${rows[0].id}`
}

/** The fields by which lists of redemptions are filtered, over the tables that their query joins. */
export function redemptionFields({ case_sensitive_codes }: Pick<Project, 'case_sensitive_codes'>): FilterFields {
  return {
    voucher_code: codeField(case_sensitive_codes),
    related_object_id: text('redemptions.related_object_id'),
    related_object_parent_id: text('redemptions.campaign_id'),
    parent_redemption_id: text('redemptions.parent_id'),
    failure_code: text('redemptions.failure_code'),
    result: text('redemptions.result'),
    object: text('redemptions.object'),
    customer_id: text('redemptions.customer_id'),
    campaign_name: text('campaigns.name'),
    // Always null: callers redeem with API keys, never as a user.
    user_login: text(sql`null::text`),
  }
}

/**
 * Exports also filter by the other parameters of the list (docs/reference/exports.md#what-can-be-exported). Their query joins
 * `customers` too.
 */
export function exportedRedemptionFields(
  types: Readonly<Record<string, MetadataType>>,
  project: Pick<Project, 'case_sensitive_codes'>,
): FilterFields {
  const fields = redemptionFields(project)
  return {
    ...fields,
    created_at: { type: 'datetime', column: 'redemptions.created_at' },
    campaign: fields.campaign_name as FilterField,
    customer: { type: 'array', column: sql`jsonb_build_array(redemptions.customer_id, customers.source_id)` },
    voucher: fields.voucher_code as FilterField,
    related_object: text('redemptions.related_object_type'),
    status: text('redemptions.status'),
    'metadata.*': metadataField('redemptions.metadata', types),
  }
}

const codeField = (caseSensitiveCodes: boolean): FilterField => ({
  type: 'string',
  column: 'redemptions.voucher_code',
  ...(caseSensitiveCodes ? {} : { case_insensitive: true }),
})

const text = (column: string | FilterField['column']): FilterField => ({ type: 'string', column })
