import type { Ms } from '@guerdon/engine'
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { type Instant, toInstant } from '../../core/lib/instant.ts'
import { limits } from '../../core/lib/limits.ts'
import { type Figure, type Figures, figures, wholeProject } from './figures.ts'
import { type Range, stretchesOf } from './ranges.ts'
import { sourceNames } from './sources.ts'
import { tailParts } from './tail-sql.ts'

export interface StatisticsQuestion {
  /** A campaign, or the whole project. */
  scope_id: string
  /** In the order of time, without overlaps. */
  points: readonly Range[]
  /** The range of the lists; for the whole project only. */
  range: Range
}

export interface CampaignFigures {
  id: string
  redemptions: number
  discount_amount: number
  order_amount: number
}

export interface Sums {
  /** For each point. */
  points: Figures[]
  all_time: Figures
  /** The campaigns with most discounts, and those with the highest value of orders. */
  campaigns: CampaignFigures[]
  campaigns_by_order_amount: CampaignFigures[]
  refusals: Array<{ reason: string; count: number }>
  /** Value of the cards that exist. */
  owed: { points: number; gift_cards: number }
  /** Up to when everything is counted. */
  updated_at: Instant
  /** Whether rows from before the sums were kept are still being added. */
  has_history_to_add: boolean
}

/**
 * Reads the sums and the rows that are not in them yet, in one statement: in one snapshot, no row is in both or in neither. If too
 * many rows wait, they are left out, and `updated_at` says how old the figures are.
 */
export async function readSums(ctx: Ctx, { scope_id, points, range }: StatisticsQuestion): Promise<Sums> {
  const { db, project_id } = ctx
  const stretches = points.flatMap((point, place) => stretchesOf(point).map((stretch) => ({ place, ...stretch })))
  const ofProject = scope_id === wholeProject
  const { rows } = await sql<StatementRow>`
    with ${tailParts(project_id, limits.statistics_tail_rows_max)},
    stretches as materialized (
      select * from unnest(${stretches.map(({ place }) => place)}::int[], ${stretches.map(({ grain }) => grain)}::int[],
        ${stretches.map(({ from }) => toInstant(from))}::timestamptz[], ${stretches.map(({ to }) => toInstant(to))}::timestamptz[])
        as stretch (place, grain, starts_at, ends_at)
    ),
    series as (
      select stretches.place, ${sumsOf(sql`part`)} from stretches
      cross join lateral (
        select ${columnsOf(sql`s`)} from statistics_sums s
        where s.project_id = ${project_id} and s.scope_id = ${scope_id} and s.grain = stretches.grain
          and s.starts_at >= stretches.starts_at and s.starts_at < stretches.ends_at
        offset 0 -- keeps the planner from joining all sums with all stretches
      ) part group by stretches.place
    ),
    recent as (
      select starts_at, ${sumsOf(sql`tail`)} from tail where scope_id = ${scope_id} group by starts_at
    )
    ${ofProject ? sql`, ${listParts(project_id, range)}` : sql``}
    select
      (select coalesce(json_agg(series), '[]') from series) as series,
      (select coalesce(json_agg(recent), '[]') from recent) as recent,
      (select row_to_json(s) from (select ${columnsOf(sql`s`)} from statistics_sums s
        where s.project_id = ${project_id} and s.scope_id = ${scope_id} and s.grain = 0) s) as all_time,
      ${ofProject ? lists : noLists},
      ${owedSql(project_id, scope_id)} as owed,
      (select added_up_at from progress) as added_up_at,
      (select ${sql.join(
        sourceNames.map((source) => sql`${sql.ref(source)} <= ${limits.statistics_tail_rows_max}`),
        sql` and `,
      )} from pending) as has_tail,
      exists (select from statistics_history where project_id = ${project_id}) as has_history_to_add`.execute(db)
  const row = rows[0] as StatementRow
  const byPlace = new Map(row.series.map(({ place, ...sums }) => [place, sums]))
  const sums = points.map((_, place) => capped(byPlace.get(place) ?? {}))
  for (const { starts_at, ...more } of row.recent) {
    const place = placeOf(points, Date.parse(starts_at))
    if (place !== undefined) sums[place] = plus(sums[place] as Figures, more)
  }
  return {
    points: sums,
    all_time: row.recent.reduce((sum, { starts_at: _, ...more }) => plus(sum, more), capped(row.all_time ?? {})),
    campaigns: row.campaigns,
    campaigns_by_order_amount: row.campaigns_by_order_amount,
    refusals: row.refusals,
    owed: row.owed,
    updated_at: row.has_tail ? ctx.now : earlier(row.added_up_at ?? ctx.project.created_at, ctx.now),
    has_history_to_add: row.has_history_to_add,
  }
}

