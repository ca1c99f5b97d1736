import { deepEqual, equal } from 'node:assert/strict'
import { made, query, type Shop } from '../../checkout-load/shop.ts'
import { concurrently, countByOutcome, newGiftCard, type Races, redeem, redemptionOf, sumOf, voucher } from './race.ts'

export const giftCards: Races = {
  async 'of 100.00 with 40 concurrent payments of 3.70 pays 27 of them and has 0.10 left'(shop) {
    await newGiftCard(shop, 'HUNDRED-GIFT', 10_000)
    const replies = await concurrently(40, () => pay(shop, 'HUNDRED-GIFT', 370))
    deepEqual(countByOutcome(replies), { '200': 27, '400 gift_amount_exceeded': 13 })
    equal(sumOf(replies.map(({ body }) => body.redemptions?.[0].gift.amount ?? 0)), 9_990)
    const { id, gift, redemption } = await made(shop, 'GET', '/v1/vouchers/HUNDRED-GIFT')
    deepEqual([gift.balance, redemption.redeemed_amount], [10, 9_990])
    const { data } = await made(shop, 'GET', '/v1/vouchers/HUNDRED-GIFT/transactions?limit=100')
    const balances = data.map(({ details }: { details: { balance: { balance: number } } }) => details.balance.balance)
    deepEqual(
      balances.sort((a: number, b: number) => b - a),
      Array.from({ length: 27 }, (_, index) => 10_000 - 370 * (index + 1)),
    )
    const posted = await query(
      shop,
      `select sum(amount) as amount, count(*) as count from postings where destination = 'redeemed' and voucher_id = $1`,
      [id],
    )
    deepEqual(posted, [{ amount: 9_990, count: 27 }])
  },

  async 'example 42: with balance 1000 and two concurrent payments of 700 pays one and has 300 left'(shop) {
    await newGiftCard(shop, 'THOUSAND', 1_000)
    const replies = await concurrently(2, () => pay(shop, 'THOUSAND', 700))
    deepEqual(countByOutcome(replies), { '200': 1, '400 gift_amount_exceeded': 1 })
    equal((await made(shop, 'GET', '/v1/vouchers/THOUSAND')).gift.balance, 300)
  },
}

const pay = (shop: Shop, code: string, credits: number) =>
  redeem(shop, redemptionOf(code, { redeemables: [voucher(code, { gift: { credits } })] }))
