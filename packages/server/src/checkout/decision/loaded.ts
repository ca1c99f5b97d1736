import type { StoredCustomer } from '../../audience/customers/customer.ts'
import type { EventTally, Received } from '../../audience/customers/fields.ts'
import type { Goods } from '../../catalogue/products/goods.ts'
import type { Configuration } from '../../core/configuration/configuration.ts'
import type { Db } from '../../core/db/database.ts'
import type { StoredOrder } from '../../orders/order.ts'
import type { LoadedVoucher } from './voucher-row.ts'

/** What the database knows of all that a request names. */
export interface CheckoutRows {
  configuration: Configuration
  vouchers: readonly LoadedVoucher[]
  customers: ReadonlyArray<Versioned<StoredCustomer>>
  /** Whose request it is; null: nobody, or nobody whom we know. */
  caller: Versioned<StoredCustomer> | null
  order: Versioned<StoredOrder> | null
  goods: Goods
  /** By id of the voucher or tier: what its rules compare. */
  counted: Readonly<Record<string, Counted>>
  /** Of the customer: segments that are lists, codes among those named that it holds. */
  segments: readonly string[]
  held_codes: readonly string[]
  events: ReadonlyMap<string, EventTally>
  publications: readonly Received[]
  publication_metadata: Readonly<Record<string, Record<string, unknown> | null>>
  /** The session that the request names keeps something. */
  has_session: boolean
  /** Of tiers that are about to be redeemed: what was used of them. */
  tier_usage: Readonly<Record<string, TierUsage>>
  /** How often the rewards that are named were given. */
  rewards_redeemed: Readonly<Record<string, number>>
  /** The day in the project's time zone. */
  today: string
  /** The answer that was given to the same request before; nothing else was loaded then. */
  kept: KeptReply | null
}

/** `xmin` is the version that was read. */
export type Versioned<Row> = Row & { xmin: string }

export interface Counted {
  numbers: Record<string, number>
  /** By limit and what it counts, joined by `/`. */
  units: Record<string, number>
  guards: Record<string, number>
}

export interface TierUsage {
  redemptions: number
  orders_amount: number
  discounted_amount: number
}

export interface KeptReply {
  fingerprint: string
  status: number
  body: string
}

export interface LoadOptions {
  db: Db
  /** Whose rows are locked first; the transaction is the caller's. */
  lock?: boolean
  /** The Idempotency-Key whose answer may be there already. */
  key?: string | null
  /** It is about to be redeemed: what was used of tiers is part of the answer. */
  is_redemption?: boolean
  /** Guards that a decision before this one relied on. */
  guards?: readonly string[]
}
