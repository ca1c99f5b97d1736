import { type Cart, type Line, openCart, paidUnits, subtotalOf, totalOf } from '../cart.ts'
import type { EvaluationScope } from '../evaluation-scope.ts'
import { compileFormula, evaluateFormula, isFault } from '../formula/index.ts'
import { matches, type Reference, valueAt } from '../goods.ts'
import { Ratio } from '../money.ts'
import type { Validity } from '../schema/index.ts'
import type {
  Accrual,
  EarningEvent,
  EarningFacts,
  EarningMapping,
  EarningPoints,
  EarningRule,
  ProportionalPoints,
} from '../schema/loyalty.ts'
import { type Clock, clockAt, whyNotValid } from '../time/index.ts'
import { WorkExceeded, WorkMeter } from '../work.ts'
import { activationDate, dateTextOf, expirationDate } from './expiry.ts'

/**
 * The points that one event credits to one card, per earning rule, the oldest first
 * (docs/reference/earning-rules.md#when-a-rule-fires and docs/reference/earning-rules.md#from-event-to-points, step 1).
 * Everything is evaluated as of the event; `passes` evaluates the validation rule of an earning rule.
 *
 * An order of 104.99 is paid; a rule pays 7 points for every 15.00, after 3 days: one accrual of 42 points that
 * `activates_at` the third day.
 *
 * Tier events caused by the credit are separate events. Pass the rules that have already paid as `used_rules` to the next
 * call: each pays once, so the cascade ends.
 */
export function accruals(
  facts: EarningFacts,
  passes: (rule: EarningRule, scope: EvaluationScope) => boolean = () => true,
): Accrual[] {
  const { event, campaign, card, tier, rules, used_rules } = facts
  const scope = earningScope(facts)
  const { clock } = scope
  if (!isOpen(campaign, clock) || (card !== null && !isOpen(datesOf(card), clock))) return []
  const today = dateTextOf(clock.wall().day)
  const result: Accrual[] = []
  for (const rule of rules.toSorted((a, b) =>
    a.created_at < b.created_at ? -1 : a.created_at > b.created_at ? 1 : 0,
  )) {
    if (used_rules?.includes(rule.id) || !matchesEvent(rule, event, campaign.id)) continue
    scope.work.restart() // a rule that exceeds its budget pays nothing, and does not take from the others
    if (!isOpen(withCampaignValidity(rule, campaign), clock) || !passes(rule, scope)) continue
    const mappings = tier?.earning_rules ?? {}
    const mapping = Object.hasOwn(mappings, rule.id) ? (mappings[rule.id] ?? null) : null
    const points = earnedWithin(rule.loyalty, scope, mapping)
    if (points === 0) continue
    const activatesAt = activationDate(today, rule.pending_points)
    const expirationRules = rule.expiration_rules ?? campaign.expiration_rules ?? null
    result.push({
      earning_rule_id: rule.id,
      points,
      loyalty_tier_id: mapping === null ? null : (tier?.id ?? null),
      activates_at: activatesAt,
      expires_at: expirationDate(activatesAt ?? today, expirationRules),
      expiration_rules: expirationRules,
    })
  }
  return result
}

/** The evaluation scope for earning points and for referrals: there is no redeemable. */
export const earningScope = ({
  now,
  timezone,
  order,
  customer,
  event_metadata,
  catalogue,
}: Pick<
  EarningFacts,
  'now' | 'timezone' | 'order' | 'customer' | 'event_metadata' | 'catalogue'
>): EvaluationScope => ({
  clock: clockAt(now, timezone),
  customer: customer ?? null,
  caller: null,
  metadata: null,
  catalogue: catalogue ?? {},
  cart: order == null ? null : openCart(order),
  redeemable: null,
  event_metadata: event_metadata ?? null,
  counters: {},
  bundle_quantity: 0,
  effect: null,
  work: new WorkMeter(),
})

const isOpen = (terms: Validity & { active: boolean }, clock: Clock): boolean =>
  terms.active && whyNotValid(terms, clock) === null

/** Only the dates of a card count; timeframes and hours are those of the rule and the campaign. */
const datesOf = ({ active, start_date, expiration_date }: Validity & { active: boolean }) => ({
  active,
  start_date: start_date ?? null,
  expiration_date: expiration_date ?? null,
})

/** The validity of a rule; fields that it does not set come from its campaign. */
const withCampaignValidity = (rule: EarningRule, campaign: Validity) => ({
  active: rule.active,
  start_date: rule.start_date ?? campaign.start_date ?? null,
  expiration_date: rule.expiration_date ?? campaign.expiration_date ?? null,
  validity_timeframe: rule.validity_timeframe ?? campaign.validity_timeframe ?? null,
  validity_day_of_week: rule.validity_day_of_week ?? campaign.validity_day_of_week ?? null,
  validity_hours: rule.validity_hours ?? campaign.validity_hours ?? null,
})

function matchesEvent(rule: EarningRule, event: EarningEvent, campaignId: string): boolean {
  if (rule.event !== event.event) return false
  if (rule.event === 'customer.segment.entered') return rule.segment != null && rule.segment.id === event.segment_id
  if (event.tier != null) {
    const wantedTier = rule.loyalty_tier?.id ?? '__ANY__'
    return wantedTier === '__ANY__' ? event.tier.campaign_id === campaignId : event.tier.id === wantedTier
  }
  return rule.custom_event == null || rule.custom_event.schema_id === event.schema_id
}

