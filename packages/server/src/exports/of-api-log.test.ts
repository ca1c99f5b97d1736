// @embedded: bodies that are compressed in columns of bytes, and rows that are read in pieces
import { describe, expect, test } from 'vitest'
import { insertApiKey } from '../account/api-keys/store.ts'
import { roles } from '../account/roles.ts'
import type { Role } from '../core/db/tables.ts'
import type { AuditEntry } from '../core/http/audit-log.ts'
import { readCsv } from '../core/lib/csv.ts'
import { toInstant } from '../core/lib/instant.ts'
import { limits } from '../core/lib/limits.ts'
import { newProject, type Shop, send } from '../testing/app.ts'
import { newAuditEntry } from '../testing/audit-entry.ts'
import {
  createExport,
  exportLines,
  finishedLines,
  followExport,
  readExport,
  workOnExports,
} from '../testing/exports.ts'
import { newSignedInUser } from '../testing/sessions.ts'
import { exportables } from './objects.ts'

const newShop = () => newProject({ env: { AUDIT_LOG: 'on', AUTH_MODE: 'either' } })

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Logs requests that arrived so many milliseconds ago; returns the ids of their entries. */
async function log(shop: Shop, entries: ReadonlyArray<[ago: number, entry?: Partial<AuditEntry>]>): Promise<string[]> {
  const { auditLog, now } = shop.service.runtime
  const ids: string[] = []
  for (const [ago, changes] of entries) {
    const entry = newAuditEntry(shop.project_id, now() - ago, changes)
    auditLog.record(entry)
    ids.push(entry.request_id.replace('v-', 'log_'))
  }
  await auditLog.flush()
  return ids
}

const create = (shop: Shop, parameters: object, headers = shop.headers) =>
  send(shop.service.app, 'POST', '/v1/exports', { exported_object: 'api_log', parameters }, headers)

/** The ids in the file, in its order. */
async function exportedIds(shop: Shop, parameters: object = {}): Promise<string[]> {
  const [header, ...ids] = await exportLines(shop, 'api_log', { fields: ['id'], ...parameters })
  expect(header).toBe('ID')
  return ids
}

/** The rows of a file. */
function recordsOf(file: string): string[][] {
  const { rows } = readCsv(Buffer.from(file), { isStart: true, isEnd: true, rows_max: 1_000 })
  return rows.map((row) => {
    if (!Array.isArray(row)) throw new Error(row.error)
    return row
  })
}

const agoInstant = (shop: Shop, ago: number): string => toInstant(shop.service.runtime.now() - ago)

test('a file has a row for each request, newest first, by default with the first eight columns', async () => {
  const shop = await newShop()
  const [older, newer] = await log(shop, [
    [2_000, { url: '/v1/categories?a=b', channel: 'till, 4' }],
    [1_000, { status_code: 404, method: 'POST', endpoint: 'POST_v1_categories' }],
  ])
  const { parameters } = await createExport(shop, 'api_log')
  const fields = ['id', 'created_at', 'status', 'request_id', 'channel', 'method', 'endpoint', 'url']
  expect(parameters).toEqual({ order: '-created_at', fields, filters: { junction: 'and' } })
  await shop.service.runtime.auditLog.flush()
  const lines = await exportLines(shop, 'api_log', { filters: { app_id: { conditions: { $is: 'app' } } } })
  const cellsOf = (id = '') => [id, toInstant(Number.parseInt(id.slice(4, 15), 16))]
  expect(lines).toEqual([
    'ID,Created At,Status,Request ID,Channel,Method,Endpoint,Url',
    [...cellsOf(newer), 'FAILURE', newer?.replace('log_', 'v-'), 'API', 'POST', 'POST_v1_categories', '/v1/categories'].join(','),
    [...cellsOf(older), 'SUCCESS', older?.replace('log_', 'v-'), '"till, 4"', 'GET', 'GET_v1_categories', '/v1/categories?a=b'].join(','),
  ])
  expect(await exportedIds(shop, { order: 'created_at', filters: { app_id: { conditions: { $is: ['app'] } } } })).toEqual([older, newer])
}) // biome-ignore format: a row is a line

