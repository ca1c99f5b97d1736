import { expect, test } from 'vitest'
import { newFormat } from '../../ui/format.tsx'
import type { Redemption } from './entry.ts'
import { givenBack, isTooOld } from './given-back.ts'

const format = newFormat('EUR', 'UTC')
const order = { id: 'ord_1', source_id: '1042', total_applied_discount_amount: 500 }
const code = {
  result: 'SUCCESS',
  order,
  customer_id: null,
  voucher: { code: 'A1', redemption: { quantity: 2, redeemed_quantity: 2 } },
}
const gift = {
  result: 'SUCCESS',
  order: { ...order, total_applied_discount_amount: 1850 },
  gift: { amount: 1850 },
  voucher: { code: 'G', gift: { balance: 100 } },
}
const back = (...[redemption, ...rest]: Parameters<typeof givenBack>) => givenBack(redemption, ...rest)
const as = (parts: unknown) => parts as Redemption

test('one code: its use and its order come back', () => {
  expect(back(as(code), [], 'WITH_ORDER', format)).toEqual([
    'A1 can be used once more: it will have been used 1 of 2 times.',
    'Order #1042 is canceled, and €5.00 is no longer taken off it.',
  ])
})

test('several together: each says what it gives back, the order once', () => {
  expect(back(as({ order, customer_id: 'cust_1' }), [as(code), as(gift)], 'WITH_ORDER', format)).toEqual([
    'A1 can be used once more: it will have been used 1 of 2 times.',
    '€18.50 goes back on gift card G, which then holds €19.50.',
    'Order #1042 is canceled, and €23.50 is no longer taken off it.',
    'Points that the order has already earned stay on the card; pending ones are canceled.',
  ])
})

test('stacking rules may leave the order alone', () => {
  expect(back(as(code), [], 'WITHOUT_ORDER', format)[1]).toBe(
    'Order #1042 keeps its amounts and its state, as the stacking rules say.',
  )
})

test('after three calendar months nothing is rolled back', () => {
  expect(isTooOld('2026-01-15T10:00:00Z', new Date('2026-04-15T09:00:00Z'))).toBe(false)
  expect(isTooOld('2026-01-15T10:00:00Z', new Date('2026-04-15T11:00:00Z'))).toBe(true)
})
