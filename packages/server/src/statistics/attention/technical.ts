import { msPerDay } from '@guerdon/engine'
import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { toInstant } from '../../core/lib/instant.ts'
import { listWebhooks } from '../../webhooks/store.ts'
import type { AttentionEntry } from './schema.ts'
import { counted } from './words.ts'

/** Send-outs that wait for a retry and are counted. */
const retriesMax = 1_000

/** Webhooks that were switched off after the last retry, and those whose events wait for a retry. */
export async function failingWebhooks(ctx: Ctx): Promise<AttentionEntry[]> {
  const webhooks = await listWebhooks(ctx)
  if (webhooks.length === 0) return []
  const { rows } = await sql<{ webhook_id: string; waiting: number }>`
    select webhook_id, count(*) as waiting from (
      select webhook_id from webhook_sendouts where project_id = ${ctx.project_id} and status = 'RETRYING'
      order by id limit ${sql.lit(retriesMax)}) s group by webhook_id`.execute(ctx.db)
  const waitingOf = new Map(rows.map(({ webhook_id, waiting }) => [webhook_id, waiting]))
  return webhooks.flatMap(({ id, target_url, active, failed_at }): AttentionEntry[] => {
    const link = { place: 'webhook' as const, id }
    // Not the whole address: every role reads this list, and path or query of a webhook may contain a secret.
    const host = hostOf(target_url)
    const waiting = waitingOf.get(id) ?? 0
    if (!active && failed_at !== null)
      return [
        {
          id: `webhook_switched_off/${id}`,
          kind: 'webhook_switched_off',
          severity: 'ERROR',
          message: `The webhook to ${host} was switched off, because it did not accept an event after all retries.`,
          link,
          data: { webhook_id: id, host, failed_at },
        },
      ]
    if (!active || waiting === 0) return []
    return [
      {
        id: `webhook_failing/${id}`,
        kind: 'webhook_failing',
        severity: 'WARNING',
        message: `The webhook to ${host} fails: ${counted(waiting, 'event')} ${waiting === 1 ? 'waits' : 'wait'} for a retry.`,
        link,
        data: { webhook_id: id, host, waiting },
      },
    ]
  })
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : '')

const jobDays = 7
/** Jobs that are looked at, the newest first. */
const jobsMax = 200
const jobsShown = 10

/** Jobs of the last week that failed, or some of whose rows did. */
export async function failedJobs({ db, project_id, now }: Ctx): Promise<AttentionEntry[]> {
  const since = toInstant(Date.parse(now) - jobDays * msPerDay)
  const { rows } = await sql<{ id: string; type: string; status: string; failed: number; created_at: string }>`
    select * from (
      select a.id, a.type, a.status, a.operation_status, a.created_at,
        case when jsonb_typeof(a.result -> 'failed_count') = 'number' then (a.result -> 'failed_count')::bigint else 0 end as failed
      from async_actions a where a.project_id = ${project_id} and a.created_at >= ${since}
      order by a.created_at desc, a.id desc limit ${sql.lit(jobsMax)}
    ) a
    where a.status = 'FAILED' or a.operation_status = 'FAILED' or a.failed > 0 order by a.created_at desc, a.id desc limit ${sql.lit(jobsShown)}`.execute(
    db,
  )
  return rows.map(({ id, type, status, failed, created_at }) => ({
    id: `job_failed/${id}`,
    kind: 'job_failed' as const,
    // A job that is done although rows of it failed calls itself FAILED in its operation_status only.
    severity: isDone(status, failed) ? ('WARNING' as const) : ('ERROR' as const),
    message: isDone(status, failed)
      ? `The job ${type} ended with ${counted(failed, 'error')}.`
      : `The job ${type} failed${failed > 0 ? `, with ${counted(failed, 'error')}` : ''}.`,
    link: { place: 'async_action' as const, id },
    data: { async_action_id: id, type, failed_count: failed, created_at },
  }))
}

const isDone = (status: string, failed: number): boolean => status === 'DONE' && failed > 0
