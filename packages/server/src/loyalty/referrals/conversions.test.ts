import { describe, expect, test } from 'vitest'
import { newProject, type Shop } from '../../testing/app.ts'
import { newCampaign } from '../../testing/campaigns.ts'
import {
  amountOff,
  asClient,
  newRule,
  redeem,
  redeemed,
  rollBack,
  voucher,
  vouchers,
  when,
} from '../../testing/checkout.ts'
import {
  balanceOf,
  emittedEvents,
  fixed,
  movements,
  newEarningRules,
  newEventSchema,
  newLoyaltyReward,
  newMaterial,
  newMember,
  newProgram,
  newTiers,
  sendEvent,
  tierChanges,
} from '../../testing/loyalty.ts'
import { ok } from '../../testing/orders.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
type Body = any

interface Program {
  id: string
  /** The code whose referrer is anna. */
  code: string
}

/** A program with a code of anna; redemptions convert by default. */
async function newReferral(shop: Shop, more: object = {}, referrer = 'anna'): Promise<Program> {
  const name = `Friends of ${referrer}`
  const { id } = await newCampaign(shop, name, {
    campaign_type: 'REFERRAL_PROGRAM',
    type: 'AUTO_UPDATE',
    voucher: { type: 'DISCOUNT_VOUCHER', discount: amountOff(500), redemption: { quantity: null } },
    ...more,
  })
  return { id, code: await codeOf(shop, name, referrer) }
}

const byEvent = { referral_program: { conversion_event_type: 'custom_event', custom_event: { name: 'signed_up' } } }

const codeOf = async (shop: Shop, campaign: string, sourceId: string): Promise<string> =>
  (await ok(shop, 'POST', '/v1/publications', { campaign, customer: { source_id: sourceId } })).voucher.code

/** Redeems a code for a customer; returns the redemption. */
const buy = async (shop: Shop, code: string, sourceId: string): Promise<Body> =>
  (await redeemed(shop, { redeemables: vouchers(code), order: { amount: 5_000 }, customer: { source_id: sourceId } }))
    .redemptions[0]

const customer = (shop: Shop, sourceId: string): Promise<Body> => ok(shop, 'GET', `/v1/customers/${sourceId}`)

/** How many customers a customer has referred, and how many referrers the customer has. */
const referralCountsOf = async (shop: Shop, sourceId: string): Promise<[referred: number, referrals: number]> => {
  const { loyalty, referrals } = await customer(shop, sourceId)
  return [loyalty.referred_customers, referrals.total]
}

const newReferralTier = (shop: Shop, { id }: Program, reward: { id: string }, parameters: object, banner = 'Tier') =>
  ok(shop, 'POST', `/v1/referrals/${id}/tiers`, { banner, parameters, reward: { id: reward.id } })

const each = { criteria: 'EACH_REFEREE' }
const from = (minReferees: number) => ({ criteria: 'MIN_REFEREES', min_referees: minReferees })

/** A coupon reward, and the number of its coupons that a customer has. */
async function newCoupons(shop: Shop, more: object = {}) {
  const { id } = await newCampaign(shop, 'Thanks', { type: 'AUTO_UPDATE', ...more })
  return newLoyaltyReward(shop, { campaign: { id } })
}
const couponsOf = async (shop: Shop, sourceId: string): Promise<number> =>
  (await ok(shop, 'GET', `/v1/vouchers?campaign=Thanks&customer=${sourceId}`)).vouchers.length

const newGifts = (shop: Shop) =>
  newCampaign(shop, 'Gifts', { type: 'AUTO_UPDATE', voucher: { type: 'GIFT_VOUCHER', gift: { amount: 0 } } })

/** The types of the emitted events. */
const eventTypes = async (shop: Shop, like: string): Promise<string[]> =>
  (await emittedEvents(shop, like)).map(({ type }) => type)

const rolesOf = async (shop: Shop, { code }: Program): Promise<string[]> =>
  (await ok(shop, 'GET', `/v1/referrals/members/${code}/holders?order=id`)).data.map(
    ({ holder_role }: Body) => holder_role,
  )

