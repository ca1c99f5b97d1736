import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { BootstrapResult } from '../account/installation/bootstrap.ts'
import { readSettings } from '../core/settings.ts'
import { databaseOf } from '../testing/command.ts'
import { databaseKind } from '../testing/database.ts'
import { firstStartOf } from './keys-file.ts'
import { migrateCommand } from './migrate.ts'
import { welcome } from './welcome.ts'

const generated = (name: string) => ({ id: `${name}-id`, token: `${name}-secret`, is_generated: true })
const keys: BootstrapResult = {
  project_id: 'proj_1',
  project_name: 'Sandbox',
  owner_email: 'owner@localhost',
  owner_link: 'http://127.0.0.1:8010/dashboard/password#token=link-secret',
  application: generated('app'),
  client: generated('client'),
  management: generated('management'),
}
const secrets = ['app-secret', 'client-secret', 'management-secret', 'link-secret']

function welcomeOf({ is_terminal, mode = 'strict' }: { is_terminal: boolean; mode?: string }): string {
  const settings = readSettings({ AUTH_MODE: mode, GUERDON_DATA_DIR: '/data' })
  return welcome('http://127.0.0.1:8010', firstStartOf({ settings, is_terminal }, keys), {
    ...settings,
    has_dashboard: true,
    has_guides: true,
  })
}

test('on a terminal the first start shows the keys, how to call in both modes, and calls to paste', () => {
  const strict = welcomeOf({ is_terminal: true })
  for (const secret of secrets) expect(strict).toContain(secret)
  expect(strict).toContain('This node runs with AUTH_MODE=strict.')
  expect(strict).toMatch(/^ {2}strict {3}X-App-Id, X-App-Token and an access token /m)
  expect(strict).toMatch(/^ {2}either {3}X-App-Id and X-App-Token, or an access token/m)
  expect(strict).toContain('-H "Authorization: Bearer $TOKEN"')
  expect(strict).toContain(
    "createGuerdon({ baseUrl: 'http://127.0.0.1:8010', applicationId: 'app-id', secretKey: 'app-secret' })",
  )
  const either = welcomeOf({ is_terminal: true, mode: 'either' })
  expect(either).toContain('This node runs with AUTH_MODE=either.')
  expect(either).not.toContain('$TOKEN')
  expect(either).toContain(
    "VoucherifyServerSide({ apiUrl: 'http://127.0.0.1:8010', applicationId: 'app-id', secretKey: 'app-secret' })",
  )
})

test('every start shows the address of the dashboard, if it is served', () => {
  const [authMode, address] = ['strict' as const, 'http://127.0.0.1:8010']
  expect(welcome(address, null, { auth_mode: authMode, has_dashboard: true, has_guides: true })).toContain(
    '(dashboard: http://127.0.0.1:8010/dashboard/, guides: http://127.0.0.1:8010/guides/, reference: http://127.0.0.1:8010/docs)',
  )
  const alone = welcome(address, null, { auth_mode: authMode, has_dashboard: false, has_guides: false })
  expect(alone).toContain('(reference: http://127.0.0.1:8010/docs)')
  expect(alone).not.toContain('dashboard')
})

test('elsewhere it names the file with the secrets and shows none', () => {
  const text = welcomeOf({ is_terminal: false })
  expect(text).toContain(`The generated secrets are in ${join('/data', 'first-start-keys.txt')}`)
  expect(text).toContain('app-id')
  for (const secret of secrets) expect(text).not.toContain(secret)
})

/** Settings that name a migrated database, and a folder for the keys. */
async function newInstallation(): Promise<{ folder: string; env: Record<string, string> }> {
  const env = await databaseOf({ migrated: true })
  if (env.GUERDON_DATA_DIR !== undefined) return { folder: env.GUERDON_DATA_DIR, env }
  const folder = mkdtempSync(join(tmpdir(), 'guerdon-data-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return { folder, env: { ...env, GUERDON_DATA_DIR: folder } }
}

async function migrateWith(env: Record<string, string>): Promise<string> {
  const output: string[] = []
  const say = (text: string) => void output.push(text)
  await migrateCommand({ settings: readSettings(env), is_terminal: false, say })
  return output.join('')
}

// On PostgreSQL the folder holds only this file. A file in its place stops root too, which no missing permission does.
test.runIf(databaseKind() === 'postgres')(
  'a file that cannot be written leaves nothing behind, so that the next start makes the keys',
  async () => {
    const { folder, env } = await newInstallation()
    writeFileSync(join(folder, 'occupied'), '')
    await expect(migrateWith({ ...env, GUERDON_DATA_DIR: join(folder, 'occupied') })).rejects.toThrow(
      /cannot be written to .*occupied.* Nothing was created\. Set GUERDON_DATA_DIR to .* BOOTSTRAP_APP_TOKEN/,
    )
    expect(await migrateWith(env)).toContain(`secrets are in ${join(folder, 'first-start-keys.txt')},`)
  },
)

test('the file of an attempt whose transaction failed is replaced by one that only this user can read', async () => {
  const { folder, env } = await newInstallation()
  const keysFile = join(folder, 'first-start-keys.txt')
  writeFileSync(keysFile, 'of the failed attempt', { mode: 0o644 })
  await migrateWith(env)
  expect(statSync(keysFile).mode & 0o777).toBe(0o600)
  expect(readFileSync(keysFile, 'utf8')).toMatch(/^Project .*X-App-Token: +[0-9a-f-]{36}\n/s)
})

test('chosen secrets are written nowhere', async () => {
  const { folder, env } = await newInstallation()
  const token = '0123456789abcdef'
  const output = await migrateWith({
    ...env,
    BOOTSTRAP_APP_TOKEN: token,
    BOOTSTRAP_CLIENT_TOKEN: token,
    BOOTSTRAP_MANAGEMENT_TOKEN: token,
  })
  expect(output).toContain('(as set in the environment)')
  expect(output).not.toContain(token)
  expect(existsSync(join(folder, 'first-start-keys.txt'))).toBe(false)
})
