import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { testDatabase } from '../testing/database.ts'
import { inTransaction } from './transaction.ts'

test('both databases return instants as ISO strings, big integers as numbers and jsonb parsed', async () => {
  const { db } = await testDatabase()
  const { rows } = await sql`
    select timestamptz '2026-01-01 12:00:00.5+02' as at, 9007199254740991::bigint as big, '{"a":[1]}'::jsonb as json, 12.50::numeric as sum
  `.execute(db)
  expect(rows).toEqual([{ at: '2026-01-01T10:00:00.500Z', big: 9007199254740991, json: { a: [1] }, sum: 12.5 }])
})

test('a statement sent during somebody else’s transaction does not run inside of it', async () => {
  const { db } = await testDatabase()
  let outside: Promise<unknown> = Promise.resolve()
  await inTransaction(db, async (trx) => {
    await sql`create table half (x int)`.execute(trx)
    outside = sql`select to_regclass('half') as found`.execute(db).then(({ rows }) => rows)
    await new Promise((resolve) => setTimeout(resolve, 50))
    await sql`drop table half`.execute(trx)
  })
  expect(await outside).toEqual([{ found: null }])
})
