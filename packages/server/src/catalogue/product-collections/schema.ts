import { Filter, Instant, InstantInput, Maybe, Name, Nullable, OneOf, variants } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { ActivityQuery } from '../../core/events/activities.ts'
import { listOf, PageQuery } from '../../core/query/list.ts'
import { Product } from '../products/schema.ts'
import { Sku } from '../skus/schema.ts'

export const CollectionMember = Type.Object({
  id: Type.String(),
  object: OneOf(['product', 'sku']),
  product_id: Type.Optional(Type.String({ description: 'Of an SKU: its product.' })),
})
export type CollectionMember = Static<typeof CollectionMember>

export const ProductCollection = Type.Object({
  id: Type.String({ description: 'Time-ordered id, `pc_` and 24 letters and digits.' }),
  name: Name,
  type: OneOf(['STATIC', 'AUTO_UPDATE']),
  filter: Type.Optional(Filter),
  products: Type.Optional(Type.Array(CollectionMember)),
  created_at: Instant,
  updated_at: Type.Optional(Instant),
  object: Type.Literal('products_collection'),
})
export type ProductCollection = Static<typeof ProductCollection>

const NewMember = Type.Object({
  id: Type.String({ description: 'Its id or source id.' }),
  object: OneOf(['product', 'sku']),
  product_id: Maybe(Type.String()),
})
export type NewMember = Static<typeof NewMember>

/** `readCollectionFilter` validates the filter, because its errors have their own messages. */
export const CreateProductCollection = variants('type', [
  Type.Object(
    { type: Type.Literal('STATIC'), name: Name, products: Maybe(Type.Array(NewMember)) },
    { examples: [{ type: 'STATIC', name: 'Teas', products: [{ id: 'prod_5h1pp1ng', object: 'product' }] }] },
  ),
  Type.Object(
    { type: Type.Literal('AUTO_UPDATE'), name: Name, filter: Maybe(Filter) },
    {
      examples: [
        {
          type: 'AUTO_UPDATE',
          name: 'Cheap',
          filter: { junction: 'and', price: { conditions: { $less_than: [1000] } } },
        },
      ],
    },
  ),
])
export type CreateProductCollection = Static<typeof CreateProductCollection>

export const UpdateProductCollection = Type.Object({
  name: Type.Optional(Name),
  filter: Type.Optional(Nullable(Filter)),
})
export type UpdateProductCollection = Static<typeof UpdateProductCollection>

/**
 * Newest first by default; sort orders of other resources sort by creation time
 * (docs/reference/product-collections.md#endpoints).
 */
const order = [
  '-created_at',
  'created_at',
  '-updated_at',
  'updated_at',
  '-type',
  'type',
  '-code',
  'code',
  '-campaign',
  'campaign',
  '-category',
  'category',
] as const

export const ProductCollectionQuery = Type.Object(PageQuery({ order }))
export type ProductCollectionQuery = Static<typeof ProductCollectionQuery>

export const ProductCollectionList = listOf('data', ProductCollection, { total: true })

export const CollectionProductQuery = Type.Object({
  ...PageQuery({ order }),
  starting_after: Type.Optional(
    Type.Unsafe<string>({
      ...InstantInput,
      description: 'Only what was created before this moment, or after it when the order is ascending.',
    }),
  ),
})
export type CollectionProductQuery = Static<typeof CollectionProductQuery>

/** The product of an SKU in a collection. */
const ParentProduct = Type.Pick(Product, ['id', 'source_id', 'name', 'price', 'attributes', 'metadata', 'object'])
export type ParentProduct = Static<typeof ParentProduct>

export const CollectionSku = Type.Object({ ...Sku.properties, product: ParentProduct })
export type CollectionSku = Static<typeof CollectionSku>

export const CollectionProduct = variants('object', [Product, CollectionSku])
export type CollectionProduct = Static<typeof CollectionProduct>

export const CollectionProductList = listOf('data', CollectionProduct, { total: true })

export const CollectionActivityQuery = Type.Object(ActivityQuery('products_collection'))
