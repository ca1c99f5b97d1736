import type { Account, Lot } from '@guerdon/engine/schema'
import type { Selectable } from 'kysely'
import type { StoredCustomer } from '../../audience/customers/customer.ts'
import type { CheckoutVoucher } from '../../checkout/decision/voucher-row.ts'
import type { Configuration } from '../../core/configuration/configuration.ts'
import type { Ctx } from '../../core/context.ts'
import type { Changes, LoyaltyMove } from '../../core/db/checkout-changes.ts'
import type { LoyaltyMemberRow, PendingPointsRow } from '../../core/db/tables.ts'
import { type NewEvent, withEventId } from '../../core/events/emit.ts'
import type { Instant } from '../../core/lib/instant.ts'
import { todayIn } from '../../core/query/filter/calendar.ts'
import type { CascadeState } from '../../incentives/reactions.ts'
import type { Program, Programs } from './programs.ts'

/**
 * Unit of work: the loyalty cards of some customers, locked and held in memory. Every step changes these objects first, so that
 * the next step sees its result; `saveMembers` writes all changes at once.
 */
export interface LoyaltyUnitOfWork {
  ctx: Ctx
  configuration: Configuration
  programs: Programs
  people: Map<string, Person>
  cascade: CascadeState
  /** Rows to write on save. Changes of people and cards are not among them: those objects track their own. */
  writes: QueuedWrites
  /** What to load besides the customers; `flushAndReload` uses it again. */
  loadOptions: CardLoadOptions
}

export type { CascadeState }

export const newCascade = (): CascadeState => ({ fired: new Set(), closed: new Set() })

/** The time at which a change takes effect: now, or the start of a past day whose due changes are applied late. */
export interface LedgerMoment {
  at: Instant
  /** The day in the project's time zone. */
  today: string
  /** Lots count as of this day. It is the day before `today` as long as the lots that ended on that day are not expired yet. */
  spent_on: string
}

export interface Person {
  customer: StoredCustomer
  /** One card per program. */
  cards: Card[]
  moves: Record<string, CardMove>
}

/**
 * The change of `customers.loyalty` for one program. An empty object: the row is already up to date, but
 * `customer.loyalty.updated` is still to be emitted.
 */
export type CardMove = Exclude<LoyaltyMove, { gone: true }>

export interface Card {
  voucher: CheckoutVoucher
  person: Person
  program: Program
  /** Open lots. */
  lots: OpenLot[]
  member: Member
  /** Pending entries that are due, or that belong to the order or the entry of the request. */
  pending: PendingEntry[]
  /** The day on which the next of the pending entries that were not loaded is due. */
  next_activation: string | null
  /** Earning rules that have already paid for the order of the request. */
  paid_rules: string[]
  /** Points credited in the period that counts for the tier, by day. */
  credits: Array<{ date: string; points: number }>
  change: Partial<Record<CreditColumn, number>>
  /** The points of each lot as loaded, by lot id. */
  saved_lots: ReadonlyMap<string, number>
  is_member_changed: boolean
}

type CreditColumn = 'credits_added' | 'credits_subtracted' | 'credits_redeemed' | 'credits_expired' | 'credits_pending'

export type OpenLot = Lot & { created_at?: Instant; updated_at?: Instant | null; expired_points?: number }

export type Member = Omit<Selectable<LoyaltyMemberRow>, 'project_id'>

export type PendingEntry = Omit<Selectable<PendingPointsRow>, 'project_id'>

export type QueuedWrites = Required<
  Pick<
    Changes,
    'transactions' | 'postings' | 'pending_points' | 'earnings' | 'reward_redemptions' | 'tallies' | 'lots' | 'events'
  >
>

export interface CardLoadOptions {
  /** The order whose pending entries and earnings are loaded. */
  order_id?: string
  pending_id?: string
  /** The first past day whose due changes are applied: points credited since then are loaded. */
  since?: string
}

/** The request context as of a moment. Events keep the real time of the request as `event_time`. */
export const asOfMoment = (ctx: Ctx, { at }: LedgerMoment): Ctx => ({
  ...ctx,
  now: at,
  event_time: ctx.event_time ?? ctx.now,
})

/** Has `customer.loyalty.updated` emitted for a card whose points are already in the row of its holder. */
export function markHolderChanged(card: Card): void {
  const { moves } = card.person
  moves[card.program.campaign.name] = { ...moves[card.program.campaign.name] }
}

export function momentNow({ now, project: { timezone } }: Ctx): LedgerMoment {
  if (latest.now !== now || latest.timezone !== timezone) latest = { now, timezone, today: todayIn({ now, timezone }) }
  const { today } = latest
  return { at: now, today, spent_on: today }
}

/** Cached: one request asks for it many times. */
let latest = { now: '', timezone: '', today: '' }

/** The card as the ledger account of the engine. */
export const cardAccountOf = ({ voucher, lots }: Card): Account => ({ id: voucher.id, asset: 'points', lots })

export function* allCards({ people }: LoyaltyUnitOfWork): Generator<Card> {
  for (const { cards } of people.values()) yield* cards
}

export const cardIn = ({ people }: LoyaltyUnitOfWork, customerId: string, campaignId: string): Card | undefined =>
  people.get(customerId)?.cards.find(({ program }) => program.campaign.id === campaignId)

export const findCard = (work: LoyaltyUnitOfWork, voucherId: string): Card | undefined => {
  for (const card of allCards(work)) if (card.voucher.id === voucherId) return card
  return undefined
}

/** Queues events until the unit of work is saved. They get their ids, and thereby their order, here. */
export const queueEvents = ({ writes }: LoyaltyUnitOfWork, ...events: NewEvent[]): void =>
  void writes.events.push(...events.map(withEventId))
