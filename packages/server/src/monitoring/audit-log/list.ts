import type { Ctx } from '../../core/context.ts'
import { dayMs } from '../../core/db/periods.ts'
import type { AuditLogRow } from '../../core/db/tables.ts'
import { invalidQuery, tooManyRequests } from '../../core/http/errors.ts'
import { SerialisedReply } from '../../core/http/operation.ts'
import { firstIdAt, idPrefix } from '../../core/lib/ids.ts'
import { limits } from '../../core/lib/limits.ts'
import { forEachInSlices } from '../../core/lib/time-slice.ts'
import { newTurns, type Turns } from '../../core/lib/turns.ts'
import { listed } from '../../core/query/list.ts'
import type { Settings } from '../../core/settings.ts'
import { entryIdOf, requestIdOf } from './entry-id.ts'
import { isJson } from './is-json.ts'
import { statusOf } from './row.ts'
import type { AuditLogEntry, AuditLogQuery } from './schema.ts'
import { type AuditLogFilter, listEntries } from './store.ts'

/** One node of a service has one settings object. */
const nodes = new WeakMap<Settings, Turns>()

/** A search that was refused may be asked again when the longest of those that run has ended. */
const searchTurns = (): Turns =>
  newTurns({
    at_once_max: limits.audit_searches_at_once_max,
    waiting_max: limits.audit_searches_waiting_max,
    refusal: () =>
      tooManyRequests('audit_searches', limits.audit_search_seconds * 1_000, {
        facts: { details: 'Too many searches of the audit log wait for their turn' },
      }),
  })

/**
 * A page of the log. Few are made at once: a search may hold its connection for seconds, and some that match nothing would leave none to
 * the checkouts of the node.
 */
export function listAuditLog(ctx: Ctx, query: AuditLogQuery): Promise<SerialisedReply> {
  const turns = nodes.get(ctx.settings) ?? searchTurns()
  nodes.set(ctx.settings, turns)
  return turns.take(() => pageOf(ctx, query))
}

/** A page of the log, newest first, limited in bytes. Without a time it covers the last day, so that no search reads the whole log by accident. */
async function pageOf(ctx: Ctx, query: AuditLogQuery): Promise<SerialisedReply> {
  const { limit = limits.page_size_default, status, method, endpoint, app_id } = query
  const filter: AuditLogFilter = {
    ...boundsOf(query, Date.parse(ctx.now)),
    ...(status && { status }),
    ...(method && { method }),
    ...(endpoint && { endpoint }),
    ...(app_id && { app_id }),
  }
  const { rows, has_more } =
    filter.from < filter.before ? await listEntries(ctx, filter, limit) : { rows: [], has_more: false }
  const entries: string[] = []
  await forEachInSlices(rows, (row) => void entries.push(entryJson(row)))
  const last = rows.at(-1)
  const { data: _, ...rest } =
    has_more && last !== undefined
      ? listed('data', [], { has_more: true, more_starting_after: last.id })
      : listed('data', [], { has_more: false })
  return new SerialisedReply(withMember(JSON.stringify(rest), 'data', `[${entries.join(',')}]`))
}

/** The ids of the time asked for, after the cursor; those of one request are a single id. */
function boundsOf(
  { starting_after_id, request_id, created_at }: AuditLogQuery,
  now: number,
): Pick<AuditLogFilter, 'from' | 'before'> {
  const before = created_at?.before === undefined ? null : Date.parse(created_at.before)
  const after = created_at?.after === undefined ? null : Date.parse(created_at.after)
  // `after` is exclusive: the next millisecond. An entry of this very moment belongs to the last day.
  const isAllTime = request_id !== undefined && before === null
  const from = after !== null ? after + 1 : isAllTime ? 0 : (before ?? now + 1) - dayMs
  const bounds = {
    from: firstIdAt('audit_entry', from),
    before: before === null ? lastId : firstIdAt('audit_entry', before),
  }
  const cursor = starting_after_id === undefined ? lastId : checkedCursor(starting_after_id)
  if (cursor < bounds.before) bounds.before = cursor
  if (request_id === undefined) return bounds
  const id = entryIdOf(request_id)
  const isWithin = request_id.startsWith(idPrefix('request')) && id >= bounds.from && id < bounds.before
  return isWithin ? { from: id, before: `${id}!` } : { from: '', before: '' }
}

/** After every id: `g` is no hexadecimal digit. */
const lastId = `${idPrefix('audit_entry')}g`

function checkedCursor(id: string): string {
  if (/^log_[0-9a-f]{18}$/.test(id)) return id
  throw invalidQuery('Property .starting_after_id must be the id of an object in this list')
}

/** The JSON text of an entry. Its bodies are not parsed: they are JSON text already, or shown as a string. */
function entryJson({ request_body, response_body, ...row }: AuditLogRow): string {
  const head: Omit<AuditLogEntry, 'request_body' | 'response_body'> = {
    id: row.id,
    created_at: row.created_at,
    status: statusOf(row),
    status_code: row.status_code,
    request_id: requestIdOf(row.id),
    client_request_id: row.client_request_id,
    channel: row.channel,
    method: row.method,
    endpoint: row.endpoint,
    url: row.url,
    user_email: row.user_email,
    app_id: row.app_id,
    client_app_id: row.client_app_id,
    request_duration: row.request_duration,
    async_action_id: row.async_action_id,
    object: 'audit_log_entry',
  }
  const withRequest = withMember(JSON.stringify(head), 'request_body', bodyJson(request_body))
  return withMember(withRequest, 'response_body', bodyJson(response_body))
}

/** An object or array as it was sent; other text as a string, also a body that was cut or is nested too deeply. */
const bodyJson = (text: string | null): string => (text !== null && isJson(text) ? text : JSON.stringify(text))

/** Adds a member to the JSON text of an object that has some. */
const withMember = (object: string, name: string, json: string): string => `${object.slice(0, -1)},"${name}":${json}}`
