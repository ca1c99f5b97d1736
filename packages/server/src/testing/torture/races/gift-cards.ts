import { deepEqual, equal } from 'node:assert/strict'
import { made, query, type Shop } from '../../checkout-load/shop.ts'
import { atOnce, counted, newGiftCard, one, type Races, redeem, sumOf, voucher } from './race.ts'

export const giftCards: Races = {
  async 'of 100.00, forty payments of 3.70 at once: twenty-seven, and 0.10 is left'(shop) {
    await newGiftCard(shop, 'HUNDRED-GIFT', 10_000)
    const replies = await atOnce(40, () => pay(shop, 'HUNDRED-GIFT', 370))
    deepEqual(counted(replies), { '200': 27, '400 gift_amount_exceeded': 13 })
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

  async 'example 42: balance 1000, two payments of 700: one, and 300 are left'(shop) {
    await newGiftCard(shop, 'THOUSAND', 1_000)
    const replies = await atOnce(2, () => pay(shop, 'THOUSAND', 700))
    deepEqual(counted(replies), { '200': 1, '400 gift_amount_exceeded': 1 })
    equal((await made(shop, 'GET', '/v1/vouchers/THOUSAND')).gift.balance, 300)
  },
}

const pay = (shop: Shop, code: string, credits: number) =>
  redeem(shop, one(code, { redeemables: [voucher(code, { gift: { credits } })] }))
