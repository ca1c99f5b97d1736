import type { Socket } from 'node:net'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { newPostgresDatabase } from '../../testing/database.ts'
import { connectPostgres } from './connect.ts'
import type { Db } from './database.ts'
import { runPrepared } from './prepared-query.ts'
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

const echo = preparedStatement<Record<string, unknown>>(`
  select $1::text as text, $2::int8 as number, $3::timestamptz as instant, $4::jsonb as json, $5::text[] as list,
    $6::bytea as bytes, $7::bool as flag from generate_series(1, $8::int)`)

test.each<[string, unknown[], Record<string, unknown>]>([
  [
    'values',
    ['a "b" \\ ü 🎉', 7, '2026-01-01T00:00:00.5Z', { deep: [1, null] }, ['x', null, '"'], Buffer.from([0, 255]), true],
    {
      text: 'a "b" \\ ü 🎉',
      number: 7,
      instant: '2026-01-01T00:00:00.500Z',
      json: { deep: [1, null] },
      list: ['x', null, '"'],
      bytes: Buffer.from([0, 255]),
      flag: true,
    },
  ],
  [
    'nulls',
    [null, undefined, null, null, null, null, null],
    { text: null, number: null, instant: null, json: null, list: null, bytes: null, flag: null },
  ],
])(
  '%s come back the same from the execution that prepares a statement and from the later ones',
  async (_, sent, row) => {
    const db = await oneConnection()
    for (const rows of [1, 1, 0, 3]) expect(await echo(db, [...sent, rows])).toEqual(Array(rows).fill(row))
    expect(await inTransaction(db, (trx) => echo(trx, [...sent, 1]))).toEqual([row])
  },
)

test('a long value is sent whole', async () => {
  const db = await oneConnection()
  const text = 'ü'.repeat(1_000_000)
  for (const rows of [1, 1, 2])
    expect((await echo(db, [text, null, null, null, null, null, null, rows])).map((row) => row.text === text)).toEqual(
      Array(rows).fill(true),
    )
})

test('a statement that fails or cannot be sent leaves the connection and the next statement as they were', async () => {
  const db = await oneConnection()
  const values = ['a', 1, null, null, null, null, null]
  await expect(echo(db, [...values, 'no number'])).rejects.toThrow('invalid input syntax for type integer')
  const circular: Record<string, unknown> = {}
  circular.self = circular
  await expect(echo(db, ['a', 1, null, circular])).rejects.toThrow('circular')
  await expect(echo(db, [])).rejects.toThrow('bind message supplies 0 parameters')
  for (const rows of [2, 2]) expect(await echo(db, [...values, rows])).toHaveLength(rows)
  await expect(echo(db, ['a', 1, 'no instant', null, null, null, null, 1])).rejects.toThrow('timestamp')
  expect(await echo(db, [...values, 1])).toHaveLength(1)
})

test('the number of changed rows is that of each execution', async () => {
  const db = await oneConnection()
  await sql`create table counted (n int)`.execute(db)
  const add = (n: number) => sql`insert into counted select generate_series(1, ${n}::int)`.execute(db)
  for (const n of [1, 2, 3, 4, 5, 6, 0]) expect((await add(n)).numAffectedRows).toBe(BigInt(n))
  const remove = (n: number) => sql`delete from counted where n = ${n}::int returning n`.execute(db)
  for (const n of [6, 5, 4, 3, 2, 1]) {
    const { numAffectedRows, rows } = await remove(n)
    expect([numAffectedRows, rows.length]).toEqual([BigInt(7 - n), 7 - n])
  }
})

test('the server describes the rows of a statement to a connection once', async () => {
  const { url, drop } = await newPostgresDatabase()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  onTestFinished(async () => {
    await client.end()
    await drop()
  })
  const socket = client.connection.stream as Socket
  const received = async () => {
    const before = socket.bytesRead
    const statement = { name: 'once', text: 'select 1 as a_column_with_a_long_name', values: [] }
    expect((await runPrepared(client, statement)).rows).toEqual([{ a_column_with_a_long_name: 1 }])
    return socket.bytesRead - before
  }
  const [first, second, third] = [await received(), await received(), await received()]
  expect(first - second).toBeGreaterThan('a_column_with_a_long_name'.length)
  expect(third).toBe(second)
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

test('after a schema change all names are given anew, once, however many connections fail', () => {
  const often = new FrequentStatements()
  const text = 'select * from grown'
  const nameAgain = () => Array.from({ length: 5 }, () => often.statementNameOf(text)).at(-1) as string
  const outdated = Object.assign(new Error(), { code: '0A000', routine: 'RevalidateCachedQuery' })
  const first = nameAgain()
  expect(often.pooledTextOf(text)).toBe(text)
  often.resetIfSchemaChanged(outdated, { name: first, text })
  const second = nameAgain()
  expect(second).not.toBe(first)
  expect(often.pooledTextOf(text)).not.toBe(text)
  often.resetIfSchemaChanged(outdated, { name: first, text })
  often.resetIfSchemaChanged(new Error('of another kind'), { name: second, text })
  expect(often.statementNameOf(text)).toBe(second)
})
