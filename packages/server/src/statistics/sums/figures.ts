/** The figures that are added up, in the order of the columns of `statistics_sums`. */
export const figures = [
  'redemptions',
  'failed_redemptions',
  'rolled_back_redemptions',
  'discount_amount',
  'rolled_back_discount_amount',
  'orders',
  'order_amount',
  'discounted_order_amount',
  'orders_without_discount',
  'order_amount_without_discount',
  'published_codes',
  'points_earned',
  'points_spent',
  'points_returned',
  'points_expired',
  'points_removed',
  'points_pending',
  'points_owed',
  'gift_cards_issued',
  'gift_cards_spent',
  'gift_cards_returned',
  'gift_cards_owed',
] as const

export type Figure = (typeof figures)[number]
export type Figures = Record<Figure, number>

/** The scope of the sums of the whole project; all others are campaigns. */
export const wholeProject = ''

/**
 * Lengths in minutes for which sums are kept, each a multiple of the one before. Every boundary of a day in any present time zone is one
 * of 15 minutes of UTC; stretches of 16 days keep long ranges short.
 */
export const grains = [15, 60, 1_440, 23_040] as const

/** The grain of the sums of all time. */
export const allTime = 0
