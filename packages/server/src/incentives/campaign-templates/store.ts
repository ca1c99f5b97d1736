import type { Selectable } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { CampaignTemplateRow } from '../../core/db/tables.ts'
import { isDuplicate } from '../../core/db/transaction.ts'
import { duplicate, notFound } from '../../core/http/errors.ts'
import { newId } from '../../core/lib/ids.ts'
import type { Condition } from '../../core/query/filter/conditions.ts'
import { countOf, cursorOf } from '../../core/query/list.ts'
import type { TemplateContent } from './content.ts'
import type { CampaignTemplate, CampaignTemplateQuery, UpdateCampaignTemplate } from './schema.ts'

export interface StoredTemplate extends Omit<Selectable<CampaignTemplateRow>, 'content'> {
  content: TemplateContent
}

type TemplateId = CampaignTemplateRow['id']

export async function getTemplate({ db, project_id }: Ctx, id: string): Promise<StoredTemplate> {
  const row = await db
    .selectFrom('campaign_templates')
    .where('project_id', '=', project_id)
    .where('id', '=', id as TemplateId)
    .selectAll()
    .executeTakeFirst()
  if (row === undefined) throw notFound('campaign_template', id)
  return row as StoredTemplate
}

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
  { db, project_id, now }: Pick<Ctx, 'db' | 'project_id' | 'now'>,
  { content, ...template }: Pick<StoredTemplate, 'name' | 'description' | 'campaign_type' | 'content'>,
): Promise<CampaignTemplate> {
  const row = await db
    .insertInto('campaign_templates')
    .values({
      ...template,
      project_id,
      id: newId('campaign_template', Date.parse(now)),
      content: JSON.stringify(content),
      created_at: now,
      updated_at: null,
    })
    .onConflict((conflict) => conflict.columns(['project_id', 'name']).doNothing())
    .returning(listedColumns)
    .executeTakeFirst()
  if (row === undefined) throw duplicate('campaign_template', 'name', template.name)
  return toTemplate(row)
}

export async function updateTemplate(
  { db, project_id, now }: Ctx,
  id: TemplateId,
  { name, description }: UpdateCampaignTemplate,
): Promise<CampaignTemplate> {
  const row = await db
    .updateTable('campaign_templates')
    .set({
      ...(name === undefined ? {} : { name }),
      ...(description === undefined ? {} : { description }),
      updated_at: now,
    })
    .where('project_id', '=', project_id)
    .where('id', '=', id)
    .returning(listedColumns)
    .executeTakeFirst()
    .catch((error: unknown) => {
      throw isDuplicate(error) ? duplicate('campaign_template', 'name', name as string) : error
    })
  if (row === undefined) throw notFound('campaign_template', id) // deleted by a concurrent request
  return toTemplate(row)
}

export async function deleteTemplate({ db, project_id }: Ctx, id: string): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom('campaign_templates')
    .where('project_id', '=', project_id)
    .where('id', '=', id as TemplateId)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw notFound('campaign_template', id)
}

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
