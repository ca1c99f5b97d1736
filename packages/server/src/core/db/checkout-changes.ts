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
  /** What it lost, of a lot whose day is over. */
  expired_points?: number | null
  created_at?: Instant
}

type Plain<Row> = { [Column in keyof Row]: unknown }

/** Without the columns that the database computes. */
type NewOrder = Omit<Selectable<OrderRow>, 'project_id' | 'total_discount_amount' | 'total_amount'>
type NewRedemption = Omit<Selectable<RedemptionRow>, 'scope_id'>

/** All that a decision changes; every row that it relied on comes with the version that was read. */
export interface Changes {
  order?: { row: NewOrder; xmin: string | null }
  customers?: CustomerChange[]
  vouchers?: VoucherChange[]
  guards?: Array<{ name: string; version: number }>
  lots?: Array<Omit<Plain<LotRow>, 'project_id' | 'expired_points' | 'created_at' | 'updated_at'> & NewLot>
  members?: Array<Omit<Plain<LoyaltyMemberRow>, 'project_id'>>
  pending_points?: Array<Omit<Plain<PendingPointsRow>, 'project_id'>>
  /** Rules that have paid for an order. */
  earnings?: Array<Omit<EarningRow, 'project_id'>>
  reward_redemptions?: Array<Omit<Plain<RewardRedemptionRow>, 'project_id'>>
  redemptions?: NewRedemption[]
  /** Redemptions that are rolled back, and by what. */
  rolled_back?: Array<{ id: string; rollback: NonNullable<NewRedemption['rollback']> }>
  transactions?: Array<Omit<Plain<VoucherTransactionRow>, 'project_id'>>
  postings?: Array<Omit<Plain<PostingRow>, 'project_id'>>
  holders?: Array<Omit<Plain<HolderRow>, 'project_id' | 'metadata'>>
  /** The session whose holds end. */
  released?: string
  holds?: Array<Omit<HoldRow, 'project_id'>>
  usage?: Array<Omit<UsageRow, 'project_id' | 'id'>>
  tallies?: Array<[name: Tally, delta: number]>
  /** Customers who may have entered or left segments. */
  segment_checks?: string[]
  events?: NewEvent[]
}

export type VoucherChange = {
  id: string
  xmin: string
  quantity?: number
  /** Sessions that were over by then were not counted, and have ended for everybody (checkout/sessions/hold.ts). */
  ended_at?: string
  /** Nothing but a hold: the code itself is not said to be updated. */
  is_held?: true
} & Partial<Record<CreditColumn, number>>

type CreditColumn = 'credits_added' | 'credits_subtracted' | 'credits_redeemed' | 'credits_expired' | 'credits_pending'

export type CustomerChange =
  | { id: string; row: Selectable<CustomerRow> }
  | {
      id: string
      /** Given where `set` follows from what was read. */
      xmin?: string
      set?: Partial<Selectable<CustomerRow>>
      add?: Partial<Record<CustomerFigure, number>>
      /** Its latest order, unless it has a later one. */
      latest?: { amount: number; date: Instant }
      /** Which order is the latest has to be looked up. */
      looks_for_latest?: true
      /** By the name of the campaign. */
      loyalty?: Record<string, LoyaltyMove>
      /** Somebody referred it. */
      referred?: CustomerReferrals['campaigns'][number]
      /** What converted it is rolled back. */
      unreferred?: string
    }

/** What a program adds to the row of a customer: see `add_to_loyalty`. A tier that is null is lost. */
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
