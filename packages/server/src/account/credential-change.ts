import { sql } from 'kysely'
import type { InstallationCtx } from '../core/context.ts'
import { credentialChannel } from '../core/http/credentials.ts'

/**
 * Makes every node forget what it remembers, once the transaction commits: a change of a key, token or project is in
 * force with the next request. Should an announcement be lost with its connection, memory is emptied on reconnection,
 * and nothing is remembered for longer than the time to live.
 */
export async function announceCredentialChange(ctx: InstallationCtx): Promise<void> {
  await sql`select pg_notify(${credentialChannel}, '')`.execute(ctx.db)
  ctx.afterCommit(() => ctx.credentials.forget())
}
