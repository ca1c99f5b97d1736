import { beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../core/db/database.ts'
import { type Answer, type Shop, send, type TestClock, uniqueName } from '../../testing/app.ts'
import { until } from '../../testing/background.ts'
import { newCampaign } from '../../testing/campaigns.ts'
import { newRule, when } from '../../testing/checkout.ts'
import { askOf } from '../../testing/ledger-actions.ts'
import { auditLedger } from '../../testing/ledger-audit.ts'
import {
  addPoints,
  assign,
  balanceOf,
  fixed,
  inDays,
  newEarningRules,
  newLoyaltyReward,
  newMaterial,
  newMember,
  newProgram,
  newTiers,
  redeemReward,
  tierName,
} from '../../testing/loyalty.ts'
import { anotherConnection, type Node, openNode, ownDatabase } from '../../testing/nodes.ts'
import { ok } from '../../testing/orders.ts'
import { insertTestProject } from '../../testing/project.ts'
import { scaled } from '../../testing/scale.ts'
import { startJobs } from '../../work.ts'
import { runDueMembersBatch } from './daily-job.ts'

/* Loyalty members on two nodes with a PostgreSQL of their own: concurrent changes, and work that must not block requests. */

// biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
type Body = any

let database: Database
let nodes: [Node, Node]
/** Separate connections that hold locks which the nodes wait for. */
let lockHolder: Database

const clock = newClock()

beforeAll(async () => {
  const separateDatabase = await ownDatabase()
  database = separateDatabase.database
  const url = separateDatabase.url as string
  lockHolder = anotherConnection(url)
  nodes = [await openNode(database, clock), await openNode(anotherConnection(url), clock)]
})

function newClock(): TestClock {
  let offset = 0
  return {
    now: () => Date.now() + offset,
    set(at) {
      offset = new Date(at).getTime() - Date.now()
    },
    advance(milliseconds) {
      offset += milliseconds
    },
  }
}

/** A new shop; requests alternate between the nodes. */
async function newShop(): Promise<Shop> {
  clock.set('2027-04-01T10:00:00.000Z')
  const [{ app, runtime }] = nodes
  const keys = await insertTestProject(runtime, {})
  const headers = {
    'x-app-id': keys.app_id,
    'x-app-token': keys.app_token,
    authorization: `Bearer ${keys.access_token}`,
  }
  const management = { 'x-management-id': keys.management_id, 'x-management-token': keys.management_token }
  let turn = 0
  return {
    ...keys,
    service: { app, runtime, clock },
    headers,
    management,
    call: (method, path, body, more = {}) =>
      send((nodes[turn++ % 2] as Node).app, method, path, body, { ...headers, ...more }),
    manage: (method, path, body) =>
      send(app, method, `/management/v1/projects/${keys.project_id}${path}`, body, management),
  }
}

const ask = async (text: string, values: unknown[]): Promise<Body[]> => (await database.execute(text, values)).rows

const expectAudited = async (shop: Shop): Promise<void> =>
  expect(await auditLedger(askOf(shop), shop.project_id)).toEqual([])

const pay = (shop: Shop, sourceId: string): Promise<Answer<Body>> =>
  shop.call('POST', '/v1/orders', { status: 'PAID', customer: { source_id: sourceId }, amount: 1_000 })

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `customer-${index}`)

const atOnce = <T>(all: readonly string[], work: (name: string) => Promise<T>): Promise<T[]> =>
  Promise.all(all.map(work))

const ordersCount = scaled(12, 6)
const limit = scaled(5, 2)

test(`${ordersCount} concurrent orders are all paid when a rule limits the automatic redemptions of the campaign`, async () => {
  const shop = await newShop()
  const program = await newProgram(shop)
  await newRule(shop, when('campaign.redemptions.count', { $less_than_or_equal: [limit] }), { campaign: program.id })
  await newEarningRules(shop, program, fixed(120))
  await assign(shop, program, await newMaterial(shop), 100, { auto_redeem: true })
  const customers = names(ordersCount)
  const codes = await atOnce(customers, async (name) => (await newMember(shop, program, name)).code)
  const replies = await atOnce(customers, (name) => pay(shop, name))
  expect(replies.map(({ status, body }) => `${status} ${body.key ?? body.status}`)).toEqual(
    customers.map(() => '200 PAID'),
  )
  const balances = await atOnce(codes, (code) => balanceOf(shop, code))
  expect(balances.toSorted((a, b) => a - b)).toEqual([
    ...Array(limit).fill(20),
    ...Array(ordersCount - limit).fill(120),
  ])
  await expectAudited(shop)
})

