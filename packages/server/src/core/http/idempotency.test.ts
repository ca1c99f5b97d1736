// @embedded: locks and savepoints
import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { Category, CategoryBody } from '../../rules/categories/schema.ts'
import { insertCategory } from '../../rules/categories/store.ts'
import { newProject, type Shop, uniqueName } from '../../testing/app.ts'
import { scaled } from '../../testing/scale.ts'
import { ApiError, type ErrorKey } from './errors.ts'
import { keyedQueue } from './idempotency.ts'
import { operation } from './operation.ts'

interface RawAnswer {
  status: number
  /** The response, byte for byte. */
  text: string
  replayed: boolean
  type: string | undefined
}

/** A call of a client that retries; the response is kept as text, because a replay repeats the bytes. */
async function call(
  shop: Shop,
  key: string | undefined,
  method: string,
  path: string,
  body?: unknown,
): Promise<RawAnswer> {
  const { statusCode, headers, payload } = await shop.service.app.inject({
    method: method as 'GET',
    url: path,
    headers: {
      ...(path.startsWith('/management') ? shop.management : shop.headers),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const replayed = headers['idempotency-replayed'] === 'true'
  return { status: statusCode, text: payload, replayed, type: headers['content-type']?.toString() }
}

const post = (shop: Shop, key: string | undefined, body: unknown) => call(shop, key, 'POST', '/v1/categories', body)
const summer = { name: 'Summer', hierarchy: 1 }

const categoriesOf = async (shop: Shop): Promise<Array<{ id: string; name: string }>> =>
  (await shop.call('GET', '/v1/categories')).body.data

const keptFor = (shop: Shop) =>
  shop.service.runtime.database.db
    .selectFrom('idempotency_keys')
    .where('project_id', '=', shop.project_id)
    .selectAll()
    .execute()

/** The response to a repeated request: the same bytes, and the replay header. */
const replayOf = ({ status, text, type }: RawAnswer): RawAnswer => ({ status, text, type, replayed: true })

describe('a request repeated with the same key', () => {
  test('has one effect and one reply, byte for byte; another body is refused', async () => {
    const shop = await newProject()
    const first = await post(shop, 'k1', summer)
    expect(first).toMatchObject({ status: 200, replayed: false })
    expect(await post(shop, 'k1', summer)).toEqual(replayOf(first))
    expect(await categoriesOf(shop)).toEqual([JSON.parse(first.text)])

    const refused = await post(shop, 'k1', { ...summer, hierarchy: 2 })
    expect(refused).toMatchObject({ status: 409, replayed: false })
    expect(JSON.parse(refused.text)).toMatchObject({
      code: 409,
      key: 'idempotency_key_conflict',
      message: 'Idempotency key conflict',
      details: "Idempotency key 'k1' was used with another request",
    })
    expect(await post(shop, 'k1', summer)).toEqual(replayOf(first)) // the refusal did not replace the stored reply
  })

  test('many times concurrently has one effect and as many equal replies', async () => {
    const shop = await newProject()
    const answers = await Promise.all(Array.from({ length: scaled(200, 40) }, () => post(shop, 'k1', summer)))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1)
    expect(answers[0]!.status).toBe(200)
    expect(await categoriesOf(shop)).toHaveLength(1)
  })

  test('without a key no reply is stored', async () => {
    const shop = await newProject()
    expect(await post(shop, undefined, summer)).toMatchObject({ status: 200 })
    expect(await post(shop, undefined, summer)).toMatchObject({ status: 409, replayed: false })
    expect(await keptFor(shop)).toEqual([])
  })

  test('gets the original reply, whatever has changed since', async () => {
    const shop = await newProject()
    const first = await post(shop, 'k1', summer)
    await shop.call('DELETE', `/v1/categories/${JSON.parse(first.text).id}`)
    expect(await post(shop, 'k1', summer)).toEqual(replayOf(first))
    expect(await categoriesOf(shop)).toEqual([])
  })

  test('is a conflict if a byte of the body, the path, the query or the method differs', async () => {
    const shop = await newProject()
    const { id } = JSON.parse((await post(shop, undefined, summer)).text)
    const path = `/v1/categories/${id}`
    const put = { name: 'Winter', hierarchy: 0 }
    await call(shop, 'k1', 'PUT', path, put)
    for (const [method, target, body] of [
      ['PUT', path, `${JSON.stringify(put)} `],
      ['PUT', path, { hierarchy: 0, name: 'Winter' }],
      ['PUT', '/v1/categories/cat_0', put],
      ['PUT', `${path}?a=1`, put],
      ['POST', '/v1/categories', put],
      ['DELETE', path, undefined],
    ] as const) {
      const answer = await call(shop, 'k1', method, target, body)
      expect(JSON.parse(answer.text)).toMatchObject({ code: 409, key: 'idempotency_key_conflict' })
    }
    expect(await categoriesOf(shop)).toMatchObject([{ id, name: 'Winter' }])
  })

  test('a key belongs to its project: another project may use the same key', async () => {
    const [shop, other] = [await newProject(), await newProject()]
    const [one, two] = [await post(shop, 'k1', summer), await post(other, 'k1', { name: 'Winter', hierarchy: 0 })]
    expect([one.status, two.status, two.replayed]).toEqual([200, 200, false])
    expect(await post(other, 'k1', summer)).toMatchObject({ status: 409 })
  })

  test('may use another token of the project', async () => {
    const shop = await newProject()
    const first = await post(shop, 'k1', summer)
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const token = await shop.call('POST', '/v1/oauth/token', 'grant_type=client_credentials&scope=categories', form)
    const again = { ...shop, headers: { ...shop.headers, authorization: `Bearer ${token.body.access_token}` } }
    expect(await post(again, 'k1', summer)).toEqual(replayOf(first))
  })
})

describe('every kind of write', () => {
  test('an update is applied once, also if another request changes the same object in between', async () => {
    const shop = await newProject()
    const path = `/v1/categories/${JSON.parse((await post(shop, undefined, summer)).text).id}`
    const first = await call(shop, 'k1', 'PUT', path, { name: 'Winter', hierarchy: 0 })
    await call(shop, undefined, 'PUT', path, { name: 'Spring', hierarchy: 5 })
    expect(await call(shop, 'k1', 'PUT', path, { name: 'Winter', hierarchy: 0 })).toEqual(replayOf(first))
    expect(await categoriesOf(shop)).toMatchObject([{ name: 'Spring', hierarchy: 5 }])
  })

  test('a deletion gets 204 again, which would be 404 without the key', async () => {
    const shop = await newProject()
    const path = `/v1/categories/${JSON.parse((await post(shop, undefined, summer)).text).id}`
    const first = await call(shop, 'k1', 'DELETE', path)
    expect(first).toEqual({ status: 204, text: '', type: undefined, replayed: false })
    expect(await call(shop, 'k1', 'DELETE', path)).toEqual(replayOf(first))
    expect(await call(shop, undefined, 'DELETE', path)).toMatchObject({ status: 404 })
  })

  test('a read ignores the key and does not claim it', async () => {
    const shop = await newProject()
    expect(await call(shop, 'k1', 'GET', '/v1/categories')).toMatchObject({ status: 200, replayed: false })
    expect(await call(shop, 'k1', 'GET', '/v1/categories')).toMatchObject({ replayed: false })
    expect(await call(shop, '', 'GET', '/v1/categories')).toMatchObject({ status: 200 })
    expect(await keptFor(shop)).toEqual([])
    expect(await post(shop, 'k1', summer)).toMatchObject({ status: 200, replayed: false })
  })

  test('management calls inside and outside of a project are idempotent too', async () => {
    const shop = await newProject()
    const path = `/management/v1/projects/${shop.project_id}`
    const first = await call(shop, 'k1', 'PUT', path, { name: 'First' })
    await call(shop, undefined, 'PUT', path, { name: 'Second' })
    expect(await call(shop, 'k1', 'PUT', path, { name: 'First' })).toEqual(replayOf(first))
    expect((await shop.manage('GET', '')).body.name).toBe('Second')
    // Project calls and management calls share the keys: the path distinguishes the requests.
    expect(await post(shop, 'k1', summer)).toMatchObject({ status: 409 })

    const key = uniqueName('project')
    const body = { name: 'New', timezone: 'UTC', currency: 'USD', case_sensitive_codes: true }
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => call(shop, key, 'POST', '/management/v1/projects', body)),
    )
    expect(new Set(answers.map(({ text }) => JSON.parse(text).id)).size).toBe(1)
  })

  test('an operation whose reply contains a secret ignores the key and stores nothing', async () => {
    const shop = await newProject()
    const path = `/management/v1/projects/${shop.project_id}`
    const made = [
      await call(shop, 'k1', 'POST', `${path}/api-keys`, { name: 'A' }),
      await call(shop, 'k1', 'POST', `${path}/api-keys`, { name: 'A' }),
    ]
    const key = JSON.parse(made[1]!.text)
    const renewed = await call(shop, 'k1', 'POST', `${path}/api-keys/${key.id}/regenerate`)
    const hooks = await call(shop, 'k1', 'POST', `${path}/webhook-token/regenerate`)
    for (const answer of [...made, renewed, hooks]) expect(answer).toMatchObject({ status: 200, replayed: false })
    expect(await keptFor(shop)).toEqual([])
  })
})