interface StatementRow {
  series: Array<Partial<Figures> & { place: number }>
  recent: Array<Partial<Figures> & { starts_at: string }>
  all_time: Partial<Figures> | null
  campaigns: CampaignFigures[]
  campaigns_by_order_amount: CampaignFigures[]
  refusals: Sums['refusals']
  owed: Sums['owed']
  added_up_at: Instant | null
  has_tail: boolean
  has_history_to_add: boolean
}

/**
 * Campaigns and reasons of refusals in a range. Each stretch is a part of its own, for whose values the planner takes the index; joined with
 * a list of stretches it would read all sums.
 */
function listParts(projectId: string, range: Range): RawBuilder<unknown> {
  const stretches = stretchesOf(range)
  const within = ({ from, to }: Range) =>
    sql`starts_at >= ${toInstant(from)}::timestamptz and starts_at < ${toInstant(to)}::timestamptz`
  const fromSums = (columns: RawBuilder<unknown>, table: RawBuilder<unknown>, scopes: RawBuilder<unknown>) =>
    sql.join(
      stretches.map(
        (stretch) => sql`select ${columns} from ${table}
          where project_id = ${projectId} and ${scopes} and grain = ${sql.lit(stretch.grain)} and ${within(stretch)}`,
      ),
      sql` union all `,
    )
  return sql`used as materialized (
      select u.scope_id as id, ${sql.join(
        (['redemptions', 'discount_amount', 'order_amount'] as const).map(
          (name) => sql`${cappedSql(sql`sum(u.${sql.ref(name)})`)} as ${sql.ref(name)}`,
        ),
      )}
      from (
        ${fromSums(sql`scope_id, redemptions, discount_amount, order_amount`, sql`statistics_sums`, sql`scope_id <> ''`)}
        union all
        select scope_id, redemptions, discount_amount, order_amount from tail where scope_id <> '' and ${within(range)}
      ) u
      group by u.scope_id having sum(u.redemptions) > 0
    ),
    refused as materialized (
      select u.reason, sum(u.count)::bigint as count from (
        ${fromSums(sql`reason, count`, sql`statistics_refusals`, sql`scope_id = ''`)}
        union all
        select reason, failed_redemptions from tail where scope_id = '' and reason is not null and ${within(range)}
      ) u
      group by u.reason
    )`
}

const listed = (query: RawBuilder<unknown>) => sql`(select coalesce(json_agg(row_to_json(l)), '[]') from (${query}) l)`

const lists = sql`
  ${listed(sql`select * from used order by discount_amount desc, redemptions desc, id limit 10`)} as campaigns,
  ${listed(sql`select * from used order by order_amount desc, redemptions desc, id limit 10`)} as campaigns_by_order_amount,
  ${listed(sql`select * from refused order by count desc, reason limit 10`)} as refusals`

const noLists = sql`'[]'::json as campaigns, '[]'::json as campaigns_by_order_amount, '[]'::json as refusals`

/**
 * What is owed to the holders of cards: the sum of all postings, without those of deleted cards (tallies, see
 * core/db/functions/subtract_deleted_card.sql) and of campaigns that are deleted or in the bin.
 */
