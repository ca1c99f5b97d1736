import { beforeAll, describe, expect, test } from 'vitest'
import { inTransaction } from '../../core/db/transaction.ts'
import { toInstant } from '../../core/lib/instant.ts'
import { send, uniqueName } from '../../testing/app.ts'
import { type Installation, newInstallation } from '../../testing/installation.ts'
import { backendOf, untilOthersWait } from '../../testing/lock-waits.ts'
import { newUserLink, takeUserLink } from './link.ts'
import { assignToAllProjects, findUser, insertUser, lockUsers, makeOwner } from './store.ts'

let installation: Installation
beforeAll(async () => {
  installation = await newInstallation()
})

const manage: Installation['manage'] = (...call) => installation.manage(...call)
const db = () => installation.runtime.database.db
const usersPath = () => `/projects/${installation.made.project_id}/users`
const now = () => toInstant(Date.now())
const times = <T>(count: number, work: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)))

const invite = (email: string) =>
  manage('POST', '/projects/users/invite', {
    email,
    first_name: '',
    last_name: '',
    projects: { [installation.made.project_id]: 'USER' },
  })

async function newUser() {
  const email = `${uniqueName('ann')}@shop.test`
  expect((await invite(email)).status).toBe(204)
  return (await manage('GET', `${usersPath()}/${email}`)).body
}

test('of twenty concurrent invitations of one address, in any case, one succeeds and one mail is queued', async () => {
  const email = `${uniqueName('ann')}@shop.test`
  const answers = await times(20, (n) => invite(n % 2 === 0 ? email : email.toUpperCase()))
  expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array(19).fill(409)])
  for (const { body } of answers) if (body !== null) expect(body).toMatchObject({ key: 'duplicate_found' })
  const { data } = (await manage('GET', usersPath())).body
  expect(data.filter((user: { email: string }) => user.email.toLowerCase() === email.toLowerCase())).toHaveLength(1)
  const mails = await db().selectFrom('mails').select('recipients').execute()
  expect(mails.filter(({ recipients }) => recipients.some((to) => to.toLowerCase() === email))).toHaveLength(1)
})

test('concurrent changes and removals of a role leave one of the requested states', async () => {
  const user = await newUser()
  const path = `${usersPath()}/${user.id}`
  const roles = ['ADMIN', 'USER', 'VIEWER', 'MERCHANT']
  const answers = await times(20, (n) =>
    n === 7 ? manage('DELETE', path) : manage('PUT', path, { role: roles[n % roles.length] }),
  )
  expect(answers[7]?.status).toBe(204)
  const changes = answers.filter((_, n) => n !== 7)
  for (const { status, body } of changes)
    if (status !== 200) expect({ status, key: body.key }).toEqual({ status: 400, key: 'user_not_assigned' })
  expect(await manage('GET', path)).toMatchObject({ status: 404 })
  await times(20, (n) => manage('POST', usersPath(), { id: user.id, role: roles[n % roles.length] }))
  const { projects } = (await manage('GET', path)).body
  expect(roles).toContain(projects[installation.made.project_id])
})

test('of twenty concurrent uses of a link, one succeeds', async () => {
  const user = await newUser()
  const { link } = await newUserLink({ db: db(), now: now(), settings: installation.runtime.settings }, user.id)
  const token = link.slice(link.indexOf('#token=') + 7)
  const taken = await times(20, () => takeUserLink(db(), token, 'set_password', now()))
  expect(taken.filter((each) => each !== null)).toMatchObject([{ id: user.id, state: 'ACTIVE' }])
})

test('of twenty concurrent renewals, all show a link and one mails it', async () => {
  const user = await newUser()
  const mails = async () =>
    (await db().selectFrom('mails').select('recipients').execute()).filter(({ recipients }) =>
      recipients.includes(user.email),
    ).length
  const before = await mails()
  await db().updateTable('user_links').set({ mailed_at: null }).where('user_id', '=', user.id).execute()
  const answers = await times(20, () => manage('POST', `${usersPath()}/${user.id}/invitation`))
  expect(new Set(answers.map(({ body }) => body.link)).size).toBe(20)
  expect(await mails()).toBe(before + 1)
})

