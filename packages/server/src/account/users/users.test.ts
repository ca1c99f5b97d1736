import { sql } from 'kysely'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { hashOf } from '../../core/http/secrets.ts'
import { toInstant } from '../../core/lib/instant.ts'
import { limits } from '../../core/lib/limits.ts'
import { type Answer, newClock, send, uniqueName } from '../../testing/app.ts'
import { type Installation, newInstallation } from '../../testing/installation.ts'
import { takeUserLink } from './link.ts'

/** A database of its own: in the shared one, workers of other test files would take the mails. */
let installation: Installation
let shop: Project
const clock = newClock()
beforeAll(async () => {
  installation = await newInstallation({ now: clock.now })
  shop = await newProject()
})

interface Project {
  project_id: string
  // biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
  manage(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer<any>>
}

async function newProject(name = 'Test shop'): Promise<Project> {
  const body = { name, timezone: 'UTC', currency: 'USD', case_sensitive_codes: true }
  const { id } = (await installation.manage('POST', '/projects', body)).body
  return {
    project_id: id,
    manage: (method, path, sent, headers) => installation.manage(method, `/projects/${id}${path}`, sent, headers),
  }
}

const db = () => installation.runtime.database.db
const newEmail = () => `${uniqueName('ann')}@shop.test`
const preferReply = { prefer: 'return=representation' }

const invite = (body: object, headers: Record<string, string> = {}) =>
  installation.manage('POST', '/projects/users/invite', body, headers)

/** Invites a user and returns the invitation. */
async function newInvitation(body: object = {}) {
  const person = { email: newEmail(), first_name: 'Ann', last_name: 'Lee', projects: { [shop.project_id]: 'USER' } }
  const answer = await invite({ ...person, ...body }, preferReply)
  expect(answer.status).toBe(200)
  return answer.body
}

const newUser = async (body: object = {}) => (await newInvitation(body)).user
const tokenIn = (link: string) => link.slice(link.indexOf('#token=') + '#token='.length)
const now = () => toInstant(Date.now())

/** Moves the clock until the test has finished. */
function advance(seconds: number): void {
  clock.advance(seconds * 1_000)
  onTestFinished(() => clock.advance(-seconds * 1_000))
}

const mailsTo = (email: string) =>
  db()
    .selectFrom('mails')
    .selectAll()
    .execute()
    .then((mails) => mails.filter(({ recipients }) => recipients.includes(email)))

const allOperations = (userId: string): Array<[method: string, path: string, body?: unknown]> => [
  ['GET', '/users'],
  ['POST', '/users', { id: userId, role: 'USER' }],
  ['GET', `/users/${userId}`],
  ['PUT', `/users/${userId}`, { role: 'USER' }],
  ['DELETE', `/users/${userId}`],
  ['POST', `/users/${userId}/invitation`],
]

test('all operations in a project need a management key and an existing project', async () => {
  for (const [method, path, body] of allOperations('user_x')) {
    const url = `/management/v1/projects/${shop.project_id}${path}`
    expect(await send(installation.app, method, url, body)).toMatchObject({ status: 401 })
    expect(await installation.manage(method, `/projects/proj_nowhere${path}`, body)).toMatchObject({
      status: 404,
      body: { key: 'not_found', resource_id: 'proj_nowhere', resource_type: 'project' },
    })
  }
})

describe('an invitation', () => {
  test('is answered with 204, and the user has their roles at once', async () => {
    const other = await newProject()
    const email = newEmail()
    const projects = { [shop.project_id]: 'MERCHANT', [other.project_id]: 'VIEWER' }
    const answer = await invite({ email, first_name: 'Ann', last_name: 'Lee', projects })
    expect(answer).toMatchObject({ status: 204, body: null })
    expect(answer.headers).not.toHaveProperty('preference-applied')
    const expected = {
      id: expect.stringMatching(/^user_[0-9A-Za-z]{32}$/),
      login: email,
      email,
      first_name: 'Ann',
      last_name: 'Lee',
      projects,
      is_owner: false,
      state: 'INVITED',
    }
    for (const project of [shop, other])
      expect(await project.manage('GET', `/users/${email}`)).toMatchObject({ status: 200, body: expected })
    expect((await shop.manage('GET', `/users/${email}`)).body).toEqual(expected)
  })

  test('shows the link with Prefer: return=representation', async () => {
    const email = newEmail()
    const projects = { [shop.project_id]: 'USER' }
    const answer = await invite({ email, first_name: '', last_name: '', projects }, preferReply)
    expect(answer).toMatchObject({ status: 200, headers: { 'preference-applied': 'return=representation' } })
    const { user, link, expires_at } = answer.body
    expect(user).toEqual((await shop.manage('GET', `/users/${user.id}`)).body)
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:8010\/dashboard\/password#token=[\w-]{43}$/) // 256 bits
    const day = Date.parse(expires_at) - Date.now()
    expect(day).toBeGreaterThan(23.9 * 3_600_000)
    expect(day).toBeLessThanOrEqual(24 * 3_600_000)
    const strict = { prefer: 'handling=strict, return=representation' }
    expect(await invite({ email: newEmail(), first_name: '', last_name: '', projects }, strict)).toMatchObject({
      status: 200,
      headers: { 'preference-applied': 'handling=strict, return=representation' },
    })
  })

  test('mails the link, with the projects and roles, to the user', async () => {
    const named = await newProject('Toys\r\nBcc: eve@evil.test')
    const { user, link, expires_at } = await newInvitation({
      projects: { [shop.project_id]: 'USER', [named.project_id]: 'VIEWER' },
    })
    const [mail, ...more] = await mailsTo(user.email)
    expect(more).toEqual([])
    expect(mail).toMatchObject({ recipients: [user.email], subject: 'Your invitation to Guerdon' })
    expect(mail?.text).toBe(
      [
        'Hello Ann,',
        '',
        'You are invited to Guerdon, with these projects and roles:',
        '',
        '  - Test shop (USER)',
        '  - Toys Bcc: eve@evil.test (VIEWER)',
        '',
        'By this link you set your password for the dashboard:',
        '',
        link,
        '',
        `The link works once, until ${expires_at.slice(0, 10)} ${expires_at.slice(11, 16)} UTC. A newer link replaces it.`,
        'If you did not expect this invitation, you can ignore this mail.',
        '',
      ].join('\n'),
    )
  })

  test('stores the token only as a hash', async () => {
    const { user, link } = await newInvitation()
    const rows = await db().selectFrom('user_links').where('user_id', '=', user.id).selectAll().execute()
    expect(rows).toMatchObject([{ purpose: 'set_password', token_hash: hashOf(tokenIn(link)) }])
    expect(JSON.stringify(rows)).not.toContain(tokenIn(link))
  })

  test('of a known address, in whatever case, is refused and changes nothing', async () => {
    const { user } = await newInvitation()
    const email = user.email.toUpperCase()
    const projects = { [shop.project_id]: 'ADMIN' }
    for (const headers of [{}, preferReply])
      expect(await invite({ email, first_name: 'Eve', last_name: '', projects }, headers)).toMatchObject({
        status: 409,
        body: {
          key: 'duplicate_found',
          details: `Duplicated user exists with email ${email}`,
          resource_id: email,
          resource_type: 'user',
        },
      })
    expect((await shop.manage('GET', `/users/${user.id}`)).body).toEqual(user)
    expect(await mailsTo(email)).toEqual([])
  })

  test('keeps the address as it was written, and has the login in lower case, in every locale of the database', async () => {
    const name = uniqueName('X')
    const user = await newUser({ email: `ÄNNI.${name}@Shop.test` })
    expect(user).toMatchObject({ email: `ÄNNI.${name}@Shop.test`, login: `änni.${name.toLowerCase()}@shop.test` })
    for (const login of [user.login, user.email, `Änni.${name}@SHOP.test`])
      expect((await shop.manage('GET', `/users/${encodeURIComponent(login)}`)).body).toEqual(user)
    const again = { email: `änni.${name}@shop.test`, first_name: '', last_name: '' }
    expect(await invite({ ...again, projects: { [shop.project_id]: 'USER' } })).toMatchObject({ status: 409 })
  })

  test('to an unknown project or with an unknown role creates nothing', async () => {
    const email = newEmail()
    const person = { email, first_name: 'Ann', last_name: 'Lee' }
    const gone = await newProject()
    await gone.manage('DELETE', '')
    for (const projectId of ['proj_nowhere', gone.project_id])
      expect(await invite({ ...person, projects: { [shop.project_id]: 'USER', [projectId]: 'USER' } })).toMatchObject({
        status: 404,
        body: { key: 'not_found', resource_id: projectId, resource_type: 'project' },
      })
    expect(await invite({ ...person, projects: { [shop.project_id]: 'BOSS' } })).toMatchObject({
      status: 400,
      body: { key: 'used_incorrect_role', details: "The role 'BOSS' is incorrect" },
    })
    expect(await shop.manage('GET', `/users/${email}`)).toMatchObject({ status: 404 })
    expect(await mailsTo(email)).toEqual([])
  })

  test.each<[what: string, body: object, details: string]>([
    ['no e-mail', { email: undefined }, "Payload must have required property 'email'"],
    ['no first name', { first_name: undefined }, "Payload must have required property 'first_name'"],
    ['no last name', { last_name: undefined }, "Payload must have required property 'last_name'"],
    ['no projects', { projects: undefined }, "Payload must have required property 'projects'"],
    ['an empty map of projects', { projects: {} }, 'Property .projects must NOT have fewer than 1 properties'],
    [
      'too many projects',
      { projects: Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`proj_${n}`, 'USER'])) },
      'Property .projects must NOT have more than 1000 properties',
    ],
    [
      'a project id that no text can hold',
      { projects: { 'proj_\0': 'USER' } },
      'Payload contains text with the character U+0000 or half of a surrogate pair, or a number too large for a double',
    ],
    ['two addresses', { email: 'a@b.test,c@d.test' }, 'Property .email must be a valid email'],
    ['a line break in the address', { email: 'a@b.test\r\nBcc: c@d.test' }, 'Property .email must be a valid email'],
    ['a control character in the address', { email: 'a\u0007@b.test' }, 'Property .email must be a valid email'],
    ['a name with an address', { email: 'Ann <a@b.test>' }, 'Property .email must be a valid email'],
    ['no host', { email: 'ann@' }, 'Property .email must be a valid email'],
    ['a dot after the host', { email: 'ann@b.test.' }, 'Property .email must be a valid email'],
    ['a dot before the host', { email: 'ann@.b.test' }, 'Property .email must be a valid email'],
    ['two dots in the host', { email: 'ann@b..test' }, 'Property .email must be a valid email'],
    ['only a dot for the host', { email: 'ann@.' }, 'Property .email must be a valid email'],
    ['a host that no name can have', { email: 'ann@b_c!.test' }, 'Property .email must be a valid email'],
    ['a hyphen before the host', { email: 'ann@-b.test' }, 'Property .email must be a valid email'],
    [
      'a long address',
      { email: `${'a'.repeat(249)}@b.test` },
      'Property .email must NOT have more than 254 characters',
    ],
    [
      'a line break in a name',
      { first_name: 'Ann\nYour account is closed.' },
      'Property .first_name must match pattern ^[^\\p{Cc}\\p{Zl}\\p{Zp}\\p{Bidi_Control}]*$',
    ],
    [
      'a name that reverses the text after it',
      { last_name: 'Lee\u202e' },
      'Property .last_name must match pattern ^[^\\p{Cc}\\p{Zl}\\p{Zp}\\p{Bidi_Control}]*$',
    ],
    [
      'an isolated direction in a name',
      { first_name: '\u2067Ann' },
      'Property .first_name must match pattern ^[^\\p{Cc}\\p{Zl}\\p{Zp}\\p{Bidi_Control}]*$',
    ],
    ['a long name', { last_name: 'x'.repeat(256) }, 'Property .last_name must NOT have more than 255 characters'],
  ])('with %s is refused', async (_what, body, details) => {
    const person = { email: newEmail(), first_name: 'Ann', last_name: 'Lee', projects: { [shop.project_id]: 'USER' } }
    expect(await invite({ ...person, ...body })).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload', details },
    })
  })

  test('repeated with its Idempotency-Key is answered without the link, which is not stored', async () => {
    const body = { email: newEmail(), first_name: '', last_name: '', projects: { [shop.project_id]: 'USER' } }
    const key = uniqueName('key')
    const first = await invite(body, { ...preferReply, 'idempotency-key': key })
    expect(first.body.link).toContain('#token=')
    const again = await invite(body, { ...preferReply, 'idempotency-key': key })
    const { link: _, ...shown } = first.body
    expect(again).toMatchObject({ status: 200, headers: { 'idempotency-replayed': 'true' } })
    expect(again.body).toEqual(shown)
    expect(await mailsTo(body.email)).toHaveLength(1)
    const { body: stored } = await db()
      .selectFrom('idempotency_keys')
      .where('key', '=', key)
      .select('body')
      .executeTakeFirstOrThrow()
    expect(stored).not.toContain(tokenIn(first.body.link))

    const plain = { ...body, email: newEmail() }
    const plainKey = { 'idempotency-key': uniqueName('key') }
    for (const replayed of [undefined, 'true']) {
      const answer = await invite(plain, plainKey)
      expect(answer).toMatchObject({ status: 204, body: null })
      expect(answer.headers['idempotency-replayed']).toBe(replayed)
    }
  })

  test('is refused when the installation has its maximum of users', async () => {
    const full = await newInstallation()
    const { db: fullDb } = full.runtime.database
    await sql`
      insert into users (id, login, email, first_name, last_name, created_at)
      select 'user_' || n, n || '@shop.test', n || '@shop.test', '', '', now()
      from generate_series(2, ${limits.users_max}::int) as n`.execute(fullDb)
    const body = { email: 'one@more.test', first_name: '', last_name: '', projects: { [full.made.project_id]: 'USER' } }
    expect(await full.manage('POST', '/projects/users/invite', body)).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload', details: 'An installation must NOT have more than 10000 users' },
    })
  })
})

