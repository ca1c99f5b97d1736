import type { Ctx } from '../../core/context.ts'
import { shippingId, shippingSourceId } from '../../core/db/built-in-products.ts'
import { duplicate, isProtected, notFound } from '../../core/http/errors.ts'
import { loadMetadataRules, type MetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import { checkMetadata, checkPrice } from './check.ts'
import { mergedMetadataSql, replaced } from './on-conflict.ts'
import type { CreateProduct, Product, UpdateProduct } from './schema.ts'
import { insertProducts, type Sent, updateProduct } from './store.ts'

/**
 * Creates a product, or updates the one with this `id` (404 if unknown) or `source_id`
 * (docs/reference/products.md#product-endpoints). A source id next to an id is ignored: it never changes.
 */
export async function upsertProduct(
  ctx: Ctx,
  { id, source_id, ...sent }: Sent<CreateProduct>,
  rules?: MetadataRules,
): Promise<{ product: Product; isNew: boolean }> {
  if (id !== undefined && id !== null) return { product: await changeProduct(ctx, id, sent), isNew: false }
  if (source_id === shippingSourceId) throw isProtected('product', source_id)
  checkPrice(sent.price, 'invalid_product')
  const [upserted] = await insertProducts(
    ctx,
    [{ source_id: source_id ?? null, ...sent }],
    [...sentColumns(sent).map(replaced), mergedMetadataSql('products')],
  )
  if (upserted === undefined) throw duplicate('product', 'source_id', source_id as string)
  const { product, isNew } = upserted
  checkMetadata(rules ?? (await loadMetadataRules(ctx, 'product')), sent.metadata, {
    isNew,
    metadata: product.metadata,
  })
  return upserted
}

/** Updates the sent fields of a product; 404 when there is none with this id. */
export async function changeProduct(ctx: Ctx, id: string, sent: Sent<UpdateProduct>): Promise<Product> {
  if (id === shippingId) throw isProtected('product', id)
  checkPrice(sent.price, 'invalid_product')
  const product = await updateProduct(ctx, id, sent)
  if (product === undefined) throw notFound('product', id)
  checkMetadata(await loadMetadataRules(ctx, 'product'), sent.metadata, { isNew: false, metadata: product.metadata })
  return product
}

const sentColumns = (sent: Sent<UpdateProduct>) =>
  (['name', 'price', 'attributes', 'image_url'] as const).filter((column) => sent[column] !== undefined)
