import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { newProject } from '../../testing/app.ts'
import { backendOf, untilOthersWait } from '../../testing/lock-waits.ts'
import { importJson, runStarted, sendCsv } from '../../testing/voucher-imports.ts'

test('concurrent imports of the same codes store each code once', async () => {
  const shop = await newProject()
  const codes = Array.from({ length: 300 }, (_, n) => `c${n}`)
  const entries = codes.map((code) => ({ code, gift: { amount: 1 } }))
  const other = { type: 'DISCOUNT_VOUCHER', discount: { type: 'PERCENT', percent_off: 10 } }
  expect((await shop.call('POST', '/v1/vouchers/other', other)).status).toBe(200)
  const file = `Code,Voucher Type,Value\n${codes.toReversed().join(',GIFT_VOUCHER,2\n')},GIFT_VOUCHER,2\n`
  const { status } = await shop.call('POST', '/v1/vouchers/import', entries)
  expect(status).toBe(202)
  expect((await sendCsv(shop, '/v1/vouchers/importCSV', file)).status).toBe(202)
  // Another transaction holds a code in the middle until both imports wait, directly or for each other.
  const { database } = shop.service.runtime
  let running: Promise<void> | undefined
  const held = database.db.transaction().execute(async (trx) => {
    await sql`
      insert into vouchers (project_id, id, code, code_key, type, terms_id, active, is_referral_code, asset_id, created_at)
      select project_id, 'v_held', 'c150', 'c150', type, terms_id, active, is_referral_code, gen_random_uuid(), created_at
      from vouchers where project_id = ${shop.project_id}`.execute(trx)
    running = runStarted(shop, { are_concurrent: true })
    await untilOthersWait(database, await backendOf(trx), 2)
    throw new Error('undone')
  })
  await expect(held).rejects.toThrow('undone')
  await running
  const { body } = await shop.call('GET', '/v1/vouchers')
  expect(body.total).toBe(1 + 300)
  const { async_actions } = (await shop.call('GET', '/v1/async-actions')).body
  expect(async_actions.map(({ status }: { status: string }) => status)).toEqual(['DONE', 'DONE'])
})

test('a concurrent import and single vouchers fill a campaign exactly up to its limit', async () => {
  const shop = await newProject()
  await shop.manage('PUT', '/limits', { campaign_vouchers: 50 })
  const voucher = { type: 'DISCOUNT_VOUCHER', discount: { type: 'PERCENT', percent_off: 10 } }
  await shop.call('POST', '/v1/campaigns', { name: 'C', voucher })
  const entries = Array.from({ length: 45 }, (_, n) => ({ code: `i${n}` }))
  const [imported, ...added] = await Promise.all([
    importJson(shop, '/v1/campaigns/C/import', entries),
    ...Array.from({ length: 20 }, (_, n) => shop.call('POST', `/v1/campaigns/C/vouchers/s${n}`, {})),
  ])
  const made = added.filter(({ status }) => status === 200).length
  expect(imported.result.done_count + made).toBe(50)
  expect((await shop.call('GET', '/v1/campaigns/C')).body.vouchers_count).toBe(50)
})
