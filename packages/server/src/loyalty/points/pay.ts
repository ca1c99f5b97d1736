import type { Accrual } from '@guerdon/engine/schema'
import { assignmentsOf, type ConfiguredEarningRule } from '../../core/configuration/configuration.ts'
import { eventSource } from '../../core/events/emit.ts'
import { newId } from '../../core/lib/ids.ts'
import { type StoredOrder, toOrder, toSimpleOrder } from '../../orders/order.ts'
import { toEarningRule, toSimpleEarningRule } from '../earning-rules/earning-rule.ts'
import { type Card, type LedgerMoment, type LoyaltyUnitOfWork, type PendingEntry, queueEvents } from './card.ts'
import type { EarningTrigger } from './earning-trigger.ts'
import { emitPending, emitPointsAdded, emitTransaction } from './events.ts'
import { credit, type Posted, postPending } from './ledger.ts'
import { findLoyaltyTier } from './programs.ts'
import { cardEventData, loyaltyTierView } from './view.ts'

/** What an earning rule pays on a card for an event. */
interface Earning {
  card: Card
  rule: ConfiguredEarningRule
  accrual: Accrual
  trigger: EarningTrigger
  moment: LedgerMoment
}

/** Credits points immediately. */
export function pay(work: LoyaltyUnitOfWork, earning: Earning): void {
  const { card, rule, accrual, trigger, moment } = earning
  const { points, expires_at, loyalty_tier_id } = accrual
  const { order, custom_event, segment, source_event } = trigger
  const posted = credit(work, {
    card,
    points,
    expires_at,
    moment,
    type: 'POINTS_ACCRUAL',
    source: 'Automation',
    details: {
      ...orderDetails(order),
      event: { id: source_event.id, type: source_event.type },
      ...ruleDetails(rule),
      ...(segment === undefined ? {} : { segment: { id: segment.id, name: segment.name } }),
      ...(custom_event === undefined
        ? {}
        : {
            custom_event: { id: custom_event.event.id, type: custom_event.event.type },
            event_schema: custom_event.schema,
          }),
      ...tierDetails(work, 'loyalty_tier', loyalty_tier_id),
    },
  })
  emitTransaction(work, card, posted, {
    order: order === undefined ? null : toSimpleOrder(order),
    event: source_event,
    earning_rule: toSimpleEarningRule(rule, validationRuleOf(work, rule)),
    segment: segment ?? null,
    loyalty_tier: loyaltyTierView(work.configuration, loyalty_tier_id),
    custom_event: custom_event?.event ?? null,
  })
  emitPointsRewarded(work, earning, posted)
  emitPointsAdded(work, card, posted)
}

function emitPointsRewarded(
  work: LoyaltyUnitOfWork,
  { card, rule, accrual, trigger: { order, source_event } }: Earning,
  { balance }: Posted,
): void {
  const { customer, campaign, voucher } = cardEventData(work, card)
  queueEvents(work, {
    type: 'customer.rewarded.loyalty_points',
    entity_id: card.person.customer.id,
    data: {
      customer,
      holder: customer,
      voucher,
      campaign,
      loyalty_tier: loyaltyTierView(work.configuration, accrual.loyalty_tier_id),
      earning_rule: toEarningRule(rule, validationRuleOf(work, rule)),
      balance,
      order: order === undefined ? null : toOrder(order),
      event: source_event,
      publication: null,
    },
  })
}

/** Adds points that activate on a later day. The id of the entry sorts by that day. */
export function addPendingPoints(
  work: LoyaltyUnitOfWork,
  { card, rule, accrual, trigger: { order, source_event }, moment }: Earning,
): void {
  const { points, activates_at, expiration_rules, loyalty_tier_id } = accrual
  if (order === undefined || activates_at === null) return
  const { ctx } = work
  const days = rule.pending_points?.period_value ?? 0
  const entry: PendingEntry = {
    id: newId('pending_points', Date.parse(moment.at) + days * msPerDay),
    voucher_id: card.voucher.id,
    campaign_id: card.program.campaign.id,
    customer_id: card.person.customer.id,
    order_id: order.id,
    points,
    activates_at,
    expiration_rules,
    details: {
      ...tierDetails(work, 'loyalty_tier', loyalty_tier_id),
      ...tierDetails(work, 'holder_loyalty_tier', card.member.tier_id),
      event: { ...source_event, event_source: eventSource(ctx.caller) },
      ...ruleDetails(rule),
      ...orderDetails(order),
    },
    status: 'PENDING',
    created_at: moment.at,
    updated_at: null,
  }
  const movement = { card, entry, order: toSimpleOrder(order), moment, operation_type: 'AUTOMATIC' } as const
  emitPending(work, 'added', movement, postPending(work, movement))
}

const msPerDay = 86_400_000

const orderDetails = (order: StoredOrder | undefined): object =>
  order === undefined ? {} : { order: { id: order.id, source_id: order.source_id } }

const ruleDetails = ({ id, banner }: ConfiguredEarningRule): object => ({
  earning_rule: { id, source: banner === null ? {} : { banner } },
})

function tierDetails({ configuration }: LoyaltyUnitOfWork, name: string, id: string | null): object {
  const tier = findLoyaltyTier(configuration, id)
  return tier === null ? {} : { [name]: { id: tier.id, name: tier.name } }
}

/** The validation rule of an earning rule, which has one at most. */
export const validationRuleOf = ({ configuration }: LoyaltyUnitOfWork, { id }: ConfiguredEarningRule): string | null =>
  assignmentsOf(configuration, id)[0]?.rule_id ?? null
