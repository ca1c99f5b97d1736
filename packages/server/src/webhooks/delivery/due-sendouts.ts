import { sql } from 'kysely'
import type { Db } from '../../core/db/database.ts'
import { isDistributed } from '../../core/db/is-distributed.ts'
import { timeDigitsAt } from '../../core/lib/ids.ts'
import type { Instant } from '../../core/lib/instant.ts'
import { inEither, type WaitingWebhook } from './leases.ts'

/** A send-out that is due, with what its body is made of. */
export interface DueSendout {
  project_id: string
  id: string
  webhook_id: string
  type: string
  source_url: string
  created_at: Instant
  /** Null if its schedule has not begun, or begins anew. */
  first_attempt_at: Instant | null
  /** Of the webhook. */
  activation: number
  is_manual: boolean
  is_test: boolean
  /** Of a test. */
  body: string | null
  /** Null if the body is given, or if the event is gone: somebody deleted it without the trigger (functions/delete_sendouts.sql). */
  data: string | null
  /** Size of the body or data. */
  bytes: number
  event_id: string
  event_created_at: Instant
  entity_id: string
  group_id: string
  event_source: object
}

/**
 * The first send-out of each webhook, then the second of each, and so on, until their size exceeds what may be read. The sizes are
 * known without reading the texts.
 */
const due = inEither<DueSendout>(
  '$8',
  (within) => `
  select due.project_id, due.id, due.webhook_id, due.type, due.source_url, due.created_at, due.first_attempt_at, due.activation,
    due.is_manual, due.is_test, due.body, case when due.body is null then event_text(due.data, due.parts) end as data, due.bytes,
    due.event_id, due.event_created_at, due.entity_id, due.group_id, due.event_source
  from (
    select s.*, sum(s.bytes) over (order by s.nth, h.place rows between unbounded preceding and current row) - s.bytes as before
    from unnest($1::text[], $2::text[], $3::int[], $4::boolean[])
      with ordinality as h (project_id, webhook_id, rows_max, manual_only, place)
    join webhooks w on w.project_id = h.project_id and ${within('w.project_id')} and w.id = h.webhook_id
    cross join lateral (
      select s.project_id, s.id, s.webhook_id, s.type, s.source_url, s.created_at, w.activation,
        case when s.activation = w.activation then s.first_attempt_at end as first_attempt_at, s.is_manual, s.is_test, s.body,
        s.due_at, e.id as event_id, e.created_at as event_created_at, e.entity_id, e.group_id,
        e.event_source, e.data, p.parts, row_number() over (order by s.due_at, s.id) as nth,
        coalesce(octet_length(e.data), 0) + coalesce(octet_length(p.parts), 0) + coalesce(octet_length(s.body), 0) as bytes
      from (
        select s.* from webhook_sendouts s
        where s.project_id = h.project_id and ${within('s.project_id')} and s.webhook_id = h.webhook_id and s.due_at <= $5::timestamptz
          and (not h.manual_only or s.due_at = '-infinity') and s.id not in (select unnest($6::text[]))
        order by s.due_at, s.id limit h.rows_max
      ) s
      -- The last 18 digits say in which partition each is.
      left join event_rows e on e.project_id = s.project_id and ${within('e.project_id')} and e.id = s.event_id
        and right(e.id, 18) = right(s.event_id, 18)
      left join event_parts p on p.project_id = e.project_id and ${within('p.project_id')} and p.id = e.parts_id
        and right(p.id, 18) = right(e.parts_id, 18)
    ) s
  ) due
  where due.before < $7::bigint
  order by due.due_at, due.id`,
)

interface DueRequest {
  now: Instant
  except: string[]
  bytes_max: number
}

type LookedAt = ReadonlyArray<{ webhook: WaitingWebhook; rows_max: number }>

/**
 * The oldest due send-outs of some webhooks, without those that this node has in hand. All together they are at most `bytes_max` in
 * size, but for the last one.
 */
export async function listDueSendouts(db: Db, webhooks: LookedAt, request: DueRequest): Promise<DueSendout[]> {
  if (!(await isDistributed(db))) return due.any(db, parametersOf(webhooks, request))
  const found: DueSendout[] = []
  let bytesLeft = request.bytes_max
  for (const [projectId, ofProject] of Map.groupBy(webhooks, ({ webhook }) => webhook.project_id)) {
    if (bytesLeft <= 0) break
    const sendouts = await due.one(db, [...parametersOf(ofProject, { ...request, bytes_max: bytesLeft }), projectId])
    found.push(...sendouts)
    for (const { bytes } of sendouts) bytesLeft -= bytes
  }
  return found
}

const parametersOf = (webhooks: LookedAt, { now, except, bytes_max }: DueRequest): unknown[] => [
  webhooks.map(({ webhook }) => webhook.project_id),
  webhooks.map(({ webhook }) => webhook.webhook_id),
  webhooks.map(({ rows_max }) => rows_max),
  webhooks.map(({ webhook }) => !webhook.active),
  now,
  except,
  bytes_max,
]

/**
 * Deletes send-outs whose event is gone. An event changes its partition while a new one takes it out of the default partition, or, if its
 * clock was ahead, while the first partition gets its end: who reads it meanwhile may miss it.
 */
export async function dropSendouts(
  db: Db,
  sendouts: ReadonlyArray<Pick<DueSendout, 'project_id' | 'id'>>,
  now: number,
): Promise<void> {
  for (const [projectId, ofProject] of Map.groupBy(sendouts, ({ project_id }) => project_id))
    await sql`
      delete from webhook_sendouts s
      where s.project_id = ${projectId} and s.id = any(${ofProject.map(({ id }) => id)}::text[])
        and right(s.event_id, 18) < ${timeDigitsAt(now)}
        and not exists (
          select from event_rows e
          where e.project_id = ${projectId} and e.id = s.event_id and right(e.id, 18) = right(s.event_id, 18)
        )`.execute(db)
}
