import { insertProducts, listProductsByKey } from '../../catalogue/products/store.ts'
import { insertSkus, listSkusByKey } from '../../catalogue/skus/store.ts'
import type { Ctx } from '../../core/context.ts'
import { ApiError, duplicate } from '../../core/http/errors.ts'
import { loadMetadataRules, type MetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import type { ResourceMapping, TemplateProduct, TemplateSku } from './content.ts'
import { listBinnedNames } from './sources.ts'

/**
 * Ensures that the products and SKUs of a template exist
 * (docs/reference/campaign-templates.md#what-the-use-of-a-template-makes): existing ones stay unchanged, missing ones are
 * created. A missing one that is in the bin refuses the request.
 */
export async function provideGoods(
  ctx: Ctx,
  products: readonly TemplateProduct[],
  mapping: ResourceMapping,
): Promise<void> {
  if (products.length === 0) return
  const plans = await planGoods(ctx, products, mapping)
  const toCreate = plans.filter(({ mustCreate, skus }) => mustCreate || skus.length > 0)
  if (toCreate.length === 0) return
  await refuseBinned(
    ctx,
    'product',
    toCreate.flatMap(({ mustCreate, product }) => (mustCreate ? [product] : [])),
  )
  await refuseBinned(
    ctx,
    'sku',
    toCreate.flatMap(({ skus }) => skus),
  )
  const rules = await loadMetadataRules(ctx, 'product')
  for (const { product, mustCreate, skus } of toCreate) {
    if (mustCreate) await createMissingProduct(ctx, product, rules, mapping)
    for (const sku of skus) await createMissingSku(ctx, sku, mapping.idOf(product.id), rules, mapping)
  }
}

interface Plan {
  product: TemplateProduct
  mustCreate: boolean
  /** Missing SKUs to create. */
  skus: TemplateSku[]
}

/** Determines what to create. Existing rows are locked, so that they cannot be deleted before the transaction ends. */
async function planGoods(ctx: Ctx, products: readonly TemplateProduct[], mapping: ResourceMapping): Promise<Plan[]> {
  const skus = products.flatMap((product) => product.skus)
  // Lock products before SKUs, in the same order as the deletion of a product, to avoid deadlocks.
  const knownProducts = await listProductsByKey(ctx, namesOf(products), { lock: 'keyShare' })
  const knownSkus = await listSkusByKey(ctx, namesOf(skus), { lock: true })
  const isMissing = (known: readonly Identity[]) => (wanted: Identity) => {
    const match = findIn(known, wanted)
    if (match !== undefined) mapping.recordFound(wanted.id, match.id)
    return match === undefined
  }
  return products.map((product) => {
    const missing = product.skus.filter(isMissing(knownSkus))
    const referenced = missing.filter(({ is_named }) => is_named)
    const mustCreate = isMissing(knownProducts)(product) && (product.is_named || referenced.length > 0)
    // A new product gets all its SKUs; an existing product gets the referenced ones only.
    return { product, mustCreate, skus: mustCreate ? missing : referenced }
  })
}

type Identity = { id: string; source_id: string | null }

const findIn = (known: readonly Identity[], { id, source_id }: Identity): Identity | undefined =>
  known.find((good) => good.id === id) ??
  (source_id === null ? undefined : known.find((good) => good.source_id === source_id))

const namesOf = (goods: readonly Identity[]): string[] =>
  goods.flatMap(({ id, source_id }) => (source_id === null ? [id] : [id, source_id]))

async function refuseBinned(ctx: Ctx, object: 'product' | 'sku', goods: readonly Identity[]): Promise<void> {
  const binnedNames = await listBinnedNames(ctx, object === 'product' ? 'products' : 'skus', namesOf(goods))
  const binnedGood = goods.find((good) => namesOf([good]).some((name) => binnedNames.has(name)))
  if (binnedGood !== undefined)
    throw new ApiError('resource_in_use', {
      details: `Resource ${object} with id ${binnedGood.id} is in the bin`,
      resource_id: binnedGood.id,
      resource_type: object,
    })
}

/** A concurrent request may insert a product with this source id first; it is then used like an existing one. */
async function createMissingProduct(
  ctx: Ctx,
  { id, source_id, name, price, attributes, metadata, image_url }: TemplateProduct,
  rules: MetadataRules,
  mapping: ResourceMapping,
): Promise<void> {
  rules.check(metadata, { isNew: true })
  const [stored] = await insertProducts(ctx, [{ source_id, name, price, attributes, metadata, image_url }], [])
  if (stored === undefined) throw duplicate('product', 'source_id', source_id as string)
  if (stored.isNew) mapping.recordCreated(id, { id: stored.product.id, object: 'product' })
  else mapping.recordFound(id, stored.product.id)
}

async function createMissingSku(
  ctx: Ctx,
  { id, source_id, sku, price, currency, attributes, metadata, image_url }: TemplateSku,
  productId: string,
  rules: MetadataRules,
  mapping: ResourceMapping,
): Promise<void> {
  rules.check(metadata, { isNew: true })
  const row = { product_id: productId, source_id, sku, price, currency, attributes, metadata, image_url }
  const [stored] = await insertSkus(ctx, [row], [])
  if (stored === undefined) throw duplicate('sku', 'source_id', source_id as string)
  if (stored.isNew) mapping.recordCreated(id, { id: stored.sku.id, object: 'sku' })
  else mapping.recordFound(id, stored.sku.id)
}
