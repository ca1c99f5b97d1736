import type { CustomerObject } from '@voucherify/sdk'
import { expect, test, vi } from 'vitest'
import { updateCustomerMetadata, updateCustomers } from '../audience/customers/bulk.ts'
import { importCustomers } from '../audience/customers/import.ts'
import { clientOf } from './client.ts'
import { csvFile } from './csv-file.ts'

const client = clientOf('customers')

test('a customer is created, read, changed and deleted', async () => {
  const { customers } = (await client()).library
  const made = await customers.create({
    source_id: 'ann@shop.example',
    name: 'Ann',
    email: 'ann@shop.example',
    birthdate: '1990-02-03',
    address: { city: 'Kraków', country: 'Poland' },
    metadata: { newsletter: true },
  })
  expect(made).toMatchObject({
    id: expect.stringMatching(/^cust_/),
    source_id: 'ann@shop.example',
    address: { city: 'Kraków', country: 'Poland' },
    summary: { orders: { total_count: 0 } },
    metadata: { newsletter: true },
    object: 'customer',
  })
  const { id } = made as { id: string }
  expect(await customers.get('ann@shop.example')).toMatchObject(made)

  expect(await customers.update({ id, name: 'Anna', metadata: { vip: true } })).toMatchObject({
    id,
    name: 'Anna',
    metadata: { newsletter: true, vip: true },
  })
  const moved = await customers.update({ source_id: 'ann@shop.example', address: { city: 'Berlin' } })
  expect(moved).toMatchObject({ id, name: 'Anna', address: { city: 'Berlin', country: 'Poland' } })

  await customers.delete('ann@shop.example')
  await expect(customers.get(id)).rejects.toMatchObject({ code: 404, resource_type: 'customer' })
})

test('a customer is permanently deleted', async () => {
  const { customers } = (await client()).library
  await customers.create({ source_id: 'forget-me', name: 'Zoe' })
  expect(await customers.deletePermanently('forget-me')).toMatchObject({
    id: expect.stringMatching(/^del_/),
    status: 'DONE',
  })
  await expect(customers.get('forget-me')).rejects.toMatchObject({ code: 404 })
})

test('customers are listed, and scrolled page by page', async () => {
  const { customers } = (await client()).library
  const names = Array.from({ length: 7 }, (_, index) => `scroll-${index}`)
  for (const sourceId of names) {
    await customers.create({ source_id: sourceId, address: { city: 'Gdynia' } })
    // The library scrolls by time, and so passes over customers of one millisecond.
    const answered = Date.now()
    await vi.waitUntil(() => Date.now() > answered, { interval: 1 })
  }

  const list = await customers.list({ city: 'Gdynia', limit: 2, page: 2, order: 'created_at' })
  expect(list).toMatchObject({ object: 'list', data_ref: 'customers', total: 7 })
  expect(list.customers.map(({ source_id }) => source_id)).toEqual(['scroll-2', 'scroll-3'])
  const later = await customers.list({ city: 'Gdynia', starting_after: new Date('2020-01-01'), order: 'created_at' })
  expect(later.customers).toHaveLength(7)

  const scrolled = async (order?: 'created_at' | '-created_at') => {
    const pages = customers.scroll({ city: 'Gdynia', limit: 3, ...(order && { order }) })
    const seen: unknown[] = []
    for await (const { source_id } of pages as AsyncIterable<CustomerObject>) seen.push(source_id)
    return seen
  }
  expect(await scrolled('created_at')).toEqual(names)
  expect(await scrolled('-created_at')).toEqual(names.toReversed())
  expect(await scrolled()).toEqual(names.toReversed())
})

test('customers are updated in bulk, and imported from a file', async () => {
  const { library, work } = await client()
  const { customers, asyncActions } = library
  await customers.create({ source_id: 'bulk-1', name: 'Before', metadata: { a: 1 } })
  const started = [
    await customers.updateInBulk([
      { source_id: 'bulk-1', name: 'After', metadata: { b: 2 } },
      { source_id: 'bulk-2', name: 'New' },
    ]),
    await customers.updateMetadataInBulk({ source_ids: ['bulk-1', 'bulk-2'], metadata: { c: 3 } }),
    await customers.importCSV(csvFile('Name,Email,Source_id,color', 'Filip,filip@shop.example,file-1,red')),
  ]
  await work(updateCustomers, updateCustomerMetadata, importCustomers)
  for (const { async_action_id } of started)
    expect(await asyncActions.get(async_action_id)).toMatchObject({ status: 'DONE', result: { failed_count: 0 } })
  expect(await customers.get('bulk-1')).toMatchObject({ name: 'After', metadata: { a: 1, b: 2, c: 3 } })
  expect(await customers.get('bulk-2')).toMatchObject({ name: 'New', metadata: { c: 3 } })
  expect(await customers.get('file-1')).toMatchObject({ email: 'filip@shop.example', metadata: { color: 'red' } })
})

test('the activity and the redeemables of a customer can be read', async () => {
  const { customers, vouchers, distributions } = (await client()).library
  await vouchers.create({ code: 'WALLET', type: 'GIFT_VOUCHER', gift: { amount: 100, balance: 100 } })
  await distributions.publications.create({ voucher: 'WALLET', customer: { source_id: 'holder', name: 'Hal' } })
  const customer = (await customers.get('holder')) as { id: string }

  const activity = await customers.listActivity('holder', { limit: 20, order: 'created_at' })
  expect(activity).toMatchObject({ object: 'list', data_ref: 'data', has_more: false })
  const types = activity.data.map(({ type }) => type)
  expect(types).toEqual(expect.arrayContaining(['customer.created', 'customer.publication.succeeded']))
  const published = await customers.listActivity('holder', { type: 'customer.publication.succeeded' })
  expect(published.data).toMatchObject([{ data: { publication: { voucher: { code: 'WALLET' } } } }])

  const activities = await customers.listActivities(customer.id, { limit: 20 })
  expect(activities).toMatchObject({ object: 'list', data_ref: 'data', total: types.length })

  expect(await customers.listRedeemables('holder', { limit: 5, order: '-id' })).toMatchObject({
    object: 'list',
    data_ref: 'data',
    has_more: false,
    data: [
      {
        customer_id: customer.id,
        holder_role: 'OWNER',
        redeemable_object: 'voucher',
        voucher_type: 'GIFT_VOUCHER',
        redeemable: { type: 'voucher', status: 'ACTIVE', voucher: { code: 'WALLET', gift: { balance: 100 } } },
      },
    ],
  })
})

test('what a customer agreed to is stored consent by consent', async () => {
  const { library, shop } = await client()
  const { consents, customers } = library
  const { id } = (await shop.manage('POST', '/consents', { name: 'Newsletter', category: 'MARKETING' })).body
  expect(await consents.list()).toMatchObject({
    consents: { object: 'list', total: 1, data_ref: 'data', data: [{ id, category: 'MARKETING', object: 'consent' }] },
    groups: { object: 'list', total: 0, data_ref: 'data', data: [] },
  })
  await customers.create({ source_id: 'consenting' })
  await customers.updateConsents('consenting', { [id]: true })
  const { body } = await shop.call('GET', '/v1/customers/consenting/consents') // the library has no method for this
  expect(body.data).toMatchObject([{ id, given: true }])
  await customers.updateConsents('consenting', { unsubscribed: true })
})

test('every method of these objects was called', async () => (await client()).expectAllMethodsCalled())
