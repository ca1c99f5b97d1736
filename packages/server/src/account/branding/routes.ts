import { operation } from '../../core/http/operation.ts'
import { listed } from '../../core/query/list.ts'
import { Branding, BrandingList, CreateBranding, UpdateBranding } from './schema.ts'
import { deleteBranding, findBranding, getBranding } from './store.ts'
import { changeBranding, createBranding } from './write.ts'

export const branding = [
  operation({
    id: 'listBrandings',
    method: 'GET',
    path: '/management/v1/projects/{projectId}/branding',
    summary: 'List brandings',
    description: 'A project has one branding or none.',
    reply: BrandingList,
    errors: ['not_found'],
    run: async (ctx) => {
      const found = await findBranding(ctx.db, ctx.project_id)
      const data = found === undefined ? [] : [found]
      return listed('data', data, { total: data.length })
    },
  }),
  operation({
    id: 'createBranding',
    method: 'POST',
    path: '/management/v1/projects/{projectId}/branding',
    summary: 'Create a branding',
    description: 'Name, address and contact of the brand, for the footer of mails.',
    body: CreateBranding,
    reply: Branding,
    errors: ['invalid_payload', 'not_found', 'branding_exist'],
    run: (ctx, { body }) => createBranding(ctx, body),
  }),
  operation({
    id: 'getBranding',
    method: 'GET',
    path: '/management/v1/projects/{projectId}/branding/{brandingId}',
    summary: 'Get a branding',
    description: 'By id.',
    reply: Branding,
    errors: ['not_found'],
    run: (ctx, { params }) => getBranding(ctx, params.brandingId),
  }),
  operation({
    id: 'updateBranding',
    method: 'PUT',
    path: '/management/v1/projects/{projectId}/branding/{brandingId}',
    summary: 'Update a branding',
    description: 'Only the fields that are sent change, at any depth.',
    body: UpdateBranding,
    reply: Branding,
    errors: ['invalid_payload', 'not_found'],
    target: (ctx, { params }) => getBranding(ctx, params.brandingId, { lock: true }),
    run: (ctx, { target, body }) => changeBranding(ctx, target, body),
  }),
  operation({
    id: 'deleteBranding',
    method: 'DELETE',
    path: '/management/v1/projects/{projectId}/branding/{brandingId}',
    summary: 'Delete a branding',
    description: 'Mails end without its name, address and contact from then on.',
    reply: null,
    errors: ['not_found'],
    target: (ctx, { params }) => getBranding(ctx, params.brandingId, { lock: true }),
    run: (ctx, { target }) => deleteBranding(ctx, target.id),
  }),
]
