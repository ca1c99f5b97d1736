import { insertProducts, listProductsNamed } from '../../catalogue/products/store.ts'
import { insertSkus, listSkusNamed } from '../../catalogue/skus/store.ts'
import type { Ctx } from '../../core/context.ts'
import { ApiError, duplicate } from '../../core/http/errors.ts'
import { loadMetadataRules, type MetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import type { Provided, TemplateProduct, TemplateSku } from './content.ts'
import { listBinnedNames } from './sources.ts'

/**
 * Sees to it that the products and SKUs of a template are there
 * (docs/reference/campaign-templates.md#what-the-use-of-a-template-makes): those that are stay as they are, the others are made
 * again, and nothing is made in place of what is in the bin.
 */
export async function provideGoods(ctx: Ctx, products: readonly TemplateProduct[], provided: Provided): Promise<void> {
  if (products.length === 0) return
  const plans = await planGoods(ctx, products, provided)
  const toMake = plans.filter(({ isMade, skus }) => isMade || skus.length > 0)
  if (toMake.length === 0) return
  await refuseBinned(
    ctx,
    'product',
    toMake.flatMap(({ isMade, product }) => (isMade ? [product] : [])),
  )
  await refuseBinned(
    ctx,
    'sku',
    toMake.flatMap(({ skus }) => skus),
  )
  const rules = await loadMetadataRules(ctx, 'product')
  for (const { product, isMade, skus } of toMake) {
    if (isMade) await makeProduct(ctx, product, rules, provided)
    for (const sku of skus) await makeSku(ctx, sku, provided.idOf(product.id), rules, provided)
  }
}

interface Plan {
  product: TemplateProduct
  isMade: boolean
  /** To be made. */
  skus: TemplateSku[]
}

/** What is to be made. What is there already stays until the end of the transaction. */
async function planGoods(ctx: Ctx, products: readonly TemplateProduct[], provided: Provided): Promise<Plan[]> {
  const skus = products.flatMap((product) => product.skus)
  // Products before SKUs, as whoever deletes a product does.
  const knownProducts = await listProductsNamed(ctx, namesOf(products), { lock: 'here' })
  const knownSkus = await listSkusNamed(ctx, namesOf(skus), { lock: true })
  const isMissing = (known: readonly Identity[]) => (wanted: Identity) => {
    const there = findIn(known, wanted)
    if (there !== undefined) provided.found(wanted.id, there.id)
    return there === undefined
  }
  return products.map((product) => {
    const missing = product.skus.filter(isMissing(knownSkus))
    const named = missing.filter(({ is_named }) => is_named)
    const isMade = isMissing(knownProducts)(product) && (product.is_named || named.length > 0)
    // All its SKUs come with a product; where it is there already, only those that are named.
    return { product, isMade, skus: isMade ? missing : named }
  })
}

type Identity = { id: string; source_id: string | null }

const findIn = (known: readonly Identity[], { id, source_id }: Identity): Identity | undefined =>
  known.find((one) => one.id === id) ??
  (source_id === null ? undefined : known.find((one) => one.source_id === source_id))

const namesOf = (goods: readonly Identity[]): string[] =>
  goods.flatMap(({ id, source_id }) => (source_id === null ? [id] : [id, source_id]))

async function refuseBinned(ctx: Ctx, object: 'product' | 'sku', goods: readonly Identity[]): Promise<void> {
  const binned = await listBinnedNames(ctx, object === 'product' ? 'products' : 'skus', namesOf(goods))
  const found = goods.find((good) => namesOf([good]).some((name) => binned.has(name)))
  if (found !== undefined)
    throw new ApiError('resource_in_use', {
      details: `Resource ${object} with id ${found.id} is in the bin`,
      resource_id: found.id,
      resource_type: object,
    })
}

/** Somebody else may make one of this source id at the same moment, which is then as good as known before. */
async function makeProduct(
  ctx: Ctx,
  { id, source_id, name, price, attributes, metadata, image_url }: TemplateProduct,
  rules: MetadataRules,
  provided: Provided,
): Promise<void> {
  rules.check(metadata, { isNew: true })
  const [made] = await insertProducts(ctx, [{ source_id, name, price, attributes, metadata, image_url }], [])
  if (made === undefined) throw duplicate('product', 'source_id', source_id as string)
  if (made.isNew) provided.made(id, { id: made.product.id, object: 'product' })
  else provided.found(id, made.product.id)
}

async function makeSku(
  ctx: Ctx,
  { id, source_id, sku, price, currency, attributes, metadata, image_url }: TemplateSku,
  productId: string,
  rules: MetadataRules,
  provided: Provided,
): Promise<void> {
  rules.check(metadata, { isNew: true })
  const row = { product_id: productId, source_id, sku, price, currency, attributes, metadata, image_url }
  const [made] = await insertSkus(ctx, [row], [])
  if (made === undefined) throw duplicate('sku', 'source_id', source_id as string)
  if (made.isNew) provided.made(id, { id: made.sku.id, object: 'sku' })
  else provided.found(id, made.sku.id)
}
