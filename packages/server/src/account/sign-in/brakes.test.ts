import { beforeAll, describe, expect, test } from 'vitest'
import type { ApiError } from '../../core/http/errors.ts'
import { toInstant } from '../../core/lib/instant.ts'
import { limits } from '../../core/lib/limits.ts'
import { uniqueName } from '../../testing/app.ts'
import { type Node, openNode, ownDatabase } from '../../testing/nodes.ts'
import { newSignedInUser } from '../../testing/sessions.ts'
import { countAttempt, forgetAttempts, signInBrakes } from './brakes.ts'
import { upsertPassword } from './credentials-store.ts'
import { hashPassword, isPassword } from './password-hash.ts'

const password = 'a rainy day in Lisbon'
/** Stands still: a password may take longer to check than the first delays last. */
let now = Date.now()
let node: Node
let addresses = 0

function newAddress(): string {
  addresses += 1
  return `198.51.100.${addresses}`
}

beforeAll(async () => {
  node = await openNode((await ownDatabase()).database, { now: () => now })
})

const newLogin = () => `${uniqueName('nobody')}@shop.test`

/** An attempt that is refused: the seconds to wait, or 0 if it was checked. */
async function wrongAttempt(login: string, address: string): Promise<number> {
  try {
    await countAttempt(node.runtime.database.db, signInBrakes(login, address), toInstant(now))
    return 0
  } catch (error) {
    expect(error).toMatchObject({ key: 'too_many_attempts', status: 429 })
    return Number((error as ApiError).headers['Retry-After'])
  }
}

async function rightAttempt(login: string, address: string): Promise<number> {
  const wait = await wrongAttempt(login, address)
  const { db } = node.runtime.database
  if (wait === 0) await forgetAttempts(db, signInBrakes(login, address), toInstant(now))
  return wait
}

/** Attempts until one has to wait; returns how many were checked before. */
async function attemptsUntilBraked(attempt: () => Promise<number>): Promise<number> {
  for (let checked = 0; checked < 100; checked += 1) if ((await attempt()) > 0) return checked
  throw new Error('nothing brakes')
}

describe('wrong attempts', () => {
  test('at one account from one address have to wait, longer each time up to a bound, and a right one forgets them', async () => {
    const [login, address] = [newLogin(), newAddress()]
    expect(await attemptsUntilBraked(() => wrongAttempt(login, address))).toBe(limits.sign_in_free)
    const waits: number[] = []
    for (let round = 0; round < 12; round += 1) {
      const wait = await wrongAttempt(login.toUpperCase(), address)
      waits.push(wait)
      now += wait * 1_000 - 1
      expect(await rightAttempt(login, address)).toBe(1) // the right one waits too
      now += 1
      expect(await wrongAttempt(login, address)).toBe(0)
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900])
    now += 900_000
    expect(await rightAttempt(login, address)).toBe(0)
    expect(await attemptsUntilBraked(() => wrongAttempt(login, newAddress()))).toBe(limits.sign_in_account_free)
  })

  test('at many accounts from one address have to wait, and a right password for one does not help', async () => {
    const [login, address] = [newLogin(), newAddress()]
    for (let guesses = 0; guesses < limits.sign_in_address_free - 1; guesses += 1)
      expect(await wrongAttempt(newLogin(), address)).toBe(0)
    expect(await rightAttempt(login, address)).toBe(0)
    expect(await wrongAttempt(newLogin(), address)).toBe(0)
    expect(await wrongAttempt(newLogin(), address)).toBe(1)
    expect(await rightAttempt(login, address)).toBe(1)
    expect(await rightAttempt(login, newAddress())).toBe(0)
  })

  test('wait also if a right one that began before them ends after them', async () => {
    const [login, address] = [newLogin(), newAddress()]
    const { db } = node.runtime.database
    for (let guesses = 0; guesses < limits.sign_in_address_free; guesses += 1) await wrongAttempt(newLogin(), address)
    now += 1_000
    const begun = toInstant(now)
    expect(await wrongAttempt(login, address)).toBe(0)
    now += 2_000 // its password is checked for so long
    expect(await wrongAttempt(newLogin(), address)).toBe(0)
    await forgetAttempts(db, signInBrakes(login, address), begun)
    expect(await wrongAttempt(newLogin(), address)).toBe(4)
  })

  test('at one account from many addresses have to wait, but never for long', async () => {
    const login = newLogin()
    expect(await attemptsUntilBraked(() => wrongAttempt(login, newAddress()))).toBe(limits.sign_in_account_free)
    let longest = 0
    for (let round = 0; round < 10; round += 1) {
      const wait = await wrongAttempt(login, newAddress())
      longest = Math.max(longest, wait)
      now += wait * 1_000
      expect(await wrongAttempt(login, newAddress())).toBe(0)
    }
    expect(longest).toBe(limits.sign_in_account_delay_max)
  })

  test('are forgotten after a day', async () => {
    const [login, address] = [newLogin(), newAddress()]
    await attemptsUntilBraked(() => wrongAttempt(login, address))
    now += 25 * 3_600_000
    expect(await attemptsUntilBraked(() => wrongAttempt(login, address))).toBe(limits.sign_in_free)
  })

  test('name no account: people type their password into the wrong field', async () => {
    await wrongAttempt('my secret password', newAddress())
    const rows = await node.runtime.database.db.selectFrom('sign_in_brakes').select('subject').execute()
    expect(rows.length).toBeGreaterThan(0)
    for (const { subject } of rows) expect(subject).not.toMatch(/secret|nobody|@/)
  })
})

