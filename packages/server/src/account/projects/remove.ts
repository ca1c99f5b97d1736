import type { Ctx } from '../../core/context.ts'
import { ApiError } from '../../core/http/errors.ts'
import { toInstant } from '../../core/lib/instant.ts'
import { limits } from '../../core/lib/limits.ts'
import { announceCredentialChange } from '../credential-change.ts'
import { closeProject, getProjectForUpdate } from './store.ts'

/** Revokes all access to a project at once and starts a background job that deletes its data. */
export async function removeProject(ctx: Ctx): Promise<void> {
  const project = await getProjectForUpdate(ctx, ctx.project_id)
  if (project.is_sandbox) throw new ApiError('forbidden', { details: 'Sandbox project cannot be deleted' })
  await closeProject(ctx, project.id)
  // Start after the request timeout: requests admitted before the deletion can write until then, and the purge would miss rows.
  const startAfter = toInstant(Date.parse(ctx.now) + limits.request_timeout_seconds * 1_000)
  await ctx.jobs.send(ctx, 'purge-project', { project_id: project.id }, { start_after: startAfter })
  await announceCredentialChange(ctx)
}
