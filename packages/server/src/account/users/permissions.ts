import type { InstallationCtx } from '../../core/context.ts'
import { ApiError } from '../../core/http/errors.ts'

/* What a user who is signed in and no owner may do to other users. Management keys and owners may do everything. */

/** Whether the caller may do in a project what its ADMIN may. */
export function administers({ caller: { user } }: Pick<InstallationCtx, 'caller'>, projectId: string): boolean {
  if (user === undefined || user.is_owner === true) return true
  const { roles = {} } = user
  return Object.hasOwn(roles, projectId) && roles[projectId] === 'ADMIN'
}

/** Refuses a caller who is not ADMIN of all these projects. */
export function refuseOtherProjects(ctx: Pick<InstallationCtx, 'caller'>, projectIds: readonly string[]): void {
  const other = projectIds.find((id) => !administers(ctx, id))
  if (other !== undefined)
    throw new ApiError('missing_required_permission', { details: `You are not ADMIN of the project '${other}'` })
}
