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
import { dayAt, endOfNextMonth, textOf } from './expiry.ts'

/**
 * Brings a customer's tier up to date and tells what happened, in order (docs/reference/loyalty-tiers.md#rank-and-ranges): first
 * what fell due since the last look, each on its own day, then what the measure of right now means. `measureAt` knows the measure
 * at the start of a day gone by, with the points that became active on it; with it, one look that comes late gives the same as a
 * look every day. A change of the measure is told after such a look, because the start of the day comes before it.
 *
 * Silver from 100, `CUSTOM` `P2M` up to the end of the quarter: 120 points on 2025-08-14 → joined, until 2025-12-31. With
 * 20 points on 2026-01-01 → left; with 150 → prolonged, until 2026-03-31.
 */
export function moveTier(facts: TierFacts, measureAt: (date: string) => number = () => facts.measure): TierMove {
  const { tiers, settings, state, changed, removed_tiers } = facts
  const program: Program = { tiers, removed_tiers: removed_tiers ?? [], settings: settings ?? byBalance }
  const customer: Customer = { ...state, events: [] }
  const today = dayAt(facts.today)
  const qualified = qualifying(program, facts.measure)
  forgetRemoved(program, customer, today, qualified)
  for (let due = nextDue(customer); due <= today; due = nextDue(customer)) {
    const then = qualifying(program, measureAt(textOf(due)))
    fallDue(program, customer, due, then)
    follow(program, customer, due, then)
    assert(nextDue(customer) > due, `a tier stays due on ${textOf(due)}`)
  }
  const isLower = rankOf(program, qualified) < rankOf(program, customer.current)
  if (changed === 'settings') redate(program, customer, today)
  if (changed === 'tiers' && customer.current?.expiration_date === null && isLower) {
    enter(program, customer, today, qualified)
  }
  // Other settings alone take no tier away.
  if (changed !== 'settings' || !isLower) follow(program, customer, today, qualified)
  const { current, scheduled, events } = customer
  return { state: { current, scheduled }, events }
}

/**
 * The next day on which a tier changes by itself, or null: the daily job has nothing to do before.
 *
 * A tier until 2025-12-31 → `2026-01-01`.
 */
export function nextTierDate(state: TierState): string | null {
  const due = nextDue(state)
  return Number.isFinite(due) ? textOf(due) : null
}

/**
 * The measure of `POINTS_IN_PERIOD`: what was collected in the calendar period of a date, up to its end. Credits are
 * accruals, activations and additions; refunds and transfers are none.
 *
 * 40 points in March, 25 in May: for `QUARTER` on 2025-05-10 → 25.
 */
