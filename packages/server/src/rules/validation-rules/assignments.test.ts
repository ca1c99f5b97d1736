import { Value } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import type { Ctx } from '../../core/context.ts'
import { catalogue, type EventType } from '../../core/events/catalogue.ts'
import { limits } from '../../core/lib/limits.ts'
import { newProject } from '../../testing/app.ts'
import { type AssignableShop, newAssignableShop } from '../../testing/assignable.ts'
import { expectStablePaging } from '../../testing/paging.ts'
import { listAssignmentsOf } from './assignment-store.ts'

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

const assign = (shop: AssignableShop, rule: string, body: object, query = '') =>
  shop.call('POST', `/v1/validation-rules/${rule}/assignments${query}`, body)

async function newAssignment(shop: AssignableShop, rule: string, body: object, query = '') {
  shop.service.clock.advance(1) // each gets a different time, and with it a place in the order
  const answer = await assign(shop, rule, body, query)
  expect(answer).toMatchObject({ status: 200 })
  return answer.body
}

const listed = async (shop: AssignableShop, query = '') =>
  (await shop.call('GET', `/v1/validation-rules-assignments${query}`)).body

const ruleOf = async (shop: AssignableShop, id: string) => (await shop.call('GET', `/v1/validation-rules/${id}`)).body

async function eventsOf(shop: AssignableShop, type: string) {
  const rows = await shop.service.runtime.database.db
    .selectFrom('events')
    .where('project_id', '=', shop.project_id)
    .where('type', 'like', `business_validation_rule.${type}`)
    .orderBy('id')
    .select(['type', 'entity_id', 'data'])
    .execute()
  for (const { type, data } of rows)
    expect(Value.Check(catalogue[type as EventType].data, data), `${type}: ${JSON.stringify(data)}`).toBe(true)
  return rows.map(({ type, entity_id, data }) => ({ type: type.split('.').slice(1).join('.'), entity_id, data }))
}

const marksOf = async (shop: AssignableShop) =>
  shop.service.runtime.database.db
    .selectFrom('configuration_deletions')
    .where('project_id', '=', shop.project_id)
    .orderBy('config_version')
    .select(['config_version', 'object_type', 'object_id'])
    .execute()

const versionOf = async (shop: AssignableShop) => {
  const { config_version } = await shop.service.runtime.database.db
    .selectFrom('projects')
    .where('id', '=', shop.project_id as `proj_${string}`)
    .select('config_version')
    .executeTakeFirstOrThrow()
  return config_version
}

const allNull = { voucher: null, campaign: null, promotion_tier: null, earning_rule: null, distribution: null }

test('E25 Assignments: a code resolves to its voucher, a repetition is a duplicate, force replaces', async () => {
  const shop = await newAssignableShop()
  const voucherId = await shop.newVoucher('SPRING')
  const rule = await shop.newRule({ name: 'A' })

  const first = await newAssignment(shop, rule, { related_object_id: 'SPRING' })
  expect(first).toEqual({
    id: expect.stringMatching(/^asgm_[0-9A-Za-z]{16}$/),
    rule_id: rule,
    related_object_id: voucherId,
    related_object_type: 'voucher',
    created_at: instant,
    object: 'validation_rules_assignment',
  })
  for (const reference of ['SPRING', voucherId])
    expect(await assign(shop, rule, { related_object_id: reference }, '?force=false')).toMatchObject({
      status: 409,
      body: {
        key: 'duplicate_found',
        details: `Duplicated validation_rules_assignment exists with related_object_id ${reference}`,
        resource_id: first.id,
        resource_type: 'validation_rules_assignment',
      },
    })
  const second = await newAssignment(shop, rule, { related_object_id: voucherId }, '?force=true')
  expect(second).toEqual({ ...first, id: expect.stringMatching(/^asgm_/), created_at: instant })
  expect(second.id).not.toBe(first.id)
  expect(await listed(shop)).toEqual({ object: 'list', data_ref: 'data', data: [second], total: 1 })
  expect(await ruleOf(shop, rule)).toMatchObject({ assignments_count: 1 })

  expect((await shop.call('GET', '/v1/validation-rules/val_none/assignments')).body).toEqual({
    object: 'list',
    data_ref: 'data',
    data: [],
    total: 0,
  })
  const voucher = expect.objectContaining({ id: voucherId, code: 'SPRING', object: 'voucher' })
  const expected = {
    entity_id: rule,
    data: { rule: expect.objectContaining({ id: rule, name: 'A' }), ...allNull, voucher },
  }
  expect(await eventsOf(shop, 'assignment.%')).toEqual([
    { type: 'assignment.created', ...expected, data: { ...expected.data, assignment: first } },
    { type: 'assignment.deleted', ...expected, data: { ...expected.data, assignment: first } },
    { type: 'assignment.created', ...expected, data: { ...expected.data, assignment: second } },
  ])
  const counts = (await eventsOf(shop, 'assignment.%')).map(({ data }) => (data as typeof expected.data).rule)
  expect(counts).toMatchObject([{ assignments_count: 1 }, { assignments_count: 0 }, { assignments_count: 1 }])
})

