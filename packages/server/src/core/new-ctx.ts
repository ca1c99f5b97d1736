import type { FastifyBaseLogger } from 'fastify'
import type { Caller, Ctx, InstallationCtx, Runtime } from './context.ts'
import type { Project } from './db/project-row.ts'
import { toInstant } from './lib/instant.ts'

interface Origin {
  request_id: string
  caller: Caller
  log?: FastifyBaseLogger
}

/**
 * The only place that builds a context: for a request, a download or a background run, with the current time and outside of any
 * transaction. `afterCommit` runs its work at once unless a transaction replaces it.
 */
export function newCtx(runtime: Runtime, { request_id, caller, log = runtime.log }: Origin): InstallationCtx {
  const { database, is_distributed, jobs, settings, credentials, callers, configurations, deferred, wiring } = runtime
  return {
    db: database.db,
    is_distributed,
    now: toInstant(runtime.now()),
    request_id,
    caller,
    jobs,
    settings,
    credentials,
    callers,
    configurations,
    deferred,
    log,
    ...wiring,
    afterCommit: (work) => work(),
  }
}

/** The same context for the work of one project. */
export const inProject = (ctx: InstallationCtx, project: Project): Ctx => ({ ...ctx, project_id: project.id, project })
