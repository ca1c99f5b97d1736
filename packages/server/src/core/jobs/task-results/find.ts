import type { InstallationCtx } from '../../context.ts'
import { ApiError } from '../../http/errors.ts'
import type { DownloadedFile } from '../../http/operation.ts'
import { findPublishedFile, readFilePieces } from '../files/store.ts'

/** Finds a report by its token until it expires (docs/reference/async-actions.md). */
export async function findReport(ctx: InstallationCtx, token: string): Promise<DownloadedFile> {
  const file = await findPublishedFile(ctx, token)
  // Only reports have an expiry; the file of an export has another URL.
  if (file === undefined || file.expires_at === null || file.expires_at <= ctx.now)
    throw new ApiError('not_found', { details: 'There is no such report, or its time is over' })
  return { name: 'report.csv', media_type: 'text/plain', size: file.size, pieces: readFilePieces(ctx.db, file) }
}
