import { chownSync, writeFileSync } from 'node:fs'
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

/** How fast a lost primary is noticed; `ttl` must be at least `loop_wait` and twice `retry_timeout` together. */
const timing = { ttl: 8, loop_wait: 1, retry_timeout: 3 }
const password = 'failover'
const databaseName = 'guerdon'

interface Member {
  name: string
  rest_port: number
  port: number
  data: string
  config: string
  /** The process of Patroni; undefined while it is killed. */
  pid: number | undefined
}

/** As Patroni describes it. */
interface MemberState {
  name: string
  role: string
  state: string
  timeline?: number
  lag?: number | string
}

/** Starts etcd and three members of Patroni with synchronous replication, on free ports of the loopback interface. */
export async function startPatroniCluster(): Promise<Cluster> {
  const found = findPrograms({ patroni: 'patroni', etcd: 'etcd-server' })
  const programs = new Programs(serverOwner())
  try {
    return await start(programs, found)
  } catch (error) {
    await programs.stop()
    throw error
  }
}

async function start(programs: Programs, found: Record<string, string>): Promise<Cluster> {
  const [clientPort, peerPort] = [await freePort(), await freePort()]
  const [client, peer] = [`http://127.0.0.1:${clientPort}`, `http://127.0.0.1:${peerPort}`]
  programs.start('etcd', found.etcd as string, [
    ...['--name', 'one', '--data-dir', join(programs.folder, 'etcd')],
    ...['--listen-client-urls', client, '--advertise-client-urls', client],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', `one=${peer}`],
  ])
  const members: Member[] = []
  for (const name of ['a', 'b', 'c'])
    members.push({
      name,
      rest_port: await freePort(),
      port: await freePort(),
      data: join(programs.folder, `data-${name}`),
      config: join(programs.folder, `${name}.json`),
      pid: undefined,
    })
  const startMember = (member: Member) => {
    const child = programs.start(`patroni-${member.name}`, found.patroni as string, [member.config])
    member.pid = child.pid
    child.once('exit', () => {
      if (member.pid === child.pid) member.pid = undefined
    })
  }
  for (const member of members) {
    // JSON is YAML.
    writeFileSync(
      member.config,
      JSON.stringify(configOf(member, { etcd_port: clientPort, ...found, folder: programs.folder })),
    )
    if (programs.owner !== null) chownSync(member.config, programs.owner.uid, programs.owner.gid)
    startMember(member)
    // The first one creates the cluster, the others copy it.
    if (member.name === 'a') await eventually('a leader', async () => (await leaderOf(members))?.name)
  }
  await untilHealthy(members)
  const leader = await leaderOf(members)
  await createDatabase(members.find(({ name }) => name === leader?.name) as Member)
  return {
    description: `Patroni with ${members.length} members, ttl ${timing.ttl} s`,
    url: `postgres://postgres:${password}@${members.map(({ port }) => `127.0.0.1:${port}`).join(',')}/${databaseName}?target_session_attrs=read-write`,
    losses: lossesOf(members, startMember),
    stop: () => programs.stop(),
  }
}