describe('the referenced object', () => {
  const bodies: Array<[body: object, type: string]> = [
    [{ related_object_id: 'SPRING' }, 'voucher'],
    [{ related_object_type: null, related_object_id: 'SPRING' }, 'voucher'],
    [{ related_object_type: 'voucher', related_object_id: 'SPRING' }, 'voucher'],
    [{ related_object_type: 'campaign', related_object_id: 'SPRING' }, 'campaign'],
    [{ related_object_type: 'reward_assignment', related_object_id: 'SPRING' }, 'reward_assignment'],
    [{ voucher: 'SPRING' }, 'voucher'],
    [{ campaign: 'SPRING' }, 'campaign'],
    [{ related_object_type: 'campaign', related_object_id: 'SPRING', voucher: 'UNKNOWN' }, 'campaign'],
    [{ related_object_id: null, voucher: null, campaign: 'SPRING' }, 'campaign'],
  ]
  test.each(bodies)('%j resolves to a %s', async (body, relatedObjectType) => {
    const shop = await newAssignableShop()
    const relatedObjectId = await shop.newVoucher('SPRING')
    const rule = await shop.newRule()
    expect(await newAssignment(shop, rule, body)).toMatchObject({
      related_object_id: relatedObjectId,
      related_object_type: relatedObjectType,
    })
    const [event] = await eventsOf(shop, 'assignment.created')
    const relatedObject = relatedObjectType in allNull ? { [relatedObjectType]: { id: relatedObjectId } } : {}
    expect(event?.data).toMatchObject({ ...allNull, ...relatedObject })
  })

  const missing: Array<[body: object, resource_type: string]> = [
    [{ related_object_id: 'UNKNOWN' }, 'voucher'],
    [{ related_object_type: 'campaign', related_object_id: 'UNKNOWN' }, 'campaign'],
    [{ promotion_tier: 'UNKNOWN' }, 'promotion_tier'],
    // No object of these types exists.
    [{ related_object_type: 'promotion_tier', related_object_id: 'SPRING' }, 'promotion_tier'],
    [{ related_object_type: 'earning_rule', related_object_id: 'SPRING' }, 'earning_rule'],
    [{ related_object_type: 'distribution', related_object_id: 'SPRING' }, 'distribution'],
  ]
  test.each(missing)('%j is reported as an unknown %s', async (body, resourceType) => {
    const shop = await newAssignableShop()
    await shop.newVoucher('SPRING')
    const rule = await shop.newRule()
    const resourceId = Object.values(body).at(-1)
    expect(await assign(shop, rule, body)).toMatchObject({
      status: 404,
      body: {
        key: 'not_found',
        details: `Cannot find ${resourceType} with id ${resourceId}`,
        resource_id: resourceId,
        resource_type: resourceType,
      },
    })
    expect(await listed(shop)).toMatchObject({ total: 0 })
  })

  test('an unknown object of every type is reported with its type', async () => {
    const shop = await newProject()
    const rule = (await shop.call('POST', '/v1/validation-rules', {})).body.id
    for (const type of ['voucher', 'campaign', 'promotion_tier', 'earning_rule', 'reward_assignment', 'distribution'])
      expect(
        await shop.call('POST', `/v1/validation-rules/${rule}/assignments?force=true`, {
          related_object_type: type,
          related_object_id: 'SPRING',
        }),
      ).toMatchObject({ status: 404, body: { resource_id: 'SPRING', resource_type: type } })
  })

  test('the object of another project is unknown', async () => {
    const [shop, other] = [await newAssignableShop(), await newAssignableShop()]
    const voucherId = await other.newVoucher('SPRING')
    const rule = await shop.newRule()
    for (const relatedObjectId of ['SPRING', voucherId])
      expect(await assign(shop, rule, { related_object_id: relatedObjectId })).toMatchObject({ status: 404 })
  })

  const badBodies: Array<[body: object, details: string]> = [
    [{}, "Payload should have required property 'related_object_id'"],
    [{ related_object_type: 'campaign' }, "Payload should have required property 'related_object_id'"],
    [{ related_object_id: 7 }, 'Property .related_object_id must be string,null'],
    [{ related_object_id: '' }, 'Property .related_object_id must NOT have fewer than 1 characters'],
    [{ voucher: {} }, 'Property .voucher must be string,null'],
    [
      { related_object_type: 'customer', related_object_id: 'a' },
      'Property .related_object_type must be equal to one of the allowed values [ voucher, campaign, promotion_tier, earning_rule, reward_assignment, distribution ]',
    ],
  ]
  test.each(badBodies)('%j is refused: %s', async (body, details) => {
    const shop = await newAssignableShop()
    const rule = await shop.newRule()
    expect(await assign(shop, rule, body)).toMatchObject({ status: 400, body: { key: 'invalid_payload', details } })
  })

  test('an unknown rule is reported before the body is validated', async () => {
    const shop = await newAssignableShop()
    expect(await assign(shop, 'val_none', { related_object_id: 7 })).toMatchObject({
      status: 404,
      body: { resource_id: 'val_none', resource_type: 'validation_rules' },
    })
    expect(await assign(shop, 'val_none', {}, '?force=perhaps')).toMatchObject({
      status: 400,
      body: { key: 'invalid_query_params', details: 'Property .force must be boolean' },
    })
  })
})

