import { type SqlBool, sql } from 'kysely'
import { expect, test } from 'vitest'
import { filterSql, parseFilter } from '../../core/query/filter/filter.ts'
import { asRequest } from '../../testing/background.ts'
import { newDiscount, percentOff } from '../../testing/checkout.ts'
import { newProjectAlone } from '../../testing/nodes.ts'
import { ok } from '../../testing/orders.ts'
import { voucherFields } from './fields.ts'
import { vouchers } from './routes.ts'
import { voucherQuery } from './store.ts'

test('codes are found by their beginning in the index on codes', async () => {
  const shop = await newProjectAlone({ only: vouchers })
  const { runtime } = shop.service
  const { db } = runtime.database
  const { id } = await newDiscount(shop, 'FIRST', percentOff(10))
  // As many copies as make reading all of them in the order of the list the worse plan.
  await sql`insert into vouchers select (v).* from (
      select jsonb_populate_record(v, jsonb_build_object('id', 'v_' || n, 'code', 'C' || n, 'code_key', 'C' || n)) as v
      from vouchers v, generate_series(1001, 3000) n where v.id = ${id}) made`.execute(db)
  await sql`analyze vouchers`.execute(db)

  const prefixes = ['C200', 'C10_', 'C299']
  const parameters = prefixes.map((prefix) => `filters[code][conditions][$starts_with][]=${prefix}`).join('&')
  const found = await ok(shop, 'GET', `/v1/vouchers?limit=100&order=code&${parameters}`)
  expect(found.vouchers.map(({ code }: { code: string }) => code)).toEqual(
    [200, 299].flatMap((start) => Array.from({ length: 10 }, (_, n) => `C${start}${n}`)),
  )

  const ofShop = sql<SqlBool>`id = ${shop.project_id}`
  const project = await db.selectFrom('projects').where(ofShop).selectAll().executeTakeFirstOrThrow()
  const plan = await asRequest(runtime, project, (ctx) => {
    const filter = parseFilter({ code: { conditions: { $starts_with: prefixes } } }, voucherFields({}, project))
    return voucherQuery(ctx)
      .where(filterSql(filter, { now: ctx.now, timezone: project.timezone }))
      .orderBy('vouchers.created_at', 'desc')
      .limit(10)
      .select('vouchers.id')
      .explain('json')
  })
  expect(JSON.stringify(plan)).toMatch(/"Index Name":"vouchers_code"[^}]*code_key/)
})
