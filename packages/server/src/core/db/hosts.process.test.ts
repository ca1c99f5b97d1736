import { connect, createServer, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { until } from '../../testing/background.ts'
import { freePort } from '../../testing/postgres.ts'
import { type PrimaryAndStandby, startPrimaryAndStandby } from '../../testing/standby.ts'
import { connectPostgres, type PostgresOptions } from './connect.ts'
import type { Database } from './database.ts'
import { openPostgres } from './open-at-start.ts'
import { isOutage } from './outage.ts'

/* Several hosts in DATABASE_URL (docs/operate/failover.md), on a primary and its standby; the URL names the standby first. */

let pair: PrimaryAndStandby
const startPair = async () => {
  pair = await startPrimaryAndStandby()
  await pair.primary.query('create table written (value int primary key)')
}
const stopPair = () => pair.stop()

const opened: Array<() => Promise<unknown>> = []
const closeOpened = async () => {
  for (const close of opened.splice(0).reverse()) await close()
}

function open(url = pair.url, options: Partial<PostgresOptions> = {}): Database {
  const database = connectPostgres({ connectionString: url, connections_max: 4, ...options })
  opened.push(() => database.close())
  return database
}

const portOf = (url: string) => Number(new URL(url).port)
const write = (database: Database, value: number) =>
  database.execute('insert into written values ($1) on conflict do nothing', [value])
const serverOf = async (database: Database): Promise<number> => {
  const { rows } = await database.execute('select inet_server_port() as port')
  return (rows as Array<{ port: number }>)[0]?.port as number
}

/** Repeats what fails because of an outage, as a shop repeats a request that got 503. */
const repeated = <T>(work: () => Promise<T>): Promise<T> =>
  until(async () => {
    try {
      return await work()
    } catch (error) {
      if (!isOutage(error)) throw error
      return undefined
    }
  })

/** Eight at once, so that several connections are open. */
const many = <T>(work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: 8 }, (_, index) => work(index)))

describe('while both servers run', () => {
  beforeAll(startPair)
  afterAll(stopPair)
  afterEach(closeOpened)

  test('all connections go to the primary, wherever it is in the URL', async () => {
    const database = open()
    await write(database, 1)
    const listener = await database.listen(
      'moved',
      () => {},
      () => {},
    )
    await database.alone(async () => {
      const rows = (await pair.primary.query(`
      select application_name as name from pg_stat_activity where application_name like 'guerdon%' order by 1`)) as Array<{
        name: string
      }>
      expect(new Set(rows.map(({ name }) => name))).toEqual(new Set(['guerdon', 'guerdon-listen', 'guerdon-start']))
    })
    expect(await pair.standby.query(`select from pg_stat_activity where application_name like 'guerdon%'`)).toEqual([])
    await listener.close()
  })

  test('a host that accepts connections and says nothing does not delay the others', async () => {
    const sockets = new Set<Socket>()
    const silent = createServer((socket) => void sockets.add(socket))
    const port = await freePort()
    await new Promise<void>((resolve) => silent.listen(port, '127.0.0.1', resolve))
    opened.push(async () => {
      for (const socket of sockets) socket.destroy()
      silent.close()
    })
    const { host, username, password, pathname } = new URL(pair.primary.url)
    // The question to the silent host would take 2.5 s: it is not waited for.
    const database = open(`postgres://${username}:${password}@127.0.0.1:${port},${host}${pathname}`)
    expect(await serverOf(database)).toBe(portOf(pair.primary.url))
    expect(sockets.size).toBe(1)
  })

  test('a start without a host that accepts writes says what each of them answered, without the password', async () => {
    const { host, username, password, pathname } = new URL(pair.standby.url)
    const url = `postgres://${username}:${password}@${host},127.0.0.1:1${pathname}`
    await expect(openPostgres({ url, connections_max: 1 })).rejects.toMatchObject({
      message: `DATABASE_URL: cannot connect to postgres@${host},127.0.0.1:1/postgres: no host accepts writes (${[`${host}: a standby`, '127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1'].sort().join('; ')}).`,
    })
  })

  test('a password that every host refuses ends the start at once', async () => {
    const url = pair.url.replace('postgres:postgres@', 'postgres:wrong@')
    await expect(openPostgres({ url, connections_max: 1 }, { retry_seconds: 600 })).rejects.toThrow(
      /Check user and password/,
    )
  })
})

