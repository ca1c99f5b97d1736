import type { Ctx } from '../../core/context.ts'
import { tooManyRequests } from '../../core/http/errors.ts'
import { limits } from '../../core/lib/limits.ts'
import type { Settings } from '../../core/settings.ts'
import { type AttemptPoller, newAttemptPoller } from './attempt-poller.ts'
import type { Sendout } from './schema.ts'

/** Besides the attempt itself: for a node whose slots are taken, or for one that takes over from a node that was killed. */
const graceMs = 40_000
/** For a refused request: a target that answers has made room by then. */
const refusedForMs = 5_000

/** The requests of a node that wait for an attempt. */
interface Waiting {
  poller: AttemptPoller
  total: number
  by_project: Map<string, number>
}

/** One node of a service has one settings object. */
const nodes = new WeakMap<Settings, Waiting>()

/**
 * Requests an attempt by calling `request`, waits until this node or another one has made it, and returns the send-out. Returns it as
 * it is if no node gets to it in time; the attempt follows then. Throws 429, without calling `request`, if too many wait already.
 */
export async function awaitAttempt(ctx: Ctx, id: string, request: () => Promise<void>): Promise<Sendout> {
  const { project_id, settings, jobs } = ctx
  const waiting = nodes.get(settings) ?? { poller: newAttemptPoller(ctx.db), total: 0, by_project: new Map() }
  nodes.set(settings, waiting)
  countIn(waiting, project_id)
  try {
    await request()
    jobs.wake('webhooks')
    const deadline = performance.now() + Math.min(settings.webhook_timeout_ms + graceMs, 150_000)
    return await waiting.poller.attempted({ project_id, id }, deadline)
  } finally {
    countOut(waiting, project_id)
  }
}

function countIn(waiting: Waiting, projectId: string): void {
  const ofProject = waiting.by_project.get(projectId) ?? 0
  if (ofProject >= limits.project_attempt_waits_max || waiting.total >= limits.node_attempt_waits_max)
    throw tooManyRequests('webhook_attempt_waits', refusedForMs, {
      facts: { details: 'Too many manual retries and tests of webhooks wait for their attempt' },
    })
  waiting.by_project.set(projectId, ofProject + 1)
  waiting.total += 1
}

function countOut(waiting: Waiting, projectId: string): void {
  const ofProject = (waiting.by_project.get(projectId) as number) - 1
  if (ofProject > 0) waiting.by_project.set(projectId, ofProject)
  else waiting.by_project.delete(projectId)
  waiting.total -= 1
}
