import { expect, test } from 'vitest'
import { newProject } from '../../testing/app.ts'
import { newCampaign } from '../../testing/campaigns.ts'
import { rollBack } from '../../testing/checkout.ts'
import {
  addPoints,
  assign,
  emittedEvents,
  fixed,
  inDays,
  newEarningRules,
  newEventSchema,
  newLoyaltyReward,
  newMaterial,
  newMember,
  newProgram,
  newTiers,
  payOrder,
  pendingOf,
  redeemedReward,
  runDailyLoyaltyJob,
  runSegments,
  runUntil,
  sendEvent,
  type Told,
  tierLasting,
  transactions,
} from '../../testing/loyalty.ts'
import { ok } from '../../testing/orders.ts'

/*
 * Events about points, tiers and rewards: docs/reference/loyalty-cards.md#transactions and
 * docs/reference/loyalty-programs.md#events; docs/reference/events.md#types and
 * docs/reference/events.md#what-webhook-types-carry.
 */

// biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
type Body = any

const memberFacts = ['campaign', 'created_at', 'customer']
const transactionFacts = [
  'balance',
  'campaign',
  'custom_event',
  'destination_voucher',
  'earning_rule',
  'event',
  'holder',
  'holder_loyalty_tier',
  'loyalty_tier',
  'order',
  'redemption',
  'reward',
  'rollback',
  'segment',
  'source_voucher',
  'transaction',
  'voucher',
]
const pendingFacts = ['campaign', 'customer', 'order', 'pending_points', 'voucher']
const rewardRedemption = [
  'balance',
  'campaign',
  'customer',
  'holder',
  'reward',
  'reward_assignment',
  'reward_redemption',
  'source',
  'voucher',
]
const pointsAdded = ['balance', 'campaign', 'customer', 'transaction', 'voucher']
const pointsExpired = ['buckets', 'campaign', 'customer', 'points', 'transaction', 'voucher']
const changed = [...pendingFacts, 'voucher_pending_points_balance'].sort()
const activated = [...pendingFacts, 'balance', 'transaction'].sort()

/** The members of each payload, and the category of the event. */
const payloads: Record<string, ['ACTION' | 'EFFECT', string[]]> = {
  'customer.loyalty.tier.joined': ['EFFECT', [...memberFacts, 'loyalty_tier']],
  'customer.loyalty.tier.left': ['EFFECT', [...memberFacts, 'loyalty_tier']],
  'customer.loyalty.tier.prolonged': ['EFFECT', [...memberFacts, 'loyalty_tier']],
  'customer.loyalty.tier.upgraded': ['EFFECT', [...memberFacts, 'loyalty_tier_from', 'loyalty_tier_to']],
  'customer.loyalty.tier.downgraded': ['EFFECT', [...memberFacts, 'loyalty_tier_from', 'loyalty_tier_to']],
  'customer.loyalty.tier.expiration.changed': ['EFFECT', [...memberFacts, 'expiration_date', 'loyalty_tier']],
  'customer.loyalty.updated': ['EFFECT', [...memberFacts, 'loyalty']],
  'customer.rewarded.loyalty_points': [
    'EFFECT',
    [
      'balance',
      'campaign',
      'customer',
      'earning_rule',
      'event',
      'holder',
      'loyalty_tier',
      'order',
      'publication',
      'voucher',
    ],
  ],
  'customer.rewarded': [
    'EFFECT',
    [
      'balance',
      'campaign',
      'custom_event',
      'customer',
      'customer_event',
      'holder',
      'redemption',
      'referral_tier',
      'reward',
      'voucher',
    ],
  ],
  'customer.reward_redemptions.created': ['ACTION', rewardRedemption],
  'customer.reward_redemptions.pending': ['EFFECT', rewardRedemption],
  'customer.reward_redemptions.rolledback': ['EFFECT', rewardRedemption],
  'customer.reward_redemptions.completed': ['EFFECT', [...rewardRedemption, 'publication'].sort()],
  'voucher.loyalty_card.transaction.created': ['EFFECT', transactionFacts],
  'voucher.loyalty_card.points_added': ['EFFECT', pointsAdded],
  'customer.voucher.loyalty_card.points_added': ['EFFECT', pointsAdded],
  'voucher.loyalty_card.points_expired': ['EFFECT', pointsExpired],
  'customer.voucher.loyalty_card.points_expired': ['EFFECT', pointsExpired],
  'customer.voucher.loyalty_card.points_transferred': [
    'ACTION',
    [...pointsAdded, 'destination_voucher', 'source_voucher'].sort(),
  ],
  ...Object.fromEntries(
    ['voucher', 'customer.voucher'].flatMap((prefix) => [
      ...['added', 'updated', 'canceled'].map((word) => [
        `${prefix}.loyalty_card.pending_points.${word}`,
        ['EFFECT', changed],
      ]),
      [`${prefix}.loyalty_card.pending_points.activated`, ['EFFECT', activated]],
    ]),
  ),
}

