import {
  type Action,
  dayLater,
  type Outcome,
  type ProgramPlan,
  pointsPerUnit,
  price,
  type World,
} from './ledger-actions.ts'

/** A card in the simplest form: points by the day they expire, and the totals of points that are gone. */
export interface ModelCard {
  who: number
  program: number
  /** `never` sorts after every date. */
  lots: Map<string, number>
  added: number
  subtracted: number
  redeemed: number
  expired: number
  redemptions: number
}

interface ModelEntry {
  card: number
  order: number
  points: number
  on: string
  status: 'PENDING' | 'ACTIVATED' | 'CANCELED'
}

interface ModelRedemption {
  card: number
  /** The points taken, by the day they would have expired. */
  taken: Array<[until: string, points: number]>
  order: number | null
  at: string
  is_returned: boolean
}

type Rules = { period_value: number; rounding_type?: 'END_OF_MONTH' } | undefined

/** The expected points of some customers, modelled as simply as possible. Time passes at once, without a daily job. */
export class LedgerModel {
  readonly cards: ModelCard[]
  readonly entries: ModelEntry[] = []
  readonly #orders: Array<{ is_canceled: boolean }> = []
  readonly #redemptions: ModelRedemption[] = []
  readonly #plans: readonly ProgramPlan[]
  readonly #timezone: string
  #today: string

  constructor(world: World, plans: readonly ProgramPlan[], now: string, timezone: string) {
    this.#plans = plans
    this.#timezone = timezone
    this.#today = this.dayOf(now)
    this.cards = world.cards.map(({ who, program }) => {
      const { points = 0 } = (plans[program] as ProgramPlan).settings as { points?: number }
      const lots = new Map<string, number>(points > 0 ? [['never', points]] : [])
      return { who, program, lots, added: points, subtracted: 0, redeemed: 0, expired: 0, redemptions: 0 }
    })
  }

  dayOf(now: string): string {
    return this.#localTime(now).slice(0, 10)
  }

