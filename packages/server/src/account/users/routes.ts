import { operation } from '../../core/http/operation.ts'
import { listed } from '../../core/query/list.ts'
import { inviteUser, renewInvitation, withoutLink } from './invite.ts'
import { assignToProject, changeRole, getUser, getUserOfProject, removeFromProject } from './roles-in-project.ts'
import { AssignUser, Invitation, InviteUser, UpdateUser, User, UserList, UserListQuery } from './schema.ts'
import { listUsersOfProject } from './store.ts'
import { toUser } from './view.ts'

export const users = [
  operation({
    id: 'inviteUser',
    method: 'POST',
    path: '/management/v1/projects/users/invite',
    summary: 'Invite a user',
    description:
      'Creates the user and mails the link by which they set a password. With `Prefer: return=representation` the answer shows the link too (beyond the public contract).',
    body: InviteUser,
    reply: Invitation,
    reply_if_preferred: true,
    errors: ['invalid_payload', 'not_found', 'used_incorrect_role', 'duplicate_found'],
    checks_user: true,
    withoutSecrets: (reply) => withoutLink(reply as Invitation),
    run: (ctx, { body }) => inviteUser(ctx, body),
  }),
  operation({
    id: 'assignUser',
    method: 'POST',
    path: '/management/v1/projects/{projectId}/users',
    summary: 'Assign a user to a project',
    description: 'Gives an existing user a role in the project; a role that they have is replaced.',
    body: AssignUser,
    reply: User,
    errors: ['invalid_payload', 'not_found', 'used_incorrect_role', 'forbidden'],
    run: (ctx, { body }) => assignToProject(ctx, body),
  }),
  operation({
    id: 'listUsers',
    method: 'GET',
    path: '/management/v1/projects/{projectId}/users',
    summary: 'List the users of a project',
    description: 'The oldest first, with the role of each in the project.',
    query: UserListQuery,
    reply: UserList,
    errors: ['invalid_query_params', 'not_found'],
    run: async (ctx, { query }) => {
      const { rows, total } = await listUsersOfProject(ctx.db, ctx.project_id, query)
      return listed(
        'data',
        rows.map((user) => toUser(ctx, user)),
        { total },
      )
    },
  }),
  operation({
    id: 'getUser',
    method: 'GET',
    path: '/management/v1/projects/{projectId}/users/{userId}',
    summary: 'Get a user of a project',
    description: 'By id, with the role in the project.',
    reply: User,
    errors: ['not_found'],
    run: async (ctx, { params }) => toUser(ctx, await getUserOfProject(ctx, params.userId)),
  }),
  operation({
    id: 'updateUser',
    method: 'PUT',
    path: '/management/v1/projects/{projectId}/users/{userId}',
    summary: 'Change the role of a user',
    description: 'The user must have a role in the project already.',
    body: UpdateUser,
    reply: User,
    errors: ['invalid_payload', 'not_found', 'used_incorrect_role', 'user_not_assigned', 'forbidden'],
    target: (ctx, { params }) => getUser(ctx, params.userId),
    run: (ctx, { target, body }) => changeRole(ctx, target, body.role),
  }),
  operation({
    id: 'unassignUser',
    method: 'DELETE',
    path: '/management/v1/projects/{projectId}/users/{userId}',
    summary: 'Remove a user from a project',
    description: 'The user and their roles in other projects remain.',
    reply: null,
    errors: ['not_found', 'user_not_assigned', 'forbidden'],
    target: (ctx, { params }) => getUser(ctx, params.userId),
    run: (ctx, { target }) => removeFromProject(ctx, target),
  }),
  operation({
    id: 'renewInvitation',
    method: 'POST',
    path: '/management/v1/projects/{projectId}/users/{userId}/invitation',
    summary: 'Renew the invitation of a user',
    description:
      'Shows a new link for a user who is still `INVITED` and no owner, and mails it unless one was mailed in the last minute; the link before ends.',
    reply: Invitation,
    errors: ['not_found', 'forbidden'],
    withoutSecrets: (reply) => withoutLink(reply as Invitation),
    target: (ctx, { params }) => getUserOfProject(ctx, params.userId, { lock: true }),
    run: (ctx, { target }) => renewInvitation(ctx, target),
  }),
]
