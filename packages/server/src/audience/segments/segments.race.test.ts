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
import { processSegments } from './worker.ts'

test('three concurrent workers keep memberships equal to the filter while customers change during a recompute, and emit each entry and exit once', async () => {
  const shop = await newProject()
  const { runtime } = shop.service
  const runWorker = () => processSegments(runtime, { daily: true, only: shop.project_id })
  const sources = Array.from({ length: 12 }, (_, n) => `c${n}`)
  const change = (sourceId: string, name: string) => shop.call('POST', '/v1/customers', { source_id: sourceId, name })
  await Promise.all(sources.map((sourceId, n) => change(sourceId, n % 2 === 0 ? 'VIP' : 'plain')))
  const filter = { junction: 'and', name: { conditions: { $is: ['VIP'] } } }
  const { body: segment } = await shop.call('POST', '/v1/segments', { name: 'VIPs', type: 'auto-update', filter })

  let isOver = false
  const workers = Array.from({ length: 3 }, async () => {
    while (!isOver) await runWorker()
  })
  for (let round = 0; round < 8; round += 1)
    await Promise.all(
      sources.flatMap((sourceId, n) => [
        change(sourceId, (n + round) % 3 === 0 ? 'VIP' : 'plain'),
        change(sourceId, (n * round) % 2 === 0 ? 'VIP' : 'plain'),
      ]),
    )
  isOver = true
  await Promise.all(workers)
  while (await runWorker());

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
    const transitions = events.map(({ type }) => type.slice('customer.segment.'.length))
    for (const [index, transition] of transitions.entries()) expect(transition).not.toBe(transitions[index - 1]) // entered and left alternate
    const last = transitions.at(-1)
    if (last !== undefined) expect(last).toBe(name === 'VIP' ? 'entered' : 'left')
  }
})

test('the segment worker and the next step of an import do not deadlock', async () => {
  const shop = await newProject()
  const { runtime } = shop.service
  const runWorker = () => processSegments(runtime, { daily: false, only: shop.project_id })
  await shop.call('POST', '/v1/customers', { source_id: 'c' })
  const filter = { junction: 'and', name: { conditions: { $is: ['VIP'] } } }
  await shop.call('POST', '/v1/segments', { name: 'VIPs', filter })
  while (await runWorker());

  const origin = { request_id: newId('request'), caller: testCaller }
  const step = (meanwhile: (ctx: Ctx) => Promise<void> = async () => {}) =>
    inBackground(runtime, shop.project_id, origin, async (ctx) => {
      const { id } = await getCustomer(ctx, 'c', { lock: true })
      await meanwhile(ctx)
      // The worker waits for the customer lock and must not hold a lock needed here: `nowait` fails instead of deadlocking.
      await sql`select from segment_checks where project_id = ${shop.project_id} and customer_id = ${id} for update nowait`.execute(
        ctx.db,
      )
      await queueMembershipCheck(ctx, [id])
    })
  await step()
  let workerRun: Promise<boolean> | undefined
  // The second step locks the customer for which the first one has queued a check.
  await step(async ({ db }) => {
    const holder = await backendOf(db)
    workerRun = runWorker()
    await untilOthersWait(runtime.database, holder)
  })
  expect(await workerRun).toBe(true)
  while (await runWorker());
  const checksLeft = await runtime.database.db
    .selectFrom('segment_checks')
    .where('project_id', '=', shop.project_id)
    .selectAll()
    .execute()
  expect(checksLeft).toEqual([])
})
