import { Value } from 'typebox/value'
import { beforeAll, describe, expect, test } from 'vitest'
import { catalogue, type EventType } from '../../core/events/catalogue.ts'
import { newProject, type Shop } from '../../testing/app.ts'
import {
  emittedEvents,
  fixed,
  newEarningRules,
  newEventSchema,
  newProgram,
  newTiers,
  ofAmount,
  runSegments,
} from '../../testing/loyalty.ts'
import { ok } from '../../testing/orders.ts'
import { expectStablePaging } from '../../testing/paging.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
type Body = any

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

async function newClub() {
  const shop = await newProject()
  const program = await newProgram(shop)
  return { shop, program, path: `/v1/loyalties/${program.id}/earning-rules` }
}

type Club = Awaited<ReturnType<typeof newClub>> & { segment: Body; schema: Body }

async function newClubWithSubjects(): Promise<Club> {
  const club = await newClub()
  const segment = await ok(club.shop, 'POST', '/v1/segments', { name: 'VIP', customers: [] })
  return { ...club, segment, schema: await newEventSchema(club.shop, 'review') }
}

/** For tests that look at the rules which they created, and for those of refused requests. */
let common: Club
let ruleless: Club
beforeAll(async () => {
  common = await newClubWithSubjects()
  ruleless = await newClubWithSubjects()
})

const listOfRules = async (shop: Shop, path: string): Promise<Body[]> =>
  (await ok(shop, 'GET', `${path}?limit=100`)).data

/** Points proportional to what a calculation counts. */
const proportional = (calculationType: string, group: string, member: string, more: object = {}) => ({
  type: 'PROPORTIONAL',
  calculation_type: calculationType,
  [group]: { [member]: { every: 100, points: 2, ...more } },
})

const property = { property: 'stars' }
const good = { object: 'product', id: 'prod_mug' }
const calculations: Record<string, object> = {
  FIXED: { type: 'FIXED', points: 5 },
  ORDER_AMOUNT: proportional('ORDER_AMOUNT', 'order', 'amount'),
  ORDER_TOTAL_AMOUNT: proportional('ORDER_TOTAL_AMOUNT', 'order', 'total_amount'),
  ORDER_METADATA: proportional('ORDER_METADATA', 'order', 'metadata', property),
  ORDER_ITEMS_QUANTITY: proportional('ORDER_ITEMS_QUANTITY', 'order_items', 'quantity', good),
  ORDER_ITEMS_AMOUNT: proportional('ORDER_ITEMS_AMOUNT', 'order_items', 'amount', good),
  ORDER_ITEMS_SUBTOTAL_AMOUNT: proportional('ORDER_ITEMS_SUBTOTAL_AMOUNT', 'order_items', 'subtotal_amount', good),
  CUSTOMER_METADATA: proportional('CUSTOMER_METADATA', 'customer', 'metadata', property),
  CUSTOM_EVENT_METADATA: proportional('CUSTOM_EVENT_METADATA', 'custom_event', 'metadata', property),
}

