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
  tierName,
} from '../../testing/loyalty.ts'
import { anotherConnection, type Node, openNode, ownDatabase } from '../../testing/nodes.ts'
import { ok } from '../../testing/orders.ts'
import { insertTestProject } from '../../testing/project.ts'
import { lookAtMembers } from './daily-job.ts'

/* Members on two nodes and a PostgreSQL of their own: what happens meanwhile, and what must not keep others waiting. */

// biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
type Body = any

let database: Database
let nodes: [Node, Node]
/** Connections of its own, which hold something that the nodes wait for. */
let aside: Database

const clock = newClock()

beforeAll(async () => {
  const own = await ownDatabase()
  database = own.database
  const url = own.url as string
  aside = anotherConnection(url)
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

/** A shop of its own; requests go to the nodes in turn. */
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

test('twelve customers pay at once where a rule counts the rewards that redeem themselves: all orders are paid', async () => {
  const shop = await newShop()
  const program = await newProgram(shop)
  await newRule(shop, when('campaign.redemptions.count', { $less_than_or_equal: [5] }), { campaign: program.id })
  await newEarningRules(shop, program, fixed(120))
  await assign(shop, program, await newMaterial(shop), 100, { auto_redeem: true })
  const customers = names(12)
  const codes = await atOnce(customers, async (name) => (await newMember(shop, program, name)).code)
  const replies = await atOnce(customers, (name) => pay(shop, name))
  expect(replies.map(({ status, body }) => `${status} ${body.key ?? body.status}`)).toEqual(
    customers.map(() => '200 PAID'),
  )
  const balances = await atOnce(codes, (code) => balanceOf(shop, code))
  expect(balances.toSorted((a, b) => a - b)).toEqual([...Array(5).fill(20), ...Array(7).fill(120)])
  await expectAudited(shop)
})

test('members that cannot be looked at again do not stop the clock of other projects', async () => {
  const [broken, sound] = [await newShop(), await newShop()]
  const program = await newProgram(broken)
  await newTiers(broken, program, { Base: [0] })
  const ann = await newMember(broken, program, 'ann')
  // A walk that has something to tell, and nobody in whose name it could.
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
  const lookAtAll = async () => {
    for (let looks = 0; await lookAtMembers(nodes[0].runtime); looks += 1) expect(looks).toBeLessThan(100)
  }

  clock.set('2027-04-02T00:00:05.000Z')
  await lookAtAll()
  expect(await balanceOf(sound, bob.code)).toBe(0)
  expect(await waiting()).toHaveLength(1)

  // It is tried again as soon as it can be done.
  await ask(`update tier_walks set caller = '{"channel": "INTERNAL", "api_key": null, "role": "ADMIN"}'`, [])
  clock.advance(61_000)
  await lookAtAll()
  expect([await waiting(), await tierName(broken, ann.code)]).toEqual([[], 'Base'])
  await expectAudited(sound)
})

describe('a card that is deleted while it is published', () => {
  const waiters = async (): Promise<number> =>
    (
      await ask(
        `select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        [],
      )
    )[0].count

  /** Has requests wait for the row of a card, one behind the other, and answers what becomes of them. */
  async function inThisOrder(id: string, ...requests: Array<() => Promise<Answer<Body>>>): Promise<Answer<Body>[]> {
    const replies: Array<Promise<Answer<Body>>> = []
    await aside.db.transaction().execute(async (trx) => {
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

  /** What is left of a card: its member, and what its holder has. */
  async function leftOf({ project_id }: Shop, id: string): Promise<object> {
    const members = await ask(`select 1 from loyalty_members where project_id = $1 and voucher_id = $2`, [
      project_id,
      id,
    ])
    const [ann] = await ask(`select loyalty from customers where project_id = $1 and source_id = 'ann'`, [project_id])
    return { members: members.length, points: ann?.loyalty.points ?? 0, campaigns: ann?.loyalty.campaigns ?? {} }
  }

  async function newUnheld(shop: Shop) {
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

  test('first published: nothing of it is left', async () => {
    const shop = await newShop()
    const { id, publish, remove } = await newUnheld(shop)
    const replies = await inThisOrder(id, publish, remove)
    expect(replies.map(({ status }) => status)).toEqual([200, 204])
    expect(await leftOf(shop, id)).toEqual(nothing)
    await expectAudited(shop)
  })

  test('first deleted: nobody gets it', async () => {
    const shop = await newShop()
    const { id, publish, remove } = await newUnheld(shop)
    const [removed, published] = (await inThisOrder(id, remove, publish)) as [Answer<Body>, Answer<Body>]
    expect(removed.status).toBe(204)
    expect([400, 404]).toContain(published.status)
    expect(await leftOf(shop, id)).toEqual(nothing)
    await expectAudited(shop)
  })

  test('as it comes, twenty times: nothing of any of them is left', async () => {
    const shop = await newShop()
    for (let round = 0; round < 20; round += 1) {
      const { id, publish, remove } = await newUnheld(shop)
      const [first, second] = round % 2 === 0 ? [publish, remove] : [remove, publish]
      const replies = await Promise.all([first(), second()])
      expect(replies.filter(({ status }) => status >= 500)).toEqual([])
      expect(await leftOf(shop, id)).toEqual(nothing)
    }
    await expectAudited(shop)
  })
})

test('thirty members with ten coupons each are due at once: no order waits for all of them', async () => {
  const shop = await newShop()
  const program = await newProgram(shop)
  const coupons = await newCampaign(shop, uniqueName('Coupons'), { type: 'AUTO_UPDATE' })
  await newEarningRules(shop, program, fixed(100, inDays(1)))
  const reward = await newLoyaltyReward(shop, { campaign: { id: coupons.id } })
  await assign(shop, program, reward, 10, { auto_redeem: true })
  const customers = names(30)
  await atOnce(customers, async (name) => {
    await newMember(shop, program, name)
    expect(await pay(shop, name)).toMatchObject({ status: 200 })
  })
  const redeemed = async (): Promise<number> => (await ok(shop, 'GET', `/v1/rewards/${reward.id}`)).redeemed

  clock.set('2027-04-02T00:00:05.000Z')
  const look = () => lookAtMembers(nodes[0].runtime, { only: shop.project_id })
  let isOver = false
  const looking = look().finally(() => {
    isOver = true
  })
  await until(async () => (isOver || (await isAtWork()) ? true : undefined))
  expect((await pay(shop, customers.at(-1) as string)).status).toBe(200)
  // All of it takes many looks: whoever pays has waited for a part of one, and gets its turn before the rest is done.
  expect(await redeemed()).toBeLessThan(300)
  expect(await looking).toBe(true)
  const first = await redeemed()
  expect(first).toBeLessThan(300)
  expect(await look()).toBe(true)
  expect(await redeemed()).toBeGreaterThan(first)
  await expectAudited(shop)
})

/** Whether a node looks at the members of a project. */
const isAtWork = async (): Promise<boolean> =>
  (
    await ask(
      `select 1 from pg_locks where locktype = 'advisory' and granted
        and database = (select oid from pg_database where datname = current_database())`,
      [],
    )
  ).length > 0
