import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { newProject, type Shop, uniqueName } from '../../testing/app.ts'
import { newCampaign, runCampaignJobs } from '../../testing/campaigns.ts'
import { newProduct, newRule, when } from '../../testing/checkout.ts'
import { insertRow } from '../../testing/member-rows.ts'
import { ok } from '../../testing/orders.ts'
import { expectStablePaging } from '../../testing/paging.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
type Body = any

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

const newProgram = (shop: Shop): Promise<Body> =>
  newCampaign(shop, uniqueName('Club'), {
    type: 'AUTO_UPDATE',
    voucher: { type: 'LOYALTY_CARD', loyalty_card: { points: 0 } },
  })

const newReward = (shop: Shop, parameters: object): Promise<Body> =>
  ok(shop, 'POST', '/v1/rewards', { name: uniqueName('Reward'), parameters })

const newCoin = (shop: Shop) => newReward(shop, { coin: { exchange_ratio: 1, points_ratio: 10 } })
const newMug = async (shop: Shop) => newReward(shop, { product: { id: (await newProduct(shop, 'Mug')).id } })

const costs = (points: number | string, autoRedeem?: boolean) => ({
  parameters: { loyalty: { points, auto_redeem: autoRedeem } },
})

/** Assigns rewards through the program's endpoint, whatever the response; `offered` expects 200. */
const offer = (shop: Shop, program: Body, ...rewards: object[]) =>
  shop.call('POST', `/v1/loyalties/${program.id}/rewards`, rewards)
const offered = async (shop: Shop, program: Body, reward: Body, more: object = costs(100)): Promise<Body> =>
  (await ok(shop, 'POST', `/v1/loyalties/${program.id}/rewards`, [{ reward: reward.id, ...more }]))[0]

/** Both endpoints that change an assignment. */
const pathsOf = ({ id, reward_id, related_object_id }: Body) => [
  `/v1/loyalties/${related_object_id}/rewards/${id}`,
  `/v1/rewards/${reward_id}/assignments/${id}`,
]

const assignmentEvents = async (
  { service, project_id }: Shop,
  like = 'campaign.reward.assignment.%',
): Promise<Body[]> =>
  service.runtime.database.db
    .selectFrom('events')
    .where('project_id', '=', project_id)
    .where('type', 'like', like)
    .orderBy('id')
    .select(['type', 'entity_id', 'data'])
    .execute()

const rulesOf = async (shop: Shop, id: string): Promise<string[]> => {
  const { data } = await ok(shop, 'GET', `/v1/validation-rules-assignments?related_object_id=${id}`)
  for (const { related_object_type } of data) expect(related_object_type).toBe('reward_assignment')
  return data.map(({ rule_id }: Body) => rule_id)
}