describe('a renewed invitation', () => {
  test('is mailed and shown, and ends the link before', async () => {
    const { user, link } = await newInvitation()
    advance(limits.user_link_mail_seconds)
    const renewed = await shop.manage('POST', `/users/${user.email}/invitation`)
    expect(renewed).toMatchObject({ status: 200, body: { user, link: expect.stringContaining('#token=') } })
    expect(renewed.body.link).not.toBe(link)
    const mails = await mailsTo(user.email)
    expect(mails.map(({ text }) => text.includes(renewed.body.link)).sort()).toEqual([false, true])
    expect(await takeUserLink(db(), tokenIn(link), 'set_password', now())).toBeNull()
    expect(await takeUserLink(db(), tokenIn(renewed.body.link), 'set_password', now())).toMatchObject({ id: user.id })
  })

  test('is mailed once a minute, and shown every time', async () => {
    const { user } = await newInvitation()
    const { user: other } = await newInvitation()
    const renew = async () => (await shop.manage('POST', `/users/${user.id}/invitation`)).body.link
    const links = new Set<string>()
    for (let time = 0; time < 5; time++) links.add(await renew())
    expect(links.size).toBe(5)
    expect(await mailsTo(user.email)).toHaveLength(1) // that of the invitation
    advance(limits.user_link_mail_seconds)
    const [mailed, shown] = [await renew(), await renew()]
    const texts = (await mailsTo(user.email)).map(({ text }) => text)
    expect(texts.filter((text) => text.includes(mailed))).toHaveLength(1)
    expect(texts).toHaveLength(2)
    expect(await takeUserLink(db(), tokenIn(shown), 'set_password', now())).toMatchObject({ id: user.id })
    // Other users have minutes of their own.
    await shop.manage('POST', `/users/${other.id}/invitation`)
    expect(await mailsTo(other.email)).toHaveLength(2)
  })

  test('is refused for a user who has used a link, and for one of another project', async () => {
    const { user, link } = await newInvitation()
    const stranger = await newProject()
    expect(await stranger.manage('POST', `/users/${user.id}/invitation`)).toMatchObject({
      status: 404,
      body: { details: `Cannot find user '${user.id}' assigned to the project '${stranger.project_id}'` },
    })
    await takeUserLink(db(), tokenIn(link), 'set_password', now())
    expect(await shop.manage('POST', `/users/${user.id}/invitation`)).toMatchObject({
      status: 403,
      body: { details: `User ${user.login} is not invited any more: they have set a password` },
    })
    expect(await db().selectFrom('user_links').where('user_id', '=', user.id).selectAll().execute()).toEqual([])
    expect(await mailsTo(user.email)).toHaveLength(1)
  })
})

