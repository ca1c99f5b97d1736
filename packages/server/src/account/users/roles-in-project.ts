import type { Ctx } from '../../core/context.ts'
import type { Role } from '../../core/db/tables.ts'
import { ApiError, invalidPayload, notFound } from '../../core/http/errors.ts'
import { announceCredentialChange } from '../credential-change.ts'
import { roleOf } from '../roles.ts'
import { endLinkOfOthers } from './link.ts'
import { sees } from './permissions.ts'
import type { AssignUser, User } from './schema.ts'
import {
  type AssignedUser,
  assignUser,
  deleteRole,
  findUser,
  findUserOfProject,
  getAssignedUser,
  type UserRecord,
  updateRole,
} from './store.ts'
import { toUser } from './view.ts'

/** Gives a user a role in the project, or replaces the one they have. */
export async function assignToProject(ctx: Ctx, { id, login, role: roleName }: AssignUser): Promise<User> {
  if ((id == null) === (login == null)) throw invalidPayload("Payload must have exactly one of 'id', 'login'")
  const role = roleOf(roleName)
  const named = (id ?? login) as string
  const user = await getSeenUser(ctx, id == null ? { login: named } : { id: named }, named)
  refuseRoleOfOwner(user, role)
  await assignUser(ctx.db, ctx.project_id, user.id, role)
  return changedUser(ctx, user)
}

/** Replaces the role of a user of the project. */
export async function changeRole(ctx: Ctx, user: UserRecord, roleName: string): Promise<User> {
  const role = roleOf(roleName)
  refuseRoleOfOwner(user, role)
  if (!(await updateRole(ctx.db, ctx.project_id, user.id, role))) throw notAssigned()
  return changedUser(ctx, user)
}

/** A user whose role has changed: their sessions know the role they had. */
async function changedUser(ctx: Ctx, { id }: UserRecord): Promise<User> {
  await endLinkOfOthers(ctx.db, id, ctx.project_id)
  await announceCredentialChange(ctx)
  return toUser(ctx, await getAssignedUser(ctx.db, id))
}

/** Takes a user out of the project; they remain a user of the installation. */
export async function removeFromProject(ctx: Ctx, user: UserRecord): Promise<void> {
  refuseRoleOfOwner(user, null)
  if (!(await deleteRole(ctx.db, ctx.project_id, user.id))) throw notAssigned()
  await announceCredentialChange(ctx)
}

/** The user in the path by id or login, assigned or not; nobody deletes them, or makes a link for them, before the transaction ends. */
export const getUser = (ctx: Ctx, idOrLogin: string): Promise<UserRecord> =>
  getSeenUser(ctx, { id_or_login: idOrLogin }, idOrLogin)

/** A user whom the caller may know of; the answer for others is that for a user who does not exist. */
async function getSeenUser(ctx: Ctx, by: Parameters<typeof findUser>[1], named: string): Promise<UserRecord> {
  const user = await findUser(ctx.db, by, { lock: 'for update' })
  if (user === undefined || !sees(ctx, await getAssignedUser(ctx.db, user.id))) throw notFound('user', named)
  return user
}

/** The user in the path by id or login, who must be assigned to the project. */
export async function getUserOfProject(
  { db, project_id }: Ctx,
  idOrLogin: string,
  options: { lock?: boolean } = {},
): Promise<AssignedUser> {
  const user = await findUserOfProject(db, project_id, idOrLogin, options)
  if (user !== undefined) return user
  throw new ApiError('not_found', {
    details: `Cannot find user '${idOrLogin}' assigned to the project '${project_id}'`,
    resource_id: idOrLogin,
    resource_type: 'user',
  })
}

/** Owners are ADMIN of every project. As one owner always remains, every project has an ADMIN. */
function refuseRoleOfOwner({ is_owner, login }: UserRecord, role: Role | null): void {
  if (is_owner && role !== 'ADMIN')
    throw new ApiError('forbidden', { details: `User ${login} is an owner, and an owner is ADMIN of every project` })
}

const notAssigned = () => new ApiError('user_not_assigned', { details: 'User is not assigned to the project' })
