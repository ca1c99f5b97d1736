import { describe, expect, test } from 'vitest'
import { newId } from '../../core/lib/ids.ts'
import { newProject, type Shop } from '../../testing/app.ts'
import { expectStablePaging } from '../../testing/paging.ts'
import { eraseLateEvents } from './late-events.ts'

const create = async (shop: Shop, body: object = {}) => {
  const answer = await shop.call('POST', '/v1/customers', body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body
}

const eventsOf = async ({ service, project_id }: Shop, entityId: string) => {
  const rows = await service.runtime.database.db
    .selectFrom('events')
    .where('project_id', '=', project_id)
    .where('entity_id', '=', entityId)
    .orderBy('id')
    .select(['type', 'data'])
    .execute()
  return rows as Array<{ type: string; data: { customer: { source_id: string } } }>
}

describe('the object', () => {
  test('a new customer has zero summaries and omits fields that were never set', async () => {
    const shop = await newProject()
    shop.service.clock.set('2025-05-01T10:00:00.000Z')
    const customer = await create(shop, {})
    expect(customer).toEqual({
      id: expect.stringMatching(/^cust_[0-9A-Za-z]{24}$/),
      source_id: null,
      address: null,
      summary: {
        redemptions: {
          total_redeemed: 0,
          total_failed: 0,
          total_succeeded: 0,
          total_rolled_back: 0,
          total_rollback_failed: 0,
          total_rollback_succeeded: 0,
          gift: { redeemed_amount: 0, amount_to_go: 0 },
          loyalty_card: { redeemed_points: 0, points_to_go: 0 },
        },
        orders: { total_amount: 0, total_count: 0, average_amount: 0, last_order_amount: 0 },
      },
      loyalty: { points: 0, referred_customers: 0, campaigns: {} },
      referrals: { total: 0, campaigns: [] },
      system_metadata: {},
      created_at: expect.stringMatching(/^2025-05-01T10:00:0/),
      object: 'customer',
    })
    expect((await shop.call('GET', `/v1/customers/${customer.id}`)).body).toEqual({
      ...customer,
      assets: { cockpit_url: '', cockpit_preference_center_url: '' },
    })
  })

  test('all fields are stored and read back, by id and by source id', async () => {
    const shop = await newProject()
    const profile = {
      source_id: 'u/1 ä',
      name: 'Ann',
      description: 'Likes tea',
      email: 'not an address',
      phone: '+48 1',
      birthdate: '1990-03-01',
      birthday: '1991-04-02',
      metadata: { a: [1, { b: null }] },
    }
    const customer = await create(shop, { ...profile, address: { city: 'Kraków', unknown: 1 }, unknown: 1 })
    expect(customer).toMatchObject(profile)
    expect(customer.address).toEqual({ city: 'Kraków' })
    expect(customer.unknown).toBeUndefined()
    for (const key of [customer.id, encodeURIComponent('u/1 ä')])
      expect((await shop.call('GET', `/v1/customers/${key}`)).body).toMatchObject({ ...profile, id: customer.id })
  })
})

describe('E22 upsert', () => {
  test('sent fields are merged, metadata by key; the source id never changes', async () => {
    const shop = await newProject()
    const first = await create(shop, { source_id: 'u1', name: 'Ann', metadata: { a: 1, b: 2 } })
    const merged = await create(shop, { source_id: 'u1', metadata: { b: 3, c: null } })
    expect(merged).toMatchObject({ id: first.id, name: 'Ann', metadata: { a: 1, b: 3, c: null } })
    expect(merged.updated_at).toEqual(expect.any(String))
    const moved = await shop.call('PUT', '/v1/customers/u1', { source_id: 'u9', id: 'cust_other', name: null })
    expect(moved).toMatchObject({ status: 200, body: { id: first.id, source_id: 'u1' } })
    expect(moved.body.name).toBeUndefined()
    expect((await eventsOf(shop, first.id)).map(({ type }) => type)).toEqual([
      'customer.created',
      'customer.updated',
      'customer.updated',
    ])
  })

  test('an update without changes sets `updated_at` and emits no event', async () => {
    const shop = await newProject()
    const { id } = await create(shop, { source_id: 'u1', name: 'Ann', metadata: { a: { b: 1 } } })
    const { body } = await shop.call('PUT', `/v1/customers/${id}`, { name: 'Ann', metadata: { a: { b: 1 } } })
    expect(body.updated_at).toEqual(expect.any(String))
    expect((await eventsOf(shop, id)).map(({ type }) => type)).toEqual(['customer.created'])
  })

  test('deletion hides the customer and frees its source id at once; the event has the renamed source id', async () => {
    const shop = await newProject()
    const first = await create(shop, { source_id: 'u1' })
    expect(await shop.call('DELETE', '/v1/customers/u1')).toMatchObject({ status: 204 })
    for (const key of ['u1', first.id])
      expect(await shop.call('GET', `/v1/customers/${key}`)).toMatchObject({
        status: 404,
        body: { key: 'not_found', resource_type: 'customer', details: `Cannot find customer with id ${key}` },
      })
    expect(await shop.call('PUT', `/v1/customers/${first.id}`, {})).toMatchObject({ status: 404 })
    const { data } = (await eventsOf(shop, first.id)).at(-1) as { data: { customer: { source_id: string } } }
    expect(data.customer.source_id).toMatch(/^u1_deleted\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    const second = await create(shop, { source_id: 'u1' })
    expect(second.id).not.toBe(first.id)
    expect((await shop.call('GET', '/v1/customers')).body).toMatchObject({ total: 1, customers: [{ id: second.id }] })
  })

  test('the renamed source id of a deleted customer can be used by another', async () => {
    const shop = await newProject()
    const { id } = await create(shop, { source_id: 'u1' })
    await shop.call('DELETE', '/v1/customers/u1')
    const hidden = (await eventsOf(shop, id)).at(-1)?.data.customer.source_id as string
    const other = await create(shop, { source_id: hidden })
    expect(other).toMatchObject({ source_id: hidden })
    expect(other.id).not.toBe(id)
    expect(await shop.call('DELETE', `/v1/customers/${other.id}`)).toMatchObject({ status: 204 })
  })

  test('an unknown id answers 404, and an id takes precedence over a source id', async () => {
    const shop = await newProject()
    expect(await shop.call('POST', '/v1/customers', { id: 'cust_none' })).toMatchObject({ status: 404 })
    const { id } = await create(shop, { source_id: 'a' })
    expect(await create(shop, { id, source_id: 'b', name: 'Bo' })).toMatchObject({ id, source_id: 'a', name: 'Bo' })
    expect(await shop.call('GET', '/v1/customers/b')).toMatchObject({ status: 404 })
  })

  test('address parts that are not sent are kept; null clears the address', async () => {
    const shop = await newProject()
    await create(shop, { source_id: 'a', address: { city: 'Rome', country: 'IT' } })
    const { body } = await shop.call('PUT', '/v1/customers/a', { address: { line_1: 'Via 1', country: null } })
    expect(body.address).toMatchObject({ city: 'Rome', country: null, line_1: 'Via 1' })
    expect((await shop.call('PUT', '/v1/customers/a', { address: null })).body.address).toBeNull()
  })

  test.each([
    [{ name: 5 }, 'Property .name must be string,null'],
    [{ birthdate: '1990-13-01' }, 'Property .birthdate cannot be recognized as a ISO-8601 compliant date'],
    [{ birthdate: '0000-01-01' }, 'Property .birthdate cannot be recognized as a ISO-8601 compliant date'],
    [{ source_id: '' }, 'Property .source_id must NOT have fewer than 1 characters'],
    [{ source_id: 'x'.repeat(256) }, 'Property .source_id must NOT have more than 255 characters'],
    [{ metadata: [] }, 'Property .metadata must be object,null'],
    [{ address: { city: 1 } }, 'Property .address.city must be string,null'],
  ])('%j is refused', async (body, details) => {
    const shop = await newProject()
    expect(await shop.call('POST', '/v1/customers', body)).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload', details },
    })
    expect((await shop.call('GET', '/v1/customers')).body.total).toBe(0)
  })
})

