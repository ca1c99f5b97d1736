import { sql } from 'kysely'
import type { Db } from '../../core/db/database.ts'
import { preparedStatement } from '../../core/db/prepared-statements.ts'
import type { SendoutAttempt } from '../../core/db/tables.ts'
import type { Id } from '../../core/lib/ids.ts'
import type { Instant } from '../../core/lib/instant.ts'
import { limits } from '../../core/lib/limits.ts'
import type { SigningKeys } from './request-headers.ts'

/** A webhook for which something waits. */
export interface WaitingWebhook extends SigningKeys {
  project_id: string
  webhook_id: string
  target_url: string
  /** Whether more is sent to it than requested attempts. */
  active: boolean
  /** Whether this node holds its lease, and something is due. */
  is_leased: boolean
  /** Whether this statement took or renewed the lease. */
  is_renewed: boolean
  /** What waits for it, or some of it, is given up: it was deleted, or delivery has switched it off. */
  is_closed: boolean
  is_deleted: boolean
  /** Its owner switched it on: some of what waits is still to be made due. */
  is_restarting: boolean
  /** Whether the node named it as fast. */
  is_fast: boolean
}

/**
 * The webhooks for which something waits, with the oldest of it. It jumps from webhook to webhook through the index: it costs as much
 * as there are such webhooks, however many send-outs wait. It begins after a webhook, and ends after a number of them.
 */
const waiting = (after: string, webhooksMax: string) => `
  waiting as (
    (select project_id, webhook_id, due_at, 1 as nth from webhook_sendouts
     where due_at is not null and (project_id, webhook_id) > ${after}
     order by project_id, webhook_id, due_at limit 1)
    union all
    select next.project_id, next.webhook_id, next.due_at, w.nth + 1
    from waiting w cross join lateral (
      select s.project_id, s.webhook_id, s.due_at from webhook_sendouts s
      where s.due_at is not null and (s.project_id, s.webhook_id) > (w.project_id, w.webhook_id)
      order by s.project_id, s.webhook_id, s.due_at limit 1
    ) next
    where w.nth < ${webhooksMax}
  )`

/** Whether this node may take or renew a lease: nobody holds it, or this node does, but not for much longer. */
const isFree = `(h.lease_until is null or h.lease_until < clock_timestamp()
  or (h.lease_node = $2 and h.lease_until < clock_timestamp() + $4::float8 * interval '1 millisecond'))`

/** Whether delivery has switched it off, or something is left of what waited then. */
const isGivenUp = '((not h.active and h.failed_at is not null) or h.give_up_before is not null)'
/** What is left of that is given up first: it would be sent, being older than what is new. */
const isServed = '(h.active and h.give_up_before is null)'

/**
 * Walks through some of the webhooks for which something waits, and the fast ones of this node, and takes or renews the leases of some
 * that have something due: those that were leased longest ago first. The lease counts by the clock of the database. Webhooks that a
 * request changes at the moment are left for the next look.
 *
 * `in (select unnest(…))` and not a join: the planner expects one row of each part, and joins them row by row, which takes the
 * square of their number. It hashes such a list.
 */
