import { deepEqual, equal, partialDeepStrictEqual } from 'node:assert/strict'
import { amountOff, newCodes } from '../../checkout-load/codes-and-cards.ts'
import { made } from '../../checkout-load/shop.ts'
import { scaled } from '../../scale.ts'
import { concurrently, countByOutcome, type Races, redeem, redemptionOf, retryUntilDecided } from './race.ts'

const codesCount = scaled(20, 5)

export const orders: Races = {
  async [`with ${codesCount} concurrent redemptions by its source id is stored once and has them all`](shop) {
    await newCodes(shop, 'PART', codesCount, amountOff(100))
    const order = { source_id: 'TOGETHER', amount: 10_000 }
    const customer = { source_id: 'BUYER' }
    const replies = await concurrently(codesCount, (index) =>
      redeem(shop, redemptionOf(`PART-${index}`, { order, customer })),
    )
    deepEqual(countByOutcome(replies), { '200': codesCount })
    equal(new Set(replies.map(({ body }) => body.order.id)).size, 1)
    const stored = await made(shop, 'GET', '/v1/orders/TOGETHER')
    partialDeepStrictEqual(stored, {
      amount: 10_000,
      discount_amount: 100 * codesCount,
      total_amount: 10_000 - 100 * codesCount,
      status: 'PAID',
    })
    const answered = replies.map(({ body }) => body.redemptions[0].id as string)
    deepEqual(Object.keys(stored.redemptions).sort(), answered.sort())
    // Each redemption saw the discounts of those before it.
    const discounts = replies.map(({ body }) => body.order.discount_amount as number)
    deepEqual(
      discounts.sort((a, b) => a - b),
      Array.from({ length: codesCount }, (_, index) => (index + 1) * 100),
    )
    partialDeepStrictEqual((await made(shop, 'GET', '/v1/customers/BUYER')).summary, {
      redemptions: { total_succeeded: codesCount },
      orders: { total_count: 1, total_amount: 10_000 },
    })
  },

  async 'with concurrent redemptions and rollbacks by its id has the discounts of the remaining redemptions'(shop) {
    await newCodes(shop, 'CHANGED', codesCount, amountOff(100))
    const order = { source_id: 'CHANGING', amount: 10_000 }
    const before = await concurrently(codesCount, (index) => redeem(shop, redemptionOf(`CHANGED-${index}`, { order })))
    const { id } = before[0]?.body.order ?? {}
    const replies = await concurrently(2 * codesCount, (index) => {
      const number = Math.floor(index / 2)
      return index % 2 === 0
        ? redeem(shop, redemptionOf(`CHANGED-${number}`, { order: { id } }))
        : retryUntilDecided(() =>
            shop.call('POST', `/v1/redemptions/${before[number]?.body.redemptions[0].id}/rollback`, {}),
          )
    })
    deepEqual(countByOutcome(replies), { '200': 2 * codesCount })
    const stored = await made(shop, 'GET', `/v1/orders/${id}`)
    partialDeepStrictEqual(stored, {
      amount: 10_000,
      discount_amount: 100 * codesCount,
      total_amount: 10_000 - 100 * codesCount,
    })
    const entries = Object.values(stored.redemptions as Record<string, { rollback_id?: string }>)
    equal(entries.length, 2 * codesCount)
    equal(entries.filter(({ rollback_id }) => rollback_id !== undefined).length, codesCount)
  },
}