describe('permanent deletion', () => {
  test('deletes all data of the customer and returns the number of deleted rows', async () => {
    const shop = await newProject()
    const { id } = await create(shop, { source_id: 'u1', name: 'Ann' })
    await shop.call('PUT', '/v1/customers/u1', { name: 'Bo' })
    await shop.call('POST', '/v1/orders', { source_id: 'o1', amount: 100, status: 'PAID', customer: { id } })
    await shop.call('POST', '/v1/segments', { name: 'S', type: 'static', customers: [id] })
    const { status, body } = await shop.call('POST', '/v1/customers/u1/permanent-deletion')
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        id: expect.stringMatching(/^del_/),
        created_at: expect.any(String),
        related_object_id: id,
        related_object: 'customer',
        status: 'DONE',
        data_json: {
          events: 0,
          customer_events: 2,
          daily_events: 0,
          segments: 1,
          orders: 1,
          order_events: 2,
          customer: 1,
        },
        object: 'pernament_deletion',
      },
    })
    expect(await eventsOf(shop, id)).toEqual([])
    expect((await shop.call('GET', '/v1/orders')).body).toMatchObject({ total: 0, orders: [] })
    expect((await shop.call('GET', '/v1/customers')).body.total).toBe(0)
    expect(await shop.call('POST', '/v1/customers/u1/permanent-deletion')).toMatchObject({ status: 404 })
  })

  test('an event that a request writes afterwards is deleted when none can write any more', async () => {
    const shop = await newProject()
    const { runtime, clock } = shop.service
    const erasedAt = clock.now()
    const { id } = await create(shop, { source_id: 'u1' })
    await shop.call('POST', '/v1/customers/u1/permanent-deletion')
    await runtime.database.execute(
      `insert into event_rows (project_id, id, type, category, entity_id, created_at, group_id, event_source, data)
       values ($1, $2, 'customer.validation.succeeded', 'EFFECT', $3, now(), 'v-1', '{}', '{"customer":{"source_id":"u1"}}')`,
      [shop.project_id, newId('customer_event'), id],
    )
    expect(await eventsOf(shop, id)).toHaveLength(1)
    const { rows } = await runtime.database.execute(
      `select data, (extract(epoch from start_after) * 1000)::float8 as at from pgboss.job
        where name = 'erase-late-events' and data->>'customer_id' = $1`,
      [id],
    )
    const data = { project_id: shop.project_id, customer_id: id }
    expect(rows).toEqual([{ data, at: expect.closeTo(Math.max(Date.now(), erasedAt) + 600_000, -4) }])
    await eraseLateEvents(runtime.database.db, data)
    expect(await eventsOf(shop, id)).toEqual([])
  })

  test('also works for a soft-deleted customer, by its id', async () => {
    const shop = await newProject()
    const { id } = await create(shop, { source_id: 'u1' })
    await shop.call('DELETE', '/v1/customers/u1')
    expect(await shop.call('POST', '/v1/customers/u1/permanent-deletion')).toMatchObject({ status: 404 })
    expect(await shop.call('POST', `/v1/customers/${id}/permanent-deletion`)).toMatchObject({ status: 200 })
    expect((await shop.call('GET', '/v1/customers')).body.total).toBe(0)
  })
})

