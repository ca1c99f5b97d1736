import { connect, createServer } from 'node:net'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { newProjectOn, type Shop, send } from '../../testing/app.ts'
import { newVoucher } from '../../testing/campaigns.ts'
import { newDiscount, percentOff, redeem, validate, validated, vouchers } from '../../testing/checkout.ts'
import { atEnd } from '../../testing/closings.ts'
import { createExport, finishedLines } from '../../testing/exports.ts'
import { anotherConnection, type Node, openNode } from '../../testing/nodes.ts'
import { ok } from '../../testing/orders.ts'
import { createDatabase } from '../../testing/postgres.ts'
import {
  type ReplicaServer,
  type ReplicatedPostgres,
  startReplicatedPostgres,
} from '../../testing/replicated-postgres.ts'
import { statementsSentBy } from '../../testing/sent-statements.ts'
import type { Database } from './database.ts'
import { migrate } from './migrate.ts'
import type { Replicas } from './replicas.ts'

let servers: ReplicatedPostgres
let url: string
let database: Database

beforeAll(async () => {
  servers = await startReplicatedPostgres({ replicas: 2 })
  atEnd(() => servers.stop())
  ;({ url } = await createDatabase(servers.primary.url))
  database = anotherConnection(url, { tracks_commits: true })
  await migrate(database.db, async () => {})
})

beforeEach(async () => {
  for (const replica of servers.replicas) await replica.resume()
})

/** A node with one replica, which it goes on using while that applies nothing, unless the test says how long it may lag. */
async function newNode({
  lag_ms = 60_000,
  read_urls = [first().urlOf(url)],
  of = database,
} = {}): Promise<Node & { replicas: Replicas; shop: Shop }> {
  const node = await openNode(of, {
    env: { DATABASE_URL: url, DATABASE_READ_URL: read_urls.join(','), DATABASE_READ_LAG_MS: String(lag_ms) },
  })
  const replicas = node.runtime.replicas as Replicas
  const shop = await newProjectOn({ ...node, clock: undefined as never })
  await expect.poll(() => whyNot(replicas)).toEqual(read_urls.map(() => null))
  return { ...node, replicas, shop }
}

/** A port whose connections lead to the first server, to the second one, to the second one … */
async function balancerOver(replicas: readonly ReplicaServer[]) {
  let connections = 0
  const balancer = createServer((near) => {
    const to = replicas[Math.min(connections, replicas.length - 1)] as ReplicaServer
    connections += 1
    const far = connect(Number(new URL(to.url).port), '127.0.0.1')
    near.pipe(far).pipe(near)
    for (const socket of [near, far]) socket.on('error', () => [near, far].forEach((each) => void each.destroy()))
  })
  await new Promise<void>((resolve) => balancer.listen(0, '127.0.0.1', resolve))
  atEnd(async () => void balancer.close())
  const { port } = balancer.address() as { port: number }
  return { hosts: () => connections, read_url: Object.assign(new URL(url), { port: String(port) }).href }
}

/** Of each replica, why it is not used; null: it is. */
const whyNot = (replicas: Replicas) => replicas.list().map((replica) => replica.whyNot())

const first = () => servers.replicas[0] as ReplicaServer

/** Waits until the replica shows everything that was written so far, and then stops it from applying more. */
async function pauseReplica(replica = first()): Promise<void> {
  await untilApplied(replica)
  await replica.pause()
}

async function untilApplied(replica: ReplicaServer, primary = database): Promise<void> {
  const { rows } = await primary.execute('select pg_current_wal_insert_lsn()::text as lsn')
  const [{ lsn }] = rows as [{ lsn: string }]
  await expect
    .poll(() => replica.run(`select pg_last_wal_replay_lsn() >= '${lsn}'::pg_lsn as is_there`))
    .toEqual([{ is_there: true }])
}

const codesIn = async (shop: Shop, headers: Record<string, string> = {}): Promise<string[]> => {
  const { status, body } = await shop.call('GET', '/v1/vouchers?limit=100', undefined, headers)
  expect(status).toBe(200)
  return body.vouchers.map(({ code }: { code: string }) => code).sort()
}