function owedSql(projectId: string, scopeId: string): RawBuilder<unknown> {
  const kinds = ['points', 'gift_cards'] as const
  const sumOf = (kind: (typeof kinds)[number], scope: RawBuilder<unknown>) => {
    const column = sql.ref(`${kind}_owed`)
    return sql`(coalesce((select sum(${column}) from statistics_sums where project_id = ${projectId} and grain = 0 and scope_id = ${scope}), 0)
      + coalesce((select sum(${column}) from tail where scope_id = ${scope}), 0))`
  }
  const removed = (kind: string, scope: RawBuilder<unknown>) =>
    sql`coalesce((select sum(delta) from tallies where project_id = ${projectId} and name = 'owed/' || ${scope} || ${`/${kind}`}), 0)`
  if (scopeId !== wholeProject)
    return sql`json_build_object(${sql.join(
      kinds.map((kind) => {
        const scope = sql`${scopeId}::text`
        return sql`${sql.lit(kind)}, ${cappedSql(sql`${sumOf(kind, scope)} + ${removed(kind, scope)}`)}`
      }),
    )})`
  return sql`(
    select json_build_object(${sql.join(
      kinds.map(
        (kind) =>
          sql`${sql.lit(kind)}, ${cappedSql(sql`${sumOf(kind, sql`''`)} + ${removed(kind, sql`''`)}
          - coalesce(sum(c.${sql.ref(kind)}) filter (where not c.is_alive), 0)
          + coalesce(sum(c.${sql.ref(`removed_${kind}`)}) filter (where c.is_alive), 0)`)}`,
      ),
    )})
    from (
      select scope_id, ${sql.join(kinds.map((kind) => sql`sum(${sql.ref(`${kind}_owed`)}) as ${sql.ref(kind)}`))},
        ${sql.join(kinds.map((kind) => sql`${removed(kind, sql`scope_id`)} as ${sql.ref(`removed_${kind}`)}`))},
        exists (select from campaigns where campaigns.project_id = ${projectId} and campaigns.id = scope_id
          and campaigns.deleted_at is null) as is_alive
      from (
        select scope_id, points_owed, gift_cards_owed from statistics_sums
        where project_id = ${projectId} and grain = 0 and scope_id <> '' and (points_owed <> 0 or gift_cards_owed <> 0)
        union all
        select scope_id, points_owed, gift_cards_owed from tail where scope_id <> '' and (points_owed <> 0 or gift_cards_owed <> 0)
      ) cards group by scope_id
    ) c)`
}

const columnsOf = (table: RawBuilder<unknown>) => sql.join(figures.map((name) => sql`${table}.${sql.ref(name)}`))

const sumsOf = (table: RawBuilder<unknown>) =>
  sql.join(figures.map((name) => sql`sum(${table}.${sql.ref(name)}) as ${sql.ref(name)}`))

/** Sums of amounts may exceed the integers that JSON numbers represent exactly: they are capped there. */
const cappedSql = (value: RawBuilder<unknown>) =>
  sql`least(greatest(${value}, -9007199254740991), 9007199254740991)::bigint`

const cap = (value: number) => Math.max(-Number.MAX_SAFE_INTEGER, Math.min(value, Number.MAX_SAFE_INTEGER))

const capped = (sums: Partial<Figures>): Figures =>
  Object.fromEntries(figures.map((name): [Figure, number] => [name, cap(sums[name] ?? 0)])) as Figures

export const plus = (a: Figures, b: Partial<Figures>): Figures =>
  Object.fromEntries(figures.map((name): [Figure, number] => [name, cap(a[name] + (b[name] ?? 0))])) as Figures

export const noFigures = capped({})

/** The clock of the database, which says when something was added up, may be ahead of that of this node. */
const earlier = (a: Instant, b: Instant): Instant => (a < b ? a : b)

/** The point that contains a moment. */
function placeOf(points: readonly Range[], at: Ms): number | undefined {
  let [low, high] = [0, points.length - 1]
  while (low <= high) {
    const middle = (low + high) >> 1
    const { from, to } = points[middle] as Range
    if (at < from) high = middle - 1
    else if (at >= to) low = middle + 1
    else return middle
  }
  return undefined
}
