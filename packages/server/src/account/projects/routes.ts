import { operation } from '../../core/http/operation.ts'
import { listed } from '../../core/query/list.ts'
import { createProject, withoutTokens } from './create.ts'
import { removeProject } from './remove.ts'
import { CreatedProject, CreateProject, LimitsBody, ProjectList, ProjectView, UpdateProject } from './schema.ts'
import { listProjects } from './store.ts'
import { changeLimits, changeProject, replaceWebhookToken } from './update.ts'
import { toProjectView } from './view.ts'

export const projects = [
  operation({
    id: 'createProject',
    method: 'POST',
    path: '/management/v1/projects',
    summary: 'Create a project',
    description: 'With a server-side and a client-side key, whose secrets are shown in this answer and never again.',
    body: CreateProject,
    reply: CreatedProject,
    errors: ['invalid_payload', 'not_found', 'used_incorrect_role'],
    withoutSecrets: (reply) => withoutTokens(reply as CreatedProject),
    run: async (ctx, { body }) => {
      const { project, ...keys } = await createProject(ctx, body)
      return { ...toProjectView(project, ctx.settings), ...keys }
    },
  }),
  operation({
    id: 'listProjects',
    method: 'GET',
    path: '/management/v1/projects',
    summary: 'List projects',
    description: 'All projects of the installation, with their settings.',
    reply: ProjectList,
    errors: [],
    run: async (ctx) => {
      const data = (await listProjects(ctx)).map((project) => toProjectView(project, ctx.settings))
      return listed('data', data, { total: data.length })
    },
  }),
  operation({
    id: 'getProject',
    method: 'GET',
    path: '/management/v1/projects/{projectId}',
    summary: 'Get a project',
    description: 'By id, with all settings.',
    reply: ProjectView,
    errors: ['not_found'],
    run: async (ctx) => toProjectView(ctx.project, ctx.settings),
  }),
  operation({
    id: 'updateProject',
    method: 'PUT',
    path: '/management/v1/projects/{projectId}',
    summary: 'Update a project',
    description: 'Only the fields that are sent change; they are in force with the next request.',
    body: UpdateProject,
    reply: ProjectView,
    errors: ['invalid_payload', 'not_found'],
    run: async (ctx, { body }) => toProjectView(await changeProject(ctx, body), ctx.settings),
  }),
  operation({
    id: 'deleteProject',
    method: 'DELETE',
    path: '/management/v1/projects/{projectId}',
    summary: 'Delete a project',
    description: 'Keys and tokens die at once; the data is removed in the background. The sandbox project stays.',
    reply: null,
    errors: ['not_found', 'forbidden'],
    owners_only: true,
    run: (ctx) => removeProject(ctx),
  }),
  operation({
    id: 'regenerateWebhookToken',
    method: 'POST',
    path: '/management/v1/projects/{projectId}/webhook-token/regenerate',
    summary: 'Regenerate the webhook token',
    description:
      'Every attempt from now on is signed with the new token. For 24 hours `webhook-signature` carries a signature with the old ' +
      'one too.',
    reply: ProjectView,
    errors: ['not_found'],
    idempotent: false,
    run: async (ctx) => toProjectView(await replaceWebhookToken(ctx), ctx.settings),
  }),
  operation({
    id: 'setProjectLimits',
    method: 'PUT',
    path: '/management/v1/projects/{projectId}/limits',
    summary: 'Set the limits of a project',
    description: 'Replaces the limits of this project; `null` returns it to those of the installation.',
    body: LimitsBody,
    reply: ProjectView,
    errors: ['invalid_payload', 'not_found'],
    // The limits protect the operator and the other projects.
    owners_only: true,
    run: async (ctx, { body }) => toProjectView(await changeLimits(ctx, body), ctx.settings),
  }),
]
