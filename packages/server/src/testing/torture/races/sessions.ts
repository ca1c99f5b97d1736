import { deepEqual, equal } from 'node:assert/strict'
import { made, type Reply, type Shop } from '../../checkout-load/shop.ts'
import {
  atOnce,
  counted,
  decided,
  newCode,
  newGiftCard,
  one,
  type Races,
  redeem,
  redeemedQuantity,
  voucher,
} from './race.ts'

export const sessions: Races = {
  async 'a code with quantity 5, asked for by thirty at once: five hold it, and only they redeem it'(shop) {
    await newCode(shop, 'HELD', { redemption: { quantity: 5 } })
    const replies = await atOnce(30, (index) => hold(shop, one('HELD'), `HELD-${index}`))
    deepEqual(counted(replies), { '200': 30 })
    const keys = keysOf(replies)
    equal(keys.length, 5)
    const others = (count: number) => atOnce(count, () => redeem(shop, one('HELD')))
    deepEqual(counted(await others(5)), { '400 quantity_exceeded': 5 })
    equal((await shop.call('DELETE', `/v1/vouchers/HELD/sessions/${keys[0]}`)).status, 204)
    const mine = (key: string | undefined) => redeem(shop, one('HELD', { session: { type: 'LOCK', key } }))
    deepEqual(counted(await atOnce(4, (index) => mine(keys[index + 1]))), { '200': 4 })
    deepEqual(counted(await others(4)), { '200': 1, '400 quantity_exceeded': 3 })
    equal(await redeemedQuantity(shop, 'HELD'), 5)
  },

  async 'credits of a card, asked for by thirty at once: no more are held than there are'(shop) {
    await newGiftCard(shop, 'HELD-GIFT', 1_000)
    const asked = one('HELD-GIFT', { redeemables: [voucher('HELD-GIFT', { gift: { credits: 300 } })] })
    const keys = keysOf(await atOnce(30, (index) => hold(shop, asked, `HELD-GIFT-${index}`)))
    equal(keys.length, 3)
    deepEqual(counted([await redeem(shop, asked)]), { '400 gift_amount_exceeded': 1 })
    const mine = await atOnce(3, (index) => redeem(shop, { ...asked, session: { type: 'LOCK', key: keys[index] } }))
    deepEqual(counted(mine), { '200': 3 })
    equal((await made(shop, 'GET', '/v1/vouchers/HELD-GIFT')).gift.balance, 100)
  },
}

const hold = (shop: Shop, asked: object, key: string): Promise<Reply> =>
  decided(() => shop.call('POST', '/v1/validations', { ...asked, session: { type: 'LOCK', key } }))

/** Of the sessions that got what they asked for. */
const keysOf = (replies: readonly Reply[]): string[] =>
  replies.flatMap(({ body }) => (body.valid ? [body.session.key as string] : []))
