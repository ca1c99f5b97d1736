import type { Runtime } from '../../core/context.ts'
import { inBackground, newBackgroundRun } from '../../core/jobs/background.ts'
import { limits } from '../../core/lib/limits.ts'
import { within } from '../../core/lib/within.ts'
import { raiseNotification } from '../../monitoring/notifications/raise.ts'
import { type EndedAttempt, lockAttempted, recordAttempts, switchOff } from './record-attempts.ts'

/** At most one notification per webhook and hour is raised: after one, this node need not ask the database again. */
const silenceMs = 3_600_000
/** After this time this node asks again whether a project that wanted no notification wants one now. */
const askAgainMs = 60_000

/** Tells the owners of webhooks that a first attempt has failed. What could not be raised is raised with the next failure. */
export function newFailureNotifier(runtime: Runtime): (failed: readonly EndedAttempt[]) => Promise<void> {
  const silentUntil = new Map<string, number>()
  return async (failed) => {
    const now = runtime.now()
    for (const [id, until] of silentUntil) if (now >= until) silentUntil.delete(id)
    for (const { project_id, webhook_id, id, target_url, attempt } of failed) {
      if (silentUntil.has(webhook_id)) continue
      const isWanted = await inBackground(runtime, project_id, newBackgroundRun(), (ctx) =>
        raiseNotification(ctx, {
          kind: 'webhook_failed',
          severity: 'WARNING',
          message: `A delivery to the webhook ${webhook_id} failed: ${attempt.error}. It is retried for 24 hours.`,
          data: { webhook_id, sendout_id: id, target_url, status_code: attempt.status_code, error: attempt.error },
        }),
      )
      silentUntil.set(webhook_id, now + (isWanted === true ? silenceMs : askAgainMs))
    }
  }
}

/** Failed first attempts of which the owners are told, beside recording, which must not wait for it. */
export interface NotificationQueue {
  add(failed: readonly EndedAttempt[]): void
  /** Waits a moment for those that were added. */
  close(): Promise<void>
}

/** How long a stopping node waits for notifications. */
const closeMs = 2_000

/** One failure of each webhook waits; what does not fit is raised with the next failure. */
export function newNotificationQueue(runtime: Runtime): NotificationQueue {
  const notify = newFailureNotifier(runtime)
  const waiting = new Map<string, EndedAttempt>()
  let raising: Promise<void> | null = null

  async function raiseAll(): Promise<void> {
    for (const [webhookId, failed] of waiting) {
      waiting.delete(webhookId)
      await notify([failed]).catch((error: unknown) =>
        runtime.log.warn({ err: error, webhook_id: webhookId }, 'could not notify of failed deliveries to a webhook'),
      )
    }
    raising = null
  }

  return {
    add(failed) {
      for (const each of failed)
        if (waiting.size < limits.webhook_notifications_waiting_max && !waiting.has(each.webhook_id))
          waiting.set(each.webhook_id, { ...each, attempt: { ...each.attempt, response_body: null } })
      if (waiting.size > 0) raising ??= raiseAll()
    },
    async close() {
      if (raising !== null) await within(closeMs, raising).catch(() => {}) // the next failure tells
    },
  }
}

/**
 * Records that the last retry of a send-out has failed, switches its webhook off and tells its owners, in one transaction. If the owner
 * has switched the webhook on since the attempt began, the schedule begins anew and the webhook stays on. If the webhook has got
 * another address, one more attempt follows there. Returns whether it switched the webhook off.
 */
export async function recordLastFailure(runtime: Runtime, ended: EndedAttempt): Promise<boolean> {
  const { project_id, webhook_id, id, target_url, attempt } = ended
  const isSwitchedOff = await inBackground(runtime, project_id, newBackgroundRun(), async (ctx) => {
    const { webhook, sendout } = await lockAttempted(ctx.db, ended)
    const isMoved = webhook !== null && webhook.target_url !== target_url
    await recordAttempts(ctx.db, [isMoved ? { ...ended, next_attempt_at: ctx.now } : ended])
    const isWaiting = sendout?.status === 'PENDING' || sendout?.status === 'RETRYING' // otherwise erased, or ended before
    if (isMoved || !isWaiting || webhook?.activation !== ended.activation) return false
    if (!(await switchOff(ctx.db, ended, ctx.now))) return false
    await raiseNotification(ctx, {
      kind: 'webhook_disabled',
      severity: 'ERROR',
      message: `The webhook ${webhook_id} was switched off: a send-out failed for 24 hours, at last with: ${attempt.error}.`,
      data: { webhook_id, sendout_id: id, target_url, status_code: attempt.status_code, error: attempt.error },
    })
    return true
  })
  return isSwitchedOff === true
}
