import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { newProject, send } from '../../testing/app.ts'
import { until } from '../../testing/background.ts'
import { anotherConnection, openNode, postgresUrl } from '../../testing/nodes.ts'

const setting = { enabled: true, value: 50, in_app: true, emails: ['ann@shop.test'] }
const now = () => Date.UTC(2026, 0, 1, 10, 20) // the full hour would begin a new window

async function twoNodes(limit: string) {
  const env = { RATE_LIMIT_API_CALLS: limit }
  const shop = await newProject({ project: { api_usage_notifications: { api_calls: setting } } })
  const nodes = [
    await openNode(anotherConnection(postgresUrl()), { env, now }),
    await openNode(anotherConnection(postgresUrl()), { env, now }),
  ] as const
  const { db } = shop.service.runtime.database
  return {
    shop,
    nodes,
    call: (index: number) => send(nodes[index % 2 === 0 ? 0 : 1].app, 'GET', '/v1/categories', undefined, shop.headers),
    raised: () => db.selectFrom('notifications').where('project_id', '=', shop.project_id).select('data').execute(),
    mails: () => db.selectFrom('mails').where('text', 'like', `%(${shop.project_id})%`).select('id').execute(),
  }
}

test('of 120 concurrent calls on two nodes that pass the threshold, one notification and one mail result', async () => {
  const { nodes, call, raised, mails } = await twoNodes('100/PT1H')
  const answers = await Promise.all(Array.from({ length: 120 }, (_, index) => call(index)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(100)
  for (const { app } of nodes) await app.close() // waits for what is announced
  expect(await raised()).toHaveLength(1)
  expect(await mails()).toHaveLength(1)
})

test('a call is answered while the notification it raises waits for a lock', async () => {
  const { shop, call, raised } = await twoNodes('4/PT1H')
  const { db } = shop.service.runtime.database
  await db.transaction().execute(async (trx) => {
    await sql`lock table raised_notifications in access exclusive mode`.execute(trx)
    for (let made = 0; made < 4; made += 1) expect((await call(made)).status).toBe(200)
    expect(await raised()).toEqual([])
  })
  await until(async () => ((await raised()).length > 0 ? true : undefined))
})
