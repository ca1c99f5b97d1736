import type { Selectable } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { CampaignTemplateRow } from '../../core/db/tables.ts'
import { newId } from '../../core/lib/ids.ts'
import type { Condition } from '../../core/query/filter/conditions.ts'
import { countOf, cursorOf } from '../../core/query/list.ts'
import { deleteRow, getRow, insertRow, updateRow } from '../../core/rows.ts'
import type { TemplateContent } from './content.ts'
import type { CampaignTemplate, CampaignTemplateQuery, UpdateCampaignTemplate } from './schema.ts'

export interface StoredTemplate extends Omit<Selectable<CampaignTemplateRow>, 'content'> {
  content: TemplateContent
}

type TemplateId = CampaignTemplateRow['id']

const templates = { table: 'campaign_templates', type: 'campaign_template', unique: 'name' } as const

export const getTemplate = async (ctx: Ctx, id: string): Promise<StoredTemplate> =>
  (await getRow(ctx, templates, id)) as StoredTemplate

const listedColumns = ['id', 'name', 'description', 'campaign_type', 'created_at', 'updated_at'] as const

/** Without the content, which no list returns and which can be large. */
export async function listTemplates(
  { db, project_id }: Ctx,
  { include_total = false, ...query }: CampaignTemplateQuery,
  where: Condition[],
): Promise<{ templates: CampaignTemplate[]; has_more: boolean; more_starting_after?: string; total?: number }> {
  const all = db.selectFrom('campaign_templates').where('project_id', '=', project_id).select(listedColumns)
  const { rows, ...more } = await cursorOf(all, query, { columns: { id: 'id' }, default_order: 'id', where })
  return { templates: rows.map(toTemplate), ...more, ...(include_total ? { total: await countOf(all) } : {}) }
}

export async function insertTemplate(
  ctx: Pick<Ctx, 'db' | 'project_id' | 'now'>,
  { content, ...template }: Pick<StoredTemplate, 'name' | 'description' | 'campaign_type' | 'content'>,
): Promise<CampaignTemplate> {
  const id = newId('campaign_template', Date.parse(ctx.now))
  return toTemplate(await insertRow(ctx, templates, { ...template, id, content: JSON.stringify(content) }))
}

export const updateTemplate = async (
  ctx: Ctx,
  id: TemplateId,
  { name, description }: UpdateCampaignTemplate,
): Promise<CampaignTemplate> => toTemplate(await updateRow(ctx, templates, id, { name, description }))

export const deleteTemplate = (ctx: Ctx, id: string): Promise<void> => deleteRow(ctx, templates, id)

/** A template as the API returns it, without its content. */
export function toTemplate(row: Omit<StoredTemplate, 'project_id' | 'content'>): CampaignTemplate {
  const { id, name, description, campaign_type, created_at, updated_at } = row
  return {
    id,
    name,
    ...(description === null ? {} : { description }),
    campaign_type,
    created_at,
    ...(updated_at === null ? {} : { updated_at }),
    object: 'campaign_template',
  }
}