describe('the list', () => {
  test('paging is stable in every order while new customers are created', async () => {
    const shop = await newProject()
    let n = 0
    await expectStablePaging({
      shop,
      path: '/v1/customers',
      data_ref: 'customers',
      orders: ['created_at', '-created_at', 'updated_at', '-updated_at', 'source_id', '-source_id'],
      create: async () => {
        n += 1
        const { id } = await create(shop, n % 3 === 0 ? {} : { source_id: `c${(n * 7) % 50}` })
        if (n % 2 === 0) await shop.call('PUT', `/v1/customers/${id}`, { name: 'x' })
        return id
      },
    })
  })

  test('email, city and name match exactly, ignoring letter case', async () => {
    const shop = await newProject()
    await create(shop, { source_id: 'a', name: 'Ann', email: 'Ann@Example.com', address: { city: 'Łódź' } })
    await create(shop, { source_id: 'b', name: 'Ann B', email: 'b@example.com' })
    const find = async (query: string) =>
      (await shop.call('GET', `/v1/customers?${query}`)).body.customers.map(
        (customer: { source_id: string }) => customer.source_id,
      )
    expect(await find('email=ann@example.COM')).toEqual(['a'])
    expect(await find('name=ann')).toEqual(['a'])
    expect(await find(`city=${encodeURIComponent('łÓDŹ')}`)).toEqual(['a'])
    expect(await find('name=ann&email=b@example.com')).toEqual([])
  })

  test('created_at bounds are exclusive, and `starting_after` works in both directions', async () => {
    const shop = await newProject()
    const ids: string[] = []
    for (const day of ['01', '02', '03', '04']) {
      shop.service.clock.set(`2025-01-${day}T00:00:00.000Z`)
      ids.push((await create(shop, { source_id: day })).created_at)
    }
    const find = async (query: string) => {
      const { body } = await shop.call('GET', `/v1/customers?${query}`)
      return {
        ids: body.customers.map((customer: { source_id: string }) => customer.source_id),
        total: body.total,
        more: body.has_more,
      }
    }
    expect(await find(`created_at[after]=${ids[0]}&[created_at][before]=${ids[3]}`)).toEqual({
      ids: ['03', '02'],
      total: 2,
      more: false,
    })
    expect(await find(`starting_after=${ids[2]}&limit=1`)).toEqual({ ids: ['02'], total: 4, more: true })
    expect(await find(`starting_after=${ids[1]}&order=created_at&page=7`)).toEqual({
      ids: ['03', '04'],
      total: 4,
      more: false,
    })
    expect(await find(`start_date=${ids[1]}&end_date=${ids[2]}`)).toMatchObject({ ids: ['03', '02'] })
  })

  test('filters over attributes, metadata and summary', async () => {
    const shop = await newProject()
    await create(shop, { source_id: 'a', email: 'a@corp.example', metadata: { color: 'red', size: 5 } })
    await create(shop, { source_id: 'b', email: 'b@corp.example', metadata: { color: 'blue' } })
    await shop.call('POST', '/v1/orders', { amount: 700, status: 'PAID', customer: { source_id: 'b' } })
    const find = async (query: string) => {
      const { body } = await shop.call('GET', `/v1/customers?order=source_id&${query}`)
      return body.customers?.map((customer: { source_id: string }) => customer.source_id) ?? body.key
    }
    expect(await find('filters[metadata.color][conditions][$is]=red')).toEqual(['a'])
    expect(await find('filters[metadata.size][conditions][$more_than]=4')).toEqual(['a'])
    expect(await find('filters[email][conditions][$ends_with]=CORP.example')).toEqual(['a', 'b'])
    expect(await find('filters[summary.orders.total_amount][conditions][$is]=700')).toEqual(['b'])
    expect(await find('filters[events.visit.count][conditions][$is]=0&limit=1')).toEqual(['a'])
    expect(await find('filters[nothing][conditions][$is]=0')).toBe('invalid_query_params')
    expect(await find('filters[name][conditions][$like]=0')).toBe('invalid_query_params')
  })

  test.each(['limit=0', 'limit=101', 'page=0', 'page=101', 'order=name', 'starting_after=soon'])(
    '?%s is refused',
    async (query) => {
      const shop = await newProject()
      expect(await shop.call('GET', `/v1/customers?${query}`)).toMatchObject({
        status: 400,
        body: { key: 'invalid_query_params' },
      })
    },
  )
})

