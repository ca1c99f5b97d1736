import { expect, test } from 'vitest'
import { runKilledAction, sendFile } from '../../testing/killed-action.ts'
import { retryWhile503 } from '../../testing/process.ts'

test('an import resumes after kill -9 and creates customers without a source id exactly once', async () => {
  const rows = Array.from({ length: 3_000 }, (_, n) => `Customer ${n},${n % 300 === 299 ? 'never' : '1990-03-01'}`)
  const { action, address, headers, client } = await runKilledAction({
    start: (address, headers) =>
      sendFile(`${address}/v1/customers/importCSV`, headers, 'customers.csv', ['Name,Birthdate', ...rows]),
  })
  expect(action.result).toMatchObject({ done_count: 2_990, failed_count: 10 })
  expect(action.result.failed.map(({ row }: { row: number }) => row)).toEqual(
    Array.from({ length: 10 }, (_, n) => (n + 1) * 300),
  )
  const { rows: counted } = await client.query(
    'select count(*)::int as all, count(distinct name)::int as names from customers',
  )
  expect(counted).toEqual([{ all: 2_990, names: 2_990 }])
  const listed = await retryWhile503(() => fetch(`${address}/v1/customers?limit=1`, { headers }))
  expect(await listed.json()).toMatchObject({ total: 2_990, has_more: true })
})
