import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type PostgresServer, startPostgres } from '../../testing/postgres.ts'
import { connectPostgres } from './connect.ts'
import { openPostgres } from './open-at-start.ts'

/* The TLS parameters of DATABASE_URL (docs/operate/database.md), against a PostgreSQL whose certificate is for 127.0.0.1 and of a private authority. */

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres({ has_tls: true })
}, 120_000)
afterAll(() => server.stop())

const authority = fileURLToPath(new URL('../../testing/tls/authority.pem', import.meta.url))
const anotherAuthority = fileURLToPath(new URL('../../testing/tls/another-authority.pem', import.meta.url))

function urlWith(parameters: Record<string, string>, host = '127.0.0.1'): string {
  const url = new URL(server.url)
  url.hostname = host
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

/** Whether a connection is encrypted, by what the server says of it. */
async function isEncrypted(url: string): Promise<boolean> {
  const database = await openPostgres({ url, connections_max: 1 })
  try {
    const { rows } = await database.execute('select ssl from pg_stat_ssl where pid = pg_backend_pid()')
    return (rows as Array<{ ssl: boolean }>)[0]?.ssl as boolean
  } finally {
    await database.close()
  }
}

test.each([
  ['without parameters', {}, false],
  ['sslmode=disable', { sslmode: 'disable' }, false],
  ['sslmode=no-verify', { sslmode: 'no-verify' }, true],
  ['sslmode=verify-full with the authority', { sslmode: 'verify-full', sslrootcert: authority }, true],
  ['sslmode=require with the authority', { sslmode: 'require', sslrootcert: authority }, true],
  ['the authority alone', { sslrootcert: authority }, true],
])('%s connects', async (_, parameters, encrypted) => {
  expect(await isEncrypted(urlWith(parameters))).toBe(encrypted)
})

test.each([
  ['verify-full', {}],
  ['require', {}],
  ['verify-ca', {}],
  ['prefer', {}],
  ['verify-full', { sslrootcert: anotherAuthority }],
])('sslmode=%s refuses a certificate of an unknown authority, and says what to set: %o', async (sslmode, more) => {
  const refusal = await openPostgres({ url: urlWith({ sslmode, ...more }), connections_max: 1 }).catch((e: Error) => e)
  expect(refusal).toMatchObject({
    message: expect.stringMatching(
      /^DATABASE_URL: cannot connect to postgres@127\.0\.0\.1:\d+\/postgres: .*sslrootcert=FILE/,
    ),
  })
})

test('a certificate for another host name is refused', async () => {
  const url = urlWith({ sslmode: 'verify-full', sslrootcert: authority }, 'localhost')
  await expect(openPostgres({ url, connections_max: 1 })).rejects.toThrow(/does not match certificate's altnames/)
})

test('of several hosts, each certificate is checked for the name of its own host', async () => {
  const naming = (...hosts: string[]) => {
    const url = urlWith({ sslmode: 'verify-full', sslrootcert: authority })
    const { host, port } = new URL(url)
    return url.replace(host, hosts.map((name) => `${name}:${port}`).join(','))
  }
  expect(await isEncrypted(naming('localhost', '127.0.0.1'))).toBe(true)
  await expect(openPostgres({ url: naming('localhost', 'localhost'), connections_max: 1 })).rejects.toThrow(
    /does not match certificate's altnames/,
  )
})

test('the connections that listen, lock and ask about lost ones are encrypted too', async () => {
  const url = urlWith({ sslmode: 'verify-full', sslrootcert: authority })
  const database = connectPostgres({ connectionString: url, statement_answer_seconds: 0.1 })
  const listener = await database.listen(
    'tls',
    () => {},
    () => {},
  )
  await database.alone(async () => {
    // A statement long enough for the watch to look at it: it sees all connections of this node.
    const sleeping = database.execute('select pg_sleep(2)')
    const count = async () => {
      const { rows } = await database.execute(`
        select count(*)::int as connections, count(*) filter (where s.ssl)::int as encrypted
        from pg_stat_ssl s join pg_stat_activity a using (pid) where a.application_name like 'guerdon%'`)
      return rows[0] as { connections: number; encrypted: number }
    }
    // Two of the pool, one that listens, one that holds the lock.
    await expect.poll(async () => (await count()).connections, { timeout: 10_000 }).toBeGreaterThanOrEqual(4)
    const { connections, encrypted } = await count()
    expect(encrypted).toBe(connections)
    await sleeping
  })
  await listener.close()
  await database.close()
})
