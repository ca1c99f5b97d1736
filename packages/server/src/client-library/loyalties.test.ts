import { expect, test } from 'vitest'
import { deleteVouchers } from '../incentives/campaigns/remove.ts'
import { runDailyLoyaltyJob } from '../testing/loyalty.ts'
import { clientOf } from './client.ts'

const client = clientOf('loyalties')

async function newProgram(name: string) {
  const { loyalties } = (await client()).library
  return loyalties.create({
    name,
    type: 'AUTO_UPDATE',
    voucher: {
      type: 'LOYALTY_CARD',
      loyalty_card: { points: 0, ...{ expiration_rules: { period_type: 'MONTH', period_value: 3 } } },
      code_config: { pattern: 'CARD-########' },
    },
    metadata: { country: 'PL' },
  })
}

async function newReward(name: string) {
  const { rewards, products } = (await client()).library
  const product = await products.create({ name })
  return rewards.create({ name, type: 'MATERIAL', parameters: { product: { id: product.id } } })
}

/** The library's types do not say that the answer is as long as the list that was sent. */
const pair = <T>(answers: T[]) => answers as [T, T]

test('a program is created, read, changed and deleted', async () => {
  const { library, work } = await client()
  const { loyalties } = library
  const made = await newProgram('Club & friends')
  expect(made).toMatchObject({
    id: expect.stringMatching(/^camp_/),
    name: 'Club & friends',
    campaign_type: 'LOYALTY_PROGRAM',
    type: 'AUTO_UPDATE',
    metadata: { country: 'PL' },
    object: 'campaign',
  })
  expect(await loyalties.get('Club & friends')).toMatchObject({ id: made.id })
  expect(await loyalties.update({ id: made.id, description: 'For all', metadata: { city: 'Łódź' } })).toMatchObject({
    id: made.id,
    description: 'For all',
    metadata: { country: 'PL', city: 'Łódź' },
  })
  expect(await loyalties.list({ limit: 10, page: 1 })).toMatchObject({
    object: 'list',
    data_ref: 'campaigns',
    total: 1,
    campaigns: [{ id: made.id, description: 'For all' }],
  })
  await loyalties.delete(made.id, { force: true })
  await work(deleteVouchers)
  await expect(loyalties.get(made.id)).rejects.toMatchObject({ code: 404, resource_type: 'campaign' })
})

test('earning rules are created, read, changed, enabled, disabled and deleted, and pay points', async () => {
  const { loyalties, orders } = (await client()).library
  const { id } = await newProgram('Earning')
  const [rule, other] = pair(
    await loyalties.createEarningRule(id, [
      {
        event: 'order.paid',
        loyalty: {
          type: 'PROPORTIONAL',
          calculation_type: 'ORDER_AMOUNT',
          order: { amount: { every: 100, points: 2 } },
        },
        source: { banner: 'Two per euro' },
      },
      { event: 'order.paid', loyalty: { type: 'FIXED', points: 1_000 } },
    ]),
  )
  expect(rule).toMatchObject({
    id: expect.stringMatching(/^ern_/),
    event: 'order.paid',
    loyalty: { type: 'PROPORTIONAL', order: { amount: { every: 100, points: 2 } } },
    source: { banner: 'Two per euro', object_id: id, object_type: 'campaign' },
    object: 'earning_rule',
  })
  expect(await loyalties.disableEarningRule(id, other.id)).toMatchObject({ id: other.id, active: false })
  expect(await loyalties.enableEarningRule(id, rule.id)).toMatchObject({ id: rule.id, active: true })
  const seven = { type: 'FIXED' as const, points: 7 }
  expect(await loyalties.updateEarningRule(id, { id: other.id, loyalty: seven })).toMatchObject({
    id: other.id,
    loyalty: { type: 'FIXED', points: 7 },
  })
  expect(await loyalties.getEarningRule(id, other.id)).toMatchObject({ active: false, loyalty: { points: 7 } })
  const list = await loyalties.listEarningRules(id, { limit: 10 })
  expect(list).toMatchObject({ object: 'list', data_ref: 'data', total: 2 })
  expect(list.data.map((one) => one.id).toSorted()).toEqual([rule.id, other.id].toSorted())

  const { code } = await loyalties.createMember(id, { customer: { source_id: 'earner' } })
  await orders.create({ status: 'PAID', amount: 2_550, customer: { source_id: 'earner' } })
  expect(await loyalties.getMember(id, code)).toMatchObject({ loyalty_card: { points: 50, balance: 50 } })

  await loyalties.deleteEarningRule(id, other.id)
  await expect(loyalties.getEarningRule(id, other.id)).rejects.toMatchObject({ code: 404, resource_id: other.id })
})

