import { expect, test } from 'vitest'
import { newFormat } from '../../ui/format.tsx'
import { eventSentence } from './event-sentences.ts'

const format = newFormat('EUR', 'UTC')
const transaction = (type: string, balance: Record<string, unknown>, details = {}) => ({
  type: 'voucher.loyalty_card.transaction.created',
  data: { voucher: { code: 'A1' }, transaction: { type, details: { balance, ...details } } },
})

test('points and credits that moved are said with what is left', () => {
  expect(eventSentence(transaction('POINTS_REDEMPTION', { points: -300, balance: 678 }), format)).toBe(
    '300 points were spent from card A1, which now holds 678 points.',
  )
  const rule = { earning_rule: { source: { banner: '1 point per euro' } } }
  expect(eventSentence(transaction('POINTS_ACCRUAL', { points: 1, balance: 679 }, rule), format)).toBe(
    '1 point was earned by “1 point per euro” on card A1, which now holds 679 points.',
  )
  expect(eventSentence(transaction('CREDITS_REDEMPTION', { amount: -1850, balance: 3150 }), format)).toBe(
    '€18.50 was taken from gift card A1, which now holds €31.50.',
  )
})

test('what repeats another event has no sentence', () => {
  expect(eventSentence({ type: 'customer.redemption.succeeded', data: {} }, format)).toBeUndefined()
  expect(eventSentence({ type: 'customer.order.paid', data: { order: { source_id: '1042' } } }, format)).toBe(
    'Order #1042 was marked as paid.',
  )
})
