import type { Caller, Ctx, Runtime } from '../context.ts'
import { findProject } from '../db/project.ts'
import type { Project } from '../db/project-row.ts'
import { inTransaction } from '../db/transaction.ts'
import { inProject, newCtx } from '../new-ctx.ts'

/** On whose behalf background work runs: its events carry the same `group_id` and `event_source` as the request's own. */
export interface Origin {
  request_id: string
  caller: Caller
}

/**
 * Runs `work` in one transaction on behalf of an earlier request, with the clock of this moment. Answers null, and does
 * nothing, when the project is gone.
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

/** A context without a request. Outside of a transaction, what is to happen after the commit happens at once. */
export const backgroundCtx = (runtime: Runtime, project: Project, origin: Origin): Ctx =>
  inProject(newCtx(runtime, origin), project)
