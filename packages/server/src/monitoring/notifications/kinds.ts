import type { Project } from '../../core/db/project-row.ts'
import type { CalloutNotification, UsageNotification } from '../../core/db/tables.ts'

/** A notification that the service raises by itself (docs/reference/notifications.md). */
export type Notification = Common & (WebhookNotification | UsageNotificationOf)

interface Common {
  severity: 'INFO' | 'WARNING' | 'ERROR'
  /** One sentence: what happened. */
  message: string
}

interface WebhookNotification {
  kind: 'webhook_failed' | 'webhook_disabled'
  data: { webhook_id: string } & Record<string, unknown>
}

interface UsageNotificationOf {
  kind: UsageKind
  data: {
    /** In the time from `starts_at` to `ends_at`, for which there is one notification at most. */
    calls: number
    calls_allowed: number
    /** The limit as it is set, in calls per window. */
    limit: number
    window: string
    /** Percent of the allowed calls. */
    value: number
    starts_at: string
    ends_at: string
  }
}

export type UsageKind = 'api_calls' | 'bulk_api_calls' | 'cycle_calls'
export type NotificationKind = Notification['kind']
export const notificationKinds: readonly NotificationKind[] = [
  'webhook_failed',
  'webhook_disabled',
  'api_calls',
  'bulk_api_calls',
  'cycle_calls',
]

/** Where a notification goes. */
interface Channels {
  in_app: boolean
  /** Empty: no mail. */
  emails: readonly string[]
}

/** What the settings of the project say about a kind. */
export function channelsOf(project: Project, kind: NotificationKind): Channels {
  if (kind === 'webhook_failed' || kind === 'webhook_disabled')
    return calloutChannels(project.webhooks_callout_notifications.webhooks)
  return usageChannels(project.api_usage_notifications[kind])
}

const calloutChannels = (setting: CalloutNotification | undefined): Channels => ({
  in_app: setting?.in_app === true,
  emails: setting?.email === true ? setting.emails : [],
})

const usageChannels = (setting: UsageNotification | undefined): Channels =>
  setting?.enabled === true ? { in_app: setting.in_app, emails: setting.emails } : { in_app: false, emails: [] }

const hourMs = 3_600_000

/**
 * How often a notification may be raised: once for its `subject` until `expires_at` (Unix milliseconds). Null: every time. A
 * window is over at its end; an hour later no node counts in it any more, not even one with a slow clock.
 */
export function repetitionOf(notification: Notification, now: number): { subject: string; expires_at: number } | null {
  switch (notification.kind) {
    case 'webhook_failed':
      return { subject: notification.data.webhook_id, expires_at: now + hourMs }
    case 'webhook_disabled':
      return null
    default: {
      const { starts_at, ends_at } = notification.data
      return { subject: `${starts_at} ${ends_at}`, expires_at: Date.parse(ends_at) + hourMs }
    }
  }
}
