import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { nothingConfigured } from '../../core/configuration/configuration.ts'
import type { Ctx } from '../../core/context.ts'
import { connectPostgres } from '../../core/db/connect.ts'
import type { Instant } from '../../core/lib/instant.ts'
import { newPostgresDatabase } from '../../testing/database.ts'
import { listCodes } from './codes.ts'

test('PostgreSQL plans the statement once, also for a project with few vouchers beside one with many', async () => {
  const { url, drop } = await newPostgresDatabase({ migrated: true })
  const { db, close } = connectPostgres({ connectionString: url, connections_max: 1 })
  onTestFinished(async () => {
    await close()
    await drop()
  })
  await sql`set session_replication_role = replica`.execute(db) // no foreign keys: projects and terms do not matter here
  await sql`
    insert into vouchers (project_id, id, code, code_key, type, terms_id, active, is_referral_code, asset_id, created_at)
    select 'proj_many', 'v_' || lpad(n::text, 32, '0'), 'C' || n, 'C' || n, 'DISCOUNT_VOUCHER', 'terms', true, false,
      gen_random_uuid(), now()
    from generate_series(1, 20000) n`.execute(db)
  await sql`analyze vouchers`.execute(db)
  const now = '2026-01-01T00:00:00.000Z' as Instant
  const wanted = {
    without_campaign: true,
    campaign_ids: ['camp_1'],
    unheld_only: false,
    public_keys: ['PUBLIC'],
    holder_id: 'cust_1',
    code_keys: null,
    ids: null,
  }
  const query = { wanted, before: null, count: 100, at: now, session_key: null }
  const ctx = { db, project_id: 'proj_few', now } as unknown as Ctx
  // From the fifth time on it is prepared.
  for (let time = 1; time <= 16; time += 1) await listCodes(ctx, nothingConfigured, query)
  const { rows } = await sql`select generic_plans::int, custom_plans::int from pg_prepared_statements
    where statement like '%picked as materialized%'`.execute(db)
  expect(rows).toEqual([{ generic_plans: 7, custom_plans: 5 }])
})
