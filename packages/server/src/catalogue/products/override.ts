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
import { findGoods, type GoodKeys, type Goods, namedBy } from './goods.ts'
import { mergedMetadata, replacedIfGiven } from './on-conflict.ts'
import type { Product } from './schema.ts'
import { type GoodChange, insertProducts, listProductsNamed, updateProducts } from './store.ts'

/** What an order line with `override` says of its product or SKU. Null says nothing. */
export interface GoodOverride {
  /** What the line calls it, an id or a source id: the source id of a new one. */
  key: string
  /** Of an SKU, its `sku`. */
  name?: string | null | undefined
  price?: number | null | undefined
  metadata?: Record<string, unknown> | null | undefined
}

export interface SkuOverride extends GoodOverride {
  /** Names its product, by id or source id; needed unless the SKU is known. */
  product_key?: string | null | undefined
}

export interface Overrides {
  products: readonly GoodOverride[]
  skus: readonly SkuOverride[]
}

/**
 * Brings the catalogue up to what the lines of an order say with `override` (docs/reference/orders.md#input), and answers what
 * `findGoods` finds then. Unknown goods are created; of known ones name and price are overwritten, and metadata key by key, as
 * everywhere (docs/reference/metadata-schemas.md#writing-metadata). When several lines speak of one good, the last word counts.
 *
 * It takes a few statements, however many lines there are, and writes nothing when the catalogue says the same already:
 * many shops send `override` with every line of every order.
 *
 * The built-in product stays as it is, and a source id in the bin stays taken. Neither is a reason to refuse an order:
 * the line then says what the catalogue does not.
 */
export async function overrideGoods(ctx: Ctx, keys: GoodKeys, overrides: Overrides): Promise<Goods> {
  const known = await findGoods(ctx, {
    products: [...keys.products, ...keysOf(overrides.products)],
    skus: [...keys.skus, ...keysOf(overrides.skus)],
  })
  const products = toWrite(overrides.products, namedBy(known.products))
  const skus = toWrite(overrides.skus, namedBy(known.skus))
  if ([products, skus].every(({ changed, created }) => changed.length + created.length === 0)) return known

  const rules = await loadMetadataRules(ctx, 'product')
  const writtenProducts = await writeProducts(ctx, products, rules)
  const writtenSkus = await writeSkus(ctx, skus, rules)
  return {
    products: latest([...known.products, ...writtenProducts, ...writtenSkus.parents]),
    skus: latest([...known.skus, ...writtenSkus.skus]),
  }
}

const keysOf = (overrides: readonly GoodOverride[]): string[] => overrides.map(({ key }) => key)

type Good = Product | Sku

/** What is left to write when each good is spoken of once. */
interface ToWrite<Override extends GoodOverride> {
  changed: GoodChange[]
  created: Override[]
}

function toWrite<Override extends GoodOverride>(
  overrides: readonly Override[],
  goodNamed: (key: string) => Good | undefined,
): ToWrite<Override> {
  const byGood = new Map<string, { good: Good | undefined; said: Override }>()
  for (const override of overrides) {
    const good = goodNamed(override.key)
    const name = good?.id ?? override.key
    byGood.set(name, { good, said: lastWord(byGood.get(name)?.said, override) })
  }
  byGood.delete(shippingId)
  const changed: GoodChange[] = []
  const created: Override[] = []
  for (const { good, said } of byGood.values())
    if (good === undefined) created.push(said)
    else if (differs(good, said)) changed.push(toChange(good.id, said))
  // New goods get their ids in the order in which they are inserted: orders that know them a moment later lock them in it.
  created.sort((a, b) => (a.key < b.key ? -1 : 1))
  return { changed, created }
}

function lastWord<Override extends GoodOverride>(before: Override | undefined, after: Override): Override {
  if (before === undefined) return after
  const given = Object.entries(after).filter(([, value]) => value !== null && value !== undefined)
  return { ...before, ...Object.fromEntries(given), metadata: { ...before.metadata, ...after.metadata } }
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
  { changed, created }: ToWrite<GoodOverride>,
  rules: MetadataRules,
): Promise<Product[]> {
  checkSent(rules, changed, created)
  // Known ones first: whoever knows those that are new here as well takes them in this order too.
  const updated = await updateProducts(ctx, changed)
  const inserted = await insertProducts(
    ctx,
    created.map(({ key, name, price, metadata }) => ({ source_id: key, name, price, metadata })),
    [replacedIfGiven('products', 'name'), replacedIfGiven('products', 'price'), mergedMetadata('products')],
  )
  return storable([...updated, ...inserted.map(({ product }) => product)])
}

async function writeSkus(
  ctx: Ctx,
  { changed, created }: ToWrite<SkuOverride>,
  rules: MetadataRules,
): Promise<{ skus: Sku[]; parents: Product[] }> {
  checkSent(rules, changed, created)
  const parents = await listProductsNamed(
    ctx,
    created.flatMap(({ product_key }) => product_key ?? []),
    { lock: 'here' },
  )
  const parentNamed = namedBy(parents)
  const added = created.map(({ key, product_key, name, price, metadata }) => {
    const parent = parentNamed(product_key ?? '')
    if (parent === undefined)
      throw new ApiError('invalid_order', { details: `SKU ${key} can be created only with its product` })
    return { product_id: parent.id, source_id: key, sku: name, price, metadata }
  })
  const updated = await updateSkus(ctx, changed)
  const inserted = await insertSkus(
    ctx,
    added.filter(({ product_id }) => product_id !== shippingId),
    [replacedIfGiven('skus', 'sku'), replacedIfGiven('skus', 'price'), mergedMetadata('skus')],
  )
  return { skus: storable([...updated, ...inserted.map(({ sku }) => sku)]), parents }
}

function checkSent(rules: MetadataRules, changed: GoodChange[], created: GoodOverride[]): void {
  for (const { metadata } of changed) rules.check(metadata, { isNew: false })
  for (const { metadata } of created) rules.check(metadata ?? {}, { isNew: true })
}

/** Merged metadata may be too much where what was sent was not. */
function storable<T extends Good>(goods: T[]): T[] {
  for (const { metadata } of goods) refuseUnlessStorable(metadata)
  return goods
}

/** Each good once, as it was last seen. */
const latest = <T extends Good>(goods: T[]): T[] => [...new Map(goods.map((good) => [good.id, good])).values()]
