import { expect, test } from 'vitest'
import type { Redemption } from './entry.ts'
import { recalculationOf } from './recalculate.ts'
import { simulationOf } from './simulation.ts'

const redemption = {
  date: '2026-03-14T09:30:00.000Z',
  result: 'SUCCESS',
  customer_id: 'cust_1',
  metadata: null,
  gift: { amount: 700 },
  voucher: { code: 'GIFT' },
  order: {
    id: 'ord_1',
    items: [
      { product_id: 'prod_1', quantity: 3, initial_quantity: 2, price: 500, product: { name: 'Socks' } },
      { product_id: 'prod_2', quantity: 1, initial_quantity: 0, price: 0 },
    ],
  },
} as unknown as Redemption

test('a redemption is calculated again on the order of before, at its moment', () => {
  expect(recalculationOf(redemption, [], undefined)).toEqual({
    redeemables: [{ object: 'voucher', id: 'GIFT', gift: { credits: 700 } }],
    order: { items: [{ product_id: 'prod_1', quantity: 2, price: 500 }] },
    customer: { id: 'cust_1' },
    options: { explain: true, as_of: '2026-03-14T09:30:00.000Z' },
  })
})

test('what the shop sent counts for a refusal, which has no order of its own', () => {
  const failed = { ...redemption, result: 'FAILURE', order: null, voucher: null } as Redemption
  const sent = { redeemables: [{ object: 'voucher' as const, id: 'NOSUCH' }], order: { amount: 900 } }
  expect(recalculationOf(failed, [], sent)).toMatchObject(sent)
  expect(recalculationOf(failed, [], undefined)).toBeUndefined()
})

test('the simulator opens with the same customer, lines and codes', () => {
  const body = recalculationOf(redemption, [], undefined)
  expect(body && JSON.parse(simulationOf(body, redemption.order, '2026-03-14T10:30'))).toEqual({
    customer: 'cust_1',
    items: [{ product_id: 'prod_1', name: 'Socks', quantity: 2, price: 500 }],
    redeemables: [{ id: 'GIFT', credits: 700 }],
    at: '2026-03-14T10:30',
  })
})
