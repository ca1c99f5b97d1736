import { deepEqual, equal } from 'node:assert/strict'
import { made, query, type Shop } from '../../checkout-load/shop.ts'
import { scaled } from '../../scale.ts'
import { concurrently, countByOutcome, newGiftCard, type Races, redeem, redemptionOf, sumOf, voucher } from './race.ts'

const payments = scaled(40, 12)
const paid = scaled(27, 8)
const amount = 370 * paid + 10

export const giftCards: Races = {
  async [`of ${amount} with ${payments} concurrent payments of 370 pays ${paid} of them and has 10 left`](shop) {
    await newGiftCard(shop, 'MANY-PAYMENTS', amount)
    const replies = await concurrently(payments, () => pay(shop, 'MANY-PAYMENTS', 370))
    deepEqual(countByOutcome(replies), { '200': paid, '400 gift_amount_exceeded': payments - paid })
    equal(sumOf(replies.map(({ body }) => body.redemptions?.[0].gift.amount ?? 0)), amount - 10)
    const { id, gift, redemption } = await made(shop, 'GET', '/v1/vouchers/MANY-PAYMENTS')
    deepEqual([gift.balance, redemption.redeemed_amount], [10, amount - 10])
    const { data } = await made(shop, 'GET', '/v1/vouchers/MANY-PAYMENTS/transactions?limit=100')
    const balances = data.map(({ details }: { details: { balance: { balance: number } } }) => details.balance.balance)
    deepEqual(
      balances.sort((a: number, b: number) => b - a),
      Array.from({ length: paid }, (_, index) => amount - 370 * (index + 1)),
    )
    const posted = await query(
      shop,
      `select sum(amount) as amount, count(*) as count from postings where destination = 'redeemed' and voucher_id = $1`,
      [id],
    )
    deepEqual(posted, [{ amount: amount - 10, count: paid }])
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
