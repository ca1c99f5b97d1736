import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { nextConfigurationVersion } from '../../core/db/configuration.ts'
import type { PromotionTierRow } from '../../core/db/tables.ts'
import { notFound } from '../../core/http/errors.ts'
import { limits } from '../../core/lib/limits.ts'
import type { Condition } from '../../core/query/filter/conditions.ts'
import { pageOf } from '../../core/query/list.ts'
import { deleteRow, insertRows, type NewRow, type RowChanges, type RowLock, updateRow } from '../../core/rows.ts'
import { categoryJson, readCategory } from '../../rules/categories/store.ts'
import { findCampaign, type StoredCampaign } from '../campaigns/store.ts'
import type { CampaignTierQuery, PromotionTier, PromotionTierQuery } from './schema.ts'
import { showTiers } from './show-tiers.ts'
import type { StoredTier } from './tier.ts'

type TierId = PromotionTierRow['id']

const promotionTiers = {
  table: 'promotion_tiers',
  type: 'promotion_tier',
  configuration_type: 'promotion_tier',
} as const

/** The validity columns of the campaign of a tier. */
export const campaignLimits = [
  'campaigns.start_date as campaign_start_date',
  'campaigns.expiration_date as campaign_expiration_date',
  'campaigns.validity_timeframe as campaign_validity_timeframe',
  'campaigns.validity_day_of_week as campaign_validity_day_of_week',
  'campaigns.validity_hours as campaign_validity_hours',
] as const

/**
 * Every tier of the project, with its campaign and both their categories. A page is cut out before it is joined: a distributed database finds
 * the campaign of a row that it has cut out only if the project is a value.
 */
const joinedTiers = ({ db, project_id }: Ctx) =>
  db
    .selectFrom('promotion_tiers')
    .innerJoin('campaigns', (join) =>
      join.on('campaigns.project_id', '=', project_id).onRef('campaigns.id', '=', 'promotion_tiers.campaign_id'),
    )
    .leftJoin('categories', (join) =>
      join.on('categories.project_id', '=', project_id).onRef('categories.id', '=', 'promotion_tiers.category_id'),
    )
    .leftJoin('categories as campaign_categories', (join) =>
      join
        .on('campaign_categories.project_id', '=', project_id)
        .onRef('campaign_categories.id', '=', 'campaigns.category_id'),
    )
    .where('promotion_tiers.project_id', '=', project_id)
    .selectAll('promotion_tiers')
    .select(campaignLimits)
    .select(['campaigns.active as campaign_active', 'campaign_categories.id as campaign_category_id', categoryJson])

/** Readable tiers: without those of campaigns in the bin. */
export const tierQuery = (ctx: Ctx) => joinedTiers(ctx).where('campaigns.deleted_at', 'is', null)

type JoinedTier = Awaited<ReturnType<ReturnType<typeof tierQuery>['execute']>>[number]

const toStored = (row: JoinedTier): StoredTier => ({ ...row, category: readCategory(row.category) })

export async function getTier(ctx: Ctx, id: string): Promise<StoredTier> {
  const tier = await findPromotionTier(ctx, id)
  if (tier === undefined) throw notFound('promotion_tier', id)
  return tier
}

export interface TierInCampaign {
  campaign: StoredCampaign
  tier: StoredTier
}

/**
 * A tier to be changed, and its campaign, both locked. Every change of a promotion locks its campaign, so that places are
 * assigned one request after another. The tier is locked before the configuration, in the same order as when rules are
 * assigned to it.
 */
export async function lockTier(ctx: Ctx, id: string): Promise<TierInCampaign> {
  const { campaign_id } = await getTier(ctx, id)
  const campaign = await findCampaign(ctx, campaign_id, { lock: 'update' })
  const tier = campaign && (await findPromotionTier(ctx, id, { lock: 'update' }))
  if (campaign === undefined || tier === undefined) throw notFound('promotion_tier', id) // deleted by a concurrent request
  return { campaign, tier }
}

export async function findPromotionTier(
  ctx: Ctx,
  id: string,
  { lock }: { lock?: RowLock } = {},
): Promise<StoredTier | undefined> {
  const row = await tierQuery(ctx)
    .where('promotion_tiers.id', '=', id as TierId)
    .$if(lock === 'keyShare', (query) => query.forKeyShare('promotion_tiers'))
    .$if(lock === 'update', (query) => query.forUpdate('promotion_tiers'))
    .executeTakeFirst()
  return row && toStored(row)
}

