import { describe, expect, test } from 'vitest'
import { newProject, type Shop, send } from '../../testing/app.ts'
import { eventsOf, getVoucher, newCampaign, newVoucher, runCampaignJobs, tenOff } from '../../testing/campaigns.ts'
import { newCategory, newRule, when } from '../../testing/checkout.ts'
import { ok } from '../../testing/orders.ts'
import { expectStablePaging } from '../../testing/paging.ts'
import { statementsSentBy } from '../../testing/sent-statements.ts'

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const noRules = { object: 'list', data_ref: 'data', data: [], total: 0 }

describe('a voucher that is created', () => {
  test('has every member of the contract, null where nothing is set', async () => {
    const shop = await newProject()
    const {
      status,
      body: { warnings, ...body },
    } = await shop.call('POST', '/v1/vouchers', {
      code: 'Ab/1',
      type: 'DISCOUNT_VOUCHER',
      discount: { type: 'AMOUNT', amount_off: 700, effect: null, colour: 'red' },
    })
    expect(status).toBe(200)
    expect(warnings).toEqual(['Property .discount.colour is not known and was ignored.'])
    const asset = (kind: string) => ({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      url: expect.stringMatching(new RegExp(`^http.*/v1/assets/${kind}/[0-9a-f-]{36}$`)),
    })
    expect(body).toEqual({
      id: expect.stringMatching(/^v_[0-9A-Za-z]{32}$/),
      code: 'Ab/1',
      campaign: null,
      campaign_id: null,
      category: null,
      category_id: null,
      categories: [],
      type: 'DISCOUNT_VOUCHER',
      discount: { type: 'AMOUNT', amount_off: 700 },
      gift: null,
      loyalty_card: null,
      start_date: null,
      expiration_date: null,
      validity_timeframe: null,
      validity_day_of_week: null,
      validity_hours: null,
      active: true,
      additional_info: null,
      metadata: {},
      assets: { qr: asset('qr'), barcode: asset('barcode') },
      is_referral_code: false,
      created_at: instant,
      updated_at: null,
      validation_rules_assignments: noRules,
      publish: { object: 'list', count: 0, url: '/v1/vouchers/Ab%2F1/publications?page=1&limit=10' },
      redemption: {
        quantity: null,
        redeemed_quantity: 0,
        object: 'list',
        url: '/v1/vouchers/Ab%2F1/redemptions?page=1&limit=10',
      },
      object: 'voucher',
    })
    expect((await shop.call('GET', '/v1/vouchers/Ab%2F1')).body).toEqual(body)
    expect((await shop.call('GET', `/v1/vouchers/${body.id}`)).body).toEqual(body)
    expect(await eventsOf(shop)).toEqual(['voucher.created'])
  })

  test('stores all members of the body', async () => {
    const shop = await newProject()
    const said = {
      start_date: '2025-03-05',
      expiration_date: '2026-03-05T07:45:10+02:00',
      validity_timeframe: { interval: 'P2D', duration: 'P1D' },
      validity_day_of_week: [1, 3, 1],
      active: false,
      additional_info: 'for friends',
      metadata: { region: 'north', year: 2025 },
      redemption: { quantity: 3 },
      category: 'Friends',
    }
    const body = await newVoucher(shop, 'ALL', said)
    expect(body).toMatchObject({
      start_date: '2025-03-05T00:00:00.000Z',
      expiration_date: '2026-03-05T05:45:10.000Z',
      validity_timeframe: { interval: 'P2D', duration: 'P1D' },
      validity_day_of_week: [1, 3],
      active: false,
      additional_info: 'for friends',
      metadata: { region: 'north', year: 2025 },
      redemption: { quantity: 3, redeemed_quantity: 0 },
      category: 'Friends',
      categories: [{ name: 'Friends', hierarchy: 0, object: 'category' }],
    })
    expect(body.category_id).toBe(body.categories[0].id)
    expect((await newVoucher(shop, 'ALSO', { category: 'Friends' })).category_id).toBe(body.category_id)
    expect((await shop.call('GET', '/v1/categories')).body.total).toBe(1)
  })

  test('gets a random code if none is given, by the configuration of the project or the request', async () => {
    const shop = await newProject()
    const create = async (more: object) =>
      (await shop.call('POST', '/v1/vouchers', { type: 'GIFT_VOUCHER', gift: { amount: 100 }, ...more })).body.code
    expect(await create({})).toMatch(/^[0-9A-Za-z]{8}$/)
    expect(await create({ code_config: { pattern: 'X-##', charset: '01' } })).toMatch(/^X-[01]{2}$/)
    expect(await create({ code: ' CHOSEN ', code_config: { pattern: 'X-##' } })).toBe('CHOSEN')
    const posted = await shop.call('POST', '/v1/vouchers/PATH', { code: 'BODY', gift: { amount: 100 } })
    expect(posted.body.code).toBe('PATH')
  })

  test('shows the balance of a gift or loyalty card', async () => {
    const shop = await newProject()
    const gift = await newVoucher(shop, 'G', {
      type: 'GIFT_VOUCHER',
      gift: { amount: 7000, balance: 1, effect: 'APPLY_TO_ITEMS' },
    })
    expect(gift).toMatchObject({
      discount: null,
      gift: { amount: 7000, subtracted_amount: 0, balance: 7000, effect: 'APPLY_TO_ITEMS' },
      redemption: { redeemed_amount: 0 },
    })
    const card = await newVoucher(shop, 'L', { type: 'LOYALTY_CARD', loyalty_card: { points: 30 } })
    expect(card).toMatchObject({ discount: null, gift: null, loyalty_card: { points: 30, balance: 30 } })
    expect(Object.keys(card.loyalty_card)).toEqual(['points', 'balance'])
    expect(card.redemption.redeemed_points).toBe(0)
  })

  test('contains the names of the products that it gives away', async () => {
    const shop = await newProject()
    const { id } = (await shop.call('POST', '/v1/products', { name: 'Mug', source_id: 'mug' })).body
    const discount = { type: 'UNIT', unit_type: id, unit_off: 2, effect: 'ADD_NEW_ITEMS' }
    expect((await newVoucher(shop, 'MUG', { discount })).discount).toEqual({
      ...discount,
      product: { id, source_id: 'mug', name: 'Mug' },
    })
    const sku = (await shop.call('POST', `/v1/products/${id}/skus`, { sku: 'Blue mug', source_id: 'mug-blue' })).body
    const many = {
      type: 'UNIT',
      effect: 'ADD_MANY_ITEMS',
      units: [{ unit_type: sku.id, unit_off: 1, effect: 'ADD_NEW_ITEMS' }],
    }
    expect((await newVoucher(shop, 'BLUE', { discount: many })).discount.units).toEqual([
      {
        ...many.units[0],
        product: { id, source_id: 'mug', name: 'Mug' },
        sku: { id: sku.id, source_id: 'mug-blue', sku: 'Blue mug' },
      },
    ])
    const missing = { ...discount, unit_type: 'prod_nowhere' }
    expect(await shop.call('POST', '/v1/vouchers/NO', { discount: missing })).toMatchObject({
      status: 404,
      body: { resource_type: 'product', resource_id: 'prod_nowhere' },
    })
  })

  test('has its own rules and those of its campaign', async () => {
    const shop = await newProject()
    const rule = async (name: string) => (await shop.call('POST', '/v1/validation-rules', { name })).body.id
    const [own, shared] = [await rule('own'), await rule('shared')]
    const campaign = await newCampaign(shop, 'Ruled', { validation_rules: [shared] })
    const voucher = await newVoucher(shop, 'R', { campaign: 'Ruled', validation_rules: [own, own] })
    expect(voucher.validation_rules_assignments).toMatchObject({
      total: 2,
      data: [
        { rule_id: own, related_object_type: 'voucher', related_object_id: voucher.id },
        { rule_id: shared, related_object_type: 'campaign', related_object_id: campaign.id },
      ],
    })
    expect(
      await shop.call('POST', '/v1/vouchers/S', { discount: tenOff, validation_rules: ['val_nowhere'] }),
    ).toMatchObject({ status: 404, body: { resource_type: 'validation_rules' } })
    expect(await shop.call('GET', '/v1/vouchers/S')).toMatchObject({ status: 404 })
  })
})

