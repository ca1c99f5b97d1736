import { Value } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { catalogue, type EventType } from '../../core/events/catalogue.ts'
import { newProject, type Shop } from '../../testing/app.ts'
import {
  assign,
  emittedEvents,
  fixed,
  newEarningRules,
  newLoyaltyReward,
  newMaterial,
  newProgram,
  newTiers,
  ofAmount,
} from '../../testing/loyalty.ts'
import { ok } from '../../testing/orders.ts'
import { expectStablePaging } from '../../testing/paging.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
type Body = any

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

async function newClub() {
  const shop = await newProject()
  const program = await newProgram(shop)
  return { shop, program, path: `/v1/loyalties/${program.id}/tiers` }
}

const namesOf = async (shop: Shop, path: string): Promise<string[]> =>
  (await ok(shop, 'GET', path)).data.map(({ name }: Body) => name)

const times = (multiplier: number | string) => ({ type: 'MULTIPLY', multiplier })
const custom = (points: number | string) => ({ type: 'CUSTOM', points })
const unavailable = { type: 'NOT_AVAILABLE' }

test('tiers are created in the order of the request, returned, and emitted', async () => {
  const { shop, program, path } = await newClub()
  const [rule] = await newEarningRules(shop, program, fixed(1))
  const [mug, cap] = [await newMaterial(shop), await newMaterial(shop)]
  const assigned = await assign(shop, program, cap, 100)
  const created = await ok(shop, 'POST', path, [
    {
      name: 'Gold',
      points: { from: 500 },
      earning_rules: { [rule.id]: { ...times(1.5), points: 7 } },
      rewards: { [mug.id]: unavailable, [assigned.id]: custom(20) },
      metadata: { color: 'gold' },
      id: 'ltr_mine',
    },
    {
      name: 'Bronze',
      points: { from: 0, to: 499 },
      earning_rules: { [rule.id]: custom(3) },
      rewards: null,
      metadata: null,
    },
  ])
  const shown = { campaign_id: program.id, created_at: instant, updated_at: null, object: 'loyalty_tier' }
  expect(created).toEqual([
    {
      ...shown,
      id: expect.stringMatching(/^ltr_[0-9A-Za-z]{24}$/),
      name: 'Gold',
      metadata: { color: 'gold' },
      points: { from: 500 },
      config: { points: { from: 500 } },
      earning_rules: { [rule.id]: times(1.5) },
      rewards: { [mug.id]: unavailable, [assigned.id]: custom(20) },
    },
    {
      ...shown,
      id: expect.stringMatching(/^ltr_/),
      name: 'Bronze',
      metadata: {},
      points: { from: 0, to: 499 },
      config: { points: { from: 0, to: 499 } },
      earning_rules: { [rule.id]: custom(3) },
      rewards: {},
    },
  ])
  for (const tier of created) expect(await ok(shop, 'GET', `${path}/${tier.id}`)).toEqual(tier)
  const events = await emittedEvents(shop, 'campaign.loyalty_tier.%')
  expect(events.map(({ type, entity_id, data }) => [type, entity_id, data.loyalty_tier])).toEqual(
    created.map((tier: Body) => ['campaign.loyalty_tier.created', program.id, tier]),
  )
  for (const { type, data } of events) expect(Value.Check(catalogue[type as EventType].data, data), type).toBe(true)
})

