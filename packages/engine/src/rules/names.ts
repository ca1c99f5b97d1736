import { type Line, subtotalOf, totalOf, unitPrice } from '../cart.ts'
import type { EvaluationScope } from '../evaluation-scope.ts'
import { metadataOf, valueAt } from '../goods.ts'
import { ownEntry } from '../values.ts'
import type { ArgumentKind } from './conditions.ts'

/** Data that a rule requires. */
export type Need = 'customer' | 'order' | 'amount' | 'lines'

/** A rule that compares a value of the request or a counter with its conditions. */
export interface ValueRule {
  kind: 'value'
  needs?: Need
  argument: ArgumentKind
  has_property?: true
  /** Metadata schemas with the type of the property; the first that defines it is used. */
  schemas?: readonly string[]
  is_counter?: true
  /** Available only after the effect of the current redeemable is calculated. */
  is_late?: true
  /** Conditions that accept `false` always hold, even without the data that the rule needs. */
  is_permission?: true
  value(scope: EvaluationScope, property: string): unknown
}

/** A rule that compares a value of every line; any line, or each line, must satisfy the conditions. */
export interface LinesRule {
  kind: 'lines'
  quantifier: 'any' | 'each'
  argument: ArgumentKind
  has_property?: true
  schemas?: readonly string[]
  value(line: Line, property: string): unknown
}

/** A rule that picks lines by their goods; sub-rules are evaluated on the picked lines. */
export interface ItemsRule {
  kind: 'items'
  quantifier: 'any' | 'every' | 'none' | 'cheapest' | 'most_expensive'
  /** Object type of all references, overriding their own. */
  object?: 'product' | 'sku'
  /** Picks lines by the metadata of their product. */
  has_property?: true
  schemas?: readonly string[]
}

/** A rule on a line that its parent rule picked, or on the sum of all picked lines. */
export interface SubRule {
  kind: 'sub'
  argument: ArgumentKind
  has_property?: true
  schemas?: readonly string[]
  line?(line: Line, property: string): unknown
  /** The contribution of each picked line to a sum, and the field of the run that caches the sum. */
  sum?: { field: 'quantity_sum' | 'amount_sum'; of(line: Line): number }
  /** A number of units, which a larger order can reach. */
  is_quantity?: true
  /** Always true; it modifies its parent rule. */
  modifier?: 'into_every' | 'into_included'
}

export type RuleName = ValueRule | LinesRule | ItemsRule | SubRule

/** The rule with this name or alias. */
export function ruleNamed(name: string): RuleName | undefined {
  return ownEntry(names, ownEntry(aliases, name) ?? name)
}

/** Older spellings of rule names. */
export const aliases: Readonly<Record<string, string>> = {
  customer_segment: 'customer.segment',
  'customer.loyalty_tier': 'customer.loyalty.tier',
  'product.price': 'order.items.price',
  'sku.price': 'order.items.price',
  'product.quantity': 'order.items.quantity',
  'sku.quantity': 'order.items.quantity',
  'product.metadata.aggregated_quantity': 'order.items.aggregated_quantity',
  'product.metadata.aggregated_amount': 'order.items.aggregated_amount',
  'product.discount_applicable': 'product.metadata.discount_applicable',
  'sku.discount_applicable': 'product.metadata.discount_applicable',
}

/** Unit price as a `number`, for comparisons. */
export function priceOf(line: Line): number | undefined {
  const price = unitPrice(line)
  return price === null ? undefined : price.amount / price.of
}

const lineMetadata = (line: Line, property: string): unknown => valueAt(metadataOf(line.item), property)

const unitsOf = ({ cart }: EvaluationScope): number => cart?.lines.reduce((sum, { quantity }) => sum + quantity, 0) ?? 0

const number = (needs: Need, value: (scope: EvaluationScope) => unknown, more: Partial<ValueRule> = {}): ValueRule => ({
  kind: 'value',
  argument: 'number',
  needs,
  value,
  ...more,
})

const metadata = (schema: string, value: (scope: EvaluationScope) => unknown, needs?: Need): ValueRule => ({
  kind: 'value',
  argument: 'any',
  has_property: true,
  schemas: [schema],
  ...(needs === undefined ? {} : { needs }),
  value: (scope, property) => valueAt(value(scope), property),
})

/** A stored counter plus what the current redeemable adds to it (docs/reference/rules.md#counters). */
function counter(
  name: string,
  more: Partial<ValueRule> = {},
  adds: (scope: EvaluationScope) => number | undefined = () => 1,
): Record<string, ValueRule> {
  const value = (scope: EvaluationScope) => {
    const added = adds(scope)
    return added === undefined ? undefined : (scope.counters[name] ?? 0) + added
  }
  return { [name]: { kind: 'value', argument: 'number', is_counter: true, value, ...more } }
}

const periods = ['.daily', '.weekly', '.monthly']

const countersOver = (name: string, suffixes: string[], more: Partial<ValueRule> = {}): Record<string, ValueRule> =>
  Object.assign({}, ...suffixes.map((suffix) => counter(name + suffix, more)))

