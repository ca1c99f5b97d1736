import { expect, test } from 'vitest'
import { newCommands } from '../testing/command.ts'
import { functionFiles } from '../testing/functions.ts'
import { keys } from './keys.ts'
import { migrateCommand } from './migrate.ts'
import { users } from './users.ts'

test('a database without tables is refused by commands and filled by migrate, which makes the first project', async () => {
  const { environment, outputOf } = await newCommands({}, { migrated: false })
  await expect(keys(environment, 'list', undefined, {})).rejects.toThrow('The database is empty')
  await expect(users(environment, 'list', undefined, {})).rejects.toThrow('The database is empty')
  const output = await outputOf(migrateCommand)
  expect(output).toContain('Applied 0001-foundation')
  expect(output).toContain(`Replaced the functions ${[...functionFiles().keys()].sort().join(', ')}.`)
  expect(output).toMatch(/Project proj_\w+/)
  await keys(environment, 'list', undefined, {})
})
