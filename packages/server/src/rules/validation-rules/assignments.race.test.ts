import { describe, expect, test } from 'vitest'
import { nextConfigurationVersion } from '../../core/db/configuration.ts'
import { type AssignableShop, newAssignableShop } from '../../testing/assignable.ts'
import { backendOf, untilOthersWait } from '../../testing/lock-waits.ts'
import { anotherConnection, postgresUrl } from '../../testing/nodes.ts'

const otherDatabase = anotherConnection(postgresUrl())
const other = otherDatabase.db

/** Counts responses by status: `{ 200: 1, 409: 19 }`. */
const statusesOf = (answers: Array<{ status: number }>) =>
  answers.reduce<Record<number, number>>((counts, { status }) => {
    counts[status] = (counts[status] ?? 0) + 1
    return counts
  }, {})

const many = <T>(count: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)))

const assign = (shop: AssignableShop, rule: string, code: string, query = '') =>
  shop.call('POST', `/v1/validation-rules/${rule}/assignments${query}`, { related_object_id: code })

const rowsOf = (shop: AssignableShop) =>
  shop.service.runtime.database.db
    .selectFrom('rule_assignments')
    .where('project_id', '=', shop.project_id)
    .select(['id', 'rule_id', 'related_object_id'])
    .execute()

async function eventsOf(shop: AssignableShop, verb: 'created' | 'deleted'): Promise<number> {
  const rows = await shop.service.runtime.database.db
    .selectFrom('events')
    .where('project_id', '=', shop.project_id)
    .where('type', '=', `business_validation_rule.assignment.${verb}`)
    .select('id')
    .execute()
  return rows.length
}

test('of 20 concurrent assignments of one rule to one voucher, one succeeds', async () => {
  const shop = await newAssignableShop()
  await shop.newVoucher('SPRING')
  const rule = await shop.newRule()
  expect(statusesOf(await many(20, () => assign(shop, rule, 'SPRING')))).toEqual({ 200: 1, 409: 19 })
  expect(await rowsOf(shop)).toHaveLength(1)
  expect(await eventsOf(shop, 'created')).toBe(1)
})

test('of 10 concurrent assignments with force, all succeed and the last one stays', async () => {
  const shop = await newAssignableShop()
  await shop.newVoucher('SPRING')
  const rule = await shop.newRule()
  const answers = await many(10, () => assign(shop, rule, 'SPRING', '?force=true'))
  expect(statusesOf(answers)).toEqual({ 200: 10 })
  const rows = await rowsOf(shop)
  expect(rows).toHaveLength(1)
  expect(answers.map(({ body }) => body.id)).toContain(rows[0]?.id)
  expect([await eventsOf(shop, 'created'), await eventsOf(shop, 'deleted')]).toEqual([10, 9])
})

test('a rule deleted while it is assigned leaves no orphan; later requests get 404 for the rule', async () => {
  const shop = await newAssignableShop()
  const codes = Array.from({ length: 8 }, (_, index) => `CODE-${index}`)
  for (const code of codes) await shop.newVoucher(code)
  for (let round = 0; round < 8; round += 1) {
    const rule = await shop.newRule()
    const path = `/v1/validation-rules/${rule}`
    const [deletions, assignments, updates] = await Promise.all([
      many(2, () => shop.call('DELETE', path)),
      many(codes.length, (index) => assign(shop, rule, codes[index] as string, index % 2 === 0 ? '?force=true' : '')),
      many(3, (index) => shop.call('PUT', path, { name: `Name ${index}` })),
    ])
    expect(statusesOf(deletions)).toEqual({ 204: 1, 404: 1 })
    for (const { status, body } of [...assignments, ...updates])
      expect([200, 404], JSON.stringify(body)).toContain(status)
    for (const { status, body } of assignments)
      if (status === 404) expect(body).toMatchObject({ resource_type: 'validation_rules', resource_id: rule })
    expect(await rowsOf(shop)).toEqual([])
  }
  expect(await eventsOf(shop, 'deleted')).toBe(await eventsOf(shop, 'created'))
})

test('a voucher deleted while rules are assigned to it leaves no orphaned assignment', async () => {
  const shop = await newAssignableShop()
  const rules = await many(6, () => shop.newRule())
  for (let round = 0; round < 8; round += 1) {
    await shop.newVoucher(`CODE-${round}`)
    const [deletion, ...assignments] = await Promise.all([
      shop.call('DELETE', `/v1/vouchers/CODE-${round}`),
      ...rules.map((rule) => assign(shop, rule, `CODE-${round}`)),
    ])
    expect(deletion).toMatchObject({ status: 204 })
    for (const { status, body } of assignments) expect([200, 404], JSON.stringify(body)).toContain(status)
    expect(await rowsOf(shop)).toEqual([])
  }
  expect(await eventsOf(shop, 'deleted')).toBe(await eventsOf(shop, 'created'))
})

/**
 * The locks of a request that waits for the configuration lock, which another transaction holds. Every request locks the
 * rule first, then the configuration, then assignments: another order could deadlock.
 */
describe('while the configuration is locked', () => {
  const requests: Array<[request: string, method: string, path: string, body?: object]> = [
    ['a deletion of the assignment', 'DELETE', '/RULE/assignments/ASSIGNMENT'],
    ['an assignment by force', 'POST', '/RULE/assignments?force=true', { related_object_id: 'SPRING' }],
    ['a deletion of the rule', 'DELETE', '/RULE'],
    ['an update of the rule', 'PUT', '/RULE', { name: 'Later' }],
  ]
  test.each(requests)('%s has locked the rule and not yet the assignment', async (_, method, path, body) => {
    const shop = await newAssignableShop()
    await shop.newVoucher('SPRING')
    const rule = (await shop.newRule()) as `val_${string}`
    const { id } = (await assign(shop, rule, 'SPRING')).body
    const url = `/v1/validation-rules${path.replace('RULE', rule).replace('ASSIGNMENT', id)}`

    const { answer, rule_is_free, assignment_is_free } = await other.transaction().execute(async (trx) => {
      await nextConfigurationVersion(trx, shop.project_id)
      const answer = shop.call(method, url, body)
      await untilOthersWait(otherDatabase, await backendOf(trx))
      const rules = other.selectFrom('validation_rules').where('project_id', '=', shop.project_id)
      const assignments = other.selectFrom('rule_assignments').where('project_id', '=', shop.project_id)
      return {
        answer,
        rule_is_free: (await rules.select('id').forUpdate().skipLocked().execute()).length > 0,
        assignment_is_free: (await assignments.select('id').forUpdate().skipLocked().execute()).length > 0,
      }
    })
    expect({ rule_is_free, assignment_is_free }).toEqual({ rule_is_free: false, assignment_is_free: true })
    expect((await answer).status).toBeLessThan(300)
  })
})
