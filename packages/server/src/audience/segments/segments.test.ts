import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { newId } from '../../core/lib/ids.ts'
import { newProject, type Shop } from '../../testing/app.ts'
import { until } from '../../testing/background.ts'
import { newCampaign } from '../../testing/campaigns.ts'
import { newMaterial } from '../../testing/loyalty.ts'
import { ok } from '../../testing/orders.ts'
import { expectStablePaging } from '../../testing/paging.ts'
import { processSegments } from './worker.ts'

const customer = async (shop: Shop, sourceId: string, body: object = {}): Promise<string> =>
  (await shop.call('POST', '/v1/customers', { source_id: sourceId, ...body })).body.id

const segment = async (shop: Shop, body: object) => {
  const answer = await shop.call('POST', '/v1/segments', { name: 'Segment', ...body })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body
}

/** Runs the segment worker until nothing is left to do. A recompute finishes only after all earlier transactions have ended. */
async function runSegmentWorker({ service, project_id }: Shop): Promise<void> {
  const runningRecomputes = service.runtime.database.db
    .selectFrom('segments')
    .where('project_id', '=', project_id)
    .where('walk_started_at', 'is not', null)
    .select('id')
  // Another test may have a transaction open on the same server.
  await until(async () => {
    while (await processSegments(service.runtime, { daily: true, only: project_id }));
    return (await runningRecomputes.execute()).length === 0 ? true : undefined
  })
}

const members = async (shop: Shop, id: string): Promise<string[]> =>
  (await shop.call('GET', `/v1/customers?segment_id=${id}&order=source_id&limit=100`)).body.customers.map(
    (member: { source_id: string }) => member.source_id,
  )

const segmentsOf = async (shop: Shop, key: string): Promise<string[]> =>
  (await shop.call('GET', `/v1/customers/${key}/segments`)).body.data.map(({ name }: { name: string }) => name)

const transitions = async ({ service, project_id }: Shop): Promise<string[]> => {
  const rows = await service.runtime.database.db
    .selectFrom('events')
    .where('project_id', '=', project_id)
    .where('type', 'like', 'customer.segment.%')
    .orderBy('id')
    .select(['type', 'data'])
    .execute()
  return rows.map(({ type, data }) => {
    const { customer, segment } = data as { customer: { source_id: string }; segment: { name: string } }
    return `${customer.source_id} ${type.slice('customer.segment.'.length)} ${segment.name}`
  })
}

const nameIs = (name: string) => ({ junction: 'and', name: { conditions: { $is: [name] } } })