test('a file says who called, how long it took, and both bodies, with secrets masked as in the log', async () => {
  const shop = await newShop()
  const user = await newSignedInUser(shop.service.runtime, { [shop.project_id]: 'ADMIN' })
  const headers = { ...user.headers, 'x-project-id': shop.project_id }
  const body = { source_id: 'ann', name: '=1+1', metadata: { api_key: 'very-secret', note: 'a "quoted"\nnote' } }
  const { status } = await shop.call('POST', '/v1/customers?token=very-secret', body)
  expect(status).toBe(200)
  await send(shop.service.app, 'GET', '/v1/categories/nothing', undefined, headers)
  await shop.service.runtime.auditLog.flush()

  const fields = Object.keys(exportables.api_log.fields)
  const { id } = await createExport(shop, 'api_log', { order: 'created_at', fields })
  await workOnExports(shop)
  const { body: file } = await followExport(shop, (await readExport(shop, id)).result?.url ?? '')
  expect(file).not.toContain('very-secret')
  const [header, ...rows] = recordsOf(file)
  expect(header?.join(',')).toBe(
    'ID,Created At,Status,Request ID,Channel,Method,Endpoint,Url,User Email,App ID,Client App ID,Request Duration,Request Body,Response Body',
  )
  const entries = rows.map((row) => Object.fromEntries(fields.map((name, index) => [name, row[index]])))
  const customer = entries.find(({ endpoint }) => endpoint === 'POST_v1_customers')
  expect(customer).toMatchObject({
    status: 'SUCCESS',
    channel: 'API',
    url: '/v1/customers?token=***',
    user_email: '',
    app_id: shop.app_id,
    client_app_id: '',
    request_duration: expect.stringMatching(/^\d+$/),
    request_body: JSON.stringify({ ...body, metadata: { ...body.metadata, api_key: '***' } }),
  })
  expect(JSON.parse(customer?.response_body ?? '')).toMatchObject({ object: 'customer', metadata: { api_key: '***' } })
  expect(entries.find(({ endpoint }) => endpoint === 'GET_v1_categories')).toMatchObject({
    status: 'FAILURE',
    channel: 'USER',
    user_email: user.email,
    app_id: '',
    request_body: '',
    response_body: expect.stringContaining('"key":"not_found"'),
  })
})

describe('filters', () => {
  test('all hold together, by status, channel and key', async () => {
    const shop = await newShop()
    const ids = await log(shop, [
      [6_000, { app_id: 'a', channel: 'till' }],
      [5_000, { app_id: 'b', channel: 'till', status_code: 500 }],
      [4_000, { app_id: null, client_app_id: 'page', channel: 'CLIENT_API', status_code: 399 }],
      [3_000, { app_id: null, client_app_id: 'other', channel: 'CLIENT_API', status_code: 400 }],
    ])
    const before = agoInstant(shop, 2_000)
    const cases: Array<[filters: object, found: number[]]> = [
      [{}, [0, 1, 2, 3]],
      [{ junction: 'AND', status: { conditions: { $is: 'FAILURE' } } }, [1, 3]],
      [{ status: { conditions: { $is_not: ['FAILURE'] } } }, [0, 2]],
      [{ channel: { conditions: { $in: ['till', 'none'] } } }, [0, 1]],
      [{ channel: { conditions: { $not_in: ['till'] } } }, [2, 3]],
      [{ app_id: { conditions: { $in: ['a', 'b'] } } }, [0, 1]],
      [{ app_id: { conditions: { $is_not: 'a' } } }, [1, 2, 3]],
      [{ client_app_id: { conditions: { $is: 'page' } } }, [2]],
      [{ client_app_id: { conditions: { $not_in: ['page', 'other'] } } }, [0, 1]],
      [{ channel: { conditions: { $in: ['till'] } }, status: { conditions: { $is: 'SUCCESS' } } }, [0]],
    ]
    for (const [filters, found] of cases)
      expect(
        await exportedIds(shop, { order: 'created_at', filters: { created_at: { conditions: { $before: before } }, ...filters } }),
        JSON.stringify(filters),
      ).toEqual(found.map((place) => ids[place]))
  }) // biome-ignore format: a case is a line

  test.each<[string, object, string]>([
    ['another field', { method: { conditions: { $is: 'GET' } } }, '.filters.method is not a known field'],
    ['another operator', { status: { conditions: { $in: ['SUCCESS'] } } }, '.filters.status.conditions.$in must be one of: $is, $is_not'],
    ['an operator of the time of the day', { created_at: { conditions: { $more_than: 1 } } }, '.filters.created_at.conditions.$more_than must be one of: $after, $before'],
    ['alternatives', { junction: 'or', status: { conditions: { $is: 'SUCCESS' } } }, '.filters.junction must be equal to one of the allowed values [ and ]'],
  ])('by %s are refused', async (_, filters, details) => {
    const shop = await newShop()
    expect(await create(shop, { filters })).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload', details: expect.stringContaining(`Property .parameters${details}`) },
    })
  }) // biome-ignore format: a case is a line
})

