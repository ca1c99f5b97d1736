import { describe, expect, test } from 'vitest'
import { newProject, type Shop, send } from '../../testing/app.ts'

const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

async function newKey(shop: Shop, body: object = {}) {
  const answer = await shop.manage('POST', '/api-keys', { name: 'Till', ...body })
  expect(answer.status).toBe(200)
  return answer.body
}

/** A token of a key, issued through the OAuth endpoint. */
async function tokenOf(shop: Shop, key: { app_id: string; secret: string }): Promise<string> {
  const answer = await tokenAnswer(shop, key)
  expect(answer.status).toBe(200)
  return answer.body.access_token as string
}

const tokenAnswer = (shop: Shop, { app_id, secret }: { app_id: string; secret: string }) =>
  send(shop.service.app, 'POST', '/v1/oauth/token', 'grant_type=client_credentials&scope=api', {
    'x-app-id': app_id,
    'x-app-token': secret,
    'content-type': 'application/x-www-form-urlencoded',
  })

/** A read with the pair of one key and a token that may belong to another key. */
const read = (shop: Shop, { app_id, secret }: { app_id: string; secret: string }, token: string, method = 'GET') =>
  send(shop.service.app, method, '/v1/categories', method === 'GET' ? undefined : { name: 'A', hierarchy: 0 }, {
    'x-app-id': app_id,
    'x-app-token': secret,
    authorization: `Bearer ${token}`,
  })

const allOperations = (id: string): Array<[method: string, path: string, body?: object]> => [
  ['GET', '/api-keys'],
  ['POST', '/api-keys', { name: 'Thief' }],
  ['PUT', `/api-keys/${id}`, { name: 'Thief' }],
  ['POST', `/api-keys/${id}/regenerate`],
  ['DELETE', `/api-keys/${id}`],
]

test('all operations require the management key pair: an API key cannot manage keys', async () => {
  const shop = await newProject()
  const key = await newKey(shop)
  for (const [method, path, body] of allOperations(key.id))
    for (const headers of [{}, shop.headers, { ...shop.management, 'x-management-token': 'wrong' }])
      expect(
        await send(shop.service.app, method, `/management/v1/projects/${shop.project_id}${path}`, body, headers),
      ).toMatchObject({
        status: 401,
        body: { key: 'unauthorized' },
      })
  const { data } = (await shop.manage('GET', '/api-keys')).body
  expect(data.map(({ name }: { name: string }) => name).sort()).toEqual(['Client key', 'Server key', 'Till'])
  await tokenOf(shop, key)
})

test('a key of another project answers 404 and keeps working', async () => {
  const [shop, other] = [await newProject(), await newProject()]
  const key = await newKey(shop)
  for (const [method, path, body] of allOperations(key.id).slice(2))
    expect(await other.manage(method, path, body)).toMatchObject({
      status: 404,
      body: {
        key: 'not_found',
        details: `Cannot find api_key with id ${key.id}`,
        resource_id: key.id,
        resource_type: 'api_key',
      },
    })
  expect((await other.manage('GET', '/api-keys')).body.total).toBe(2)
  await tokenOf(shop, key)
})

test('an unknown key answers 404 before the body is validated', async () => {
  const shop = await newProject()
  for (const [method, path, body] of allOperations('key_0').slice(2))
    expect(await shop.manage(method, path, body === undefined ? undefined : { name: 7 })).toMatchObject({
      status: 404,
      body: { resource_id: 'key_0', resource_type: 'api_key' },
    })
})

describe('GET /api-keys', () => {
  test('lists all keys, oldest first, and never a secret', async () => {
    const shop = await newProject()
    const created = await newKey(shop, { kind: 'integration', role: 'USER', ip_whitelist: ['10.0.0.0/8'] })
    const { status, body } = await shop.manage('GET', '/api-keys')
    expect(status).toBe(200)
    expect(body).toMatchObject({ object: 'list', data_ref: 'data', total: 3 })
    const { secret, ...shown } = created
    expect(body.data[2]).toEqual(shown)
    expect(body.data.map(({ primary }: { primary: boolean }) => primary)).toEqual([true, true, false])
    expect(JSON.stringify(body)).not.toContain(secret)
    for (const key of body.data)
      expect(Object.keys(key).sort()).toEqual(
        [
          'id',
          'name',
          'kind',
          'role',
          'app_id',
          'client_id',
          'ip_whitelist',
          'status',
          'primary',
          'created_at',
          'object',
        ].sort(),
      )
  })
})

