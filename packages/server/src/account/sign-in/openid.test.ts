import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toInstant } from '../../core/lib/instant.ts'
import { newProject, type Shop, send, uniqueName } from '../../testing/app.ts'
import { newUserLink } from '../users/link.ts'
import { insertUser } from '../users/store.ts'

/** What the provider says about whoever signs in next. */
let person: { email?: string; email_verified?: boolean } = {}
/** The keys that the provider publishes; null: those it signs with. */
let publishedKeys: object | null = null
let issuer: string
let env: Record<string, string>
let shop: Shop
const server = createServer()

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  env = {
    BASE_URL: 'http://127.0.0.1:8010',
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: 'guerdon',
    OIDC_CLIENT_SECRET: 'secret-of-guerdon',
    OIDC_ALLOWED_DOMAINS: 'shop.test, Sub.Shop.Test',
  }
  shop = await newProject({ env })
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'guerdon',
        client_secret: 'secret-of-guerdon',
        redirect_uris: ['http://127.0.0.1:8010/auth/oidc/callback'],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    features: { devInteractions: { enabled: true } },
    findAccount: (_ctx: unknown, id: string) => ({ accountId: id, claims: async () => ({ sub: id, ...person }) }),
    pkce: { required: () => true },
    cookies: { keys: ['test'] },
  })
  const answer = provider.callback()
  server.on('request', (request, response) => {
    if (request.url !== '/jwks' || publishedKeys === null) return answer(request, response)
    response.setHeader('content-type', 'application/json').end(JSON.stringify(publishedKeys))
  })
})

afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const get = (path: string, cookie = '') =>
  send(shop.service.app, 'GET', path, undefined, cookie === '' ? {} : { cookie })

/** `name=value` of the cookies that an answer sets. */
const cookiesOf = (answer: Awaited<ReturnType<typeof get>>): string[] =>
  [answer.headers['set-cookie'] ?? []].flat().map((text) => String(text).split(';', 1)[0] as string)

/** Signs in at the provider as a browser does, and returns the address that it sends the browser back to. */
async function atProvider(location: string): Promise<string> {
  const jar = new Map<string, string>()
  let url = new URL(location, issuer)
  let form: string | null = null
  for (let steps = 0; steps < 20; steps += 1) {
    const answer: Response = await fetch(url, {
      redirect: 'manual',
      method: form === null ? 'GET' : 'POST',
      headers: {
        cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(form === null ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      body: form,
    })
    for (const text of answer.headers.getSetCookie()) {
      const [pair = ''] = text.split(';')
      jar.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
    }
    const next = answer.headers.get('location')
    if (next !== null) {
      url = new URL(next, url)
      form = null
      if (url.origin !== issuer) return url.pathname + url.search
      continue
    }
    const page = await answer.text()
    const action = /action="([^"]+)"/.exec(page)?.[1]
    if (action === undefined) throw new Error(page)
    url = new URL(action, url)
    form = page.includes('name="login"') ? 'prompt=login&login=ann&password=x' : 'prompt=consent'
  }
  throw new Error('the provider does not come to an end')
}

async function newUser(email = `${uniqueName('ann')}@shop.test`) {
  const { database, now } = shop.service.runtime
  const names = { first_name: 'Ann', last_name: 'Lee', is_owner: false }
  const user = await insertUser(database.db, { email, ...names, created_at: toInstant(now()) })
  if (user === undefined) throw new Error('no user')
  return user
}

/** The whole way; returns the last answer. */
async function signIn(to?: string) {
  const start = await get(`/auth/oidc/start${to === undefined ? '' : `?to=${encodeURIComponent(to)}`}`)
  expect(start.status).toBe(302)
  return get(await atProvider(String(start.headers.location)), cookiesOf(start).join('; '))
}

const errorOf = ({ status, headers }: Awaited<ReturnType<typeof get>>) => {
  expect(status).toBe(302)
  return /^\/dashboard\/sign-in\?error=(\w+)$/.exec(String(headers.location))?.[1]
}

