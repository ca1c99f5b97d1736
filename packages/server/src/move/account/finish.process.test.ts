import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Project } from '../../core/db/project-row.ts'
import { folderWith } from '../../testing/account-server.ts'
import { newProject } from '../../testing/app.ts'
import { asRequest } from '../../testing/background.ts'
import { connectRows } from './finish.ts'
import { newKindReport } from './report.ts'
import { writeAccount } from './write.ts'

const at = '2025-03-01T10:00:00.000Z'
const discount = { type: 'PERCENT', percent_off: 10 }
const campaign = {
  id: 'camp_friends',
  name: 'Friends',
  campaign_type: 'REFERRAL_PROGRAM',
  type: 'STATIC',
  voucher: { type: 'DISCOUNT_VOUCHER', discount },
  referral_program: { conversion_event: 'redemption' },
  created_at: at,
}

test('codes of referrers are found without reading the program again for each referee, however long it takes', async () => {
  const people = 401
  const idOf = (n: number) => `cust_${String(n % people).padStart(4, '0')}`
  const numbers = Array.from({ length: people }, (_, n) => n)
  const folder = await folderWith({
    campaigns: [campaign],
    customers: numbers.map((n) => ({
      id: idOf(n),
      source_id: `s${n}`,
      referrals: {
        total: 1,
        campaigns: [
          {
            campaign_id: campaign.id,
            referrer_id: idOf(n + 1),
            related_object_id: `r_${n}`,
            related_object_type: 'redemption',
            date: at,
          },
        ],
      },
      created_at: at,
    })),
    vouchers: numbers.map((n) => ({
      id: `v_${idOf(n)}`,
      code: `CODE${n}`,
      type: 'DISCOUNT_VOUCHER',
      campaign_id: campaign.id,
      discount,
      is_referral_code: true,
      // Two codes of one referrer: the first by its id counts.
      [n % 2 === 0 ? 'holder_id' : 'referrer_id']: idOf(n - (n % 3 === 0 ? 1 : 0) + people),
      created_at: at,
    })),
  })
  const { service, project_id } = await newProject()
  const { runtime } = service
  const project = (await runtime.credentials.project(project_id)) as Project
  await writeAccount({ runtime, project, folder, onProgress: () => {} })

  const { rows } = await runtime.database.execute(
    `select c.referee_id, c.referrer_id, c.voucher_id, v.id as first_id from referral_conversions c
      cross join lateral (select min(id) as id from vouchers v where v.project_id = c.project_id and v.campaign_id = c.campaign_id
        and coalesce(v.referrer_id, v.holder_id) = c.referrer_id) v where c.project_id = $1`,
    [project_id],
  )
  const found = rows as Array<{ voucher_id: string; first_id: string }>
  // A third of the referrers lost their code to the one before them.
  expect(found).toHaveLength(people - Math.ceil(people / 3))
  expect(found.filter((row) => row.voucher_id !== row.first_id)).toEqual([])

  const [rowsRead, timeout] = await asRequest(runtime, project, async (ctx) => {
    // Other tests have codes in the table.
    await sql`set local enable_seqscan = off`.execute(ctx.db)
    // What this connection has not yet handed over counts, too.
    const codesRead = async () => {
      const { rows } = await sql<{ read: number }>`
        select idx_tup_fetch::int as read from pg_stat_xact_user_tables where relname = 'vouchers'`.execute(ctx.db)
      return rows[0]?.read ?? 0
    }
    const before = await codesRead()
    await connectRows(ctx, newKindReport())
    const { rows } = await sql<{ statement_timeout: string }>`show statement_timeout`.execute(ctx.db)
    return [(await codesRead()) - before, rows[0]?.statement_timeout]
  })
  // Each statement reads each code once or twice.
  expect(rowsRead).toBeLessThan(20 * people)
  expect(timeout).toBe('0')
})
