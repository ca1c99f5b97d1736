// @embedded: the folder, signals and what a kill leaves
import { existsSync, mkdtempSync, openAsBlob, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { connectPglite } from '../core/db/connect.ts'
import { databaseKind } from '../testing/database.ts'
import { postgresUrl } from '../testing/nodes.ts'
import { headersFrom, keysFileIn, retryWhile503, runGuerdon, startGuerdon } from '../testing/process.ts'

const json = { 'Content-Type': 'application/json' }

/** The folder of a database without tables, copied from a snapshot: creating one takes a process seconds. */
async function emptyDataFolder(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'guerdon-data-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const { empty } = inject('database') as { empty: string }
  const database = await connectPglite({ folder, snapshot: await openAsBlob(empty) })
  await database.close()
  return folder
}

describe.runIf(databaseKind() === 'pglite')('on the embedded database', () => {
  test('data survives a clean stop and a kill -9, the first start keeps secrets out of the log, and a second process is rejected with instructions', async () => {
    const env = { GUERDON_DATA_DIR: await emptyDataFolder(), LOG_LEVEL: 'info' }
    const first = await startGuerdon(env)
    const headers = await headersFrom(first)
    const token = headers['X-App-Token'] as string
    expect(first.output()).not.toContain(token)
    const keysFile = keysFileIn(first.output())
    expect(keysFile).toBe(join(env.GUERDON_DATA_DIR, 'first-start-keys.txt'))
    expect(statSync(keysFile).mode & 0o777).toBe(0o600)
    const create = (address: string, name: string) =>
      retryWhile503(() =>
        fetch(`${address}/v1/categories`, {
          method: 'POST',
          headers: { ...headers, ...json },
          body: JSON.stringify({ name, hierarchy: 1 }),
        }),
      )
    expect((await create(first.address, 'before the stop')).status).toBe(200)
    first.kill('SIGINT')
    expect(await first.ended).toBe(0)

    const second = await startGuerdon(env)
    expect(second.output()).not.toContain('first-start-keys')
    const refused = runGuerdon([], { ...env, PORT: '0' })
    expect(await refused.ended).toBe(1)
    expect(refused.output()).toMatch(
      /is in use by another Guerdon process \(pid \d+\)\. Stop that process, set GUERDON_DATA_DIR/,
    )

    const acknowledged: string[] = []
    for (let n = 0; n < 20; n += 1)
      if ((await create(second.address, `row ${n}`)).status === 200) acknowledged.push(`row ${n}`)
    second.kill('SIGKILL')
    await second.ended

    const third = await startGuerdon(env)
    const answer = await retryWhile503(() => fetch(`${third.address}/v1/categories`, { headers }))
    const { data } = (await answer.json()) as { data: Array<{ name: string }> }
    expect(data.map(({ name }) => name).sort()).toEqual(['before the stop', ...acknowledged].sort())
    third.kill('SIGTERM')
    expect(await third.ended).toBe(0)
  })
})

describe.runIf(databaseKind() === 'postgres')('without a database', () => {
  test('invalid settings and unknown commands exit with code 1 and one message', async () => {
    const bad = runGuerdon(['serve'], { PORT: 'x', AUTH_MODE: 'lax', DATABASE_URL: 'mysql://me:secret@host/db' })
    expect(await bad.ended).toBe(1)
    for (const name of ['PORT', 'AUTH_MODE', 'DATABASE_URL']) expect(bad.output()).toContain(`- ${name}: `)
    expect(bad.output()).not.toContain('secret')
    const unknown = runGuerdon(['frobnicate'], {})
    expect(await unknown.ended).toBe(1)
    expect(unknown.output()).toContain('Unknown command')
    const incomplete = runGuerdon(['keys', 'revoke'], {})
    expect(await incomplete.ended).toBe(1)
    expect(incomplete.output()).toContain('guerdon keys revoke ID')
    for (const call of [[], ['list', 'x'], ['invite'], ['reset'], ['remove', 'a@b.test', 'x'], ['frobnicate', 'x']]) {
      const users = runGuerdon(['users', ...call], {})
      expect(await users.ended).toBe(1)
      expect(users.output()).toContain('guerdon users reset EMAIL')
    }
  })

  test('a database that does not exist ends the start with one message, without the password', async () => {
    const url = Object.assign(new URL(postgresUrl()), { pathname: '/nowhere' })
    const refused = runGuerdon(['serve'], { PORT: '0', DATABASE_URL: url.href })
    expect(await refused.ended).toBe(1)
    const { host, username, password } = url
    expect(refused.output().split('\n').slice(1)).toEqual([
      `DATABASE_URL: cannot connect to ${username}@${host}/nowhere: database "nowhere" does not exist.`,
      '',
    ])
    expect(refused.output()).not.toContain(`:${password}@`)
  })

  test.each([
    ['--kind', 'robot', '--kind must be one of server, integration, client, management, not "robot".'],
    ['--role', 'KING', '--role must be one of ADMIN, USER, VIEWER, MERCHANT, USER_RESTRICTED, not "KING".'],
    ['--name', '', 'keys create needs a --name.'],
  ])('keys create %s %s ends with one message before it opens the database', async (option, value, message) => {
    const folder = join(mkdtempSync(join(tmpdir(), 'guerdon-keys-')), 'not-created')
    onTestFinished(() => rmSync(dirname(folder), { recursive: true, force: true }))
    const refused = runGuerdon(['keys', 'create', '--name', 'Till', option, value], { GUERDON_DATA_DIR: folder })
    expect(await refused.ended).toBe(1)
    expect(refused.output()).toBe(`${message}\n`)
    expect(existsSync(folder)).toBe(false)
  })

  test('the version and the help are printed', async () => {
    const version = runGuerdon(['--version'], {})
    expect(await version.ended).toBe(0)
    expect(version.output()).toMatch(/^\d+\.\d+\.\d+\n$/)
    const help = runGuerdon(['--help'], {})
    await help.ended
    expect(help.output()).toContain('guerdon migrate')
  })

  test('each command explains itself, and refuses options of others', async () => {
    const help = runGuerdon(['import', 'voucherify', '--help'], {})
    expect(await help.ended).toBe(0)
    expect(help.output()).toMatch(/^Usage:\n {2}guerdon import voucherify --app-id ID .*GUERDON_APP_TOKEN.* 2 if /s)
    expect(help.output()).not.toContain('guerdon migrate')
    const foreign = runGuerdon(['import', 'voucherify', '--as', 'proj_new', '--app-id', 'a', '--app-token', 't'], {})
    expect(await foreign.ended).toBe(1)
    expect(foreign.output()).toBe(
      'guerdon import voucherify has no option --as. Try guerdon import voucherify --help.\n',
    )
  })

  test('a shadow needs no database, and no settings of one', async () => {
    const log = ['--log', '/dev/null', '--app-id', 'a', '--app-token', 't']
    const { ended, output } = runGuerdon(['shadow', ...log], { NODE_ENV: 'production', GUERDON_DATA_DIR: '' })
    expect(await ended).toBe(1)
    expect(output()).toMatch(/^0 compared.*\/dev\/null has no validation and no redemption that could be compared\./s)
  })

  test('a shadow warns on standard error of keys that travel without encryption', async () => {
    const log = ['--log', '/dev/null', '--app-id', 'a', '--app-token', 't', '--base', 'http://guerdon.example']
    const { child, ended } = runGuerdon(['shadow', ...log], {})
    let warned = ''
    child.stderr?.on('data', (chunk: Buffer) => (warned += chunk.toString()))
    await ended
    expect(warned).toContain('The keys and the requests are sent without encryption: --base is http.\n')
  })

  test.each([['--help'], ['replay', fileURLToPath(new URL('../../../../docs/examples/facts.json', import.meta.url))]])(
    'guerdon %s exits with code 0 and no stack trace when standard output is closed',
    async (...args) => {
      const { child, output, ended } = runGuerdon(args, {})
      child.stdout?.destroy() // as `| head -1` does, here before the process prints anything
      expect({ code: await ended, output: output() }).toEqual({ code: 0, output: '' })
    },
  )
})
