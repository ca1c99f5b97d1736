import { type Insertable, type SelectQueryBuilder, sql, type Updateable } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { Db } from '../../core/db/database.ts'
import type { Project } from '../../core/db/project-row.ts'
import type { CampaignRow, Tables, Terms, VoucherRow } from '../../core/db/tables.ts'
import { tallyOf } from '../../core/db/tallies.ts'
import { notFound } from '../../core/http/errors.ts'
import { declareList } from '../../core/query/declared-list.ts'
import { todayIn } from '../../core/query/filter/calendar.ts'
import type { Condition } from '../../core/query/filter/conditions.ts'
import type { RowLock } from '../../core/rows.ts'
import { categoryJson, readCategory } from '../../rules/categories/store.ts'
import type { VoucherQuery } from './schema.ts'
import type { StoredVoucher } from './voucher.ts'

type VoucherId = VoucherRow['id']

/** The key that makes a code unique in a project (docs/reference/codes.md#letter-case). */
export const codeKey = ({ case_sensitive_codes }: Pick<Project, 'case_sensitive_codes'>, code: string): string =>
  case_sensitive_codes ? code : code.toLowerCase()

/**
 * All readable vouchers of the project, with terms, campaign and category. Deleting a campaign hides all its vouchers at
 * once.
 */
export const voucherQuery = ({ db, project_id, now, project: { timezone } }: Ctx) =>
  readableVouchers(db, project_id, todayIn({ now, timezone }))

function readableVouchers(db: Db, projectId: string, today: string) {
  return withJoins(db.selectFrom('vouchers'))
    .where('vouchers.project_id', '=', projectId)
    .where('vouchers.deleted_at', 'is', null)
    .where(isOutsideBin(projectId))
    .selectAll('vouchers')
    .select(['campaigns.name as campaign', 'campaigns.campaign_type'])
    .select(sql<Terms>`terms.content`.as('terms'))
    .select('campaigns.active as campaign_active')
    .select(categoryJson)
    .select(
      sql<StoredVoucher['next_expiration']>`case vouchers.type when 'LOYALTY_CARD' then (
        select jsonb_build_object('next_expiration_date', lots.expires_at, 'next_expiration_points', lots.points)
        from lots where lots.project_id = ${projectId} and lots.voucher_id = vouchers.id
          and lots.points > 0 and lots.expires_at >= ${today}::date
        order by lots.expires_at limit 1) end`.as('next_expiration'),
    )
}

/**
 * Whether the campaign of a voucher, if it has one, is not in the bin. A subquery, of which PostgreSQL makes a hash table once per
 * statement: a join would cost each voucher before a page as much as one of the page. Wrapped in CASE so that the planner does not
 * estimate it: with a wrong estimate it would read all vouchers to show ten.
 */
const isOutsideBin = (projectId: string) => sql<boolean>`case when vouchers.campaign_id in (
  select binned.id from campaigns binned where binned.project_id = ${projectId} and binned.deleted_at is not null) then false else true end`

function withJoins(query: SelectQueryBuilder<Tables, 'vouchers', object>) {
  return query
    .leftJoin('terms', (join) =>
      join.onRef('terms.project_id', '=', 'vouchers.project_id').onRef('terms.id', '=', 'vouchers.terms_id'),
    )
    .leftJoin('campaigns', (join) =>
      join.onRef('campaigns.project_id', '=', 'vouchers.project_id').onRef('campaigns.id', '=', 'vouchers.campaign_id'),
    )
    .leftJoin('categories', (join) =>
      join
        .onRef('categories.project_id', '=', 'vouchers.project_id')
        .onRef('categories.id', '=', 'vouchers.category_id'),
    )
}

/** A readable voucher by its code or its id (docs/reference/vouchers.md#names-in-paths); 404 if there is none. */
export async function getVoucher(ctx: Ctx, key: string, options: { lock?: RowLock } = {}): Promise<StoredVoucher> {
  const voucher = await findVoucher(ctx, key, options)
  if (voucher === undefined) throw notFound('voucher', key)
  return voucher
}

export async function findVoucher(
  ctx: Ctx,
  key: string,
  { lock }: { lock?: RowLock } = {},
): Promise<StoredVoucher | undefined> {
  if (key.includes('\0')) return undefined
  const normalizedKey = codeKey(ctx.project, key)
  const row = await voucherQuery(ctx)
    .where((is) =>
      key.startsWith('v_')
        ? is.or([is('vouchers.id', '=', key as VoucherId), is('vouchers.code_key', '=', normalizedKey)])
        : is('vouchers.code_key', '=', normalizedKey),
    )
    .orderBy((is) => is('vouchers.id', '=', key as VoucherId), 'desc')
    .limit(1)
    .$if(lock === 'keyShare', (query) => query.forKeyShare('vouchers'))
    .$if(lock === 'update', (query) => query.forUpdate('vouchers'))
    .executeTakeFirst()
  return row === undefined ? undefined : toStored(row)
}

/** Vouchers by their ids. They are locked in the order of their ids, so that concurrent transactions cannot deadlock. */
export async function listVouchersById(
  ctx: Ctx,
  ids: readonly string[],
  { lock }: { lock?: RowLock } = {},
): Promise<StoredVoucher[]> {
  if (ids.length === 0) return []
  const rows = await voucherQuery(ctx)
    .where(sql<boolean>`vouchers.id = any(${ids}::text[])`)
    .orderBy('vouchers.id')
    .$if(lock === 'keyShare', (query) => query.forKeyShare('vouchers'))
    .$if(lock === 'update', (query) => query.forUpdate('vouchers'))
    .execute()
  return rows.map(toStored)
}

