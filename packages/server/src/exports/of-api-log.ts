import { sql } from 'kysely'
import type { Ctx } from '../core/context.ts'
import { dayMs } from '../core/db/periods.ts'
import type { AuditLogRow } from '../core/db/tables.ts'
import { invalidPayload } from '../core/http/errors.ts'
import { firstIdAt } from '../core/lib/ids.ts'
import { limits } from '../core/lib/limits.ts'
import type { Filter } from '../core/query/filter/filter.ts'
import { requestIdOf } from '../monitoring/audit-log/entry-id.ts'
import { statusOf } from '../monitoring/audit-log/row.ts'
import { type EntriesRange, entryAt, readEntries } from '../monitoring/audit-log/store.ts'
import { type AskedRows, bothWays, type ExportableLog, type Position } from './exportable.ts'

/** The audit log. Its entries are stored without secrets. */
export const apiLog = {
  metadata: null,
  described_as: null,
  fields: {
    id: ({ id }) => id,
    created_at: ({ created_at }) => created_at,
    status: statusOf,
    request_id: ({ id }) => requestIdOf(id),
    channel: ({ channel }) => channel,
    method: ({ method }) => method,
    endpoint: ({ endpoint }) => endpoint,
    url: ({ url }) => url,
    user_email: ({ user_email }) => user_email,
    app_id: ({ app_id }) => app_id,
    client_app_id: ({ client_app_id }) => client_app_id,
    request_duration: ({ request_duration }) => request_duration,
    request_body: ({ request_body }) => request_body,
    response_body: ({ response_body }) => response_body,
  },
  default_fields: ['id', 'created_at', 'status', 'request_id', 'channel', 'method', 'endpoint', 'url'],
  orders: bothWays('created_at'),
  roles: ['ADMIN', 'USER'],
  filterFields: () => ({
    created_at: { type: 'datetime', column: 'audit_log.created_at', operators: ['$after', '$before'] },
    status: {
      type: 'string',
      column: sql`case when audit_log.status_code < 400 then 'SUCCESS' else 'FAILURE' end`,
      operators: ['$is', '$is_not'],
    },
    channel: { type: 'string', column: 'audit_log.channel', operators: ['$in', '$not_in'] },
    app_id: { type: 'string', column: 'audit_log.app_id', operators: ['$in', '$not_in', '$is', '$is_not'] },
    client_app_id: {
      type: 'string',
      column: 'audit_log.client_app_id',
      operators: ['$in', '$not_in', '$is', '$is_not'],
    },
  }),
  checkFilter({ now }, filter) {
    if (filter.junction === 'or')
      throw invalidPayload('Property .parameters.filters.junction must be equal to one of the allowed values [ and ]')
    const { after, before } = timeAsked(filter)
    if (after !== null && (before ?? Date.parse(now)) - after > limits.audit_export_days_max * dayMs)
      throw invalidPayload(
        `Property .parameters.filters.created_at must NOT ask for more than ${limits.audit_export_days_max} days`,
      )
  },
  readRows,
} satisfies ExportableLog

/** Entries that a step searches, however few of them match. */
const searchedRows = 5_000

async function readRows(
  ctx: Ctx,
  { columns, order, filter, where }: AskedRows,
  after: Position | null,
): Promise<{ rows: unknown[][]; last: Position | null }> {
  if (ctx.settings.audit_log === 'off') return { rows: [], last: null }
  const isAscending = !order.startsWith('-')
  const rest: EntriesRange = {
    project_id: ctx.project_id,
    ...idsOf(filter, Date.parse(ctx.now)),
    is_ascending: isAscending,
    ...(after === null ? {} : isAscending ? { from: behind(after.id) } : { before: after.id }),
  }
  const end = await entryAt(ctx.db, rest, searchedRows)
  const range = end === null ? rest : { ...rest, ...(isAscending ? { before: behind(end) } : { from: end }) }
  const { rows, has_more } = await readEntries(ctx.db, range, {
    where: [where],
    count: limits.export_step_rows,
    has_bodies: columns.some((name) => name === 'request_body' || name === 'response_body'),
  })
  const last = has_more ? (rows.at(-1) as AuditLogRow).id : end
  const cells = columns.map((name) => apiLog.fields[name as keyof typeof apiLog.fields])
  return {
    rows: rows.map((row) => cells.map((cell) => cell(row))),
    last: last === null ? null : { value: last, id: last },
  }
}

/** The ids of the time asked for: without `created_at` the last day. */
function idsOf(filter: Filter, now: number): Pick<EntriesRange, 'from' | 'before'> {
  const { after, before } = timeAsked(filter)
  // What arrives later is left out: its own steps would keep the export from reaching an end.
  const end = Math.min(before ?? now + 1, now + 1)
  return {
    from: firstIdAt('audit_entry', after === null ? (before ?? now + 1) - dayMs : after + 1),
    before: firstIdAt('audit_entry', end),
  }
}

/** Both bounds are exclusive, in Unix milliseconds. One of several values is enough, as in every filter. */
function timeAsked({ fields }: Filter): { after: number | null; before: number | null } {
  const conditions = fields.filter(({ name }) => name === 'created_at').flatMap(({ conditions }) => conditions)
  const moments = (operator: string): number[] =>
    conditions.flatMap((each) => (each.operator === operator ? each.values.map((at) => Date.parse(String(at))) : []))
  const [after, before] = [moments('$after'), moments('$before')]
  return {
    after: after.length === 0 ? null : Math.min(...after),
    before: before.length === 0 ? null : Math.max(...before),
  }
}

/** Sorts behind an entry and before all that follow. */
const behind = (id: string): string => `${id}!`
