import type { InstallationCtx } from '../core/context.ts'
import type { ExportRow } from '../core/db/tables.ts'
import { ApiError } from '../core/http/errors.ts'
import type { DownloadedFile } from '../core/http/operation.ts'
import { readFilePieces, type StoredFile } from '../core/jobs/files/store.ts'
import { isGoodToken, projectNamedIn } from './download-link.ts'

/** The file of an export; the token is the only authorisation (docs/reference/exports.md#what-can-be-exported). */
export async function findExportFile(
  ctx: InstallationCtx,
  id: string,
  token: string | undefined,
): Promise<DownloadedFile> {
  const projectId = token === undefined ? null : projectNamedIn(token)
  const project = projectId === null ? null : await ctx.credentials.project(projectId)
  if (token === undefined || project === null || !isGoodToken(project, id, token, Date.parse(ctx.now)))
    throw new ApiError('unauthorized')
  const file = await findFileOf(ctx, project.id, id)
  if (file === undefined) throw new ApiError('unauthorized')
  return { name: `${id}.csv`, media_type: 'text/plain', size: file.size, pieces: readFilePieces(ctx.db, file) }
}

async function findFileOf(
  { db }: InstallationCtx,
  projectId: string,
  exportId: string,
): Promise<StoredFile | undefined> {
  return db
    .selectFrom('exports')
    .innerJoin('files', (join) =>
      join.onRef('files.project_id', '=', 'exports.project_id').onRef('files.id', '=', 'exports.file_id'),
    )
    .where('exports.project_id', '=', projectId)
    .where('exports.id', '=', exportId as ExportRow['id'])
    .where('exports.status', '=', 'DONE')
    .select(['files.project_id', 'files.id', 'files.size'])
    .executeTakeFirst()
}
