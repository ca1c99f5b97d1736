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
  /** A partition that was taken out of its table, and not dropped: an archive was interrupted. */
  is_detached: boolean
}

/** Every table with a `project_id` column, read from the database catalogue so that a new table cannot be forgotten. */
export async function tablesWithProjects(db: Db): Promise<ProjectTable[]> {
  const { rows } = await sql<ProjectTable>`
    select c.relname::text as name, k.columns as key,
      exists (select from pg_class p where p.relnamespace = c.relnamespace and p.relkind = 'p'
        and c.relname ~ ('^' || p.relname || '_([0-9]+|before|default)$')) as is_detached
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'project_id' and not a.attisdropped
    left join lateral (
      select array_agg(a.attname::text order by k.place) as columns
      from pg_index i cross join unnest(i.indkey) with ordinality k (attnum, place)
      join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
      where i.indisprimary and i.indrelid = (
        -- Events have no key of the whole table, only one in each partition, which is as good (core/db/partitions.ts).
        select x.indrelid from pg_index x
        where x.indisprimary
          and (x.indrelid = c.oid or x.indrelid in (select inhrelid from pg_inherits where inhparent = c.oid))
        order by x.indrelid = c.oid desc limit 1)
    ) k on true
    -- The rows of a partition are deleted through its table: it may be dropped at any time.
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    order by 1`.execute(db)
  const keyless = rows.find(({ key }) => key === null)
  if (keyless !== undefined) throw new Error(`Table ${keyless.name} has no primary key to delete its rows by`)
  return rows
}

const batchRows = 1_000
const foreignKeyViolation = '23503'

/** Deletes the rows of a project in one table, batch by batch. */
export async function emptyTable(
  db: Db,
  table: Pick<ProjectTable, 'name' | 'key'>,
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
async function deleteBatch(
  db: Db,
  { name, key }: Pick<ProjectTable, 'name' | 'key'>,
  projectId: string,
): Promise<number> {
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
