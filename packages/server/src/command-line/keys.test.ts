import { expect, test } from 'vitest'
import { newCommands } from '../testing/command.ts'
import { type KeyOptions, keys } from './keys.ts'
import { migrateCommand } from './migrate.ts'

test('keys are listed, created and revoked from the command line', async () => {
  const { outputOf } = await newCommands()
  const run = (verb: 'list' | 'create' | 'revoke', id?: string, options: KeyOptions = {}) =>
    outputOf((environment) => keys(environment, verb, id, options))
  await outputOf(migrateCommand)
  const created = await run('create', undefined, { name: 'Till', role: 'MERCHANT' })
  expect(created).toMatch(/X-App-Token: [0-9a-f-]{36}/)
  const id = /Created (key_\w+)/.exec(created)?.[1] as string
  expect(await run('list')).toMatch(new RegExp(`${id} +server +MERCHANT +ACTIVE`))
  expect(await run('revoke', id)).toContain(id)
  await expect(run('revoke', id)).rejects.toThrow(`There is no key ${id}`)
})
