import { readFileSync } from 'node:fs'
import { Validator } from '@seriousme/openapi-schema-validator'
import { beforeAll, describe, expect, test } from 'vitest'
import { bodyBytesMax } from './core/http/body-limits.ts'
import { type ErrorKey, errorStatus } from './core/http/errors.ts'
import { type DocumentedOperation, type OpenapiDocument, refusalsOf } from './core/http/openapi.ts'
import { sampleOf } from './core/http/openapi-sample.ts'
import type { JsonSchema } from './core/http/openapi-schema.ts'
import {
  type Family,
  familyOf,
  isOpen,
  mediaTypeOf,
  needsNoCredentials,
  type Operation,
  pathParamNames,
} from './core/http/operation.ts'
import { scopes, scopesFor } from './core/http/scopes.ts'
import { compileValidator } from './core/http/validation.ts'
import { documentOf } from './document.ts'
import { operations } from './operations.ts'
import { type Answer, newProject, type Shop, send } from './testing/app.ts'
import { untilFinal } from './testing/event-list.ts'
import { inTurn } from './testing/in-turn.ts'
import { scaled } from './testing/scale.ts'
import { newSignedInUser } from './testing/sessions.ts'

/*
 * Guarantees for every operation: the tests iterate over the table of operations and over every way in which a request is
 * rejected before it runs. A new operation is covered without a change here.
 */

const document: OpenapiDocument = documentOf(operations)

