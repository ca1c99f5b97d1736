import type { Accrual } from '@guerdon/engine/schema'
import { assignmentsOf, type ConfiguredEarningRule } from '../../core/configuration/configuration.ts'
import { eventSource } from '../../core/events/emit.ts'
import { newId } from '../../core/lib/ids.ts'
import { type StoredOrder, toOrder, toSimpleOrder } from '../../orders/order.ts'
import { toEarningRule, toSimpleEarningRule } from '../earning-rules/earning-rule.ts'
import { type Card, type LoyaltyUnitOfWork, type Moment, type PendingEntry, tell } from './card.ts'
import type { EarningTrigger } from './earning-trigger.ts'
import { emitPending, emitTransaction, tellPointsAdded } from './events.ts'
import { credit, type Posted, promise } from './ledger.ts'
import { tierNamed } from './programs.ts'
import { aboutCard, shownTier } from './view.ts'

/** Points that count at once. */
export function pay(
  books: LoyaltyUnitOfWork,
  card: Card,
  rule: ConfiguredEarningRule,
  { points, expires_at, loyalty_tier_id }: Accrual,
  cause: EarningTrigger,
  moment: Moment,
): void {
  const { order, custom_event, segment, told } = cause
  const posted = credit(
    books,
    card,
    { amount: points, expires_at },
    {
      type: 'POINTS_ACCRUAL',
      source: 'Automation',
      operation_type: 'AUTOMATIC',
      details: {
        ...orderDetails(order),
        event: { id: told.id, type: told.type },
        ...ruleDetails(rule),
        ...(segment === undefined ? {} : { segment: { id: segment.id, name: segment.name } }),
        ...(custom_event === undefined
          ? {}
          : {
              custom_event: { id: custom_event.event.id, type: custom_event.event.type },
              event_schema: custom_event.schema,
            }),
        ...tierDetails(books, 'loyalty_tier', loyalty_tier_id),
      },
    },
    moment,
  )
  emitTransaction(books, card, posted, {
    order: order === undefined ? null : toSimpleOrder(order),
    event: told,
    earning_rule: toSimpleEarningRule(rule, validationRuleOf(books, rule)),
    segment: segment ?? null,
    loyalty_tier: shownTier(books.configuration, loyalty_tier_id),
    custom_event: custom_event?.event ?? null,
  })
  tellRewarded(books, card, rule, posted, cause, loyalty_tier_id)
  tellPointsAdded(books, card, posted)
}

function tellRewarded(
  books: LoyaltyUnitOfWork,
  card: Card,
  rule: ConfiguredEarningRule,
  { balance }: Posted,
  { order, told }: EarningTrigger,
  loyaltyTierId: string | null,
): void {
  const { customer, campaign, voucher } = aboutCard(books, card)
  tell(books, {
    type: 'customer.rewarded.loyalty_points',
    entity_id: card.person.customer.id,
    data: {
      customer,
      holder: customer,
      voucher,
      campaign,
      loyalty_tier: shownTier(books.configuration, loyaltyTierId),
      earning_rule: toEarningRule(rule, validationRuleOf(books, rule)),
      balance,
      order: order === undefined ? null : toOrder(order),
      event: told,
      publication: null,
    },
  })
}

/** Points that wait for their day. Their id sorts by it. */
export function addPendingPoints(
  books: LoyaltyUnitOfWork,
  card: Card,
  rule: ConfiguredEarningRule,
  { points, activates_at, expiration_rules, loyalty_tier_id }: Accrual,
  { order, told }: EarningTrigger,
  { at }: Moment,
): void {
  if (order === undefined || activates_at === null) return
  const { ctx } = books
  const days = rule.pending_points?.period_value ?? 0
  const entry: PendingEntry = {
    id: newId('pending_points', Date.parse(at) + days * msPerDay),
    voucher_id: card.voucher.id,
    campaign_id: card.program.campaign.id,
    customer_id: card.person.customer.id,
    order_id: order.id,
    points,
    activates_at,
    expiration_rules,
    details: {
      ...tierDetails(books, 'loyalty_tier', loyalty_tier_id),
      ...tierDetails(books, 'holder_loyalty_tier', card.member.tier_id),
      event: { ...told, event_source: eventSource(ctx.caller) },
      ...ruleDetails(rule),
      ...orderDetails(order),
    },
    status: 'PENDING',
    created_at: at,
    updated_at: null,
  }
  emitPending(books, card, 'added', entry, promise(books, card, entry), toSimpleOrder(order))
}

const msPerDay = 86_400_000

const orderDetails = (order: StoredOrder | undefined): object =>
  order === undefined ? {} : { order: { id: order.id, source_id: order.source_id } }

const ruleDetails = ({ id, banner }: ConfiguredEarningRule): object => ({
  earning_rule: { id, source: banner === null ? {} : { banner } },
})

function tierDetails({ configuration }: LoyaltyUnitOfWork, name: string, id: string | null): object {
  const tier = tierNamed(configuration, id)
  return tier === null ? {} : { [name]: { id: tier.id, name: tier.name } }
}

/** An earning rule has one at most. */
export const validationRuleOf = ({ configuration }: LoyaltyUnitOfWork, { id }: ConfiguredEarningRule): string | null =>
  assignmentsOf(configuration, id)[0]?.rule_id ?? null
