import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { type Answer, newProject, type Shop, send } from '../../testing/app.ts'
import { until } from '../../testing/background.ts'
import { atEnd } from '../../testing/closings.ts'
import { type ForgetfulProxy, openForgetfulProxy } from '../../testing/forgetful-proxy.ts'
import { type Node, openNode, postgresUrl } from '../../testing/nodes.ts'
import { onPrimaryOnly } from '../../testing/test-replica.ts'
import { connectPostgres } from './connect.ts'
import type { Database } from './database.ts'
import { isOutage } from './outage.ts'

/*
 * The network forgets connections: packets vanish and nothing is closed (docs/operate/database.md). All limits are those of
 * production: a request is answered within 10 s, and the node works again within 15 s of the first lost packet.
 */

const answeredMs = 10_000
const recoveredMs = 15_000
const timeout = 60_000

describe.concurrent('connections that the network forgot', () => {
  test.each([
    ['all packets vanish', 'none'],
    ['only answers vanish, after the work was done', 'requests'],
  ] as const)('%s: 503, then the same redemption counts once', { timeout }, async (_, passing) => {
    const { proxy, node, shop } = await openNodeBehindProxy()
    const { body: voucher } = await shop.call('POST', '/v1/vouchers', {
      type: 'DISCOUNT_VOUCHER',
      discount: { type: 'AMOUNT', amount_off: 100 },
    })
    const redeem = (key: string) =>
      send(
        node.app,
        'POST',
        '/v1/redemptions',
        { redeemables: [{ object: 'voucher', id: voucher.code }], order: { amount: 1_000 } },
        { ...shop.headers, 'idempotency-key': key },
      )
    const list = () => send(node.app, 'GET', '/v1/vouchers', undefined, shop.headers)
    expect(await Promise.all([redeem('acknowledged'), ...Array.from({ length: 12 }, list)])).toSatisfy(allServed)

    proxy.forget(passing)
    const lostAt = performance.now()
    const keys = ['a', 'b', 'c', 'd', 'e']
    const replies = await Promise.all([...keys.map(redeem), ...Array.from({ length: 12 }, list)].map(timed))
    expect(Math.max(...replies.map(({ ms }) => ms))).toBeLessThan(answeredMs)
    const refused = replies.filter(({ status }) => status !== 200)
    expect(refused.length).toBeGreaterThan(0)
    for (const answer of refused)
      expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': expect.any(String) } })

    // Every redemption is repeated with its key, those that were answered too.
    const retried = await Promise.all(keys.map((key) => retryUntilServed(() => redeem(key))))
    expect(retried).toSatisfy(allServed)
    expect(performance.now() - lostAt).toBeLessThan(recoveredMs)
    const { body } = await shop.call('GET', `/v1/vouchers/${voucher.code}/redemption`)
    expect(body).toMatchObject({ redeemed_quantity: 1 + keys.length })
  })

  test('an open transaction is rolled back, and its locks are released', { timeout }, async () => {
    const { proxy, database } = await openDatabaseBehindProxy()
    const guard = { project_id: 'lost', name: proxy.url }
    await sql`insert into guards (project_id, name, version, touched_at) values (${guard.project_id}, ${guard.name}, 1, now())`.execute(
      database.db,
    )
    const increment = (db: Database['db']) =>
      db
        .updateTable('guards')
        .set((eb) => ({ version: eb('version', '+', 1) }))
        .where('name', '=', guard.name)
        .execute()
    let lostAt = 0
    const lost = database.db.transaction().execute(async (trx) => {
      await increment(trx)
      proxy.forget()
      lostAt = performance.now()
      await increment(trx)
    })
    expect(isOutage(await lost.catch((error: unknown) => error))).toBe(true)
    expect(performance.now() - lostAt).toBeLessThan(answeredMs)
    await increment(database.db)
    expect(performance.now() - lostAt).toBeLessThan(recoveredMs)
    const { version } = await database.db
      .selectFrom('guards')
      .where('name', '=', guard.name)
      .select('version')
      .executeTakeFirstOrThrow()
    expect(version).toBe(2)
  })

  test('a listener hears again, and is told that it may have missed something', { timeout }, async () => {
    const { proxy, database } = await openDatabaseBehindProxy()
    const heard: string[] = []
    let gaps = 0
    const listener = await database.listen(
      'lost',
      (payload) => heard.push(payload),
      () => {
        gaps += 1
      },
    )
    expect(gaps).toBe(1)
    proxy.forget()
    const lostAt = performance.now()
    await until(() => (gaps > 2 ? true : undefined)) // once when it broke, once when it listens again
    expect(performance.now() - lostAt).toBeLessThan(recoveredMs)
    await until(async () => {
      await sql`select pg_notify('lost', 'again')`.execute(database.db).catch(() => {})
      return heard.includes('again') ? true : undefined
    })
    await listener.close()
  })

  test('while new connections vanish too, requests get 503 in time; then the node recovers', { timeout }, async () => {
    const { proxy, node, shop } = await openNodeBehindProxy()
    const read = () => send(node.app, 'GET', '/v1/vouchers', undefined, shop.headers)
    expect(await Promise.all(Array.from({ length: 4 }, read))).toSatisfy(allServed)
    proxy.forgetAll()
    const replies = await Promise.all(Array.from({ length: 20 }, read).map(timed))
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([503]))
    expect(Math.max(...replies.map(({ ms }) => ms))).toBeLessThan(answeredMs)
    proxy.remember()
    const backAt = performance.now()
    expect(await retryUntilServed(read)).toMatchObject({ status: 200 })
    expect(performance.now() - backAt).toBeLessThan(recoveredMs)
  })

  test('a statement that takes long is answered, however long it takes', { timeout }, async () => {
    const { database } = await openDatabaseBehindProxy()
    const { rows } = await sql`select 'done' as answer from pg_sleep(9)`.execute(database.db)
    expect(rows).toEqual([{ answer: 'done' }])
  })
})

test('where the server does not tell what it works on, a statement that takes long is answered too', async () => {
  const url = new URL(postgresUrl())
  url.searchParams.set('options', '-c track_activities=off')
  const database = connectPostgres({ connectionString: url.href, statement_answer_seconds: 0.1 })
  atEnd(() => database.close())
  const { rows } = await sql`select 'done' as answer from pg_sleep(3)`.execute(database.db)
  expect(rows).toEqual([{ answer: 'done' }])
})

async function openDatabaseBehindProxy(): Promise<{ proxy: ForgetfulProxy; database: Database }> {
  const proxy = await openForgetfulProxy(postgresUrl())
  const database = connectPostgres({ connectionString: proxy.url })
  atEnd(() => database.close())
  return { proxy, database }
}

async function openNodeBehindProxy(): Promise<{ proxy: ForgetfulProxy; node: Node; shop: Shop }> {
  const shop = await newProject()
  const { proxy, database } = await openDatabaseBehindProxy()
  return { proxy, shop, node: await openNode(database, { env: onPrimaryOnly }) }
}

async function timed(reply: Promise<Answer>): Promise<Answer & { ms: number }> {
  const startedAt = performance.now()
  return { ...(await reply), ms: performance.now() - startedAt }
}

const allServed = (replies: Answer[]): boolean => replies.every(({ status }) => status === 200)

async function retryUntilServed(call: () => Promise<Answer>): Promise<Answer> {
  return until(async () => {
    const answer = await call()
    return answer.status === 503 ? undefined : answer
  })
}
