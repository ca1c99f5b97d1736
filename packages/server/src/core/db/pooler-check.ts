import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { limits } from '../lib/limits.ts'
import { within } from '../lib/within.ts'
import { separateClient } from './connect.ts'
import { connectorTo } from './connector.ts'
import type { Database } from './database.ts'
import { serversOf } from './database-url.ts'
import { sessionTimeouts } from './pooled-session.ts'
import { isForgotten, preparedAdvice } from './prepared-query.ts'
import { preparedStatement } from './prepared-statements.ts'
import { sqlState } from './transaction.ts'

interface DatabaseUrls {
  /** Of the pooler. */
  url: string
  /** Of the server. */
  session_url: string
}

/** What a single statement relies on: outside of transactions nothing but the role gives a time limit to a server connection. */
interface SessionSettings {
  role: string
  database: string
  time_zone: string
  /** Milliseconds; 0: no limit. */
  statement_timeout: number
  lock_timeout: number
}

/** Asked at once, so that the pooler lends several server connections. */
const samplesMax = 16

/** What an operator has to change. The message names the setting and contains no secret. */
export class PoolerProblem extends Error {}

/**
 * Connects past the pooler, and sets the time limits of the role where a new server connection would not have them. To be called before
 * the first connection to the pooler, whose server connections keep the settings that they began with. Where the pooler may use another
 * role or database than the session URL, `checkPooler` sees what they have.
 */
export async function settleRole({ url, session_url }: DatabaseUrls, report: (notice: string) => void): Promise<void> {
  const [pooled, direct] = [url, session_url].map((each) => new URL(serversOf(each).urls[0])) as [URL, URL]
  const isAlike = pooled.username === direct.username && pooled.pathname === direct.pathname
  await inShortSession(session_url, async (client) => {
    const { rows } = await client.query<SessionSettings>(settingsOfSession)
    const [settings] = rows as [SessionSettings]
    if (isAlike && !hasTimeouts(settings) && (await mayAlter(client, settings))) report(altered(settings))
  })
}

/**
 * Checks what must be true of a transaction pooler, instead of failing under load. Throws an error that says what to do, and reports
 * what is not as it should be but will be.
 */
export async function checkPooler(
  database: Database,
  { session_url, connections_max, prepares }: { session_url: string; connections_max: number; prepares: boolean },
  report: (notice: string) => void,
): Promise<void> {
  await checkThatItHears(database, session_url)
  const samples = await Promise.all(
    Array.from({ length: Math.min(connections_max, samplesMax) }, () => sample(database)),
  )
  const abroad = samples.find(({ time_zone }) => !['UTC', 'Etc/UTC'].includes(time_zone))
  if (abroad !== undefined)
    throw new PoolerProblem(
      `DATABASE_URL: the pooler lends server connections with the time zone ${abroad.time_zone}, but Guerdon needs UTC. ` +
        `Let the pooler pass on the startup parameter TimeZone, or run, and close the server connections of the pooler: ` +
        `alter role ${pg.escapeIdentifier(abroad.role)} in database ${pg.escapeIdentifier(abroad.database)} set timezone = 'UTC';`,
    )
  const endless = samples.find((each) => !hasTimeouts(each))
  if (endless !== undefined) await settleLate(endless, session_url, report)
  if (prepares) await checkPreparedStatements(database)
}

async function sample(database: Database): Promise<SessionSettings> {
  return (await database.execute(settingsOfSession)).rows[0] as SessionSettings
}

/** Of a role whose server connections are open already: the pooler will replace them. */
async function settleLate(
  settings: SessionSettings,
  sessionUrl: string,
  report: (notice: string) => void,
): Promise<void> {
  await inShortSession(sessionUrl, async (client) => {
    const { role, database } = settings
    const { rows } = await client.query<{ is_settled: boolean }>(hasRoleSettings, [role, database, timeoutNames])
    if (rows[0]?.is_settled !== true) {
      if (!(await mayAlter(client, settings)))
        throw new PoolerProblem(
          `DATABASE_URL: statements through the pooler have no time limit, and the role of DATABASE_SESSION_URL may not set one. Run as an administrator, and start again: ${alterRole(settings)}`,
        )
      report(altered(settings))
    }
    report(
      'DATABASE_URL: server connections that the pooler has opened before have no time limit for single statements, until it replaces them; RECONNECT in its console does so at once',
    )
  })
}

