import { pino } from 'pino'
import { setPasswordCost } from '../account/sign-in/password-hash.ts'
import { openConfigurations } from '../core/configuration/cache.ts'
import type { Runtime } from '../core/context.ts'
import type { Database } from '../core/db/database.ts'
import { isDistributed } from '../core/db/is-distributed.ts'
import { openDeferredWriter } from '../core/events/deferred-writer.ts'
import { newCallerCounts } from '../core/http/caller-counts.ts'
import { openCredentials } from '../core/http/credentials.ts'
import { openJobs } from '../core/jobs/jobs.ts'
import { newMailTally } from '../core/mail/tally.ts'
import { readSettings, type Settings } from '../core/settings.ts'
import { openAuditLog } from '../monitoring/audit-log/writer.ts'
import { connectReplicas } from '../runtime.ts'
import { wiring } from '../wiring.ts'
import { replicaSettings } from './test-replica.ts'

/** Of passwords: the tests sign in a thousand times. */
export const testCost = { N: 1_024, r: 8, p: 1 }
setPasswordCost(testCost)

/** Without the audit log, whose writes between others would disturb tests that count statements or waiting requests. */
export const testSettings = (env: Record<string, string> = {}): Settings =>
  readSettings({
    LOG_LEVEL: 'silent',
    AUDIT_LOG: 'off',
    CLIENT_RATE_LIMIT: '',
    WRONG_CODES_LIMIT: '',
    WRONG_CREDENTIALS_LIMIT: '',
    ...env,
  })

/** A runtime on an open database, without job workers; two on one database simulate two nodes. */
export async function openTestRuntime(
  database: Database,
  { env = {}, now = Date.now }: { env?: Record<string, string>; now?: () => number } = {},
): Promise<Runtime> {
  const log = pino({ level: 'silent' })
  const settings = testSettings({ ...(await replicaSettings(database)), ...env })
  const configurations = openConfigurations()
  return {
    database,
    replicas: connectReplicas(settings, database, log),
    is_distributed: await isDistributed(database.db),
    jobs: await openJobs(database),
    credentials: await openCredentials(database, now, configurations.forget),
    settings,
    configurations,
    callers: newCallerCounts(settings),
    siblings: null,
    deferred: openDeferredWriter(database.db, log),
    mails: newMailTally(),
    auditLog: openAuditLog(database.db, log),
    wiring,
    webhook_attempts: { succeeded: 0, failed: 0, in_flight: 0 },
    log,
    now,
  }
}