describe('POST /api-keys', () => {
  test('requires only a name; the default is a server key with role ADMIN and no IP restriction', async () => {
    const shop = await newProject()
    expect(await newKey(shop)).toEqual({
      id: expect.stringMatching(/^key_[0-9A-Za-z]+$/),
      name: 'Till',
      kind: 'server',
      role: 'ADMIN',
      app_id: uuid,
      client_id: expect.stringMatching(/^[A-Za-z0-9]{21}$/),
      ip_whitelist: [],
      status: 'ACTIVE',
      primary: false,
      created_at: instant,
      object: 'api_key',
      secret: uuid,
    })
  })

  test('server and integration keys authenticate server-side requests; a client key does not', async () => {
    const shop = await newProject()
    for (const kind of ['server', 'integration']) {
      const key = await newKey(shop, { kind })
      expect(await read(shop, key, await tokenOf(shop, key))).toMatchObject({ status: 200 })
    }
    const client = await newKey(shop, { kind: 'client' })
    expect(await tokenAnswer(shop, client)).toMatchObject({ status: 403 }) // from a page, and for client scopes only
    expect(await read(shop, client, shop.access_token)).toMatchObject({ status: 401 })
  })

  test.each(['ADMIN', 'USER', 'USER_RESTRICTED'])('the role %s may write', async (role) => {
    const shop = await newProject()
    const key = await newKey(shop, { role })
    expect(key.role).toBe(role)
    expect(await read(shop, key, await tokenOf(shop, key), 'POST')).toMatchObject({ status: 200 })
  })

  test.each(['VIEWER', 'MERCHANT'])('the role %s may read but not write', async (role) => {
    const shop = await newProject()
    const key = await newKey(shop, { role })
    const token = await tokenOf(shop, key)
    expect(await read(shop, key, token)).toMatchObject({ status: 200 })
    expect(await read(shop, key, token, 'POST')).toMatchObject({
      status: 403,
      body: { key: 'missing_required_permission' },
    })
  })

  test('IP addresses and ranges restrict the key and its tokens', async () => {
    const shop = await newProject()
    const near = await newKey(shop, { ip_whitelist: ['192.0.2.7', '127.0.0.0/8', '2001:db8::/32'] })
    expect(near.ip_whitelist).toEqual(['192.0.2.7', '127.0.0.0/8', '2001:db8::/32'])
    const token = await tokenOf(shop, near)
    expect(await read(shop, near, token)).toMatchObject({ status: 200 })
    await shop.manage('PUT', `/api-keys/${near.id}`, { ip_whitelist: ['192.0.2.7'] })
    const refusal = { status: 403, body: { key: 'forbidden', details: 'IP address 127.0.0.1 is not allowed' } }
    expect(await read(shop, near, token)).toMatchObject(refusal)
    expect(await tokenAnswer(shop, near)).toMatchObject(refusal)
    // The IP restriction of its key also applies to a token used with another pair.
    expect(await read(shop, { app_id: shop.app_id, secret: shop.app_token }, token)).toMatchObject(refusal)
  })

  const badBodies: Array<[body: object, key: string, details: string]> = [
    [{}, 'invalid_payload', "Payload must have required property 'name'"],
    [{ name: '' }, 'invalid_payload', 'Property .name must NOT have fewer than 1 characters'],
    [{ name: 'n'.repeat(256) }, 'invalid_payload', 'Property .name must NOT have more than 255 characters'],
    [
      { name: 'A', kind: 'mobile' },
      'invalid_payload',
      'Property .kind must be equal to one of the allowed values [ server, integration, client ]',
    ],
    [{ name: 'A', role: 7 }, 'invalid_payload', 'Property .role must be string'],
    [{ name: 'A', role: 'BOSS' }, 'used_incorrect_role', "The role 'BOSS' is incorrect"],
    [{ name: 'A', role: 'admin' }, 'used_incorrect_role', "The role 'admin' is incorrect"],
    [{ name: 'A', ip_whitelist: '10.0.0.1' }, 'invalid_payload', 'Property .ip_whitelist must be array'],
    [
      { name: 'A', ip_whitelist: ['10.0.0.1', 'home'] },
      'invalid_payload',
      'Property .ip_whitelist[1] must be an IP address or a CIDR range',
    ],
    [
      { name: 'A', ip_whitelist: ['10.0.0.0/33'] },
      'invalid_payload',
      'Property .ip_whitelist[0] must be an IP address or a CIDR range',
    ],
    [
      { name: 'A', ip_whitelist: ['10.0.0'] },
      'invalid_payload',
      'Property .ip_whitelist[0] must be an IP address or a CIDR range',
    ],
  ]
  test('invalid bodies are refused with an error that names the field, and create no key', async () => {
    const shop = await newProject()
    for (const [body, key, details] of badBodies)
      expect(await shop.manage('POST', '/api-keys', body)).toMatchObject({ status: 400, body: { key, details } })
    expect((await shop.manage('GET', '/api-keys')).body.total).toBe(2)
  })

  test('read-only fields are ignored', async () => {
    const shop = await newProject()
    const key = await newKey(shop, {
      id: 'key_mine',
      app_id: 'mine',
      secret: 'mine',
      client_id: 'mine',
      primary: true,
      status: 'BLOCKED',
    })
    expect(key).toMatchObject({ primary: false, status: 'ACTIVE' })
    expect(JSON.stringify(key)).not.toContain('mine')
  })

  test('the same Idempotency-Key creates two keys: a response with a secret is never stored', async () => {
    const shop = await newProject()
    const path = `/management/v1/projects/${shop.project_id}/api-keys`
    const headers = { ...shop.management, 'idempotency-key': 'k1' }
    const [first, second] = [
      await send(shop.service.app, 'POST', path, { name: 'A' }, headers),
      await send(shop.service.app, 'POST', path, { name: 'A' }, headers),
    ]
    expect(first.body.secret).not.toBe(second.body.secret)
    expect(second.headers['idempotency-replayed']).toBeUndefined()
  })
})

