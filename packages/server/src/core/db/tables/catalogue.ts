import type { Generated, GeneratedAlways } from 'kysely'
import type { Id } from '../../lib/ids.ts'
import type { Instant } from '../../lib/instant.ts'
import type { Json, MetadataColumn, NullableJson } from './columns.ts'

/** Products, SKUs, collections and orders. */
export interface CatalogueTables {
  products: ProductRow
  skus: SkuRow
  product_collections: ProductCollectionRow
  orders: OrderRow
}

export interface ProductRow {
  project_id: string
  id: Id<'product'>
  source_id: string | null
  name: string | null
  price: number | null
  attributes: Json<string[]>
  metadata: MetadataColumn
  image_url: string | null
  created_at: Instant
  updated_at: Instant | null
  /** In the bin since then. */
  deleted_at: Instant | null
}

export interface SkuRow {
  project_id: string
  id: Id<'sku'>
  product_id: Id<'product'>
  source_id: string | null
  sku: string | null
  price: number | null
  currency: string | null
  attributes: Json<Record<string, unknown>>
  metadata: MetadataColumn
  image_url: string | null
  created_at: Instant
  updated_at: Instant | null
  deleted_at: Instant | null
}

export interface ProductCollectionRow {
  project_id: string
  id: Id<'products_collection'>
  name: string
  type: 'STATIC' | 'AUTO_UPDATE'
  filter: NullableJson<Record<string, unknown>>
  products: NullableJson<Array<{ id: string; object: 'product' | 'sku'; product_id?: string }>>
  created_at: Instant
  updated_at: Instant | null
  config_version: number
}

export type OrderStatus = 'CREATED' | 'PAID' | 'CANCELED' | 'FULFILLED'

export interface OrderRow {
  project_id: string
  id: Id<'order'>
  source_id: string | null
  status: OrderStatus
  amount: number | null
  initial_amount: number | null
  discount_amount: Generated<number>
  items_discount_amount: Generated<number>
  total_discount_amount: GeneratedAlways<number>
  total_amount: GeneratedAlways<number | null>
  items: Json<object[]>
  metadata: MetadataColumn
  customer_id: Id<'customer'> | null
  referrer_id: Id<'customer'> | null
  redemptions: NullableJson<Record<string, unknown>>
  /** Products and SKUs that redemptions of the order discounted, with the number of those redemptions. */
  discounted_goods: NullableJson<Record<string, number>>
  /** Created by a page. UNCONFIRMED: the shop has not sent its amount or lines yet. Null: the shop created it. */
  client_order: 'UNCONFIRMED' | 'CONFIRMED' | null
  created_at: Instant
  updated_at: Instant | null
}
