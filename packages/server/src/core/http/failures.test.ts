import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { insertCategory } from '../../rules/categories/store.ts'
import { newProject, newTestApp, type Shop, send, uniqueName } from '../../testing/app.ts'
import type { Ctx } from '../context.ts'
import { connectPostgres } from '../db/connect.ts'
import { limits } from '../lib/limits.ts'
import { openCredentials } from './credentials.ts'
import { ApiError, notFound } from './errors.ts'
import { refusalOf } from './failures.ts'
import { operation } from './operation.ts'

const Done = Type.Object({ done: Type.String() })
type Done = Static<typeof Done>

/** What the probe operation does after it has written a category. */
type Ending = (ctx: Ctx, attempt: number) => Promise<Done | ApiError>

const endings = new Map<string, Ending>()
const attempts = new Map<string, number>()
const committed: string[] = []

const probe = (method: 'POST' | 'GET', path: string, id: string) =>
  operation({
    id,
    method,
    path: `${path}/{name}` as '/v1/probes/x/{name}',
    summary: 'Writes a category and then does what the test says',
    reply: Done,
    errors: ['not_found', 'duplicate_found', 'forbidden', 'invalid_payload'],
    run: async (ctx, { params: { name } }) => {
      const attempt = (attempts.get(name) ?? 0) + 1
      attempts.set(name, attempt)
      if (method === 'POST') {
        await insertCategory(ctx, { name, hierarchy: attempt })
        ctx.afterCommit(() => void committed.push(name))
      }
      return (endings.get(name) as Ending)(ctx, attempt)
    },
  })

const extra = [probe('POST', '/v1/probes/write', 'probeWrite'), probe('GET', '/v1/probes/read', 'probeRead')]

/** Calls the probe with the given ending and returns what is in the database afterwards. */
async function run(
  shop: Shop,
  ending: Ending,
  { method = 'POST', headers = {} as Record<string, string>, name = uniqueName('Half') } = {},
) {
  endings.set(name, ending)
  const answer = await shop.call(
    method,
    `/v1/probes/${method === 'POST' ? 'write' : 'read'}/${name}`,
    undefined,
    headers,
  )
  const { rows } = await sql<{ hierarchy: number }>`
    select hierarchy from categories where project_id = ${shop.project_id} and name = ${name}`.execute(
    shop.service.runtime.database.db,
  )
  return {
    answer,
    name,
    stored: rows.map(({ hierarchy }) => hierarchy),
    attempts: attempts.get(name),
    afterCommits: committed.filter((one) => one === name).length,
  }
}

const raise = (errcode: string) =>
  sql.raw(`do $$ begin raise exception 'secret row: hunter2' using errcode = '${errcode}'; end $$`)

const internal = { code: 500, key: 'internal_error', message: 'Internal Server Error' }
const away = { code: 503, key: 'service_unavailable', message: 'Service Unavailable' }

describe('an unexpected error', () => {
  test.each<[what: string, thrown: unknown]>([
    ['an error', new Error('select secret from keys where token = hunter2')],
    [
      'an error that looks like one of a client',
      Object.assign(new Error('hunter2'), { statusCode: 404, code: 'E_LIBRARY' }),
    ],
    ['an error with a number for a code', Object.assign(new Error('hunter2'), { code: 7 })],
    ['an assertion', Object.assign(new TypeError('hunter2'), { status: 400 })],
    ['a text', 'hunter2'],
    ['a plain object', { message: 'hunter2', code: 400 }],
    ['null', null],
    ['nothing', undefined],
  ])('%s that is thrown gives 500 without details, and nothing is half-written', async (_what, thrown) => {
    const shop = await newProject({ extra })
    for (const method of ['POST', 'GET']) {
      const { answer, stored, afterCommits, attempts } = await run(shop, () => Promise.reject(thrown), { method })
      expect(answer.status).toBe(500)
      expect(answer.body).toEqual({ ...internal, request_id: answer.headers['x-request-id'] })
      expect(JSON.stringify(answer)).not.toContain('hunter2')
      expect({ stored, afterCommits, attempts }).toEqual({ stored: [], afterCommits: 0, attempts: 1 })
    }
  })

  test('a reply without a required property is an internal error too, and rolled back', async () => {
    const shop = await newProject({ extra })
    const { answer, stored, afterCommits } = await run(shop, async () => ({ other: 1 }) as unknown as Done)
    expect(answer).toMatchObject({ status: 500, body: internal })
    expect({ stored, afterCommits }).toEqual({ stored: [], afterCommits: 0 })
  })

  test('the next request is not affected', async () => {
    const shop = await newProject({ extra })
    await run(shop, () => Promise.reject(new Error('hunter2')))
    expect(await run(shop, async () => ({ done: 'yes' }))).toMatchObject({
      answer: { status: 200, body: { done: 'yes' } },
      stored: [1],
      afterCommits: 1,
    })
  })
})

