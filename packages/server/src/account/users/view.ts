import type { InstallationCtx } from '../../core/context.ts'
import { administers } from './permissions.ts'
import type { User } from './schema.ts'
import type { AssignedUser } from './store.ts'

/** A user as the management API returns them; to the ADMIN of a project, without their roles in projects of others. */
export function toUser(ctx: Pick<InstallationCtx, 'caller'>, { created_at: _, projects, ...user }: AssignedUser): User {
  return { ...user, projects: Object.fromEntries(Object.entries(projects).filter(([id]) => administers(ctx, id))) }
}
