import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../core/db/database.ts'
import { isDuplicate, type Trx } from '../../core/db/transaction.ts'
import { transactionOn } from '../../core/db/transaction-on.ts'
import { type Claim, confirmClaim } from './claim.ts'
import type { MovedTable } from './tables.ts'

/** Rows of one table that are inserted by one statement. */
export interface RowBatch {
  table: MovedTable
  /** JSON objects as text. */
  rows: string[]
}

/** Inserts rows into the claimed project, all or none. PostgreSQL reads the JSON, so that no number passes through JavaScript. */
export async function insertRows(db: Db, claim: Claim, { table, rows }: RowBatch): Promise<void> {
  try {
    await db.transaction().execute(async (trx) => {
      await confirmClaim(trx, claim)
      await insertInto(trx, claim, table, rows)
    })
  } catch (error) {
    if (table.name === 'api_keys' && isDuplicate(error))
      throw new Error('A key of the file exists in this database already. Import a copy with keys of its own: --as ID.')
    throw error
  }
}

async function insertInto(trx: Trx, claim: Claim, table: MovedTable, rows: string[]) {
  const { name, columns, is_configuration } = table
  const values: Array<[column: string, value: RawBuilder<unknown>]> = [
    ...columns.map((column): [string, RawBuilder<unknown>] => [column, importedValue(table, column, claim)]),
    ['project_id', sql`own.id`],
    ...(is_configuration ? [configurationVersion(claim)] : []),
    ...(name === 'segments' ? [walkAfter(await transactionOn(trx, claim.project_id))] : []),
  ]
  const { numAffectedRows } = await sql`
    insert into ${sql.table(name)} (${sql.join(values.map(([column]) => sql.ref(column)))})
    select ${sql.join(values.map(([, value]) => value))}
    from projects own, json_populate_recordset(null::${sql.table(name)}, ${`[${rows.join(',')}]`}::json) r
    where own.id = ${claim.project_id}`.execute(trx)
  if (Number(numAffectedRows) !== rows.length)
    throw new Error(`The file is damaged: lines of ${name} have more or less than one row each.`)
}

function importedValue({ name, required_json }: MovedTable, column: string, { is_copy }: Claim): RawBuilder<unknown> {
  // A copy of a project must not send anything to the receivers of the original.
  if (is_copy && name === 'webhooks' && column === 'active') return sql`false`
  const value = sql`r.${sql.ref(column)}`
  // PostgreSQL reads a null of the file as NULL.
  return required_json.includes(column) ? sql`coalesce(${value}, 'null')` : value
}

const configurationVersion = ({ config_version }: Claim): [string, RawBuilder<unknown>] => [
  'config_version',
  sql`${config_version}::bigint`,
]

/** A recompute that was running waits for the transactions of this server that have begun before it goes on. */
const walkAfter = (transaction: string | null): [string, RawBuilder<unknown>] => [
  'walk_after',
  sql`case when r.walk_started_at is not null then ${transaction}::xid8 end`,
]