describe('a refusal', () => {
  test('that is thrown rolls back what the request did', async () => {
    const shop = await newProject({ extra })
    const { answer, stored, afterCommits } = await run(shop, () => Promise.reject(notFound('voucher', 'NOPE-1')))
    expect(answer.status).toBe(404)
    expect(answer.body).toEqual({
      code: 404,
      key: 'not_found',
      message: 'Resource not found',
      details: 'Cannot find voucher with id NOPE-1',
      resource_id: 'NOPE-1',
      resource_type: 'voucher',
      request_id: answer.headers['x-request-id'],
    })
    expect({ stored, afterCommits }).toEqual({ stored: [], afterCommits: 0 })
  })

  test('that is returned commits what the request did, and the caller gets the error', async () => {
    const shop = await newProject({ extra })
    const { answer, stored, afterCommits } = await run(
      shop,
      async () => new ApiError('duplicate_found', { details: 'Kept' }, { 'Retry-After': '7' }),
    )
    expect(answer).toMatchObject({
      status: 409,
      headers: { 'retry-after': '7' },
      body: { code: 409, key: 'duplicate_found', details: 'Kept' },
    })
    expect(answer.body.request_id).toBe(answer.headers['x-request-id'])
    expect({ stored, afterCommits }).toEqual({ stored: [1], afterCommits: 1 })
  })

  test('sends its headers in both cases', async () => {
    const shop = await newProject({ extra })
    const { answer } = await run(shop, () => Promise.reject(new ApiError('forbidden', {}, { 'Retry-After': '9' })))
    expect(answer).toMatchObject({ status: 403, headers: { 'retry-after': '9' } })
  })

  test('that is returned but does not depend on the request itself is not replayed under an idempotency key', async () => {
    const shop = await newProject({ extra })
    const headers = { 'idempotency-key': uniqueName('key') }
    const name = uniqueName('Half')
    const first = await run(shop, async () => new ApiError('forbidden', { details: 'Not yet' }), { headers, name })
    expect(first).toMatchObject({ answer: { status: 403 }, stored: [1] })
    await sql`delete from categories where name = ${name}`.execute(shop.service.runtime.database.db)
    const second = await run(shop, async () => ({ done: 'now' }), { headers, name })
    expect(second.answer).toMatchObject({ status: 200, body: { done: 'now' } })
    expect(second.answer.headers).not.toHaveProperty('idempotency-replayed')
    const third = await run(shop, async () => ({ done: 'again' }), { headers, name })
    expect(third.answer).toMatchObject({
      status: 200,
      headers: { 'idempotency-replayed': 'true' },
      body: { done: 'now' },
    })
  })
})

