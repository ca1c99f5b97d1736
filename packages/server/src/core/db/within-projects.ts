import { type RawBuilder, sql } from 'kysely'
import type { Db } from './database.ts'
import { isDistributed } from './is-distributed.ts'

/** The condition that keeps a statement within the projects that it is for, by the column of a table: `within('t.project_id')`. */
export type Within = (column: string) => RawBuilder<boolean>

const everywhere: Within = () => sql`true`

/** The condition for one project. */
const inProject =
  (projectId: string): Within =>
  (column) =>
    sql`${sql.ref(column)} = ${projectId}`

/** Projects in one round: the next round finds the others. */
const projectsMax = 1_000

/**
 * Runs work on rows of any project: once for all of them, or on a distributed database once for each project that has such rows, because
 * rows of several servers cannot be locked by one statement. `rows` is a table with its condition, which the work makes untrue. `work`
 * also gets the project, or null, and returns how many rows it processed. Returns the sum.
 */
export async function withinProjects(
  db: Db,
  rows: RawBuilder<unknown>,
  work: (within: Within, projectId: string | null) => Promise<number>,
): Promise<number> {
  if (!(await isDistributed(db))) return work(everywhere, null)
  const { rows: projects } = await sql<{ project_id: string }>`
    select distinct project_id from (select project_id from ${rows}) found limit ${sql.lit(projectsMax)}`.execute(db)
  let processed = 0
  for (const { project_id } of projects) processed += await work(inProject(project_id), project_id)
  return processed
}
