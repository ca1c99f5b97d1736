import { setImmediate } from 'node:timers/promises'
import { type Day, readDay, startOfDay, zoneOf } from '@guerdon/engine'
import type { SimpleOrder } from '../../core/events/shapes.ts'
import { toInstant } from '../../core/lib/instant.ts'
import { toSimpleOrder } from '../../orders/order.ts'
import { listOrdersById } from '../../orders/store.ts'
import {
  allCards,
  type Card,
  findCard,
  type LedgerMoment,
  type LoyaltyUnitOfWork,
  momentNow,
  newCascade,
} from './card.ts'
import { autoRedeem, creditTierEarnings } from './cascade.ts'
import { dayAfter, dayBefore, nextDue } from './due.ts'
import { emitPointsExpired, emitTransaction } from './events.ts'
import { expireLots } from './ledger.ts'
import { activateOrCancel } from './pending.ts'
import { reviewTier } from './tiers.ts'

/**
 * Applies everything that became due since the cards were last processed: activation, expiry, tiers
 * (docs/reference/points.md#daily-job). Runs day by day for each customer, each day as of its start. Every operation on a card
 * calls this first, so a late daily job changes no result.
 */
export async function applyDueChanges(work: LoyaltyUnitOfWork): Promise<void> {
  const { today } = momentNow(work.ctx)
  const due = [...allCards(work)].filter(({ member: { due_on } }) => due_on !== null && due_on <= today)
  if (due.length === 0) return
  const orders = await ordersOf(work, due)
  const { cascade } = work
  for (const customerId of new Set(due.map(({ person }) => person.customer.id)))
    await applyDueChangesOfCustomer(work, customerId, today, orders)
  work.cascade = cascade
}

/** Processes the due days of all cards in chronological order: a change on one card may credit points on another. */
async function applyDueChangesOfCustomer(
  work: LoyaltyUnitOfWork,
  customerId: string,
  today: string,
  orders: ReadonlyMap<string, SimpleOrder>,
): Promise<void> {
  const processedOn = new Map<string, string>()
  for (;;) {
    let next: { id: string; day: string } | null = null
    for (const card of work.people.get(customerId)?.cards ?? []) {
      const { id } = card.voucher
      const day = nextDueDay(work, card, processedOn.get(id), today)
      if (day !== null && day <= today && (next === null || day < next.day)) next = { id, day }
    }
    if (next === null) return
    const { id, day } = next
    work.cascade = newCascade()
    work.loadOptions = { ...work.loadOptions, since: work.loadOptions.since ?? day }
    await applyDueChangesOfDay(work, id, startOf(work, day), orders)
    processedOn.set(id, day)
    await setImmediate() // other requests first
  }
}

/** The next day on which the card is due. Changes that are still due on a day already processed are left to the next day. */
function nextDueDay(
  { configuration }: LoyaltyUnitOfWork,
  card: Card,
  processedOn: string | undefined,
  today: string,
): string | null {
  const due = nextDue(configuration, card, processedOn ?? lastProcessedDay(card, today))
  return due !== null && processedOn !== undefined && due <= processedOn ? dayAfter(processedOn) : due
}

/** A card with nothing due counts as processed today. */
const lastProcessedDay = ({ member: { due_on } }: Card, today: string): string =>
  due_on !== null && due_on <= today ? dayBefore(due_on) : today

/** The orders of due pending points, for their events. */
async function ordersOf({ ctx }: LoyaltyUnitOfWork, cards: readonly Card[]): Promise<ReadonlyMap<string, SimpleOrder>> {
  const ids = cards.flatMap(({ pending }) => pending.map(({ order_id }) => order_id))
  const orders = await listOrdersById(ctx, ids)
  return new Map(orders.map((order) => [order.id, toSimpleOrder(order)]))
}

/** Midnight of the day in the project's time zone. */
const startOf = ({ ctx: { project } }: LoyaltyUnitOfWork, day: string): LedgerMoment => ({
  at: toInstant(startOfDay(readDay(day) as Day, zoneOf(project.timezone))),
  today: day,
  spent_on: day,
})

async function applyDueChangesOfDay(
  work: LoyaltyUnitOfWork,
  voucherId: string,
  moment: LedgerMoment,
  orders: ReadonlyMap<string, SimpleOrder>,
): Promise<void> {
  const first = findCard(work, voucherId) as Card
  for (const entry of first.pending)
    if (entry.status === 'PENDING' && entry.activates_at <= moment.today)
      activateOrCancel(work, {
        card: first,
        entry,
        order: orders.get(entry.order_id) ?? null,
        moment,
        operation_type: 'AUTOMATIC',
      })
  // Points that expire today can still be redeemed here: lots are expired last.
  await autoRedeem(work, voucherId, { ...moment, spent_on: dayBefore(moment.today) })
  const redeemed = findCard(work, voucherId)
  if (redeemed === undefined) return
  await creditTierEarnings(work, reviewTier(work, redeemed, moment, measureBeforeExpiry(redeemed)), moment)

  const card = findCard(work, voucherId)
  if (card === undefined) return
  const expired = expireLots(work, card, moment)
  if (expired !== null) {
    emitTransaction(work, card, expired)
    emitPointsExpired(work, card, expired)
  }
  if (qualifiesByBalance(card)) await creditTierEarnings(work, reviewTier(work, card, moment), moment)
}

const qualifiesByBalance = ({ program: { settings } }: Card): boolean =>
  settings?.qualification_type !== 'POINTS_IN_PERIOD'

/** The balance including the points that expire today: tiers are reviewed before they expire. */
const measureBeforeExpiry = (card: Card): { measure?: number } =>
  qualifiesByBalance(card) ? { measure: card.lots.reduce((sum, { points }) => sum + points, 0) } : {}