describe('definition', () => {
  test('a static segment has the sent customers; unknown ids are skipped', async () => {
    const shop = await newProject()
    const ids = [await customer(shop, 'a'), await customer(shop, 'b')]
    await customer(shop, 'c')
    const { id, ...made } = await segment(shop, { name: 'Fixed', customers: [...ids, 'cust_none', ids[0]] })
    expect({ id, ...made }).toEqual({
      id: expect.stringMatching(/^seg_[0-9A-Za-z]{24}$/),
      name: 'Fixed',
      type: 'static',
      filter: null,
      initial_sync_status: 'DONE',
      created_at: expect.any(String),
      updated_at: null,
      object: 'segment',
    })
    expect(await members(shop, id)).toEqual(['a', 'b'])
    expect(await segmentsOf(shop, 'a')).toEqual(['Fixed'])
    expect(await segmentsOf(shop, 'c')).toEqual([])
    await shop.call('DELETE', '/v1/customers/a')
    expect(await members(shop, id)).toEqual(['b'])
  })

  test('initial_sync_status tells whether the first members have been found', async () => {
    const shop = await newProject()
    const made = await segment(shop, { filter: nameIs('Ann') })
    const status = async () => (await shop.call('GET', `/v1/segments/${made.id}`)).body.initial_sync_status
    expect([made.initial_sync_status, await status()]).toEqual(['IN_PROGRESS', 'IN_PROGRESS'])
    await runSegmentWorker(shop)
    expect(await status()).toBe('DONE')
    const changed = await shop.call('PUT', `/v1/segments/${made.id}`, { filter: nameIs('Bob') })
    expect(changed.body.initial_sync_status).toBe('IN_PROGRESS')
    await runSegmentWorker(shop)
    expect(await status()).toBe('DONE')
  })

  test('a segment with a filter and no type is passive; the junction is stored in lower case', async () => {
    const shop = await newProject()
    const filter = { junction: 'AND', email: { conditions: { $ends_with: '@corp.example' } } }
    expect(await segment(shop, { filter })).toMatchObject({ type: 'passive', filter: { ...filter, junction: 'and' } })
  })

  test.each([
    [{ type: 'passive' }, `Payload should have required property 'filter'`],
    [{ type: 'auto-update', filter: null }, `Payload should have required property 'filter'`],
    [{ filter: {} }, 'Property .filter has wrong junction property. It must be one of: and, or'],
    [
      { filter: { junction: 'nor', name: {} } },
      'Property .filter has wrong junction property. It must be one of: and, or',
    ],
    [{ filter: { junction: 'and' } }, 'Property .filter must have at least one field'],
    [{ filter: { junction: 'and', name: { conditions: { $like: ['x'] } } } }, /^Property .filter should match either/],
    [
      { filter: { junction: 'and', shoe_size: { conditions: { $is: [1] } } } },
      /^Property \.filter\.shoe_size is not a known field$/,
    ],
    [{ type: 'static', customers: Array(20_001).fill('c') }, 'Property .customers must NOT have more than 20000 items'],
    [{ type: 'moving', filter: nameIs('x') }, /^Property .type must be equal to one of/],
  ])('%# is refused', async (body, details) => {
    const shop = await newProject()
    expect(await shop.call('POST', '/v1/segments', { name: 'S', ...body })).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload', details: expect.stringMatching(details) },
    })
    expect((await shop.call('GET', '/v1/segments')).body.total).toBe(0)
  })

  test('a project has at most 100 dynamic segments, and any number of static ones', async () => {
    const shop = await newProject()
    await segment(shop, { filter: nameIs('n') })
    await sql`
      insert into segments select (jsonb_populate_record(s, jsonb_build_object('id', 'seg_' || n))).*
      from segments s cross join generate_series(1, 99) as n where s.project_id = ${shop.project_id}`.execute(
      shop.service.runtime.database.db,
    )
    expect(await shop.call('POST', '/v1/segments', { name: 'S', filter: nameIs('x') })).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload' },
    })
    await segment(shop, { customers: [] })
    const [{ id }] = (await shop.call('GET', '/v1/segments?order=created_at')).body.data
    expect(await shop.call('DELETE', `/v1/segments/${id}`)).toMatchObject({ status: 204 })
    await segment(shop, { filter: nameIs('x') })
  })

  test('every segment can be renamed; only the filter of a passive one can be changed', async () => {
    const shop = await newProject()
    const fixed = await segment(shop, { customers: [] })
    const active = await segment(shop, { type: 'auto-update', filter: nameIs('x') })
    const passive = await segment(shop, { filter: nameIs('x') })
    for (const { id } of [fixed, active, passive])
      expect(await shop.call('PUT', `/v1/segments/${id}`, { name: 'New' })).toMatchObject({
        status: 200,
        body: { name: 'New', updated_at: expect.any(String) },
      })
    for (const { id } of [fixed, active])
      expect(await shop.call('PUT', `/v1/segments/${id}`, { filter: nameIs('y') })).toMatchObject({
        status: 400,
        body: { key: 'invalid_payload' },
      })
    expect(await shop.call('PUT', `/v1/segments/${passive.id}`, { filter: nameIs('y') })).toMatchObject({
      body: { filter: nameIs('y') },
    })
    const { body } = await shop.call('GET', `/v1/segments/${passive.id}/activities?order=created_at`)
    expect(body.data.map(({ type }: { type: string }) => type)).toEqual([
      'segment.created',
      'segment.updated',
      'segment.updated',
      'segment.filters_updated',
    ])
  })

  test('a segment referenced by a validation rule cannot be deleted', async () => {
    const shop = await newProject()
    const { id } = await segment(shop, { filter: nameIs('x') })
    const rule = { rules: { 1: { name: 'customer.segment', conditions: { $is: [id] } }, logic: '1' } }
    const { body } = await shop.call('POST', '/v1/validation-rules', rule)
    expect(await shop.call('DELETE', `/v1/segments/${id}`)).toMatchObject({
      status: 400,
      body: { key: 'resource_in_use', related_object_type: 'validation_rules', related_object_ids: [body.id] },
    })
    await shop.call('DELETE', `/v1/validation-rules/${body.id}`)
    expect(await shop.call('DELETE', `/v1/segments/${id}`)).toMatchObject({ status: 204 })
    expect(await shop.call('GET', `/v1/segments/${id}`)).toMatchObject({ status: 404 })
  })

  test('a segment referenced by a referral tier cannot be deleted', async () => {
    const shop = await newProject()
    const { id } = await segment(shop, { filter: nameIs('x') })
    const program = await newCampaign(shop, 'Friends', { campaign_type: 'REFERRAL_PROGRAM' })
    const tiers = `/v1/referrals/${program.id}/tiers`
    const tier = await ok(shop, 'POST', tiers, {
      parameters: { criteria: 'EACH_REFEREE', segment: { id } },
      reward: { id: (await newMaterial(shop)).id },
    })
    expect(await shop.call('DELETE', `/v1/segments/${id}`)).toMatchObject({
      status: 400,
      body: { key: 'resource_in_use', related_object_type: 'referral_tier', related_object_ids: [tier.id] },
    })
    await shop.call('DELETE', `${tiers}/${tier.id}`)
    expect(await shop.call('DELETE', `/v1/segments/${id}`)).toMatchObject({ status: 204 })
  })
})

