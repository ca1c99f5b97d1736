import { beforeAll, describe, expect, test } from 'vitest'
import { type Answer, newProject, type Shop, send, uniqueName } from '../../testing/app.ts'
import { newSignedInUser, type TestUser } from '../../testing/sessions.ts'

/* What the ADMIN of one project, who is no owner, may do to users by a session. */

let mine: Shop
let other: Shop
let admin: TestUser
beforeAll(async () => {
  mine = await newProject()
  other = await newProject()
  admin = await newSignedInUser(mine.service.runtime, { [mine.project_id]: 'ADMIN', [other.project_id]: 'USER' })
})

const call = (method: string, path: string, body?: unknown) =>
  send(mine.service.app, method, `/management/v1/projects${path}`, body, {
    ...admin.headers,
    prefer: 'return=representation',
    // biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
  }) as Promise<Answer<any>>
const invite = (projects: Record<string, string>) =>
  call('POST', '/users/invite', { email: `${uniqueName('bob')}@shop.test`, first_name: '', last_name: '', projects })
const denied = { status: 403, body: { key: 'missing_required_permission' } }

/** Whether a link still works. */
async function works(link: string): Promise<boolean> {
  const token = link.slice(link.indexOf('#token=') + '#token='.length)
  return (await send(mine.service.app, 'POST', '/auth/password/link', { token })).status === 200
}

describe('the ADMIN of a project', () => {
  test('invites to it, and to no project of others', async () => {
    const invited = await invite({ [mine.project_id]: 'VIEWER' })
    expect(invited.status).toBe(200)
    expect(await works(invited.body.link)).toBe(true)
    expect(await invite({ [other.project_id]: 'VIEWER' })).toMatchObject(denied)
    expect(await invite({ [mine.project_id]: 'VIEWER', [other.project_id]: 'ADMIN' })).toMatchObject(denied)
    expect(await invite({ proj_nothing: 'VIEWER' })).toMatchObject(denied)
  })

  test('sees the roles of users in it only', async () => {
    const both = await newSignedInUser(mine.service.runtime, {
      [mine.project_id]: 'USER',
      [other.project_id]: 'ADMIN',
    })
    const seen = await call('GET', `/${mine.project_id}/users/${both.id}`)
    expect(seen.body.projects).toEqual({ [mine.project_id]: 'USER' })
    expect((await mine.manage('GET', `/users/${both.id}`)).body.projects).toHaveProperty(other.project_id)
  })

  test('learns of no user of others, and ends no invitation of theirs', async () => {
    const foreign = await newSignedInUser(mine.service.runtime, { [other.project_id]: 'USER' })
    const theirs = await newSignedInUser(mine.service.runtime, { [other.project_id]: 'ADMIN' })
    const invitation = (await send(
      mine.service.app,
      'POST',
      '/management/v1/projects/users/invite',
      {
        email: `${uniqueName('eve')}@shop.test`,
        first_name: 'Eve',
        last_name: '',
        projects: { [other.project_id]: 'USER' },
      },
      { ...theirs.headers, prefer: 'return=representation' },
    )) as Answer<{ user: { id: string; login: string }; link: string }>
    const unknown = 'nobody@shop.test'
    const answerOf = async (method: string, path: string, name: string, body?: object) => {
      const { status, body: answer } = await call(method, path, body)
      const { request_id: _, ...rest } = answer
      return { status, text: JSON.stringify(rest).replaceAll(name, 'NAME') }
    }
    const users = `/${mine.project_id}/users`
    for (const name of [foreign.id, foreign.email, invitation.body.user.id, invitation.body.user.login])
      for (const [method, pathOf, bodyOf] of [
        ['POST', () => users, (who: string) => ({ [who.includes('@') ? 'login' : 'id']: who, role: 'USER' })],
        ['GET', (who: string) => `${users}/${who}`, () => undefined],
        ['PUT', (who: string) => `${users}/${who}`, () => ({ role: 'USER' })],
        ['DELETE', (who: string) => `${users}/${who}`, () => undefined],
        ['POST', (who: string) => `${users}/${who}/invitation`, () => undefined],
      ] as Array<[string, (who: string) => string, (who: string) => object | undefined]>) {
        const answer = await answerOf(method, pathOf(name), name, bodyOf(name))
        expect(answer.status).toBe(404)
        expect(answer).toEqual(await answerOf(method, pathOf(unknown), unknown, bodyOf(unknown)))
      }
    expect(await works(invitation.body.link)).toBe(true)
    expect((await mine.manage('POST', '/users', { login: foreign.email, role: 'USER' })).status).toBe(200)
    expect((await call('PUT', `${users}/${foreign.id}`, { role: 'VIEWER' })).status).toBe(200)
  })

  test('gets no link of an invited user who has a role elsewhere', async () => {
    const { body } = await invite({ [mine.project_id]: 'VIEWER' })
    const renew = () => call('POST', `/${mine.project_id}/users/${body.user.id}/invitation`)
    const renewed = await renew()
    expect(renewed.status).toBe(200)
    // The role elsewhere ends the link that the ADMIN has seen, and the refused renewal makes no other.
    await other.manage('POST', '/users', { id: body.user.id, role: 'ADMIN' })
    expect(await works(renewed.body.link)).toBe(false)
    expect(await renew()).toMatchObject(denied)
    const { db } = mine.service.runtime.database
    expect(await db.selectFrom('user_links').where('user_id', '=', body.user.id).select('user_id').execute()).toEqual(
      [],
    )
  })

  test('loses the link of an invited user whom a new project gets, unless they are ADMIN of it too', async () => {
    const create = (users: object[]) =>
      send(
        mine.service.app,
        'POST',
        '/management/v1/projects',
        { name: 'New', timezone: 'UTC', currency: 'EUR', case_sensitive_codes: true, users },
        mine.management,
      )
    const { body } = await invite({ [mine.project_id]: 'VIEWER' })
    const invited = { id: body.user.id, role: 'USER' }
    expect((await create([invited, { id: admin.id, role: 'ADMIN' }])).status).toBe(200)
    expect(await works(body.link)).toBe(true)
    expect((await create([invited])).status).toBe(200)
    expect(await works(body.link)).toBe(false)
  })
})