const takeStatement = preparedStatement<WalkRow | (WaitingWebhook & WalkRow)>(`
  with recursive ${waiting('($5::text, $6::text)', '$7::int')}, found as (
    select project_id, webhook_id, due_at from waiting
    union
    select fast.project_id, fast.webhook_id, oldest.due_at
    from unnest($8::text[], $9::text[]) as fast (project_id, webhook_id)
    cross join lateral (
      select s.due_at from webhook_sendouts s
      where s.project_id = fast.project_id and s.webhook_id = fast.webhook_id and s.due_at is not null
      order by s.due_at limit 1
    ) oldest
  ), known as materialized (
    select w.project_id, w.webhook_id, h.target_url, h.lease_until, coalesce(${isServed}, false) as active,
      h.id is null as is_deleted, h.id is null or ${isGivenUp} as is_closed,
      coalesce(${isServed} and h.restarted_at is not null, false) as is_restarting,
      coalesce(w.due_at <= $1::timestamptz and (${isServed} or w.due_at = '-infinity'), false) as is_due,
      ${isFree} as is_free, h.lease_node = $2 and h.lease_until > clock_timestamp() as is_ours,
      (w.project_id, w.webhook_id) in (select unnest($8::text[]), unnest($9::text[])) as is_fast,
      p.webhook_token, p.previous_webhook_token, p.webhook_token_replaced_at
    from found w join projects p on p.id = w.project_id and p.deleted_at is null
    left join webhooks h on h.project_id = w.project_id and h.id = w.webhook_id
  ), chosen as materialized (
    (select project_id, webhook_id from known where is_due and is_free and is_fast
     order by lease_until nulls first limit $10::int)
    union all
    (select project_id, webhook_id from known where is_due and is_free and not is_fast
       and webhook_id not in (select unnest($12::text[]))
     order by lease_until nulls first limit $11::int)
  ), free as materialized (
    select h.project_id, h.id from chosen c join webhooks h on h.project_id = c.project_id and h.id = c.webhook_id
    where ${isFree}
    order by h.project_id, h.id for no key update of h skip locked
  ), taken as (
    update webhooks h set lease_node = $2, lease_until = clock_timestamp() + $3::float8 * interval '1 millisecond'
    from free where h.project_id = free.project_id and h.id = free.id
    returning h.project_id, h.id
  )
  select walked.project_id as walked_project_id, walked.webhook_id as walked_webhook_id,
    k.project_id, k.webhook_id, k.target_url, k.active, k.is_closed, k.is_deleted, k.is_restarting, k.is_fast,
    k.webhook_token, k.previous_webhook_token, k.webhook_token_replaced_at,
    k.is_renewed, coalesce(k.is_due and (k.is_renewed or k.is_ours), false) as is_leased
  from (select) one
  left join (select project_id, webhook_id from waiting where nth = $7::int) walked on true
  left join (
    select *, (project_id, webhook_id) in (select project_id, id from taken) as is_renewed from known
  ) k on k.is_due or k.is_closed or k.is_restarting`)

/** Every row says where the walk was cut off; without a webhook if it found none. */
interface WalkRow {
  walked_project_id: string | null
  walked_webhook_id: string | null
  project_id: string | null
}

/** The key of a webhook. */
export type WebhookKey = Pick<WaitingWebhook, 'project_id' | 'webhook_id'>

/** What a node asks for. */
export interface LeaseRequest {
  now: Instant
  node: string
  lease_ms: number
  renew_below_ms: number
  /** Where the last walk was cut off. */
  after: WebhookKey
  /** Webhooks that answer fast: they are looked at in any case. */
  fast: readonly WebhookKey[]
  /** Leases to take or renew, of fast webhooks and of others. */
  fast_max: number
  slow_max: number
  /** Webhooks of which no lease is taken. */
  except: readonly string[]
}

/** Returns the webhooks, and where the walk was cut off; null if it reached the end. */
export async function takeWebhooks(
  db: Db,
  lease: LeaseRequest,
): Promise<{ webhooks: WaitingWebhook[]; walked: WebhookKey | null }> {
  const rows = await takeStatement(db, [
    lease.now,
    lease.node,
    lease.lease_ms,
    lease.renew_below_ms,
    lease.after.project_id,
    lease.after.webhook_id,
    limits.webhooks_looked_at_once,
    lease.fast.map(({ project_id }) => project_id),
    lease.fast.map(({ webhook_id }) => webhook_id),
    lease.fast_max,
    lease.slow_max,
    lease.except,
  ])
  const { walked_project_id: projectId = null, walked_webhook_id: webhookId = null } = rows[0] ?? {}
  return {
    webhooks: rows.filter((row): row is WaitingWebhook & WalkRow => row.project_id !== null),
    walked: projectId === null || webhookId === null ? null : { project_id: projectId, webhook_id: webhookId },
  }
}