test('a rule can be created, updated, switched and deleted, and every step emits an event', async () => {
  const { shop, program, path } = await newClub()
  const rule = (await ok(shop, 'POST', '/v1/validation-rules', { name: 'Big orders' })).id
  const [created] = await newEarningRules(shop, program, {
    ...ofAmount(1000, 3),
    validation_rule_id: rule,
    pending_points: { period_type: 'DAY', period_value: 14 },
    expiration_rules: { period_type: 'MONTH', period_value: 6, rounding_type: 'END_OF_YEAR' },
    source: { banner: '3 for 10.00', object_id: 'camp_other' },
    start_date: '2026-01-01',
    expiration_date: '2027-01-01T12:00:00Z',
    validity_timeframe: { interval: 'P2D', duration: 'P1D' },
    validity_day_of_week: [1, 2],
    metadata: { team: 'growth' },
    id: 'ern_mine',
    color: 'red',
  })
  expect(created).toEqual({
    id: expect.stringMatching(/^ern_[0-9A-Za-z]{24}$/),
    created_at: instant,
    updated_at: null,
    validation_rule_id: rule,
    loyalty: { type: 'PROPORTIONAL', calculation_type: 'ORDER_AMOUNT', order: { amount: { every: 1000, points: 3 } } },
    event: 'order.paid',
    pending_points: { period_type: 'DAY', period_value: 14 },
    expiration_rules: { period_type: 'MONTH', period_value: 6, rounding_type: 'END_OF_YEAR' },
    source: { banner: '3 for 10.00', object_id: program.id, object_type: 'campaign' },
    active: true,
    start_date: '2026-01-01T00:00:00.000Z',
    expiration_date: '2027-01-01T12:00:00.000Z',
    validity_timeframe: { interval: 'P2D', duration: 'P1D' },
    validity_day_of_week: [1, 2],
    metadata: { team: 'growth' },
    automation_id: expect.stringMatching(/^auto_[0-9A-Za-z]{24}$/),
    object: 'earning_rule',
  })
  const own = `${path}/${created.id}`
  expect(await ok(shop, 'GET', own)).toEqual(created)
  expect(
    await ok(shop, 'GET', `/v1/loyalties/${encodeURIComponent(program.name)}/earning-rules/${created.id}`),
  ).toEqual(created)

  const { warnings, ...changed } = await ok(shop, 'PUT', own, {
    validation_rule_id: null,
    loyalty: { type: 'FIXED', points: 7 },
    pending_points: null,
    expiration_rules: null,
    source: { banner: null },
    start_date: '2026-02-01',
    expiration_date: null,
    validity_timeframe: null,
    metadata: { color: 'red' },
    event: 'customer.segment.entered',
    segment: { id: 'seg_none' },
  })
  expect(warnings).toHaveLength(2) // event and segment stay
  const { pending_points: _, expiration_rules: __, expiration_date: ___, validity_timeframe: ____, ...kept } = created
  expect(changed).toEqual({
    ...kept,
    updated_at: instant,
    validation_rule_id: null,
    loyalty: { type: 'FIXED', points: 7 },
    source: { object_id: program.id, object_type: 'campaign' },
    start_date: '2026-02-01T00:00:00.000Z',
    metadata: { team: 'growth', color: 'red' },
  })
  expect(await ok(shop, 'GET', own)).toEqual(changed)

  for (const [word, active] of [
    ['disable', false],
    ['disable', false],
    ['enable', true],
    ['enable', true],
  ] as const)
    expect(await ok(shop, 'POST', `${own}/${word}`)).toMatchObject({ id: created.id, active })
  expect(await shop.call('DELETE', own)).toMatchObject({ status: 204, body: null })
  for (const [method, at] of [
    ['GET', ''],
    ['PUT', ''],
    ['DELETE', ''],
    ['POST', '/enable'],
    ['POST', '/disable'],
  ] as const)
    expect(await shop.call(method, own + at, method === 'PUT' ? 7 : undefined)).toMatchObject({
      status: 404,
      body: { key: 'not_found', resource_type: 'earning_rule', resource_id: created.id },
    })

  const events = await emittedEvents(shop, 'campaign.earning_rule.%')
  expect(
    events.map(({ type, entity_id, data }) => [type.split('.').at(-1), entity_id, data.earning_rule.active]),
  ).toEqual([
    ['assigned', program.id, true],
    ['updated', program.id, true],
    ['disabled', program.id, false],
    ['enabled', program.id, true],
    ['deleted', program.id, true],
  ])
  for (const { type, data } of events) expect(Value.Check(catalogue[type as EventType].data, data), type).toBe(true)
  expect(events[0]?.data).toMatchObject({ campaign: { id: program.id, object: 'campaign' }, earning_rule: created })
  expect(events[1]?.data.earning_rule).toEqual(changed)
})

test('omitted members are left out, null, or a default', async () => {
  const { shop, program } = await newClub()
  const nothing = Object.fromEntries(
    ['validation_rule_id', 'pending_points', 'expiration_rules', 'source', 'active', 'metadata', 'start_date'].map(
      (name) => [name, null],
    ),
  )
  for (const more of [{}, nothing])
    expect((await newEarningRules(shop, program, fixed(1, more)))[0]).toEqual({
      id: expect.any(String),
      created_at: instant,
      updated_at: null,
      validation_rule_id: null,
      loyalty: { type: 'FIXED', points: 1 },
      event: 'order.paid',
      source: { object_id: program.id, object_type: 'campaign' },
      active: true,
      metadata: {},
      automation_id: expect.any(String),
      object: 'earning_rule',
    })
})

test('rules are returned and listed in the order of the request, the oldest first', async () => {
  const { shop, program, path } = await newClub()
  const sent = Array.from({ length: 12 }, (_, n) => fixed(n, { source: { banner: `Rule ${n}` } }))
  const created = await newEarningRules(shop, program, ...sent)
  expect(created.map(({ source }) => source.banner)).toEqual(sent.map(({ source }: Body) => source.banner))
  expect(await listOfRules(shop, path)).toEqual(created)
  expect(await ok(shop, 'GET', `${path}?limit=5&page=3`)).toMatchObject({ data: created.slice(10), total: 12 })
})

test('pages are stable in every order while rules are added', async () => {
  const { shop, program, path } = await newClub()
  await expectStablePaging({
    shop,
    path,
    orders: ['created_at', '-created_at', 'updated_at', '-updated_at'],
    data_ref: 'data',
    create: async (n) => {
      const [rule] = await newEarningRules(shop, program, fixed(n))
      if (n % 3 === 0) await ok(shop, 'PUT', `${path}/${rule.id}`, { active: false })
      return rule.id
    },
  })
})