describe('assigning rewards', () => {
  test('works through the program for several at once, returned in their order', async () => {
    const shop = await newProject()
    const [program, mug, coin] = [await newProgram(shop), await newMug(shop), await newCoin(shop)]
    const { status, body } = await offer(shop, program, { reward: mug.id, ...costs('75') }, { reward: coin.id })
    expect(status).toBe(200)
    const common = {
      id: expect.stringMatching(/^rewa_/),
      related_object_id: program.id,
      related_object_type: 'campaign',
      created_at: instant,
      updated_at: null,
      object: 'reward_assignment',
    }
    expect(body).toEqual([
      { ...common, reward_id: mug.id, parameters: { loyalty: { points: 75 } } },
      { ...common, reward_id: coin.id },
    ])
    const named = await ok(shop, 'POST', `/v1/loyalties/${encodeURIComponent(program.name)}/rewards`, [
      { reward: (await newMug(shop)).id, ...costs(5, false) },
    ])
    expect(named[0].parameters).toEqual({ loyalty: { points: 5, auto_redeem: false } })
  })

  test('works through the reward, with a program by id or name', async () => {
    const shop = await newProject()
    const mug = await newMug(shop)
    for (const name of ['id', 'name']) {
      const program = await newProgram(shop)
      const path = `/v1/rewards/${mug.id}/assignments`
      expect(await ok(shop, 'POST', path, { campaign: program[name], ...costs(75, true) })).toEqual({
        id: expect.stringMatching(/^rewa_/),
        reward_id: mug.id,
        related_object_id: program.id,
        related_object_type: 'campaign',
        parameters: { loyalty: { points: 75, auto_redeem: true } },
        created_at: instant,
        updated_at: null,
        object: 'reward_assignment',
      })
    }
  })

  test('emits an event with campaign, reward and assignment', async () => {
    const shop = await newProject()
    const [program, mug, coin] = [await newProgram(shop), await newMug(shop), await newCoin(shop)]
    const { body } = await offer(shop, program, { reward: mug.id, ...costs(75) }, { reward: coin.id })
    const type = 'campaign.reward.assignment.created'
    const campaign = expect.objectContaining({ id: program.id, campaign_type: 'LOYALTY_PROGRAM' })
    expect(await assignmentEvents(shop)).toEqual([
      { type, entity_id: program.id, data: { campaign, reward: mug, reward_assignment: body[0] } },
      { type, entity_id: program.id, data: { campaign, reward: coin, reward_assignment: body[1] } },
    ])
  })

  type Refusal = [about: string, kind: 'mug' | 'coin' | 'points', offer: object, key: string, details: string | RegExp]
  const refusals: Refusal[] = [
    ['no price', 'mug', {}, 'missing_param', "Parameter 'parameters.loyalty' is required"],
    ['no loyalty', 'mug', { parameters: {} }, 'missing_param', "Parameter 'parameters.loyalty' is required"],
    [
      'no points',
      'mug',
      { parameters: { loyalty: { auto_redeem: true } } },
      'missing_param',
      "Parameter 'parameters.loyalty.points' is required",
    ],
    ['a price of 0', 'mug', costs(0), 'invalid_payload', /\.parameters\.loyalty\.points must be >= 1/],
    ['a price of 0 as a string', 'mug', costs('0'), 'invalid_payload', /\.loyalty\.points must be >= 1/],
    ['a price that is not a number', 'mug', costs('many'), 'invalid_payload', /\.parameters\.loyalty\.points/],
    ['a price for a COIN reward', 'coin', costs(5), 'invalid_payload', /\.points is not for COIN rewards/],
    [
      'an automatic COIN reward',
      'coin',
      { parameters: { loyalty: { auto_redeem: true } } },
      'invalid_payload',
      /\.auto_redeem is not for COIN rewards/,
    ],
    [
      'two rules',
      'coin',
      { validation_rules: ['val_1', 'val_2'] },
      'invalid_payload',
      /\.validation_rules must NOT have more than 1 items/,
    ],
    ['an unknown rule', 'coin', { validation_rules: ['val_0'] }, 'not_found', /validation_rules with id val_0/],
    [
      'a rule for a reward other than COIN',
      'mug',
      { ...costs(5), validation_rules: ['val_1'] },
      'invalid_payload',
      /\.validation_rules is for COIN rewards only/,
    ],
    ['points of the program itself', 'points', costs(5), 'invalid_payload', /cannot be assigned to it/],
  ]

  test.each(refusals)('is refused with %s, through both endpoints', async (_, kind, more, key, details) => {
    const shop = await newProject()
    const program = await newProgram(shop)
    const makers = {
      mug: () => newMug(shop),
      coin: () => newCoin(shop),
      points: () => newReward(shop, { campaign: { id: program.id, balance: 5 } }),
    }
    const reward = await makers[kind]()
    const answers = [
      await offer(shop, program, { reward: reward.id, ...more }),
      await shop.call('POST', `/v1/rewards/${reward.id}/assignments`, { campaign: program.id, ...more }),
    ]
    for (const { status, body } of answers) {
      expect({ status, key: body.key }).toEqual({ status: key === 'not_found' ? 404 : 400, key })
      expect(body.details).toMatch(details)
    }
    expect((await ok(shop, 'GET', `/v1/rewards/${reward.id}/assignments`)).total).toBe(0)
    expect(await assignmentEvents(shop)).toEqual([])
  })

  test('a program may offer points of another program', async () => {
    const shop = await newProject()
    const [program, other] = [await newProgram(shop), await newProgram(shop)]
    const reward = await newReward(shop, { campaign: { id: other.id, balance: 5 } })
    expect(await offered(shop, program, reward)).toMatchObject({ related_object_id: program.id })
  })

  test('is all or nothing, and limited to 100 rewards', async () => {
    const shop = await newProject()
    const [program, mug] = [await newProgram(shop), await newMug(shop)]
    const path = `/v1/loyalties/${program.id}/rewards`
    expect(await offer(shop, program, { reward: mug.id, ...costs(5) }, { reward: 'rew_0', ...costs(5) })).toMatchObject(
      { status: 404, body: { resource_type: 'reward', resource_id: 'rew_0' } },
    )
    expect(await shop.call('POST', path, [])).toMatchObject({ status: 400, body: { key: 'invalid_payload' } })
    const many = Array.from({ length: 101 }, () => ({ reward: mug.id, ...costs(5) }))
    expect(await shop.call('POST', path, many)).toMatchObject({ status: 400, body: { key: 'invalid_payload' } })
    const wrong = await offer(shop, program, { reward: mug.id, ...costs(5) }, { reward: (await newMug(shop)).id })
    expect(wrong).toMatchObject({ status: 400, body: { key: 'missing_param' } })
    expect((await ok(shop, 'GET', path)).total).toBe(0)
  })

  test('works once per reward and program', async () => {
    const shop = await newProject()
    const [program, mug] = [await newProgram(shop), await newMug(shop)]
    const { id } = await offered(shop, program, mug)
    const again = { reward: mug.id, ...costs(5) }
    const refused = {
      status: 409,
      body: { key: 'duplicate_found', details: `Duplicated reward_assignment exists with id ${id}` },
    }
    expect(await offer(shop, program, again)).toMatchObject(refused)
    expect(
      await shop.call('POST', `/v1/rewards/${mug.id}/assignments`, { campaign: program.id, ...costs(5) }),
    ).toMatchObject(refused)
    const other = await newMug(shop)
    expect(
      await offer(shop, program, { reward: other.id, ...costs(5) }, { reward: other.id, ...costs(6) }),
    ).toMatchObject({ status: 409 })
    expect((await ok(shop, 'GET', `/v1/loyalties/${program.id}/rewards`)).total).toBe(1)
  })

  test('works only for loyalty programs that are not protected', async () => {
    const shop = await newProject()
    const mug = await newMug(shop)
    const coupons = await newCampaign(shop, 'Coupons')
    const path = `/v1/rewards/${mug.id}/assignments`
    for (const [campaign, resourceId] of [
      [coupons.id, coupons.id],
      ['camp_0', 'camp_0'],
    ])
      expect(await shop.call('POST', path, { campaign, ...costs(5) })).toMatchObject({
        status: 404,
        body: { resource_type: 'campaign', resource_id: resourceId },
      })
    expect(await offer(shop, coupons, { reward: mug.id, ...costs(5) })).toMatchObject({
      status: 404,
      body: { resource_type: 'campaign' },
    })
    expect(await shop.call('POST', path, costs(5))).toMatchObject({ status: 400, body: { key: 'invalid_payload' } })

    const program = await newProgram(shop)
    const assignment = await offered(shop, program, mug)
    await sql`update campaigns set protected = true where project_id = ${shop.project_id} and id = ${program.id}`.execute(
      shop.service.runtime.database.db,
    )
    const refused = { status: 400, body: { key: 'resource_protected' } }
    expect(await offer(shop, program, { reward: (await newCoin(shop)).id })).toMatchObject(refused)
    for (const place of pathsOf(assignment)) {
      expect(await shop.call('PUT', place, costs(6))).toMatchObject(refused)
      expect(await shop.call('DELETE', place)).toMatchObject(refused)
    }
  })
})

