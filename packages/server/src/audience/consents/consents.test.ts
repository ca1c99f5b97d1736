import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { limits } from '../../core/lib/limits.ts'
import { newProject, type Shop } from '../../testing/app.ts'
import { ok } from '../../testing/orders.ts'

// docs/reference/consents.md

async function shopWithConsents(...names: string[]) {
  const shop = await newProject()
  const ids: string[] = []
  for (const name of names) ids.push((await shop.manage('POST', '/consents', { name })).body.id)
  await ok(shop, 'POST', '/v1/customers', { source_id: 'ann' })
  return { shop, ids }
}

const decide = (shop: Shop, body: unknown, customer = 'ann') =>
  shop.call('PUT', `/v1/customers/${customer}/consents`, body)

const given = async (shop: Shop, customer = 'ann'): Promise<boolean[]> =>
  (await ok(shop, 'GET', `/v1/customers/${customer}/consents`)).data.map((each: { given: boolean }) => each.given)

describe('the consents of a project', () => {
  test('are none at first, then those that the operator created, with their groups', async () => {
    const shop = await newProject()
    const none = { object: 'list', data_ref: 'data', data: [], total: 0 }
    expect(await ok(shop, 'GET', '/v1/consents')).toEqual({ groups: none, consents: none })

    const created = await shop.manage('POST', '/consents', { name: 'Newsletter', category: 'MARKETING' })
    expect(created).toMatchObject({
      status: 200,
      body: {
        id: expect.stringMatching(/^cnst_/),
        name: 'Newsletter',
        description: '',
        category: 'MARKETING',
        updated_at: null,
        object: 'consent',
      },
    })
    const { id } = created.body
    const group = await shop.manage('POST', '/consent-groups', { name: 'Advertising', consents: [id, id] })
    expect(group.body).toMatchObject({ id: expect.stringMatching(/^cnstgr_/), consents: [id], object: 'consent_group' })
    const { groups, consents } = await ok(shop, 'GET', '/v1/consents')
    expect([groups.data, consents.data]).toEqual([[group.body], [created.body]])
    expect((await shop.manage('GET', '/consents')).body.data).toEqual([created.body])
    expect((await shop.manage('GET', '/consent-groups')).body.data).toEqual([group.body])
  })

  test('are updated member by member, and deleted out of their groups', async () => {
    const { shop, ids } = await shopWithConsents('Newsletter', 'Calls')
    const [first, second] = ids as [string, string]
    expect((await shop.manage('PUT', `/consents/${first}`, { description: 'Monthly' })).body).toMatchObject({
      name: 'Newsletter',
      description: 'Monthly',
      updated_at: expect.any(String),
    })
    expect(await shop.manage('PUT', `/consents/${first}`, { name: 'Calls' })).toMatchObject({ status: 409 })
    const { body: group } = await shop.manage('POST', '/consent-groups', { name: 'All', consents: ids })
    expect((await shop.manage('PUT', `/consent-groups/${group.id}`, { description: 'x' })).body).toMatchObject({
      consents: ids,
      description: 'x',
    })
    expect((await shop.manage('DELETE', `/consents/${first}`)).status).toBe(204)
    expect((await shop.manage('GET', '/consent-groups')).body.data).toMatchObject([{ consents: [second] }])
    expect(await shop.manage('PUT', `/consent-groups/${group.id}`, { consents: [first] })).toMatchObject({
      status: 404,
      body: { resource_type: 'consent', resource_id: first },
    })
    expect((await shop.manage('DELETE', `/consent-groups/${group.id}`)).status).toBe(204)
    expect((await ok(shop, 'GET', '/v1/consents')).consents.total).toBe(1)
    for (const [method, body] of [['PUT', { name: 'Again' }], ['DELETE']] as const)
      expect(await shop.manage(method, `/consents/${first}`, body)).toMatchObject({ status: 404 })
    expect(await shop.manage('POST', '/consents', { name: 'Calls' })).toMatchObject({ status: 409 })
    const again = await shop.manage('POST', '/consents', { name: 'Newsletter' }) // the name is free again
    expect(again).toMatchObject({ status: 200, body: { id: expect.not.stringContaining(first) } })
  })

  test('are no more than a page can show', async () => {
    const { shop } = await shopWithConsents(...Array.from({ length: limits.consents_max }, (_, n) => `Consent ${n}`))
    expect(await shop.manage('POST', '/consents', { name: 'One more' })).toMatchObject({
      status: 400,
      body: { details: 'Project must NOT have more than 100 consents' },
    })
    const [{ id }] = (await shop.manage('GET', '/consents')).body.data
    await shop.manage('DELETE', `/consents/${id}`) // a deleted one does not count
    expect(await shop.manage('POST', '/consents', { name: 'One more' })).toMatchObject({ status: 200 })
  })

  test('are of one project', async () => {
    const { shop, ids } = await shopWithConsents('Newsletter')
    const other = await shopWithConsents()
    expect(await decide(other.shop, { [ids[0] as string]: true })).toMatchObject({ status: 404 })
    expect((await other.shop.manage('DELETE', `/consents/${ids[0]}`)).status).toBe(404)
    expect((await ok(shop, 'GET', '/v1/consents')).consents.total).toBe(1)
  })
})