describe('events and their calculations', () => {
  const order = Object.keys(calculations).filter((name) => name !== 'CUSTOM_EVENT_METADATA')
  const tiers = ['joined', 'left', 'upgraded', 'downgraded', 'prolonged'].map((word) => `customer.loyalty.tier.${word}`)
  const events: Array<[event: string, takes: string[]]> = [
    ['order.paid', order],
    ['customer.segment.entered', ['FIXED', 'CUSTOMER_METADATA']],
    ['review', ['FIXED', 'CUSTOM_EVENT_METADATA', 'CUSTOMER_METADATA']],
    ...tiers.map((event): [string, string[]] => [event, ['FIXED', 'CUSTOMER_METADATA']]),
  ]
  test.each(events)('%s accepts the calculations %j, on creation and update', async (event, takes) => {
    const { shop, path, segment, schema } = common
    const body = {
      event,
      segment: { id: segment.id },
      custom_event: { schema_id: schema.id },
      loyalty_tier: { id: '__ANY__' },
    }
    const [{ id }] = await ok(shop, 'POST', path, [{ ...body, loyalty: calculations.FIXED }])
    for (const [name, loyalty] of Object.entries(calculations)) {
      const answers = [
        await shop.call('POST', path, [{ ...body, loyalty }]),
        await shop.call('PUT', `${path}/${id}`, { loyalty }),
      ]
      for (const [index, { status, body }] of answers.entries()) {
        if (takes.includes(name)) expect([status, [body].flat()[0].loyalty], name).toEqual([200, loyalty])
        else
          expect([status, body.key, body.details], name).toEqual([
            400,
            'invalid_payload',
            `Property ${['[0]', ''][index]}.loyalty.calculation_type must be equal to one of the allowed values [ ${takes
              .filter((type) => type !== 'FIXED')
              .toSorted((a, b) => order.indexOf(a) - order.indexOf(b))
              .join(', ')} ] for event ${event}`,
          ])
      }
    }
  })

  test('a rule returns the object of its event, and no other that was sent', async () => {
    const { shop, program, path } = await newClub()
    const segment = await ok(shop, 'POST', '/v1/segments', { name: 'VIP', customers: [] })
    const schema = await newEventSchema(shop, 'review')
    const other = await newProgram(shop)
    const { Gold } = await newTiers(shop, other, { Gold: [100] })
    const all = { segment: { id: segment.id }, custom_event: { schema_id: schema.id }, loyalty_tier: { id: Gold.id } }
    const subjects: Array<[event: string, more: object, subject: object]> = [
      ['order.paid', all, {}],
      ['customer.segment.entered', all, { segment: all.segment }],
      ['review', all, { custom_event: all.custom_event }],
      ['customer.loyalty.tier.left', all, { loyalty_tier: all.loyalty_tier }],
      ['customer.loyalty.tier.left', {}, { loyalty_tier: { id: '__ANY__' } }],
      ['customer.loyalty.tier.left', { loyalty_tier: { id: null } }, { loyalty_tier: { id: '__ANY__' } }],
    ]
    for (const [event, more, subject] of subjects) {
      const [{ segment, custom_event, loyalty_tier }] = await newEarningRules(
        shop,
        program,
        fixed(1, { event, ...more }),
      )
      expect(JSON.parse(JSON.stringify({ segment, custom_event, loyalty_tier })), event).toEqual(subject)
    }
    expect((await listOfRules(shop, path)).length).toBe(subjects.length)
  })
})

/** Goods sent as one object, as a list, or both. */
const goods: Array<[sent: object, shown: object]> = [
  [good, good],
  [
    { applicable_to: [{ object: 'sku', id: 'sku_1' }, good] },
    { object: 'sku', id: 'sku_1', applicable_to: [{ object: 'sku', id: 'sku_1' }, good] },
  ],
  [
    { ...good, applicable_to: [{ object: 'products_collection', id: 'pc_1' }] },
    { object: 'products_collection', id: 'pc_1', applicable_to: [{ object: 'products_collection', id: 'pc_1' }] },
  ],
  [{ ...good, applicable_to: [] }, good],
  [{ ...good, applicable_to: null, points_formula: null }, good],
]
test.each(goods)('items sent as %j are returned as %j', async (sent, shown) => {
  const { shop, program } = common
  const loyalty = proportional('ORDER_ITEMS_AMOUNT', 'order_items', 'amount', sent)
  const [rule] = await newEarningRules(shop, program, { loyalty })
  expect(rule.loyalty.order_items.amount).toEqual({ every: 100, points: 2, ...shown })
})

test('numbers may be sent as strings and are stored as numbers; metadata stay unchanged', async () => {
  const { shop, program, path } = await newClub()
  const [rule] = await newEarningRules(shop, program, {
    loyalty: proportional('ORDER_AMOUNT', 'order', 'amount', { every: '250', points: '03' }),
    pending_points: { period_type: 'DAY', period_value: '90' },
    expiration_rules: { period_type: 'FIXED_DAY_OF_YEAR', fixed_month: '2', fixed_day: '31' },
    metadata: { points: '5' },
  })
  expect(rule).toMatchObject({
    loyalty: { order: { amount: { every: 250, points: 3 } } },
    pending_points: { period_value: 90 },
    expiration_rules: { fixed_month: 2, fixed_day: 31 },
    metadata: { points: '5' },
  })
  expect(await ok(shop, 'PUT', `${path}/${rule.id}`, { loyalty: { type: 'FIXED', points: '8' } })).toMatchObject({
    loyalty: { type: 'FIXED', points: 8 },
  })
})

