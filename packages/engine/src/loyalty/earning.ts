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
import { activationDate, expirationDate, textOf } from './expiry.ts'

/**
 * What one event pays to one card, rule by rule, the oldest first (docs/reference/earning-rules.md#when-a-rule-fires and
 * docs/reference/earning-rules.md#from-event-to-points, step 1). Everything is judged as it was when the event came; `passes`
 * asks the validation rule of an earning rule.
 *
 * An order of 104.99 is paid; a rule pays 7 points for every 15.00, after 3 days: one accrual of 42 points that
 * `activates_at` the third day.
 *
 * Tier events that follow from the credit are events of their own. Whoever hands the rules that have paid to the next
 * call as `used_rules` comes to an end: each pays once.
 */
export function accruals(
  facts: EarningFacts,
  passes: (rule: EarningRule, scene: EvaluationScope) => boolean = () => true,
): Accrual[] {
  const { event, campaign, card, tier, rules, used_rules } = facts
  const scene = earningScene(facts)
  const { clock } = scene
  if (!isOpen(campaign, clock) || (card !== null && !isOpen(datesOf(card), clock))) return []
  const today = textOf(clock.wall().day)
  const paid: Accrual[] = []
  for (const rule of rules.toSorted((a, b) =>
    a.created_at < b.created_at ? -1 : a.created_at > b.created_at ? 1 : 0,
  )) {
    if (used_rules?.includes(rule.id) || !isMeant(rule, event, campaign.id)) continue
    if (!isOpen(inherited(rule, campaign), clock) || !passes(rule, scene)) continue
    const mappings = tier?.earning_rules ?? {}
    const mapping = Object.hasOwn(mappings, rule.id) ? (mappings[rule.id] ?? null) : null
    const points = earnedPoints(rule.loyalty, scene, mapping)
    if (points === 0) continue
    const activatesAt = activationDate(today, rule.pending_points)
    const expirationRules = rule.expiration_rules ?? campaign.expiration_rules ?? null
    paid.push({
      earning_rule_id: rule.id,
      points,
      loyalty_tier_id: mapping === null ? null : (tier?.id ?? null),
      activates_at: activatesAt,
      expires_at: expirationDate(activatesAt ?? today, expirationRules),
      expiration_rules: expirationRules,
    })
  }
  return paid
}

/** What rules and formulas look at where points are earned, or somebody is referred: nothing is redeemed there. */
export const earningScene = ({
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
})

const isOpen = (terms: Validity & { active: boolean }, clock: Clock): boolean =>
  terms.active && whyNotValid(terms, clock) === null

/** A card is asked for its dates only; timeframes and hours are those of the rule and the campaign. */
const datesOf = ({ active, start_date, expiration_date }: Validity & { active: boolean }) => ({
  active,
  start_date: start_date ?? null,
  expiration_date: expiration_date ?? null,
})

/** What a rule does not say, its campaign says, field by field. */
const inherited = (rule: EarningRule, campaign: Validity) => ({
  active: rule.active,
  start_date: rule.start_date ?? campaign.start_date ?? null,
  expiration_date: rule.expiration_date ?? campaign.expiration_date ?? null,
  validity_timeframe: rule.validity_timeframe ?? campaign.validity_timeframe ?? null,
  validity_day_of_week: rule.validity_day_of_week ?? campaign.validity_day_of_week ?? null,
  validity_hours: rule.validity_hours ?? campaign.validity_hours ?? null,
})

function isMeant(rule: EarningRule, event: EarningEvent, campaignId: string): boolean {
  if (rule.event !== event.event) return false
  if (rule.event === 'customer.segment.entered') return rule.segment != null && rule.segment.id === event.segment_id
  if (event.tier != null) {
    const wanted = rule.loyalty_tier?.id ?? '__ANY__'
    return wanted === '__ANY__' ? event.tier.campaign_id === campaignId : event.tier.id === wanted
  }
  return rule.custom_event == null || rule.custom_event.schema_id === event.schema_id
}

/**
 * The points of a rule for the holder of a tier; 0 means that nothing happens (docs/reference/earning-rules.md#base-points and
 * docs/reference/earning-rules.md#tier-mapping-and-rounding). Everything is exact until the one rounding at the end.
 *
 * 2 points for every 10.00 of an order of 79.00, in a tier that multiplies by 1.25: 7 × 2 × 1.25 = 17.5 → 18.
 */