describe('a link', () => {
  test('makes its user ACTIVE, once', async () => {
    const { user, link } = await newInvitation()
    expect(await takeUserLink(db(), tokenIn(link), 'set_password', now())).toMatchObject({
      id: user.id,
      state: 'ACTIVE',
    })
    expect((await shop.manage('GET', `/users/${user.id}`)).body).toEqual({ ...user, state: 'ACTIVE' })
    expect(await takeUserLink(db(), tokenIn(link), 'set_password', now())).toBeNull()
  })

  test('ends after 24 hours', async () => {
    const { user, link, expires_at } = await newInvitation()
    expect(await takeUserLink(db(), tokenIn(link), 'set_password', expires_at)).toBeNull()
    const before = toInstant(Date.parse(expires_at) - 1)
    expect(await takeUserLink(db(), tokenIn(link), 'set_password', before)).toMatchObject({ id: user.id })
  })

  test('serves no other purpose, and no other token opens it', async () => {
    const { user, link } = await newInvitation()
    expect(await takeUserLink(db(), tokenIn(link), 'sign_in' as 'set_password', now())).toBeNull()
    for (const token of ['', 'x'.repeat(43), `${tokenIn(link)}=`, link])
      expect(await takeUserLink(db(), token, 'set_password', now())).toBeNull()
    expect(await takeUserLink(db(), tokenIn(link), 'set_password', now())).toMatchObject({ id: user.id })
  })
})

