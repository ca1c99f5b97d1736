import { expect, test } from 'vitest'
import { judgeBounds } from './bounds.ts'
import { violationsOf } from './findings.ts'
import type { Bound, Thing } from './goods.ts'
import { type Checkout, type Ledger, newLedger, type Span, type Use } from './model.ts'

/* The judge of the load, on ledgers that are wrong: one that finds nothing would never fail a test. */

const quantity: Bound = {
  name: 'quantity of TWO',
  max: 2,
  measure: 'redemptions',
  refusal: 'quantity_exceeded',
  is_per_customer: false,
}

const two: Thing = {
  object: 'voucher',
  id: 'TWO',
  resource_id: 'v_two',
  kind: 'discount',
  off: 100,
  bounds: [quantity],
  holder: null,
}

const use: Use = { thing: two, customer: 'ann', discount: 100, credits: 0, units: 0 }

const span = (startedAt: number, endedAt: number): Span => ({ started_at: startedAt, ended_at: endedAt })

const redeemed = (during: Span, undone: Span | null = null): Checkout => ({
  id: 'r_1',
  children: [{ ...use, id: 'r_1' }],
  order: null,
  span: during,
  undone: undone && { ...undone, id: 'rr_1', children: [] },
})

const judged = (ledger: Partial<Ledger>): string[] =>
  violationsOf(judgeBounds({ ...newLedger(), ...ledger })).map((text) => text.replace(/:.*/, ''))

const refused = (during: Span) => ({ uses: [use], key: 'quantity_exceeded', span: during })
const first = redeemed(span(0, 10))
const second = redeemed(span(0, 10))

const cases: Array<[what: string, ledger: Partial<Ledger>, violations: string[]]> = [
  ['as many as there are', { checkouts: [first, second] }, []],
  ['one more', { checkouts: [first, second, redeemed(span(20, 30))] }, ['quantity of TWO was overrun']],
  [
    'one more after one was taken back',
    { checkouts: [first, redeemed(span(0, 10), span(12, 15)), redeemed(span(14, 20))] },
    [],
  ],
  [
    'one more before one was taken back',
    { checkouts: [first, redeemed(span(0, 10), span(40, 50)), redeemed(span(20, 30))] },
    ['quantity of TWO was overrun'],
  ],
  ['a refusal when all are gone', { checkouts: [first, second], refusals: [refused(span(20, 30))] }, []],
  ['a refusal while the last one goes', { checkouts: [first, second], refusals: [refused(span(5, 6))] }, []],
  [
    'a refusal while one is left',
    { checkouts: [first], refusals: [refused(span(20, 30))] },
    ['refused without a reason'],
  ],
  [
    'a refusal after one was taken back',
    { checkouts: [first, redeemed(span(0, 10), span(12, 15))], refusals: [refused(span(20, 30))] },
    ['refused without a reason'],
  ],
  [
    'a refusal while a session holds the last one',
    {
      checkouts: [first],
      holds: [{ uses: [use], span: span(0, 10), ttl_ms: 50, ended: null }],
      refusals: [refused(span(20, 30))],
    },
    [],
  ],
  [
    'a refusal after the session has ended',
    {
      checkouts: [first],
      holds: [{ uses: [use], span: span(0, 10), ttl_ms: 50, ended: null }],
      refusals: [refused(span(70, 80))],
    },
    ['refused without a reason'],
  ],
]
test.each(cases)('%s', (_, ledger, violations) => {
  expect(judged(ledger)).toEqual(violations)
})
