import { assert } from '../assert.ts'
import type {
  CalendarPeriod,
  HeldTier,
  LoyaltyTier,
  TierEvent,
  TierExpiration,
  TierFacts,
  TierMove,
  TierState,
} from '../schema/loyalty.ts'
import { addMonths, type Day, endOfPeriod, readDuration, startOfPeriod } from '../time/index.ts'
import { dateTextOf, dayAt, endOfNextMonth } from './expiry.ts'

/**
 * Updates a customer's tier and returns the events in order (docs/reference/loyalty-tiers.md#rank-and-ranges): first the
 * changes that fell due since the last update, each on its own day, then the effect of the current measure. `measureAt`
 * returns the measure at the start of a past day, including points activated on that day; with it, one late update gives
 * the same result as daily updates. Run such an update before applying a change of the measure, because the start of the
 * day precedes the change.
 *
 * Silver from 100, `CUSTOM` `P2M` up to the end of the quarter: 120 points on 2025-08-14 → joined, until 2025-12-31. With
 * 20 points on 2026-01-01 → left; with 150 → prolonged, until 2026-03-31.
 * /
 * /
 */
export function moveTier(facts: TierFacts, measureAt: (date: string) => number = () => facts.measure): TierMove {
  const { tiers, settings, state, changed, removed_tiers } = facts
  const program: Program = { tiers, removed_tiers: removed_tiers ?? [], settings: settings ?? defaultExpiration }
  const customer: Customer = { ...state, events: [] }
  const today = dayAt(facts.today)
  const qualifiedToday = qualifyingTier(program, facts.measure)
  dropRemovedTiers(program, customer, today, qualifiedToday)
  for (let due = nextDueDay(customer); due <= today; due = nextDueDay(customer)) {
    const qualifiedThen = qualifyingTier(program, measureAt(dateTextOf(due)))
    applyDueChanges(program, customer, due, qualifiedThen)
    applyMeasure(program, customer, due, qualifiedThen)
    assert(nextDueDay(customer) > due, `tier change still due on ${dateTextOf(due)}`)
  }
  const isLower = rankOf(program, qualifiedToday) < rankOf(program, customer.current)
  if (changed === 'settings') recomputeExpiration(program, customer, today)
  if (changed === 'tiers' && customer.current?.expiration_date === null && isLower) {
    changeTier(program, customer, today, qualifiedToday)
  }
  // A change of settings alone never downgrades.
  if (changed !== 'settings' || !isLower) applyMeasure(program, customer, today, qualifiedToday)
  const { current, scheduled, events } = customer
  return { state: { current, scheduled }, events }
}

/**
 * The next day on which a tier changes without an event, or null: the daily job has nothing to do before it.
 *
 * A tier until 2025-12-31 → `2026-01-01`.
 * /
 */
export function nextTierDate(state: TierState): string | null {
  const due = nextDueDay(state)
  return Number.isFinite(due) ? dateTextOf(due) : null
}

/**
 * The measure of `POINTS_IN_PERIOD`: points collected in the calendar period of a date, up to and including it. Credits are
 * accruals, activations and additions, not refunds or transfers.
 *
 * 40 points in March, 25 in May: for `QUARTER` on 2025-05-10 → 25.
 * /
 */
export function collectedInPeriod(
  credits: ReadonlyArray<{ date: string; points: number }>,
  period: CalendarPeriod,
  date: string,
): number {
  const first = dateTextOf(startOfPeriod(dayAt(date), months[period]))
  return credits.reduce((sum, credit) => (credit.date >= first && credit.date <= date ? sum + credit.points : sum), 0)
}

interface Program {
  tiers: readonly LoyaltyTier[]
  removed_tiers: readonly LoyaltyTier[]
  settings: TierExpiration
}

interface Customer extends TierState {
  events: TierEvent[]
}

/** The default for campaigns without settings. */
const defaultExpiration: TierExpiration = { qualification_type: 'BALANCE', expiration_date: { type: 'BALANCE_DROP' } }

const months: Record<CalendarPeriod, number> = { MONTH: 1, QUARTER: 3, HALF_YEAR: 6, YEAR: 12 }

/**
 * The highest tier whose range contains the measure; for points in a period only the lower bound counts
 * (docs/reference/loyalty-tiers.md#which-tier-qualifies).
 */
function qualifyingTier({ tiers, settings }: Program, measure: number): LoyaltyTier | null {
  const hasEnd = settings.qualification_type === 'BALANCE'
  let best: LoyaltyTier | null = null
  for (const tier of tiers) {
    const { from, to } = tier.points
    const fits = isOpen(tier) || ((from ?? 0) <= measure && (!hasEnd || to == null || measure <= to))
    if (fits && (best === null || rankIn(tier) > rankIn(best))) best = tier
  }
  return best
}

