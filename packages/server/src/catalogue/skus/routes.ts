import type { Ctx } from '../../core/context.ts'
import { numbersRead } from '../../core/http/numeric-text.ts'
import { operation } from '../../core/http/operation.ts'
import { StartedAsyncAction } from '../../core/jobs/async-actions/schema.ts'
import { startFileImport } from '../../core/jobs/file-import.ts'
import { CsvFile } from '../../core/jobs/files/schema.ts'
import { getProduct } from '../products/store.ts'
import { importSkus } from './import.ts'
import { pageOfSkus } from './list.ts'
import { removeSku } from './remove.ts'
import { CreateSku, DeleteSkuQuery, NewSku, Sku, SkuChanges, SkuList, SkuQuery, UpdateSku } from './schema.ts'
import { getSku } from './store.ts'
import { changeSku, upsertSku } from './upsert.ts'

const readNew = numbersRead(NewSku)
const readChanges = numbersRead(SkuChanges)

export const skus = [
  operation({
    id: 'getSku',
    method: 'GET',
    path: '/v1/skus/{skuId}',
    summary: 'Get an SKU',
    description: 'By its id or its `source_id`.',
    reply: Sku,
    errors: ['not_found'],
    run: (ctx, { params }) => getSku(ctx, params.skuId),
  }),
  operation({
    id: 'listSkus',
    method: 'GET',
    path: '/v1/products/{productId}/skus',
    summary: 'List the SKUs of a product',
    description: 'Oldest first unless asked otherwise.',
    query: SkuQuery,
    reply: SkuList,
    errors: ['invalid_query_params', 'not_found'],
    target: (ctx, { params }) => getProduct(ctx, params.productId),
    run: (ctx, { target, query }) => pageOfSkus(ctx, target.id, query),
  }),
  operation({
    id: 'createSku',
    method: 'POST',
    path: '/v1/products/{productId}/skus',
    summary: 'Create or update an SKU',
    description:
      'Changes the SKU of that `id` or `source_id`, if the product has one; metadata is merged by key. A `source_id` of another product or in the bin is taken.',
    body: CreateSku,
    reply: Sku,
    errors: [
      'invalid_payload',
      'invalid_sku',
      'metadata_validation_failed',
      'resource_protected',
      'not_found',
      'duplicate_found',
    ],
    target: (ctx, { params }) => getProduct(ctx, params.productId, { lock: 'keyShare' }),
    run: (ctx, { target, body }) => upsertSku(ctx, target.id, readNew(body)),
  }),
  operation({
    id: 'updateSku',
    method: 'PUT',
    path: '/v1/products/{productId}/skus/{skuId}',
    summary: 'Update an SKU',
    description: 'Changes what is sent; metadata is merged by key, attributes are replaced.',
    body: UpdateSku,
    reply: Sku,
    errors: ['invalid_payload', 'invalid_sku', 'metadata_validation_failed', 'not_found'],
    target: (ctx, { params }) => getSkuOf(ctx, params),
    run: (ctx, { target, body }) => changeSku(ctx, target.id, target.product_id, readChanges(body)),
  }),
  operation({
    id: 'deleteSku',
    method: 'DELETE',
    path: '/v1/products/{productId}/skus/{skuId}',
    summary: 'Delete an SKU',
    description: 'Refused while a validation rule or a static collection names it. Nothing returns from the bin.',
    query: DeleteSkuQuery,
    reply: null,
    errors: ['invalid_query_params', 'not_found', 'resource_in_use'],
    target: (ctx, { params }) => getSkuOf(ctx, params, { lock: true }),
    run: (ctx, { target, query }) => removeSku(ctx, target, query.force === true),
  }),
  operation({
    id: 'importSkusCsv',
    method: 'POST',
    path: '/v1/skus/importCSV',
    summary: 'Import SKUs from a CSV file',
    description:
      'Headers `product_id` (an id or a `source_id`), `source_id`, `sku`, `price`, `image_url` and `attributes` (JSON); every other column is metadata. Of an SKU that is known, only `sku` and `price` change.',
    consumes: 'multipart',
    body: CsvFile,
    reply: StartedAsyncAction,
    errors: ['invalid_payload'],
    run: (ctx, { body }) => startFileImport(ctx, importSkus, [body.file], {}),
  }),
]

/** The SKU of a path, which must belong to the product of the path. */
async function getSkuOf(
  ctx: Ctx,
  { productId, skuId }: { productId: string; skuId: string },
  options: { lock?: boolean } = {},
): Promise<Sku> {
  // Deleting an SKU blocks a concurrent deletion of its product, because both write bin entries.
  const product = await getProduct(ctx, productId, options.lock ? { lock: 'keyShare' } : {})
  return getSku(ctx, skuId, { ...options, product_id: product.id })
}
