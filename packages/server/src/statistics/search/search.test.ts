import { expect, test } from 'vitest'
import { newProject, type Shop } from '../../testing/app.ts'
import { newCampaign, newVoucher } from '../../testing/campaigns.ts'
import { ok } from '../../testing/orders.ts'

const search = (shop: Shop, text: string, more = '') =>
  ok(shop, 'GET', `/v1/search?q=${encodeURIComponent(text)}${more}`)

test('objects are found by the beginning of what people know of them', async () => {
  const shop = await newProject()
  const campaign = await newCampaign(shop, 'Ämter & Co')
  await newVoucher(shop, 'SUMMER-1')
  const other = await newVoucher(shop, 'summer-2')
  await newVoucher(shop, 'Summer-3')
  const ann = await ok(shop, 'POST', '/v1/customers', { source_id: 'c-1', name: 'Ann Smith', email: 'Ann@example.com' })
  const order = await ok(shop, 'POST', '/v1/orders', { source_id: 'o-17', amount: 1_000 })
  const mug = await ok(shop, 'POST', '/v1/products', { source_id: 'p-1', name: 'Blue mug' })

  const empty = { object: 'search', campaigns: [], vouchers: [], customers: [], orders: [], products: [] }
  expect(await search(shop, 'nothing')).toEqual({ ...empty, query: 'nothing' })
  expect(await search(shop, ' ')).toEqual({ ...empty, query: ' ' })
  expect(await search(shop, 'äMT')).toMatchObject({ campaigns: [{ id: campaign.id, name: 'Ämter & Co', campaign_type: 'DISCOUNT_COUPONS' }] })
  const codes = async (text: string) => (await search(shop, text)).vouchers.map(({ code }: { code: string }) => code)
  expect(await codes('summer')).toEqual(['summer-2', 'SUMMER-1'])
  expect(await codes('SUMMER-1')).toEqual(['SUMMER-1'])
  expect(await codes('Summer')).toEqual(['Summer-3', 'SUMMER-1', 'summer-2'])
  expect((await search(shop, other.id)).vouchers).toEqual([{ id: other.id, code: 'summer-2', type: 'DISCOUNT_VOUCHER', campaign: null }])
  const foundAnn = [{ id: ann.id, name: 'Ann Smith', email: 'Ann@example.com', source_id: 'c-1' }]
  for (const text of ['ann s', 'ANN@ex', 'c-1', ann.id, ' ann']) expect((await search(shop, text)).customers).toEqual(foundAnn)
  expect((await search(shop, 'o-1')).orders).toEqual([{ id: order.id, source_id: 'o-17', amount: 1_000, status: 'CREATED' }])
  for (const text of ['blue', 'p-1', mug.id]) expect((await search(shop, text)).products).toEqual([{ id: mug.id, name: 'Blue mug', source_id: 'p-1' }])
}) // biome-ignore format: one thought per line

test('codes of a project that ignores letter case are found in any', async () => {
  const shop = await newProject({ project: { case_sensitive_codes: false } })
  await newVoucher(shop, 'Summer-1')
  expect((await search(shop, 'sUMm')).vouchers).toMatchObject([{ code: 'Summer-1' }])
})

test('what is deleted, of another project, or only contains the text is not found, nor is more than the limit', async () => {
  const [shop, other] = [await newProject(), await newProject()]
  for (const name of ['Anna', 'Annika', 'Anne', 'Johann', 'Annabel', 'Annette', 'Ann'])
    await ok(shop, 'POST', '/v1/customers', { name, source_id: name.toLowerCase() })
  await ok(other, 'POST', '/v1/customers', { name: 'Annie' })
  const campaign = await newCampaign(shop, 'Annual')
  const { code } = await ok(shop, 'POST', `/v1/campaigns/${campaign.id}/vouchers`, {})
  const names = async (more = '') =>
    (await search(shop, 'ann', more)).customers.map(({ name }: { name: string }) => name)
  expect(await names()).toHaveLength(5)
  expect(await names()).not.toContain('Johann')
  expect(await names('&limit=2')).toHaveLength(2)
  expect((await search(shop, code)).vouchers).toMatchObject([{ code, campaign: 'Annual' }])
  await shop.call('DELETE', '/v1/customers/ann')
  await shop.call('DELETE', `/v1/campaigns/${campaign.id}`)
  expect((await search(shop, 'ann ')).customers).not.toContainEqual(expect.objectContaining({ name: 'Ann' }))
  expect(await search(shop, 'annual')).toMatchObject({ campaigns: [] })
  expect(await search(shop, code)).toMatchObject({ vouchers: [] })
  expect((await shop.call('GET', '/v1/search?q=a&limit=6')).status).toBe(400)
  expect((await shop.call('GET', '/v1/search')).status).toBe(400)
  for (const text of ['%', '_', "'", '\\', '😀', '􏿿']) await search(shop, text)
})
