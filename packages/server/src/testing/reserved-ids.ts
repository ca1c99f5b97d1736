import type { IdKind } from '../core/lib/ids.ts'

/** Kinds of ids that the reference documents but `newId` does not generate, and why. */
export const reservedIds: Partial<Record<IdKind, string>> = {
  tracking: 'made of the `source_id` that it hides',
  webhook: 'webhooks are not served',
  sendout: 'webhooks are not served',
  notification: 'notifications are not served',
  branding: 'brandings are not served',
  consent: 'consents are not served',
  consent_group: 'consents are not served',
  distribution_event: 'distributions are not served',
}
