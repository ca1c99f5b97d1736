import { deepEqual, equal } from 'node:assert/strict'
import { made } from '../../checkout-load/shop.ts'
import { scaled } from '../../scale.ts'
import {
  concurrently,
  countByOutcome,
  newCode,
  type Races,
  redeem,
  redeemedQuantity,
  redemptionOf,
  voucher,
} from './race.ts'

const quantity = scaled(100, 3)

export const codes: Races = {
  async [`with quantity ${quantity}, requested ${10 * quantity} times concurrently, is redeemed ${quantity} times`](
    shop,
  ) {
    await newCode(shop, 'TENTH', { redemption: { quantity } })
    const replies = await concurrently(10 * quantity, () => redeem(shop, redemptionOf('TENTH')))
    deepEqual(countByOutcome(replies), { '200': quantity, '400 quantity_exceeded': 9 * quantity })
    equal(await redeemedQuantity(shop, 'TENTH'), quantity)
    const ofCode = 'filters[voucher_code][conditions][$is]=TENTH'
    const { total, redemptions } = await made(shop, 'GET', `/v1/redemptions?limit=100&result=SUCCESS&${ofCode}`)
    const listed = redemptions.map(({ id }: { id: string }) => id)
    const answered = replies.filter(({ status }) => status === 200).map(({ body }) => body.redemptions[0].id)
    equal(total, quantity)
    deepEqual(listed.sort(), answered.sort())
    equal((await made(shop, 'GET', `/v1/redemptions?limit=1&result=FAILURE&${ofCode}`)).total, 9 * quantity)
  },

  async 'example 41: with quantity 3, requested 10 times concurrently, is redeemed 3 times'(shop) {
    await newCode(shop, 'THREE', { redemption: { quantity: 3 } })
    const replies = await concurrently(10, () => redeem(shop, redemptionOf('THREE')))
    deepEqual(countByOutcome(replies), { '200': 3, '400 quantity_exceeded': 7 })
    equal(await redeemedQuantity(shop, 'THREE'), 3)
  },

  async 'stacked with another code: both are redeemed or neither'(shop) {
    await newCode(shop, 'SCARCE', { redemption: { quantity: 4 } })
    await newCode(shop, 'COMMON')
    const both = { redeemables: [voucher('COMMON'), voucher('SCARCE')], order: { amount: 10_000 } }
    const count = scaled(30, 8)
    const replies = await concurrently(count, () => redeem(shop, both))
    deepEqual(countByOutcome(replies), { '200': 4, '400 quantity_exceeded': count - 4 })
    deepEqual([await redeemedQuantity(shop, 'SCARCE'), await redeemedQuantity(shop, 'COMMON')], [4, 4])
  },
}
