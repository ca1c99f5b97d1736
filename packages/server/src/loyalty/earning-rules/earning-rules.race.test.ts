import { expect, test } from 'vitest'
import { type Answer, newProject } from '../../testing/app.ts'
import { fixed, newEarningRules, newEventSchema, newProgram, newTiers } from '../../testing/loyalty.ts'
import { ok } from '../../testing/orders.ts'

const many = <T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)))

const statusesOf = (answers: Answer<unknown>[]): Record<string, number> => {
  const groups = Map.groupBy(answers, ({ status }) => status)
  return Object.fromEntries([...groups].map(([status, { length }]) => [status, length]))
}

test('concurrent requests that add rules to two programs do not exceed the limit of the project', async () => {
  const shop = await newProject()
  await shop.manage('PUT', '/limits', { earning_rules: 5 })
  const programs = [await newProgram(shop), await newProgram(shop)]
  const answers = await many(12, (n) =>
    shop.call('POST', `/v1/loyalties/${programs[n % 2].id}/earning-rules`, [{ event: 'order.paid', ...fixed(1) }]),
  )
  expect(statusesOf(answers)).toEqual({ 200: 5, 400: 7 })
})

test('of a concurrent schema deletion and a new rule for its event, one is refused', async () => {
  const shop = await newProject()
  const program = await newProgram(shop)
  for (let round = 0; round < 8; round += 1) {
    const { id: schemaId } = await newEventSchema(shop, `review-${round}`)
    const rule = { event: `review-${round}`, custom_event: { schema_id: schemaId }, ...fixed(1) }
    const [created, deleted] = await Promise.all([
      shop.call('POST', `/v1/loyalties/${program.id}/earning-rules`, [rule]),
      shop.manage('DELETE', `/custom-event-schemas/${schemaId}`),
    ])
    expect([
      [200, 400],
      [400, 204],
    ]).toContainEqual([created.status, deleted.status])
  }
})

test('of a concurrent segment deletion and a new rule for it, one is refused', async () => {
  const shop = await newProject()
  const program = await newProgram(shop)
  const filter = { junction: 'and', name: { conditions: { $is: ['Ann'] } } }
  for (let round = 0; round < 8; round += 1) {
    const { id } = await ok(shop, 'POST', '/v1/segments', { name: `S${round}`, type: 'passive', filter })
    const rule = { event: 'customer.segment.entered', segment: { id }, ...fixed(1) }
    const [created, deleted] = await Promise.all([
      shop.call('POST', `/v1/loyalties/${program.id}/earning-rules`, [rule]),
      shop.call('DELETE', `/v1/segments/${id}`),
    ])
    expect([
      [200, 400],
      [404, 204],
    ]).toContainEqual([created.status, deleted.status])
  }
})

test('a rule changed, mapped and deleted concurrently leaves no mapping behind, and causes no deadlock', async () => {
  const shop = await newProject()
  const program = await newProgram(shop)
  const validationRuleId = (await ok(shop, 'POST', '/v1/validation-rules', {})).id
  const [{ id: kept }] = await newEarningRules(shop, program, fixed(1))
  await newTiers(
    shop,
    program,
    { Start: [0, 9] },
    { Start: { earning_rules: { [kept]: { type: 'CUSTOM', points: 1 } } } },
  )
  for (let round = 1; round <= 8; round += 1) {
    const [{ id }] = await newEarningRules(shop, program, fixed(1))
    const path = `/v1/loyalties/${program.id}`
    const own = `${path}/earning-rules/${id}`
    const tier = {
      points: { from: round * 10, to: round * 10 + 9 },
      name: `T${round}`,
      earning_rules: { [id]: { type: 'CUSTOM', points: 2 } },
    }
    const [deleted, ...others] = await Promise.all([
      shop.call('DELETE', own),
      shop.call('POST', `${path}/tiers`, [tier]),
      shop.call('PUT', own, { validation_rule_id: validationRuleId }),
      shop.call('POST', `${own}/disable`),
      shop.call('POST', `/v1/validation-rules/${validationRuleId}/assignments`, {
        related_object_type: 'earning_rule',
        related_object_id: id,
      }),
    ])
    expect(deleted.status).toBe(204)
    for (const { status, body } of others) expect([200, 404, 409], JSON.stringify(body)).toContain(status)
  }
  const { data } = await ok(shop, 'GET', `/v1/loyalties/${program.id}/tiers?limit=100`)
  expect(data.flatMap(({ earning_rules }: { earning_rules: object }) => Object.keys(earning_rules))).toEqual([kept])
  expect((await ok(shop, 'GET', '/v1/validation-rules-assignments')).total).toBe(0)
})

test('of concurrent requests that add overlapping tiers, one succeeds', async () => {
  const shop = await newProject()
  const program = await newProgram(shop)
  const answers = await many(8, (n) =>
    shop.call('POST', `/v1/loyalties/${program.id}/tiers`, [{ name: `T${n}`, points: { from: n * 10 } }]),
  )
  expect(statusesOf(answers)).toEqual({ 200: 1, 400: 7 })
})
