import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../context.ts'
import type { Db } from '../db/database.ts'
import { monthOf } from '../db/periods.ts'
import { plannedForValues } from '../db/prepared-statements.ts'
import { invalidQuery } from '../http/errors.ts'
import { timeDigitsAt } from '../lib/ids.ts'
import { limits } from '../lib/limits.ts'
import type { Condition } from '../query/filter/conditions.ts'
import { type CompleteEvent, inPartitionsOf, readEvents, timePartOf } from './read-events.ts'
import { withoutProofs } from './without-proofs.ts'

interface Page {
  limit?: number
  order?: 'created_at' | '-created_at'
  starting_after_id?: string
}

interface Filter {
  where: readonly Condition[]
  /** The view has the data, too, which takes longer. */
  table: 'event_rows' | 'events'
}

interface PageOfEvents {
  events: CompleteEvent[]
  has_more: boolean
  more_starting_after?: string
}

/** A page of the events of one entity. The ids are found first: data is put together for events of the page only. */
export async function pageOfEntity(ctx: Ctx, entityId: string, page: Page, filter: Filter): Promise<PageOfEvents> {
  const { limit = limits.page_size_default } = page
  const ids = await findIds(ctx, entityId, { ...page, limit: limit + 1 }, filter)
  const found = await readEvents(ctx.db, ctx.project_id, ids.slice(0, limit), Number.MAX_SAFE_INTEGER)
  const events = found.events.map((event) => withoutProofs(ctx.project, event))
  const last = ids[limit - 1]
  if (ids.length <= limit || last === undefined) return { events, has_more: false }
  return { events, has_more: true, more_starting_after: last }
}

/** The ids of a page. They sort by time, so that they are read from the index on entities, from one stretch of time after the other. */
async function findIds(
  { db, project_id }: Ctx,
  entityId: string,
  { order = '-created_at', starting_after_id, limit }: Page & { limit: number },
  { where, table }: Filter,
): Promise<string[]> {
  const [direction, beyond] = order === 'created_at' ? [sql`asc`, sql`>`] : [sql`desc`, sql`<`]
  const conditions = [sql`e.project_id = ${project_id}`, sql`e.entity_id = ${entityId}`, ...where]
  if (starting_after_id !== undefined) {
    await requireEvent(db, project_id, entityId, starting_after_id)
    conditions.push(sql`e.id ${beyond} ${starting_after_id}`)
  }
  const ids: string[] = []
  for (const stretch of stretchesOf(order, starting_after_id)) {
    const isFew = stretch.from !== '' && stretch.to === '~'
    const within = isFew || table === 'events' ? whilePlanned(stretch) : whenExecuted(stretch)
    const { rows } = await sql<{ id: string }>`
      select e.id from ${sql.table(table)} e where ${sql.join([...conditions, ...within.conditions], sql` and `)}
      order by e.id ${direction} limit ${sql.lit(limit - ids.length)} ${within.hint}`.execute(db)
    ids.push(...rows.map(({ id }) => id))
    if (ids.length === limit) break
  }
  return ids
}

/** Digits of time; empty and `~`: unbounded. */
interface Stretch {
  from: string
  to: string
}

/** The last month or two, the last year, and what is older: most pages need no more than the first, which is in few partitions. */
function stretchesOf(order: 'created_at' | '-created_at', after: string | undefined): Stretch[] {
  const [year, month] = [-12, -1].map((later) => timeDigitsAt(monthOf(Date.now(), later))) as [string, string]
  const bounds = [
    { from: month, to: '~' },
    { from: year, to: month },
    { from: '', to: year },
  ]
  if (order === 'created_at') bounds.reverse()
  const reached = after === undefined ? null : timePartOf(after)
  return bounds.filter(({ from, to }) => reached === null || (order === 'created_at' ? to > reached : from <= reached))
}

interface Within {
  conditions: Condition[]
  hint: RawBuilder<unknown>
}

const between = ({ from, to }: Stretch, value: (digits: string) => RawBuilder<string>): Condition[] => [
  ...(from === '' ? [] : [sql<boolean>`right(e.id, 18) >= ${value(from)}`]),
  ...(to === '~' ? [] : [sql<boolean>`right(e.id, 18) < ${value(to)}`]),
]

/** PostgreSQL leaves out other partitions while it plans the statement: that takes longer, the more are left. */
const whilePlanned = (stretch: Stretch): Within => ({
  conditions: between(stretch, (digits) => sql`${digits}`),
  hint: sql.raw(plannedForValues),
})

/**
 * PostgreSQL leaves them out when it executes the statement, and keeps one plan for all values: `concat` is not evaluated while it plans. A
 * plan of a dozen partitions takes ten times as long as to read them.
 */
const whenExecuted = (stretch: Stretch): Within => ({
  conditions: between(stretch, (digits) => sql`concat(${digits}::text)`),
  hint: sql``,
})

async function requireEvent(db: Db, projectId: string, entityId: string, id: string): Promise<void> {
  const { rows } = id.includes('\0')
    ? { rows: [] }
    : await sql`select from event_rows e
    where e.project_id = ${projectId} and e.id = ${id} and ${inPartitionsOf([id]).e} and e.entity_id = ${entityId}`.execute(
        db,
      )
  if (rows.length === 0) throw invalidQuery('Property .starting_after_id must be the id of an object in this list')
}