describe('refusals', () => {
  test('a refusal of the request is stored like a success, with the id of the first request', async () => {
    const shop = await newProject()
    const refusals: Array<[key: string, method: string, path: string, body?: object]> = [
      ['k400', 'POST', '/v1/categories', { name: 'Summer' }],
      ['k404', 'PUT', '/v1/categories/cat_0', summer],
      ['k409', 'POST', '/v1/categories', summer],
      ['kquery', 'DELETE', '/v1/categories/cat_0?remove_from_stacking_rules=7'],
    ]
    const taken = JSON.parse((await post(shop, undefined, summer)).text)
    const first = []
    for (const [key, ...request] of refusals) first.push(await call(shop, key, ...request))
    expect(first.map(({ status }) => status)).toEqual([400, 404, 409, 400])

    await shop.call('DELETE', `/v1/categories/${taken.id}`) // without the key the name would be free now
    for (const [index, [key, ...request]] of refusals.entries()) {
      const again = await call(shop, key, ...request)
      expect(again).toEqual(replayOf(first[index]!))
      expect(JSON.parse(again.text).request_id).toMatch(/^v-/)
    }
    expect(await categoriesOf(shop)).toEqual([])
  })

  test('a refusal leaves its key to another request, and is repeated to its own until then', async () => {
    const shop = await newProject()
    const refused = await post(shop, 'k1', { name: 'Summer' })
    expect(refused).toMatchObject({ status: 400, replayed: false })
    expect(await post(shop, 'k1', { name: 'Summer' })).toEqual(replayOf(refused))
    const refusedToo = await call(shop, 'k1', 'PUT', '/v1/categories/cat_0', summer)
    expect(refusedToo).toMatchObject({ status: 404, replayed: false })
    const done = await post(shop, 'k1', summer)
    expect(done).toMatchObject({ status: 200, replayed: false })
    expect(await post(shop, 'k1', summer)).toEqual(replayOf(done))
    expect(JSON.parse((await post(shop, 'k1', { name: 'Summer' })).text).key).toBe('idempotency_key_conflict')
    expect(await categoriesOf(shop)).toHaveLength(1)
  })

  test('a refused redemption leaves its key to the next attempt of the same order', async () => {
    const shop = await newProject()
    const voucher = { type: 'GIFT_VOUCHER', gift: { amount: 1_000 } }
    for (const code of ['SPENT', 'FULL'])
      await shop.call('POST', `/v1/vouchers/${code}`, { ...voucher, active: code === 'FULL' })
    const redeem = (code: string, credits: number) =>
      call(shop, 'redeem-1042', 'POST', '/v1/redemptions', {
        redeemables: [{ object: 'voucher', id: code, gift: { credits } }],
        order: { source_id: '1042', amount: 3_000 },
      })
    const refused = await redeem('SPENT', 100)
    expect(refused).toMatchObject({ status: 400, replayed: false })
    expect(await redeem('SPENT', 100)).toEqual(replayOf(refused))
    expect(await redeem('FULL', 2_000)).toMatchObject({ status: 400, replayed: false }) // more than is on it
    const redeemed = await redeem('FULL', 900)
    expect(redeemed).toMatchObject({ status: 200, replayed: false })
    expect(await redeem('FULL', 900)).toEqual(replayOf(redeemed))
    for (const [code, credits] of [['FULL', 50] as const, ['SPENT', 100] as const])
      expect(JSON.parse((await redeem(code, credits)).text).key).toBe('idempotency_key_conflict')
    expect((await shop.call('GET', '/v1/vouchers/FULL')).body.gift.balance).toBe(100)
  })

  test('a malformed body does not claim the key', async () => {
    const shop = await newProject()
    expect(await post(shop, 'k1', '{"name":')).toMatchObject({ status: 400 })
    expect(await post(shop, 'k1', summer)).toMatchObject({ status: 200, replayed: false })
  })
})

