import { listNumbersRead, numbersRead } from '../../core/http/numeric-text.ts'
import { operation } from '../../core/http/operation.ts'
import { startAsyncAction } from '../../core/jobs/async-action.ts'
import { StartedAsyncAction } from '../../core/jobs/async-actions/schema.ts'
import { startFileImport } from '../../core/jobs/file-import.ts'
import { CsvFile } from '../../core/jobs/files/schema.ts'
import { bulkUpdateProductMetadata, bulkUpdateProducts } from './bulk.ts'
import { importProducts } from './import.ts'
import { pageOfProducts, withSkus } from './list.ts'
import { removeProduct } from './remove.ts'
import {
  BulkProduct,
  BulkProductMetadata,
  BulkProducts,
  CreateProduct,
  DeleteProductQuery,
  GetProductQuery,
  NewProduct,
  Product,
  ProductChanges,
  ProductList,
  ProductQuery,
  ProductWithSkus,
  UpdateProduct,
} from './schema.ts'
import { getProduct } from './store.ts'
import { changeProduct, upsertProduct } from './upsert.ts'

const readNew = numbersRead(NewProduct)
const readChanges = numbersRead(ProductChanges)
const readMany = listNumbersRead(BulkProduct)

export const products = [
  operation({
    id: 'listProducts',
    method: 'GET',
    path: '/v1/products',
    summary: 'List products',
    description: 'Oldest first unless asked otherwise. Each product shows its first SKUs and how many there are.',
    query: ProductQuery,
    reply: ProductList,
    errors: ['invalid_query_params'],
    run: (ctx, { query }) => pageOfProducts(ctx, query),
  }),
  operation({
    id: 'createProduct',
    method: 'POST',
    path: '/v1/products',
    summary: 'Create or update a product',
    description:
      'Changes the product of that `id` or `source_id`, if there is one; metadata is merged by key. A `source_id` in the bin stays taken.',
    body: CreateProduct,
    reply: Product,
    errors: [
      'invalid_payload',
      'invalid_product',
      'metadata_validation_failed',
      'resource_protected',
      'not_found',
      'duplicate_found',
    ],
    run: async (ctx, { body }) => (await upsertProduct(ctx, readNew(body))).product,
  }),
  operation({
    id: 'getProduct',
    method: 'GET',
    path: '/v1/products/{productId}',
    summary: 'Get a product',
    description: 'By its id or its `source_id`.',
    query: GetProductQuery,
    reply: ProductWithSkus,
    errors: ['invalid_query_params', 'not_found'],
    run: async (ctx, { params, query }) => {
      const product = await getProduct(ctx, params.productId)
      return query.hide === 'sku' ? product : ((await withSkus(ctx, [product]))[0] as ProductWithSkus)
    },
  }),
  operation({
    id: 'updateProduct',
    method: 'PUT',
    path: '/v1/products/{productId}',
    summary: 'Update a product',
    description: 'Changes what is sent; metadata is merged by key.',
    body: UpdateProduct,
    reply: Product,
    errors: ['invalid_payload', 'invalid_product', 'metadata_validation_failed', 'resource_protected', 'not_found'],
    target: (ctx, { params }) => getProduct(ctx, params.productId),
    run: (ctx, { target, body }) => changeProduct(ctx, target.id, readChanges(body)),
  }),
  operation({
    id: 'deleteProduct',
    method: 'DELETE',
    path: '/v1/products/{productId}',
    summary: 'Delete a product',
    description:
      'With its SKUs. Refused while a validation rule or a static collection names it or one of them. Nothing returns from the bin.',
    query: DeleteProductQuery,
    reply: null,
    errors: ['invalid_query_params', 'not_found', 'resource_protected', 'resource_in_use'],
    target: (ctx, { params }) => getProduct(ctx, params.productId, { lock: 'update' }),
    run: (ctx, { target, query }) => removeProduct(ctx, target, query.force === true),
  }),
  operation({
    id: 'updateProductsInBulk',
    method: 'POST',
    path: '/v1/products/bulk/async',
    summary: 'Update products in bulk',
    description:
      'Each by its `source_id`; those that are not there are created. The async action says what came of it.',
    body: BulkProducts,
    reply: StartedAsyncAction,
    status: 202,
    errors: ['invalid_payload'],
    run: async (ctx, { body }) => startAsyncAction(ctx, bulkUpdateProducts, { items: await readMany(body) }),
  }),
  operation({
    id: 'updateProductsMetadataInBulk',
    method: 'POST',
    path: '/v1/products/metadata/async',
    summary: 'Update the metadata of products in bulk',
    description: 'Merges the metadata into each of the products; those that are not there are created.',
    body: BulkProductMetadata,
    reply: StartedAsyncAction,
    status: 202,
    errors: ['invalid_payload'],
    run: (ctx, { body }) => startAsyncAction(ctx, bulkUpdateProductMetadata, body),
  }),
  operation({
    id: 'importProductsCsv',
    method: 'POST',
    path: '/v1/products/importCSV',
    summary: 'Import products from a CSV file',
    description:
      'Headers `name`, `source_id`, `price`, `attributes` (separated by commas) and `image_url`; every other column is metadata. Of a product whose `source_id` is known, only the name changes.',
    consumes: 'multipart',
    body: CsvFile,
    reply: StartedAsyncAction,
    errors: ['invalid_payload'],
    run: (ctx, { body }) => startFileImport(ctx, importProducts, [body.file], {}),
  }),
]
