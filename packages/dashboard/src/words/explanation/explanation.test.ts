import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { operators } from '../../../../engine/src/rules/conditions.ts'
import { knownNames } from '../../../../engine/src/rules/names.ts'
import { referenceRoles } from '../../../../engine/src/rules/references.ts'
import { newFormat } from '../../ui/format.tsx'
import { knownChecks } from './checks.ts'
import { knownCuts, knownFields } from './effects.ts'
import { viewsOf } from './explain.ts'
import { causeOf, headlineOf, knownReasons } from './headline.ts'
import { knownLimits } from './limits.ts'
import { readLogic } from './logic.ts'
import { knownOperators, phraseOf } from './operators.ts'
import { ruleNames } from './rule-names.ts'
import type { RuleStep, Step, Words } from './step.ts'

const names: Record<string, string> = {
  seg_vip: 'VIP',
  seg_new: 'New',
  prod_mug: 'Mug',
  pc_gifts: 'Gifts',
  cust_ann: 'Ann',
  cust_bob: 'Bob',
}
const words: Words = {
  format: newFormat('EUR', 'UTC'),
  nameOf: (id) => names[id],
  lineOf: (index) => ['Mug', 'Poster'][index] ?? `line ${index + 1}`,
  customer: 'Ann',
}

/** A step as one line: how it is marked, what it asks for, what was found. */
function read(step: Step): string {
  const [view] = viewsOf({ steps: [step], status: 'INAPPLICABLE' }, words)
  return [view?.state, [view?.text, view?.detail].filter(Boolean).join(' — '), ...(view?.sum ?? [])].join(' | ')
}
function cause(step: Step, key = 'order_rules_violated'): string {
  const explanation = { object: 'voucher', steps: [step], reason: { key, message: '' } }
  return causeOf(explanation as never, viewsOf({ steps: [step], status: 'INAPPLICABLE' }, words))
}
const check = (name: string, expected: unknown, actual: unknown, passed: boolean): Step => ({
  step: 'check',
  check: name,
  expected,
  actual,
  passed,
})
const rule = (
  name: string,
  expected: RuleStep['expected'],
  actual: unknown,
  more: Partial<RuleStep> = {},
): RuleStep => ({
  step: 'rule',
  rule_id: 'val_1',
  key: '1',
  name,
  expected,
  actual,
  passed: false,
  ...more,
})
const now = '2026-03-14T09:30:00.000Z'

test.each<[Step, string, string?]>([
  [check('active', true, true, true), 'passed | Switched on'],
  [check('active', true, false, false), 'failed | Switched off', 'it is switched off'],
  [
    check('start_date', '2026-04-01T00:00:00.000Z', now, false),
    'failed | Active from 1 Apr 2026, 00:00 — it is 14 Mar 2026, 09:30',
    'it starts on 1 Apr 2026, 00:00, and it is 14 Mar 2026, 09:30',
  ],
  [
    check('expiration_date', '2026-03-01T00:00:00.000Z', now, false),
    'failed | Valid until 1 Mar 2026, 00:00 — it is 14 Mar 2026, 09:30',
    'it ended on 1 Mar 2026, 00:00, and it is 14 Mar 2026, 09:30',
  ],
  [
    check('validity_timeframe', { interval: 'P2D', duration: 'PT1H' }, now, false),
    'failed | Valid for 1 hour of every 2 days — it is 14 Mar 2026, 09:30',
    'it is valid for 1 hour of every 2 days, and not at 14 Mar 2026, 09:30',
  ],
  [
    check('validity_day_of_week', [1, 2], now, false),
    'failed | Valid on Monday and Tuesday — it is 14 Mar 2026, 09:30',
    'it is valid on Monday and Tuesday, and it is 14 Mar 2026, 09:30',
  ],
  [
    check(
      'validity_hours',
      { daily: [{ start_time: '12:00', expiration_time: '14:00', days_of_week: [5] }] },
      now,
      false,
    ),
    'failed | Valid from 12:00 to 14:00 on Friday — it is 14 Mar 2026, 09:30',
    'it is valid from 12:00 to 14:00 on Friday, and it is 14 Mar 2026, 09:30',
  ],
  [
    check('published', true, false, false),
    'failed | Given to a customer — it has no holder yet',
    'it has not been given to a customer yet',
  ],
  [
    check('holder', 'cust_ann', 'cust_bob', false),
    'failed | Held by Ann — used by Bob',
    'the card belongs to Ann, not to Bob',
  ],
  [
    check('redeemed by the referrer', false, true, false),
    'failed | Not used by the customer who refers — the customer is the one who refers',
    'it cannot be used by the customer who refers others with it',
  ],
  [
    check('moon_phase', 'full', 'new', false),
    'failed | Moon phase is “full” — it is “new”',
    'moon phase is “new” (must be “full”)',
  ],
])('check %#', (step, line, because) => {
  expect(read(step)).toBe(line)
  if (because !== undefined) expect(cause(step)).toBe(because)
})

