import type { Project } from '../../core/db/project-row.ts'
import type { Settings } from '../../core/settings.ts'
import type { ProjectView } from './schema.ts'

/** A project as the management API returns it. */
export function toProjectView(project: Project, { cluster_id }: Pick<Settings, 'cluster_id'>): ProjectView {
  const {
    config_version: _,
    created_at: __,
    deleted_at: ___,
    tracking_secret: ____,
    previous_webhook_token: _____,
    webhook_token_replaced_at: ______,
    default_code_config,
    limits,
    ...publicFields
  } = project
  return {
    ...publicFields,
    webhook_version: 'v2024-01-01',
    api_version: 'v2018-08-01',
    cluster_id,
    webhooks_callout_notifications:
      project.webhooks_callout_notifications as ProjectView['webhooks_callout_notifications'],
    api_usage_notifications: {
      ...project.api_usage_notifications,
      redemptions: { enabled: false, value: 80, in_app: false, emails: [] },
    } as unknown as ProjectView['api_usage_notifications'],
    ...(default_code_config === null ? {} : { default_code_config }),
    ...(limits === null ? {} : { limits }),
  }
}
