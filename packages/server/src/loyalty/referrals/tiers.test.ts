import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { type Answer, newProject, type Shop } from '../../testing/app.ts'
import { eventsOf, newCampaign, runCampaignJobs } from '../../testing/campaigns.ts'
import { ok } from '../../testing/orders.ts'
import { expectStablePaging } from '../../testing/paging.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
type Body = any

interface Program {
  id: string
  /** Rewards, by kind. */
  coupon: string
  mug: string
  coin: string
}

async function newProgram(shop: Shop): Promise<Program> {
  const { id } = await newCampaign(shop, 'Friends', { campaign_type: 'REFERRAL_PROGRAM' })
  const coupons = await newCampaign(shop, 'Coupons')
  const mug = await ok(shop, 'POST', '/v1/products', { name: 'Mug' })
  const reward = async (name: string, parameters: object) =>
    (await ok(shop, 'POST', '/v1/rewards', { name, parameters })).id
  return {
    id,
    coupon: await reward('A coupon', { campaign: { id: coupons.id } }),
    mug: await reward('A mug', { product: { id: mug.id } }),
    coin: await reward('Money', { coin: { exchange_ratio: 1, points_ratio: 10 } }),
  }
}

const each = { criteria: 'EACH_REFEREE' }
const three = { criteria: 'MIN_REFEREES', min_referees: 3 }

const create = (shop: Shop, { id }: Program, body: unknown): Promise<Answer<Body>> =>
  shop.call('POST', `/v1/referrals/${id}/tiers`, body)

async function newTier(shop: Shop, program: Program, more: object = {}): Promise<Body> {
  const { status, body } = await create(shop, program, { parameters: each, reward: { id: program.mug }, ...more })
  expect({ status, body }).toMatchObject({ status: 200 })
  return body
}

const pathOf = ({ id }: Program, tier: { id: string }) => `/v1/referrals/${id}/tiers/${tier.id}`

async function newSegment(shop: Shop): Promise<string> {
  const filter = { junction: 'and', name: { conditions: { $is: ['Anna'] } } }
  return (await ok(shop, 'POST', '/v1/segments', { name: 'Annas', type: 'passive', filter })).id
}

const tierEvents = async (shop: Shop): Promise<string[]> =>
  (await eventsOf(shop)).flatMap((type) => (type.startsWith('campaign.referral_tier.') ? [type.slice(23)] : []))

/** The reward assignments of tiers, read from the table. */
const assignments = ({ service, project_id }: Shop) =>
  service.runtime.database.db
    .selectFrom('reward_assignments')
    .where('project_id', '=', project_id)
    .where('related_object_type', '=', 'referral_tier')
    .select(['id', 'reward_id', 'related_object_id'])
    .execute()

test('a tier can be created, read, updated and deleted', async () => {
  const shop = await newProject()
  const program = await newProgram(shop)
  const segment = { id: await newSegment(shop) }
  const {
    status,
    body: { warnings, ...tier },
  } = await create(shop, program, {
    banner: 'A mug for three friends',
    parameters: { ...three, segment: { ...segment, name: 'Annas' }, color: 'red' },
    reward: { id: program.mug, name: 'ignored' },
  })
  expect(status).toBe(200)
  expect(warnings).toHaveLength(3)
  expect(tier).toEqual({
    id: expect.stringMatching(/^reft_[0-9A-Za-z]{24}$/),
    campaign_id: program.id,
    banner: 'A mug for three friends',
    parameters: { ...three, segment },
    reward: { id: program.mug, assignment_id: expect.stringMatching(/^rewa_/) },
    created_at: expect.stringMatching(/Z$/),
    updated_at: null,
    object: 'referral_tier',
  })
  const path = pathOf(program, tier)
  expect(await ok(shop, 'GET', path)).toEqual(tier)
  expect(await ok(shop, 'GET', `/v1/referrals/Friends/tiers/${tier.id}`)).toEqual(tier)
  expect(await ok(shop, 'GET', `/v1/referrals/${program.id}/tiers`)).toEqual({
    object: 'list',
    data_ref: 'data',
    data: [tier],
    total: 1,
  })

  const changed = await ok(shop, 'PUT', path, { parameters: each })
  expect(changed).toEqual({ ...tier, parameters: each, updated_at: expect.stringMatching(/Z$/) })
  expect(await ok(shop, 'PUT', path, { banner: null })).toMatchObject({ banner: null, parameters: each })

  expect(await shop.call('DELETE', path)).toMatchObject({ status: 204, body: null })
  for (const method of ['GET', 'PUT', 'DELETE'])
    expect(await shop.call(method, path, method === 'PUT' ? { banner: 7 } : undefined)).toMatchObject({
      status: 404,
      body: { key: 'not_found', resource_type: 'referral_tier', resource_id: tier.id },
    })
  expect(await assignments(shop)).toEqual([])
  expect(await tierEvents(shop)).toEqual(['created', 'updated', 'updated', 'deleted'])
})

