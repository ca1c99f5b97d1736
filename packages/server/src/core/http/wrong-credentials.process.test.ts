import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { newProject, send } from '../../testing/app.ts'
import { newSignedInUser } from '../../testing/sessions.ts'
import { newSecret } from './secrets.ts'

const newShop = () => newProject({ env: { AUTH_MODE: 'either', WRONG_CREDENTIALS_LIMIT: '3/PT1M' } })

test('a network that sends wrong credentials is slowed down; right ones that are known get through', async () => {
  const shop = await newShop()
  const call = async (headers: Record<string, string>) => {
    const startedAt = performance.now()
    const { status } = await send(shop.service.app, 'GET', '/v1/categories', undefined, headers)
    return { status, ms: performance.now() - startedAt }
  }
  const right = { 'x-app-id': shop.app_id, 'x-app-token': shop.app_token }
  const wrong = () => call({ ...right, 'x-app-token': newSecret() })
  expect(await call(right)).toMatchObject({ status: 200 })
  for (let attempt = 0; attempt < 3; attempt += 1) expect(await wrong()).toMatchObject({ status: 401 })
  expect((await wrong()).ms).toBeGreaterThan(90)
  expect((await wrong()).ms).toBeGreaterThan(190)

  // Many at once: ten are delayed, and no more are checked meanwhile.
  const results = await Promise.all(Array.from({ length: 40 }, wrong))
  expect(results.filter(({ status }) => status === 401)).toHaveLength(10)
  expect(results.filter(({ status }) => status === 429)).toHaveLength(30)
  const during = Promise.all(Array.from({ length: 40 }, wrong))
  expect(await call(right)).toMatchObject({ status: 200 })
  await during
})

test('the addresses of one IPv6 network count as one', async () => {
  const shop = await newShop()
  const wrong = async (remoteAddress: string) => {
    const startedAt = performance.now()
    const headers = { 'x-app-id': shop.app_id, 'x-app-token': newSecret() }
    const { statusCode } = await shop.service.app.inject({ url: '/v1/categories', remoteAddress, headers })
    expect(statusCode).toBe(401)
    return performance.now() - startedAt
  }
  for (const last of [1, 2, 3]) await wrong(`2001:db8:7:7::${last}`)
  expect(await wrong('2001:db8:7:7::4')).toBeGreaterThan(90)
})

test('a management key is protected too', async () => {
  const shop = await newShop()
  const wrong = () =>
    send(shop.service.app, 'GET', '/management/v1/projects', undefined, {
      'x-management-id': shop.management_id,
      'x-management-token': newSecret(),
    })
  for (let attempt = 0; attempt < 3; attempt += 1) expect((await wrong()).status).toBe(401)
  const startedAt = performance.now()
  expect((await wrong()).status).toBe(401)
  expect(performance.now() - startedAt).toBeGreaterThan(90)
})

test('a network that makes up sessions is slowed down, and sessions that exist are not', async () => {
  const shop = await newShop()
  const { app, runtime } = shop.service
  const call = async (headers: Record<string, string>) => {
    const startedAt = performance.now()
    const { status } = await send(app, 'GET', '/v1/categories', undefined, {
      ...headers,
      'x-project-id': shop.project_id,
    })
    return { status, ms: performance.now() - startedAt }
  }
  const madeUp = () => call({ cookie: `guerdon_session=${randomBytes(32).toString('base64url')}` })
  const user = await newSignedInUser(runtime, { [shop.project_id]: 'USER' })
  expect(await call(user.headers)).toMatchObject({ status: 200 })
  for (let attempt = 0; attempt < 3; attempt += 1) expect(await madeUp()).toMatchObject({ status: 401 })
  expect((await madeUp()).ms).toBeGreaterThan(90)
  const results = Promise.all(Array.from({ length: 40 }, madeUp))
  expect(await call(user.headers)).toMatchObject({ status: 200 })
  expect((await results).filter(({ status }) => status === 429)).toHaveLength(30)
})