describe('the table of operations', () => {
  test('ids are unique and camelCase', () => {
    const ids = operations.map(({ id }) => id)
    expect(ids).toEqual([...new Set(ids)])
    for (const id of ids) expect(id).toMatch(/^[a-z]+([A-Z][a-z]+)*$/)
  })

  test('no two have the same method and path', () => {
    const routes = operations.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`)
    expect(routes).toEqual([...new Set(routes)])
  })

  test('a summary is a few words and no sentence', () => {
    for (const { id, summary } of operations) expect(summary, id).toMatch(/^[A-Z].{3,60}[^.\s]$/)
  })

  test('path parameters are camelCase, unique and documented', () => {
    for (const { id, path, method } of operations) {
      const names = pathParamNames(path)
      expect(names, id).toEqual([...new Set(names)])
      for (const name of names) expect(name, id).toMatch(/^[a-z]+([A-Z][a-z]+)*$/)
      expect(path.replaceAll(/\{\w+\}/g, ''), id).not.toMatch(/[{}:]/)
      const parameters = document.paths[path]?.[method.toLowerCase()]?.parameters ?? []
      expect(
        parameters.flatMap((one) => ('in' in one && one.in === 'path' ? [one.name] : [])),
        id,
      ).toEqual(names)
    }
  })

  test('the scopes that grant access to a path exist', () => {
    for (const { id, path } of operations)
      for (const scope of scopesFor(path) ?? []) expect([...scopes], id).toContain(scope)
  })

  test('declared errors exist, are listed once, and include those that query, body and path imply', () => {
    for (const { id, path, errors, query, body, consumes } of operations) {
      expect(errors, id).toEqual([...new Set(errors)])
      for (const key of errors) expect(errorStatus(key), `${id}: ${key}`).toBeGreaterThanOrEqual(400)
      if (query !== undefined) expect(errors, id).toContain('invalid_query_params')
      if (body !== undefined && consumes !== 'form') expect(errors, id).toContain('invalid_payload')
      if (pathParamNames(path).length > 0 && !acceptsUnknownIds.has(id)) expect(errors, id).toContain('not_found')
    }
  })

  test('every body and reply has a name (src/schemas.ts lists the modules they come from)', () => {
    const isNamed = ({ $ref, anyOf = [] }: JsonSchema): boolean => $ref !== undefined || anyOf.some(isNamed)
    for (const { operationId, requestBody, responses } of documented()) {
      const answers = Object.values(responses).flatMap((one) =>
        'content' in one ? Object.entries(one.content ?? {}) : [],
      )
      for (const [mediaType, { schema }] of [...Object.entries(requestBody?.content ?? {}), ...answers])
        if (/^(text|image)\//.test(mediaType)) expect(schema, operationId).toMatchObject({ type: 'string' })
        else expect(isNamed(schema), operationId).toBe(true)
    }
  })

  test('only downloads and the way to a session need no credentials, and they are documented so', () => {
    for (const operation of operations) {
      const { security, responses } = documentedAs(operation)
      const isFree = security.length === 0 || security.some((one) => Object.keys(one).length === 0)
      expect(isFree, operation.id).toBe(operation.download !== undefined || needsNoCredentials(operation))
      expect(security.length === 0, operation.id).toBe(isOpen(operation) || operation.session === 'none')
      if (operation.session !== undefined) expect(operation.path, operation.id).toMatch(/^\/auth\//)
      const { content = {} } = responses[200] === undefined || '$ref' in responses[200] ? {} : responses[200]
      const files = Object.keys(content).filter((mediaType) => mediaType !== 'application/json')
      expect(files, operation.id).toEqual(operation.download?.media_types ?? [])
      if (isOpen(operation)) expect(operation, operation.id).toMatchObject({ method: 'GET', reply: null })
    }
  })

  test('the sample body in the documentation is valid; otherwise its schema needs `examples`', () => {
    for (const { id, body } of operations) {
      if (body === undefined) continue
      expect(compileValidator(body).firstError(sampleBody(id), { root: 'Payload', required: 'should' }), id).toBeNull()
    }
  })
})

describe('openapi.json', () => {
  const file = readFileSync(new URL('../openapi.json', import.meta.url), 'utf8')

  test('matches the operations', () => {
    const isCurrent = file === `${JSON.stringify(document, null, 2)}\n`
    expect(isCurrent, 'packages/server/openapi.json is out of date: run `npm run openapi` and commit it').toBe(true)
  })

  test('is OpenAPI 3.1', async () => {
    const validator = new Validator()
    expect(await validator.validate(JSON.parse(file))).toEqual({ valid: true })
    expect(validator.version).toBe('3.1')
  })

  test('has no dangling $ref', () => {
    for (const [, path] of file.matchAll(/"\$ref": "#\/([^"]+)"/g))
      expect(at(document, path as string), path).toBeDefined()
  })
})

/** The value at a path of property names. */
const at = (object: object, path: string): unknown =>
  path.split('/').reduce<unknown>((place, name) => (place as Record<string, unknown> | undefined)?.[name], object)

describe('every operation rejects', () => {
  let shop: Shop
  let other: Shop
  beforeAll(async () => {
    shop = await newProject({ project: openToClients })
    other = await newProject({ project: openToClients })
    visitor = (await newSignedInUser(shop.service.runtime, {})).headers
  })

  test('a request without a key', async () => {
    await walk(async (operation) => {
      if (needsNoCredentials(operation)) return
      const key = familyOf(operation.path) === 'auth' ? 'not_signed_in' : 'unauthorized'
      expectRefusal(operation, await ask(operation, {}), key)
    })
  })

  test('a download that does not exist, whatever keys the request has', async () => {
    for (const operation of operations.filter(isOpen))
      for (const headers of [
        {},
        shop.headers,
        shop.management,
        { authorization: 'Bearer wrong' },
        { accept: 'image/png' },
      ])
        expectRefusal(operation, await ask(operation, headers as Record<string, string>), 'not_found')
  })

  test('a request with a wrong key, half a key pair, or a key of another kind', async () => {
    for (const [family, ofFamily] of Map.groupBy(guarded, ({ path }) => familyOf(path))) {
      if (family === 'auth') continue
      for (const [operation, headers] of inTurn(ofFamily, wrongHeaders(family)))
        expectRefusal(operation, await ask(operation, headers), 'unauthorized')
    }
  })

  test('a request with a session that does not exist', async () => {
    const cookies = ['guerdon_session=', 'guerdon_session=short', `guerdon_session=${'a'.repeat(43)}`]
    const withCredentials = guarded.filter((operation) => !needsNoCredentials(operation))
    for (const [family, ofFamily] of Map.groupBy(withCredentials, ({ path }) => familyOf(path))) {
      const key = family === 'client' || family === 'oauth' ? 'unauthorized' : 'not_signed_in'
      for (const [operation, cookie] of inTurn(ofFamily, cookies))
        expectRefusal(operation, await ask(operation, { cookie }), key)
    }
  })

  test('a request that does not accept JSON', async () => {
    await walk(async (operation) => {
      if (operation.redirects === true) return
      const headers = { ...headersOf(operation, shop), accept: 'text/html' }
      expectRefusal(operation, await ask(operation, headers), 'not_acceptable')
    })
  })

  test('a request for another API version', async () => {
    for (const operation of operations)
      expectRefusal(
        operation,
        await ask(operation, { ...headersOf(operation, shop), 'x-voucherify-api-version': 'v1' }),
        'invalid_api_version',
      )
  })

  test('a token without the scope, naming the required scopes; the narrow scope alone is sufficient', async () => {
    const tokens = new Map<string, string>()
    for (const scope of new Set(operations.flatMap(({ path }) => scopesFor(path) ?? []).concat('api', 'client_api')))
      tokens.set(scope, await tokenOf(scope))
    const withToken = (operation: Operation, scope: string) =>
      ask(operation, { ...shop.headers, authorization: `Bearer ${tokens.get(scope)}` })
    const detailsOf = (path: string): string | null => {
      const required = scopesFor(path)
      return required && `Access token does not cover this resource. Required scope: ${required.join(' or ')}`
    }
    for (const [details, ofScopes] of Map.groupBy(guarded, ({ path }) => detailsOf(path))) {
      if (details === null) continue
      const [wide, narrow] = scopesFor((ofScopes[0] as Operation).path) as readonly [string, string]
      for (const operation of ofScopes) {
        const refused = await withToken(operation, wide === 'api' ? 'client_api' : 'api')
        expectRefusal(operation, refused, 'forbidden')
        expect(refused.body.details, operation.id).toBe(details)
      }
      for (const operation of ofScopes.slice(0, scaled(ofScopes.length, 1)))
        expect(await withToken(operation, narrow), operation.id).not.toMatchObject({ body: { details } })
    }
  })

  test('the token of another project', async () => {
    await walk(async (operation) => {
      if (scopesFor(operation.path) === null) return
      const headers = { ...shop.headers, authorization: other.headers.authorization as string }
      expectRefusal(operation, await ask(operation, headers), 'unauthorized')
    })
  })

  test('an unsupported method, listing the supported ones', async () => {
    const patterns = operations.map((operation) => ({ ...operation, pattern: patternOf(operation.path) }))
    const methodsOf = (operation: Operation) => {
      const path = pathOf(operation)
      const offered = patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
      return [...new Set(offered)].sort()
    }
    const onePerPath = [...new Map(operations.map((each) => [each.path, each])).values()]
    for (const [offered, alike] of Map.groupBy(onePerPath, (each) => methodsOf(each).join(', '))) {
      const allow = offered.replace('GET', 'GET, HEAD')
      const unsupported = ['DELETE', 'GET', 'PATCH', 'POST', 'PUT'].filter((one) => !offered.includes(one))
      for (const [operation, method] of inTurn(alike, unsupported)) {
        const answer = await send(shop.service.app, method, pathOf(operation))
        expectContract(operation, answer, 'method_not_allowed')
        expect(answer.headers.allow, operation.id).toBe(allow)
        expect(answer.body.details, operation.id).toMatch(
          new RegExp(`^${method} is not supported by this endpoint. Did you mean `),
        )
      }
    }
  })

  test('a body that is not JSON, with the error body of a transport failure', async () => {
    const takingJson = guarded.filter((each) => each.body !== undefined && mediaTypeOf(each) === 'application/json')
    for (const [operation, body] of inTurn(takingJson, [
      '{"name":',
      '{"__proto__": 1}',
      Buffer.from([0x22, 0xff, 0x22]),
    ])) {
      const answer = await ask(
        operation,
        { ...headersOf(operation, shop), 'content-type': 'application/json; charset=utf-8' },
        body,
      )
      expectRefusal(operation, answer, 'invalid_payload')
      expect(answer.body, operation.id).toMatchObject({
        statusCode: 400,
        error: 'Bad Request',
        message: 'Invalid request payload JSON format',
      })
    }
  })

  test('a malformed multipart body, or one without a file', async () => {
    const multipart = 'multipart/form-data; boundary=part'
    await walk(async (operation) => {
      if (operation.consumes !== 'multipart') return
      const post = (body: string | undefined, contentType = multipart) =>
        ask(operation, { ...headersOf(operation, shop), 'content-type': contentType }, body)
      const malformed = 'Payload is not a well-formed multipart/form-data body'
      for (const answer of [
        await post('{}'),
        await post('--part\r\nContent-Disposition: form-data; name="file"\r\n\r\nname\n'),
        await post('--part--\r\n', 'multipart/form-data'),
      ]) {
        expectRefusal(operation, answer, 'invalid_payload')
        expect(answer.body.details, operation.id).toBe(malformed)
      }
      const { required = [] } = operation.body as JsonSchema
      // With a path parameter, the 404 for the object that it names comes first.
      if (required.includes('file') && pathParamNames(operation.path).length === 0)
        for (const body of [
          undefined,
          '--part--\r\n',
          '--part\r\nContent-Disposition: form-data; name="other"\r\n\r\nx\r\n--part--',
        ]) {
          const answer = await post(body)
          expectRefusal(operation, answer, 'invalid_payload')
          expect(answer.body.details, operation.id).toBe("Payload should have required property 'file'")
        }
    })
  })

  test('a body of another media type', async () => {
    const mediaTypes = ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=part']
    const takingBody = guarded.filter(({ body }) => body !== undefined)
    for (const [taken, ofType] of Map.groupBy(takingBody, mediaTypeOf)) {
      const others = ['text/plain', ...mediaTypes.filter((one) => !one.startsWith(taken))]
      for (const [operation, mediaType] of inTurn(ofType, others)) {
        const answer = await ask(operation, { ...headersOf(operation, shop), 'content-type': mediaType }, '{}')
        expectRefusal(operation, answer, 'unsupported_media_type')
        expect(answer.body, operation.id).toMatchObject({
          statusCode: 415,
          error: 'Unsupported Media Type',
          message: 'Unsupported Media Type',
        })
      }
    }
  })

  test('a body over the limit', async () => {
    await walk(async (operation) => {
      if (operation.method === 'GET') return
      const bytesMax = bodyBytesMax(operation, shop.service.runtime.settings)
      const announced = { 'content-type': mediaTypeOf(operation), 'content-length': String(bytesMax + 1) }
      const answer = await ask(operation, { ...headersOf(operation, shop), ...announced }, ' ')
      expectRefusal(operation, answer, 'payload_too_large')
      expect(answer.body, operation.id).toMatchObject({
        statusCode: 413,
        error: 'Request Entity Too Large',
        message: `Payload content length greater than maximum allowed: ${bytesMax}`,
      })
    })
  })

  /** Sends a request whose path parameters name nothing that exists. */
  function ask(operation: Operation, headers: Record<string, string>, body?: unknown): Promise<Answer> {
    return send(shop.service.app, operation.method, pathOf(operation), body, headers)
  }

  function wrongHeaders(family: Family): Array<Record<string, string>> {
    const unknownKey = '00000000-0000-4000-8000-000000000000'
    if (family === 'management') {
      const { 'x-management-id': id, 'x-management-token': token } = shop.management as Record<string, string>
      return [
        { 'x-management-id': id as string, 'x-management-token': unknownKey },
        { 'x-management-id': unknownKey, 'x-management-token': token as string },
        { 'x-management-id': id as string },
        shop.headers,
      ]
    }
    const { 'x-app-token': _, ...half } = shop.headers
    const wrong = [
      { ...shop.headers, 'x-app-token': unknownKey },
      { ...shop.headers, 'x-app-token': other.app_token },
      { ...shop.headers, 'x-app-id': unknownKey },
      half,
      shop.management,
    ]
    if (family === 'server')
      wrong.push({ ...shop.headers, 'x-app-id': shop.client_id, 'x-app-token': shop.client_token })
    if (family === 'oauth') return wrong
    const { authorization: _token, ...pair } = shop.headers
    return [
      ...wrong,
      pair,
      { ...pair, authorization: `Bearer ${unknownKey}` },
      { ...pair, authorization: `Basic ${shop.access_token}` },
    ]
  }

  async function tokenOf(scope: string): Promise<string> {
    const form = `grant_type=client_credentials&scope=${scope}`
    const { body } = await shop.call('POST', '/v1/oauth/token', form, {
      'content-type': 'application/x-www-form-urlencoded',
    })
    return body.access_token
  }
})

describe('data of one project', () => {
  test('can be neither read nor changed by another project', async () => {
    const shop = await newProject({ project: openToClients })
    const other = await newProject({ project: openToClients })
    const mine = await fill(shop)
    await untilFinal(shop) // or the list of events would grow
    const before = await readAll(shop, mine)
    expect(before.length).toBeGreaterThan(0)

    await walk(async (operation) => {
      if (familyOf(operation.path) === 'auth') return // sessions belong to users (account/sign-in/)
      if (operation.path === '/management/v1/projects/{projectId}') return // a project that deletes itself proves nothing
      if (operation.id === 'createVoucherWithCode') return // its path is the code of the new voucher
      if (operation.id === 'validateVoucher') return // it answers 200 and says that there is no such code
      const path = pathOf(operation, { ...mine, '/management/v1/projects': other.project_id })
      const answer = await send(
        other.service.app,
        operation.method,
        path,
        bodyFor(operation),
        headersOf(operation, other),
      )
      const names = pathParamNames(operation.path).filter((name) => name !== 'projectId')
      if (answer.status < 300)
        for (const id of secretsOf(shop, mine)) expect(JSON.stringify(answer.body), operation.id).not.toContain(id)
      if (names.length > 0 && !isEmptyList(answer.body))
        expect(answer.status, `${operation.id}: ${JSON.stringify(answer.body)}`).toBe(404)
    })
    expect(await readAll(shop, mine)).toEqual(before)
  })

  /** Creates one of everything that can be created, and returns the ids by the path they were created under. */
  async function fill(shop: Shop): Promise<Record<string, string>> {
    const promotion = await shop.call('POST', '/v1/campaigns', { name: 'A promotion', promotion: {} })
    const referral = await shop.call('POST', '/v1/campaigns', {
      name: 'A referral program',
      campaign_type: 'REFERRAL_PROGRAM',
      type: 'AUTO_UPDATE',
      voucher: { type: 'DISCOUNT_VOUCHER', discount: { type: 'PERCENT', percent_off: 10 } },
    })
    const given = await shop.call('POST', '/v1/publications', { campaign: referral.body.id, customer: 'a-referrer' })
    const mug = await shop.call('POST', '/v1/products', { name: 'A mug' })
    const reward = await shop.call('POST', '/v1/rewards', {
      name: 'A mug',
      parameters: { product: { id: mug.body.id } },
    })
    const ids: Record<string, string> = {
      '/management/v1/projects': shop.project_id,
      '/v1/promotions': promotion.body.id,
      '/v1/referrals': referral.body.id,
      '/v1/referrals/{campaignId}/members': given.body.voucher.id,
      '/v1/referrals/members': given.body.voucher.id,
      'a reward for a referral': reward.body.id,
    }
    for (const operation of operations) {
      if (operation.method !== 'POST' || !operation.id.startsWith('create') || operation.path in ids) continue
      const answer = await send(
        shop.service.app,
        'POST',
        pathOf(operation, ids),
        bodiesWithIds[operation.id]?.(ids) ?? bodyFor(operation),
        headersOf(operation, shop),
      )
      const hint = 'give the schema of its body `examples` that work; the documentation shows them too'
      expect(answer.status, `${operation.id} answers ${JSON.stringify(answer.body)}: ${hint}`).toBeLessThan(300)
      if (typeof answer.body?.id === 'string') ids[operation.path] = answer.body.id
    }
    ids['/v1/promotions/tiers'] = ids['/v1/promotions/{campaignId}/tiers'] as string
    for (const tree of ['rewards', 'reward-assignments'])
      ids[`/v1/loyalties/{campaignId}/${tree}`] = ids['/v1/rewards/{rewardId}/assignments'] as string
    return ids
  }

  /** The bodies of all successful GET operations of the shop. */
  async function readAll(shop: Shop, ids: Record<string, string>): Promise<Answer['body'][]> {
    const answers: Answer['body'][] = []
    for (const operation of operations) {
      if (operation.method !== 'GET' || operation.path === '/management/v1/projects') continue
      if (familyOf(operation.path) === 'auth') continue
      const answer = await send(shop.service.app, 'GET', pathOf(operation, ids), undefined, headersOf(operation, shop))
      // `as_of` is the time of the request, and so is the range of statistics.
      const { as_of: _, from: __, to: ___, updated_at, series: ____, ...rest } = answer.body ?? {}
      const body = rest.object === 'statistics' || updated_at === undefined ? rest : { ...rest, updated_at }
      if (answer.status === 200) answers.push(Array.isArray(answer.body) ? answer.body : body)
    }
    return answers
  }

  const secretsOf = (shop: Shop, { '/management/v1/projects': _, ...ids }: Record<string, string>) => [
    ...Object.values(ids),
    shop.app_id,
    shop.app_token,
    shop.client_id,
  ]

  function isEmptyList(body: Record<string, unknown> | null): boolean {
    return body?.object === 'list' && (body[body.data_ref as string] as unknown[]).length === 0
  }
})

/** Bodies with ids of objects created earlier, which a sample cannot know. */
const bodiesWithIds: Record<string, (ids: Record<string, string>) => object> = {
  createReferralTier: (ids) => ({
    parameters: { criteria: 'EACH_REFEREE' },
    reward: { id: ids['a reward for a referral'] },
  }),
  createRewardAssignment: (ids) => ({ campaign: ids['/v1/loyalties'] }),
  createPromotionStack: (ids) => ({ name: 'A stack', tiers: { ids: [ids['/v1/promotions/{campaignId}/tiers']] } }),
}

/** Operations without a 404 for an unknown id: it has an empty list, or is treated like a new object. */
const acceptsUnknownIds: ReadonlySet<string> = new Set(['listCustomerSegments', 'listAssignmentsOfValidationRule'])

const openToClients = {
  client_trusted_domains: ['*'],
  client_redeem_enabled: true,
  client_publish_enabled: true,
  client_list_vouchers_enabled: true,
  client_create_customer_enabled: true,
  client_loyalty_events_enabled: true,
  client_set_voucher_expiration_date_enabled: true,
}

/** Every operation that needs credentials. */
const guarded = operations.filter((operation) => !isOpen(operation))

async function walk(visit: (operation: Operation) => Promise<void>): Promise<void> {
  for (const operation of guarded) await visit(operation)
}

const documented = () => Object.values(document.paths).flatMap((methods) => Object.values(methods))

const documentedById = new Map(documented().map((operation) => [operation.operationId, operation]))

const documentedAs = ({ path, method }: Operation) =>
  document.paths[path]?.[method.toLowerCase()] as DocumentedOperation

/** The sample body of an operation in the documentation. */
function sampleBody(id: string): unknown {
  const [content] = Object.values(documentedById.get(id)?.requestBody?.content ?? {})
  return content === undefined ? undefined : sampleOf(content.schema, document.components.schemas)
}

function bodyFor({ id, consumes = 'json' }: Operation): unknown {
  const body = sampleBody(id)
  if (consumes === 'json') return body
  const fields = Object.entries(body as Record<string, string>)
  if (consumes === 'form') return new URLSearchParams(fields).toString()
  const parts = fields.map(
    ([name, text]) => `--part\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`,
  )
  return `${parts.join('')}--part--\r\n`
}

/** The headers of a user who is signed in and has no role in any project. */
let visitor: Record<string, string> = {}

function headersOf({ path, consumes = 'json' }: Operation, shop: Shop): Record<string, string> {
  const family = familyOf(path)
  const headers = family === 'auth' ? visitor : family === 'management' ? shop.management : shop.headers
  if (consumes === 'json') return headers
  const contentType = consumes === 'form' ? 'application/x-www-form-urlencoded' : 'multipart/form-data; boundary=part'
  return { 'content-type': contentType, ...headers }
}

/** The path with its parameters filled in: by the id created under the path before each, otherwise by an unknown name. */
function pathOf({ path }: Operation, ids: Record<string, string> = {}): string {
  return path.replaceAll(
    /\/\{\w+\}/g,
    (_, offset: number) => `/${ids[path.slice(0, offset)] ?? 'nothing-of-this-name'}`,
  )
}

const patternOf = (path: string) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)

/** Expects an error body of the contract, with a key that the operation declares. */
function expectRefusal(operation: Operation, answer: Answer, key: ErrorKey): void {
  expectContract(operation, answer, key)
  expect([...refusalsOf(operation)], operation.id).toContain(key)
}

function expectContract({ id }: Operation, { status, headers, body }: Answer, key: ErrorKey): void {
  expect({ status, headers, body }, `${id}: ${JSON.stringify(body)}`).toMatchObject({
    status: errorStatus(key),
    headers: { 'x-request-id': body?.request_id, 'content-type': 'application/json; charset=utf-8' },
    body: {
      code: errorStatus(key),
      key,
      message: expect.stringMatching(/./),
      request_id: expect.stringMatching(/^v-[0-9a-f]{18}$/),
    },
  })
}