describe('E15 membership', () => {
  const filter = {
    junction: 'and',
    email: { conditions: { $ends_with: ['@corp.example'] } },
    'summary.orders.total_amount': { conditions: { $more_than: [40_000], $less_than_equal: [90_000] } },
    'metadata.vip': { conditions: { $is_not: [true] } },
  }

  test('reflects the stored data at once, before and after the background worker has run', async () => {
    const shop = await newProject()
    const email = 'a@corp.example'
    const { id } = await segment(shop, { name: 'Corp', filter })
    const either = await segment(shop, {
      name: 'Either',
      filter: { ...filter, junction: 'or', 'metadata.vip': { conditions: { $is: [true] } } },
    })
    await customer(shop, 'member', { email })
    await customer(shop, 'poor', { email })
    await customer(shop, 'vip', { email, metadata: { vip: true } })
    for (const [sourceId, amount] of [
      ['member', 90_000],
      ['poor', 40_000],
      ['vip', 90_000],
    ] as const)
      await shop.call('POST', '/v1/orders', { amount, status: 'PAID', customer: { source_id: sourceId } })
    for (const _ of ['before', 'after']) {
      expect(await members(shop, id)).toEqual(['member'])
      expect(await segmentsOf(shop, 'member')).toEqual(['Either', 'Corp'])
      expect(await segmentsOf(shop, 'poor')).toEqual(['Either'])
      expect(await members(shop, either.id)).toEqual(['member', 'poor', 'vip'])
      await runSegmentWorker(shop)
    }
    await shop.call('PUT', '/v1/customers/member', { metadata: { vip: true } })
    expect(await members(shop, id)).toEqual([]) // before the worker has run
    await shop.call('PUT', '/v1/customers/vip', { metadata: { vip: false } })
    expect(await members(shop, id)).toEqual(['vip'])
    await runSegmentWorker(shop)
    expect(await members(shop, id)).toEqual(['vip'])
  })

  test('an unknown segment has no members; an unknown customer is evaluated as anonymous with that source id', async () => {
    const shop = await newProject()
    await customer(shop, 'a')
    expect(await members(shop, 'seg_none')).toEqual([])
    await segment(shop, {
      name: 'Named',
      filter: { junction: 'and', source_id: { conditions: { $starts_with: 'gu' } } },
    })
    await segment(shop, {
      name: 'No orders',
      filter: { junction: 'and', 'summary.orders.total_count': { conditions: { $is: 0 } } },
    })
    await segment(shop, { name: 'With id', filter: { junction: 'and', id: { conditions: { $has_value: true } } } })
    expect(await segmentsOf(shop, 'guest')).toEqual(['No orders', 'Named'])
    expect(await segmentsOf(shop, 'a')).toEqual(['With id', 'No orders'])
  })
})