test.each<[string, number, number, string, string]>([
  ['redemption.quantity', 1, 1, 'Can be used once — used 1 of 1 times', 'it has been used 1 of 1 times'],
  ['gift.balance', 2000, 500, 'The card has €5.00 — €20.00 asked for', '€20.00 is asked for, and the card has €5.00'],
  [
    'loyalty_card.balance',
    500,
    120,
    'The card has 120 points — 500 points needed',
    'it takes 500 points, and the card has 120 points',
  ],
  [
    'reward.stock',
    10,
    10,
    'The reward is in stock (10 in all) — 10 of 10 given away',
    '10 of 10 of the reward are given away',
  ],
  ['quantity_limit', 0, 2, 'At most 2 units of each line — 0 of 2 used', '0 of 2 units of each line are used up'],
  [
    'product_in_collection_customer_promotion_tier_quantity_limit',
    3,
    3,
    'At most 3 units of each product of the collection per customer, over all uses of the promotion — 3 of 3 used',
    '3 of 3 units of each product of the collection per customer, over all uses of the promotion are used up',
  ],
  [
    'applicable_redeemables_limit',
    5,
    5,
    'At most 5 discounts in one order — 5 of 5 already applied',
    '5 of 5 discounts are already applied',
  ],
  ['something_new', 1, 2, 'Something new: at most 2 — 1 of 2 used', 'something new: 1 of 2 used'],
])('limit %s', (limit, used, allowed, line, because) => {
  const step: Step = { step: 'limit', limit, used, allowed, passed: false }
  expect(read(step)).toBe(`failed | ${line}`)
  expect(cause(step)).toBe(because)
})

test.each<[RuleStep, string, string]>([
  [
    rule('order.amount', { $more_than_or_equal: [5000] }, 3210),
    'Order total is at least €50.00 — it is €32.10',
    'the order total is €32.10 (must be at least €50.00)',
  ],
  [
    rule('order.amount', { $more_than: [5000], $less_than: [9000] }, null),
    'Order total is more than €50.00 and is less than €90.00 — there is no order',
    'order total must be more than €50.00 and be less than €90.00, and there is no order',
  ],
  [
    rule('customer.segment', { $is: ['seg_vip'] }, ['seg_new']),
    'Customer is in VIP — Ann is in New',
    'Ann is not in VIP',
  ],
  [
    rule('customer.segment', { $not_in: ['seg_new', 'seg_vip'] }, ['seg_new']),
    'Customer is not in New or VIP — Ann is in New',
    'Ann is in New or VIP',
  ],
  [
    rule('customer_segment', { $in: ['seg_vip'] }, []),
    'Customer is in VIP — Ann is in no segment',
    'Ann is not in VIP',
  ],
  [
    rule('customer.metadata', { $is: ['Berlin'] }, null, { property: 'city' }),
    '“city” of the customer is “Berlin” — it is not set',
    '“city” of the customer is not set (must be “Berlin”)',
  ],
  [
    rule('redemption.count.per_customer', { $less_than_or_equal: [1] }, 2),
    'Uses by this customer: at most 1 — used 1 of 1 times',
    'it has been used 1 of 1 times by Ann',
  ],
  [
    rule('campaign.redemptions.count.daily', { $less_than: [101] }, 101),
    'Uses of the campaign today: at most 100 — used 100 of 100 times',
    'the campaign has been used 100 of 100 times today',
  ],
  [
    rule('order.items.any', { $is: [{ id: 'prod_mug', object: 'product' }] }, []),
    'The order contains Mug — no line fits',
    'the order does not contain Mug',
  ],
  [
    rule('order.items.none', { $is: [{ id: 'prod_mug', object: 'product' }] }, [0]),
    'The order does not contain Mug — found Mug',
    'the order contains Mug',
  ],
  [
    rule('order.items.every', { $in: [{ id: 'pc_gifts', object: 'products_collection' }] }, [0]),
    'Every line is Gifts — found Mug',
    'not every line is Gifts',
  ],
  [
    rule('order.items.cheapest', { $is: [{ id: 'prod_mug' }], $from: [{ id: 'pc_gifts' }] }, []),
    'The cheapest line of Gifts is Mug — no line fits',
    'the cheapest line of Gifts is not Mug',
  ],
  [
    rule('order.items.any', { $is: [{ id: 'prod_mug' }] }, [0], {
      rules: [
        rule('order.items.aggregated_quantity', { $more_than_or_equal: [3] }, [{ line: 0, actual: 1, passed: false }]),
      ],
    }),
    'The order contains Mug, with — found Mug',
    'the quantity of these lines together is 1 (must be at least 3)',
  ],
  [
    rule('order.items.price_any', { $more_than: [1000] }, [500, 900]),
    'Price of at least one line is more than €10.00 — it is €5.00 and €9.00',
    'the price of at least one line must be more than €10.00, and it is €5.00 and €9.00',
  ],
  [
    rule('product.metadata', { $is: ['Acme'] }, [], { property: 'brand' }),
    'The order contains a product whose “brand” is “Acme” — no line fits',
    'the order contains no product whose “brand” is “Acme”',
  ],
  [
    rule('publication.redeemable_by_linked_customer', { $is: [true] }, false),
    'The customer holds this code',
    'Ann does not hold this code',
  ],
  [
    rule('weather.today', { $sunny_in: ['x'] }, 'rain'),
    'Weather today is sunny in “x” — it is “rain”',
    'the weather today is “rain” (must be sunny in “x”)',
  ],
])('rule %#', (step, line, because) => {
  expect(read(step)).toBe(`failed | ${line}`)
  expect(cause(step)).toBe(because)
})

