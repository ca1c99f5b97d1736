import type { Discount } from '@guerdon/engine/schema'
import { listProductsNamed } from '../../catalogue/products/store.ts'
import type { Sku } from '../../catalogue/skus/schema.ts'
import { listSkus, listSkusNamed } from '../../catalogue/skus/store.ts'
import type { Ctx } from '../../core/context.ts'
import { allProductsId } from '../../core/db/built-in-collections.ts'
import { ApiError, invalidPayload, notFound } from '../../core/http/errors.ts'
import { limits } from '../../core/lib/limits.ts'
import type { TemplateProduct, TemplateResources, TemplateSegment, TemplateSku } from './content.ts'
import {
  isRecord,
  type NamedObject,
  type Rename,
  renamedDiscount,
  renamedFilter,
  renamedMember,
  renamedRule,
} from './references.ts'
import type { TemplateRule } from './schema.ts'
import { listCollectionsById, listLocationsById, listSegmentsById } from './sources.ts'

/**
 * Copies of all that rules and a discount name, directly or through a collection or a segment, as it is now
 * (docs/reference/campaign-templates.md#what-a-template-holds). What a rule names and nobody knows is left out: the rule names it
 * in the copy too.
 */
export async function copyResources(
  ctx: Ctx,
  rules: readonly TemplateRule[],
  discount: Discount | undefined,
): Promise<TemplateResources> {
  for (const { rules: tree } of rules) refuseUnsupported(tree)
  const { names, note } = notebook()
  for (const rule of rules) renamedRule(rule, note)
  const given = notebook()
  if (discount !== undefined) renamedDiscount(discount, joined(note, given.note))

  const segments = await dynamicSegments(ctx, [...names.segment])
  for (const { filter } of segments) renamedFilter(filter, note)
  names.products_collection.delete(allProductsId) // which every project has
  const collections = await listCollectionsById(ctx, [...names.products_collection])
  for (const one of collections)
    if (one.type === 'STATIC') for (const member of one.products) renamedMember(member, note)
    else renamedFilter(one.filter, note)
  const products = await copyGoods(ctx, [...names.product], [...names.sku])
  const locations = await listLocationsById(ctx, [...names.location])
  const resources = { products, locations, segments, collections }
  refuseUnlessComplete(resources, given.names)
  return resources
}

type Names = Record<NamedObject, Set<string>>

/** Notes each name that a walk passes. */
function notebook(): { names: Names; note: Rename } {
  const names: Names = {
    product: new Set(),
    sku: new Set(),
    products_collection: new Set(),
    segment: new Set(),
    location: new Set(),
  }
  const note: Rename = (name, objects) => {
    for (const object of objects) names[object].add(name)
    return name
  }
  return { names, note }
}

const joined =
  (...notes: Rename[]): Rename =>
  (name, objects) =>
    notes.reduce((_, note) => note(name, objects), name)

/**
 * Rules about what only this project has, and no other could be given
 * (docs/reference/campaign-templates.md#campaign-template-endpoints).
 */
const unsupported: ReadonlySet<string> = new Set([
  'redemption.api_key',
  'redemption.user.login',
  'customer.loyalty.tier',
  'customer.loyalty_tier',
])

function refuseUnsupported(tree: TemplateRule['rules']): void {
  for (const rule of Object.values(tree))
    if (isRecord(rule) && unsupported.has(String(rule.name)))
      throw notSupported(`Validation rule '${rule.name}' is not supported by campaign template`)
}

const notSupported = (details: string): ApiError =>
  new ApiError('feature_is_not_supported_by_campaign_template', { details })

async function dynamicSegments(ctx: Ctx, ids: string[]): Promise<TemplateSegment[]> {
  const segments = await listSegmentsById(ctx, ids)
  return segments.map(({ id, name, type, filter }) => {
    if (type === 'static') throw notSupported(`Static segment ${id} is not supported by campaign template`)
    return { id, name, type, filter: filter ?? {} }
  })
}

/**
 * Products with all their SKUs, and SKUs with their products
 * (docs/reference/campaign-templates.md#what-the-use-of-a-template-makes).
 */
async function copyGoods(ctx: Ctx, productNames: string[], skuNames: string[]): Promise<TemplateProduct[]> {
  const namedSkus = await listSkusNamed(ctx, skuNames)
  const named = new Set((await listProductsNamed(ctx, productNames)).map(({ id }) => id))
  const ids = [...named, ...namedSkus.map(({ product_id }) => product_id)]
  // By their ids alone: something else may have one of them as its source id.
  const products = (await listProductsNamed(ctx, ids)).filter(({ id }) => ids.includes(id))

  const copies: TemplateProduct[] = []
  let count = 0
  for (const product of products) {
    const isCopied = named.has(product.id)
    const skus = isCopied
      ? (await listSkus(ctx, product.id, { limit: limits.campaign_template_goods_max }, [])).skus
      : namedSkus.filter(({ product_id }) => product_id === product.id)
    count += 1 + skus.length
    if (count > limits.campaign_template_goods_max)
      throw invalidPayload(
        `A campaign template must NOT have more than ${limits.campaign_template_goods_max} products and SKUs`,
      )
    const { id, source_id, name, price, attributes, metadata, image_url } = product
    const isNamed = ({ id }: Sku) => namedSkus.some((sku) => sku.id === id)
    copies.push({
      id,
      source_id,
      name,
      price,
      attributes,
      metadata,
      image_url,
      is_named: isCopied,
      skus: skus.map((sku) => copyOfSku(sku, isNamed(sku))),
    })
  }
  return copies
}

function copyOfSku(stored: Sku, isNamed: boolean): TemplateSku {
  const { id, source_id, sku, price, currency, attributes, metadata, image_url } = stored
  return { id, source_id, sku, price, currency, attributes, metadata, image_url, is_named: isNamed }
}

/** A discount cannot give away what nobody knows, and a template of it could never be used. */
function refuseUnlessComplete({ products, collections }: TemplateResources, given: Names): void {
  const goods = new Set(products.flatMap(({ id, skus }) => [id, ...skus.map((sku) => sku.id)]))
  for (const id of given.product) if (!goods.has(id)) throw notFound('product', id)
  for (const id of given.products_collection)
    if (id !== allProductsId && !collections.some((one) => one.id === id)) throw notFound('products_collection', id)
}
