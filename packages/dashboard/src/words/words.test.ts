import { expect, test } from 'vitest'
import type { Schemas } from '../api/client.ts'
import { ledgerLine } from './ledger.ts'
import { statusOf } from './states.ts'
import { validityWords } from './validity.ts'

const now = Date.parse('2026-03-14T12:00:00Z')
const code = {
  active: true,
  start_date: null,
  expiration_date: null,
  gift: null,
  loyalty_card: null,
  redemption: { quantity: 2, redeemed_quantity: 1, object: 'list' as const, url: '' },
}
const gift = { amount: 100, subtracted_amount: 0, balance: 0 }

test.each([
  [{}, 'ACTIVE'],
  [{ active: false, expiration_date: '2026-01-01T00:00:00Z' }, 'DISABLED'],
  [{ expiration_date: '2026-03-14T12:00:00Z' }, 'EXPIRED'],
  [{ start_date: '2026-03-14T12:00:01Z' }, 'NOT_ACTIVE_YET'],
  [{ redemption: { ...code.redemption, redeemed_quantity: 2 } }, 'USED'],
  [{ gift }, 'NO_BALANCE'],
  [{ redemption: { ...code.redemption, quantity: null } }, 'ACTIVE'],
])('a code with %j is %s', (change, status) => {
  expect(statusOf({ ...code, ...change }, now)).toBe(status)
})

test('a code of a campaign that is switched off is off', () => {
  expect(statusOf(code, now, false)).toBe('DISABLED')
})

const none = { validity_timeframe: null, validity_day_of_week: null, validity_hours: null }

test.each([
  [{}, []],
  [{ validity_day_of_week: [0, 6, 1] }, ['On Monday, Saturday and Sunday']],
  [
    { validity_hours: { daily: [{ start_time: '08:00', expiration_time: '18:00', days_of_week: [1, 2] }] } },
    ['08:00–18:00 on Monday and Tuesday'],
  ],
  [{ validity_hours: { daily: [{ start_time: '17:00' }] } }, ['From 17:00 every day']],
  [{ validity_timeframe: { duration: 'PT1H', interval: 'P2D' } }, ['For 1 hour at a time, every 2 days']],
])('%j is valid %j', (periods, words) => {
  expect(validityWords({ ...none, ...periods })).toEqual(words)
})

type Transaction = Schemas['TransactionList']['data'][number]

test.each<[Transaction['type'], object, string]>([
  ['CREDITS_ADDITION', {}, 'Added by hand'],
  ['CREDITS_REDEMPTION', { order: { id: 'ord_1', source_id: '#7' } }, 'Spent with order #7'],
  [
    'POINTS_ACCRUAL',
    { order: { id: 'ord_1', source_id: '#7' }, earning_rule: { source: { banner: '1 point per euro' } } },
    'Earned by order #7: 1 point per euro',
  ],
  ['POINTS_REDEMPTION', { reward: { name: 'A mug' } }, 'Spent on A mug'],
  ['POINTS_TRANSFER_OUT', { destination_voucher: { code: 'B' } }, 'Moved away to B'],
  ['POINTS_EXPIRATION', {}, 'Expired'],
])('%s with %j', (type, details, words) => {
  const line = ledgerLine({
    id: 'vtx_1',
    source_id: null,
    voucher_id: 'v_1',
    campaign_id: null,
    source: null,
    reason: null,
    type,
    details: { balance: { points: -5, balance: 10 }, ...details },
    related_transaction_id: null,
    created_at: '2026-01-01T00:00:00Z',
  })
  expect([line.words, line.change, line.balance]).toEqual([words, -5, 10])
})
