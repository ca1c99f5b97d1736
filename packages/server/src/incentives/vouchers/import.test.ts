import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { limits } from '../../core/lib/limits.ts'
import { newProject, type Shop, send } from '../../testing/app.ts'
import { finished, importCsv, importJson, runStarted, sendCsv } from '../../testing/voucher-imports.ts'

const read = async (shop: Shop, code: string) => (await shop.call('GET', `/v1/vouchers/${code}`)).body
const list = async (shop: Shop, query = 'order=created_at&limit=100') =>
  (await shop.call('GET', `/v1/vouchers?${query}`)).body
const codesOf = async (shop: Shop) => (await list(shop)).vouchers.map(({ code }: { code: string }) => code)
const csv = (shop: Shop, file: string, fields: Record<string, string> = {}) =>
  importCsv(shop, '/v1/vouchers/importCSV', file, fields)
const json = (shop: Shop, entries: unknown) => importJson(shop, '/v1/vouchers/import', entries)
const ten = { type: 'PERCENT', percent_off: 10 }

const db = ({ service }: Shop) => service.runtime.database.db
const eventsOf = (shop: Shop) =>
  db(shop)
    .selectFrom('events')
    .where('project_id', '=', shop.project_id)
    .orderBy('id')
    .select(['type', 'entity_id', 'data'])
    .execute()
const typesOf = async (shop: Shop) => (await eventsOf(shop)).map(({ type }) => type)

/** For every card: its balance by its row and by the sum of its postings. */
async function balances(shop: Shop) {
  const { rows } = await sql<{ code: string; balance: number; posted: number }>`
    select v.code, v.credits_added - v.credits_subtracted - v.credits_redeemed - v.credits_expired as balance,
      coalesce((select sum(case when p.destination = v.id then p.amount else -p.amount end) from postings p
        where p.project_id = v.project_id and p.voucher_id = v.id), 0)::bigint as posted
    from vouchers v where v.project_id = ${shop.project_id} and v.credits_added is not null order by v.code`.execute(
    db(shop),
  )
  return rows
}

const filesOf = async (shop: Shop) =>
  (await db(shop).selectFrom('files').where('project_id', '=', shop.project_id).select('id').execute()).length

async function newRule(shop: Shop): Promise<string> {
  const rules = { '1': { name: 'order.amount', conditions: { $more_than: [100] } }, logic: '1' }
  const { status, body } = await shop.call('POST', '/v1/validation-rules', { name: 'Big carts', rules })
  expect(status, JSON.stringify(body)).toBe(200)
  return body.id
}

async function defineYear(shop: Shop, { optional }: { optional: boolean }): Promise<void> {
  const properties = { year: { type: 'number', array: false, optional } }
  const { status, body } = await shop.manage('POST', '/metadata-schemas', { related_object: 'voucher', properties })
  expect(status, JSON.stringify(body)).toBe(200)
}

const e19 = [
  'Code,Voucher Type,Value,Discount Type,Redemption Limit,Season',
  'SPR-1,DISCOUNT_VOUCHER,1500,AMOUNT,3,spring',
  'SPR-2,,20,PERCENT,,',
  'CARD-9,GIFT_VOUCHER,7000,,,',
  '',
].join('\n')

