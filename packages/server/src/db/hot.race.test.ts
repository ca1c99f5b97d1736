import { expect, inject, onTestFinished, test } from 'vitest'
import { createDatabase } from '../testing/postgres.ts'
import { connectPostgres } from './connect.ts'
import { hotStatement } from './hot.ts'
import { inTransaction } from './transaction.ts'

const whoAmI = hotStatement<{ pid: number; prepared: number }>(
  'select pg_backend_pid() as pid, (select count(*)::int from pg_prepared_statements) as prepared',
)
const fail = hotStatement<object>('select 1 / $1::int')

test('a connection prepares it once, in a transaction or not, and stays when a statement is refused', async () => {
  const { url, drop } = await createDatabase((inject('database') as { url: string }).url)
  const { db, close } = connectPostgres({ connectionString: url, connections_max: 1 })
  onTestFinished(async () => {
    await close()
    await drop()
  })
  const [first] = await whoAmI(db, [])
  await expect(fail(db, [0])).rejects.toThrow('division by zero')
  await expect(inTransaction(db, (trx) => fail(trx, [0]))).rejects.toThrow('division by zero')
  expect(await inTransaction(db, (trx) => whoAmI(trx, []))).toEqual([{ pid: first?.pid, prepared: 2 }])
  expect(await whoAmI(db, [])).toEqual([{ pid: first?.pid, prepared: 2 }])
})