/** Tiers by their ids, sorted by hierarchy; includes tiers of campaigns in the bin. */
export async function listTiersById(ctx: Ctx, ids: readonly string[]): Promise<StoredTier[]> {
  const rows = await joinedTiers(ctx)
    .where(sql<boolean>`promotion_tiers.id = any(${ids}::text[])`)
    .orderBy('promotion_tiers.hierarchy')
    .execute()
  return rows.map(toStored)
}

/** All tiers of a campaign by hierarchy, as the campaign response shows them. */
export async function listTiersOf(ctx: Ctx, campaignId: string): Promise<PromotionTier[]> {
  const rows = await joinedTiers(ctx)
    .where('promotion_tiers.campaign_id', '=', campaignId as PromotionTierRow['campaign_id'])
    .orderBy('promotion_tiers.hierarchy')
    .execute()
  return showTiers(ctx, rows.map(toStored))
}

export async function listTierIds(
  { db, project_id }: Ctx,
  campaignId: string,
  { lock = false }: { lock?: boolean } = {},
): Promise<TierId[]> {
  const rows = await db
    .selectFrom('promotion_tiers')
    .where('project_id', '=', project_id)
    .where('campaign_id', '=', campaignId as PromotionTierRow['campaign_id'])
    .orderBy('hierarchy')
    .select('id')
    .$if(lock, (query) => query.forUpdate())
    .execute()
  return rows.map(({ id }) => id)
}

interface TierPage {
  tiers: StoredTier[]
  total: number
  has_more: boolean
}

type TierPageQuery = Pick<PromotionTierQuery, 'limit' | 'page' | 'order' | 'starting_after_id'>

export const listTiers = (ctx: Ctx, query: TierPageQuery, where: Condition[]): Promise<TierPage> =>
  pageOfTiers(tierQuery(ctx), query, where)

/** The tiers of a campaign, newest first: all of them unless the client pages. */
export function listTiersIn(
  ctx: Ctx,
  campaignId: string,
  { limit, page, starting_after_id }: CampaignTierQuery,
  where: Condition[],
): Promise<TierPage> {
  const isPaged = limit !== undefined || page !== undefined || starting_after_id !== undefined
  return pageOfTiers(
    tierQuery(ctx).where('promotion_tiers.campaign_id', '=', campaignId as PromotionTierRow['campaign_id']),
    {
      limit: isPaged ? (limit ?? limits.page_size_default) : limits.promotion_tiers_max,
      ...(page === undefined ? {} : { page }),
      ...(starting_after_id === undefined ? {} : { starting_after_id }),
    },
    where,
  )
}

async function pageOfTiers(
  tiers: ReturnType<typeof tierQuery>,
  query: TierPageQuery,
  where: Condition[],
): Promise<TierPage> {
  const { rows, total, has_more } = await pageOf(tiers, query, {
    columns: {
      created_at: 'promotion_tiers.created_at',
      updated_at: { nullable: 'promotion_tiers.updated_at' },
    },
    default_order: '-created_at',
    id: 'promotion_tiers.id',
    where,
  })
  return { tiers: rows.map(toStored), total, has_more }
}

export type NewTier = NewRow<'promotion_tiers'>

export async function insertTiers(ctx: Ctx, tiers: readonly NewTier[]): Promise<void> {
  if (tiers.length > 0) await insertRows(ctx, promotionTiers, tiers)
}

/** Updates columns of a tier that the caller has locked. */
export async function updateTier(ctx: Ctx, id: TierId, changes: RowChanges<'promotion_tiers'>): Promise<void> {
  await updateRow(ctx, promotionTiers, id, changes)
}

/**
 * Sets the hierarchy of the tiers of a campaign, 1 to n. Tiers that only move aside keep their `updated_at` but get the
 * new configuration version: every node must reload their place.
 */
export async function updateHierarchy({ db, project_id }: Ctx, order: readonly TierId[]): Promise<void> {
  const configVersion = await nextConfigurationVersion(db, project_id)
  await sql`
    update promotion_tiers set hierarchy = places.place, config_version = ${configVersion}
    from unnest(${order}::text[]) with ordinality as places (id, place)
    where promotion_tiers.project_id = ${project_id}
      and promotion_tiers.id = places.id
      and promotion_tiers.hierarchy <> places.place
  `.execute(db)
}

/** The caller has already removed its rule assignments and its places in stacks: each needs a deletion record of its own. */
export const deleteTier = (ctx: Ctx, id: TierId): Promise<void> => deleteRow(ctx, promotionTiers, id)
