import { beforeAll, describe, expect, test } from 'vitest'
import { toInstant } from '../../core/lib/instant.ts'
import { type Answer, newProject, type Shop, send, uniqueName } from '../../testing/app.ts'
import { testCost } from '../../testing/runtime.ts'
import { newUserLink } from '../users/link.ts'
import { assignRoles, insertUser } from '../users/store.ts'
import { hashPassword, isOutdatedHash, isPassword, setPasswordCost, standardCost } from './password-hash.ts'

const password = 'a rainy day in Lisbon'
const fromPage = { 'sec-fetch-site': 'same-origin' }

let shop: Shop
beforeAll(async () => {
  shop = await newProject()
})

const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  // biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
  send(shop.service.app, method, path, body, { ...fromPage, ...headers }) as Promise<Answer<any>>

const now = () => toInstant(shop.service.runtime.now())

/** A user with a link to set a password. */
async function newLinkedUser(): Promise<{ id: `user_${string}`; email: string; token: string }> {
  const { database, settings } = shop.service.runtime
  const email = `${uniqueName('ann')}@shop.test`
  const names = { first_name: 'Ann', last_name: 'Lee' }
  const user = await insertUser(database.db, { email, ...names, is_owner: false, created_at: now() })
  if (user === undefined) throw new Error('no user')
  await assignRoles(database.db, user.id, new Map([[shop.project_id, 'USER']]))
  return { id: user.id, email, token: await newToken(user.id) }

  async function newToken(id: `user_${string}`): Promise<string> {
    const { link } = await newUserLink({ db: database.db, now: now(), settings }, id)
    return link.slice(link.indexOf('#token=') + '#token='.length)
  }
}

/** The `Cookie` header that a browser would send after this answer. */
function cookieOf({ headers }: Answer): { cookie: string } {
  return { cookie: String(headers['set-cookie']).split(';', 1)[0] as string }
}

async function newUserWithPassword() {
  const user = await newLinkedUser()
  const answer = await call('POST', '/auth/password', { token: user.token, password })
  expect(answer.status).toBe(200)
  return { ...user, cookie: cookieOf(answer) }
}

test('a password is hashed with 32 MiB, by a cost of the OWASP cheat sheet', async () => {
  const ofTests = await hashPassword(password)
  setPasswordCost(standardCost)
  const hash = await hashPassword(password).finally(() => setPasswordCost(testCost))
  expect(hash).toMatch(/^scrypt\$32768\$8\$3\$[\w+/=]{24}\$[\w+/=]{44}$/)
  expect([await isPassword(password, hash), await isPassword('another', ofTests)]).toEqual([true, false])
  expect([isOutdatedHash(ofTests), isOutdatedHash(hash)]).toEqual([false, true])
})

describe('a link', () => {
  test('says whose it is as often as asked, sets the password once, and signs in', async () => {
    const { email, id, token } = await newLinkedUser()
    for (let times = 0; times < 2; times += 1)
      expect(await call('POST', '/auth/password/link', { token })).toMatchObject({
        status: 200,
        body: { email, kind: 'INVITATION' },
      })
    const answer = await call('POST', '/auth/password', { token, password })
    expect(answer).toMatchObject({
      status: 200,
      body: {
        user: { id, email, first_name: 'Ann', last_name: 'Lee', is_owner: false, has_totp: false, has_password: true },
        projects: [{ id: shop.project_id, name: 'Test shop', role: 'USER', currency: 'USD', timezone: 'UTC' }],
        features: { oidc: false, mail: false },
      },
    })
    expect((await call('GET', '/auth/session', undefined, cookieOf(answer))).body.user.id).toBe(id)
    for (const path of ['/auth/password', '/auth/password/link'])
      expect(await call('POST', path, { token, password })).toMatchObject({
        status: 400,
        body: { key: 'invalid_link' },
      })
  })

  test.each([
    ['short', 'The password must have at least 12 characters'],
    ['            ', 'The password must not consist of spaces'],
    ['aaaabbbbaaaabbbb', 'The password must have at least 5 different characters'],
    ['Passw0rd-passw0rd!', 'The password is one of the most common ones: everybody tries it first'],
    ['Correct-Horse-Battery-Staple', 'The password is one of the most common ones: everybody tries it first'],
    ['1234567890123', 'The password is one of the most common ones: everybody tries it first'],
    ['x'.repeat(300), 'The password must have at most 256 characters'],
  ])('is not used up by the weak password %s', async (weak, details) => {
    const { token } = await newLinkedUser()
    expect(await call('POST', '/auth/password', { token, password: weak })).toMatchObject({
      status: 400,
      body: { key: 'weak_password', details },
    })
    expect((await call('POST', '/auth/password/link', { token })).status).toBe(200)
  })
})

