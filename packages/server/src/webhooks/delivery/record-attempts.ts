import { sql } from 'kysely'
import type { Db } from '../../core/db/database.ts'
import { isDistributed } from '../../core/db/is-distributed.ts'
import type { SendoutAttempt } from '../../core/db/tables.ts'
import type { Id } from '../../core/lib/ids.ts'
import type { Instant } from '../../core/lib/instant.ts'
import { limits } from '../../core/lib/limits.ts'
import { inEither } from './leases.ts'

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
const record = inEither<unknown>(
  '$2',
  (within) => `
  with relaxed as materialized (select set_config('synchronous_commit', 'off', true)),
  r as materialized (
    select *, (attempt ->> 'at')::timestamptz as at
    from jsonb_to_recordset($1::jsonb) as r (project_id text, id text, webhook_id text, target_url text, attempt jsonb,
      succeeded boolean, is_manual boolean, activation integer, next_attempt_at timestamptz)
  ),
  failing as materialized (
    select w.project_id, w.id, w.activation from webhooks w
    where ${within('w.project_id')} and (w.project_id, w.id) in (select r.project_id, r.webhook_id from r where not r.succeeded)
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
  where s.project_id = r.project_id and ${within('s.project_id')} and s.id = r.id`,
)

export async function recordAttempts(db: Db, attempts: readonly EndedAttempt[]): Promise<void> {
  if (!(await isDistributed(db))) {
    await record.any(db, [JSON.stringify(attempts)])
    return
  }
  for (const [projectId, ofProject] of Map.groupBy(attempts, ({ project_id }) => project_id))
    await record.one(db, [JSON.stringify(ofProject), projectId])
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