describe('entering and leaving', () => {
  test('emits one event for active segments, with the causing request; the initial members enter without events', async () => {
    const shop = await newProject()
    await customer(shop, 'early', { name: 'VIP' })
    await segment(shop, { name: 'Active', type: 'auto-update', filter: nameIs('VIP') })
    await segment(shop, { name: 'Passive', filter: nameIs('VIP') })
    await runSegmentWorker(shop)
    expect(await transitions(shop)).toEqual([])

    const late = await customer(shop, 'late', { name: 'VIP' })
    await runSegmentWorker(shop)
    await runSegmentWorker(shop)
    expect(await transitions(shop)).toEqual(['late entered Active'])
    const change = await shop.call('PUT', '/v1/customers/late', { name: 'plain' })
    await shop.call('PUT', '/v1/customers/early', { name: 'VIP', phone: '1' })
    await runSegmentWorker(shop)
    expect(await transitions(shop)).toEqual(['late entered Active', 'late left Active'])

    const { body } = await shop.call('GET', `/v1/customers/${late}/activity?type=customer.segment.left`)
    expect(body.data).toMatchObject([
      {
        type: 'customer.segment.left',
        category: 'EFFECT',
        group_id: change.headers['x-request-id'],
        event_source: { channel: 'API' },
        data: { customer: { id: late, name: 'plain' }, segment: { name: 'Active', object: 'segment' } },
      },
    ])
  })

  test('during the initial recompute, customers created after its start enter with an event, earlier ones without', async () => {
    const shop = await newProject()
    await customer(shop, 'early', { name: 'VIP' })
    await segment(shop, { name: 'Active', type: 'auto-update', filter: nameIs('VIP') })
    await customer(shop, 'late', { name: 'VIP' })
    await shop.call('PUT', '/v1/customers/early', { phone: '1' })
    await runSegmentWorker(shop)
    expect(await transitions(shop)).toEqual(['late entered Active'])
  })

  test('deleting a segment emits no left events and deletes its members', async () => {
    const shop = await newProject()
    await customer(shop, 'a', { name: 'VIP' })
    const { id } = await segment(shop, { type: 'auto-update', filter: nameIs('VIP') })
    await runSegmentWorker(shop)
    await shop.call('DELETE', `/v1/segments/${id}`)
    await runSegmentWorker(shop)
    expect(await transitions(shop)).toEqual([])
    const remainingMembers = await shop.service.runtime.database.db
      .selectFrom('segment_members')
      .where('project_id', '=', shop.project_id)
      .selectAll()
      .execute()
    expect(remainingMembers).toEqual([])
  })

  test('changing the filter of a passive segment updates its members', async () => {
    const shop = await newProject()
    await customer(shop, 'a', { name: 'A' })
    await customer(shop, 'b', { name: 'B' })
    const { id } = await segment(shop, { filter: nameIs('A') })
    await runSegmentWorker(shop)
    await shop.call('PUT', `/v1/segments/${id}`, { filter: nameIs('B') })
    expect(await members(shop, id)).toEqual(['b'])
    await runSegmentWorker(shop)
    expect(await members(shop, id)).toEqual(['b'])
  })

  test('E16 a day-relative filter matches other customers the next day, although no customer changes', async () => {
    const shop = await newProject({ project: { timezone: 'Europe/Warsaw' } })
    shop.service.clock.set('2025-02-26T12:00:00.000Z')
    await customer(shop, 'march', { birthdate: '1990-03-01' })
    await customer(shop, 'may', { birthdate: '1990-05-01' })
    const nextMonth = { junction: 'and', birthdate: { conditions: { $next_month: [true] } } }
    const inThreeDays = { junction: 'and', birthdate: { conditions: { $is_days_in_future_md: [3] } } }
    const monthly = await segment(shop, { name: 'Next month', type: 'auto-update', filter: nextMonth })
    const soon = await segment(shop, { name: 'Soon', type: 'auto-update', filter: inThreeDays })
    await runSegmentWorker(shop)
    expect([await members(shop, monthly.id), await members(shop, soon.id)]).toEqual([['march'], ['march']])

    shop.service.clock.set('2025-02-26T22:59:00.000Z') // one minute to midnight in Warsaw
    await runSegmentWorker(shop)
    expect(await transitions(shop)).toEqual([])
    shop.service.clock.set('2025-02-26T23:00:00.000Z')
    expect(await members(shop, soon.id)).toEqual([]) // before the worker has run
    await runSegmentWorker(shop)
    expect(await transitions(shop)).toEqual(['march left Soon'])
    shop.service.clock.set('2025-04-01T12:00:00.000Z')
    await runSegmentWorker(shop)
    expect((await transitions(shop)).slice(1).sort()).toEqual(['march left Next month', 'may entered Next month'])
  })
})

