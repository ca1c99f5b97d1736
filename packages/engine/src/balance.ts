import { assert } from './assert.ts'
import type { Account, Entry, Lot, Posting, SystemAccount, Totals } from './schema/loyalty.ts'

// Every change answers the account as it is afterwards and the postings that say so; nothing is changed in place.
// A lot is overdue from the day after its date on. Until the daily job closes it, it counts as closed: so a job that
// comes late leaves the same books as one in time.

/** A debit beyond the balance: the key of its refusal. */
export interface Exceeded {
  key: 'loyalty_card_points_exceeded' | 'gift_amount_exceeded'
}

/** Where a credit goes: the lot of that date, which is opened under the id if there is none. */
export interface Destination {
  expires_at: string | null
  lot_id: string
}

/**
 * Puts points on a card: an accrual, an activation, an addition, the arrival of a transfer.
 *
 * `earn(card, { amount: 50, expires_at: '2025-04-09', lot_id: 'lopb_1' })` → one posting, `issued` → card.
 */
export function earn(account: Account, { amount, ...destination }: Destination & { amount: number }): Entry {
  return credited({ account, postings: [] }, 'issued', amount, destination)
}

/**
 * Takes points off a card, those that expire first before the others, or refuses if there are not enough.
 *
 * 250 off lots of 120 until May, 300 until August and 1000 for ever → 120 and 130, in two postings.
 */
export function spend(
  account: Account,
  { amount, to, today }: { amount: number; to: 'redeemed' | 'subtracted'; today: string },
): Entry | Exceeded {
  if (amount > balanceOf(account, today)) return exceeded(account)
  let entry: Entry = { account, postings: [] }
  let left = amount
  for (const lot of account.lots.filter((lot) => !isOverdue(lot, today)).toSorted(byExpiry)) {
    const taken = Math.min(left, lot.points)
    entry = moved(entry, lot, account.id, to, taken)
    left -= taken
  }
  assert(left === 0, `not all of ${amount} was spent`)
  return entry
}

/**
 * Closes the lots whose day is over and answers them as they were; the postings are in the order of their days.
 *
 * On 1 June a lot of 120 until 31 May is closed: one posting, card → `expired`.
 */
export function expire(account: Account, today: string): Entry & { expired: Lot[] } {
  const expired = account.lots.filter((lot) => isOverdue(lot, today)).toSorted(byExpiry)
  let entry: Entry = { account, postings: [] }
  for (const lot of expired) entry = moved(entry, lot, account.id, 'expired', lot.points)
  const lots = entry.account.lots.filter((lot) => !isOverdue(lot, today))
  return { account: { ...account, lots }, postings: entry.postings, expired }
}

/**
 * Undoes postings of a card by new ones. What was taken returns to the lot that it was taken from, or, if that one is over
 * meanwhile, goes to a lot of the date given. What was put on the card is taken from its lot again, or refused if it is
 * spent.
 *
 * A redemption of 120 until May and 130 until August, undone in July → 130 until August, 120 until the new date.
 */
export function reverse(
  account: Account,
  postings: readonly Posting[],
  { today, ...destination }: Destination & { today: string },
): Entry | Exceeded {
  let entry: Entry = { account, postings: [] }
  for (const { from, to, amount, lot: lotId, expires_at } of postings.toReversed()) {
    if (from === account.id) {
      const home = { expires_at, lot_id: lotId }
      const isOver = isOverdue(home, today) || entry.account.lots.every(({ id }) => id !== lotId)
      entry = credited(entry, to, amount, isOver ? destination : home)
    } else {
      assert(to === account.id, `a posting of another account: ${from} to ${to}`)
      const lot = entry.account.lots.find(({ id }) => id === lotId)
      if (lot === undefined || lot.points < amount || isOverdue(lot, today)) return exceeded(account)
      entry = moved(entry, lot, to, from, amount)
    }
  }
  return entry
}

/** What can be spent today. */
export function balanceOf({ lots }: Account, today: string): number {
  return lots.reduce((sum, lot) => (isOverdue(lot, today) ? sum : sum + lot.points), 0)
}

/**
 * The lot that expires next and has points, as cards show it (docs/reference/loyalty-cards.md#card-object), or null.
 *
 * Lots of 0 until May, 170 until August and 1000 for ever → `{ next_expiration_date: '2025-08-31', … points: 170 }`.
 */
export function nextExpiration(
  { lots }: Account,
  today: string,
): { next_expiration_date: string; next_expiration_points: number } | null {
  const dated = lots.filter((lot) => lot.points > 0 && !isOverdue(lot, today))
  const [first] = dated.toSorted(byExpiry)
  if (first?.expires_at == null) return null
  return { next_expiration_date: first.expires_at, next_expiration_points: first.points }
}

/**
 * The counters of a card, from its postings (docs/reference/points.md#ledger). A redemption that was undone no longer counts.
 *
 * 1500 issued, 300 redeemed, 100 expired, 200 subtracted → total 1200, balance 900.
 */
export function totalsOf(id: string, postings: readonly Posting[]): Totals {
  const sums: Record<SystemAccount, number> = { issued: 0, redeemed: 0, subtracted: 0, expired: 0 }
  for (const { from, to, amount } of postings) {
    if (from === id) sums[to as SystemAccount] += amount
    else if (to === id) sums[from as SystemAccount] -= amount
  }
  const { issued, redeemed, subtracted, expired } = sums
  const total = 0 - issued - subtracted - expired
  return { points: 0 - issued, subtracted, redeemed, expired, total, balance: total - redeemed }
}

/** One lot for a date: a credit joins it or opens it. */
function credited({ account, postings }: Entry, from: string, amount: number, to: Destination): Entry {
  const { id, lots } = account
  const lot = lots.find(({ expires_at }) => expires_at === to.expires_at)
  if (lot !== undefined) return moved({ account, postings }, lot, from, id, amount)
  const opened = { id: to.lot_id, points: 0, expires_at: to.expires_at }
  return moved({ account: { ...account, lots: [...lots, opened] }, postings }, opened, from, id, amount)
}

/** Puts an amount into a lot of the card, or takes it out, and says so in a posting. */
function moved(entry: Entry, { id: lot, expires_at }: Lot, from: string, to: string, amount: number): Entry {
  assert(Number.isSafeInteger(amount) && amount >= 0, `no amount to move: ${amount}`)
  if (amount === 0) return entry
  const { account, postings } = entry
  const change = to === account.id ? amount : -amount
  const lots = account.lots.map((each) => (each.id === lot ? { ...each, points: each.points + change } : each))
  assert(
    lots.every(({ points }) => Number.isSafeInteger(points) && points >= 0),
    `a lot of ${account.id} below zero or beyond counting`,
  )
  const posting = { from, to, amount, asset: account.asset, lot, expires_at }
  return { account: { ...account, lots }, postings: [...postings, posting] }
}

/** Dates as text sort by time. */
const isOverdue = ({ expires_at }: Pick<Lot, 'expires_at'>, today: string): boolean =>
  expires_at !== null && expires_at < today

const byExpiry = (a: Lot, b: Lot): number => {
  const [first, second] = [a.expires_at ?? never, b.expires_at ?? never]
  return first < second ? -1 : first > second ? 1 : 0
}

/** After every date. */
const never = '~'

const exceeded = ({ asset }: Account): Exceeded => ({
  key: asset === 'points' ? 'loyalty_card_points_exceeded' : 'gift_amount_exceeded',
})
