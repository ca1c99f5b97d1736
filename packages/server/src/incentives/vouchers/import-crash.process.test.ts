import { expect, test } from 'vitest'
import { runKilledAction, sendFile } from '../../testing/killed-action.ts'

test('an import killed with kill -9 resumes: every code exists once, every invalid row is listed', async () => {
  const rows = Array.from({ length: 3_000 }, (_, n) => `C-${n},GIFT_VOUCHER,${n % 100 === 99 ? 'much' : 700},300`)
  const { action, client } = await runKilledAction({
    progress_min: 20,
    start: (address, headers) =>
      sendFile(`${address}/v1/vouchers/importCSV`, headers, 'vouchers.csv', [
        'Code,Voucher Type,Value,Redeemed Amount',
        ...rows,
      ]),
  })
  expect(action.result).toMatchObject({ done_count: 2_970, failed_count: 30 })
  expect(action.result.failed).toEqual(
    Array.from({ length: 30 }, (_, n) => ({
      code: `C-${n * 100 + 99}`,
      row: (n + 1) * 100,
      reason: 'Value must be an integer',
    })),
  )
  const { rows: counted } = await client.query(`
  select count(*)::int as all, count(distinct code)::int as codes,
    (select count(*)::int from postings) as postings, (select sum(delta)::int from tallies where name = 'vouchers') as counted,
    sum(credits_added - credits_redeemed)::int as balance,
    (select sum(case when source = 'issued' then amount else -amount end)::int from postings) as posted
  from vouchers`)
  expect(counted).toEqual([
    { all: 2_970, codes: 2_970, postings: 5_940, counted: 2_970, balance: 1_188_000, posted: 1_188_000 },
  ])
})
