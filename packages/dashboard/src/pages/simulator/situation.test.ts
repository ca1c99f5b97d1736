import { expect, test } from 'vitest'
import { cartOf, situationOf } from './address.ts'
import { faultsOf, lineProblems, qualificationOf, validationOf } from './request.ts'
import { emptySituation, newLine, type Situation } from './situation.ts'

const full: Situation = {
  customer: { id: 'cust_1', name: 'Ann' },
  lines: [
    newLine({ product_id: 'prod_1', name: 'Mug', quantity: '2', price: '12.50' }),
    newLine({ sku_id: 'sku_1', name: 'Red, L' }),
    newLine({ name: 'Gift wrap', price: '3' }),
    newLine({ name: 'Wrong', price: 'abc' }),
  ],
  chosen: [
    { object: 'voucher', id: 'SUMMER' },
    { object: 'promotion_tier', id: 'promo_1', name: 'Spring' },
    { object: 'voucher', id: 'CARD', credits: '5', reward: 'rew_1', points: '10' },
  ],
  orderMetadata: [{ key: 'a', name: 'channel', value: 'web' }],
  metadata: [
    { key: 'b', name: 'count', value: '3' },
    { key: 'c', name: 'first', value: 'true' },
    { key: 'd', name: '', value: 'x' },
  ],
  at: '2026-03-14T09:30',
  others: false,
}

test('the address brings the same simulation back', () => {
  const { cart, isTooLarge } = cartOf(full)
  expect(isTooLarge).toBe(false)
  const again = situationOf(JSON.parse(JSON.stringify(cart)))
  expect(cartOf(again).cart).toEqual(cart)
  expect(again.lines.map(({ name, quantity, price }) => [name, quantity, price])).toEqual([
    ['Mug', '2', '12.50'],
    ['Red, L', '1', ''],
    ['Gift wrap', '1', '3.00'],
    ['Wrong', '1', ''],
  ])
  expect(situationOf(JSON.stringify(cart)).chosen).toEqual(again.chosen)
})

test('an empty simulation has no address, and one of 500 lines is too large for one', () => {
  expect(cartOf(emptySituation)).toEqual({ cart: undefined, isTooLarge: false })
  const lines = Array.from({ length: 500 }, (_, index) => newLine({ name: `Line ${index}`, price: '1' }))
  expect(cartOf({ ...emptySituation, lines })).toEqual({ cart: undefined, isTooLarge: true })
})

test.each([
  ['{'],
  [null],
  [[1]],
  [{ items: 'x', redeemables: [{}, { id: 7 }], at: 'now', customer: {} }],
  [{ items: [] }],
])('nonsense in the address is left out %#', (value) =>
  expect(situationOf(value)).toMatchObject({ lines: [], chosen: [], customer: null, at: '', others: true }),
)

test('the validation says what was typed', () => {
  expect(validationOf(full, '2026-03-14T08:30:00.000Z')).toEqual({
    redeemables: [
      { object: 'voucher', id: 'SUMMER' },
      { object: 'promotion_tier', id: 'promo_1' },
      { object: 'voucher', id: 'CARD', gift: { credits: 500 }, reward: { id: 'rew_1', points: 10 } },
    ],
    customer: { id: 'cust_1' },
    order: {
      items: [
        { product_id: 'prod_1', quantity: 2, price: 1250 },
        { sku_id: 'sku_1', quantity: 1 },
        { product: { name: 'Gift wrap' }, quantity: 1, price: 300 },
      ],
      metadata: { channel: 'web' },
    },
    metadata: { count: 3, first: true },
    options: { explain: true, expand: ['order', 'redeemable'], as_of: '2026-03-14T08:30:00.000Z' },
  })
  expect(qualificationOf(emptySituation, undefined)).toEqual({
    scenario: 'ALL',
    options: { limit: 10, sorting_rule: 'BEST_DEAL', expand: ['redeemable'] },
  })
})

test('what is wrong with a line', () => {
  expect(lineProblems(newLine({ name: ' ', quantity: '1.5', price: '-1' }))).toEqual({
    name: 'Name it',
    quantity: 'A whole number',
    price: 'Such as 12.50',
  })
})

test('faults stand beside their fields', () => {
  const faults = faultsOf({
    key: 'invalid_payload',
    sentence: '',
    errors: [
      { path: '.order.items[1].quantity', details: 'Property .order.items[1].quantity must be >= 0' },
      { path: '.order.metadata.channel', details: 'Property .order.metadata.channel must be string' },
      { path: '.session', details: 'No' },
    ],
  })
  expect(faults.lines.get(1)).toBe('It must be at least 0.')
  expect(faults).toMatchObject({ orderMetadata: 'It must be string.', other: 'No.' })
  expect(faultsOf({ key: 'duplicated_redeemables', sentence: 'Twice.', errors: [] })).toMatchObject({ codes: 'Twice.' })
})
