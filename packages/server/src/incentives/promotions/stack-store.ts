import { type Selectable, sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { CategoryRow, PromotionStackRow } from '../../core/db/tables.ts'
import { invalidPayload, notFound } from '../../core/http/errors.ts'
import { newId } from '../../core/lib/ids.ts'
import { limits } from '../../core/lib/limits.ts'
import { type FilterFields, filterSql, parseFilter } from '../../core/query/filter/filter.ts'
import { countOf, dateBounds, pageOf } from '../../core/query/list.ts'
import { deleteRow, insertRow, type NewRow, type RowChanges, updateRow } from '../../core/rows.ts'
import { categoryJson, readCategory } from '../../rules/categories/store.ts'
import type { PromotionStackQuery } from './schema.ts'

type StackId = PromotionStackRow['id']

const promotionStacks = {
  table: 'promotion_stacks',
  type: 'promotion_stack',
  configuration_type: 'promotion_stack',
} as const

const columns = {
  id: 'promotion_stacks.id',
  name: 'promotion_stacks.name',
  created_at: 'promotion_stacks.created_at',
  updated_at: 'promotion_stacks.updated_at',
}

export const stackFields: FilterFields = {
  id: { type: 'string', column: columns.id },
  name: { type: 'string', column: columns.name },
  created_at: { type: 'datetime', column: columns.created_at },
  updated_at: { type: 'datetime', column: columns.updated_at },
}

/** Every stack of the project, with its category. */
const joinedStacks = ({ db, project_id }: Ctx) =>
  db
    .selectFrom('promotion_stacks')
    .leftJoin('categories', (join) =>
      join
        .onRef('categories.project_id', '=', 'promotion_stacks.project_id')
        .onRef('categories.id', '=', 'promotion_stacks.category_id'),
    )
    .where('promotion_stacks.project_id', '=', project_id)
    .selectAll('promotion_stacks')
    .select(categoryJson)

type JoinedStack = Awaited<ReturnType<ReturnType<typeof joinedStacks>['execute']>>[number]

/** A stack with its category, which is null once it is deleted. */
export type StoredStack = Omit<JoinedStack, 'category'> & { category: Selectable<CategoryRow> | null }

const toStored = (row: JoinedStack): StoredStack => ({ ...row, category: readCategory(row.category) })

/** A stack of the given campaign; 404 if it belongs to another one. */
export async function getStack(ctx: Ctx, campaignId: string, id: string): Promise<StoredStack> {
  const row = await joinedStacks(ctx)
    .where('promotion_stacks.id', '=', id as StackId)
    .where('promotion_stacks.campaign_id', '=', campaignId as PromotionStackRow['campaign_id'])
    .executeTakeFirst()
  if (row === undefined) throw notFound('promotion_stack', id)
  return toStored(row)
}

/** A page of the stacks of the project, without those of campaigns in the bin. */
export async function listStacks(
  ctx: Ctx,
  { filters, created_at, updated_at, ...page }: PromotionStackQuery,
): Promise<{ stacks: StoredStack[]; total: number }> {
  const { now, project } = ctx
  const readable = joinedStacks(ctx).where(
    sql<boolean>`exists (
      select from campaigns where campaigns.project_id = ${ctx.project_id}
        and campaigns.id = promotion_stacks.campaign_id and campaigns.deleted_at is null
    )`,
  )
  const { rows, total } = await pageOf(readable, page, {
    columns: { created_at: columns.created_at, updated_at: { nullable: columns.updated_at }, name: columns.name },
    default_order: '-created_at',
    id: columns.id,
    where: [
      ...dateBounds({ ...(created_at && { created_at }), ...(updated_at && { updated_at }) }, columns),
      filterSql(parseFilter(filters, stackFields), { now, timezone: project.timezone }),
    ],
  })
  return { stacks: rows.map(toStored), total }
}

/** All stacks of a campaign, oldest first; with `tier_id`, only those that contain the tier. */
export async function listStacksIn(
  ctx: Ctx,
  campaignId: string,
  { tier_id }: { tier_id?: string } = {},
): Promise<StoredStack[]> {
  const rows = await joinedStacks(ctx)
    .where('promotion_stacks.campaign_id', '=', campaignId as PromotionStackRow['campaign_id'])
    .$if(tier_id !== undefined, (query) => query.where(sql<boolean>`promotion_stacks.tier_ids ? ${tier_id}`))
    .orderBy('promotion_stacks.created_at')
    .orderBy('promotion_stacks.id')
    .execute()
  return rows.map(toStored)
}

/** Inserts a stack. The caller has locked the campaign, so that the limit holds for concurrent requests. */
export async function insertStack(ctx: Ctx, stack: Omit<NewRow<'promotion_stacks'>, 'id'>): Promise<StoredStack> {
  const { db, project_id } = ctx
  const count = await countOf(
    db
      .selectFrom('promotion_stacks')
      .where('project_id', '=', project_id)
      .where('campaign_id', '=', stack.campaign_id)
      .select('id'),
  )
  if (count >= limits.promotion_stacks_max)
    throw invalidPayload(`A campaign must NOT have more than ${limits.promotion_stacks_max} promotion stacks`)
  const { id } = await insertRow(ctx, promotionStacks, { ...stack, id: newId('promotion_stack', Date.parse(ctx.now)) })
  return getStack(ctx, stack.campaign_id, id)
}

/** Updates columns of a stack whose campaign the caller has locked. */
export async function updateStack(
  ctx: Ctx,
  id: StackId,
  changes: RowChanges<'promotion_stacks'>,
): Promise<StoredStack> {
  const { campaign_id } = await updateRow(ctx, promotionStacks, id, changes)
  return getStack(ctx, campaign_id, id)
}

export const deleteStack = (ctx: Ctx, id: StackId): Promise<void> => deleteRow(ctx, promotionStacks, id)
