import { expect, test } from 'vitest'
import { newFormat } from '../ui/format.tsx'
import { happeningOf } from './activity.ts'

const format = newFormat('EUR', 'UTC')

const cases: [type: string, data: object, words: string, detail?: string][] = [
  ['customer.created', {}, 'Became a customer'],
  [
    'customer.order.paid',
    { order: { id: 'ord_1', source_id: '#7', amount: 5000, total_amount: 4000 } },
    'Order #7 was paid',
    '€40',
  ],
  ['customer.order.created', { order: { id: 'ord_1', source_id: null } }, 'An order was made'],
  [
    'customer.redemption.succeeded',
    {
      voucher: { code: 'TEN' },
      redemption: { id: 'r_1', order: { total_applied_discount_amount: 1000 } },
      order: { id: 'ord_1', source_id: '#7' },
    },
    'Used TEN',
    '€10 off on order #7',
  ],
  [
    'customer.redemption.failed',
    {
      voucher: { code: 'TEN', redemption: { quantity: 1, redeemed_quantity: 1 } },
      redemption: { id: 'rf_1', failure_code: 'quantity_exceeded', failure_message: 'quantity exceeded' },
    },
    'TEN was refused',
    'This code has been used 1 of 1 times.',
  ],
  [
    'customer.voucher.loyalty_card.points_added',
    { voucher: { code: 'CARD' }, balance: { points: -1 }, transaction: { reason: 'Error' } },
    'Lost 1 point on CARD, by hand',
    'Error',
  ],
  [
    'customer.voucher.loyalty_card.points_transferred',
    { balance: { points: 40 }, source_voucher: { code: 'A' } },
    'Received 40 points from A',
  ],
  [
    'customer.loyalty.tier.upgraded',
    { campaign: { name: 'Club' }, loyalty_tier_from: { name: 'Silver' }, loyalty_tier_to: { name: 'Gold' } },
    'Rose from Silver to Gold in Club',
  ],
  [
    'customer.publication.failed',
    { publication: { vouchers: ['HALF'], failure_code: 'no_voucher_suitable_for_publication' } },
    'HALF could not be given',
    'There was no code left that could be given.',
  ],
  [
    'customer.validation.failed',
    { validation: { redeemables: [{ id: 'HALF', result: { error: { key: 'voucher_expired' } } }] } },
    'Checked HALF: it would be refused',
    'This code had expired.',
  ],
  ['customer.email.failed', {}, 'A message could not be sent by email'],
  ['customer.something.new_here', {}, 'Something new here'],
]

test.each(cases)('%s with %j', (type, data, words, detail) => {
  const happening = happeningOf({ type, data: data as Record<string, unknown> }, format)
  expect([happening?.words, happening?.detail || undefined]).toEqual([words, detail])
})

test('what another event says is left out', () => {
  expect(happeningOf({ type: 'customer.loyalty.updated', data: {} }, format)).toBeNull()
})
