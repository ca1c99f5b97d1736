import { amountOff } from '../../checkout-load/codes-and-cards.ts'
import { made, pause, type Reply, type Shop } from '../../checkout-load/shop.ts'

/**
 * Races by what they show. Each makes what it needs, by names that no other race of its shop uses, and fails with an
 * assertion: it runs in a test as well as without one.
 */
export type Races = Record<string, (shop: Shop) => Promise<void>>

export const atOnce = (count: number, call: (index: number) => Promise<Reply>): Promise<Reply[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => call(index)))

export const redeem = (shop: Shop, body: object, options: { key?: string } = {}): Promise<Reply> =>
  decided(() => shop.call('POST', '/v1/redemptions', body, options))

/** On a slow machine, who waits behind hundreds is sent away before anything is decided, and comes back. */
export async function decided(call: () => Promise<Reply>): Promise<Reply> {
  for (let tries = 1; ; tries += 1) {
    const reply = await call()
    if (!['multiple_requests', 'idempotency_key_in_progress'].includes(reply.body?.key) || tries === 100) return reply
    await pause(100)
  }
}

export const voucher = (id: string, more: object = {}) => ({ object: 'voucher', id, ...more })

/** A redemption of one code, for 100.00. */
export const one = (id: string, more: object = {}) => ({
  redeemables: [voucher(id)],
  order: { amount: 10_000 },
  ...more,
})

/** How many answers there were of each kind: `{ '200': 3, '400 quantity_exceeded': 7 }`. */
export function counted(replies: readonly Reply[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status, body } of replies) {
    const name = status === 200 ? '200' : `${status} ${body?.key}`
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

/** A code for 7.00. */
export const newCode = (shop: Shop, code: string, more: object = {}) =>
  made(shop, 'POST', `/v1/vouchers/${code}`, { ...amountOff(700), ...more })

export const newGiftCard = (shop: Shop, code: string, amount: number) =>
  made(shop, 'POST', `/v1/vouchers/${code}`, { type: 'GIFT_VOUCHER', gift: { amount } })

export const redeemedQuantity = async (shop: Shop, code: string): Promise<number> =>
  (await made(shop, 'GET', `/v1/vouchers/${code}`)).redemption.redeemed_quantity

export const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0)