test('an update with only `points`, as the library sends it, changes a rule with a fixed number of points', async () => {
  const { loyalties } = (await client()).library
  const { id } = await newProgram('Fixed')
  const [rule] = pair(
    await loyalties.createEarningRule(id, [{ event: 'order.paid', loyalty: { type: 'FIXED', points: 1 } }]),
  )
  expect(await loyalties.updateEarningRule(id, { id: rule.id, loyalty: { points: 7 } })).toMatchObject({
    id: rule.id,
    loyalty: { type: 'FIXED', points: 7 },
  })
})

test('members join, get points, lose them, and transfer them to others', async () => {
  const { loyalties } = (await client()).library
  const { id } = await newProgram('Points')
  const ann = await loyalties.createMember(id, { customer: { source_id: 'ann', name: 'Ann' }, channel: 'Till' })
  expect(ann).toMatchObject({
    code: expect.stringMatching(/^CARD-.{8}$/),
    campaign: 'Points',
    campaign_id: id,
    type: 'LOYALTY_CARD',
    loyalty_card: { points: 0, balance: 0 },
  })
  const bob = await loyalties.createMember(id, { customer: { source_id: 'bob' } })
  expect(await loyalties.listMembers(id, { limit: 10, created_at: { after: '2020-01-01T00:00:00Z' } })).toMatchObject({
    object: 'list',
    data_ref: 'vouchers',
    total: 2,
  })

  expect(await loyalties.addPoints(id, ann.code, { points: 300 })).toMatchObject({
    points: 300,
    total: 300,
    balance: 300,
    type: 'loyalty_card',
    object: 'balance',
    related_object: { type: 'voucher', id: ann.id },
  })
  const removal = { points: -50, reason: 'mistake', source_id: 'till-1' }
  expect(await loyalties.addOrRemoveCardBalance(ann.code, removal)).toMatchObject({ points: -50, balance: 250 })
  const dated = { points: 10, expiration_type: 'CUSTOM_DATE' as const, expiration_date: '2099-12-31' }
  expect(await loyalties.addOrRemoveCardBalance(ann.code, dated, id)).toMatchObject({ points: 10, balance: 260 })
  // In a transfer the path names the receiving card, and the body the cards that give.
  const transfer = [{ code: ann.code, points: 60, reason: 'a present', source_id: 'gift-1' }]
  expect(await loyalties.transferPoints(id, bob.code, transfer)).toMatchObject({
    code: bob.code,
    loyalty_card: { balance: 60 },
  })
  expect(await loyalties.getMember(null, ann.code)).toMatchObject({ loyalty_card: { balance: 200 } })

  const moved = await loyalties.listCardTransactions(ann.code, id, { limit: 10, order: 'id' })
  expect(moved.data.map(({ type, details }) => [type, details.balance.points])).toEqual([
    ['POINTS_ADDITION', 300],
    ['POINTS_REMOVAL', -50],
    ['POINTS_ADDITION', 10],
    ['POINTS_TRANSFER_OUT', -60],
  ])
  expect(await loyalties.listCardTransactions(ann.code, null)).toMatchObject({ has_more: false, data: { length: 4 } })
  for (const campaign of [id, null])
    expect(
      await loyalties.exportCardTransactions(ann.code, campaign, { parameters: { fields: ['id', 'type'] } }),
    ).toMatchObject({
      status: 'SCHEDULED',
      exported_object: 'voucher_transactions',
      parameters: { fields: ['id', 'type'], filters: { voucher_id: { conditions: { $in: [ann.code] } } } },
    })
  expect(await loyalties.exportCardTransactions(ann.code, null)).toMatchObject({ status: 'SCHEDULED' })

  const expiring = await loyalties.getPointsExpiration(id, ann.code, { limit: 10, page: 1 })
  expect(expiring).toMatchObject({ object: 'list', data_ref: 'data', total: 2 })
  expect(expiring.data.reduce((sum, { bucket }) => sum + bucket.total_points, 0)).toBe(200)
  expect(expiring.data.map(({ expires_at }) => expires_at)).toContain('2099-12-31')

  for (const campaign of [id, null]) {
    const activity = await loyalties.listMemberActivity(campaign, ann.code, { limit: 50, order: 'created_at' })
    expect(activity).toMatchObject({ object: 'list', data_ref: 'data', has_more: false })
    expect(activity.data.map(({ type }) => type)).toContain('customer.voucher.loyalty_card.points_added')
    const older = await loyalties.getMemberActivities(campaign, ann.code)
    expect(older).toMatchObject({ data_ref: 'activities', total: activity.data.length })
    expect(older.activities[0]).toMatchObject({ ...activity.data.at(-1), object: 'event' })
  }
})

