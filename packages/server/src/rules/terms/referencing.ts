import { type RawBuilder, sql } from 'kysely'
import type { GoodIds } from '../../catalogue/products/goods.ts'
import type { Ctx } from '../../core/context.ts'
import { type ReferencedBy, referencedBy } from '../../core/in-use.ts'

/**
 * Campaigns, promotion tiers or single vouchers whose discount gives away one of these products or SKUs; only the first
 * kind with a match is returned. Null: none.
 */
export async function discountsReferencing(ctx: Ctx, { products, skus }: GoodIds): Promise<ReferencedBy | null> {
  const { project_id } = ctx
  const goods = [...products, ...skus]
  return (
    (await findReferences(
      ctx,
      'campaign',
      sql`select id from campaigns where project_id = ${project_id} and deleted_at is null
        and ${gives(sql`voucher -> 'discount'`, goods)}`,
    )) ??
    (await findReferences(
      ctx,
      'promotion_tier',
      sql`select t.id from promotion_tiers t join campaigns c on c.project_id = t.project_id and c.id = t.campaign_id
        where t.project_id = ${project_id} and c.deleted_at is null and ${gives(sql`t.discount`, goods)}`,
    )) ??
    codesNaming(ctx, goods)
  )
}

/**
 * Terms are never deleted, so only terms of existing vouchers count. Most products occur in no terms, which one query
 * finds out.
 */
async function codesNaming(ctx: Ctx, goods: readonly string[]): Promise<ReferencedBy | null> {
  const { db, project_id } = ctx
  const { rows } = await sql<{ id: string }>`
    select id from terms where project_id = ${project_id} and ${gives(sql`content -> 'discount'`, goods)}`.execute(db)
  if (rows.length === 0) return null
  return findReferences(
    ctx,
    'voucher',
    sql`select v.id from vouchers v where v.project_id = ${project_id} and v.deleted_at is null
      and v.terms_id = any(${rows.map(({ id }) => id)}::text[])
      and not exists (select from campaigns c where c.project_id = ${project_id} and c.id = v.campaign_id
        and c.deleted_at is not null)`,
  )
}

async function findReferences({ db }: Ctx, type: string, ids: RawBuilder<unknown>): Promise<ReferencedBy | null> {
  const { rows } = await sql<{ id: string; total: number }>`
    select id, count(*) over () as total from (${ids}) as naming order by id limit 20`.execute(db)
  return referencedBy(type, rows)
}

/** Whether a discount gives units of one of these products or SKUs. */
const gives = (discount: RawBuilder<unknown>, goods: readonly string[]) => sql`(
  (${discount}) ->> 'unit_type' = any(${goods}::text[])
  or exists (select from jsonb_array_elements(coalesce((${discount}) -> 'units', '[]')) as unit
    where unit ->> 'unit_type' = any(${goods}::text[])))`
