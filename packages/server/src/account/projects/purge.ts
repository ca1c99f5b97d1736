import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '../../core/db/database.ts'
import type { Project } from '../../core/db/project-row.ts'
import { sqlState } from '../../core/db/transaction.ts'

/**
 * Deletes all rows of a deleted project in batches, and the project row last. Idempotent: it can be aborted at any batch and run
 * again, also twice concurrently. Returns `again` when it was aborted.
 */
export async function purgeProject(db: Db, projectId: string, signal?: AbortSignal): Promise<'again' | undefined> {
  const project = await db
    .selectFrom('projects')
    .where('id', '=', projectId as Project['id'])
    .where('deleted_at', 'is not', null)
    .select('id')
    .executeTakeFirst()
  if (project === undefined) return undefined

  // A table still referenced by another one (foreign key violation) is moved to the end of the queue and retried.
  const tables = await tablesWithProjects(db)
  const queue = [...tables]
  let violationsInARow = 0
  for (const table of queue) {
    try {
      if ((await emptyTable(db, table, projectId, signal)) === 'again') return 'again'
      violationsInARow = 0
    } catch (error) {
      violationsInARow += 1
      if (sqlState(error) !== foreignKeyViolation || violationsInARow > tables.length) throw error
      queue.push(table)
    }
  }
  await db.deleteFrom('projects').where('id', '=', project.id).execute()
  return undefined
}

export interface ProjectTable {
  name: string
  /** Columns of its primary key. */
  key: string[]
}

/** Every table with a `project_id` column, read from the database catalogue so that a new table cannot be forgotten. */
export async function tablesWithProjects(db: Db): Promise<ProjectTable[]> {
  const { rows } = await sql<ProjectTable>`
    select t.table_name::text as name,
      array_agg(k.column_name::text order by k.ordinal_position) filter (where k.column_name is not null) as key
    from information_schema.tables t
    join information_schema.columns c
      on c.table_schema = t.table_schema and c.table_name = t.table_name and c.column_name = 'project_id'
    left join information_schema.table_constraints p
      on p.table_schema = t.table_schema and p.table_name = t.table_name and p.constraint_type = 'PRIMARY KEY'
    left join information_schema.key_column_usage k
      on k.constraint_schema = p.constraint_schema and k.constraint_name = p.constraint_name and k.table_name = p.table_name
    where t.table_schema = current_schema() and t.table_type = 'BASE TABLE'
      -- The rows of a partition are deleted through its table: it may be dropped at any time.
      and not (select relispartition from pg_class
        where relnamespace = t.table_schema::regnamespace and relname = t.table_name)
    group by t.table_name
    order by t.table_name`.execute(db)
  const keyless = rows.find(({ key }) => key === null)
  if (keyless !== undefined) throw new Error(`Table ${keyless.name} has no primary key to delete its rows by`)
  return rows
}

const batchRows = 1_000
const foreignKeyViolation = '23503'

/** Deletes the rows of a project in one table, batch by batch. */
export async function emptyTable(
  db: Db,
  table: ProjectTable,
  projectId: string,
  signal?: AbortSignal,
): Promise<'again' | undefined> {
  for (;;) {
    if (signal?.aborted) return 'again'
    if ((await deleteBatch(db, table, projectId)) < batchRows) return undefined
    await setImmediate() // let requests run between batches
  }
}

/** Returns how many rows it found. Some of them a concurrent run may have deleted: they do not mean that there are no others. */
async function deleteBatch(db: Db, { name, key }: ProjectTable, projectId: string): Promise<number> {
  const columns = sql.join(key.map((column) => sql.ref(column)))
  const { rows } = await sql<{ found: number }>`
    with doomed as materialized (
      select ${columns} from ${sql.table(name)} where project_id = ${projectId} limit ${sql.lit(batchRows)}
    ), deleted as (
      delete from ${sql.table(name)} where project_id = ${projectId} and (${columns}) in (select ${columns} from doomed)
    )
    select count(*)::int as found from doomed`.execute(db)
  return rows[0]?.found ?? 0
}