test('changes of a tier emit events', async () => {
  const shop = await newProject()
  const program = await newProgram(shop)
  const { id, parameters, banner } = await newTier(shop, program, { parameters: three })
  const { db } = shop.service.runtime.database
  const told = await db
    .selectFrom('events')
    .where('project_id', '=', shop.project_id)
    .where('type', '=', 'campaign.referral_tier.created')
    .select(['entity_id', 'data'])
    .execute()
  expect(told).toEqual([
    {
      entity_id: program.id,
      data: {
        campaign: expect.objectContaining({ id: program.id, campaign_type: 'REFERRAL_PROGRAM' }),
        referral_tier: { id, campaign_id: program.id, banner, parameters },
      },
    },
  ])
})

test('numbers may be sent as strings', async () => {
  const shop = await newProject()
  const program = await newProgram(shop)
  const tier = await newTier(shop, program, { parameters: { criteria: 'MIN_REFEREES', min_referees: '4' } })
  expect(tier.parameters).toEqual({ criteria: 'MIN_REFEREES', min_referees: 4 })
})

const noInteger = 'Property .parameters.min_referees must be'
const badBodies: Array<[body: (program: Program) => object, details: string]> = [
  [() => ({}), "Payload should have required property 'parameters'"],
  [({ mug }) => ({ reward: { id: mug } }), "Payload should have required property 'parameters'"],
  [
    ({ mug }) => ({ parameters: {}, reward: { id: mug } }),
    "Property .parameters should have required property 'criteria'",
  ],
  [
    ({ mug }) => ({ parameters: { criteria: 'ALL' }, reward: { id: mug } }),
    'Property .parameters.criteria must be equal to one of the allowed values [ EACH_REFEREE, MIN_REFEREES ]',
  ],
  [
    ({ mug }) => ({ parameters: { criteria: 'MIN_REFEREES' }, reward: { id: mug } }),
    "Property .parameters should have required property 'min_referees'",
  ],
  [({ mug }) => ({ parameters: { ...three, min_referees: 0 }, reward: { id: mug } }), `${noInteger} >= 1`],
  [({ mug }) => ({ parameters: { ...three, min_referees: '0' }, reward: { id: mug } }), `${noInteger} >= 1`],
  [({ mug }) => ({ parameters: { ...three, min_referees: 1.5 }, reward: { id: mug } }), `${noInteger} integer,string`],
  [
    ({ mug }) => ({ parameters: { ...each, segment: {} }, reward: { id: mug } }),
    "Property .parameters.segment should have required property 'id'",
  ],
  [() => ({ parameters: each }), "Payload should have required property 'reward'"],
  [() => ({ parameters: each, reward: {} }), "Property .reward should have required property 'id'"],
  [
    ({ coin }) => ({ parameters: each, reward: { id: coin } }),
    'Property .reward.id must be that of a CAMPAIGN or MATERIAL reward',
  ],
]

test.each(badBodies)('creation and update refuse an invalid body: %#', async (body, details) => {
  const shop = await newProject()
  const program = await newProgram(shop)
  const tier = await newTier(shop, program)
  const sent: Body = body(program)
  const refusal = { status: 400, body: { key: 'invalid_payload', details } }
  expect(await create(shop, program, sent)).toMatchObject(refusal)
  // An update may omit members, but the members it has are validated.
  if (sent.parameters !== undefined && sent.reward !== undefined)
    expect(await shop.call('PUT', pathOf(program, tier), sent)).toMatchObject(refusal)
  expect(await ok(shop, 'GET', `/v1/referrals/${program.id}/tiers`)).toMatchObject({ data: [tier], total: 1 })
})

