import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { Db } from '../../core/db/database.ts'
import { isDistributed } from '../../core/db/is-distributed.ts'
import { preparedStatement } from '../../core/db/prepared-statements.ts'
import type { AuditBodiesRow, AuditLogRow } from '../../core/db/tables.ts'
import { inTransaction, sqlState } from '../../core/db/transaction.ts'
import type { ClaimedCredentials } from '../../core/http/audit-log.ts'
import { invalidQuery } from '../../core/http/errors.ts'
import { hashOf } from '../../core/http/secrets.ts'
import { limits } from '../../core/lib/limits.ts'
import type { Condition } from '../../core/query/filter/conditions.ts'
import { type BodiesPlace, decompress, packBodies, unpackBodies } from './bodies.ts'

/** An entry as it is inserted. */
export interface NewAuditLogRow extends Pick<AuditLogRow, 'request_body' | 'response_body'> {
  head: Omit<AuditLogRow, 'created_at' | 'request_body' | 'response_body' | keyof BodiesPlace> & {
    /** Unix milliseconds. */
    at: number
  }
}

/**
 * Inserts entries. One that exists is left alone, so that a batch can be sent again when it is unknown whether it arrived. Entries
 * of a project that was deleted in the meantime are left out: its log may be purged already.
 */
export async function insertEntries(db: Db, entries: readonly NewAuditLogRow[]): Promise<void> {
  const { places, rows } = packBodies(entries)
  let end = 0
  const bodies = rows.map(({ project_id, id, data }) => {
    end += data.length
    return { project_id, id, length: data.length, from: end - data.length + 1 }
  })
  const heads = entries.map(({ head }, n) => ({ ...head, ...places[n] }))
  const data = Buffer.concat(rows.map(({ data }) => data))
  if (!(await isDistributed(db))) await insert(db, [JSON.stringify(heads), JSON.stringify(bodies), data])
  else {
    const live = await liveOf(db, new Set(heads.map(({ project_id }) => project_id)))
    const ofLive = (of: ReadonlyArray<{ project_id: string }>) =>
      JSON.stringify(of.filter(({ project_id }) => live.has(project_id)))
    await inTransaction(db, async (trx) => {
      await insertBodies(trx, [ofLive(bodies), data])
      await insertHeads(trx, [ofLive(heads)])
    })
  }
}