const bad: Array<[body: object, key: string, details: RegExp]> = [
  [{ discount: tenOff }, 'invalid_payload', /'type'/],
  [{ type: 'COUPON' }, 'invalid_payload', /\.type/],
  [{ type: 'DISCOUNT_VOUCHER' }, 'invalid_voucher', /'discount' is required/],
  [{ type: 'GIFT_VOUCHER', discount: tenOff }, 'invalid_voucher', /'gift' is required/],
  [{ type: 'GIFT_VOUCHER', gift: { amount: -1 } }, 'invalid_voucher', /\.gift\.amount/],
  [{ type: 'GIFT_VOUCHER', gift: { amount: 1.5 } }, 'invalid_voucher', /\.gift\.amount/],
  [{ type: 'LOYALTY_CARD', loyalty_card: {} }, 'invalid_voucher', /'points'/],
  [{ type: 'DISCOUNT_VOUCHER', discount: {} }, 'invalid_voucher', /type/],
  [{ type: 'DISCOUNT_VOUCHER', discount: { type: 'AMOUNT' } }, 'invalid_voucher', /amount_off/],
  [{ type: 'DISCOUNT_VOUCHER', discount: { type: 'PERCENT', percent_off: 101 } }, 'invalid_voucher', /percent_off/],
  [
    { type: 'DISCOUNT_VOUCHER', discount: { type: 'AMOUNT', amount_off: 1, amount_off_formula: '1 +' } },
    'invalid_voucher',
    /amount_off_formula/,
  ],
  [{ type: 'DISCOUNT_VOUCHER', discount: { type: 'UNIT', unit_off: 1 } }, 'invalid_voucher', /unit_type/],
  [{ type: 'DISCOUNT_VOUCHER', discount: tenOff, redemption: { quantity: 0 } }, 'invalid_payload', /quantity/],
  [{ type: 'DISCOUNT_VOUCHER', discount: tenOff, start_date: '05/03/2025' }, 'invalid_payload', /start_date/],
  [
    { type: 'DISCOUNT_VOUCHER', discount: tenOff, start_date: '2025-03-05', expiration_date: '2025-03-04' },
    'invalid_voucher',
    /expiration_date/,
  ],
  [
    { type: 'DISCOUNT_VOUCHER', discount: tenOff, validity_timeframe: { interval: 'P1D', duration: 'PT1H' } },
    'invalid_voucher',
    /start_date/,
  ],
  [
    { type: 'DISCOUNT_VOUCHER', discount: tenOff, start_date: '2025-01-01', validity_timeframe: { interval: 'P1D' } },
    'invalid_voucher',
    /duration/,
  ],
  [
    { type: 'DISCOUNT_VOUCHER', discount: tenOff, validity_timeframe: { interval: 'P1.5D', duration: 'PT1H' } },
    'invalid_payload',
    /duration/,
  ],
  [
    { type: 'DISCOUNT_VOUCHER', discount: tenOff, validity_day_of_week: [7] },
    'invalid_payload',
    /validity_day_of_week/,
  ],
  [{ type: 'DISCOUNT_VOUCHER', discount: tenOff, code: 'a\u0001b' }, 'invalid_voucher', /control/],
  [{ type: 'DISCOUNT_VOUCHER', discount: tenOff, code: 'x'.repeat(256) }, 'invalid_voucher', /255/],
  [{ type: 'DISCOUNT_VOUCHER', discount: tenOff, code_config: { charset: '' } }, 'invalid_code_config', /charset/],
]