describe('the validation rule of a COIN reward', () => {
  const rule = (shop: Shop) => newRule(shop, when('order.amount', { $more_than: [100] }))

  test('is assigned, replaced and removed with the assignment', async () => {
    const shop = await newProject()
    const [program, coin] = [await newProgram(shop), await newCoin(shop)]
    const [one, other] = [await rule(shop), await rule(shop)]
    const assignment = await offered(shop, program, coin, { validation_rules: [one.id] })
    expect(await rulesOf(shop, assignment.id)).toEqual([one.id])

    for (const [index, wanted] of [[other.id], [other.id], [], [one.id]].entries()) {
      const place = pathsOf(assignment)[index % 2] as string
      expect(await shop.call('PUT', place, { validation_rules: wanted })).toMatchObject({ status: 200 })
      expect(await rulesOf(shop, assignment.id)).toEqual(wanted)
    }
    const both = { validation_rules: [one.id, other.id] }
    for (const place of pathsOf(assignment))
      expect(await shop.call('PUT', place, both)).toMatchObject({ status: 400, body: { key: 'invalid_payload' } })
    await ok(shop, 'PUT', pathsOf(assignment)[0] as string, {})
    expect(await rulesOf(shop, assignment.id)).toEqual([one.id])

    expect(await shop.call('DELETE', pathsOf(assignment)[0] as string)).toMatchObject({ status: 204 })
    expect(await rulesOf(shop, assignment.id)).toEqual([])
    expect(
      (await assignmentEvents(shop, 'business_validation_rule.assignment.%')).map(({ type }) => type.split('.').pop()),
    ).toEqual(['created', 'deleted', 'created', 'deleted', 'created', 'deleted'])
  })

  test('can be assigned through the validation rule', async () => {
    const shop = await newProject()
    const assignment = await offered(shop, await newProgram(shop), await newCoin(shop), {})
    const { id } = await newRule(shop, when('order.amount', { $more_than: [100] }), {
      reward_assignment: assignment.id,
    })
    expect(await rulesOf(shop, assignment.id)).toEqual([id])
    expect(
      await shop.call('POST', `/v1/validation-rules/${id}/assignments`, {
        related_object_type: 'reward_assignment',
        related_object_id: 'rewa_0',
      }),
    ).toMatchObject({ status: 404, body: { resource_type: 'reward_assignment' } })
  })
})

