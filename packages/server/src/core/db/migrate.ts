import { sql } from 'kysely'
import { version } from '../lib/version.ts'
import type { Db } from './database.ts'
import * as foundation from './migrations/0001-foundation.ts'
import * as audience from './migrations/0002-audience-and-catalogue.ts'
import * as codes from './migrations/0003-codes.ts'
import * as checkout from './migrations/0004-checkout.ts'
import * as loyalty from './migrations/0005-loyalty.ts'
import * as plans from './migrations/0006-plans.ts'
import * as lean from './migrations/0007-lean-checkout.ts'
import * as sessions from './migrations/0008-ended-sessions.ts'
import { NewerSchemaError } from './newer-schema.ts'
import { syncFunctions } from './sync-functions.ts'
import { inTransaction, type Trx } from './transaction.ts'

interface Migration {
  up(db: Db): Promise<void>
}

/**
 * In the order they are applied. A migration that has been released never changes. It makes tables and data; of the functions
 * (functions/*.sql, applied after all migrations) it makes only those that its own views and triggers cannot do without.
 */
const migrations: ReadonlyArray<readonly [name: string, migration: Migration]> = [
  ['0001-foundation', foundation],
  ['0002-audience-and-catalogue', audience],
  ['0003-codes', codes],
  ['0004-checkout', checkout],
  ['0005-loyalty', loyalty],
  ['0006-plans', plans],
  ['0007-lean-checkout', lean],
  ['0008-ended-sessions', sessions],
]

/** Any number, the same on every node: the node that holds the lock migrates, the others wait and find the work done. */
const migrationLock = 7_309_453_615

/**
 * Applies the migrations that are missing, makes the functions equal to their files, then runs `afterwards` (the first-start
 * bootstrap), all in one transaction under one lock: ten nodes may start at once on an empty database, and a crash leaves
 * nothing behind. Throws `NewerSchemaError` and changes nothing if a newer release has prepared the database.
 */
export async function migrate<T>(
  db: Db,
  afterwards: (trx: Trx) => Promise<T>,
): Promise<{ applied: string[]; functions: string[]; result: T }> {
  return inTransaction(db, async (trx) => {
    // A migration may take longer than any request; a node that waits for the lock waits as long.
    await sql`set local lock_timeout = 0`.execute(trx)
    await sql`set local statement_timeout = 0`.execute(trx)
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(trx)
    await sql`select pg_advisory_xact_lock(${sql.lit(migrationLock)})`.execute(trx)
    await sql`create table if not exists migrations (name text primary key, applied_at timestamptz(3) not null default now())`.execute(
      trx,
    )
    const { rows } = await sql<{ name: string }>`select name from migrations`.execute(trx)
    const known = new Set(rows.map(({ name }) => name))
    const unknown = rows.find(({ name }) => !migrations.some(([own]) => own === name))
    if (unknown !== undefined) throw new NewerSchemaError(`it has migration ${unknown.name}`, version)
    const applied: string[] = []
    for (const [name, migration] of migrations) {
      if (known.has(name)) continue
      await migration.up(trx)
      await sql`insert into migrations (name) values (${name})`.execute(trx)
      applied.push(name)
    }
    const functions = await syncFunctions(trx)
    return { applied, functions, result: await afterwards(trx) }
  })
}
