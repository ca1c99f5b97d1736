import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { connectPostgres } from '../../core/db/connect.ts'
import { newPostgresDatabase } from '../../testing/database.ts'
import { lookUpRows } from './lookup-statement.ts'

test.each([1, 40])('PostgreSQL plans the statement once for %s keys, not for each execution', async (count) => {
  const { url, drop } = await newPostgresDatabase({ migrated: true })
  const { db, close } = connectPostgres({ connectionString: url, connections_max: 1 })
  onTestFinished(async () => {
    await close()
    await drop()
  })
  const keys = Array.from({ length: count }, (_, n) => `key ${n}`)
  const lookups = {
    code_keys: keys,
    customer_sources: keys,
    customer_ids: keys,
    product_sources: keys,
    product_ids: keys,
    sku_sources: keys,
    sku_ids: keys,
  }
  for (let time = 1; time <= 12; time += 1) await lookUpRows(db, 'proj_1', '2026-01-01T00:00:00.000Z', lookups)
  const { rows } = await sql`select generic_plans::int, custom_plans::int from pg_prepared_statements
    where statement like '%from vouchers v%'`.execute(db)
  expect(rows).toEqual([{ generic_plans: 7, custom_plans: 5 }])
})