  /** `2027-01-29 13:00:00` */
  #localTime(at: string): string {
    const format = new Intl.DateTimeFormat('sv-SE', {
      timeZone: this.#timezone,
      dateStyle: 'short',
      timeStyle: 'medium',
    })
    return format.format(new Date(at))
  }

  /** Day by day: activates due pending points, then expires points whose last day has passed. */
  passTo(now: string): void {
    const today = this.dayOf(now)
    while (this.#today < today) {
      this.#today = dayLater(this.#today, 1)
      for (const entry of this.entries) if (entry.status === 'PENDING' && entry.on <= this.#today) this.#activate(entry)
      for (const card of this.cards)
        for (const [until, points] of card.lots)
          if (until < this.#today) {
            card.lots.delete(until)
            card.expired += points
          }
    }
  }

  /** The expected outcome of an action, and the customers whose cards are up to date after it. */
  apply(action: Action, now: string): { outcome: Outcome; seen: number[] } {
    const card = 'card' in action ? action.card % this.cards.length : 0
    const { who } = this.cards[card] as ModelCard
    switch (action.do) {
      case 'pay':
        this.#earn(action.who % customersCount(this.cards), action.now, action.later)
        return done(action.who % customersCount(this.cards))
      case 'visit': {
        const who = action.who % customersCount(this.cards)
        for (const [index, each] of this.cards.entries())
          if (each.who === who && each.program === 0) this.#credit(index, action.stars, this.#rulesOf(0))
        return done(who)
      }
      case 'add':
        if (action.until === 'rules')
          this.#credit(card, action.points, this.#rulesOf((this.cards[card] as ModelCard).program))
        else this.#put(card, action.points, action.until === 'never' ? 'never' : dayLater(this.#today, action.until))
        return done(who)
      case 'remove':
        return this.#take(card, action.points, 'subtracted') === null ? exceeded : done(who)
      case 'transfer': {
        const [from, to] = [action.from % this.cards.length, action.to % this.cards.length]
        if (from === to) return refused('400 invalid_payload')
        if (this.#take(from, action.points, 'subtracted') === null) return exceeded
        this.#credit(to, action.points, this.#rulesOf((this.cards[to] as ModelCard).program))
        return done((this.cards[from] as ModelCard).who, (this.cards[to] as ModelCard).who)
      }
      case 'take':
      case 'spend': {
        const taken = this.#take(card, action.do === 'take' ? price : action.units * pointsPerUnit, 'redeemed')
        if (taken === null) return exceeded
        ;(this.cards[card] as ModelCard).redemptions += 1
        const order = action.do === 'spend' ? this.#earn(who, action.now, action.later) : null
        this.#redemptions.push({ card, taken, order, at: now, is_returned: false })
        return done(who)
      }
      case 'return':
        return this.#return(action.redemption, now)
      case 'activate':
      case 'adjust':
      case 'withdraw':
        return this.#change(action)
      case 'cancel':
      case 'repay': {
        if (this.#orders.length === 0) return done()
        const order = action.order % this.#orders.length
        if (action.do === 'cancel') this.#cancel(order)
        else (this.#orders[order] as { is_canceled: boolean }).is_canceled = false
        return done()
      }
      default:
        return done()
    }
  }

  balanceOf(card: number): number {
    return [...(this.cards[card] as ModelCard).lots.values()].reduce((sum, points) => sum + points, 0)
  }

  /** Points that the programs pay for an order, now and as pending entries; returns the index of the order. */
  #earn(who: number, now: readonly number[], later: readonly number[]): number {
    const order = this.#orders.push({ is_canceled: false }) - 1
    for (const [card, { who: holder, program }] of this.cards.entries()) {
      const plan = this.#plans[program] as ProgramPlan
      if (holder !== who) continue
      if ((now[program] ?? 0) > 0)
        this.#credit(card, now[program] as number, rulesIn(plan.now) ?? this.#rulesOf(program))
      if ((later[program] ?? 0) > 0) {
        const on = dayLater(this.#today, plan.later.days)
        this.entries.push({ card, order, points: later[program] as number, on, status: 'PENDING' })
      }
    }
    return order
  }

  #activate(entry: ModelEntry): void {
    entry.status = 'ACTIVATED'
    const { program } = this.cards[entry.card] as ModelCard
    this.#credit(
      entry.card,
      entry.points,
      rulesIn((this.#plans[program] as ProgramPlan).later) ?? this.#rulesOf(program),
    )
  }

  #change(action: Extract<Action, { entry: number }>): { outcome: Outcome; seen: number[] } {
    if (this.entries.length === 0) return done()
    const entry = this.entries[action.entry % this.entries.length] as ModelEntry
    if (entry.status !== 'PENDING') return refused('400 invalid_pending_points_state')
    if (action.do === 'activate') this.#activate(entry)
    else if (action.do === 'withdraw') entry.status = 'CANCELED'
    else if (action.points === 0 || entry.points + action.points <= 0) return refused('400 invalid_amount')
    else entry.points += action.points
    return done((this.cards[entry.card] as ModelCard).who)
  }

  #return(number: number, now: string): { outcome: Outcome; seen: number[] } {
    if (this.#redemptions.length === 0) return done()
    const redemption = this.#redemptions[number % this.#redemptions.length] as ModelRedemption
    if (redemption.is_returned) return refused('400 already_rolled_back')
    const redeemedAt = this.#localTime(redemption.at)
    const last = monthsLater(redeemedAt, 3) + redeemedAt.slice(10)
    if (last < this.#localTime(now)) return refused('400 invalid_redemption')
    const card = this.cards[redemption.card] as ModelCard
    redemption.is_returned = true
    card.redemptions -= 1
    for (const [until, points] of redemption.taken) {
      card.redeemed -= points
      const expiry = until >= this.#today ? until : dateBy(this.#today, this.#rulesOf(card.program))
      card.lots.set(expiry, (card.lots.get(expiry) ?? 0) + points)
    }
    if (redemption.order !== null) this.#cancel(redemption.order)
    return done(card.who)
  }

  #cancel(order: number): void {
    const stored = this.#orders[order] as { is_canceled: boolean }
    if (stored.is_canceled) return
    stored.is_canceled = true
    for (const entry of this.entries) if (entry.order === order && entry.status === 'PENDING') entry.status = 'CANCELED'
  }

  #rulesOf(program: number): Rules {
    return rulesIn(this.#plans[program]?.settings)
  }

  #credit(card: number, points: number, rules: Rules): void {
    this.#put(card, points, dateBy(this.#today, rules))
  }

  #put(index: number, points: number, until: string): void {
    const card = this.cards[index] as ModelCard
    card.lots.set(until, (card.lots.get(until) ?? 0) + points)
    card.added += points
  }

  /** Takes the points that expire first; returns null if there are not enough. */
  #take(index: number, points: number, to: 'subtracted' | 'redeemed'): ModelRedemption['taken'] | null {
    if (this.balanceOf(index) < points) return null
    const card = this.cards[index] as ModelCard
    const taken: ModelRedemption['taken'] = []
    let remaining = points
    for (const until of [...card.lots.keys()].sort()) {
      const share = Math.min(remaining, card.lots.get(until) as number)
      if (share === 0) continue
      card.lots.set(until, (card.lots.get(until) as number) - share)
      taken.push([until, share])
      remaining -= share
    }
    card[to] += points
    return taken
  }
}

const customersCount = (cards: readonly ModelCard[]): number => Math.max(...cards.map(({ who }) => who)) + 1

const done = (...seen: number[]) => ({ outcome: '200', seen })
const refused = (outcome: Outcome) => ({ outcome, seen: [] })
const exceeded = refused('400 loyalty_card_points_exceeded')

const rulesIn = (plan: object | undefined): Rules =>
  (plan as { expiration_rules?: Rules } | undefined)?.expiration_rules

function dateBy(today: string, rules: Rules): string {
  if (rules === undefined) return 'never'
  return monthsLater(today, rules.period_value, rules.rounding_type === 'END_OF_MONTH' ? 31 : undefined)
}

/** The date some months later, clamped to the end of a shorter month. */
function monthsLater(day: string, months: number, dayOfMonth = Number(day.slice(8, 10))): string {
  const date = new Date(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)) + months, 0))
  date.setUTCDate(Math.min(dayOfMonth, date.getUTCDate()))
  return date.toISOString().slice(0, 10)
}
