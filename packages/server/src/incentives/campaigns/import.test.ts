import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { AsyncActionDefinition } from '../../core/jobs/async-action.ts'
import { runAsyncAction } from '../../core/jobs/async-action.ts'
import { limits } from '../../core/lib/limits.ts'
import { newProject, type Shop } from '../../testing/app.ts'
import { finished, importCsv, importJson, runStarted, sendCsv } from '../../testing/voucher-imports.ts'
import { importCampaignVouchers } from './import.ts'

const ten = { type: 'PERCENT', percent_off: 10 }
const vouchers = {
  discount: { type: 'DISCOUNT_VOUCHER', discount: ten, redemption: { quantity: 3 } },
  gift: { type: 'GIFT_VOUCHER', gift: { amount: 500, effect: 'APPLY_TO_ITEMS' } },
  loyalty: { type: 'LOYALTY_CARD', loyalty_card: { points: 50 } },
}

async function campaign(shop: Shop, kind: keyof typeof vouchers, more: object = {}) {
  const { status, body } = await shop.call('POST', '/v1/campaigns', { name: 'C', voucher: vouchers[kind], ...more })
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

const read = async (shop: Shop, code: string) => (await shop.call('GET', `/v1/vouchers/${code}`)).body
const state = async (shop: Shop) => (await shop.call('GET', '/v1/campaigns/C')).body
const csv = (shop: Shop, file: string) => importCsv(shop, '/v1/campaigns/C/importCSV', file)
const json = (shop: Shop, entries: unknown) => importJson(shop, '/v1/campaigns/C/import', entries)
const db = ({ service }: Shop) => service.runtime.database.db
const typesOf = async (shop: Shop) => {
  const events = await db(shop).selectFrom('events').where('project_id', '=', shop.project_id).select('type').execute()
  return events.map(({ type }) => type)
}
const setLimit = (shop: Shop, campaignVouchers: number) =>
  db(shop)
    .updateTable('projects')
    .set({
      limits: sql`coalesce(limits, '{}'::jsonb) || ${JSON.stringify({ campaign_vouchers: campaignVouchers })}::jsonb`,
    })
    .where('id', '=', shop.project_id as `proj_${string}`)
    .execute()

/** For every card: its balance by its row, by the sum of its postings and by its lots. */
async function balances(shop: Shop) {
  const { rows } = await sql<{ code: string; balance: number; posted: number; lots: number }>`
    select v.code, v.credits_added - v.credits_subtracted - v.credits_redeemed - v.credits_expired as balance,
      coalesce((select sum(case when p.destination = v.id then p.amount else -p.amount end) from postings p
        where p.project_id = v.project_id and p.voucher_id = v.id), 0)::bigint as posted,
      coalesce((select sum(points) from lots l where l.project_id = v.project_id and l.voucher_id = v.id), 0)::bigint as lots
    from vouchers v where v.project_id = ${shop.project_id} order by v.code`.execute(db(shop))
  return rows
}

describe('JSON', () => {
  test('omitted members take the values of the campaign, the discount always does; no events are emitted', async () => {
    const shop = await newProject()
    const gold = (await shop.call('POST', '/v1/categories', { name: 'Gold', hierarchy: 1 })).body
    const { id } = await campaign(shop, 'discount', {
      category_id: gold.id,
      start_date: '2025-01-01',
      expiration_date: '2099-01-01',
      validity_day_of_week: [1, 2],
      metadata: { region: 'north', year: 2025 },
    })
    const before = await typesOf(shop)
    const action = await json(shop, [
      { code: 'a' },
      {
        code: 'b',
        type: 'DISCOUNT_VOUCHER',
        discount: { type: 'AMOUNT', amount_off: 1 },
        active: false,
        category: 'New',
        start_date: null,
        expiration_date: '2030-03-05T07',
        validity_day_of_week: [5],
        redemption: { quantity: null },
        additional_info: 'info',
        metadata: { year: 2026 },
      },
      { code: 'c', validity_timeframe: { interval: 'P2D', duration: 'P1D' }, category: null, redemption: {} },
    ])
    expect(action).toMatchObject({
      type: 'CAMPAIGN.VOUCHERS_IMPORT',
      operation_status: 'SUCCESS',
      result: { message: '3 voucher(s) imported successfully, 0 failed.', failed: [], done_count: 3, failed_count: 0 },
    })
    const handedDown = { campaign: 'C', campaign_id: id, discount: ten, validity_hours: null }
    expect(await read(shop, 'a')).toMatchObject({
      ...handedDown,
      active: true,
      category: 'Gold',
      start_date: '2025-01-01T00:00:00.000Z',
      expiration_date: '2099-01-01T00:00:00.000Z',
      validity_day_of_week: [1, 2],
      redemption: { quantity: 3 },
      metadata: { region: 'north', year: 2025 },
    })
    expect(await read(shop, 'b')).toMatchObject({
      ...handedDown,
      active: false,
      category: 'New',
      start_date: null,
      expiration_date: '2030-03-05T07:00:00.000Z',
      validity_day_of_week: [5],
      redemption: { quantity: null },
      additional_info: 'info',
      metadata: { region: 'north', year: 2026 },
    })
    expect(await read(shop, 'c')).toMatchObject({
      ...handedDown,
      category: null,
      start_date: '2025-01-01T00:00:00.000Z',
      validity_timeframe: { interval: 'P2D', duration: 'P1D' },
      validity_day_of_week: [1, 2],
      redemption: { quantity: 3 },
      metadata: { region: 'north', year: 2025 },
    })
    expect(await state(shop)).toMatchObject({ vouchers_count: 3, creation_status: 'DONE' })
    expect((await shop.call('GET', '/v1/vouchers')).body.total).toBe(3)
    expect(await typesOf(shop)).toEqual(before)
  })

  test('cards start with their own value or that of the campaign, and the summary counts it', async () => {
    const shop = await newProject()
    await campaign(shop, 'gift')
    await json(shop, [
      { code: 'g1', gift: { amount: 70, effect: 'APPLY_TO_ORDER', balance: 3 } },
      { code: 'g2', gift: {} },
      { code: 'g3' },
    ])
    expect((await read(shop, 'g1')).gift).toEqual({
      amount: 70,
      subtracted_amount: 0,
      balance: 70,
      effect: 'APPLY_TO_ITEMS',
    })
    expect(await balances(shop)).toEqual([
      { code: 'g1', balance: 70, posted: 70, lots: 0 },
      { code: 'g2', balance: 500, posted: 500, lots: 0 },
      { code: 'g3', balance: 500, posted: 500, lots: 0 },
    ])
    const { rows } = await sql<{ figure: string; sum: number }>`
      select split_part(name, '/', 4) as figure, sum(delta)::bigint as sum from tallies
      where project_id = ${shop.project_id} and name like 'campaign/%/%/%' group by 1 order by 1`.execute(db(shop))
    expect(rows).toEqual([
      { figure: 'created_vouchers_amount', sum: 1070 },
      { figure: 'vouchers_created', sum: 3 },
    ])
  })

  test('entries of a loyalty program must have a loyalty card, even an empty one', async () => {
    const shop = await newProject()
    await campaign(shop, 'loyalty')
    const entries = [
      { code: 'l1', loyalty_card: { points: 7 } },
      { code: 'l2', loyalty_card: {} },
    ]
    const refused = await shop.call('POST', '/v1/campaigns/C/import', [
      ...entries,
      { code: 'l3', type: 'LOYALTY_CARD' },
    ])
    expect(refused).toMatchObject({
      status: 400,
      body: { key: 'invalid_payload', details: "Property [2] should have required property 'loyalty_card'" },
    })
    expect((await shop.call('GET', '/v1/async-actions')).body.async_actions).toEqual([])
    await json(shop, entries)
    expect(await balances(shop)).toEqual([
      { code: 'l1', balance: 7, posted: 7, lots: 7 },
      { code: 'l2', balance: 50, posted: 50, lots: 50 },
    ])
  })

  test.each([
    ['discount', 'invalid_payload', {}, /Payload must be array/],
    ['discount', 'invalid_voucher', [{}, { code: 'a' }], /^Found 1 voucher\(s\) without 'code' value$/],
    ['discount', 'invalid_voucher', [{ code: 'a', type: 'GIFT_VOUCHER' }], /type must be DISCOUNT_VOUCHER/],
    ['gift', 'invalid_voucher', [{ code: 'a', gift: { amount: '7' } }], /^Voucher 'a': .*amount must be integer/],
    ['loyalty', 'invalid_voucher', [{ code: 'a', loyalty_card: { points: -1 } }], /points must be >= 0/],
    ['discount', 'invalid_voucher', [{ code: 'a', expiration_date: '2024-01-01' }], /must not be earlier/],
    ['discount', 'duplicate_key', [{ code: 'a' }, { code: 'a' }], /^1 voucher codes\(s\) already exist\.$/],
    ['discount', 'duplicate_key', [{ code: 'taken' }], /^1 voucher codes\(s\) already exist\.$/],
  ] as const)('%s: %s refuses an invalid body, and nothing changes (%#)', async (kind, key, body, details) => {
    const shop = await newProject()
    await shop.call('POST', '/v1/vouchers/taken', { discount: ten })
    await campaign(shop, kind, { start_date: '2025-01-01' })
    const answer = await shop.call('POST', '/v1/campaigns/C/import', body)
    expect(answer.body).toMatchObject({ key, details: expect.stringMatching(details) })
    expect(await state(shop)).toMatchObject({ vouchers_count: 0, creation_status: 'DONE' })
  })

  test('vouchers take the values that the campaign has when the job runs', async () => {
    const shop = await newProject()
    await campaign(shop, 'discount')
    const { body } = await shop.call('POST', '/v1/campaigns/C/import', [
      { code: 'a' },
      { code: 'b', start_date: '2031-01-01' },
    ])
    await shop.call('PUT', '/v1/campaigns/C', {
      discount: { type: 'PERCENT', percent_off: 55 },
      expiration_date: '2030-01-01',
    })
    const { result } = await finished(shop, body.async_action_id)
    expect(result).toMatchObject({
      done_count: 1,
      failed: [{ code: 'b', reason: 'Property .expiration_date must not be earlier than .start_date' }],
    })
    expect(await read(shop, 'a')).toMatchObject({
      discount: { percent_off: 55 },
      expiration_date: '2030-01-01T00:00:00.000Z',
    })
  })
})

describe('CSV', () => {
  test('empty cells take the values of the campaign, unknown columns are metadata, and invalid rows are reported', async () => {
    const shop = await newProject()
    const properties = { year: { type: 'number', array: false, optional: true } }
    await shop.manage('POST', '/metadata-schemas', { related_object: 'voucher', properties })
    await campaign(shop, 'discount', { metadata: { region: 'north', year: 2025 }, expiration_date: '2099-01-01' })
    const action = await csv(
      shop,
      [
        'CODE,active,Category,start_date,Expiration Date,redeemed_quantity,year,Redemption Limit,Gift Amount',
        'a,,,,,,,,',
        'b,false,Gold,2025-03-05,2025-04-01,2,2026,9,oops',
        'c,,,,,4,,,',
        'd,,,,,,soon,,',
        'e,,,2100-01-01,,,,,',
      ].join('\n'),
    )
    expect(action).toMatchObject({
      type: 'CAMPAIGN.VOUCHERS_IMPORT_CSV',
      result: {
        message: '2 voucher(s) imported successfully, 3 failed.',
        failed: [
          { code: 'c', row: 3, reason: 'Redeemed Quantity must not be more than the redemption limit of 3' },
          { code: 'd', row: 4, reason: expect.stringContaining('year') },
          { code: 'e', row: 5, reason: 'Property .expiration_date must not be earlier than .start_date' },
        ],
      },
    })
    expect(await read(shop, 'a')).toMatchObject({
      active: true,
      category: null,
      expiration_date: '2099-01-01T00:00:00.000Z',
      redemption: { quantity: 3, redeemed_quantity: 0 },
      metadata: { region: 'north', year: 2025 },
    })
    // E23: the metadata of the campaign, overridden by those of the row.
    expect(await read(shop, 'b')).toMatchObject({
      discount: ten,
      active: false,
      category: 'Gold',
      start_date: '2025-03-05T00:00:00.000Z',
      expiration_date: '2025-04-01T00:00:00.000Z',
      redemption: { quantity: 3, redeemed_quantity: 2 },
      metadata: { region: 'north', year: 2026, 'Redemption Limit': '9' },
    })
    expect(await state(shop)).toMatchObject({ vouchers_count: 2, creation_status: 'DONE' })
  })

  test('without use_voucher_metadata_schema vouchers do not inherit the metadata of the campaign', async () => {
    const shop = await newProject()
    await campaign(shop, 'discount', { metadata: { region: 'north' }, use_voucher_metadata_schema: false })
    await csv(shop, 'Code,year\na,2026\nb,\n')
    expect([(await read(shop, 'a')).metadata, (await read(shop, 'b')).metadata]).toEqual([{ year: '2026' }, {}])
  })

  test('cards have their own value and redeemed amount, and their postings add up', async () => {
    const shop = await newProject()
    await campaign(shop, 'gift')
    const { result } = await csv(
      shop,
      'Code,Gift Amount,Redeemed Amount,Redeemed Quantity,Loyalty Points\na,1000,300,2,x\nb,,500,,\nc,,501,,\nd,-1,,,\n',
    )
    expect(result.failed).toEqual([
      { code: 'c', row: 3, reason: 'Redeemed Amount must not be more than the amount of 500' },
      { code: 'd', row: 4, reason: 'Gift Amount must not be less than 0' },
    ])
    expect(await read(shop, 'a')).toMatchObject({
      gift: { amount: 1000, subtracted_amount: 0, balance: 700 },
      redemption: { redeemed_quantity: 2, redeemed_amount: 300 },
    })
    expect(await balances(shop)).toEqual([
      { code: 'a', balance: 700, posted: 700, lots: 0 },
      { code: 'b', balance: 0, posted: 0, lots: 0 },
    ])
  })

  test('points may be left empty', async () => {
    const shop = await newProject()
    await campaign(shop, 'loyalty')
    expect((await csv(shop, 'Code,Loyalty Points\na,7\nb,\nc,0\n')).result).toMatchObject({ done_count: 3 })
    expect(await balances(shop)).toEqual([
      { code: 'a', balance: 7, posted: 7, lots: 7 },
      { code: 'b', balance: 50, posted: 50, lots: 50 },
      { code: 'c', balance: 0, posted: 0, lots: 0 },
    ])
  })

  test('an existing code of the campaign changes `active` and category, never amounts; a code elsewhere fails its row', async () => {
    const shop = await newProject()
    await campaign(shop, 'gift')
    await shop.call('POST', '/v1/campaigns', { name: 'D', voucher: vouchers.gift })
    await shop.call('POST', '/v1/campaigns/D/vouchers/other', {})
    await shop.call('POST', '/v1/vouchers/alone', { gift: { amount: 1 } })
    await csv(shop, 'Code\na\nb\n')
    await shop.call('DELETE', '/v1/vouchers/b')
    const before = await typesOf(shop)
    const { result } = await csv(
      shop,
      'Code,Active,Category,Gift Amount,Redeemed Amount\na,FALSE,Gold,oops,9\nother,FALSE,,,\nalone,FALSE,,,\nb,,,,\n',
    )
    expect(result).toMatchObject({
      done_count: 1,
      failed: ['other', 'alone', 'b'].map((code, index) => ({
        code,
        row: index + 2,
        reason: `Duplicated voucher exists with id ${code}`,
      })),
    })
    expect(await read(shop, 'a')).toMatchObject({
      active: false,
      category: 'Gold',
      gift: { amount: 500, balance: 500 },
    })
    expect((await read(shop, 'other')).active).toBe(true)
    expect((await state(shop)).vouchers_count).toBe(1)
    expect(await typesOf(shop)).toEqual(before)
  })

  test('vouchers of an expired campaign are inactive unless the row sets `active`', async () => {
    const shop = await newProject()
    await campaign(shop, 'discount', { expiration_date: '2025-01-01' })
    await csv(shop, 'Code,Active\na,\nb,TRUE\n')
    await json(shop, [{ code: 'c' }, { code: 'd', active: true }])
    const active = []
    for (const code of ['a', 'b', 'c', 'd']) active.push((await read(shop, code)).active)
    expect(active).toEqual([false, true, false, true])
  })

  test('a referral campaign creates referral codes', async () => {
    const shop = await newProject()
    await campaign(shop, 'discount', { campaign_type: 'REFERRAL_PROGRAM' })
    await csv(shop, 'Code\na\n')
    expect(await read(shop, 'a')).toMatchObject({ is_referral_code: true })
  })

  test('a file without valid rows fails as a whole, and the campaign is FAILED until the next import', async () => {
    const shop = await newProject()
    await campaign(shop, 'discount')
    expect(await csv(shop, 'Active\nTRUE\n')).toMatchObject({
      status: 'FAILED',
      result: { message: "The header row has no column 'Code'" },
    })
    expect(await state(shop)).toMatchObject({ creation_status: 'FAILED', vouchers_generation_status: 'FAILED' })
    await csv(shop, 'Code\na\n')
    expect(await state(shop)).toMatchObject({ creation_status: 'DONE', vouchers_count: 1 })
  })

  test('a file and a campaign are required', async () => {
    const shop = await newProject()
    await campaign(shop, 'discount')
    expect(await shop.call('POST', '/v1/campaigns/C/importCSV')).toMatchObject({
      status: 400,
      body: { details: "Payload should have required property 'file'" },
    })
    for (const path of ['import', 'importCSV'])
      expect(await shop.call('POST', `/v1/campaigns/nowhere/${path}`)).toMatchObject({
        status: 404,
        body: { resource_type: 'campaign' },
      })
  })
})

test('promotions and standalone campaigns take no codes', async () => {
  const shop = await newProject()
  await shop.call('POST', '/v1/campaigns', { name: 'P', campaign_type: 'PROMOTION' })
  const voucher = { ...vouchers.discount, code: 'PUBLIC' }
  expect((await shop.call('POST', '/v1/campaigns', { name: 'S', type: 'STANDALONE', voucher })).status).toBe(200)
  for (const name of ['P', 'S']) {
    const refused = { status: 400, body: { key: 'invalid_campaign' } }
    expect(await shop.call('POST', `/v1/campaigns/${name}/import`, [{ code: 'a' }])).toMatchObject(refused)
    expect(await sendCsv(shop, `/v1/campaigns/${name}/importCSV`, 'Code\na\n')).toMatchObject(refused)
  }
  expect((await shop.call('GET', '/v1/async-actions')).body.async_actions).toEqual([])
})

describe('the limit of a campaign is exact', () => {
  test.each(['JSON', 'CSV'])(
    '%s: rows beyond the limit fail with a reason, rows of existing codes do not count',
    async (form) => {
      const shop = await newProject()
      await campaign(shop, 'discount')
      await setLimit(shop, 4)
      await json(shop, [{ code: 'old' }])
      const rows = ['a', 'bad\t', 'b', 'c', 'd', 'e']
      const { result } =
        form === 'CSV'
          ? await csv(shop, `Code\n${rows.join('x\n')}x\nold\n`)
          : await json(
              shop,
              rows.filter((code) => code !== 'bad\t').map((code) => ({ code: `${code}x` })),
            )
      const beyond = ['dx', 'ex'].map((code) =>
        expect.objectContaining({ code, reason: 'A campaign can have at most 4 vouchers' }),
      )
      expect(result.failed.slice(-2)).toEqual(beyond)
      expect(result.done_count).toBe(form === 'CSV' ? 4 : 3)
      expect((await state(shop)).vouchers_count).toBe(4)
    },
  )

  test('within a step, also if an earlier row of the same code was refused', async () => {
    const shop = await newProject()
    await campaign(shop, 'discount')
    await setLimit(shop, 2)
    const { result } = await csv(shop, 'Code,Redeemed Quantity\np,99\na,\nb,\np,\na,\n')
    expect(result.failed).toEqual([
      { code: 'p', row: 1, reason: 'Redeemed Quantity must not be more than the redemption limit of 3' },
      { code: 'p', row: 4, reason: 'A campaign can have at most 2 vouchers' },
    ])
    expect((await state(shop)).vouchers_count).toBe(2)
  })

  test('across several steps, including vouchers that a queued job will create', async () => {
    const shop = await newProject()
    await campaign(shop, 'discount')
    await setLimit(shop, limits.csv_step_rows + 50)
    const entries = Array.from({ length: 2 * limits.csv_step_rows }, (_, n) => ({ code: `c${n}` }))
    const { body } = await shop.call('POST', '/v1/campaigns/C/import', entries)
    expect((await shop.call('POST', '/v1/campaigns/C/vouchers?vouchers_count=20')).status).toBe(202)
    const { result } = await finished(shop, body.async_action_id)
    expect(result).toMatchObject({ done_count: limits.csv_step_rows + 30, failed_count: limits.csv_step_rows - 30 })
    expect(await state(shop)).toMatchObject({ vouchers_count: limits.csv_step_rows + 50, creation_status: 'DONE' })
  })
})

test('during an import the campaign is MODIFYING; once it is deleted, the import ends without an error', async () => {
  const shop = await newProject()
  await campaign(shop, 'discount')
  const entries = Array.from({ length: 2 * limits.csv_step_rows }, (_, n) => ({ code: `c${n}` }))
  const { body } = await shop.call('POST', '/v1/campaigns/C/import', entries)
  const started = await sendCsv(shop, '/v1/campaigns/C/importCSV', 'Code\nz1\nz2\n')
  expect(started.status).toBe(200)
  expect(await state(shop)).toMatchObject({ creation_status: 'MODIFYING', vouchers_generation_status: 'MODIFYING' })

  const stopping = new AbortController()
  let steps = 0
  const action = importCampaignVouchers as AsyncActionDefinition
  const stopped: AsyncActionDefinition = {
    ...action,
    async step(ctx, input, at) {
      steps += 1
      stopping.abort() // during the first step, which is still committed
      return action.step(ctx, input, at)
    },
  }
  const data = { project_id: shop.project_id, action_id: body.async_action_id }
  await runAsyncAction(shop.service.runtime, [stopped], data, { retries: 0, signal: stopping.signal })
  expect(steps).toBe(1)
  expect(await state(shop)).toMatchObject({ creation_status: 'MODIFYING', vouchers_count: limits.csv_step_rows })

  expect((await shop.call('DELETE', '/v1/campaigns/C?force=true')).status).toBe(202)
  await runStarted(shop)
  const done = (await shop.call('GET', `/v1/async-actions/${body.async_action_id}`)).body
  expect(done).toMatchObject({
    status: 'DONE',
    result: { done_count: limits.csv_step_rows, failed: [], failed_count: 0 },
  })
  const file = (await shop.call('GET', `/v1/async-actions/${started.body.async_action_id}`)).body
  expect(file).toMatchObject({ status: 'DONE', result: { done_count: 0, failed: [], failed_count: 0 } })
  const left = await db(shop).selectFrom('vouchers').where('project_id', '=', shop.project_id).select('id').execute()
  expect(left).toEqual([])
  const files = await db(shop).selectFrom('files').where('project_id', '=', shop.project_id).select('id').execute()
  expect(files).toEqual([])
  expect((await shop.call('GET', '/v1/vouchers')).body.total).toBe(0)
})
