import type { Caller, InstallationCtx } from '../../core/context.ts'
import { ApiError } from '../../core/http/errors.ts'
import type { AssignedUser } from './store.ts'

/* What a user who is signed in and no owner may do to other users. Management keys and owners may do everything. */

/** Whether the caller may do in a project what its ADMIN may. */
export function administers({ caller }: Pick<InstallationCtx, 'caller'>, projectId: string): boolean {
  if (mayDoEverything(caller)) return true
  const { roles = {} } = caller.user as NonNullable<Caller['user']>
  return Object.hasOwn(roles, projectId) && roles[projectId] === 'ADMIN'
}

/** Whether the caller may learn that a user exists, and who they are: an ADMIN sees the users of their projects. */
export const sees = (ctx: Pick<InstallationCtx, 'caller'>, { projects }: AssignedUser): boolean =>
  mayDoEverything(ctx.caller) || Object.keys(projects).some((id) => administers(ctx, id))

const mayDoEverything = ({ user }: Caller): boolean => user === undefined || user.is_owner === true

/** Refuses a caller who is not ADMIN of all these projects. */
export function refuseOtherProjects(ctx: Pick<InstallationCtx, 'caller'>, projectIds: readonly string[]): void {
  const other = projectIds.find((id) => !administers(ctx, id))
  if (other !== undefined)
    throw new ApiError('missing_required_permission', { details: `You are not ADMIN of the project '${other}'` })
}