test('a link that is used while it is renewed ends in an active user without a link, or in a new link alone', async () => {
  for (let round = 0; round < 10; round += 1) {
    const user = await newUser()
    const path = `${usersPath()}/${user.id}/invitation`
    const { link } = (await manage('POST', path)).body
    const token = link.slice(link.indexOf('#token=') + 7)
    const [taken, renewed] = await Promise.all([takeUserLink(db(), token, 'set_password', now()), manage('POST', path)])
    expect([taken !== null, renewed.status]).toEqual(renewed.status === 200 ? [false, 200] : [true, 403])
    const links = await db().selectFrom('user_links').where('user_id', '=', user.id).selectAll().execute()
    expect(links).toHaveLength(renewed.status === 200 ? 1 : 0)
  }
})

test('a user who gets a role has no link that somebody else made meanwhile', async () => {
  const [user, maker] = [await newUser(), await newUser()]
  await db().deleteFrom('user_links').where('user_id', '=', user.id).execute()
  await db().deleteFrom('project_users').where('user_id', '=', maker.id).execute()
  let assigning: ReturnType<typeof manage> | undefined
  // As a request does by which the ADMIN of another project renews an invitation: it locks the user, then makes the link.
  await inTransaction(db(), async (trx) => {
    await findUser(trx, { id: user.id }, { lock: true })
    assigning = manage('POST', usersPath(), { id: user.id, role: 'ADMIN' })
    await Promise.race([untilOthersWait(installation.runtime.database, await backendOf(trx)), assigning])
    const caller = { channel: 'MANAGEMENT', api_key: null, role: 'ADMIN', user: { id: maker.id, email: '' } } as const
    await newUserLink({ db: trx, now: now(), settings: installation.runtime.settings, caller }, user.id)
  })
  expect((await assigning)?.status).toBe(200)
  expect(await db().selectFrom('user_links').where('user_id', '=', user.id).selectAll().execute()).toEqual([])
})

describe('owners', () => {
  test('have no link that was made while they became one', async () => {
    const user = await newUser()
    await db().deleteFrom('user_links').where('user_id', '=', user.id).execute()
    let becoming: Promise<void> | undefined
    // As a request does that renews an invitation: it locks the user, then makes the link.
    await inTransaction(db(), async (trx) => {
      await findUser(trx, { id: user.id }, { lock: true })
      becoming = inTransaction(db(), async (other) => {
        await lockUsers(other)
        await makeOwner(other, user.id)
      })
      await untilOthersWait(installation.runtime.database, await backendOf(trx))
      await newUserLink({ db: trx, now: now(), settings: installation.runtime.settings }, user.id)
    })
    await becoming
    expect(await db().selectFrom('user_links').where('user_id', '=', user.id).selectAll().execute()).toEqual([])
    expect(await manage('POST', `${usersPath()}/${user.id}/invitation`)).toMatchObject({ status: 403 })
    await db().deleteFrom('users').where('id', '=', user.id).execute()
  })

  test('who appear while projects are created are ADMIN of all of them', async () => {
    const project = { name: 'New', timezone: 'UTC', currency: 'EUR', case_sensitive_codes: true }
    const [created] = await Promise.all([
      times(8, () => manage('POST', '/projects', project)),
      times(8, (n) =>
        inTransaction(db(), async (trx) => {
          const names = { first_name: '', last_name: '', is_owner: true, created_at: now() }
          const owner = await insertUser(trx, { email: `${uniqueName(`owner${n}`)}@shop.test`, ...names })
          await assignToAllProjects(trx, owner?.id as string)
        }),
      ),
    ])
    expect(created.map(({ status }) => status)).toEqual(Array(8).fill(200))
    const { data } = (await manage('GET', usersPath())).body
    const owners = data.filter((user: { is_owner: boolean }) => user.is_owner)
    expect(owners).toHaveLength(9)
    const { total } = (await manage('GET', '/projects')).body
    for (const { projects } of owners) expect(Object.values(projects)).toEqual(Array(total).fill('ADMIN'))
  })
})

test('a user who is deleted while they are assigned is either assigned before or not found', async () => {
  for (let round = 0; round < 10; round += 1) {
    const user = await newUser()
    const path = `/management/v1${usersPath()}`
    const pair = {
      'x-management-id': installation.made.management.id,
      'x-management-token': installation.made.management.token,
    }
    const [answers] = await Promise.all([
      times(4, () => send(installation.app, 'POST', path, { id: user.id, role: 'VIEWER' }, pair)),
      inTransaction(db(), async (trx) => {
        await lockUsers(trx)
        await trx.deleteFrom('users').where('id', '=', user.id).execute()
      }),
    ])
    for (const { status } of answers) expect([200, 404]).toContain(status)
    expect(await db().selectFrom('project_users').where('user_id', '=', user.id).selectAll().execute()).toEqual([])
  }
})
