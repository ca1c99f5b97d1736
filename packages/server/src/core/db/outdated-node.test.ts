import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { workOnExport } from '../../exports/work.ts'
import { asRequest, insertProject, openIdleRuntime, runAsyncActions } from '../../testing/background.ts'
import { amountOff } from '../../testing/checkout.ts'
import { countedRows, countingAction } from '../../testing/counting-action.ts'
import { newProjectAlone, ownDatabase } from '../../testing/nodes.ts'
import { startAsyncAction } from '../jobs/async-action.ts'
import { getAsyncAction } from '../jobs/async-actions/store.ts'

/** What a release does that this one does not know. */
const nextMigration = `insert into migrations (name) values ('9999-next')`
const nextFunctions = `update schema_functions set release = '99.0.0' where name = 'checkout_facts'`

const unavailable = { status: 503, headers: { 'retry-after': '5' }, body: { key: 'service_unavailable' } }

test('a node beside one of a newer release answers 503 with Retry-After where a table, column or type has changed, and serves the rest', async () => {
  const shop = await newProjectAlone()
  const { database } = shop.service.runtime
  const category = { name: 'Shirts', hierarchy: 1 }
  const list = () => shop.call('GET', '/v1/categories')
  const create = () => shop.call('POST', '/v1/categories', category)
  expect((await create()).status).toBe(200)

  await database.execute('alter table categories rename column hierarchy to place')
  expect(await list()).toMatchObject({ status: 500, body: { key: 'internal_error' } })
  await database.execute(nextMigration)
  expect(await list()).toMatchObject(unavailable)
  expect(await create()).toMatchObject(unavailable)

  await database.execute('alter table categories rename column place to hierarchy')
  expect((await list()).status).toBe(200)
  await database.execute('alter table categories add column color text')
  await database.execute(`update categories set color = 'red'`)
  await database.execute('alter table categories alter column color set not null')
  expect(await create()).toMatchObject(unavailable)
  await database.execute('alter table categories rename to product_categories')
  expect(await list()).toMatchObject(unavailable)
  expect((await shop.call('GET', '/v1/customers')).status).toBe(200)
})

test('the same where a newer release has replaced functions only', async () => {
  const shop = await newProjectAlone()
  const { database } = shop.service.runtime
  await shop.call('POST', '/v1/vouchers/TEN', { type: 'DISCOUNT_VOUCHER', discount: amountOff(10_00) })
  const redeem = () =>
    shop.call('POST', '/v1/redemptions', { redeemables: [{ object: 'voucher', id: 'TEN' }], order: { amount: 20_00 } })
  expect((await redeem()).status).toBe(200)
  await database.execute(`do $$ declare signature text; begin
    for signature in select oid::regprocedure from pg_proc where proname like 'checkout_save%'
    loop execute 'drop function ' || signature; end loop; end $$`)
  expect((await redeem()).status).toBe(500)
  await database.execute(nextFunctions)
  expect(await redeem()).toMatchObject(unavailable)
})

test('long work that meets a newer schema is left to a node of the newer release', async () => {
  const { database } = await ownDatabase()
  const runtime = await openIdleRuntime(database)
  const project = await insertProject(runtime)
  const action = countingAction()
  const { async_action_id } = await asRequest(runtime, project, (ctx) =>
    startAsyncAction(ctx, action, { rows_count: 20, step_rows: 10, pause_ms: 0 }),
  )
  const run = () => runAsyncActions(runtime, project.id, [action])
  await database.execute(nextMigration)
  await database.execute('alter table guards rename to guards_next')
  await expect(run()).rejects.toThrow('guards')
  expect(await asRequest(runtime, project, (ctx) => getAsyncAction(ctx, async_action_id))).toMatchObject({
    status: 'IN_PROGRESS',
  })
  await database.execute('alter table guards_next rename to guards')
  await run()
  expect(await countedRows({ db: database.db, project_id: project.id })).toEqual({ 1: 20 })
})

test('so is an export', async () => {
  const shop = await newProjectAlone()
  const { runtime } = shop.service
  const { body } = await shop.call('POST', '/v1/exports', { exported_object: 'customer' })
  await runtime.database.execute(nextMigration)
  await runtime.database.execute('alter table customers rename to customers_next')
  await expect(workOnExport(runtime, { only: shop.project_id })).rejects.toThrow('customers')
  const { rows } = await sql<{ status: string }>`select status from exports where id = ${body.id}`.execute(
    runtime.database.db,
  )
  expect(rows).toEqual([{ status: 'SCHEDULED' }])
})