describe('an object and its rules', () => {
  test('may have many rules, also the same under another type; force replaces the equal assignment only', async () => {
    const shop = await newAssignableShop()
    const [a, b] = [await shop.newRule(), await shop.newRule()]
    await shop.newVoucher('SPRING')
    await shop.newVoucher('SUMMER')
    const kept = [
      await newAssignment(shop, a, { related_object_id: 'SUMMER' }),
      await newAssignment(shop, b, { related_object_id: 'SPRING' }),
      await newAssignment(shop, a, { related_object_type: 'campaign', related_object_id: 'SPRING' }),
    ]
    await newAssignment(shop, a, { related_object_id: 'SPRING' }, '?force=true') // nothing to replace yet
    const last = await newAssignment(shop, a, { related_object_id: 'SPRING' }, '?force=true')
    const { data, total } = await listed(shop, '?order=created_at')
    expect(total).toBe(4)
    expect(data).toEqual(expect.arrayContaining([...kept, last]))
    expect(await ruleOf(shop, a)).toMatchObject({ assignments_count: 3 })
    expect(await ruleOf(shop, b)).toMatchObject({ assignments_count: 1 })
    const counts = (await shop.call('GET', '/v1/validation-rules')).body.data.map(
      ({ id, assignments_count }: Record<string, unknown>) => [id, assignments_count],
    )
    expect(new Map(counts)).toEqual(
      new Map([
        [a, 3],
        [b, 1],
      ]),
    )
    const updated = await shop.call('PUT', `/v1/validation-rules/${a}`, { name: 'A' })
    expect(updated.body).toMatchObject({ assignments_count: 3 })
  })

  test('deleting the object deletes its assignments, with events that still contain it', async () => {
    const shop = await newAssignableShop()
    const [a, b] = [await shop.newRule({ name: 'A' }), await shop.newRule({ name: 'B' })]
    const voucherId = await shop.newVoucher('SPRING')
    await shop.newVoucher('SUMMER')
    const gone = [
      await newAssignment(shop, a, { related_object_id: 'SPRING' }),
      await newAssignment(shop, b, { related_object_id: 'SPRING' }),
    ]
    const kept = [
      await newAssignment(shop, a, { related_object_id: 'SUMMER' }),
      await newAssignment(shop, a, { related_object_type: 'campaign', related_object_id: 'SPRING' }),
    ]
    expect(await shop.call('DELETE', '/v1/vouchers/SPRING')).toMatchObject({ status: 204 })
    expect((await listed(shop, '?order=created_at')).data).toEqual(kept)

    const events = await eventsOf(shop, 'assignment.deleted')
    expect(events.map(({ data }) => data)).toMatchObject(
      gone.map((assignment) => ({
        rule: { id: assignment.rule_id, name: assignment.rule_id === a ? 'A' : 'B' },
        assignment,
        ...allNull,
        voucher: { id: voucherId, code: 'SPRING' },
      })),
    )
    const version = await versionOf(shop)
    expect(await marksOf(shop)).toEqual([
      { config_version: version - 2, object_type: 'rule_assignment', object_id: gone[0].id },
      { config_version: version - 1, object_type: 'rule_assignment', object_id: gone[1].id },
      { config_version: version, object_type: 'voucher', object_id: voucherId },
    ])
  })

  test('assignments are listed in the order of creation', async () => {
    const shop = await newAssignableShop()
    const ctx = { db: shop.service.runtime.database.db, project_id: shop.project_id } as Ctx
    const [a, b] = [await shop.newRule(), await shop.newRule()]
    const [spring, summer] = [await shop.newVoucher('SPRING'), await shop.newVoucher('SUMMER')]
    const first = await newAssignment(shop, b, { related_object_id: 'SUMMER' })
    const second = await newAssignment(shop, b, { related_object_id: 'SPRING' })
    const third = await newAssignment(shop, a, { related_object_id: 'SPRING' })
    const campaign = await newAssignment(shop, a, { related_object_type: 'campaign', related_object_id: 'SPRING' })

    expect(await listAssignmentsOf(ctx, 'voucher', [spring])).toEqual([second, third])
    expect(await listAssignmentsOf(ctx, 'voucher', [spring, 'v_none', summer])).toEqual([first, second, third])
    expect(await listAssignmentsOf(ctx, 'campaign', [spring, summer])).toEqual([campaign])
    expect(await listAssignmentsOf(ctx, 'voucher', [])).toEqual([])
    const { project_id } = await newProject()
    expect(await listAssignmentsOf({ ...ctx, project_id }, 'voucher', [spring])).toEqual([])
  })

  test('an object without rules is deleted without events about rules', async () => {
    const shop = await newAssignableShop()
    await shop.newVoucher('SPRING')
    const before = await versionOf(shop)
    await shop.call('DELETE', '/v1/vouchers/SPRING')
    expect(await versionOf(shop)).toBe(before + 1) // its own
    expect(await eventsOf(shop, '%')).toEqual([])
  })
})

