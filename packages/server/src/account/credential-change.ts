import { sql } from 'kysely'
import type { InstallationCtx } from '../core/context.ts'
import { credentialChannel } from '../core/http/credentials.ts'

/**
 * Invalidates the credential cache of every node when the transaction commits, so that a change of a key, token or project
 * applies to the next request. If a notification is lost with its connection, the cache is cleared on reconnection; no entry
 * outlives its time to live anyway.
 */
export async function announceCredentialChange(ctx: InstallationCtx): Promise<void> {
  await sql`select pg_notify(${credentialChannel}, '')`.execute(ctx.db)
  ctx.afterCommit(() => ctx.credentials.forget())
}
