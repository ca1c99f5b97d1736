import { expect, test } from 'vitest'
import { newFormat } from '../../ui/format.tsx'
import type { Entry } from './entry.ts'
import { headlineOf, refusalOf } from './headline.ts'

const format = newFormat('EUR', 'Europe/Berlin')

function entry(parts: Record<string, unknown>): Entry {
  return {
    object: 'redemption',
    date: '2026-03-14T23:30:00Z',
    result: 'SUCCESS',
    status: 'SUCCEEDED',
    related_object_type: 'voucher',
    customer: { name: 'Ann Lee', email: null, source_id: null, id: 'cust_1' },
    voucher: {
      code: 'SUMMER10',
      redemption: { quantity: 1, redeemed_quantity: 1 },
      start_date: null,
      expiration_date: null,
    },
    order: { id: 'ord_1', source_id: '1042', total_applied_discount_amount: 500 },
    ...parts,
  } as unknown as Entry
}

test('what happened is one sentence, with the day of the project', () => {
  expect(headlineOf(entry({}), format)).toBe('SUMMER10 took €5.00 off order #1042 for Ann Lee on 15 Mar 2026')
  expect(headlineOf(entry({ gift: { amount: 1850 }, customer: null }), format)).toBe(
    'SUMMER10 paid €18.50 of order #1042 on 15 Mar 2026',
  )
  expect(headlineOf(entry({ loyalty_card: { points: 300 }, reward: { name: 'Mug' }, order: null }), format)).toBe(
    'SUMMER10 bought “Mug” for 300 points for Ann Lee on 15 Mar 2026',
  )
  expect(
    headlineOf(
      entry({ voucher: null, promotion_tier: { name: '5 % off' }, related_object_type: 'promotion_tier' }),
      format,
    ),
  ).toBe('“5 % off” took €5.00 off order #1042 for Ann Lee on 15 Mar 2026')
})

test('a stack counts what was redeemed together', () => {
  const order = {
    id: 'ord_1',
    source_id: '7',
    total_applied_discount_amount: 700,
    redemptions: { r_1: { stacked: ['a', 'b'] } },
  }
  expect(headlineOf(entry({ id: 'r_1', voucher: null, related_object_type: 'redemption', order }), format)).toBe(
    '2 codes and promotions together took €7.00 off order #7 for Ann Lee on 15 Mar 2026',
  )
})

test('a refusal says why, with the numbers of the code', () => {
  const refused = entry({ result: 'FAILURE', status: 'FAILED', order: null, failure_code: 'quantity_exceeded' })
  expect(headlineOf(refused, format)).toBe('SUMMER10 was refused for Ann Lee on 15 Mar 2026')
  expect(refusalOf(refused, format)).toBe('This code has been used 1 of 1 times.')
  expect(refusalOf(entry({}), format)).toBeUndefined()
})

test('a rollback names what it took back', () => {
  expect(headlineOf(entry({ object: 'redemption_rollback' }), format)).toBe(
    'The redemption of SUMMER10 for Ann Lee was rolled back on 15 Mar 2026',
  )
})