describe('activity', () => {
  test('lists events newest first, with a cursor and filtered by type', async () => {
    const shop = await newProject()
    const { id } = await create(shop, { source_id: 'u1' })
    for (let n = 0; n < 4; n += 1) await shop.call('PUT', '/v1/customers/u1', { name: `name ${n}` })
    const read = async (query: string) => (await shop.call('GET', `/v1/customers/u1/activity?${query}`)).body
    const first = await read('limit=3')
    expect(first).toMatchObject({ object: 'list', data_ref: 'data', has_more: true })
    expect(first.total).toBeUndefined()
    expect(first.data[0]).toEqual({
      id: expect.stringMatching(/^evcus_[0-9a-f]{18}$/),
      type: 'customer.updated',
      data: { customer: expect.objectContaining({ id, name: 'name 3' }) },
      created_at: expect.any(String),
      group_id: expect.stringMatching(/^v-/),
      category: 'ACTION',
      event_source: { channel: 'API', api_key: { name: 'Server key', app_id: shop.app_id } },
    })
    const rest = await read(`limit=3&starting_after_id=${first.more_starting_after}`)
    expect(rest).toMatchObject({ has_more: false })
    expect(rest.data.map(({ type }: { type: string }) => type)).toEqual(['customer.updated', 'customer.created'])
    expect((await read('type=customer.created')).data).toHaveLength(1)
    expect((await read('category=EFFECT')).data).toHaveLength(0)
    expect(await read('type=customer.jumped')).toMatchObject({ key: 'invalid_query_params' })
    expect(await shop.call('GET', '/v1/customers/unknown/activity')).toMatchObject({ status: 404 })
  })

  test('the older endpoint returns a total and can filter by product', async () => {
    const shop = await newProject()
    await create(shop, { source_id: 'u1' })
    const items = [{ product_id: 'tea', quantity: 1, price: 100 }]
    await shop.call('POST', '/v1/orders', { source_id: 'o1', items, customer: { source_id: 'u1' } })
    await shop.call('POST', '/v1/orders', { source_id: 'o2', amount: 1, customer: { source_id: 'u1' } })
    const read = async (query: string) => (await shop.call('GET', `/v1/customers/u1/activities?${query}`)).body
    const all = await read('limit=1')
    expect(all).toMatchObject({ total: 3, has_more: true, data: [{ type: 'customer.order.created' }] })
    expect(await read(`limit=5&starting_after_id=${all.more_starting_after}`)).toMatchObject({
      total: 3,
      has_more: false,
    })
    const tea = await read('product_id=tea')
    expect(tea).toMatchObject({ total: 1, data: [{ data: { order: { source_id: 'o1' } } }] })
  })
})

