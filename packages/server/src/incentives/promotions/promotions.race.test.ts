import { expect, test } from 'vitest'
import { newProject, type Shop } from '../../testing/app.ts'
import { eventsOf, newPromotion, newTier } from '../../testing/promotions.ts'
import { scaled } from '../../testing/scale.ts'

const database = (shop: Shop) => shop.service.runtime.database.db

const many = <T>(count: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)))

/** Places of the tiers of a campaign, which must be 1 to n. */
async function placesOf(shop: Shop, campaign: string): Promise<number[]> {
  const rows = await database(shop)
    .selectFrom('promotion_tiers')
    .where('project_id', '=', shop.project_id)
    .where('campaign_id', '=', campaign as `camp_${string}`)
    .orderBy('hierarchy')
    .select('hierarchy')
    .execute()
  return rows.map(({ hierarchy }) => hierarchy)
}

const oneTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

test('30 tiers created, moved and deleted concurrently: the places stay 1 to n', async () => {
  const shop = await newProject()
  const campaign = await newPromotion(shop)
  const tiers: Array<{ id: string }> = []
  for (const name of 'ABCDEFGHIJ') tiers.push(await newTier(shop, campaign, { name }))
  const answers = await many(30, (n) => {
    const path = `/v1/promotions/tiers/${tiers[n % 8]!.id}`
    if (n % 3 === 0)
      return shop.call('POST', `/v1/promotions/${campaign}/tiers`, { name: `New ${n}`, hierarchy: n % 7 })
    if (n === 10 || n === 20) return shop.call('DELETE', `/v1/promotions/tiers/${tiers[8 + (n === 20 ? 1 : 0)]!.id}`)
    return shop.call('PUT', path, { hierarchy: (n * 5) % 11 })
  })
  for (const { status, body } of answers) expect([200, 204], JSON.stringify(body)).toContain(status)
  expect(await placesOf(shop, campaign)).toEqual(oneTo(10 + 10 - 2))
})

const count = scaled(30, 12)
const rounds = scaled(5, 2)

test(`${count} tiers created concurrently: each has a different place`, async () => {
  const shop = await newProject()
  const campaign = await newPromotion(shop)
  const tiers = await many(count, (n) => newTier(shop, campaign, { name: `${n}` }))
  expect(tiers.map(({ hierarchy }) => hierarchy).sort((a, b) => a - b)).toEqual(oneTo(count))
  expect(await placesOf(shop, campaign)).toEqual(oneTo(count))
})

test('a tier deleted while stacks are created with it stays in no stack', async () => {
  const shop = await newProject()
  const campaign = await newPromotion(shop)
  const stays = await newTier(shop, campaign, { name: 'stays' })
  for (let round = 0; round < rounds; round += 1) {
    const goes = await newTier(shop, campaign, { name: 'goes' })
    const [deletions, stacks] = await Promise.all([
      many(2, () => shop.call('DELETE', `/v1/promotions/tiers/${goes.id}`)),
      many(8, (n) =>
        shop.call('POST', `/v1/promotions/${campaign}/stacks`, {
          name: 'Stack',
          tiers: { ids: n % 2 === 0 ? [goes.id] : [stays.id, goes.id] },
        }),
      ),
    ])
    expect(deletions.map(({ status }) => status).sort()).toEqual([204, 404])
    for (const { status, body } of stacks) expect([200, 404], JSON.stringify(body)).toContain(status)
  }
  const { body } = await shop.call('GET', `/v1/promotions/${campaign}/stacks`)
  for (const { tiers } of body.data) expect(tiers.ids).toEqual([stays.id])
})

test('a tier deleted while rules are assigned to it leaves no orphaned assignment, and each assignment has its events', async () => {
  const shop = await newProject()
  const campaign = await newPromotion(shop)
  const rules: string[] = []
  for (let n = 0; n < 6; n += 1) rules.push((await shop.call('POST', '/v1/validation-rules', {})).body.id)
  for (let round = 0; round < rounds; round += 1) {
    const tier = await newTier(shop, campaign, { validation_rules: [rules[0]] })
    const path = `/v1/promotions/tiers/${tier.id}`
    const answers = await Promise.all([
      shop.call('DELETE', path),
      ...rules.slice(1).map((rule) =>
        shop.call('POST', `/v1/validation-rules/${rule}/assignments`, {
          related_object_type: 'promotion_tier',
          related_object_id: tier.id,
        }),
      ),
      ...rules.slice(0, 3).map((rule) => shop.call('PUT', path, { validation_rules: [rule] })),
    ])
    for (const { status, body } of answers) expect([200, 204, 404, 409], JSON.stringify(body)).toContain(status)
  }
  expect((await shop.call('GET', '/v1/validation-rules-assignments')).body.total).toBe(0)
  const [created, deleted] = await Promise.all(
    ['created', 'deleted'].map((verb) => eventsOf(shop, `business_validation_rule.assignment.${verb}`)),
  )
  expect(deleted!.length).toBe(created!.length)
})

test('a rule deleted while tiers are created with it: a tier either has the rule or is not created', async () => {
  const shop = await newProject()
  const campaign = await newPromotion(shop)
  for (let round = 0; round < rounds; round += 1) {
    const { body: rule } = await shop.call('POST', '/v1/validation-rules', {})
    const [, ...tiers] = await Promise.all([
      shop.call('DELETE', `/v1/validation-rules/${rule.id}`),
      ...Array.from({ length: 6 }, () =>
        shop.call('POST', `/v1/promotions/${campaign}/tiers`, { name: 'Tier', validation_rules: [rule.id] }),
      ),
    ])
    for (const { status, body } of tiers) expect([200, 404], JSON.stringify(body)).toContain(status)
  }
  expect((await shop.call('GET', '/v1/validation-rules-assignments')).body.total).toBe(0)
  const places = await placesOf(shop, campaign)
  expect(places).toEqual(oneTo(places.length))
})