/** Those of the projects that are not deleted. */
async function liveOf(db: Db, projects: ReadonlySet<string>): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from projects where id = any(${[...projects]}::text[]) and deleted_at is null`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** The bodies are one parameter: an array of them would be sent as text, in twice the bytes. */
const bodiesFrom = (rows: '$1' | '$2', data: '$2' | '$3', condition: string) => `
  insert into audit_bodies (project_id, id, data)
  select b.project_id, b.id, substr(${data}::bytea, b."from", b.length)
  from json_to_recordset(${rows}::json) as b (project_id text, id text, "from" int, length int)
  ${condition}
  on conflict do nothing`

const headsFrom = (condition: string) => `
  insert into audit_log (project_id, id, created_at, request_duration, status_code, channel, method, endpoint, url, user_email,
    app_id, client_app_id, client_request_id, async_action_id, bodies_id, bodies_from, request_bytes, response_bytes)
  select e.project_id, e.id, to_timestamp(e.at / 1000.0), e.request_duration, e.status_code, e.channel, e.method, e.endpoint,
    e.url, e.user_email, e.app_id, e.client_app_id, e.client_request_id, e.async_action_id, e.bodies_id, e.bodies_from,
    e.request_bytes, e.response_bytes
  from json_to_recordset($1::json) as e (project_id text, id text, at bigint, request_duration int, status_code smallint,
    channel text, method text, endpoint text, url text, user_email text, app_id text, client_app_id text,
    client_request_id text, async_action_id text, bodies_id text, bodies_from int, request_bytes int, response_bytes int)
  ${condition}
  on conflict do nothing`

const isLive = (row: string) =>
  `where exists (select from projects p where p.id = ${row}.project_id and p.deleted_at is null)`

const insert = preparedStatement(`with bodies as (${bodiesFrom('$2', '$3', isLive('b'))}) ${headsFrom(isLive('e'))}`)

/** A distributed database writes rows of several projects, but asks for them only apart from that. */
const insertBodies = preparedStatement(bodiesFrom('$1', '$2', ''))
const insertHeads = preparedStatement(headsFrom(''))

/** The key that refused credentials name, by which their project is known. */
export interface ClaimedKey {
  project_id: string
  app_id: string
  is_client: boolean
}

/** The keys of the claims, in their order; null where neither a key nor the token exists. */
export async function findClaimedKeys(
  db: Db,
  claims: readonly ClaimedCredentials[],
): Promise<Array<ClaimedKey | null>> {
  const rows = claims.map(({ app_id, client_app_id, token }) => ({
    app_id,
    client_app_id,
    token_hash: token === null ? null : hashOf(token).toString('hex'),
  }))
  const found = await claimedKeys(db, [JSON.stringify(rows)])
  return found.map(({ project_id, app_id, is_client }) =>
    project_id === null ? null : { project_id, app_id, is_client },
  )
}

const claimedKeys = preparedStatement<ClaimedKey | { project_id: null; app_id: string; is_client: boolean }>(`
  select k.project_id, k.app_id, k.kind = 'client' as is_client
  from rows from (json_to_recordset($1::json) as (app_id text, client_app_id text, token_hash text)) with ordinality
    as c (app_id, client_app_id, token_hash, place)
  left join lateral (
    select project_id, app_id, kind, 1 as rank from api_keys where app_id = c.app_id
    union all
    select project_id, app_id, kind, 2 from api_keys where app_id = c.client_app_id
    union all
    select k.project_id, k.app_id, k.kind, 3 from oauth_tokens t join api_keys k on k.id = t.api_key_id
    where t.token_hash = decode(c.token_hash, 'hex')
    order by rank limit 1
  ) k on true
  order by c.place`)

export interface AuditLogFilter {
  /** Ids from this one, and before that one. */
  from: string
  before: string
  status?: 'SUCCESS' | 'FAILURE'
  method?: string
  endpoint?: string
  app_id?: string
}

export interface FoundEntries {
  rows: AuditLogRow[]
  /** Whether more entries match. */
  has_more: boolean
}

/** Entries of a project between two ids, in the order of their ids. */
export interface EntriesRange {
  project_id: string
  /** Ids from this one, and before that one. */
  from: string
  before: string
  is_ascending: boolean
}

/**
 * The newest entries. Every combination reads an index of the partitions between the two ids: that of failures,
 * of the endpoint or of the key, otherwise the primary key, newest first. Two filters that hardly any entry matches together
 * may read all that match one of them: that is cut off after some seconds.
 */
export async function listEntries(
  { db, project_id }: Pick<Ctx, 'db' | 'project_id'>,
  { from, before, status, method, endpoint, app_id }: AuditLogFilter,
  count: number,
): Promise<FoundEntries> {
  const where: Condition[] = []
  if (status === 'FAILURE') where.push(sql`status_code >= 400`)
  if (status === 'SUCCESS') where.push(sql`status_code < 400`)
  // The names of endpoints begin with their method, so that their index answers this too; '`' follows '_'.
  if (method !== undefined) where.push(sql`endpoint >= ${`${method}_`} and endpoint < ${`${method}\``}`)
  if (endpoint !== undefined) where.push(sql`endpoint = ${endpoint}`)
  if (app_id !== undefined) where.push(sql`coalesce(app_id, client_app_id) = ${app_id}`)
  return inTransaction(db, async (trx) => {
    await sql`set local statement_timeout = ${sql.lit(limits.audit_search_seconds * 1_000)}`.execute(trx)
    return readEntries(trx, { project_id, from, before, is_ascending: false }, { where, count, has_bodies: true })
  }).catch((error: unknown) => {
    throw sqlState(error) === canceled ? tooLong() : error
  })
}

/** The first entries of a range that meet the conditions, at most `count`, and of large ones as many as a page may hold, at least one. */
export async function readEntries(
  db: Db,
  range: EntriesRange,
  { where, count, has_bodies }: { where: readonly Condition[]; count: number; has_bodies: boolean },
): Promise<FoundEntries> {
  const order = orderOf(range)
  // Sizes are known without reading long bodies, which are stored apart from their row.
  const bodiesBytes = sql`coalesce(request_bytes, octet_length(request_body), 0)
    + coalesce(response_bytes, octet_length(response_body), 0)`
  const found = await sql<AuditLogRow & { count: number }>`
    select * from (
      select e.*, (row_number() over so_far)::int as place, (count(*) over ())::int as count,
        (sum(octet_length(url) + ${has_bodies ? bodiesBytes : sql`0`}) over so_far)::int as bytes_through
      from (
        select * from audit_log where ${sql.join([isWithin(range), ...where], sql` and `)} ${order} limit ${count + 1}
      ) e
      window so_far as (${order})
    ) e
    where place = 1 or (place <= ${count} and bytes_through <= ${sql.lit(limits.audit_page_bytes_max)})
    ${order}`.execute(db)
  const [first] = found.rows
  const rows = has_bodies ? await withBodies(db, range.project_id, found.rows) : found.rows
  return { rows, has_more: first !== undefined && first.count > rows.length }
}

/** The id of the entry at this place of a range, from 1; null: it has fewer. */
export async function entryAt(db: Db, range: EntriesRange, place: number): Promise<string | null> {
  const { rows } = await sql<Pick<AuditLogRow, 'id'>>`
    select id from audit_log where ${isWithin(range)} ${orderOf(range)} limit 1 offset ${place - 1}`.execute(db)
  return rows[0]?.id ?? null
}

const isWithin = ({ project_id, from, before }: EntriesRange): Condition =>
  sql`project_id = ${project_id} and id >= ${from} and id < ${before}`

const orderOf = ({ is_ascending }: EntriesRange): RawBuilder<unknown> =>
  is_ascending ? sql`order by id` : sql`order by id desc`

/** Decompresses one row of bodies after the other: those of a page may take many times the page. */
export async function withBodies(db: Db, projectId: string, rows: readonly AuditLogRow[]): Promise<AuditLogRow[]> {
  const complete = [...rows]
  const ids = [...new Set(rows.flatMap(({ bodies_id }) => bodies_id ?? []))]
  if (ids.length === 0) return complete
  const found = await sql<Pick<AuditBodiesRow, 'id' | 'data'>>`
    select id, data from audit_bodies where project_id = ${projectId} and id = any(${ids}::text[])`.execute(db)
  for (const { id, data } of found.rows) {
    const bytes = await decompress(data)
    for (const [place, row] of rows.entries())
      if (row.bodies_id === id) complete[place] = { ...row, ...unpackBodies(bytes, row) }
  }
  return complete
}

const canceled = '57014'

const tooLong = () =>
  invalidQuery(
    `The log was searched for ${limits.audit_search_seconds} s: ask for a shorter time by created_at, or by fewer filters`,
  )