/** A rule that takes too many steps on this order pays nothing. */
function earnedWithin(loyalty: EarningPoints, scope: EvaluationScope, mapping: EarningMapping | null): number {
  try {
    return earnedPoints(loyalty, scope, mapping)
  } catch (error) {
    if (error instanceof WorkExceeded) return 0
    throw error
  }
}

/**
 * The points of a rule for the holder of a tier; 0 means no accrual (docs/reference/earning-rules.md#base-points and
 * docs/reference/earning-rules.md#tier-mapping-and-rounding). Exact until the single rounding at the end.
 *
 * 2 points for every 10.00 of an order of 79.00, in a tier that multiplies by 1.25: 7 × 2 × 1.25 = 17.5 → 18.
 * /
 */
function earnedPoints(loyalty: EarningPoints, scope: EvaluationScope, mapping: EarningMapping | null): number {
  const { times, points, points_formula } =
    loyalty.type === 'FIXED' ? { times: 1n, ...loyalty } : shareOf(loyalty, scope)
  if (times <= 0n) return 0
  const each = mapping?.type === 'CUSTOM' ? Ratio.of(mapping.points, 1) : perShare(points, points_formula, scope)
  const base = Ratio.mul({ n: times, d: 1n }, each)
  const final = mapping?.type === 'MULTIPLY' ? Ratio.mul(base, Ratio.fromDecimal(mapping.multiplier)) : base
  // A half is the smallest value that rounds to a point. A value beyond the safe integers is a configuration mistake and
  // pays nothing.
  return Ratio.compare(final, half) < 0 || Ratio.compare(final, pointsMax) > 0 ? 0 : Ratio.toInteger(final)
}

const half = Ratio.of(1, 2)
const pointsMax = Ratio.of(Number.MAX_SAFE_INTEGER, 1)

/** Falls back to the fixed number when the formula cannot be calculated. */
function perShare(points: number, pointsFormula: string | null | undefined, scope: EvaluationScope): Ratio {
  if (pointsFormula == null) return Ratio.of(points, 1)
  const formula = compileFormula(pointsFormula)
  const value = isFault(formula) ? formula : evaluateFormula(formula, scope)
  return isFault(value) ? Ratio.of(points, 1) : value
}

interface Share {
  every: number
  points: number
  points_formula?: string | null
}

/** How often `every` fits into the counted value; 0 times for a missing, negative or non-numeric value. */
function shareOf(loyalty: ProportionalPoints, scope: EvaluationScope): Share & { times: bigint } {
  const countOf = countedValues[loyalty.calculation_type] as (
    loyalty: ProportionalPoints,
    scope: EvaluationScope,
  ) => CountedValue
  const { share, value } = countOf(loyalty, scope)
  if (!isNumber(value) || value < 0) return { ...share, times: 0n }
  const { n, d } = Ratio.fromDecimal(value)
  return { ...share, times: n / (d * BigInt(share.every)) }
}

const isNumber = (value: unknown): value is number => Number.isFinite(value)

interface CountedValue {
  share: Share
  value: unknown
}

type Kind = ProportionalPoints['calculation_type']

const countedValues: {
  [K in Kind]: (loyalty: Extract<ProportionalPoints, { calculation_type: K }>, scope: EvaluationScope) => CountedValue
} = {
  ORDER_AMOUNT: ({ order }, { cart }) => ({ share: order.amount, value: cart?.initial_amount }),
  ORDER_TOTAL_AMOUNT: ({ order }, { cart }) => ({ share: order.total_amount, value: payable(cart) }),
  ORDER_METADATA: ({ order: { metadata } }, { cart }) => ({
    share: metadata,
    value: valueAt(cart?.facts.metadata, metadata.property),
  }),
  ORDER_ITEMS_QUANTITY: ({ order_items: { quantity } }, scope) => ({
    share: quantity,
    value: sumOver(quantity, scope, paidUnits),
  }),
  ORDER_ITEMS_AMOUNT: ({ order_items: { amount } }, scope) => ({
    share: amount,
    value: sumOver(amount, scope, initialAmount),
  }),
  ORDER_ITEMS_SUBTOTAL_AMOUNT: ({ order_items: { subtotal_amount } }, scope) => ({
    share: subtotal_amount,
    value: sumOver(subtotal_amount, scope, subtotalOf),
  }),
  CUSTOMER_METADATA: ({ customer: { metadata } }, { customer }) => ({
    share: metadata,
    value: valueAt(customer?.metadata, metadata.property),
  }),
  CUSTOM_EVENT_METADATA: ({ custom_event: { metadata } }, { event_metadata }) => ({
    share: metadata,
    value: valueAt(event_metadata, metadata.property),
  }),
}

const payable = (cart: Cart | null): number | null => (cart === null || cart.amount === null ? null : totalOf(cart))

/** The line amount before units were added; 0 for a line added by a redeemable. */
const initialAmount = ({ item, amount }: Line): number | null =>
  item.initial_quantity === 0 ? 0 : (item.initial_amount ?? amount)

interface Goods {
  object?: Reference['object'] | null
  id?: string | null
  applicable_to?: Reference[] | null
}

/** Sums over the lines that sell the goods of the rule, each line once. */
function sumOver(
  { object, id, applicable_to }: Goods,
  scope: EvaluationScope,
  valueIn: (line: Line) => number | null,
): number {
  const references = applicable_to?.length ? applicable_to : object == null ? [] : [{ object, id: id ?? null }]
  let sum = 0
  for (const line of scope.cart?.lines ?? []) {
    if (references.some((reference) => matches(line.item, reference, scope))) sum += valueIn(line) ?? 0
  }
  return sum
}
