import { notifyCredentialChange } from '../account/credential-change.ts'
import { findProjectOrOnly } from '../account/projects/store.ts'
import { roles } from '../account/roles.ts'
import { deleteFactor } from '../account/sign-in/second-factor.ts'
import { deleteSessions } from '../account/sign-in/session-store.ts'
import { newUserLink, type UserLink } from '../account/users/link.ts'
import {
  type AssignedUser,
  assignToAllProjects,
  assignUser,
  deleteUser,
  findUser,
  insertUser,
  listOwners,
  listUsers,
  lockUsers,
  makeNoOwner,
  makeOwner,
  type UserRecord,
} from '../account/users/store.ts'
import type { Db } from '../core/db/database.ts'
import type { Role } from '../core/db/tables.ts'
import { inTransaction } from '../core/db/transaction.ts'
import { type Instant, toInstant } from '../core/lib/instant.ts'
import { limits } from '../core/lib/limits.ts'
import { isOneLine } from '../core/lib/one-line.ts'
import { isMailAddress } from '../core/mail/address.ts'
import type { Settings } from '../core/settings.ts'
import type { CommandEnvironment } from './outside.ts'
import { table } from './table.ts'
import { withDatabase } from './with-database.ts'

export interface UserOptions {
  project?: string | undefined
  role?: string | undefined
  owner?: boolean | undefined
  no?: boolean | undefined
  'second-factor'?: boolean | undefined
  'first-name'?: string | undefined
  'last-name'?: string | undefined
}

export type UserVerb = 'list' | 'invite' | 'reset' | 'owner' | 'remove'

/** Manages users from the command line: to make owners, and to get a link where no mail arrives. */
export async function users(
  { settings, say }: CommandEnvironment,
  verb: UserVerb,
  email: string | undefined,
  options: UserOptions,
): Promise<void> {
  const command = readCommand(verb, email, options)
  await withDatabase(settings, async (db) => say(await command(db, settings)))
}

type Command = (db: Db, settings: Settings) => Promise<string>

/** Checks the arguments before the database is opened. */
const optionsOf: Record<UserVerb, ReadonlyArray<keyof UserOptions>> = {
  list: ['project'],
  invite: ['project', 'role', 'owner', 'first-name', 'last-name'],
  reset: ['second-factor'],
  owner: ['no'],
  remove: [],
}

function readCommand(verb: UserVerb, email: string | undefined, options: UserOptions): Command {
  refuseOptions(verb, options)
  if (verb === 'invite') {
    const invited = readInvited(email as string, options)
    return (db, settings) => inviteUser(db, settings, invited)
  }
  if (verb === 'list') return (db) => listOfUsers(db, options.project)
  if (verb === 'reset')
    return (db, settings) =>
      options['second-factor'] === true ? resetFactor(db, email as string) : resetUser(db, settings, email as string)
  if (verb === 'owner')
    return (db) => (options.no === true ? endOwnership(db, email as string) : beginOwnership(db, email as string))
  return (db) => removeUser(db, email as string)
}

function refuseOptions(verb: UserVerb, options: UserOptions): void {
  const names = ['project', 'role', 'owner', 'no', 'second-factor', 'first-name', 'last-name'] as const
  const superfluous = names.find((name) => options[name] !== undefined && !optionsOf[verb].includes(name))
  if (superfluous !== undefined) throw new Error(`users ${verb} takes no --${superfluous}.`)
}

interface Invited {
  email: string
  first_name: string
  last_name: string
  /** Null: an owner. */
  role: Role | null
  project: string | undefined
}

function readInvited(email: string, options: UserOptions): Invited {
  const { project, role = 'USER', owner = false, 'first-name': firstName = '', 'last-name': lastName = '' } = options
  if (!isMailAddress(email)) throw new Error(`"${email}" is no e-mail address.`)
  if (owner && (project !== undefined || options.role !== undefined))
    throw new Error('An owner is ADMIN of every project: leave out --project and --role.')
  const knownRole = roles.find((each) => each === role)
  if (knownRole === undefined) throw new Error(`--role must be one of ${roles.join(', ')}, not "${role}".`)
  for (const [option, name] of [
    ['--first-name', firstName],
    ['--last-name', lastName],
  ] as const)
    if (name.length > limits.name_length_max || !isOneLine(name))
      throw new Error(`${option} must have at most ${limits.name_length_max} characters, in one line.`)
  return { email, first_name: firstName, last_name: lastName, role: owner ? null : knownRole, project }
}