describe('ranges', () => {
  type Range = { from?: number | string | null; to?: number | string | null }
  const fitting: Array<[stored: Range[], added: Range[]]> = [
    [[], [{ from: 0, to: 99 }, { from: 100, to: 499 }, { from: 500 }]],
    [[], [{ from: 500 }, { from: 0, to: 10 }]],
    [[{ from: 100, to: 199 }], [{ from: 200 }, { from: 0, to: 99 }]],
    [[{ from: 100 }], [{}]],
    [[{}], [{ from: 0 }]],
    [
      [],
      [
        { from: null, to: null },
        { from: 5, to: 5 },
      ],
    ],
    [
      [],
      [
        { from: '7', to: '9' },
        { from: 10, to: null },
      ],
    ],
  ]
  test.each(fitting)('next to %j, the ranges %j are accepted', async (stored, added) => {
    const { shop, path } = await newClub()
    for (const ranges of [stored, added])
      if (ranges.length > 0)
        await ok(
          shop,
          'POST',
          path,
          ranges.map((points, n) => ({ name: `T${n}`, points })),
        )
    expect((await namesOf(shop, path)).length).toBe(stored.length + added.length)
  })

  const refused: Array<[stored: Range[], added: Range[], details: string]> = [
    [[], [{ from: 10, to: 9 }], 'Property [0].points.to must be >= 10'],
    [[], [{ from: '10', to: '9' }], 'Property [0].points.to must be >= 10'],
    [[], [{ to: 9 }], "Property [0].points should have required property 'from'"],
    [[], [{ from: -1 }], 'Property [0].points.from must be >= 0'],
    [[], [{ from: '-1' }], 'Property [0].points.from must be >= 0'],
    [[], [{ from: 1.5 }], 'Property [0].points.from must be integer,null,string'],
    [[], [{ from: 0, to: 100 }, { from: 100 }], 'Property [1].points overlaps those of tier New 0'],
    [[], [{ from: 100 }, { from: 200, to: 300 }], 'Property [1].points overlaps those of tier New 0'],
    [[], [{}, {}], 'Property [1].points overlaps those of tier New 0'],
    [
      [
        { from: 0, to: 99 },
        { from: 100, to: 199 },
      ],
      [{ from: 200 }, { from: 150, to: 160 }],
      'Property [1].points overlaps those of tier Old 1',
    ],
    [[{ from: 100 }], [{ from: 0, to: 100 }], 'Property [0].points overlaps those of tier Old 0'],
    [[{}], [{}], 'Property [0].points overlaps those of tier Old 0'],
  ]
  test.each(refused)('next to %j, the ranges %j are refused: %s', async (stored, added, details) => {
    const { shop, path } = await newClub()
    const tiers = (word: string, ranges: Range[]) => ranges.map((points, n) => ({ name: `${word} ${n}`, points }))
    if (stored.length > 0) await ok(shop, 'POST', path, tiers('Old', stored))
    const events = await emittedEvents(shop)
    expect(await shop.call('POST', path, tiers('New', added))).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload', details },
    })
    expect((await namesOf(shop, path)).length).toBe(stored.length)
    expect(await emittedEvents(shop)).toEqual(events)
  })

  test('ranges of another program do not conflict', async () => {
    const { shop, program } = await newClub()
    await newTiers(shop, program, { Gold: [0] })
    await newTiers(shop, await newProgram(shop), { Gold: [0] })
  })

  test('of concurrent requests that add the same tier, one succeeds', async () => {
    const { shop, path } = await newClub()
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => shop.call('POST', path, [{ name: 'Gold', points: { from: 100 } }])),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400])
    expect(await namesOf(shop, path)).toEqual(['Gold'])
  })
})

const badTiers: Array<[tier: object, details: string]> = [
  [{}, "Property [0] should have required property 'name'"],
  [{ name: '', points: {} }, 'Property [0].name must NOT have fewer than 1 characters'],
  [{ name: 'A' }, "Property [0] should have required property 'points'"],
  [{ name: 'A', points: null }, 'Property [0].points must be object'],
  [
    { name: 'A', points: {}, earning_rules: { ern_1: unavailable } },
    'Property [0].earning_rules.ern_1.type must be equal to one of the allowed values [ MULTIPLY, CUSTOM ]',
  ],
  [
    { name: 'A', points: {}, earning_rules: { ern_1: times(-1) } },
    'Property [0].earning_rules.ern_1.multiplier must be >= 0',
  ],
  [
    { name: 'A', points: {}, earning_rules: { ern_1: times('-1') } },
    'Property [0].earning_rules.ern_1.multiplier must be >= 0',
  ],
  [
    { name: 'A', points: {}, rewards: { rew_1: { type: 'FREE' } } },
    'Property [0].rewards.rew_1.type must be equal to one of the allowed values [ MULTIPLY, CUSTOM, NOT_AVAILABLE ]',
  ],
  [
    { name: 'A', points: {}, rewards: { rew_1: { type: 'CUSTOM' } } },
    "Property [0].rewards.rew_1 should have required property 'points'",
  ],
]
test.each(badTiers)('%j is refused: %s', async (tier, details) => {
  const { shop, path } = await newClub()
  expect(await shop.call('POST', path, [tier])).toMatchObject({
    status: 400,
    body: { key: 'invalid_payload', details },
  })
})

