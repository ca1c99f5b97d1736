import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { PGlite, type PGliteOptions } from '@electric-sql/pglite'
import { Kysely, type KyselyConfig, type QueryResult } from 'kysely'
import pg from 'pg'
import { limits } from '../lib/limits.ts'
import { closeAtOnce } from './close-at-once.ts'
import { applicationName, ConnectionWatch, type Run } from './connection-watch.ts'
import { type Connector, connectorTo } from './connector.ts'
import type { Database } from './database.ts'
import { dialectOver } from './dialect.ts'
import { Embedded, type EmbeddedOptions, freeBytesOf, isFatal } from './embedded.ts'
import { lockFolder } from './folder-lock.ts'
import type { OnMoved } from './hosts.ts'
import { LatestCommit, trackCommits } from './latest-commit.ts'
import { namedRunner } from './named-statements.ts'
import { newTurns, pgliteDriver } from './pglite.ts'
import { sessionTimeouts } from './pooled-session.ts'
import { PostgresDriver } from './postgres.ts'
import type { PreparedStatement, StatementResult } from './prepared-query.ts'
import { skipKysely } from './prepared-statements.ts'
import type { Tables } from './tables.ts'
import { parsers, typeParser } from './type-parsers.ts'

/** Called after every statement, without its parameter values: they can be secrets. */
export type OnStatement = (text: string, durationMs: number) => void

export interface PostgresOptions {
  connectionString: string
  /** A direct URL of the same database, for what needs a session: to listen, to hold the lock of a start, to migrate. */
  session_url?: string | undefined
  /** Whether `connectionString` leads to a transaction pooler. */
  is_pooled?: boolean
  /** Whether statements are prepared under names. */
  prepares?: boolean
  connections_max?: number
  /** How long a request waits for a connection. */
  connection_wait_seconds?: number
  /** How long a statement may go without an answer before the server is asked about it. */
  statement_answer_seconds?: number
  /** Behind a pooler: how long a statement may go without an answer in all. */
  pooled_answer_seconds?: number
  onStatement?: OnStatement | undefined
  onMoved?: OnMoved | undefined
  /** Whether the ids of the transactions that are committed are wanted (`latestCommitOf`): where there are replicas. */
  tracks_commits?: boolean
  /** Refuses a new connection by throwing, before its first statement. */
  checkConnection?: (client: pg.PoolClient) => Promise<void>
}