describe('the decisions of a customer', () => {
  test('are stored consent by consent, with when and through which key', async () => {
    const { shop, ids } = await shopWithConsents('Newsletter', 'Calls', 'Parcels')
    const [newsletter, calls] = ids as [string, string]
    const answer = await decide(shop, { [newsletter]: true, [calls]: true })
    expect([answer.status, answer.body]).toEqual([204, null])
    shop.service.clock.advance(60_000)
    await decide(shop, { [newsletter]: false })
    expect(await given(shop)).toEqual([false, true, false])
    const { data, total } = await ok(shop, 'GET', '/v1/customers/ann/consents')
    expect(total).toBe(3)
    const proof = {
      channel: 'API',
      app_id: shop.app_id,
      request_id: expect.stringMatching(/^v-/),
      is_proven: true,
      name: 'Newsletter',
      description: '',
    }
    expect(data[0]).toEqual({
      id: newsletter,
      name: 'Newsletter',
      given: false,
      decisions: [
        { given: false, decided_at: expect.any(String), ...proof },
        { given: true, decided_at: expect.any(String), ...proof },
      ],
      deleted_at: null,
      object: 'customer_consent',
    })
    const [latest, before] = data[0].decisions
    expect(Date.parse(latest.decided_at) - Date.parse(before.decided_at)).toBeGreaterThanOrEqual(60_000)
  })

  test('that repeat the state prove nothing new', async () => {
    const { shop, ids } = await shopWithConsents('Newsletter')
    for (let time = 0; time < 3; time++) await decide(shop, { [ids[0] as string]: true })
    expect((await ok(shop, 'GET', '/v1/customers/ann/consents')).data[0].decisions).toHaveLength(1)
  })

  test('are kept up to a bound, the first and the newest', async () => {
    const { shop, ids } = await shopWithConsents('Newsletter', 'Calls')
    const [newsletter, calls] = ids as [string, string]
    await decide(shop, { [calls]: true })
    const first = await decide(shop, { [newsletter]: true })
    for (let time = 1; time < limits.consent_decisions_max + 3; time++)
      await decide(shop, { [newsletter]: time % 2 === 0 })
    const { data } = await ok(shop, 'GET', '/v1/customers/ann/consents')
    expect(data.map((each: { decisions: unknown[] }) => each.decisions.length)).toEqual([20, 1])
    expect(data[0].given).toBe(true) // the 23rd
    const changes: Array<{ given: boolean; request_id: string }> = data[0].decisions
    expect(changes.at(-1)?.request_id).toBe(first.headers['x-request-id'])
    // The 23rd down to the 5th, which alternate, and the first.
    expect(changes.map((each) => each.given)).toEqual([...Array.from({ length: 19 }, (_, n) => n % 2 === 0), true])
  })

  test('show the text about which the customer decided, whatever it is now', async () => {
    const shop = await newProject()
    await ok(shop, 'POST', '/v1/customers', { source_id: 'ann' })
    const { id } = (await shop.manage('POST', '/consents', { name: 'Mail', description: 'Monthly' })).body
    const change = (body: object) => shop.manage('PUT', `/consents/${id}`, body)
    await decide(shop, { [id]: true })
    await change({ description: 'Daily, and your address goes to our partners' })
    await change({ category: 'MARKETING' }) // no new text
    await decide(shop, { [id]: false })
    await change({ name: 'All mail' })
    const { data } = await ok(shop, 'GET', '/v1/customers/ann/consents')
    expect(data).toMatchObject([
      {
        name: 'All mail',
        decisions: [
          { given: false, name: 'Mail', description: 'Daily, and your address goes to our partners' },
          { given: true, name: 'Mail', description: 'Monthly' },
        ],
      },
    ])
    const { rows } = await sql`select number from consent_texts where consent_id = ${id} order by number`.execute(
      shop.service.runtime.database.db,
    )
    expect(rows).toEqual([{ number: 1 }, { number: 2 }, { number: 3 }])
  })

  test('about a deleted consent are shown when asked for, and no new ones are taken', async () => {
    const { shop, ids } = await shopWithConsents('Newsletter', 'Calls', 'Parcels')
    const [newsletter, calls, parcels] = ids as [string, string, string]
    await decide(shop, { [newsletter]: true, [calls]: true })
    for (const id of [newsletter, parcels]) await shop.manage('DELETE', `/consents/${id}`)
    const list = (query: string) => ok(shop, 'GET', `/v1/customers/ann/consents${query}`)
    for (const query of ['', '?include_deleted=false'])
      expect(await list(query)).toMatchObject({ total: 1, data: [{ id: calls, deleted_at: null }] })
    // Not `parcels`, about which nothing was decided.
    expect(await list('?include_deleted=true')).toMatchObject({
      total: 2,
      data: [
        {
          id: newsletter,
          name: 'Newsletter',
          given: true,
          deleted_at: expect.any(String),
          decisions: [{ given: true, name: 'Newsletter', app_id: shop.app_id }],
        },
        { id: calls, deleted_at: null },
      ],
    })
    expect(await decide(shop, { [newsletter]: false })).toMatchObject({
      status: 404,
      body: { resource_type: 'consent', resource_id: newsletter },
    })
    await decide(shop, { unsubscribed: true })
    const { data } = await list('?include_deleted=true')
    expect(data.map((each: { given: boolean }) => each.given)).toEqual([true, false])
    expect(await shop.call('GET', '/v1/customers/ann/consents?include_deleted=2')).toMatchObject({ status: 400 })
  })

  test('unsubscribed says no to every consent, whatever else is sent', async () => {
    const { shop, ids } = await shopWithConsents('Newsletter', 'Calls')
    const [newsletter, calls] = ids as [string, string]
    await decide(shop, { [newsletter]: true, [calls]: true })
    expect((await decide(shop, { unsubscribed: true, [calls]: true })).status).toBe(204)
    expect(await given(shop)).toEqual([false, false])
    // Also where nothing was decided yet: the customer has now said no.
    await ok(shop, 'POST', '/v1/customers', { source_id: 'bob' })
    await decide(shop, { unsubscribed: true }, 'bob')
    const { data } = await ok(shop, 'GET', '/v1/customers/bob/consents')
    expect(data).toMatchObject([{ decisions: [{ given: false }] }, { decisions: [{ given: false }] }])
  })

  test.each([
    ['nothing', {}, 400, { key: 'invalid_payload', details: 'The payload cannot be empty' }],
    ['a word', { cnst_1: 'yes' }, 400, { key: 'invalid_payload', details: 'Property .cnst_1 must be boolean' }],
    ['unsubscribed false', { unsubscribed: false }, 400, { details: 'Property .unsubscribed must be true' }],
    ['an unknown consent', { cnst_1: true }, 404, { resource_type: 'consent', resource_id: 'cnst_1' }],
  ])('%s is refused, and nothing is stored', async (_, body, status, error) => {
    const { shop, ids } = await shopWithConsents('Newsletter')
    const sent = status === 404 ? { [ids[0] as string]: true, ...body } : body
    expect(await decide(shop, sent)).toMatchObject({ status, body: error })
    expect(await given(shop)).toEqual([false])
  })

  test('of an unknown customer are refused', async () => {
    const { shop, ids } = await shopWithConsents('Newsletter')
    expect(await decide(shop, { [ids[0] as string]: true }, 'nobody')).toMatchObject({
      status: 404,
      body: { resource_type: 'customer' },
    })
  })

  test('are erased with the customer', async () => {
    const { shop, ids } = await shopWithConsents('Newsletter')
    await decide(shop, { [ids[0] as string]: true })
    await ok(shop, 'POST', '/v1/customers/ann/permanent-deletion')
    const rows = await shop.service.runtime.database.db
      .selectFrom('consent_decisions')
      .where('project_id', '=', shop.project_id)
      .selectAll()
      .execute()
    expect(rows).toEqual([])
  })
})