describe('a redemption', () => {
  test('converts the customer and emits the events', async () => {
    const shop = await newProject()
    const program = await newReferral(shop)
    const anna = await customer(shop, 'anna')
    const { id, date } = await buy(shop, program.code, 'bob')
    const bob = await customer(shop, 'bob')
    expect(bob.referrals).toEqual({
      total: 1,
      campaigns: [
        {
          campaign_id: program.id,
          referrer_id: anna.id,
          related_object_id: id,
          related_object_type: 'redemption',
          date,
        },
      ],
    })
    const loyalty = {
      points: 0,
      referred_customers: 1,
      campaigns: { 'Friends of anna': { points: 0, referred_customers: 1 } },
    }
    expect((await customer(shop, 'anna')).loyalty).toEqual(loyalty)

    expect(await emittedEvents(shop, 'customer.referred')).toMatchObject([
      {
        entity_id: bob.id,
        category: 'EFFECT',
        data: {
          customer: { source_id: 'bob' },
          referrer: { source_id: 'anna' },
          campaign: { id: program.id },
          voucher: { code: program.code, redemption: { redeemed_quantity: 1 } },
          redemption: { id, result: 'SUCCESS' },
          custom_event: null,
        },
      },
    ])
    expect(await emittedEvents(shop, 'customer.loyalty.updated')).toMatchObject([
      { entity_id: anna.id, data: { customer: { source_id: 'anna' }, campaign: { id: program.id }, loyalty } },
    ])
    const day = date.slice(0, 10)
    const summary = await ok(shop, 'GET', `/v1/campaigns/${program.id}/summary?start_date=${day}&end_date=${day}`)
    expect(JSON.stringify(summary)).toContain('"referred_customers":1')
  })

  test('converts a customer only once', async () => {
    const shop = await newProject()
    const program = await newReferral(shop)
    for (const sourceId of ['bob', 'bob', 'cleo', 'bob']) await buy(shop, program.code, sourceId)
    expect(await referralCountsOf(shop, 'anna')).toEqual([2, 0])
    expect(await referralCountsOf(shop, 'bob')).toEqual([0, 1])
    expect(await eventTypes(shop, 'customer.referred')).toHaveLength(2)
  })

  test('converts for each referrer and each program separately', async () => {
    const shop = await newProject()
    const { code } = await newReferral(shop)
    const ofDora = await codeOf(shop, 'Friends of anna', 'dora')
    await newReferral(shop, {}, 'emil')
    const elsewhere = await codeOf(shop, 'Friends of emil', 'anna')
    for (const one of [code, ofDora, elsewhere]) await buy(shop, one, 'bob')
    expect(await referralCountsOf(shop, 'anna')).toEqual([2, 0])
    expect(await referralCountsOf(shop, 'dora')).toEqual([1, 0])
    expect((await customer(shop, 'bob')).referrals).toMatchObject({ total: 3, campaigns: { length: 3 } })
  })

  test('of two codes in one request converts by both', async () => {
    const shop = await newProject()
    const { code } = await newReferral(shop)
    const ofDora = await codeOf(shop, 'Friends of anna', 'dora')
    const { redemptions } = await redeemed(shop, {
      redeemables: vouchers(code, ofDora),
      order: { amount: 5_000 },
      customer: { source_id: 'bob' },
    })
    const { referrals } = await customer(shop, 'bob')
    expect(referrals.campaigns.map((one: Body) => one.related_object_id)).toEqual(redemptions.map(({ id }: Body) => id))
    expect([await referralCountsOf(shop, 'anna'), await referralCountsOf(shop, 'dora')]).toEqual([
      [1, 0],
      [1, 0],
    ])
  })

  test.each([
    ['no customer', {}, {}],
    ['a customer in a program that converts by events', { customer: { source_id: 'bob' } }, { isByEvent: true }],
  ])('by %s does not convert', async (_, more, { isByEvent = false }: { isByEvent?: boolean }) => {
    const shop = await newProject()
    if (isByEvent) await newEventSchema(shop, 'signed_up')
    const { code } = await newReferral(shop, isByEvent ? byEvent : {})
    await redeemed(shop, { redeemables: vouchers(code), order: { amount: 5_000 }, ...more })
    expect(await referralCountsOf(shop, 'anna')).toEqual([0, 0])
    expect(await eventTypes(shop, 'customer.referred')).toEqual([])
    // The customer who redeems the code holds it in any case, and the event is emitted.
    expect(await eventTypes(shop, 'customer.holder.%')).toHaveLength(isByEvent ? 1 : 0)
  })

  test('that is refused for the customer does not convert', async () => {
    const shop = await newProject()
    const { id, code } = await newReferral(shop)
    await newRule(shop, when('customer.metadata', { $is: ['yes'] }, { property: 'new' }), { campaign: id })
    const sale = (customer: object) => redeem(shop, { redeemables: vouchers(code), order: { amount: 5_000 }, customer })
    expect(await sale({ source_id: 'bob' })).toMatchObject({ status: 400 })
    expect(await referralCountsOf(shop, 'anna')).toEqual([0, 0])
    expect(await sale({ source_id: 'bob', metadata: { new: 'yes' } })).toMatchObject({ status: 200 })
    expect(await referralCountsOf(shop, 'anna')).toEqual([1, 0])
  })

  test('emits the event of a new holder once', async () => {
    const shop = await newProject()
    const program = await newReferral(shop)
    const path = `/v1/referrals/members/${program.code}/holders`
    const { holders } = await ok(shop, 'POST', path, { holders: [{ source_id: 'cleo' }] })
    for (const sourceId of ['bob', 'bob', 'cleo']) await buy(shop, program.code, sourceId)
    expect(await emittedEvents(shop, 'customer.holder.assignment.created')).toMatchObject([
      { data: { holder: { id: holders[0].id }, customer: { source_id: 'cleo' } } },
      {
        entity_id: (await customer(shop, 'bob')).id,
        category: 'ACTION',
        data: {
          holder: { campaign_id: program.id, holder_role: 'REFEREE', publication_id: null },
          voucher: { code: program.code },
          campaign: { id: program.id },
          customer: { source_id: 'bob' },
        },
      },
    ])
    expect(await referralCountsOf(shop, 'cleo')).toEqual([0, 1]) // holding the code before did not count as being referred
  })

  test('of a code whose referrer was deleted does not convert', async () => {
    const shop = await newProject()
    const { code } = await newReferral(shop)
    expect(await shop.call('DELETE', '/v1/customers/anna')).toMatchObject({ status: 204 })
    await buy(shop, code, 'bob')
    expect(await referralCountsOf(shop, 'bob')).toEqual([0, 0])
  })
})

