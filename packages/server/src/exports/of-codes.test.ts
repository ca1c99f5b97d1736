import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Terms } from '../core/db/tables.ts'
import { newId } from '../core/lib/ids.ts'
import { limits } from '../core/lib/limits.ts'
import { newProject, type Shop } from '../testing/app.ts'
import { createExport, exportLines, followExport, readExport, workOnExports } from '../testing/exports.ts'
import { exportables } from './objects.ts'

const dbOf = (shop: Shop) => shop.service.runtime.database.db

/** Minutes after the beginning of 2026. */
const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()

async function insert(shop: Shop, table: string, row: Record<string, unknown>): Promise<void> {
  const all = { project_id: shop.project_id, ...row }
  const values = Object.values(all).map((value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? JSON.stringify(value) : value,
  )
  await sql`insert into ${sql.table(table)} (${sql.join(Object.keys(all).map((name) => sql.ref(name)))})
    values (${sql.join(values)})`.execute(dbOf(shop))
}

let minutes = 0

/** Inserts a voucher, one minute younger than the last. */
async function insertCode(
  shop: Shop,
  code: string,
  { terms = {}, ...row }: { terms?: object } & Record<string, unknown> = {},
): Promise<string> {
  minutes += 1
  const [id, termsId] = [newId('voucher', Date.parse(at(minutes))), newId('terms')]
  await insert(shop, 'terms', { id: termsId, content: terms as Terms, created_at: at(minutes) })
  await insert(shop, 'vouchers', {
    id,
    code,
    code_key: code,
    type: 'DISCOUNT_VOUCHER',
    terms_id: termsId,
    active: true,
    is_referral_code: false,
    asset_id: randomUUID(),
    created_at: at(minutes),
    ...row,
  })
  return id
}

/** The columns of every card. */
const credits = (added: number, subtracted = 0, redeemed = 0, expired = 0) => ({
  credits_added: added,
  credits_subtracted: subtracted,
  credits_redeemed: redeemed,
  credits_expired: expired,
  credits_pending: 0,
})

async function insertCampaign(shop: Shop, name: string, row: object = {}): Promise<string> {
  const id = newId('campaign')
  await insert(shop, 'campaigns', {
    id,
    name,
    campaign_type: 'GIFT_VOUCHERS',
    type: 'STATIC',
    voucher_type: 'GIFT_VOUCHER',
    voucher: {},
    terms_id: newId('terms'),
    auto_join: false,
    join_once: false,
    use_voucher_metadata_schema: false,
    active: true,
    metadata: {},
    status: 'DONE',
    created_at: at(0),
    config_version: 1,
    ...row,
  })
  return id
}

async function insertCustomer(shop: Shop, sourceId: string): Promise<string> {
  const id = newId('customer')
  await insert(shop, 'customers', { id, source_id: sourceId, metadata: {}, created_at: at(0) })
  return id
}

const refusedFields = (shop: Shop, exportedObject: string, fields: string[]) =>
  shop.call('POST', '/v1/exports', { exported_object: exportedObject, parameters: { fields } })

describe('every object has its fields, defaults and orders', () => {
  const cases: Array<[exported_object: string, default_fields: string, headers: string, orders: string, hasMetadata: boolean]> = [
    ['voucher', 'code voucher_type value discount_type', 'Code,Voucher Type,Value,Discount Type,ID,Formula,Campaign,Campaign ID,Category,Start Date,Expiration Date,Gift Balance,Loyalty Balance,Redemption Quantity,Redemption Count,Active,QR Code,Bar Code,Is Referral Code,Created At,Updated At,Validity Timeframe Interval,Validity Timeframe Duration,Validity Day Of Week,Discount Amount Limit,Additional Info,Customer ID,Customer Source ID,Discount Effect,Discount Unit Type,Discount Unit Effect,Validation Rules ID', '-created_at created_at -updated_at updated_at -code code', true],
    ['publication', 'voucher_code customer_id date channel', 'Voucher Code,Code,Customer ID,Date,Channel,Customer Source ID,Campaign,Is Winner', '-created_at created_at -id id -voucher_code voucher_code -tracking_id tracking_id -customer_id customer_id -channel channel', true],
    ['voucher_transactions', 'id type source_id reason source balance amount created_at', 'ID,Type,Source ID,Reason,Source,Balance,Amount,Created At,Voucher ID,Campaign ID,Related Transaction ID,Details', '-created_at created_at', false],
    ['points_expiration', 'id campaign_id voucher_id status expires_at points', 'ID,Campaign ID,Voucher ID,Status,Expires At,Points', '-expires_at expires_at', false],
  ] // biome-ignore format: one case is one line
  test.each(cases)('%s', async (name, defaultFields, header, orders, hasMetadata) => {
    const shop = await newProject()
    const { parameters } = await createExport(shop, name)
    expect(parameters).toEqual({
      order: orders.split(' ')[0],
      fields: defaultFields.split(' '),
      filters: { junction: 'and' },
    })
    const exportable = exportables[name as 'voucher']
    expect(exportable.orders).toEqual(orders.split(' '))
    const fields = Object.keys(exportable.fields)
    for (const order of exportable.orders) expect(await exportLines(shop, name, { order, fields })).toEqual([header])
    expect(await refusedFields(shop, name, ['id', 'colour'])).toMatchObject({
      status: 400,
      body: {
        key: 'invalid_export_fields',
        details: expect.stringMatching(
          new RegExp(`Allowed fields: ${fields.join(', ')}${hasMetadata ? ', metadata, metadata.<key>' : ''}$`),
        ),
      },
    })
    expect((await refusedFields(shop, name, ['metadata', 'metadata.x'])).status).toBe(hasMetadata ? 200 : 400)
    expect(
      await shop.call('POST', '/v1/exports', { exported_object: name, parameters: { order: 'metadata' } }),
    ).toMatchObject({ status: 400, body: { key: 'invalid_payload' } })
  })
})

describe('vouchers', () => {
  test('are listed newest first, with their values', async () => {
    const shop = await newProject()
    await insertCode(shop, 'SPR-1', { terms: { discount: { type: 'AMOUNT', amount_off: 1500 } } })
    await insertCode(shop, 'CARD-9', { type: 'GIFT_VOUCHER', ...credits(7000) })
    expect(await exportLines(shop, 'voucher')).toEqual([
      'Code,Voucher Type,Value,Discount Type',
      'CARD-9,GIFT_VOUCHER,7000,',
      'SPR-1,DISCOUNT_VOUCHER,1500,AMOUNT',
    ])
    expect(await refusedFields(shop, 'voucher', ['code', 'colour'])).toMatchObject({
      status: 400,
      body: { key: 'invalid_export_fields' },
    })
  })

  test('have the value, formula and effect of their type of discount or card', async () => {
    const shop = await newProject()
    await insertCode(shop, 'AMOUNT', { terms: { discount: { type: 'AMOUNT', amount_off: 1500, effect: 'APPLY_TO_ITEMS' } } })
    await insertCode(shop, 'PERCENT', { terms: { discount: { type: 'PERCENT', percent_off: 12.5, amount_limit: 900, effect: 'APPLY_TO_ORDER' } } })
    await insertCode(shop, 'FIXED', { terms: { discount: { type: 'FIXED', fixed_amount: 2000, fixed_amount_formula: 'ORDER_AMOUNT/2' } } })
    await insertCode(shop, 'UNIT', { terms: { discount: { type: 'UNIT', unit_off: 2, unit_type: 'prod_1', effect: 'ADD_NEW_ITEMS' } } })
    await insertCode(shop, 'UNITS', { terms: { discount: { type: 'UNIT', effect: 'ADD_MANY_ITEMS', units: [{ unit_off: 1, unit_type: 'prod_1' }] } } })
    await insertCode(shop, 'GIFT', { type: 'GIFT_VOUCHER', ...credits(10_500, 1_200, 4_000), terms: { effect: 'APPLY_TO_ITEMS' } })
    await insertCode(shop, 'POINTS', { type: 'LOYALTY_CARD', ...credits(500, 100, 50, 30) })
    const fields = ['code', 'value', 'discount_type', 'formula', 'discount_effect', 'discount_unit_type', 'discount_unit_effect', 'discount_amount_limit', 'gift_balance', 'loyalty_balance']
    expect(await exportLines(shop, 'voucher', { order: 'created_at', fields })).toEqual([
      'Code,Value,Discount Type,Formula,Discount Effect,Discount Unit Type,Discount Unit Effect,Discount Amount Limit,Gift Balance,Loyalty Balance',
      'AMOUNT,1500,AMOUNT,,APPLY_TO_ITEMS,,,,,',
      'PERCENT,12.5,PERCENT,,APPLY_TO_ORDER,,,900,,',
      'FIXED,2000,FIXED,ORDER_AMOUNT/2,,,,,,',
      'UNIT,2,UNIT,,,prod_1,ADD_NEW_ITEMS,,,',
      'UNITS,,UNIT,,,,ADD_MANY_ITEMS,,,',
      'GIFT,5300,,,,,,,5300,',
      'POINTS,320,,,,,,,,320',
    ])
  }) // biome-ignore format: a row is a line

  test('have all fields, including campaign, category, holder and rules', async () => {
    const shop = await newProject()
    const campaignId = await insertCampaign(shop, 'Spring, "late"')
    const holderId = await insertCustomer(shop, 'anna')
    const { body: category } = await shop.call('POST', '/v1/categories', { name: 'Seasonal', hierarchy: 1 })
    const assetId = randomUUID()
    const id = await insertCode(shop, 'ALL-1', {
      campaign_id: campaignId,
      category_id: category.id,
      holder_id: holderId,
      asset_id: assetId,
      start_date: '2026-02-01T00:00:00Z',
      expiration_date: '2026-03-01T00:00:00+01:00',
      quantity: 5,
      redeemed_quantity: 2,
      active: false,
      additional_info: 'two\nlines',
      is_referral_code: true,
      updated_at: at(99),
      terms: {
        discount: { type: 'PERCENT', percent_off: 10 },
        validity_timeframe: { interval: 'P2D', duration: 'P1D' },
        validity_day_of_week: [1, 3, 5],
      },
    })
    const rules: string[] = []
    for (let n = 0; n < 2; n += 1) rules.push((await shop.call('POST', '/v1/validation-rules', {})).body.id)
    for (const [n, ruleId] of rules.entries())
      await insert(shop, 'rule_assignments', {
        id: newId('rule_assignment', Date.now() + n),
        rule_id: ruleId,
        related_object_type: 'voucher',
        related_object_id: id,
        created_at: at(0),
        config_version: 1,
      })
    await insertCode(shop, 'BARE', { category_id: 'cat_gone', holder_id: 'cust_gone' })
    const [, ...rows] = await exportLines(shop, 'voucher', {
      order: 'created_at',
      fields: Object.keys(exportables.voucher.fields).filter((name) => name !== 'created_at'),
    })
    const { base_url } = shop.service.runtime.settings
    expect(rows.join('\n')).toMatch(
      `ALL-1,DISCOUNT_VOUCHER,10,PERCENT,${id},,"Spring, ""late""",${campaignId},Seasonal,2026-02-01T00:00:00.000Z,2026-02-28T23:00:00.000Z,,,5,2,false,` +
        `${base_url}/v1/assets/qr/${assetId},${base_url}/v1/assets/barcode/${assetId},true,${at(99)},P2D,P1D,"1,3,5",,"two\nlines",${holderId},anna,,,,"${rules}"\n` +
        'BARE,DISCOUNT_VOUCHER,,,',
    )
    expect(rows.at(-1)).toMatch(/,cust_gone,,,,,$/)
  })

  test('have their own metadata, or those of their terms', async () => {
    const shop = await newProject()
    await insertCode(shop, 'OWN', { metadata: { colour: 'red' }, terms: { metadata: { region: 'north' } } })
    await insertCode(shop, 'NONE', { metadata: {}, terms: { metadata: { region: 'south' } } })
    await insertCode(shop, 'HANDED', { terms: { metadata: { region: 'east' } } })
    await insertCode(shop, 'BARE')
    expect(await exportLines(shop, 'voucher', { order: 'code', fields: ['code', 'metadata'] })).toEqual([
      'Code,metadata.colour,metadata.region',
      'BARE,,',
      'HANDED,,east',
      'NONE,,',
      'OWN,red,',
    ])
  })

  test('exclude the trash bin, campaigns in the trash bin and other projects', async () => {
    const [shop, other] = [await newProject(), await newProject()]
    await insertCode(other, 'OTHER')
    await insertCode(shop, 'BINNED', { deleted_at: at(1) })
    await insertCode(shop, 'WITH CAMPAIGN', {
      campaign_id: await insertCampaign(shop, 'Binned', { deleted_at: at(1) }),
    })
    await insertCode(shop, 'IN CAMPAIGN', { campaign_id: await insertCampaign(shop, 'There') })
    await insertCode(shop, 'ALONE')
    expect(await exportLines(shop, 'voucher', { fields: ['code'] })).toEqual(['Code', 'ALONE', 'IN CAMPAIGN'])
  })

  test('can be limited to one campaign, which must exist and is shown in the response', async () => {
    const shop = await newProject()
    const campaignId = await insertCampaign(shop, 'Mine')
    await insertCode(shop, 'OUT')
    await insertCode(shop, 'IN', { campaign_id: campaignId })
    const { parameters } = await createExport(shop, 'voucher', { campaign_id: campaignId, fields: ['code'] })
    expect(parameters).toEqual({
      order: '-created_at',
      fields: ['code'],
      filters: { junction: 'and' },
      campaign_id: campaignId,
    })
    const filters = {
      junction: 'or',
      code: { conditions: { $is: 'OUT' } },
      voucher_type: { conditions: { $has_value: '' } },
    }
    expect(await exportLines(shop, 'voucher', { campaign_id: campaignId, fields: ['code'], filters })).toEqual([
      'Code',
      'IN',
    ])
    for (const unknown of ['camp_0', 'Mine', await insertCampaign(shop, 'Binned', { deleted_at: at(1) })])
      expect(
        await shop.call('POST', '/v1/exports', { exported_object: 'voucher', parameters: { campaign_id: unknown } }),
      ).toMatchObject({ status: 404, body: { resource_type: 'campaign', resource_id: unknown } })
    expect((await createExport(shop, 'voucher', { campaign_id: null })).parameters).not.toHaveProperty('campaign_id')
  })

  const filters: Array<[filters: object, found: string]> = [
    [{ code: { conditions: { $starts_with: 'A' } } }, 'A1 A2'],
    [{ vouchers: { conditions: { $in: ['B1', 'A2'] } } }, 'A2 B1'],
    [{ voucher_type: { conditions: { $is: 'GIFT_VOUCHER' } } }, 'B1'],
    [{ campaigns: { conditions: { $is: 'Mine' } } }, 'A2'],
    [{ 'redemption.redeemed_quantity': { conditions: { $more_than: 0 } } }, 'A1'],
    [{ 'metadata.vip': { conditions: { $is: true } } }, 'B1'],
    [{ active: { conditions: { $disabled: true } } }, 'A2'],
    [{ junction: 'or', code: { conditions: { $is: 'A1' } }, campaigns: { conditions: { $is: 'Mine' } } }, 'A1 A2'],
  ]
  test('are filtered as in their list', async () => {
    const shop = await newProject()
    await insertCode(shop, 'A1', { redeemed_quantity: 1 })
    await insertCode(shop, 'A2', { active: false, campaign_id: await insertCampaign(shop, 'Mine') })
    await insertCode(shop, 'B1', { type: 'GIFT_VOUCHER', ...credits(5), terms: { metadata: { vip: true } } })
    for (const [asked, found] of filters) {
      const [, ...rows] = await exportLines(shop, 'voucher', { order: 'code', fields: ['code'], filters: asked })
      expect(rows.join(' '), JSON.stringify(asked)).toBe(found)
    }
    expect(
      await shop.call('POST', '/v1/exports', {
        exported_object: 'voucher',
        parameters: { filters: { colour: { conditions: { $is: 'red' } } } },
      }),
    ).toMatchObject({ status: 400, body: { key: 'invalid_payload' } })
  })

  test('many are written in steps, each once and in every order, nulls last', async () => {
    const shop = await newProject()
    const count = 2 * limits.export_step_rows + 37
    const termsId = newId('terms')
    await insert(shop, 'terms', { id: termsId, content: {}, created_at: at(0) })
    await sql`
      insert into vouchers (project_id, id, code, code_key, type, terms_id, active, is_referral_code, asset_id, created_at, updated_at)
      select ${shop.project_id}, 'v_' || lpad(n::text, 5, '0'), 'C' || (n * 7919 % 100003), 'C' || (n * 7919 % 100003),
        'DISCOUNT_VOUCHER', ${termsId}, true, false, gen_random_uuid(), '2026-01-01'::timestamptz + n * interval '1 second',
        case when n % 3 > 0 then '2026-02-01'::timestamptz + (n % 7) * interval '1 day' end
      from generate_series(1, ${sql.lit(count)}::int) as n`.execute(dbOf(shop))
    const { rows: all } = await sql<{ id: string; code: string; updated_at: string | null }>`
      select id, code, updated_at from vouchers where project_id = ${shop.project_id} order by id`.execute(dbOf(shop))
    const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
    for (const order of exportables.voucher.orders) {
      const { id } = await createExport(shop, 'voucher', { order, fields: ['id'] })
      // An order without an index is read in one step, unless there are very many rows.
      expect(await workOnExports(shop)).toBe(order.endsWith('updated_at') ? 1 : 3)
      const { body } = await followExport(shop, (await readExport(shop, id)).result?.url ?? '')
      const sign = order.startsWith('-') ? -1 : 1
      const expected = all.toSorted((a, b) => {
        if (order.endsWith('created_at')) return sign * byText(a.id, b.id)
        if (order.endsWith('code')) return sign * byText(a.code, b.code)
        if (a.updated_at === null || b.updated_at === null)
          return Number(a.updated_at === null) - Number(b.updated_at === null) || sign * byText(a.id, b.id)
        return sign * (byText(a.updated_at, b.updated_at) || byText(a.id, b.id))
      })
      expect(body.trimEnd().split('\n').slice(1), order).toEqual(expected.map((one) => one.id))
      if (!order.endsWith('updated_at')) continue
      const slowly = await createExport(shop, 'voucher', { order, fields: ['id', 'metadata.none'] })
      expect(await workOnExports(shop)).toBe(3)
      const again = await followExport(shop, (await readExport(shop, slowly.id)).result?.url ?? '')
      expect(again.body).toBe(`ID,metadata.none\n${expected.map((one) => `${one.id},\n`).join('')}`)
    }
  })
})

describe('publications', () => {
  async function insertPublication(shop: Shop, row: Record<string, unknown>): Promise<string> {
    minutes += 1
    const id = newId('publication', Date.parse(at(minutes)))
    await insert(shop, 'publications', {
      id,
      voucher_ids: [],
      is_referral_code: false,
      channel: 'API',
      metadata: {},
      result: 'SUCCESS',
      created_at: at(minutes),
      ...row,
    })
    return id
  }

  /** Two codes for Anna, one for Bob, and a failed publication to Bob. */
  async function published(options: Parameters<typeof newProject>[0] = {}) {
    const shop = await newProject(options)
    const [anna, bob] = [await insertCustomer(shop, 'anna'), await insertCustomer(shop, 'bob')]
    const campaignId = await insertCampaign(shop, 'Autumn')
    const codes: string[] = []
    for (const code of ['q2', 'q1', 'alone']) codes.push(await insertCode(shop, code, { campaign_id: campaignId }))
    const [second, first, alone] = codes as [string, string, string]
    const pair = {
      voucher_code: 'q1',
      voucher_type: 'DISCOUNT_VOUCHER',
      campaign_id: campaignId,
      voucher_ids: [first, second],
    }
    await insertPublication(shop, { customer_id: anna, ...pair, metadata: { wave: 1 }, source_id: 'mail-77' })
    await insertPublication(shop, {
      customer_id: bob,
      voucher_code: 'alone',
      voucher_type: 'GIFT_VOUCHER',
      voucher_ids: [alone],
      channel: 'Mail, "weekly"',
      is_referral_code: true,
    })
    await insertPublication(shop, {
      customer_id: bob,
      campaign_id: campaignId,
      result: 'FAILURE',
      failure_code: 'voucher_already_published',
    })
    return { shop, anna, bob, campaign_id: campaignId, second }
  }

  test('show the customer and the codes, in the order of publication', async () => {
    const { shop, anna, bob } = await published()
    const fields = [
      'voucher_code',
      'code',
      'customer_id',
      'customer_source_id',
      'channel',
      'campaign',
      'is_winner',
      'metadata',
    ]
    expect(await exportLines(shop, 'publication', { order: 'created_at', fields })).toEqual([
      'Voucher Code,Code,Customer ID,Customer Source ID,Channel,Campaign,Is Winner,metadata.wave',
      `"q1,q2","q1,q2",${anna},anna,API,Autumn,,1`,
      `alone,alone,${bob},bob,"Mail, ""weekly""",,,`,
      `,,${bob},bob,API,Autumn,,`,
    ])
    const [, newest] = await exportLines(shop, 'publication', { fields: ['date', 'customer_id'] })
    expect(newest).toMatch(new RegExp(`^2026-01-0\\dT\\d\\d:\\d\\d:00\\.000Z,${bob}$`))
  })

  test('are sorted in every order, nulls last', async () => {
    const { shop } = await published()
    const sorted = async (order: string) =>
      (await exportLines(shop, 'publication', { order, fields: ['code'] })).slice(1)
    expect(await sorted('voucher_code')).toEqual(['alone', '"q1,q2"', '""'])
    expect(await sorted('-voucher_code')).toEqual(['"q1,q2"', 'alone', '""'])
    expect(await sorted('tracking_id')).toEqual(['"q1,q2"', 'alone', '""'])
    expect(await sorted('-tracking_id')).toEqual(['""', 'alone', '"q1,q2"'])
    expect(await sorted('id')).toEqual(['"q1,q2"', 'alone', '""'])
    expect(await sorted('channel')).toEqual(['"q1,q2"', '""', 'alone'])
  })

  test('are filtered by customer, code and result', async () => {
    const { shop, anna, bob, campaign_id, second } = await published()
    const cases: Array<[filters: object, found: string]> = [
      [{ customer: { conditions: { $is: 'anna' } } }, 'q1,q2'],
      [{ customer: { conditions: { $in: [bob] } } }, 'alone|'],
      [{ customer_id: { conditions: { $is: anna } } }, 'q1,q2'],
      [{ customer_id: { conditions: { $is: 'anna' } } }, 'none'],
      [{ voucher: { conditions: { $is: 'q2' } } }, 'q1,q2'],
      [{ voucher: { conditions: { $in: ['alone', 'Q1'] } } }, 'alone'],
      [{ related_object_id: { conditions: { $is: second } } }, 'q1,q2'],
      [{ parent_object_id: { conditions: { $is: campaign_id } } }, 'q1,q2|'],
      [{ campaign: { conditions: { $is: 'Autumn' } } }, 'q1,q2|'],
      [{ campaign_name: { conditions: { $is_unknown: '' } } }, 'alone'],
      [{ result: { conditions: { $is: 'SUCCESS' } } }, 'q1,q2|alone'],
      [{ failure_code: { conditions: { $has_value: '' } } }, ''],
      [{ voucher_type: { conditions: { $is: 'gift' } } }, 'alone'],
      [{ is_referral_code: { conditions: { $is: true } } }, 'alone'],
      [{ source_id: { conditions: { $is: 'mail-77' } } }, 'q1,q2'],
      [{ 'metadata.wave': { conditions: { $is: 1 } } }, 'q1,q2'],
      [{ created_at: { conditions: { $before: '2020-01-01' } } }, 'none'],
    ]
    for (const [filters, found] of cases) {
      const [, ...rows] = await exportLines(shop, 'publication', { order: 'created_at', fields: ['code'], filters })
      const codes = rows.map((row) => row.replaceAll('"', ''))
      expect(rows.length === 0 ? 'none' : codes.join('|'), JSON.stringify(filters)).toBe(found)
    }
    await sql`update campaigns set deleted_at = now() where project_id = ${shop.project_id}`.execute(dbOf(shop))
    const filters = { campaign: { conditions: { $is: 'Autumn' } } }
    expect(await exportLines(shop, 'publication', { filters })).toHaveLength(1)
  })

  test('are filtered case-insensitively if the codes of the project are case-insensitive', async () => {
    const { shop } = await published({ project: { case_sensitive_codes: false } })
    const filters = { voucher: { conditions: { $is: 'Q2' } } }
    expect(await exportLines(shop, 'publication', { fields: ['code'], filters })).toEqual(['Code', '"q1,q2"'])
  })
})

describe('transactions', () => {
  async function insertTransactions(shop: Shop, voucherId: string, campaignId: string | null, amounts: number[]) {
    let balance = 0
    for (const amount of amounts) {
      minutes += 1
      balance += amount
      await insert(shop, 'voucher_transactions', {
        id: newId('transaction', Date.parse(at(minutes))),
        voucher_id: voucherId,
        campaign_id: campaignId,
        type: amount > 0 ? 'CREDITS_ADDITION' : 'CREDITS_REMOVAL',
        amount,
        balance,
        source: 'API',
        details: { balance: { type: 'gift_voucher', total: balance } },
        created_at: at(minutes),
      })
    }
  }

  async function cards(options: Parameters<typeof newProject>[0] = {}) {
    const shop = await newProject(options)
    const campaignId = await insertCampaign(shop, 'Gifts')
    const card = await insertCode(shop, 'CARD', {
      type: 'GIFT_VOUCHER',
      campaign_id: campaignId,
      code_key: 'card',
      ...credits(1),
    })
    const other = await insertCode(shop, 'OTHER', { type: 'GIFT_VOUCHER', code_key: 'other', ...credits(1) })
    await insertTransactions(shop, card, campaignId, [2500, -1200])
    await insertTransactions(shop, other, null, [100])
    return { shop, campaign_id: campaignId, card, other }
  }
  const folded = { project: { case_sensitive_codes: false } }

  test('have signed amounts and the balance after them', async () => {
    const { shop, card, campaign_id } = await cards(folded)
    const fields = [
      'type',
      'amount',
      'balance',
      'source',
      'voucher_id',
      'campaign_id',
      'related_transaction_id',
      'details',
    ]
    const filters = { campaign_id: { conditions: { $is: campaign_id } } }
    expect(await exportLines(shop, 'voucher_transactions', { fields, filters })).toEqual([
      'Type,Amount,Balance,Source,Voucher ID,Campaign ID,Related Transaction ID,Details',
      `CREDITS_REMOVAL,-1200,1300,API,${card},${campaign_id},,"{""balance"":{""type"":""gift_voucher"",""total"":1300}}"`,
      `CREDITS_ADDITION,2500,2500,API,${card},${campaign_id},,"{""balance"":{""type"":""gift_voucher"",""total"":2500}}"`,
    ])
  })

  test('of one card, by the id or the code in the path', async () => {
    const { shop, card, other } = await cards(folded)
    for (const key of [card, 'CARD', 'Card']) {
      const { status, body } = await shop.call('POST', `/v1/vouchers/${key}/transactions/export`, {
        parameters: { order: 'created_at', fields: ['amount'] },
      })
      expect(status).toBe(200)
      expect(body).toMatchObject({ exported_object: 'voucher_transactions', status: 'SCHEDULED', result: null })
      expect(body.parameters).toEqual({
        order: 'created_at',
        fields: ['amount'],
        filters: { voucher_id: { conditions: { $in: [key] } } },
      })
      const bare = await shop.call('POST', `/v1/vouchers/${key}/transactions/export`, {})
      expect(bare.body.parameters).toEqual({ filters: { voucher_id: { conditions: { $in: [key] } } } })
      await workOnExports(shop)
      const done = await readExport(shop, body.id)
      expect(done.parameters).toEqual(body.parameters)
      expect((await followExport(shop, done.result?.url ?? '')).body).toBe('Amount\n2500\n-1200\n')
    }
    const filters = { voucher_id: { conditions: { $not_in: ['card', 'unknown'] } } }
    expect(await exportLines(shop, 'voucher_transactions', { fields: ['voucher_id'], filters })).toEqual([
      'Voucher ID',
      other,
    ])
  })

  test('of one campaign, which no junction of the filters can lift', async () => {
    const { shop, campaign_id, other } = await cards(folded)
    const { body } = await shop.call('POST', '/v1/campaigns/Gifts/transactions/export', {
      parameters: { fields: ['amount'], filters: { junction: 'OR', voucher_id: { conditions: { $is: other } } } },
    })
    expect(body.parameters).toEqual({
      fields: ['amount'],
      filters: {
        junction: 'OR',
        voucher_id: { conditions: { $is: other } },
        campaign_id: { conditions: { $in: [campaign_id] } },
      },
    })
    await workOnExports(shop)
    const { result } = await readExport(shop, body.id)
    expect((await followExport(shop, result?.url ?? '')).body).toBe('Amount\n') // a card of another campaign
  })

  test('a filter that the path replaces in the response is checked nevertheless', async () => {
    const { shop } = await cards(folded)
    const filters = { campaign_id: { conditions: { $nonsense: 'x' } } }
    expect(
      await shop.call('POST', '/v1/campaigns/Gifts/transactions/export', { parameters: { filters } }),
    ).toMatchObject({ status: 400, body: { key: 'invalid_payload' } })
  })
})

describe('points by expiration date', () => {
  test('expired lots show the points lost, lots that never expire come last', async () => {
    const shop = await newProject()
    const campaignId = await insertCampaign(shop, 'Points')
    const card = await insertCode(shop, 'CARD', { type: 'LOYALTY_CARD', campaign_id: campaignId, ...credits(500) })
    const binned = await insertCode(shop, 'BINNED', { type: 'LOYALTY_CARD', deleted_at: at(1), ...credits(1) })
    const lot = (id: string, points: number, expiresAt: string | null, more: object = {}) =>
      insert(shop, 'lots', { id, voucher_id: card, points, expires_at: expiresAt, created_at: at(0), ...more })
    await lot('lopb_never', 70, null)
    await lot('lopb_today', 30, '2026-03-10')
    await lot('lopb_yesterday', 0, '2026-03-09', { expired_points: 40 })
    await lot('lopb_late', 5, '2026-03-08') // its expiration is not posted yet
    await lot('lopb_spent', 0, '2026-03-07', { expired_points: 0 })
    await lot('lopb_binned', 9, '2026-04-01', { voucher_id: binned })
    const rows = [
      `lopb_today,${campaignId},${card},ACTIVE,2026-03-10,30`,
      `lopb_yesterday,${campaignId},${card},EXPIRED,2026-03-09,40`,
      `lopb_late,${campaignId},${card},ACTIVE,2026-03-08,5`,
      `lopb_spent,${campaignId},${card},EXPIRED,2026-03-07,0`,
    ]
    const never = `lopb_never,${campaignId},${card},ACTIVE,,70`
    expect(await exportLines(shop, 'points_expiration')).toEqual([
      'ID,Campaign ID,Voucher ID,Status,Expires At,Points',
      ...rows,
      never,
    ])
    expect((await exportLines(shop, 'points_expiration', { order: 'expires_at' })).slice(1)).toEqual([
      ...rows.toReversed(),
      never,
    ])
    const of = async (filters: object) => (await exportLines(shop, 'points_expiration', { filters })).length - 1
    expect(await of({ campaign_id: { conditions: { $in: [campaignId] } } })).toBe(5)
    expect(await of({ campaign_id: { conditions: { $is_not: campaignId } } })).toBe(0)
    expect(await of({ voucher_id: { conditions: { $is: card } } })).toBe(5)
  })
})