describe('sign-in with an OpenID provider', () => {
  test('signs in the user with the verified address, who is ACTIVE then, and goes on where they wanted', async () => {
    const user = await newUser()
    const { database, settings, now } = shop.service.runtime
    const { link } = await newUserLink({ db: database.db, now: toInstant(now()), settings }, user.id)
    person = { email: user.email.toUpperCase(), email_verified: true }
    const answer = await signIn('/dashboard/campaigns?status=active#top')
    expect(answer).toMatchObject({ status: 302, headers: { location: '/dashboard/campaigns?status=active#top' } })
    const session = cookiesOf(answer).find((text) => text.startsWith('guerdon_session=')) as string
    const { body } = await get('/auth/session', session)
    expect(body).toMatchObject({
      user: { id: user.id, has_password: false },
      features: { oidc: true },
    })
    const { state } = await shop.service.runtime.database.db
      .selectFrom('users')
      .where('id', '=', user.id)
      .select('state')
      .executeTakeFirstOrThrow()
    expect(state).toBe('ACTIVE')
    // Whoever invited them has seen the link, and could set a password that the user would never notice.
    const token = link.slice(link.indexOf('#token=') + '#token='.length)
    expect(await send(shop.service.app, 'POST', '/auth/password/link', { token })).toMatchObject({
      status: 400,
      body: { key: 'invalid_link' },
    })
    // The cookie of the way there is gone.
    expect(String(answer.headers['set-cookie'])).toContain('guerdon_oidc=; Path=/; Max-Age=0')
  })

  test('refuses an address that the provider has not verified, one of another domain, and one that nobody has', async () => {
    const user = await newUser()
    person = { email: user.email, email_verified: false }
    expect(errorOf(await signIn())).toBe('oidc_email_not_verified')
    person = { email: user.email }
    expect(errorOf(await signIn())).toBe('oidc_email_not_verified')
    person = { email: 'ann@other.test', email_verified: true }
    expect(errorOf(await signIn())).toBe('oidc_domain_not_allowed')
    person = { email: 'ann@shop.test.evil.test', email_verified: true }
    expect(errorOf(await signIn())).toBe('oidc_domain_not_allowed')
    person = { email: `${uniqueName('nobody')}@shop.test`, email_verified: true }
    const unknown = await signIn()
    expect(errorOf(unknown)).toBe('oidc_unknown_user')
    expect(cookiesOf(unknown).filter((text) => text.startsWith('guerdon_session'))).toEqual([])
  })

  test('refuses whoever comes back in another browser, with another state, twice, or with a wrong code', async () => {
    const user = await newUser()
    person = { email: user.email, email_verified: true }
    const [first, second] = [await get('/auth/oidc/start'), await get('/auth/oidc/start')]
    const back = await atProvider(String(first.headers.location))
    expect(errorOf(await get(back))).toBe('oidc_expired')
    expect(errorOf(await get(back, cookiesOf(second).join('; ')))).toBe('oidc_expired')
    const own = cookiesOf(first).join('; ')
    expect(errorOf(await get(back.replace(/code=[^&]+/, 'code=wrong'), own))).toBe('oidc_failed')
    expect(errorOf(await get(back.replace(/iss=[^&]+/, 'iss=https%3A%2F%2Fevil.test'), own))).toBe('oidc_failed')
    expect((await get(back, own)).headers.location).toBe('/dashboard/')
    expect(errorOf(await get(back, own))).toBe('oidc_failed') // a code works once
    const refusal = back.replace(/code=[^&]+/, 'error=access_denied')
    expect(errorOf(await get(refusal, own))).toBe('oidc_failed')
  })

  test('refuses a token that was signed with another key than the provider publishes', async () => {
    const user = await newUser()
    person = { email: user.email, email_verified: true }
    const { keys } = (await (await fetch(`${issuer}/jwks`)).json()) as { keys: Array<{ kty: string }> }
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
    const { n } = publicKey.export({ format: 'jwk' })
    publishedKeys = { keys: keys.map((key) => (key.kty === 'RSA' ? { ...key, n } : key)) }
    const other = await newProject({ env: { ...env, OIDC_ALLOWED_DOMAINS: 'shop.test' } }) // has read no keys yet
    const start = await send(other.service.app, 'GET', '/auth/oidc/start')
    const back = await atProvider(String(start.headers.location))
    const cookie = cookiesOf(start).join('; ')
    expect(errorOf(await send(other.service.app, 'GET', back, undefined, { cookie }))).toBe('oidc_failed')
    publishedKeys = null
    expect((await signIn()).headers.location).toBe('/dashboard/')
  })

  test('sends state, nonce and PKCE, which only the cookie of the browser has', async () => {
    const answer = await get('/auth/oidc/start')
    const sent = new URL(String(answer.headers.location))
    expect(Object.fromEntries(sent.searchParams)).toMatchObject({
      client_id: 'guerdon',
      response_type: 'code',
      scope: 'openid email',
      redirect_uri: 'http://127.0.0.1:8010/auth/oidc/callback',
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    })
    expect(String(answer.headers['set-cookie'])).toMatch(
      /^guerdon_oidc=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/,
    )
    expect(sent.href).not.toContain('secret-of-guerdon')
  })
})

test.each([
  'https://evil.test/dashboard/',
  '//evil.test/dashboard/',
  '/\\evil.test/dashboard/',
  '/dashboard\\..\\..\\evil',
  '/\t/evil.test/dashboard/',
  '/dashboard/\nx',
  '/dashboard/../v1/categories',
  '/dashboard/%0d%0aSet-Cookie:x=y/../../../v1',
  '/v1/categories',
  '/dashboardx',
  'dashboard/',
  'javascript:alert(1)',
])('nobody is sent on to %j', async (to) => {
  expect(await get(`/auth/oidc/start?to=${encodeURIComponent(to)}`)).toMatchObject({
    status: 400,
    body: { key: 'invalid_query_params' },
  })
})

test('a changed cookie leads to no other page either', async () => {
  const user = await newUser()
  person = { email: user.email, email_verified: true }
  const start = await get('/auth/oidc/start')
  const [, value = ''] = (cookiesOf(start)[0] as string).split('=')
  const request = JSON.parse(Buffer.from(value, 'base64url').toString())
  const changed = Buffer.from(JSON.stringify({ ...request, to: 'https://evil.test/' })).toString('base64url')
  const back = await atProvider(String(start.headers.location))
  expect(errorOf(await get(back, `guerdon_oidc=${changed}`))).toBe('oidc_expired')
})

test('without a provider, or while it is away, the sign-in page says so', async () => {
  const plain = await newProject()
  expect(errorOf(await send(plain.service.app, 'GET', '/auth/oidc/start'))).toBe('oidc_off')
  expect(errorOf(await send(plain.service.app, 'GET', '/auth/oidc/callback?code=x&state=y'))).toBe('oidc_off')
  const env = { OIDC_ISSUER: 'http://127.0.0.1:9', OIDC_CLIENT_ID: 'x', OIDC_CLIENT_SECRET: 'y' }
  const away = await newProject({ env })
  expect(errorOf(await send(away.service.app, 'GET', '/auth/oidc/start'))).toBe('oidc_failed')
})