test.each(bad)('%j is refused', async (body, key, details) => {
  const shop = await newProject()
  expect(await shop.call('POST', '/v1/vouchers', body)).toMatchObject({
    status: 400,
    body: { key, details: expect.stringMatching(details) },
  })
  expect((await shop.call('GET', '/v1/vouchers')).body.total).toBe(0)
})

test('hours of one day may be adjacent but not overlap', async () => {
  const shop = await newProject()
  const hour = (startTime: string, expirationTime: string, daysOfWeek?: number[]) => ({
    start_time: startTime,
    expiration_time: expirationTime,
    ...(daysOfWeek === undefined ? {} : { days_of_week: daysOfWeek }),
  })
  const create = (daily: object[], more: object = {}) =>
    shop.call('POST', '/v1/vouchers', {
      type: 'DISCOUNT_VOUCHER',
      discount: tenOff,
      validity_hours: { daily },
      ...more,
    })
  const evening = hour('16:00', '22:00', [5, 6])
  expect((await create([evening])).body.validity_hours).toEqual({ daily: [evening] })
  expect(await create([evening, hour('22:00', '23:00', [5])])).toMatchObject({ status: 200 })
  const night = { start_time: '22:00', days_of_week: [5] }
  expect(await create([evening, { ...night, expiration_time: null }])).toMatchObject({
    status: 200,
    body: { validity_hours: { daily: [evening, night] } },
  })
  for (const daily of [
    [night, hour('23:00', '23:30')],
    [night, { start_time: '23:59' }],
    [evening, hour('21:00', '23:00', [5])],
    [evening, hour('21:00', '23:00')],
    [hour('22:00', '02:00', [5])],
  ])
    expect(await create(daily)).toMatchObject({ status: 400, body: { key: 'invalid_voucher' } })
  expect(await create([evening], { validity_day_of_week: [1] })).toMatchObject({ status: 400 })
  expect(await create([hour('24:00', '25:00')])).toMatchObject({ status: 400, body: { key: 'invalid_payload' } })
})

describe('codes are unique', () => {
  test('in any letter case, in a case-insensitive project', async () => {
    const shop = await newProject({ project: { case_sensitive_codes: false } })
    await newVoucher(shop, 'Summer')
    expect(await shop.call('POST', '/v1/vouchers/SUMMER', { discount: tenOff })).toMatchObject({
      status: 409,
      body: { key: 'duplicate_found', details: 'Duplicated voucher exists with id SUMMER' },
    })
    expect((await shop.call('GET', '/v1/vouchers/sUMMER')).body).toMatchObject({ code: 'Summer' })
    expect((await shop.call('GET', '/v1/vouchers?code=SUMMER')).body.total).toBe(1)
    const filter = 'filters[code][conditions][$starts_with]=SUM'
    expect((await shop.call('GET', `/v1/vouchers?${filter}`)).body.total).toBe(1)
  })

  test('by letter case, in a case-sensitive project', async () => {
    const shop = await newProject()
    await newVoucher(shop, 'Summer')
    await newVoucher(shop, 'SUMMER')
    expect(await shop.call('GET', '/v1/vouchers/sUMMER')).toMatchObject({ status: 404 })
  })

  test('including those in the bin, until they are deleted for good', async () => {
    const shop = await newProject()
    await newVoucher(shop, 'ZED')
    expect(await shop.call('DELETE', '/v1/vouchers/ZED')).toMatchObject({ status: 204 })
    expect(await shop.call('GET', '/v1/vouchers/ZED')).toMatchObject({ status: 404 })
    expect(await shop.call('DELETE', '/v1/vouchers/ZED')).toMatchObject({ status: 404 })
    expect(await shop.call('POST', '/v1/vouchers/ZED', { discount: tenOff })).toMatchObject({ status: 409 })
    const { data } = (await shop.call('GET', '/v1/trash-bin')).body
    expect(data).toMatchObject([
      { resource_type: 'voucher', resource_name: 'ZED', resource_parent_id: null, deleted_by_user_id: null },
    ])
    expect(await shop.call('DELETE', `/v1/trash-bin/${data[0].id}`)).toMatchObject({ status: 204 })
    await newVoucher(shop, 'ZED')
    expect(await eventsOf(shop)).toEqual(['voucher.created', 'voucher.deleted', 'voucher.created'])
  })

  test('and free at once after a deletion with force', async () => {
    const shop = await newProject()
    await newVoucher(shop, 'ZED', { type: 'GIFT_VOUCHER', gift: { amount: 100 } })
    await shop.call('POST', '/v1/vouchers/ZED/balance', { amount: 5 })
    expect(await shop.call('DELETE', '/v1/vouchers/ZED?force=true')).toMatchObject({ status: 204 })
    expect((await shop.call('GET', '/v1/vouchers')).body.total).toBe(0)
    const again = await newVoucher(shop, 'ZED', { type: 'GIFT_VOUCHER', gift: { amount: 9 } })
    expect(again.gift).toEqual({ amount: 9, subtracted_amount: 0, balance: 9 })
    expect((await shop.call('GET', '/v1/vouchers/ZED/transactions')).body.data).toEqual([])
  })
})

test('a voucher in the bin has no rule assignments', async () => {
  const shop = await newProject()
  const { id } = (await shop.call('POST', '/v1/validation-rules', { name: 'r' })).body
  await newVoucher(shop, 'V', { validation_rules: [id] })
  await shop.call('DELETE', '/v1/vouchers/V')
  expect((await shop.call('GET', `/v1/validation-rules/${id}`)).body.assignments_count).toBe(0)
})