test('fields, orders and metadata that it does not have are refused', async () => {
  const shop = await newShop()
  expect(await create(shop, { order: '-id' })).toMatchObject({ status: 400, body: { key: 'invalid_payload' } })
  for (const field of ['status_code', 'metadata', 'metadata.color'])
    expect(await create(shop, { fields: [field] }), field).toMatchObject({
      status: 400,
      body: {
        key: 'invalid_export_fields',
        details: `Unknown field '${field}'. Allowed fields: ${Object.keys(exportables.api_log.fields).join(', ')}`,
      },
    })
})

describe('the time', () => {
  const created = (conditions: object) => ({ filters: { created_at: { conditions } } })

  test('is the last 24 hours, with `$before` alone the 24 hours before it, and both bounds are exclusive', async () => {
    const shop = await newShop()
    const ages = [47 * hourMs, 30 * hourMs, 25 * hourMs, 23 * hourMs, hourMs]
    const ids = await log(
      shop,
      ages.map((ago) => [ago]),
    )
    const momentOf = (place: number) => toInstant(Number.parseInt((ids[place] as string).slice(4, 15), 16))
    const found = async (parameters: object) => {
      const all = await exportedIds(shop, { order: 'created_at', ...parameters })
      return all.flatMap((id) => (ids.includes(id) ? [ids.indexOf(id)] : []))
    }
    expect(await found({})).toEqual([3, 4])
    expect(await found(created({ $before: agoInstant(shop, 23.5 * hourMs) }))).toEqual([0, 1, 2])
    expect(await found(created({ $after: agoInstant(shop, 40 * hourMs) }))).toEqual([1, 2, 3, 4])
    expect(await found(created({ $after: momentOf(1), $before: momentOf(4) }))).toEqual([2, 3])
  })

  test('is at most 31 days', async () => {
    const shop = await newShop()
    const refused = {
      status: 400,
      body: {
        key: 'invalid_payload',
        details: 'Property .parameters.filters.created_at must NOT ask for more than 31 days',
      },
    }
    const end = Date.parse('2026-02-01T00:00:00.000Z')
    const from = (ms: number) => toInstant(end - 31 * dayMs + ms)
    expect(await create(shop, created({ $after: from(-1), $before: toInstant(end) }))).toMatchObject(refused)
    expect(await create(shop, created({ $after: [from(0), from(-1)], $before: toInstant(end) }))).toMatchObject(refused)
    expect(await create(shop, created({ $after: agoInstant(shop, 31 * dayMs + hourMs) }))).toMatchObject(refused)
    expect(await exportedIds(shop, created({ $after: from(0), $before: toInstant(end) }))).toEqual([])
    // A job that starts later has a later end, and is not refused for it.
    const open = await createExport(shop, 'api_log', created({ $after: agoInstant(shop, 31 * dayMs - hourMs) }))
    shop.service.clock.advance(2 * hourMs)
    expect((await finishedLines(shop, open)).length).toBeGreaterThan(0)
  })

  test('ends when the job starts, so that requests that arrive meanwhile do not make it longer', async () => {
    const shop = await newShop()
    const [now, later] = await log(shop, [[1_000], [-hourMs]])
    for (const parameters of [{}, created({ $before: agoInstant(shop, -2 * hourMs), $after: agoInstant(shop, hourMs) })]) {
      const ids = await exportedIds(shop, parameters)
      expect(ids).toContain(now)
      expect(ids).not.toContain(later)
    }
  }) // biome-ignore format: a case is a line
})

