import { describe, expect, test } from 'vitest'
import { evaluate } from './evaluate.ts'
import type { Explanation, Facts, Rule } from './schema/index.ts'
import { sentence } from './sentence.ts'
import { examples } from './testing/examples.ts'
import { amountOff, facts, line, order, percentOff, tier, voucher } from './testing/shop.ts'

const explained = (given: Facts): string[] =>
  evaluate(given, { explain: true }).redeemables.map(({ explanation }) => sentence(explanation as Explanation))

const example = (number: string): Facts => {
  const found = examples.find((one) => one.number === number)
  if (found === undefined) throw new Error(`no example ${number}`)
  return found.facts
}

describe('sentence of an applied redeemable', () => {
  test.each([
    ['1', 'Voucher P takes 12.50 off: 12.50 off the order (12.49875 of 99.99, rounded to 12.50).'],
    ['2', 'Voucher A takes 7.50 off: 7.50 off the order (10.00, cut to 7.50 by total_amount).'],
    ['3', 'Voucher P takes 90.00 off: 90.00 off the order (120.00 of 400.00, cut to 90.00 by amount_limit).'],
    ['12b', 'Voucher F has no effect.'],
    [
      '14',
      'Voucher P takes 35.00 off: 15.00 off line 1 (24.00 of 60.00, cut to 15.00 by amount_limit), 10.00 off line 2 (10.00 of 25.00), 10.00 off line 3 (18.00 of 45.00, cut to 15.00 by amount_limit, cut to 10.00 by aggregated_amount_limit).',
    ],
    ['18', 'Voucher U takes 45.00 off: 1 unit made free on line 1, 2 free units added to line 1.'],
    ['22', 'Voucher S takes nothing off: 1 free unit added to line 4.'],
    ['25', 'Voucher R takes 1.80 off: 2 units replaced on line 1, 2 units put on line 2.'],
    ['29', 'Voucher B takes 27.60 off: 3 bundles of at most 4, 27.60 off the order (27.60 of 184.00).'],
    ['43', 'Voucher F takes 18.00 off: amount_off by formula 18, 18.00 off the order.'],
    [
      '46',
      'Voucher F takes 5.00 off: amount_off by formula not calculable (CUSTOMER_METADATA("bonus") has no value), 5.00 off the order.',
    ],
  ])('example %s', (number, expected) => {
    expect(explained(example(number))).toEqual([expected])
  })

  test('shows a third of a cent as a fraction', () => {
    const given = facts({
      order: order(line('A', 1, 1000)),
      redeemables: [voucher('T', percentOff(0, { percent_off_formula: '100 / 3' }))],
    })
    expect(explained(given)).toEqual([
      'Voucher T takes 3.33 off: percent_off by formula 100/3, 3.33 off the order (1000/3 cents of 10.00, rounded to 3.33).',
    ])
  })
})

describe('sentence of a refusal', () => {
  test.each([
    ['31', 2, 'Voucher C1 is skipped: redeemable cannot be applied due to exclusion rules.'],
    [
      '32',
      2,
      'Voucher V1 cannot be used: voucher expired (expiration_date 2025-02-26T11:59:59.999Z, and it is 2025-02-26T12:00:00.000Z).',
    ],
    ['35', 6, 'Voucher 7 is skipped: applicable redeemables limit exceeded (applicable_redeemables_limit: 5 of 5).'],
    ['37b', 1, 'Voucher P is skipped: redeemable does not have any effect.'],
    ['41', 0, 'Voucher Q cannot be used: quantity exceeded (redemption.quantity: 3 of 3).'],
    ['42', 0, 'Voucher G cannot be used: gift amount exceeded (gift.balance: 7.00 of 3.00).'],
  ])('example %s', (number, position, expected) => {
    expect(explained(example(number))[position]).toBe(expected)
  })

  test('names an inactive promotion', () => {
    const off = tier('promo_1', percentOff(5), { active: false })
    expect(explained(facts({ order: { amount: 100 }, redeemables: [off] }))).toEqual([
      'Promotion promo_1 cannot be used: inactive Promotion (active is false, must be true).',
    ])
  })

  test.each<[rule: Rule, cause: string]>([
    [
      { name: 'order.amount', conditions: { $more_than: [90000] } },
      'order does not match validation rules (rule 1 of val_1: order.amount is 67.90, must be more than 900.00)',
    ],
    [
      { name: 'customer.metadata', property: 'level', conditions: { $in: ['gold', 'silver'] } },
      'customer does not match validation rules (rule 1 of val_1: customer.metadata "level" is missing, must be in gold or silver)',
    ],
    [
      { name: 'customer.segment', conditions: { $is: ['seg_vip'] } },
      'customer does not match validation rules (rule 1 of val_1: customer.segment is seg_a or seg_b, must be seg_vip)',
    ],
    [
      { name: 'order.items.any', conditions: { $is: [{ id: 'spoon', object: 'product' }] } },
      'order does not match validation rules (rule 1 of val_1: order.items.any finds no line, must be spoon)',
    ],
    [
      {
        name: 'order.items.any',
        conditions: { $is: [{ id: 'cup', object: 'product' }] },
        rules: { '1': { name: 'order.items.quantity', conditions: { $more_than: [5] } }, logic: '1' },
      },
      'order does not match validation rules (rule 1 of val_1: order.items.any finds line 1, must be cup; rule 1 of val_1: order.items.quantity is 2 on line 1, must be more than 5)',
    ],
    [
      { name: 'order.total_amount', conditions: { $more_than: [6400] } },
      'order does not match validation rules (rule 1 of val_1: order.total_amount is 62.90, must be more than 64.00)',
    ],
  ])('a rule: $name', (rule, cause) => {
    const given = facts({
      order: order(line('cup', 2, 1450), line('tray', 1, 3890)),
      customer: { id: 'cust_1', segments: ['seg_a', 'seg_b'] },
      redeemables: [voucher('R', amountOff(500), { rules: [{ id: 'val_1', rules: { '1': rule, logic: '1' } }] })],
    })
    expect(explained(given)).toEqual([`Voucher R cannot be used: ${cause}.`])
  })
})

test('a rule has its name, amounts have one unit, and equality is said in full', () => {
  const big: Rule = { name: 'order.amount', conditions: { $more_than_or_equal: [5000] } }
  const cheap: Rule = { name: 'order.items.price_each', conditions: { $less_than_or_equal: [1000] } }
  const sentenceOf = (name: string, rule: Rule) =>
    explained(
      facts({
        order: order(line('cup', 2, 1900)),
        redeemables: [voucher('R', amountOff(500), { rules: [{ id: 'val_1', name, rules: { '1': rule } }] })],
      }),
    )
  expect(sentenceOf('Big orders', big)).toEqual([
    'Voucher R cannot be used: order does not match validation rules (rule 1 of "Big orders": order.amount is 38.00, must be more than or equal to 50.00).',
  ])
  expect(sentenceOf('Cheap', cheap)).toEqual([
    expect.stringMatching(/order\.items\.price_each is 19\.00, must be less than or equal to 10\.00/),
  ])
})

test('every example gives a one-line sentence', () => {
  const sentences = examples.flatMap(({ facts }) => explained(facts))
  expect(sentences.length).toBeGreaterThan(examples.length)
  for (const text of sentences) expect(text).toMatch(/^(Voucher|Promotion) \S+ .+\.$/)
})