describe('updating points without their type', () => {
  const { CUSTOMER_METADATA, FIXED, ORDER_AMOUNT } = calculations
  const share = { every: 50, points: 3 }
  const changes: Array<[had: object | undefined, sent: object, has: object]> = [
    [{ ...FIXED, points_formula: '1 + 1' }, { points: 7 }, { type: 'FIXED', points: 7 }],
    [FIXED, { type: null, points: '8' }, { type: 'FIXED', points: 8 }],
    [FIXED, { points: 7, calculation_type: 'ORDER_AMOUNT' }, { type: 'FIXED', points: 7 }],
    [ORDER_AMOUNT, { order: { amount: share } }, { ...ORDER_AMOUNT, order: { amount: share } }],
    [
      ORDER_AMOUNT,
      { calculation_type: 'ORDER_TOTAL_AMOUNT', order: { total_amount: share } },
      { type: 'PROPORTIONAL', calculation_type: 'ORDER_TOTAL_AMOUNT', order: { total_amount: share } },
    ],
    [
      CUSTOMER_METADATA,
      { type: null, calculation_type: null, customer: { metadata: { ...share, ...property } } },
      { ...CUSTOMER_METADATA, customer: { metadata: { ...share, ...property } } },
    ],
  ]
  test.each(changes)('%j updated with %j becomes %j', async (had, sent, has) => {
    const { shop, program, path } = common
    const [rule] = await newEarningRules(shop, program, { loyalty: had })
    expect(await ok(shop, 'PUT', `${path}/${rule.id}`, { loyalty: sent })).toMatchObject({ id: rule.id })
    expect((await ok(shop, 'GET', `${path}/${rule.id}`)).loyalty).toEqual(has)
  })

  const bad: Array<[had: object | undefined, sent: unknown, details: string]> = [
    [FIXED, {}, "Property .loyalty should have required property 'points'"],
    [FIXED, { points: -1 }, 'Property .loyalty.points must be >= 0'],
    [FIXED, { points: 1.5 }, 'Property .loyalty.points must be integer'],
    [FIXED, 'points', 'Property .loyalty must be object'],
    [
      FIXED,
      { type: 'SOME', points: 1 },
      'Property .loyalty.type must be equal to one of the allowed values [ FIXED, PROPORTIONAL ]',
    ],
    [ORDER_AMOUNT, { points: 7 }, "Loyalty order rules must contain one of the following properties - 'amount'"],
    [
      ORDER_AMOUNT,
      { calculation_type: 'constructor', points: 7 },
      expect.stringMatching(
        /^Property \.loyalty\.calculation_type must be equal to one of the allowed values \[ ORDER_/,
      ),
    ],
    [ORDER_AMOUNT, { order: { amount: { every: 0, points: 1 } } }, 'Property .loyalty.order.amount.every must be >= 1'],
  ]
  test.each(bad)('%j refuses the update %j: %s', async (had, sent, details) => {
    const { shop, program, path } = common
    const [rule] = await newEarningRules(shop, program, { loyalty: had })
    expect(await shop.call('PUT', `${path}/${rule.id}`, { loyalty: sent })).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload', details },
    })
    expect((await ok(shop, 'GET', `${path}/${rule.id}`)).loyalty).toEqual(had)
  })
})

const omitting = (calculationType: string, group: object) => ({
  type: 'PROPORTIONAL',
  calculation_type: calculationType,
  ...group,
})
const points = (more: object) => ({ loyalty: { type: 'FIXED', points: 1, ...more } })
const formula = (text: string) => points({ points_formula: text })