/** Causes every event of a card at least once. */
async function newHistory() {
  const shop = await newProject()
  shop.service.clock.set('2025-03-06T10:00:00.000Z')
  const schema = await newEventSchema(shop, 'visit')
  const program = await newProgram(shop)
  const filter = { junction: 'and', name: { conditions: { $is: ['VIP'] } } }
  const segment = await ok(shop, 'POST', '/v1/segments', { name: 'VIPs', type: 'auto-update', filter })
  await runSegments(shop)
  const [byOrder, , byEvent, bySegment] = await newEarningRules(
    shop,
    program,
    fixed(40, { source: { banner: 'Order' } }),
    fixed(9, inDays(2)),
    { ...fixed(5), event: 'visit', custom_event: { schema_id: schema.id } },
    { ...fixed(3), event: 'customer.segment.entered', segment: { id: segment.id } },
  )
  const double = { earning_rules: { [byOrder.id]: { type: 'MULTIPLY', multiplier: 2 } } }
  const tiers = await newTiers(shop, program, { Bronze: [0, 99], Silver: [100] }, { Bronze: double })
  const coupons = await newCampaign(shop, 'Coupons', { type: 'AUTO_UPDATE' })
  const coupon = await newLoyaltyReward(shop, { campaign: { id: coupons.id } })
  const mug = await newMaterial(shop)
  await assign(shop, program, coupon, 10)
  await assign(shop, program, mug, 10)
  const ann = await newMember(shop, program, 'ann')
  const bob = await newMember(shop, program, 'bob')

  const order = await payOrder(shop, 'ann', { source_id: 'shop-1' }) // 80 points, 9 pending
  await addPoints(shop, ann.code, 100, {
    expiration_type: 'CUSTOM_DATE',
    expiration_date: '2025-03-10',
    reason: 'sorry',
    source_id: 'by-hand',
  })
  await sendEvent(shop, 'visit', 'ann')
  await ok(shop, 'POST', '/v1/customers', { source_id: 'ann', name: 'VIP' })
  await runSegments(shop)
  await redeemedReward(shop, ann.code, { id: coupon.id })
  const { id: redemptionId } = await redeemedReward(shop, ann.code, { id: mug.id })
  const rollback = await rollBack(shop, redemptionId)
  await addPoints(shop, ann.code, -1)
  await ok(shop, 'POST', `/v1/loyalties/${program.id}/members/${bob.code}/transfers`, [{ code: ann.code, points: 2 }])
  const [entry] = await pendingOf(shop, ann.code)
  await ok(shop, 'POST', `/v1/loyalties/members/${ann.code}/pending-points/${entry.id}/balance`, { points: 1 })
  await payOrder(shop, 'bob')
  const [other] = await pendingOf(shop, bob.code)
  await shop.call('POST', `/v1/loyalties/members/${bob.code}/pending-points/${other.id}/cancel`)
  await runUntil(shop, '2025-03-12T00:00:00.000Z') // 10 points are activated, the rest of the 100 expires, and 98 are too few for Silver
  return {
    shop,
    program,
    ann,
    bob,
    order,
    entry,
    tiers,
    segment,
    schema,
    mug,
    coupon,
    redemption_id: redemptionId,
    rollback_id: rollback.body?.id as string,
    rules: { by_order: byOrder, by_event: byEvent, by_segment: bySegment },
  }
}

