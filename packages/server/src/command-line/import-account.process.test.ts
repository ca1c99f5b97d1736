import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { lockFolder } from '../core/db/folder-lock.ts'
import { newFolder, serveAccount } from '../testing/account-server.ts'
import { newCommands } from '../testing/command.ts'
import { runGuerdon } from '../testing/process.ts'
import { importAccountCommand } from './import-account.ts'

const keys = { 'app-id': 'app', 'app-token': 'token' }

test('missing keys, half of the management keys and an unknown list are refused before anything is asked', async () => {
  const { environment } = await newCommands()
  const { base, requests } = await serveAccount(() => null)
  const run = (options: Parameters<typeof importAccountCommand>[1]) =>
    importAccountCommand(environment, { base, ...options })
  await expect(run({})).rejects.toThrow('Usage:\n  guerdon import voucherify --app-id ID --app-token TOKEN')
  await expect(run({ ...keys, 'management-id': 'm' })).rejects.toThrow('Usage:')
  await expect(run({ ...keys, base: 'account.example' })).rejects.toThrow('Usage:')
  await expect(run({ ...keys, base: 'http://a b' })).rejects.toThrow(
    '--base is not an http or https address: http://a b',
  )
  await expect(run({ ...keys, only: 'vouchers,galaxies' })).rejects.toThrow(
    'There is no list "galaxies". Lists are: metadata-schemas,',
  )
  expect(requests).toEqual([])
})

test('what an account says cannot control the terminal', async () => {
  const { base } = await serveAccount(() => ({ status: 401, body: { message: 'No\u001b[2J\u009b2K\r\u0007 way' } }))
  const { path } = await newFolder()
  const { output, ended } = runGuerdon(
    ['import', 'voucherify', '--app-id', 'a', '--app-token', 't', '--base', base, '--folder', path],
    {},
  )
  expect(await ended).toBe(1)
  expect(output()).toContain('was answered with 401: No\ufffd[2J\ufffd2K\ufffd\ufffd way\n')
})

test('an account that the keys do not open ends the command with its answer', async () => {
  const { environment } = await newCommands()
  const { base } = await serveAccount(() => ({ status: 401, body: { message: 'Unauthorized' } }))
  const { path } = await newFolder()
  await expect(importAccountCommand(environment, { ...keys, base, folder: path })).rejects.toThrow(
    'GET /v1/metadata-schemas was answered with 401: Unauthorized',
  )
})

test('a redirect ends the command at once, names its address, and gets no keys', async () => {
  const { environment } = await newCommands()
  const elsewhere = await serveAccount(() => null)
  const { base, requests } = await serveAccount(() => ({
    status: 302,
    headers: { location: `${elsewhere.base}/v1/` },
    body: {},
  }))
  const { path } = await newFolder()
  await expect(importAccountCommand(environment, { ...keys, base, folder: path })).rejects.toThrow(
    `GET /v1/metadata-schemas was answered with 302, a redirect to "${elsewhere.base}/v1/", which the keys do not follow`,
  )
  expect([requests.length, elsewhere.requests]).toEqual([1, []])
})

test('a project that cannot take the account is refused before hours of reading', async () => {
  const { environment } = await newCommands()
  const { base, requests } = await serveAccount(() => null)
  const { path } = await newFolder()
  await expect(
    importAccountCommand(environment, { ...keys, base, folder: path, project: 'proj_nowhere' }),
  ).rejects.toThrow('There is no project proj_nowhere.')
  expect(requests).toEqual([])
})

test('an address without any list of an account is no account', async () => {
  const { environment } = await newCommands()
  const { base } = await serveAccount(() => null)
  const { path } = await newFolder()
  await expect(importAccountCommand(environment, { ...keys, base: `${base}/v2`, folder: path })).rejects.toThrow(
    /^None of the lists could be read \(GET \/v2\/v1\/\S+ was answered with 404.*\)\. Is \S+\/v2 the address of the API\?$/,
  )
})

test('two commands do not write into one folder', async () => {
  const { environment } = await newCommands()
  const { base, requests } = await serveAccount(() => null)
  const { path } = await newFolder()
  onTestFinished(lockFolder(path))
  await expect(importAccountCommand(environment, { ...keys, base, folder: path })).rejects.toThrow(
    `The folder ${path} is in use by another Guerdon process (pid ${process.pid}). Wait until it has ended`,
  )
  expect(requests).toEqual([])
})

test.each([true, false])(
  'an import into an empty installation says where its keys are, which no later start does (terminal: %s)',
  async (isTerminal) => {
    const data = await newFolder()
    const { environment, outputOf } = await newCommands({ GUERDON_DATA_DIR: data.path })
    const { base } = await serveAccount(({ pathname }) =>
      pathname === '/v1/categories'
        ? { status: 200, body: { object: 'list', data_ref: 'data', data: [], total: 0 } }
        : null,
    )
    const { path } = await newFolder()
    const output = await outputOf(async () => {
      await importAccountCommand({ ...environment, is_terminal: isTerminal }, { ...keys, base, folder: path })
    })
    const file = join(data.path, 'first-start-keys.txt')
    const text = isTerminal ? output : readFileSync(file, 'utf8')
    expect(text).toMatch(/X-App-Token: +\S{16,}\n/)
    expect(existsSync(file)).toBe(!isTerminal)
    if (!isTerminal) expect(output).toContain(`The generated secrets are in ${file}`)
  },
)