describe.each(['40001', '40P01'])('a conflict with another transaction (%s)', (errcode) => {
  test.each([1, 2, limits.transaction_attempts_max - 1])(
    'that happens %d times in a row is retried, and the caller does not notice',
    async (times) => {
      const shop = await newProject({ extra })
      const { answer, stored, attempts, afterCommits } = await run(shop, async ({ db }, attempt) => {
        if (attempt <= times) await raise(errcode).execute(db)
        return { done: 'yes' }
      })
      expect(answer).toMatchObject({ status: 200, body: { done: 'yes' } })
      expect({ stored, attempts, afterCommits }).toEqual({ stored: [times + 1], attempts: times + 1, afterCommits: 1 })
    },
  )

  test('that never ends gives 503 with Retry-After after a few attempts', async () => {
    const shop = await newProject({ extra })
    const { answer, stored, attempts, afterCommits } = await run(shop, async ({ db }) => {
      await raise(errcode).execute(db)
      return { done: 'never' }
    })
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '5' }, body: away })
    expect(JSON.stringify(answer.body)).not.toContain('hunter2')
    expect({ stored, attempts, afterCommits }).toEqual({
      stored: [],
      attempts: limits.transaction_attempts_max,
      afterCommits: 0,
    })
  })

  test('is also retried under an idempotency key', async () => {
    const shop = await newProject({ extra })
    const headers = { 'idempotency-key': uniqueName('key') }
    const ending: Ending = async ({ db }, attempt) => {
      if (attempt < 3) await raise(errcode).execute(db)
      return { done: 'yes' }
    }
    const first = await run(shop, ending, { headers })
    expect(first).toMatchObject({ answer: { status: 200 }, stored: [3], attempts: 3, afterCommits: 1 })
    const again = await run(shop, ending, { headers, name: first.name })
    expect(again).toMatchObject({
      answer: { status: 200, headers: { 'idempotency-replayed': 'true' } },
      attempts: 3,
      afterCommits: 1,
    })
  })

  test('keeps the time and the request id in every attempt', async () => {
    const shop = await newProject({ extra })
    const seen = new Set<string>()
    await run(shop, async ({ db, now, request_id }, attempt) => {
      seen.add(`${now} ${request_id}`)
      if (attempt < 4) await raise(errcode).execute(db)
      return { done: 'yes' }
    })
    expect(seen.size).toBe(1)
  })
})

describe('an error of the database', () => {
  test.each(['08000', '08006', '53200', '53300', '53400', '57014', '57P01', '57P03', '55P03', '25P03'])(
    'that is transient (%s) gives 503 with Retry-After, and nothing is half-written',
    async (errcode) => {
      const shop = await newProject({ extra })
      const { answer, stored, attempts } = await run(shop, async ({ db }) => {
        await raise(errcode).execute(db)
        return { done: 'never' }
      })
      expect(answer.status).toBe(503)
      expect(answer.headers['retry-after']).toBe('5')
      expect(answer.body).toEqual({ ...away, request_id: answer.headers['x-request-id'] })
      expect({ stored, attempts }).toEqual({ stored: [], attempts: 1 })
    },
  )

  test.each(['22012', '23505', '23514', '42P01', '42703', 'XX000', 'P0001'])(
    'that is a bug (%s) gives 500 without details',
    async (errcode) => {
      const shop = await newProject({ extra })
      const { answer, stored, attempts } = await run(shop, async ({ db }) => {
        await raise(errcode).execute(db)
        return { done: 'never' }
      })
      expect(answer.status).toBe(500)
      expect(answer.body).toEqual({ ...internal, request_id: answer.headers['x-request-id'] })
      expect({ stored, attempts }).toEqual({ stored: [], attempts: 1 })
    },
  )

  test.each<[what: string, error: Error & { code?: string; statusCode?: number }, status: number]>([
    [
      'the database does not listen',
      Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' }),
      503,
    ],
    ['the connection broke', Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }), 503],
    ['the connection broke while writing', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }), 503],
    ['no way there', Object.assign(new Error('connect EHOSTUNREACH'), { code: 'EHOSTUNREACH' }), 503],
    ['no network', Object.assign(new Error('connect ENETUNREACH'), { code: 'ENETUNREACH' }), 503],
    ['no such name', Object.assign(new Error('getaddrinfo ENOTFOUND db'), { code: 'ENOTFOUND' }), 503],
    ['no name service', Object.assign(new Error('getaddrinfo EAI_AGAIN db'), { code: 'EAI_AGAIN' }), 503],
    ['no answer', Object.assign(new Error('connect ETIMEDOUT'), { code: 'ETIMEDOUT' }), 503],
    ['no connection was free in time', new Error('timeout exceeded when trying to connect'), 503],
    ['the server went away', new Error('Connection terminated unexpectedly'), 503],
    [
      'the connection was already broken',
      new Error('Client has encountered a connection error and is not queryable'),
      503,
    ],
    ['the pool is closed', new Error('Cannot use a pool after calling end on the pool'), 503],
    ['the embedded database is closed', new Error('PGlite is closed'), 503],
    ['the driver is closed', new Error('driver has already been destroyed'), 503],
    ['a file is missing', Object.assign(new Error('ENOENT'), { code: 'ENOENT' }), 500],
    ['access is denied', Object.assign(new Error('EPERM'), { code: 'EPERM' }), 500],
    [
      'the body stopped in the middle',
      Object.assign(new Error('aborted'), { code: 'ECONNRESET', statusCode: 400 }),
      400,
    ],
    [
      'the framework does not understand the request',
      Object.assign(new Error('x'), { code: 'FST_ERR_CTP_INVALID_CONTENT_LENGTH', statusCode: 400 }),
      400,
    ],
    [
      'the framework does not know the media type',
      Object.assign(new Error('x'), { code: 'FST_ERR_CTP_INVALID_MEDIA_TYPE', statusCode: 415 }),
      415,
    ],
    [
      'the framework finds the body too large',
      Object.assign(new Error('x'), { code: 'FST_ERR_CTP_BODY_TOO_LARGE', statusCode: 413 }),
      413,
    ],
  ])('%s', (_what, error, status) => {
    const refusal = refusalOf(error, { max_body_bytes: 1_000 })
    expect(refusal.status).toBe(status)
    expect(refusal.headers['Retry-After']).toBe(status === 503 ? '5' : undefined)
  })

  test('during authentication gives 503 and not 401', async () => {
    const shop = await newProject({ extra })
    const database = connectPostgres({ connectionString: 'postgres://unknown@127.0.0.1:1/nothing' })
    const { runtime } = shop.service
    const credentials = await openCredentials(
      { ...database, listen: async () => ({ close: async () => {} }) },
      runtime.now,
    )
    const app = newTestApp({ ...runtime, database, credentials })
    onTestFinished(async () => {
      await app.close()
      await database.close()
    })
    const answer = await send(app, 'GET', '/v1/categories', undefined, shop.headers)
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '5' }, body: away })
  })
})

