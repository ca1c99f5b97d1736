import { setTimeout as wait } from 'node:timers/promises'
import { limits } from '../lib/limits.ts'
import { connectPglite, connectPostgres, type OnStatement } from './connect.ts'
import type { Database } from './database.ts'
import { databaseNamed } from './database-url.ts'
import type { EmbeddedOptions } from './embedded.ts'
import { FolderInUseError } from './folder-lock.ts'
import type { OnMoved } from './hosts.ts'
import { isOutage } from './outage.ts'
import { checkPooler, PoolerProblem, settleRole } from './pooler-check.ts'
import { sqlState } from './transaction.ts'

export interface StartOptions {
  onStatement?: OnStatement | undefined
  tracks_commits?: boolean | undefined
  /** How long an error that may go away by itself is retried: orchestrators start a service and its database at once. */
  retry_seconds?: number | undefined
  onDisk?: EmbeddedOptions['onDisk'] | undefined
  /** Called before the first retry. */
  onRetry?: ((problem: string) => void) | undefined
  onMoved?: OnMoved | undefined
  /** Called with what an operator should know about the database, or the pooler before it. */
  onNotice?: ((notice: string) => void) | undefined
}

export interface PostgresAddress {
  url: string
  /** The server itself, where `url` leads to a transaction pooler. */
  session_url?: string | null
  connections_max: number
  /** Whether statements are prepared under names. */
  prepares?: boolean
  /** The setting that `url` comes from. */
  setting?: 'DATABASE_URL' | 'DATABASE_SESSION_URL'
}

/** The database cannot be opened. The message names the setting and what to do, and contains no secret. */
export class StartError extends Error {}

/** Connects to PostgreSQL and returns once it answers. */
export async function openPostgres(
  { url, session_url = null, connections_max, prepares = true, setting = 'DATABASE_URL' }: PostgresAddress,
  { onStatement, onMoved, tracks_commits = false, onNotice = () => {}, ...retries }: StartOptions = {},
): Promise<Database> {
  if (session_url !== null)
    await retried(() => settleRole({ url, session_url }, onNotice), {
      ...retries,
      isTransient: isOutage,
      explain: explainConnecting('DATABASE_SESSION_URL', session_url),
    })
  const database = connectPostgres({
    connectionString: url,
    connections_max,
    prepares,
    onStatement,
    onMoved,
    tracks_commits,
    ...(session_url === null ? {} : { session_url, is_pooled: true }),
  })
  try {
    await retried(() => database.execute('select 1'), {
      ...retries,
      isTransient: (error) => isOutage(error) && !isUnsupportedParameter(error),
      explain: explainConnecting(setting, url),
    })
    if (session_url !== null)
      await checkPooler(database, { session_url, connections_max, prepares }, onNotice).catch((error: unknown) => {
        const message = error instanceof PoolerProblem ? error.message : explainConnecting(setting, url)(error)
        throw new StartError(message, { cause: error })
      })
  } catch (error) {
    await database.close()
    throw error
  }
  return database
}

const explainConnecting = (setting: string, url: string) => (error: unknown) =>
  `${setting}: cannot connect to ${databaseNamed(url)}: ${postgresProblem(error)}`

/** Opens the embedded database in its folder. */
export function openEmbedded(
  folder: string,
  { onStatement, onDisk, ...retries }: StartOptions = {},
): Promise<Database> {
  return retried(() => connectPglite({ folder, onStatement, onDisk }), {
    ...retries,
    isTransient: (error) => (error as NodeJS.ErrnoException).code !== undefined && !(error instanceof FolderInUseError),
    explain: (error) =>
      error instanceof FolderInUseError
        ? error.message
        : `GUERDON_DATA_DIR: the embedded database in ${folder} cannot be opened: ${messageOf(error)}`,
  })
}

interface Retries extends Pick<StartOptions, 'retry_seconds' | 'onRetry'> {
  isTransient(error: unknown): boolean
  explain(error: unknown): string
}

async function retried<T>(
  open: () => Promise<T>,
  { retry_seconds = 0, onRetry = () => {}, isTransient, explain }: Retries,
): Promise<T> {
  const deadline = performance.now() + retry_seconds * 1_000
  for (let attempt = 1; ; attempt += 1)
    try {
      return await open()
    } catch (error) {
      const left = deadline - performance.now()
      if (!isTransient(error) || left <= 0) throw new StartError(explain(error), { cause: error })
      if (attempt === 1) onRetry(`${explain(error)}; retrying for ${Math.ceil(left / 1_000)} s`)
      await wait(Math.min(left, limits.start_retry_ms))
    }
}

function postgresProblem(error: unknown): string {
  const { code } = error as { code?: unknown }
  if (code === 'ECONNREFUSED') return 'connection refused. Is PostgreSQL running there?'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'the host name cannot be resolved.'
  if (typeof code === 'string' && certificateCodes.test(code))
    return `${messageOf(error)}. Name the certificate of its authority with sslrootcert=FILE, or set sslmode=no-verify to encrypt without checking (docs/operate/database.md).`
  if (isUnsupportedParameter(error))
    return `${messageOf(error)}. If a transaction pooler such as PgBouncer is there, name the server itself in DATABASE_SESSION_URL (docs/operate/database.md#a-pooler).`
  if (sqlState(error) === '28P01') return `${messageOf(error)}. Check user and password.`
  return `${messageOf(error)}.`
}

/** The error of PgBouncer, whose code is that of every error of its own. */
const isUnsupportedParameter = (error: unknown): boolean => messageOf(error).startsWith('unsupported startup parameter')

const certificateCodes = /CERT|SELF_SIGNED|ALTNAME|UNABLE_TO/

/** A host with several addresses gives one error for each, and no message of its own. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}