test('the product of a single unit discount must exist, even if the discount has `units`', async () => {
  const shop = await newProject()
  const discount = { type: 'UNIT', effect: 'ADD_NEW_ITEMS', unit_off: 1, unit_type: 'nope', units: [] }
  expect(await shop.call('POST', '/v1/vouchers/V', { discount })).toMatchObject({ status: 404 })
})

test('searching the last free codes of a large set does not block other requests', async () => {
  const shop = await newProject()
  const charset = Array.from({ length: 250 }, (_, n) => String.fromCodePoint(0x4e00 + n)).join('')
  const codeConfig = { charset, length: 1 }
  await newCampaign(shop, 'C', {
    vouchers_count: 249,
    voucher: { type: 'DISCOUNT_VOUCHER', discount: tenOff, code_config: codeConfig },
  })
  await runCampaignJobs(shop)
  const body = { type: 'DISCOUNT_VOUCHER', discount: tenOff, code_config: codeConfig }
  const last = await statementsSentBy(() => shop.call('POST', '/v1/vouchers', body))
  expect(last.answer.status).toBe(200)
  const none = await statementsSentBy(() => shop.call('POST', '/v1/vouchers', body))
  expect(none.answer.body.key).toBe('invalid_code_config')
  for (const { sent } of [last, none]) expect(sent.length).toBeLessThan(40) // not one query per taken code
})

describe('PUT /v1/vouchers/{code}', () => {
  test('a discount is replaced as a whole and keeps its type; the redemption limit does not change', async () => {
    const shop = await newProject()
    await newVoucher(shop, 'P', { discount: { type: 'PERCENT', percent_off: 10, amount_limit: 500 } })
    const put = (body: object) => shop.call('PUT', '/v1/vouchers/P', body)
    expect(await put({ discount: { type: 'AMOUNT', amount_off: 5 } })).toMatchObject({
      status: 400,
      body: { key: 'invalid_voucher', details: 'It is not possible to change Voucher discount type' },
    })
    expect((await put({ discount: { type: 'PERCENT', percent_off: 12 } })).body.discount).toEqual({
      type: 'PERCENT',
      percent_off: 12,
    })
    const { status, body } = await put({
      redemption: { quantity: 9 },
      code: 'Q',
      gift: { amount: 1 },
      type: 'GIFT_VOUCHER',
    })
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { code: 'P', type: 'DISCOUNT_VOUCHER', redemption: { quantity: null }, updated_at: instant },
    })
    expect(await put({ discount: null })).toMatchObject({ status: 400, body: { key: 'invalid_payload' } })
  })

  test('updates what was sent, clears what is null and emits an event', async () => {
    const shop = await newProject()
    const before = await newVoucher(shop, 'V', {
      start_date: '2025-01-01',
      expiration_date: '2026-01-01',
      validity_timeframe: { interval: 'P1D', duration: 'PT1H' },
      additional_info: 'x',
      category: 'C',
    })
    const { body } = await shop.call('PUT', '/v1/vouchers/V', {
      expiration_date: null,
      active: false,
      additional_info: null,
    })
    expect(body).toEqual({
      ...before,
      expiration_date: null,
      active: false,
      additional_info: null,
      updated_at: instant,
    })
    expect(
      await shop.call('PUT', '/v1/vouchers/V', { start_date: null }), // the timeframe requires it
    ).toMatchObject({ status: 400, body: { key: 'invalid_voucher' } })
    const cleared = await shop.call('PUT', '/v1/vouchers/V', {
      start_date: null,
      validity_timeframe: null,
      category_id: null,
    })
    expect(cleared.body).toMatchObject({ start_date: null, validity_timeframe: null, category: null, categories: [] })
    expect(await eventsOf(shop)).toEqual(['voucher.created', 'voucher.updated', 'voucher.disabled', 'voucher.updated'])
  })

  test('metadata is merged key by key, then keys are unset', async () => {
    const shop = await newProject()
    const metadata = { region: 'north', year: 2025 }
    await newCampaign(shop, 'Handed down', { metadata })
    await newCampaign(shop, 'Kept', { metadata, use_voucher_metadata_schema: false })
    const add = async (campaign: string, code: string, body: object) =>
      (await shop.call('POST', `/v1/campaigns/${encodeURIComponent(campaign)}/vouchers/${code}`, body)).body.metadata
    expect(await add('Handed down', 'H1', { metadata: { year: 2026 } })).toEqual({ region: 'north', year: 2026 })
    expect(await add('Handed down', 'H2', {})).toEqual(metadata)
    expect(await add('Kept', 'K1', { metadata: { year: 2026 } })).toEqual({ year: 2026 })
    expect(await add('Kept', 'K2', {})).toEqual({})
    const put = { metadata: { year: null, tier: 'b' }, unset_metadata_fields: ['region'] }
    expect((await shop.call('PUT', '/v1/vouchers/H1', put)).body.metadata).toEqual({ year: null, tier: 'b' })
    expect((await shop.call('PUT', '/v1/vouchers/H2', put)).body.metadata).toEqual({ year: null, tier: 'b' })
    expect((await getVoucher(shop, 'H2')).metadata).toEqual({ year: null, tier: 'b' })
  })

  test('the metadata schema of vouchers applies to new and updated ones', async () => {
    const shop = await newProject()
    const year = { type: 'number', optional: true, array: false }
    const schema = { related_object: 'voucher', properties: { year } }
    const made = await shop.manage('POST', '/metadata-schemas', schema)
    expect(made).toMatchObject({ status: 200 })
    const refused = { status: 400, body: { key: 'metadata_validation_failed' } }
    await newVoucher(shop, 'V', { metadata: { year: 1 } })
    expect(await shop.call('POST', '/v1/vouchers/W', { discount: tenOff, metadata: { year: 'x' } })).toMatchObject(
      refused,
    )
    expect(await shop.call('PUT', '/v1/vouchers/V', { metadata: { year: 'x' } })).toMatchObject(refused)
    expect(await getVoucher(shop, 'V')).toMatchObject({ metadata: { year: 1 }, updated_at: null })
  })
})

