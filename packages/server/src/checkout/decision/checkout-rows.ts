import type { StoredCustomer } from '../../audience/customers/customer.ts'
import type { EventTally, ReceivedPublication } from '../../audience/customers/fields.ts'
import type { Goods } from '../../catalogue/products/goods.ts'
import type { Configuration } from '../../core/configuration/configuration.ts'
import type { Db } from '../../core/db/database.ts'
import type { StoredOrder } from '../../orders/order.ts'
import type { CheckoutVoucher, FoundVoucher } from './voucher-row.ts'

/** The rows that a request refers to, and the rows that those refer to. */
export interface Rows {
  config_version: number
  order: Versioned<StoredOrder> | null
  vouchers: readonly FoundVoucher[]
  customers: ReadonlyArray<Versioned<StoredCustomer>>
  goods: Goods
  has_session: boolean
  tier_usage: Readonly<Record<string, TierUsage>>
  rewards_redeemed: Readonly<Record<string, number>>
}

/** The rows of a request: the input of its evaluation, with the versions that the save checks. */
export interface CheckoutRows {
  configuration: Configuration
  vouchers: readonly CheckoutVoucher[]
  customers: ReadonlyArray<Versioned<StoredCustomer>>
  /** The customer of the request (`namedCustomer` in details.ts); null: none, an unknown or an unproven one. */
  caller: Versioned<StoredCustomer> | null
  /** A client-side request names an existing customer without proof: it is evaluated as if the customer were unknown. */
  is_unproven: boolean
  order: Versioned<StoredOrder> | null
  /** The order of a page that this request replaces; `order` is then what remains of it. */
  replaced_order: StoredOrder | null
  goods: Goods
  /** By id of the voucher or tier: the counters that its rules compare. */
  counted: Readonly<Record<string, Counted>>
  /** Of the customer: its stored segment memberships, and which of the vouchers of the request it holds. */
  segments: readonly string[]
  held_codes: readonly string[]
  events: ReadonlyMap<string, EventTally>
  publications: readonly ReceivedPublication[]
  publication_metadata: Readonly<Record<string, Record<string, unknown> | null>>
  /** The session of the request holds something. */
  has_session: boolean
  /** By tier id, for redemptions only: usage so far. */
  tier_usage: Readonly<Record<string, TierUsage>>
  /** By reward id: how often it was redeemed. */
  rewards_redeemed: Readonly<Record<string, number>>
  /** The day in the project's time zone. */
  today: string
  /** The stored reply of the same Idempotency-Key; nothing else is loaded then. */
  kept: StoredReplyRow | null
}

/** `xmin` is the version that was read: a save fails if the row has another one by then. */
export type Versioned<Row> = Row & { xmin: string }

export interface Counted {
  numbers: Record<string, number>
  /** Units used, by limit and the id it counts, joined by `/`. */
  units: Record<string, number>
  /** By name, the versions of the guards: a save fails if one of the counters has changed since. */
  guards: Record<string, number>
}

export interface TierUsage {
  redemptions: number
  orders_amount: number
  discounted_amount: number
}

export interface StoredReplyRow {
  fingerprint: string
  status: number
  body: string
}

export interface CheckoutLoadOptions {
  db: Db
  /** Locks the rows before reading them, in the caller's transaction. */
  lock?: boolean
  /** The Idempotency-Key, whose reply may be stored already. */
  key?: string | null
  /** Also loads the usage of the tiers, which the response to a redemption shows. */
  is_redemption?: boolean
  /** Guards to lock too: those that were stale at an earlier try. */
  guards?: readonly string[]
}
