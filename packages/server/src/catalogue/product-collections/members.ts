import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { invalidPayload, notFound } from '../../core/http/errors.ts'
import { limits } from '../../core/lib/limits.ts'
import { listProductsByKey } from '../products/store.ts'
import { listSkusByKey } from '../skus/store.ts'
import type { CollectionMember, NewMember } from './schema.ts'

/**
 * Resolves the members of a static collection to the ids of existing products and SKUs, without duplicates. Locks them against
 * deletion until the transaction that saves the collection ends.
 */
export async function readMembers(ctx: Ctx, sent: readonly NewMember[]): Promise<CollectionMember[]> {
  const countMax = ctx.project.limits?.collection_products ?? limits.collection_products_max
  if (new Set(sent.map(({ id, object }) => `${object} ${id}`)).size > countMax)
    throw invalidPayload(`Property .products must NOT have more than ${countMax} items`)

  const findMember = await memberLookup(ctx, sent)
  const members = new Map<string, CollectionMember>()
  for (const newMember of sent) {
    const member = findMember(newMember)
    if (member === undefined) throw notFound(newMember.object, newMember.id)
    members.set(member.id, member)
  }
  return [...members.values()]
}

/** A lookup of members by id or source id, loaded and locked with a constant number of statements. */
async function memberLookup(
  ctx: Ctx,
  sent: readonly NewMember[],
): Promise<(newMember: NewMember) => CollectionMember | undefined> {
  const keysOf = (object: NewMember['object']) => sent.filter((member) => member.object === object).map(({ id }) => id)
  const foundSkus = await listSkusByKey(ctx, keysOf('sku'))
  // Lock products before SKUs, in the same order as deleting a product does.
  const parents = foundSkus.map(({ product_id }) => product_id)
  const products = await listProductsByKey(ctx, [...keysOf('product'), ...parents], { lock: 'keyShare' })
  const lockedIds = await lockSkus(
    ctx,
    foundSkus.map(({ id }) => id),
  )
  const skus = foundSkus.filter(({ id }) => lockedIds.has(id))
  return ({ id, object, product_id }) => {
    if (object === 'product') {
      const product = findByKey(products, id)
      return product && { id: product.id, object }
    }
    const sku = findByKey(skus, id)
    const parent = sku && products.find((product) => product.id === sku.product_id)
    if (sku === undefined || parent === undefined) return undefined
    if (product_id != null && product_id !== parent.id && product_id !== parent.source_id) return undefined
    return { id: sku.id, object, product_id: sku.product_id }
  }
}

const findByKey = <T extends { id: string; source_id: string | null }>(
  goods: readonly T[],
  key: string,
): T | undefined => goods.find(({ id }) => id === key) ?? goods.find(({ source_id }) => source_id === key)

/** Locks SKUs against deletion until the end of the transaction; returns the ids of those that still exist. */
async function lockSkus({ db, project_id }: Ctx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const rows = await db
    .selectFrom('skus')
    .where('project_id', '=', project_id)
    .where(sql<boolean>`id = any(${ids}::text[])`)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .select('id')
    .forKeyShare()
    .execute()
  return new Set(rows.map(({ id }) => id))
}