test('a rule that was left out is said to be', () => {
  expect(read(rule('order.amount', { $is: [1] }, null, { passed: null }))).toBe(
    'open | Order total is €0.01 — not looked at',
  )
})

test.each<[Step, string]>([
  [
    {
      step: 'amount',
      base: '40000',
      exact: '12000',
      rounded: 12000,
      cuts: [{ by: 'amount_limit', to: 9000 }],
      amount: 9000,
    },
    'effect | €90.00 off the order | €400.00 × 30 % = €120.00 | capped at the maximum of €90.00',
  ],
  [
    { step: 'amount', line: 0, base: '9999', exact: '1249.875', rounded: 1250, cuts: [], amount: 1250 },
    'effect | €12.50 off Mug | €99.99 × 12.5 % = €12.49875, rounded to €12.50',
  ],
  [
    { step: 'amount', line: 1, base: '1000/3', rounded: 100, cuts: [], amount: 100 },
    'effect | €1.00 off Poster | €1.00 off about €3.33',
  ],
  [
    { step: 'amount', rounded: 500, cuts: [{ by: 'total_amount', to: 300 }], amount: 300 },
    'effect | €3.00 off the order | €5.00 to take off | capped at €3.00, what is left to pay',
  ],
  [
    { step: 'units', line: 0, quantity: 2, how: 'freed', amount: 2500 },
    'effect | 2 units of Mug made free — worth €25.00',
  ],
  [{ step: 'units', line: 7, quantity: 1, how: 'added', amount: 0 }, 'effect | 1 unit of line 8 added for free'],
  [{ step: 'units', line: 0, quantity: 1, how: 'replaced', amount: 0 }, 'effect | 1 unit of Mug taken out in exchange'],
  [{ step: 'units', line: 1, quantity: 1, how: 'received', amount: 0 }, 'effect | 1 unit of Poster put in instead'],
  [{ step: 'bundle', quantity: 2, limit: 3 }, 'effect | 2 complete sets in the order — at most 3 sets count'],
  [{ step: 'bundle', quantity: 0, limit: 3 }, 'failed | The order contains a complete set — it contains none'],
  [
    { step: 'formula', field: 'percent_off', formula: 'ORDER_AMOUNT/10', value: '12.5' },
    'effect | Percentage off by formula — = 12.5 %',
  ],
  [
    { step: 'formula', field: 'amount_off', formula: '1/0', line: 0, fault: 'division by zero' },
    'effect | Amount off by formula for Mug — could not be calculated: division by zero; the fixed value counts',
  ],
  [{ step: 'dance' } as unknown as Step, 'effect | Dance'],
])('effect %#', (step, line) => expect(read(step)).toBe(line))

