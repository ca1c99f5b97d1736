import { expirationDate } from '@guerdon/engine'
import type { PendingPoints, SimpleOrder } from '../../core/events/shapes.ts'
import { toSimpleEarningRule } from '../earning-rules/earning-rule.ts'
import { toPendingPoints } from '../members/pending-points.ts'
import type { Card, LoyaltyUnitOfWork, Moment, PendingEntry } from './card.ts'
import { emitPending, emitTransaction, tellActivated } from './events.ts'
import { canHold, changePending, credit, type Posted } from './ledger.ts'
import { validationRuleOf } from './pay.ts'
import { shownTier } from './view.ts'

/**
 * Makes points that waited count (docs/reference/points.md#life-of-pending-points): dated from this day on by the rule that was
 * kept with them.
 */
export function activate(
  books: LoyaltyUnitOfWork,
  card: Card,
  entry: PendingEntry,
  order: SimpleOrder | null,
  moment: Moment,
  { isByHand }: { isByHand: boolean },
): Posted {
  const operationType = isByHand ? 'MANUAL' : 'AUTOMATIC'
  const { points } = entry
  changePending(books, card, entry, {
    points: -points,
    status: 'ACTIVATED',
    operation_type: operationType,
    at: moment.at,
  })
  const { event, earning_rule, loyalty_tier, order: named } = entry.details as KeptDetails
  const posted = credit(
    books,
    card,
    { amount: points, expires_at: expirationDate(moment.today, entry.expiration_rules) },
    {
      type: 'PENDING_POINTS_ACTIVATION',
      source: isByHand ? null : 'Automation',
      operation_type: operationType,
      details: {
        order: named,
        event: { id: event.id, type: event.type },
        earning_rule,
        ...(loyalty_tier === undefined ? {} : { loyalty_tier }),
        pending_points: toPendingPoints({ ...entry, project_id: books.ctx.project_id }),
      },
    },
    moment,
  )
  const rule = books.configuration.earning_rules.get(earning_rule.id)
  const { event_source: _, ...told } = event
  emitTransaction(books, card, posted, {
    order,
    event: told,
    earning_rule: rule === undefined ? null : toSimpleEarningRule(rule, validationRuleOf(books, rule)),
    loyalty_tier: shownTier(books.configuration, loyalty_tier?.id ?? null),
  })
  tellActivated(books, card, entry, posted, order)
  return posted
}

/** What an entry remembers of where it comes from (docs/reference/points.md#pending-points). */
type KeptDetails = PendingPoints['details']

/** Points that will never count: no transaction tells of them, for they never were on the card. */
export function cancel(
  books: LoyaltyUnitOfWork,
  card: Card,
  entry: PendingEntry,
  order: SimpleOrder | null,
  moment: Moment,
  { isByHand }: { isByHand: boolean },
): void {
  const balance = changePending(books, card, entry, {
    points: -entry.points,
    status: 'CANCELED',
    operation_type: isByHand ? 'MANUAL' : 'AUTOMATIC',
    at: moment.at,
  })
  emitPending(books, card, 'canceled', entry, balance, order)
}

/** On its day an entry counts, unless the card is full beyond counting: nobody could be told of a mistake then. */
export function activateOrCancel(
  books: LoyaltyUnitOfWork,
  card: Card,
  entry: PendingEntry,
  order: SimpleOrder | null,
  moment: Moment,
): void {
  if (canHold(card, entry.points)) activate(books, card, entry, order, moment, { isByHand: false })
  else cancel(books, card, entry, order, moment, { isByHand: false })
}
