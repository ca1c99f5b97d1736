import { beforeAll, expect, test } from 'vitest'
import { limits } from '../../core/lib/limits.ts'
import { newProject, type Shop, send, uniqueName } from '../../testing/app.ts'
import { until } from '../../testing/background.ts'
import { anotherConnection, type Node, openNode, postgresUrl } from '../../testing/nodes.ts'
import { newSignedInUser } from '../../testing/sessions.ts'

/** A second node whose clock stands still: what it has cached disappears only because it is notified. */
let other: Node
let shop: Shop
beforeAll(async () => {
  const now = Date.now()
  other = await openNode(anotherConnection(postgresUrl()), { now: () => now })
  shop = await newProject()
})

const statusElsewhere = async (headers: Record<string, string>) => {
  const sent = { ...headers, 'x-project-id': shop.project_id }
  return (await send(other.app, 'GET', '/v1/categories', undefined, sent)).status
}
const heardElsewhere = (status: number, headers: Record<string, string>) =>
  until(async () => ((await statusElsewhere(headers)) === status ? true : undefined))

test('a session that ends on one node ends on the other, and so does a role', async () => {
  const { app, runtime } = shop.service
  const newUser = () => newSignedInUser(runtime, { [shop.project_id]: 'USER' })
  const signedOut = await newUser()
  expect(await statusElsewhere(signedOut.headers)).toBe(200)
  expect((await send(app, 'DELETE', '/auth/session', undefined, signedOut.headers)).status).toBe(204)
  await heardElsewhere(401, signedOut.headers)

  const ended = await newUser()
  expect(await statusElsewhere(ended.headers)).toBe(200)
  const path = `/auth/sessions/${ended.session_id}`
  expect((await send(app, 'DELETE', path, undefined, ended.headers)).status).toBe(204)
  await heardElsewhere(401, ended.headers)

  const unassigned = await newUser()
  expect(await statusElsewhere(unassigned.headers)).toBe(200)
  await shop.manage('DELETE', `/users/${unassigned.id}`)
  await heardElsewhere(403, unassigned.headers)
})

test('of many attempts at once, on two nodes, no more are checked than of attempts one after another', async () => {
  const login = `${uniqueName('nobody')}@shop.test`
  const remoteAddress = '203.0.113.7'
  const attempt = (app: Node['app']) =>
    app.inject({
      method: 'POST',
      url: '/auth/session',
      payload: { email: login, password: 'something else here' },
      remoteAddress,
    })
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, at) => attempt(at % 2 ? other.app : shop.service.app)),
  )
  const checked = answers.filter(({ statusCode }) => statusCode === 401)
  expect(checked.length).toBeLessThanOrEqual(limits.sign_in_free)
  expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(30 - checked.length)
})
