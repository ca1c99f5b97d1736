import { type RawBuilder, sql } from 'kysely'
import { changesSql } from './changes-sql.ts'
import { sourceNames } from './sources.ts'

/**
 * The parts of a statement that find the rows which are not in the sums yet: `progress`, `pending` (how many wait, per table, up to
 * one more than `rowsMax`) and `tail` (what they add). A table with more waiting rows is left out of the tail: they would take too long.
 */
export function tailParts(projectId: string, rowsMax: number): RawBuilder<unknown> {
  const isPending = (source: string) =>
    sql`r.position > 0 and r.position > (select ${sql.ref(`${source}_to`)} from progress)`
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
          (source) => sql`(select count(*) from (
            select from ${sql.table(source)} r where r.project_id = ${projectId} and ${isPending(source)} limit ${rowsMax + 1}
          ) r) as ${sql.ref(source)}`,
        ),
      )}
    ),
    tail as materialized (
      ${sql.join(
        sourceNames.map((source) =>
          changesSql[source](
            projectId,
            sql`${isPending(source)} and (select ${sql.ref(source)} <= ${rowsMax} from pending)`,
          ),
        ),
        sql` union all `,
      )}
    )`
}
