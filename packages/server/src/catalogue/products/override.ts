import { isDeepStrictEqual } from 'node:util'
import type { Ctx } from '../../core/context.ts'
import { shippingId } from '../../core/db/built-in-products.ts'
import { ApiError } from '../../core/http/errors.ts'
import {
  loadMetadataRules,
  type MetadataRules,
  refuseUnlessStorable,
} from '../../definitions/metadata-schemas/rules.ts'
import type { Sku } from '../skus/schema.ts'
import { insertSkus, updateSkus } from '../skus/store.ts'
import { findGoods, type GoodKeys, type Goods, lookupByKey } from './goods.ts'
import { mergedMetadataSql, replacedIfGiven } from './on-conflict.ts'
import type { Product } from './schema.ts'
import { type GoodChange, insertProducts, listProductsByKey, updateProducts } from './store.ts'

/** The product or SKU data of an order line with `override`. Null means not sent. */
export interface GoodOverride {
  /** The key in the line, an id or a source id; it becomes the source id of a new good. */
  key: string
  /** For an SKU, its `sku`. */
  name?: string | null | undefined
  price?: number | null | undefined
  metadata?: Record<string, unknown> | null | undefined
}

export interface SkuOverride extends GoodOverride {
  /** The id or source id of its product; required unless the SKU exists. */
  product_key?: string | null | undefined
}

export interface Overrides {
  products: readonly GoodOverride[]
  skus: readonly SkuOverride[]
}

/**
 * Writes the `override` data of order lines to the catalogue (docs/reference/orders.md#input), and returns what `findGoods` finds
 * afterwards. Creates unknown goods; overwrites name and price of known ones and merges their metadata by key, as everywhere
 * (docs/reference/metadata-schemas.md#writing-metadata). If several lines override one good, the last value wins.
 *
 * Runs a constant number of statements for any number of lines, and writes nothing if the catalogue has the same values already:
 * many shops send `override` with every line of every order.
 *
 * The built-in product is never changed, and the source id of a deleted good in the bin stays taken. Neither refuses the order:
 * the line then has values that the catalogue does not have.
 */
export async function overrideGoods(ctx: Ctx, keys: GoodKeys, overrides: Overrides): Promise<Goods> {
  const known = await findGoods(ctx, {
    products: [...keys.products, ...keysOf(overrides.products)],
    skus: [...keys.skus, ...keysOf(overrides.skus)],
  })
  const products = pendingWrites(overrides.products, lookupByKey(known.products))
  const skus = pendingWrites(overrides.skus, lookupByKey(known.skus))
  if ([products, skus].every(({ changed, created }) => changed.length + created.length === 0)) return known

  const rules = await loadMetadataRules(ctx, 'product')
  const writtenProducts = await writeProducts(ctx, products, rules)
  const writtenSkus = await writeSkus(ctx, skus, rules)
  return {
    products: latestById([...known.products, ...writtenProducts, ...writtenSkus.parents]),
    skus: latestById([...known.skus, ...writtenSkus.skus]),
  }
}

const keysOf = (overrides: readonly GoodOverride[]): string[] => overrides.map(({ key }) => key)

type Good = Product | Sku

/** The writes that remain after merging all overrides of the same good and dropping those without a difference. */
interface PendingWrites<Override extends GoodOverride> {
  changed: GoodChange[]
  created: Override[]
}

function pendingWrites<Override extends GoodOverride>(
  overrides: readonly Override[],
  findGood: (key: string) => Good | undefined,
): PendingWrites<Override> {
  const byGood = new Map<string, { good: Good | undefined; merged: Override }>()
  for (const override of overrides) {
    const good = findGood(override.key)
    const key = good?.id ?? override.key
    byGood.set(key, { good, merged: mergeOverrides(byGood.get(key)?.merged, override) })
  }
  byGood.delete(shippingId)
  const changed: GoodChange[] = []
  const created: Override[] = []
  for (const { good, merged } of byGood.values())
    if (good === undefined) created.push(merged)
    else if (differs(good, merged)) changed.push(toChange(good.id, merged))
  // New goods get ascending ids in the order of insertion. Later orders lock them by id, so both lock in the same order.
  created.sort((a, b) => (a.key < b.key ? -1 : 1))
  return { changed, created }
}

function mergeOverrides<Override extends GoodOverride>(before: Override | undefined, after: Override): Override {
  if (before === undefined) return after
  const sentFields = Object.entries(after).filter(([, value]) => value !== null && value !== undefined)
  return { ...before, ...Object.fromEntries(sentFields), metadata: { ...before.metadata, ...after.metadata } }
}

function differs(good: Good, { name, price, metadata }: GoodOverride): boolean {
  const storedName = good.object === 'product' ? good.name : good.sku
  return (
    (name ?? storedName) !== storedName ||
    (price ?? good.price) !== good.price ||
    !isDeepStrictEqual({ ...good.metadata, ...metadata }, good.metadata)
  )
}

function toChange(id: string, { name = null, price = null, metadata }: GoodOverride): GoodChange {
  return { id, name, price, metadata: metadata ?? {} }
}

async function writeProducts(
  ctx: Ctx,
  { changed, created }: PendingWrites<GoodOverride>,
  rules: MetadataRules,
): Promise<Product[]> {
  checkSent(rules, changed, created)
  // Known goods first: a transaction that already knows the goods created here locks them in the same order.
  const updated = await updateProducts(ctx, changed)
  const inserted = await insertProducts(
    ctx,
    created.map(({ key, name, price, metadata }) => ({ source_id: key, name, price, metadata })),
    [replacedIfGiven('products', 'name'), replacedIfGiven('products', 'price'), mergedMetadataSql('products')],
  )
  return checkStorable([...updated, ...inserted.map(({ product }) => product)])
}

async function writeSkus(
  ctx: Ctx,
  { changed, created }: PendingWrites<SkuOverride>,
  rules: MetadataRules,
): Promise<{ skus: Sku[]; parents: Product[] }> {
  checkSent(rules, changed, created)
  const parents = await listProductsByKey(
    ctx,
    created.flatMap(({ product_key }) => product_key ?? []),
    { lock: 'keyShare' },
  )
  const findParent = lookupByKey(parents)
  const added = created.map(({ key, product_key, name, price, metadata }) => {
    const parent = findParent(product_key ?? '')
    if (parent === undefined)
      throw new ApiError('invalid_order', { details: `SKU ${key} can be created only with its product` })
    return { product_id: parent.id, source_id: key, sku: name, price, metadata }
  })
  const updated = await updateSkus(ctx, changed)
  const inserted = await insertSkus(
    ctx,
    added.filter(({ product_id }) => product_id !== shippingId),
    [replacedIfGiven('skus', 'sku'), replacedIfGiven('skus', 'price'), mergedMetadataSql('skus')],
  )
  return { skus: checkStorable([...updated, ...inserted.map(({ sku }) => sku)]), parents }
}

function checkSent(rules: MetadataRules, changed: GoodChange[], created: GoodOverride[]): void {
  for (const { metadata } of changed) rules.check(metadata, { isNew: false })
  for (const { metadata } of created) rules.check(metadata ?? {}, { isNew: true })
}

/** Merged metadata may be too large even if the sent part is not. */
function checkStorable<T extends Good>(goods: T[]): T[] {
  for (const { metadata } of goods) refuseUnlessStorable(metadata)
  return goods
}

/** Deduplicates goods by id; the last one wins. */
const latestById = <T extends Good>(goods: T[]): T[] => [...new Map(goods.map((good) => [good.id, good])).values()]
