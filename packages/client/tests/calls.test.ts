import { beforeAll, expect, test } from 'vitest'
import { createGuerdon, GuerdonError, unwrap } from '../src/index.ts'
import { createGuerdonSession } from '../src/session.ts'
import { notSet, type OpenShop, openShop } from './open-shop.ts'

let open: OpenShop
beforeAll(async () => {
  open = await openShop()
})

const tenPercent = { type: 'DISCOUNT_VOUCHER', discount: { type: 'PERCENT', percent_off: 10 } } as const

test('a shop creates a code, redeems it and rolls it back', async () => {
  const { guerdon } = open
  const created = await guerdon.createVoucherWithCode({ code: 'SUMMER 10%/+' }, tenPercent)
  expect(created).toMatchObject({ ok: true, status: 200, requestId: expect.stringMatching(/^v-/) })

  const redeemed = unwrap(
    await guerdon.redeem({ redeemables: [{ object: 'voucher', id: 'SUMMER 10%/+' }], order: { amount: 5_000 } }),
  )
  expect(redeemed.order?.total_amount).toBe(4_500)
  const [redemption] = redeemed.redemptions
  const rolledBack = await guerdon.rollBackRedemption(
    { redemptionId: redemption?.id as string },
    {},
    { query: { reason: 'returned' } },
  )
  expect(unwrap(rolledBack)).toMatchObject({ result: 'SUCCESS', reason: 'returned' })
  // The code has a slash, a space and signs that a URL reserves.
  expect(unwrap(await guerdon.getVoucher({ code: 'SUMMER 10%/+' })).redemption?.redeemed_quantity).toBe(0)
})

test.each(['..', '.', '', undefined, null])(
  'a parameter that URLs resolve, or that is missing (%j), does not turn a call into another one',
  async (given) => {
    const skuId = given as string
    const { guerdon } = open
    const { id: productId } = unwrap(await guerdon.createProduct({ name: 'Tea' }))
    const refused = { ok: false, error: { kind: 'refused', key: 'not_found', status: 404, retryable: false } }
    expect(await guerdon.deleteSku({ productId, skuId })).toMatchObject(refused)
    expect(await guerdon.getCustomer({ customerId: skuId })).toMatchObject(refused)
    expect(unwrap(await guerdon.getProduct({ productId })).name).toBe('Tea')
  },
)

test('a code with half of a surrogate pair, as a cut emoji leaves it, is not found and names no other code', async () => {
  const { guerdon, proxy } = open
  const before = proxy.requests.length
  for (const code of ['HALF\ud83d', '\ude00'])
    expect(await guerdon.getVoucher({ code })).toMatchObject({ ok: false, error: { key: 'not_found', status: 404 } })
  expect(proxy.requests.length).toBe(before)
  expect(unwrap(await guerdon.createVoucherWithCode({ code: 'WHOLE-😀' }, tenPercent)).code).toBe('WHOLE-😀')
  expect(unwrap(await guerdon.getVoucher({ code: 'WHOLE-😀' })).code).toBe('WHOLE-😀')
})

test('a deletion has no data, a query has brackets and lists, and an argument that nobody needs is left out', async () => {
  const { guerdon } = open
  for (const code of ['IN-1', 'IN-2', 'OUT-1']) unwrap(await guerdon.createVoucherWithCode({ code }, tenPercent))
  unwrap(await guerdon.disableVoucher({ code: 'IN-2' }))
  const filters = { code: { conditions: { $starts_with: ['IN-'] } } }
  const { vouchers } = unwrap(await guerdon.listVouchers({ order: 'code', filters }))
  expect(vouchers.map(({ code, active }) => [code, active])).toEqual([
    ['IN-1', true],
    ['IN-2', false],
  ])
  expect(await guerdon.deleteVoucher({ code: 'OUT-1' }, { force: true })).toMatchObject({ ok: true, data: undefined })
})

test('a refusal is a value with its key; unwrap throws it', async () => {
  const { guerdon } = open
  const result = await guerdon.getVoucher({ code: 'NOPE' })
  expect(result).toEqual({
    ok: false,
    error: {
      kind: 'refused',
      key: 'not_found',
      code: 404,
      status: 404,
      message: 'Resource not found',
      details: 'Cannot find voucher with id NOPE',
      resource_id: 'NOPE',
      resource_type: 'voucher',
      request_id: expect.stringMatching(/^v-/),
      requestId: expect.stringMatching(/^v-/),
      retryable: false,
    },
  })
  expect(() => unwrap(result)).toThrow(GuerdonError)
  expect(() => unwrap(result)).toThrow('not_found: Cannot find voucher with id NOPE')
})

