import type { Ctx } from '../../core/context.ts'
import { notFound } from '../../core/http/errors.ts'

/** Releases the hold of a session on a voucher. An expired hold is not found. */
export async function releaseHold(
  { db, project_id, now }: Ctx,
  voucher: { id: string },
  sessionKey: string,
): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom('holds')
    .where('project_id', '=', project_id)
    .where('session_key', '=', sessionKey)
    .where('resource_id', '=', voucher.id)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw notFound('session', sessionKey)
}