/** Ends the leases of this node, so that others need not wait for their end. */
export async function releaseWebhooks(db: Db, node: string, webhookIds: readonly string[]): Promise<void> {
  await sql`
    update webhooks set lease_node = null, lease_until = null
    where id = any(${webhookIds}::text[]) and lease_node = ${node}`.execute(db)
}

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
const dueStatement = preparedStatement<DueSendout>(`
  select due.project_id, due.id, due.webhook_id, due.type, due.source_url, due.created_at, due.first_attempt_at, due.activation,
    due.is_manual, due.is_test, due.body, case when due.body is null then event_text(due.data, due.parts) end as data, due.bytes,
    due.event_id, due.event_created_at, due.entity_id, due.group_id, due.event_source
  from (
    select s.*, sum(s.bytes) over (order by s.nth, h.place rows between unbounded preceding and current row) - s.bytes as before
    from unnest($1::text[], $2::text[], $3::int[], $4::boolean[])
      with ordinality as h (project_id, webhook_id, rows_max, manual_only, place)
    join webhooks w on w.project_id = h.project_id and w.id = h.webhook_id
    cross join lateral (
      select s.project_id, s.id, s.webhook_id, s.type, s.source_url, s.created_at, w.activation,
        case when s.activation = w.activation then s.first_attempt_at end as first_attempt_at, s.is_manual, s.is_test, s.body,
        s.due_at, e.id as event_id, e.created_at as event_created_at, e.entity_id, e.group_id,
        e.event_source, e.data, p.parts, row_number() over (order by s.due_at, s.id) as nth,
        coalesce(octet_length(e.data), 0) + coalesce(octet_length(p.parts), 0) + coalesce(octet_length(s.body), 0) as bytes
      from (
        select s.* from webhook_sendouts s
        where s.project_id = h.project_id and s.webhook_id = h.webhook_id and s.due_at <= $5::timestamptz
          and (not h.manual_only or s.due_at = '-infinity') and s.id not in (select unnest($6::text[]))
        order by s.due_at, s.id limit h.rows_max
      ) s
      left join event_rows e on e.project_id = s.project_id and e.id = s.event_id
      left join event_parts p on p.project_id = e.project_id and p.id = e.parts_id
    ) s
  ) due
  where due.before < $7::bigint
  order by due.due_at, due.id`)

/**
 * The oldest due send-outs of some webhooks, without those that this node has in hand. All together they are at most `bytes_max` in
 * size, but for the last one.
 */
export const listDueSendouts = (
  db: Db,
  webhooks: ReadonlyArray<{ webhook: WaitingWebhook; rows_max: number }>,
  { now, except, bytes_max }: { now: Instant; except: string[]; bytes_max: number },
): Promise<DueSendout[]> =>
  dueStatement(db, [
    webhooks.map(({ webhook }) => webhook.project_id),
    webhooks.map(({ webhook }) => webhook.webhook_id),
    webhooks.map(({ rows_max }) => rows_max),
    webhooks.map(({ webhook }) => !webhook.active),
    now,
    except,
    bytes_max,
  ])

/** An attempt that has ended. */
export interface EndedAttempt {
  project_id: string
  id: string
  webhook_id: string
  target_url: string
  attempt: SendoutAttempt
  succeeded: boolean
  is_manual: boolean
  /** Of the webhook when the send-out was read. */
  activation: number
  /** Whether it was the first one by the schedule. */
  is_first: boolean
  /** After a failure, by the schedule; null if this was the last attempt. */
  next_attempt_at: Instant | null
}

/** Its owner has switched the webhook on since the schedule began that the attempt belongs to. */
const isRestarted = 'coalesce(w.activation > case when r.is_manual then s.activation else r.activation end, false)'
const hasEnded = `s.status in ('SUCCEEDED', 'FAILED')`
const nextAttempt = `case
      when r.succeeded or ${hasEnded} then null
      when ${isRestarted} then case when s.next_attempt_at > r.at then r.at else s.next_attempt_at end
      when r.is_manual then s.next_attempt_at
      else r.next_attempt_at end`

/**
 * Records attempts, with one statement. A send-out that has ended meanwhile (another attempt succeeded, its webhook was switched off)
 * ends no second time, and a manual attempt that failed changes nothing but the log. One that failed while the owner switched its
 * webhook on does not count in the schedule, which begins anew: the send-out is due at once. A manual attempt that was requested while
 * another one ran stays requested. Manual retries may go on for ever: the row keeps the latest attempts.
 *
 * Where an attempt failed it waits for a request that changes the webhook at this moment. It commits without waiting for the disk: an
 * attempt whose record a crash of the database loses is made again.
 */