const isOpen = ({ points: { from, to } }: LoyaltyTier): boolean => from == null && to == null

/** A tier that starts at 0 points: it starts immediately and never ends. */
const isFree = ({ points: { from } }: LoyaltyTier): boolean => (from ?? 0) === 0

/** The open range applies when no other does, so it ranks below all others. */
const rankIn = (tier: LoyaltyTier): number => (isOpen(tier) ? -1 : (tier.points.from ?? 0))

function rankOf(program: Program, tier: LoyaltyTier | { tier_id: string } | null): number {
  if (tier === null) return Number.NEGATIVE_INFINITY
  const knownTier = 'tier_id' in tier ? findTier([...program.tiers, ...program.removed_tiers], tier.tier_id) : tier
  return knownTier === null ? Number.POSITIVE_INFINITY : rankIn(knownTier)
}

const findTier = (tiers: readonly LoyaltyTier[], id: string): LoyaltyTier | null =>
  tiers.find((tier) => tier.id === id) ?? null

/**
 * Customers of a removed tier lose it immediately; a scheduled tier is dropped when it was removed, or when tiers follow
 * the balance, which has no next period.
 */
function dropRemovedTiers(program: Program, customer: Customer, today: Day, qualified: LoyaltyTier | null): void {
  const { current, scheduled } = customer
  const hasPeriods = program.settings.qualification_type === 'POINTS_IN_PERIOD'
  if (scheduled !== null && !(hasPeriods && findTier(program.tiers, scheduled.tier_id))) customer.scheduled = null
  if (current !== null && findTier(program.tiers, current.tier_id) === null)
    changeTier(program, customer, today, qualified)
}

function nextDueDay({ current, scheduled }: TierState): Day {
  const expiredFrom = current?.expiration_date == null ? Number.POSITIVE_INFINITY : dayAt(current.expiration_date) + 1
  return scheduled === null ? expiredFrom : Math.min(expiredFrom, dayAt(scheduled.start_date))
}

/**
 * Applies changes due at the start of a day: a scheduled tier starts, a tier expires
 * (docs/reference/loyalty-tiers.md#transitions, last column).
 */
function applyDueChanges(program: Program, customer: Customer, day: Day, qualified: LoyaltyTier | null): void {
  const { current, scheduled } = customer
  const startingTier =
    scheduled !== null && dayAt(scheduled.start_date) <= day ? findTier(program.tiers, scheduled.tier_id) : null
  if (startingTier !== null) customer.scheduled = null
  if (startingTier !== null && rankOf(program, startingTier) >= rankOf(program, current)) {
    changeTier(program, customer, day, startingTier)
  } else if (current?.expiration_date != null && dayAt(current.expiration_date) < day) {
    const next = rankOf(program, startingTier) >= rankOf(program, qualified) ? startingTier : qualified
    // A higher tier starts only with the next period; until then the earned tier is kept.
    const isTooEarly = startsNextPeriod(program) && rankOf(program, next) > rankOf(program, current)
    changeTier(program, customer, day, isTooEarly ? findTier(program.tiers, current.tier_id) : next)
  }
}

/** Applies the measure of a day (docs/reference/loyalty-tiers.md#transitions, second column). */
function applyMeasure(program: Program, customer: Customer, day: Day, qualified: LoyaltyTier | null): void {
  const { settings } = program
  if (settings.expiration_date.type === 'BALANCE_DROP') {
    if (customer.current?.tier_id !== qualified?.id) changeTier(program, customer, day, qualified)
  } else if (startsNextPeriod(program)) {
    if (customer.current === null) changeTier(program, customer, day, highestFree(program))
    if (qualified !== null) schedule(program, customer, day, qualified)
  } else if (qualified !== null) {
    const higher = rankOf(program, qualified) - rankOf(program, customer.current)
    if (higher > 0 || (higher === 0 && settings.qualification_type === 'POINTS_IN_PERIOD')) {
      changeTier(program, customer, day, qualified)
    }
  }
}

const startsNextPeriod = ({ settings }: Program): boolean => settings.start_date?.type === 'NEXT_PERIOD'

const highestFree = (program: Program): LoyaltyTier | null =>
  qualifyingTier({ ...program, tiers: program.tiers.filter(isFree) }, 0)

/**
 * Schedules a tier for the next period if it improves on what the customer will have then: a higher tier, the same tier for
 * longer, or any tier when the current one has expired by then.
 */