describe('automatic redemption in a program', () => {
  const refused = {
    status: 400,
    body: { key: 'invalid_payload', details: 'A campaign must NOT have more than one reward with auto_redeem' },
  }

  test('is limited to one reward, through every endpoint', async () => {
    const shop = await newProject()
    const [program, mug, plate] = [await newProgram(shop), await newMug(shop), await newMug(shop)]
    expect(
      await offer(shop, program, { reward: mug.id, ...costs(5, true) }, { reward: plate.id, ...costs(5, true) }),
    ).toMatchObject(refused)
    const first = await offered(shop, program, mug, costs(5, true))
    expect(await offer(shop, program, { reward: plate.id, ...costs(5, true) })).toMatchObject(refused)
    const second = await offered(shop, program, plate, costs(5))
    for (const place of pathsOf(second))
      expect(await shop.call('PUT', place, { parameters: { loyalty: { auto_redeem: true } } })).toMatchObject(refused)
    // An assignment does not conflict with itself.
    expect(await shop.call('PUT', pathsOf(first)[0] as string, costs(6, true))).toMatchObject({ status: 200 })

    await ok(shop, 'PUT', pathsOf(first)[1] as string, { parameters: { loyalty: { auto_redeem: false } } })
    expect(
      await ok(shop, 'PUT', pathsOf(second)[0] as string, { parameters: { loyalty: { auto_redeem: true } } }),
    ).toMatchObject({ parameters: { loyalty: { points: 5, auto_redeem: true } } })
  })

  test('is possible in each program', async () => {
    const shop = await newProject()
    const mug = await newMug(shop)
    await offered(shop, await newProgram(shop), mug, costs(5, true))
    await offered(shop, await newProgram(shop), mug, costs(5, true))
  })
})

