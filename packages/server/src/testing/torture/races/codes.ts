import { deepEqual, equal } from 'node:assert/strict'
import { made } from '../../checkout-load/shop.ts'
import { atOnce, counted, newCode, one, type Races, redeem, redeemedQuantity, voucher } from './race.ts'

export const codes: Races = {
  async 'with quantity 100, asked for a thousand times at once: a hundred times'(shop) {
    await newCode(shop, 'HUNDRED', { redemption: { quantity: 100 } })
    const replies = await atOnce(1_000, () => redeem(shop, one('HUNDRED')))
    deepEqual(counted(replies), { '200': 100, '400 quantity_exceeded': 900 })
    equal(await redeemedQuantity(shop, 'HUNDRED'), 100)
    const ofCode = 'filters[voucher_code][conditions][$is]=HUNDRED'
    const { total, redemptions } = await made(shop, 'GET', `/v1/redemptions?limit=100&result=SUCCESS&${ofCode}`)
    const listed = redemptions.map(({ id }: { id: string }) => id)
    const answered = replies.filter(({ status }) => status === 200).map(({ body }) => body.redemptions[0].id)
    equal(total, 100)
    deepEqual(listed.sort(), answered.sort())
    equal((await made(shop, 'GET', `/v1/redemptions?limit=1&result=FAILURE&${ofCode}`)).total, 900)
  },

  async 'example 41: quantity 3, ten at once: three'(shop) {
    await newCode(shop, 'THREE', { redemption: { quantity: 3 } })
    const replies = await atOnce(10, () => redeem(shop, one('THREE')))
    deepEqual(counted(replies), { '200': 3, '400 quantity_exceeded': 7 })
    equal(await redeemedQuantity(shop, 'THREE'), 3)
  },

  async 'together with others: all of them or none'(shop) {
    await newCode(shop, 'SCARCE', { redemption: { quantity: 4 } })
    await newCode(shop, 'COMMON')
    const both = { redeemables: [voucher('COMMON'), voucher('SCARCE')], order: { amount: 10_000 } }
    const replies = await atOnce(30, () => redeem(shop, both))
    deepEqual(counted(replies), { '200': 4, '400 quantity_exceeded': 26 })
    deepEqual([await redeemedQuantity(shop, 'SCARCE'), await redeemedQuantity(shop, 'COMMON')], [4, 4])
  },
}
