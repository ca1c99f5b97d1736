import type { FastifyReply } from 'fastify'
import type { Runtime } from '../context.ts'
import type { Project } from '../db/project-row.ts'
import type { Threshold } from './usage-thresholds.ts'

/** Announces the thresholds that projects reach, after the reply to the call that reached them. */
export interface UsageWatch {
  /** To be called for every call at or beyond the threshold; this node announces it once. */
  reach(project: Project, threshold: Threshold, calls: number, reply: FastifyReply): void
  /** Resolves when everything is announced. */
  drain(): Promise<void>
}

const rememberedMax = 10_000

/**
 * Not only the call that reaches the threshold: its node may die, and a limit that is lowered may be reached already. So each node
 * announces once per window, and the database decides which of them raises the notification.
 */
export function newUsageWatch(runtime: Runtime): UsageWatch {
  /** Start of the last announced window, by project, kind and length; the oldest are forgotten first. */
  const announced = new Map<string, number>()
  const running = new Set<Promise<void>>()

  async function announce(key: string, project: Project, threshold: Threshold, calls: number): Promise<void> {
    try {
      await runtime.wiring.reactions.usageReached(runtime, project, threshold, calls)
    } catch (error) {
      announced.delete(key) // the next call tries again
      runtime.log.warn({ err: error, project_id: project.id }, 'a usage threshold could not be announced')
    }
  }

  return {
    reach(project, threshold, calls, reply) {
      const { kind, seconds, starts_at } = threshold.window
      const key = `${project.id} ${kind} ${seconds}`
      if (announced.get(key) === starts_at) return
      announced.delete(key)
      announced.set(key, starts_at)
      if (announced.size > rememberedMax) announced.delete(announced.keys().next().value as string)
      const start = () => {
        const run = announce(key, project, threshold, calls).finally(() => running.delete(run))
        running.add(run)
      }
      if (reply.raw.closed) start()
      else reply.raw.once('close', start)
    },
    async drain() {
      await Promise.all(running)
    },
  }
}
