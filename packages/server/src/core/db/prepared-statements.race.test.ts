import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { newPostgresDatabase } from '../../testing/database.ts'
import { connectPostgres } from './connect.ts'
import type { Db } from './database.ts'
import { FrequentStatements, preparedStatement } from './prepared-statements.ts'
import { inTransaction } from './transaction.ts'

const whoAmI = preparedStatement<{ pid: number; prepared: number }>(
  'select pg_backend_pid() as pid, (select count(*)::int from pg_prepared_statements) as prepared',
)
const fail = preparedStatement<object>('select 1 / $1::int')

async function oneConnection(): Promise<Db> {
  const { url, drop } = await newPostgresDatabase()
  const { db, close } = connectPostgres({ connectionString: url, connections_max: 1 })
  onTestFinished(async () => {
    await close()
    await drop()
  })
  return db
}

test('a connection prepares a statement once, in a transaction or not, and keeps it when the statement fails', async () => {
  const db = await oneConnection()
  const [first] = await whoAmI(db, [])
  await expect(fail(db, [0])).rejects.toThrow('division by zero')
  await expect(inTransaction(db, (trx) => fail(trx, [0]))).rejects.toThrow('division by zero')
  expect(await inTransaction(db, (trx) => whoAmI(trx, []))).toEqual([{ pid: first?.pid, prepared: 2 }])
  expect(await whoAmI(db, [])).toEqual([{ pid: first?.pid, prepared: 2 }])
})

test('a statement seen for the fifth time is prepared too', async () => {
  const db = await oneConnection()
  const ask = () => sql`select ${'five times'}::text as said`.execute(db)
  for (let time = 1; time <= 4; time += 1) await ask()
  expect(await preparedSayings(db)).toBe(0)
  for (let time = 5; time <= 7; time += 1) expect((await ask()).rows).toEqual([{ said: 'five times' }])
  expect(await preparedSayings(db)).toBe(1)
})

async function preparedSayings(db: Db): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from pg_prepared_statements where statement like '%as said'`.execute(db)
  return rows[0]?.n as number
}

test('a table with a new column is read without an error', async () => {
  const db = await oneConnection()
  await sql`create table grown (n int)`.execute(db)
  await sql`insert into grown values (1)`.execute(db)
  const read = (on: Db) => sql`select * from grown where n = ${1}::int`.execute(on).then(({ rows }) => rows)
  for (let time = 1; time <= 6; time += 1) await read(db)
  await sql`alter table grown add column more text`.execute(db)
  expect(await inTransaction(db, read)).toEqual([{ n: 1, more: null }])
  await sql`alter table grown drop column more`.execute(db)
  for (let time = 1; time <= 6; time += 1) await read(db)
  await sql`alter table grown add column again text`.execute(db)
  expect(await read(db)).toEqual([{ n: 1, again: null }])
})

test('only frequent statements get a name, up to the maximum', () => {
  const often = new FrequentStatements()
  for (let minute = 1; minute < 20; minute += 1)
    expect(often.statementNameOf('now and then', minute * 30_000)).toBeUndefined()
  const asked = (text: string) => Array.from({ length: 5 }, () => often.statementNameOf(text)).at(-1)
  const given = Array.from({ length: 300 }, (_, n) => asked(`select ${n}`)).filter((name) => name !== undefined)
  expect(new Set(given).size).toBe(200)
  expect(asked('x'.repeat(10_001))).toBeUndefined()
})