describe('PUT /api-keys/{keyId}', () => {
  test('updates only the sent fields, which apply from the next request on', async () => {
    const shop = await newProject()
    const { secret, ...key } = await newKey(shop, { role: 'VIEWER', ip_whitelist: ['127.0.0.1'] })
    const token = await tokenOf(shop, { ...key, secret })
    const path = `/api-keys/${key.id}`
    expect((await shop.manage('PUT', path, {})).body).toEqual(key)
    expect((await shop.manage('PUT', path, { name: 'Register' })).body).toEqual({ ...key, name: 'Register' })
    expect(await read(shop, { ...key, secret }, token, 'POST')).toMatchObject({ status: 403 })
    expect((await shop.manage('PUT', path, { role: 'USER' })).body).toEqual({ ...key, name: 'Register', role: 'USER' })
    expect(await read(shop, { ...key, secret }, token, 'POST')).toMatchObject({ status: 200 })
    expect((await shop.manage('PUT', path, { ip_whitelist: [] })).body).toMatchObject({ ip_whitelist: [] })
    expect((await shop.manage('GET', '/api-keys')).body.data[2]).toEqual({
      ...key,
      name: 'Register',
      role: 'USER',
      ip_whitelist: [],
    })
  })

  test('a blocked key gets no tokens and its tokens stop working at once; unblocking restores both', async () => {
    const shop = await newProject()
    const key = await newKey(shop)
    const shopKey = { app_id: shop.app_id, secret: shop.app_token }
    const token = await tokenOf(shop, key)
    const path = `/api-keys/${key.id}`
    expect(await read(shop, key, token)).toMatchObject({ status: 200 })

    expect((await shop.manage('PUT', path, { status: 'BLOCKED' })).body).toMatchObject({ status: 'BLOCKED' })
    const blocked = { status: 403, body: { key: 'forbidden', details: 'API key is blocked' } }
    expect(await tokenAnswer(shop, key)).toMatchObject(blocked)
    expect(await read(shop, key, shop.access_token)).toMatchObject(blocked)
    expect(await read(shop, shopKey, token)).toMatchObject({ status: 401 })
    expect(await read(shop, shopKey, shop.access_token)).toMatchObject({ status: 200 })

    await shop.manage('PUT', path, { status: 'ACTIVE' })
    expect(await read(shop, key, token)).toMatchObject({ status: 200 })
    await tokenOf(shop, key)
  })

  test('a concurrent rename does not undo blocking a key', async () => {
    const shop = await newProject()
    const keys = await Promise.all(Array.from({ length: 10 }, () => newKey(shop)))
    await Promise.all(
      keys.flatMap(({ id }) => [
        shop.manage('PUT', `/api-keys/${id}`, { name: 'Renamed' }),
        shop.manage('PUT', `/api-keys/${id}`, { status: 'BLOCKED' }),
        shop.manage('PUT', `/api-keys/${id}`, { role: 'VIEWER' }),
      ]),
    )
    const { data } = (await shop.manage('GET', '/api-keys')).body
    for (const key of data.slice(2)) expect(key).toMatchObject({ name: 'Renamed', status: 'BLOCKED', role: 'VIEWER' })
  })

  test('invalid values are refused and change nothing', async () => {
    const shop = await newProject()
    const { secret: _, ...key } = await newKey(shop)
    for (const [body, error, details] of [
      [
        { status: 'SLEEPING' },
        'invalid_payload',
        'Property .status must be equal to one of the allowed values [ ACTIVE, BLOCKED ]',
      ],
      [{ name: null }, 'invalid_payload', 'Property .name must be string'],
      [{ name: 'B', role: 'BOSS' }, 'used_incorrect_role', "The role 'BOSS' is incorrect"],
      [{ ip_whitelist: ['x'] }, 'invalid_payload', 'Property .ip_whitelist[0] must be an IP address or a CIDR range'],
    ] as const)
      expect(await shop.manage('PUT', `/api-keys/${key.id}`, body)).toMatchObject({
        status: 400,
        body: { key: error, details },
      })
    expect((await shop.manage('GET', '/api-keys')).body.data[2]).toEqual(key)
  })

  test('the kind, the ids and the secret of a key cannot be updated', async () => {
    const shop = await newProject()
    const { secret, ...key } = await newKey(shop)
    const body = { kind: 'client', app_id: 'mine', client_id: 'mine', secret: 'mine', primary: true }
    expect((await shop.manage('PUT', `/api-keys/${key.id}`, body)).body).toEqual({
      ...key,
      warnings: expect.any(Array),
    })
    await tokenOf(shop, { ...key, secret })
  })
})