function earnedPoints(loyalty: EarningPoints, scene: EvaluationScope, mapping: EarningMapping | null): number {
  const { times, points, points_formula } =
    loyalty.type === 'FIXED' ? { times: 1n, ...loyalty } : shares(loyalty, scene)
  if (times <= 0n) return 0
  const each = mapping?.type === 'CUSTOM' ? Ratio.of(mapping.points, 1) : perShare(points, points_formula, scene)
  const base = Ratio.mul({ n: times, d: 1n }, each)
  const final = mapping?.type === 'MULTIPLY' ? Ratio.mul(base, Ratio.fromDecimal(mapping.multiplier)) : base
  // A half is the least that rounds to a point. What no number can count any more is a mistake, not a fortune.
  return Ratio.compare(final, half) < 0 || Ratio.compare(final, most) > 0 ? 0 : Ratio.toInteger(final)
}

const half = Ratio.of(1, 2)
const most = Ratio.of(Number.MAX_SAFE_INTEGER, 1)

/** A formula that cannot be calculated gives way to the fixed number. */
function perShare(points: number, pointsFormula: string | null | undefined, scene: EvaluationScope): Ratio {
  if (pointsFormula == null) return Ratio.of(points, 1)
  const formula = compileFormula(pointsFormula)
  const value = isFault(formula) ? formula : evaluateFormula(formula, scene)
  return isFault(value) ? Ratio.of(points, 1) : value
}

interface Share {
  every: number
  points: number
  points_formula?: string | null
}

/** How often `every` is contained in what the rule counts; a missing, negative or other value contains it never. */
function shares(loyalty: ProportionalPoints, scene: EvaluationScope): Share & { times: bigint } {
  const countOf = counted[loyalty.calculation_type] as (loyalty: ProportionalPoints, scene: EvaluationScope) => Counted
  const { share, value } = countOf(loyalty, scene)
  if (!isNumber(value) || value < 0) return { ...share, times: 0n }
  const { n, d } = Ratio.fromDecimal(value)
  return { ...share, times: n / (d * BigInt(share.every)) }
}

const isNumber = (value: unknown): value is number => Number.isFinite(value)

interface Counted {
  share: Share
  value: unknown
}

type Kind = ProportionalPoints['calculation_type']

const counted: {
  [K in Kind]: (loyalty: Extract<ProportionalPoints, { calculation_type: K }>, scene: EvaluationScope) => Counted
} = {
  ORDER_AMOUNT: ({ order }, { cart }) => ({ share: order.amount, value: cart?.initial_amount }),
  ORDER_TOTAL_AMOUNT: ({ order }, { cart }) => ({ share: order.total_amount, value: payable(cart) }),
  ORDER_METADATA: ({ order: { metadata } }, { cart }) => ({
    share: metadata,
    value: valueAt(cart?.facts.metadata, metadata.property),
  }),
  ORDER_ITEMS_QUANTITY: ({ order_items: { quantity } }, scene) => ({
    share: quantity,
    value: sumOver(quantity, scene, paidUnits),
  }),
  ORDER_ITEMS_AMOUNT: ({ order_items: { amount } }, scene) => ({
    share: amount,
    value: sumOver(amount, scene, initialAmount),
  }),
  ORDER_ITEMS_SUBTOTAL_AMOUNT: ({ order_items: { subtotal_amount } }, scene) => ({
    share: subtotal_amount,
    value: sumOver(subtotal_amount, scene, subtotalOf),
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

/** Before units were added; a line that a redeemable added was worth nothing before. */
const initialAmount = ({ item, amount }: Line): number | null =>
  item.initial_quantity === 0 ? 0 : (item.initial_amount ?? amount)

interface Goods {
  object?: Reference['object'] | null
  id?: string | null
  applicable_to?: Reference[] | null
}

/** Over the lines that sell what a rule names, each of them once. */
function sumOver(
  { object, id, applicable_to }: Goods,
  scene: EvaluationScope,
  valueIn: (line: Line) => number | null,
): number {
  const wanted = applicable_to?.length ? applicable_to : object == null ? [] : [{ object, id: id ?? null }]
  let sum = 0
  for (const line of scene.cart?.lines ?? []) {
    if (wanted.some((reference) => matches(line.item, reference, scene))) sum += valueIn(line) ?? 0
  }
  return sum
}
