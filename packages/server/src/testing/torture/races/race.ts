import { amountOff } from '../../checkout-load/codes-and-cards.ts'
import { made, pause, type Reply, type Shop } from '../../checkout-load/shop.ts'

/**
 * Races by the guarantee they check. Each creates its own fixtures, under names that no other race of its shop uses, and fails
 * with an assertion error, so it runs with or without a test runner.
 */
export type Races = Record<string, (shop: Shop) => Promise<void>>

export const concurrently = (count: number, call: (index: number) => Promise<Reply>): Promise<Reply[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => call(index)))

export const redeem = (shop: Shop, body: object, options: { key?: string } = {}): Promise<Reply> =>
  retryUntilDecided(() => shop.call('POST', '/v1/redemptions', body, options))

/** Retries while the answer is a conflict: on a slow machine a request that queues behind hundreds times out undecided. */
export async function retryUntilDecided(call: () => Promise<Reply>): Promise<Reply> {
  for (let tries = 1; ; tries += 1) {
    const reply = await call()
    if (!['multiple_requests', 'idempotency_key_in_progress'].includes(reply.body?.key) || tries === 100) return reply
    await pause(100)
  }
}

export const voucher = (id: string, more: object = {}) => ({ object: 'voucher', id, ...more })

/** The body of a redemption of one code, for an order of 100.00. */
export const redemptionOf = (id: string, more: object = {}) => ({
  redeemables: [voucher(id)],
  order: { amount: 10_000 },
  ...more,
})

/** The number of responses by outcome: `{ '200': 3, '400 quantity_exceeded': 7 }`. */
export function countByOutcome(replies: readonly Reply[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status, body } of replies) {
    const name = status === 200 ? '200' : `${status} ${body?.key}`
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

/** Creates a code for 7.00 off. */
export const newCode = (shop: Shop, code: string, more: object = {}) =>
  made(shop, 'POST', `/v1/vouchers/${code}`, { ...amountOff(700), ...more })

export const newGiftCard = (shop: Shop, code: string, amount: number) =>
  made(shop, 'POST', `/v1/vouchers/${code}`, { type: 'GIFT_VOUCHER', gift: { amount } })

export const redeemedQuantity = async (shop: Shop, code: string): Promise<number> =>
  (await made(shop, 'GET', `/v1/vouchers/${code}`)).redemption.redeemed_quantity

export const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0)
