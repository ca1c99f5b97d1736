import { expect, test } from 'vitest'
import { findProject } from '../../core/db/project.ts'
import type { Project } from '../../core/db/project-row.ts'
import { newProject, type Shop, send } from '../../testing/app.ts'
import { asRequest } from '../../testing/background.ts'
import type { Notification } from './kinds.ts'
import { raiseNotification } from './raise.ts'

const failed = (webhookId: string): Notification => ({
  kind: 'webhook_failed',
  severity: 'WARNING',
  message: `The webhook ${webhookId} could not be delivered`,
  data: { webhook_id: webhookId, target_url: 'https://shop.test/hook' },
})
const disabled = (webhookId: string): Notification => ({
  kind: 'webhook_disabled',
  severity: 'ERROR',
  message: `The webhook ${webhookId} was switched off`,
  data: { webhook_id: webhookId },
})

async function raise({ service: { runtime }, project_id }: Shop, notification: Notification): Promise<void> {
  const project = (await findProject(runtime.database.db, project_id)) as Project
  await asRequest(runtime, project, (ctx) => raiseNotification(ctx, notification))
}

const list = async (shop: Shop, query = '') => (await shop.manage('GET', `/notifications${query}`)).body

/** Mails that wait for the project, newest last; no workers run here. */
async function mailsOf({ service: { runtime }, project_id }: Shop) {
  return runtime.database.db
    .selectFrom('mails')
    .where('text', 'like', `%(${project_id})%`)
    .orderBy('id')
    .select(['recipients', 'subject', 'text'])
    .execute()
}

const callouts = (setting: object) => ({
  webhooks_callout_notifications: { webhooks: { email: true, in_app: true, emails: ['ann@shop.test'], ...setting } },
})

test('a notification is stored, listed newest first, and marked as read', async () => {
  const shop = await newProject()
  await raise(shop, failed('wh_1'))
  await raise(shop, disabled('wh_1'))
  const { data, ...more } = await list(shop)
  expect(more).toEqual({ object: 'list', data_ref: 'data', has_more: false })
  expect(data).toMatchObject([
    { kind: 'webhook_disabled', severity: 'ERROR', read: false, data: { webhook_id: 'wh_1' } },
    { kind: 'webhook_failed', severity: 'WARNING', read: false },
  ])
  expect(data[0]).toEqual({
    id: expect.stringMatching(/^ntf_[0-9A-Za-z]{24}$/),
    created_at: expect.stringMatching(/^\d{4}-.*Z$/),
    kind: 'webhook_disabled',
    severity: 'ERROR',
    message: 'The webhook wh_1 was switched off',
    data: { webhook_id: 'wh_1' },
    read: false,
    object: 'notification',
  })
  const read = await shop.manage('PUT', `/notifications/${data[0].id}`, { read: true })
  expect(read).toMatchObject({ status: 200, body: { ...data[0], read: true } })
  expect((await list(shop, '?read=false')).data).toEqual([data[1]])
  expect((await list(shop, '?read=true')).data).toEqual([{ ...data[0], read: true }])
  expect((await shop.manage('PUT', `/notifications/${data[0].id}`, { read: false })).body.read).toBe(false)
})

test('the list continues after a cursor', async () => {
  const shop = await newProject()
  for (const id of ['wh_1', 'wh_2', 'wh_3']) await raise(shop, disabled(id))
  const first = await list(shop, '?limit=2')
  expect(first).toMatchObject({ has_more: true, more_starting_after: first.data[1].id })
  const rest = await list(shop, `?limit=2&starting_after_id=${first.more_starting_after}`)
  expect(rest).not.toHaveProperty('more_starting_after')
  expect([...first.data, ...rest.data].map(({ data }: { data: { webhook_id: string } }) => data.webhook_id)).toEqual([
    'wh_3',
    'wh_2',
    'wh_1',
  ])
  expect(await shop.manage('GET', '/notifications?starting_after_id=ntf_none')).toMatchObject({
    status: 400,
    body: { key: 'invalid_query_params' },
  })
})

test('a notification takes management credentials and belongs to its project', async () => {
  const [shop, other] = [await newProject(), await newProject()]
  await raise(shop, disabled('wh_1'))
  const [{ id }] = (await list(shop)).data
  const path = `/management/v1/projects/${shop.project_id}/notifications`
  expect((await send(shop.service.app, 'GET', path, undefined, shop.headers)).status).toBe(401)
  expect((await list(other)).data).toEqual([])
  expect(await other.manage('PUT', `/notifications/${id}`, { read: true })).toMatchObject({
    status: 404,
    body: { resource_type: 'notification', resource_id: id },
  })
  for (const body of [{}, { read: 'yes' }, { read: null }])
    expect(await shop.manage('PUT', `/notifications/${id}`, body)).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload' },
    })
  expect((await list(shop)).data[0].read).toBe(false)
})