describe('roles in a project', () => {
  test('example 23: exactly one of id and login, and a known role', async () => {
    const both = { id: 'user_x', login: 'a@b.test', role: 'USER' }
    for (const body of [both, { role: 'USER' }, { id: null, login: null, role: 'USER' }])
      expect(await shop.manage('POST', '/users', body)).toMatchObject({
        status: 400,
        body: { key: 'invalid_payload', details: "Payload must have exactly one of 'id', 'login'" },
      })
    const { id } = await newUser()
    for (const [method, path, body] of [
      ['POST', '/users', { id, role: 'BOSS' }],
      ['PUT', `/users/${id}`, { role: 'BOSS' }],
    ] as const)
      expect(await shop.manage(method, path, body)).toMatchObject({
        status: 400,
        body: { key: 'used_incorrect_role', details: "The role 'BOSS' is incorrect" },
      })
    for (const [method, path] of [
      ['POST', '/users'],
      ['PUT', `/users/${id}`],
    ] as const)
      expect(await shop.manage(method, path, { login: 'a@b.test' })).toMatchObject({
        status: 400,
        body: { details: "Payload must have required property 'role'" },
      })
  })

  test('are assigned by id or login, replaced and removed; the user remains', async () => {
    const user = await newUser()
    const other = await newProject()
    const first = await other.manage('POST', '/users', { id: user.id, role: 'VIEWER' })
    expect(first.body).toEqual({ ...user, projects: { ...user.projects, [other.project_id]: 'VIEWER' } })
    const second = await other.manage('POST', '/users', { login: user.login.toUpperCase(), role: 'MERCHANT' })
    expect(second.body.projects).toEqual({ [shop.project_id]: 'USER', [other.project_id]: 'MERCHANT' })
    const third = await other.manage('PUT', `/users/${user.login}`, { role: 'USER_RESTRICTED' })
    expect(third.body.projects[other.project_id]).toBe('USER_RESTRICTED')
    expect((await other.manage('GET', `/users/${user.id}`)).body).toEqual(third.body)

    expect(await other.manage('DELETE', `/users/${user.id}`)).toMatchObject({ status: 204, body: null })
    expect((await shop.manage('GET', `/users/${user.id}`)).body).toEqual(user)
    expect(await shop.manage('DELETE', `/users/${user.login}`)).toMatchObject({ status: 204 })
    expect(await shop.manage('POST', '/users', { id: user.id, role: 'USER' })).toMatchObject({
      status: 200,
      body: user,
    })
  })

  test('of a user who is unknown or not assigned are refused as documented', async () => {
    const user = await newUser()
    const other = await newProject()
    for (const unknown of ['user_unknown', 'nobody@shop.test']) {
      expect(await other.manage('GET', `/users/${unknown}`)).toMatchObject({
        status: 404,
        body: {
          key: 'not_found',
          details: `Cannot find user '${unknown}' assigned to the project '${other.project_id}'`,
          resource_id: unknown,
          resource_type: 'user',
        },
      })
      for (const [method, path, body] of [
        ['POST', '/users', { [unknown.includes('@') ? 'login' : 'id']: unknown, role: 'USER' }],
        ['PUT', `/users/${unknown}`, { role: 'USER' }],
        ['DELETE', `/users/${unknown}`],
      ] as const)
        expect(await other.manage(method, path, body)).toMatchObject({
          status: 404,
          body: { key: 'not_found', resource_id: unknown, resource_type: 'user' },
        })
    }
    expect(await other.manage('GET', `/users/${user.id}`)).toMatchObject({ status: 404 })
    for (const [method, body] of [['PUT', { role: 'USER' }], ['DELETE']] as const)
      expect(await other.manage(method, `/users/${user.id}`, body)).toMatchObject({
        status: 400,
        body: {
          key: 'user_not_assigned',
          message: 'User is not assigned',
          details: 'User is not assigned to the project',
        },
      })
    expect(await other.manage('GET', '/users/%00')).toMatchObject({ status: 404 })
  })

  test('are listed up to a bound where no page is asked for, with the number of all', async () => {
    const other = await newProject()
    const email = uniqueName('many')
    await sql`
      with made as (
        insert into users (id, login, email, first_name, last_name, created_at)
        select ${email} || n, ${email} || n, ${email} || n, '', '', now()
        from generate_series(1, ${limits.users_listed_max}::int) as n returning id)
      insert into project_users (project_id, user_id, role) select ${other.project_id}, id, 'USER' from made`.execute(
      db(),
    )
    const { data, total } = (await other.manage('GET', '/users')).body
    expect([data.length, total]).toEqual([limits.users_listed_max, limits.users_listed_max + 1]) // and the owner
    expect((await other.manage('GET', '/users?limit=100&page=11')).body.data).toHaveLength(1)
    await sql`delete from users where starts_with(id, ${email})`.execute(db())
  })

  test('are listed oldest first, all at once or in pages', async () => {
    const other = await newProject()
    const invited: unknown[] = (await other.manage('GET', '/users')).body.data // the owner
    for (let n = 1; n < 12; n += 1) invited.push(await newUser({ projects: { [other.project_id]: 'USER' } }))
    const list = (query: string) => other.manage('GET', `/users${query}`)
    expect((await list('')).body).toEqual({ object: 'list', data_ref: 'data', data: invited, total: 12 })
    expect((await list('?limit=5&page=2')).body).toMatchObject({ data: invited.slice(5, 10), total: 12 })
    expect((await list('?limit=5')).body.data).toEqual(invited.slice(0, 5))
    expect((await list('?page=2')).body.data).toEqual(invited.slice(10))
    expect((await list('?page=3')).body).toMatchObject({ data: [], total: 12 })
    for (const query of ['?limit=0', '?limit=101', '?page=0', '?page=101'])
      expect(await list(query)).toMatchObject({ status: 400, body: { key: 'invalid_query_params' } })
  })

  test('end with their project; its users remain', async () => {
    const other = await newProject()
    const user = await newUser({ projects: { [shop.project_id]: 'USER', [other.project_id]: 'ADMIN' } })
    const lone = await newUser({ projects: { [other.project_id]: 'ADMIN' } })
    expect(await other.manage('DELETE', '')).toMatchObject({ status: 204 })
    expect((await shop.manage('GET', `/users/${user.id}`)).body.projects).toEqual({ [shop.project_id]: 'USER' })
    expect(await shop.manage('POST', '/users', { id: lone.id, role: 'USER' })).toMatchObject({
      status: 200,
      body: { projects: { [shop.project_id]: 'USER' } },
    })
  })
})