export function collectedInPeriod(
  credits: ReadonlyArray<{ date: string; points: number }>,
  period: CalendarPeriod,
  date: string,
): number {
  const first = textOf(startOfPeriod(dayAt(date), months[period]))
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

/** What holds where a campaign says nothing. */
const byBalance: TierExpiration = { qualification_type: 'BALANCE', expiration_date: { type: 'BALANCE_DROP' } }

const months: Record<CalendarPeriod, number> = { MONTH: 1, QUARTER: 3, HALF_YEAR: 6, YEAR: 12 }

/**
 * The highest tier whose range has the measure; of a period only the lower end counts
 * (docs/reference/loyalty-tiers.md#which-tier-qualifies).
 */
function qualifying({ tiers, settings }: Program, measure: number): LoyaltyTier | null {
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

/** A tier from 0 is had without effort: it begins at once and never ends. */
const isFree = ({ points: { from } }: LoyaltyTier): boolean => (from ?? 0) === 0

/** The open range holds where no other does, so it is below all others. */
const rankIn = (tier: LoyaltyTier): number => (isOpen(tier) ? -1 : (tier.points.from ?? 0))

function rankOf(program: Program, tier: LoyaltyTier | { tier_id: string } | null): number {
  if (tier === null) return Number.NEGATIVE_INFINITY
  const known = 'tier_id' in tier ? find([...program.tiers, ...program.removed_tiers], tier.tier_id) : tier
  return known === null ? Number.POSITIVE_INFINITY : rankIn(known)
}

const find = (tiers: readonly LoyaltyTier[], id: string): LoyaltyTier | null =>
  tiers.find((tier) => tier.id === id) ?? null

/** Whoever is in a tier that was taken away loses it at once; and a balance has no next period to wait for. */
function forgetRemoved(program: Program, customer: Customer, today: Day, qualified: LoyaltyTier | null): void {
  const { current, scheduled } = customer
  const hasPeriods = program.settings.qualification_type === 'POINTS_IN_PERIOD'
  if (scheduled !== null && !(hasPeriods && find(program.tiers, scheduled.tier_id))) customer.scheduled = null
  if (current !== null && find(program.tiers, current.tier_id) === null) enter(program, customer, today, qualified)
}

function nextDue({ current, scheduled }: TierState): Day {
  const ends = current?.expiration_date == null ? Number.POSITIVE_INFINITY : dayAt(current.expiration_date) + 1
  return scheduled === null ? ends : Math.min(ends, dayAt(scheduled.start_date))
}

/**
 * What time itself does at the start of a day: a scheduled tier begins, a tier ends (docs/reference/loyalty-tiers.md#transitions,
 * last column).
 */
function fallDue(program: Program, customer: Customer, day: Day, qualified: LoyaltyTier | null): void {
  const { current, scheduled } = customer
  const begins =
    scheduled !== null && dayAt(scheduled.start_date) <= day ? find(program.tiers, scheduled.tier_id) : null
  if (begins !== null) customer.scheduled = null
  if (begins !== null && rankOf(program, begins) >= rankOf(program, current)) {
    enter(program, customer, day, begins)
  } else if (current?.expiration_date != null && dayAt(current.expiration_date) < day) {
    const next = rankOf(program, begins) >= rankOf(program, qualified) ? begins : qualified
    // What is higher still begins with the next period; until then the tier that was earned is kept.
    const isTooEarly = startsLater(program) && rankOf(program, next) > rankOf(program, current)
    enter(program, customer, day, isTooEarly ? find(program.tiers, current.tier_id) : next)
  }
}

/** What the measure means on a day (docs/reference/loyalty-tiers.md#transitions, second column). */
function follow(program: Program, customer: Customer, day: Day, qualified: LoyaltyTier | null): void {
  const { settings } = program
  if (settings.expiration_date.type === 'BALANCE_DROP') {
    if (customer.current?.tier_id !== qualified?.id) enter(program, customer, day, qualified)
  } else if (startsLater(program)) {
    if (customer.current === null) enter(program, customer, day, highestFree(program))
    if (qualified !== null) schedule(program, customer, day, qualified)
  } else if (qualified !== null) {
    const higher = rankOf(program, qualified) - rankOf(program, customer.current)
    if (higher > 0 || (higher === 0 && settings.qualification_type === 'POINTS_IN_PERIOD')) {
      enter(program, customer, day, qualified)
    }
  }
}

const startsLater = ({ settings }: Program): boolean => settings.start_date?.type === 'NEXT_PERIOD'

const highestFree = (program: Program): LoyaltyTier | null =>
  qualifying({ ...program, tiers: program.tiers.filter(isFree) }, 0)

/**
 * Puts a tier down for the next period, if it is better than what the customer will have by then: a higher one, the same
 * for longer, or any when the current one is over.
 */
function schedule(program: Program, customer: Customer, day: Day, tier: LoyaltyTier): void {
  const { current, scheduled } = customer
  if (isFree(tier) || (scheduled !== null && rankOf(program, scheduled) >= rankIn(tier))) return
  const starts = startOfPeriod(day, periodOf(program), 1)
  const isOver = current?.expiration_date != null && dayAt(current.expiration_date) < starts
  const isHigher = rankIn(tier) > rankOf(program, current)
  if (isOver || isHigher || isLonger(current, tier, lastDay(program, tier, starts))) {
    customer.scheduled = { tier_id: tier.id, start_date: textOf(starts) }
  }
}

/** Whether a tier is held already, but not that long. */
const isLonger = (current: HeldTier | null, tier: LoyaltyTier, last: Day | null): boolean =>
  current?.tier_id === tier.id &&
  current.expiration_date !== null &&
  (last === null || last > dayAt(current.expiration_date))

/** Gives a tier from a day on, or takes it. The same tier once more is prolonged, if that makes it longer. */
function enter(program: Program, customer: Customer, day: Day, tier: LoyaltyTier | null): void {
  const before = customer.current
  const last = tier === null ? null : lastDay(program, tier, day)
  const expirationDate = last === null ? null : textOf(last)
  if (tier === null) {
    customer.current = null
    tell(customer, 'left', day, before)
  } else if (before?.tier_id !== tier.id) {
    customer.current = { tier_id: tier.id, start_date: textOf(day), expiration_date: expirationDate }
    const isHigher = rankIn(tier) > rankOf(program, before)
    tell(customer, before === null ? 'joined' : isHigher ? 'upgraded' : 'downgraded', day, before)
  } else if (isLonger(before, tier, last)) {
    customer.current = { ...before, expiration_date: expirationDate }
    tell(customer, 'prolonged', day, before)
  }
}

function tell(customer: Customer, type: TierEvent['type'], day: Day, before: HeldTier | null): void {
  const { current } = customer
  const tierId = (current ?? before)?.tier_id
  if (tierId === undefined) return // none before, none now
  customer.events.push({ type, date: textOf(day), tier_id: tierId, previous_tier_id: before?.tier_id ?? null, current })
}

/**
 * Dates a tier anew by other settings, from its start on. Terms that would be over by now count as prolonged: a change of
 * settings takes no tier away.
 */
function redate(program: Program, customer: Customer, today: Day): void {
  const { current } = customer
  const tier = current === null ? null : find(program.tiers, current.tier_id)
  if (current === null || tier === null) return
  let last = lastDay(program, tier, dayAt(current.start_date))
  while (last !== null && last < today) last = lastDay(program, tier, last + 1)
  const expirationDate = last === null ? null : textOf(last)
  if (expirationDate === current.expiration_date) return
  customer.current = { ...current, expiration_date: expirationDate }
  tell(customer, 'expiration.changed', today, current)
}

/**
 * The last day of a tier that begins, or is prolonged, on a day; null is without end
 * (docs/reference/loyalty-tiers.md#dates-of-a-tier).
 */
function lastDay(program: Program, tier: LoyaltyTier, day: Day): Day | null {
  const { expiration_date: ends } = program.settings
  if (ends.type === 'BALANCE_DROP' || isFree(tier)) return null
  const extend = readDuration(ends.extend ?? '')
  const [moreMonths, moreDays] = [extend?.months ?? 0, extend?.days ?? 0]
  if (ends.type === 'CUSTOM') {
    const later = addMonths(day, moreMonths) + moreDays
    if (ends.rounding == null) return later
    const { rounding } = ends
    return rounding.type === 'CUSTOM'
      ? endOfNextMonth(later, rounding.value + 1) // counted from 0 here
      : endOfPeriod(later, months[rounding.type])
  }
  const period = periodOf(program)
  const next = startOfPeriod(day, period, ends.type === 'END_OF_PERIOD' ? 1 : 2)
  // Months are added to the first of a month, so that the end of a month stays one: 28 February + 1 is 31 March.
  return addMonths(next, moreMonths) - 1 + moreDays
}

const periodOf = ({ settings }: Program): number =>
  settings.qualification_type === 'POINTS_IN_PERIOD' ? months[settings.qualification_period] : 1
