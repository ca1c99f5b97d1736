import type { Account, Lot } from '@guerdon/engine/schema'
import type { Selectable } from 'kysely'
import type { StoredCustomer } from '../../audience/customers/customer.ts'
import type { LoadedVoucher } from '../../checkout/decision/voucher-row.ts'
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
 * The programs of some customers, in memory and under locks. Whatever happens to points is written here first: every step sees
 * what the one before it did, and all of it is saved at once.
 */
export interface LoyaltyUnitOfWork {
  ctx: Ctx
  configuration: Configuration
  programs: Programs
  people: Map<string, Person>
  chain: CascadeState
  /** What is to be written, but for people and cards, who know themselves what has changed. */
  written: Written
  /** What is asked for besides the customers; kept for reading again. */
  asked: Asked
}

export type { CascadeState }

export const newCascade = (): CascadeState => ({ fired: new Set(), closed: new Set() })

/** When something happens: now, or at the start of a day gone by that is made up for. */
export interface Moment {
  at: Instant
  /** The day in the project's time zone. */
  today: string
  /** The day as of which lots count: the day before, as long as those of that day are not expired yet. */
  spent_on: string
}

export interface Person {
  customer: StoredCustomer
  /** One for each program. */
  cards: Card[]
  moves: Record<string, CardMove>
}

/** What the row of a customer has to say of a program from now on; an empty one: it does already, but nobody was told. */
export type CardMove = Exclude<LoyaltyMove, { gone: true }>

export interface Card {
  voucher: LoadedVoucher
  person: Person
  program: Program
  /** Lots that are open. */
  lots: OpenLot[]
  member: Member
  /** Entries that are due, or that the cause is about. */
  pending: PendingEntry[]
  /** The day on which the next of the others is due. */
  next_activation: string | null
  /** Rules that have paid for the order of the cause before. */
  paid_rules: string[]
  /** What was collected in the period that counts for the tier, day by day. */
  credits: Array<{ date: string; points: number }>
  change: Partial<Record<CreditColumn, number>>
  /** Lots as they were read, by id. */
  saved_lots: ReadonlyMap<string, number>
  is_member_changed: boolean
}

type CreditColumn = 'credits_added' | 'credits_subtracted' | 'credits_redeemed' | 'credits_expired' | 'credits_pending'

export type OpenLot = Lot & { created_at?: Instant; updated_at?: Instant | null; expired_points?: number }

export type Member = Omit<Selectable<LoyaltyMemberRow>, 'project_id'>

export type PendingEntry = Omit<Selectable<PendingPointsRow>, 'project_id'>

export type Written = Required<
  Pick<
    Changes,
    'transactions' | 'postings' | 'pending_points' | 'earnings' | 'reward_redemptions' | 'tallies' | 'lots' | 'events'
  >
>

export interface Asked {
  /** Whose entries and payments are of interest. */
  order_id?: string
  pending_id?: string
  /** The first day that is made up for. */
  since?: string
}

/** A request at a moment that is made up for. */
export const asOfMoment = (ctx: Ctx, { at }: Moment): Ctx => ({
  ...ctx,
  now: at,
  event_time: ctx.event_time ?? ctx.now,
})

/** The row of its holder says what is on a card already; whoever follows the holder is still to be told. */
export function noteMoved(card: Card): void {
  const { moves } = card.person
  moves[card.program.campaign.name] = { ...moves[card.program.campaign.name] }
}

export function momentNow({ now, project: { timezone } }: Ctx): Moment {
  if (latest.now !== now || latest.timezone !== timezone) latest = { now, timezone, today: todayIn({ now, timezone }) }
  const { today } = latest
  return { at: now, today, spent_on: today }
}

/** Asked for again and again by one request. */
let latest = { now: '', timezone: '', today: '' }

/** The card as the engine keeps its books. */
export const accountOf = ({ voucher, lots }: Card): Account => ({ id: voucher.id, asset: 'points', lots })

export function* allCards({ people }: LoyaltyUnitOfWork): Generator<Card> {
  for (const { cards } of people.values()) yield* cards
}

export const cardIn = ({ people }: LoyaltyUnitOfWork, customerId: string, campaignId: string): Card | undefined =>
  people.get(customerId)?.cards.find(({ program }) => program.campaign.id === campaignId)

export const cardNamed = (books: LoyaltyUnitOfWork, voucherId: string): Card | undefined => {
  for (const card of allCards(books)) if (card.voucher.id === voucherId) return card
  return undefined
}

/** Events have their ids, and with them their order, from the moment they are told. */
export const tell = ({ written }: LoyaltyUnitOfWork, ...events: NewEvent[]): void =>
  void written.events.push(...events.map(withEventId))
