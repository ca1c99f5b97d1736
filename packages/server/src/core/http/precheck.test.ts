import { expect, onTestFinished, test } from 'vitest'
import { Category, CategoryBody } from '../../rules/categories/schema.ts'
import { insertCategory } from '../../rules/categories/store.ts'
import { newProject, type Shop } from '../../testing/app.ts'
import { until } from '../../testing/background.ts'
import { invalidPayload } from './errors.ts'
import { operation } from './operation.ts'

/** What the check of the operation below does. */
let check: () => Promise<void>
let checks = 0

const checked = operation({
  id: 'createCheckedCategory',
  method: 'POST',
  path: '/v1/checked-categories',
  summary: 'Create a category after a check that waits for others',
  body: CategoryBody,
  reply: Category,
  errors: ['invalid_payload'],
  precheck: async () => {
    checks += 1
    await check()
  },
  run: (ctx, { body }) => insertCategory(ctx, body),
})

async function newShop(): Promise<Shop> {
  checks = 0
  check = async () => {}
  return newProject({ extra: [checked] })
}

const create = (shop: Shop, key: string, body: object = { name: 'Summer', hierarchy: 1 }) =>
  shop.call('POST', '/v1/checked-categories', body, { 'idempotency-key': key })

const refuse = async () => {
  throw invalidPayload('The check says no')
}

test('while a check waits, other requests are answered, also where the database has one connection', async () => {
  const shop = await newShop()
  const gate = Promise.withResolvers<void>()
  onTestFinished(() => gate.resolve())
  check = () => gate.promise
  const waiting = create(shop, 'k1')
  await until(() => (checks === 1 ? true : undefined))
  expect(await shop.call('POST', '/v1/categories', { name: 'Winter', hierarchy: 2 })).toMatchObject({ status: 200 })
  gate.resolve()
  expect(await waiting).toMatchObject({ status: 200 })
})

test('what it refuses is stored under the Idempotency-Key, and what was stored is returned whatever it says now', async () => {
  const shop = await newShop()
  const created = await create(shop, 'k1')
  check = refuse
  const refused = await create(shop, 'k2')
  expect(refused).toMatchObject({ status: 400, body: { key: 'invalid_payload', details: 'The check says no' } })
  expect(await create(shop, 'k1')).toMatchObject({ status: 200, body: created.body })
  check = async () => {}
  expect(await create(shop, 'k2')).toMatchObject({ status: 400, headers: { 'idempotency-replayed': 'true' } })
  expect((await shop.call('GET', '/v1/categories')).body.data).toEqual([created.body])
})

test('it sees only valid requests', async () => {
  const shop = await newShop()
  expect(await create(shop, 'k1', { name: 'Summer' })).toMatchObject({ status: 400 })
  expect(checks).toBe(0)
})