const itemSchemas = ['order_item', 'product']
const items = (quantifier: ItemsRule['quantifier'], more: Partial<ItemsRule> = {}): ItemsRule => ({
  kind: 'items',
  quantifier,
  ...more,
})

export const names: Readonly<Record<string, RuleName>> = {
  'customer.segment': {
    kind: 'value',
    needs: 'customer',
    argument: 'text',
    value: ({ customer }) => customer?.segments ?? [],
  },
  'customer.loyalty.tier': {
    kind: 'value',
    needs: 'customer',
    argument: 'text',
    value: ({ customer }) => customer?.loyalty_tiers ?? [],
  },
  'customer.metadata': metadata('customer', ({ customer }) => customer?.metadata, 'customer'),

  'order.amount': number('amount', ({ cart }) => (cart?.amount == null ? null : totalOf(cart))),
  'order.initial_amount': number('amount', ({ cart }) => cart?.initial_amount),
  'order.total_amount': number('amount', ({ effect }) => effect?.total, { is_late: true }),
  'order.items.count': number('order', unitsOf),
  'order.items.price_any': { kind: 'lines', quantifier: 'any', argument: 'number', value: priceOf },
  'order.items.price_each': { kind: 'lines', quantifier: 'each', argument: 'number', value: priceOf },
  'order.items.metadata_any': {
    kind: 'lines',
    quantifier: 'any',
    argument: 'any',
    has_property: true,
    schemas: itemSchemas,
    value: lineMetadata,
  },
  'order.items.metadata_each': {
    kind: 'lines',
    quantifier: 'each',
    argument: 'any',
    has_property: true,
    schemas: itemSchemas,
    value: lineMetadata,
  },
  'order.metadata': metadata('order', ({ cart }) => cart?.facts.metadata, 'order'),

  'order.items.any': items('any'),
  'order.items.every': items('every'),
  'order.items.none': items('none'),
  'order.items.cheapest': items('cheapest'),
  'order.items.most_expensive': items('most_expensive'),
  'product.id': items('any', { object: 'product' }),
  'sku.id': items('any', { object: 'sku' }),
  'product.metadata': items('any', { has_property: true, schemas: ['product'] }),

  'order.items.quantity': { kind: 'sub', argument: 'number', line: ({ quantity }) => quantity, is_quantity: true },
  'order.items.price': { kind: 'sub', argument: 'number', line: priceOf },
  'order.items.metadata': {
    kind: 'sub',
    argument: 'any',
    has_property: true,
    schemas: itemSchemas,
    line: lineMetadata,
  },
  'order.items.aggregated_quantity': {
    kind: 'sub',
    argument: 'number',
    sum: { field: 'quantity_sum', of: ({ quantity }) => quantity },
    is_quantity: true,
  },
  'order.items.aggregated_amount': {
    kind: 'sub',
    argument: 'number',
    sum: { field: 'amount_sum', of: (line) => subtotalOf(line) ?? 0 },
  },
  'product.metadata.match_all': { kind: 'sub', argument: 'boolean', modifier: 'into_every' },
  'product.metadata.discount_applicable': { kind: 'sub', argument: 'boolean', modifier: 'into_included' },

  ...counter('campaign.orders.amount', { needs: 'amount' }, ({ cart }) => cart?.amount ?? undefined),
  ...counter('campaign.orders.amount_discounted', { is_late: true }, ({ effect }) => effect?.discount),
  ...countersOver('campaign.redemptions.count', ['', ...periods]),
  ...countersOver('campaign.redemptions.customers_count', ['', ...periods], { needs: 'customer' }),

  ...countersOver('redemption.count', periods),
  ...countersOver('redemption.count.per_customer', ['', ...periods], { needs: 'customer' }),
  ...counter('redemption.count.per_user', {}, ({ caller }) => (caller?.user_login == null ? undefined : 1)),
  ...counter('redemption.count.per_api_key', {}, ({ caller }) => (caller?.api_key == null ? undefined : 1)),
  'redemption.user.login': { kind: 'value', argument: 'text', value: ({ caller }) => caller?.user_login },
  'redemption.api_key': { kind: 'value', argument: 'text', value: ({ caller }) => caller?.api_key },
  'redemption.metadata': metadata('redemption', ({ metadata }) => metadata),
  ...counter('redemption.gift.amount', { is_late: true }, ({ effect }) => effect?.credits),
  'redemption.reward.pay_with_points.points_used': {
    kind: 'value',
    argument: 'number',
    is_late: true,
    value: ({ effect }) => effect?.points,
  },

  'publication.redeemable_by_linked_customer': {
    kind: 'value',
    needs: 'customer',
    argument: 'boolean',
    is_permission: true,
    value: ({ customer, redeemable }) =>
      customer?.id != null &&
      redeemable !== null &&
      'holders' in redeemable &&
      (redeemable.holders?.includes(customer.id) ?? false),
  },
  'custom_event.metadata': metadata('custom_event', ({ event_metadata }) => event_metadata),
}

/** Every name and alias, for suggestions. */
export const knownNames: readonly string[] = [...Object.keys(names), ...Object.keys(aliases)]
