import { beforeAll, describe, expect, test } from 'vitest'
import { insertApiKey } from './account/api-keys/store.ts'
import { roles } from './account/roles.ts'
import type { Role } from './core/db/tables.ts'
import { familyOf, isOpen, type Operation } from './core/http/operation.ts'
import { toInstant } from './core/lib/instant.ts'
import { operations } from './operations.ts'
import { type Answer, newProject, type Shop, send } from './testing/app.ts'
import { inTurn } from './testing/in-turn.ts'
import { newSignedInUser, type TestUser } from './testing/sessions.ts'

/*
 * Every operation with every role, through a session. A new operation is covered without a change here.
 */

let shop: Shop
let other: Shop
const users = new Map<Role, TestUser>()
let owner: TestUser
beforeAll(async () => {
  shop = await newProject({ env: { AUTH_MODE: 'either' } })
  other = await newProject({ env: { AUTH_MODE: 'either' } })
  const { runtime } = shop.service
  for (const role of roles) users.set(role, await newSignedInUser(runtime, { [shop.project_id]: role }))
  owner = await newSignedInUser(runtime, 'owner')
})

const inFamily = (family: string) => operations.filter((each) => familyOf(each.path) === family && !isOpen(each))

/** Without a body, and about objects that do not exist: what is admitted is refused by its operation, or changes little. */
function ask(operation: Operation, headers: Record<string, string>, projectId = 'proj_nothing'): Promise<Answer> {
  const path = operation.path.replace('{projectId}', projectId).replaceAll(/\{\w+\}/g, 'nothing-of-this-name')
  const form = operation.consumes === 'multipart' ? { 'content-type': 'multipart/form-data; boundary=part' } : {}
  return send(shop.service.app, operation.method, path, undefined, { ...form, ...headers })
}

/** The operations of a family to be tried with a role, if those who may do alike share them. */
const sharedBy = (some: readonly Role[], family: string, role: Role) =>
  inTurn(inFamily(family), some).flatMap(([operation, taker]) => (taker === role ? [operation] : []))

/** Those who may do almost everything on /v1, and those who may do little but read there. */
const writers: readonly Role[] = ['ADMIN', 'USER', 'USER_RESTRICTED']
const readers: readonly Role[] = ['VIEWER', 'MERCHANT']

/** Those who may not use the management operations. */
const others = roles.filter((role) => role !== 'ADMIN')

const isDenied = ({ body }: Answer) => body?.key === 'missing_required_permission'

describe.each(roles)('through a session, %s', (role) => {
  test('may do on /v1 what a key of this role may', async () => {
    const { headers } = users.get(role) as TestUser
    const { key, secret } = await insertApiKey(shop.service.runtime.database.db, {
      project_id: shop.project_id,
      name: role,
      kind: 'server',
      role,
      ip_whitelist: [],
      is_primary: false,
      created_at: toInstant(Date.now()),
    })
    let denied = 0
    for (const operation of sharedBy(writers.includes(role) ? writers : readers, 'server', role)) {
      const byKey = isDenied(await ask(operation, { 'x-app-id': key.app_id, 'x-app-token': secret }))
      const bySession = await ask(operation, { ...headers, 'x-project-id': shop.project_id })
      expect(isDenied(bySession), `${role} ${operation.id}: ${JSON.stringify(bySession.body)}`).toBe(byKey)
      expect(bySession.status, operation.id).not.toBe(401)
      if (byKey) denied += 1
    }
    // Half of the operations only read.
    expect(denied > 50).toBe(role === 'VIEWER' || role === 'MERCHANT')
  })

  test('may do nothing on /v1 in a project where it has no role', async () => {
    const { headers } = users.get(role) as TestUser
    for (const operation of sharedBy(roles, 'server', role))
      for (const projectId of [other.project_id, 'proj_nothing'])
        expect(await ask(operation, { ...headers, 'x-project-id': projectId }), operation.id).toMatchObject({
          status: 403,
          body: { key: 'forbidden', details: `You have no role in the project '${projectId}'` },
        })
  })

  test('may use the management operations of the project as ADMIN only, and none of another project', async () => {
    const { headers } = users.get(role) as TestUser
    for (const operation of role === 'ADMIN' ? inFamily('management') : sharedBy(others, 'management', role)) {
      const namesProject = operation.path.includes('{projectId}')
      if (namesProject)
        expect(await ask(operation, headers, other.project_id), operation.id).toMatchObject({
          status: 404,
          body: { key: 'not_found', resource_type: 'project' },
        })
      const mayAdmin = namesProject ? !ownersOnly.has(operation.id) : operation.id === 'inviteUser'
      const isAllowed = operation.id === 'inviteUser' || (role === 'ADMIN' && mayAdmin)
      const answer = await ask(operation, headers, shop.project_id)
      expect(isDenied(answer), `${role} ${operation.id}: ${JSON.stringify(answer.body)}`).toBe(!isAllowed)
    }
  })
})

/** What protects the operator and the other projects. */
const ownersOnly: ReadonlySet<string> = new Set(['deleteProject', 'setProjectLimits'])

test('an owner may do everything in every project, also in one without a row for them', async () => {
  const { runtime } = shop.service
  const later = await newProject({ env: { AUTH_MODE: 'either' } })
  for (const operation of inFamily('server')) {
    const answer = await ask(operation, { ...owner.headers, 'x-project-id': later.project_id })
    expect([401, 403], `${operation.id}: ${JSON.stringify(answer.body)}`).not.toContain(answer.status)
  }
  for (const operation of inFamily('management')) {
    const answer = await ask(operation, owner.headers)
    expect([401, 403], `${operation.id}: ${JSON.stringify(answer.body)}`).not.toContain(answer.status)
  }
  expect(runtime.settings.auth_mode).toBe('either')
})

test('the cookie admits to nothing on the client side and on OAuth paths', async () => {
  for (const operation of [...inFamily('client'), ...inFamily('oauth')])
    expect(await ask(operation, { ...owner.headers, 'x-project-id': shop.project_id }), operation.id).toMatchObject({
      status: 401,
      body: { key: 'unauthorized' },
    })
})

test('a change by a session must come from a page of this service, for every operation', async () => {
  const { cookie } = owner.headers as { cookie: string }
  const foreign = [
    {},
    { origin: 'https://evil.test' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'cross-site', origin: 'http://127.0.0.1:8010' },
  ]
  const changing = operations.filter(
    ({ path, method, session, writes, saves }) =>
      /^\/(v1\/(?!oauth)|management|auth)/.test(path) &&
      (method !== 'GET' || writes === true || saves === true) &&
      session === undefined,
  )
  expect(changing.length).toBeGreaterThan(100)
  for (const [operation, headers] of inTurn(changing, foreign))
    expect(
      await ask(operation, { cookie, 'x-project-id': shop.project_id, ...headers } as Record<string, string>),
      operation.id,
    ).toMatchObject({ status: 403, body: { key: 'forbidden', details: expect.stringContaining('Origin') } })
})