describe('an invalid key is refused', () => {
  test.each([
    ['nothing', ''],
    ['256 characters', 'k'.repeat(256)],
    ['a letter beyond ASCII', 'clé'],
    ['a tab', 'a\tb'],
  ])('%s: the request is refused without any effect', async (_, key) => {
    const shop = await newProject()
    const answer = await post(shop, key, summer)
    expect(answer.status).toBe(400)
    expect(JSON.parse(answer.text)).toMatchObject({
      key: 'invalid_payload',
      details: 'Header Idempotency-Key must have 1 to 255 printable ASCII characters',
    })
    expect(await categoriesOf(shop)).toEqual([])
  })

  test('255 characters, blanks and quotes are a valid key', async () => {
    const shop = await newProject()
    for (const key of ['k'.repeat(255), `it's "my" key; drop table`]) {
      const body = { name: uniqueName('category'), hierarchy: 0 }
      const first = await post(shop, key, body)
      expect(first.status).toBe(200)
      expect(await post(shop, key, body)).toEqual(replayOf(first))
    }
  })
})

test('a key is stored for a day and then free again', async () => {
  const shop = await newProject({ env: { CLUSTER_ID: 'with-a-clock-of-its-own' } })
  const { clock } = shop.service
  const first = await post(shop, 'k1', summer)
  clock.advance(24 * 3_600_000 - 60_000)
  expect(await post(shop, 'k1', summer)).toEqual(replayOf(first))
  expect(await post(shop, 'k1', { name: 'Winter', hierarchy: 0 })).toMatchObject({ status: 409 })
  clock.advance(61_000)
  const second = await post(shop, 'k1', { name: 'Winter', hierarchy: 0 })
  expect(second).toMatchObject({ status: 200, replayed: false })
  clock.advance(24 * 3_600_000 - 60_000)
  expect(await post(shop, 'k1', { name: 'Winter', hierarchy: 0 })).toEqual(replayOf(second))
})

