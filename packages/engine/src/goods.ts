import type { Item, Known } from './cart.ts'
import type { EvaluationScope } from './evaluation-scope.ts'
import { compileFilter } from './filter/index.ts'
import { once } from './once.ts'
import type { Collection } from './schema/index.ts'
import { isRecord, ownEntry } from './values.ts'

/** Names goods: a product, an SKU or a collection of both. */
export interface Reference {
  object: 'product' | 'sku' | 'products_collection'
  id?: string | null
  source_id?: string | null
  /** Of a product: its SKUs are not meant. */
  strict?: boolean | null
}

/** Every product and SKU, also those that the catalogue does not know. */
export const allProducts = 'pc_a11pr0dUc75'

/** Whether a line sells what a reference names (docs/reference/rules.md#lines-and-references). */
export function matches(
  item: Item,
  reference: Reference,
  scene: Pick<EvaluationScope, 'catalogue' | 'clock'>,
): boolean {
  switch (reference.object) {
    case 'sku':
      return item.sku !== null && isKnownAs(item.sku, reference)
    case 'product':
      return (
        item.product !== null && isKnownAs(item.product, reference) && !(reference.strict === true && item.sku !== null)
      )
    case 'products_collection':
      return isInCollection(item, reference.id ?? '', scene)
  }
}

/** An id may be given where a source id is meant, and the other way round. */
function isKnownAs({ id, source_id }: Known, reference: Reference): boolean {
  const { id: wanted, source_id: wantedSource } = reference
  if (wanted != null && (wanted === id || wanted === source_id)) return true
  return wantedSource != null && (wantedSource === source_id || wantedSource === id)
}

export function isInCollection(item: Item, id: string, scene: Pick<EvaluationScope, 'catalogue' | 'clock'>): boolean {
  if (id === allProducts) return true
  const collection = ownEntry(scene.catalogue.collections, id)
  if (collection === undefined) return false
  if (collection.type === 'AUTO_UPDATE') {
    return compileFilter(collection.filter)((field) => attributeOf(item, field), scene.clock, scene.catalogue)
  }
  const { products, skus } = membersOf(collection)
  return isMember(item.sku, skus) || isMember(item.product, products)
}

const isMember = (known: Known | null, members: ReadonlySet<string>): boolean =>
  known !== null &&
  ((known.id !== null && members.has(known.id)) || (known.source_id !== null && members.has(known.source_id)))

const membersOf = once((collection: Extract<Collection, { type: 'STATIC' }>) => ({
  products: new Set(collection.products.filter(({ object }) => object === 'product').map(({ id }) => id)),
  skus: new Set(collection.products.filter(({ object }) => object === 'sku').map(({ id }) => id)),
}))

/**
 * What a collection's filter sees of a line: an SKU line shows the SKU's own data, any other its product's
 * (docs/reference/product-collections.md#filter-fields).
 */
export function attributeOf(item: Item, field: string): unknown {
  const { facts, sku, product } = item
  const { catalogue } = facts
  const stored = sku === null ? catalogue?.product : catalogue?.sku
  if (field.startsWith('metadata.')) return valueAt(metadataOf(item), field.slice('metadata.'.length))
  switch (field) {
    case 'id':
      return (sku ?? product)?.id
    case 'source_id':
      return (sku ?? product)?.source_id
    case 'product_id':
      return sku === null ? undefined : product?.id
    case 'object':
      return sku === null ? 'product' : 'sku'
    case 'name':
      return sku === null ? (facts.product?.name ?? catalogue?.product?.name) : (facts.sku?.sku ?? catalogue?.sku?.sku)
    case 'price':
      return item.price
    case 'attributes':
      return sku === null ? catalogue?.product?.attributes : Object.values(catalogue?.sku?.attributes ?? {})
    case 'skus':
      return sku === null ? catalogue?.product?.skus : undefined
    case 'image_url':
    case 'created_at':
    case 'updated_at':
      return stored?.[field]
    default:
      return undefined
  }
}

/** The metadata of a line: the catalogue's, then what was sent of the product or SKU, then the line's own. */
export const metadataOf = once(
  ({ facts, sku }: Item): Record<string, unknown> =>
    (sku === null
      ? overlaid(facts.catalogue?.product?.metadata, facts.product?.metadata, facts.metadata)
      : overlaid(facts.catalogue?.sku?.metadata, facts.sku?.metadata, facts.metadata)) ?? {},
)

/** The metadata of the product alone, also where the line sells one of its SKUs. */
export const productMetadata = once(
  ({ facts }: Item): Record<string, unknown> =>
    overlaid(facts.catalogue?.product?.metadata, facts.product?.metadata) ?? {},
)

/** Metadata, key by key; what comes later wins. */
export function overlaid(...layers: unknown[]): Record<string, unknown> | undefined {
  const known = layers.filter((layer): layer is Record<string, unknown> => layer != null && typeof layer === 'object')
  return known.length === 0 ? undefined : known.length === 1 ? known[0] : Object.assign({}, ...known)
}

/** A value in metadata. Dots lead into nested objects, unless a key itself has them. */
export function valueAt(metadata: unknown, path: string): unknown {
  let value: unknown = metadata
  if (isRecord(value) && Object.hasOwn(value, path)) return value[path]
  for (const key of path.split('.')) {
    if (!isRecord(value) || !Object.hasOwn(value, key)) return undefined
    value = value[key]
  }
  return value
}
