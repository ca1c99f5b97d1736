import { type Static, Type } from 'typebox'
import { Amount, Instant, Int, Maybe, Metadata, OneOf } from './common.ts'

/** A product in an order line or in the catalogue. */
export const OrderProduct = Type.Object({
  id: Maybe(Type.String()),
  source_id: Maybe(Type.String()),
  name: Maybe(Type.String()),
  price: Maybe(Amount),
  metadata: Maybe(Metadata),
})
export type OrderProduct = Static<typeof OrderProduct>

export const OrderSku = Type.Object({
  id: Maybe(Type.String()),
  source_id: Maybe(Type.String()),
  sku: Maybe(Type.String()),
  price: Maybe(Amount),
  metadata: Maybe(Metadata),
})
export type OrderSku = Static<typeof OrderSku>

/** A catalogue product, with the fields that collections filter by. */
export const CatalogueProduct = Type.Object({
  ...OrderProduct.properties,
  id: Type.String(),
  attributes: Maybe(Type.Array(Type.String())),
  image_url: Maybe(Type.String()),
  skus: Maybe(Type.Array(Type.String())),
  created_at: Maybe(Instant),
  updated_at: Maybe(Instant),
})
export type CatalogueProduct = Static<typeof CatalogueProduct>

export const CatalogueSku = Type.Object({
  ...OrderSku.properties,
  id: Type.String(),
  product_id: Maybe(Type.String()),
  attributes: Maybe(Metadata),
  image_url: Maybe(Type.String()),
  created_at: Maybe(Instant),
  updated_at: Maybe(Instant),
})
export type CatalogueSku = Static<typeof CatalogueSku>

/** A line as input of the calculation: the fields sent (or stored with the order), and its catalogue data. */
export const ItemFacts = Type.Object({
  id: Maybe(Type.String()),
  source_id: Maybe(Type.String()),
  related_object: Maybe(OneOf(['product', 'sku'])),
  product_id: Maybe(Type.String()),
  sku_id: Maybe(Type.String()),
  quantity: Maybe(Amount),
  price: Maybe(Amount),
  amount: Maybe(Amount),
  /** Item-level discount granted earlier. */
  discount_amount: Maybe(Amount),
  discount_quantity: Maybe(Amount),
  /** For a line of a stored order: the value before units were added or replaced. */
  initial_quantity: Maybe(Amount),
  initial_amount: Maybe(Amount),
  /** Of `discount_quantity`, the units that an earlier redemption gave away; they are not paid for. */
  free_quantity: Maybe(Amount),
  product: Maybe(OrderProduct),
  sku: Maybe(OrderSku),
  metadata: Maybe(Metadata),
  catalogue: Maybe(Type.Object({ product: Maybe(CatalogueProduct), sku: Maybe(CatalogueSku) })),
})
export type ItemFacts = Static<typeof ItemFacts>

export const OrderFacts = Type.Object({
  id: Maybe(Type.String()),
  source_id: Maybe(Type.String()),
  status: Maybe(OneOf(['CREATED', 'PAID', 'CANCELED', 'FULFILLED'])),
  amount: Maybe(Amount),
  /** For a stored order: its amount before earlier redemptions added units. */
  initial_amount: Maybe(Amount),
  /** Order-level discount granted earlier or by another system. */
  discount_amount: Maybe(Amount),
  items: Maybe(Type.Array(ItemFacts, { maxItems: 500 })),
  metadata: Maybe(Metadata),
  /** Goods that earlier redemptions of this order discounted: in mode ONCE they get no further discount. */
  discounted_goods: Maybe(Type.Array(Type.String())),
})
export type OrderFacts = Static<typeof OrderFacts>

const SignedAmount = Int()

/** One source line of a replacement, listed on its target line (docs/reference/discounts.md#unit-discounts). */
export const ApplicationDetail = Type.Object({
  source_index: Amount,
  source_applied_quantity: SignedAmount,
  source_applied_quantity_amount: SignedAmount,
  target_index: Amount,
  target_applied_quantity: SignedAmount,
  target_applied_quantity_amount: SignedAmount,
  target_applied_discount_amount: Amount,
})
export type ApplicationDetail = Static<typeof ApplicationDetail>

export const CalculatedItem = Type.Object({
  object: Type.Literal('order_item'),
  id: Type.Optional(Type.String()),
  source_id: Type.Optional(Type.String()),
  related_object: Type.Optional(OneOf(['product', 'sku'])),
  product_id: Type.Optional(Type.String()),
  sku_id: Type.Optional(Type.String()),
  quantity: Amount,
  initial_quantity: Amount,
  price: Type.Optional(Amount),
  amount: Type.Optional(Amount),
  initial_amount: Type.Optional(Amount),
  discount_amount: Type.Optional(Amount),
  applied_discount_amount: Type.Optional(Amount),
  discount_quantity: Type.Optional(Amount),
  applied_discount_quantity: Type.Optional(Amount),
  applied_quantity: Type.Optional(SignedAmount),
  applied_quantity_amount: Type.Optional(SignedAmount),
  subtotal_amount: Type.Optional(Amount),
  product: Type.Optional(OrderProduct),
  sku: Type.Optional(OrderSku),
  metadata: Type.Optional(Metadata),
  application_details: Type.Optional(Type.Array(ApplicationDetail)),
})
export type CalculatedItem = Static<typeof CalculatedItem>

/**
 * The nine amounts (docs/reference/calculated-order.md#amounts-of-the-order), all present when the amount of the order is
 * known, otherwise none, and the lines.
 */
export const CalculatedOrder = Type.Object({
  amount: Type.Optional(Amount),
  initial_amount: Type.Optional(Amount),
  discount_amount: Type.Optional(Amount),
  items_discount_amount: Type.Optional(Amount),
  total_discount_amount: Type.Optional(Amount),
  total_amount: Type.Optional(Amount),
  applied_discount_amount: Type.Optional(Amount),
  items_applied_discount_amount: Type.Optional(Amount),
  total_applied_discount_amount: Type.Optional(Amount),
  items: Type.Array(CalculatedItem),
  metadata: Metadata,
})
export type CalculatedOrder = Static<typeof CalculatedOrder>
