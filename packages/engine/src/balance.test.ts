import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type BalanceExceeded, balanceOf, earn, expire, nextExpiration, reverse, spend, totalsOf } from './balance.ts'
import { expirationDate } from './loyalty/expiry.ts'
import type { Account, Entry, Lot, Posting } from './schema/loyalty.ts'
import { dayText, readDay } from './time/index.ts'

const card = (...lots: Array<[points: number, expires_at: string | null]>): Account => ({
  id: 'v_1',
  asset: 'points',
  lots: lots.map(([points, expiresAt]) => ({ id: `lot ${expiresAt}`, points, expires_at: expiresAt })),
})

function done(result: Entry | BalanceExceeded): Entry {
  if ('key' in result) throw new Error(`refused: ${result.key}`)
  return result
}

/** `120 2025-05-31`, in the order of the account. */
const lotsOf = ({ lots }: Account) => lots.map(({ points, expires_at }) => `${points} ${expires_at ?? 'never'}`)
const postingTexts = (postings: readonly Posting[]) =>
  postings.map(({ from, to, amount, expires_at }) => `${from} → ${to} ${amount} ${expires_at ?? 'never'}`)

const today = '2025-05-02'
const never = { expires_at: null, lot_id: 'lot null' }

describe('points on a card', () => {
  test('05 #12: points that expire first are spent first', () => {
    const before = card([1_000, null], [300, '2025-08-31'], [120, '2025-05-31'])
    const { account, postings } = done(spend(before, { amount: 250, to: 'redeemed', today }))
    expect(lotsOf(account)).toEqual(['1000 never', '170 2025-08-31', '0 2025-05-31'])
    expect(postingTexts(postings)).toEqual(['v_1 → redeemed 120 2025-05-31', 'v_1 → redeemed 130 2025-08-31'])
    expect(nextExpiration(account, today)).toEqual({
      next_expiration_date: '2025-08-31',
      next_expiration_points: 170,
    })
    expect(lotsOf(before)).toEqual(['1000 never', '300 2025-08-31', '120 2025-05-31']) // not mutated
  })

  test('05 #13: a removal, then the rollback of a redemption', () => {
    const issued = earn(card(), { amount: 1_500, ...never })
    const redeemed = done(spend(issued.account, { amount: 300, to: 'redeemed', today }))
    const history = [
      ...issued.postings,
      ...redeemed.postings,
      ...done(spend(redeemed.account, { amount: 200, to: 'subtracted', today })).postings,
      { from: 'v_1', to: 'expired', amount: 100, asset: 'points', lot: 'lot null', expires_at: null } satisfies Posting,
    ]
    const before = card([900, null])
    expect(totalsOf('v_1', history)).toEqual({
      points: 1_500,
      redeemed: 300,
      expired: 100,
      subtracted: 200,
      total: 1_200,
      balance: 900,
    })
    const removed = done(spend(before, { amount: 100, to: 'subtracted', today }))
    history.push(...removed.postings)
    expect(totalsOf('v_1', history)).toMatchObject({ points: 1_500, subtracted: 300, total: 1_100, balance: 800 })
    const refunded = done(reverse(removed.account, redeemed.postings, { today, ...never }))
    history.push(...refunded.postings)
    expect(postingTexts(refunded.postings)).toEqual(['redeemed → v_1 300 never'])
    expect(totalsOf('v_1', history)).toMatchObject({ points: 1_500, redeemed: 0, total: 1_100, balance: 1_100 })
    expect(balanceOf(refunded.account, today)).toBe(1_100)
  })

  test('05 #14: a transfer of 40 and 60 arrives under the rules of the destination', () => {
    const expiresAt = expirationDate(today, { period_type: 'MONTH', period_value: 12, rounding_type: 'END_OF_YEAR' })
    const sources = [
      { ...card([100, '2025-06-30']), id: 'v_A' },
      { ...card([60, null]), id: 'v_B' },
    ]
    let target: Account = { ...card([10, null]), id: 'v_C' }
    const history: Posting[] = earn({ ...target, lots: [] }, { amount: 10, ...never }).postings
    for (const [index, amount] of [40, 60].entries()) {
      const taken = done(spend(sources[index] as Account, { amount, to: 'subtracted', today }))
      const given = earn(target, { amount, expires_at: expiresAt, lot_id: 'lot new' })
      history.push(...taken.postings, ...given.postings)
      target = given.account
    }
    expect(lotsOf(target)).toEqual(['10 never', '100 2026-12-31'])
    expect(totalsOf('v_C', history)).toMatchObject({ points: 110, balance: 110 })
    expect(totalsOf('v_A', history)).toMatchObject({ subtracted: 40 })
    expect(totalsOf('v_B', history)).toMatchObject({ subtracted: 60 })
    expect(history).toHaveLength(5)
    expect(spend(sources[1] as Account, { amount: 61, to: 'subtracted', today })).toEqual({
      key: 'loyalty_card_points_exceeded',
    })
  })

  test('a credit joins the lot of its date, or opens a new one', () => {
    const { account } = earn(card([5, '2025-05-31']), { amount: 7, expires_at: '2025-05-31', lot_id: 'lot new' })
    expect(account.lots).toEqual([{ id: 'lot 2025-05-31', points: 12, expires_at: '2025-05-31' }])
    expect(earn(account, { amount: 1, expires_at: '2025-06-30', lot_id: 'lot new' }).account.lots[1]).toEqual({
      id: 'lot new',
      points: 1,
      expires_at: '2025-06-30',
    })
  })

  test('spending beyond the balance is refused, and overdue lots do not count', () => {
    const account = card([50, '2025-05-01'], [20, '2025-05-02'], [5, null])
    expect(balanceOf(account, today)).toBe(25)
    expect(spend(account, { amount: 26, to: 'redeemed', today })).toEqual({ key: 'loyalty_card_points_exceeded' })
    expect(lotsOf(done(spend(account, { amount: 25, to: 'redeemed', today })).account)).toEqual([
      '50 2025-05-01',
      '0 2025-05-02',
      '0 never',
    ])
    expect(spend(account, { amount: 0, to: 'redeemed', today })).toEqual({ account, postings: [] })
    expect(nextExpiration(account, today)).toMatchObject({ next_expiration_date: '2025-05-02' })
    expect(nextExpiration(card([5, null]), today)).toBeNull()
    expect(nextExpiration(card([0, '2025-05-31']), today)).toBeNull()
  })

  test('gift credits are one lot that never expires, with their own refusal key', () => {
    const gift: Account = { ...card([500, null]), asset: 'credits' }
    expect(spend(gift, { amount: 501, to: 'redeemed', today })).toEqual({ key: 'gift_amount_exceeded' })
    expect(done(spend(gift, { amount: 500, to: 'redeemed', today })).postings).toEqual([
      { from: 'v_1', to: 'redeemed', amount: 500, asset: 'credits', lot: 'lot null', expires_at: null },
    ])
  })

  test('overdue lots are closed in the order of their dates', () => {
    const account = card([5, null], [30, '2025-05-01'], [0, '2025-04-30'], [20, '2025-04-15'], [9, '2025-05-02'])
    const { expired, ...entry } = expire(account, today)
    expect(lotsOf(entry.account)).toEqual(['5 never', '9 2025-05-02'])
    expect(postingTexts(entry.postings)).toEqual(['v_1 → expired 20 2025-04-15', 'v_1 → expired 30 2025-05-01'])
    expect(expired.map(({ points }) => points)).toEqual([20, 0, 30])
  })

  test('a refund returns to its lots; the share of an overdue lot gets a new date', () => {
    const before = card([120, '2025-05-31'], [300, '2025-08-31'])
    const { account, postings } = done(spend(before, { amount: 250, to: 'redeemed', today }))
    const to = { expires_at: '2026-07-10', lot_id: 'lot new' }
    const atOnce = done(reverse(account, postings, { today, ...to }))
    expect(atOnce.account).toEqual(before)
    const later = done(reverse(expire(account, '2025-07-10').account, postings, { today: '2025-07-10', ...to }))
    expect(lotsOf(later.account)).toEqual(['300 2025-08-31', '120 2026-07-10'])
    expect(postingTexts(later.postings)).toEqual(['redeemed → v_1 130 2025-08-31', 'redeemed → v_1 120 2026-07-10'])
    expect(later.postings[1]?.lot).toBe('lot new')
    // The last day still belongs to the lot.
    expect(lotsOf(done(reverse(account, postings, { today: '2025-05-31', ...to })).account)[0]).toBe('120 2025-05-31')
  })

  test('a reversed credit is debited from its lot, unless it is spent or overdue', () => {
    const { account, postings } = earn(card([5, null]), { amount: 50, expires_at: '2025-05-31', lot_id: 'lot new' })
    expect(lotsOf(done(reverse(account, postings, { today, ...never })).account)).toEqual(['5 never', '0 2025-05-31'])
    const spent = done(spend(account, { amount: 1, to: 'redeemed', today })).account
    expect(reverse(spent, postings, { today, ...never })).toEqual({ key: 'loyalty_card_points_exceeded' })
    expect(reverse(account, postings, { today: '2025-06-01', ...never })).toHaveProperty('key')
    expect(() => reverse({ ...account, id: 'v_2' }, postings, { today, ...never })).toThrow('another account')
  })

  test('amounts beyond the safe integers fail an assertion', () => {
    expect(() => earn(card([Number.MAX_SAFE_INTEGER, null]), { amount: 1, ...never })).toThrow()
    expect(() => earn(card([5, null]), { amount: -1, ...never })).toThrow()
    expect(() => earn(card(), { amount: 0.5, ...never })).toThrow()
    expect(() => spend(card([5, null]), { amount: -1, to: 'redeemed', today })).toThrow()
  })
})

