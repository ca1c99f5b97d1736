import { beforeAll, expect, test } from 'vitest'
import { inTransaction } from '../../core/db/transaction.ts'
import { toInstant } from '../../core/lib/instant.ts'
import { limits } from '../../core/lib/limits.ts'
import { newProject, type Shop, send, uniqueName } from '../../testing/app.ts'
import { until } from '../../testing/background.ts'
import { backendOf, untilOthersWait } from '../../testing/lock-waits.ts'
import { anotherConnection, type Node, openNode, postgresUrl } from '../../testing/nodes.ts'
import { newSignedInUser } from '../../testing/sessions.ts'
import { findPasswordHash, upsertPassword } from './credentials-store.ts'
import { hashPassword } from './password-hash.ts'
import { insertSession } from './session-store.ts'

const password = 'a rainy day in Lisbon'

/** A second node whose clock stands still: what it has cached disappears only because it is notified. */
let other: Node
const stoppedAt = Date.now()
let shop: Shop
beforeAll(async () => {
  other = await openNode(anotherConnection(postgresUrl()), { now: () => stoppedAt })
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

test('a session that ends for the newest of too many ends on every node', async () => {
  const { app, runtime } = shop.service
  const { db } = runtime.database
  const user = await newSignedInUser(runtime, { [shop.project_id]: 'USER' })
  const at = toInstant(runtime.now() + 1_000)
  for (let count = 1; count < limits.user_sessions_max; count += 1)
    await insertSession(db, user.id, { address: '127.0.0.1', user_agent: '' }, at)
  await upsertPassword(db, user.id, await hashPassword(password), at)
  expect(await statusElsewhere(user.headers)).toBe(200)
  const statusHere = async () => (await send(app, 'GET', '/auth/session', undefined, user.headers)).status
  expect(await statusHere()).toBe(200)
  expect((await send(app, 'POST', '/auth/session', { email: user.email, password })).status).toBe(200)
  expect(await statusHere()).toBe(401)
  await heardElsewhere(401, user.headers)
})

test('a password that is replaced while it is checked neither begins a session nor changes the second factor', async () => {
  const { app, runtime } = shop.service
  const { db } = runtime.database
  const user = await newSignedInUser(runtime, { [shop.project_id]: 'USER' })
  const at = toInstant(runtime.now())
  const old = await hashPassword(password)
  const replaced = await hashPassword('another day in Porto')
  for (const attempt of [
    () => send(app, 'POST', '/auth/session', { email: user.email, password }),
    () =>
      send(app, 'POST', '/auth/password', { old_password: password, password: 'a third day in Faro' }, user.headers),
    () => send(app, 'POST', '/auth/totp', { password, code: '123456' }, user.headers),
    () => send(app, 'DELETE', '/auth/totp', { password }, user.headers),
  ]) {
    await upsertPassword(db, user.id, old, at)
    let answer: ReturnType<typeof attempt> | undefined
    await inTransaction(db, async (trx) => {
      await upsertPassword(trx, user.id, replaced, at)
      answer = attempt()
      await Promise.race([untilOthersWait(runtime.database, await backendOf(trx)), answer])
    })
    expect(await answer).toMatchObject({ status: 401, body: { key: 'invalid_credentials' } })
    expect(await findPasswordHash(db, user.id)).toBe(replaced)
  }
})

test('of many attempts at once, on two nodes, no more are checked than of attempts one after another', async () => {
  // Both clocks stand still: on a busy machine the attempts may take longer than the first delay lasts.
  const third = await openNode(anotherConnection(postgresUrl()), { now: () => stoppedAt })
  const login = `${uniqueName('nobody')}@shop.test`
  const remoteAddress = '203.0.113.7'
  const attempt = (app: Node['app']) =>
    app.inject({
      method: 'POST',
      url: '/auth/session',
      payload: { email: login, password: 'something else here' },
      remoteAddress,
    })
  const answers = await Promise.all(Array.from({ length: 30 }, (_, at) => attempt(at % 2 ? other.app : third.app)))
  const checked = answers.filter(({ statusCode }) => statusCode === 401)
  expect(checked.length).toBeLessThanOrEqual(limits.sign_in_free)
  expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(30 - checked.length)
})