describe('CSV', () => {
  test('each row is stored or listed with its number and reason; an existing code changes `active` and category only', async () => {
    const shop = await newProject()
    const action = await csv(shop, e19)
    expect(action).toMatchObject({
      type: 'VOUCHERS.IMPORT_CSV',
      status: 'DONE',
      operation_status: 'FAILED',
      result: {
        message: '2 voucher(s) imported successfully, 1 failed.',
        failed: [{ code: 'SPR-2', row: 2, reason: 'Voucher Type is required' }],
        done_count: 2,
        failed_count: 1,
      },
    })
    expect(await read(shop, 'SPR-1')).toMatchObject({
      campaign: null,
      campaign_id: null,
      type: 'DISCOUNT_VOUCHER',
      discount: { type: 'AMOUNT', amount_off: 1500 },
      redemption: { quantity: 3, redeemed_quantity: 0 },
      active: true,
      metadata: { Season: 'spring' },
      updated_at: null,
    })
    expect(await read(shop, 'CARD-9')).toMatchObject({
      gift: { amount: 7000, subtracted_amount: 0, balance: 7000 },
      metadata: {},
    })
    expect(await codesOf(shop)).toEqual(['SPR-1', 'CARD-9']) // the order of the file
    expect((await list(shop)).total).toBe(2)
    expect(await filesOf(shop)).toBe(0)
    expect(await typesOf(shop)).toEqual([])

    const again = await csv(shop, 'Code,Active,Value,Voucher Type,Season\nSPR-1,FALSE,9999,nonsense,autumn\n')
    expect(again.result).toMatchObject({ done_count: 1, failed_count: 0 })
    expect(await read(shop, 'SPR-1')).toMatchObject({
      active: false,
      discount: { amount_off: 1500 },
      metadata: { Season: 'spring' },
      updated_at: expect.any(String),
    })
    expect((await list(shop)).total).toBe(2)
  })

  test('headers match in any case, with underscores for spaces; a repeated column fails the file', async () => {
    const shop = await newProject()
    const ruleId = await newRule(shop)
    await csv(
      shop,
      ' CODE ,voucher_type,VALUE,discount type,Discount_Effect,formula,validation rule_id,category,ACTIVE,start_date,Expiration Date,redemption limit,Redeemed_Quantity,additional info,Voucher type x\n' +
        `a,DISCOUNT_VOUCHER,5,PERCENT,APPLY_TO_ITEMS,MAX(1;2),${ruleId},Gold,false,2025-03-05,2025-04-01T07,9,4," keep, it ",7\n`,
    )
    const voucher = await read(shop, 'a')
    expect(voucher).toMatchObject({
      discount: { type: 'PERCENT', percent_off: 5, percent_off_formula: 'MAX(1;2)', effect: 'APPLY_TO_ITEMS' },
      category: 'Gold',
      active: false,
      start_date: '2025-03-05T00:00:00.000Z',
      expiration_date: '2025-04-01T07:00:00.000Z',
      redemption: { quantity: 9, redeemed_quantity: 4 },
      additional_info: 'keep, it',
      metadata: { 'Voucher type x': '7' },
      validation_rules_assignments: {
        total: 1,
        data: [{ rule_id: ruleId, related_object_id: voucher.id, related_object_type: 'voucher' }],
      },
    })
    expect((await shop.call('GET', `/v1/validation-rules/${ruleId}`)).body.assignments_count).toBe(1)
    expect(await csv(shop, 'Code,code_\nx,y\n')).toMatchObject({ status: 'DONE' })
    expect(await csv(shop, 'Voucher Type,Code,VOUCHER_TYPE\nx,y,z\n')).toMatchObject({
      status: 'FAILED',
      result: { message: "The header row names 'Voucher Type' twice" },
    })
    expect(await csv(shop, 'Season\nspring\n')).toMatchObject({
      status: 'FAILED',
      result: { message: "The header row has no column 'Code'", done_count: 0, failed: [] },
    })
  })

  test('a date may be written in six forms', async () => {
    const shop = await newProject()
    const forms = {
      '2025-03-05': '2025-03-05T00:00:00.000Z',
      '2025-03-05T07': '2025-03-05T07:00:00.000Z',
      '2025-03-05T07:45': '2025-03-05T07:45:00.000Z',
      '2025-03-05T07:45:10': '2025-03-05T07:45:10.000Z',
      '2025-03-05T07:45:10+02:00': '2025-03-05T05:45:10.000Z',
      '2025-03-05T07:45:10.250Z': '2025-03-05T07:45:10.250Z',
    }
    const rows = [...Object.keys(forms), '05/03/2025'].map((date, n) => `d${n},GIFT_VOUCHER,1,${date}`)
    const { result } = await csv(shop, `Code,Voucher Type,Value,Start Date\n${rows.join('\n')}`)
    expect(result.failed).toEqual([
      { code: 'd6', row: 7, reason: 'Start Date cannot be recognized as a ISO-8601 compliant date' },
    ])
    const { vouchers } = await list(shop)
    expect(vouchers.map(({ start_date }: { start_date: string }) => start_date)).toEqual(Object.values(forms))
  })

  test('every invalid row is listed with its reason', async () => {
    const shop = await newProject()
    await shop.call('POST', '/v1/vouchers/BINNED', { type: 'GIFT_VOUCHER', gift: { amount: 1 } })
    await shop.call('DELETE', '/v1/vouchers/BINNED')
    const voucher = { type: 'DISCOUNT_VOUCHER', discount: ten }
    await shop.call('POST', '/v1/campaigns', { name: 'C', voucher })
    await shop.call('POST', '/v1/campaigns/C/vouchers/INSIDE', {})
    const header =
      'Code,Voucher Type,Value,Discount Type,Discount Effect,Discount Unit Type,Formula,Validation Rule ID,Active,Start Date,Expiration Date,Redemption Limit,Redeemed Quantity,Redeemed Amount'
    const cases: Array<[row: string, reason: string | RegExp]> = [
      [',GIFT_VOUCHER,1,,,,,,,,,,,', 'Code is required'],
      ['"a\tb",GIFT_VOUCHER,1,,,,,,,,,,,', 'A code must not have control characters'],
      ['c1,LOYALTY_CARD,1,,,,,,,,,,,', 'Voucher Type must be DISCOUNT_VOUCHER or GIFT_VOUCHER'],
      ['c2,GIFT_VOUCHER,,,,,,,,,,,,', 'Value is required'],
      ['c3,GIFT_VOUCHER,1.5,,,,,,,,,,,', 'Value must be an integer'],
      ['c4,GIFT_VOUCHER,-1,,,,,,,,,,,', 'Value must not be less than 0'],
      ['c5,GIFT_VOUCHER,99999999999999999,,,,,,,,,,,', 'Value must be an integer'],
      ['c6,DISCOUNT_VOUCHER,1,,,,,,,,,,,', 'Discount Type is required'],
      ['c7,DISCOUNT_VOUCHER,1,HALF,,,,,,,,,,', 'Discount Type must be one of AMOUNT, PERCENT, FIXED, UNIT'],
      ['c8,DISCOUNT_VOUCHER,101,PERCENT,,,,,,,,,,', /percent_off must be <= 100/],
      ['c9,DISCOUNT_VOUCHER,1,PERCENT,ADD_NEW_ITEMS,,,,,,,,,', /effect must be equal to one of the allowed values/],
      ['c10,DISCOUNT_VOUCHER,1,UNIT,,,,,,,,,,', 'Discount Unit Type is required'],
      ['c11,DISCOUNT_VOUCHER,1,UNIT,,prod_x,,,,,,,,', 'Cannot find product with id prod_x'],
      ['c12,DISCOUNT_VOUCHER,1,AMOUNT,,,IF(,,,,,,,', /amount_off_formula is no formula/],
      ['c13,GIFT_VOUCHER,1,,,,,val_x,,,,,,', 'Cannot find validation_rules with id val_x'],
      ['c14,GIFT_VOUCHER,1,,,,,,yes,,,,,', 'Active must be TRUE or FALSE'],
      [
        'c15,GIFT_VOUCHER,1,,,,,,,2025-02-01,2025-01-01,,,',
        'Property .expiration_date must not be earlier than .start_date',
      ],
      ['c16,GIFT_VOUCHER,1,,,,,,,,,0,,', 'Redemption Limit must not be less than 1'],
      ['c17,GIFT_VOUCHER,1,,,,,,,,,2,3,', 'Redeemed Quantity must not be more than Redemption Limit'],
      ['c18,GIFT_VOUCHER,5,,,,,,,,,,,6', 'Redeemed Amount must not be more than Value'],
      ['BINNED,GIFT_VOUCHER,1,,,,,,,,,,,', 'Duplicated voucher exists with id BINNED'],
      ['INSIDE,GIFT_VOUCHER,1,,,,,,,,,,,', 'Duplicated voucher exists with id INSIDE'],
      ['few,cells', 'The row has 2 cells where the header has 14'],
    ]
    const { result } = await csv(
      shop,
      [header, ...cases.map(([row]) => row), 'fine,GIFT_VOUCHER,1,,,,,,,,,,,'].join('\n'),
    )
    expect(result.failed).toEqual(
      cases.map(([row, reason], index) => ({
        code: row.startsWith('few') ? null : /^("[^"]*"|[^,]*)/.exec(row)?.[0].replaceAll('"', '') || null,
        row: index + 1,
        reason: typeof reason === 'string' ? reason : expect.stringMatching(reason),
      })),
    )
    expect(result).toMatchObject({ done_count: 1, failed_count: cases.length })
    expect(await codesOf(shop)).toEqual(['INSIDE', 'fine'])
  })

  test('metadata is converted to the types of the schema and validated, row by row', async () => {
    const shop = await newProject()
    await defineYear(shop, { optional: false })
    const { result } = await csv(
      shop,
      'Code,Voucher Type,Value,year,note\na,GIFT_VOUCHER,1,2026,007\nb,GIFT_VOUCHER,1,soon,\nc,GIFT_VOUCHER,1,,\n',
    )
    expect(result.failed).toEqual([
      { code: 'b', row: 2, reason: expect.stringContaining('year') },
      { code: 'c', row: 3, reason: expect.stringContaining('year') },
    ])
    expect((await read(shop, 'a')).metadata).toEqual({ year: 2026, note: '007' })
  })

  test('redemptions before the import are kept, and the postings add up', async () => {
    const shop = await newProject()
    await csv(
      shop,
      [
        'Code,Voucher Type,Value,Discount Type,Redemption Limit,Redeemed Quantity,Redeemed Amount',
        'c1,GIFT_VOUCHER,1000,,5,2,300',
        'c2,GIFT_VOUCHER,1000,,,1,1000',
        'c3,GIFT_VOUCHER,0,,,,',
        'd1,DISCOUNT_VOUCHER,5,AMOUNT,3,3,300',
      ].join('\n'),
    )
    expect(await read(shop, 'c1')).toMatchObject({
      gift: { amount: 1000, subtracted_amount: 0, balance: 700 },
      redemption: { quantity: 5, redeemed_quantity: 2, redeemed_amount: 300 },
    })
    expect(await read(shop, 'd1')).toMatchObject({ redemption: { quantity: 3, redeemed_quantity: 3 } })
    expect(await balances(shop)).toEqual([
      { code: 'c1', balance: 700, posted: 700 },
      { code: 'c2', balance: 0, posted: 0 },
      { code: 'c3', balance: 0, posted: 0 },
    ])
    expect((await shop.call('GET', '/v1/vouchers/c1/transactions')).body.data).toEqual([])
    expect((await shop.call('POST', '/v1/vouchers/c1/balance', { amount: -700 })).body).toMatchObject({ balance: 0 })
    expect((await shop.call('POST', '/v1/vouchers/c2/balance', { amount: -1 })).body.key).toBe('gift_amount_exceeded')
  })

  test('later rows of the same code update it, within a step and across steps', async () => {
    const shop = await newProject()
    const filler = Array.from({ length: limits.csv_step_rows }, (_, n) => `f${n},GIFT_VOUCHER,1,,`)
    const rows = [
      'a,GIFT_VOUCHER,5,,',
      'a,GIFT_VOUCHER,9,FALSE,',
      'a,,,,Gold',
      ...filler,
      'a,,,TRUE,',
      'b,,,,',
      'b,GIFT_VOUCHER,2,,',
    ]
    const { result } = await csv(shop, `Code,Voucher Type,Value,Active,Category\n${rows.join('\n')}`)
    expect(result).toMatchObject({
      done_count: rows.length - 1,
      failed: [{ code: 'b', row: rows.length - 1, reason: 'Voucher Type is required' }],
    })
    expect(await read(shop, 'a')).toMatchObject({ active: true, category: 'Gold', gift: { amount: 5 } })
    expect((await list(shop)).total).toBe(limits.csv_step_rows + 2)
  })

  test('categories are set by name or id; an unknown name creates one; an empty cell keeps the category', async () => {
    const shop = await newProject()
    const gold = (await shop.call('POST', '/v1/categories', { name: 'Gold', hierarchy: 7 })).body
    const header = 'Code,Voucher Type,Value,Active,Category'
    const rows = [
      `a,GIFT_VOUCHER,1,,${gold.id}`,
      'b,GIFT_VOUCHER,1,,Gold',
      'c,GIFT_VOUCHER,1,FALSE,New',
      'd,GIFT_VOUCHER,1,,New',
      'bad,,1,,Never',
    ]
    await csv(shop, [header, ...rows].join('\n'))
    const { vouchers } = await list(shop)
    const named = vouchers.map(({ code, category, categories }: Record<string, unknown>) => [
      code,
      category,
      (categories as object[]).length,
    ])
    expect(named).toEqual([
      ['a', 'Gold', 1],
      ['b', 'Gold', 1],
      ['c', 'New', 1],
      ['d', 'New', 1],
    ])
    const known = (await shop.call('GET', '/v1/categories')).body.data
    expect(known.map(({ name, hierarchy }: Record<string, unknown>) => [name, hierarchy])).toEqual([
      ['New', 0],
      ['Gold', 7],
    ])

    await csv(shop, `Code,Active,Category\nc,,\nd,,Gold\nb,false,\n`)
    const after = (await list(shop)).vouchers.slice(1)
    expect(
      after.map(({ category, active, updated_at }: Record<string, unknown>) => [category, active, updated_at !== null]),
    ).toEqual([
      ['Gold', false, true],
      ['New', false, false],
      ['Gold', true, true],
    ])
  })

  test('webhooks_enable emits an event for each stored row, even for unchanged ones', async () => {
    const shop = await newProject()
    const ruleId = await newRule(shop)
    const before = (await eventsOf(shop)).length
    await csv(shop, `Code,Voucher Type,Value,Validation Rule ID\na,GIFT_VOUCHER,1,${ruleId}\nb,,1,\n`, {
      webhooks_enable: 'true',
    })
    await csv(shop, 'Code,Voucher Type,Value,Active\na,,,\nc,GIFT_VOUCHER,2,\nc,,,FALSE\n', { webhooks_enable: 'true' })
    await csv(shop, 'Code,Voucher Type,Value,Active\na,,,FALSE\nd,GIFT_VOUCHER,2,\n', { webhooks_enable: 'false' })
    await csv(shop, 'Code,Voucher Type,Value,Active\na,,,TRUE\ne,GIFT_VOUCHER,2,\n')
    const events = (await eventsOf(shop)).slice(before)
    const { id } = await read(shop, 'a')
    expect(events.map(({ type }) => type)).toEqual([
      'business_validation_rule.assignment.created',
      'voucher.created',
      'voucher.updated',
      'voucher.created',
      'voucher.updated',
    ])
    expect(events[0]).toMatchObject({
      entity_id: ruleId,
      data: { rule: { assignments_count: 1 }, voucher: { code: 'a' } },
    })
    expect(events[1]).toMatchObject({
      entity_id: id,
      data: { campaign: null, voucher: { code: 'a', gift: { amount: 1 }, validation_rules_assignments: { total: 1 } } },
    })
    expect(events[2]?.entity_id).toBe(id)
    expect((await sendCsv(shop, '/v1/vouchers/importCSV', 'Code\n', { webhooks_enable: 'maybe' })).body).toMatchObject({
      key: 'invalid_payload',
      details: 'Property .webhooks_enable must be boolean',
    })
  })

  test('a case-insensitive project finds a code in any case', async () => {
    const shop = await newProject({ project: { case_sensitive_codes: false } })
    const { result } = await csv(shop, 'Code,Voucher Type,Value,Active\nSummer,GIFT_VOUCHER,1,\nSUMMER,,,FALSE\n')
    expect(result).toMatchObject({ done_count: 2, failed: [] })
    expect(await read(shop, 'summer')).toMatchObject({ code: 'Summer', active: false })
  })

  test('a file is required', async () => {
    const shop = await newProject()
    expect(await shop.call('POST', '/v1/vouchers/importCSV')).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload', details: "Payload should have required property 'file'" },
    })
  })
})

