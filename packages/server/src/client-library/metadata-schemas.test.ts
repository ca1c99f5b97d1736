import { expect, test } from 'vitest'
import { clientOf } from './client.ts'

const client = clientOf('metadata-schemas')

test('schemas are listed, and read by their object type', async () => {
  const { library, shop } = await client()
  const properties = { color: { type: 'string', optional: false, array: false, eq: ['red', 'blue'] } }
  const body = { related_object: 'voucher', allow_defined_only: true, properties }
  const { status } = await shop.call('POST', '/v1/metadata-schemas', body) // the library has no method for this
  expect(status).toBe(200)

  const schema = await library.metadataSchemas.get('voucher')
  expect(schema).toMatchObject({ related_object: 'voucher', allow_defined_only: true, object: 'metadata_schema' })
  expect(schema.properties.color).toMatchObject({ type: 'string', optional: false, eq: ['red', 'blue'] })
  const list = await library.metadataSchemas.list()
  expect(list).toMatchObject({ object: 'list', data_ref: 'schemas', total: list.schemas.length })
  expect(list.schemas).toContainEqual(schema)
})

test('every method of these objects was called', async () => (await client()).expectAllMethodsCalled())
