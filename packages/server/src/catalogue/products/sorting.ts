/**
 * The sort orders of catalogue lists. The contract also accepts sort orders of other resources, which sort by creation time here
 * (docs/reference/products.md#product-endpoints).
 */
export const catalogueOrders = [
  'created_at',
  '-created_at',
  'updated_at',
  '-updated_at',
  'type',
  '-type',
  'code',
  '-code',
  'campaign',
  '-campaign',
  'category',
  '-category',
] as const

/** The column of each sort order, for `pageOf`. */
export const catalogueColumns = {
  created_at: 'created_at',
  updated_at: { nullable: 'updated_at' },
  type: 'created_at',
  code: 'created_at',
  campaign: 'created_at',
  category: 'created_at',
} as const
