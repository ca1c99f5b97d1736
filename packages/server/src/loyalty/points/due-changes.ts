import { setImmediate } from 'node:timers/promises'
import { Temporal } from 'temporal-polyfill'
import type { SimpleOrder } from '../../core/events/shapes.ts'
import { toInstant } from '../../core/lib/instant.ts'
import { toSimpleOrder } from '../../orders/order.ts'
import { listOrdersById } from '../../orders/store.ts'
import { allCards, type Card, cardNamed, type LoyaltyUnitOfWork, type Moment, momentNow, newCascade } from './card.ts'
import { autoRedeem, followTiers } from './cascade.ts'
import { dayAfter, dayBefore, nextDue } from './due.ts'
import { emitTransaction, tellExpired } from './events.ts'
import { expireLots } from './ledger.ts'
import { activateOrCancel } from './pending.ts'
import { reviewTier } from './tiers.ts'

/**
 * Makes up for what time has done to the cards since they were looked at (docs/reference/points.md#daily-job): of each customer
 * day by day, and each day as of its start. Whoever touches a card comes here first, so that it does not matter how late the
 * daily job is.
 */
export async function applyDueChanges(books: LoyaltyUnitOfWork): Promise<void> {
  const { today } = momentNow(books.ctx)
  const due = [...allCards(books)].filter(({ member: { due_on } }) => due_on !== null && due_on <= today)
  if (due.length === 0) return
  const orders = await ordersOf(books, due)
  const { chain } = books
  for (const customerId of new Set(due.map(({ person }) => person.customer.id)))
    await settlePerson(books, customerId, today, orders)
  books.chain = chain
}

/** What is due first comes first, whichever card it is about: one may pay on another. */
async function settlePerson(
  books: LoyaltyUnitOfWork,
  customerId: string,
  today: string,
  orders: ReadonlyMap<string, SimpleOrder>,
): Promise<void> {
  const settledOn = new Map<string, string>()
  for (;;) {
    let next: { id: string; day: string } | null = null
    for (const card of books.people.get(customerId)?.cards ?? []) {
      const { id } = card.voucher
      const day = dayOf(books, card, settledOn.get(id), today)
      if (day !== null && day <= today && (next === null || day < next.day)) next = { id, day }
    }
    if (next === null) return
    const { id, day } = next
    books.chain = newCascade()
    books.asked = { ...books.asked, since: books.asked.since ?? day }
    await settleDay(books, id, startOf(books, day), orders)
    settledOn.set(id, day)
    await setImmediate() // other requests first
  }
}

/** The day on which a card is due. Whatever is still due on a day that it was settled on waits for the next one. */
function dayOf(
  { configuration }: LoyaltyUnitOfWork,
  card: Card,
  settledOn: string | undefined,
  today: string,
): string | null {
  const due = nextDue(configuration, card, settledOn ?? lastLook(card, today))
  return due !== null && settledOn !== undefined && due <= settledOn ? dayAfter(settledOn) : due
}

/** A card for which nothing was due has been looked at today. */
const lastLook = ({ member: { due_on } }: Card, today: string): string =>
  due_on !== null && due_on <= today ? dayBefore(due_on) : today

/** The orders of points that are due: who hears of the points hears of them. */
async function ordersOf({ ctx }: LoyaltyUnitOfWork, cards: readonly Card[]): Promise<ReadonlyMap<string, SimpleOrder>> {
  const ids = cards.flatMap(({ pending }) => pending.map(({ order_id }) => order_id))
  const orders = await listOrdersById(ctx, ids)
  return new Map(orders.map((order) => [order.id, toSimpleOrder(order)]))
}

/** A day begins at its midnight in the project's time zone. */
const startOf = ({ ctx: { project } }: LoyaltyUnitOfWork, day: string): Moment => ({
  at: toInstant(Temporal.PlainDate.from(day).toZonedDateTime(project.timezone).epochMilliseconds),
  today: day,
  spent_on: day,
})

async function settleDay(
  books: LoyaltyUnitOfWork,
  voucherId: string,
  moment: Moment,
  orders: ReadonlyMap<string, SimpleOrder>,
): Promise<void> {
  const first = cardNamed(books, voucherId) as Card
  for (const entry of first.pending)
    if (entry.status === 'PENDING' && entry.activates_at <= moment.today)
      activateOrCancel(books, first, entry, orders.get(entry.order_id) ?? null, moment)
  // Points of the day gone by are there until all this is done.
  await autoRedeem(books, voucherId, { ...moment, spent_on: dayBefore(moment.today) })
  const redeemed = cardNamed(books, voucherId)
  if (redeemed === undefined) return
  await followTiers(books, reviewTier(books, redeemed, moment, beforeExpiry(redeemed)), moment)

  const card = cardNamed(books, voucherId)
  if (card === undefined) return
  const expired = expireLots(books, card, moment)
  if (expired !== null) {
    emitTransaction(books, card, expired)
    tellExpired(books, card, expired)
  }
  if (isByBalance(card)) await followTiers(books, reviewTier(books, card, moment), moment)
}

const isByBalance = ({ program: { settings } }: Card): boolean => settings?.qualification_type !== 'POINTS_IN_PERIOD'

/** Tiers are looked at before the points of the day gone by expire. */
const beforeExpiry = (card: Card): { measure?: number } =>
  isByBalance(card) ? { measure: card.lots.reduce((sum, { points }) => sum + points, 0) } : {}