describe('the referee gets', () => {
  const rewarding = (type: string, id: string, amount: number) => ({
    referral_program: { referee_reward: { type, amount, related_object_parent: { id } } },
  })

  test('credits, on one card created for the referee', async () => {
    const shop = await newProject()
    const gifts = await newGifts(shop)
    const { id, code } = await newReferral(shop, rewarding('GIFT_VOUCHER', gifts.id, 700))
    const ofDora = await codeOf(shop, id, 'dora')
    for (const one of [code, code, ofDora]) await buy(shop, one, 'bob')
    const { vouchers: cards } = await ok(shop, 'GET', '/v1/vouchers?campaign=Gifts&customer=bob')
    expect(cards).toMatchObject([{ gift: { balance: 1_400 } }])
    const bob = await customer(shop, 'bob')
    expect(await emittedEvents(shop, 'customer.rewarded')).toMatchObject([
      {
        entity_id: bob.id,
        data: {
          customer: { source_id: 'bob' },
          holder: { source_id: 'anna' },
          voucher: { code },
          campaign: { id },
          redemption: { customer_id: bob.id },
          reward: null,
          referral_tier: null,
          balance: { amount: 700 },
          custom_event: null,
        },
      },
      { data: { holder: { source_id: 'dora' }, balance: { amount: 700 } } },
    ])
  })

  test('points, and the tier they qualify for', async () => {
    const shop = await newProject()
    const club = await newProgram(shop)
    await newTiers(shop, club, { Bronze: [0, 49], Silver: [50] })
    const card = await newMember(shop, club, 'bob')
    const { code } = await newReferral(shop, rewarding('LOYALTY_CARD', club.id, 60))
    await buy(shop, code, 'bob')
    expect(await movements(shop, card.code)).toEqual(['POINTS_ADDITION 60'])
    expect(await tierChanges(shop, 'bob')).toEqual(['joined Bronze', 'upgraded Bronze → Silver'])
    expect((await emittedEvents(shop, 'customer.rewarded')).map(({ data }) => data.balance)).toEqual([{ points: 60 }])
    expect((await customer(shop, 'bob')).loyalty).toMatchObject({ points: 60 })
  })

  test('no reward when none is left, and is referred all the same', async () => {
    const shop = await newProject()
    const gifts = await newCampaign(shop, 'Gifts', { voucher: { type: 'GIFT_VOUCHER', gift: { amount: 0 } } })
    const { code } = await newReferral(shop, rewarding('GIFT_VOUCHER', gifts.id, 700))
    await buy(shop, code, 'bob')
    expect(await referralCountsOf(shop, 'bob')).toEqual([0, 1])
    expect(await eventTypes(shop, 'customer.rewarded')).toEqual([])
    expect(await eventTypes(shop, 'publication.failed')).toEqual([]) // no request asked for a publication
  })
})

