import { expect, test } from 'vitest'
import { type Client, clientOf, openLibrary } from './client.ts'

const client = clientOf(null)

/** One error of each family: the call, and the error that the library throws. */
const families: Array<[family: string, call: (client: Client) => Promise<unknown>, refusal: object]> = [
  [
    'an invalid body',
    ({ library }) => library.categories.create({ name: 'Summer' } as never),
    {
      code: 400,
      key: 'invalid_payload',
      message: 'Invalid payload',
      details: "Payload should have required property 'hierarchy'",
    },
  ],
  [
    'an invalid query',
    ({ library }) => library.vouchers.list({ limit: 1_000 }),
    {
      code: 400,
      key: 'invalid_query_params',
      message: 'Invalid query params',
      details: 'Property .limit must be <= 100',
    },
  ],
  [
    'wrong keys',
    ({ shop, address }) => openLibrary({ ...shop, app_token: 'wrong' }, address).vouchers.list(),
    { code: 401, key: 'unauthorized', message: 'Unauthorized' },
  ],
  [
    'a client-side operation that is disabled',
    ({ library }) => library.clientSide.redeem('CODE', { customer: { source_id: 'ann' } }),
    {
      code: 403,
      key: 'forbidden',
      message: 'Forbidden',
      details: 'Client-side operation is disabled: client_redeem_enabled',
    },
  ],
  [
    'an object that does not exist',
    ({ library }) => library.vouchers.get('NO/SUCH'),
    {
      code: 404,
      key: 'not_found',
      message: 'Resource not found',
      details: 'Cannot find voucher with id NO/SUCH',
      resource_id: 'NO/SUCH',
      resource_type: 'voucher',
    },
  ],
  [
    'an object that exists already',
    async ({ library }) => {
      await library.categories.create({ name: 'Twice', hierarchy: 0 })
      await library.categories.create({ name: 'Twice', hierarchy: 0 })
    },
    {
      code: 409,
      key: 'duplicate_found',
      message: 'Duplicated resource found',
      details: 'Duplicated category exists with name Twice',
      resource_id: 'Twice',
      resource_type: 'category',
    },
  ],
  [
    'an object that is in use',
    async ({ library, shop }) => {
      const { id } = await library.categories.create({ name: 'Needed', hierarchy: 0 })
      await shop.manage('POST', '/stacking-rules', { exclusive_categories: [id] }) // the library has no method for this
      await library.categories.delete(id)
    },
    {
      code: 400,
      key: 'resource_in_use',
      message: 'Resource in use',
      details: expect.stringContaining(' is in use by stacking_rules with ids ['),
      resource_type: 'category',
      related_object_type: 'stacking_rules',
      related_object_total: 1,
      related_object_ids: [expect.any(String)],
    },
  ],
  [
    'a redemption that fails',
    async ({ library }) => {
      const gift = { amount: 100, balance: 100 }
      await library.vouchers.create({
        code: 'OLD',
        type: 'GIFT_VOUCHER',
        gift,
        expiration_date: '2020-01-01T00:00:00Z',
      })
      await library.redemptions.redeem('OLD', { order: { amount: 100 } })
    },
    { code: 400, key: 'voucher_expired', message: 'voucher expired', details: 'OLD', resource_type: 'redemption' },
  ],
]

test.each(families)('the library reports %s', async (_family, call, refusal) => {
  const failure = await call(await client()).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(Error)
  const requestId = expect.stringMatching(/^v-/)
  expect(failure).toMatchObject({ details: undefined, cause: undefined, request_id: requestId, ...refusal })
})

test('with exposeErrorCause the library error carries the HTTP response', async () => {
  const { shop, address } = await client()
  const { vouchers } = openLibrary(shop, address, { exposeErrorCause: true })
  await expect(vouchers.get('NONE')).rejects.toMatchObject({ code: 404, cause: { response: { status: 404 } } })
})

test('the options of the library are accepted: version, channel, headers and a timeout', async () => {
  const { shop, address } = await client()
  const more = { apiVersion: 'v2018-08-01', channel: 'Till', customHeaders: { 'DEBUG-HEADER': 'x' }, timeoutMs: 20_000 }
  const { vouchers } = openLibrary(shop, address, more)
  expect(await vouchers.list()).toMatchObject({ object: 'list', data_ref: 'vouchers' })
})
