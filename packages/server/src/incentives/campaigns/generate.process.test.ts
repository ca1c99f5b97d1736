import { expect, test } from 'vitest'
import { runKilledAction } from '../../testing/killed-action.ts'
import { retryWhile503 } from '../../testing/process.ts'

test('a generation job killed with kill -9 resumes and creates exactly the requested number of vouchers', async () => {
  const voucher = { type: 'GIFT_VOUCHER', gift: { amount: 100 } }
  const body = JSON.stringify({ name: 'Many', vouchers_count: 10_000, voucher })
  const { action, address, headers, client } = await runKilledAction({
    async start(address, headers) {
      const json = { ...headers, 'content-type': 'application/json' }
      const created = await retryWhile503(() =>
        fetch(`${address}/v1/campaigns`, { method: 'POST', headers: json, body }),
      )
      expect(created.status).toBe(200)
    },
  })
  expect(action.result).toEqual({ message: 'Generated 10000 vouchers.', done_count: 10_000 })
  const campaign = await (await retryWhile503(() => fetch(`${address}/v1/campaigns/Many`, { headers }))).json()
  expect(campaign).toMatchObject({ creation_status: 'DONE', vouchers_count: 10_000 })
  const { rows } = await client.query(`
  select count(*)::int as codes, count(distinct code)::int as different,
    (select count(*)::int from postings) as postings, (select sum(amount)::int from postings) as booked from vouchers`)
  expect(rows).toEqual([{ codes: 10_000, different: 10_000, postings: 10_000, booked: 1_000_000 }])
})