const badRules: Array<[rule: Body, details: string]> = [
  [{}, "Property [1] should have required property 'event'"],
  [{ event: 'order.paid' }, "Property [1] should have required property 'loyalty'"],
  [{ event: '', ...fixed(1) }, 'Property [1].event must NOT have fewer than 1 characters'],
  [
    { event: 'unknown.event', ...fixed(1) },
    'Property [1].event must be a built-in event or the name of a custom event, not unknown.event',
  ],
  [
    points({ type: 'SOME' }),
    'Property [1].loyalty.type must be equal to one of the allowed values [ FIXED, PROPORTIONAL ]',
  ],
  [points({ points: -1 }), 'Property [1].loyalty.points must be >= 0'],
  [points({ points: '-1' }), 'Property [1].loyalty.points must be >= 0'],
  [points({ points: 1.5 }), 'Property [1].loyalty.points must be integer,string'],
  [points({ points: '1.5' }), 'Property [1].loyalty.points must match pattern ^[+-]?\\d+(\\.0+)?$'],
  [points({ points: '9007199254740992' }), 'Property [1].loyalty.points must be <= 9007199254740991'],
  [{ loyalty: { type: 'FIXED' } }, "Property [1].loyalty should have required property 'points'"],
  [
    { loyalty: proportional('ORDER_AMOUNT', 'order', 'amount', { every: 0 }) },
    'Property [1].loyalty.order.amount.every must be >= 1',
  ],
  [
    { loyalty: proportional('ORDER_METADATA', 'order', 'metadata') },
    "Property [1].loyalty.order.metadata should have required property 'property'",
  ],
  [
    { loyalty: omitting('ORDER_TOTAL_AMOUNT', { order: { amount: { every: 1, points: 1 } } }) },
    "Loyalty order rules must contain one of the following properties - 'total_amount'",
  ],
  [
    { loyalty: omitting('ORDER_ITEMS_QUANTITY', { order_items: {} }) },
    "Loyalty order items rules must contain one of the following properties - 'quantity'",
  ],
  [{ loyalty: omitting('ORDER_AMOUNT', {}) }, "Property [1].loyalty should have required property 'order'"],
  [
    { loyalty: proportional('ORDER_ITEMS_AMOUNT', 'order_items', 'amount') },
    "Property [1].loyalty.order_items.amount should have required property 'object'",
  ],
  [
    { loyalty: proportional('ORDER_ITEMS_AMOUNT', 'order_items', 'amount', { object: 'sku' }) },
    "Property [1].loyalty.order_items.amount should have required property 'id'",
  ],
  [formula('1 +'), 'Property [1].loyalty.points_formula is no formula: the formula ends too early'],
  [
    formula('VOUCHER_REDEEMED_QUANTITY'),
    'Property [1].loyalty.points_formula is no formula: VOUCHER_REDEEMED_QUANTITY is not available where points are earned',
  ],
  [
    { loyalty: proportional('ORDER_AMOUNT', 'order', 'amount', { points_formula: 'NOTHING' }) },
    expect.stringMatching(/^Property \[1\]\.loyalty\.order\.amount\.points_formula is no formula: /),
  ],
  [
    { event: 'customer.loyalty.tier.left', ...fixed(1), pending_points: { period_type: 'DAY', period_value: 1 } },
    'Property [1].pending_points is only allowed for event order.paid',
  ],
  [
    fixed(1, { pending_points: { period_type: 'DAY', period_value: 91 } }),
    'Property [1].pending_points.period_value must be <= 90',
  ],
  [
    fixed(1, { pending_points: { period_type: 'DAY', period_value: '0' } }),
    'Property [1].pending_points.period_value must be >= 1',
  ],
  [
    fixed(1, { pending_points: { period_type: 'WEEK', period_value: 1 } }),
    'Property [1].pending_points.period_type must be equal to one of the allowed values [ DAY ]',
  ],
  [
    fixed(1, { expiration_rules: { period_type: 'MONTH', period_value: 1, rounding_type: 'PARTICULAR_MONTH' } }),
    "Property [1].expiration_rules should have required property 'rounding_value'",
  ],
  [
    fixed(1, { expiration_rules: { period_type: 'FIXED_DAY_OF_YEAR', fixed_month: 13, fixed_day: 1 } }),
    'Property [1].expiration_rules.fixed_month must be <= 12',
  ],
  [
    fixed(1, { start_date: '2026-02-01', expiration_date: '2026-01-01' }),
    'Property [1].expiration_date must not be earlier than .start_date',
  ],
  [
    fixed(1, { validity_timeframe: { interval: 'P2D', duration: 'P1D' } }),
    'Property [1].validity_timeframe requires .start_date',
  ],
]
test.each(badRules)('%j is refused together with the valid rule in the same request: %s', async (rule, details) => {
  const { shop, path } = ruleless
  const bad = { ...(Object.keys(rule).length === 0 || 'event' in rule ? {} : { event: 'order.paid' }), ...rule }
  expect(await shop.call('POST', path, [{ event: 'order.paid', ...fixed(1) }, bad])).toMatchObject({
    status: 400,
    body: { key: 'invalid_payload', details },
  })
  expect(await listOfRules(shop, path)).toEqual([])
  expect(await emittedEvents(shop, 'campaign.earning_rule.%')).toEqual([])
})

const badLists: Array<[body: unknown, details: string]> = [
  [undefined, 'Payload must be array'],
  [{ event: 'order.paid', ...fixed(1) }, 'Payload must be array'],
  [[], 'Payload must NOT have fewer than 1 items'],
  [Array(101).fill({ event: 'order.paid', ...fixed(1) }), 'Payload must NOT have more than 100 items'],
]
test.each(badLists)('a body must be a list of 1 to 100 rules: %#', async (body, details) => {
  const { shop, path } = ruleless
  expect(await shop.call('POST', path, body)).toMatchObject({ status: 400, body: { key: 'invalid_payload', details } })
})

