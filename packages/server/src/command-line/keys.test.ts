import { mkdtempSync, openAsBlob, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { connectPglite } from '../core/db/connect.ts'
import { readSettings } from '../core/settings.ts'
import { createDatabase } from '../testing/postgres.ts'
import { type KeyOptions, keys } from './keys.ts'
import { migrateCommand } from './migrate.ts'

/** Settings that name a database without tables. */
async function emptyDatabase(): Promise<Record<string, string>> {
  const provided = inject('database')
  if (provided.kind === 'postgres') {
    const { url, drop } = await createDatabase(provided.url)
    onTestFinished(drop)
    return { DATABASE_URL: url }
  }
  const folder = mkdtempSync(join(tmpdir(), 'guerdon-data-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  await (await connectPglite({ folder, snapshot: await openAsBlob(provided.empty) })).close()
  return { GUERDON_DATA_DIR: folder }
}

test('keys are listed, created and revoked from the command line', async () => {
  const settings = readSettings({ ...(await emptyDatabase()), LOG_LEVEL: 'warn' })
  let output = ''
  const environment = {
    settings,
    is_terminal: true,
    say(text: string) {
      output += text
    },
  }
  const run = async (verb: 'list' | 'create' | 'revoke', id?: string, options: KeyOptions = {}) => {
    output = ''
    await keys(environment, verb, id, options)
    return output
  }
  await expect(run('list')).rejects.toThrow('The database is empty')
  await migrateCommand(environment)
  expect(output).toContain('Applied 0001-foundation')
  const created = await run('create', undefined, { name: 'Till', role: 'MERCHANT' })
  expect(created).toMatch(/X-App-Token: [0-9a-f-]{36}/)
  const id = /Created (key_\w+)/.exec(created)?.[1] as string
  expect(await run('list')).toMatch(new RegExp(`${id} +server +MERCHANT +ACTIVE`))
  expect(await run('revoke', id)).toContain(id)
  await expect(run('revoke', id)).rejects.toThrow(`There is no key ${id}`)
})
