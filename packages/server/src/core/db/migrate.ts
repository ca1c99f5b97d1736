import { sql } from 'kysely'
import { readyForEvents } from '../events/partitions.ts'
import { version } from '../lib/version.ts'
import type { Db } from './database.ts'
import { keepPositionsAscending } from './event-positions.ts'
import { isDistributed } from './is-distributed.ts'
import { type LockWaits, whileMigrating, withShortLockWaits } from './migration-locks.ts'
import * as foundation from './migrations/0001-foundation.ts'
import * as audience from './migrations/0002-audience-and-catalogue.ts'
import * as codes from './migrations/0003-codes.ts'
import * as checkout from './migrations/0004-checkout.ts'
import * as loyalty from './migrations/0005-loyalty.ts'
import * as plans from './migrations/0006-plans.ts'
import * as lean from './migrations/0007-lean-checkout.ts'
import * as sessions from './migrations/0008-ended-sessions.ts'
import * as clientIdentity from './migrations/0009-client-identity.ts'
import * as downloads from './migrations/0010-signed-downloads.ts'
import * as clientOrders from './migrations/0011-client-orders.ts'
import * as webhooks from './migrations/0012-webhooks.ts'
import * as auditLog from './migrations/0013-audit-log.ts'
import * as notifications from './migrations/0014-notifications.ts'
import * as users from './migrations/0015-users-and-branding.ts'
import * as consents from './migrations/0016-consents-and-event-positions.ts'
import * as webhookActivations from './migrations/0017-webhook-activations.ts'
import * as proofOfConsents from './migrations/0018-proof-of-consents-and-logins.ts'
import * as lz4 from './migrations/0019-lz4.ts'
import * as auditBodies from './migrations/0020-audit-bodies.ts'
import * as lists from './migrations/0021-lists.ts'
import * as freeCodes from './migrations/0022-free-codes.ts'
import * as signIn from './migrations/0023-sign-in.ts'
import * as statistics from './migrations/0024-statistics.ts'
import * as partitions from './migrations/0026-partitions.ts'
import * as claimsOfPages from './migrations/0027-claims-of-pages.ts'
import * as unknownFields from './migrations/0028-unknown-fields.ts'
import { NewerSchemaError } from './newer-schema.ts'
import { syncFunctions } from './sync-functions.ts'
import type { Trx } from './transaction.ts'

interface Migration {
  up(db: Db): Promise<void>
  /**
   * Tables that it changes, in the order in which requests use them: they are locked before the first migration starts. A migration
   * that locks one after the other, with seconds of work in between, ends in a deadlock with every request that uses two of them.
   */
  lockedTables?: readonly string[]
}

/**
 * In the order of application. A released migration never changes. Migrations create tables and data; of the functions
 * (functions/*.sql, applied after all migrations) they create only those that their own views and triggers need.
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
  ['0009-client-identity', clientIdentity],
  ['0010-signed-downloads', downloads],
  ['0011-client-orders', clientOrders],
  ['0012-webhooks', webhooks],
  ['0013-audit-log', auditLog],
  ['0014-notifications', notifications],
  ['0015-users-and-branding', users],
  ['0016-consents-and-event-positions', consents],
  ['0017-webhook-activations', webhookActivations],
  ['0018-proof-of-consents-and-logins', proofOfConsents],
  ['0019-lz4', lz4],
  ['0020-audit-bodies', auditBodies],
  ['0021-lists', lists],
  ['0022-free-codes', freeCodes],
  ['0023-sign-in', signIn],
  ['0024-statistics', statistics],
  ['0026-partitions', partitions],
  ['0027-claims-of-pages', claimsOfPages],
  ['0028-unknown-fields', unknownFields],
]

/** The migration that a database has when this release serves it. */
export const newestMigration = (migrations.at(-1) as (typeof migrations)[number])[0]

/**
 * Applies the missing migrations, replaces the functions whose files changed, then runs `afterwards` (the first-start
 * bootstrap), all in one transaction under one lock: ten nodes may start at once on an empty database, and a crash rolls
 * everything back. While others use the tables, the transaction is rolled back and tried again (migration-locks.ts). Throws
 * `NewerSchemaError` and changes nothing if a newer release has migrated the database.
 */
export function migrate<T>(db: Db, afterwards: (trx: Trx) => Promise<T>, waits: LockWaits = {}): Promise<Migrated<T>> {
  return whileMigrating(db, async (connection) => {
    const migrated = await withShortLockWaits(connection, (trx) => migrateIn(trx, afterwards), waits)
    await readyForEvents(connection, Date.now())
    return migrated
  })
}

interface Migrated<T> {
  applied: string[]
  functions: string[]
  result: T
}

async function migrateIn<T>(trx: Trx, afterwards: (trx: Trx) => Promise<T>): Promise<Migrated<T>> {
  // A migration may take longer than any request.
  await sql`set local statement_timeout = 0`.execute(trx)
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(trx)
  // On a distributed database: a transaction that changes several tables does so over one connection per worker.
  if (await isDistributed(trx)) await sql`set local citus.multi_shard_modify_mode = 'sequential'`.execute(trx)
  await sql`create table if not exists migrations (name text primary key, applied_at timestamptz(3) not null default now())`.execute(
    trx,
  )
  const { rows } = await sql<{ name: string }>`select name from migrations`.execute(trx)
  const appliedNames = new Set(rows.map(({ name }) => name))
  const unknown = rows.find(({ name }) => !migrations.some(([migrationName]) => migrationName === name))
  if (unknown !== undefined) throw new NewerSchemaError(`it has migration ${unknown.name}`, version)
  const missing = migrations.filter(([name]) => !appliedNames.has(name))
  for (const [, { lockedTables = [] }] of missing) await lockTables(trx, lockedTables)
  const applied: string[] = []
  for (const [name, migration] of missing) {
    await migration.up(trx)
    await sql`insert into migrations (name) values (${name})`.execute(trx)
    applied.push(name)
  }
  const functions = await syncFunctions(trx)
  await keepPositionsAscending(trx)
  return { applied, functions, result: await afterwards(trx) }
}

/** Locks those of the tables that exist already. */
async function lockTables(trx: Trx, names: readonly string[]): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select name from unnest(${names}::text[]) with ordinality as each (name, place)
    where to_regclass(name) is not null order by place`.execute(trx)
  for (const { name } of rows) await sql`lock table ${sql.table(name)} in access exclusive mode`.execute(trx)
}
