import { getProjectForUpdate } from '../../account/projects/store.ts'
import type { Ctx } from '../../core/context.ts'
import type { CampaignTemplate, CopyCampaignTemplate } from './schema.ts'
import { insertTemplate, type StoredTemplate } from './store.ts'

/**
 * Copies a template to another project or the same one. The resources it needs are created there when the template is
 * used (docs/reference/campaign-templates.md#campaign-template-endpoints).
 */
export async function copyTemplate(
  ctx: Ctx,
  template: StoredTemplate,
  { name, description = template.description, destination_project_id }: CopyCampaignTemplate,
): Promise<CampaignTemplate> {
  // Lock the project: a row inserted after the project was deleted might never be removed.
  const { id: projectId } = await getProjectForUpdate(ctx, destination_project_id)
  const { campaign_type, content } = template
  return insertTemplate({ ...ctx, project_id: projectId }, { name, description, campaign_type, content })
}
