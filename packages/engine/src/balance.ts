import { assert } from './assert.ts'
import type { Account, Entry, Lot, Posting, SystemAccount, Totals } from './schema/loyalty.ts'

// Every function returns the new account and its postings; nothing is mutated. A lot is overdue from the day after its
// date. An overdue lot counts as closed even before the daily job closes it, so a late job produces the same ledger as a
// punctual one.

/** A debit that exceeds the balance: the key of its refusal. */
export interface BalanceExceeded {
  key: 'loyalty_card_points_exceeded' | 'gift_amount_exceeded'
}

/** The lot of a credit: the lot with that date, or a new lot with the given id. */
export interface Destination {
  expires_at: string | null
  lot_id: string
}

/**
 * Credits points to a card: an accrual, an activation, an addition, an incoming transfer.
 *
 * `earn(card, { amount: 50, expires_at: '2025-04-09', lot_id: 'lopb_1' })` → one posting, `issued` → card.
 * /
 */
export function earn(account: Account, { amount, ...destination }: Destination & { amount: number }): Entry {
  return credit({ account, postings: [] }, 'issued', amount, destination)
}

/**
 * Debits points from a card, lots that expire first before the others; refuses when the balance is too low.
 *
 * 250 off lots of 120 until May, 300 until August and 1000 for ever → 120 and 130, in two postings.
 * /
 */
export function spend(
  account: Account,
  { amount, to, today }: { amount: number; to: 'redeemed' | 'subtracted'; today: string },
): Entry | BalanceExceeded {
  if (amount > balanceOf(account, today)) return balanceExceeded(account)
  let entry: Entry = { account, postings: [] }
  let remaining = amount
  for (const lot of account.lots.filter((lot) => !isOverdue(lot, today)).toSorted(byExpiry)) {
    const amountFromLot = Math.min(remaining, lot.points)
    entry = postMovement(entry, lot, account.id, to, amountFromLot)
    remaining -= amountFromLot
  }
  assert(remaining === 0, `${remaining} of ${amount} points not debited`)
  return entry
}

/**
 * Closes overdue lots and returns them as they were; the postings are ordered by date.
 *
 * On 1 June a lot of 120 until 31 May is closed: one posting, card → `expired`.
 * /
 */
export function expire(account: Account, today: string): Entry & { expired: Lot[] } {
  const expired = account.lots.filter((lot) => isOverdue(lot, today)).toSorted(byExpiry)
  let entry: Entry = { account, postings: [] }
  for (const lot of expired) entry = postMovement(entry, lot, account.id, 'expired', lot.points)
  const lots = entry.account.lots.filter((lot) => !isOverdue(lot, today))
  return { account: { ...account, lots }, postings: entry.postings, expired }
}

/**
 * Reverses postings of a card with new postings. A debit returns to its original lot, or, if that lot is overdue or closed,
 * to the destination lot. A credit is debited from its lot again, or refused if its points are spent.
 *
 * A redemption of 120 until May and 130 until August, undone in July → 130 until August, 120 until the new date.
 * /
 */
export function reverse(
  account: Account,
  postings: readonly Posting[],
  { today, ...destination }: Destination & { today: string },
): Entry | BalanceExceeded {
  let entry: Entry = { account, postings: [] }
  for (const { from, to, amount, lot: lotId, expires_at } of postings.toReversed()) {
    if (from === account.id) {
      const originalLot = { expires_at, lot_id: lotId }
      const isOver = isOverdue(originalLot, today) || entry.account.lots.every(({ id }) => id !== lotId)
      entry = credit(entry, to, amount, isOver ? destination : originalLot)
    } else {
      assert(to === account.id, `a posting of another account: ${from} to ${to}`)
      const lot = entry.account.lots.find(({ id }) => id === lotId)
      if (lot === undefined || lot.points < amount || isOverdue(lot, today)) return balanceExceeded(account)
      entry = postMovement(entry, lot, to, from, amount)
    }
  }
  return entry
}

/** Points that can be spent today. */
export function balanceOf({ lots }: Account, today: string): number {
  return lots.reduce((sum, lot) => (isOverdue(lot, today) ? sum : sum + lot.points), 0)
}

/**
 * The next lot with points to expire, as shown on cards (docs/reference/loyalty-cards.md#card-object), or null.
 *
 * Lots of 0 until May, 170 until August and 1000 for ever → `{ next_expiration_date: '2025-08-31', … points: 170 }`.
 * /
 */
export function nextExpiration(
  { lots }: Account,
  today: string,
): { next_expiration_date: string; next_expiration_points: number } | null {
  const spendableLots = lots.filter((lot) => lot.points > 0 && !isOverdue(lot, today))
  const [first] = spendableLots.toSorted(byExpiry)
  if (first?.expires_at == null) return null
  return { next_expiration_date: first.expires_at, next_expiration_points: first.points }
}

/**
 * The counters of a card, summed over its postings (docs/reference/points.md#ledger). A reversed redemption does not count.
 *
 * 1500 issued, 300 redeemed, 100 expired, 200 subtracted → total 1200, balance 900.
 * /
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

/** Credits the lot of the date, or opens it: an account has one lot per date. */
function credit({ account, postings }: Entry, from: string, amount: number, to: Destination): Entry {
  const { id, lots } = account
  const lot = lots.find(({ expires_at }) => expires_at === to.expires_at)
  if (lot !== undefined) return postMovement({ account, postings }, lot, from, id, amount)
  const newLot = { id: to.lot_id, points: 0, expires_at: to.expires_at }
  return postMovement({ account: { ...account, lots: [...lots, newLot] }, postings }, newLot, from, id, amount)
}

/** Adds an amount to a lot of the card, or removes it, and records a posting. */
function postMovement(entry: Entry, { id: lot, expires_at }: Lot, from: string, to: string, amount: number): Entry {
  assert(Number.isSafeInteger(amount) && amount >= 0, `invalid posting amount: ${amount}`)
  if (amount === 0) return entry
  const { account, postings } = entry
  const change = to === account.id ? amount : -amount
  const lots = account.lots.map((current) =>
    current.id === lot ? { ...current, points: current.points + change } : current,
  )
  assert(
    lots.every(({ points }) => Number.isSafeInteger(points) && points >= 0),
    `lot of ${account.id} is negative or not a safe integer`,
  )
  const posting = { from, to, amount, asset: account.asset, lot, expires_at }
  return { account: { ...account, lots }, postings: [...postings, posting] }
}

/** ISO dates compare as strings. */
const isOverdue = ({ expires_at }: Pick<Lot, 'expires_at'>, today: string): boolean =>
  expires_at !== null && expires_at < today

const byExpiry = (a: Lot, b: Lot): number => {
  const [first, second] = [a.expires_at ?? never, b.expires_at ?? never]
  return first < second ? -1 : first > second ? 1 : 0
}

/** Sorts after every ISO date. */
const never = '~'

const balanceExceeded = ({ asset }: Account): BalanceExceeded => ({
  key: asset === 'points' ? 'loyalty_card_points_exceeded' : 'gift_amount_exceeded',
})
