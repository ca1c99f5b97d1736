/** What was sold at the till, and what the till took off. */
export interface Sale {
  /** The id of the order, and the idempotency key of its settlement. */
  id: string
  sold_at: string
  items: Array<{ source_id: string; quantity: number; price: number }>
  /** What was granted. */
  redeemables: Array<{ object: 'voucher' | 'promotion_tier'; id: string }>
  discount: number
  total: number
}

/** What the service said to a sale afterwards. */
export type Settlement = { sale_id: string; settled_at: string } & Answer

/** Whether the service agrees. */
export type Answer =
  | { outcome: 'agreed' }
  /** The service takes another amount off. */
  | { outcome: 'other amount'; total: number; service_total: number }
  /** The service refuses what was granted: the shop bears the discount. */
  | { outcome: 'refused'; discount: number; reason: string }