const altered = (settings: SessionSettings): string =>
  `the role has got the time limits that a pooler cannot set: ${alterRole(settings)}`

/** Alters the role, unless it is not permitted. */
async function mayAlter(client: pg.Client, settings: SessionSettings): Promise<boolean> {
  try {
    await client.query(`begin; select pg_advisory_xact_lock(${roleLock}); ${alterRole(settings)} commit`)
    return true
  } catch (error) {
    if (sqlState(error) !== '42501') throw error
    await client.query('rollback')
    return false
  }
}

async function inShortSession<T>(sessionUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = separateClient(connectorTo(sessionUrl), 'guerdon-start')
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** A key that is revoked through the pooler must be heard of: the two URLs must lead to one database, and the second past the pooler. */
async function checkThatItHears(database: Database, sessionUrl: string): Promise<void> {
  const channel = `guerdon_start_${randomBytes(6).toString('hex')}`
  await inShortSession(sessionUrl, async (client) => {
    const heard = new Promise<true>((resolve) => client.on('notification', () => resolve(true)))
    await client.query(`listen ${channel}`)
    await database.execute('select pg_notify($1, $2)', [channel, ''])
    await within(limits.connection_wait_seconds * 1_000, heard, () => new PoolerProblem(deaf))
  })
}

const deaf =
  'DATABASE_SESSION_URL: a notification that was sent through DATABASE_URL does not arrive there. It must lead to the same database, and not through a transaction pooler.'

/** A pooler that takes care of prepared statements gives them names of its own. */
async function checkPreparedStatements(database: Database): Promise<void> {
  const isKept = await ownNames(database.db, []).then(
    ([row]) => row?.count === 0,
    (error: unknown) => {
      if (isForgotten(error)) return false
      throw error
    },
  )
  if (!isKept)
    throw new PoolerProblem(
      `${preparedAdvice} If DATABASE_URL does not lead to a transaction pooler, unset DATABASE_SESSION_URL.`,
    )
}

const ownNames = preparedStatement<{ count: number }>(
  `select count(*)::int as count from pg_prepared_statements where name like 'guerdon\\_%'`,
)

const timeouts = {
  statement_timeout: sessionTimeouts.statement_timeout,
  lock_timeout: sessionTimeouts.lock_timeout,
}

const timeoutNames = Object.keys(timeouts)

const hasTimeouts = (settings: SessionSettings): boolean =>
  Object.entries(timeouts).every(([name, limit]) => {
    const value = settings[name as keyof typeof timeouts]
    return value > 0 && value <= limit
  })

const settingsOfSession = `
  select current_user as role, current_database() as database, current_setting('TimeZone') as time_zone,
    (select setting::int from pg_settings where name = 'statement_timeout') as statement_timeout,
    (select setting::int from pg_settings where name = 'lock_timeout') as lock_timeout`

/** The statements that give a role its time limits in this database. */
const alterRole = ({ role, database }: SessionSettings): string =>
  Object.entries(timeouts)
    .map(
      ([name, limit]) =>
        `alter role ${pg.escapeIdentifier(role)} in database ${pg.escapeIdentifier(database)} set ${name} = '${limit / 1_000}s';`,
    )
    .join(' ')

/** Advisory lock, the same number on every node: two that alter a role at once fail. */
const roleLock = 7_309_453_617

const hasRoleSettings = `
  select count(distinct split_part(setting, '=', 1)) = cardinality($3::text[]) as is_settled
  from pg_db_role_setting s cross join unnest(s.setconfig) as setting
  where (s.setrole = 0 or s.setrole = (select oid from pg_roles where rolname = $1))
    and (s.setdatabase = 0 or s.setdatabase = (select oid from pg_database where datname = $2))
    and split_part(setting, '=', 1) = any($3::text[])`
