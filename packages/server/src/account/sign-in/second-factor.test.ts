import { Secret, TOTP } from 'otpauth'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { toInstant } from '../../core/lib/instant.ts'
import { limits } from '../../core/lib/limits.ts'
import { type Answer, send } from '../../testing/app.ts'
import { type Node, openNode, ownDatabase } from '../../testing/nodes.ts'
import { newSignedInUser, type TestUser } from '../../testing/sessions.ts'
import { upsertPassword } from './credentials-store.ts'
import { hashPassword } from './password-hash.ts'

const password = 'a rainy day in Lisbon'
/** Stands still: a password may take longer to check than the first delays and the codes last. */
let at = Date.now()
const clock = {
  now: () => at,
  advance: (milliseconds: number) => {
    at += milliseconds
  },
}
let node: Node
let hash: string
beforeAll(async () => {
  node = await openNode((await ownDatabase()).database, { now: clock.now })
  hash = await hashPassword(password)
})
// All tests come from one address, whose wrong attempts add up.
beforeEach(async () => void (await node.runtime.database.db.deleteFrom('sign_in_brakes').execute()))

const call = (method: string, path: string, body: unknown, headers: Record<string, string> = {}) =>
  // biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
  send(node.app, method, path, body, headers) as Promise<Answer<any>>

async function newUser(): Promise<TestUser> {
  const user = await newSignedInUser(node.runtime, {})
  await upsertPassword(node.runtime.database.db, user.id, hash, toInstant(clock.now()))
  return user
}

/** The code that an app shows; of the next or an earlier step too. */
const codeOf = (secret: string, steps = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: clock.now() + steps * 30_000 })

const wrongCodeFor = (secret: string): string =>
  ['000000', '111111', '222222', '333333'].find((code) => ![-1, 0, 1].some((at) => codeOf(secret, at) === code)) ?? ''

async function newUserWithFactor() {
  const user = await newUser()
  const { secret } = (await setUp(user.headers)).body
  const { status, body } = await setUp(user.headers, { code: codeOf(secret) })
  expect(status).toBe(200)
  return { ...user, secret: secret as string, recovery_codes: body.recovery_codes as string[] }
}

/** Asks for a secret; with `code`, switches the second factor on. */
const setUp = (headers: Record<string, string>, more: object = {}) =>
  call('POST', '/auth/totp', { password, ...more }, headers)
const signIn = (email: string, more: object = {}) => call('POST', '/auth/session', { email, password, ...more })
const refused = (key: string) => ({ status: 401, body: { key } })

test('the second factor is switched on by a code of a new secret, with ten recovery codes', async () => {
  const { headers, email } = await newUser()
  const pending = await setUp(headers)
  expect(pending.body).toMatchObject({
    secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
    uri: expect.stringMatching(/^otpauth:\/\/totp\/Guerdon:ann-\w+%40shop\.test\?issuer=Guerdon&secret=/),
    qr_svg: expect.stringMatching(/^<svg viewBox="0 0 \d+ \d+"/),
  })
  expect((await signIn(email)).status).toBe(200) // not on yet
  const { secret } = (await setUp(headers)).body
  expect(secret).not.toBe(pending.body.secret)
  const confirm = (code: string) => setUp(headers, { code })
  expect(await confirm(wrongCodeFor(secret))).toMatchObject({ status: 400, body: { key: 'invalid_code' } })
  const on = await confirm(codeOf(secret))
  expect(new Set(on.body.recovery_codes).size).toBe(10)
  for (const code of on.body.recovery_codes) expect(code).toMatch(/^[a-z2-9]{4}(-[a-z2-9]{4}){3}$/)
  expect((await call('GET', '/auth/session', undefined, headers)).body.user.has_totp).toBe(true)
  for (const more of [{}, { code: codeOf(secret, 1) }])
    expect(await setUp(headers, more)).toMatchObject({ status: 400, body: { key: 'second_factor_is_on' } })
})

describe('a session alone, of a browser left open,', () => {
  const wrong = { password: 'something else here' }

  test('neither sees a secret nor switches the second factor on, with a right code either', async () => {
    const { headers, email } = await newUser()
    const { secret } = (await setUp(headers)).body
    const code = codeOf(secret)
    expect(await call('POST', '/auth/totp', { code }, headers)).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload', details: "Payload should have required property 'password'" },
    })
    for (const more of [wrong, { ...wrong, code }])
      expect(await setUp(headers, more)).toMatchObject(refused('invalid_credentials'))
    expect((await signIn(email)).status).toBe(200) // still without a second factor
    expect((await setUp(headers, { code })).status).toBe(200) // neither the secret nor the code was used up
  })

  test('waits like whoever guesses at the sign-in, and its guesses count there', async () => {
    const { headers, email } = await newUser()
    for (let guesses = 0; guesses < limits.sign_in_free; guesses += 1)
      expect(await setUp(headers, wrong)).toMatchObject(refused('invalid_credentials'))
    const waits = { status: 429, body: { key: 'too_many_attempts' } }
    expect(await setUp(headers)).toMatchObject(waits)
    expect(await signIn(email)).toMatchObject(waits)
    clock.advance(1_000)
    expect((await setUp(headers)).status).toBe(200)
  })
})