describe('DELETE /v1/validation-rules/{validationRuleId}/assignments/{assignmentId}', () => {
  test('deletes that assignment only', async () => {
    const shop = await newAssignableShop()
    const rule = await shop.newRule()
    await shop.newVoucher('SPRING')
    await shop.newVoucher('SUMMER')
    const spring = await newAssignment(shop, rule, { related_object_id: 'SPRING' })
    const summer = await newAssignment(shop, rule, { related_object_id: 'SUMMER' })
    const path = `/v1/validation-rules/${rule}/assignments/${spring.id}`
    expect(await shop.call('DELETE', path)).toMatchObject({ status: 204, body: null })
    expect((await listed(shop)).data).toEqual([summer])
    expect(await eventsOf(shop, 'assignment.deleted')).toMatchObject([
      { entity_id: rule, data: { rule: { assignments_count: 1 }, assignment: spring, voucher: { code: 'SPRING' } } },
    ])
    expect(await marksOf(shop)).toEqual([
      { config_version: await versionOf(shop), object_type: 'rule_assignment', object_id: spring.id },
    ])
    expect(await shop.call('DELETE', path)).toMatchObject({
      status: 404,
      body: {
        details: `Cannot find validation_rules_assignment with id ${spring.id}`,
        resource_id: spring.id,
        resource_type: 'validation_rules_assignment',
      },
    })
  })

  test('reports an unknown rule first, then the assignment of another rule as unknown', async () => {
    const shop = await newAssignableShop()
    const [a, b] = [await shop.newRule(), await shop.newRule()]
    await shop.newVoucher('SPRING')
    const { id } = await newAssignment(shop, a, { related_object_id: 'SPRING' })
    expect(await shop.call('DELETE', `/v1/validation-rules/val_none/assignments/${id}`)).toMatchObject({
      status: 404,
      body: { resource_id: 'val_none', resource_type: 'validation_rules' },
    })
    expect(await shop.call('DELETE', `/v1/validation-rules/${b}/assignments/${id}`)).toMatchObject({
      status: 404,
      body: { resource_id: id, resource_type: 'validation_rules_assignment' },
    })
    const stranger = await newAssignableShop()
    expect(await stranger.call('DELETE', `/v1/validation-rules/${a}/assignments/${id}`)).toMatchObject({ status: 404 })
    expect(await listed(shop)).toMatchObject({ total: 1 })
  })
})