/** Creates a category and then ends as its path says, for the first calls; later calls succeed. */
let leftToFail = 0
const fateProbe = operation({
  id: 'fateProbe',
  method: 'POST',
  path: '/v1/fate-probe/{fate}',
  summary: 'Create a category and fail',
  body: CategoryBody,
  reply: Category,
  errors: ['not_found', 'duplicate_found', 'missing_parameters', 'invalid_payload'],
  run: async (ctx, { params: { fate }, body }) => {
    const category = await insertCategory(ctx, body)
    if (leftToFail-- <= 0) return category
    if (fate === 'bug') throw new Error('a bug')
    const refusal = new ApiError(fate as ErrorKey, { details: 'Fate' })
    if (fate === 'missing_parameters') return refusal // returned, not thrown: the transaction commits
    throw refusal
  },
})

describe('a request that fails half-way', () => {
  const probe = (shop: Shop, fate: string, times: number) => {
    leftToFail = times
    return call(shop, 'k1', 'POST', `/v1/fate-probe/${fate}`, summer)
  }

  test.each([
    ['bug', 500],
    ['service_unavailable', 503],
    ['unauthorized', 401],
    ['forbidden', 403],
    ['missing_required_permission', 403],
    ['too_many_requests', 429],
  ])('%s: the effect is rolled back, no reply is stored, and the key is free', async (fate, status) => {
    const shop = await newProject({ extra: [fateProbe] })
    expect(await probe(shop, fate, 1)).toMatchObject({ status, replayed: false })
    expect(await categoriesOf(shop)).toEqual([])
    expect(await keptFor(shop)).toEqual([])
    const second = await probe(shop, fate, 0)
    expect(second).toMatchObject({ status: 200, replayed: false })
    expect(await probe(shop, fate, 0)).toEqual(replayOf(second))
    expect(await categoriesOf(shop)).toHaveLength(1)
  })

  test.each([
    ['invalid_payload', 400],
    ['not_found', 404],
    ['duplicate_found', 409],
  ])('%s: the effect is rolled back, and the refusal is stored', async (fate, status) => {
    const shop = await newProject({ extra: [fateProbe] })
    const first = await probe(shop, fate, 1)
    expect(first).toMatchObject({ status, replayed: false })
    expect(await categoriesOf(shop)).toEqual([])
    expect(await probe(shop, fate, 0)).toEqual(replayOf(first))
    expect(await categoriesOf(shop)).toEqual([])
  })

  test('a refusal that commits its effect commits it once', async () => {
    const shop = await newProject({ extra: [fateProbe] })
    const first = await probe(shop, 'missing_parameters', 1)
    expect(first).toMatchObject({ status: 400, replayed: false })
    expect(await categoriesOf(shop)).toHaveLength(1)
    expect(await probe(shop, 'missing_parameters', 0)).toEqual(replayOf(first))
    expect(await categoriesOf(shop)).toHaveLength(1)
  })

  test('while others wait with the same key: the next one does the work', async () => {
    const shop = await newProject({ extra: [fateProbe] })
    leftToFail = 1
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => call(shop, 'k1', 'POST', '/v1/fate-probe/bug', summer)),
    )
    expect(answers.filter(({ status }) => status === 500)).toHaveLength(1)
    expect(answers.filter(({ status, replayed }) => status === 200 && !replayed)).toHaveLength(1)
    expect(answers.filter(({ status, replayed }) => status === 200 && replayed)).toHaveLength(8)
    expect(await categoriesOf(shop)).toHaveLength(1)
  })
})

