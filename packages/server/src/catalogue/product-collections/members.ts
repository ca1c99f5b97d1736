import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { invalidPayload, notFound } from '../../core/http/errors.ts'
import { limits } from '../../core/lib/limits.ts'
import { listProductsNamed } from '../products/store.ts'
import { listSkusNamed } from '../skus/store.ts'
import type { CollectionMember, NewMember } from './schema.ts'

/**
 * The members of a static collection as they are stored: known products and SKUs, each once, by their ids. They are kept
 * from being deleted until the collection that names them is there.
 */
export async function readMembers(ctx: Ctx, sent: readonly NewMember[]): Promise<CollectionMember[]> {
  const countMax = ctx.project.limits?.collection_products ?? limits.collection_products_max
  if (new Set(sent.map(({ id, object }) => `${object} ${id}`)).size > countMax)
    throw invalidPayload(`Property .products must NOT have more than ${countMax} items`)

  const find = await goodsNamed(ctx, sent)
  const members = new Map<string, CollectionMember>()
  for (const one of sent) {
    const member = find(one)
    if (member === undefined) throw notFound(one.object, one.id)
    members.set(member.id, member)
  }
  return [...members.values()]
}

/** Looks up members by id or source id, with a fixed number of statements. */
async function goodsNamed(
  ctx: Ctx,
  sent: readonly NewMember[],
): Promise<(one: NewMember) => CollectionMember | undefined> {
  const named = (object: NewMember['object']) => sent.filter((one) => one.object === object).map(({ id }) => id)
  const known = await listSkusNamed(ctx, named('sku'))
  // Products before SKUs, as whoever deletes a product does.
  const parents = known.map(({ product_id }) => product_id)
  const products = await listProductsNamed(ctx, [...named('product'), ...parents], { lock: 'here' })
  const here = await holdSkus(
    ctx,
    known.map(({ id }) => id),
  )
  const skus = known.filter(({ id }) => here.has(id))
  return ({ id, object, product_id }) => {
    if (object === 'product') {
      const product = called(products, id)
      return product && { id: product.id, object }
    }
    const sku = called(skus, id)
    const parent = sku && products.find((product) => product.id === sku.product_id)
    if (sku === undefined || parent === undefined) return undefined
    if (product_id != null && product_id !== parent.id && product_id !== parent.source_id) return undefined
    return { id: sku.id, object, product_id: sku.product_id }
  }
}

const called = <T extends { id: string; source_id: string | null }>(goods: readonly T[], key: string): T | undefined =>
  goods.find(({ id }) => id === key) ?? goods.find(({ source_id }) => source_id === key)

/** Those of some SKUs that are there, and stay there until the end of the transaction. */
async function holdSkus({ db, project_id }: Ctx, ids: readonly string[]): Promise<ReadonlySet<string>> {
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