describe('JSON', () => {
  test('entries become vouchers without a campaign', async () => {
    const shop = await newProject()
    const validityTimeframe = { interval: 'P2D', duration: 'P1D' }
    const action = await json(shop, [
      {
        code: ' A ',
        discount: ten,
        category: 'Gold',
        active: false,
        start_date: '2025-03-05',
        expiration_date: '2025-03-06T07:45:10+02:00',
        validity_timeframe: validityTimeframe,
        validity_day_of_week: [1, 1, 2],
        redemption: { quantity: 3 },
        additional_info: 'info',
        metadata: { a: [1] },
        validity_hours: 'ignored',
        campaign: 'ignored',
      },
      { code: 'B', type: 'GIFT_VOUCHER', gift: { amount: 500, effect: 'APPLY_TO_ITEMS', balance: 1 }, discount: {} },
    ])
    expect(action).toMatchObject({
      type: 'VOUCHERS.IMPORT',
      status: 'DONE',
      operation_status: 'SUCCESS',
      result: { message: '2 voucher(s) imported successfully, 0 failed.', failed: [], done_count: 2, failed_count: 0 },
    })
    expect(await read(shop, 'A')).toMatchObject({
      code: 'A',
      campaign: null,
      discount: ten,
      category: 'Gold',
      active: false,
      start_date: '2025-03-05T00:00:00.000Z',
      expiration_date: '2025-03-06T05:45:10.000Z',
      validity_timeframe: validityTimeframe,
      validity_day_of_week: [1, 2],
      validity_hours: null,
      redemption: { quantity: 3 },
      additional_info: 'info',
      metadata: { a: [1] },
    })
    expect(await read(shop, 'B')).toMatchObject({
      active: true,
      discount: null,
      gift: { amount: 500, balance: 500, subtracted_amount: 0, effect: 'APPLY_TO_ITEMS' },
      redemption: { quantity: null },
    })
    expect(await balances(shop)).toEqual([{ code: 'B', balance: 500, posted: 500 }])
    expect(await codesOf(shop)).toEqual(['A', 'B'])
    expect(await typesOf(shop)).toEqual([])
    expect(await filesOf(shop)).toBe(0)
  })

  test('codes that exist, even in the bin, and repeated codes refuse the whole import', async () => {
    const shop = await newProject()
    await shop.call('POST', '/v1/vouchers/A1', { type: 'DISCOUNT_VOUCHER', discount: ten })
    await shop.call('POST', '/v1/vouchers/Z1', { type: 'DISCOUNT_VOUCHER', discount: ten })
    await shop.call('DELETE', '/v1/vouchers/Z1')
    const sent = (...codes: string[]) =>
      shop.call(
        'POST',
        '/v1/vouchers/import',
        codes.map((code) => ({ code, discount: ten })),
      )
    expect(await sent('A1', 'B1', 'B1', 'C1')).toMatchObject({
      status: 400,
      body: { key: 'duplicate_key', message: 'Duplicate codes', details: '2 voucher codes(s) already exist.' },
    })
    expect((await sent('A1', 'A1', 'Z1', 'B1')).body.details).toBe('3 voucher codes(s) already exist.')
    await runStarted(shop)
    expect(await codesOf(shop)).toEqual(['A1'])
    expect(await filesOf(shop)).toBe(0)
  })

  test.each([
    ['invalid_payload', { code: 'a', discount: ten }, /^Payload must be array$/],
    ['invalid_payload', [], /fewer than 1 items/],
    ['invalid_payload', [{ code: 7, discount: ten }], /^Property \[0\]\.code must be string,null$/],
    ['invalid_payload', [{ code: 'a', discount: ten, redemption: { quantity: 0 } }], /quantity must be >= 1/],
    ['invalid_payload', [{ code: 'a', discount: ten, start_date: '05/03/2025' }], /start_date cannot be recognized/],
    ['invalid_payload', [{ code: 'a', discount: ten, metadata: [] }], /metadata must be object/],
    [
      'invalid_voucher',
      [{ discount: ten }, { code: ' ' }, { code: 'c' }],
      /^Found 2 voucher\(s\) without 'code' value$/,
    ],
    ['invalid_voucher', [{ code: 'x'.repeat(256), discount: ten }], /more than 255 characters/],
    ['invalid_voucher', [{ code: 'a' }], /'discount' and 'gift'/],
    ['invalid_voucher', [{ code: 'a', discount: ten, gift: { amount: 1 } }], /'discount' and 'gift'/],
    ['invalid_voucher', [{ code: 'a', type: 'GIFT_VOUCHER', discount: ten }], /'gift' is required/],
    ['invalid_voucher', [{ code: 'a', type: 'DISCOUNT_VOUCHER', gift: { amount: 1 } }], /'discount' is required/],
    ['invalid_voucher', [{ code: 'a', discount: { type: 'PERCENT' } }], /^Voucher 'a': .*'percent_off'/],
    ['invalid_voucher', [{ code: 'a', gift: { amount: -1 } }], /^Voucher 'a': .*amount must be >= 0/],
    ['invalid_voucher', [{ code: 'a', loyalty_card: { points: 1 } }], /loyalty card/],
    ['invalid_voucher', [{ code: 'a', type: 'LOYALTY_CARD', discount: ten }], /loyalty card/],
    [
      'invalid_voucher',
      [{ code: 'a', discount: ten, start_date: '2025-02-01', expiration_date: '2025-01-01' }],
      /must not be earlier/,
    ],
    [
      'invalid_voucher',
      [{ code: 'a', discount: ten, validity_timeframe: { interval: 'P1D', duration: 'PT1H' } }],
      /start_date/,
    ],
    ['not_found', [{ code: 'a', discount: { type: 'UNIT', unit_type: 'prod_x', unit_off: 1 } }], /prod_x/],
  ])('%s refuses an invalid body, and nothing is imported (%#)', async (key, body, details) => {
    const shop = await newProject()
    const answer = await shop.call('POST', '/v1/vouchers/import', body)
    expect(answer.body).toMatchObject({ key, details: expect.stringMatching(details) })
    expect((await shop.call('GET', '/v1/async-actions')).body.async_actions).toEqual([])
    expect(await codesOf(shop)).toEqual([])
  })

  test('errors found by the job fail their entry only: invalid metadata, a code taken meanwhile', async () => {
    const shop = await newProject()
    await defineYear(shop, { optional: true })
    const { body: started } = await shop.call('POST', '/v1/vouchers/import', [
      { code: 'a', discount: ten, metadata: { year: 2026 } },
      { code: 'b', discount: ten, metadata: { year: 'soon' } },
      { code: 'c', discount: ten, category: 'Never' },
      { code: 'd', gift: { amount: 3 } },
    ])
    await shop.call('POST', '/v1/vouchers/c', { type: 'GIFT_VOUCHER', gift: { amount: 1 } })
    expect(await finished(shop, started.async_action_id)).toMatchObject({
      status: 'DONE',
      operation_status: 'FAILED',
      result: {
        message: '2 voucher(s) imported successfully, 2 failed.',
        failed: [
          { code: 'b', reason: expect.stringContaining('year') },
          { code: 'c', reason: 'Duplicated voucher exists with id c' },
        ],
        done_count: 2,
        failed_count: 2,
      },
    })
    expect((await codesOf(shop)).sort()).toEqual(['a', 'c', 'd'])
    expect((await read(shop, 'c')).type).toBe('GIFT_VOUCHER')
    expect((await shop.call('GET', '/v1/categories')).body.data).toEqual([])
  })

  test('many entries are stored in steps, each once, even if one of them is very long', async () => {
    const shop = await newProject()
    const count = 2 * limits.csv_step_rows + 3
    const entries = Array.from({ length: count }, (_, n) => ({
      code: `c${n}`,
      gift: { amount: n },
      metadata: n === 700 ? { text: Array.from({ length: 30 }, () => 'ł'.repeat(900)) } : {},
    }))
    const { result } = await json(shop, entries)
    expect(result).toMatchObject({ done_count: count, failed_count: 0 })
    expect((await list(shop)).total).toBe(count)
    expect((await read(shop, 'c700')).metadata.text).toHaveLength(30)
    const cards = await balances(shop)
    expect(cards).toHaveLength(count)
    expect(cards.filter(({ code, balance, posted }) => balance !== posted || code !== `c${balance}`)).toEqual([])
  })
})

