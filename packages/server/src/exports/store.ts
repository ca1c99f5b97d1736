import type { Selectable } from 'kysely'
import type { Ctx } from '../core/context.ts'
import type { ExportRow } from '../core/db/tables.ts'
import { notFound } from '../core/http/errors.ts'
import { deleteFile } from '../core/jobs/files/store.ts'
import { pageOf } from '../core/query/list.ts'
import { downloadUrl } from './download-link.ts'
import { mayExport } from './exportable.ts'
import { type ExportedObject, exportables } from './objects.ts'
import type { Export, ExportQuery, StoredParameters } from './schema.ts'

export async function getExport(ctx: Ctx, id: string): Promise<Export> {
  const row = await ctx.db
    .selectFrom('exports')
    .where('project_id', '=', ctx.project_id)
    .where('id', '=', id as ExportRow['id'])
    .select(visibleColumns)
    .executeTakeFirst()
  if (row === undefined) throw notFound('export', id)
  return toExport(ctx, row)
}

export async function listExports(ctx: Ctx, query: ExportQuery): Promise<{ exports: Export[]; total: number }> {
  const { rows, total } = await pageOf(
    ctx.db.selectFrom('exports').where('project_id', '=', ctx.project_id).select(visibleColumns),
    query,
    { columns: { created_at: 'created_at', status: 'status' }, default_order: '-created_at' },
  )
  return { exports: rows.map((row) => toExport(ctx, row)), total }
}

export async function insertExport(
  ctx: Ctx,
  row: Pick<ExportRow, 'id' | 'exported_object' | 'file_id'> & { parameters: StoredParameters },
): Promise<Export> {
  const inserted = await ctx.db
    .insertInto('exports')
    .values({
      ...row,
      project_id: ctx.project_id,
      parameters: JSON.stringify(row.parameters),
      status: 'SCHEDULED',
      created_at: ctx.now,
    })
    .returning(visibleColumns)
    .executeTakeFirstOrThrow()
  return toExport(ctx, inserted)
}

/** Deletes the export and its file. A worker that takes it up later finds nothing to do. */
export async function deleteExport(ctx: Ctx, id: string): Promise<void> {
  const deleted = await ctx.db
    .deleteFrom('exports')
    .where('project_id', '=', ctx.project_id)
    .where('id', '=', id as ExportRow['id'])
    .returning('file_id')
    .executeTakeFirst()
  if (deleted === undefined) throw notFound('export', id) // deleted by another request
  await deleteFile(ctx, deleted.file_id)
}

const visibleColumns = ['id', 'exported_object', 'parameters', 'status', 'created_at'] as const

function toExport(ctx: Ctx, row: Pick<Selectable<ExportRow>, (typeof visibleColumns)[number]>): Export {
  const { id, created_at, status, exported_object } = row
  const { shown: responseParameters, ...parameters } = row.parameters as StoredParameters
  return {
    id,
    object: 'export',
    created_at,
    status,
    channel: 'API',
    exported_object,
    parameters: responseParameters ?? parameters,
    result:
      status === 'DONE' && mayExport(ctx, exportables[exported_object as ExportedObject])
        ? { url: downloadUrl(ctx, id) }
        : null,
    user_id: null,
  }
}