test('a body must be a list of up to 100 tiers; an empty one creates none', async () => {
  const { shop, path } = await newClub()
  const many = Array.from({ length: 101 }, (_, n) => ({ name: 'A', points: { from: n, to: n } }))
  for (const [body, details] of [
    [{ name: 'A', points: {} }, 'Payload must be array'],
    [many, 'Payload must NOT have more than 100 items'],
  ])
    expect(await shop.call('POST', path, body)).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload', details },
    })
  expect(await ok(shop, 'POST', path, [])).toEqual([])
  expect((await ok(shop, 'POST', path, many.slice(1))).length).toBe(100)
})

test('mappings refer to rules of the same program, and to rewards by their id or that of an assignment to it', async () => {
  const { shop, path } = await newClub()
  const other = await newProgram(shop)
  const [theirs] = await newEarningRules(shop, other, fixed(1))
  const mug = await newMaterial(shop)
  const assigned = await assign(shop, other, mug, 100)
  const unknown: Array<[more: object, resource_type: string, resource_id: string]> = [
    [{ earning_rules: { ern_none: times(1) } }, 'earning_rule', 'ern_none'],
    [{ earning_rules: { [theirs.id]: times(1) } }, 'earning_rule', theirs.id],
    [{ earning_rules: { constructor: times(1) } }, 'earning_rule', 'constructor'],
    [{ rewards: { rew_none: unavailable } }, 'reward', 'rew_none'],
    [{ rewards: { [mug.id]: unavailable, [assigned.id]: unavailable } }, 'reward', assigned.id],
  ]
  for (const [more, resourceType, resourceId] of unknown)
    expect(await shop.call('POST', path, [{ name: 'A', points: {}, ...more }])).toMatchObject({
      status: 404,
      body: { key: 'not_found', resource_type: resourceType, resource_id: resourceId },
    })
  expect(await namesOf(shop, path)).toEqual([])
})

test('numbers in mappings may be sent as strings', async () => {
  const { shop, program, path } = await newClub()
  const [rule] = await newEarningRules(shop, program, fixed(1))
  const mug = await newMaterial(shop)
  const body = {
    name: 'A',
    points: {},
    earning_rules: { [rule.id]: times('1.25') },
    rewards: { [mug.id]: custom('20') },
  }
  const [tier] = await ok(shop, 'POST', path, [body])
  expect(tier).toMatchObject({ earning_rules: { [rule.id]: times(1.25) }, rewards: { [mug.id]: custom(20) } })
})

describe('the list of tiers', () => {
  test('is ordered by rank, the open range first, unless another order is requested', async () => {
    const { shop, program, path } = await newClub()
    for (const [name, range] of [
      ['Gold', [500]],
      ['Bronze', [0, 99]],
      ['Any', []],
      ['Silver', [100, 499]],
    ] as const) {
      shop.service.clock.advance(1)
      await newTiers(shop, program, { [name]: range })
    }
    expect(await namesOf(shop, path)).toEqual(['Any', 'Bronze', 'Silver', 'Gold'])
    expect(await namesOf(shop, `${path}?limit=2`)).toEqual(['Any', 'Bronze'])
    const { data, total } = await ok(shop, 'GET', `${path}?limit=2&page=2`)
    expect([data.map(({ name }: Body) => name), total]).toEqual([['Silver', 'Gold'], 4])
    const { id } = (await ok(shop, 'GET', path)).data[1]
    expect(await namesOf(shop, `${path}?starting_after_id=${id}`)).toEqual(['Silver', 'Gold'])
    expect(await namesOf(shop, `${path}?order=created_at`)).toEqual(['Gold', 'Bronze', 'Any', 'Silver'])
    expect(await namesOf(shop, `${path}?order=-created_at`)).toEqual(['Silver', 'Any', 'Bronze', 'Gold'])
    expect(await shop.call('GET', `${path}?order=name`)).toMatchObject({
      status: 400,
      body: { key: 'invalid_query_params' },
    })
  })

  test('has stable pages in every order while tiers are added', async () => {
    const { shop, path } = await newClub()
    await expectStablePaging({
      shop,
      path,
      orders: ['created_at', '-created_at', 'updated_at', '-updated_at'],
      data_ref: 'data',
      create: async (n) => (await ok(shop, 'POST', path, [{ name: `T${n}`, points: { from: n, to: n } }]))[0].id,
    })
  })
})