const recordStatement = preparedStatement<unknown>(`
  with relaxed as materialized (select set_config('synchronous_commit', 'off', true)),
  r as materialized (
    select *, (attempt ->> 'at')::timestamptz as at
    from jsonb_to_recordset($1::jsonb) as r (project_id text, id text, webhook_id text, target_url text, attempt jsonb,
      succeeded boolean, is_manual boolean, activation integer, next_attempt_at timestamptz)
  ),
  failing as materialized (
    select w.project_id, w.id, w.activation from webhooks w
    where (w.project_id, w.id) in (select r.project_id, r.webhook_id from r where not r.succeeded)
    for key share
  )
  update webhook_sendouts s set
    attempts = case when jsonb_array_length(s.attempts) < ${limits.sendout_attempts_kept} then s.attempts
      else jsonb_path_query_array(s.attempts, '$[last - ${limits.sendout_attempts_kept - 2} to last]') end || r.attempt,
    executed_at = r.at,
    first_attempt_at = case when r.is_manual or ${isRestarted} then s.first_attempt_at
      when s.activation < r.activation then r.at
      else coalesce(s.first_attempt_at, r.at) end,
    activation = case when r.is_manual or ${isRestarted} then s.activation else greatest(s.activation, r.activation) end,
    target_url = nullif(r.target_url, s.source_url),
    status = case
      when r.succeeded then 'SUCCEEDED'
      when ${hasEnded} then s.status
      when r.is_manual then case when s.is_test then 'FAILED' else s.status end
      when r.next_attempt_at is null and not ${isRestarted} then 'FAILED'
      else 'RETRYING' end,
    reason = case when r.succeeded then null else s.reason end,
    next_attempt_at = ${nextAttempt},
    due_at = case when s.is_manual and not r.is_manual then '-infinity' else ${nextAttempt} end,
    is_manual = s.is_manual and not r.is_manual
  from r left join failing w on w.project_id = r.project_id and w.id = r.webhook_id, relaxed
  where s.project_id = r.project_id and s.id = r.id`)

export async function recordAttempts(db: Db, attempts: readonly EndedAttempt[]): Promise<void> {
  await recordStatement(db, [JSON.stringify(attempts)])
}

/** The webhook and the send-out of an attempt, locked until commit; null if it was deleted. Delivery skips the webhook meanwhile. */
export async function lockAttempted(db: Db, { project_id, id, webhook_id }: EndedAttempt) {
  const webhook = await db
    .selectFrom('webhooks')
    .select(['activation', 'target_url'])
    .where('project_id', '=', project_id)
    .where('id', '=', webhook_id as Id<'webhook'>)
    .forNoKeyUpdate()
    .executeTakeFirst()
  const sendout = await db
    .selectFrom('webhook_sendouts')
    .select('status')
    .where('project_id', '=', project_id)
    .where('id', '=', id as Id<'sendout'>)
    .forUpdate()
    .executeTakeFirst()
  return { webhook: webhook ?? null, sendout: sendout ?? null }
}

/** Switches a webhook off after the last retry of a send-out. False if it is off already. */
export async function switchOff(
  db: Db,
  { project_id, webhook_id }: Pick<EndedAttempt, 'project_id' | 'webhook_id'>,
  now: Instant,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update webhooks set active = false, failed_at = ${now}, updated_at = ${now}
    where project_id = ${project_id} and id = ${webhook_id} and active`.execute(db)
  return numAffectedRows === 1n
}

const changedAtOnce = 1_000

/**
 * What a look knows of a webhook may be outdated, so each statement below asks for it again, and locks it; by a subquery and not a
 * join, with which the planner would sort everything that waits for each batch.
 */
type LookedAt = Pick<WaitingWebhook, 'project_id' | 'webhook_id' | 'is_deleted'>

/** Gives up a batch of what waits for a webhook that was deleted, or that delivery has switched off. Returns whether to look again. */
export const giveUpWaiting = (db: Db, webhook: LookedAt): Promise<boolean> =>
  webhook.is_deleted ? giveUpDeleted(db, webhook) : giveUpFailed(db, webhook)

async function giveUpDeleted(db: Db, { project_id, webhook_id }: LookedAt): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    with some_waiting as materialized (
      select id from webhook_sendouts
      where project_id = ${project_id} and webhook_id = ${webhook_id} and due_at is not null
        and not exists (select from webhooks where project_id = ${project_id} and id = ${webhook_id})
      order by due_at, id limit ${sql.lit(changedAtOnce)} for update skip locked
    )
    update webhook_sendouts s set status = case s.status when 'SUCCEEDED' then 'SUCCEEDED' else 'FAILED' end,
      reason = case s.status when 'SUCCEEDED' then null else 'webhook deleted' end,
      next_attempt_at = null, due_at = null, is_manual = false
    from some_waiting w where s.project_id = ${project_id} and s.id = w.id`.execute(db)
  return Number(numAffectedRows) === changedAtOnce
}