export function connectPostgres({
  connectionString,
  session_url = connectionString,
  is_pooled = false,
  prepares = true,
  connections_max = 8,
  connection_wait_seconds = limits.connection_wait_seconds,
  statement_answer_seconds = limits.statement_answer_seconds,
  pooled_answer_seconds = limits.pooled_answer_seconds,
  onStatement,
  onMoved,
  tracks_commits = false,
  checkConnection = async () => {},
}: PostgresOptions): Database {
  const connector: Connector = connectorTo(connectionString, {
    is_pooled,
    // What listens leaves the old host too, though that may go on answering.
    onMoved: (host) => {
      if (sessions !== connector) sessions.check()
      onMoved?.(host)
    },
  })
  const sessions = session_url === connectionString ? connector : connectorTo(session_url)
  const pool = connector.newPool({
    max: connections_max,
    application_name: applicationName,
    keepAlive: true,
    keepAliveInitialDelayMillis: limits.keep_alive_seconds * 1_000,
    connectionTimeoutMillis: connection_wait_seconds * 1_000,
    types: { getTypeParser: typeParser },
    ...(is_pooled ? {} : { ...sessionTimeouts, options: '-c TimeZone=UTC' }),
    onConnect: async (client) => {
      try {
        await watch.identify(client as pg.PoolClient)
        await checkConnection(client as pg.PoolClient)
      } catch (error) {
        watch.forget(client as pg.PoolClient)
        throw error
      }
    },
  })
  const watch = new ConnectionWatch(pool, {
    connector,
    answer_seconds: statement_answer_seconds,
    is_pooled,
    pooled_answer_seconds,
  })
  // The pool replaces a broken connection, but an 'error' event without a listener would end the process. The pool listens on
  // idle connections only; a connection in use, between two statements of a transaction, needs its own listener.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const latestCommit = tracks_commits ? new LatestCommit() : null
  const driver = new PostgresDriver(pool, watch, { is_pooled, prepares }, latestCommit)
  const runNamed = namedRunner({ is_pooled, prepares })
  const db = new Kysely<Tables>({
    dialect: dialectOver(driver),
    ...loggedBy(onStatement),
  })
  if (latestCommit !== null) trackCommits(db, latestCommit)
  const send = async (run: Run, { is_single = true } = {}): Promise<StatementResult> => {
    const client = await pool.connect()
    let isBroken = false
    try {
      return await watch.run(client, run)
    } catch (error) {
      // A single statement leaves its connection usable, a failed block of statements an open transaction.
      isBroken = !is_single
      throw error
    } finally {
      client.release(isBroken)
    }
  }
  /** The same for a prepared statement: checkouts wait for it, so it takes as few promises as possible. */
  const sendPrepared = async (statement: PreparedStatement): Promise<StatementResult> => {
    const client = await pool.connect()
    const watched = watch.of(client)
    watched.sent()
    try {
      return await runNamed(watched, statement)
    } finally {
      watched.answered()
      client.release()
    }
  }
  if (onStatement === undefined) skipKysely(db, { runPrepared: sendPrepared, run: (query) => driver.runAlone(query) })
  return {
    kind: 'postgres',
    db,
    execute: (text, values = []) => send((client) => client.query({ text, values }), { is_single: values.length > 0 }),
    alone: (work) => whileLocked(sessions, work),
    inSession: async (work) => {
      if (!is_pooled) return work(db)
      const direct = connectPostgres({ connectionString: session_url, connections_max: 2, onStatement })
      try {
        return await work(direct.db)
      } finally {
        await direct.close()
      }
    },
    newClient: (name) => separateClient(sessions, name),
    load: () => ({ connections: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    listen: (channel, onMessage, onGap) => listenOn(sessions, channel, onMessage, onGap),
    async close() {
      await watch.close()
      await pool.end()
    },
  }
}

interface PgliteOptions {
  folder?: string
  snapshot?: Blob
  onStatement?: OnStatement | undefined
  /** Called when the disk is full, and when there is room again. */
  onDisk?: EmbeddedOptions['onDisk'] | undefined
  /** The space left on the disk; a test sets it. */
  freeBytes?: EmbeddedOptions['freeBytes']
}

/** Opens the embedded database in a folder, under an exclusive lock; without a folder, in memory. */
export async function connectPglite({
  folder,
  snapshot,
  onStatement,
  onDisk = () => {},
  freeBytes = folder === undefined ? () => Number.POSITIVE_INFINITY : () => freeBytesOf(folder),
}: PgliteOptions): Promise<Database> {
  let unlock = () => {}
  if (folder !== undefined) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    unlock = lockFolder(folder)
  }
  try {
    const dataDir = folder === undefined ? {} : { dataDir: privateFolder(join(folder, 'pglite')) }
    const pglite = await startPglite({ ...dataDir, ...(snapshot === undefined ? {} : { loadDataDir: snapshot }) })
    const embedded = new Embedded(pglite, { reopen: () => startPglite(dataDir), freeBytes, onDisk })
    return databaseOver(embedded, unlock, onStatement)
  } catch (error) {
    unlock()
    throw error
  }
}

/** PGlite makes files that everybody may read and write, whatever the umask: nobody else may enter their folder. */
function privateFolder(path: string): string {
  mkdirSync(path, { recursive: true })
  try {
    chmodSync(path, 0o700)
  } catch (error) {
    // It belongs to somebody else, who has let this process in and decides about others.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error
  }
  return path
}

/** Wraps an embedded database that is already running, in memory. */
export function openPglite(pglite: PGlite): Database {
  const reopen = () => Promise.reject(new Error('A database in memory cannot be opened again'))
  return databaseOver(new Embedded(pglite, { reopen, freeBytes: () => Number.POSITIVE_INFINITY, onDisk: () => {} }))
}

async function startPglite(options: PGliteOptions): Promise<PGlite> {
  const pglite = await PGlite.create({
    ...options,
    startParams: [...PGlite.defaultStartParams, '-c', `shared_buffers=${limits.embedded_buffers_mb}MB`],
    parsers: { ...parsers, ...bytes.parsers },
    serializers: bytes.serializers,
  })
  await pglite.exec("set timezone = 'UTC'")
  return pglite
}

function databaseOver(embedded: Embedded, unlock: () => void = () => {}, onStatement?: OnStatement): Database {
  const turns = newTurns()
  const db = new Kysely<Tables>({ dialect: dialectOver(pgliteDriver(embedded, turns)), ...loggedBy(onStatement) })
  const runAlone = async (text: string, values: readonly unknown[]): Promise<QueryResult<unknown>> => {
    await turns.take()
    try {
      const instance = await embedded.open()
      return await embedded.run(instance, () => instance.statements.run(text, values))
    } finally {
      turns.give()
    }
  }
  if (onStatement === undefined)
    skipKysely(db, {
      runPrepared: ({ text, values }) => runAlone(text, values),
      run: ({ sql, parameters }) => runAlone(sql, parameters),
    })
  return {
    kind: 'pglite',
    db,
    async execute(text, values) {
      await turns.take()
      try {
        const instance = await embedded.open()
        return await embedded.run(instance, () => executeText(instance.pglite, text, values))
      } finally {
        turns.give()
      }
    },
    alone: (work) => work(), // the embedded database has no other node
    inSession: (work) => work(db),
    newClient() {
      throw new Error('The embedded database has one connection')
    },
    load: () => ({ connections: 1, idle: turns.waiting === 0 ? 1 : 0, waiting: turns.waiting }),
    // The embedded database has no other node to hear from.
    listen: async () => ({ close: async () => {} }),
    async close() {
      await db.destroy()
      await embedded.close() // Kysely closes nothing before its first statement, and an open PGlite keeps the process alive
      unlock()
    },
  }
}

async function executeText(pglite: PGlite, text: string, values: unknown[] = []): Promise<{ rows: unknown[] }> {
  try {
    if (values.length > 0) return await pglite.query(text, values)
    return { rows: (await pglite.exec(text)).flatMap((result) => result.rows) }
  } catch (error) {
    // A failed block of statements leaves its transaction open. After a panic the next statement would never end.
    if (!isFatal(error)) await pglite.exec('rollback').catch(() => {})
    throw error
  }
}

/** Kysely measures every statement if it has a `log` function, so it gets one only when statements are logged. */
const loggedBy = (onStatement: OnStatement | undefined): Pick<KyselyConfig, 'log'> =>
  onStatement === undefined
    ? {}
    : { log: ({ query, queryDurationMillis }) => onStatement(query.sql, queryDurationMillis) }

/** PGlite converts `bytea` byte by byte, which takes ten times as long for a file. */
const bytes = {
  parsers: { 17: (text: string) => Buffer.from(text.slice(2), 'hex') },
  serializers: {
    17: (value: Uint8Array) => `\\x${Buffer.from(value.buffer, value.byteOffset, value.length).toString('hex')}`,
  },
}

/** Advisory lock: any number, the same on every node, different from the migration lock. */
const startLock = 7_309_453_616

/**
 * Holds an advisory lock on a separate connection; closing it releases the lock even if `work` fails or the process dies. Asks
 * for the lock again and again instead of waiting for it, so that every statement can have a time limit.
 */
async function whileLocked<T>(connector: Connector, work: () => Promise<T>): Promise<T> {
  const holder = separateClient(connector, 'guerdon-start')
  await holder.connect()
  try {
    while (!(await isLockTaken(holder))) await wait(100)
    return await work()
  } finally {
    await holder.end()
  }
}

async function isLockTaken(holder: pg.Client): Promise<boolean> {
  const { rows } = await holder.query('select pg_try_advisory_lock($1) as is_taken', [startLock])
  return rows[0].is_taken
}

/** A connection outside of the pool, whose statements are all short. */
export function separateClient(connector: Connector, applicationName: string): pg.Client {
  const client = connector.newClient({
    application_name: applicationName,
    keepAlive: true,
    keepAliveInitialDelayMillis: limits.keep_alive_seconds * 1_000,
    connectionTimeoutMillis: limits.connection_wait_seconds * 1_000,
    query_timeout: limits.heartbeat_seconds * 1_000,
  })
  client.on('error', () => {})
  return client
}

/**
 * Listens on a channel over a separate connection, and reconnects when it breaks. A heartbeat notices that the network has
 * forgotten it: a connection that only listens would wait for ever.
 */
async function listenOn(
  connector: Connector,
  channel: string,
  onMessage: (payload: string) => void,
  onGap: () => void,
): Promise<{ close(): Promise<void> }> {
  let closed = false
  let client: pg.Client | undefined
  let retry: NodeJS.Timeout | undefined

  const open = async () => {
    const fresh = separateClient(connector, 'guerdon-listen')
    fresh.on('notification', ({ payload = '' }) => {
      if (!closed) onMessage(payload)
    })
    const heartbeat = setInterval(() => {
      fresh.query('select 1').catch(() => closeAtOnce(fresh))
    }, limits.heartbeat_seconds * 1_000).unref()
    fresh.on('end', () => {
      clearInterval(heartbeat)
      // A connection that was never established is retried by `reopen`.
      if (closed || client !== fresh) return
      onGap()
      retry = setTimeout(reopen, 1_000)
    })
    try {
      await fresh.connect()
      await fresh.query(`listen ${pg.escapeIdentifier(channel)}`)
    } catch (error) {
      clearInterval(heartbeat)
      closeAtOnce(fresh)
      throw error
    }
    if (closed) return fresh.end()
    client = fresh
    onGap() // notifications sent before `listen` were missed
  }
  const reopen = () => {
    open().catch(() => {
      if (!closed) retry = setTimeout(reopen, 1_000)
    })
  }
  await open()
  return {
    async close() {
      closed = true
      clearTimeout(retry)
      await client?.end()
    },
  }
}
