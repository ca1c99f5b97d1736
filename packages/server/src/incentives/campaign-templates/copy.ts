import { getProjectForUpdate } from '../../account/projects/store.ts'
import type { Ctx } from '../../core/context.ts'
import type { CampaignTemplate, CopyCampaignTemplate } from './schema.ts'
import { insertTemplate, type StoredTemplate } from './store.ts'

/**
 * Copies a template to a project, which may be its own; what it needs is made there when it is used
 * (docs/reference/campaign-templates.md#campaign-template-endpoints).
 */
export async function copyTemplate(
  ctx: Ctx,
  template: StoredTemplate,
  { name, description = template.description, destination_project_id }: CopyCampaignTemplate,
): Promise<CampaignTemplate> {
  // Locked: what is written into a project after it was deleted might stay for ever.
  const { id: projectId } = await getProjectForUpdate(ctx, destination_project_id)
  const { campaign_type, content } = template
  return insertTemplate({ ...ctx, project_id: projectId }, { name, description, campaign_type, content })
}
