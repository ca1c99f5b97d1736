import { expect, test } from 'vitest'
import { checkBounds } from './bounds.ts'
import { violationsOf } from './findings.ts'
import type { Bound, Thing } from './goods.ts'
import { type Checkout, type Ledger, newLedger, type Span, type Use } from './model.ts'

/* Tests the checks of the load with wrong ledgers: checks that never find anything would never fail a test. */

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
  violationsOf(checkBounds({ ...newLedger(), ...ledger })).map((text) => text.replace(/:.*/, ''))

const refused = (during: Span) => ({ uses: [use], key: 'quantity_exceeded', span: during })
const first = redeemed(span(0, 10))
const second = redeemed(span(0, 10))

const cases: Array<[what: string, ledger: Partial<Ledger>, violations: string[]]> = [
  ['as many redemptions as the quantity are accepted', { checkouts: [first, second] }, []],
  [
    'a redemption above the quantity is reported',
    { checkouts: [first, second, redeemed(span(20, 30))] },
    ['quantity of TWO was exceeded'],
  ],
  [
    'one more redemption after a rollback is accepted',
    { checkouts: [first, redeemed(span(0, 10), span(12, 15)), redeemed(span(14, 20))] },
    [],
  ],
  [
    'one more redemption before a rollback is reported',
    { checkouts: [first, redeemed(span(0, 10), span(40, 50)), redeemed(span(20, 30))] },
    ['quantity of TWO was exceeded'],
  ],
  ['a refusal when none are left is accepted', { checkouts: [first, second], refusals: [refused(span(20, 30))] }, []],
  [
    'a refusal while the last one is being redeemed is accepted',
    { checkouts: [first, second], refusals: [refused(span(5, 6))] },
    [],
  ],
  [
    'a refusal while one is left is reported',
    { checkouts: [first], refusals: [refused(span(20, 30))] },
    ['refused without a reason'],
  ],
  [
    'a refusal after a rollback is reported',
    { checkouts: [first, redeemed(span(0, 10), span(12, 15))], refusals: [refused(span(20, 30))] },
    ['refused without a reason'],
  ],
  [
    'a refusal while a session holds the last one is accepted',
    {
      checkouts: [first],
      holds: [{ uses: [use], span: span(0, 10), ttl_ms: 50, ended: null }],
      refusals: [refused(span(20, 30))],
    },
    [],
  ],
  [
    'a refusal after the session has expired is reported',
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
