import { sql } from 'kysely'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { insertCategory } from '../../rules/categories/store.ts'
import { newProject } from '../../testing/app.ts'
import { anotherConnection, postgresUrl } from '../../testing/nodes.ts'
import { operation } from './operation.ts'

/** A barrier for transactions, by name: all parties continue when the last one has arrived. */
const arrivals = new Map<string, { waiting: number; open: () => void; all: Promise<void> }>()

function meet(place: string, parties: number): Promise<void> {
  let meeting = arrivals.get(place)
  if (meeting === undefined) {
    const { promise, resolve } = Promise.withResolvers<void>()
    meeting = { waiting: 0, open: resolve, all: promise }
    arrivals.set(place, meeting)
  }
  meeting.waiting += 1
  if (meeting.waiting === parties) meeting.open()
  return meeting.all
}

const extra = [
  operation({
    id: 'probeKilled',
    method: 'POST',
    path: '/v1/probes/killed',
    summary: 'Writes, and loses its connection to the database',
    reply: Type.Object({}),
    errors: [],
    run: async (ctx) => {
      await insertCategory(ctx, { name: 'Half', hierarchy: 0 })
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(ctx.db)
      const killer = anotherConnection(postgresUrl())
      await sql`select pg_terminate_backend(${rows[0]?.pid}::int)`.execute(killer.db)
      await insertCategory(ctx, { name: 'Other half', hierarchy: 0 })
      return {}
    },
  }),
  operation({
    id: 'probeDeadlock',
    method: 'POST',
    path: '/v1/probes/deadlock/{first}/{second}',
    summary: 'Locks two categories in the order of its path',
    reply: Type.Object({ locked: Type.Integer() }),
    errors: [],
    run: async ({ db, project_id }, { params: { first, second } }) => {
      const lock = (name: string) =>
        sql`update categories set hierarchy = hierarchy + 1 where project_id = ${project_id} and name = ${name}`.execute(
          db,
        )
      await lock(first)
      await meet(project_id, 2)
      await lock(second)
      return { locked: 2 }
    },
  }),
]

test('a connection that breaks during a write gives 503, leaves nothing behind, and is replaced', async () => {
  const shop = await newProject({ extra })
  const answer = await shop.call('POST', '/v1/probes/killed')
  expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '5' }, body: { key: 'service_unavailable' } })
  const list = await shop.call('GET', '/v1/categories')
  expect(list).toMatchObject({ status: 200, body: { total: 0 } })
})

test('of two deadlocked writes both succeed, one of them on retry', async () => {
  const shop = await newProject({ extra })
  for (const name of ['A', 'B']) await shop.call('POST', '/v1/categories', { name, hierarchy: 0 })
  const answers = await Promise.all([
    shop.call('POST', '/v1/probes/deadlock/A/B'),
    shop.call('POST', '/v1/probes/deadlock/B/A'),
  ])
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  const { body } = await shop.call('GET', '/v1/categories')
  expect(body.data.map(({ hierarchy }: { hierarchy: number }) => hierarchy)).toEqual([2, 2])
})
