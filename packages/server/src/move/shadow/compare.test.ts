import { expect, test } from 'vitest'
import { type Cause, causes, differenceOf } from './compare.ts'
import { type Money, type Outcome, outcomeOf } from './outcome.ts'
import { isCompared, questionOf } from './question.ts'

const valid = (money: Partial<Money> = {}, applied = ['A', 'B']): Outcome => ({
  kind: 'valid',
  applied,
  money: { amount: 10_000, discount: 1_000, total: 9_000, lines: [600, 400], ...money },
})
const refused = (key: string): Outcome => ({ kind: 'refused', key, redeemable: 'A' })
const failed = (status: number): Outcome => ({ kind: 'failed', status, key: 'internal_error' })

const cases: Array<[Cause | null, there: Outcome, here: Outcome]> = [
  [null, valid(), valid()],
  [null, refused('voucher_expired'), refused('voucher_expired')],
  [null, refused('not_found'), refused('voucher_not_found')],
  [null, failed(500), failed(500)],
  ['failed_here', valid(), failed(503)],
  ['failed_there', failed(500), valid()],
  ['missing_here', valid(), refused('voucher_not_found')],
  ['missing_here', refused('voucher_expired'), refused('voucher_not_found')],
  ['missing_there', refused('not_found'), valid()],
  ['refused_here', valid(), refused('voucher_disabled')],
  ['refused_there', refused('voucher_expired'), valid()],
  ['other_reason', refused('voucher_expired'), refused('voucher_disabled')],
  ['other_redeemables', valid(), valid({}, ['A'])],
  ['other_stacking_order', valid(), valid({}, ['B', 'A'])],
  ['other_amount', valid(), valid({ amount: 9_000, discount: 900 })],
  ['rounding', valid(), valid({ discount: 1_001, total: 8_999 })],
  ['other_discount', valid(), valid({ discount: 1_002, total: 8_998 })],
  ['other_total', valid(), valid({ total: 8_000 })],
  ['other_lines', valid(), valid({ lines: [500, 500] })],
]

test.each(cases)('%s', (cause, there, here) => {
  expect(differenceOf(there, here)?.cause ?? null).toBe(cause)
})

test('every cause has a case', () => {
  expect(new Set(cases.flatMap(([cause]) => cause ?? []))).toEqual(new Set(Object.keys(causes)))
})

test('what an answer does not say is not compared', () => {
  expect(differenceOf(valid({ amount: null, lines: [] }), valid())).toBeNull()
})

test('answers of all operations have the same outcome', () => {
  const order = { amount: 5_000, total_discount_amount: 500, total_amount: 4_500, items: [] }
  const money = { amount: 5_000, discount: 500, total: 4_500, lines: [] }
  const expected = { kind: 'valid', applied: ['ten'], money }
  const asked = [{ object: 'voucher', id: 'ten' }]
  expect(
    outcomeOf(
      200,
      {
        valid: true,
        redeemables: [
          { status: 'APPLICABLE', id: 'ten' },
          { status: 'SKIPPED', id: 'X' },
        ],
        order,
      },
      asked,
    ),
  ).toEqual(expected)
  const redeemed = { voucher: { id: 'v_1', code: 'TEN' } }
  expect(outcomeOf(200, { valid: true, code: 'TEN', order }, asked)).toEqual(expected)
  expect(outcomeOf(200, { redemptions: [{ id: 'r_1', ...redeemed }], order }, asked)).toEqual(expected)
  expect(outcomeOf(200, { id: 'r_1', object: 'redemption', ...redeemed, order }, asked)).toEqual(expected)
  expect(outcomeOf(200, 'hello', asked)).toMatchObject({ kind: 'failed' })
  expect(outcomeOf(400, { key: 'invalid_payload' }, asked)).toMatchObject({ kind: 'failed' })
  expect(outcomeOf(429, { key: 'too_many_requests' }, asked)).toMatchObject({ kind: 'failed' })
  const refusedRedemption = { key: 'quantity_exceeded', resource_type: 'redemption' }
  expect(outcomeOf(400, refusedRedemption, asked)).toMatchObject({ kind: 'refused' })
})

test('of several redeemables each has the name that the question has for it, whatever the answer calls it', () => {
  const asked = ['v_2', 'one', 'ONE', 'three'].map((id) => ({ object: 'voucher', id }))
  const redemptions = ['ONE', 'TWO', 'one', 'Three', 'FOUR'].map((code, place) => ({
    voucher: { id: `v_${place + 1}`, code },
  }))
  expect(outcomeOf(200, { redemptions }, asked)).toMatchObject({ applied: ['ONE', 'v_2', 'one', 'three', 'FOUR'] })
})

test('a redemption is asked as a validation of its moment, without its session', () => {
  const request = { redeemables: [{ object: 'voucher', id: 'TEN' }], session: { type: 'LOCK' }, order: { amount: 1 } }
  const exchange = { at: '2026-04-01T10:00:00.000Z', method: 'POST', path: '/v1/redemptions?x=1', request, status: 200 }
  const body = { redeemables: request.redeemables, order: { amount: 1 } }
  expect(questionOf(exchange, { redeem: false, as_of: true })).toEqual({
    path: '/v1/validations',
    body: { ...body, options: { as_of: exchange.at } },
    redeemables: request.redeemables,
  })
  expect(questionOf(exchange, { redeem: true, as_of: true })).toEqual({
    path: '/v1/redemptions',
    body,
    redeemables: request.redeemables,
  })
})

test.each([
  ['/v1/vouchers/A%20B/validate', '/v1/vouchers/A%20B/validate', '/v1/vouchers/A%20B/validate', 'voucher'],
  ['/v1/vouchers/A%20B/redemption', '/v1/vouchers/A%20B/validate', '/v1/vouchers/A%20B/redemption', 'voucher'],
  [
    '/v1/promotions/tiers/A%20B/redemption',
    '/v1/promotions/tiers/A%20B/validation',
    '/v1/promotions/tiers/A%20B/redemption',
    'promotion_tier',
  ],
])('a single redeemable is asked by itself: %s', (path, asValidation, redeemed, object) => {
  const request = { order: { amount: 1 }, gift: { credits: 5 } }
  const exchange = { method: 'POST', path, request, status: 200 }
  const expected = { body: request, redeemables: [{ object, id: 'A B' }] }
  expect(questionOf(exchange, { redeem: false, as_of: false })).toEqual({ path: asValidation, ...expected })
  expect(questionOf(exchange, { redeem: true, as_of: false })).toEqual({ path: redeemed, ...expected })
})

test('nothing but validations and redemptions is compared, and so nothing else is logged', () => {
  for (const path of ['/v1/oauth/token', '/v1/redemptions/r_1/rollback', '/v1/customers', '/v1/vouchers/A/B/validate'])
    expect(isCompared('POST', path), path).toBe(false)
  expect(isCompared('GET', '/v1/redemptions')).toBe(false)
  const malformed = { method: 'POST', path: '/v1/vouchers/%E0%A4/validate', request: {}, status: 200 }
  expect(questionOf(malformed, { redeem: false, as_of: true })).toBeNull()
})
