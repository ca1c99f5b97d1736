import { sql } from 'kysely'
import type { InstallationCtx } from '../core/context.ts'
import type { Db } from '../core/db/database.ts'
import { credentialChannel } from '../core/http/credentials.ts'

/**
 * Invalidates the credential cache of every node when the transaction commits, so that a change of a key, token, session, role or project
 * applies to the next request. If a notification is lost with its connection, the cache is cleared on reconnection; no entry
 * outlives its time to live anyway.
 */
export async function announceCredentialChange(
  ctx: Pick<InstallationCtx, 'db' | 'credentials' | 'afterCommit'>,
): Promise<void> {
  await notifyCredentialChange(ctx.db)
  ctx.afterCommit(() => ctx.credentials.forget())
}

/** The same from the command line, which has no cache of its own. */
export async function notifyCredentialChange(db: Db): Promise<void> {
  await sql`select pg_notify(${credentialChannel}, '')`.execute(db)
}