function lossesOf(members: readonly Member[], startMember: (member: Member) => void): Cluster['losses'] {
  let lost: Member
  let stopped: { server: number[]; agent: number[] }
  const losing = (
    act: (leader: Member) => void | Promise<void>,
    heal: () => void | Promise<void> = () => {},
  ): Loss => ({
    async lose() {
      const leader = await leaderOf(members)
      lost = members.find(({ name }) => name === leader?.name) as Member
      await act(lost)
      await eventually('another leader', async () => {
        const other = await leaderOf(members.filter((member) => member !== lost))
        return other !== undefined && other.name !== lost.name ? true : undefined
      })
    },
    async heal() {
      await heal()
      await untilHealthy(members)
    },
  })
  const serverOf = ({ data }: Member) => {
    const pid = postmasterOf(data)
    return pid === undefined ? [] : withDescendants(pid)
  }
  /** Without the server, which Patroni has started. */
  const agentOf = (member: Member) => {
    const server = serverOf(member)
    return member.pid === undefined ? [] : withDescendants(member.pid).filter((pid) => !server.includes(pid))
  }
  return {
    'kill -9 of PostgreSQL': losing((leader) => signalAll(serverOf(leader), 'SIGKILL')),
    'kill -9 of PostgreSQL and Patroni': losing(
      (leader) => signalAll([...serverOf(leader), ...agentOf(leader)], 'SIGKILL'),
      () => startMember(lost),
    ),
    'SIGSTOP of PostgreSQL and Patroni': losing(
      (leader) => {
        stopped = { server: serverOf(leader), agent: agentOf(leader) }
        signalAll([...stopped.server, ...stopped.agent], 'SIGSTOP')
      },
      async () => {
        // For a while there are two that believe to be the primary. Then the watchdog strikes: a Patroni that was stopped for longer than the
        // ttl must not go on where it was (Debian's 3.0.2 takes the lock back: github.com/patroni/patroni/pull/2689).
        signalAll(stopped.server, 'SIGCONT')
        await wait(2_000)
        signalAll(stopped.agent, 'SIGKILL')
        startMember(lost)
      },
    ),
    'kill -9 of Patroni alone': losing(
      (leader) =>
        signalAll(
          agentOf(leader).filter((pid) => !serverOf(leader).includes(pid)),
          'SIGKILL',
        ),
      async () => {
        // The old primary goes on serving whoever still asks it.
        await wait(2_000)
        startMember(lost)
      },
    ),
    switchover: losing(async (leader) => {
      await fetch(`http://127.0.0.1:${leader.rest_port}/switchover`, {
        method: 'POST',
        body: JSON.stringify({ leader: leader.name }),
      })
    }),
  }
}

/** The members as one of them sees them; those that do not answer within a second are passed over. */
async function statesOf(members: readonly Member[]): Promise<MemberState[]> {
  return Promise.any(
    members.map(async ({ rest_port }) => {
      const answer = await fetch(`http://127.0.0.1:${rest_port}/cluster`, { signal: AbortSignal.timeout(1_000) })
      return ((await answer.json()) as { members: MemberState[] }).members
    }),
  )
}

async function leaderOf(members: readonly Member[]): Promise<MemberState | undefined> {
  const states = await statesOf(members).catch(() => [])
  return states.find(({ role, state }) => role === 'leader' && state === 'running')
}

/** All members run on the timeline of the leader, and one of them is its synchronous standby. */
async function untilHealthy(members: readonly Member[]): Promise<void> {
  await eventually(
    'all members run',
    async () => {
      const states = await statesOf(members)
      const leader = states.find(({ role }) => role === 'leader')
      const isComplete =
        states.length === members.length &&
        states.every(({ state, timeline }) => ['running', 'streaming'].includes(state) && timeline === leader?.timeline)
      return isComplete && states.some(({ role, lag }) => role === 'sync_standby' && lag === 0) ? true : undefined
    },
    240,
  )
}

async function createDatabase({ port }: Member): Promise<void> {
  const client = new pg.Client({ connectionString: `postgres://postgres:${password}@127.0.0.1:${port}/postgres` })
  await client.connect()
  await client.query(`create database ${databaseName}`).finally(() => client.end())
}

const configOf = (
  { name, rest_port, port, data }: Member,
  { etcd_port, bin, folder }: { etcd_port: number; bin?: string; folder: string },
): object => ({
  scope: 'guerdon',
  name,
  restapi: { listen: `127.0.0.1:${rest_port}`, connect_address: `127.0.0.1:${rest_port}` },
  etcd3: { host: `127.0.0.1:${etcd_port}` },
  bootstrap: {
    dcs: {
      ...timing,
      synchronous_mode: true,
      synchronous_mode_strict: true,
      // A primary that crashed is replaced at once, instead of waiting until it has recovered.
      primary_start_timeout: 0,
      postgresql: {
        use_pg_rewind: true,
        remove_data_directory_on_rewind_failure: true,
        parameters: { max_connections: 200, wal_log_hints: 'on', unix_socket_directories: folder },
      },
    },
    initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
    pg_hba: [
      'local all all trust',
      'host all all 127.0.0.1/32 scram-sha-256',
      'host replication all 127.0.0.1/32 scram-sha-256',
    ],
  },
  postgresql: {
    listen: `127.0.0.1:${port}`,
    connect_address: `127.0.0.1:${port}`,
    data_dir: data,
    bin_dir: bin,
    pgpass: join(folder, `pgpass-${name}`),
    authentication: {
      superuser: { username: 'postgres', password },
      replication: { username: 'replicator', password },
    },
  },
})