test('enabling and disabling emit an event only on a change', async () => {
  const shop = await newProject()
  const before = await newVoucher(shop, 'V')
  expect((await shop.call('POST', '/v1/vouchers/V/enable')).body).toEqual(before)
  const off = (await shop.call('POST', '/v1/vouchers/V/disable')).body
  expect(off).toEqual({ ...before, active: false, updated_at: instant })
  expect((await shop.call('POST', '/v1/vouchers/V/disable')).body).toEqual(off)
  expect((await shop.call('POST', '/v1/vouchers/V/enable')).body).toMatchObject({ active: true })
  expect(await eventsOf(shop)).toEqual(['voucher.created', 'voucher.disabled', 'voucher.enabled'])
  expect(await shop.call('POST', '/v1/vouchers/X/enable')).toMatchObject({ status: 404 })
})

/** The balance of a card by its postings. */
async function postedBalance({ service, project_id }: Shop, voucherId: string): Promise<number> {
  const { db } = service.runtime.database
  const rows = await db
    .selectFrom('postings')
    .where('project_id', '=', project_id)
    .where('voucher_id', '=', voucherId as `v_${string}`)
    .selectAll()
    .execute()
  return rows.reduce((sum, { destination, amount }) => sum + (destination === voucherId ? amount : -amount), 0)
}