describe('requests with the same key in one process', () => {
  test('run one at a time, in order of arrival, and a failure does not stop the next', async () => {
    const fly = keyedQueue()
    const story: string[] = []
    const flight = (name: string, fails = false) =>
      fly('key', async () => {
        story.push(`${name} starts`)
        await setImmediate()
        story.push(`${name} ends`)
        if (fails) throw new Error(name)
      })
    const landings = await Promise.allSettled([flight('a'), flight('b', true), flight('c')])
    expect(landings.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(story).toEqual(['a starts', 'a ends', 'b starts', 'b ends', 'c starts', 'c ends'])
  })

  test('wait no longer than the lock timeout, and then get an error that the first has not ended', async () => {
    const fly = keyedQueue(200)
    const { promise: running, resolve: end } = Promise.withResolvers<string>()
    const story: string[] = []
    const first = fly('key', () => running.then(() => story.push('first')))
    const second = fly('key', async () => story.push('second'))
    await expect(second).rejects.toMatchObject({ key: 'idempotency_key_in_progress', status: 409 })
    const third = fly('key', async () => story.push('third'))
    end('the first')
    await Promise.all([first, third])
    expect(story).toEqual(['first', 'third']) // no waiter overtook the running request
  })

  test('other keys do not wait', async () => {
    const fly = keyedQueue()
    const { promise: running, resolve: end } = Promise.withResolvers<string>()
    const slow = fly('one', () => running)
    expect(await fly('another', async () => 'quick')).toBe('quick')
    end('slow')
    expect(await slow).toBe('slow')
  })
})