describe('changing an assignment', () => {
  test('keeps omitted members, through both endpoints, and emits an event', async () => {
    const shop = await newProject()
    const [program, mug] = [await newProgram(shop), await newMug(shop)]
    const assignment = await offered(shop, program, mug, costs(100, true))
    const [inProgram, ofReward] = pathsOf(assignment) as [string, string]
    const after = (loyalty: object) => ({ ...assignment, parameters: { loyalty }, updated_at: instant })
    const steps: Array<[string, object, object]> = [
      [inProgram, costs('120'), { points: 120, auto_redeem: true }],
      [ofReward, { parameters: { loyalty: { auto_redeem: false } } }, { points: 120, auto_redeem: false }],
      [ofReward, costs(80), { points: 80, auto_redeem: false }],
      [inProgram, {}, { points: 80, auto_redeem: false }],
    ]
    for (const [place, body, loyalty] of steps) expect(await ok(shop, 'PUT', place, body)).toEqual(after(loyalty))
    for (const place of [inProgram, ofReward]) {
      expect(await ok(shop, 'GET', place)).toEqual(after({ points: 80, auto_redeem: false }))
      expect(await shop.call('PUT', place, costs(0))).toMatchObject({ status: 400, body: { key: 'invalid_payload' } })
    }
    const events = await assignmentEvents(shop)
    expect(events.map(({ type }) => type.split('.').pop())).toEqual(['created', ...steps.map(() => 'updated')])
    expect(events[1].data).toMatchObject({
      campaign: { id: program.id },
      reward: { id: mug.id },
      reward_assignment: after({ points: 120, auto_redeem: true }),
    })
  })

  test('sets no price for a COIN reward', async () => {
    const shop = await newProject()
    const assignment = await offered(shop, await newProgram(shop), await newCoin(shop), {})
    for (const place of pathsOf(assignment)) {
      expect(await shop.call('PUT', place, costs(5))).toMatchObject({ status: 400, body: { key: 'invalid_payload' } })
      expect(await ok(shop, 'PUT', place, {})).not.toHaveProperty('parameters')
    }
  })
})