describe('DELETE /v1/validation-rules/{validationRuleId}', () => {
  test('deletes the assignments of the rule too, each with its own event and deletion record', async () => {
    const shop = await newAssignableShop()
    const [rule, other] = [await shop.newRule({ name: 'Gone' }), await shop.newRule()]
    const gone: Array<{ id: string }> = []
    for (const code of ['SPRING', 'SUMMER', 'AUTUMN']) {
      await shop.newVoucher(code)
      gone.push(await newAssignment(shop, rule, { related_object_id: code }))
    }
    const kept = await newAssignment(shop, other, { related_object_id: 'SPRING' })
    expect(await shop.call('DELETE', `/v1/validation-rules/${rule}`)).toMatchObject({ status: 204 })
    expect((await listed(shop)).data).toEqual([kept])

    expect(await eventsOf(shop, '%deleted')).toMatchObject([
      ...['SPRING', 'SUMMER', 'AUTUMN'].map((code, index) => ({
        type: 'assignment.deleted',
        entity_id: rule,
        data: { rule: { id: rule, name: 'Gone' }, assignment: gone[index], voucher: { code } },
      })),
      { type: 'deleted', entity_id: rule, data: { rule: { id: rule, assignments_count: 0 }, deleted_at: instant } },
    ])
    const version = await versionOf(shop)
    expect(await marksOf(shop)).toEqual([
      ...gone.map(({ id }, index) => ({
        config_version: version - 3 + index,
        object_type: 'rule_assignment',
        object_id: id,
      })),
      { config_version: version, object_type: 'validation_rule', object_id: rule },
    ])
  })

  test('deletes all assignments of a rule that has more than one batch of them', async () => {
    const shop = await newAssignableShop()
    const rule = await shop.newRule()
    const count = limits.unassigned_at_once_max * 2 + 1
    const { db } = shop.service.runtime.database
    const rows = Array.from({ length: count }, (_, index) => ({
      project_id: shop.project_id,
      id: `asgm_${String(index).padStart(16, '0')}` as const,
      rule_id: rule as `val_${string}`,
      related_object_type: 'voucher',
      related_object_id: `v_${index}`,
      created_at: new Date().toISOString(),
      updated_at: null,
      config_version: 1,
    }))
    await db.insertInto('rule_assignments').values(rows).execute()
    expect(await shop.call('DELETE', `/v1/validation-rules/${rule}`)).toMatchObject({ status: 204 })
    const events = await eventsOf(shop, 'assignment.deleted')
    expect(events.map(({ data }) => (data as { assignment: { id: string } }).assignment.id)).toEqual(
      rows.map(({ id }) => id),
    )
    expect(events[0]?.data).toMatchObject(allNull) // vouchers that are deleted themselves
    expect(await marksOf(shop)).toHaveLength(count + 1)
  })
})

