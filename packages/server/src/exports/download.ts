import type { InstallationCtx } from '../core/context.ts'
import type { ExportRow } from '../core/db/tables.ts'
import { ApiError } from '../core/http/errors.ts'
import type { DownloadedFile } from '../core/http/operation.ts'
import { findPublishedFile, readFilePieces } from '../core/jobs/files/store.ts'

/** The file of an export; the token is the only authorisation (docs/reference/exports.md#what-can-be-exported). */
export async function findExportFile(
  ctx: InstallationCtx,
  id: string,
  token: string | undefined,
): Promise<DownloadedFile> {
  const file = token === undefined ? undefined : await findPublishedFile(ctx, token)
  const found =
    file &&
    (await ctx.db
      .selectFrom('exports')
      .where('project_id', '=', file.project_id)
      .where('id', '=', id as ExportRow['id'])
      .where('file_id', '=', file.id)
      .select('id')
      .executeTakeFirst())
  if (file === undefined || found === undefined) throw new ApiError('unauthorized')
  return { name: `${found.id}.csv`, media_type: 'text/plain', size: file.size, pieces: readFilePieces(ctx.db, file) }
}