async function listOfUsers(db: Db, projectId: string | undefined): Promise<string> {
  if (projectId !== undefined) await findProjectOrOnly(db, projectId) // an unknown one is an error, not an empty list
  const users = (await listUsers(db)).filter(({ projects }) => projectId === undefined || projectId in projects)
  return table([
    ['ID', 'E-MAIL', 'STATE', 'OWNER', 'NAME', 'ROLES'],
    ...users.map(({ id, email, state, is_owner, first_name, last_name, projects }) => {
      const name = `${first_name} ${last_name}`.trim()
      return [id, email, state, is_owner ? 'yes' : '-', name === '' ? '-' : name, rolesText(projects)]
    }),
  ])
}

const rolesText = (projects: AssignedUser['projects']): string =>
  Object.entries(projects)
    .map(([projectId, role]) => `${projectId}:${role}`)
    .join(' ') || '-'

async function inviteUser(db: Db, settings: Settings, { role, project, ...names }: Invited): Promise<string> {
  const now = toInstant(Date.now())
  return inTransaction(db, async (trx) => {
    const user = await insertUser(trx, { ...names, is_owner: role === null, created_at: now })
    if (user === undefined) {
      const { email } = names
      const owner = role === null ? `guerdon users owner ${email} makes them an owner, ` : ''
      throw new Error(`There is a user ${email} already; ${owner}guerdon users reset ${email} makes a new link.`)
    }
    if (role === null) await assignToAllProjects(trx, user.id)
    else await assignUser(trx, (await findProjectOrOnly(trx, project)).id, user.id, role)
    const link = await newUserLink({ db: trx, now, settings }, user.id)
    return `Invited ${user.email} (${user.id}).${linkText(link)}`
  })
}

async function resetUser(db: Db, settings: Settings, idOrEmail: string): Promise<string> {
  const now = toInstant(Date.now())
  return inTransaction(db, async (trx) => {
    const user = await getUser(trx, idOrEmail)
    const link = await newUserLink({ db: trx, now, settings }, user.id)
    return `A new link for ${user.email}; the one before has ended.${linkText(link)}`
  })
}

/** For a user who has lost both the device and the recovery codes. Whoever had taken over a session is signed out. */
async function resetFactor(db: Db, idOrEmail: string): Promise<string> {
  return inTransaction(db, async (trx) => {
    const user = await getUser(trx, idOrEmail)
    const hadFactor = await deleteFactor(trx, user.id)
    if (!hadFactor) return `${user.email} has no second factor.\n`
    await deleteSessions(trx, user.id)
    await notifyCredentialChange(trx)
    return `The second factor of ${user.email} is off, and all their sessions have ended. They sign in with their password.\n`
  })
}

async function removeUser(db: Db, idOrEmail: string): Promise<string> {
  return inTransaction(db, async (trx) => {
    await lockUsers(trx)
    const user = await getUser(trx, idOrEmail)
    if (user.is_owner) await refuseOnlyOwner(trx, user)
    await deleteUser(trx, user.id)
    await notifyCredentialChange(trx)
    return `Removed ${user.email} (${user.id}).\n`
  })
}

async function beginOwnership(db: Db, idOrEmail: string): Promise<string> {
  return inTransaction(db, async (trx) => {
    await lockUsers(trx)
    const user = await getUser(trx, idOrEmail)
    if (user.is_owner) return `${user.email} is an owner already.\n`
    await makeOwner(trx, user.id)
    await notifyCredentialChange(trx)
    const link =
      user.state === 'INVITED' ? ` A link that they had has ended: guerdon users reset ${user.email}\n` : '\n'
    return `${user.email} is an owner now, and ADMIN of every project.${link}`
  })
}

async function endOwnership(db: Db, idOrEmail: string): Promise<string> {
  return inTransaction(db, async (trx) => {
    await lockUsers(trx)
    const user = await getUser(trx, idOrEmail)
    if (!user.is_owner) return `${user.email} is no owner.\n`
    await refuseOnlyOwner(trx, user)
    await makeNoOwner(trx, user.id)
    await notifyCredentialChange(trx)
    return `${user.email} is no owner any more. They are still ADMIN of the projects that exist; change that with the management API.\n`
  })
}

async function refuseOnlyOwner(db: Db, { email }: UserRecord): Promise<void> {
  if ((await listOwners(db)).length === 1)
    throw new Error(
      `${email} is the only owner, and an installation needs one. Make another first: guerdon users owner EMAIL, or guerdon users invite EMAIL --owner`,
    )
}

async function getUser(db: Db, idOrEmail: string) {
  const user = await findUser(db, { id_or_login: idOrEmail }, { lock: true })
  if (user === undefined) throw new Error(`There is no user ${idOrEmail}.`)
  return user
}

function linkText({ link, expires_at: expiresAt }: UserLink): string {
  return ` By this link they set the password for the dashboard; it works once, until ${minuteOf(expiresAt)}, and is shown only now:\n\n  ${link}\n`
}

const minuteOf = (instant: Instant): string => `${instant.slice(0, 16).replace('T', ' ')} UTC`