describe('deleting an assignment', () => {
  test('removes it from the tiers of its program, but not from others', async () => {
    const shop = await newProject()
    const [program, other] = [await newProgram(shop), await newProgram(shop)]
    const [mug, plate] = [await newMug(shop), await newMug(shop)]
    const assignment = await offered(shop, program, mug)
    const kept = await offered(shop, program, plate)
    await offered(shop, other, mug)
    const mapping = { type: 'MULTIPLY', multiplier: 0.5 }
    const tier = (id: string, campaign: Body, ...keys: string[]) =>
      insertRow(shop, 'loyalty_tiers', {
        id,
        campaign_id: campaign.id,
        name: id,
        earning_rules: {},
        rewards: Object.fromEntries(keys.map((key) => [key, mapping])),
        metadata: {},
        created_at: '2031-05-10T09:00:00.000Z',
        config_version: 1,
      })
    await tier('ltr_both', program, assignment.id, mug.id, kept.id, plate.id)
    await tier('ltr_reward', program, mug.id)
    await tier('ltr_none', program, kept.id)
    await tier('ltr_other', other, mug.id)

    expect(await shop.call('DELETE', pathsOf(assignment)[0] as string)).toMatchObject({ status: 204 })
    const { rows } = await sql<Body>`
      select l.id, l.rewards, l.updated_at is not null as touched, l.config_version > 1 as stamped, p.config_version as version
      from loyalty_tiers l join projects p on p.id = l.project_id where p.id = ${shop.project_id} order by l.id`.execute(
      shop.service.runtime.database.db,
    )
    expect(rows.map(({ version: _, ...tier }) => tier)).toEqual([
      { id: 'ltr_both', rewards: { [kept.id]: mapping, [plate.id]: mapping }, touched: true, stamped: true },
      { id: 'ltr_none', rewards: { [kept.id]: mapping }, touched: false, stamped: false },
      { id: 'ltr_other', rewards: { [mug.id]: mapping }, touched: false, stamped: false },
      { id: 'ltr_reward', rewards: {}, touched: true, stamped: true },
    ])
    const changed = await assignmentEvents(shop, 'campaign.loyalty_tier.%')
    expect(changed.map(({ type, data }) => [type, data.loyalty_tier.id]).sort()).toEqual([
      ['campaign.loyalty_tier.updated', 'ltr_both'],
      ['campaign.loyalty_tier.updated', 'ltr_reward'],
    ])
  })

  test('works once, through both endpoints, and emits an event', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    for (const index of [0, 1]) {
      const mug = await newMug(shop)
      const assignment = await offered(shop, program, mug)
      const place = pathsOf(assignment)[index] as string
      expect(await shop.call('DELETE', place)).toMatchObject({ status: 204 })
      for (const each of pathsOf(assignment))
        for (const method of ['GET', 'PUT', 'DELETE'])
          expect(await shop.call(method, each, method === 'PUT' ? {} : undefined)).toMatchObject({
            status: 404,
            body: { resource_type: 'reward_assignment', resource_id: assignment.id },
          })
      expect((await assignmentEvents(shop)).at(-1)).toMatchObject({
        type: 'campaign.reward.assignment.deleted',
        entity_id: program.id,
        data: { campaign: { id: program.id }, reward: mug, reward_assignment: assignment },
      })
      expect(await offered(shop, program, mug)).toMatchObject({ reward_id: mug.id })
    }
  })

  test('is refused for that of a referral tier, which changes only with the tier', async () => {
    const shop = await newProject()
    const mug = await newMug(shop)
    await insertRow(shop, 'reward_assignments', {
      id: 'rewa_tier',
      reward_id: mug.id,
      related_object_type: 'referral_tier',
      related_object_id: 'reft_1',
      parameters: {},
      created_at: '2031-05-10T09:00:00.000Z',
      config_version: 1,
    })
    const place = `/v1/rewards/${mug.id}/assignments/rewa_tier`
    expect(await ok(shop, 'GET', place)).toMatchObject({
      related_object_type: 'referral_tier',
      related_object_id: 'reft_1',
    })
    for (const method of ['PUT', 'DELETE'])
      expect(await shop.call(method, place, method === 'PUT' ? costs(5) : undefined)).toMatchObject({
        status: 400,
        body: { key: 'resource_in_use', related_object_type: 'referral_tier', related_object_ids: ['reft_1'] },
      })
  })

  test('happens with its program, deleted for good or into the bin', async () => {
    const shop = await newProject()
    const coin = await newCoin(shop)
    const rule = await newRule(shop, when('order.amount', { $more_than: [100] }))
    for (const query of ['', '?force=true']) {
      const program = await newProgram(shop)
      const { id } = await offered(shop, program, coin, { validation_rules: [rule.id] })
      expect(await shop.call('DELETE', `/v1/campaigns/${program.id}${query}`)).toMatchObject({ status: 202 })
      await runCampaignJobs(shop)
      expect(await rulesOf(shop, id)).toEqual([])
    }
    expect((await ok(shop, 'GET', `/v1/rewards/${coin.id}/assignments`)).total).toBe(0)
    // Only the deletion of the program is emitted.
    expect((await assignmentEvents(shop)).map(({ type }) => type.split('.').pop())).toEqual(['created', 'created'])
  })
})

