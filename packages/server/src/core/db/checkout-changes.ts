import type { Selectable } from 'kysely'
import type { NewEvent } from '../events/catalogue.ts'
import type { Instant } from '../lib/instant.ts'
import type {
  CustomerReferrals,
  CustomerRow,
  EarningRow,
  HolderRow,
  HoldRow,
  LotRow,
  LoyaltyMemberRow,
  OrderRow,
  PendingPointsRow,
  PostingRow,
  RedemptionRow,
  RewardRedemptionRow,
  UsageRow,
  VoucherTransactionRow,
} from './tables.ts'
import type { Tally } from './tallies.ts'

interface NewLot {
  /** The points that expired with the lot; null while it is open. */
  expired_points?: number | null
  created_at?: Instant
}

type Plain<Row> = { [Column in keyof Row]: unknown }

/** Without the columns that the database computes. */
type NewOrder = Omit<Selectable<OrderRow>, 'project_id' | 'total_discount_amount' | 'total_amount'>
type NewRedemption = Omit<Selectable<RedemptionRow>, 'scope_id'>

/** Everything that a checkout writes; each row that the evaluation relied on carries the version (`xmin`) that was read. */
export interface Changes {
  order?: { row: NewOrder; xmin: string | null }
  customers?: CustomerChange[]
  vouchers?: VoucherChange[]
  guards?: Array<{ name: string; version: number }>
  lots?: Array<Omit<Plain<LotRow>, 'project_id' | 'expired_points' | 'created_at' | 'updated_at'> & NewLot>
  members?: Array<Omit<Plain<LoyaltyMemberRow>, 'project_id'>>
  pending_points?: Array<Omit<Plain<PendingPointsRow>, 'project_id'>>
  /** Earning rules that gave points for an order. */
  earnings?: Array<Omit<EarningRow, 'project_id'>>
  reward_redemptions?: Array<Omit<Plain<RewardRedemptionRow>, 'project_id'>>
  redemptions?: NewRedemption[]
  /** Redemptions that this request rolls back, each with its rollback. */
  rolled_back?: Array<{ id: string; rollback: NonNullable<NewRedemption['rollback']> }>
  transactions?: Array<Omit<Plain<VoucherTransactionRow>, 'project_id'>>
  postings?: Array<Omit<Plain<PostingRow>, 'project_id'>>
  holders?: Array<Omit<Plain<HolderRow>, 'project_id' | 'metadata'>>
  /** The session whose holds are deleted. */
  released?: string
  holds?: Array<Omit<HoldRow, 'project_id'>>
  usage?: Array<Omit<UsageRow, 'project_id' | 'id'>>
  tallies?: Array<[name: Tally, delta: number]>
  /** Customers whose segment memberships must be recomputed. */
  segment_checks?: string[]
  events?: NewEvent[]
}

export type VoucherChange = {
  id: string
  xmin: string
  quantity?: number
  /** The evaluation ignored holds that expired up to this moment; the save deletes them (checkout/sessions/hold.ts). */
  ended_at?: string
  /** Only a hold changes: `updated_at` of the voucher stays. */
  is_held?: true
} & Partial<Record<CreditColumn, number>>

type CreditColumn = 'credits_added' | 'credits_subtracted' | 'credits_redeemed' | 'credits_expired' | 'credits_pending'

export type CustomerChange =
  | { id: string; row: Selectable<CustomerRow> }
  | {
      id: string
      /** Set if `set` was computed from the row that was read: a stale version is then a conflict. */
      xmin?: string
      set?: Partial<Selectable<CustomerRow>>
      add?: Partial<Record<CustomerFigure, number>>
      /** An order that becomes the last order unless the customer has a later one. */
      latest?: { amount: number; date: Instant }
      /** Recomputes the last order from the orders table. */
      looks_for_latest?: true
      /** By campaign name. */
      loyalty?: Record<string, LoyaltyMove>
      /** A new referral of this customer. */
      referred?: CustomerReferrals['campaigns'][number]
      /** Id of the redemption or event whose referral conversion is rolled back. */
      unreferred?: string
    }

/** The change of one program in `customers.loyalty`: see `add_to_loyalty`. A null tier removes the tier. */
export type LoyaltyMove =
  | { points?: number; referred_customers?: number; loyalty_tier?: string | null }
  | { gone: true }

export type CustomerFigure =
  | 'orders_total_amount'
  | 'orders_total_count'
  | 'redemptions_succeeded'
  | 'redemptions_failed'
  | 'redemptions_rolled_back'
  | 'rollbacks_succeeded'
  | 'rollbacks_failed'
  | 'gift_redeemed_amount'
  | 'redeemed_points'
