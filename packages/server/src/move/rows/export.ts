import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../../core/db/database.ts'
import { newestMigration } from '../../core/db/migrate.ts'
import type { Project } from '../../core/db/project-row.ts'
import type { Trx } from '../../core/db/transaction.ts'
import { toInstant } from '../../core/lib/instant.ts'
import { version } from '../../core/lib/version.ts'
import { type ExportEnd, type ExportHeader, formatVersion, rowLine } from './format.ts'
import { requireOwnSchema } from './schema-version.ts'
import { listMovedTables, type MovedTable, projectColumns } from './tables.ts'

/**
 * Everything that a project owns as text, some lines at a time, and at last what was written. One snapshot of the database, beside nodes
 * that serve; it holds no locks that they wait for (docs/decisions/0073-projects-as-json-lines.md).
 */
export async function* exportProject(db: Db, project: Project, now: number): AsyncGenerator<string, ExportEnd> {
  await requireOwnSchema(db)
  const trx = await db.startTransaction().setIsolationLevel('repeatable read').execute()
  try {
    // The reader of the output may be slow, and many events take long to sort.
    await sql`set local statement_timeout = 0`.execute(trx)
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(trx)
    await refuseUnfinishedWork(trx, project)
    const hash = createHash('sha256')
    const tables: Record<string, number> = {}
    const header = `${JSON.stringify(await headerOf(trx, project, now))}\n`
    hash.update(header)
    yield header
    for (const table of await listMovedTables(trx)) {
      tables[table.name] = 0
      for await (const rows of readInBatches(trx, table, project.id)) {
        const text = rows.map((row) => rowLine({ table: table.name, row })).join('')
        tables[table.name] = (tables[table.name] as number) + rows.length
        hash.update(text)
        yield text
      }
    }
    const rows = Object.values(tables).reduce((sum, count) => sum + count, 0)
    const end: ExportEnd = { end: true, rows, tables, sha256: hash.digest('hex') }
    yield `${JSON.stringify(end)}\n`
    return end
  } finally {
    await trx.rollback().execute() // nothing was written
  }
}

/** The job queue does not travel: the work would stay unfinished for ever, and its campaign would wait for it. */
async function refuseUnfinishedWork(trx: Trx, { id }: Project): Promise<void> {
  const actions = await trx
    .selectFrom('async_actions')
    .where('project_id', '=', id)
    .where('status', 'in', ['ENQUEUED', 'IN_PROGRESS'])
    .select('type')
    .execute()
  if (actions.length === 0) return
  const types = [...new Set(actions.map(({ type }) => type))].sort().join(', ')
  throw new Error(`The project has unfinished async actions (${types}). Wait until they have ended, then export again.`)
}

async function headerOf(trx: Trx, { id }: Project, now: number): Promise<ExportHeader> {
  const { rows } = await sql<{ settings: string }>`
    select row_to_json(p)::text as settings from (
      select ${refs(await projectColumns(trx))} from projects where id = ${id}) p`.execute(trx)
  const [{ settings }] = rows as [{ settings: string }]
  return {
    guerdon_export: formatVersion,
    release: version,
    migration: newestMigration, // requireOwnSchema has compared it
    exported_at: toInstant(now),
    project: { id, ...JSON.parse(settings) },
  }
}

/** Rows are fetched so many at a time that a batch has about this size, whatever the size of a row. */
const batchBytes = 1_048_576
const batchRowsMax = 2_000

/** The rows of a table in the order of its key, as JSON texts that PostgreSQL wrote: every value keeps all its digits. */
async function* readInBatches(trx: Trx, { name, key, columns }: MovedTable, projectId: string) {
  await sql`declare moved_rows no scroll cursor for
    select row_to_json(r)::text as row from (
      select ${refs(columns)} from ${sql.table(name)} where project_id = ${sql.lit(projectId)} order by ${orderOf(name, key)}) r`.execute(
    trx,
  )
  let wanted = 100
  for (;;) {
    const { rows } = await sql<{ row: string }>`fetch ${sql.lit(wanted)} from moved_rows`.execute(trx)
    if (rows.length > 0) yield rows.map(({ row }) => row)
    if (rows.length < wanted) break
    const averageBytes = rows.reduce((sum, { row }) => sum + row.length, 0) / rows.length
    wanted = Math.max(1, Math.min(batchRowsMax, wanted * 4, Math.floor(batchBytes / averageBytes)))
  }
  await sql`close moved_rows`.execute(trx)
}

/**
 * By its key; events as consumers read them (monitoring/events/store.ts): the import gives them positions in the order of the file, and a
 * search by time relies on positions that grow with time.
 */
const orderOf = (name: string, key: readonly string[]) =>
  name === 'event_rows' ? sql`position, right(id, 18) collate "C", id` : refs(key)

const refs = (columns: readonly string[]) => sql.join(columns.map((column) => sql.ref(column)))
