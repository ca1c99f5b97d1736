import { sql } from 'kysely'
import type { Ctx } from '../context.ts'
import type { StoredCustomer } from '../customers/customer.ts'
import type { Db } from '../db/connect.ts'
import { JsonParameter } from '../db/json-parameter.ts'
import type {
  CustomerReferrals,
  EarningRow,
  HolderRow,
  HoldRow,
  LotRow,
  LoyaltyMemberRow,
  PendingPointsRow,
  PostingRow,
  RewardRedemptionRow,
  UsageRow,
  VoucherTransactionRow,
} from '../db/tables.ts'
import type { Tally } from '../db/tallies.ts'
import { sqlState } from '../db/transaction.ts'
import { eventRows, type NewEvent } from '../events/emit.ts'
import { ApiError } from '../http/errors.ts'
import { newId } from '../lib/ids.ts'
import type { Instant } from '../lib/instant.ts'
import { limits } from '../lib/limits.ts'
import { itemsJson, type OrderColumns } from '../orders/store.ts'
import type { StoredRedemption } from '../redemptions/redemption.ts'
import type { Loaded } from './load.ts'

interface NewLot {
  /** What it lost, of a lot whose day is over. */
  expired_points?: number | null
  created_at?: Instant
}

type Plain<Row> = { [Column in keyof Row]: unknown }

/** All that a decision changes; every row that it relied on comes with the version that was read. */
export interface Changes {
  order?: { row: OrderColumns; xmin: string | null }
  customers?: CustomerChange[]
  vouchers?: VoucherChange[]
  guards?: Array<{ name: string; version: number }>
  lots?: Array<Omit<Plain<LotRow>, 'project_id' | 'expired_points' | 'created_at' | 'updated_at'> & NewLot>
  members?: Array<Omit<Plain<LoyaltyMemberRow>, 'project_id'>>
  pending_points?: Array<Omit<Plain<PendingPointsRow>, 'project_id'>>
  /** Rules that have paid for an order. */
  earnings?: Array<Omit<EarningRow, 'project_id'>>
  reward_redemptions?: Array<Omit<Plain<RewardRedemptionRow>, 'project_id'>>
  redemptions?: StoredRedemption[]
  /** Redemptions that are rolled back, and by what. */
  rolled_back?: Array<{ id: string; rollback: NonNullable<StoredRedemption['rollback']> }>
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
  /** Nothing but a hold: the code itself is not said to be updated. */
  is_held?: true
} & Partial<Record<CreditColumn, number>>

type CreditColumn = 'credits_added' | 'credits_subtracted' | 'credits_redeemed' | 'credits_expired' | 'credits_pending'

export type CustomerChange =
  | { id: string; row: StoredCustomer }
  | {
      id: string
      /** Given where `set` follows from what was read. */
      xmin?: string
      set?: Partial<StoredCustomer>
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

export type KeptKey = { key: string; fingerprint: string; expires_at: Instant; status: number; body: string }

/** Somebody was faster: what was decided on has changed. The name says which row. */
export class Outrun extends Error {
  readonly row: string

  constructor(row: string) {
    super(`${row} has changed`)
    this.row = row
  }
}

/** Another request with the same Idempotency-Key has been answered. */
export class KeyTaken extends Error {}

/** Whoever could not get hold of what it needs in time has changed nothing (spec 02, 19). */
export const multipleRequests = (): ApiError =>
  new ApiError('multiple_requests', { details: 'Other requests are changing the same things' })

/** Writes a decision in one trip, or throws `Outrun` and has written nothing. */
export async function saveCheckout(ctx: Ctx, db: Db, changes: Changes, key: KeptKey | null = null): Promise<void> {
  const payload = payloadOf(ctx, changes, key)
  try {
    await sql`select checkout_save(${new JsonParameter(payload)}::jsonb)`.execute(db)
  } catch (error) {
    const state = sqlState(error)
    if (state === 'GU001') throw new Outrun((error as Error).message)
    if (state === 'GU002') throw new KeyTaken()
    if (state === '55P03') throw multipleRequests()
    throw error
  }
  if (changes.usage !== undefined) ctx.afterCommit(() => ctx.jobs.wake('usage'))
  if (changes.segment_checks !== undefined) ctx.afterCommit(() => ctx.jobs.wake('segments'))
}

function payloadOf(ctx: Ctx, changes: Changes, key: KeptKey | null): object {
  const { project_id, now, request_id, caller } = ctx
  const { order, tallies, usage, events, segment_checks, ...rest } = changes
  return {
    project_id,
    now,
    lock_timeout: `${limits.checkout_lock_seconds}s`,
    ...(key === null ? {} : { key }),
    ...Object.fromEntries(Object.entries(rest).filter(([, value]) => !Array.isArray(value) || value.length > 0)),
    ...(order === undefined ? {} : { order: { ...order, row: checkedOrder(order.row) } }),
    ...listed(
      'tallies',
      tallies
        ?.filter(([, delta]) => delta !== 0)
        .map(([name, delta]) => ({ name, delta, id: newId('background_run') })),
    ),
    ...listed(
      'usage',
      usage?.map((row) => ({ ...row, id: newId('background_run') })),
    ),
    ...listed(
      'segment_checks',
      segment_checks?.map((customer_id) => ({ customer_id, request_id, caller })),
    ),
    ...listed('events', events && eventRows(ctx, events)),
  }
}

const listed = (name: string, rows: readonly unknown[] | undefined): object =>
  rows === undefined || rows.length === 0 ? {} : { [name]: rows }

function checkedOrder(row: OrderColumns): OrderColumns {
  itemsJson(row.items)
  return row
}

/** The guards of some redeemables, each once. */
export function guardsOf(
  counted: ReadonlyArray<Loaded['counted'][string] | null>,
): Array<{ name: string; version: number }> {
  const guards = new Map(counted.flatMap((one) => Object.entries(one?.guards ?? {})))
  return [...guards].map(([name, version]) => ({ name, version }))
}