describe('the balance of a card', () => {
  test('of a gift card changes with additions and subtractions, within its bounds', async () => {
    const shop = await newProject()
    const { id } = await newVoucher(shop, 'G', { type: 'GIFT_VOUCHER', gift: { amount: 8000 } })
    const adjust = (body: object) => shop.call('POST', '/v1/vouchers/G/balance', body)
    const common = {
      type: 'gift_voucher',
      operation_type: 'MANUAL',
      object: 'balance',
      related_object: { type: 'voucher', id },
    }
    expect(await adjust({ amount: 2500, source_id: 's-1', reason: 'sorry' })).toMatchObject({
      status: 200,
      body: { amount: 2500, total: 10500, balance: 10500, ...common },
    })
    expect(await getVoucher(shop, 'G')).toMatchObject({ gift: { amount: 10500, subtracted_amount: 0, balance: 10500 } })
    expect((await adjust({ amount: -1200, source_id: 's-1' })).body).toEqual({
      amount: -1200,
      total: 9300,
      balance: 9300,
      ...common,
    })
    const after = { amount: 10500, subtracted_amount: 1200, balance: 9300 }
    expect(await getVoucher(shop, 'G')).toMatchObject({ gift: after, updated_at: instant })
    expect(await postedBalance(shop, id)).toBe(9300)

    expect(await adjust({ amount: -9301 })).toMatchObject({ status: 400, body: { key: 'gift_amount_exceeded' } })
    expect(await adjust({ amount: 0 })).toMatchObject({ status: 400, body: { key: 'invalid_add_balance_params' } })
    expect(await adjust({ amount: 2 ** 53 - 1 })).toMatchObject({
      status: 400,
      body: { key: 'invalid_add_balance_params' },
    })
    expect(await adjust({ amount: 1.5 })).toMatchObject({ status: 400, body: { key: 'invalid_payload' } })
    expect((await getVoucher(shop, 'G')).gift).toEqual(after)
    expect(await postedBalance(shop, id)).toBe(9300)
    expect(await adjust({ amount: -9300 })).toMatchObject({ body: { balance: 0 } })
    expect(await eventsOf(shop)).toEqual([
      'voucher.created',
      'voucher.gift.transaction.created',
      'voucher.gift.balance_added',
      'voucher.gift.transaction.created',
      'voucher.gift.transaction.created',
    ])
  })

  test('X-Voucherify-Channel is the source of the transactions that a request causes', async () => {
    const shop = await newProject()
    await newVoucher(shop, 'G', { type: 'GIFT_VOUCHER', gift: { amount: 8000 } })
    const as = (channel: string, path: string, body: object) =>
      send(shop.service.app, 'POST', path, body, { ...shop.headers, 'x-voucherify-channel': channel })
    await as('Till 7', '/v1/vouchers/G/balance', { amount: 100 })
    await as('Automation', '/v1/vouchers/G/balance', { amount: 100 })
    await as('x'.repeat(300), '/v1/vouchers/G/balance', { amount: 100 })
    await as(' ', '/v1/vouchers/G/balance', { amount: 100 })
    const { body } = await as('Web', '/v1/vouchers/G/redemption', { order: { amount: 500 } })
    await as('Desk', `/v1/redemptions/${body.id}/rollback`, {})
    const { data } = (await shop.call('GET', '/v1/vouchers/G/transactions?order=id')).body
    const seen = data.map(({ source, details }: { source: string; details: { balance: object } }) => [
      source,
      details.balance,
    ])
    const manual = expect.objectContaining({ operation_type: 'MANUAL' })
    expect(seen).toEqual([
      ['Till 7', manual],
      ['Automation', manual],
      ['x'.repeat(255), manual],
      ['API', manual],
      ['Web', manual],
      ['Desk', manual],
    ])
  })

  test('has transactions, listed newest first in pages', async () => {
    const shop = await newProject()
    const { id } = await newVoucher(shop, 'G', { type: 'GIFT_VOUCHER', gift: { amount: 8000 } })
    const amounts = [2500, -1200, -4000, 4000]
    for (const amount of amounts)
      await shop.call('POST', '/v1/vouchers/G/balance', { amount, source_id: `s${amount}`, reason: 'r' })
    const first = (await shop.call('GET', '/v1/vouchers/G/transactions?limit=3')).body
    expect(first).toMatchObject({ object: 'list', data_ref: 'data', has_more: true })
    expect(first.data.map((each: { type: string }) => each.type)).toEqual([
      'CREDITS_ADDITION',
      'CREDITS_REMOVAL',
      'CREDITS_REMOVAL',
    ])
    expect(first.more_starting_after).toBe(first.data[2].id)
    const rest = (await shop.call('GET', `/v1/vouchers/G/transactions?starting_after_id=${first.more_starting_after}`))
      .body
    expect(rest).toEqual({
      object: 'list',
      data_ref: 'data',
      has_more: false,
      data: [
        {
          id: expect.stringMatching(/^vtx_[0-9a-f]{18}$/),
          source_id: 's2500',
          voucher_id: id,
          campaign_id: null,
          source: 'API',
          reason: 'r',
          type: 'CREDITS_ADDITION',
          details: {
            balance: {
              type: 'gift_voucher',
              total: 10500,
              amount: 2500,
              balance: 10500,
              operation_type: 'MANUAL',
              object: 'balance',
              related_object: { id, type: 'voucher' },
            },
          },
          related_transaction_id: null,
          created_at: instant,
        },
      ],
    })
    const oldest = (await shop.call('GET', '/v1/vouchers/G/transactions?order=id&limit=1')).body
    expect(oldest.data).toEqual(rest.data)
    expect(await shop.call('GET', '/v1/vouchers/G/transactions?starting_after_id=vtx_0')).toMatchObject({ status: 400 })
  })

  test('is not available for a discount voucher', async () => {
    const shop = await newProject()
    await newVoucher(shop, 'D')
    expect(await shop.call('POST', '/v1/vouchers/D/balance', { amount: 5 })).toMatchObject({
      status: 400,
      body: { key: 'invalid_add_balance_params' },
    })
    expect((await shop.call('GET', '/v1/vouchers/D/transactions')).body.data).toEqual([])
    expect(await shop.call('POST', '/v1/vouchers/NO/balance', { amount: 5 })).toMatchObject({ status: 404 })
  })

  test('of points needs a holder', async () => {
    const shop = await newProject()
    await newVoucher(shop, 'L', { type: 'LOYALTY_CARD', loyalty_card: { points: 5 } })
    expect(await shop.call('POST', '/v1/vouchers/L/balance', { amount: 5 })).toMatchObject({
      status: 400,
      body: { key: 'not_published' },
    })
  })

  test('of points expires by the rules of the program, and points that expire first are spent first', async () => {
    const shop = await newProject({ project: { timezone: 'Europe/Warsaw' } })
    await newCampaign(shop, 'Club', {
      type: 'AUTO_UPDATE',
      voucher: {
        type: 'LOYALTY_CARD',
        loyalty_card: {
          points: 40,
          expiration_rules: { period_type: 'MONTH', period_value: 3, rounding_type: 'END_OF_MONTH' },
        },
      },
    })
    const published = await shop.call('POST', '/v1/publications', { campaign: 'Club', customer: { source_id: 'anna' } })
    expect(published).toMatchObject({ status: 200 })
    const { id, code } = published.body.voucher
    const adjust = (body: object) => shop.call('POST', `/v1/vouchers/${code}/balance`, body)
    expect((await adjust({ amount: 100, source_id: 'x' })).body).toMatchObject({
      amount: 100,
      points: 100,
      total: 140,
      balance: 140,
      type: 'loyalty_card',
    })
    const card = (await getVoucher(shop, code)).loyalty_card
    expect(card).toEqual({
      points: 140,
      balance: 140,
      next_expiration_date: expect.stringMatching(/^\d{4}-\d\d-(28|29|30|31)$/),
      next_expiration_points: 100,
    })
    expect(await adjust({ amount: 1, source_id: 'x' })).toMatchObject({
      status: 400,
      body: { key: 'duplicate_source_id' },
    })
    expect((await adjust({ amount: -120 })).body).toMatchObject({ points: -120, total: 20, balance: 20 })
    expect((await getVoucher(shop, code)).loyalty_card).toEqual({ points: 140, balance: 20, subtracted_points: 120 })
    expect(await postedBalance(shop, id)).toBe(20)
    expect(await adjust({ amount: -21 })).toMatchObject({ status: 400, body: { key: 'loyalty_card_points_exceeded' } })
  })
})

