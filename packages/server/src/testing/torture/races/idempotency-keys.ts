import { deepEqual, equal } from 'node:assert/strict'
import { amountOff } from '../../checkout-load/codes-and-cards.ts'
import { made, type Reply } from '../../checkout-load/shop.ts'
import { scaled } from '../../scale.ts'
import {
  concurrently,
  countByOutcome,
  newCode,
  type Races,
  redeem,
  redeemedQuantity,
  redemptionOf,
  retryUntilDecided,
} from './race.ts'

const times = scaled(20, 8)

export const idempotencyKeys: Races = {
  async [`sent ${times} times concurrently to both nodes has one effect and one response`](shop) {
    await newCode(shop, 'KEPT')
    const replies = await concurrently(times, () => redeem(shop, redemptionOf('KEPT'), { key: 'KEPT' }))
    deepEqual(countByOutcome(replies), { '200': times })
    expectOneAnswer(replies)
    equal(await redeemedQuantity(shop, 'KEPT'), 1)
  },

  async 'of a redemption without limits has one effect and one response'(shop) {
    const body = { name: 'Kept', campaign_type: 'PROMOTION', promotion: { tiers: [] } }
    const { id: campaign } = await made(shop, 'POST', '/v1/campaigns', body)
    const tier = { name: 'Tier', action: { discount: amountOff(700).discount } }
    const { id } = await made(shop, 'POST', `/v1/promotions/${campaign}/tiers`, tier)
    const asked = { redeemables: [{ object: 'promotion_tier', id }], order: { amount: 10_000 } }
    const replies = await concurrently(times, () => redeem(shop, asked, { key: 'KEPT-TIER' }))
    deepEqual(countByOutcome(replies), { '200': times })
    expectOneAnswer(replies)
    equal((await made(shop, 'GET', `/v1/promotions/tiers/${id}`)).summary.redemptions.total_redeemed, 1)
  },

  async 'of a failed redemption: the failure is stored once and replayed'(shop) {
    await newCode(shop, 'REFUSED', { active: false })
    const replies = await concurrently(times, () => redeem(shop, redemptionOf('REFUSED'), { key: 'REFUSED' }))
    deepEqual(countByOutcome(replies), { '400 voucher_disabled': times })
    expectOneAnswer(replies)
    const listed = await made(shop, 'GET', '/v1/redemptions?filters[voucher_code][conditions][$is]=REFUSED')
    equal(listed.total, 1)
  },

  async 'of a rollback has one effect and one response'(shop) {
    await newCode(shop, 'KEPT-BACK')
    const { id } = (await redeem(shop, redemptionOf('KEPT-BACK'))).body.redemptions[0]
    const replies = await concurrently(times, () =>
      retryUntilDecided(() => shop.call('POST', `/v1/redemptions/${id}/rollback`, {}, { key: 'KEPT-BACK' })),
    )
    deepEqual(countByOutcome(replies), { '200': times })
    expectOneAnswer(replies)
    equal(await redeemedQuantity(shop, 'KEPT-BACK'), 0)
  },
}

/** Expects the same response for all, replayed for all but one. */
function expectOneAnswer(replies: readonly Reply[]): void {
  equal(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size, 1)
  equal(replies.filter(({ is_replay }) => !is_replay).length, 1)
}