describe('when the primary is lost', () => {
  beforeEach(startPair)
  afterEach(stopPair)
  afterEach(closeOpened) // runs before

  test('when the primary is killed and the standby promoted, writes succeed there, and a listener hears again', async () => {
    const moves: string[] = []
    const database = open(pair.url, { onMoved: (host) => moves.push(host) })
    const heard: string[] = []
    let gaps = 0
    const listener = await database.listen(
      'moved',
      (payload) => heard.push(payload),
      () => {
        gaps += 1
      },
    )
    await many((index) => write(database, index))
    await pair.primary.signal('SIGKILL')
    expect(isOutage(await write(database, 100).catch((error: unknown) => error))).toBe(true)
    await pair.standby.promote()
    await repeated(() => write(database, 101))
    const { rows } = await database.execute('select count(*)::int as count from written')
    expect(rows).toEqual([{ count: 9 }])
    expect(await serverOf(database)).toBe(portOf(pair.standby.url))
    expect(moves).toEqual([`127.0.0.1:${portOf(pair.standby.url)}`])
    await until(() => (gaps >= 3 ? true : undefined)) // at the start, when it broke, and when it listens again
    await until(async () => {
      await repeated(() => database.execute(`select pg_notify('moved', 'again')`))
      return heard.includes('again') ? true : undefined
    })
    await listener.close()
  })

  test('a primary that has become read-only answers no more reads once it has refused a write', async () => {
    const database = open()
    await many((index) => write(database, index))
    await pair.primary.query(`alter system set default_transaction_read_only = on`)
    await pair.primary.query(`alter system set synchronous_standby_names = ''`)
    await pair.primary.query('select pg_reload_conf()')
    // Each connection learns of it before its next statement.
    const refused = await until(() =>
      write(database, 100).then(
        () => undefined,
        (error: unknown) => error,
      ),
    )
    expect(refused).toMatchObject({ code: '25006' })
    expect(isOutage(refused)).toBe(true)
    await pair.standby.promote()
    expect(await repeated(() => many(() => serverOf(database)))).toEqual(Array(8).fill(portOf(pair.standby.url)))
    await write(database, 101)
  })

  test('one host that has to be writable, as behind an address that moves: a read-only server is given back', async () => {
    const url = new URL(pair.primary.url)
    url.searchParams.set('target_session_attrs', 'read-write')
    const database = open(url.href)
    await many((index) => write(database, index))
    await pair.primary.query(`alter system set default_transaction_read_only = on`)
    await pair.primary.query('select pg_reload_conf()')
    await until(() =>
      write(database, 100).then(
        () => undefined,
        () => true,
      ),
    )
    await until(() =>
      database.execute('select 1').then(
        () => undefined,
        () => true,
      ),
    ) // no connection is kept, and none is opened
    expect(database.load()).toMatchObject({ connections: 0 })
    await pair.primary.query('alter system reset default_transaction_read_only')
    await pair.primary.query('select pg_reload_conf()')
    await repeated(() => write(database, 101))
  })

  test('while the primary hangs, nobody waits for it longer than until the standby is promoted', async () => {
    const database = open()
    await many((index) => write(database, index))
    await pair.primary.signal('SIGSTOP')
    const waiting = many((index) =>
      write(database, 100 + index).then(
        () => 'written',
        (error: unknown) => error,
      ),
    )
    await pair.standby.promote()
    await repeated(() => write(database, 200))
    expect(await serverOf(database)).toBe(portOf(pair.standby.url))
    for (const outcome of await waiting) expect(outcome === 'written' || isOutage(outcome)).toBe(true)
    // The old primary wakes up and does not know that it has been replaced.
    await pair.primary.signal('SIGCONT')
    expect(await many(() => serverOf(database))).toEqual(Array(8).fill(portOf(pair.standby.url)))
  })

  test('of two that accept writes, a node starts on the one promoted last', async () => {
    await pair.standby.promote()
    const { host: newer } = new URL(pair.standby.url)
    const { host: older, username, password, pathname } = new URL(pair.primary.url)
    const database = open(
      `postgres://${username}:${password}@${older},${newer}${pathname}?target_session_attrs=primary`,
    )
    expect(await serverOf(database)).toBe(portOf(pair.standby.url))
  })

  test('an old primary that is reachable alone is refused by who has seen the new one', async () => {
    const database = open()
    await write(database, 1)
    await pair.primary.signal('SIGSTOP')
    await pair.standby.promote()
    await repeated(() => write(database, 2))
    await pair.standby.signal('SIGKILL')
    await pair.primary.signal('SIGCONT')
    const error = await until(() =>
      database.execute('select 1').then(
        () => undefined,
        (error: Error) => error,
      ),
    )
    const old = await until(async () => {
      const { message } = await database.execute('select 1').then(
        () => ({ message: '' }),
        (error: Error) => error,
      )
      return message.includes('an old primary') ? message : undefined
    })
    expect(old).toContain(
      `127.0.0.1:${portOf(pair.primary.url)}: an old primary, on timeline 1 while timeline 2 has begun`,
    )
    expect(isOutage(error)).toBe(true)
  })

  test('an address that moves is followed to a server of an older timeline too, such as a restored backup', async () => {
    let target = pair.standby
    const sockets = new Set<Socket>()
    const relay = createServer((near) => {
      const far = connect(portOf(target.url), '127.0.0.1')
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        sockets.add(from)
        from.on('error', () => {}).on('close', () => to.destroy())
        from.pipe(to)
      }
    })
    await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
    opened.push(async () => {
      for (const socket of sockets) socket.destroy()
      relay.close()
    })
    await pair.standby.promote()
    const url = new URL(pair.primary.url)
    url.port = String((relay.address() as { port: number }).port)
    url.searchParams.set('target_session_attrs', 'primary')
    const database = open(url.href)
    expect(await serverOf(database)).toBe(portOf(pair.standby.url))
    target = pair.primary
    for (const socket of sockets) socket.destroy()
    expect(await repeated(() => serverOf(database))).toBe(portOf(pair.primary.url))
  })
})