describe('with a second factor', () => {
  test('the password alone does not sign in, and neither does the code alone', async () => {
    const { email, secret } = await newUserWithFactor()
    clock.advance(60_000)
    expect(await signIn(email)).toMatchObject(refused('second_factor_required'))
    const wrong = { password: 'something else here', totp: codeOf(secret) }
    expect(await signIn(email, wrong)).toMatchObject(refused('invalid_credentials'))
    expect(await signIn(email, { password: 'something else here' })).toMatchObject(refused('invalid_credentials'))
    expect(await signIn(email, { totp: wrongCodeFor(secret) })).toMatchObject(refused('invalid_credentials'))
    for (const totp of ['', '12345', '1234567', 'abcdef', '１２３４５６'])
      expect((await signIn(email, { totp })).status, totp).not.toBe(200)
  })

  test('a code works once, and no earlier one works after it', async () => {
    const { email, secret } = await newUserWithFactor()
    expect(await signIn(email, { totp: codeOf(secret) })).toMatchObject(refused('invalid_credentials')) // it switched it on
    clock.advance(60_000)
    const [earlier, code] = [codeOf(secret, -1), codeOf(secret)]
    expect((await signIn(email, { totp: `${code.slice(0, 3)} ${code.slice(3)}` })).status).toBe(200)
    for (const totp of [code, earlier])
      expect(await signIn(email, { totp })).toMatchObject(refused('invalid_credentials'))
    clock.advance(30_000)
    expect((await signIn(email, { totp: codeOf(secret) })).status).toBe(200)
  })

  test('one of concurrent sign-ins gets a code', async () => {
    const { email, secret } = await newUserWithFactor()
    clock.advance(60_000)
    const totp = codeOf(secret)
    const statuses = (await Promise.all([1, 2, 3].map(() => signIn(email, { totp })))).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, 401, 401])
  })

  test('each recovery code works once, in any spelling', async () => {
    const { email, recovery_codes } = await newUserWithFactor()
    const [first = '', second = ''] = recovery_codes
    const spelt = first.toUpperCase().replaceAll('-', ' ')
    expect((await signIn(email, { recovery_code: spelt })).status).toBe(200)
    expect(await signIn(email, { recovery_code: first })).toMatchObject(refused('invalid_credentials'))
    expect((await signIn(email, { recovery_code: second })).status).toBe(200)
    expect(await signIn(email, { recovery_code: '' })).toMatchObject(refused('invalid_credentials'))
  })

  test('who guesses codes waits, whatever the password attempts say', async () => {
    const { email, secret } = await newUserWithFactor()
    clock.advance(60_000)
    const wrong = { totp: wrongCodeFor(secret) }
    const answers: string[] = []
    for (let guesses = 0; guesses < 6; guesses += 1) answers.push((await signIn(email, wrong)).body.key)
    expect(answers.at(-1)).toBe('too_many_attempts')
    expect(answers.filter((key) => key === 'invalid_credentials').length).toBeLessThanOrEqual(5)
    // The right one waits too: otherwise the answer would say that it is right.
    expect(await signIn(email, { totp: codeOf(secret) })).toMatchObject({
      status: 429,
      headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
    })
    clock.advance(120_000)
    expect((await signIn(email, { totp: codeOf(secret) })).status).toBe(200)
  })

  test('it is switched off by the password', async () => {
    const { email, headers } = await newUserWithFactor()
    const off = (sent: string) => call('DELETE', '/auth/totp', { password: sent }, headers)
    expect(await off('something else here')).toMatchObject(refused('invalid_credentials'))
    expect((await off(password)).status).toBe(204)
    expect(await off(password)).toMatchObject({ status: 400, body: { key: 'second_factor_is_off' } })
    expect((await signIn(email)).status).toBe(200)
    const rows = await node.runtime.database.db.selectFrom('user_recovery_codes').select('user_id').execute()
    expect(rows.map(({ user_id }) => user_id)).not.toContain(headers.id)
  })
})

test('without a password there is no second factor, and without a secret nothing to confirm', async () => {
  const { headers } = await newSignedInUser(node.runtime, {})
  for (const more of [{}, { code: '123456' }])
    expect(await setUp(headers, more)).toMatchObject({ status: 403, body: { key: 'forbidden' } })
  expect(await setUp((await newUser()).headers, { code: '123456' })).toMatchObject({
    status: 400,
    body: { key: 'second_factor_is_off' },
  })
})

test('neither passwords nor codes nor tokens are stored as they are', async () => {
  const { headers, recovery_codes } = await newUserWithFactor()
  const { db } = node.runtime.database
  const stored = JSON.stringify([
    await db.selectFrom('user_passwords').selectAll().execute(),
    await db.selectFrom('user_recovery_codes').selectAll().execute(),
    await db.selectFrom('user_sessions').selectAll().execute(),
    await db.selectFrom('sign_in_brakes').selectAll().execute(),
    await db.selectFrom('idempotency_keys').selectAll().execute(),
  ])
  const token = (headers.cookie as string).split('=')[1] as string
  for (const secret of [password, token, ...recovery_codes]) expect(stored).not.toContain(secret)
  expect(stored).toContain('scrypt$')
})
