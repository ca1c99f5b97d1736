import type { DiscountVouchersTypesEnum } from '@voucherify/sdk'
import { expect, test } from 'vitest'
import { generateVouchers } from '../incentives/campaigns/generate.ts'
import { importCampaignVouchers, importCampaignVouchersCsv } from '../incentives/campaigns/import.ts'
import { updateVouchers } from '../incentives/campaigns/propagate.ts'
import { deleteVouchers } from '../incentives/campaigns/remove.ts'
import { clientOf } from './client.ts'
import { csvFile } from './csv-file.ts'

const client = clientOf('campaigns')

const coupons = (name: string) => ({
  name,
  campaign_type: 'DISCOUNT_COUPONS' as const,
  type: 'AUTO_UPDATE' as const,
  voucher: {
    type: 'DISCOUNT_VOUCHER' as const,
    discount: { type: 'AMOUNT' as DiscountVouchersTypesEnum.AMOUNT, amount_off: 1_000 },
  },
})

test('a campaign is created, read, changed and deleted', async () => {
  const { library, work } = await client()
  const { campaigns, vouchers } = library
  const made = await campaigns.create({
    ...coupons('Summer sale / 1'),
    vouchers_count: 3,
    metadata: { season: 'summer' },
  })
  expect(made).toMatchObject({
    id: expect.stringMatching(/^camp_/),
    name: 'Summer sale / 1',
    campaign_type: 'DISCOUNT_COUPONS',
    active: true,
    metadata: { season: 'summer' },
    object: 'campaign',
  })
  await work(generateVouchers)
  expect(await campaigns.get('Summer sale / 1')).toMatchObject({
    id: made.id,
    vouchers_count: 3,
    vouchers_generation_status: 'DONE',
  })
  expect(await vouchers.list({ campaign: made.name })).toMatchObject({ total: 3 })

  const changes = { type: 'AUTO_UPDATE' as const, description: 'Till September', metadata: { rank: 1 } }
  expect(await campaigns.update(made.id, changes)).toMatchObject({
    id: made.id,
    description: 'Till September',
    metadata: { season: 'summer', rank: 1 },
  })
  await work(updateVouchers)

  await campaigns.disable(made.id)
  expect(await campaigns.get(made.id)).toMatchObject({ active: false })
  await campaigns.enable(made.id)
  expect(await campaigns.get(made.id)).toMatchObject({ active: true })

  expect(await campaigns.delete(made.name, { force: true })).toMatchObject({ async_action_id: expect.any(String) })
  await work(deleteVouchers)
  await expect(campaigns.get(made.id)).rejects.toMatchObject({ code: 404, resource_type: 'campaign' })
})

test('campaigns are listed by kind', async () => {
  const { campaigns } = (await client()).library
  const { id } = await campaigns.create({
    name: 'Gifts',
    campaign_type: 'GIFT_VOUCHERS',
    type: 'STATIC',
    voucher: { type: 'GIFT_VOUCHER', gift: { amount: 500 } } as never,
  })
  const list = await campaigns.list({ campaign_type: 'GIFT_VOUCHERS', limit: 5, page: 1 })
  expect(list).toMatchObject({ object: 'list', data_ref: 'campaigns', total: 1, campaigns: [{ id, name: 'Gifts' }] })
})

test('codes are added to a campaign: generated, with a given code, from rows and from a file', async () => {
  const { library, work } = await client()
  const { campaigns, vouchers, asyncActions } = library
  const { id } = await campaigns.create(coupons('Codes'))

  const generated = await campaigns.addVoucher('Codes', { code_config: { prefix: 'GEN-' }, metadata: { by: 'chance' } })
  expect(generated).toMatchObject({
    code: expect.stringMatching(/^GEN-/),
    campaign: 'Codes',
    discount: { type: 'AMOUNT', amount_off: 1_000 },
    metadata: { by: 'chance' },
  })
  const given = await campaigns.addCertainVoucher('Codes', 'MY CODE', { additional_info: 'by hand' })
  expect(given).toMatchObject({ code: 'MY CODE', campaign: 'Codes', additional_info: 'by hand' })

  const rows = await campaigns.importVouchers('Codes', [{ code: 'ROW-1', metadata: { by: 'row' } }, { code: 'ROW-2' }])
  await work(importCampaignVouchers)
  expect(await asyncActions.get(rows.async_action_id)).toMatchObject({ status: 'DONE', result: { done_count: 2 } })
  const file = await campaigns.importVouchersCSV(id, csvFile('Code,Active', 'FILE-1,true', 'FILE-2,false'))
  await work(importCampaignVouchersCsv)
  expect(await asyncActions.get(file.async_action_id)).toMatchObject({ status: 'DONE', result: { done_count: 2 } })

  expect(await vouchers.get('ROW-1')).toMatchObject({ campaign: 'Codes', metadata: { by: 'row' } })
  expect(await vouchers.get('FILE-2')).toMatchObject({ campaign: 'Codes', active: false })

  const several = await campaigns.addVoucher('Codes', {}, { vouchers_count: 4 })
  expect(several).toMatchObject({ async_action_id: expect.any(String) })
  await work(generateVouchers)
  expect(await vouchers.list({ campaign: 'Codes' })).toMatchObject({ total: 10 })
})

test('campaigns that qualify for a customer are found', async () => {
  const { campaigns } = (await client()).library
  const { id } = await campaigns.create(coupons('For everyone'))
  const found = await campaigns.qualifications.examine({ customer: { source_id: 'ann' } }, { limit: 50 })
  expect(found).toMatchObject({ object: 'list', data_ref: 'data', total: found.data.length })
  expect(found.data.map((campaign) => campaign.id)).toContain(id)
})

test('every method of these objects was called', async () => (await client()).expectAllMethodsCalled())
