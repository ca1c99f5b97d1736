import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Ctx } from '../../core/context.ts'
import { inBackground } from '../../core/jobs/background.ts'
import { newId } from '../../core/lib/ids.ts'
import { newProject } from '../../testing/app.ts'
import { testCaller } from '../../testing/background.ts'
import { backendOf, untilOthersWait } from '../../testing/lock-waits.ts'
import { getCustomer } from '../customers/store.ts'
import { queueMembershipCheck } from './queue-membership-check.ts'
import { lookAtSegments } from './watch.ts'

test('while customers change and a walk is under way, three lookers agree with the filter, and tell each turn once', async () => {
  const shop = await newProject()
  const { runtime } = shop.service
  const look = () => lookAtSegments(runtime, { daily: true, only: shop.project_id })
  const sources = Array.from({ length: 12 }, (_, n) => `c${n}`)
  const change = (sourceId: string, name: string) => shop.call('POST', '/v1/customers', { source_id: sourceId, name })
  await Promise.all(sources.map((sourceId, n) => change(sourceId, n % 2 === 0 ? 'VIP' : 'plain')))
  const filter = { junction: 'and', name: { conditions: { $is: ['VIP'] } } }
  const { body: segment } = await shop.call('POST', '/v1/segments', { name: 'VIPs', type: 'auto-update', filter })

  let isOver = false
  const lookers = Array.from({ length: 3 }, async () => {
    while (!isOver) await look()
  })
  for (let round = 0; round < 8; round += 1)
    await Promise.all(
      sources.flatMap((sourceId, n) => [
        change(sourceId, (n + round) % 3 === 0 ? 'VIP' : 'plain'),
        change(sourceId, (n * round) % 2 === 0 ? 'VIP' : 'plain'),
      ]),
    )
  isOver = true
  await Promise.all(lookers)
  while (await look());

  const { db } = runtime.database
  const customers = await db.selectFrom('customers').where('project_id', '=', shop.project_id).selectAll().execute()
  const members = await db
    .selectFrom('segment_members')
    .where('project_id', '=', shop.project_id)
    .where('segment_id', '=', segment.id)
    .select('customer_id')
    .execute()
  const vips = customers.filter(({ name }) => name === 'VIP').map(({ id }) => id)
  expect(members.map(({ customer_id }) => customer_id).sort()).toEqual(vips.sort())

  for (const { id, name } of customers) {
    const events = await db
      .selectFrom('events')
      .where('project_id', '=', shop.project_id)
      .where('entity_id', '=', id)
      .where('type', 'like', 'customer.segment.%')
      .orderBy('id')
      .select('type')
      .execute()
    const turns = events.map(({ type }) => type.slice('customer.segment.'.length))
    for (const [index, turn] of turns.entries()) expect(turn).not.toBe(turns[index - 1]) // in and out take turns
    const last = turns.at(-1)
    if (last !== undefined) expect(last).toBe(name === 'VIP' ? 'entered' : 'left')
  }
})

test('a looker and the next step of the same import do not wait for each other', async () => {
  const shop = await newProject()
  const { runtime } = shop.service
  const look = () => lookAtSegments(runtime, { daily: false, only: shop.project_id })
  await shop.call('POST', '/v1/customers', { source_id: 'c' })
  const filter = { junction: 'and', name: { conditions: { $is: ['VIP'] } } }
  await shop.call('POST', '/v1/segments', { name: 'VIPs', filter })
  while (await look());

  const origin = { request_id: newId('request'), caller: testCaller }
  const step = (meanwhile: (ctx: Ctx) => Promise<void> = async () => {}) =>
    inBackground(runtime, shop.project_id, origin, async (ctx) => {
      const { id } = await getCustomer(ctx, 'c', { lock: true })
      await meanwhile(ctx)
      // Whoever looks waits for the customer, and must hold nothing that is needed here: this fails instead of waiting.
      await sql`select from segment_checks where customer_id = ${id} for update nowait`.execute(ctx.db)
      await queueMembershipCheck(ctx, [id])
    })
  await step()
  let looking: Promise<boolean> | undefined
  // The second step holds the customer that the first one noted.
  await step(async ({ db }) => {
    const holder = await backendOf(db)
    looking = look()
    await untilOthersWait(runtime.database, holder)
  })
  expect(await looking).toBe(true)
  while (await look());
  const left = await runtime.database.db
    .selectFrom('segment_checks')
    .where('project_id', '=', shop.project_id)
    .selectAll()
    .execute()
  expect(left).toEqual([])
})
