import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { inTransaction } from '../../core/db/transaction.ts'
import { newProject, type Shop, uniqueName } from '../../testing/app.ts'
import { newCampaign } from '../../testing/campaigns.ts'
import { newProduct } from '../../testing/checkout.ts'
import { backendOf, untilOthersWait } from '../../testing/lock-waits.ts'
import { ok } from '../../testing/orders.ts'

const newProgram = (shop: Shop) =>
  newCampaign(shop, uniqueName('Club'), {
    type: 'AUTO_UPDATE',
    voucher: { type: 'LOYALTY_CARD', loyalty_card: { points: 0 } },
  })

async function newMugs(shop: Shop, count: number): Promise<string[]> {
  const product = await newProduct(shop, 'Mug')
  const ids: string[] = []
  for (let n = 0; n < count; n += 1) {
    const body = { name: `Mug ${n}`, parameters: { product: { id: product.id } } }
    ids.push((await ok(shop, 'POST', '/v1/rewards', body)).id)
  }
  return ids
}

const automatic = { parameters: { loyalty: { points: 5, auto_redeem: true } } }
const statuses = (answers: Array<{ status: number }>) => answers.map(({ status }) => status).sort()

/** Sends requests while the configuration version is locked, and releases the lock once all of them wait for it. */
async function atOnce<T>({ service, project_id }: Shop, requests: Array<() => Promise<T>>): Promise<T[]> {
  const sent: Array<Promise<T>> = []
  await inTransaction(service.runtime.database.db, async (db) => {
    await sql`select 1 from projects where id = ${project_id} for update`.execute(db)
    sent.push(...requests.map((request) => request()))
    await untilOthersWait(service.runtime.database, await backendOf(db), requests.length)
  })
  return Promise.all(sent)
}

test('of six automatic rewards assigned concurrently through both endpoints, one succeeds', async () => {
  const shop = await newProject()
  const mugs = await newMugs(shop, 6)
  const inProgram = (program: string, reward: string) =>
    shop.call('POST', `/v1/loyalties/${program}/rewards`, [{ reward, ...automatic }])
  const ofReward = (campaign: string, reward: string) =>
    shop.call('POST', `/v1/rewards/${reward}/assignments`, { campaign, ...automatic })
  for (const trees of [[inProgram], [ofReward], [inProgram, ofReward]]) {
    const { id } = await newProgram(shop)
    const answers = await atOnce(
      shop,
      mugs.map((reward, n) => () => (trees[n % trees.length] as typeof inProgram)(id, reward)),
    )
    expect(statuses(answers)).toEqual([200, ...Array(5).fill(400)])
    expect(await ok(shop, 'GET', `/v1/loyalties/${id}/rewards`)).toMatchObject({ total: 1 })
  }
})

test('of six rewards changed to automatic concurrently, one succeeds', async () => {
  const shop = await newProject()
  const { id } = await newProgram(shop)
  const offers = (await newMugs(shop, 6)).map((reward) => ({ reward, parameters: { loyalty: { points: 5 } } }))
  const assignments: Array<{ id: string; reward_id: string }> = await ok(
    shop,
    'POST',
    `/v1/loyalties/${id}/rewards`,
    offers,
  )
  const answers = await atOnce(
    shop,
    assignments.map((one, n) => () => {
      const place = n % 2 === 0 ? `/v1/loyalties/${id}/rewards` : `/v1/rewards/${one.reward_id}/assignments`
      return shop.call('PUT', `${place}/${one.id}`, automatic)
    }),
  )
  expect(statuses(answers)).toEqual([200, ...Array(5).fill(400)])
})

test('ten concurrent assignments of a reward create one', async () => {
  const shop = await newProject()
  const program = await newProgram(shop)
  const [reward] = await newMugs(shop, 1)
  const body = [{ reward, parameters: { loyalty: { points: 5 } } }]
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => shop.call('POST', `/v1/loyalties/${program.id}/rewards`, body)),
  )
  expect(statuses(answers)).toEqual([200, ...Array(9).fill(409)])
})

test('a reward deleted, assigned and changed concurrently is either deleted or assigned', async () => {
  const shop = await newProject()
  const program = await newProgram(shop)
  for (const id of await newMugs(shop, 8)) {
    const offer = [{ reward: id, parameters: { loyalty: { points: 5 } } }]
    const answers = await Promise.all([
      shop.call('DELETE', `/v1/rewards/${id}`),
      shop.call('POST', `/v1/loyalties/${program.id}/rewards`, offer),
      shop.call('PUT', `/v1/rewards/${id}`, { metadata: { a: 1 } }),
    ])
    const [deleted, assigned, changed] = answers.map(({ status }) => status)
    expect([
      [204, 404],
      [400, 200],
    ]).toContainEqual([deleted, assigned])
    expect([200, 404]).toContain(changed)
  }
})

test('of a reward changed to credit a program and its concurrent assignment to that program, one is refused', async () => {
  const shop = await newProject()
  for (let round = 0; round < 5; round += 1) {
    const [program, other] = [await newProgram(shop), await newProgram(shop)]
    const parameters = { campaign: { id: other.id, balance: 5 } }
    const { id } = await ok(shop, 'POST', '/v1/rewards', { name: 'Points', parameters })
    const answers = await Promise.all([
      shop.call('PUT', `/v1/rewards/${id}`, { parameters: { campaign: { id: program.id, balance: 5 } } }),
      shop.call('POST', `/v1/loyalties/${program.id}/rewards`, [
        { reward: id, parameters: { loyalty: { points: 5 } } },
      ]),
    ])
    expect(statuses(answers)).toEqual([200, 400])
  }
})