let cachedHistory: ReturnType<typeof newHistory> | undefined
/** Shared by all tests of this file: none of them changes it. */
const sharedHistory = () => (cachedHistory ??= newHistory())

test('every event has exactly the expected members', async () => {
  const { shop } = await sharedHistory()
  const all = await emittedEvents(shop)
  const seen = new Set<string>()
  for (const { type, category, data } of all) {
    const expected = payloads[type]
    if (expected === undefined) continue
    seen.add(type)
    expect({ type, category, members: Object.keys(data).sort() }).toEqual({
      type,
      category: expected[0],
      members: expected[1].toSorted(),
    })
  }
  const elsewhere = ['left', 'prolonged', 'expiration.changed'].map((word) => `customer.loyalty.tier.${word}`)
  expect(Object.keys(payloads).filter((type) => !seen.has(type) && !elsewhere.includes(type))).toEqual([])
})

test('tiers that end, are prolonged or get a new date emit events', async () => {
  const shop = await newProject()
  shop.service.clock.set('2025-03-06T10:00:00.000Z')
  const program = await newProgram(shop, tierLasting('P1M'))
  const { Silver } = await newTiers(shop, program, { Silver: [100] })
  const { code } = await newMember(shop, program, 'ann')
  await addPoints(shop, code, 100)
  await runUntil(shop, '2025-04-07T00:00:00.000Z')
  await ok(shop, 'PUT', `/v1/loyalties/${program.id}`, { ...tierLasting('P2M'), options: { recalculate_tiers: true } })
  await runDailyLoyaltyJob(shop)
  await addPoints(shop, code, -100)
  await runUntil(shop, '2025-09-01T00:00:00.000Z')
  const turns = await emittedEvents(shop, 'customer.loyalty.tier.%')
  expect(turns.map(({ type }) => type.slice('customer.loyalty.tier.'.length))).toEqual([
    'joined',
    'prolonged',
    'expiration.changed',
    'left',
  ])
  for (const { type, data, category } of turns) {
    expect([category, Object.keys(data).sort()]).toEqual([payloads[type]?.[0], payloads[type]?.[1].toSorted()])
    expect(data).toMatchObject({
      customer: { source_id: 'ann' },
      campaign: { id: program.id },
      loyalty_tier: { id: Silver.id },
    })
  }
  expect(turns[0]?.data.loyalty_tier.expiration).toMatchObject({
    tier_id: Silver.id,
    start_date: '2025-03-06',
    expiration_date: '2025-04-06',
  })
})

test('a paid order emits the events of its consequences in order', async () => {
  const shop = await newProject()
  const program = await newProgram(shop)
  await newEarningRules(shop, program, fixed(100), fixed(5, inDays(1)))
  await newTiers(shop, program, { Silver: [100] })
  await newMember(shop, program, 'ann')
  const before = (await emittedEvents(shop)).length
  await payOrder(shop, 'ann')
  const all = (await emittedEvents(shop)).slice(before)
  const types = all.map(({ type }) => type).filter((type) => type !== 'customer.loyalty.updated')
  expect(types).toEqual([
    'customer.order.created',
    'customer.order.paid',
    'voucher.loyalty_card.transaction.created',
    'customer.rewarded.loyalty_points',
    'voucher.loyalty_card.points_added',
    'customer.voucher.loyalty_card.points_added',
    'voucher.loyalty_card.pending_points.added',
    'customer.voucher.loyalty_card.pending_points.added',
    'customer.loyalty.tier.joined',
  ])
  expect(new Set(all.map(({ group_id }) => group_id)).size).toBe(1)
  expect((await emittedEvents(shop, 'customer.loyalty.updated')).at(-1)?.data.loyalty).toMatchObject({ points: 100 })
})