type Act =
  | { act: 'earn'; amount: number; days: number | null }
  | { act: 'spend'; amount: number; to: 'redeemed' | 'subtracted' }
  | { act: 'refund'; which: number; days: number }
  | { act: 'wait'; days: number }

const amount = fc.integer({ min: 1, max: 300 })
const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ act: fc.constant('earn' as const), amount, days: fc.option(fc.nat(60)) }),
  fc.record({ act: fc.constant('spend' as const), amount, to: fc.constantFrom('redeemed', 'subtracted') }),
  fc.record({ act: fc.constant('refund' as const), which: fc.nat(), days: fc.nat(60) }),
  fc.record({ act: fc.constant('wait' as const), days: fc.integer({ min: 1, max: 25 }) }),
)

const firstDay = readDay(today) as number

/** Runs a sequence of operations; `isDaily` tells whether lots are closed every day or once, at the end. */
function runOperations(acts: readonly Act[], isDaily: boolean) {
  let day = firstDay
  let account = card()
  const history: Posting[] = []
  const spendings: Posting[][] = []
  const refusals: boolean[] = []
  const dateIn = (days: number | null) => {
    const expiresAt = days === null ? null : dayText(day + days)
    return { expires_at: expiresAt, lot_id: `lot ${expiresAt}` }
  }
  const keep = (result: Entry | BalanceExceeded) => {
    refusals.push('key' in result)
    if ('key' in result) return []
    account = result.account
    history.push(...result.postings)
    return result.postings
  }
  for (const each of acts) {
    if (each.act === 'earn') keep(earn(account, { amount: each.amount, ...dateIn(each.days) }))
    if (each.act === 'spend') spendings.push([...keep(spend(account, { ...each, today: dayText(day) }))])
    if (each.act === 'refund' && spendings.length > 0) {
      const [undone] = spendings.splice(each.which % spendings.length, 1)
      keep(reverse(account, undone ?? [], { today: dayText(day), ...dateIn(each.days) }))
    }
    if (each.act === 'wait') {
      for (const end = day + each.days; day < end; ) {
        day += 1
        if (isDaily) keep(expire(account, dayText(day)))
      }
    }
    refusals.push(balanceOf(account, dayText(day)) < 0)
  }
  keep(expire(account, dayText(day)))
  return { account, history, today: dayText(day), refusals: refusals.filter(Boolean).length }
}

