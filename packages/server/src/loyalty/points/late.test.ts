import { expect, test } from 'vitest'
import { newProject } from '../../testing/app.ts'
import {
  addPoints,
  assign,
  emittedEvents,
  fixed,
  inDays,
  inPeriod,
  movements,
  newEarningRules,
  newLoyaltyReward,
  newMaterial,
  newMember,
  newProgram,
  newTiers,
  onDrop,
  payOrder,
  redeemedReward,
  runDailyLoyaltyJob,
} from '../../testing/loyalty.ts'
import { ok } from '../../testing/orders.ts'

/* Due changes on one card that pay on another card of the customer, when the daily job is late. */

const forADay = { expiration_rules: { period_type: 'MONTH', period_value: 0 } }

test.each(['every day', 'a month late'])(
  'points of a period count for the tier they qualify for, when the daily job runs %s',
  async (how) => {
    const shop = await newProject()
    shop.service.clock.set('2027-03-01T12:00:00.000Z')
    const [one, two] = [
      await newProgram(shop, onDrop),
      await newProgram(shop, inPeriod('MONTH', 'IMMEDIATE', 'END_OF_NEXT_PERIOD')),
    ]
    await newEarningRules(shop, one, fixed(40, { ...inDays(1), ...forADay }))
    const { Bronze } = await newTiers(shop, one, { Bronze: [0, 39], Silver: [40] })
    await newTiers(shop, two, { Low: [0, 39], High: [40] })
    const fallen = { event: 'customer.loyalty.tier.downgraded', loyalty_tier: { id: Bronze.id } }
    await newEarningRules(shop, two, { ...fallen, ...fixed(11) })
    await newMember(shop, one, 'ann')
    const { code } = await newMember(shop, two, 'ann')
    await addPoints(shop, code, 29)
    await payOrder(shop, 'ann')
    if (how === 'every day')
      for (const day of [2, 3, 4]) {
        shop.service.clock.set(`2027-03-0${day}T01:00:00.000Z`)
        await runDailyLoyaltyJob(shop)
      }
    shop.service.clock.set('2027-04-10T12:00:00.000Z')
    await runDailyLoyaltyJob(shop)
    expect(await movements(shop, code)).toEqual(['POINTS_ADDITION 29', 'POINTS_ACCRUAL 11'])
    const upgrades = (await emittedEvents(shop, 'customer.loyalty.tier.upgraded')).map(
      ({ data }) => data.loyalty_tier_to.name,
    )
    expect(upgrades).toEqual(['Silver', 'High'])
  },
)

test('using a card first applies due changes to the other cards of its holder', async () => {
  const shop = await newProject()
  shop.service.clock.set('2027-03-01T12:00:00.000Z')
  const [one, two] = [await newProgram(shop, { points: 100 }), await newProgram(shop)]
  const mug = await newMaterial(shop)
  await assign(shop, one, mug, 25)
  await newEarningRules(shop, two, fixed(30, inDays(1)))
  const points = await newLoyaltyReward(shop, { campaign: { id: one.id, balance: 15 } })
  await assign(shop, two, points, 30, { auto_redeem: true })
  const { code } = await newMember(shop, one, 'ann')
  await newMember(shop, two, 'ann')
  await payOrder(shop, 'ann')
  const { id } = await redeemedReward(shop, code, { id: mug.id })
  shop.service.clock.set('2027-03-02T12:00:00.000Z')
  await ok(shop, 'POST', `/v1/redemptions/${id}/rollback`, {})
  await payOrder(shop, 'ann')
  shop.service.clock.set('2027-03-03T12:00:00.000Z')
  await redeemedReward(shop, code, { id: mug.id })
  expect(await movements(shop, code)).toEqual([
    'POINTS_REDEMPTION -25',
    'POINTS_ADDITION 15',
    'POINTS_REFUND 25',
    'POINTS_ADDITION 15',
    'POINTS_REDEMPTION -25',
  ])
})
