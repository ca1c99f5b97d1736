import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { takeUserLink } from '../account/users/link.ts'
import { readSettings } from '../core/settings.ts'
import { connect } from '../runtime.ts'
import { newCommands } from '../testing/command.ts'
import { migrateCommand } from './migrate.ts'
import { type UserOptions, type UserVerb, users } from './users.ts'

const linkIn = (output: string) =>
  /^ {2}(https:\/\/shop\.test\/dashboard\/password#token=[\w-]{43})$/m.exec(output)?.[1]

test('users are listed, invited, reset and removed from the command line', async () => {
  const { outputOf, environment } = await newCommands({ BASE_URL: 'https://shop.test/' })
  const run = (verb: UserVerb, email?: string, options: UserOptions = {}) =>
    outputOf((given) => users(given, verb, email, options))
  const state = async (email: string) =>
    new RegExp(`^(user_\\w+) +${email} +(\\w+) +(yes|-) +(.+?) {2,}(.+)$`, 'm').exec(await run('list'))?.slice(2)
  const projectId = /Project (proj_\w+)/.exec(await outputOf(migrateCommand))?.[1] as string
  expect(await state('owner@localhost')).toEqual(['INVITED', 'yes', '-', `${projectId}:ADMIN`])

  const invited = await run('invite', 'ann@shop.test', { role: 'VIEWER', 'first-name': 'Ann', 'last-name': 'Lee' })
  expect(invited).toMatch(/^Invited ann@shop\.test \(user_\w{32}\)\. /)
  expect(await state('ann@shop.test')).toEqual(['INVITED', '-', 'Ann Lee', `${projectId}:VIEWER`])
  await expect(run('invite', 'ANN@shop.test')).rejects.toThrow(
    'There is a user ANN@shop.test already; guerdon users reset ANN@shop.test makes a new link.',
  )
  await expect(run('invite', 'bob@shop.test', { project: 'proj_nowhere' })).rejects.toThrow(
    'There is no project proj_nowhere.',
  )
  expect(await run('list')).not.toContain('bob@shop.test')
  await run('invite', 'bob@shop.test')
  expect(await state('bob@shop.test')).toEqual(['INVITED', '-', '-', `${projectId}:USER`])
  expect((await run('list', undefined, { project: projectId })).split('\n')).toHaveLength(5) // titles, three, end
  await expect(run('list', undefined, { project: 'proj_nowhere' })).rejects.toThrow('There is no project proj_nowhere.')

  const reset = await run('reset', 'Ann@Shop.test')
  const database = await connect(environment.settings)
  const take = (link = '') =>
    takeUserLink(database.db, link.slice(link.indexOf('#token=') + 7), 'set_password', new Date().toISOString())
  expect(await take(linkIn(invited))).toBeNull()
  expect(await take(linkIn(reset))).toMatchObject({ email: 'ann@shop.test', state: 'ACTIVE' })
  await database.close()
  expect((await state('ann@shop.test'))?.[0]).toBe('ACTIVE')
  expect(linkIn(await run('reset', 'ann@shop.test'))).toBeDefined()
  expect(await run('reset', 'ann@shop.test', { 'second-factor': true })).toBe('ann@shop.test has no second factor.\n')
  const again = await connect(environment.settings)
  await sql`insert into user_second_factors (user_id, secret, created_at, confirmed_at)
    select id, 'A', now(), now() from users where login = 'ann@shop.test'`.execute(again.db)
  await again.close()
  expect(await run('reset', 'ann@shop.test', { 'second-factor': true })).toBe(
    'The second factor of ann@shop.test is off, and all their sessions have ended. They sign in with their password.\n',
  )
  await expect(run('reset', 'nobody@shop.test')).rejects.toThrow('There is no user nobody@shop.test.')

  await expect(run('remove', 'owner@localhost')).rejects.toThrow('owner@localhost is the only owner')
  await run('invite', 'second@shop.test', { owner: true })
  expect(await state('second@shop.test')).toEqual(['INVITED', 'yes', '-', `${projectId}:ADMIN`])
  expect(await run('remove', 'owner@localhost')).toMatch(/^Removed owner@localhost \(user_\w+\)\.$/m)
  await expect(run('remove', 'second@shop.test')).rejects.toThrow('second@shop.test is the only owner')
  await run('remove', 'ann@shop.test')
  await expect(run('remove', 'ann@shop.test')).rejects.toThrow('There is no user ann@shop.test.')
  expect(await run('list')).not.toContain('ann@shop.test')
})

test('owners are made of users and step down on the command line, but for the last one', async () => {
  const { outputOf, environment } = await newCommands({ BASE_URL: 'https://shop.test/' })
  const run = (verb: UserVerb, email: string, options: UserOptions = {}) =>
    outputOf((given) => users(given, verb, email, options))
  const projectId = /Project (proj_\w+)/.exec(await outputOf(migrateCommand))?.[1] as string
  const lineOf = async (email: string) =>
    (await outputOf((given) => users(given, 'list', undefined, {}))).split('\n').find((line) => line.includes(email))
  const invited = await run('invite', 'ann@shop.test', { role: 'VIEWER' })
  await expect(run('invite', 'ann@shop.test', { owner: true })).rejects.toThrow(
    'There is a user ann@shop.test already; guerdon users owner ann@shop.test makes them an owner, guerdon users reset ann@shop.test makes a new link.',
  )
  await expect(run('owner', 'owner@localhost', { no: true })).rejects.toThrow('owner@localhost is the only owner')
  await expect(run('owner', 'nobody@shop.test')).rejects.toThrow('There is no user nobody@shop.test.')

  expect(await run('owner', 'Ann@shop.test')).toBe(
    'ann@shop.test is an owner now, and ADMIN of every project. A link that they had has ended: guerdon users reset ann@shop.test\n',
  )
  expect(await lineOf('ann@shop.test')).toMatch(new RegExp(` yes +- +${projectId}:ADMIN$`))
  const database = await connect(environment.settings)
  const token = linkIn(invited)?.split('#token=')[1] as string
  expect(await takeUserLink(database.db, token, 'set_password', new Date().toISOString())).toBeNull()
  await database.close()
  expect(await run('owner', 'ann@shop.test')).toBe('ann@shop.test is an owner already.\n')

  expect(await run('owner', 'owner@localhost', { no: true })).toMatch(/^owner@localhost is no owner any more\./)
  expect(await lineOf('owner@localhost')).toMatch(new RegExp(` - +- +${projectId}:ADMIN$`))
  expect(await run('owner', 'owner@localhost', { no: true })).toBe('owner@localhost is no owner.\n')
  await expect(run('owner', 'ann@shop.test', { no: true })).rejects.toThrow('ann@shop.test is the only owner')
  await run('remove', 'owner@localhost')
})

test.each<[verb: UserVerb, email: string | undefined, options: UserOptions, message: string]>([
  ['invite', 'ann', {}, '"ann" is no e-mail address.'],
  ['invite', 'ann@shop.test, eve@evil.test', {}, '"ann@shop.test, eve@evil.test" is no e-mail address.'],
  ['invite', 'a@b.test', { role: 'BOSS' }, '--role must be one of ADMIN, USER, VIEWER, MERCHANT, USER_RESTRICTED'],
  ['invite', 'a@b.test', { owner: true, role: 'USER' }, 'An owner is ADMIN of every project'],
  ['invite', 'a@b.test', { owner: true, project: 'proj_x' }, 'An owner is ADMIN of every project'],
  ['invite', 'a@b.test', { 'first-name': 'A\nB' }, '--first-name must have at most 255 characters, in one line.'],
  ['invite', 'a@b.test', { 'last-name': 'x'.repeat(256) }, '--last-name must have at most 255 characters'],
  ['list', undefined, { owner: true }, 'users list takes no --owner.'],
  ['invite', 'a@b.test', { no: true }, 'users invite takes no --no.'],
  ['owner', 'a@b.test', { role: 'USER' }, 'users owner takes no --role.'],
  ['reset', 'a@b.test', { project: 'proj_x' }, 'users reset takes no --project.'],
  ['remove', 'a@b.test', { 'first-name': 'Ann' }, 'users remove takes no --first-name.'],
])('users %s %s with %j is refused before a database is opened', async (verb, email, options, message) => {
  const settings = readSettings({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' })
  const environment = { settings, is_terminal: true, say: () => {} }
  await expect(users(environment, verb, email, options)).rejects.toThrow(message)
})
