import { type RawBuilder, sql } from 'kysely'
import { changesSql } from './changes-sql.ts'
import { sourceNames } from './sources.ts'

/**
 * The parts of a statement that find the rows which are not in the sums yet: `progress`, `pending` (how many wait, per table, up to
 * one more than `rowsMax`) and `tail` (what they add). A table with more waiting rows is left out of the tail: they would take too long.
 */
export function tailParts(projectId: string, rowsMax: number): RawBuilder<unknown> {
  const waiting = (source: string, columns: RawBuilder<unknown>, count: number) => sql`
    select ${columns} from ${sql.table(source)} r
    where r.project_id = ${projectId} and r.position > 0 and r.position > (select ${sql.ref(`${source}_to`)} from progress)
    order by r.position limit ${sql.lit(count)}`
  return sql`progress as materialized (
      select max(added_up_at) as added_up_at, ${sql.join(
        sourceNames.map((source) => {
          const reached = sql.ref(`${source}_to`)
          return sql`coalesce(max(${reached}), 0) as ${reached}`
        }),
      )} from statistics_progress where project_id = ${projectId}
    ),
    pending as materialized (
      select ${sql.join(
        sourceNames.map(
          (source) => sql`(select count(*) from (${waiting(source, sql``, rowsMax + 1)}) r) as ${sql.ref(source)}`,
        ),
      )}
    ),
    tail as materialized (
      ${sql.join(
        sourceNames.map((source) => {
          const fits = sql`(select ${sql.ref(source)} <= ${sql.lit(rowsMax)} from pending)`
          return changesSql[source](
            projectId,
            sql`select * from (${waiting(source, sql`r.*`, rowsMax)}) r where ${fits}`,
          )
        }),
        sql` union all `,
      )}
    )`
}
