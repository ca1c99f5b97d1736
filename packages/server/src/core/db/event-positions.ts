import { sql } from 'kysely'
import type { Trx } from './transaction.ts'

/**
 * The position of an event is the id of the transaction that inserted it, plus a shift. A dump restored into another server brings
 * positions along, while transaction ids of that server may be lower: then the shift grows, so that new events still follow all old
 * ones. Called at start, before this node writes events (docs/decisions/0052-events-by-position.md).
 */
export async function keepPositionsAscending(trx: Trx): Promise<void> {
  const { rows } = await sql<{ last: number; next: number; shift: number }>`
    select shift, pg_snapshot_xmin(pg_current_snapshot())::text::bigint + shift as next, coalesce((
      select max(latest.position) from projects p cross join lateral (
        select e.position from event_rows e where e.project_id = p.id and e.position > 0
        order by e.position desc limit 1) latest), 0) as last
    from event_positions`.execute(trx)
  const { last, next, shift } = rows[0] as { last: number; next: number; shift: number }
  if (last < next) return
  const newShift = shift + (last + 1 - next)
  await sql`update event_positions set shift = ${newShift}`.execute(trx)
  await sql`alter table event_rows alter column position
    set default (pg_current_xact_id()::text::bigint + ${sql.lit(newShift)})`.execute(trx)
}
