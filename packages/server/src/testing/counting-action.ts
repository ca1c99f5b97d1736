import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Ctx } from '../core/context.ts'
import { defineAsyncAction } from '../core/jobs/async-action.ts'

export interface Counting {
  rows_count: number
  step_rows: number
  /** How long each step holds its transaction open after it has written. */
  pause_ms: number
}

/**
 * Adds one to a counter per row, so that a row processed twice or never can be detected. `onStep` is called before each step
 * is stored, and the step waits for it.
 */
export const countingAction = (onStep: (first: number) => unknown = () => {}) =>
  defineAsyncAction<Counting, { next: number }>({
    type: 'CUSTOMERS.IMPORT_CSV',
    begin: () => ({ next: 0 }),
    async step({ db, project_id }, { rows_count, step_rows, pause_ms }, { next }) {
      const last = Math.min(next + step_rows, rows_count)
      await sql`
        insert into guards as c (project_id, name, version, touched_at)
        select own.id, 'row ' || row, 1, now() from projects own, generate_series(${sql.lit(next)}::int, ${sql.lit(last - 1)}::int) as row
        where own.id = ${project_id}
        on conflict (project_id, name) do update set version = c.version + 1`.execute(db)
      await onStep(next)
      await setTimeout(pause_ms)
      return {
        state: { next: last },
        progress: (last / rows_count) * 100,
        done: last - next,
        failed: [],
        finished: last === rows_count,
      }
    },
    finish: (_ctx, _input, { done_count, failed_count, failed }) => ({
      message: `Counted ${done_count}.`,
      done_count,
      failed_count,
      failed,
    }),
  })

/** The number of rows by how often each was counted: `{ 1: 100 }` when all went well. */
export async function countedRows({ db, project_id }: Pick<Ctx, 'db' | 'project_id'>): Promise<Record<number, number>> {
  const { rows } = await sql<{ used: number; rows: number }>`
    select version as used, count(*)::int as rows from guards where project_id = ${project_id} group by version`.execute(
    db,
  )
  return Object.fromEntries(rows.map(({ used, rows }) => [used, rows]))
}