test('a failing tier review does not block the daily job of other projects', async () => {
  const [broken, sound] = [await newShop(), await newShop()]
  const program = await newProgram(broken)
  await newTiers(broken, program, { Base: [0] })
  const ann = await newMember(broken, program, 'ann')
  // A queued tier review that has events to emit, but an incomplete caller.
  await ask(`update loyalty_members set tier_id = null, tier_start_date = null where project_id = $1`, [
    broken.project_id,
  ])
  await ask(
    `insert into tier_walks (project_id, campaign_id, changed, walked_to, request_id, caller, started_at)
    values ($1, $2, 'tiers', '', 'v-1', '{"channel": "MANAGEMENT"}', '2027-04-01T10:00:00Z')`,
    [broken.project_id, program.id],
  )
  const bob = await newMember(sound, await newProgram(sound), 'bob')
  await addPoints(sound, bob.code, 30, { expiration_type: 'CUSTOM_DATE', expiration_date: '2027-04-01' })
  const waiting = () => ask(`select 1 from tier_walks where project_id = $1`, [broken.project_id])
  const runJobUntilDone = async () => {
    for (let runs = 0; await runDueMembersBatch(nodes[0].runtime); runs += 1) expect(runs).toBeLessThan(100)
  }

  clock.set('2027-04-02T00:00:05.000Z')
  await runJobUntilDone()
  expect(await balanceOf(sound, bob.code)).toBe(0)
  expect(await waiting()).toHaveLength(1)

  // The job retries it once it can succeed.
  await ask(`update tier_walks set caller = '{"channel": "INTERNAL", "api_key": null, "role": "ADMIN"}'`, [])
  clock.advance(61_000)
  await runJobUntilDone()
  expect([await waiting(), await tierName(broken, ann.code)]).toEqual([[], 'Base'])
  await expectAudited(sound)
})