test('changes of a program emit events', async () => {
  const shop = await newProject()
  const program = await newProgram(shop)
  const [rule] = await newEarningRules(shop, program, fixed(1))
  const rules = `/v1/loyalties/${program.id}/earning-rules/${rule.id}`
  await ok(shop, 'PUT', rules, { metadata: { a: 1 } })
  await ok(shop, 'POST', `${rules}/disable`)
  await ok(shop, 'POST', `${rules}/disable`)
  await ok(shop, 'POST', `${rules}/enable`)
  await shop.call('DELETE', rules)
  const { Silver } = await newTiers(shop, program, { Silver: [100] })
  const reward = await newMaterial(shop)
  const assignment = await assign(shop, program, reward, 10)
  const rewards = `/v1/loyalties/${program.id}/rewards/${assignment.id}`
  await ok(shop, 'PUT', rewards, { parameters: { loyalty: { points: 11 } } })
  await shop.call('DELETE', rewards)
  const [ruleFacts, rewardFacts] = [
    ['campaign', 'earning_rule'],
    ['campaign', 'reward', 'reward_assignment'],
  ]
  const all = (await emittedEvents(shop, 'campaign.%')).filter(({ type }) => type.split('.').length > 2)
  expect(all.map(({ type, data }) => [type, Object.keys(data).sort()])).toEqual([
    ['campaign.earning_rule.assigned', ruleFacts],
    ['campaign.earning_rule.updated', ruleFacts],
    ['campaign.earning_rule.disabled', ruleFacts],
    ['campaign.earning_rule.enabled', ruleFacts],
    ['campaign.earning_rule.deleted', ruleFacts],
    ['campaign.loyalty_tier.created', ['campaign', 'loyalty_tier']],
    ['campaign.reward.assignment.created', rewardFacts],
    ['campaign.reward.assignment.updated', rewardFacts],
    ['campaign.reward.assignment.deleted', rewardFacts],
  ])
  for (const { category, entity_id } of all) expect([category, entity_id]).toEqual(['ACTION', program.id])
  expect(all[0]?.data.earning_rule).toEqual(rule)
  expect(all[5]?.data.loyalty_tier).toEqual(Silver)
  expect(all[7]?.data).toMatchObject({ reward, reward_assignment: { parameters: { loyalty: { points: 11 } } } })
})

/** The `details` of a card's transaction, by its type. */
const kinds: Record<string, { source: string | null; operation_type: string; details: string[]; told: string[] }> = {
  order: {
    source: 'Automation',
    operation_type: 'AUTOMATIC',
    details: ['earning_rule', 'event', 'loyalty_tier', 'order'],
    told: ['earning_rule', 'event', 'loyalty_tier', 'order'],
  },
  custom_event: {
    source: 'Automation',
    operation_type: 'AUTOMATIC',
    details: ['custom_event', 'earning_rule', 'event', 'event_schema'],
    told: ['custom_event', 'earning_rule', 'event'],
  },
  segment: {
    source: 'Automation',
    operation_type: 'AUTOMATIC',
    details: ['earning_rule', 'event', 'segment'],
    told: ['earning_rule', 'event', 'segment'],
  },
  POINTS_ADDITION: { source: null, operation_type: 'MANUAL', details: [], told: [] },
  POINTS_REMOVAL: { source: null, operation_type: 'MANUAL', details: [], told: [] },
  POINTS_REDEMPTION: {
    source: null,
    operation_type: 'MANUAL',
    details: ['redemption', 'reward'],
    told: ['redemption', 'reward'],
  },
  POINTS_REFUND: {
    source: null,
    operation_type: 'MANUAL',
    details: ['redemption', 'reward', 'rollback'],
    told: ['redemption', 'reward', 'rollback'],
  },
  POINTS_TRANSFER_OUT: {
    source: 'API',
    operation_type: 'MANUAL',
    details: ['destination_voucher'],
    told: ['destination_voucher'],
  },
  POINTS_TRANSFER_IN: {
    source: 'API',
    operation_type: 'MANUAL',
    details: ['source_voucher'],
    told: ['source_voucher'],
  },
  PENDING_POINTS_ACTIVATION: {
    source: 'Automation',
    operation_type: 'AUTOMATIC',
    details: ['earning_rule', 'event', 'order', 'pending_points'],
    told: ['earning_rule', 'event', 'order'],
  },
  POINTS_EXPIRATION: { source: 'Automation', operation_type: 'AUTOMATIC', details: [], told: [] },
}

