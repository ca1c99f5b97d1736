import { deepEqual, equal, partialDeepStrictEqual } from 'node:assert/strict'
import { made, type Reply } from '../../checkout-load/shop.ts'
import { scaled } from '../../scale.ts'
import {
  concurrently,
  countByOutcome,
  newCode,
  newGiftCard,
  type Races,
  redeem,
  redeemedQuantity,
  voucher,
} from './race.ts'

const times = scaled(20, 6)

export const rollbacks: Races = {
  async [`of one redemption, requested ${times} times concurrently, takes effect once`](shop) {
    await newGiftCard(shop, 'BACK', 1_000)
    const customer = { source_id: 'REGRETS' }
    const redeemables = [voucher('BACK', { gift: { credits: 600 } })]
    const done = await redeem(shop, { redeemables, customer, order: { amount: 5_000 } })
    const { id } = done.body.redemptions[0]
    expectOnce(await concurrently(times, () => shop.call('POST', `/v1/redemptions/${id}/rollback`, {})))
    partialDeepStrictEqual(await made(shop, 'GET', '/v1/vouchers/BACK'), {
      gift: { balance: 1_000 },
      redemption: { redeemed_quantity: 0, redeemed_amount: 0 },
    })
    equal((await made(shop, 'GET', `/v1/redemptions/${id}`)).status, 'ROLLED_BACK')
    partialDeepStrictEqual((await made(shop, 'GET', '/v1/customers/REGRETS')).summary, {
      redemptions: { total_succeeded: 1, total_rolled_back: 1, total_rollback_succeeded: 1 },
      orders: { total_count: 0, total_amount: 0 },
    })
  },

  async [`of a stack, requested ${times} times concurrently, takes effect once`](shop) {
    await newCode(shop, 'STACKED-1', { redemption: { quantity: 1 } })
    await newCode(shop, 'STACKED-2', { redemption: { quantity: 1 } })
    const both = { redeemables: [voucher('STACKED-1'), voucher('STACKED-2')], order: { amount: 10_000 } }
    const { id } = (await redeem(shop, both)).body.parent_redemption
    expectOnce(await concurrently(times, () => shop.call('POST', `/v1/redemptions/${id}/rollbacks`, {})))
    deepEqual([await redeemedQuantity(shop, 'STACKED-1'), await redeemedQuantity(shop, 'STACKED-2')], [0, 0])
    const again = await concurrently(5, () => redeem(shop, both))
    deepEqual(countByOutcome(again), { '200': 1, '400 quantity_exceeded': 4 })
  },
}

/** Exactly one request succeeds; the others are answered that it is already rolled back or that another request is running. */
function expectOnce(replies: readonly Reply[]): void {
  const {
    '200': done,
    '400 already_rolled_back': late = 0,
    '400 multiple_requests': refused = 0,
  } = countByOutcome(replies)
  equal(done, 1)
  equal(late + refused, replies.length - 1)
}
