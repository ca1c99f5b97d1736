import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { until } from '../testing/background.ts'
import { createDatabase } from '../testing/postgres.ts'
import { headersFrom, startGuerdon } from '../testing/process.ts'

test('an import survives kill -9 in the middle: customers without any key are there once each', {
  timeout: 120_000,
}, async () => {
  const given = inject('database')
  if (given.kind !== 'postgres') throw new Error('runs on PostgreSQL only')
  const { url: DATABASE_URL, drop } = await createDatabase(given.url)
  onTestFinished(drop)
  const settings = { DATABASE_URL, LOG_LEVEL: 'silent' }
  const first = await startGuerdon(settings)
  const headers = await headersFrom(first)

  const rows_count = 10_000
  const rows = Array.from(
    { length: rows_count },
    (_, n) => `Customer ${n},${n % 1_000 === 999 ? 'never' : '1990-03-01'}`,
  )
  const form = new FormData()
  form.set('file', new Blob([`Name,Birthdate\n${rows.join('\n')}`]), 'customers.csv')
  const started = await fetch(`${first.address}/v1/customers/importCSV`, { method: 'POST', headers, body: form })
  const { async_action_id } = (await started.json()) as { async_action_id: string }
  const read = async (address: string) => {
    const answer = await fetch(`${address}/v1/async-actions/${async_action_id}`, { headers })
    return (await answer.json()) as { status: string; progress: number; result: { failed: Array<{ row: number }> } }
  }
  const { progress } = await until(async () => {
    const action = await read(first.address)
    return action.progress > 0 ? action : undefined
  }, 30)
  first.kill('SIGKILL')
  await first.ended
  expect(progress).toBeLessThan(100)

  const second = await startGuerdon(settings)
  const client = new pg.Client({ connectionString: DATABASE_URL })
  await client.connect()
  onTestFinished(() => client.end())
  // As the supervision does, half a minute after the last sign of life (jobs/async-action.race.test.ts).
  await client.query(`update pgboss.job set state = 'retry', start_after = now() where state = 'active'`)
  const { result } = await until(async () => {
    const action = await read(second.address)
    return action.status === 'DONE' ? action : undefined
  }, 60)

  expect(result).toMatchObject({ done_count: 9_990, failed_count: 10 })
  expect(result.failed.map(({ row }) => row)).toEqual(Array.from({ length: 10 }, (_, n) => (n + 1) * 1_000))
  const { rows: counted } = await client.query(
    'select count(*)::int as all, count(distinct name)::int as names from customers',
  )
  expect(counted).toEqual([{ all: 9_990, names: 9_990 }])
  const listed = await fetch(`${second.address}/v1/customers?limit=1`, { headers })
  expect(await listed.json()).toMatchObject({ total: 9_990, has_more: true })
})