test('a tier cannot refer to unknown objects', async () => {
  const shop = await newProject()
  const program = await newProgram(shop)
  const tier = await newTier(shop, program)
  const cases: Array<[body: object, resource_type: string]> = [
    [{ parameters: each, reward: { id: 'rew_0' } }, 'reward'],
    [{ parameters: { ...each, segment: { id: 'seg_0' } }, reward: { id: program.mug } }, 'segment'],
  ]
  for (const [body, resourceType] of cases) {
    expect(await create(shop, program, body)).toMatchObject({ status: 404, body: { resource_type: resourceType } })
    expect(await shop.call('PUT', pathOf(program, tier), body)).toMatchObject({
      status: 404,
      body: { resource_type: resourceType },
    })
  }
  expect(await ok(shop, 'GET', pathOf(program, tier))).toEqual(tier)
})

test('a tier does not activate its segment, and prevents its deletion', async () => {
  const shop = await newProject()
  const program = await newProgram(shop)
  const id = await newSegment(shop)
  const tier = await newTier(shop, program, { parameters: { ...three, segment: { id } } })
  expect(await ok(shop, 'GET', `/v1/segments/${id}`)).toMatchObject({ type: 'passive' })
  expect(await shop.call('DELETE', `/v1/segments/${id}`)).toMatchObject({
    status: 400,
    body: { key: 'resource_in_use', related_object_type: 'referral_tier', related_object_ids: [tier.id] },
  })
  await ok(shop, 'PUT', pathOf(program, tier), { parameters: three })
  expect((await shop.call('DELETE', `/v1/segments/${id}`)).status).toBe(204)
})

test('only referral programs have referral tiers, each its own', async () => {
  const shop = await newProject()
  const program = await newProgram(shop)
  const tier = await newTier(shop, program)
  const other = await newCampaign(shop, 'Others', { campaign_type: 'REFERRAL_PROGRAM' })
  const calls: Array<[method: string, body?: unknown]> = [['GET'], ['PUT', {}], ['DELETE']]
  for (const [method, body] of calls) {
    expect(await shop.call(method, `/v1/referrals/${other.id}/tiers/${tier.id}`, body)).toMatchObject({
      status: 404,
      body: { resource_type: 'referral_tier' },
    })
    expect(await shop.call(method, `/v1/referrals/Coupons/tiers/${tier.id}`, body)).toMatchObject({
      status: 404,
      body: { resource_type: 'campaign', resource_id: 'Coupons' },
    })
  }
  for (const [method, body] of [['GET'], ['POST', { parameters: 'wrong' }]] as const)
    expect(await shop.call(method, '/v1/referrals/Coupons/tiers', body)).toMatchObject({
      status: 404,
      body: { resource_type: 'campaign' },
    })
  expect((await ok(shop, 'GET', `/v1/referrals/${other.id}/tiers`)).total).toBe(0)
  expect(await ok(shop, 'GET', pathOf(program, tier))).toEqual(tier)
})

describe('the reward of a tier', () => {
  test('cannot be deleted while a tier gives it', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    const tier = await newTier(shop, program)
    expect(await shop.call('DELETE', `/v1/rewards/${program.mug}`)).toMatchObject({
      status: 400,
      body: { key: 'resource_in_use', related_object_ids: [tier.reward.assignment_id] },
    })
    await shop.call('DELETE', pathOf(program, tier))
    expect((await shop.call('DELETE', `/v1/rewards/${program.mug}`)).status).toBe(204)
  })

  test('gets a new assignment when it changes, and keeps it otherwise', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    const tier = await newTier(shop, program)
    const same = await ok(shop, 'PUT', pathOf(program, tier), { reward: { id: program.mug } })
    expect(same.reward).toEqual(tier.reward)
    const other = await ok(shop, 'PUT', pathOf(program, tier), { reward: { id: program.coupon } })
    expect(other.reward).toMatchObject({ id: program.coupon })
    expect(other.reward.assignment_id).not.toBe(tier.reward.assignment_id)
    expect(await ok(shop, 'GET', pathOf(program, tier))).toEqual(other)
    expect(await assignments(shop)).toEqual([
      { id: other.reward.assignment_id, reward_id: program.coupon, related_object_id: tier.id },
    ])
  })

  test('can be shared by several tiers', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    const [first, second] = [await newTier(shop, program), await newTier(shop, program, { parameters: three })]
    expect(second.reward.id).toBe(first.reward.id)
    expect(second.reward.assignment_id).not.toBe(first.reward.assignment_id)
  })
})