describe('tiers reward the referrer', () => {
  test('for each referee, and once for a number of referees', async () => {
    const shop = await newProject()
    const program = await newReferral(shop)
    await newReferralTier(shop, program, await newCoupons(shop), each)
    const gifts = await newGifts(shop)
    const gift = await newLoyaltyReward(shop, { campaign: { id: gifts.id, balance: 300 } })
    await newReferralTier(shop, program, gift, from(2), 'Two')
    const steps = [
      ['bob', 1, []],
      ['bob', 1, []],
      ['cleo', 2, [300]],
      ['dora', 3, [300]],
    ] as const
    for (const [sourceId, coupons, balances] of steps) {
      await buy(shop, program.code, sourceId)
      const { vouchers: cards } = await ok(shop, 'GET', '/v1/vouchers?campaign=Gifts&customer=anna')
      expect([await couponsOf(shop, 'anna'), cards.map(({ gift }: Body) => gift.balance)]).toEqual([coupons, balances])
    }
    const { body: shown } = await shop.call('GET', `/v1/rewards/${gift.id}`)
    expect(shown.redeemed).toBe(1)
  })

  test('and emit the events', async () => {
    const shop = await newProject()
    const program = await newReferral(shop)
    const mug = await newMaterial(shop)
    const coupon = await newCoupons(shop)
    const [first, second] = [
      await newReferralTier(shop, program, mug, each, 'Mug'),
      await newReferralTier(shop, program, coupon, each, 'Coupon'),
    ]
    const { id } = await buy(shop, program.code, 'bob')
    const anna = await customer(shop, 'anna')
    const common = {
      customer: { source_id: 'anna' },
      holder: { source_id: 'anna' },
      voucher: { code: program.code },
      campaign: { id: program.id },
    }
    const rewards = [
      { id: mug.id, assignment_id: first.reward.assignment_id, product: { name: 'Mug' }, voucher: null },
      { id: coupon.id, assignment_id: second.reward.assignment_id, voucher: { campaign: 'Thanks' }, product: null },
    ]
    expect(await emittedEvents(shop, 'customer.rewarded')).toMatchObject(
      [first, second].map((tier, n) => ({
        entity_id: anna.id,
        data: {
          ...common,
          redemption: { id },
          reward: rewards[n],
          referral_tier: { id: tier.id, campaign_id: program.id, banner: tier.banner, parameters: each },
          balance: null,
        },
      })),
    )
    const turns = await emittedEvents(shop, 'customer.reward\\_redemptions.%')
    expect(turns.map(({ type, data }) => [type.split('.')[2], data.reward_redemption.state, data.reward.id])).toEqual([
      ['created', 'CREATED', mug.id],
      ['pending', 'PENDING', mug.id],
      ['created', 'CREATED', coupon.id],
      ['completed', 'COMPLETED', coupon.id],
    ])
    expect(turns[1]?.data).toMatchObject({
      ...common,
      reward_redemption: { customer_id: anna.id, campaign_id: program.id, source_id: id, source_type: 'redemption' },
      reward_assignment: { id: first.reward.assignment_id, related_object_id: first.id },
      source: { id, type: 'redemption' },
    })
    expect(turns[3]?.data.publication).toMatchObject({ customer_id: anna.id })
    const row = turns[1]?.data.reward_redemption.id
    expect(await shop.call('POST', `/v1/rewards/${mug.id}/redemptions/${row}/complete`)).toMatchObject({ status: 200 })
  })

  test('with points, including the tier and the earnings that follow', async () => {
    const shop = await newProject()
    const club = await newProgram(shop)
    await newTiers(shop, club, { Bronze: [0, 49], Silver: [50] })
    await newEarningRules(shop, club, fixed(5, { event: 'customer.loyalty.tier.upgraded' }))
    const card = await newMember(shop, club, 'anna')
    const program = await newReferral(shop)
    const points = await newLoyaltyReward(shop, { campaign: { id: club.id, balance: 30 } })
    await newReferralTier(shop, program, points, each)
    for (const sourceId of ['bob', 'cleo']) await buy(shop, program.code, sourceId)
    expect(await movements(shop, card.code)).toEqual(['POINTS_ADDITION 30', 'POINTS_ADDITION 30', 'POINTS_ACCRUAL 5'])
    expect(await tierChanges(shop, 'anna')).toEqual(['joined Bronze', 'upgraded Bronze → Silver'])
    expect((await customer(shop, 'anna')).loyalty).toMatchObject({
      points: 65,
      referred_customers: 2,
      campaigns: { [club.name]: { points: 65, referred_customers: 0 }, 'Friends of anna': { referred_customers: 2 } },
    })
  })

  test.each([
    ['for each referee', each, 2],
    ['for a number of referees', from(2), 1],
  ])('%s only while the referrer is in the segment of the tier', async (_, criteria, granted) => {
    const shop = await newProject()
    const program = await newReferral(shop)
    const filter = { junction: 'and', 'metadata.level': { conditions: { $is: ['gold'] } } }
    const segment = await ok(shop, 'POST', '/v1/segments', { name: 'Gold', type: 'auto-update', filter })
    await newReferralTier(shop, program, await newCoupons(shop), { ...criteria, segment: { id: segment.id } })
    for (const sourceId of ['bob', 'cleo', 'dora']) await buy(shop, program.code, sourceId)
    expect(await couponsOf(shop, 'anna')).toBe(0)
    await ok(shop, 'PUT', '/v1/customers/anna', { metadata: { level: 'gold' } })
    for (const sourceId of ['emil', 'fred']) await buy(shop, program.code, sourceId)
    expect(await couponsOf(shop, 'anna')).toBe(granted)
  })

  test('not while the reward is out of stock or used up, and again once it is available', async () => {
    const shop = await newProject()
    const program = await newReferral(shop)
    const mug = await newMaterial(shop, { stock: 1 })
    const empty = await newLoyaltyReward(shop, { campaign: { id: (await newCampaign(shop, 'Empty')).id } })
    await newReferralTier(shop, program, mug, each, 'Mug')
    await newReferralTier(shop, program, empty, each, 'Empty')
    await newReferralTier(shop, program, mug, from(2), 'Two')
    const rewarded = async () =>
      (await emittedEvents(shop, 'customer.rewarded')).map(({ data }) => data.referral_tier.banner)
    for (const sourceId of ['bob', 'cleo']) await buy(shop, program.code, sourceId)
    expect(await rewarded()).toEqual(['Mug'])
    expect(await referralCountsOf(shop, 'anna')).toEqual([2, 0])
    await ok(shop, 'PUT', `/v1/rewards/${mug.id}`, { stock: 3 })
    await buy(shop, program.code, 'dora')
    expect(await rewarded()).toEqual(['Mug', 'Mug', 'Two'])
    expect(await ok(shop, 'GET', `/v1/rewards/${mug.id}`)).toMatchObject({ redeemed: 3 })
  })

  test('not by tiers of another program', async () => {
    const shop = await newProject()
    const { code } = await newReferral(shop)
    await newReferralTier(shop, await newReferral(shop, {}, 'dora'), await newCoupons(shop), each)
    await buy(shop, code, 'bob')
    expect(await couponsOf(shop, 'anna')).toBe(0)
  })
})