describe('references of a rule', () => {
  const missing: Array<[more: object, key: string, told: object]> = [
    [
      { event: 'customer.segment.entered', segment: { id: 'seg_none' } },
      'not_found',
      { resource_type: 'segment', resource_id: 'seg_none' },
    ],
    [{ event: 'customer.segment.entered' }, 'missing_param', { details: "Parameter 'segment.id' is required" }],
    [{ event: 'review' }, 'missing_param', { details: "Parameter 'custom_event.schema_id' is required" }],
    [
      { event: 'review', custom_event: { schema_id: 'ms_none' } },
      'invalid_payload',
      { details: 'Property [0].custom_event.schema_id must be that of the event review' },
    ],
    [
      { event: 'customer.loyalty.tier.left', loyalty_tier: { id: 'ltr_none' } },
      'not_found',
      { resource_type: 'loyalty_tier', resource_id: 'ltr_none' },
    ],
    [{ validation_rule_id: 'val_none' }, 'not_found', { resource_type: 'validation_rules', resource_id: 'val_none' }],
  ]
  test.each(missing)('%j is refused: %s', async (more, key, told) => {
    const { shop, path } = ruleless
    expect(await shop.call('POST', path, [{ event: 'order.paid', ...fixed(1), ...more }])).toMatchObject({
      status: key === 'not_found' ? 404 : 400,
      body: { key, ...told },
    })
  })

  test('returns 404 for a campaign of another type', async () => {
    const { shop } = await newClub()
    const coupons = await ok(shop, 'POST', '/v1/campaigns', {
      name: 'Coupons',
      campaign_type: 'DISCOUNT_COUPONS',
      voucher: { type: 'DISCOUNT_VOUCHER', discount: { type: 'AMOUNT', amount_off: 100 } },
    })
    for (const id of [coupons.id, 'camp_none'])
      expect(await shop.call('POST', `/v1/loyalties/${id}/earning-rules`, 7)).toMatchObject({
        status: 404,
        body: { resource_type: 'campaign', resource_id: id },
      })
  })

  test('returns 404 for a rule of another program', async () => {
    const { shop, program } = await newClub()
    const [rule] = await newEarningRules(shop, program, fixed(1))
    const other = await newProgram(shop)
    expect(await shop.call('GET', `/v1/loyalties/${other.id}/earning-rules/${rule.id}`)).toMatchObject({ status: 404 })
    expect(await shop.call('DELETE', `/v1/loyalties/${other.id}/earning-rules/${rule.id}`)).toMatchObject({
      status: 404,
    })
  })

  test('a timeframe may count from the start date of the program', async () => {
    const shop = await newProject()
    const program = await newProgram(shop, { start_date: '2026-01-01' })
    const validityTimeframe = { interval: 'P2D', duration: 'P1D' }
    const [rule] = await newEarningRules(shop, program, fixed(1, { validity_timeframe: validityTimeframe }))
    expect(rule).toMatchObject({ validity_timeframe: validityTimeframe })
    expect(rule).not.toHaveProperty('start_date')
  })
})

describe('the validation rule of an earning rule', () => {
  const assignmentsOf = async (shop: Shop, id: string): Promise<Body[]> =>
    (await ok(shop, 'GET', `/v1/validation-rules-assignments?related_object_id=${id}`)).data

  test('is assigned, replaced and removed through the earning rule', async () => {
    const { shop, program, path } = await newClub()
    const [a, b] = [
      await ok(shop, 'POST', '/v1/validation-rules', {}),
      await ok(shop, 'POST', '/v1/validation-rules', {}),
    ]
    const [rule] = await newEarningRules(shop, program, fixed(1, { validation_rule_id: a.id }))
    const [first] = await assignmentsOf(shop, rule.id)
    expect(first).toMatchObject({ rule_id: a.id, related_object_type: 'earning_rule', related_object_id: rule.id })

    const own = `${path}/${rule.id}`
    await ok(shop, 'PUT', own, { validation_rule_id: a.id })
    expect(await assignmentsOf(shop, rule.id)).toEqual([first])
    expect(await ok(shop, 'PUT', own, { validation_rule_id: b.id })).toMatchObject({ validation_rule_id: b.id })
    expect(await assignmentsOf(shop, rule.id)).toMatchObject([{ rule_id: b.id }])
    expect(await ok(shop, 'PUT', own, { active: false })).toMatchObject({ validation_rule_id: b.id })
    expect(await shop.call('PUT', own, { validation_rule_id: 'val_none' })).toMatchObject({ status: 404 })

    expect(await shop.call('DELETE', own)).toMatchObject({ status: 204 })
    expect(await assignmentsOf(shop, rule.id)).toEqual([])
    const events = await emittedEvents(shop, 'business_validation_rule.assignment.%')
    expect(events.map(({ type, data }) => [type.split('.').at(-1), data.rule.id, data.earning_rule.id])).toEqual([
      ['created', a.id, rule.id],
      ['deleted', a.id, rule.id],
      ['created', b.id, rule.id],
      ['deleted', b.id, rule.id],
    ])
    for (const { type, data } of events) expect(Value.Check(catalogue[type as EventType].data, data), type).toBe(true)
  })

  test('can be assigned through the validation rule, and is removed when that is deleted', async () => {
    const { shop, program, path } = await newClub()
    const { id } = await ok(shop, 'POST', '/v1/validation-rules', {})
    const [rule] = await newEarningRules(shop, program, fixed(1))
    const body = { related_object_type: 'earning_rule', related_object_id: rule.id }
    await ok(shop, 'POST', `/v1/validation-rules/${id}/assignments`, body)
    expect(await ok(shop, 'GET', `${path}/${rule.id}`)).toMatchObject({ validation_rule_id: id })
    expect(await listOfRules(shop, path)).toMatchObject([{ validation_rule_id: id }])
    await shop.call('DELETE', `/v1/validation-rules/${id}`)
    expect(await ok(shop, 'GET', `${path}/${rule.id}`)).toMatchObject({ validation_rule_id: null })
  })
})