describe('an owner', () => {
  test('is INVITED after the first start, and ADMIN of every project, which no request changes', async () => {
    const { project_id: projectId } = installation.made
    const users = `/projects/${projectId}/users`
    const list = await installation.manage('GET', users)
    const [owner] = list.body.data
    expect(owner).toMatchObject({
      login: 'owner@localhost',
      projects: { [projectId]: 'ADMIN', [shop.project_id]: 'ADMIN' },
      is_owner: true,
      state: 'INVITED',
    })
    for (const [method, path, body] of [
      ['POST', users, { id: owner.id, role: 'VIEWER' }],
      ['PUT', `${users}/${owner.id}`, { role: 'VIEWER' }],
      ['DELETE', `${users}/${owner.id}`],
    ] as const)
      expect(await installation.manage(method, path, body)).toMatchObject({
        status: 403,
        body: {
          key: 'forbidden',
          details: 'User owner@localhost is an owner, and an owner is ADMIN of every project',
        },
      })
    // Nor does one get the link by which whoever has it becomes the owner.
    const linksBefore = await db().selectFrom('user_links').where('user_id', '=', owner.id).selectAll().execute() // that of the first start
    for (const name of [owner.id, 'owner@localhost', 'OWNER@localhost'])
      expect(await installation.manage('POST', `${users}/${name}/invitation`)).toMatchObject({
        status: 403,
        body: {
          key: 'forbidden',
          details: 'User owner@localhost is an owner: only the command line makes their links (guerdon users reset)',
        },
      })
    expect(await db().selectFrom('user_links').where('user_id', '=', owner.id).selectAll().execute()).toEqual(
      linksBefore,
    )
    expect(await mailsTo('owner@localhost')).toEqual([])
    expect(await installation.manage('PUT', `${users}/${owner.id}`, { role: 'ADMIN' })).toMatchObject({ status: 200 })
    expect((await installation.manage('GET', users)).body).toEqual(list.body)
  })
})
