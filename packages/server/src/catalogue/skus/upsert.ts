import type { Ctx } from '../../core/context.ts'
import { shippingId } from '../../core/db/built-in-products.ts'
import { duplicate, invalidPayload, isProtected, notFound } from '../../core/http/errors.ts'
import { limits } from '../../core/lib/limits.ts'
import { loadMetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import { checkMetadata, checkPrice } from '../products/check.ts'
import { mergedMetadataSql, replaced } from '../products/on-conflict.ts'
import type { CreateSku, Sku, UpdateSku } from './schema.ts'
import { insertSkus, updateSku } from './store.ts'

/**
 * Creates an SKU of a product, or updates the one with this `id` (404 if unknown) or `source_id`
 * (docs/reference/products.md#sku-endpoints). The caller has locked the product against deletion.
 */
export async function upsertSku(ctx: Ctx, productId: string, { id, source_id, ...sent }: CreateSku): Promise<Sku> {
  if (productId === shippingId) throw isProtected('product', productId)
  if (id !== undefined && id !== null) return changeSku(ctx, id, productId, sent)
  checkFields(sent)
  const [upserted] = await insertSkus(
    ctx,
    [{ product_id: productId, source_id: source_id ?? null, ...sent }],
    [...sentColumns(sent).map(replaced), mergedMetadataSql('skus')],
  )
  if (upserted === undefined) throw duplicate('sku', 'source_id', source_id as string)
  const { sku, isNew } = upserted
  checkMetadata(await loadMetadataRules(ctx, 'product'), sent.metadata, { isNew, metadata: sku.metadata })
  return sku
}

/** Updates the sent fields of an SKU; 404 when the product has none with this id. */
export async function changeSku(ctx: Ctx, id: string, productId: string, sent: UpdateSku): Promise<Sku> {
  checkFields(sent)
  const sku = await updateSku(ctx, id, productId, sent)
  if (sku === undefined) throw notFound('sku', id)
  checkMetadata(await loadMetadataRules(ctx, 'product'), sent.metadata, { isNew: false, metadata: sku.metadata })
  return sku
}

/** The checks beyond schema validation. Attributes are free-form, so only their size is limited. */
export function checkFields({ price, attributes }: UpdateSku): void {
  checkPrice(price, 'invalid_sku')
  if (Buffer.byteLength(JSON.stringify(attributes ?? {})) > limits.metadata_bytes_max)
    throw invalidPayload(`Property .attributes must NOT be larger than ${limits.metadata_bytes_max} bytes`)
}

const sentColumns = (sent: UpdateSku) =>
  (['sku', 'price', 'currency', 'attributes', 'image_url'] as const).filter((column) => sent[column] !== undefined)
