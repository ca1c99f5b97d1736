import { beforeAll, expect, test } from 'vitest'
import { newProject, type Shop, send } from '../../testing/app.ts'
import { until } from '../../testing/background.ts'
import { anotherConnection, type Node, openNode, postgresUrl } from '../../testing/nodes.ts'

/**
 * Two nodes on one PostgreSQL: when one node changes credentials, the other must drop them from its cache. The clock of the other
 * node stands still, so its cache entries never expire: they disappear only because of the notification.
 */
let other: Node
const env = { AUTH_MODE: 'either', CLIENT_RATE_LIMIT: '' }

beforeAll(async () => {
  const now = Date.now()
  other = await openNode(anotherConnection(postgresUrl()), { env, now: () => now })
})

const form = (shop: Shop) => ({
  'x-app-id': shop.app_id,
  'x-app-token': shop.app_token,
  'content-type': 'application/x-www-form-urlencoded',
})

const statusElsewhere = async (headers: Record<string, string>) =>
  (await send(other.app, 'GET', '/v1/categories', undefined, headers)).status

/** Waits until the other node no longer answers from its cache. */
const heardElsewhere = (status: number, headers: Record<string, string>) =>
  until(async () => ((await statusElsewhere(headers)) === status ? true : undefined))

async function newKey(shop: Shop) {
  const { body } = await shop.manage('POST', '/api-keys', { name: 'Of both nodes' })
  return { id: body.id as string, pair: { 'x-app-id': body.app_id as string, 'x-app-token': body.secret as string } }
}

test('a token revoked on one node is invalid on the other as soon as it is notified', async () => {
  const shop = await newProject({ env })
  const token = { authorization: `Bearer ${shop.access_token}` }
  expect(await statusElsewhere(token)).toBe(200)
  expect(
    (await send(shop.service.app, 'POST', '/v1/oauth/token/revoke', `access_token=${shop.access_token}`, form(shop)))
      .status,
  ).toBe(204)
  await heardElsewhere(401, token)
})

test('a key blocked, given a new secret or deleted on one node is so on the other as soon as it is notified', async () => {
  const shop = await newProject({ env })
  const blocked = await newKey(shop)
  expect(await statusElsewhere(blocked.pair)).toBe(200)
  await shop.manage('PUT', `/api-keys/${blocked.id}`, { status: 'BLOCKED' })
  await heardElsewhere(403, blocked.pair)

  const renewed = await newKey(shop)
  expect(await statusElsewhere(renewed.pair)).toBe(200)
  const { body } = await shop.manage('POST', `/api-keys/${renewed.id}/regenerate`)
  await heardElsewhere(401, renewed.pair)
  expect(await statusElsewhere({ ...renewed.pair, 'x-app-token': body.secret })).toBe(200)

  const deleted = await newKey(shop)
  expect(await statusElsewhere(deleted.pair)).toBe(200)
  await shop.manage('DELETE', `/api-keys/${deleted.id}`)
  await heardElsewhere(401, deleted.pair)
})

test('a project deleted on one node is refused on the other as soon as it is notified', async () => {
  const shop = await newProject({ env })
  const token = { authorization: `Bearer ${shop.access_token}` }
  expect(await statusElsewhere(token)).toBe(200)
  await shop.manage('DELETE', '')
  await heardElsewhere(401, token)
})

test('under continuous load, no call that begins after the notification is admitted', async () => {
  const shop = await newProject({ env })
  const { id, pair } = await newKey(shop)
  let stopped = false
  let isHeard = false
  const seen: Array<{ began_after: boolean; status: number }> = []
  const caller = async () => {
    while (!stopped) {
      const beganAfter = isHeard
      const status = await statusElsewhere(pair)
      seen.push({ began_after: beganAfter, status })
      isHeard ||= status === 403
      await new Promise((resolve) => setImmediate(resolve)) // a refusal from the cache never yields to the event loop
    }
  }
  const callers = [caller(), caller(), caller(), caller()]
  await until(() => (seen.length >= 100 ? true : undefined))
  expect(new Set(seen.map(({ status }) => status))).toEqual(new Set([200]))
  await shop.manage('PUT', `/api-keys/${id}`, { status: 'BLOCKED' })
  const late = () => seen.filter(({ began_after }) => began_after)
  await until(() => (late().length >= 200 ? true : undefined))
  stopped = true
  await Promise.all(callers)
  expect(late().filter(({ status }) => status !== 403)).toEqual([])
})