test('changes of a tier and its reward reach the configuration of every node', async () => {
  const shop = await newProject()
  const program = await newProgram(shop)
  const { configurations, database } = shop.service.runtime
  const known = async () => {
    const { config_version } = await database.db
      .selectFrom('projects')
      .where('id', '=', shop.project_id as `proj_${string}`)
      .select('config_version')
      .executeTakeFirstOrThrow()
    const { referral_tiers, reward_assignments } = await configurations.atLeast(
      database.db,
      shop.project_id,
      config_version,
    )
    return { tiers: [...referral_tiers.keys()], assignments: [...reward_assignments.keys()] }
  }
  const tier = await newTier(shop, program)
  expect(await known()).toEqual({ tiers: [tier.id], assignments: [tier.reward.assignment_id] })
  const { reward } = await ok(shop, 'PUT', pathOf(program, tier), { reward: { id: program.coupon } })
  expect(await known()).toEqual({ tiers: [tier.id], assignments: [reward.assignment_id] })
  await shop.call('DELETE', pathOf(program, tier))
  expect(await known()).toEqual({ tiers: [], assignments: [] })
})

test('tiers are listed newest first, each once while others are added', async () => {
  const shop = await newProject()
  const program = await newProgram(shop)
  await expectStablePaging({
    shop,
    path: `/v1/referrals/${program.id}/tiers`,
    orders: ['created_at', '-created_at'],
    data_ref: 'data',
    create: async (n) => (await newTier(shop, program, { banner: `${n}` })).id,
  })
  const newest = await newTier(shop, program)
  const { data, total } = await ok(shop, 'GET', `/v1/referrals/${program.id}/tiers?limit=2&page=1`)
  expect([data[0], data.length]).toEqual([newest, 2])
  expect(total).toBeGreaterThan(10)
})

test('a program has at most 100 tiers, even with concurrent requests', async () => {
  const shop = await newProject()
  const program = await newProgram(shop)
  const { id } = await newTier(shop, program)
  const { db } = shop.service.runtime.database
  await sql`insert into referral_tiers select (jsonb_populate_record(t, jsonb_build_object('id', t.id || n))).*
    from referral_tiers t, generate_series(1, 96) n where t.project_id = ${shop.project_id} and t.id = ${id}`.execute(
    db,
  )
  await sql`insert into reward_assignments
    select (jsonb_populate_record(a, jsonb_build_object('id', a.id || n, 'related_object_id', ${id}::text || n))).*
    from reward_assignments a, generate_series(1, 96) n
    where a.project_id = ${shop.project_id} and a.related_object_id = ${id}`.execute(db)
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => create(shop, program, { parameters: each, reward: { id: program.mug } })),
  )
  const refused = answers.filter(({ status }) => status !== 200)
  expect(refused).toHaveLength(3)
  for (const { body } of refused) expect(body.details).toBe('A campaign must NOT have more than 100 referral tiers')
})

test('deleting a program for good deletes its tiers', async () => {
  const shop = await newProject()
  const program = await newProgram(shop)
  const tier = await newTier(shop, program)
  expect((await shop.call('DELETE', `/v1/campaigns/${program.id}?force=true`)).status).toBe(202)
  await runCampaignJobs(shop)
  expect(await shop.call('GET', pathOf(program, tier))).toMatchObject({ status: 404 })
  expect(await assignments(shop)).toEqual([])
  expect((await shop.call('DELETE', `/v1/rewards/${program.mug}`)).status).toBe(204)
  await newCampaign(shop, 'Friends') // its name is free again
})