describe('lists of assignments', () => {
  async function four() {
    const shop = await newAssignableShop()
    const [a, b] = [await shop.newRule(), await shop.newRule()]
    const [spring, summer] = [await shop.newVoucher('SPRING'), await shop.newVoucher('SUMMER')]
    const all: Array<{ id: string }> = []
    for (const [rule, voucher] of [
      [a, spring],
      [a, summer],
      [b, spring],
      [b, summer],
    ] as const)
      all.push(await newAssignment(shop, rule, { related_object_id: voucher }))
    const numbersOf = ({ data }: { data: unknown[] }) =>
      data.map((assignment) => all.findIndex((one) => one.id === (assignment as { id: string }).id))
    return { shop, a, b, spring, numbersOf }
  }

  test('are newest first; narrowed by rule, by object, or both', async () => {
    const { shop, a, b, spring, numbersOf } = await four()
    const cases: Array<[query: string, numbers: number[], total?: number]> = [
      ['', [3, 2, 1, 0]],
      ['?order=-created_at', [3, 2, 1, 0]],
      ['?order=created_at', [0, 1, 2, 3]],
      [`?rule=${a}`, [1, 0]],
      [`?related_object_id=${spring}`, [2, 0]],
      [`?related_object_id=${spring}&rule=${b}`, [2]],
      ['?related_object_id=SPRING', []], // the id, not the code
      ['?rule=val_none', []],
      ['?limit=3', [3, 2, 1], 4],
      ['?limit=3&page=2', [0], 4],
      [`?rule=${a}&limit=1&page=2`, [0], 2],
      ['?limit=3&page=9', [], 4],
    ]
    for (const [query, numbers, total = numbers.length] of cases) {
      const list = await listed(shop, query)
      expect({ query, numbers: numbersOf(list), total: list.total }).toEqual({ query, numbers, total })
    }
    const ofRule = (await shop.call('GET', `/v1/validation-rules/${a}/assignments?order=created_at&limit=1`)).body
    expect(ofRule).toMatchObject({ object: 'list', data_ref: 'data', total: 2 })
    expect(numbersOf(ofRule)).toEqual([0])
    // A rule in the query does not override the rule in the path.
    const strayed = (await shop.call('GET', `/v1/validation-rules/${a}/assignments?rule=${b}`)).body
    expect(numbersOf(strayed)).toEqual([1, 0])
  })

  test.each(['order=name', 'limit=101', 'page=0', 'starting_after_id=asgm_none'])('%s is refused', async (query) => {
    const shop = await newAssignableShop()
    const rule = await shop.newRule()
    for (const path of ['/v1/validation-rules-assignments', `/v1/validation-rules/${rule}/assignments`])
      expect(await shop.call('GET', `${path}?${query}`)).toMatchObject({
        status: 400,
        body: { key: 'invalid_query_params' },
      })
  })

  test.each([
    ['of all rules', async () => '/v1/validation-rules-assignments'],
    ['of one rule', async (rule: string) => `/v1/validation-rules/${rule}/assignments`],
    ['of one rule, asked for by query', async (rule: string) => `/v1/validation-rules-assignments?rule=${rule}`],
  ])('%s: pages by cursor stay stable while assignments are added, forwards and backwards', async (_, pathOf) => {
    const shop = await newAssignableShop()
    const rule = await shop.newRule()
    await expectStablePaging({
      shop,
      path: await pathOf(rule),
      orders: ['created_at', '-created_at'],
      data_ref: 'data',
      create: async (n) => {
        await shop.newVoucher(`CODE-${n}`)
        return (await newAssignment(shop, rule, { related_object_id: `CODE-${n}` })).id
      },
    })
  })
})