test('rules are joined as their logic says', () => {
  const steps = [
    rule('order.amount', { $more_than: [5000] }, 1000),
    rule('customer.segment', { $is: ['seg_vip'] }, ['seg_vip'], { key: '2', passed: true }),
  ]
  const [either] = viewsOf({ steps, status: 'APPLICABLE' }, words, { val_1: { name: 'Large or VIP', logic: '1 or 2' } })
  expect(either).toMatchObject({ state: 'passed', text: 'One of these', rule: 'Large or VIP', join: 'or' })
  const [both] = viewsOf({ steps, status: 'INAPPLICABLE' }, words, {
    val_1: { name: 'Business Validation Rule', logic: '1 AND 2' },
  })
  expect(both).toMatchObject({
    state: 'failed',
    text: 'All of these',
    because: 'the order total is €10.00 (must be more than €50.00)',
  })
  const [unknown] = viewsOf({ steps, status: 'APPLICABLE' }, words)
  expect(unknown).toMatchObject({ state: 'passed' })
})

test.each([
  ['1', { key: '1' }],
  ['1 and (2 or 3)', { join: 'and', parts: [{ key: '1' }, { join: 'or', parts: [{ key: '2' }, { key: '3' }] }] }],
  ['1 or 2 and 3', { join: 'or', parts: [{ key: '1' }, { join: 'and', parts: [{ key: '2' }, { key: '3' }] }] }],
  ['', undefined],
  ['1 and', undefined],
  ['(1', undefined],
  ['1 2', undefined],
  ['('.repeat(5000), undefined],
])('logic %#', (text, logic) => expect(readLogic(text)).toEqual(logic))

test('an explanation in one sentence', () => {
  const say = (explanation: Partial<Parameters<typeof headlineOf>[0]>) => {
    const whole = {
      object: 'voucher',
      id: 'VIP20',
      status: 'INAPPLICABLE',
      steps: [],
      sentence: '',
      ...explanation,
    } as Parameters<typeof headlineOf>[0]
    return headlineOf(whole, viewsOf(whole, words), whole.id, words)
  }
  expect(say({ status: 'APPLICABLE', amount: 500 })).toBe('VIP20 takes €5.00 off')
  expect(
    say({
      status: 'APPLICABLE',
      amount: 500,
      steps: [{ step: 'limit', limit: 'loyalty_card.balance', used: 100, allowed: 200, passed: true }],
    }),
  ).toBe('VIP20 takes €5.00 off for 100 points')
  expect(
    say({
      reason: { key: 'customer_rules_violated', message: '' },
      steps: [rule('customer.segment', { $is: ['seg_vip'] }, []) as never],
    }),
  ).toBe('VIP20 is refused: Ann is not in VIP')
  const units = { step: 'units' as const, line: 0, quantity: 2, how: 'added' as const, amount: 2500 }
  expect(say({ status: 'APPLICABLE', amount: 2500, steps: [units] })).toBe(
    'VIP20 gives 2 units of Mug for free (worth €25.00)',
  )
  expect(say({ reason: { key: 'not_found', message: '' } })).toBe('VIP20 is refused: there is no such code')
  expect(say({ status: 'SKIPPED', reason: { key: 'no_effect', message: '' } })).toBe(
    'VIP20 is left out: it would change nothing in this order',
  )
})

test('without an order, what no order could change is the reason', () => {
  const total = rule('order.amount', { $more_than_or_equal: [3000] }, null)
  const once = rule('redemption.count.per_customer', { $less_than_or_equal: [1] }, 2, { key: '2' })
  const say = (steps: Step[], logic = '1 and 2') =>
    causeOf(
      { object: 'voucher', steps: steps as never, reason: { key: 'missing_order', message: '' } },
      viewsOf({ steps, status: 'INAPPLICABLE' }, words, { val_1: { name: 'Once', logic } }),
    )
  expect(say([total, once])).toBe('it has been used 1 of 1 times by Ann')
  expect(say([total, once], '1 or 2')).toBe('it needs an order, and there is none')
  expect(say([total])).toBe('it needs an order, and there is none')
  expect(say([check('order', true, false, false)])).toBe('it needs an order, and there is none')
})