describe('POST /api-keys/{keyId}/regenerate', () => {
  test('the old secret stops working at once, the new one works, and live tokens stay valid', async () => {
    const shop = await newProject()
    const key = await newKey(shop)
    const token = await tokenOf(shop, key)
    const { status, body } = await shop.manage('POST', `/api-keys/${key.id}/regenerate`)
    expect(status).toBe(200)
    expect(body).toEqual({ ...key, secret: uuid })
    expect(body.secret).not.toBe(key.secret)
    expect(await tokenAnswer(shop, key)).toMatchObject({ status: 401 })
    expect(await read(shop, key, token)).toMatchObject({ status: 401 })
    expect(await read(shop, body, token)).toMatchObject({ status: 200 })
    await tokenOf(shop, body)
  })
})

describe('DELETE /api-keys/{keyId}', () => {
  test('the key and its tokens stop working at once; other keys keep working', async () => {
    const shop = await newProject()
    const key = await newKey(shop)
    const shopKey = { app_id: shop.app_id, secret: shop.app_token }
    const token = await tokenOf(shop, key)
    expect(await read(shop, shopKey, token)).toMatchObject({ status: 200 })
    expect(await shop.manage('DELETE', `/api-keys/${key.id}`)).toMatchObject({ status: 204, body: null })
    expect(await read(shop, shopKey, token)).toMatchObject({ status: 401 })
    expect(await tokenAnswer(shop, key)).toMatchObject({ status: 401 })
    expect(await read(shop, shopKey, shop.access_token)).toMatchObject({ status: 200 })
    for (const [method, path, body] of allOperations(key.id).slice(2))
      expect(await shop.manage(method, path, body)).toMatchObject({ status: 404 })
  })

  test('of 5 concurrent deletions of a key, one succeeds', async () => {
    const shop = await newProject()
    const { id } = await newKey(shop)
    const answers = await Promise.all(Array.from({ length: 5 }, () => shop.manage('DELETE', `/api-keys/${id}`)))
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404, 404])
  })

  test('updating a concurrently deleted key answers 404, not 500', async () => {
    const shop = await newProject()
    const keys = await Promise.all(Array.from({ length: 10 }, () => newKey(shop)))
    const answers = await Promise.all(
      keys.flatMap(({ id }) => [
        shop.manage('PUT', `/api-keys/${id}`, { name: 'Renamed' }),
        shop.manage('DELETE', `/api-keys/${id}`),
        shop.manage('POST', `/api-keys/${id}/regenerate`),
      ]),
    )
    expect(answers.map(({ status }) => status).filter((status) => ![200, 204, 404].includes(status))).toEqual([])
    expect((await shop.manage('GET', '/api-keys')).body.total).toBe(2)
  })
})
