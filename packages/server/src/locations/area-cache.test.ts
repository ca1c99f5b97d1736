import { expect, test } from 'vitest'
import type { Ctx } from '../context.ts'
import { limits } from '../lib/limits.ts'
import { newProject, type Shop } from '../testing/app.ts'
import { asRequest } from '../testing/background.ts'
import { areasAround, areasOf } from './area-cache.ts'
import { deleteLocation, insertLocation } from './store.ts'

const circle = (lat: number, lng: number, radius = '10 km') => ({
  type: 'circle' as const,
  distance: { center: `geo:${lat},${lng}`, radius },
})

async function ask<T>({ service, project_id }: Shop, work: (ctx: Ctx) => Promise<T>): Promise<T> {
  const project = await service.house.credentials.project(project_id)
  return asRequest(service.house, project!, work)
}

const around = async (shop: Shop, point: unknown): Promise<string[]> =>
  [...(await ask(shop, (ctx) => areasAround(ctx, point)))].sort()

async function newLocation(shop: Shop, shape: object): Promise<string> {
  return (await shop.call('POST', '/v1/locations', { name: 'Zone', shape })).body.id
}

test('knows every location around a point, as it is now', async () => {
  const shop = await newProject()
  expect(await around(shop, 'geo:52,21')).toEqual([])
  const small = await newLocation(shop, circle(52, 21))
  const large = await newLocation(shop, circle(52, 21, '500 km'))
  await newLocation(shop, circle(-10, 100))
  expect(await around(shop, 'geo:52,21')).toEqual([small, large].sort())
  expect(await around(shop, '53, 21')).toEqual([large])
  expect(await around(shop, 'somewhere')).toEqual([])

  await shop.call('PUT', `/v1/locations/${large}`, { shape: circle(53, 21) })
  expect(await around(shop, 'geo:52,21')).toEqual([small])
  expect(await around(shop, 'geo:53,21')).toEqual([large])
  await shop.call('PUT', `/v1/locations/${large}`, { name: 'Renamed' })
  await shop.call('DELETE', `/v1/locations/${small}`)
  expect(await around(shop, 'geo:52,21')).toEqual([])
  expect(await around(shop, 'geo:53,21')).toEqual([large])
  // Other configuration moves the version, too.
  await shop.call('POST', '/v1/categories', { name: 'Summer', hierarchy: 0 })
  expect(await around(shop, 'geo:53,21')).toEqual([large])
})

test('one look is enough for many points, and stays what it was', async () => {
  const shop = await newProject()
  const id = await newLocation(shop, circle(52, 21))
  const areas = await ask(shop, areasOf)
  await shop.call('DELETE', `/v1/locations/${id}`)
  expect(areas.which('geo:52,21')).toEqual(new Set([id]))
  expect(areas.which({ lat: 0, lng: 0 })).toEqual(new Set())
  expect(await around(shop, 'geo:52,21')).toEqual([])
})

test('what a transaction did is seen by itself, and by nobody else before it is committed', async () => {
  const shop = await newProject()
  const id = await newLocation(shop, circle(52, 21))
  const undone = ask(shop, async (ctx) => {
    await deleteLocation(ctx, id)
    await insertLocation(ctx, { name: 'Never', shape: circle(53, 21) })
    expect(await areasAround(ctx, 'geo:52,21')).toEqual(new Set())
    expect((await areasAround(ctx, 'geo:53,21')).size).toBe(1)
    throw new Error('changed my mind')
  })
  await expect(undone).rejects.toThrow('changed my mind')
  // The same number of changes as were undone: the version alone would not tell them apart.
  await shop.call('POST', '/v1/categories', { name: 'Summer', hierarchy: 0 })
  await shop.call('POST', '/v1/categories', { name: 'Winter', hierarchy: 0 })
  expect(await around(shop, 'geo:52,21')).toEqual([id])
  expect(await around(shop, 'geo:53,21')).toEqual([])

  const { kept } = await ask(shop, async (ctx) => {
    const kept = await insertLocation(ctx, { name: 'Kept', shape: circle(53, 21) })
    await areasOf(ctx)
    return { kept }
  })
  expect(await around(shop, 'geo:53,21')).toEqual([kept.id])
})

test('more locations than are read at once', async () => {
  const shop = await newProject()
  const count = limits.location_rows_read_max * 2 + 1
  const rows = Array.from({ length: count }, (_, n) => ({
    project_id: shop.project_id,
    id: `loc_${String(n).padStart(4, '0')}` as const,
    name: 'Zone',
    shape: JSON.stringify(circle(0, n / 2, '1 km')),
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: null,
    config_version: 0,
  }))
  await shop.service.house.database.db.insertInto('locations').values(rows).execute()
  const areas = await ask(shop, areasOf)
  for (let n = 0; n < count; n += 1) expect(areas.which({ lat: 0, lng: n / 2 })).toEqual(new Set([rows[n]!.id]))
})

test('projects do not see each other’s, however many there are in memory', async () => {
  const shop = await newProject()
  const id = await newLocation(shop, circle(52, 21))
  const project = (await shop.service.house.credentials.project(shop.project_id))!
  const { db } = shop.service.house.database
  const others = Array.from({ length: limits.cached_areas_projects_max + 1 }, (_, n) => `${project.id}_${n}` as const)
  await db
    .insertInto('projects')
    .values(
      others.map((other) => ({
        ...project,
        id: other,
        webhook_token: other,
        client_trusted_domains: '[]',
        webhooks_callout_notifications: '{}',
        api_usage_notifications: '{}',
        default_code_config: null,
        limits: null,
      })),
    )
    .execute()
  expect(await around(shop, 'geo:52,21')).toEqual([id])
  for (const other of others)
    expect(
      await asRequest(shop.service.house, { ...project, id: other }, (ctx) => areasAround(ctx, 'geo:52,21')),
    ).toEqual(new Set())
  expect(await around(shop, 'geo:52,21')).toEqual([id]) // read again: it was the one used longest ago
})
