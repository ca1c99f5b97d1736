import type { Discount } from '@guerdon/engine/schema'
import { getProjectForUpdate } from '../../account/projects/store.ts'
import { administers } from '../../account/users/permissions.ts'
import type { Ctx } from '../../core/context.ts'
import { ApiError, invalidPayload, notFound } from '../../core/http/errors.ts'
import { limits } from '../../core/lib/limits.ts'
import { setOnly } from '../../rules/terms/validity.ts'
import { listAssignmentsOf } from '../../rules/validation-rules/assignment-store.ts'
import { listRulesById } from '../../rules/validation-rules/store.ts'
import { campaignValidityOf as campaignValidity } from '../campaigns/campaign.ts'
import { invalidCampaign } from '../campaigns/define.ts'
import { getCampaign } from '../campaigns/store.ts'
import { tierValidityOf as tierValidity } from '../promotions/tier.ts'
import { getTier } from '../promotions/tier-store.ts'
import { readCodeConfig } from '../vouchers/code-config.ts'
import type { TemplateContent } from './content.ts'
import { copyResources } from './copy-resources.ts'
import { customEventsIn, typedKeys } from './metadata-keys.ts'
import type {
  CampaignTemplate,
  CopyCampaignTemplate,
  CreateCampaignTemplate,
  TemplateCampaign,
  TemplateRule,
} from './schema.ts'
import { insertTemplate, type StoredTemplate } from './store.ts'

/**
 * Creates a template from a campaign or a promotion tier
 * (docs/reference/campaign-templates.md#campaign-template-endpoints).
 */
export async function createTemplate(ctx: Ctx, body: CreateCampaignTemplate): Promise<CampaignTemplate> {
  const { campaign_type, ...source } = await sourceOf(ctx, body)
  const content = refuseTooLarge(await contentOf(ctx, source))
  return insertTemplate(ctx, { name: body.name, description: body.description ?? null, campaign_type, content })
}

/**
 * Copies a template to another project or the same one. The resources it needs are created there when the template is
 * used (docs/reference/campaign-templates.md#campaign-template-endpoints).
 */
export async function copyTemplate(
  ctx: Ctx,
  template: StoredTemplate,
  { name, description = template.description, destination_project_id }: CopyCampaignTemplate,
): Promise<CampaignTemplate> {
  // The path names the project of the template only: an ADMIN of it must not write into projects of others, nor learn of them.
  if (!administers(ctx, destination_project_id)) throw notFound('project', destination_project_id)
  // Lock the project: a row inserted after the project was deleted might never be removed.
  const { id: projectId } = await getProjectForUpdate(ctx, destination_project_id)
  const { campaign_type, content } = template
  return insertTemplate({ ...ctx, project_id: projectId }, { name, description, campaign_type, content })
}

type Source = Pick<TemplateContent, 'campaign' | 'banner' | 'validation_rules'> & Pick<StoredTemplate, 'campaign_type'>

/** The body must name exactly one of the two; null counts as omitted. */
async function sourceOf(ctx: Ctx, { campaign_id, promotion_tier_id }: CreateCampaignTemplate): Promise<Source> {
  if (campaign_id != null && promotion_tier_id != null)
    throw invalidPayload("Payload must have either 'campaign_id' or 'promotion_tier_id', not both")
  if (campaign_id != null) return sourceFromCampaign(ctx, campaign_id)
  if (promotion_tier_id != null) return sourceFromTier(ctx, promotion_tier_id)
  throw invalidPayload("Payload should have required property 'campaign_id'")
}

async function sourceFromCampaign(ctx: Ctx, key: string): Promise<Source> {
  const storedCampaign = await getCampaign(ctx, key)
  const { campaign_type, voucher, voucher_type } = storedCampaign
  if (campaign_type !== 'DISCOUNT_COUPONS' && campaign_type !== 'GIFT_VOUCHERS')
    throw new ApiError('campaign_type_is_not_supported_by_campaign_template', {
      details: `Campaign of type ${campaign_type} is not supported by campaign template`,
    })
  if (voucher === null || voucher_type === null || storedCampaign.status === 'DRAFT')
    throw invalidCampaign('A campaign template cannot be made of a draft')
  const { description, activity_duration_after_publishing } = storedCampaign
  const campaign = {
    type: storedCampaign.type,
    join_once: storedCampaign.join_once,
    auto_join: storedCampaign.auto_join,
    use_voucher_metadata_schema: storedCampaign.use_voucher_metadata_schema,
    metadata: storedCampaign.metadata,
    ...setOnly({ description, activity_duration_after_publishing }),
    ...campaignValidity(storedCampaign),
    voucher: { type: voucher_type, ...voucher },
  } as TemplateCampaign
  return { campaign_type, campaign, banner: null, validation_rules: await rulesOf(ctx, 'campaign', storedCampaign.id) }
}

/** Turns a tier into a campaign whose vouchers give its discount; all other settings are those of a new campaign (D68). */
async function sourceFromTier(ctx: Ctx, id: string): Promise<Source> {
  const tier = await getTier(ctx, id)
  if (tier.discount === null) throw invalidCampaign(`Promotion tier ${id} has no discount`)
  const campaign = {
    type: 'STATIC',
    join_once: false,
    auto_join: false,
    use_voucher_metadata_schema: true,
    metadata: tier.metadata,
    ...setOnly(tierValidity(tier)),
    voucher: {
      type: 'DISCOUNT_VOUCHER',
      discount: tier.discount,
      redemption: { quantity: null },
      code_config: readCodeConfig(null, ctx.project),
    },
  } as TemplateCampaign
  const validationRules = await rulesOf(ctx, 'promotion_tier', tier.id)
  return { campaign_type: 'DISCOUNT_COUPONS', campaign, banner: tier.banner, validation_rules: validationRules }
}

/** All assigned rules, in the order of evaluation: a copy without one of them would apply to more customers. */
async function rulesOf(ctx: Ctx, type: 'campaign' | 'promotion_tier', id: string): Promise<TemplateRule[]> {
  const ids = (await listAssignmentsOf(ctx, type, [id])).map(({ rule_id }) => rule_id)
  if (ids.length > limits.promotion_tier_rules_max)
    throw invalidPayload(`A campaign template must NOT have more than ${limits.promotion_tier_rules_max} rules`)
  const rules = await listRulesById(ctx, ids)
  rules.sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id))
  return rules.map(({ name, rules, bundle_rules, error, applicable_to, type, context_type }) => ({
    name,
    rules,
    ...setOnly({ bundle_rules, error }),
    applicable_to,
    type,
    context_type,
  }))
}

async function contentOf(ctx: Ctx, source: Omit<Source, 'campaign_type'>): Promise<TemplateContent> {
  const { campaign, validation_rules: rules } = source
  const discount: Discount | undefined = campaign.voucher.discount
  const resources = await copyResources(ctx, rules, discount)
  const { segments, collections } = resources
  return {
    ...source,
    resources,
    metadata_keys: await typedKeys(ctx, { rules, discount, segments, collections }),
    custom_events: customEventsIn(segments),
  }
}

function refuseTooLarge(content: TemplateContent): TemplateContent {
  if (Buffer.byteLength(JSON.stringify(content)) <= limits.campaign_template_bytes_max) return content
  throw invalidPayload(`A campaign template must NOT be larger than ${limits.campaign_template_bytes_max} bytes`)
}
