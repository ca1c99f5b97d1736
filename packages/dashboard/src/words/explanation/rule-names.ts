import type { ValueKind } from './values.ts'

/** How a rule is read: `value` compares one value, `counter` counts uses, `goods` looks for goods among the lines. */
export type RuleKind = 'value' | 'lines' | 'line' | 'counter' | 'goods' | 'group' | 'holder' | 'note'

export interface RuleName {
  kind: RuleKind
  /** What is compared. `%` stands for the property. */
  subject: string
  value: ValueKind
  /** What is meant when there is no value. */
  missing?: string
}

const value = (subject: string, kind: ValueKind, missing = 'it is not set'): RuleName => ({
  kind: 'value',
  subject,
  value: kind,
  missing,
})
const lines = (subject: string, kind: ValueKind): RuleName => ({ kind: 'lines', subject, value: kind })
const line = (subject: string, kind: ValueKind): RuleName => ({ kind: 'line', subject, value: kind })
const goods = (subject: string): RuleName => ({ kind: 'goods', subject, value: 'name' })
export const noOrder = 'there is no order'

const periods = { '': '', '.daily': ' today', '.weekly': ' this week', '.monthly': ' this month' }

/** A counter, ever and in each period. */
function counters(name: string, subject: string, suffixes = Object.keys(periods)): Record<string, RuleName> {
  return Object.fromEntries(
    suffixes.map((suffix) => [
      `${name}${suffix}`,
      { kind: 'counter', subject: `${subject}${periods[suffix as keyof typeof periods]}`, value: 'number' },
    ]),
  )
}

/** Every rule that the engine knows, older spellings included. */
export const ruleNames: Record<string, RuleName> = {
  'customer.segment': { kind: 'group', subject: 'in', value: 'name', missing: 'in no segment' },
  customer_segment: { kind: 'group', subject: 'in', value: 'name', missing: 'in no segment' },
  'customer.loyalty.tier': { kind: 'group', subject: 'in the tier', value: 'name', missing: 'in no tier' },
  'customer.loyalty_tier': { kind: 'group', subject: 'in the tier', value: 'name', missing: 'in no tier' },
  'customer.metadata': value('“%” of the customer', 'any'),

  'order.amount': value('Order total', 'money', noOrder),
  'order.initial_amount': value('Order total before discounts', 'money', noOrder),
  'order.total_amount': value('Order total after this discount', 'money', noOrder),
  'order.items.count': value('Number of units in the order', 'number', noOrder),
  'order.items.price_any': lines('Price of at least one line', 'money'),
  'order.items.price_each': lines('Price of every line', 'money'),
  'order.items.metadata_any': lines('“%” of at least one line', 'any'),
  'order.items.metadata_each': lines('“%” of every line', 'any'),
  'order.metadata': value('“%” of the order', 'any'),

  'order.items.any': goods('any'),
  'order.items.every': goods('every'),
  'order.items.none': goods('none'),
  'order.items.cheapest': goods('cheapest'),
  'order.items.most_expensive': goods('most expensive'),
  'product.id': goods('any'),
  'sku.id': goods('any'),
  'product.metadata': { kind: 'goods', subject: 'metadata', value: 'any' },

  'order.items.quantity': line('Quantity of the line', 'number'),
  'product.quantity': line('Quantity of the line', 'number'),
  'sku.quantity': line('Quantity of the line', 'number'),
  'order.items.price': line('Unit price of the line', 'money'),
  'product.price': line('Unit price of the line', 'money'),
  'sku.price': line('Unit price of the line', 'money'),
  'order.items.metadata': line('“%” of the line', 'any'),
  'order.items.aggregated_quantity': line('Quantity of these lines together', 'number'),
  'product.metadata.aggregated_quantity': line('Quantity of these lines together', 'number'),
  'order.items.aggregated_amount': line('Amount of these lines together', 'money'),
  'product.metadata.aggregated_amount': line('Amount of these lines together', 'money'),
  'product.metadata.match_all': { kind: 'note', subject: 'Every line of the order must fit', value: 'boolean' },
  'product.metadata.discount_applicable': {
    kind: 'note',
    subject: 'The discount is for these lines',
    value: 'boolean',
  },
  'product.discount_applicable': { kind: 'note', subject: 'The discount is for these lines', value: 'boolean' },
  'sku.discount_applicable': { kind: 'note', subject: 'The discount is for these lines', value: 'boolean' },

  'campaign.orders.amount': value('Total of all orders of the campaign, with this one', 'money', noOrder),
  'campaign.orders.amount_discounted': value('Total discount of the campaign, with this one', 'money'),
  ...counters('campaign.redemptions.count', 'Uses of the campaign'),
  ...counters('campaign.redemptions.customers_count', 'Uses of the campaign by this customer'),
  ...counters('redemption.count', 'Uses', ['.daily', '.weekly', '.monthly']),
  ...counters('redemption.count.per_customer', 'Uses by this customer'),
  ...counters('redemption.count.per_user', 'Uses by this user', ['']),
  ...counters('redemption.count.per_api_key', 'Uses with this key', ['']),
  'redemption.user.login': value('User who redeems', 'any', 'no user redeems'),
  'redemption.api_key': value('Key that redeems', 'any', 'no key is known'),
  'redemption.metadata': value('“%” of the redemption', 'any'),
  'redemption.gift.amount': value('Gift credits spent in the campaign, with this use', 'money'),
  'redemption.reward.pay_with_points.points_used': value('Points that this would spend', 'points'),
  'publication.redeemable_by_linked_customer': { kind: 'holder', subject: '', value: 'boolean' },
  'custom_event.metadata': value('“%” of the event', 'any'),
}