const kindOf = ({ type, details }: Body): string =>
  type === 'POINTS_ACCRUAL' ? (['order', 'custom_event', 'segment'].find((key) => key in details) ?? '') : type

test('a transaction and its event contain what it was for', async () => {
  const { shop, ann, bob } = await sharedHistory()
  const events = await emittedEvents(shop, 'voucher.loyalty_card.transaction.created')
  const all = [...(await transactions(shop, ann.code)), ...(await transactions(shop, bob.code))]
  const seen = new Set<string>()
  for (const transaction of all) {
    const kind = kindOf(transaction)
    const expected = kinds[kind]
    seen.add(kind)
    const { balance, holder_loyalty_tier, ...details } = transaction.details
    const said = {
      kind,
      source: transaction.source,
      operation_type: balance.operation_type,
      details: Object.keys(details).sort(),
    }
    expect(said).toEqual({
      kind,
      source: expected?.source,
      operation_type: expected?.operation_type,
      details: expected?.details,
    })
    expect(holder_loyalty_tier, kind).toEqual({ id: expect.any(String), name: expect.any(String) })
    expect(Object.keys(balance).sort()).toEqual(
      ['balance', 'object', 'operation_type', 'points', 'related_object', 'total', 'type'].sort(),
    )

    const event = events.find(({ data }) => data.transaction.id === transaction.id) as Told
    expect(event, `no event of ${kind}`).toBeDefined()
    expect(event.data.transaction).toEqual(transaction)
    expect(event.data.voucher).toMatchObject({ object: 'voucher', assets: expect.anything() })
    expect(event.data.balance).toEqual(balance)
    const always = ['balance', 'campaign', 'holder', 'holder_loyalty_tier', 'transaction', 'voucher']
    const present = Object.keys(event.data).filter((key) => event.data[key] !== null && !always.includes(key))
    expect([kind, present.sort()]).toEqual([kind, expected?.told])
  }
  expect([...seen].sort()).toEqual(Object.keys(kinds).sort())
  expect(events).toHaveLength(all.length)
})

test('a transaction refers to the objects it was caused by', async () => {
  const { shop, ann, bob, order, entry, tiers, segment, schema, mug, redemption_id, rollback_id, rules } =
    await sharedHistory()
  const all = await transactions(shop, ann.code)
  const of = (kind: string) => all.find((transaction) => kindOf(transaction) === kind)
  const [paid] = await emittedEvents(shop, 'customer.order.paid')
  const bronze = { id: tiers.Bronze.id, name: 'Bronze' }
  expect(of('order').details).toMatchObject({
    order: { id: order.id, source_id: 'shop-1' },
    event: { id: paid?.id, type: 'customer.order.paid' },
    earning_rule: { id: rules.by_order.id, source: { banner: 'Order' } },
    loyalty_tier: bronze,
    holder_loyalty_tier: bronze,
    balance: { points: 80 },
  })
  const [custom] = await emittedEvents(shop, 'customer.custom_event')
  expect(of('custom_event').details).toMatchObject({
    event: { id: custom?.id, type: 'customer.custom_event' },
    custom_event: { id: custom?.data.event.id, type: 'visit' },
    event_schema: { id: schema.id, name: 'visit' },
  })
  const [entered] = await emittedEvents(shop, 'customer.segment.entered')
  expect(of('segment').details).toMatchObject({
    event: { id: entered?.id, type: 'customer.segment.entered' },
    segment: { id: segment.id, name: 'VIPs' },
  })
  expect(of('POINTS_ADDITION')).toMatchObject({ reason: 'sorry', source_id: 'by-hand' })
  expect(of('POINTS_REFUND').details).toMatchObject({
    redemption: { id: redemption_id },
    rollback: { id: rollback_id },
    reward: { id: mug.id, name: mug.name },
  })
  expect(of('PENDING_POINTS_ACTIVATION').details).toMatchObject({
    pending_points: { id: entry.id, points: 10 },
    order: { id: order.id, source_id: 'shop-1' },
    event: { id: paid?.id, type: 'customer.order.paid' },
  })
  expect(of('POINTS_TRANSFER_OUT').details.destination_voucher).toMatchObject({ id: bob.id, object: 'voucher' })
})