describe('over HTTP', () => {
  const post = async (path: string, body: object, address: string, headers: Record<string, string> = {}) => {
    const answer = await node.app.inject({ method: 'POST', url: path, payload: body, remoteAddress: address, headers })
    const { 'retry-after': wait } = answer.headers
    return { status: answer.statusCode, key: answer.json().key, ...(wait === undefined ? {} : { wait }) }
  }

  test('a known and an unknown account get the same answers', async () => {
    const user = await newSignedInUser(node.runtime, {})
    await upsertPassword(node.runtime.database.db, user.id, await hashPassword(password), toInstant(now))
    const wrong = { status: 401, key: 'invalid_credentials' }
    for (const email of [user.email, newLogin()]) {
      const address = newAddress()
      const attempt = (sent: string) => post('/auth/session', { email, password: sent }, address)
      for (let guesses = 0; guesses < limits.sign_in_free; guesses += 1)
        expect(await attempt('something else here')).toEqual(wrong)
      expect(await attempt(password)).toEqual({ status: 429, key: 'too_many_attempts', wait: '1' })
      now += 1_000
      expect((await attempt(password)).status).toBe(email === user.email ? 200 : 401)
    }
  })

  test('an attempt that is refused because too many passwords wait to be checked does not count', async () => {
    const stored = await hashPassword(password)
    const newUser = async () => {
      const user = await newSignedInUser(node.runtime, {})
      await upsertPassword(node.runtime.database.db, user.id, stored, toInstant(now))
      return user
    }
    const [ann, ben, address] = [await newUser(), await newUser(), newAddress()]
    const signIn = () => post('/auth/session', { email: ann.email, password }, address)
    const change = () =>
      post('/auth/password', { old_password: password, password: 'a sunny day in Faro' }, address, ben.headers)

    // As many passwords as may wait: each that is checked waits again at once. Those that are too many end with their refusal.
    let isBusy = true
    const keepWaiting = async () => {
      while (isBusy) await isPassword('whatever', stored)
    }
    const count = limits.passwords_waiting_max + limits.passwords_checked_at_once
    const busy = Promise.allSettled(Array.from({ length: count }, keepWaiting))
    for (let refusals = 0; refusals <= limits.sign_in_free; refusals += 1)
      for (const attempt of [signIn, change])
        expect(await attempt()).toEqual({ status: 429, key: 'too_many_attempts', wait: '5' })
    isBusy = false
    await busy
    expect((await signIn()).status).toBe(200)
    expect((await change()).status).toBe(200)
  })

  test('links that do not exist have to wait', async () => {
    const address = newAddress()
    const read = () => post('/auth/password/link', { token: uniqueName('x') }, address)
    for (let guesses = 0; guesses < limits.sign_in_address_free; guesses += 1)
      expect(await read()).toEqual({ status: 400, key: 'invalid_link' })
    expect(await read()).toMatchObject({ status: 429, key: 'too_many_attempts' })
    expect((await post('/auth/password', { token: 'x', password }, address)).status).toBe(429)
  })
})