/** What the engine can say, read from its code: a new name without words fails here. */
const engine = (file: string) => readFileSync(new URL(`../../../../engine/src/${file}`, import.meta.url), 'utf8')
const found = (pattern: RegExp, ...files: string[]) => [
  ...new Set(files.flatMap((file) => [...engine(file).matchAll(pattern)].map((match) => match[1] as string))),
]

test('every name of the engine has words', () => {
  expect(Object.keys(ruleNames)).toEqual(expect.arrayContaining([...knownNames]))
  expect(knownOperators).toEqual(expect.arrayContaining([...Object.keys(operators), ...Object.keys(referenceRoles)]))
  const checks = [
    ...found(/check: '([^']+)'/g, 'eligibility.ts'),
    ...found(/^ {2}(\w+): 'voucher_/gm, 'eligibility.ts'),
    ...found(/: \['([^']+)'/g, 'missing-step.ts'),
  ]
  expect(checks.length).toBeGreaterThan(15)
  expect(knownChecks).toEqual(expect.arrayContaining(checks))
  const limits = [
    ...found(/limit: '([\w.]+)'/g, 'eligibility.ts'),
    ...found(/traceLimit\('([\w.]+)'/g, 'discounts/points.ts'),
    ...found(/cap\('(\w+)'/g, 'selection.ts'),
    ...found(/_exceeded: '(\w+)'/g, 'evaluate.ts'),
    ...found(/^ {2}(product_\w+_quantity_limit): Maybe/gm, 'schema/rule.ts'),
  ]
  expect(limits.length).toBeGreaterThan(16)
  expect(knownLimits).toEqual(expect.arrayContaining(limits))
  const cuts = found(
    /cutBy\([^']+'([\w.]+)'/g,
    'discounts/items.ts',
    'discounts/order-level.ts',
    'discounts/gift-credits.ts',
  )
  expect(cuts.length).toBe(7)
  expect(knownCuts).toEqual(expect.arrayContaining(cuts))
  expect(knownFields).toEqual(
    expect.arrayContaining(
      found(
        /field: '(\w+)'/g,
        'discounts/amount-off.ts',
        'discounts/percent-off.ts',
        'discounts/fixed-price.ts',
        'discounts/free-units.ts',
        'discounts/settings.ts',
      ),
    ),
  )
  const reasons = found(/^ {2}(\w+):(?: '|$)/gm, 'reasons.ts')
  expect(reasons.length).toBeGreaterThan(30)
  expect(knownReasons).toEqual(expect.arrayContaining(reasons))
})

test('no sentence shows a raw key', () => {
  const raw = /\$|_(?!_)|\b(?:order|redemption|campaign|customer|product|sku)\.[a-z]/
  for (const name of knownNames) expect(read(rule(name, { $is: [1] }, 2, { property: 'colour' }))).not.toMatch(raw)
  for (const operator of knownOperators) {
    const { verb, rest } = phraseOf(operator, ['2026-01-01;PT1H;1,2'], 'any', words)
    expect(`${verb} ${rest}`).not.toMatch(raw)
  }
  for (const name of knownChecks) expect(read(check(name, true, false, false))).not.toMatch(raw)
  for (const limit of knownLimits)
    expect(read({ step: 'limit', limit, used: 1, allowed: 1, passed: false })).not.toMatch(raw)
})

test.each<[string, unknown, string]>([
  ['$is_not', ['a', 'b'], 'is none of “a” and “b”'],
  ['$not_differ', [], 'is empty'],
  ['$contains', ['a'], 'contains “a”'],
  ['$count_more', 2, 'has more than 2 values'],
  ['$is_days_ago', [1], 'was 1 day ago'],
  ['$less_than_future', [3], 'is less than 3 days from today'],
  ['$after', ['2026-03-01'], 'is after 1 Mar 2026'],
  ['$dow', [0, 6], 'is on a Sunday or Saturday'],
  [
    '$timeframe',
    ['2026-03-01T00:00:00Z;P1W;P2DT3H'],
    'is within 2 days 3 hours of every 1 week from 1 Mar 2026, 00:00',
  ],
  ['$timeframe_absolute', ['2026-03-01;2026-04-01'], 'is between 1 Mar 2026 and 1 Apr 2026'],
  ['$timeframe_daily_hours', ['09:00;17:00;1,2'], 'is between 09:00 and 17:00 on Monday or Tuesday'],
])('operator %s', (operator, sent, text) => {
  const { verb, rest } = phraseOf(operator, sent, 'any', words)
  expect(`${verb} ${rest}`).toBe(text)
})
