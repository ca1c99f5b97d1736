import { sql } from 'kysely'
import type { Db } from '../../core/db/database.ts'
import { isDistributed } from '../../core/db/is-distributed.ts'
import type { Instant } from '../../core/lib/instant.ts'
import { isGivenUp, isServed, type WaitingWebhook, type WebhookKey, waiting } from './leases.ts'

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
      where s.project_id = ${project_id} and s.webhook_id = h.id and s.due_at is not null
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
      where s.project_id = ${project_id} and s.webhook_id = h.id and s.due_at > h.restarted_at
        and s.activation < h.activation)`.execute(db)
  return false
}

/** Counting stops here: more would take long, and says no more. */
const countedMax = 100_000

/**
 * How many send-outs wait, and for how long the oldest that is due by its schedule to an active webhook has waited; without those of
 * deleted projects.
 */
export async function measureWaiting(db: Db, now: Instant): Promise<{ waiting: number; lag_seconds: number }> {
  if (await isDistributed(db)) return measureEverywhere(db, now)
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

/** The same on a distributed database, which cannot walk from webhook to webhook: each server looks through what waits there. */
async function measureEverywhere(db: Db, now: Instant): Promise<{ waiting: number; lag_seconds: number }> {
  const { rows } = await sql<{ waiting: number; lag_seconds: number }>`
    select least(count(*), ${sql.lit(countedMax)})::int as waiting, coalesce(greatest(0, extract(epoch from ${now}::timestamptz
      - min(s.due_at) filter (where h.active and s.due_at > '-infinity')))::float8, 0) as lag_seconds
    from webhook_sendouts s join projects p on p.id = s.project_id and p.deleted_at is null
    left join webhooks h on h.project_id = s.project_id and h.id = s.webhook_id
    where s.due_at is not null`.execute(db)
  return rows[0] as { waiting: number; lag_seconds: number }
}