const order = { amount: 10_000 }

test('lists are those of the replica, one object by its id is that of the primary', async () => {
  const { shop, replicas } = await newNode()
  await newVoucher(shop, 'EARLIER')
  await pauseReplica()
  await newVoucher(shop, 'LATER')
  expect(await codesIn(shop)).toEqual(['EARLIER'])
  expect(await shop.call('GET', '/v1/vouchers/LATER')).toMatchObject({ status: 200 })
  await first().resume()
  await expect.poll(() => codesIn(shop)).toEqual(['EARLIER', 'LATER'])
  expect(replicas.reads()).toMatchObject({ failed: 0, no_replica: 0 })
})

test('a list of what belongs to an object that the replica does not know is empty, not refused', async () => {
  const { shop } = await newNode()
  await pauseReplica()
  await newVoucher(shop, 'LATER')
  expect(await shop.call('GET', '/v1/vouchers/LATER/transactions')).toMatchObject({ status: 200 })
})

test('a page after an object that the replica does not know is that of the primary', async () => {
  const { shop } = await newNode()
  await newVoucher(shop, 'A')
  await pauseReplica()
  const { id } = await newVoucher(shop, 'B')
  const { status, body } = await shop.call('GET', `/v1/vouchers?starting_after_id=${id}&order=-created_at`)
  expect([status, body.vouchers?.map(({ code }: { code: string }) => code)]).toEqual([200, ['A']])
})

test('a validation is judged on the replica, a redemption on the primary', async () => {
  const { shop } = await newNode()
  await newDiscount(shop, 'ONCE', percentOff(10), { redemption: { quantity: 1 } })
  await pauseReplica()
  const use = { redeemables: vouchers('ONCE'), order }
  expect(await redeem(shop, use)).toMatchObject({ status: 200 })
  expect(await validated(shop, use)).toMatchObject({ valid: true })
  expect(await redeem(shop, use)).toMatchObject({ status: 400, body: { key: 'quantity_exceeded' } })
})

test('a validation with a session, or with an Idempotency-Key, is judged on the primary', async () => {
  const { shop } = await newNode()
  await newDiscount(shop, 'ONCE', percentOff(10), { redemption: { quantity: 1 } })
  await pauseReplica()
  const use = { redeemables: vouchers('ONCE'), order }
  await redeem(shop, use)
  const no = { valid: false, redeemables: [{ status: 'INAPPLICABLE' }] }
  expect(await validated(shop, { ...use, session: { type: 'LOCK' } })).toMatchObject(no)
  const { body } = await shop.call('POST', '/v1/validations', use, { 'idempotency-key': 'k' })
  expect(body).toMatchObject(no)
  expect(await validated(shop, use)).toMatchObject({ valid: true })
})

test('what a validation names and the replica does not know is looked up on the primary before it is refused', async () => {
  const { shop, replicas } = await newNode()
  const { id: ruleId } = await ok(shop, 'POST', '/v1/validation-rules', {
    rules: { '1': { name: 'customer.metadata', conditions: { $is: ['gold'] }, property: 'level' }, logic: '1' },
  })
  const { id: voucherId } = await newDiscount(shop, 'GOLD', percentOff(10))
  await ok(shop, 'POST', `/v1/validation-rules/${ruleId}/assignments`, {
    related_object_type: 'voucher',
    related_object_id: voucherId,
  })
  await validated(shop, { redeemables: vouchers('GOLD'), order })
  await pauseReplica()
  const before = replicas.reads().unknown
  await newDiscount(shop, 'NEW', percentOff(10))
  await ok(shop, 'POST', '/v1/customers', { source_id: 'anna', metadata: { level: 'gold' } })
  expect(await validated(shop, { redeemables: vouchers('NEW'), order })).toMatchObject({ valid: true })
  expect(await validated(shop, { redeemables: vouchers('GOLD'), order, customer: 'anna' })).toMatchObject({
    valid: true,
  })
  expect(await shop.call('POST', '/v1/vouchers/NEW/validate', { order })).toMatchObject({ body: { valid: true } })
  expect(await validated(shop, { redeemables: vouchers('NEVER'), order })).toMatchObject({
    valid: false,
    redeemables: [{ result: { error: { key: 'not_found' } } }],
  })
  expect(replicas.reads().unknown - before).toBe(4)
})

