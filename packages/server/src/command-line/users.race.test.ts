import { expect, test } from 'vitest'
import { newCommands } from '../testing/command.ts'
import { migrateCommand } from './migrate.ts'
import { users } from './users.ts'

test.each([
  ['are removed', 'remove', {}],
  ['step down', 'owner', { no: true }],
] as const)('of all owners who %s at once, one remains', async (_, verb, options) => {
  const { environment, outputOf } = await newCommands()
  await migrateCommand(environment)
  const owners = ['owner@localhost', ...Array.from({ length: 7 }, (_, n) => `owner${n}@shop.test`)]
  for (const email of owners.slice(1)) await users(environment, 'invite', email, { owner: true })
  const removals = await Promise.allSettled(owners.map((email) => users(environment, verb, email, options)))
  const refused = removals.filter((removal) => removal.status === 'rejected')
  expect(refused.map(({ reason }) => String(reason))).toEqual([expect.stringContaining('is the only owner')])
  const list = await outputOf((given) => users(given, 'list', undefined, {}))
  expect(list.split('\n').filter((line) => / INVITED +yes /.test(line))).toHaveLength(1)
})