test('a rule activates a passive segment, once and without events', async () => {
  const { shop, program } = await newClub()
  await ok(shop, 'POST', '/v1/customers', { source_id: 'ann', name: 'Ann' })
  const filter = { junction: 'and', name: { conditions: { $is: ['Ann'] } } }
  const { id } = await ok(shop, 'POST', '/v1/segments', { name: 'Anns', type: 'passive', filter })
  await runSegments(shop)
  const rule = fixed(1, { event: 'customer.segment.entered', segment: { id } })
  await newEarningRules(shop, program, rule, rule)
  await newEarningRules(shop, program, rule)
  expect(await ok(shop, 'GET', `/v1/segments/${id}`)).toMatchObject({ type: 'auto-update' })
  await runSegments(shop)
  expect(await emittedEvents(shop, 'customer.segment.entered')).toEqual([])
  expect((await emittedEvents(shop, 'segment.activated')).length).toBe(1)

  await ok(shop, 'POST', '/v1/customers', { source_id: 'ann2', name: 'Ann' })
  await runSegments(shop)
  expect((await emittedEvents(shop, 'customer.segment.entered')).map(({ data }) => data.customer.source_id)).toEqual([
    'ann2',
  ])
})

describe('the limit of rules in a project', () => {
  test('can be set per project, counts all programs, and nothing is written beyond it', async () => {
    const { shop, program, path } = await newClub()
    expect(await shop.manage('PUT', '/limits', { earning_rules: 3 })).toMatchObject({ status: 200 })
    const other = await newProgram(shop)
    await newEarningRules(shop, other, fixed(1), fixed(2))
    expect(
      await shop.call(
        'POST',
        path,
        [fixed(1), fixed(2)].map((rule) => ({ event: 'order.paid', ...rule })),
      ),
    ).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload', details: 'Project must NOT have more than 3 earning rules' },
    })
    expect(await listOfRules(shop, path)).toEqual([])
    await newEarningRules(shop, program, fixed(1))
    // Rules of programs in the bin do not count.
    await shop.call('DELETE', `/v1/loyalties/${other.id}`)
    await newEarningRules(shop, program, fixed(1), fixed(2))
  })

  test('is 100 by default', async () => {
    const { shop, program, path } = await newClub()
    await newEarningRules(shop, program, ...Array.from({ length: 100 }, () => fixed(1)))
    expect(await shop.call('POST', path, [{ event: 'order.paid', ...fixed(1) }])).toMatchObject({
      status: 400,
      body: { details: 'Project must NOT have more than 100 earning rules' },
    })
  })
})

test('deleting a rule removes it from the tiers that map it, and from no other', async () => {
  const { shop, program, path } = await newClub()
  const [gone, kept] = await newEarningRules(shop, program, fixed(1), fixed(2))
  const twice = { type: 'MULTIPLY', multiplier: 2 }
  const { Gold, Silver } = await newTiers(
    shop,
    program,
    { Silver: [0, 99], Gold: [100] },
    {
      Gold: { earning_rules: { [gone.id]: twice, [kept.id]: twice } },
      Silver: { earning_rules: { [kept.id]: twice } },
    },
  )
  expect(await shop.call('DELETE', `${path}/${gone.id}`)).toMatchObject({ status: 204 })
  const tiers = `/v1/loyalties/${program.id}/tiers`
  expect(await ok(shop, 'GET', `${tiers}/${Silver.id}`)).toEqual(Silver)
  const changed = await ok(shop, 'GET', `${tiers}/${Gold.id}`)
  expect(changed).toEqual({ ...Gold, earning_rules: { [kept.id]: twice }, updated_at: instant })
  expect((await emittedEvents(shop, 'campaign.loyalty_tier.updated')).map(({ data }) => data.loyalty_tier)).toEqual([
    changed,
  ])
})

test('rules are validated by the metadata schema of earning rules', async () => {
  const { shop, program, path } = await newClub()
  await ok(shop, 'POST', '/v1/metadata-schemas', {
    related_object: 'earning_rule',
    properties: { team: { type: 'string', array: false, optional: false } },
  })
  const refused = { status: 400, body: { key: 'metadata_validation_failed' } }
  for (const metadata of [{}, { team: 7 }])
    expect(await shop.call('POST', path, [{ event: 'order.paid', ...fixed(1), metadata }])).toMatchObject(refused)
  const [rule] = await newEarningRules(shop, program, fixed(1, { metadata: { team: 'growth' } }))
  expect(await shop.call('PUT', `${path}/${rule.id}`, { metadata: { team: 7 } })).toMatchObject(refused)
})