describe('the data that a filter depends on', () => {
  const circle = (center: string) => ({
    type: 'circle',
    format: 'distance',
    distance: { center: `geo:${center}`, radius: '1 km' },
  })
  const geopoint = {
    related_object: 'customer',
    properties: { home: { type: 'geopoint', array: false, optional: true } },
  }

  test('changing the shape of a location makes customers enter and leave', async () => {
    const shop = await newProject()
    await shop.manage('POST', '/metadata-schemas', geopoint)
    await customer(shop, 'near', { metadata: { home: '50,10' } })
    await customer(shop, 'far', { metadata: { home: '60,20' } })
    const { body: location } = await shop.call('POST', '/v1/locations', { name: 'Town', shape: circle('50,10') })
    const filter = { junction: 'and', 'metadata.home': { conditions: { $in_location: [location.id] } } }
    const { id } = await segment(shop, { name: 'Town', type: 'auto-update', filter })
    await runSegmentWorker(shop)
    expect(await members(shop, id)).toEqual(['near'])
    await shop.call('PUT', `/v1/locations/${location.id}`, { shape: circle('60,20') })
    expect(await members(shop, id)).toEqual(['far'])
    await runSegmentWorker(shop)
    expect(await members(shop, id)).toEqual(['far'])
    expect((await transitions(shop)).sort()).toEqual(['far entered Town', 'near left Town'])
  })

  test('a new metadata schema recomputes filters on the type of its keys', async () => {
    const shop = await newProject()
    await customer(shop, 'a', { metadata: { home: '50,10' } })
    const { body: location } = await shop.call('POST', '/v1/locations', { name: 'Town', shape: circle('50,10') })
    const filter = { junction: 'and', 'metadata.home': { conditions: { $not_in_location: [location.id] } } }
    const { id } = await segment(shop, { name: 'Outside', filter })
    await runSegmentWorker(shop)
    await shop.manage('POST', '/metadata-schemas', geopoint)
    await runSegmentWorker(shop)
    expect(await members(shop, id)).toEqual([])
    expect(await segmentsOf(shop, 'a')).toEqual([])
    const [schema] = (await shop.manage('GET', '/metadata-schemas')).body.data
    await shop.manage('DELETE', `/metadata-schemas/${schema.id}`)
    await runSegmentWorker(shop)
    const isMember = (await segmentsOf(shop, 'a')).includes('Outside')
    expect(await members(shop, id)).toEqual(isMember ? ['a'] : []) // the list and the customer's segments agree
  })

  test('changing the time zone of the project recomputes filters on days', async () => {
    const shop = await newProject()
    shop.service.clock.set('2025-01-01T23:30:00.000Z')
    await customer(shop, 'a')
    const filter = { junction: 'and', created_at: { conditions: { $is_day_of_month: [2] } } }
    const { id } = await segment(shop, { name: 'Second', type: 'auto-update', filter })
    await runSegmentWorker(shop)
    expect(await members(shop, id)).toEqual([])
    await shop.manage('PUT', '', { timezone: 'Europe/Warsaw' })
    await runSegmentWorker(shop)
    expect(await members(shop, id)).toEqual(['a'])
    expect(await transitions(shop)).toEqual(['a entered Second'])
  })

  test('a filter on `updated_at` sees an update that changes nothing else', async () => {
    const shop = await newProject()
    await customer(shop, 'a', { name: 'Ann' })
    const filter = { junction: 'and', updated_at: { conditions: { $has_value: true } } }
    const { id } = await segment(shop, { filter })
    await runSegmentWorker(shop)
    await shop.call('PUT', '/v1/customers/a', { name: 'Ann' })
    expect(await members(shop, id)).toEqual(['a'])
  })

  test('a filter too large for a statement is refused on creation, so the worker never fails on it', async () => {
    const shop = await newProject()
    await shop.manage('POST', '/metadata-schemas', geopoint)
    const ring = Array.from({ length: 9_999 }, (_, n) => [10 + Math.cos(n) / 10, 50 + Math.sin(n) / 10])
    const shape = {
      type: 'polygon',
      format: 'geojson',
      geojson: { type: 'Polygon', coordinates: [[...ring, ring[0]]] },
    }
    const { id } = (await shop.call('POST', '/v1/locations', { name: 'First', shape })).body
    const copies = Array.from({ length: 10 }, () => newId('location'))
    await sql`
      insert into locations select (jsonb_populate_record(l, jsonb_build_object('id', copy))).*
      from locations l cross join unnest(${copies}::text[]) as copy
      where l.project_id = ${shop.project_id} and l.id = ${id}`.execute(shop.service.runtime.database.db)
    const ids = [id, ...copies]
    const filter = { junction: 'and', 'metadata.home': { conditions: { $in_location: ids } } }
    expect(await shop.call('POST', '/v1/segments', { name: 'Everywhere', filter })).toMatchObject({
      status: 400,
      body: {
        key: 'invalid_payload',
        details: 'Locations of a filter must NOT have more than 100000 points together',
      },
    })
  })
})