describe('bulk metadata', () => {
  const report = async ({ service: { app } }: Shop, url: string) =>
    (await send(app, 'GET', new URL(url).pathname)).body as unknown as string

  async function shopWithCodes(): Promise<Shop> {
    const shop = await newProject()
    await defineYear(shop, { optional: true })
    for (const code of ['a', 'b'])
      await shop.call('POST', `/v1/vouchers/${code}`, { discount: ten, metadata: { x: 1, y: { z: 1 } } })
    return shop
  }

  test('metadata is merged into each voucher; unknown vouchers are reported, and no events are emitted', async () => {
    const shop = await shopWithCodes()
    const before = await typesOf(shop)
    const { body, status } = await shop.call('POST', '/v1/vouchers/bulk/async', [
      { code: 'a', metadata: { x: null, y: { w: 2 }, year: 2026 }, active: false },
      { code: 'unknown', metadata: {} },
      { code: 'b', metadata: { year: 'soon' } },
      { code: 'a', metadata: { again: true } },
    ])
    expect(status).toBe(202)
    const { result, ...action } = await finished(shop, body.async_action_id)
    expect(action).toMatchObject({ type: 'VOUCHERS.BULK_UPDATE', status: 'DONE', operation_status: 'FAILED' })
    expect(result).toEqual({
      done_count: 2,
      failed_count: 2,
      reports: [expect.any(String)],
      reports_available_till: expect.any(String),
      errors: [
        {
          message: 'Resource not found',
          details: 'Cannot find voucher with id unknown',
          key: 'not_found',
          code: 'unknown',
        },
        {
          message: 'Metadata validation failed',
          details: expect.stringContaining('year'),
          key: 'metadata_validation_failed',
          code: 'b',
        },
      ],
    })
    expect((await report(shop, result.reports[0])).split('\n').slice(0, 3)).toEqual([
      'code,found,updated,message',
      'a,true,true,',
      'unknown,false,false,Cannot find voucher with id unknown',
    ])
    expect(await read(shop, 'a')).toMatchObject({
      active: true,
      metadata: { x: null, y: { w: 2 }, year: 2026, again: true },
      updated_at: expect.any(String),
    })
    expect(await read(shop, 'b')).toMatchObject({ metadata: { x: 1, y: { z: 1 } }, updated_at: null })
    expect(await typesOf(shop)).toEqual(before)
  })

  test('the same metadata is merged into many vouchers', async () => {
    const shop = await shopWithCodes()
    const { body, status } = await shop.call('POST', '/v1/vouchers/metadata/async', {
      codes: ['a', 'unknown', 'b'],
      metadata: { season: 'spring' },
    })
    expect(status).toBe(202)
    const { result, type } = await finished(shop, body.async_action_id)
    expect(type).toBe('VOUCHERS.METADATA_UPDATE')
    expect(result).toMatchObject({ done_count: 2, failed_count: 1 })
    expect(result.errors).toEqual([
      { message: 'Resource not found', details: 'Cannot find voucher with id unknown', key: 'not_found' },
    ])
    expect(await report(shop, result.reports[0])).toBe(
      'code,found,updated,message\na,true,true,\nunknown,false,false,Cannot find voucher with id unknown\nb,true,true,\n',
    )
    for (const code of ['a', 'b'])
      expect((await read(shop, code)).metadata).toEqual({ x: 1, y: { z: 1 }, season: 'spring' })
  })

  test('metadata inherited from a campaign is kept when more is merged', async () => {
    const shop = await newProject()
    const voucher = { type: 'DISCOUNT_VOUCHER', discount: ten }
    await shop.call('POST', '/v1/campaigns', { name: 'C', voucher, metadata: { region: 'north' } })
    await shop.call('POST', '/v1/campaigns/C/vouchers/a', {})
    const { body } = await shop.call('POST', '/v1/vouchers/metadata/async', { codes: ['a'], metadata: { x: 1 } })
    await finished(shop, body.async_action_id)
    expect((await read(shop, 'a')).metadata).toEqual({ region: 'north', x: 1 })
  })

  test.each([
    ['/v1/vouchers/bulk/async', [{ metadata: {} }], /required property 'code'/],
    ['/v1/vouchers/bulk/async', [{ code: 'a' }], /required property 'metadata'/],
    ['/v1/vouchers/metadata/async', { codes: ['a'] }, /required property 'metadata'/],
  ])('refused: %s %j', async (path, body, details) => {
    const shop = await newProject()
    const answer = await shop.call('POST', path, body)
    expect(answer).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload', details: expect.stringMatching(details) },
    })
  })
})

test('fixed paths cannot be used as codes in the URL, but in the body', async () => {
  const shop = await newProject()
  const voucher = { type: 'DISCOUNT_VOUCHER', discount: ten }
  for (const path of ['import', 'bulk/async', 'metadata/async'])
    expect((await shop.call('POST', `/v1/vouchers/${path}`, voucher)).body.key).toBe('invalid_payload')
  expect((await shop.call('POST', '/v1/vouchers/importCSV', voucher)).status).toBe(415)
  for (const code of ['import', 'importCSV', 'bulk', 'metadata'])
    expect((await shop.call('POST', '/v1/vouchers', { ...voucher, code })).status).toBe(200)
  expect((await read(shop, 'import')).code).toBe('import')
})