test('a validation never goes back behind the configuration that the node knows', async () => {
  const { shop, replicas } = await newNode()
  const { id, promotion } = await ok(shop, 'POST', '/v1/campaigns', {
    name: 'Sale',
    campaign_type: 'PROMOTION',
    promotion: { tiers: [{ name: 'Ten', action: { discount: percentOff(10) } }] },
  })
  const use = { redeemables: [{ object: 'promotion_tier', id: promotion.tiers[0].id }], order }
  expect(await validated(shop, use)).toMatchObject({ valid: true })
  await pauseReplica()
  await ok(shop, 'POST', `/v1/campaigns/${id}/disable`)
  expect(await validated(shop, use)).toMatchObject({ valid: true })
  // The node learns of the change by a redemption; from then on the replica is behind it.
  expect(await redeem(shop, use)).toMatchObject({ status: 400 })
  const { replica } = replicas.reads()
  expect(await validated(shop, use)).toMatchObject({ valid: false })
  expect(replicas.reads().replica).toBe(replica)
})

test('a qualification lists what the replica knows, and asks the primary for a customer that it does not know', async () => {
  const { shop } = await newNode()
  await newDiscount(shop, 'EARLIER', percentOff(10))
  await pauseReplica()
  await newDiscount(shop, 'LATER', percentOff(10))
  const qualified = async (body: object) =>
    (await ok(shop, 'POST', '/v1/qualifications', { order, ...body })).redeemables.data
      .map(({ id }: { id: string }) => id)
      .sort()
  expect(await qualified({})).toEqual(['EARLIER'])
  expect(await qualified({ customer: 'stranger' })).toEqual(['EARLIER'])
  await ok(shop, 'POST', '/v1/customers', { source_id: 'anna' })
  expect(await qualified({ customer: 'anna' })).toEqual(['EARLIER', 'LATER'])
})

test('who sends back the position of a write reads what was written', async () => {
  const { shop, replicas } = await newNode()
  await newVoucher(shop, 'EARLIER')
  await pauseReplica()
  const { headers } = await shop.call('POST', '/v1/vouchers/LATER', {
    type: 'DISCOUNT_VOUCHER',
    discount: percentOff(10),
  })
  const written = { 'guerdon-position': headers['guerdon-position'] as string }
  expect(written['guerdon-position']).toMatch(/^\d+$/)
  expect(await codesIn(shop, written)).toEqual(['EARLIER', 'LATER'])
  expect(await codesIn(shop)).toEqual(['EARLIER'])
  // Once the replica has it, the replica answers again.
  await first().resume()
  await untilApplied(first())
  const before = replicas.reads().replica
  await expect
    .poll(async () => {
      expect(await codesIn(shop, written)).toEqual(['EARLIER', 'LATER'])
      return replicas.reads().replica
    })
    .toBeGreaterThan(before)
})

test.each(['redemption', 'redemption with an Idempotency-Key', 'failed redemption'])(
  'the position that a %s returns contains it',
  async (what) => {
    const { shop } = await newNode()
    await newDiscount(shop, 'CODE', percentOff(10), { active: what !== 'failed redemption' })
    await pauseReplica()
    const key: Record<string, string> = what.endsWith('Key') ? { 'idempotency-key': 'k' } : {}
    const { headers } = await shop.call('POST', '/v1/redemptions', { redeemables: vouchers('CODE'), order }, key)
    const list = (more: Record<string, string>) => shop.call('GET', '/v1/redemptions', undefined, more)
    expect((await list({})).body.redemptions).toHaveLength(0)
    const { body } = await list({ 'guerdon-position': headers['guerdon-position'] as string })
    expect(body.redemptions).toHaveLength(1)
  },
)

