import type { GoodIds, Item } from './cart.ts'
import type { EvaluationScope } from './evaluation-scope.ts'
import { compileFilter } from './filter/index.ts'
import { memoize } from './memoize.ts'
import type { Collection, Filter } from './schema/index.ts'
import { isRecord, ownEntry } from './values.ts'
import { comparisonSteps, type ScannedArguments } from './work.ts'

/** A reference to a product, an SKU or a product collection. */
export interface Reference {
  object: 'product' | 'sku' | 'products_collection'
  id?: string | null
  source_id?: string | null
  /** For a product: excludes lines of its SKUs. */
  strict?: boolean | null
}

/** The built-in collection of every product and SKU, including goods that are not in the catalogue. */
export const allProducts = 'pc_a11pr0dUc75'

/** Whether a line sells the referenced good (docs/reference/rules.md#lines-and-references). */
export function matches(
  item: Item,
  reference: Reference,
  scope: Pick<EvaluationScope, 'catalogue' | 'clock' | 'work'>,
): boolean {
  switch (reference.object) {
    case 'sku':
      return item.sku !== null && isKnownAs(item.sku, reference)
    case 'product':
      return (
        item.product !== null && isKnownAs(item.product, reference) && !(reference.strict === true && item.sku !== null)
      )
    case 'products_collection':
      return isInCollection(item, reference.id ?? '', scope)
  }
}

/** Ids and source ids are interchangeable in references. */
function isKnownAs({ id, source_id }: GoodIds, reference: Reference): boolean {
  const { id: wantedId, source_id: wantedSource } = reference
  if (wantedId != null && (wantedId === id || wantedId === source_id)) return true
  return wantedSource != null && (wantedSource === source_id || wantedSource === id)
}

export function isInCollection(
  item: Item,
  id: string,
  scope: Pick<EvaluationScope, 'catalogue' | 'clock' | 'work'>,
): boolean {
  if (id === allProducts) return true
  const collection = ownEntry(scope.catalogue.collections, id)
  if (collection === undefined) return false
  if (collection.type === 'AUTO_UPDATE') {
    const scanned = scannedIn(collection.filter)
    const read = (field: string): unknown => {
      const value = attributeOf(item, field)
      scope.work.spend(comparisonSteps(value, scanned))
      return value
    }
    return compileFilter(collection.filter)(read, scope.clock, scope.catalogue)
  }
  const { products, skus } = membersOf(collection)
  return isMember(item.sku, skus) || isMember(item.product, products)
}

/** Every value of a filter counts for each of its fields. */
const scannedIn = memoize((filter: Filter): ScannedArguments => {
  const values = valuesIn(filter)
  return { weight: values.length / 4, characters: values.reduce<number>((sum, value) => sum + String(value).length, 0) }
})

const valuesIn = (part: unknown): unknown[] =>
  typeof part === 'object' && part !== null ? Object.values(part).flatMap(valuesIn) : [part]

const isMember = (ids: GoodIds | null, members: ReadonlySet<string>): boolean =>
  ids !== null && ((ids.id !== null && members.has(ids.id)) || (ids.source_id !== null && members.has(ids.source_id)))

const membersOf = memoize((collection: Extract<Collection, { type: 'STATIC' }>) => ({
  products: new Set(collection.products.filter(({ object }) => object === 'product').map(({ id }) => id)),
  skus: new Set(collection.products.filter(({ object }) => object === 'sku').map(({ id }) => id)),
}))

/**
 * The value of a filter field for a line: an SKU line has the data of the SKU, any other line that of its product
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

/**
 * The metadata of a line: that of the catalogue, overlaid with that sent for the product or SKU, then with the line's own.
 */
export const metadataOf = memoize(
  ({ facts, sku }: Item): Record<string, unknown> =>
    (sku === null
      ? overlayMetadata(facts.catalogue?.product?.metadata, facts.product?.metadata, facts.metadata)
      : overlayMetadata(facts.catalogue?.sku?.metadata, facts.sku?.metadata, facts.metadata)) ?? {},
)

/** The metadata of the product only, even for a line of one of its SKUs. */
export const productMetadata = memoize(
  ({ facts }: Item): Record<string, unknown> =>
    overlayMetadata(facts.catalogue?.product?.metadata, facts.product?.metadata) ?? {},
)

/** Merges metadata key by key; later layers win. */
export function overlayMetadata(...layers: unknown[]): Record<string, unknown> | undefined {
  const records = layers.filter((layer): layer is Record<string, unknown> => layer != null && typeof layer === 'object')
  return records.length === 0 ? undefined : records.length === 1 ? records[0] : Object.assign({}, ...records)
}

/** Reads a metadata value by path. Dots separate nested keys, unless a key itself contains the dots. */
export function valueAt(metadata: unknown, path: string): unknown {
  let value: unknown = metadata
  if (isRecord(value) && Object.hasOwn(value, path)) return value[path]
  for (const key of path.split('.')) {
    if (!isRecord(value) || !Object.hasOwn(value, key)) return undefined
    value = value[key]
  }
  return value
}
