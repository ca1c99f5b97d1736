// @embedded: types, transactions and errors of both drivers
import { openAsBlob } from 'node:fs'
import { AbortedTransactionError, sql } from 'kysely'
import { expect, inject, onTestFinished, test } from 'vitest'
import { databaseKind, testDatabase } from '../../testing/database.ts'
import { untilRequestWaits } from '../../testing/lock-waits.ts'
import { longestStretch } from '../../testing/longest-stretch.ts'
import { connectPglite, connectPostgres, type OnStatement } from './connect.ts'
import type { Database } from './database.ts'
import { preparedStatement } from './prepared-statements.ts'
import { inTransaction } from './transaction.ts'

test('both databases return instants as ISO strings, big integers as numbers and jsonb parsed', async () => {
  const { db } = await testDatabase()
  const { rows } = await sql`
    select timestamptz '2026-01-01 12:00:00.5+02' as at, 9007199254740991::bigint as big, '{"a":[1]}'::jsonb as json, 12.50::numeric as sum
  `.execute(db)
  expect(rows).toEqual([{ at: '2026-01-01T10:00:00.500Z', big: 9007199254740991, json: { a: [1] }, sum: 12.5 }])
})

test('a long transaction, and statements behind it, let the event loop turn between two statements', async () => {
  const { db } = await testDatabase()
  const { milliseconds, longest } = await longestStretch(() =>
    Promise.all(
      Array.from({ length: 20 }, () =>
        inTransaction(db, async (trx) => {
          for (let count = 0; count < 30; count += 1)
            await sql`select sum(n) from generate_series(1, 2000::int) n where n % 7 <> ${count}::int`.execute(trx)
        }),
      ),
    ),
  )
  // On PostgreSQL another process computes.
  if (databaseKind() === 'pglite') expect(longest).toBeLessThan(milliseconds / 4)
  expect(longest).toBeLessThan(250)
})

test('a frequent statement returns the same result as the first time', async () => {
  const { db } = await testDatabase()
  const day = '2026-01-02T03:04:05.006Z'
  const ask = () =>
    sql`
      select ${'a\'"\\{}'}::text as text, ${null}::text as nothing, ${true}::boolean as yes, ${-7}::bigint as whole, ${1.25}::numeric as part,
        ${day}::timestamptz as at, ${{ a: [1, null, 'x'] }}::jsonb as json, ${['a', 'b,c', '"d"']}::text[] as list, ${[1, 2]}::bigint[] as numbers,
        ${Buffer.from([0, 1, 255])}::bytea as bytes, ${'2026-01-02'}::date as day
    `.execute(db)
  const { rows: first } = await ask()
  expect(first).toEqual([
    {
      text: 'a\'"\\{}',
      nothing: null,
      yes: true,
      whole: -7,
      part: 1.25,
      at: day,
      json: { a: [1, null, 'x'] },
      list: ['a', 'b,c', '"d"'],
      numbers: expect.anything(),
      bytes: Buffer.from([0, 1, 255]),
      day: '2026-01-02',
    },
  ])
  for (let time = 2; time <= 8; time += 1) expect((await ask()).rows).toEqual(first)
})

test('a frequent statement that changes or finds nothing, or fails, does so every time', async () => {
  const { db } = await testDatabase()
  await sql`create table often (n int primary key)`.execute(db)
  try {
    for (let time = 1; time <= 8; time += 1) {
      expect((await sql`insert into often select generate_series(1, ${time}::int)`.execute(db)).numAffectedRows).toBe(
        BigInt(time),
      )
      await expect(sql`insert into often values (${1}::int)`.execute(db)).rejects.toMatchObject({
        code: '23505',
        constraint: 'often_pkey',
      })
      expect((await sql`select n from often where n = ${0}::int`.execute(db)).rows).toEqual([])
      expect((await sql`update often set n = n + 100 where n > ${1}::int`.execute(db)).numAffectedRows).toBe(
        BigInt(time - 1),
      )
      expect((await sql`delete from often where n >= ${0}::int`.execute(db)).numAffectedRows).toBe(BigInt(time))
    }
  } finally {
    await sql`drop table often`.execute(db)
  }
})

test('a statement sent during the transaction of another request does not run inside it', async () => {
  const database = await testDatabase()
  const { db, kind } = database
  let outside: Promise<unknown> = Promise.resolve()
  await inTransaction(db, async (trx) => {
    await sql`create table half (x int)`.execute(trx)
    outside = sql`select to_regclass('half') as found`.execute(db).then(({ rows }) => rows)
    // On PostgreSQL it has its own connection; on PGlite it waits for the only one.
    await (kind === 'postgres' ? outside : untilRequestWaits(database, trx))
    await sql`drop table half`.execute(trx)
  })
  expect(await outside).toEqual([{ found: null }])
})

test('a commit after a failed statement, which PostgreSQL completes as a rollback, is an error', async () => {
  const { db } = await testDatabase()
  const ignoring = db.transaction().execute((trx) => sql`select 1 / 0`.execute(trx).catch(() => {}))
  await expect(ignoring).rejects.toThrow(AbortedTransactionError)
  expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
})

test.runIf(databaseKind() === 'postgres')(
  'when the connection is lost, the caller gets the error of its work',
  async () => {
    const { db } = await testDatabase()
    const work = inTransaction(db, async (trx) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx)
      await sql`select pg_terminate_backend(${rows[0]?.pid}::int)`.execute(db)
      throw new Error('of the work')
    })
    await expect(work).rejects.toThrow('of the work')
    expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
  },
)

test('onStatement is called for every statement, without its values', async () => {
  const heard: string[] = []
  const { db, close } = await connectAgain((text, durationMs) => {
    expect(durationMs).toBeGreaterThanOrEqual(0)
    heard.push(text)
  })
  onTestFinished(close)
  await sql`select ${'hush'}::text as plain`.execute(db)
  await preparedStatement('select $1::text as prepared')(db, ['hush'])
  await inTransaction(db, (trx) => sql`select 1 as inside`.execute(trx))
  for (const text of ['select $1::text as plain', 'select $1::text as prepared', 'select 1 as inside'])
    expect(heard).toContain(text)
  expect(heard.join()).not.toContain('hush')
})

/** Another connection to the database of the tests; on PGlite another database. */
async function connectAgain(onStatement: OnStatement): Promise<Database> {
  const given = inject('database')
  if (given.kind === 'postgres') return connectPostgres({ connectionString: given.url, onStatement })
  return connectPglite({ snapshot: await openAsBlob(given.snapshot), onStatement })
}
