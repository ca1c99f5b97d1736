import { expirationDate } from '@guerdon/engine'
import type { PendingPoints } from '../../core/events/shapes.ts'
import { toSimpleEarningRule } from '../earning-rules/earning-rule.ts'
import { toPendingPoints } from '../members/pending-points.ts'
import type { LoyaltyUnitOfWork } from './card.ts'
import { emitPending, emitPendingActivated, emitTransaction } from './events.ts'
import { canHold, closePending, credit, type PendingMovement, type Posted } from './ledger.ts'
import { validationRuleOf } from './pay.ts'
import { loyaltyTierView } from './view.ts'

/**
 * Activates pending points (docs/reference/points.md#life-of-pending-points). They expire, counted from today, by the
 * expiration rules stored with the entry.
 */
export function activate(work: LoyaltyUnitOfWork, movement: PendingMovement): Posted {
  const { card, entry, order, moment, operation_type } = movement
  closePending(work, movement, 'ACTIVATED')
  const { event, earning_rule, loyalty_tier, order: named } = entry.details as KeptDetails
  const posted = credit(work, {
    card,
    points: entry.points,
    expires_at: expirationDate(moment.today, entry.expiration_rules),
    moment,
    type: 'PENDING_POINTS_ACTIVATION',
    source: operation_type === 'MANUAL' ? null : 'Automation',
    details: {
      order: named,
      event: { id: event.id, type: event.type },
      earning_rule,
      ...(loyalty_tier === undefined ? {} : { loyalty_tier }),
      pending_points: toPendingPoints({ ...entry, project_id: work.ctx.project_id }),
    },
  })
  const rule = work.configuration.earning_rules.get(earning_rule.id)
  const { event_source: _, ...emittedEvent } = event
  emitTransaction(work, card, posted, {
    order,
    event: emittedEvent,
    earning_rule: rule === undefined ? null : toSimpleEarningRule(rule, validationRuleOf(work, rule)),
    loyalty_tier: loyaltyTierView(work.configuration, loyalty_tier?.id ?? null),
  })
  emitPendingActivated(work, movement, posted)
  return posted
}

/** Where an entry comes from (docs/reference/points.md#pending-points). */
type KeptDetails = PendingPoints['details']

/** Cancels pending points. There is no transaction: the points were never on the card. */
export function cancel(work: LoyaltyUnitOfWork, movement: PendingMovement): void {
  emitPending(work, 'canceled', movement, closePending(work, movement, 'CANCELED'))
}

/**
 * Activates a due entry. If the card cannot hold the points, cancels it: there is no request that an error could be returned
 * to.
 */
export function activateOrCancel(work: LoyaltyUnitOfWork, movement: PendingMovement): void {
  if (canHold(movement.card, movement.entry.points)) activate(work, movement)
  else cancel(work, movement)
}