test('a webhook that fails is told of once in an hour, each webhook for itself; a disabled one every time', async () => {
  const shop = await newProject({ project: callouts({}) })
  const { clock } = shop.service
  clock.set('2026-03-01T10:59:00.000Z')
  await raise(shop, failed('wh_1'))
  await raise(shop, failed('wh_2'))
  clock.set('2026-03-01T11:58:59.000Z') // another hour by the clock, and less than an hour later
  await raise(shop, failed('wh_1'))
  await raise(shop, disabled('wh_1'))
  await raise(shop, disabled('wh_1'))
  clock.set('2026-03-01T11:59:01.000Z')
  await raise(shop, failed('wh_1'))
  await raise(shop, failed('wh_1'))
  const kinds = (await list(shop)).data.map(
    ({ kind, created_at, data }: { kind: string; created_at: string; data: { webhook_id: string } }) =>
      `${created_at.slice(11, 16)} ${kind} ${data.webhook_id}`,
  )
  expect(kinds.reverse().sort()).toEqual([
    '10:59 webhook_failed wh_1',
    '10:59 webhook_failed wh_2',
    '11:58 webhook_disabled wh_1',
    '11:58 webhook_disabled wh_1',
    '11:59 webhook_failed wh_1',
  ])
  expect(await mailsOf(shop)).toHaveLength(5)
})

test.each([
  ['email and in_app', {}, 1, 1],
  ['email: false', { email: false }, 1, 0],
  ['in_app: false', { in_app: false }, 0, 1],
  ['no addresses', { emails: [] }, 1, 0],
  ['neither', { email: false, in_app: false }, 0, 0],
] as const)('callouts with %s', async (_, setting, stored, mailed) => {
  const shop = await newProject({ project: callouts(setting) })
  await raise(shop, failed('wh_1'))
  expect([(await list(shop)).data.length, (await mailsOf(shop)).length]).toEqual([stored, mailed])
})

test('what is switched off is not counted as raised', async () => {
  const shop = await newProject({ project: callouts({ email: false, in_app: false }) })
  await raise(shop, failed('wh_1'))
  await shop.manage('PUT', '', callouts({}))
  await raise(shop, failed('wh_1'))
  expect((await list(shop)).data).toHaveLength(1)
})

test('the mail says what happened, where, and what to do', async () => {
  const shop = await newProject({
    env: { BASE_URL: 'https://api.shop.example' },
    project: { ...callouts({ emails: ['ann@shop.test', 'bob@shop.test'] }), name: 'Shop\r\nBcc: spy@evil.test' },
  })
  await raise(shop, disabled('wh_1'))
  const [mail] = await mailsOf(shop)
  expect(mail?.recipients).toEqual(['ann@shop.test', 'bob@shop.test'])
  expect(mail?.subject).toBe('Shop Bcc: spy@evil.test: a webhook was switched off')
  expect(mail?.text).toContain('The webhook wh_1 was switched off')
  const base = `https://api.shop.example/management/v1/projects/${shop.project_id}`
  expect(mail?.text).toContain(`PUT ${base}/webhooks/wh_1 {"active": true}`)
  expect(mail?.text).toContain(`GET ${base}/webhook-sendouts?webhook_id=wh_1&status=FAILED`)
})

test('a notification of a transaction that rolls back does not exist, and the next one is raised', async () => {
  const shop = await newProject({ project: callouts({}) })
  const { runtime } = shop.service
  const project = (await findProject(runtime.database.db, shop.project_id)) as Project
  const undone = asRequest(runtime, project, async (ctx) => {
    await raiseNotification(ctx, failed('wh_1'))
    throw new Error('no')
  })
  await expect(undone).rejects.toThrow('no')
  expect([(await list(shop)).data.length, (await mailsOf(shop)).length]).toEqual([0, 0])
  await raise(shop, failed('wh_1'))
  expect([(await list(shop)).data.length, (await mailsOf(shop)).length]).toEqual([1, 1])
})

test.each(['ann', 'ann@shop.test\r\nBcc: spy@evil.test', 'ann @shop.test', `${'a'.repeat(250)}@b.test`])(
  'a project does not take %j as an address for mails',
  async (address) => {
    const shop = await newProject()
    const setting = { enabled: true, value: 80, in_app: true, emails: [address] }
    expect(await shop.manage('PUT', '', callouts({ emails: [address] }))).toMatchObject({ status: 400 })
    expect(await shop.manage('PUT', '', { api_usage_notifications: { api_calls: setting } })).toMatchObject({
      status: 400,
    })
  },
)