test('events of earned points contain their event, rule and order', async () => {
  const { shop, ann, rules, order, tiers } = await sharedHistory()
  const rewarded = await emittedEvents(shop, 'customer.rewarded.loyalty_points')
  const [paid] = await emittedEvents(shop, 'customer.order.paid')
  const [first, byEvent] = rewarded
  expect(first).toMatchObject({
    entity_id: ann.holder_id,
    group_id: paid?.group_id,
    data: {
      earning_rule: { id: rules.by_order.id, object: 'earning_rule', loyalty: { type: 'FIXED', points: 40 } },
      balance: { points: 80, operation_type: 'AUTOMATIC' },
      order: { id: order.id },
      loyalty_tier: { id: tiers.Bronze.id },
      event: { id: paid?.id, type: 'customer.order.paid', category: 'EFFECT', entity_id: ann.holder_id },
      publication: null,
    },
  })
  expect(Object.keys(first?.data.event).sort()).toEqual([
    'category',
    'created_at',
    'entity_id',
    'group_id',
    'id',
    'type',
  ])
  expect(byEvent?.data).toMatchObject({ earning_rule: { id: rules.by_event.id }, order: null, publication: null })
})

test('redeemed rewards emit events', async () => {
  const { shop, mug, coupon, redemption_id } = await sharedHistory()
  const rewarded = await emittedEvents(shop, 'customer.rewarded')
  expect(rewarded.map(({ data }) => data)).toMatchObject([
    { reward: { id: coupon.id, voucher: { campaign: 'Coupons' } }, referral_tier: null, balance: null },
    {
      reward: { id: mug.id, voucher: null, product: { object: 'product' }, sku: null, loyalty_tier_id: null },
      redemption: { id: redemption_id },
      custom_event: null,
      customer_event: null,
    },
  ])
  const redemptions = await emittedEvents(shop, 'customer.reward_redemptions.%')
  expect(
    redemptions.map(({ type, data }) => [type.slice('customer.reward_redemptions.'.length), data.reward.id]),
  ).toEqual([
    ['created', coupon.id],
    ['completed', coupon.id],
    ['created', mug.id],
    ['pending', mug.id],
    ['rolledback', mug.id],
  ])
  expect(redemptions[1]?.data.publication).toMatchObject({ object: 'publication', result: 'SUCCESS' })
  expect(redemptions[2]?.data).toMatchObject({
    source: { id: redemption_id, type: 'redemption' },
    balance: null,
    reward_redemption: { source_id: redemption_id, source_type: 'redemption', state: 'CREATED' },
  })
})

test('the activity of a member contains the events of the card', async () => {
  const { shop, program, ann } = await sharedHistory()
  const path = `members/${ann.code}/activity?limit=100&order=created_at`
  const activity = await ok(shop, 'GET', `/v1/loyalties/${path}`)
  expect(await ok(shop, 'GET', `/v1/loyalties/${program.id}/${path}`)).toEqual(activity)
  const types = new Set(activity.data.map(({ type }: Body) => type))
  for (const type of [
    'customer.loyalty.tier.joined',
    'customer.loyalty.tier.upgraded',
    'customer.publication.succeeded',
    'customer.redemption.succeeded',
    'customer.redemption.rollback.succeeded',
    'customer.rewarded',
    'customer.rewarded.loyalty_points',
    'customer.reward_redemptions.created',
    'customer.voucher.loyalty_card.points_added',
    'customer.voucher.loyalty_card.points_expired',
    'customer.voucher.loyalty_card.points_transferred',
    'customer.voucher.loyalty_card.pending_points.added',
    'customer.voucher.loyalty_card.pending_points.updated',
    'customer.voucher.loyalty_card.pending_points.activated',
  ])
    expect([...types]).toContain(type)
  for (const hidden of ['customer.order.paid', 'customer.created', 'voucher.loyalty_card.transaction.created'])
    expect([...types]).not.toContain(hidden)
  for (const one of activity.data) {
    expect(Object.keys(one).sort()).toEqual(['created_at', 'data', 'group_id', 'id', 'type'])
    expect(Object.keys(one.data).sort()).toEqual(['data', 'event_source'])
  }
})