describe('GET /v1/vouchers/{code}', () => {
  const vouchersSelected = (sent: readonly string[]) => sent.filter((text) => /\bfrom "?vouchers\b/.test(text))

  test('is one statement, and shows every change of what else it shows at once', async () => {
    const shop = await newProject()
    const category = await newCategory(shop, 'Outlet')
    const campaign = await newCampaign(shop, 'Spring')
    const { code } = await ok(shop, 'POST', `/v1/campaigns/${campaign.id}/vouchers`, { category_id: category.id })
    const { id } = await getVoucher(shop, code)
    for (const key of [code, id]) {
      const { answer, sent } = await statementsSentBy(() => getVoucher(shop, key))
      expect(answer).toMatchObject({ campaign: 'Spring', category: 'Outlet' })
      expect(vouchersSelected(sent)).toEqual([expect.stringContaining('as config_version')])
      expect(sent.some((text) => /from "?(rule_assignments|campaigns|categories|terms)"? where/.test(text))).toBe(false)
    }

    const ofCampaign = await newRule(shop, when('redemption.count.per_customer', { $less_than: [5] }), {
      campaign: campaign.id,
    })
    const ofVoucher = await newRule(shop, when('redemption.count.per_customer', { $less_than: [6] }), { voucher: id })
    await ok(shop, 'PUT', `/v1/categories/${category.id}`, { name: 'Sale', hierarchy: 1 })
    const changed = await getVoucher(shop, code)
    expect(changed).toMatchObject({ category: 'Sale', categories: [{ name: 'Sale', hierarchy: 1 }] })
    const { validation_rules_assignments: rules } = changed
    expect(rules.data.map((each: { rule_id: string }) => each.rule_id)).toEqual([ofVoucher.id, ofCampaign.id])
    expect(rules.total).toBe(2)

    await shop.call('DELETE', `/v1/validation-rules/${ofVoucher.id}`)
    await shop.call('DELETE', `/v1/categories/${category.id}`)
    expect(await getVoucher(shop, id)).toMatchObject({
      category: null,
      categories: [],
      validation_rules_assignments: { total: 1, data: [{ rule_id: ofCampaign.id }] },
    })

    await shop.call('DELETE', `/v1/campaigns/${campaign.id}`)
    for (const key of [code, id]) expect((await shop.call('GET', `/v1/vouchers/${key}`)).status).toBe(404)
  })

  test('finds a code that looks like an id, and not one in the bin', async () => {
    const shop = await newProject()
    const { id } = await newVoucher(shop, 'v_looks_like_an_id')
    expect((await getVoucher(shop, 'v_looks_like_an_id')).id).toBe(id)
    await shop.call('DELETE', `/v1/vouchers/${id}`)
    expect((await shop.call('GET', '/v1/vouchers/v_looks_like_an_id')).status).toBe(404)
    expect((await shop.call('GET', `/v1/vouchers/${id}`)).status).toBe(404)
  })
})

describe('GET /v1/vouchers', () => {
  test('pages through the list in every order', async () => {
    const shop = await newProject()
    await expectStablePaging({
      shop,
      path: '/v1/vouchers',
      orders: ['-created_at', 'created_at', 'updated_at', '-updated_at', 'code', '-code'],
      data_ref: 'vouchers',
      async create(n) {
        const { id, code } = await newVoucher(shop, `C-${(n * 7) % 31}-${n}`)
        if (n % 2 === 0) await shop.call('PUT', `/v1/vouchers/${code}`, { active: false })
        return id
      },
    })
  })

  test('finds by campaign, category, holder, code and ids, with totals', async () => {
    const shop = await newProject()
    const one = await newCampaign(shop, 'One', { vouchers_count: 3, category: 'Cat' })
    await newCampaign(shop, 'Two', { vouchers_count: 2 })
    await runCampaignJobs(shop)
    const alone = await newVoucher(shop, 'ALONE', { category: 'Other' })
    const count = async (query: string) => {
      const { status, body } = await shop.call('GET', `/v1/vouchers?${query}`)
      expect({ status, body }).toMatchObject({ status: 200 })
      expect(body.vouchers).toHaveLength(Math.min(body.total, 10))
      return body.total
    }
    expect(await count('')).toBe(6)
    expect(await count('campaign=One')).toBe(3)
    expect(await count(`campaign=${one.id}`)).toBe(0)
    expect(await count(`campaign_id=${one.id}`)).toBe(3)
    expect(await count(`campaign_id=${one.id}&campaign=Two`)).toBe(0)
    expect(await count('campaign=One&category=Cat')).toBe(3)
    expect(await count('category=Cat')).toBe(3)
    expect(await count(`category=${alone.category_id}`)).toBe(1)
    expect(await count('code=ALONE')).toBe(1)
    expect(await count(`ids=${alone.id},v_unknown`)).toBe(1)
    expect(await count(`ids[]=${alone.id}`)).toBe(1)
    expect(await count('customer=unknown')).toBe(0)
    expect(await count(`created_at[after]=${alone.created_at}`)).toBe(0)
    expect((await shop.call('GET', '/v1/vouchers?code=ALONE')).body.vouchers[0]).not.toHaveProperty(
      'validation_rules_assignments',
    )
  })

  test('filters', async () => {
    const shop = await newProject()
    await newVoucher(shop, 'PAST', {
      expiration_date: '2020-01-01',
      metadata: { size: 5 },
      validity_day_of_week: [1, 2],
    })
    await newVoucher(shop, 'OFF', { active: false, redemption: { quantity: 3 }, category: 'Cat' })
    await newVoucher(shop, 'SOON', { start_date: '2099-01-01', metadata: { size: 7 }, validity_day_of_week: [3] })
    await newVoucher(shop, 'GIFT', {
      type: 'GIFT_VOUCHER',
      gift: { amount: 1 },
      validity_timeframe: { interval: 'P1D', duration: 'PT1H' },
      start_date: '2020-01-01',
    })
    const found = async (...filters: string[]) => {
      const { status, body } = await shop.call(
        'GET',
        `/v1/vouchers?order=code&${filters.map((each) => `filters${each}`).join('&')}`,
      )
      expect({ status, body }).toMatchObject({ status: 200 })
      return body.vouchers.map(({ code }: { code: string }) => code).join()
    }
    expect(await found('[active][conditions][$expired]=')).toBe('PAST')
    expect(await found('[active][conditions][$disabled]=')).toBe('OFF')
    expect(await found('[active][conditions][$enabled]=')).toBe('GIFT,PAST,SOON')
    expect(await found('[active][conditions][$active]=')).toBe('GIFT')
    expect(await found('[active][conditions][$expired]=false')).toBe('GIFT,OFF,PAST,SOON')
    expect(await found('[voucher_type][conditions][$is]=GIFT_VOUCHER')).toBe('GIFT')
    expect(await found('[metadata.size][conditions][$more_than]=5')).toBe('SOON')
    expect(await found('[code][conditions][$in][0]=OFF', '[vouchers][conditions][$in][0]=PAST', '[junction]=OR')).toBe(
      'OFF,PAST',
    )
    expect(await found('[validity_day_of_week][conditions][$is]=3')).toBe('GIFT,OFF,SOON')
    expect(await found('[validity_timeframe][conditions][$has_value]=')).toBe('GIFT')
    expect(await found('[redemption.quantity][conditions][$is]=3')).toBe('OFF')
    expect(await found('[redemption_status][conditions][$is]=not_redeemed')).toBe('GIFT,OFF,PAST,SOON')
    expect(await found('[redemption_status][conditions][$is]=redeemed')).toBe('')
    expect(await found('[categories][conditions][$is]=Cat')).toBe('OFF')
    expect(await found('[campaigns][conditions][$is_unknown]=')).toBe('GIFT,OFF,PAST,SOON')
    expect(await found('[holder_id][conditions][$has_value]=')).toBe('')
    expect(await found('[is_referral_code][conditions][$is]=true')).toBe('')
    expect(await shop.call('GET', '/v1/vouchers?filters[colour][conditions][$is]=red')).toMatchObject({
      status: 400,
      body: { key: 'invalid_query_params' },
    })
  })
})

describe('a voucher created in a campaign', () => {
  test('takes dates and category from the campaign, and its benefit from the body', async () => {
    const shop = await newProject()
    await newCampaign(shop, 'C', {
      start_date: '2025-01-01',
      expiration_date: '2040-01-01',
      category: 'Cat',
      validity_day_of_week: [1],
    })
    expect(
      await newVoucher(shop, 'V', {
        campaign: 'C',
        discount: { type: 'AMOUNT', amount_off: 5 },
        expiration_date: '2030-01-01',
      }),
    ).toMatchObject({
      campaign: 'C',
      discount: { type: 'AMOUNT', amount_off: 5 },
      start_date: '2025-01-01T00:00:00.000Z',
      expiration_date: '2030-01-01T00:00:00.000Z',
      validity_day_of_week: [1],
      category: 'Cat',
    })
    expect((await shop.call('GET', '/v1/campaigns/C')).body.vouchers_count).toBe(1)
    await shop.call('DELETE', '/v1/vouchers/V')
    expect((await shop.call('GET', '/v1/campaigns/C')).body.vouchers_count).toBe(0)
  })

  test('must have the voucher type of the campaign', async () => {
    const shop = await newProject()
    await newCampaign(shop, 'C')
    await newCampaign(shop, 'P', { campaign_type: 'PROMOTION', voucher: null })
    const create = (body: object) =>
      shop.call('POST', '/v1/vouchers', { type: 'DISCOUNT_VOUCHER', discount: tenOff, ...body })
    const refused = { status: 400, body: { key: 'invalid_campaign' } }
    expect(await create({ campaign: 'C', type: 'GIFT_VOUCHER', gift: { amount: 5 } })).toMatchObject(refused)
    expect(await create({ campaign: 'P' })).toMatchObject(refused)
    expect(await create({ campaign_id: 'camp_nowhere', campaign: 'C' })).toMatchObject({ status: 404 })
  })
})

test('a product that a discount gives away cannot be deleted', async () => {
  const shop = await newProject()
  const product = async (sourceId: string) => (await shop.call('POST', '/v1/products', { source_id: sourceId })).body.id
  const [mug, cap, pin] = [await product('mug'), await product('cap'), await product('pin')]
  const sku = (await shop.call('POST', `/v1/products/${cap}/skus`, { sku: 'red' })).body.id
  const unit = (unitType: string) => ({ type: 'UNIT', unit_type: unitType, unit_off: 1 })
  const many = {
    type: 'UNIT',
    effect: 'ADD_MANY_ITEMS',
    units: [{ unit_type: sku, unit_off: 1, effect: 'ADD_NEW_ITEMS' }],
  }
  const { id } = await newVoucher(shop, 'MUG', { discount: unit(mug) })
  await newCampaign(shop, 'CAP', { voucher: { type: 'DISCOUNT_VOUCHER', discount: many } })
  const { promotion } = await newCampaign(shop, 'PIN', {
    voucher: null,
    promotion: { tiers: [{ name: 'T', action: { discount: unit(pin) } }] },
  })
  const remove = (productId: string) => shop.call('DELETE', `/v1/products/${productId}`)
  const refused = (relatedObjectType: string) => ({
    status: 400,
    body: { key: 'resource_in_use', related_object_type: relatedObjectType },
  })
  expect(await remove(mug)).toMatchObject(refused('voucher'))
  expect((await remove(mug)).body.related_object_ids).toEqual([id])
  expect(await remove(cap)).toMatchObject(refused('campaign'))
  expect(await remove(pin)).toMatchObject(refused('promotion_tier'))
  expect((await remove(pin)).body.related_object_ids).toEqual([promotion.tiers[0].id])
  await shop.call('DELETE', '/v1/vouchers/MUG')
  await shop.call('DELETE', '/v1/campaigns/CAP')
  await shop.call('DELETE', '/v1/campaigns/PIN')
  for (const each of [mug, cap, pin]) expect(await remove(each)).toMatchObject({ status: 204 })
})

test('a deleted category is shown as none', async () => {
  const shop = await newProject()
  const { category_id } = await newVoucher(shop, 'V', { category: 'c1' })
  expect(await shop.call('DELETE', `/v1/categories/${category_id}`)).toMatchObject({ status: 204 })
  expect(await getVoucher(shop, 'V')).toMatchObject({ category: null, category_id: null, categories: [] })
  expect((await shop.call('GET', '/v1/vouchers?filters[category_ids][conditions][$has_value]=')).body.total).toBe(0)
})
