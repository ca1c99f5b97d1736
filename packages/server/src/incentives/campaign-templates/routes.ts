import { operation, operationPair } from '../../core/http/operation.ts'
import { type FilterFields, filterSql, parseFilter } from '../../core/query/filter/filter.ts'
import { listed } from '../../core/query/list.ts'
import { toJsonTemplate } from './content.ts'
import { copyTemplate, createTemplate } from './create.ts'
import {
  AddPromotionTierFromTemplate,
  CampaignSetup,
  CampaignTemplate,
  CampaignTemplateList,
  CampaignTemplateQuery,
  CopyCampaignTemplate,
  CreateCampaignFromTemplate,
  CreateCampaignTemplate,
  GetCampaignTemplateQuery,
  PromotionTierSetup,
  UpdateCampaignTemplate,
} from './schema.ts'
import { setUpCampaign, setUpTier } from './set-up.ts'
import { deleteTemplate, getTemplate, listTemplates, toTemplate, updateTemplate } from './store.ts'

export const campaignTemplates = [
  ...operationPair({
    id: 'listCampaignTemplates',
    method: 'GET',
    path: '/v1/templates/campaigns',
    summary: 'List campaign templates',
    second: {
      id: 'listCampaignTemplatesOfProject',
      path: '/management/v1/projects/{projectId}/templates/campaigns',
      summary: 'List campaign templates of a project',
      errors: ['invalid_query_params', 'not_found'],
    },
    description: 'Oldest first unless asked otherwise. A total comes only when asked for, and ignores the filters.',
    query: CampaignTemplateQuery,
    reply: CampaignTemplateList,
    errors: ['invalid_query_params'],
    run: async (ctx, { query }) => {
      const filter = parseFilter(query.filters, templateFields)
      const where = filterSql(filter, { now: ctx.now, timezone: ctx.project.timezone })
      const { templates, ...more } = await listTemplates(ctx, query, [where])
      return listed('data', templates, more)
    },
  }),
  operation({
    id: 'createCampaignTemplate',
    method: 'POST',
    path: '/v1/templates/campaigns',
    summary: 'Create a campaign template',
    description:
      'A frozen copy of a discount or gift card campaign, or of a promotion tier, with its rules and all that they name.',
    body: CreateCampaignTemplate,
    reply: CampaignTemplate,
    errors: [
      'invalid_payload',
      'not_found',
      'campaign_type_is_not_supported_by_campaign_template',
      'feature_is_not_supported_by_campaign_template',
      'invalid_campaign',
      'duplicate_found',
    ],
    run: (ctx, { body }) => createTemplate(ctx, body),
  }),
  operation({
    id: 'getCampaignTemplate',
    method: 'GET',
    path: '/v1/templates/campaigns/{campaignTemplateId}',
    summary: 'Get a campaign template',
    description: 'With `expand=json_template` also what it holds.',
    query: GetCampaignTemplateQuery,
    reply: CampaignTemplate,
    errors: ['invalid_query_params', 'not_found'],
    run: async (ctx, { params, query }) => {
      const template = await getTemplate(ctx, params.campaignTemplateId)
      if (query.expand === undefined) return toTemplate(template)
      return { ...toTemplate(template), json_template: toJsonTemplate(template.campaign_type, template.content) }
    },
  }),
  operation({
    id: 'updateCampaignTemplate',
    method: 'PUT',
    path: '/v1/templates/campaigns/{campaignTemplateId}',
    summary: 'Update a campaign template',
    description: 'Its name and description; what it holds never changes.',
    body: UpdateCampaignTemplate,
    reply: CampaignTemplate,
    errors: ['invalid_payload', 'not_found', 'duplicate_found'],
    target: (ctx, { params }) => getTemplate(ctx, params.campaignTemplateId),
    run: (ctx, { target, body }) => updateTemplate(ctx, target.id, body),
  }),
  operation({
    id: 'deleteCampaignTemplate',
    method: 'DELETE',
    path: '/v1/templates/campaigns/{campaignTemplateId}',
    summary: 'Delete a campaign template',
    description: 'What was made of it stays.',
    reply: null,
    errors: ['not_found'],
    run: (ctx, { params }) => deleteTemplate(ctx, params.campaignTemplateId),
  }),
  operation({
    id: 'createCampaignFromTemplate',
    method: 'POST',
    path: '/v1/templates/campaigns/{campaignTemplateId}/campaign-setup',
    summary: 'Create a campaign from a template',
    description:
      'With copies of the rules of the template, and of all that they name and the project lacks: all of it, or nothing.',
    body: CreateCampaignFromTemplate,
    reply: CampaignSetup,
    errors: [
      'invalid_payload',
      'not_found',
      'invalid_campaign',
      'invalid_code_config',
      'invalid_voucher',
      'invalid_validation_rules',
      'metadata_validation_failed',
      'resource_in_use',
      'duplicate_found',
    ],
    target: (ctx, { params }) => getTemplate(ctx, params.campaignTemplateId),
    run: (ctx, { target, body }) => setUpCampaign(ctx, target, body),
  }),
  operation({
    id: 'addPromotionTierFromTemplate',
    method: 'POST',
    path: '/v1/templates/campaigns/{campaignTemplateId}/tier-setup',
    summary: 'Add a promotion tier from a template',
    description: 'To a promotion campaign; otherwise as a campaign is made from a template.',
    body: AddPromotionTierFromTemplate,
    reply: PromotionTierSetup,
    errors: [
      'invalid_payload',
      'not_found',
      'invalid_campaign',
      'campaign_type_is_not_supported_by_campaign_template',
      'invalid_validation_rules',
      'metadata_validation_failed',
      'resource_in_use',
      'resource_protected',
      'duplicate_found',
    ],
    target: (ctx, { params }) => getTemplate(ctx, params.campaignTemplateId),
    run: (ctx, { target, body }) => setUpTier(ctx, target, body),
  }),
  operation({
    id: 'copyCampaignTemplate',
    method: 'POST',
    path: '/management/v1/projects/{projectId}/templates/campaigns/{campaignTemplateId}/copy',
    summary: 'Copy a campaign template to a project',
    description: 'Only the template: what it names is made in the other project when it is used there.',
    body: CopyCampaignTemplate,
    reply: CampaignTemplate,
    errors: ['invalid_payload', 'not_found', 'duplicate_found'],
    target: (ctx, { params }) => getTemplate(ctx, params.campaignTemplateId),
    run: (ctx, { target, body }) => copyTemplate(ctx, target, body),
  }),
]

export const templateFields: FilterFields = {
  id: { type: 'string', column: 'id' },
  name: { type: 'string', column: 'name' },
  campaign_type: { type: 'string', column: 'campaign_type' },
}
