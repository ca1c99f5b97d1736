import type { Discount } from '@guerdon/engine/schema'
import { listProductsByKey } from '../../catalogue/products/store.ts'
import type { Sku } from '../../catalogue/skus/schema.ts'
import { listSkus, listSkusByKey } from '../../catalogue/skus/store.ts'
import type { Ctx } from '../../core/context.ts'
import { allProductsId } from '../../core/db/built-in-collections.ts'
import { ApiError, invalidPayload, notFound } from '../../core/http/errors.ts'
import { limits } from '../../core/lib/limits.ts'
import type { TemplateProduct, TemplateResources, TemplateSegment, TemplateSku } from './content.ts'
import {
  isRecord,
  type Rename,
  renamedDiscount,
  renamedFilter,
  renamedMember,
  renamedRule,
  type TemplateReference,
} from './references.ts'
import type { TemplateRule } from './schema.ts'
import { listCollectionsById, listLocationsById, listSegmentsById } from './sources.ts'

/**
 * Copies every resource that the rules and the discount reference, directly or through a collection or a segment, in its
 * current state (docs/reference/campaign-templates.md#what-a-template-holds). Unknown ids are skipped: the rule in the
 * template keeps them unchanged.
 */
export async function copyResources(
  ctx: Ctx,
  rules: readonly TemplateRule[],
  discount: Discount | undefined,
): Promise<TemplateResources> {
  for (const { rules: tree } of rules) refuseUnsupported(tree)
  const { names, collect } = newReferenceCollector()
  for (const rule of rules) renamedRule(rule, collect)
  const inDiscount = newReferenceCollector()
  if (discount !== undefined) renamedDiscount(discount, combined(collect, inDiscount.collect))

  const segments = await dynamicSegments(ctx, [...names.segment])
  for (const { filter } of segments) renamedFilter(filter, collect)
  names.products_collection.delete(allProductsId) // exists in every project
  const collections = await listCollectionsById(ctx, [...names.products_collection])
  for (const collection of collections)
    if (collection.type === 'STATIC') for (const member of collection.products) renamedMember(member, collect)
    else renamedFilter(collection.filter, collect)
  const products = await copyGoods(ctx, [...names.product], [...names.sku])
  const locations = await listLocationsById(ctx, [...names.location])
  const resources = { products, locations, segments, collections }
  refuseUnlessComplete(resources, inDiscount.names)
  return resources
}

type ReferencedNames = Record<TemplateReference, Set<string>>

/** Collects each reference that a walk over rules, filters or a discount visits. */
function newReferenceCollector(): { names: ReferencedNames; collect: Rename } {
  const names: ReferencedNames = {
    product: new Set(),
    sku: new Set(),
    products_collection: new Set(),
    segment: new Set(),
    location: new Set(),
  }
  const collect: Rename = (name, objects) => {
    for (const object of objects) names[object].add(name)
    return name
  }
  return { names, collect }
}

const combined =
  (...collectors: Rename[]): Rename =>
  (name, objects) =>
    collectors.reduce((_, collect) => collect(name, objects), name)

/**
 * Rules that refer to API keys, users or loyalty tiers of this project, which cannot be copied to another project
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
 * Copies referenced products with all their SKUs, and referenced SKUs with their products
 * (docs/reference/campaign-templates.md#what-the-use-of-a-template-makes).
 */
async function copyGoods(ctx: Ctx, productNames: string[], skuNames: string[]): Promise<TemplateProduct[]> {
  const namedSkus = await listSkusByKey(ctx, skuNames)
  const referencedIds = new Set((await listProductsByKey(ctx, productNames)).map(({ id }) => id))
  const ids = [...referencedIds, ...namedSkus.map(({ product_id }) => product_id)]
  // Match by id only: another product may have one of these ids as its source id.
  const products = (await listProductsByKey(ctx, ids)).filter(({ id }) => ids.includes(id))

  const copies: TemplateProduct[] = []
  let count = 0
  for (const product of products) {
    const isCopied = referencedIds.has(product.id)
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

/** Refuses a discount that gives away an unknown product or collection: a template with it could never be used. */
function refuseUnlessComplete({ products, collections }: TemplateResources, inDiscount: ReferencedNames): void {
  const goods = new Set(products.flatMap(({ id, skus }) => [id, ...skus.map((sku) => sku.id)]))
  for (const id of inDiscount.product) if (!goods.has(id)) throw notFound('product', id)
  for (const id of inDiscount.products_collection)
    if (id !== allProductsId && !collections.some((collection) => collection.id === id))
      throw notFound('products_collection', id)
}