describe('a custom event', () => {
  async function newShop(project: Record<string, unknown> = {}) {
    const shop = await newProject({ project })
    const schema = await newEventSchema(shop, 'signed_up', { plan: { type: 'string', optional: true } })
    return { shop, schema, program: await newReferral(shop, byEvent) }
  }

  const signUp = (shop: Shop, code: string, sourceId: string, more: object = {}) =>
    sendEvent(shop, 'signed_up', sourceId, { referral: { code }, ...more })

  test('converts once, rewards both and emits the events', async () => {
    const { shop, program } = await newShop()
    const coupon = await newCoupons(shop)
    await newReferralTier(shop, program, coupon, each)
    for (const sourceId of ['bob', 'bob']) await signUp(shop, program.code, sourceId)
    const [anna, bob] = [await customer(shop, 'anna'), await customer(shop, 'bob')]
    const [sent] = await emittedEvents(shop, 'customer.custom\\_event')
    expect(bob.referrals).toMatchObject({
      total: 1,
      campaigns: [
        {
          campaign_id: program.id,
          referrer_id: anna.id,
          related_object_id: sent?.data.event.id,
          related_object_type: 'event',
        },
      ],
    })
    expect(anna.loyalty).toMatchObject({ referred_customers: 1 })
    expect(await rolesOf(shop, program)).toEqual(['REFERRER', 'REFEREE'])
    expect(await couponsOf(shop, 'anna')).toBe(1)
    expect(await emittedEvents(shop, 'customer.referred')).toMatchObject([
      { entity_id: bob.id, data: { custom_event: { id: sent?.data.event.id, type: 'signed_up' }, redemption: null } },
    ])
    expect(await emittedEvents(shop, 'customer.rewarded')).toMatchObject([
      { data: { redemption: null, custom_event: { id: sent?.data.event.id } } },
    ])
    expect(await emittedEvents(shop, 'customer.reward\\_redemptions.completed')).toMatchObject([
      { data: { source: { id: sent?.data.event.id, type: 'custom_event' } } },
    ])
    const ofFirst = (await emittedEvents(shop, 'customer.%')).filter(({ group_id }) => group_id === sent?.group_id)
    expect(ofFirst.map(({ type }) => type.slice('customer.'.length))).toEqual([
      'created',
      'custom_event',
      'holder.assignment.created',
      'referred',
      'loyalty.updated',
      'publication.succeeded',
      'rewarded',
      'reward_redemptions.created',
      'reward_redemptions.completed',
    ])
  })

  test('converts an existing holder without emitting the holder event again', async () => {
    const { shop, program } = await newShop()
    const path = `/v1/referrals/members/${program.code}/holders`
    await ok(shop, 'POST', path, { holders: [{ source_id: 'bob' }] })
    await signUp(shop, program.code, 'bob')
    expect(await referralCountsOf(shop, 'bob')).toEqual([0, 1])
    expect(await eventTypes(shop, 'customer.holder.%')).toHaveLength(1)
  })

  test('converts before it credits earnings', async () => {
    const { shop, program, schema } = await newShop()
    const club = await newProgram(shop)
    const card = await newMember(shop, club, 'bob')
    await newEarningRules(shop, club, fixed(7, { event: 'signed_up', custom_event: { schema_id: schema.id } }))
    await signUp(shop, program.code, 'bob')
    expect(await balanceOf(shop, card.code)).toBe(7)
    const order = (await eventTypes(shop, 'customer.%')).filter((type) => /referred|rewarded/.test(type))
    expect(order).toEqual(['customer.referred', 'customer.rewarded.loyalty_points'])
  })

  type Spoil = (shop: Shop, program: Program) => Promise<unknown>
  const spoilers: Array<[string, Spoil]> = [
    ['the campaign is disabled', (shop, { id }) => ok(shop, 'POST', `/v1/campaigns/${id}/disable`)],
    ['the code is disabled', (shop, { code }) => ok(shop, 'POST', `/v1/vouchers/${code}/disable`)],
    [
      'the code has expired',
      (shop, { code }) => ok(shop, 'PUT', `/v1/vouchers/${code}`, { expiration_date: '2020-01-01T00:00:00Z' }),
    ],
    [
      'the campaign has not begun',
      (shop, { id }) => ok(shop, 'PUT', `/v1/campaigns/${id}`, { start_date: '2100-01-01T00:00:00Z' }),
    ],
    [
      'the rules of the campaign do not allow it',
      (shop, { id }) =>
        newRule(shop, when('customer.metadata', { $is: ['yes'] }, { property: 'new' }), { campaign: id }),
    ],
    [
      'the rules ask for another event',
      (shop, { id }) =>
        newRule(shop, when('custom_event.metadata', { $is: ['pro'] }, { property: 'plan' }), { campaign: id }),
    ],
  ]
  test.each(spoilers)('is stored and does not convert when %s', async (_, spoil) => {
    const { shop, program } = await newShop()
    await spoil(shop, program)
    await signUp(shop, program.code, 'bob', { metadata: { plan: 'free' } })
    expect(await eventTypes(shop, 'customer.custom\\_event')).toHaveLength(1)
    expect(await referralCountsOf(shop, 'bob')).toEqual([0, 0])
    expect(await rolesOf(shop, program)).toEqual(['REFERRER'])
  })

  test('converts customers that the rules of the campaign allow', async () => {
    const { shop, program } = await newShop()
    const segment = await ok(shop, 'POST', '/v1/segments', {
      name: 'New',
      type: 'auto-update',
      filter: { junction: 'and', 'metadata.new': { conditions: { $is: ['yes'] } } },
    })
    await newRule(shop, when('customer.segment', { $is: [segment.id] }), { campaign: program.id })
    await newRule(shop, when('custom_event.metadata', { $is: ['pro'] }, { property: 'plan' }), { campaign: program.id })
    const metadata = { plan: 'pro' }
    await signUp(shop, program.code, 'bob', { metadata })
    await signUp(shop, program.code, 'cleo', { metadata, customer: { source_id: 'cleo', metadata: { new: 'yes' } } })
    expect([await referralCountsOf(shop, 'bob'), await referralCountsOf(shop, 'cleo')]).toEqual([
      [0, 0],
      [0, 1],
    ])
  })

  test.each([
    ['by the referrer', 'signed_up', 'anna'],
    ['of another schema', 'visited', 'bob'],
  ])('%s does not convert', async (_, event, sourceId) => {
    const { shop, program } = await newShop()
    await newEventSchema(shop, 'visited')
    await sendEvent(shop, event, sourceId, { referral: { code: program.code } })
    expect(await referralCountsOf(shop, sourceId)).toEqual([0, 0])
    expect(await eventTypes(shop, 'customer.referred')).toEqual([])
  })

  test('does not convert in a program that converts by redemptions', async () => {
    const { shop } = await newShop()
    const { code } = await newReferral(shop, {}, 'dora')
    await signUp(shop, code, 'bob')
    expect(await referralCountsOf(shop, 'bob')).toEqual([0, 0])
  })

  test.each([
    [false, 403, [0, 0]],
    [true, 200, [0, 1]],
  ])(
    'from the client side converts only if the project enables it: %s',
    async (clientLoyaltyEventsEnabled, status, referrals) => {
      const { shop, program } = await newShop({
        client_trusted_domains: ['shop.example'],
        client_loyalty_events_enabled: clientLoyaltyEventsEnabled,
      })
      await ok(shop, 'POST', '/v1/customers', { source_id: 'bob' })
      const body = { event: 'signed_up', customer: { source_id: 'bob' }, referral: { code: program.code } }
      expect(await asClient(shop, 'POST', '/client/v1/events', body)).toMatchObject({ status })
      expect(await referralCountsOf(shop, 'bob')).toEqual(referrals)
    },
  )
})