/** Requested attempts are still made. When it was switched on again, what came after that is not given up. */
async function giveUpFailed(db: Db, { project_id, webhook_id }: LookedAt): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    with closed as materialized (
      select case when h.active or h.failed_at is null then h.give_up_before else h.activation + 1 end as give_up_before
      from webhooks h where h.project_id = ${project_id} and h.id = ${webhook_id} and ${sql.raw(isGivenUp)} for key share
    ), some_waiting as materialized (
      select s.id from webhook_sendouts s
      where s.project_id = ${project_id} and s.webhook_id = ${webhook_id} and s.due_at is not null
        and s.next_attempt_at is not null and s.activation < (select give_up_before from closed)
      order by s.due_at, s.id limit ${sql.lit(changedAtOnce)} for update skip locked
    )
    update webhook_sendouts s set status = 'FAILED', reason = 'webhook disabled', next_attempt_at = null,
      due_at = case when s.is_manual then s.due_at end
    from some_waiting w where s.project_id = ${project_id} and s.id = w.id`.execute(db)
  if (Number(numAffectedRows) === changedAtOnce) return true
  const cleared = await sql`
    update webhooks h set give_up_before = null
    where h.project_id = ${project_id} and h.id = ${webhook_id} and h.give_up_before is not null and not exists (
      select from webhook_sendouts s
      where s.project_id = h.project_id and s.webhook_id = h.id and s.due_at is not null
        and s.next_attempt_at is not null and s.activation < h.give_up_before)`.execute(db)
  return cleared.numAffectedRows === 1n
}

/**
 * Makes a batch of what waits for a webhook due at the moment at which its owner switched it on. What was due before needs no change:
 * whoever reads it sees that its schedule begins anew. Returns whether to look again.
 */
export async function restartWaiting(db: Db, { project_id, webhook_id }: WebhookKey): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    with restarted as materialized (
      select h.activation, h.restarted_at from webhooks h
      where h.project_id = ${project_id} and h.id = ${webhook_id} and ${sql.raw(isServed)} for key share
    ), some_waiting as materialized (
      select s.id from webhook_sendouts s
      where s.project_id = ${project_id} and s.webhook_id = ${webhook_id}
        and s.due_at > (select restarted_at from restarted) and s.activation < (select activation from restarted)
      order by s.due_at, s.id limit ${sql.lit(changedAtOnce)} for update skip locked
    )
    update webhook_sendouts s set next_attempt_at = r.restarted_at, due_at = r.restarted_at, first_attempt_at = null,
      activation = r.activation
    from some_waiting w cross join restarted r where s.project_id = ${project_id} and s.id = w.id`.execute(db)
  if (numAffectedRows > 0n) return true
  await sql`
    update webhooks h set restarted_at = null
    where h.project_id = ${project_id} and h.id = ${webhook_id} and h.restarted_at is not null and not exists (
      select from webhook_sendouts s
      where s.project_id = h.project_id and s.webhook_id = h.id and s.due_at > h.restarted_at
        and s.activation < h.activation)`.execute(db)
  return false
}

/** Deletes send-outs whose event is gone. */
export async function dropSendouts(
  db: Db,
  sendouts: ReadonlyArray<Pick<DueSendout, 'project_id' | 'id'>>,
): Promise<void> {
  await sql`
    delete from webhook_sendouts s
    using unnest(${sendouts.map(({ project_id }) => project_id)}::text[], ${sendouts.map(({ id }) => id)}::text[])
      as dropped (project_id, id)
    where s.project_id = dropped.project_id and s.id = dropped.id`.execute(db)
}

/** Counting stops here: more would take long, and says no more. */
const countedMax = 100_000

/**
 * How many send-outs wait, and for how long the oldest that is due by its schedule to an active webhook has waited; without those of
 * deleted projects.
 */
export async function measureWaiting(db: Db, now: Instant): Promise<{ waiting: number; lag_seconds: number }> {
  const { rows } = await sql<{ waiting: number; lag_seconds: number }>`
    with recursive ${sql.raw(waiting("('', '')", '2147483647'))}, known as materialized (
      select w.project_id, w.webhook_id from waiting w join projects p on p.id = w.project_id and p.deleted_at is null
    )
    select (
        select count(*) from (
          select from known k cross join lateral (
            select from webhook_sendouts s
            where s.project_id = k.project_id and s.webhook_id = k.webhook_id and s.due_at is not null
          ) s limit ${sql.lit(countedMax)}
        ) w
      ) as waiting,
      coalesce((
        select greatest(0, extract(epoch from ${now}::timestamptz - min(oldest.due_at)))::float8
        from known k join webhooks h on h.project_id = k.project_id and h.id = k.webhook_id and h.active
        cross join lateral (
          select s.due_at from webhook_sendouts s
          where s.project_id = k.project_id and s.webhook_id = k.webhook_id and s.due_at > '-infinity'
          order by s.due_at limit 1
        ) oldest
      ), 0) as lag_seconds`.execute(db)
  return rows[0] as { waiting: number; lag_seconds: number }
}
