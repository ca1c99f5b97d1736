import { expect, test } from 'vitest'
import { newFormat } from '../ui/format.tsx'
import { type Giver, whatItGives } from './gives.ts'

const format = newFormat('EUR', 'UTC')
const mug = { product: { name: 'Enamel mug' }, unit_type: 'prod_1' }

const cases: [giver: Giver, words: string][] = [
  [{ discount: { type: 'AMOUNT', amount_off: 1000 } }, '€10 off'],
  [{ discount: { type: 'AMOUNT', amount_off: 1050, effect: 'APPLY_TO_ORDER' } }, '€10.50 off the order'],
  [{ discount: { type: 'AMOUNT', amount_off: 500, effect: 'APPLY_TO_ITEMS' } }, '€5 off each line'],
  [
    {
      discount: {
        type: 'AMOUNT',
        amount_off: 500,
        effect: 'APPLY_TO_ITEMS_BY_QUANTITY',
        aggregated_amount_limit: 2500,
      },
    },
    '€5 off each unit, at most €25 in total',
  ],
  [
    { discount: { type: 'AMOUNT', amount_off: 500, effect: 'APPLY_TO_ITEMS_PROPORTIONALLY' } },
    '€5 off, shared among the items by price',
  ],
  [
    { discount: { type: 'AMOUNT', amount_off: 500, effect: 'APPLY_TO_ITEMS_PROPORTIONALLY_BY_QUANTITY' } },
    '€5 off, shared among the items by quantity',
  ],
  [
    { discount: { type: 'AMOUNT', amount_off: 500, amount_off_formula: 'ORDER_AMOUNT / 10' } },
    'Amount by formula (else €5) off',
  ],
  [{ discount: { type: 'PERCENT', percent_off: 20, amount_limit: 3000 } }, '20% off, at most €30'],
  [{ discount: { type: 'PERCENT', percent_off: 12.5, effect: 'APPLY_TO_ORDER' } }, '12.5% off the order'],
  [
    {
      discount: {
        type: 'PERCENT',
        percent_off: 15,
        effect: 'APPLY_TO_ITEMS',
        amount_limit: 1000,
        aggregated_amount_limit: 4000,
      },
    },
    '15% off items, at most €10 per line, at most €40 in total',
  ],
  [
    { discount: { type: 'PERCENT', percent_off: 15, percent_off_formula: 'X' } },
    'Percentage by formula (else 15%) off',
  ],
  [{ discount: { type: 'FIXED', fixed_amount: 2000 } }, 'Fixed price of €20'],
  [{ discount: { type: 'FIXED', fixed_amount: 2000, effect: 'APPLY_TO_ORDER' } }, 'The whole order for €20'],
  [{ discount: { type: 'FIXED', fixed_amount: 199, effect: 'APPLY_TO_ITEMS' } }, 'Each unit for €1.99'],
  [
    { discount: { type: 'FIXED', fixed_amount: 199, fixed_amount_formula: 'X', effect: 'APPLY_TO_ITEMS' } },
    'Each unit for a price by formula (else €1.99)',
  ],
  [{ discount: { type: 'UNIT', unit_off: 1, unit_type: 'prod_5h1pp1ng' } }, 'Free shipping'],
  [
    { discount: { type: 'UNIT', unit_off: 1, unit_type: 'prod_5h1pp1ng', effect: 'ADD_MISSING_ITEMS' } },
    'Free shipping',
  ],
  [{ discount: { type: 'UNIT', unit_off: 2, ...mug } }, '2 × Enamel mug free'],
  [{ discount: { type: 'UNIT', unit_off: 2, effect: 'ADD_NEW_ITEMS', ...mug } }, '2 × Enamel mug added for free'],
  [{ discount: { type: 'UNIT', unit_off: 1, effect: 'REPLACE_ITEMS', ...mug } }, 'Items replaced by 1 × Enamel mug'],
  [
    { discount: { type: 'UNIT', unit_off: 1, effect: 'ADD_SAME_ITEMS', unit_type: 'pc_1' } },
    '1 more of each item of a collection for free',
  ],
  [{ discount: { type: 'UNIT', unit_off_formula: 'X', ...mug } }, 'some × Enamel mug free'],
  [
    { discount: { type: 'UNIT', unit_off: 1, unit_type: 'sku_1', sku: { sku: 'Tee, red, M' } } },
    '1 × Tee, red, M free',
  ],
  [
    {
      discount: {
        type: 'UNIT',
        effect: 'ADD_MANY_ITEMS',
        units: [
          { unit_off: 1, ...mug },
          { unit_off: 3, unit_type: 'prod_2' },
        ],
      },
    },
    '1 × Enamel mug and 3 × prod_2 free',
  ],
  [{ gift: { amount: 5000 } }, 'Gift card of €50'],
  [{ gift: { amount: 5050, effect: 'APPLY_TO_ITEMS' } }, 'Gift card of €50.50 for items'],
  [{ loyalty_card: { points: 100 } }, 'Loyalty card'],
  [{ action: { discount: { type: 'PERCENT', percent_off: 10 } } }, '10% off'],
  [{ discount: null, gift: null, loyalty_card: null }, 'Nothing'],
]

test.each(cases)('%j gives "%s"', (giver, words) => {
  expect(whatItGives(giver, format)).toBe(words)
})
