import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from '../postgres.ts'
import type { Cluster, Loss } from './cluster.ts'
import {
  eventually,
  findPrograms,
  Programs,
  postmasterOf,
  serverOwner,
  signalAll,
  withDescendants,
} from './processes.ts'

const password = 'failover'
const databaseName = 'guerdon'

interface Server {
  name: string
  port: number
  data: string
}

/**
 * A primary and its synchronous standby without any agent: the standby is promoted by hand. Until the lost server has come back as a
 * standby the new primary commits alone, as it would if an operator decided so.
 */
export async function startPromoteCluster(): Promise<Cluster> {
  const { bin } = findPrograms({}) as { bin: string }
  const programs = new Programs(serverOwner())
  try {
    return await start(programs, bin)
  } catch (error) {
    await programs.stop()
    throw error
  }
}

async function start(programs: Programs, bin: string): Promise<Cluster> {
  const named = async (name: string): Promise<Server> => ({
    name,
    port: await freePort(),
    data: join(programs.folder, `data-${name}`),
  })
  let primary = await named('a')
  let standby = await named('b')
  const passwordFile = join(programs.folder, 'password')
  writeFileSync(passwordFile, password)
  await programs.run(join(bin, 'initdb'), [
    ...['-D', primary.data, '-U', 'postgres', '--pwfile', passwordFile, '-A', 'scram-sha-256'],
    ...['-E', 'UTF8', '--locale', 'C.UTF-8', '--data-checksums'],
  ])
  const startServer = async (server: Server) => {
    programs.start(`postgres-${server.name}`, join(bin, 'postgres'), [
      ...['-D', server.data, '-p', String(server.port), '-c', 'listen_addresses=127.0.0.1'],
      ...['-c', `unix_socket_directories=${programs.folder}`, '-c', 'max_connections=200', '-c', 'wal_log_hints=on'],
    ])
    await eventually(`${server.name} answers`, () => query(server, 'select 1'))
  }
  const copyFrom = (source: Server, target: Server) =>
    programs.run(join(bin, 'pg_basebackup'), ['-d', connectionTo(source), '-D', target.data, '-R', '-c', 'fast'])
  const waitForStandby = async () => {
    await eventually('the standby streams', async () => (await query(primary, streaming))[0])
    await setSynchronous(primary, '*')
    await eventually('the standby is synchronous', async () => (await query(primary, synchronous))[0])
    // Acknowledged when the standby has it, and with it all that was written while there was none.
    await query(primary, `select pg_logical_emit_message(true, 'failover', '')`)
  }
  await startServer(primary)
  await query(primary, `create database ${databaseName}`)
  await copyFrom(primary, standby)
  await startServer(standby)
  await waitForStandby()

  const processesOf = ({ data }: Server): number[] => {
    const pid = postmasterOf(data)
    return pid === undefined ? [] : withDescendants(pid)
  }
  const losing = (act: (server: Server) => void | Promise<void>): Loss => ({
    async lose() {
      await act(primary)
      await setSynchronous(standby, '')
      await query(standby, 'select pg_promote(true, 60)')
      ;[primary, standby] = [standby, primary]
    },
    async heal() {
      // Some time for an old primary that still answers: then it is fenced.
      await wait(2_000)
      signalAll(processesOf(standby), 'SIGKILL')
      await eventually('the old primary ends', async () => (processesOf(standby).length === 0 ? true : undefined))
      // Only a checkpoint writes the new timeline where pg_rewind looks for it.
      await query(primary, 'checkpoint')
      await programs
        .run(join(bin, 'pg_rewind'), ['-D', standby.data, '--source-server', connectionTo(primary), '-R'])
        .catch(async () => {
          rmSync(standby.data, { recursive: true, force: true })
          await copyFrom(primary, standby)
        })
      await startServer(standby)
      await waitForStandby()
    },
  })
  return {
    description: 'a primary and a standby that is promoted with pg_promote()',
    url: `postgres://postgres:${password}@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/${databaseName}?target_session_attrs=read-write`,
    losses: {
      'kill -9 of PostgreSQL': losing((server) => signalAll(processesOf(server), 'SIGKILL')),
      'SIGSTOP of PostgreSQL': losing((server) => signalAll(processesOf(server), 'SIGSTOP')),
      'fast shutdown': losing(async (server) => {
        await programs.run(join(bin, 'pg_ctl'), ['-D', server.data, '-m', 'fast', '-w', 'stop'])
      }),
    },
    stop: () => programs.stop(),
  }
}

const connectionTo = ({ port }: Server): string =>
  `host=127.0.0.1 port=${port} user=postgres password=${password} dbname=postgres`

async function query({ port }: Server, text: string): Promise<unknown[]> {
  const client = new pg.Client({
    connectionString: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    connectionTimeoutMillis: 5_000,
  })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

async function setSynchronous(server: Server, standbys: '*' | ''): Promise<void> {
  await query(server, `alter system set synchronous_standby_names = '${standbys}'`)
  await query(server, 'select pg_reload_conf()')
}

const streaming = `select from pg_stat_replication where state = 'streaming'`
const synchronous = `select from pg_stat_replication where sync_state = 'sync'`
