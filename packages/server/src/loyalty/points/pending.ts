import { expirationDate } from '@guerdon/engine'
import type { PendingPoints, SimpleOrder } from '../../core/events/shapes.ts'
import { toSimpleEarningRule } from '../earning-rules/earning-rule.ts'
import { toPendingPoints } from '../members/pending-points.ts'
import type { Card, LoyaltyUnitOfWork, Moment, PendingEntry } from './card.ts'
import { emitPending, emitPendingActivated, emitTransaction } from './events.ts'
import { canHold, changePending, credit, type Posted } from './ledger.ts'
import { validationRuleOf } from './pay.ts'
import { tierView } from './view.ts'

/**
 * Activates pending points (docs/reference/points.md#life-of-pending-points). They expire, counted from today, by the
 * expiration rules stored with the entry.
 */
export function activate(
  work: LoyaltyUnitOfWork,
  card: Card,
  entry: PendingEntry,
  order: SimpleOrder | null,
  moment: Moment,
  { isByHand }: { isByHand: boolean },
): Posted {
  const operationType = isByHand ? 'MANUAL' : 'AUTOMATIC'
  const { points } = entry
  changePending(work, card, entry, {
    points: -points,
    status: 'ACTIVATED',
    operation_type: operationType,
    at: moment.at,
  })
  const { event, earning_rule, loyalty_tier, order: named } = entry.details as KeptDetails
  const posted = credit(
    work,
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
        pending_points: toPendingPoints({ ...entry, project_id: work.ctx.project_id }),
      },
    },
    moment,
  )
  const rule = work.configuration.earning_rules.get(earning_rule.id)
  const { event_source: _, ...emittedEvent } = event
  emitTransaction(work, card, posted, {
    order,
    event: emittedEvent,
    earning_rule: rule === undefined ? null : toSimpleEarningRule(rule, validationRuleOf(work, rule)),
    loyalty_tier: tierView(work.configuration, loyalty_tier?.id ?? null),
  })
  emitPendingActivated(work, card, entry, posted, order)
  return posted
}

/** Where an entry comes from (docs/reference/points.md#pending-points). */
type KeptDetails = PendingPoints['details']

/** Cancels pending points. There is no transaction: the points were never on the card. */
export function cancel(
  work: LoyaltyUnitOfWork,
  card: Card,
  entry: PendingEntry,
  order: SimpleOrder | null,
  moment: Moment,
  { isByHand }: { isByHand: boolean },
): void {
  const balance = changePending(work, card, entry, {
    points: -entry.points,
    status: 'CANCELED',
    operation_type: isByHand ? 'MANUAL' : 'AUTOMATIC',
    at: moment.at,
  })
  emitPending(work, card, 'canceled', entry, balance, order)
}

/**
 * Activates a due entry. If the card cannot hold the points, cancels it: there is no request that an error could be returned
 * to.
 */
export function activateOrCancel(
  work: LoyaltyUnitOfWork,
  card: Card,
  entry: PendingEntry,
  order: SimpleOrder | null,
  moment: Moment,
): void {
  if (canHold(card, entry.points)) activate(work, card, entry, order, moment, { isByHand: false })
  else cancel(work, card, entry, order, moment, { isByHand: false })
}