function schedule(program: Program, customer: Customer, day: Day, tier: LoyaltyTier): void {
  const { current, scheduled } = customer
  if (isFree(tier) || (scheduled !== null && rankOf(program, scheduled) >= rankIn(tier))) return
  const periodStart = startOfPeriod(day, periodOf(program), 1)
  const expiresBefore = current?.expiration_date != null && dayAt(current.expiration_date) < periodStart
  const isHigher = rankIn(tier) > rankOf(program, current)
  if (expiresBefore || isHigher || isLonger(current, tier, lastDay(program, tier, periodStart))) {
    customer.scheduled = { tier_id: tier.id, start_date: dateTextOf(periodStart) }
  }
}

/** Whether the customer holds this tier already, with an earlier expiration date. */
const isLonger = (current: HeldTier | null, tier: LoyaltyTier, last: Day | null): boolean =>
  current?.tier_id === tier.id &&
  current.expiration_date !== null &&
  (last === null || last > dayAt(current.expiration_date))

/** Gives the customer a tier from a day on, or removes it (null). The same tier is prolonged if the new date is later. */
function changeTier(program: Program, customer: Customer, day: Day, tier: LoyaltyTier | null): void {
  const previousTier = customer.current
  const last = tier === null ? null : lastDay(program, tier, day)
  const expirationDate = last === null ? null : dateTextOf(last)
  if (tier === null) {
    customer.current = null
    recordEvent(customer, 'left', day, previousTier)
  } else if (previousTier?.tier_id !== tier.id) {
    customer.current = { tier_id: tier.id, start_date: dateTextOf(day), expiration_date: expirationDate }
    const isHigher = rankIn(tier) > rankOf(program, previousTier)
    recordEvent(customer, previousTier === null ? 'joined' : isHigher ? 'upgraded' : 'downgraded', day, previousTier)
  } else if (isLonger(previousTier, tier, last)) {
    customer.current = { ...previousTier, expiration_date: expirationDate }
    recordEvent(customer, 'prolonged', day, previousTier)
  }
}

function recordEvent(customer: Customer, type: TierEvent['type'], day: Day, previousTier: HeldTier | null): void {
  const { current } = customer
  const tierId = (current ?? previousTier)?.tier_id
  if (tierId === undefined) return // no tier before or after: no event
  customer.events.push({
    type,
    date: dateTextOf(day),
    tier_id: tierId,
    previous_tier_id: previousTier?.tier_id ?? null,
    current,
  })
}

/**
 * Recomputes the expiration date after a change of settings, from the start of the tier. Terms that would have expired
 * count as prolonged: a change of settings never removes a tier.
 */
function recomputeExpiration(program: Program, customer: Customer, today: Day): void {
  const { current } = customer
  const tier = current === null ? null : findTier(program.tiers, current.tier_id)
  if (current === null || tier === null) return
  let last = lastDay(program, tier, dayAt(current.start_date))
  while (last !== null && last < today) last = lastDay(program, tier, last + 1)
  const expirationDate = last === null ? null : dateTextOf(last)
  if (expirationDate === current.expiration_date) return
  customer.current = { ...current, expiration_date: expirationDate }
  recordEvent(customer, 'expiration.changed', today, current)
}

/**
 * The last day of a tier that starts, or is prolonged, on a day; null means no expiration
 * (docs/reference/loyalty-tiers.md#dates-of-a-tier).
 */
function lastDay(program: Program, tier: LoyaltyTier, day: Day): Day | null {
  const { expiration_date: expiration } = program.settings
  if (expiration.type === 'BALANCE_DROP' || isFree(tier)) return null
  const extend = readDuration(expiration.extend ?? '')
  const [moreMonths, moreDays] = [extend?.months ?? 0, extend?.days ?? 0]
  if (expiration.type === 'CUSTOM') {
    const later = addMonths(day, moreMonths) + moreDays
    if (expiration.rounding == null) return later
    const { rounding } = expiration
    return rounding.type === 'CUSTOM'
      ? endOfNextMonth(later, rounding.value + 1) // `rounding.value` counts months from 0
      : endOfPeriod(later, months[rounding.type])
  }
  const period = periodOf(program)
  const next = startOfPeriod(day, period, expiration.type === 'END_OF_PERIOD' ? 1 : 2)
  // Months are added to the first of a month, so that the end of a month stays the end: 28 February + 1 is 31 March.
  return addMonths(next, moreMonths) - 1 + moreDays
}

const periodOf = ({ settings }: Program): number =>
  settings.qualification_type === 'POINTS_IN_PERIOD' ? months[settings.qualification_period] : 1
