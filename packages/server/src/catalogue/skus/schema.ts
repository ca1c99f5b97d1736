import { FreeText, Instant, Int, Maybe, Metadata, Name, Nullable } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { NumericText } from '../../core/http/numeric-text.ts'
import { DateQuery, FilterQuery, listOf, PageQuery } from '../../core/query/list.ts'
import { catalogueOrders } from '../products/sorting.ts'

export const Sku = Type.Object({
  id: Type.String({ description: 'Time-ordered id, `sku_` and 18 hexadecimal digits.' }),
  source_id: Nullable(Type.String()),
  product_id: Type.String(),
  sku: Nullable(Type.String({ description: 'Its name.' })),
  price: Nullable(Int({ minimum: 0 })),
  currency: Nullable(Type.String()),
  attributes: Metadata,
  image_url: Nullable(Type.String()),
  metadata: Metadata,
  created_at: Instant,
  updated_at: Nullable(Instant),
  object: Type.Literal('sku'),
})
export type Sku = Static<typeof Sku>

const fields = {
  sku: Maybe(Name),
  price: Maybe(Int()),
  currency: Maybe(Name),
  attributes: Maybe(Metadata),
  image_url: Maybe(FreeText),
  metadata: Maybe(Metadata),
}

/** Null clears a field. */
export const SkuChanges = Type.Object(fields)

export const UpdateSku = NumericText(SkuChanges)
export type UpdateSku = Static<typeof UpdateSku>

export const NewSku = Type.Object(
  { id: Maybe(Name), source_id: Maybe(Name), ...fields },
  { examples: [{ source_id: 'mug-blue-330', sku: 'Blue, 330 ml', price: 1290, attributes: { color: 'blue' } }] },
)

export const CreateSku = NumericText(NewSku)
export type CreateSku = Static<typeof CreateSku>

export const SkuQuery = Type.Object({ ...PageQuery({ order: catalogueOrders }), ...DateQuery, ...FilterQuery })
export type SkuQuery = Static<typeof SkuQuery>

export const SkuList = listOf('skus', Sku, { total: true })

/** The first SKUs of a product, inside the product. */
export const SkusOfProduct = listOf('data', Sku, { total: true })
export type SkusOfProduct = Static<typeof SkusOfProduct>

export const DeleteSkuQuery = Type.Object({
  force: Type.Optional(
    Type.Boolean({ description: 'Erases it. Otherwise it goes to the bin, and its `source_id` stays taken.' }),
  ),
})