/** Vouchers by their ids, including those in the bin, for the history of publications and redemptions. */
export async function listVouchersIncludingBinned(ctx: Ctx, ids: readonly string[]): Promise<StoredVoucher[]> {
  if (ids.length === 0) return []
  const rows = await voucherQuery(ctx)
    .clearWhere()
    .where('vouchers.project_id', '=', ctx.project_id)
    .where(sql<boolean>`vouchers.id = any(${ids}::text[])`)
    .execute()
  return rows.map(toStored)
}

/**
 * A page of vouchers of the project or of one campaign. An id begins with its creation time, so the order of creation is
 * that of the primary key.
 */
export async function listVouchers(
  { db, project_id, ...ctx }: Ctx,
  query: Pick<VoucherQuery, 'limit' | 'page' | 'order' | 'starting_after_id'>,
  where: Condition[],
  campaignId?: CampaignRow['id'],
): Promise<{ vouchers: StoredVoucher[]; total: number; has_more: boolean }> {
  const values = { project_id, today: todayIn({ now: ctx.now, timezone: ctx.project.timezone }) }
  const { rows, total, has_more } =
    campaignId === undefined
      ? await allVouchers(db, values, query, { where })
      : await vouchersOfCampaign(db, { ...values, ...nameOf(campaignId) }, query, { where })
  return { vouchers: rows.map(toStored), total, has_more }
}

type Order = NonNullable<VoucherQuery['order']>

const listOptions = {
  columns: {
    created_at: 'vouchers.id',
    updated_at: { nullable: 'vouchers.updated_at' },
    code: 'vouchers.code_key',
  },
  default_order: '-created_at' as Order,
  id: 'vouchers.id',
}

const allVouchers = declareList((db, { project_id, today }: { project_id: string; today: string }) => ({
  query: readableVouchers(db, project_id, today),
  options: { ...listOptions, total: tallyOf(project_id, 'vouchers') },
}))

const nameOf = (campaignId: CampaignRow['id']) => ({
  campaign_id: campaignId,
  tally: `campaign/${campaignId}/vouchers` as const,
})

interface CampaignValues extends ReturnType<typeof nameOf> {
  project_id: string
  today: string
}

const vouchersOfCampaign = declareList((db, { project_id, today, campaign_id, tally }: CampaignValues) => ({
  query: readableVouchers(db, project_id, today).where('vouchers.campaign_id', '=', campaign_id),
  options: { ...listOptions, total: tallyOf(project_id, tally) },
}))

/** The keys among these that are taken, including by vouchers in the bin. */
export async function listTakenKeys({ db, project_id }: Ctx, codeKeys: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('vouchers')
    .where('project_id', '=', project_id)
    .where(sql<boolean>`code_key = any(${codeKeys}::text[])`)
    .select('code_key')
    .execute()
  return new Set(rows.map(({ code_key }) => code_key))
}

export type NewVoucher = Omit<Insertable<VoucherRow>, 'project_id'>

/** Inserts vouchers with individual settings, and returns the ids of those whose code was free. */
export async function insertVouchers({ db, project_id }: Ctx, rows: readonly NewVoucher[]): Promise<Set<VoucherId>> {
  if (rows.length === 0) return new Set()
  const inserted = await sql<{ id: VoucherId }>`
    insert into vouchers (${sql.join(columns.map((column) => sql.ref(column)))})
    select ${sql.join(columns.map((column) => (column === 'project_id' ? sql`own.id` : sql.ref(`made.${column}`))))}
    from projects own, jsonb_populate_recordset(null::vouchers, ${JSON.stringify(rows.map((row) => ({ ...columnDefaults, ...row, project_id, metadata: row.metadata == null ? null : JSON.parse(row.metadata) })))}::jsonb) made
    where own.id = ${project_id}
    on conflict (project_id, code_key) do nothing
    returning id`.execute(db)
  return new Set(inserted.rows.map(({ id }) => id))
}

const columnDefaults = { redeemed_quantity: 0, publish_count: 0, is_automatic: false }

const columns = [
  'project_id',
  'id',
  'code',
  'code_key',
  'type',
  'campaign_id',
  'category_id',
  'terms_id',
  'start_date',
  'expiration_date',
  'quantity',
  'redeemed_quantity',
  'credits_added',
  'credits_subtracted',
  'credits_redeemed',
  'credits_expired',
  'credits_pending',
  'active',
  'additional_info',
  'metadata',
  'is_referral_code',
  'is_automatic',
  'publish_count',
  'holder_id',
  'referrer_id',
  'asset_id',
  'created_at',
  'updated_at',
] as const satisfies ReadonlyArray<keyof VoucherRow>

/** Updates columns of a voucher that the caller has locked. */
export async function updateVoucher(
  { db, project_id, now }: Ctx,
  id: VoucherId,
  changes: Updateable<VoucherRow>,
): Promise<void> {
  await db
    .updateTable('vouchers')
    .set({ updated_at: now, ...changes })
    .where('project_id', '=', project_id)
    .where('id', '=', id)
    .execute()
}

type JoinedRow = Awaited<ReturnType<ReturnType<typeof voucherQuery>['execute']>>[number]

/** Changes the row in place, because nothing else references it. */
export function toStored(row: JoinedRow): StoredVoucher {
  if (row.category !== null) row.category = readCategory(row.category)
  return row
}
