import type { Ctx } from '../../core/context.ts'
import { toOneLine } from '../../core/lib/one-line.ts'
import type { Mail } from '../../core/mail/queue-mail.ts'
import type { Notification, NotificationKind } from './kinds.ts'

/** The mail of a notification: what happened, where, and what to do about it. */
export function mailOf(
  { project, settings, now }: Pick<Ctx, 'project' | 'settings' | 'now'>,
  notification: Notification,
): Omit<Mail, 'to'> {
  const base = `${settings.base_url}/management/v1/projects/${project.id}`
  const { subject, advice } = texts[notification.kind]
  const name = toOneLine(project.name) // with a line break it could add lines that look like ours
  const paragraphs = [
    notification.message,
    advice(notification.data, base).join('\n'),
    `Project: ${name} (${project.id})\nTime: ${now}\nService: ${settings.base_url}`,
  ]
  return { subject: `${name}: ${subject}`, text: `${paragraphs.join('\n\n')}\n` }
}

type Data = Record<string, unknown>

const usageAdvice = (data: Data, base: string): string[] => [
  `Calls beyond the limit are answered with status 429 until ${data.ends_at}.`,
  `Usage: GET ${base}/usage`,
  `The limits of the project: PUT ${base}/limits`,
]

/** Advice as lines. */
const texts: { readonly [K in NotificationKind]: { subject: string; advice(data: Data, base: string): string[] } } = {
  webhook_failed: {
    subject: 'a webhook fails',
    advice: ({ webhook_id }, base) => [
      'The delivery is retried for 24 hours, then the webhook is switched off. Check that its target answers with a status from 200 to 299 in time.',
      `What was sent: GET ${base}/webhook-sendouts?webhook_id=${webhook_id}`,
    ],
  },
  webhook_disabled: {
    subject: 'a webhook was switched off',
    advice: ({ webhook_id }, base) => [
      'No events are sent to it until you switch it on again, when its target works:',
      `PUT ${base}/webhooks/${webhook_id} {"active": true}`,
      `What was missed, to be retried one by one: GET ${base}/webhook-sendouts?webhook_id=${webhook_id}&status=FAILED`,
    ],
  },
  api_calls: { subject: 'most of the allowed calls are used', advice: usageAdvice },
  bulk_api_calls: { subject: 'most of the allowed bulk calls are used', advice: usageAdvice },
  cycle_calls: { subject: 'most of the allowed calls of this month are used', advice: usageAdvice },
}