describe('from the client side', () => {
  const client = (shop: Shop) => ({
    'x-app-id': shop.client_id,
    'x-app-token': shop.client_token,
    origin: 'https://shop.example',
  })

  test('creates or updates a customer, sets no metadata, and returns only its ids', async () => {
    const project = { client_create_customer_enabled: true, client_trusted_domains: ['shop.example'] }
    const shop = await newProject({ project })
    const call = (body: object) => shop.call('POST', '/client/v1/customers', body, client(shop))
    const first = await call({ source_id: 'u1', metadata: { a: 1 } })
    const warnings = ['Metadata of a customer is for the server side only and was ignored.']
    expect(first.body).toEqual({ id: expect.stringMatching(/^cust_/), source_id: 'u1', object: 'customer', warnings })
    expect((await call({ source_id: 'u1', name: 'Ann', metadata: { a: 2 } })).body).toEqual(first.body)
    expect((await shop.call('GET', '/v1/customers/u1')).body).toMatchObject({ name: 'Ann' })
    expect((await shop.call('GET', '/v1/customers/u1')).body).not.toHaveProperty('metadata')
  })

  test('is refused when the project has not enabled it', async () => {
    const shop = await newProject({ project: { client_trusted_domains: ['shop.example'] } })
    expect(await shop.call('POST', '/client/v1/customers', {}, client(shop))).toMatchObject({
      status: 403,
      body: { key: 'forbidden', details: 'Client-side operation is disabled: client_create_customer_enabled' },
    })
  })
})
