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
  threshold: Threshold,
  calls: number,
): Promise<void> {
  const { setting, window, limit, calls_allowed, value } = threshold
  await inBackground(runtime, projectId, newBackgroundRun(runtime.now()), (ctx) =>
    raiseNotification(ctx, {
      kind: setting,
      severity: 'WARNING',
      message: messageOf(threshold, calls),
      data: {
        calls,
        calls_allowed,
        limit: limit.calls_max,
        window: durationText(limit.seconds),
        value,
        starts_at: toInstant(window.starts_at),
        ends_at: toInstant(window.ends_at),
      },
    }),
  )
}

function messageOf({ setting, window, limit, calls_allowed, value }: Threshold, calls: number): string {
  const used = `${calls} of ${calls_allowed} ${nameOf[setting]}`
  const time = `from ${toInstant(window.starts_at)} to ${toInstant(window.ends_at)}`
  const scale =
    window.seconds === limit.seconds ? '' : ` that ${limit.calls_max} per ${durationText(limit.seconds)} allow`
  return `${used}${scale} ${time} are used, which is ${value} % or more`
}

const nameOf = { api_calls: 'API calls', bulk_api_calls: 'bulk API calls', cycle_calls: 'API calls of the cycle' }