describe('a rollback', () => {
  const rolledBack = async (shop: Shop, { id }: { id: string }) =>
    expect(await rollBack(shop, id)).toMatchObject({ status: 200 })

  test('of the converting redemption undoes the conversion, and another redemption converts again', async () => {
    const shop = await newProject()
    const program = await newReferral(shop)
    const sale = await buy(shop, program.code, 'bob')
    await buy(shop, program.code, 'cleo')
    await rolledBack(shop, sale)
    expect(await referralCountsOf(shop, 'anna')).toEqual([1, 0])
    expect((await customer(shop, 'bob')).referrals).toEqual({ total: 0, campaigns: [] })
    expect(await referralCountsOf(shop, 'cleo')).toEqual([0, 1])
    const updates = await emittedEvents(shop, 'customer.loyalty.updated')
    expect(updates.map(({ data }) => data.loyalty.campaigns['Friends of anna'].referred_customers)).toEqual([1, 2, 1])
    expect(await rolesOf(shop, program)).toEqual(['REFERRER', 'REFEREE'])
    expect(await eventTypes(shop, 'customer.holder.assignment.deleted')).toHaveLength(1)

    await buy(shop, program.code, 'bob')
    expect([await referralCountsOf(shop, 'anna'), await referralCountsOf(shop, 'bob')]).toEqual([
      [2, 0],
      [0, 1],
    ])
  })

  test('of another redemption of the customer keeps the conversion', async () => {
    const shop = await newProject()
    const program = await newReferral(shop)
    await buy(shop, program.code, 'bob')
    await rolledBack(shop, await buy(shop, program.code, 'bob'))
    expect([await referralCountsOf(shop, 'anna'), await referralCountsOf(shop, 'bob')]).toEqual([
      [1, 0],
      [0, 1],
    ])
    expect(await rolesOf(shop, program)).toEqual(['REFERRER', 'REFEREE'])
  })

  test('of two codes in one request undoes both conversions', async () => {
    const shop = await newProject()
    const { code } = await newReferral(shop)
    const ofDora = await codeOf(shop, 'Friends of anna', 'dora')
    const { parent_redemption } = await redeemed(shop, {
      redeemables: [voucher(code), voucher(ofDora)],
      order: { amount: 5_000 },
      customer: { source_id: 'bob' },
    })
    await ok(shop, 'POST', `/v1/redemptions/${parent_redemption.id}/rollbacks`, {})
    for (const sourceId of ['anna', 'bob', 'dora']) expect(await referralCountsOf(shop, sourceId)).toEqual([0, 0])
  })

  test('keeps the customer a holder if assigned before', async () => {
    const shop = await newProject()
    const program = await newReferral(shop)
    await ok(shop, 'POST', `/v1/referrals/members/${program.code}/holders`, { holders: [{ source_id: 'bob' }] })
    await rolledBack(shop, await buy(shop, program.code, 'bob'))
    expect(await rolesOf(shop, program)).toEqual(['REFERRER', 'REFEREE'])
    expect(await referralCountsOf(shop, 'bob')).toEqual([0, 0])
  })

  test('cancels material rewards not handed over yet, and keeps issued ones', async () => {
    const shop = await newProject()
    const program = await newReferral(shop)
    const mug = await newMaterial(shop, { stock: 5 })
    await newReferralTier(shop, program, mug, each, 'Mug')
    await newReferralTier(shop, program, mug, from(1), 'First')
    await newReferralTier(shop, program, await newCoupons(shop), each, 'Coupon')
    const sale = await buy(shop, program.code, 'bob')
    const pending = await emittedEvents(shop, 'customer.reward\\_redemptions.pending')
    const [handedOver, waiting] = pending.map(({ data }) => data.reward_redemption.id)
    await ok(shop, 'POST', `/v1/rewards/${mug.id}/redemptions/${handedOver}/complete`)
    await rolledBack(shop, sale)
    expect(await emittedEvents(shop, 'customer.reward\\_redemptions.rolledback')).toMatchObject([
      {
        data: {
          customer: { source_id: 'anna' },
          voucher: { code: program.code },
          reward: { id: mug.id, product: { name: 'Mug' } },
          reward_redemption: { id: waiting, state: 'ROLLEDBACK' },
        },
      },
    ])
    expect(await ok(shop, 'GET', `/v1/rewards/${mug.id}`)).toMatchObject({ redeemed: 1 })
    expect(await couponsOf(shop, 'anna')).toBe(1)

    // A reward that was not handed over may be issued again; an issued one counts.
    await buy(shop, program.code, 'cleo')
    const rewarded = (await emittedEvents(shop, 'customer.rewarded')).map(({ data }) => data.referral_tier.banner)
    expect(rewarded).toEqual(['Mug', 'First', 'Coupon', 'Mug', 'First', 'Coupon'])
  })

  test('keeps a conversion by an event', async () => {
    const shop = await newProject()
    await newEventSchema(shop, 'signed_up')
    const program = await newReferral(shop, byEvent)
    await sendEvent(shop, 'signed_up', 'bob', { referral: { code: program.code } })
    await rolledBack(shop, await buy(shop, program.code, 'bob'))
    expect(await referralCountsOf(shop, 'bob')).toEqual([0, 1])
    expect(await rolesOf(shop, program)).toEqual(['REFERRER', 'REFEREE'])
  })

  test('after the referrer was deleted still undoes the conversion of the referee', async () => {
    const shop = await newProject()
    const { code } = await newReferral(shop)
    const sale = await buy(shop, code, 'bob')
    await shop.call('DELETE', '/v1/customers/anna')
    await rolledBack(shop, sale)
    expect(await referralCountsOf(shop, 'bob')).toEqual([0, 0])
  })
})
