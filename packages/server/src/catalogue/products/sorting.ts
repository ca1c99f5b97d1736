/**
 * What lists of the catalogue sort by. The words of other resources that the contract takes here mean the time of creation
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

/** The columns behind them, for `pageOf`. */
export const catalogueColumns = {
  created_at: 'created_at',
  updated_at: { nullable: 'updated_at' },
  type: 'created_at',
  code: 'created_at',
  campaign: 'created_at',
  category: 'created_at',
} as const