test.each([
  ['POST /v1/vouchers/{code}', { type: 'DISCOUNT_VOUCHER', discount: percentOff(10) }, 'vouchers'],
  ['POST /v1/redemptions', { redeemables: vouchers('CODE'), order }, 'redemptions'],
] as const)(
  'the position of a repeated reply to %s contains what another node has committed',
  async (operation, body, listed) => {
    const [{ shop }, other] = [await newNode(), await newNode({ of: anotherConnection(url, { tracks_commits: true }) })]
    await newDiscount(shop, 'CODE', percentOff(10))
    await pauseReplica()
    const list = async (headers: Record<string, string>) =>
      (await shop.call('GET', `/v1/${listed}`, undefined, headers)).body[listed].length
    const before = await list({})
    for (let nth = 1; nth <= 5; nth += 1) {
      const path = operation.slice('POST '.length).replace('{code}', `CODE-${nth}`)
      const headers = { ...shop.headers, 'idempotency-key': `${nth}` }
      expect((await send(shop.service.app, 'POST', path, body, headers)).status).toBe(200)
      const repeated = await send(other.app, 'POST', path, body, headers)
      expect([repeated.status, repeated.headers['idempotency-replayed']]).toEqual([200, 'true'])
      const position = repeated.headers['guerdon-position'] as string
      expect(await list({ 'guerdon-position': position })).toBe(before + nth)
    }
  },
)

test('a position that is none leads to the primary', async () => {
  const { shop } = await newNode()
  await pauseReplica()
  await newVoucher(shop, 'LATER')
  for (const position of ['soon', '', '-1', '99999999999999999999'])
    expect(await codesIn(shop, { 'guerdon-position': position }), position).toEqual(['LATER'])
})

test('a replica that lags too much is left, and used again when it has caught up', async () => {
  const { shop, replicas } = await newNode({ lag_ms: 500 })
  await pauseReplica()
  await newVoucher(shop, 'LATER')
  await expect.poll(() => codesIn(shop)).toEqual(['LATER'])
  expect(whyNot(replicas)).toEqual([expect.stringMatching(/^it lags \d+ ms behind the primary, more than 500 ms$/)])
  await first().resume()
  await expect.poll(() => whyNot(replicas)).toEqual([null])
})

test('a replica that is killed under load fails no request, and is used again after its start', async () => {
  const { shop, replicas } = await newNode({ read_urls: servers.replicas.map((each) => each.urlOf(url)) })
  await newDiscount(shop, 'CODE', percentOff(10))
  const statuses = new Set<number>()
  let isOver = false
  const callUntilOver = async () => {
    while (!isOver) {
      statuses.add((await validate(shop, { redeemables: vouchers('CODE'), order })).status)
      statuses.add((await shop.call('GET', '/v1/vouchers')).status)
    }
  }
  const load = Array.from({ length: 8 }, callUntilOver)
  const readsMore = async () => {
    const { replica } = replicas.reads()
    await expect.poll(() => replicas.reads().replica).toBeGreaterThan(replica + 50)
  }
  await readsMore()
  await first().kill()
  await expect.poll(() => whyNot(replicas)).toEqual([expect.any(String), null])
  await readsMore() // of the other one
  await first().start()
  await expect.poll(() => whyNot(replicas)).toEqual([null, null])
  await readsMore()
  isOver = true
  await Promise.all(load)
  expect([...statuses]).toEqual([200])
})

test('without any replica the primary answers', async () => {
  const { shop, replicas } = await newNode()
  await first().kill()
  await newVoucher(shop, 'CODE')
  expect(await codesIn(shop)).toEqual(['CODE'])
  expect(await validated(shop, { redeemables: vouchers('CODE'), order })).toMatchObject({ valid: true })
  await first().start()
  await expect.poll(() => whyNot(replicas)).toEqual([null])
})

test('a replica that no longer answers fails no request', async () => {
  const { shop, replicas } = await newNode({ lag_ms: 500 })
  await newDiscount(shop, 'CODE', percentOff(10))
  await untilApplied(first())
  await validated(shop, { redeemables: vouchers('CODE'), order })
  const thaw = await first().freeze()
  const calls = Array.from({ length: 5 }, () => [
    validate(shop, { redeemables: vouchers('CODE'), order }),
    shop.call('GET', '/v1/vouchers'),
  ])
  const answers = await Promise.all(calls.flat())
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  expect(whyNot(replicas)).toEqual([expect.any(String)])
  thaw()
  await expect.poll(() => whyNot(replicas)).toEqual([null])
})