test('rewards are assigned for points, changed, redeemed and removed', async () => {
  const { loyalties } = (await client()).library
  const { id } = await newProgram('Rewards')
  const [mug, cup] = [await newReward('Mug'), await newReward('Cup')]
  const [offer, other] = pair(
    await loyalties.createRewardAssignments(id, [
      { reward: mug.id, parameters: { loyalty: { points: 100 } } },
      { reward: cup.id, parameters: { loyalty: { points: 900 } } },
    ]),
  )
  expect(offer).toMatchObject({
    id: expect.stringMatching(/^rewa_/),
    reward_id: mug.id,
    related_object_id: id,
    parameters: { loyalty: { points: 100 } },
    object: 'reward_assignment',
  })
  const cheaper = { id: offer.id, parameters: { loyalty: { points: 80 } } }
  expect(await loyalties.updateRewardAssignment(id, cheaper)).toMatchObject(cheaper)
  expect(await loyalties.getRewardAssignment(id, offer.id)).toMatchObject(cheaper)
  expect(await loyalties.getRewardDetails(id, offer.id)).toMatchObject({ id: mug.id, name: 'Mug', type: 'MATERIAL' })
  expect(await loyalties.listRewardAssignments(id, { limit: 10 })).toMatchObject({ object: 'list', total: 2 })

  const { code } = await loyalties.createMember(id, { customer: { source_id: 'buyer' } })
  await loyalties.addPoints(id, code, { points: 200 })
  expect(await loyalties.listMemberRewards(code, { affordable_only: true, limit: 10 })).toMatchObject({
    object: 'list',
    total: 1,
    data: [{ reward: { id: mug.id }, assignment: { id: offer.id }, object: 'loyalty_reward' }],
  })
  expect(await loyalties.redeemReward(id, code, { reward: { id: mug.id }, metadata: { till: 3 } })).toMatchObject({
    result: 'SUCCESS',
    reward: { id: mug.id, assignment_id: offer.id, type: 'MATERIAL' },
    voucher: { code, loyalty_card: { balance: 120 } },
  })
  expect(await loyalties.getMember(id, code)).toMatchObject({ loyalty_card: { points: 200, balance: 120 } })

  await loyalties.deleteRewardAssignment(id, other.id)
  expect(await loyalties.listRewardAssignments(id)).toMatchObject({ total: 1, data: [{ id: offer.id }] })
})

test('tiers are created and read, with the earning rules and rewards they change', async () => {
  const { library, shop } = await client()
  const { loyalties } = library
  const { id } = await newProgram('Tiers')
  const [rule] = pair(
    await loyalties.createEarningRule(id, [{ event: 'order.paid', loyalty: { type: 'FIXED', points: 10 } }]),
  )
  const reward = await newReward('Plate')
  const [offer] = pair(
    await loyalties.createRewardAssignments(id, [{ reward: reward.id, parameters: { loyalty: { points: 100 } } }]),
  )
  const [bronze, silver] = pair(
    await loyalties.createTiers(id, [
      { name: 'Bronze', points: { from: 0, to: 99 } },
      {
        name: 'Silver',
        points: { from: 100 },
        earning_rules: { [rule.id]: { type: 'MULTIPLY', multiplier: 3 } },
        rewards: { [offer.id]: { type: 'CUSTOM', points: 50 } },
        metadata: { color: 'grey' },
      },
    ]),
  )
  expect(silver).toMatchObject({
    id: expect.stringMatching(/^ltr_/),
    name: 'Silver',
    campaign_id: id,
    metadata: { color: 'grey' },
    object: 'loyalty_tier',
  })
  expect(await loyalties.getTier(id, bronze.id)).toMatchObject({ name: 'Bronze', points: { from: 0, to: 99 } })
  const list = await loyalties.listTiers(id, { limit: 10, order: 'created_at' })
  expect(list).toMatchObject({ object: 'list', data_ref: 'data', total: 2 })
  expect(list.data.map(({ name }) => name).toSorted()).toEqual(['Bronze', 'Silver'])
  expect(await loyalties.listLoyaltyTierEarningRules(id, silver.id, { limit: 10 })).toMatchObject({
    total: 1,
    data: [{ id: rule.id, loyalty: { type: 'FIXED', points: 30 } }],
  })
  expect(await loyalties.listLoyaltyTierRewards(id, silver.id)).toMatchObject({
    total: 1,
    data: [{ reward: { id: reward.id }, assignment: { id: offer.id }, object: 'loyalty_tier_reward' }],
  })

  const { code } = await loyalties.createMember(id, { customer: { source_id: 'climber' } })
  await loyalties.addPoints(id, code, { points: 120 })
  await runDailyLoyaltyJob(shop)
  expect(await loyalties.listMemberLoyaltyTiers(code)).toMatchObject({ total: 1, data: [{ name: 'Silver' }] })
})

test('every method of these objects was called', async () => (await client()).expectAllMethodsCalled())