const sum = (lots: readonly Lot[]) => lots.reduce((total, { points }) => total + points, 0)
const byDate = ({ lots }: Account) => lots.filter(({ points }) => points > 0).sort((a, b) => (a.id < b.id ? -1 : 1))

describe('the ledger', () => {
  test('always balances: lots, balance and postings agree, and none is negative', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
        const { account, history, today } = runOperations(acts, true)
        const totals = totalsOf('v_1', history)
        expect(sum(account.lots)).toBe(totals.balance)
        expect(balanceOf(account, today)).toBe(totals.balance)
        expect(totals.balance).toBe(totals.points - totals.expired - totals.subtracted - totals.redeemed)
        expect(Math.min(...account.lots.map(({ points }) => points), ...Object.values(totals))).toBeGreaterThanOrEqual(
          0,
        )
        // Also per lot: credits minus debits of a date equal its remaining points.
        for (const lot of account.lots) {
          const own = history.filter(({ lot: id }) => id === lot.id)
          expect(totalsOf('v_1', own).balance).toBe(lot.points)
        }
        expect(new Set(account.lots.map(({ expires_at }) => expires_at)).size).toBe(account.lots.length)
      }),
    )
  })

  test('is the same whether lots are closed daily or all at the end', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
        const [daily, late] = [runOperations(acts, true), runOperations(acts, false)]
        expect(byDate(late.account)).toEqual(byDate(daily.account))
        expect(totalsOf('v_1', late.history)).toEqual(totalsOf('v_1', daily.history))
        expect(late.refusals).toBe(daily.refusals)
        const closed = ({ history }: typeof late) => postingTexts(history.filter(({ to }) => to === 'expired')).sort()
        expect(closed(late)).toEqual(closed(daily))
      }),
    )
  })

  const anyCard = fc
    .uniqueArray(fc.record({ points: fc.nat(500), days: fc.option(fc.integer({ min: -20, max: 60 })) }), {
      selector: ({ days }) => days,
      maxLength: 8,
    })
    .map((lots) =>
      card(
        ...lots.map(
          ({ points, days }) => [points, days === null ? null : dayText(firstDay + days)] as [number, string | null],
        ),
      ),
    )

  test('closing is idempotent', () => {
    fc.assert(
      fc.property(anyCard, (account) => {
        const { account: once, postings } = expire(account, today)
        expect(expire(once, today)).toEqual({ account: once, postings: [], expired: [] })
        expect(sum(once.lots) + postings.reduce((total, posting) => total + posting.amount, 0)).toBe(sum(account.lots))
        expect(balanceOf(once, today)).toBe(balanceOf(account, today))
      }),
    )
  })

  test('spending debits exactly the amount, from lots in order of expiry, and reversing restores all lots', () => {
    fc.assert(
      fc.property(anyCard, fc.nat(2_000), (account, amount) => {
        const available = balanceOf(account, today)
        const result = spend(account, { amount, to: 'redeemed', today })
        expect('key' in result).toBe(amount > available)
        if ('key' in result) return
        expect(result.postings.reduce((total, posting) => total + posting.amount, 0)).toBe(amount)
        expect(balanceOf(result.account, today)).toBe(available - amount)
        const touched = new Set(result.postings.map(({ lot }) => lot))
        const rank = ({ expires_at }: Lot) => expires_at ?? '9999-99-99'
        for (const later of result.account.lots.filter(({ id }) => touched.has(id))) {
          expect(rank(later) >= today).toBe(true)
          for (const lot of result.account.lots)
            if (rank(lot) >= today && rank(lot) < rank(later)) expect(lot.points).toBe(0)
        }
        const undone = done(reverse(result.account, result.postings, { today, expires_at: null, lot_id: 'lot null' }))
        expect(undone.account).toEqual(account)
        expect(totalsOf('v_1', [...result.postings, ...undone.postings])).toMatchObject({ redeemed: 0, balance: 0 })
        const again = done(reverse(undone.account, undone.postings, { today, expires_at: null, lot_id: 'lot null' }))
        expect(again.account).toEqual(result.account)
      }),
    )
  })
})
