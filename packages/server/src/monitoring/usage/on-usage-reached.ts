import type { Runtime } from '../../core/context.ts'
import type { Project } from '../../core/db/project-row.ts'
import type { Threshold } from '../../core/http/usage-thresholds.ts'
import { inBackground, newBackgroundRun } from '../../core/jobs/background.ts'
import { durationText } from '../../core/lib/call-limits.ts'
import { toInstant } from '../../core/lib/instant.ts'
import { raiseNotification } from '../notifications/raise.ts'

/** Tells a project that it has used most of a limit, once per window for all nodes together. */
export async function onUsageReached(
  runtime: Runtime,
  { id: projectId }: Project,
  { setting, window, limit, value }: Threshold,
  calls: number,
): Promise<void> {
  const [startsAt, endsAt] = [toInstant(window.starts_at), toInstant(window.ends_at)]
  await inBackground(runtime, projectId, newBackgroundRun(runtime.now()), (ctx) =>
    raiseNotification(ctx, {
      kind: setting,
      severity: 'WARNING',
      message: `${calls} of ${limit} ${nameOf[setting]} from ${startsAt} to ${endsAt} are used, which is ${value} % or more`,
      data: { calls, limit, value, window: durationText(window.seconds), starts_at: startsAt, ends_at: endsAt },
    }),
  )
}

const nameOf = { api_calls: 'API calls', bulk_api_calls: 'bulk API calls', cycle_calls: 'API calls of the cycle' }
