import { beforeAll, describe, expect, test } from 'vitest'
import { toInstant } from '../../core/lib/instant.ts'
import { limits } from '../../core/lib/limits.ts'
import { newClock, uniqueName } from '../../testing/app.ts'
import { type Node, openNode, ownDatabase } from '../../testing/nodes.ts'
import { newSignedInUser } from '../../testing/sessions.ts'
import { networkOf } from './brakes.ts'
import { upsertPassword } from './credentials-store.ts'
import { hashPassword } from './password-hash.ts'

const password = 'a rainy day in Lisbon'
const clock = newClock()
let node: Node
let email: string
let addresses = 0
const newAddress = () => `198.51.100.${(addresses += 1)}`

beforeAll(async () => {
  node = await openNode((await ownDatabase()).database, { now: clock.now })
  const user = await newSignedInUser(node.runtime, {})
  await upsertPassword(node.runtime.database.db, user.id, await hashPassword(password), toInstant(clock.now()))
  email = user.email
})

async function post(path: string, body: object, address: string) {
  const answer = await node.app.inject({ method: 'POST', url: path, payload: body, remoteAddress: address })
  return {
    status: answer.statusCode,
    key: answer.json().key as string,
    wait: Number(answer.headers['retry-after'] ?? 0),
  }
}

const attempt = (login: string, address: string, sent = 'something else here') =>
  post('/auth/session', { email: login, password: sent }, address)

/** Attempts until one has to wait; returns how many were answered before, and for how long it waits. */
async function attemptsUntilBraked(next: (index: number) => ReturnType<typeof attempt>) {
  for (let index = 0; index < 100; index += 1) {
    const { status, wait } = await next(index)
    if (status === 429) return { free: index, wait }
  }
  throw new Error('nothing brakes')
}

describe('wrong passwords', () => {
  test('at one account from one address have to wait, longer each time, and a right one forgets them', async () => {
    const address = newAddress()
    const waits: number[] = []
    expect((await attemptsUntilBraked(() => attempt(email, address))).free).toBe(limits.sign_in_free)
    for (let round = 0; round < 4; round += 1) {
      const { status, key, wait } = await attempt(email, address, password)
      expect({ status, key }).toEqual({ status: 429, key: 'too_many_attempts' }) // also the right one
      waits.push(wait)
      clock.advance(wait * 1_000)
      if (round < 3) expect((await attempt(email, address)).status).toBe(401)
    }
    expect(waits).toEqual([1, 2, 4, 8])
    expect((await attempt(email, address, password)).status).toBe(200)
    expect((await attempt(email, address)).status).toBe(401)
    expect((await attempt(email, address, password)).status).toBe(200)
  })

  test('brake an account that does not exist in the same way', async () => {
    const address = newAddress()
    const nobody = `${uniqueName('nobody')}@shop.test`
    expect(await attemptsUntilBraked(() => attempt(nobody, address))).toEqual({ free: limits.sign_in_free, wait: 1 })
    // In another case it is the same account.
    expect((await attempt(nobody.toUpperCase(), address)).status).toBe(429)
  })

  test('at many accounts from one address have to wait, and a right password for one does not help', async () => {
    const address = newAddress()
    const anyone = () => attempt(`${uniqueName('nobody')}@shop.test`, address)
    for (let guesses = 0; guesses < limits.sign_in_address_free - 1; guesses += 1) await anyone()
    expect((await attempt(email, address, password)).status).toBe(200)
    expect((await anyone()).status).toBe(401)
    expect((await anyone()).status).toBe(429)
    expect((await attempt(email, address, password)).status).toBe(429)
    expect((await attempt(email, newAddress(), password)).status).toBe(200)
  })

  test('at one account from many addresses have to wait, but not for long', async () => {
    const login = `${uniqueName('nobody')}@shop.test`
    const { free } = await attemptsUntilBraked(() => attempt(login, newAddress()))
    expect(free).toBe(limits.sign_in_account_free)
    let longest = 0
    for (let round = 0; round < 10; round += 1) {
      const { wait } = await attempt(login, newAddress())
      longest = Math.max(longest, wait)
      clock.advance(wait * 1_000)
      expect((await attempt(login, newAddress())).status).toBe(401)
    }
    expect(longest).toBe(limits.sign_in_account_delay_max)
  })

  test('are forgotten after a day', async () => {
    const address = newAddress()
    const login = `${uniqueName('nobody')}@shop.test`
    await attemptsUntilBraked(() => attempt(login, address))
    clock.advance(25 * 3_600_000)
    expect((await attemptsUntilBraked(() => attempt(login, address))).free).toBe(limits.sign_in_free)
  })
})

test('links that do not exist have to wait, and those that do are not counted', async () => {
  const address = newAddress()
  const { free } = await attemptsUntilBraked(() => post('/auth/password/link', { token: uniqueName('x') }, address))
  expect(free).toBe(limits.sign_in_address_free)
  expect((await post('/auth/password', { token: 'x', password }, address)).status).toBe(429)
})

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002::9', '2001:db8:1:2::/64'],
  ['2001:db8::9', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('the address %s counts as %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})
