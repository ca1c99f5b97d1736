import { sql } from 'kysely'
import type { Trx } from './transaction.ts'

/** Tables whose rows have a position: events, and those that the statistics add up (docs/decisions/0064-statistics-from-sums.md). */
export const positionedTables = ['event_rows', 'redemptions', 'publications', 'postings', 'orders']

/**
 * The position of a row is the id of the transaction that inserted it, plus a shift. A dump restored into another server brings
 * positions along, while transaction ids of that server may be lower: then the shift grows, so that new rows still follow all old
 * ones. Called at start, before this node writes any (docs/decisions/0052-events-by-position.md).
 *
 * On a distributed database the server is the worker that has the project: it looks here at the last row of each project, and a project
 * that was moved to another worker counts as restored there.
 */
export async function keepPositionsAscending(trx: Trx): Promise<void> {
  const { rows: shifts } = await sql<{ shift: number }>`select shift from event_positions`.execute(trx)
  const { shift } = shifts[0] as { shift: number }
  const { rows } = await sql<Positions>`
    select pg_snapshot_xmin(pg_current_snapshot())::text::bigint + ${shift}::bigint as oldest_running,
      pg_snapshot_xmax(pg_current_snapshot())::text::bigint + ${shift}::bigint as next, latest.position as last,
      latest.written_by
    from projects p cross join lateral (
      select l.position, l.written_by from (
        ${sql.join(
          positionedTables.map(
            (table) => sql`(select e.position, e.xmin::text::bigint as written_by from ${sql.table(table)} e
              where e.project_id = p.id and e.position > 0 order by e.position desc limit 1)`,
          ),
          sql` union all `,
        )}) l
      order by l.position desc limit 1) latest
    where latest.position >= pg_snapshot_xmin(pg_current_snapshot())::text::bigint + ${shift}::bigint`.execute(trx)
  const behind = rows
    .filter((row) => !isWrittenHere(row, shift))
    .map(({ last, oldest_running }) => last + 1 - oldest_running)
  if (behind.length === 0) return
  const newShift = shift + Math.max(...behind)
  await sql`update event_positions set shift = ${newShift}`.execute(trx)
  for (const table of positionedTables)
    await sql`alter table only ${sql.table(table)} alter column position
      set default (pg_current_xact_id()::text::bigint + ${sql.lit(newShift)})`.execute(trx)
}

interface Positions {
  /** The position of the oldest running transaction, and that of the next one. */
  oldest_running: number
  next: number
  /** The highest position of a row of one project, and the lower 32 bits of the transaction that wrote the row. */
  last: number
  written_by: number
}

/**
 * Whether this server wrote the last row, of a transaction that has overtaken an older one: other nodes may be writing. The
 * row is then of that transaction, or of a later one (a savepoint, a rewrite); a restored row is older than all running transactions.
 * The difference is taken modulo 2^32, as transactions are numbered in rows.
 */
const isWrittenHere = ({ last, next, written_by }: Positions, shift: number): boolean =>
  last < next && ((written_by - (last - shift)) | 0) >= 0
