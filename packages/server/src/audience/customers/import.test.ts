import { describe, expect, test } from 'vitest'
import { newProject, type Shop } from '../../testing/app.ts'
import { runAsyncActions } from '../../testing/background.ts'
import { updateCustomerMetadata, updateCustomers } from './bulk.ts'
import { importCustomers } from './import.ts'

/** Uploads a CSV file, runs the import and returns the result of its async action. */
async function importCsv(shop: Shop, csv: string) {
  const boundary = 'fence'
  const body = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\n${csv}\r\n--${boundary}--\r\n`
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
  const { status, body: started } = await shop.call('POST', '/v1/customers/importCSV', body, headers)
  expect(status, JSON.stringify(started)).toBe(202)
  return run(shop, started.async_action_id)
}

async function run(shop: Shop, id: string) {
  await runAsyncActions(shop.service.runtime, shop.project_id, [
    importCustomers,
    updateCustomers,
    updateCustomerMetadata,
  ])
  return (await shop.call('GET', `/v1/async-actions/${id}`)).body
}

const read = async (shop: Shop, key: string) => (await shop.call('GET', `/v1/customers/${key}`)).body

describe('CSV', () => {
  test('headers match in any letter case; every unknown column is metadata', async () => {
    const shop = await newProject()
    const action = await importCsv(
      shop,
      'NAME,Email,phone,Birthdate,Source_ID,Address_line_1,ADDRESS_LINE_2,Address_Postal_Code,address_city,Address_State,Address_Country,Description,Shoe size\r\n' +
        'Ann,a@x,+1,1990-03-01,u1,L1,L2,PC,City,State,PL,"Likes ""tea"",\nmuch",38\r\n' +
        'Bo,,,,,,,,,,,,\r\n',
    )
    expect(action).toMatchObject({
      status: 'DONE',
      operation_status: 'SUCCESS',
      progress: 100,
      result: { message: '2 customer(s) imported successfully, 0 failed.', failed: [], done_count: 2, failed_count: 0 },
    })
    expect(await read(shop, 'u1')).toMatchObject({
      name: 'Ann',
      email: 'a@x',
      phone: '+1',
      birthdate: '1990-03-01',
      address: { line_1: 'L1', line_2: 'L2', postal_code: 'PC', city: 'City', state: 'State', country: 'PL' },
      description: 'Likes "tea",\nmuch',
      metadata: { 'Shoe size': '38' },
    })
    const { body } = await shop.call('GET', '/v1/customers?name=bo')
    expect(body).toMatchObject({ total: 1, customers: [{ source_id: null, address: null }] })
    const activity = await shop.call('GET', '/v1/customers/u1/activity')
    expect(activity.body.data.map(({ type }: { type: string }) => type)).toEqual(['customer.created'])
  })

  test('a row overwrites the whole profile, found by id or source id, and emits no customer.updated event', async () => {
    const shop = await newProject()
    const bySource = { source_id: 'u1', name: 'Old', phone: '1', birthday: '1990-01-01', metadata: { a: 1, b: 2 } }
    await shop.call('POST', '/v1/customers', { ...bySource, address: { city: 'Rome' } })
    const { id } = (await shop.call('POST', '/v1/customers', { source_id: 'u2', name: 'Old' })).body
    await importCsv(shop, `Id,Source_id,Name,b\n,u1,New,3\n${id},ignored,Newer,\n`)
    const { body } = await shop.call('GET', '/v1/customers?order=source_id')
    expect(body).toMatchObject({
      total: 2,
      customers: [
        { source_id: 'u1', name: 'New', address: null, metadata: { b: '3' } },
        { source_id: 'u2', id, name: 'Newer' },
      ],
    })
    expect(body.customers[0].phone).toBeUndefined()
    expect(body.customers[0].birthday).toBeUndefined()
    expect((await shop.call('GET', '/v1/customers/u1/activity?type=customer.updated')).body.data).toEqual([])
  })

  test('invalid rows are reported by number and do not stop the import; of two rows for one customer the last one wins', async () => {
    const shop = await newProject()
    const action = await importCsv(
      shop,
      [
        'Source_id,Name,Birthdate,Id',
        'a,First,,',
        'b,B,yesterday,',
        'c,C,1990-13-01,',
        `d,${'x'.repeat(256)},,`,
        'e,E,,cust_none',
        'f,F',
        'a,Second,,',
        'g,G,1990-01-01,',
      ].join('\n'),
    )
    expect(action).toMatchObject({
      status: 'DONE',
      operation_status: 'FAILED',
      result: {
        message: '3 customer(s) imported successfully, 5 failed.',
        done_count: 3,
        failed_count: 5,
        failed: [
          { row: 2, source_id: 'b', reason: expect.stringContaining('birthdate') },
          { row: 3, source_id: 'c', reason: expect.stringContaining('birthdate') },
          { row: 4, source_id: 'd', reason: expect.stringContaining('255') },
          { row: 5, source_id: 'e', reason: 'Cannot find customer with id cust_none' },
          { row: 6, reason: expect.any(String) },
        ],
      },
    })
    const { body } = await shop.call('GET', '/v1/customers?order=source_id')
    expect(body.customers.map(({ name }: { name: string }) => name)).toEqual(['Second', 'G'])
  })

  test('cells are parsed by the types of the metadata schema', async () => {
    const shop = await newProject()
    const optional = { array: false, optional: true }
    await shop.manage('POST', '/metadata-schemas', {
      related_object: 'customer',
      properties: {
        size: { type: 'number', ...optional },
        loyal: { type: 'boolean', ...optional },
        stores: { type: 'string', array: true, optional: true },
        lang: { type: 'string', array: false, optional: false },
      },
    })
    const action = await importCsv(
      shop,
      'Source_id,size,loyal,stores,lang\na,38.5,true,"S1,S2",pl\nb,big,,,pl\nc,,false,,\nd,,null,,en',
    )
    expect(action.result).toMatchObject({ done_count: 2, failed_count: 2 })
    expect(action.result.failed).toMatchObject([
      { row: 2, source_id: 'b', reason: expect.stringContaining('size: must be a number') },
      { row: 3, source_id: 'c', reason: expect.stringContaining('lang: must be a string, property is required') },
    ])
    expect((await read(shop, 'a')).metadata).toEqual({ size: 38.5, loyal: true, stores: ['S1', 'S2'], lang: 'pl' })
    expect((await read(shop, 'd')).metadata).toEqual({ loyal: null, lang: 'en' })
  })

  test('a request without a file is refused', async () => {
    const shop = await newProject()
    const headers = { 'content-type': 'multipart/form-data; boundary=x' }
    expect(await shop.call('POST', '/v1/customers/importCSV', '--x--\r\n', headers)).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload', details: `Payload should have required property 'file'` },
    })
  })
})

describe('bulk', () => {
  test('sent fields are merged into each customer, unknown customers are created, and the report tells them apart', async () => {
    const shop = await newProject()
    await shop.call('POST', '/v1/customers', { source_id: 'a', name: 'Ann', metadata: { x: 1 } })
    const sent = [
      { source_id: 'a', metadata: { y: 2 } },
      { source_id: 'b', name: 'Bo' },
    ]
    const { status, body } = await shop.call('POST', '/v1/customers/bulk/async', sent)
    expect(status).toBe(202)
    const action = await run(shop, body.async_action_id)
    expect(action).toMatchObject({
      type: 'CUSTOMERS.BULK_UPDATE',
      status: 'DONE',
      result: { done_count: 2, failed_count: 0, errors: [], reports: [expect.any(String)] },
    })
    expect(await read(shop, 'a')).toMatchObject({ name: 'Ann', metadata: { x: 1, y: 2 } })
    expect((await shop.call('GET', '/v1/customers/a/activity')).body.data).toHaveLength(1)
    const report = await shop.service.app.inject({ url: new URL(action.result.reports[0]).pathname })
    expect(report.body).toBe('source_id,found,updated,message\na,true,true,\nb,false,true,\n')
  })

  test('metadata is merged into every listed customer, new ones included; metadata refused by the schema is reported as an error', async () => {
    const shop = await newProject()
    await shop.call('POST', '/v1/customers', { source_id: 'a', metadata: { x: 1, z: 1 } })
    const update = async (metadata: object) => {
      const { body } = await shop.call('POST', '/v1/customers/metadata/async', { source_ids: ['a', 'b'], metadata })
      return run(shop, body.async_action_id)
    }
    expect(await update({ x: 2 })).toMatchObject({ type: 'CUSTOMERS.METADATA_UPDATE', result: { done_count: 2 } })
    expect([(await read(shop, 'a')).metadata, (await read(shop, 'b')).metadata]).toEqual([{ x: 2, z: 1 }, { x: 2 }])
    await shop.manage('POST', '/metadata-schemas', {
      related_object: 'customer',
      properties: { x: { type: 'string', array: false, optional: true } },
    })
    const { result } = await update({ x: 3 })
    expect(result).toMatchObject({ done_count: 0, failed_count: 2 })
    expect(result.errors[0]).toEqual({
      message: 'Metadata validation failed',
      details: `x: must be a string (actual value is '3')`,
      key: 'metadata_validation_failed',
    })
  })

  test.each([
    ['/v1/customers/bulk/async', [{ name: 'no source id' }]],
    ['/v1/customers/metadata/async', { source_ids: ['a'] }],
    ['/v1/customers/metadata/async', { metadata: {} }],
  ])('%s with %j is refused', async (path, body) => {
    const shop = await newProject()
    expect(await shop.call('POST', path, body)).toMatchObject({ status: 400, body: { key: 'invalid_payload' } })
  })
})
