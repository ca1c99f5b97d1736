import { pino } from 'pino'
import { openConfigurations } from '../core/configuration/cache.ts'
import type { Runtime } from '../core/context.ts'
import type { Database } from '../core/db/database.ts'
import { isDistributed } from '../core/db/is-distributed.ts'
import { openDeferredWriter } from '../core/events/deferred-writer.ts'
import { openCredentials } from '../core/http/credentials.ts'
import { openJobs } from '../core/jobs/jobs.ts'
import { newMailTally } from '../core/mail/tally.ts'
import { readSettings, type Settings } from '../core/settings.ts'
import { openAuditLog } from '../monitoring/audit-log/writer.ts'
import { wiring } from '../wiring.ts'

/** Without the audit log, whose writes between others would disturb tests that count statements or waiting requests. */
export const testSettings = (env: Record<string, string> = {}): Settings =>
  readSettings({ LOG_LEVEL: 'silent', AUDIT_LOG: 'off', CLIENT_RATE_LIMIT: '', WRONG_CREDENTIALS_LIMIT: '', ...env })

/** A runtime on an open database, without job workers; two on one database simulate two nodes. */
export async function openTestRuntime(
  database: Database,
  { env = {}, now = Date.now }: { env?: Record<string, string>; now?: () => number } = {},
): Promise<Runtime> {
  const log = pino({ level: 'silent' })
  return {
    database,
    is_distributed: await isDistributed(database.db),
    jobs: await openJobs(database),
    credentials: await openCredentials(database, now),
    settings: testSettings(env),
    configurations: openConfigurations(),
    deferred: openDeferredWriter(database.db, log),
    mails: newMailTally(),
    auditLog: openAuditLog(database.db, log),
    wiring,
    webhook_attempts: { succeeded: 0, failed: 0, in_flight: 0 },
    log,
    now,
  }
}
