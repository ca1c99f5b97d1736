import type { FastifyBaseLogger } from 'fastify'
import { type BootstrapResult, bootstrap } from './account/installation/bootstrap.ts'
import { openConfigurations } from './core/configuration/cache.ts'
import type { Runtime } from './core/context.ts'
import type { OnStatement } from './core/db/connect.ts'
import type { Database } from './core/db/database.ts'
import { DiskFullError } from './core/db/embedded.ts'
import { isDistributed } from './core/db/is-distributed.ts'
import { migrate } from './core/db/migrate.ts'
import { openEmbedded, openPostgres, type StartOptions } from './core/db/open-at-start.ts'
import { openReplicas, type Replicas } from './core/db/replicas.ts'
import type { Trx } from './core/db/transaction.ts'
import { openDeferredWriter } from './core/events/deferred-writer.ts'
import { newCallerCounts } from './core/http/caller-counts.ts'
import { openCredentials } from './core/http/credentials.ts'
import { openJobs } from './core/jobs/jobs.ts'
import { toInstant } from './core/lib/instant.ts'
import { limits } from './core/lib/limits.ts'
import { newMailTally } from './core/mail/tally.ts'
import type { Settings } from './core/settings.ts'
import type { Siblings } from './core/siblings.ts'
import { openAuditLog } from './monitoring/audit-log/writer.ts'
import { wiring } from './wiring.ts'

/**
 * Connects to the database of the settings: PostgreSQL by URL, otherwise the embedded one in its folder. At log level trace the text
 * of every statement is logged.
 */
export async function connect(
  settings: Settings,
  { log, ...retries }: Omit<StartOptions, 'onStatement'> & { log?: FastifyBaseLogger } = {},
): Promise<Database> {
  const { database_url, database_session_url, data_dir } = settings
  const options = {
    ...retries,
    onStatement: statementLogger(log),
    onMoved: (host: string) => log?.warn({ host }, 'the database has moved to another host'),
    onDisk: log && diskReporter(log, data_dir),
    onNotice: log && ((notice: string) => log.warn(notice)),
    tracks_commits: settings.database_read_urls.length > 0,
  }
  if (database_url === null) return openEmbedded(data_dir, options)
  const isDirect = database_url === database_session_url
  const address = {
    url: database_url,
    session_url: isDirect ? null : database_session_url,
    connections_max: settings.database_connections,
    prepares: settings.database_prepared === 'on',
    setting: isDirect ? ('DATABASE_SESSION_URL' as const) : ('DATABASE_URL' as const),
  }
  return openPostgres(address, options)
}

const statementLogger = (log: FastifyBaseLogger | undefined): OnStatement | undefined =>
  log?.level === 'trace'
    ? (text, durationMs) => log.trace({ text, duration_ms: Math.round(durationMs * 10) / 10 }, 'statement')
    : undefined

/** The replicas of the settings. The database is migrated: what they have to prove is counted from here. */
export function connectReplicas(settings: Settings, database: Database, log: FastifyBaseLogger): Replicas | null {
  const { database_url, database_read_urls, database_read_lag_ms, database_connections } = settings
  if (database_url === null || database_read_urls.length === 0) return null
  return openReplicas({
    database,
    read_urls: database_read_urls,
    lag_ms_max: database_read_lag_ms,
    connections_max: database_connections,
    onStatement: statementLogger(log),
    log,
  })
}

/** Says once that the disk is full, and once that there is room again: not for every request and job in between. */
export function diskReporter(log: FastifyBaseLogger, folder: string): NonNullable<StartOptions['onDisk']> {
  return ({ is_full, free_bytes }) => {
    if (is_full)
      log.error(
        { folder, free_bytes },
        'the disk of GUERDON_DATA_DIR is full: writes are answered with 503 until there is room; delete other files or enlarge the disk',
      )
    else log.warn({ folder, free_bytes }, 'the disk of GUERDON_DATA_DIR has room again: writes are served')
  }
}

/**
 * Connects, migrates and bootstraps the database and opens everything that uses it. Job workers are not started yet. What
 * `keepKeys` does with the keys of the first start belongs to their transaction: if it throws, nothing is created. `siblings`: the other
 * workers of the node, if it has several.
 */
export async function openRuntime(
  settings: Settings,
  log: FastifyBaseLogger,
  keepKeys: (keys: BootstrapResult) => void = () => {},
  siblings: Siblings | null = null,
): Promise<{ runtime: Runtime; first_keys: BootstrapResult | null }> {
  const now = () => Date.now()
  const database = await connect(settings, {
    log,
    retry_seconds: limits.start_retry_seconds,
    onRetry: (problem) => log.warn(problem),
  })
  const opened: Array<{ close(): Promise<void> }> = [database]
  try {
    const firstStart = async (trx: Trx) => {
      const keys = await bootstrap(trx, settings, toInstant(now()))
      if (keys !== null) keepKeys(keys)
      return keys
    }
    const { result, applied, functions } = await database.inSession((db) =>
      migrate(db, firstStart, { onWait: (problem) => log.warn(problem) }),
    )
    if (applied.length + functions.length > 0) log.info({ applied, functions }, 'database migrated')
    const configurations = openConfigurations()
    const credentials = await openCredentials(database, now, configurations.forget)
    opened.push(credentials)
    const jobs = await openJobs(database, (problem) => {
      if (!(problem instanceof DiskFullError)) log.warn({ err: problem }, 'job queue problem')
    })
    const distributed = await isDistributed(database.db)
    if (distributed && settings.database_read_urls.length > 0)
      throw new Error(
        'DATABASE_READ_URL: cannot be used with a distributed database, whose servers have positions of their own',
      )
    const deferred = openDeferredWriter(database.db, log, () => jobs.note('webhooks'))
    const auditLog = openAuditLog(database.db, log, {
      refused_per_second_max: Math.ceil(limits.audit_refused_per_second_max / (siblings?.count ?? 1)),
    })
    const replicas = connectReplicas(settings, database, log)
    return {
      runtime: {
        database,
        replicas,
        is_distributed: distributed,
        jobs,
        settings,
        credentials,
        callers: siblings?.callers ?? newCallerCounts(settings),
        siblings,
        configurations,
        deferred,
        auditLog,
        mails: newMailTally(),
        wiring,
        webhook_attempts: { succeeded: 0, failed: 0, in_flight: 0 },
        log,
        now,
      },
      first_keys: result,
    }
  } catch (error) {
    // A connection that stays open would keep the process alive, and no supervisor would restart it.
    for (const each of opened.reverse()) await each.close().catch(() => {})
    throw error
  }
}

export async function closeRuntime(
  { jobs, credentials, deferred, auditLog, replicas, database }: Runtime,
  gracefulSeconds: number,
): Promise<void> {
  await jobs.close({ graceful_seconds: gracefulSeconds })
  await deferred.close()
  await auditLog.close()
  await credentials.close()
  await replicas?.close()
  await database.close()
}
