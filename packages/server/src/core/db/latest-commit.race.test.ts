import { AbortedTransactionError, sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { newPostgresDatabase } from '../../testing/database.ts'
import { statementsSentBy } from '../../testing/sent-statements.ts'
import { connectPostgres } from './connect.ts'
import type { Db } from './database.ts'
import { latestCommitOf } from './latest-commit.ts'
import { inTransaction } from './transaction.ts'

async function openTracked(): Promise<Db> {
  const { url, drop } = await newPostgresDatabase()
  const { db, close } = connectPostgres({ connectionString: url, connections_max: 1, tracks_commits: true })
  onTestFinished(async () => {
    await close()
    await drop()
  })
  await sql`create table notes (text text)`.execute(db)
  return db
}

const ownId = async (db: Db) =>
  (await sql<{ id: number }>`select pg_current_xact_id()::text::bigint as id`.execute(db)).rows[0]?.id

test('the id of a transaction that writes comes with its commit, in one message', async () => {
  const db = await openTracked()
  const { answer: id, sent } = await statementsSentBy(() =>
    inTransaction(db, async (trx) => {
      await sql`insert into notes values ('a')`.execute(trx)
      return ownId(trx)
    }),
  )
  expect(latestCommitOf(db)?.id).toBe(id)
  expect(sent.at(-1)).toMatch(/; commit$/)
  expect(sent).toHaveLength(4) // begin, insert, ownId and this
})

test('a transaction that only reads, and one that is rolled back, has none', async () => {
  const db = await openTracked()
  await inTransaction(db, (trx) => sql`select from notes`.execute(trx))
  await expect(
    inTransaction(db, async (trx) => {
      await sql`insert into notes values ('a')`.execute(trx)
      throw new Error('no')
    }),
  ).rejects.toThrow('no')
  expect(latestCommitOf(db)?.id).toBe(0)
})

test('a transaction that goes on after a failed statement is not taken for committed, and its connection stays usable', async () => {
  const db = await openTracked()
  const ignoring = inTransaction(db, async (trx) => {
    await sql`insert into notes values ('a')`.execute(trx)
    await sql`select 1 / 0`.execute(trx).catch(() => {})
  })
  await expect(ignoring).rejects.toThrow(AbortedTransactionError)
  expect(latestCommitOf(db)?.id).toBe(0)
  expect((await sql`select * from notes`.execute(db)).rows).toEqual([])
})