test('a name that stands for several servers, as that of a load balancer does, is not read from', async () => {
  const { hosts, read_url } = await balancerOver(servers.replicas)
  const node = await openNode(database, { env: { DATABASE_URL: url, DATABASE_READ_URL: read_url } })
  const replicas = node.runtime.replicas as Replicas
  const shop = await newProjectOn({ ...node, clock: undefined as never })
  await expect.poll(hosts).toBe(1) // the poll, which proves the lag of the first one
  const list = async () => (await codesIn(shop)) && replicas.reads()
  await expect.poll(list).toMatchObject({ failed: expect.toSatisfy((failed) => failed > 0) })
  expect(replicas.reads().replica).toBe(0)
  expect(whyNot(replicas)).toEqual([expect.stringMatching(/reach different servers: name each of them/)])
})

test('an export is written from a replica that knows it, and so everything that was there when it was asked for', async () => {
  const { shop } = await newNode()
  const create = () => createExport(shop, 'voucher', { fields: ['code'], order: 'created_at' })
  await newVoucher(shop, 'EARLIER')
  await pauseReplica()
  await newVoucher(shop, 'LATER')
  const unknownToReplica = await create()
  expect(await finishedLines(shop, unknownToReplica)).toEqual(['Code', 'EARLIER', 'LATER'])
  await first().resume()
  const known = await create()
  await pauseReplica()
  await newVoucher(shop, 'LATEST')
  expect(await finishedLines(shop, known)).toEqual(['Code', 'EARLIER', 'LATER'])
})

test('concurrent validations share lookups on the replica too', async () => {
  const { shop } = await newNode()
  await newDiscount(shop, 'CODE', percentOff(10))
  await untilApplied(first())
  const use = { redeemables: vouchers('CODE'), order }
  await validated(shop, use)
  const { answer, sent } = await statementsSentBy(() =>
    Promise.all(Array.from({ length: 50 }, () => validated(shop, use))),
  )
  expect(answer.every(({ valid }) => valid)).toBe(true)
  expect(sent.filter((text) => text.includes('from vouchers v')).length).toBeLessThan(10)
})

test('a server that is no replica of this database is not read', async () => {
  const other = await createDatabase(servers.primary.url)
  await untilApplied(first())
  const node = await openNode(database, {
    env: { DATABASE_URL: url, DATABASE_READ_URL: `${url},${first().urlOf(other.url)}` },
  })
  const replicas = node.runtime.replicas as Replicas
  await expect
    .poll(() => whyNot(replicas))
    .toEqual([
      'it is no replica (any more): it accepts writes',
      // Another database of the same server, without our tables.
      'relation "event_positions" does not exist',
    ])
  const shop = await newProjectOn({ ...node, clock: undefined as never })
  await codesIn(shop)
  expect(replicas.reads()).toMatchObject({ replica: 0, failed: 0, no_replica: 1 })
})

test('a replica of the primary that a failover has left behind is not read, whatever it has', async () => {
  const others = await startReplicatedPostgres({ replicas: 2 })
  atEnd(() => others.stop())
  const [promoted, left] = others.replicas as [ReplicaServer, ReplicaServer]
  const { url: earlier } = await createDatabase(others.primary.url)
  const primary = anotherConnection(earlier)
  await migrate(primary.db, async () => {})
  await untilApplied(promoted, primary)
  await promoted.run('select pg_promote()')
  // The earlier primary goes on writing, so that its replica has more of a log than the new one has written.
  await primary.execute('create table more as select from generate_series(1, 100000)')
  await untilApplied(left, primary)
  const node = await openNode(anotherConnection(promoted.urlOf(earlier), { tracks_commits: true }), {
    env: { DATABASE_URL: promoted.urlOf(earlier), DATABASE_READ_URL: left.urlOf(earlier) },
  })
  const problem = /^it is on timeline 1 of the log, the primary on 2: it follows another primary/
  await expect.poll(() => whyNot(node.runtime.replicas as Replicas)).toEqual([expect.stringMatching(problem)])
})
