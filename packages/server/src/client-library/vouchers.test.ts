import type { DiscountVouchersTypesEnum } from '@voucherify/sdk'
import { expect, test } from 'vitest'
import { updateVouchersInBulk, updateVouchersMetadata } from '../incentives/vouchers/bulk.ts'
import { importVouchers } from '../incentives/vouchers/import.ts'
import { importVouchersCsv } from '../incentives/vouchers/import-csv.ts'
import { clientOf } from './client.ts'
import { csvFile } from './csv-file.ts'

const client = clientOf('vouchers')
const tenPercent = { type: 'PERCENT' as DiscountVouchersTypesEnum.PERCENT, percent_off: 10 }
const coupon = { type: 'DISCOUNT_VOUCHER' as const, discount: tenPercent }

test('a voucher is created, read, changed and deleted', async () => {
  const { vouchers } = (await client()).library
  const made = await vouchers.create({
    code: 'SUMMER 10%',
    ...coupon,
    start_date: '2026-01-01T00:00:00Z',
    redemption: { quantity: 3 },
    metadata: { season: 'summer' },
  })
  expect(made).toMatchObject({
    id: expect.stringMatching(/^v_/),
    code: 'SUMMER 10%',
    type: 'DISCOUNT_VOUCHER',
    discount: { type: 'PERCENT', percent_off: 10 },
    start_date: '2026-01-01T00:00:00.000Z',
    redemption: { quantity: 3, redeemed_quantity: 0 },
    metadata: { season: 'summer' },
    active: true,
    object: 'voucher',
  })
  expect(await vouchers.get('SUMMER 10%')).toMatchObject({ id: made.id, metadata: { season: 'summer' } })

  // The library sends the code in the path and in the body.
  const updated = await vouchers.update({
    code: 'SUMMER 10%',
    additional_info: 'Till September',
    metadata: { rank: 2 },
  })
  expect(updated).toMatchObject({ id: made.id, metadata: { season: 'summer', rank: 2 } })

  expect(await vouchers.disable('SUMMER 10%')).toMatchObject({ id: made.id, active: false })
  expect(await vouchers.get('SUMMER 10%')).toMatchObject({ active: false, additional_info: 'Till September' })
  expect(await vouchers.enable('SUMMER 10%')).toMatchObject({ id: made.id, active: true })

  await vouchers.delete('SUMMER 10%', { force: true })
  await expect(vouchers.get('SUMMER 10%')).rejects.toMatchObject({ code: 404, resource_id: 'SUMMER 10%' })
})

test('a voucher without a code gets a generated one', async () => {
  const { vouchers } = (await client()).library
  const { code } = await vouchers.create({ ...coupon, code_config: { prefix: 'NEW-', length: 6 } })
  expect(code).toMatch(/^NEW-.{6}$/)
  expect(await vouchers.get(code)).toMatchObject({ code, discount: tenPercent })
})

test('a list accepts a page, an order, dates and nested filters', async () => {
  const { vouchers } = (await client()).library
  for (const [index, code] of ['LIST-C', 'LIST-A', 'LIST-B'].entries())
    await vouchers.create({ code, ...coupon, metadata: { row: index } })
  const filters = { junction: 'AND', code: { conditions: { $in: ['LIST-A', 'LIST-B', 'LIST-C', 'LIST-D'] } } }
  const codesOf = async (params: Parameters<typeof vouchers.list>[0]) =>
    (await vouchers.list({ filters, ...params })).vouchers.map(({ code }) => code)
  expect(await vouchers.list({ filters })).toMatchObject({ object: 'list', data_ref: 'vouchers', total: 3 })
  expect(await codesOf({ order: 'code' })).toEqual(['LIST-A', 'LIST-B', 'LIST-C'])
  expect(await codesOf({ order: '-code', limit: 2, page: 2 })).toEqual(['LIST-A'])
  expect(await codesOf({ order: 'code', created_at: { after: '2020-01-01', before: '2999-01-01' } })).toHaveLength(3)
  expect(await codesOf({ created_at: { before: '2020-01-01T00:00:00Z' } })).toEqual([])
})