describe('GET …/tiers/{loyaltyTierId}/earning-rules', () => {
  const share = (points: number, more: object = {}) => ({ every: 100, points, ...more })
  const of = (loyalty: object) => ({ loyalty })
  const items = { object: 'product', id: 'prod_1' }
  const mappings: Array<[rule: object, mapping: object | null, loyalty: object]> = [
    [fixed(40), times(1.5), { type: 'FIXED', points: 60 }],
    [fixed(40), null, { type: 'FIXED', points: 40 }],
    [fixed(40), custom(7), { type: 'FIXED', points: 7 }],
    [fixed(5), times(0.5), { type: 'FIXED', points: 3 }],
    [fixed(5), times(0), { type: 'FIXED', points: 0 }],
    [
      ofAmount(100, 1),
      custom(3),
      { type: 'PROPORTIONAL', calculation_type: 'ORDER_AMOUNT', order: { amount: share(3) } },
    ],
    [
      of({
        type: 'PROPORTIONAL',
        calculation_type: 'ORDER_ITEMS_QUANTITY',
        order_items: { quantity: share(2, items) },
      }),
      times(2),
      { type: 'PROPORTIONAL', calculation_type: 'ORDER_ITEMS_QUANTITY', order_items: { quantity: share(4, items) } },
    ],
    // A factor also applies to the formula; points set by the tier replace it.
    [
      of({ type: 'FIXED', points: 4, points_formula: 'ORDER_AMOUNT' }),
      times(2),
      { type: 'FIXED', points: 8, points_formula: 'ORDER_AMOUNT' },
    ],
    [of({ type: 'FIXED', points: 4, points_formula: 'ORDER_AMOUNT' }), custom(9), { type: 'FIXED', points: 9 }],
  ]
  test('returns each rule with the mapping of the tier applied', async () => {
    const { shop, program, path } = await newClub()
    const rules = await newEarningRules(shop, program, ...mappings.map(([rule]) => rule))
    const earningRules = Object.fromEntries(
      mappings.flatMap(([, mapping], n) => (mapping === null ? [] : [[rules[n].id, mapping]])),
    )
    const { Gold } = await newTiers(shop, program, { Gold: [0] }, { Gold: { earning_rules: earningRules } })
    expect(await ok(shop, 'GET', `${path}/${Gold.id}/earning-rules?limit=100`)).toEqual({
      object: 'list',
      data_ref: 'data',
      data: mappings.map(([, , loyalty], n) => ({ ...rules[n], loyalty })),
      total: mappings.length,
    })
    const second = await ok(shop, 'GET', `${path}/${Gold.id}/earning-rules?limit=4&page=3`)
    expect(second.data.map(({ id }: Body) => id)).toEqual([rules[8].id])
  })

  test('has stable pages while rules are added', async () => {
    const { shop, program, path } = await newClub()
    const { Gold } = await newTiers(shop, program, { Gold: [0] })
    await expectStablePaging({
      shop,
      path: `${path}/${Gold.id}/earning-rules`,
      orders: ['created_at'],
      data_ref: 'data',
      create: async (n) => (await newEarningRules(shop, program, fixed(n)))[0].id,
    })
  })
})

