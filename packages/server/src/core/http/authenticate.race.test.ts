import { beforeAll, expect, test } from 'vitest'
import { newProject, type Shop, send } from '../../testing/app.ts'
import { anotherConnection, type Node, openNode, postgresUrl } from '../../testing/nodes.ts'

/** Two nodes on one PostgreSQL: what one changes, the other remembers, and must forget. */
let other: Node
const env = { AUTH_MODE: 'either', CLIENT_RATE_LIMIT: '' }

beforeAll(async () => {
  other = await openNode(anotherConnection(postgresUrl()), { env })
})

const form = (shop: Shop) => ({
  'x-app-id': shop.app_id,
  'x-app-token': shop.app_token,
  'content-type': 'application/x-www-form-urlencoded',
})

const statusElsewhere = async (headers: Record<string, string>) =>
  (await send(other.app, 'GET', '/v1/categories', undefined, headers)).status

/** How long the other node goes by what it remembers; it remembers for 30 s what nobody tells it to forget. */
async function millisecondsUntil(status: number, headers: Record<string, string>): Promise<number> {
  const start = performance.now()
  while ((await statusElsewhere(headers)) !== status) {
    if (performance.now() - start > 10_000) break
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return performance.now() - start
}

async function newKey(shop: Shop) {
  const { body } = await shop.manage('POST', '/api-keys', { name: 'Of both nodes' })
  return { id: body.id as string, pair: { 'x-app-id': body.app_id as string, 'x-app-token': body.secret as string } }
}

test('a token revoked on one node is dead on the other within two seconds', async () => {
  const shop = await newProject({ env })
  const token = { authorization: `Bearer ${shop.access_token}` }
  expect(await statusElsewhere(token)).toBe(200)
  expect(
    (await send(shop.service.app, 'POST', '/v1/oauth/token/revoke', `access_token=${shop.access_token}`, form(shop)))
      .status,
  ).toBe(204)
  expect(await millisecondsUntil(401, token)).toBeLessThan(2_000)
})

test('a key blocked, given a new secret or deleted on one node is so on the other within two seconds', async () => {
  const shop = await newProject({ env })
  const blocked = await newKey(shop)
  expect(await statusElsewhere(blocked.pair)).toBe(200)
  await shop.manage('PUT', `/api-keys/${blocked.id}`, { status: 'BLOCKED' })
  expect(await millisecondsUntil(403, blocked.pair)).toBeLessThan(2_000)

  const renewed = await newKey(shop)
  expect(await statusElsewhere(renewed.pair)).toBe(200)
  const { body } = await shop.manage('POST', `/api-keys/${renewed.id}/regenerate`)
  expect(await millisecondsUntil(401, renewed.pair)).toBeLessThan(2_000)
  expect(await statusElsewhere({ ...renewed.pair, 'x-app-token': body.secret })).toBe(200)

  const deleted = await newKey(shop)
  expect(await statusElsewhere(deleted.pair)).toBe(200)
  await shop.manage('DELETE', `/api-keys/${deleted.id}`)
  expect(await millisecondsUntil(401, deleted.pair)).toBeLessThan(2_000)
})

test('a project deleted on one node is closed on the other within two seconds', async () => {
  const shop = await newProject({ env })
  const token = { authorization: `Bearer ${shop.access_token}` }
  expect(await statusElsewhere(token)).toBe(200)
  await shop.manage('DELETE', '')
  expect(await millisecondsUntil(401, token)).toBeLessThan(2_000)
})

test('under a steady stream of calls, none that begins after the change was heard gets in', async () => {
  const shop = await newProject({ env })
  const { id, pair } = await newKey(shop)
  let stopped = false
  const seen: Array<{ at: number; status: number }> = []
  const caller = async () => {
    while (!stopped) {
      const at = performance.now()
      seen.push({ at, status: await statusElsewhere(pair) })
      await new Promise((resolve) => setImmediate(resolve)) // a refusal from memory never lets go of the event loop
    }
  }
  const callers = [caller(), caller(), caller(), caller()]
  await new Promise((resolve) => setTimeout(resolve, 300))
  await shop.manage('PUT', `/api-keys/${id}`, { status: 'BLOCKED' })
  const changed = performance.now()
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  stopped = true
  await Promise.all(callers)
  expect(seen.some(({ status }) => status === 200)).toBe(true)
  const late = seen.filter(({ at, status }) => at > changed + 500 && status !== 403)
  expect(late).toEqual([])
  expect(seen.filter(({ at }) => at > changed + 500).length).toBeGreaterThan(0)
})
