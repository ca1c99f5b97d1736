import { type Insertable, type Selectable, sql } from 'kysely'
import type { Db } from '../../core/db/database.ts'
import type { Role, UserRow } from '../../core/db/tables.ts'
import { invalidPayload } from '../../core/http/errors.ts'
import { newId } from '../../core/lib/ids.ts'
import { limits } from '../../core/lib/limits.ts'
import { pageOf } from '../../core/query/list.ts'

export type UserRecord = Selectable<UserRow>

/** A user with their role in each project. */
export interface AssignedUser extends UserRecord {
  projects: Record<string, Role>
}

/**
 * Serialises, until commit, what depends on all users or all owners: their number, that one owner remains, and that each owner is
 * ADMIN of each project, also of one that is being created.
 */
export async function lockUsers(db: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('users', 0))`.execute(db)
}

/** Not by `lower` of the database, whose result depends on the locale of the database: in a Turkish one, INFO@… is not info@…. */
const toLogin = (email: string): string => email.toLowerCase()

/** Inserts a user; undefined if the e-mail address is taken. */
export async function insertUser(
  db: Db,
  { email, ...columns }: Omit<Insertable<UserRow>, 'id' | 'login' | 'state'>,
): Promise<UserRecord | undefined> {
  await lockUsers(db)
  const { count } = await db
    .selectFrom('users')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  if (count >= limits.users_max)
    throw invalidPayload(`An installation must NOT have more than ${limits.users_max} users`)
  return db
    .insertInto('users')
    .values({ ...columns, id: newId('user'), login: toLogin(email), email })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
}

/**
 * A user by id or by login; with `lock`, no other transaction deletes them before this one ends. `for update` also waits for requests that
 * make a link for them: what ends their link must see it.
 */
export async function findUser(
  db: Db,
  by: { id: string } | { login: string } | { id_or_login: string },
  { lock = false }: { lock?: boolean | 'for update' } = {},
): Promise<UserRecord | undefined> {
  const users = db.selectFrom('users').selectAll()
  const found =
    'id' in by
      ? users.where('id', '=', by.id as UserRecord['id'])
      : 'login' in by
        ? users.where('login', '=', toLogin(by.login))
        : users.where((eb) =>
            eb.or([eb('id', '=', by.id_or_login as UserRecord['id']), eb('login', '=', toLogin(by.id_or_login))]),
          )
  const locked = lock === 'for update' ? found.forUpdate() : lock ? found.forKeyShare() : found
  return locked.executeTakeFirst()
}

export async function listOwners(db: Db): Promise<UserRecord[]> {
  return db.selectFrom('users').where('is_owner', '=', true).orderBy('created_at').selectAll().execute()
}

/**
 * Makes a user an owner, who is ADMIN of every project, and ends their link: whoever invited them has seen it. The caller has called
 * `lockUsers`. The lock of the row waits for requests that make a link for them now.
 */
export async function makeOwner(db: Db, id: UserRecord['id']): Promise<void> {
  await findUser(db, { id }, { lock: 'for update' })
  await db.updateTable('users').set({ is_owner: true }).where('id', '=', id).execute()
  await endLink(db, id)
  await assignToAllProjects(db, id)
}

/**
 * Makes a user who was invited ACTIVE, and ends the link of the invitation: whoever invited them has seen it, and could set a password for
 * a user who signs in without one.
 */
export async function activateUser(db: Db, id: UserRecord['id']): Promise<void> {
  const user = await findUser(db, { id }, { lock: 'for update' })
  if (user?.state !== 'INVITED') return
  await db.updateTable('users').set({ state: 'ACTIVE' }).where('id', '=', id).execute()
  await endLink(db, id)
}

/** Ends the link of a user, if they have one. */
export async function endLink(db: Db, id: string): Promise<void> {
  await db
    .deleteFrom('user_links')
    .where('user_id', '=', id as UserRecord['id'])
    .execute()
}

/** Makes an owner an ordinary user; their roles stay, and can be changed then. Call it under `lockUsers`. */
export async function makeNoOwner(db: Db, id: UserRecord['id']): Promise<void> {
  await db.updateTable('users').set({ is_owner: false }).where('id', '=', id).execute()
}

/** Deletes a user with their links and roles. */
export async function deleteUser(db: Db, id: UserRecord['id']): Promise<void> {
  await db.deleteFrom('users').where('id', '=', id).execute()
}

export async function assignUser(db: Db, projectId: string, userId: string, role: Role): Promise<void> {
  await assignRoles(db, userId, new Map([[projectId, role]]))
}

/** Gives a user a role in each of these projects, which replaces the one they had. */
export async function assignRoles(db: Db, userId: string, roles: ReadonlyMap<string, Role>): Promise<void> {
  await sql`
    insert into project_users (project_id, user_id, role)
    select project_id, ${userId}, role
    from unnest(${[...roles.keys()]}::text[], ${[...roles.values()]}::text[]) as given (project_id, role)
    on conflict (project_id, user_id) do update set role = excluded.role`.execute(db)
}

/** Makes a user ADMIN of every project. Call it under `lockUsers`. */
export async function assignToAllProjects(db: Db, userId: string): Promise<void> {
  await sql`
    insert into project_users (project_id, user_id, role)
    select id, ${userId}, 'ADMIN' from projects where deleted_at is null
    on conflict (project_id, user_id) do update set role = excluded.role`.execute(db)
}

/** Replaces the role that a user has in a project; false if they have none. */
export async function updateRole(db: Db, projectId: string, userId: string, role: Role): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('project_users')
    .set({ role })
    .where('project_id', '=', projectId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Takes the role of a user in a project from them; false if they have none. */
export async function deleteRole(db: Db, projectId: string, userId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('project_users')
    .where('project_id', '=', projectId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function getAssignedUser(db: Db, id: UserRecord['id']): Promise<AssignedUser> {
  return inLiveProjects(db, await withRoles(db).where('users.id', '=', id).executeTakeFirstOrThrow())
}

/** A user of a project by id or login; undefined if they are not assigned to it. */
export async function findUserOfProject(
  db: Db,
  projectId: string,
  idOrLogin: string,
  options: { lock?: boolean },
): Promise<AssignedUser | undefined> {
  const user = await findUser(db, { id_or_login: idOrLogin }, options)
  if (user === undefined) return undefined
  const assigned = await usersOf(db, projectId).where('users.id', '=', user.id).executeTakeFirst()
  return assigned && inLiveProjects(db, assigned)
}

/** The users of a project, oldest first: a page of them, or those that the list has where no page is asked for. */
export async function listUsersOfProject(
  db: Db,
  projectId: string,
  query: { limit?: number; page?: number },
): Promise<{ rows: AssignedUser[]; total: number }> {
  const isPaged = query.limit !== undefined || query.page !== undefined
  const { rows, total } = await pageOf(usersOf(db, projectId), isPaged ? query : { limit: limits.users_listed_max }, {
    columns: { created_at: 'users.created_at' },
    default_order: 'created_at',
    id: 'users.id',
  })
  return { rows: await allInLiveProjects(db, rows), total }
}

/** For the command line: all users, oldest first. */
export async function listUsers(db: Db): Promise<AssignedUser[]> {
  return allInLiveProjects(db, await withRoles(db).orderBy('users.created_at').orderBy('users.id').execute())
}

function usersOf(db: Db, projectId: string) {
  return withRoles(db).where(
    sql<boolean>`exists (select 1 from project_users where project_id = ${projectId} and user_id = users.id)`,
  )
}

function withRoles(db: Db) {
  const roles = sql<Record<string, Role>>`(
    select coalesce(jsonb_object_agg(assigned.project_id, assigned.role), '{}')
    from project_users as assigned where assigned.user_id = users.id)`
  return db.selectFrom('users').selectAll('users').select(roles.as('projects'))
}

/**
 * Leaves out deleted projects: one counts no longer, even if a request that was admitted before has assigned a user to it. A statement of its
 * own, because users and projects may be on different servers (docs/decisions/0082-distributed-by-project.md).
 */
async function allInLiveProjects(db: Db, users: readonly AssignedUser[]): Promise<AssignedUser[]> {
  const named = new Set(users.flatMap(({ projects }) => Object.keys(projects)))
  if (named.size === 0) return [...users]
  const { rows } = await sql<{ id: string }>`
    select id from projects where id = any(${[...named]}::text[]) and deleted_at is null`.execute(db)
  const live = new Set(rows.map(({ id }) => id))
  return users.map((user) => ({
    ...user,
    projects: Object.fromEntries(Object.entries(user.projects).filter(([id]) => live.has(id))),
  }))
}

const inLiveProjects = async (db: Db, user: AssignedUser): Promise<AssignedUser> =>
  (await allInLiveProjects(db, [user]))[0] as AssignedUser
