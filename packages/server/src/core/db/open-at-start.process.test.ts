import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { postgresUrl } from '../../testing/nodes.ts'
import { freePort } from '../../testing/postgres.ts'
import { openEmbedded, openPostgres, StartError } from './open-at-start.ts'

/** The URL of the test database with other parts. */
function urlWith(parts: Partial<Pick<URL, 'hostname' | 'port' | 'password' | 'pathname'>>): string {
  return Object.assign(new URL(postgresUrl()), parts).href
}

async function refusalOf(url: string, retries: { retry_seconds?: number; onRetry?: (problem: string) => void } = {}) {
  const error = await openPostgres({ url, connections_max: 1 }, retries).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(StartError)
  return (error as Error).message
}

test('a database that nobody serves is retried, then named without its password', async () => {
  const port = String(await freePort())
  const problems: string[] = []
  const url = urlWith({ port, password: 'hidden-word' })
  const message = await refusalOf(url, { retry_seconds: 1, onRetry: (problem) => problems.push(problem) })
  expect(message).toMatch(/^DATABASE_URL: cannot connect to postgres@127\.0\.0\.1:\d+\/\w+: connection refused/)
  expect(problems).toEqual([
    expect.stringContaining('connection refused. Is PostgreSQL running there?; retrying for 1 s'),
  ])
  expect(message + problems).not.toContain('hidden-word')
})

test('a database that starts later than the service is waited for', async () => {
  const port = await freePort()
  const { hostname, port: target } = new URL(postgresUrl())
  let server: Server | undefined
  onTestFinished(() => void server?.close())
  const database = await openPostgres(
    { url: urlWith({ port: String(port) }), connections_max: 1 },
    {
      retry_seconds: 60,
      onRetry: () => {
        server = createServer((near) => {
          const far = connect(Number(target), hostname)
          far.on('error', () => near.destroy())
          near.on('error', () => far.destroy())
          near.pipe(far).pipe(near)
        }).listen(port, '127.0.0.1')
      },
    },
  )
  expect((await database.execute('select 1 as one')).rows).toEqual([{ one: 1 }])
  await database.close()
})

test.each([
  ['an unknown database', { pathname: '/nowhere' }, 'database "nowhere" does not exist'],
  ['an unknown user', { username: 'nobody', password: 'hidden-word' }, '"nobody"'],
])('%s is refused at once', async (_, parts, problem) => {
  const problems: string[] = []
  const message = await refusalOf(urlWith(parts), { retry_seconds: 60, onRetry: (each) => problems.push(each) })
  expect(message).toContain('DATABASE_URL: cannot connect to ')
  expect(message).toContain(problem)
  expect(message).not.toContain('hidden-word')
  expect(problems).toEqual([])
})

test('a host name that cannot be resolved is named', async () => {
  expect(await refusalOf(urlWith({ hostname: 'nowhere.invalid' }))).toMatch(
    /@nowhere\.invalid:\d+\/\w+: the host name cannot be resolved\.$/,
  )
})

test('a data folder that cannot be used is named with its setting', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'guerdon-folder-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'file'), '')
  const problems: string[] = []
  await expect(
    openEmbedded(join(folder, 'file', 'data'), { retry_seconds: 0.5, onRetry: (problem) => problems.push(problem) }),
  ).rejects.toThrow(/^GUERDON_DATA_DIR: the embedded database in .*file.data cannot be opened: ENOTDIR/)
  expect(problems).toHaveLength(1)
})