describe('the list', () => {
  test('paging is stable in every order while new segments are created', async () => {
    const shop = await newProject()
    await expectStablePaging({
      shop,
      path: '/v1/segments',
      data_ref: 'data',
      orders: ['created_at', '-created_at'],
      create: async (n) => (await segment(shop, { name: `S${n}`, customers: [] })).id,
    })
  })

  test('E24 bracket filters', async () => {
    const shop = await newProject()
    const shown = [
      await segment(shop, { name: 'Fixed', customers: [] }),
      await segment(shop, { name: 'Passive', filter: nameIs('x') }),
      await segment(shop, { name: 'VIP club', type: 'auto-update', filter: nameIs('x') }),
    ]
    await segment(shop, { name: 'Active', type: 'auto-update', filter: nameIs('x') })
    const query =
      'filters[junction]=or&filters[type][conditions][$in][0]=static&filters[type][conditions][$in][1]=passive' +
      '&[filters][name][conditions][$starts_with]=VIP&limit=2'
    const { body } = await shop.call('GET', `/v1/segments?${query}`)
    expect(body).toMatchObject({ object: 'list', data_ref: 'data', total: 3 })
    expect(body.data).toEqual(shown.slice(1).reverse())
    const ids = (await shop.call('GET', `/v1/segments?ids=${shown[0].id}&ids=seg_none`)).body
    expect(ids).toMatchObject({ total: 1, data: [shown[0]] })
    for (const bad of ['filters[name][conditions][$like]=x', 'limit=0', 'page=101'])
      expect(await shop.call('GET', `/v1/segments?${bad}`)).toMatchObject({
        status: 400,
        body: { key: 'invalid_query_params' },
      })
  })
})
