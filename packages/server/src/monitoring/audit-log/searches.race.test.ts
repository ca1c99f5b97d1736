import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { limits } from '../../core/lib/limits.ts'
import { newClock, newProjectOn } from '../../testing/app.ts'
import { backendOf, untilOthersWait } from '../../testing/lock-waits.ts'
import { anotherConnection, openNode, ownDatabase } from '../../testing/nodes.ts'
import { ok } from '../../testing/orders.ts'
import { onPrimaryOnly } from '../../testing/test-replica.ts'

test('searches that take long leave connections to other requests, wait for their turn, and beyond that are 429', async () => {
  const { database, url } = await ownDatabase()
  const shop = await newProjectOn({ ...(await openNode(database, { env: onPrimaryOnly })), clock: newClock() })
  const other = anotherConnection(url as string)
  const search = () => shop.manage('GET', '/audit-log')
  const { audit_searches_at_once_max: atOnce, audit_searches_waiting_max: waiting } = limits

  const { served, refused } = await other.db.transaction().execute(async (trx) => {
    await sql`lock table audit_log in access exclusive mode`.execute(trx) // a search takes until this ends
    const served = Array.from({ length: atOnce + waiting }, search)
    await untilOthersWait(other, await backendOf(trx), atOnce)
    // More than the node has connections wait for the log, and none of them is missed.
    await ok(shop, 'GET', '/v1/categories')
    return { served, refused: await search() }
  })
  expect(refused).toMatchObject({
    status: 429,
    headers: { 'retry-after': '10' },
    body: { key: 'too_many_requests', details: 'Too many searches of the audit log wait for their turn' },
  })
  expect(new Set((await Promise.all(served)).map(({ status }) => status))).toEqual(new Set([200]))
  expect(await search()).toMatchObject({ status: 200 })
})