test('a management key calls management operations, and needs no application key', async () => {
  const { options, shop } = open
  const { baseUrl, managementId, managementSecret } = options
  const guerdon = createGuerdon({ baseUrl, managementId: managementId ?? '', managementSecret: managementSecret ?? '' })
  const project = unwrap(await guerdon.getProject({ projectId: shop.project_id }))
  expect(project.name).toBe('Test shop')
})

test('a file is a form, and a download is a blob', async () => {
  const { guerdon } = open
  const form = new FormData()
  form.set('file', new Blob(['source_id,name\nann,Ann\n'], { type: 'text/csv' }), 'customers.csv')
  const { async_action_id: id } = unwrap(await guerdon.importCustomersCsv(form))
  expect(unwrap(await guerdon.getAsyncAction({ asyncActionId: id })).id).toBe(id)

  const code = unwrap(await guerdon.createVoucherWithCode({ code: 'PICTURE' }, tenPercent))
  const url = new URL(code.assets?.qr?.url as string)
  const picture = unwrap(
    await guerdon.getQrCode(
      { assetId: url.pathname.split('/').at(-1) as string },
      Object.fromEntries(url.searchParams),
    ),
  )
  expect(picture).toBeInstanceOf(Blob)
  expect((picture as Blob).size).toBeGreaterThan(100)
})

test('headers of the client and of a call are sent, and what the service ignored can be read', async () => {
  const { guerdon, options, proxy } = open
  const { fetch: _, ...rest } = options
  const named = createGuerdon({ ...rest, headers: { 'X-Voucherify-Channel': 'till-7' } })
  const misspelt = { source_id: 'bob', nmae: 'Bob' }
  const result = await named.createCustomer(misspelt, { headers: { 'X-Voucherify-API-Version': 'v2018-08-01' } })
  expect(result.ok && result.headers.get('Guerdon-Ignored')).toBe('.nmae')
  const sent = proxy.requestsTo('POST /v1/customers').at(-1)
  expect(sent?.headers).toMatchObject({
    'x-voucherify-channel': 'till-7',
    'x-voucherify-api-version': 'v2018-08-01',
  })
  const strict = await guerdon.createCustomer(misspelt, { headers: { Prefer: 'handling=strict' } })
  expect(!strict.ok && strict.error).toMatchObject({ key: 'invalid_payload', errors: [{ path: '.nmae' }] })
})

test('a page has its own client, which sends its tracking id where one is taken', async () => {
  const { guerdon, clientSide, proxy } = open
  unwrap(await guerdon.createVoucherWithCode({ code: 'PAGE' }, tenPercent))
  const body = { redeemables: [{ object: 'voucher' as const, id: 'PAGE' }], order: { amount: 1_000 } }
  expect(unwrap(await clientSide.validateRedeemablesOnClient(body)).valid).toBe(true)
  const known = (await import('../src/index.ts')).createGuerdonClientSide({
    baseUrl: proxy.url,
    clientApplicationId: open.shop.client_id,
    clientSecretKey: open.shop.client_token,
    headers: { Origin: 'https://shop.example' },
    trackingId: 'somebody',
  })
  unwrap(await known.validateRedeemablesOnClient({ tracking_id: notSet, ...body }))
  unwrap(await known.listClientConsents())
  const sent = proxy.requestsTo('POST /client/v1/validations').at(-1)
  expect(JSON.parse(String(sent?.body))).toEqual({ tracking_id: 'somebody', ...body })
  expect(proxy.requestsTo('GET /client/v1/consents').at(-1)?.path).toBe('/client/v1/consents')
})

test('the client of a session calls the operations about sessions', async () => {
  const session = createGuerdonSession({ baseUrl: open.proxy.url })
  expect(unwrap(await session.getSignInFeatures())).toMatchObject({ oidc: false })
  const ofThePage = createGuerdonSession({
    baseUrl: notSet,
    fetch: (address, request) => fetch(`${open.proxy.url}${address}`, request),
  })
  expect(unwrap(await ofThePage.getSignInFeatures())).toMatchObject({ oidc: false })
  const nobody = await session.getSession()
  expect(!nobody.ok && nobody.error.key).toBe('not_signed_in')
})
