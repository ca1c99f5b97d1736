import type { Runtime } from '../context.ts'
import type { Project } from '../db/project-row.ts'
import type { Threshold } from './usage-thresholds.ts'

declare module '../reactions.ts' {
  interface Reactions {
    /**
     * A project has reached a threshold of a limit with `calls` calls. Unlike other reactions it runs after the reply and outside of
     * any transaction, and several nodes may call it for one window.
     */
    usageReached: (runtime: Runtime, project: Project, threshold: Threshold, calls: number) => Promise<void>
  }
}