test('a gift card is topped up and spent, and its transactions are listed and exported', async () => {
  const { vouchers, redemptions } = (await client()).library
  const { id } = await vouchers.create({ code: 'GIFT', type: 'GIFT_VOUCHER', gift: { amount: 5_000, balance: 5_000 } })
  expect(await vouchers.balance.create('GIFT', { amount: 1_500 })).toMatchObject({
    amount: 1_500,
    total: 6_500,
    balance: 6_500,
    type: 'gift_voucher',
    object: 'balance',
    related_object: { type: 'voucher', id },
  })
  await redemptions.redeem('GIFT', { order: { amount: 2_000 }, gift: { credits: 2_000 } })
  expect(await vouchers.get('GIFT')).toMatchObject({ gift: { amount: 6_500, balance: 4_500 } })

  const { data, has_more } = await vouchers.listTransactions('GIFT', { limit: 10, order: 'id' })
  expect(data.map(({ type, details }) => [type, details.balance.balance])).toEqual([
    ['CREDITS_ADDITION', 6_500],
    ['CREDITS_REDEMPTION', 4_500],
  ])
  expect(has_more).toBe(false)
  expect(
    await vouchers.exportTransactions('GIFT', { parameters: { order: '-created_at', fields: ['id', 'amount'] } }),
  ).toMatchObject({
    status: 'SCHEDULED',
    exported_object: 'voucher_transactions',
    parameters: { fields: ['id', 'amount'], filters: { voucher_id: { conditions: { $in: ['GIFT'] } } } },
    result: null,
  })
})

test('vouchers are imported, and updated in bulk', async () => {
  const { library, work } = await client()
  const { vouchers, asyncActions } = library
  const rows = ['IMPORT-1', 'IMPORT-2'].map((code) => ({ code, ...coupon, metadata: { from: 'json' } }))
  const imported = await vouchers.import(rows)
  await work(importVouchers)
  expect(await asyncActions.get(imported.async_action_id)).toMatchObject({
    status: 'DONE',
    result: { done_count: 2, failed_count: 0 },
  })
  expect(await vouchers.get('IMPORT-2')).toMatchObject({ discount: tenPercent, metadata: { from: 'json' } })

  const bulk = await vouchers.bulkUpdate([{ code: 'IMPORT-1', metadata: { from: 'bulk' } }])
  const metadata = await vouchers.bulkUpdateMetadata({ codes: ['IMPORT-1', 'IMPORT-2'], metadata: { seen: true } })
  await work(updateVouchersInBulk, updateVouchersMetadata)
  for (const { async_action_id } of [bulk, metadata])
    expect(await asyncActions.get(async_action_id)).toMatchObject({ status: 'DONE' })
  expect(await vouchers.get('IMPORT-1')).toMatchObject({ metadata: { from: 'bulk', seen: true } })
  expect(await vouchers.get('IMPORT-2')).toMatchObject({ metadata: { from: 'json', seen: true } })
})

test('vouchers are imported from a file', async () => {
  const { library, work } = await client()
  const path = csvFile('Code,Voucher Type,Value,Discount Type,color', 'FILE-1,DISCOUNT_VOUCHER,15,PERCENT,red')
  const { async_action_id } = (await library.vouchers.importCSV(path)) as { async_action_id: string }
  await work(importVouchersCsv)
  expect(await library.asyncActions.get(async_action_id)).toMatchObject({ status: 'DONE', result: { done_count: 1 } })
  expect(await library.vouchers.get('FILE-1')).toMatchObject({
    discount: { type: 'PERCENT', percent_off: 15 },
    metadata: { color: 'red' },
  })
})

test('vouchers that qualify for a customer are found', async () => {
  const { vouchers } = (await client()).library
  await vouchers.create({ code: 'SUITS', ...coupon })
  const found = await vouchers.qualifications.examine({}, { limit: 50, order: '-created_at' })
  expect(found).toMatchObject({ object: 'list', data_ref: 'data' })
  expect(found.data?.map(({ code }) => code)).toContain('SUITS')
})

test('a session holds a voucher until it is released', async () => {
  const { vouchers, validations } = (await client()).library
  await vouchers.create({ code: 'HELD', ...coupon, redemption: { quantity: 1 } })
  const hold = () =>
    validations.validateStackable({
      redeemables: [{ object: 'voucher', id: 'HELD' }],
      session: { type: 'LOCK' },
      order: { amount: 1_000 },
    })
  const { session } = await hold()
  expect(session).toMatchObject({ type: 'LOCK', key: expect.stringMatching(/^ssn_/) })
  expect(await hold()).toMatchObject({ valid: false })
  await vouchers.releaseValidationSession('HELD', session?.key as string)
  expect(await hold()).toMatchObject({ valid: true })
})

test('every method of these objects was called', async () => (await client()).expectAllMethodsCalled())