describe('whoever asks', () => {
  async function headersOf(shop: Shop, role: Role): Promise<Record<string, string>> {
    const { key, secret } = await insertApiKey(shop.service.runtime.database.db, {
      project_id: shop.project_id,
      name: role,
      kind: 'server',
      role,
      ip_whitelist: [],
      is_primary: false,
      created_at: '2026-01-01T00:00:00.000Z',
    })
    return { 'x-app-id': key.app_id, 'x-app-token': secret }
  }

  test('has to be ADMIN or USER: others neither create such an export nor get the address of its file', async () => {
    const shop = await newShop()
    const { id } = await createExport(shop, 'api_log')
    await workOnExports(shop)
    for (const role of roles) {
      const user = await newSignedInUser(shop.service.runtime, { [shop.project_id]: role })
      const byKey = await headersOf(shop, role)
      const isAllowed = role === 'ADMIN' || role === 'USER'
      for (const headers of [byKey, { ...user.headers, 'x-project-id': shop.project_id }]) {
        expect(await create(shop, { fields: ['unknown'] }, headers), role).toMatchObject(
          isAllowed
            ? { status: 400, body: { key: 'invalid_export_fields' } }
            : { status: 403, body: { key: 'missing_required_permission' } },
        )
        const result = isAllowed ? { url: expect.stringContaining('token=') } : null
        const one = await send(shop.service.app, 'GET', `/v1/exports/${id}`, undefined, headers)
        expect(one, role).toMatchObject({ status: 200, body: { status: 'DONE', result } })
        const list = await send(shop.service.app, 'GET', '/v1/exports', undefined, headers)
        expect(list.body.exports, role).toMatchObject([{ id, status: 'DONE', result }])
      }
      expect((await create(shop, {}, byKey)).status, role).toBe(isAllowed ? 200 : 403)
      await shop.service.runtime.database.db
        .deleteFrom('exports')
        .where('project_id', '=', shop.project_id)
        .where('id', '!=', id as `exp_${string}`)
        .execute()
    }
  })

  test('gets the requests of the project only', async () => {
    const [shop, other] = [await newShop(), await newShop()]
    const [own] = await log(shop, [[1_000]])
    await log(other, [[1_000]])
    expect(await exportedIds(shop, { filters: { app_id: { conditions: { $is: 'app' } } } })).toEqual([own])
  })
})

test('while the log is switched off, a file has a header only', async () => {
  const shop = await newProject({ env: { AUDIT_LOG: 'off' } })
  await log(shop, [[1_000]])
  expect(await exportLines(shop, 'api_log')).toEqual(['ID,Created At,Status,Request ID,Channel,Method,Endpoint,Url'])
})

describe('a long log', () => {
  test('is searched in steps, however few of its entries match, and each is written once and in order', async () => {
    const shop = await newShop()
    const entries = Array.from({ length: 5_600 }, (_, n): [number, Partial<AuditEntry>] => [
      6_000 - n,
      { app_id: n % 2 === 0 ? 'even' : 'odd', status_code: n === 5_100 ? 500 : 200 },
    ])
    const ids = await log(shop, entries)
    const newest = [...ids].reverse()
    const stepsFor = async (parameters: object, expected: string[]) => {
      const { id } = await createExport(shop, 'api_log', { fields: ['id'], ...parameters })
      const steps = await workOnExports(shop)
      const { body } = await followExport(shop, (await readExport(shop, id)).result?.url ?? '')
      expect(body.trimEnd().split('\n').slice(1)).toEqual(expected)
      return steps
    }
    const ofKey = { app_id: { conditions: { $is: 'odd' } } }
    const odd = ids.filter((_, n) => n % 2 === 1)
    expect(await stepsFor({ order: 'created_at', filters: ofKey }, odd)).toBeGreaterThan(5)
    expect(await stepsFor({ filters: ofKey }, [...odd].reverse())).toBeGreaterThan(5)
    const failed = { status: { conditions: { $is: 'FAILURE' } } }
    const isFailed = (id: string) => id === ids[5_100]
    expect(await stepsFor({ order: 'created_at', filters: failed }, ids.filter(isFailed))).toBe(2)
    expect(await stepsFor({ filters: failed }, newest.filter(isFailed))).toBe(2)
  })

  test('with large bodies is read few entries at a time', async () => {
    const shop = await newShop()
    const body = `{"x":"${'y'.repeat(60_000)}"}`
    const count = 40
    await log(
      shop,
      Array.from({ length: count }, (_, n) => [5_000 - n, { request_body: body, response_body: body }]),
    )
    const filters = { app_id: { conditions: { $is: 'app' } } }
    const { id } = await createExport(shop, 'api_log', { fields: ['request_body', 'response_body'], filters })
    expect(await workOnExports(shop)).toBe(Math.ceil((count * 2 * body.length) / limits.audit_page_bytes_max))
    const { body: file } = await followExport(shop, (await readExport(shop, id)).result?.url ?? '')
    expect(recordsOf(file).slice(1)).toEqual(Array.from({ length: count }, () => [body, body]))
    // Without the bodies their size does not matter.
    await createExport(shop, 'api_log', { fields: ['id'], filters })
    expect(await workOnExports(shop)).toBe(1)
  })
})
