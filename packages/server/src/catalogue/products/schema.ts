import { FreeText, Instant, Int, Maybe, Metadata, Name, Nullable } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { NumericText } from '../../core/http/numeric-text.ts'
import { limits } from '../../core/lib/limits.ts'
import { DateQuery, FilterQuery, listOf, PageQuery } from '../../core/query/list.ts'
import { SkusOfProduct } from '../skus/schema.ts'
import { catalogueOrders } from './sorting.ts'

export const Product = Type.Object({
  id: Type.String({ description: 'Time-ordered id, `prod_` and 18 hexadecimal digits.' }),
  source_id: Nullable(Type.String()),
  name: Nullable(Type.String()),
  price: Nullable(Int({ minimum: 0 })),
  attributes: Type.Array(Type.String()),
  metadata: Metadata,
  image_url: Nullable(Type.String()),
  created_at: Instant,
  updated_at: Nullable(Instant),
  object: Type.Literal('product'),
})
export type Product = Static<typeof Product>

export const ProductWithSkus = Type.Object({ ...Product.properties, skus: Type.Optional(SkusOfProduct) })
export type ProductWithSkus = Static<typeof ProductWithSkus>

const fields = {
  name: Maybe(Name),
  price: Maybe(Int()),
  attributes: Maybe(Type.Array(Name, { maxItems: limits.product_attributes_max })),
  metadata: Maybe(Metadata),
  image_url: Maybe(FreeText),
}

/** Null clears a field. */
export const ProductChanges = Type.Object(fields)

export const UpdateProduct = NumericText(ProductChanges)
export type UpdateProduct = Static<typeof UpdateProduct>

export const NewProduct = Type.Object(
  { id: Maybe(Name), source_id: Maybe(Name), ...fields },
  { examples: [{ source_id: 'mug', name: 'Mug', price: 1250, attributes: ['color'], metadata: { dishwasher: true } }] },
)

export const CreateProduct = NumericText(NewProduct)
export type CreateProduct = Static<typeof CreateProduct>

export const BulkProduct = Type.Object({ source_id: Name, ...fields })
export type BulkProduct = Static<typeof BulkProduct>

export const ChangedProducts = Type.Array(BulkProduct)

export const BulkProducts = Type.Array(NumericText(BulkProduct), {
  maxItems: limits.bulk_items_max,
  examples: [[{ source_id: 'mug', price: 1190 }]],
})
export type BulkProducts = Static<typeof BulkProducts>

export const BulkProductMetadata = Type.Object(
  { source_ids: Type.Array(Name, { maxItems: limits.bulk_items_max }), metadata: Metadata },
  { examples: [{ source_ids: ['mug'], metadata: { dishwasher: false } }] },
)
export type BulkProductMetadata = Static<typeof BulkProductMetadata>

export const ProductQuery = Type.Object({ ...PageQuery({ order: catalogueOrders }), ...DateQuery, ...FilterQuery })
export type ProductQuery = Static<typeof ProductQuery>

export const ProductList = listOf('products', ProductWithSkus, { total: true })

export const GetProductQuery = Type.Object({
  hide: Type.Optional(Type.String({ description: '`sku` leaves out the SKUs.' })),
})

export const DeleteProductQuery = Type.Object({
  force: Type.Optional(
    Type.Boolean({
      description: 'Erases it and its SKUs. Otherwise they go to the bin, and their source ids stay taken.',
    }),
  ),
})