describe('a password', () => {
  test('signs in, whatever the case of the address', async () => {
    const { email, id } = await newUserWithPassword()
    const answer = await call('POST', '/auth/session', { email: email.toUpperCase(), password })
    expect(answer).toMatchObject({ status: 200, body: { user: { id, has_password: true } } })
    expect(String(answer.headers['set-cookie'])).toMatch(
      /^guerdon_session=[\w-]{43}; Path=\/; Max-Age=1209600; HttpOnly; SameSite=Lax$/,
    )
  })

  test('that is wrong, an unknown user, and a user without a password get the same answer', async () => {
    const known = await newUserWithPassword()
    const invited = await newLinkedUser()
    const answers = []
    for (const email of [known.email, invited.email, 'nobody@shop.test']) {
      const { status, body, headers } = await call('POST', '/auth/session', { email, password: `${password}!` })
      expect(headers['set-cookie']).toBeUndefined()
      answers.push({ status, ...body, request_id: '' })
    }
    expect(answers[0]).toMatchObject({ status: 401, key: 'invalid_credentials' })
    expect(answers[1]).toEqual(answers[0])
    expect(answers[2]).toEqual(answers[0])
  })

  test('is changed by whoever knows the old one, which ends all other sessions', async () => {
    const { email, cookie } = await newUserWithPassword()
    const other = cookieOf(await call('POST', '/auth/session', { email, password }))
    const next = 'another day in Porto'
    const change = (old: string) => call('POST', '/auth/password', { old_password: old, password: next }, cookie)
    expect(await change('wrong password')).toMatchObject({ status: 401, body: { key: 'invalid_credentials' } })
    const changed = await change(password)
    expect(changed.status).toBe(200)
    for (const ended of [cookie, other])
      expect(await call('GET', '/auth/session', undefined, ended)).toMatchObject({
        status: 401,
        body: { key: 'not_signed_in' },
      })
    expect((await call('GET', '/auth/session', undefined, cookieOf(changed))).status).toBe(200)
    expect((await call('POST', '/auth/session', { email, password })).status).toBe(401)
    expect((await call('POST', '/auth/session', { email, password: next })).status).toBe(200)
  })

  test('that is changed ends a link that was made before', async () => {
    const { id, cookie } = await newUserWithPassword()
    const { database, settings } = shop.service.runtime
    const { link } = await newUserLink({ db: database.db, now: now(), settings }, id)
    const token = link.slice(link.indexOf('#token=') + '#token='.length)
    expect((await call('POST', '/auth/password/link', { token })).status).toBe(200)
    const body = { old_password: password, password: 'another day in Porto' }
    expect((await call('POST', '/auth/password', body, cookie)).status).toBe(200)
    expect((await call('POST', '/auth/password/link', { token })).status).toBe(400)
  })

  test('cannot be changed without a session, nor with both ways at once', async () => {
    expect(await call('POST', '/auth/password', { old_password: password, password })).toMatchObject({
      status: 401,
      body: { key: 'not_signed_in' },
    })
    expect(await call('POST', '/auth/password', { old_password: password, token: 'x', password })).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload' },
    })
  })
})

test('signing out ends all sessions of the user and clears the cookie', async () => {
  const { email, cookie } = await newUserWithPassword()
  const other = cookieOf(await call('POST', '/auth/session', { email, password }))
  const answer = await call('DELETE', '/auth/session', undefined, cookie)
  expect(answer.status).toBe(204)
  expect(answer.headers['set-cookie']).toBe('guerdon_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax')
  for (const ended of [cookie, other]) expect((await call('GET', '/auth/session', undefined, ended)).status).toBe(401)
})
