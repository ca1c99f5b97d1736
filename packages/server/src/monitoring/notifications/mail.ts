import type { Ctx } from '../../core/context.ts'
import { durationSeconds } from '../../core/lib/call-limits.ts'
import { toOneLine } from '../../core/lib/one-line.ts'
import type { Mail } from '../../core/mail/queue-mail.ts'
import type { Notification, UsageKind } from './kinds.ts'

/** The mail of a notification: what happened, where, and what to do about it. */
export function mailOf(
  { project, settings, now }: Pick<Ctx, 'project' | 'settings' | 'now'>,
  notification: Notification,
): Omit<Mail, 'to'> {
  const base = `${settings.base_url}/management/v1/projects/${project.id}`
  const { subject, advice } = textsOf(notification, base)
  const name = toOneLine(project.name) // with a line break it could add lines that look like ours
  const paragraphs = [
    notification.message,
    advice.join('\n'),
    `Project: ${name} (${project.id})\nTime: ${now}\nService: ${settings.base_url}`,
  ]
  return { subject: `${name}: ${subject}`, text: `${paragraphs.join('\n\n')}\n` }
}

/** The texts of a notification; the advice as lines. */
function textsOf(notification: Notification, base: string): { subject: string; advice: string[] } {
  switch (notification.kind) {
    case 'webhook_failed': {
      const { webhook_id } = notification.data
      return {
        subject: 'a webhook fails',
        advice: [
          'The delivery is retried for 24 hours, then the webhook is switched off. Check that its target answers with a status from 200 to 299 in time.',
          `What was sent: GET ${base}/webhook-sendouts?webhook_id=${webhook_id}`,
        ],
      }
    }
    case 'webhook_disabled': {
      const { webhook_id } = notification.data
      return {
        subject: 'a webhook was switched off',
        advice: [
          'No events are sent to it until you switch it on again, when its target works:',
          `PUT ${base}/webhooks/${webhook_id} {"active": true}`,
          `What was missed, to be retried one by one: GET ${base}/webhook-sendouts?webhook_id=${webhook_id}&status=FAILED`,
        ],
      }
    }
    default: {
      const { limit, window, starts_at, ends_at, value } = notification.data
      // A limit with a shorter window than the hour in which calls are counted refuses them in that window only.
      const isScaled =
        (durationSeconds(window) ?? Number.POSITIVE_INFINITY) * 1_000 < Date.parse(ends_at) - Date.parse(starts_at)
      const until = isScaled ? '' : ` until ${ends_at}`
      return {
        subject: `${value} % of the ${nameOf[notification.kind]} are used`,
        advice: [
          `Calls beyond the limit of ${limit} per ${window} are answered with status 429${until}.`,
          `Usage: GET ${base}/usage`,
          `The limits of the project: PUT ${base}/limits`,
        ],
      }
    }
  }
}

const nameOf: { readonly [K in UsageKind]: string } = {
  api_calls: 'allowed calls',
  bulk_api_calls: 'allowed bulk calls',
  cycle_calls: 'allowed calls of this month',
}