describe('an earning rule prevents the deletion of', () => {
  const inUse = (id: string) => ({
    status: 400,
    body: {
      key: 'resource_in_use',
      related_object_type: 'earning_rule',
      related_object_ids: [id],
      related_object_total: 1,
    },
  })

  test('its segment', async () => {
    const { shop, program, path } = await newClub()
    const segment = await ok(shop, 'POST', '/v1/segments', { name: 'VIP', customers: [] })
    const [rule] = await newEarningRules(shop, program, fixed(1, { event: 'customer.segment.entered', segment }))
    expect(await shop.call('DELETE', `/v1/segments/${segment.id}`)).toMatchObject(inUse(rule.id))
    await shop.call('DELETE', `${path}/${rule.id}`)
    expect(await shop.call('DELETE', `/v1/segments/${segment.id}`)).toMatchObject({ status: 204 })
  })

  test('the schema of its custom event, until the program is in the bin', async () => {
    const { shop, program } = await newClub()
    const schema = await newEventSchema(shop, 'review')
    const [rule] = await newEarningRules(
      shop,
      program,
      fixed(1, { event: 'review', custom_event: { schema_id: schema.id } }),
    )
    const path = `/custom-event-schemas/${schema.id}`
    expect(await shop.manage('DELETE', path)).toMatchObject(inUse(rule.id))
    expect(await shop.manage('GET', path)).toMatchObject({ status: 200 })
    await shop.call('DELETE', `/v1/loyalties/${program.id}`)
    expect(await shop.manage('DELETE', path)).toMatchObject({ status: 204 })
  })

  const named: Array<[how: string, goodOf: (product: Body, sku: Body) => object]> = [
    ['by its id', ({ id }) => ({ object: 'product', id })],
    [
      'by its source id, in a list',
      ({ source_id }) => ({
        applicable_to: [
          { object: 'sku', id: 'sku_other' },
          { object: 'product', id: source_id },
        ],
      }),
    ],
    ['by one of its SKUs', (_, { id }) => ({ object: 'sku', id })],
  ]
  test.each(named)('a product referred to %s', async (_, goodOf) => {
    const { shop, program, path } = await newClub()
    const product = await ok(shop, 'POST', '/v1/products', { name: 'Mug', source_id: 'mug' })
    const sku = await ok(shop, 'POST', `/v1/products/${product.id}/skus`, { sku: 'Blue mug' })
    const loyalty = proportional('ORDER_ITEMS_AMOUNT', 'order_items', 'amount', goodOf(product, sku))
    const [rule] = await newEarningRules(shop, program, { loyalty }, fixed(1))
    expect(await shop.call('DELETE', `/v1/products/${product.id}?force=true`)).toMatchObject(inUse(rule.id))
    await shop.call('DELETE', `${path}/${rule.id}`)
    expect(await shop.call('DELETE', `/v1/products/${product.id}?force=true`)).toMatchObject({ status: 204 })
  })
})

test('rules of a protected program cannot be changed', async () => {
  const { shop, program, path } = await newClub()
  const [rule] = await newEarningRules(shop, program, fixed(1))
  await shop.service.runtime.database.db
    .updateTable('campaigns')
    .set({ protected: true })
    .where('project_id', '=', shop.project_id)
    .where('id', '=', program.id)
    .execute()
  const calls: Array<[method: string, path: string, body?: unknown]> = [
    ['POST', path, [{ event: 'order.paid', ...fixed(1) }]],
    ['PUT', `${path}/${rule.id}`, { active: false }],
    ['DELETE', `${path}/${rule.id}`],
  ]
  for (const call of calls)
    expect(await shop.call(...call)).toMatchObject({ status: 400, body: { key: 'resource_protected' } })
  expect(await listOfRules(shop, path)).toEqual([rule])
})

test('every change gets a configuration version, and a deletion is recorded', async () => {
  const { shop, program, path } = await newClub()
  const { db } = shop.service.runtime.database
  const stamp = async (id: string) => {
    const rules = db.selectFrom('earning_rules').where('project_id', '=', shop.project_id)
    return (
      await rules
        .where('id', '=', id as `ern_${string}`)
        .select('config_version')
        .executeTakeFirstOrThrow()
    ).config_version
  }
  const [rule] = await newEarningRules(shop, program, fixed(1))
  const stamps = [await stamp(rule.id)]
  for (const [method, at, body] of [
    ['PUT', '', {}],
    ['POST', '/disable', undefined],
  ] as const) {
    await ok(shop, method, `${path}/${rule.id}${at}`, body)
    stamps.push(await stamp(rule.id))
  }
  expect(stamps).toEqual([...new Set(stamps)].toSorted((a, b) => a - b))
  await shop.call('DELETE', `${path}/${rule.id}`)
  const marks = db.selectFrom('configuration_deletions').where('project_id', '=', shop.project_id)
  expect(await marks.where('object_type', '=', 'earning_rule').select('object_id').execute()).toEqual([
    { object_id: rule.id },
  ])
})
