import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { limits } from '../../core/lib/limits.ts'
import { codeKey } from '../../incentives/vouchers/store.ts'
import type { SearchQuery, SearchResult } from './schema.ts'

type Kind = 'campaigns' | 'vouchers' | 'customers' | 'orders' | 'products'

interface Searched {
  by: IndexRange[]
  /** What else a row must be: rows that are not are so rare that an index scan soon finds others. */
  where: RawBuilder<unknown>
  columns: RawBuilder<unknown>
}

/**
 * Finds objects by the beginning of an id, a code, a source id, a name or an e-mail. Every condition is a range of an index
 * (docs/decisions/0065-search-and-attention.md): the time does not grow with the tables.
 */
export async function search(ctx: Ctx, { q, limit = limits.search_results_max }: SearchQuery): Promise<SearchResult> {
  const text = q.trim()
  const empty = { campaigns: [], vouchers: [], customers: [], orders: [], products: [] }
  if (text === '') return { object: 'search', query: q, ...empty }
  const searched = kinds(ctx, text)
  const { rows } = await sql<Omit<SearchResult, 'object' | 'query'>>`
    select ${sql.join(
      (Object.keys(searched) as Kind[]).map(
        (kind) => sql`${foundSql(ctx, kind, searched[kind], limit)} as ${sql.ref(kind)}`,
      ),
    )}`.execute(ctx.db)
  return { object: 'search', query: q, ...(rows[0] ?? empty) }
}

function kinds({ project, project_id }: Ctx, text: string): Record<Kind, Searched> {
  const id = startsWith(sql`r.id`, text)
  const source = startsWith(sql`r.source_id`, text)
  const isKept = sql`r.deleted_at is null`
  // Codes are stored as they were made: as typed, in capitals and in small letters are the ways people type them.
  const keys = new Set([text, text.toUpperCase(), text.toLowerCase()].map((code) => codeKey(project, code)))
  return {
    campaigns: {
      by: [startsWithAnyCase(sql`r.name collate "default"`, text), id],
      where: isKept,
      columns: sql`r.id, r.name, r.campaign_type`,
    },
    vouchers: {
      by: [...[...keys].map((key) => startsWith(sql`r.code_key`, key)), id],
      where: sql`r.deleted_at is null and (r.campaign_id is null or exists (select from campaigns c
        where c.project_id = ${project_id} and c.id = r.campaign_id and c.deleted_at is null))`,
      columns: sql`r.id, r.code, r.type, (select c.name from campaigns c
        where c.project_id = ${project_id} and c.id = r.campaign_id) as campaign`,
    },
    customers: {
      by: [startsWithAnyCase(sql`r.email`, text), startsWithAnyCase(sql`r.name`, text), source, id],
      where: isKept,
      columns: sql`r.id, r.name, r.email, r.source_id`,
    },
    orders: { by: [source, id], where: sql`true`, columns: sql`r.id, r.source_id, r.amount, r.status` },
    products: {
      by: [startsWithAnyCase(sql`r.name`, text), source, id],
      where: isKept,
      columns: sql`r.id, r.name, r.source_id`,
    },
  }
}

/** The first rows that each condition finds, each row once, in the order of the conditions. */
const foundSql = ({ project_id }: Ctx, kind: Kind, { by, where, columns }: Searched, limit: number) => sql`(
  select coalesce(json_agg(to_jsonb(r) - 'place' order by r.place), '[]') from (
    select * from (
      select distinct on (r.id) r.* from (${sql.join(
        by.map(
          (
            { condition, order },
            place,
          ) => sql`(select ${sql.lit(place)}::int as place, ${columns} from ${sql.table(kind)} r
            where r.project_id = ${project_id} and ${condition} and ${where} order by ${order} limit ${sql.lit(limit)})`,
        ),
        sql` union all `,
      )}) r order by r.id, r.place
    ) r order by r.place, r.id limit ${sql.lit(limit)}
  ) r)`

interface IndexRange {
  condition: RawBuilder<unknown>
  /** The order of the index: rows are read in it, so that a few are found without reading the others. */
  order: RawBuilder<unknown>
}

/** Above every text that begins with `text`. */
const afterAll = (text: RawBuilder<unknown>) => sql`(${text} || chr(1114111))`

/** A column of collation "C" begins with a text. */
const startsWith = (column: RawBuilder<unknown>, text: string): IndexRange => ({
  condition: sql`${column} >= ${text} and ${column} < ${afterAll(sql`${text}`)}`,
  order: column,
})

/** The same in any letter case, by an index with `text_pattern_ops`. */
const startsWithAnyCase = (column: RawBuilder<unknown>, text: string): IndexRange => {
  const [value, start] = [sql`lower(${column})`, sql`lower(${text}::text)`]
  return { condition: sql`${value} ~>=~ ${start} and ${value} ~<~ ${afterAll(start)}`, order: sql`${value} using ~<~` }
}
