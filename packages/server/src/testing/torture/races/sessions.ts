import { deepEqual, equal } from 'node:assert/strict'
import { made, type Reply, type Shop } from '../../checkout-load/shop.ts'
import { scaled } from '../../scale.ts'
import {
  concurrently,
  countByOutcome,
  newCode,
  newGiftCard,
  type Races,
  redeem,
  redeemedQuantity,
  redemptionOf,
  retryUntilDecided,
  voucher,
} from './race.ts'

const count = scaled(30, 8)

export const sessions: Races = {
  async [`a code with quantity 5, requested by ${count} sessions concurrently, is held by 5, and only they redeem it`](
    shop,
  ) {
    await newCode(shop, 'HELD', { redemption: { quantity: 5 } })
    const replies = await concurrently(count, (index) => hold(shop, redemptionOf('HELD'), `HELD-${index}`))
    deepEqual(countByOutcome(replies), { '200': count })
    const keys = keysOf(replies)
    equal(keys.length, 5)
    const others = (number: number) => concurrently(number, () => redeem(shop, redemptionOf('HELD')))
    deepEqual(countByOutcome(await others(5)), { '400 quantity_exceeded': 5 })
    equal((await shop.call('DELETE', `/v1/vouchers/HELD/sessions/${keys[0]}`)).status, 204)
    const mine = (key: string | undefined) => redeem(shop, redemptionOf('HELD', { session: { type: 'LOCK', key } }))
    deepEqual(countByOutcome(await concurrently(4, (index) => mine(keys[index + 1]))), { '200': 4 })
    deepEqual(countByOutcome(await others(4)), { '200': 1, '400 quantity_exceeded': 3 })
    equal(await redeemedQuantity(shop, 'HELD'), 5)
  },

  async [`credits of a card, requested by ${count} sessions concurrently, are never held beyond the balance`](shop) {
    await newGiftCard(shop, 'HELD-GIFT', 1_000)
    const asked = redemptionOf('HELD-GIFT', { redeemables: [voucher('HELD-GIFT', { gift: { credits: 300 } })] })
    const keys = keysOf(await concurrently(count, (index) => hold(shop, asked, `HELD-GIFT-${index}`)))
    equal(keys.length, 3)
    deepEqual(countByOutcome([await redeem(shop, asked)]), { '400 gift_amount_exceeded': 1 })
    const mine = await concurrently(3, (index) =>
      redeem(shop, { ...asked, session: { type: 'LOCK', key: keys[index] } }),
    )
    deepEqual(countByOutcome(mine), { '200': 3 })
    equal((await made(shop, 'GET', '/v1/vouchers/HELD-GIFT')).gift.balance, 100)
  },
}

const hold = (shop: Shop, asked: object, key: string): Promise<Reply> =>
  retryUntilDecided(() => shop.call('POST', '/v1/validations', { ...asked, session: { type: 'LOCK', key } }))

/** The keys of the sessions that hold what they requested. */
const keysOf = (replies: readonly Reply[]): string[] =>
  replies.flatMap(({ body }) => (body.valid ? [body.session.key as string] : []))