test('example 22: a tier halves, replaces or hides the price of a reward; a mapping by assignment wins', async () => {
  const { shop, program, path } = await newClub()
  const rewards: Body[] = []
  for (let n = 0; n < 5; n += 1) rewards.push(await newMaterial(shop))
  const assigned: Body[] = []
  for (const reward of rewards) {
    shop.service.clock.advance(1)
    assigned.push(await assign(shop, program, reward, 75, { auto_redeem: false }))
  }
  const coin = await newLoyaltyReward(shop, { coin: { exchange_ratio: 3, points_ratio: 50 } })
  shop.service.clock.advance(1)
  const coinAssigned = await assign(shop, program, coin)
  const { Gold, Plain } = await newTiers(
    shop,
    program,
    { Plain: [0, 99], Gold: [100] },
    {
      Gold: {
        rewards: {
          [rewards[0].id]: times(0.5),
          [assigned[1].id]: custom(20),
          [rewards[2].id]: unavailable,
          [rewards[3].id]: unavailable,
          [assigned[3].id]: times(2),
          [coin.id]: times(0.8),
        },
      },
    },
  )
  const list = await ok(shop, 'GET', `${path}/${Gold.id}/rewards`)
  const priced = (n: number, points: number) => ({
    reward: rewards[n],
    assignment: { ...assigned[n], parameters: { loyalty: { ...assigned[n].parameters.loyalty, points } } },
    object: 'loyalty_tier_reward',
  })
  const ratio = (pointsRatio: number) => ({
    reward: { ...coin, parameters: { coin: { exchange_ratio: 3, points_ratio: pointsRatio } } },
    assignment: coinAssigned,
    object: 'loyalty_tier_reward',
  })
  expect(list).toEqual({
    object: 'list',
    data_ref: 'data',
    data: [ratio(40), priced(4, 75), priced(3, 150), priced(1, 20), priced(0, 38)],
    total: 5,
  })
  expect((await ok(shop, 'GET', `${path}/${Plain.id}/rewards`)).data).toEqual([
    ratio(50),
    ...[4, 3, 2, 1, 0].map((n) => priced(n, 75)),
  ])
})

test('returns 404 for an unknown tier and a tier of another program', async () => {
  const { shop, program, path } = await newClub()
  const { Gold } = await newTiers(shop, await newProgram(shop), { Gold: [0] })
  for (const id of ['ltr_none', Gold.id])
    for (const more of ['', '/earning-rules', '/rewards'])
      expect(await shop.call('GET', `${path}/${id}${more}`)).toMatchObject({
        status: 404,
        body: { resource_type: 'loyalty_tier', resource_id: id },
      })
  for (const more of ['', '/ltr_none', '/ltr_none/rewards'])
    expect(await shop.call('GET', `/v1/loyalties/camp_none/tiers${more}`)).toMatchObject({
      status: 404,
      body: { resource_type: 'campaign', resource_id: 'camp_none' },
    })
  expect(await ok(shop, 'GET', `/v1/loyalties/${encodeURIComponent(program.name)}/tiers`)).toMatchObject({ total: 0 })
})

test('tiers are validated by the metadata schema of loyalty tiers, and get a configuration version', async () => {
  const { shop, program, path } = await newClub()
  await ok(shop, 'POST', '/v1/metadata-schemas', {
    related_object: 'loyalty_tier',
    properties: { color: { type: 'string', array: false, optional: false } },
  })
  expect(await shop.call('POST', path, [{ name: 'A', points: {} }])).toMatchObject({
    status: 400,
    body: { key: 'metadata_validation_failed' },
  })
  await ok(shop, 'POST', path, [{ name: 'A', points: {}, metadata: { color: 'red' } }])
  const { db } = shop.service.runtime.database
  const { config_version } = await db
    .selectFrom('projects')
    .where('id', '=', shop.project_id as `proj_${string}`)
    .select('config_version')
    .executeTakeFirstOrThrow()
  const tiers = db.selectFrom('loyalty_tiers').where('project_id', '=', shop.project_id)
  expect(await tiers.where('campaign_id', '=', program.id).select('config_version').execute()).toEqual([
    { config_version },
  ])
})

test('tiers of a protected program cannot be changed', async () => {
  const { shop, program, path } = await newClub()
  await shop.service.runtime.database.db
    .updateTable('campaigns')
    .set({ protected: true })
    .where('project_id', '=', shop.project_id)
    .where('id', '=', program.id)
    .execute()
  expect(await shop.call('POST', path, [{ name: 'A', points: {} }])).toMatchObject({
    status: 400,
    body: { key: 'resource_protected' },
  })
})
