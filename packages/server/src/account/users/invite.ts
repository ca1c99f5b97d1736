import type { InstallationCtx } from '../../core/context.ts'
import type { Db } from '../../core/db/database.ts'
import type { Role } from '../../core/db/tables.ts'
import { ApiError, duplicate, invalidPayload, notFound } from '../../core/http/errors.ts'
import { limits } from '../../core/lib/limits.ts'
import { queueMail } from '../../core/mail/queue-mail.ts'
import { brandingFooter } from '../branding/footer.ts'
import { listProjectNames } from '../projects/store.ts'
import { roleOf } from '../roles.ts'
import { invitationMail } from './invitation-mail.ts'
import { claimLinkMail, newUserLink, type UserLink } from './link.ts'
import { refuseOtherProjects } from './permissions.ts'
import type { Invitation, InviteUser } from './schema.ts'
import { type AssignedUser, assignRoles, getAssignedUser, insertUser } from './store.ts'
import { toUser } from './view.ts'

/** Creates a user with their roles and mails them the link by which they set a password. */
export async function inviteUser(ctx: InstallationCtx, body: InviteUser): Promise<Invitation> {
  const roles = rolesIn(body.projects)
  refuseOtherProjects(ctx, [...roles.keys()])
  await refuseUnknownProjects(ctx.db, [...roles.keys()])
  const { email, first_name, last_name } = body
  const user = await insertUser(ctx.db, { email, first_name, last_name, is_owner: false, created_at: ctx.now })
  if (user === undefined) throw duplicate('user', 'email', email)
  await assignRoles(ctx.db, user.id, roles)
  const link = await newUserLink(ctx, user.id)
  return mailInvitation(ctx, await getAssignedUser(ctx.db, user.id), link)
}

/**
 * Makes a new link for an invited user, which ends the one before, and mails it unless one was mailed just now. Not for an owner: who
 * has the link can become them, and only the command line makes owners.
 */
export async function renewInvitation(ctx: InstallationCtx, { id, login }: AssignedUser): Promise<Invitation> {
  const link = await newUserLink(ctx, id)
  // Read after the link is replaced: a concurrent request that used the old one has committed by then.
  const user = await getAssignedUser(ctx.db, id)
  if (user.is_owner)
    throw new ApiError('forbidden', {
      details: `User ${login} is an owner: only the command line makes their links (guerdon users reset)`,
    })
  if (user.state !== 'INVITED')
    throw new ApiError('forbidden', { details: `User ${login} is not invited any more: they have set a password` })
  // Who has the link can become them, in every project.
  refuseOtherProjects(ctx, Object.keys(user.projects))
  return mailInvitation(ctx, user, link)
}

export const withoutLink = ({ link: _, ...invitation }: Invitation): Invitation => invitation

function rolesIn(projects: InviteUser['projects']): Map<string, Role> {
  const entries = Object.entries(projects)
  if (entries.length === 0) throw invalidPayload('Property .projects must NOT have fewer than 1 properties')
  if (entries.length > limits.invited_projects_max)
    throw invalidPayload(`Property .projects must NOT have more than ${limits.invited_projects_max} properties`)
  return new Map(entries.map(([id, role]) => [id, roleOf(role)]))
}

async function refuseUnknownProjects(db: Db, ids: string[]): Promise<void> {
  const found = new Set((await listProjectNames(db, ids)).map(({ id }) => id as string))
  const unknown = ids.find((id) => !found.has(id))
  if (unknown !== undefined) throw notFound('project', unknown)
}

async function mailInvitation(ctx: InstallationCtx, user: AssignedUser, link: UserLink): Promise<Invitation> {
  const invitation = { user: toUser(ctx, user), ...link }
  if (!(await claimLinkMail(ctx, user.id))) return invitation
  const names = await listProjectNames(ctx.db, Object.keys(user.projects))
  const [only, ...more] = names
  // Of several projects, none has a branding that is right for the others.
  const footer = only === undefined || more.length > 0 ? '' : await brandingFooter(ctx.db, only.id)
  await queueMail(ctx, invitationMail(user, names, link, footer))
  return invitation
}
