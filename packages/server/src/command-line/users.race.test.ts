import { expect, test } from 'vitest'
import { newCommands } from '../testing/command.ts'
import { migrateCommand } from './migrate.ts'
import { users } from './users.ts'

test('of all owners who are removed at once, one remains', async () => {
  const { environment, outputOf } = await newCommands()
  await migrateCommand(environment)
  const owners = ['owner@localhost', ...Array.from({ length: 7 }, (_, n) => `owner${n}@shop.test`)]
  for (const email of owners.slice(1)) await users(environment, 'invite', email, { owner: true })
  const removals = await Promise.allSettled(owners.map((email) => users(environment, 'remove', email, {})))
  const refused = removals.filter((removal) => removal.status === 'rejected')
  expect(refused.map(({ reason }) => String(reason))).toEqual([expect.stringContaining('is the only owner')])
  expect((await outputOf((given) => users(given, 'list', undefined, {}))).split('\n')).toHaveLength(3) // titles, one, end
})
