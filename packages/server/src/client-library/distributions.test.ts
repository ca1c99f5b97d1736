import type { DiscountVouchersTypesEnum } from '@voucherify/sdk'
import { expect, test } from 'vitest'
import { workOnExports } from '../testing/exports.ts'
import { clientOf } from './client.ts'

const client = clientOf('distributions')

test('vouchers are published, singly and from a campaign, and the publications are listed', async () => {
  const { distributions, vouchers, campaigns } = (await client()).library
  const discount = { type: 'PERCENT' as DiscountVouchersTypesEnum.PERCENT, percent_off: 10 }
  await vouchers.create({ code: 'ONE', type: 'DISCOUNT_VOUCHER', discount })
  await campaigns.create({
    name: 'Welcome',
    campaign_type: 'DISCOUNT_COUPONS',
    type: 'AUTO_UPDATE',
    voucher: { type: 'DISCOUNT_VOUCHER', discount },
  })
  const single = await distributions.publications.create({
    voucher: 'ONE',
    channel: 'Email',
    source_id: 'mail-1',
    customer: { source_id: 'ann', name: 'Ann' },
  })
  expect(single).toMatchObject({
    id: expect.stringMatching(/^pub_/),
    source_id: 'mail-1',
    channel: 'Email',
    result: 'SUCCESS',
    customer: { source_id: 'ann', name: 'Ann' },
    voucher: { code: 'ONE', discount },
    object: 'publication',
  })
  const fromCampaign = await distributions.publications.create({
    campaign: { name: 'Welcome' },
    customer: { source_id: 'bob' },
  })
  expect(fromCampaign).toMatchObject({ voucher: { campaign: 'Welcome' }, customer: { source_id: 'bob' } })
  expect(await vouchers.get('ONE')).toMatchObject({
    publish: { object: 'list', count: 1 },
    holder_id: single.customer_id,
  })

  const list = await distributions.publications.list({ limit: 10, order: 'created_at', result: 'SUCCESS' })
  expect(list).toMatchObject({ object: 'list', data_ref: 'publications', total: 2 })
  expect(list.publications?.map(({ id }) => id)).toEqual([single.id, fromCampaign.id])
  const filters = { junction: 'AND' as const, campaign_name: { conditions: { $is: ['Welcome'] } } }
  expect(
    await distributions.publications.list({
      campaign: 'Welcome',
      customer: fromCampaign.customer_id,
      filters,
    }),
  ).toMatchObject({
    total: 1,
    publications: [{ id: fromCampaign.id }],
  })
})

test('an export is created, completed, read and deleted', async () => {
  const { library, shop, address } = await client()
  const { exports } = library.distributions
  await library.vouchers.create({ code: 'EXPORTED', type: 'GIFT_VOUCHER', gift: { amount: 100, balance: 100 } })
  const made = await exports.create({
    exported_object: 'voucher',
    parameters: {
      fields: ['code', 'voucher_type'],
      order: 'code',
      filters: { junction: 'AND', code: { conditions: { $in: ['EXPORTED'] } } },
    },
  })
  expect(made).toMatchObject({
    id: expect.stringMatching(/^exp_/),
    status: 'SCHEDULED',
    exported_object: 'voucher',
    parameters: { fields: ['code', 'voucher_type'] },
    object: 'export',
  })
  await workOnExports(shop)
  const done = await exports.get(made.id)
  expect(done).toMatchObject({ id: made.id, status: 'DONE', result: { url: expect.any(String) } })
  const { pathname, search } = new URL(done.result?.url as string)
  const file = await fetch(`${address}${pathname}${search}`)
  expect(await file.text()).toBe('Code,Voucher Type\nEXPORTED,GIFT_VOUCHER\n')

  expect(await exports.list({ limit: 5, order: '-created_at' })).toMatchObject({
    object: 'list',
    data_ref: 'exports',
    total: 1,
    exports: [{ id: made.id, status: 'DONE' }],
  })
  await exports.delete(made.id)
  await expect(exports.get(made.id)).rejects.toMatchObject({ code: 404, resource_type: 'export' })
  expect(await exports.list()).toMatchObject({ total: 0, exports: [] })
})

test('every method of these objects was called', async () => (await client()).expectAllMethodsCalled())
