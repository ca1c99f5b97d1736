import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Db } from '../../core/db/database.ts'
import { inTransaction } from '../../core/db/transaction.ts'
import { newId } from '../../core/lib/ids.ts'
import { newProject, type Shop, send } from '../../testing/app.ts'
import { amountOff, newDiscount } from '../../testing/checkout.ts'
import { storedEventIds, untilFinal, walkEvents } from '../../testing/event-list.ts'
import { anotherConnection, openNode, postgresUrl } from '../../testing/nodes.ts'
import { ok } from '../../testing/orders.ts'
import { scaled } from '../../testing/scale.ts'

const insertEvent = (db: Db, { project_id }: Shop) =>
  sql`insert into event_rows (project_id, id, type, category, entity_id, created_at, group_id, event_source, data)
    values (${project_id}, ${newId('voucher_event')}, 'voucher.updated', 'ACTION', 'v_1', now(), 'w-1', '{"channel":"INTERNAL"}', '{}')`.execute(
    db,
  )

/** A consumer that polls by cursor; `stop` polls until it has seen all that is final, and returns what it saw. */
function consume(shop: Shop) {
  const seen: string[] = []
  let cursor: string | undefined
  let isStopped = false
  const poll = async () => {
    const walked = await walkEvents(shop, { limit: '7', ...(cursor !== undefined && { cursor }) })
    seen.push(...walked.events.map(({ id }) => id))
    cursor = walked.cursor
  }
  const running = (async () => {
    while (!isStopped) {
      await poll()
      await setImmediate()
    }
  })()
  return {
    seen,
    poll,
    async stop(): Promise<string[]> {
      isStopped = true
      await running
      await untilFinal(shop)
      await poll()
      return seen
    },
  }
}

test('an event of a transaction that commits late is read in its place, and no later one before it', async () => {
  const shop = await newProject()
  const other = anotherConnection(postgresUrl())
  await ok(shop, 'POST', '/v1/customers', { source_id: 'before' })
  await untilFinal(shop)
  const { events, cursor } = await walkEvents(shop)
  expect(events).toHaveLength(1)

  // Held open across reads, while other requests commit.
  await inTransaction(other.db, async (trx) => {
    await insertEvent(trx, shop)
    await ok(shop, 'POST', '/v1/customers', { source_id: 'during' })
    for (let time = 0; time < 3; time++)
      expect(
        (await walkEvents(shop, { cursor })).events,
        'a later event would move the cursor past the late one',
      ).toEqual([])
    // Who only wants to look sees what is committed.
    const newest = await walkEvents(shop, { order: '-created_at' })
    expect(newest.events.map(({ type }) => type)).toEqual(['customer.created', 'customer.created'])
  })
  await untilFinal(shop)
  expect((await walkEvents(shop, { cursor })).events.map(({ type }) => type)).toEqual([
    'voucher.updated',
    'customer.created',
  ])
})

test('an event of a transaction that fails does not hold the list up', async () => {
  const shop = await newProject()
  const other = anotherConnection(postgresUrl())
  await inTransaction(other.db, async (trx) => {
    await insertEvent(trx, shop)
    await ok(shop, 'POST', '/v1/customers', { source_id: 'during' })
    throw new Error('given up')
  }).catch(() => {})
  await untilFinal(shop)
  expect((await walkEvents(shop)).events).toMatchObject([{ type: 'customer.created' }])
})

test('a consumer sees every event of several nodes exactly once, while they redeem in batches and transactions commit late', async () => {
  const shop = await newProject()
  const nodes = [
    shop.service,
    await openNode(anotherConnection(postgresUrl())),
    await openNode(anotherConnection(postgresUrl())),
  ]
  const writer = anotherConnection(postgresUrl())
  await newDiscount(shop, 'MANY', amountOff(10), { redemption: { quantity: null } })
  const consumer = consume(shop)
  const reader = consume(shop) // a second one, with its own cursor

  const redeemMany = async (node: (typeof nodes)[number], count: number) => {
    const one = async () => {
      const body = { redeemables: [{ object: 'voucher', id: 'MANY' }], order: { amount: 1_000 } }
      const answer = await send(node.app, 'POST', '/v1/redemptions', body, shop.headers)
      expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    }
    for (let batch = 0; batch < count; batch++) await Promise.all(Array.from({ length: 8 }, one))
  }
  const commitLate = async (count: number) => {
    for (let time = 0; time < count; time++)
      await inTransaction(writer.db, async (trx) => {
        await insertEvent(trx, shop)
        await ok(shop, 'POST', '/v1/customers', { source_id: `late ${time}` })
        await sql`select pg_sleep(0.05)`.execute(trx) // both consumers read meanwhile
        await insertEvent(trx, shop)
      })
  }
  const rounds = scaled(20, 5)
  await Promise.all([...nodes.map((node) => redeemMany(node, rounds)), commitLate(rounds)])

  const stored = await storedEventIds(shop)
  expect(stored.length).toBeGreaterThan(rounds * 8 * 3)
  for (const seen of [await consumer.stop(), await reader.stop()]) expect(seen).toEqual(await storedEventIds(shop))
})
