import { Resolver } from 'node:dns/promises'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { webhookTypes } from '../core/events/catalogue.ts'
import { operations } from '../operations.ts'
import { newClock, newProject, newProjectOn, type Shop } from '../testing/app.ts'
import { openNode, ownDatabase } from '../testing/nodes.ts'
import { newWebhook } from '../testing/webhooks.ts'

// A service that allows private targets looks up no names.
const newShop = (): Promise<Shop> => newProject({ env: { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' } })

const url = 'https://shop.test/hooks'
const events = ['redemption.succeeded', 'voucher.created']

describe('webhooks', () => {
  test('are created, listed oldest first, read, changed and deleted', async () => {
    const shop = await newShop()
    expect((await shop.manage('GET', '/webhooks')).body).toEqual({
      object: 'list',
      data_ref: 'data',
      data: [],
      total: 0,
    })
    const first = await newWebhook(shop, url, events)
    expect(first).toEqual({
      id: expect.stringMatching(/^wh_[0-9A-Za-z]{24}$/),
      object: 'webhook',
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      target_url: url,
      events,
      active: true,
    })
    const second = await newWebhook(shop, `${url}/2`, ['campaign.created'], { active: false })
    expect(second.active).toBe(false)
    expect((await shop.manage('GET', '/webhooks')).body).toMatchObject({ data: [first, second], total: 2 })
    expect((await shop.manage('GET', `/webhooks/${first.id}`)).body).toEqual(first)

    const renamed = await shop.manage('PUT', `/webhooks/${first.id}`, { target_url: `${url}/new` })
    expect(renamed.body).toEqual({ ...first, target_url: `${url}/new` })
    const replaced = await shop.manage('PUT', `/webhooks/${first.id}`, { events: ['voucher.deleted'], active: false })
    expect(replaced.body).toEqual({ ...renamed.body, events: ['voucher.deleted'], active: false })
    expect((await shop.manage('PUT', `/webhooks/${first.id}`, {})).body).toEqual(replaced.body)

    expect(await shop.manage('DELETE', `/webhooks/${first.id}`)).toMatchObject({ status: 204, body: null })
    expect((await shop.manage('GET', '/webhooks')).body).toMatchObject({ data: [second], total: 1 })
    expect(await shop.manage('DELETE', `/webhooks/${first.id}`)).toMatchObject({ status: 404 })
  })

  test('of another project are not found', async () => {
    const shop = await newShop()
    const other = await newShop()
    const { id } = await newWebhook(other, url, events)
    const notFound = {
      status: 404,
      body: { key: 'not_found', details: `Cannot find webhook with id ${id}`, resource_type: 'webhook' },
    }
    expect(await shop.manage('GET', `/webhooks/${id}`)).toMatchObject(notFound)
    expect(await shop.manage('PUT', `/webhooks/${id}`, { active: false })).toMatchObject(notFound)
    expect(await shop.manage('DELETE', `/webhooks/${id}`)).toMatchObject(notFound)
    expect(await shop.manage('POST', `/webhooks/${id}/test`, { type: 'voucher.created' })).toMatchObject(notFound)
    expect((await other.manage('GET', `/webhooks/${id}`)).body).toMatchObject({ active: true })
  })

  test('may ask for every type that can be sent, and for four of them by their misspelt names', async () => {
    const shop = await newShop()
    expect((await newWebhook(shop, url, [...webhookTypes])).events).toEqual(webhookTypes)
    const misspelt = [
      'campaign.vouchers.aded',
      'voucher.gift.balance_aded',
      'voucher.loyalty_card.points_aded',
      'voucher.loyalty_card.pending_points.aded',
      'voucher.gift.balance_added',
    ]
    expect((await newWebhook(shop, url, misspelt)).events).toEqual([
      'campaign.vouchers.added',
      'voucher.gift.balance_added',
      'voucher.loyalty_card.points_added',
      'voucher.loyalty_card.pending_points.added',
    ])
  })

  test.each([
    [{}, "Payload must have required property 'target_url'"],
    [{ target_url: url }, "Payload must have required property 'events'"],
    [{ target_url: url, events: [] }, 'Property .events must NOT have fewer than 1 items'],
    [
      { target_url: url, events: ['voucher.created', 'customer.segment.entered'] },
      expect.stringMatching(
        /^Property \.events\[1\] must be equal to one of the allowed values \[ redemption\.succeeded, /,
      ),
    ],
    [{ target_url: url, events: ['voucher.created', 'voucher.created'] }, expect.stringContaining('.events must NOT')],
    [
      { target_url: url, events: Array.from({ length: 200 }, () => 'voucher.created') },
      expect.stringMatching(/^Property \.events must NOT have more than \d+ items$/),
    ],
    [{ target_url: 'shop.test/hooks', events }, 'Property .target_url must be a valid URL'],
    [{ target_url: 'ftp://shop.test', events }, 'Property .target_url must be a valid URL'],
    [
      { target_url: `${url}/${'x'.repeat(2_048)}`, events },
      'Property .target_url must NOT have more than 2048 characters',
    ],
    [{ target_url: url, events, active: 'yes' }, 'Property .active must be boolean'],
  ])('%j is refused', async (body, details) => {
    const shop = await newShop()
    expect(await shop.manage('POST', '/webhooks', body)).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload', details },
    })
    const { id } = await newWebhook(shop, url, events)
    if (Object.keys(body).length > 1)
      expect(await shop.manage('PUT', `/webhooks/${id}`, body)).toMatchObject({ status: 400, body: { details } })
  })

  test('with a private target are refused, also when an address is changed to one', async () => {
    const shop = await newProject()
    const refusal = { status: 400, body: { key: 'invalid_payload', details: expect.stringContaining('.target_url') } }
    const body = { target_url: 'http://169.254.169.254/latest', events }
    expect(await shop.manage('POST', '/webhooks', body)).toMatchObject(refusal)
    const { id } = await newWebhook(shop, 'https://192.0.1.1/', events) // a public address: no name to look up
    expect(await shop.manage('PUT', `/webhooks/${id}`, { target_url: 'http://[::1]/' })).toMatchObject(refusal)
  })

  test('hold no transaction and no other request while a name server lets them wait', async () => {
    const { database } = await ownDatabase()
    const only = operations.filter(({ path }) => path.startsWith('/management/v1/projects/{projectId}/webhooks'))
    const shop = await newProjectOn({ ...(await openNode(database, { only })), clock: newClock() })
    const { id } = await newWebhook(shop, 'https://192.0.1.1/', events)
    const six = vi.spyOn(Resolver.prototype, 'resolve6').mockRejectedValue(new Error('ENODATA'))
    const four = vi.spyOn(Resolver.prototype, 'resolve4')
    onTestFinished(() => {
      four.mockRestore()
      six.mockRestore()
    })
    const body = { target_url: 'https://slow.example/', events }
    for (const save of [
      () => shop.manage('POST', '/webhooks', body),
      () => shop.manage('PUT', `/webhooks/${id}`, body),
    ]) {
      /** The name server answers when another request has been answered. After 2 s nobody waits for it any more. */
      const trySave = async () => {
        const trial = { open: [] as unknown[], done: [] as string[] }
        four.mockImplementation(async () => {
          const { rows } = await sql`
            select from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'
          `.execute(database.db)
          trial.open.push(...rows)
          const another = await shop.manage('POST', '/webhooks', { target_url: 'https://192.0.1.1/', events })
          expect(another.status).toBe(200)
          trial.done.push('another')
          return ['192.0.1.1']
        })
        expect(await save()).toMatchObject({ status: 200, body: { target_url: body.target_url } })
        trial.done.push('saved')
        return trial
      }
      let trial = await trySave()
      // A busy machine may need more than the 2 s.
      for (let tries = 1; tries < 5 && trial.done[0] !== 'another'; tries += 1) trial = await trySave()
      expect(trial).toEqual({ open: [], done: ['another', 'saved'] })
    }
  })

  test('are at most 50 in a project, however many are created at once', async () => {
    const shop = await newShop()
    const answers = await Promise.all(
      Array.from({ length: 55 }, () => shop.manage('POST', '/webhooks', { target_url: url, events })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(50)
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(5)
    expect(answers.find(({ status }) => status === 400)?.body).toMatchObject({
      key: 'invalid_payload',
      details: 'A project must NOT have more than 50 webhooks',
    })
    expect((await shop.manage('GET', '/webhooks')).body).toMatchObject({ total: 50 })
  })
})