describe('a card that is deleted and published concurrently', () => {
  const waiters = async (): Promise<number> =>
    (
      await ask(
        `select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        [],
      )
    )[0].count

  /** Queues requests on the row lock of a card, one behind the other, and returns their responses. */
  async function queueOnRowLock(id: string, ...requests: Array<() => Promise<Answer<Body>>>): Promise<Answer<Body>[]> {
    const replies: Array<Promise<Answer<Body>>> = []
    await lockHolder.db.transaction().execute(async (trx) => {
      await trx
        .selectFrom('vouchers')
        .where('id', '=', id as `v_${string}`)
        .select('id')
        .forUpdate()
        .execute()
      for (const [index, request] of requests.entries()) {
        replies.push(request())
        await until(async () => ((await waiters()) > index ? true : undefined))
      }
    })
    return Promise.all(replies)
  }

  /** The remaining rows of a card: its member, and the loyalty of its holder. */
  async function remainingRowsOf({ project_id }: Shop, id: string): Promise<object> {
    const members = await ask(`select 1 from loyalty_members where project_id = $1 and voucher_id = $2`, [
      project_id,
      id,
    ])
    const [ann] = await ask(`select loyalty from customers where project_id = $1 and source_id = 'ann'`, [project_id])
    return { members: members.length, points: ann?.loyalty.points ?? 0, campaigns: ann?.loyalty.campaigns ?? {} }
  }

  async function newUnpublishedCard(shop: Shop) {
    const program = await newProgram(shop, { points: 10 })
    await newTiers(shop, program, { Base: [0] })
    const { id, code } = await ok(shop, 'POST', `/v1/campaigns/${program.id}/vouchers`, {})
    return {
      id,
      publish: () => shop.call('POST', '/v1/publications', { voucher: code, customer: { source_id: 'ann' } }),
      remove: () => shop.call('DELETE', `/v1/vouchers/${code}`),
    }
  }

  const nothing = { members: 0, points: 0, campaigns: {} }

  test('published first: no rows of it are left', async () => {
    const shop = await newShop()
    const { id, publish, remove } = await newUnpublishedCard(shop)
    const replies = await queueOnRowLock(id, publish, remove)
    expect(replies.map(({ status }) => status)).toEqual([200, 204])
    expect(await remainingRowsOf(shop, id)).toEqual(nothing)
    await expectAudited(shop)
  })

  test('deleted first: it is not published', async () => {
    const shop = await newShop()
    const { id, publish, remove } = await newUnpublishedCard(shop)
    const [removed, published] = (await queueOnRowLock(id, remove, publish)) as [Answer<Body>, Answer<Body>]
    expect(removed.status).toBe(204)
    expect([400, 404]).toContain(published.status)
    expect(await remainingRowsOf(shop, id)).toEqual(nothing)
    await expectAudited(shop)
  })

  const rounds = scaled(20, 4)

  test(`in any order, ${rounds} times: no rows are left of any of them`, async () => {
    const shop = await newShop()
    for (let round = 0; round < rounds; round += 1) {
      const { id, publish, remove } = await newUnpublishedCard(shop)
      const [first, second] = round % 2 === 0 ? [publish, remove] : [remove, publish]
      const replies = await Promise.all([first(), second()])
      expect(replies.filter(({ status }) => status >= 500)).toEqual([])
      expect(await remainingRowsOf(shop, id)).toEqual(nothing)
    }
    await expectAudited(shop)
  })
})

const membersCount = scaled(60, 52)
const dueEach = scaled(4, 1)

test(`${membersCount} members with due coupons, ${dueEach} each: no order waits for all of them`, async () => {
  const shop = await newShop()
  const program = await newProgram(shop, { auto_join: true })
  const coupons = await newCampaign(shop, uniqueName('Coupons'), { type: 'AUTO_UPDATE' })
  await newEarningRules(shop, program, fixed(100, inDays(1)))
  const reward = await newLoyaltyReward(shop, { campaign: { id: coupons.id } })
  await assign(shop, program, reward, 100 / dueEach, { auto_redeem: true })
  const customers = names(membersCount) // more than one run of the job takes
  for (const { status } of await atOnce(customers, (name) => pay(shop, name))) expect(status).toBe(200)
  const redeemed = async (): Promise<number> => (await ok(shop, 'GET', `/v1/rewards/${reward.id}`)).redeemed

  clock.set('2027-04-02T00:00:05.000Z')
  const runJob = () => runDueMembersBatch(nodes[0].runtime, { only: shop.project_id })
  let isOver = false
  const jobRun = runJob().finally(() => {
    isOver = true
  })
  await until(async () => (isOver || (await isProcessingMembers()) ? true : undefined))
  expect((await pay(shop, customers.at(-1) as string)).status).toBe(200)
  // The job needs many batches for all of them: an order waits for a part of one batch and is paid before the job is done.
  expect(await redeemed()).toBeLessThan(membersCount * dueEach)
  expect(await jobRun).toBe(true)
  const first = await redeemed()
  expect(first).toBeLessThan(membersCount * dueEach)
  expect(await runJob()).toBe(true)
  expect(await redeemed()).toBeGreaterThan(first)
  await expectAudited(shop)
})

/** Whether a node is processing the members of a project. */
const isProcessingMembers = async (): Promise<boolean> =>
  (
    await ask(
      `select 1 from pg_locks where locktype = 'advisory' and granted
        and database = (select oid from pg_database where datname = current_database())`,
      [],
    )
  ).length > 0

// The last test of the file, since the jobs of the nodes run from here on.
test('the daily job on both nodes, during orders and redemptions, expires every point once', async () => {
  const shop = await newShop()
  clock.set('2027-03-01T10:00:00.000Z') // nothing of the tests above is due by then
  const program = await newProgram(shop)
  await newEarningRules(shop, program, fixed(5, inDays(1)), fixed(2))
  const reward = await newMaterial(shop)
  await assign(shop, program, reward, 8)
  const customers = names(scaled(40, 6))
  const codes = await atOnce(customers, async (name) => {
    const { code } = await newMember(shop, program, name)
    await addPoints(shop, code, 30, { expiration_type: 'CUSTOM_DATE', expiration_date: '2027-03-01' })
    expect(await pay(shop, name)).toMatchObject({ status: 200 })
    return code
  })

  clock.set('2027-03-02T00:00:05.000Z')
  for (const { runtime } of nodes) await startJobs(runtime)
  for (const { runtime } of nodes) runtime.jobs.wake('members')
  // A request on a card before the job applies the due changes of its member; the other members are left to the job.
  const asked = customers.slice(0, customers.length / 2)
  const [orders, redemptions] = await Promise.all([
    atOnce(asked, (name) => pay(shop, name)),
    Promise.all(asked.map((_, index) => redeemReward(shop, codes[index] as string, { id: reward.id }))),
  ])
  expect(orders.map(({ status }) => status)).toEqual(asked.map(() => 200))
  // The 2 and 5 points of the first order do not suffice, with the 2 points of another one they do.
  for (const { status, body } of redemptions)
    if (status !== 200) expect(body).toMatchObject({ code: 400, key: 'loyalty_card_points_exceeded' })
  await until(async () => ((await dueMembersOf(shop)) === 0 ? true : undefined))

  const [sums] = await ask(
    `select count(*)::int as cards, sum(credits_expired)::int as expired, sum(credits_added)::int as added
    from vouchers where campaign_id = $1`,
    [program.id],
  )
  const cards = customers.length
  // Points earned before the change of day are activated; points earned since stay pending until tomorrow.
  expect(sums).toEqual({ cards, expired: 30 * cards, added: (30 + 5 + 2) * cards + 2 * asked.length })
  await expectAudited(shop)
})

const dueMembersOf = async ({ project_id }: Shop): Promise<number> =>
  (
    await ask(
      `select count(*)::int as due from loyalty_members where project_id = $1 and due_on <= '2027-03-02'::date`,
      [project_id],
    )
  )[0].due