describe('reading assignments', () => {
  test('lists by program and by reward, newest first', async () => {
    const shop = await newProject()
    const [program, other] = [await newProgram(shop), await newProgram(shop)]
    const [mug, coin] = [await newMug(shop), await newCoin(shop)]
    const first = await offered(shop, program, mug)
    const second = await offered(shop, program, coin, {})
    const elsewhere = await offered(shop, other, mug)

    const list = (data: Body[], total = data.length) => ({ object: 'list', data_ref: 'data', data, total })
    for (const [tree, name] of [
      ['reward-assignments', 'assignmentId'],
      ['rewards', 'assignment_id'],
    ]) {
      const path = `/v1/loyalties/${program.id}/${tree}`
      expect(await ok(shop, 'GET', path)).toEqual(list([second, first]))
      expect(await ok(shop, 'GET', `${path}?limit=1&page=2`)).toEqual(list([first], 2))
      expect(await ok(shop, 'GET', `${path}?${name}=${first.id}`)).toEqual(list([first]))
      expect(await ok(shop, 'GET', `${path}?${name}=${elsewhere.id}`)).toEqual(list([]))
      expect(await ok(shop, 'GET', `${path}/${first.id}`)).toEqual(first)
      expect(await shop.call('GET', `${path}/${elsewhere.id}`)).toMatchObject({
        status: 404,
        body: { resource_type: 'reward_assignment', resource_id: elsewhere.id },
      })
    }
    expect(await ok(shop, 'GET', `/v1/rewards/${mug.id}/assignments`)).toEqual(list([elsewhere, first]))
    expect(await shop.call('GET', `/v1/rewards/${mug.id}/assignments/${second.id}`)).toMatchObject({
      status: 404,
      body: { resource_type: 'reward_assignment' },
    })
    expect(await shop.call('GET', '/v1/rewards/rew_0/assignments')).toMatchObject({
      status: 404,
      body: { resource_type: 'reward' },
    })
  })

  test('returns one with its reward', async () => {
    const shop = await newProject()
    const [program, mug] = [await newProgram(shop), await newMug(shop)]
    const { id } = await offered(shop, program, mug)
    expect(await ok(shop, 'GET', `/v1/loyalties/${program.id}/reward-assignments/${id}/reward`)).toEqual(mug)
    const other = await newProgram(shop)
    expect(await shop.call('GET', `/v1/loyalties/${other.id}/reward-assignments/${id}/reward`)).toMatchObject({
      status: 404,
      body: { resource_type: 'reward_assignment' },
    })
  })

  test('returns 404 for a campaign of another type', async () => {
    const shop = await newProject()
    const coupons = await newCampaign(shop, 'Coupons')
    for (const tree of ['reward-assignments', 'rewards', 'rewards/rewa_0', 'reward-assignments/rewa_0/reward'])
      expect(await shop.call('GET', `/v1/loyalties/${coupons.id}/${tree}`)).toMatchObject({
        status: 404,
        body: { resource_type: 'campaign', resource_id: coupons.id },
      })
  })

  test.each(['reward-assignments', 'rewards'])(
    'lists those of a program as %s, each once while others are added',
    async (tree) => {
      const shop = await newProject()
      const program = await newProgram(shop)
      await expectStablePaging({
        shop,
        path: `/v1/loyalties/${program.id}/${tree}`,
        orders: ['-created_at', 'created_at'],
        data_ref: 'data',
        create: async () => (await offered(shop, program, await newCoin(shop), {})).id,
      })
    },
  )

  test('lists those of a reward, each once while others are added', async () => {
    const shop = await newProject()
    const coin = await newCoin(shop)
    await expectStablePaging({
      shop,
      path: `/v1/rewards/${coin.id}/assignments`,
      orders: ['-created_at', 'created_at'],
      data_ref: 'data',
      create: async () => (await offered(shop, await newProgram(shop), coin, {})).id,
    })
  })
})

test('every change increments the configuration version; a refusal does not', async () => {
  const shop = await newProject()
  const [program, mug] = [await newProgram(shop), await newMug(shop)]
  const versions = async () => {
    const { rows } = await sql<{ project: number; assignment: number | null; gone: string[] | null }>`
      select config_version as project,
        (select max(config_version) from reward_assignments where project_id = projects.id) as assignment,
        (select array_agg(object_id) from configuration_deletions
          where project_id = projects.id and object_type = 'reward_assignment') as gone
      from projects where id = ${shop.project_id}`.execute(shop.service.runtime.database.db)
    return rows[0] as (typeof rows)[number]
  }
  const { project: before } = await versions()
  const assignment = await offered(shop, program, mug)
  expect(await versions()).toEqual({ project: before + 1, assignment: before + 1, gone: null })
  await ok(shop, 'PUT', pathsOf(assignment)[0] as string, costs(5))
  expect(await versions()).toEqual({ project: before + 2, assignment: before + 2, gone: null })
  await shop.call('PUT', pathsOf(assignment)[0] as string, costs(0))
  await offer(shop, program, { reward: mug.id, ...costs(5) })
  expect(await versions()).toEqual({ project: before + 2, assignment: before + 2, gone: null })
  await shop.call('DELETE', pathsOf(assignment)[0] as string)
  const { project, assignment: none, gone } = await versions()
  expect({ none, gone }).toEqual({ none: null, gone: [assignment.id] })
  expect(project).toBeGreaterThan(before + 2)
})
