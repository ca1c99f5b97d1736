import { ActivityList, listActivities } from '../../core/events/activities.ts'
import { operation } from '../../core/http/operation.ts'
import { listed } from '../../core/query/list.ts'
import { createCollection } from './create.ts'
import { listCollectionProducts } from './list-products.ts'
import { removeCollection } from './remove.ts'
import {
  CollectionActivityQuery,
  CollectionProductList,
  CollectionProductQuery,
  CreateProductCollection,
  ProductCollection,
  ProductCollectionList,
  ProductCollectionQuery,
  UpdateProductCollection,
} from './schema.ts'
import { getCollection, listCollections } from './store.ts'
import { changeCollection } from './update.ts'

export const productCollections = [
  operation({
    id: 'listProductCollections',
    method: 'GET',
    path: '/v1/product-collections',
    summary: 'List product collections',
    description:
      'Newest first unless asked otherwise. The collection of all products, which every project has, is one.',
    query: ProductCollectionQuery,
    reply: ProductCollectionList,
    errors: ['invalid_query_params'],
    run: async (ctx, { query }) => {
      const { collections, total } = await listCollections(ctx, query)
      return listed('data', collections, { total })
    },
  }),
  operation({
    id: 'createProductCollection',
    method: 'POST',
    path: '/v1/product-collections',
    summary: 'Create a product collection',
    description:
      'Of chosen products and SKUs (`STATIC`), or of all that fit a filter at any moment (`AUTO_UPDATE`). The filter takes the fields `id`, `product_id`, `source_id`, `name`, `price`, `object`, `attributes`, `image_url`, `skus`, `created_at`, `updated_at` and `metadata.<key>`.',
    body: CreateProductCollection,
    reply: ProductCollection,
    errors: ['invalid_payload', 'not_found', 'duplicate_found'],
    run: (ctx, { body }) => createCollection(ctx, body),
  }),
  operation({
    id: 'getProductCollection',
    method: 'GET',
    path: '/v1/product-collections/{productCollectionId}',
    summary: 'Get a product collection',
    description: 'By id; the members have a list of their own.',
    reply: ProductCollection,
    errors: ['not_found'],
    run: (ctx, { params }) => getCollection(ctx, params.productCollectionId),
  }),
  operation({
    id: 'updateProductCollection',
    method: 'PUT',
    path: '/v1/product-collections/{productCollectionId}',
    summary: 'Update a product collection',
    description: 'A new name; for `AUTO_UPDATE`, a new filter, which replaces the old one. The rest cannot be changed.',
    body: UpdateProductCollection,
    reply: ProductCollection,
    errors: ['invalid_payload', 'not_found', 'duplicate_found', 'resource_protected'],
    target: (ctx, { params }) => getCollection(ctx, params.productCollectionId),
    run: (ctx, { target, body }) => changeCollection(ctx, target, body),
  }),
  operation({
    id: 'deleteProductCollection',
    method: 'DELETE',
    path: '/v1/product-collections/{productCollectionId}',
    summary: 'Delete a product collection',
    description: 'Refused while a validation rule names it.',
    reply: null,
    errors: ['not_found', 'resource_in_use', 'resource_protected'],
    target: (ctx, { params }) => getCollection(ctx, params.productCollectionId),
    run: (ctx, { target }) => removeCollection(ctx, target.id),
  }),
  operation({
    id: 'listProductsInCollection',
    method: 'GET',
    path: '/v1/product-collections/{productCollectionId}/products',
    summary: 'List products in a collection',
    description: 'Products and SKUs that are in the collection now, newest first unless asked otherwise.',
    query: CollectionProductQuery,
    reply: CollectionProductList,
    errors: ['invalid_query_params', 'not_found'],
    target: (ctx, { params }) => getCollection(ctx, params.productCollectionId),
    run: async (ctx, { target, query }) => {
      const { data, total } = await listCollectionProducts(ctx, target, query)
      return listed('data', data, { total })
    },
  }),
  operation({
    id: 'listProductCollectionActivities',
    method: 'GET',
    path: '/v1/product-collections/{productCollectionId}/activities',
    summary: 'List activities of a product collection',
    description: 'When it was created and updated, newest first unless asked otherwise.',
    query: CollectionActivityQuery,
    reply: ActivityList,
    errors: ['invalid_query_params', 'not_found'],
    target: (ctx, { params }) => getCollection(ctx, params.productCollectionId),
    run: (ctx, { target, query }) => listActivities(ctx, target.id, query),
  }),
]