describe('messages of the operator', () => {
  const folder = mkdtempSync(join(tmpdir(), 'guerdon-messages-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'messages.json')
  writeFileSync(
    file,
    JSON.stringify({
      not_found: 'Das gibt es nicht.',
      internal_error: 'Bitte rufen Sie uns an.',
      invalid_payload: 'Bitte prüfen Sie Ihre Angaben.',
      duplicate_found: 'Das gibt es schon.',
      unauthorized: 'Wer sind Sie?',
      unsupported_media_type: 'Nie zu sehen.',
    }),
  )
  const env = { ERROR_MESSAGES_FILE: file }

  test('are added to the standard fields, by error key', async () => {
    const shop = await newProject({ env, extra })
    const answer = await shop.call('GET', '/v1/categories/cat_1')
    expect(answer.body).toEqual({
      code: 404,
      key: 'not_found',
      message: 'Resource not found',
      details: 'Cannot find category with id cat_1',
      resource_id: 'cat_1',
      resource_type: 'category',
      request_id: answer.headers['x-request-id'],
      error: { message: 'Das gibt es nicht.' },
    })
    expect((await shop.call('GET', '/v1/nothing')).body.error).toEqual({ message: 'Das gibt es nicht.' })
    expect((await shop.call('GET', '/v1/categories/%zz')).body.error).toEqual({ message: 'Das gibt es nicht.' })
    expect((await shop.call('POST', '/v1/categories', {})).body.error).toEqual({
      message: 'Bitte prüfen Sie Ihre Angaben.',
    })
    expect((await send(shop.service.app, 'GET', '/v1/categories')).body.error).toEqual({ message: 'Wer sind Sie?' })
    expect((await run(shop, () => Promise.reject(new Error('hunter2')))).answer.body.error).toEqual({
      message: 'Bitte rufen Sie uns an.',
    })
    expect((await run(shop, async () => new ApiError('duplicate_found'))).answer.body.error).toEqual({
      message: 'Das gibt es schon.',
    })
  })

  test('are absent without a message for the key, whatever language is requested', async () => {
    const shop = await newProject({ env, extra })
    expect(
      (await shop.call('PATCH', '/v1/categories', undefined, { 'accept-language': 'de' })).body,
    ).not.toHaveProperty('error')
  })

  test('do not replace the `error` of a transport failure', async () => {
    const shop = await newProject({ env, extra })
    const headers = { 'content-type': 'application/json' }
    expect((await shop.call('POST', '/v1/categories', '{', headers)).body).toMatchObject({
      key: 'invalid_payload',
      error: 'Bad Request',
    })
    expect((await shop.call('POST', '/v1/categories', '<x/>', { 'content-type': 'text/xml' })).body).toMatchObject({
      error: 'Unsupported Media Type',
    })
  })
})
