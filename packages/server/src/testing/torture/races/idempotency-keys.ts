import { deepEqual, equal } from 'node:assert/strict'
import { amountOff } from '../../checkout-load/codes-and-cards.ts'
import { made, type Reply } from '../../checkout-load/shop.ts'
import { atOnce, counted, decided, newCode, one, type Races, redeem, redeemedQuantity } from './race.ts'

export const idempotencyKeys: Races = {
  async 'sent twenty times at once to both nodes: one effect, one answer'(shop) {
    await newCode(shop, 'KEPT')
    const replies = await atOnce(20, () => redeem(shop, one('KEPT'), { key: 'KEPT' }))
    deepEqual(counted(replies), { '200': 20 })
    expectOneAnswer(replies)
    equal(await redeemedQuantity(shop, 'KEPT'), 1)
  },

  async 'of something that nothing limits: one effect, one answer'(shop) {
    const body = { name: 'Kept', campaign_type: 'PROMOTION', promotion: { tiers: [] } }
    const { id: campaign } = await made(shop, 'POST', '/v1/campaigns', body)
    const tier = { name: 'Tier', action: { discount: amountOff(700).discount } }
    const { id } = await made(shop, 'POST', `/v1/promotions/${campaign}/tiers`, tier)
    const asked = { redeemables: [{ object: 'promotion_tier', id }], order: { amount: 10_000 } }
    const replies = await atOnce(20, () => redeem(shop, asked, { key: 'KEPT-TIER' }))
    deepEqual(counted(replies), { '200': 20 })
    expectOneAnswer(replies)
    equal((await made(shop, 'GET', `/v1/promotions/tiers/${id}`)).summary.redemptions.total_redeemed, 1)
  },

  async 'of a refusal: stored once, and told again'(shop) {
    await newCode(shop, 'REFUSED', { active: false })
    const replies = await atOnce(20, () => redeem(shop, one('REFUSED'), { key: 'REFUSED' }))
    deepEqual(counted(replies), { '400 voucher_disabled': 20 })
    expectOneAnswer(replies)
    const listed = await made(shop, 'GET', '/v1/redemptions?filters[voucher_code][conditions][$is]=REFUSED')
    equal(listed.total, 1)
  },

  async 'of a rollback: one effect, one answer'(shop) {
    await newCode(shop, 'KEPT-BACK')
    const { id } = (await redeem(shop, one('KEPT-BACK'))).body.redemptions[0]
    const replies = await atOnce(20, () =>
      decided(() => shop.call('POST', `/v1/redemptions/${id}/rollback`, {}, { key: 'KEPT-BACK' })),
    )
    deepEqual(counted(replies), { '200': 20 })
    expectOneAnswer(replies)
    equal(await redeemedQuantity(shop, 'KEPT-BACK'), 0)
  },
}

/** The same for all, and for all but one from memory. */
function expectOneAnswer(replies: readonly Reply[]): void {
  equal(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size, 1)
  equal(replies.filter(({ is_replay }) => !is_replay).length, 1)
}
