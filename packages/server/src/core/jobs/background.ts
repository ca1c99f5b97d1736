import type { Caller, Ctx, Runtime } from '../context.ts'
import { findProject } from '../db/project.ts'
import type { Project } from '../db/project-row.ts'
import { inTransaction } from '../db/transaction.ts'
import { newId } from '../lib/ids.ts'
import { inProject, newCtx } from '../new-ctx.ts'

/** The request that background work belongs to: its events get the same `group_id` and `event_source`. */
export interface Origin {
  request_id: string
  caller: Caller
}

/** The origin of work that no request has caused. `at` is Unix milliseconds. */
export const newBackgroundRun = (at?: number): Origin => ({
  request_id: newId('background_run', at),
  caller: { channel: 'INTERNAL', api_key: null, role: 'ADMIN' },
})

/**
 * Runs `work` in one transaction on behalf of its origin, with the current time. Returns null, and does nothing, if
 * the project was deleted.
 */
export async function inBackground<T>(
  runtime: Runtime,
  projectId: string,
  origin: Origin,
  work: (ctx: Ctx) => Promise<T>,
): Promise<T | null> {
  const afterCommit: Array<() => void> = []
  const result = await inTransaction(runtime.database.db, async (trx) => {
    afterCommit.length = 0
    const project = await findProject(trx, projectId)
    if (project === null) return null
    return work({
      ...backgroundCtx(runtime, project, origin),
      db: trx,
      afterCommit: (after) => void afterCommit.push(after),
    })
  })
  for (const after of afterCommit) after()
  return result
}

/** A context without a request and without a transaction: `afterCommit` runs its work at once. */
export const backgroundCtx = (runtime: Runtime, project: Project, origin: Origin): Ctx =>
  inProject(newCtx(runtime, origin), project)
