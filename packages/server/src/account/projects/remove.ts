import type { Ctx } from '../../core/context.ts'
import { ApiError } from '../../core/http/errors.ts'
import { toInstant } from '../../core/lib/instant.ts'
import { limits } from '../../core/lib/limits.ts'
import { announceCredentialChange } from '../credential-change.ts'
import { closeProject, getProjectForUpdate } from './store.ts'

/** Closes every way into a project at once and has its data removed in the background. */
export async function removeProject(ctx: Ctx): Promise<void> {
  const project = await getProjectForUpdate(ctx, ctx.project_id)
  if (project.is_sandbox) throw new ApiError('forbidden', { details: 'Sandbox project cannot be deleted' })
  await closeProject(ctx, project.id)
  // By then no request that was let in before can still be writing, so nothing appears behind the purge.
  const startAfter = toInstant(Date.parse(ctx.now) + limits.request_timeout_seconds * 1_000)
  await ctx.jobs.send(ctx, 'purge-project', { project_id: project.id }, { start_after: startAfter })
  await announceCredentialChange(ctx)
}
