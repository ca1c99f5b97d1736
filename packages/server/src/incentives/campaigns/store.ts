import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { nextConfigurationVersion } from '../../core/db/configuration.ts'
import type { CampaignRow } from '../../core/db/tables.ts'
import { ApiError, duplicate, notFound } from '../../core/http/errors.ts'
import { declareList } from '../../core/query/declared-list.ts'
import type { Condition } from '../../core/query/filter/conditions.ts'
import type { RowLock } from '../../core/rows.ts'
import type { Category } from '../../rules/categories/schema.ts'
import { categoryJson, readCategory, toCategory } from '../../rules/categories/store.ts'

/** A campaign with its category (null once deleted) and the number of its vouchers. */
export interface StoredCampaign extends Selectable<CampaignRow> {
  category: Category | null
  vouchers_count: number
}

/** All campaigns outside the bin. */
function campaignQuery({ db, project_id }: Pick<Ctx, 'db' | 'project_id'>) {
  return db
    .selectFrom('campaigns')
    .leftJoin('categories', (join) =>
      join
        .onRef('categories.project_id', '=', 'campaigns.project_id')
        .onRef('categories.id', '=', 'campaigns.category_id'),
    )
    .where('campaigns.project_id', '=', project_id)
    .where('campaigns.deleted_at', 'is', null)
    .selectAll('campaigns')
    .select(categoryJson)
    .select(
      sql<number>`(select coalesce(sum(delta), 0)::bigint from tallies
        where tallies.project_id = ${project_id}
          and tallies.name = 'campaign/' || campaigns.id || '/vouchers')`.as('vouchers_count'),
    )
}

/** A campaign by its id, or else by its name (docs/reference/vouchers.md#names-in-paths); 404 when there is none. */
export async function getCampaign(ctx: Ctx, key: string, options: { lock?: RowLock } = {}): Promise<StoredCampaign> {
  const campaign = await findCampaign(ctx, key, options)
  if (campaign === undefined) throw notFound('campaign', key)
  return campaign
}

export async function findCampaign(
  ctx: Ctx,
  key: string,
  { lock }: { lock?: RowLock } = {},
): Promise<StoredCampaign | undefined> {
  if (key.includes('\0')) return undefined
  const row = await campaignQuery(ctx)
    .where((is) => is.or([is('campaigns.id', '=', key as CampaignRow['id']), is('campaigns.name', '=', key)]))
    .orderBy((is) => is('campaigns.id', '=', key as CampaignRow['id']), 'desc')
    .limit(1)
    .$if(lock === 'keyShare', (query) => query.forKeyShare('campaigns'))
    .$if(lock === 'update', (query) => query.forUpdate('campaigns'))
    .executeTakeFirst()
  return row && toStored(row)
}

/** Whether a campaign exists; if so, locks it against deletion until the end of the transaction. */
export async function lockCampaignIfExists({ db, project_id }: Ctx, id: CampaignRow['id']): Promise<boolean> {
  const row = await db
    .selectFrom('campaigns')
    .where('project_id', '=', project_id)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .select('id')
    .forKeyShare()
    .executeTakeFirst()
  return row !== undefined
}

export async function listCampaignsById(ctx: Ctx, ids: readonly string[]): Promise<StoredCampaign[]> {
  if (ids.length === 0) return []
  const rows = await campaignQuery(ctx)
    .where(sql<boolean>`campaigns.id = any(${ids}::text[])`)
    .orderBy('campaigns.id')
    .execute()
  return rows.map(toStored)
}

export interface CampaignPage {
  limit?: number
  page?: number
  order?: '-created_at' | 'created_at' | 'updated_at' | '-updated_at'
  starting_after_id?: string
}

export async function listCampaigns(
  { db, project_id }: Ctx,
  query: CampaignPage,
  where: Condition[],
): Promise<{ campaigns: StoredCampaign[]; total: number; has_more: boolean }> {
  const { rows, total, has_more } = await allCampaigns(db, { project_id }, query, { where })
  return { campaigns: rows.map(toStored), total, has_more }
}

const allCampaigns = declareList((db, { project_id }: { project_id: string }) => ({
  query: campaignQuery({ db, project_id }),
  options: {
    columns: { created_at: 'campaigns.created_at', updated_at: { nullable: 'campaigns.updated_at' } },
    default_order: '-created_at' as NonNullable<CampaignPage['order']>,
    id: 'campaigns.id',
  },
}))

/** Inserts a campaign. Its name must be free, also among campaigns in the bin. */
export async function insertCampaign(
  ctx: Ctx,
  row: Omit<Insertable<CampaignRow>, 'project_id' | 'config_version'>,
): Promise<void> {
  const { db, project_id } = ctx
  const configVersion = await nextConfigurationVersion(db, project_id)
  const inserted = await db
    .insertInto('campaigns')
    .values({ project_id, ...row, config_version: configVersion })
    .onConflict((conflict) => conflict.columns(['project_id', 'name']).doNothing())
    .returning('id')
    .executeTakeFirst()
  if (inserted === undefined) throw duplicate('campaign', 'name', row.name)
}

export function refuseProtected({ id, protected: isProtected }: StoredCampaign): void {
  if (isProtected)
    throw new ApiError('resource_protected', {
      details: `Campaign ${id} is protected`,
      resource_id: id,
      resource_type: 'campaign',
    })
}

/**
 * Updates a campaign, whose row is part of the cached configuration. As in every such update, the configuration version
 * is locked first.
 */
export async function updateCampaign(
  { db, project_id }: Ctx,
  id: CampaignRow['id'],
  changes: Updateable<CampaignRow>,
): Promise<void> {
  const configVersion = await nextConfigurationVersion(db, project_id)
  await db
    .updateTable('campaigns')
    .set({ ...changes, config_version: configVersion })
    .where('project_id', '=', project_id)
    .where('id', '=', id)
    .execute()
}

type JoinedCampaign = Awaited<ReturnType<ReturnType<typeof campaignQuery>['execute']>>[number]

function toStored({ category: joined, ...row }: JoinedCampaign): StoredCampaign {
  const category = readCategory(joined)
  return { ...row, category: category && toCategory(category) }
}
