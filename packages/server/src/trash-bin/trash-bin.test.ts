import { describe, expect, test } from 'vitest'
import { limits } from '../core/lib/limits.ts'
import { generateVouchers } from '../incentives/campaigns/generate.ts'
import { deleteVouchers } from '../incentives/campaigns/remove.ts'
import { newProject, type Shop } from '../testing/app.ts'
import { runAsyncActions } from '../testing/background.ts'
import { expectStablePaging } from '../testing/paging.ts'
import type { BinEntry } from './schema.ts'

const product = async (shop: Shop, sourceId: string, name: string | null = sourceId): Promise<string> => {
  const { status, body } = await shop.call('POST', '/v1/products', { source_id: sourceId, name })
  expect(status).toBe(200)
  return body.id
}

const sku = async (shop: Shop, productId: string, sourceId: string): Promise<string> => {
  const { status, body } = await shop.call('POST', `/v1/products/${productId}/skus`, {
    source_id: sourceId,
    sku: sourceId,
  })
  expect(status).toBe(200)
  return body.id
}

const entries = async (shop: Shop, query = ''): Promise<BinEntry[]> => {
  const { status, body } = await shop.call('GET', `/v1/trash-bin${query}`)
  expect(status).toBe(200)
  return body.data
}

const entryOf = async (shop: Shop, resourceId: string): Promise<string> => {
  const found = (await entries(shop, '?limit=100')).find((entry) => entry.resource_id === resourceId)
  expect(found, resourceId).toBeDefined()
  return found?.id as string
}

const bin = async (shop: Shop, path: string): Promise<void> =>
  void expect(await shop.call('DELETE', path)).toMatchObject({ status: 204 })

const destroy = async (shop: Shop, entry: string): Promise<void> =>
  void expect(await shop.call('DELETE', `/v1/trash-bin/${entry}`)).toMatchObject({ status: 204, body: null })

const taken = { status: 409, body: { key: 'duplicate_found' } }

describe('a deletion without force', () => {
  test('moves a product and its SKUs to the bin as one entry; its source ids stay taken until it is destroyed', async () => {
    const shop = await newProject()
    const id = await product(shop, 'mug', 'Mug')
    const other = await product(shop, 'cup')
    await sku(shop, id, 'mug-red')
    await bin(shop, '/v1/products/mug')
    const { body } = await shop.call('GET', '/v1/trash-bin')
    expect(body).toEqual({
      object: 'list',
      data_ref: 'data',
      data: [
        {
          id: expect.stringMatching(/^tbe_[0-9a-f]{18}$/),
          created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          deleted_by_user_id: null,
          resource_id: id,
          resource_type: 'product',
          resource_name: 'Mug',
          resource_parent_id: null,
          object: 'product',
        },
      ],
      total: 1,
      has_more: false,
    })
    expect(await shop.call('POST', '/v1/products', { source_id: 'mug' })).toMatchObject(taken)
    expect(await shop.call('POST', `/v1/products/${other}/skus`, { source_id: 'mug-red' })).toMatchObject(taken)

    await destroy(shop, body.data[0].id)
    expect(await entries(shop)).toEqual([])
    expect(await product(shop, 'mug')).not.toBe(id)
    await sku(shop, other, 'mug-red')
  })

  test('of an SKU refers to its product, and destroying it keeps the product', async () => {
    const shop = await newProject()
    const id = await product(shop, 'mug')
    const [red, blue] = [await sku(shop, id, 'mug-red'), await sku(shop, id, 'mug-blue')]
    await bin(shop, `/v1/products/mug/skus/${red}`)
    expect(await entries(shop)).toMatchObject([
      { resource_id: red, resource_type: 'sku', object: 'sku', resource_name: 'mug-red', resource_parent_id: id },
    ])
    expect(await shop.call('POST', '/v1/products/mug/skus', { source_id: 'mug-red' })).toMatchObject(taken)
    await destroy(shop, await entryOf(shop, red))
    expect(await sku(shop, id, 'mug-red')).not.toBe(red)
    expect(await shop.call('GET', `/v1/skus/${blue}`)).toMatchObject({ status: 200 })
    expect(await shop.call('GET', `/v1/products/${id}`)).toMatchObject({ status: 200 })
  })

  test('of a resource without a name has none in the bin either', async () => {
    const shop = await newProject()
    const id = await product(shop, 'nameless', null)
    await bin(shop, `/v1/products/${id}`)
    expect(await entries(shop)).toMatchObject([{ resource_id: id, resource_name: null }])
    expect(await entries(shop, '?filters[resource_name][conditions][$is_unknown]=')).toHaveLength(1)
  })
})

const percent = { type: 'DISCOUNT_VOUCHER', discount: { type: 'PERCENT', percent_off: 10 } }

const campaign = async (shop: Shop, name: string, vouchersCount = 1): Promise<string> => {
  const { status, body } = await shop.call('POST', '/v1/campaigns', {
    name,
    campaign_type: 'DISCOUNT_COUPONS',
    vouchers_count: vouchersCount,
    voucher: percent,
  })
  expect(status).toBe(200)
  await runAsyncActions(shop.service.runtime, shop.project_id, [generateVouchers])
  return body.id
}

const codesOf = async (shop: Shop, campaignId: string): Promise<string[]> =>
  (await shop.call('GET', `/v1/vouchers?campaign_id=${campaignId}&limit=100`)).body.vouchers.map(
    ({ code }: { code: string }) => code,
  )

const binCampaign = async (shop: Shop, name: string): Promise<void> => {
  expect(await shop.call('DELETE', `/v1/campaigns/${name}`)).toMatchObject({ status: 202 })
  await runAsyncActions(shop.service.runtime, shop.project_id, [deleteVouchers])
}

describe('codes and campaigns', () => {
  test('a voucher can be created again once its entry is destroyed', async () => {
    const shop = await newProject()
    const zed = { ...percent, code: 'ZED' }
    const { body: made } = await shop.call('POST', '/v1/vouchers', zed)
    await bin(shop, '/v1/vouchers/ZED')
    expect(await shop.call('GET', '/v1/vouchers/ZED')).toMatchObject({ status: 404 })
    expect(await shop.call('POST', '/v1/vouchers/ZED', percent)).toMatchObject(taken)
    const [entry, ...others] = await entries(shop)
    expect(others).toEqual([])
    expect(entry).toMatchObject({
      resource_type: 'voucher',
      resource_id: made.id,
      resource_name: 'ZED',
      resource_parent_id: null,
      deleted_by_user_id: null,
      object: 'voucher',
    })
    await destroy(shop, entry?.id as string)
    expect(await shop.call('POST', '/v1/vouchers/ZED', percent)).toMatchObject({ status: 200 })
  })

  test('a campaign is one entry, and its name and codes stay taken until it is destroyed', async () => {
    const shop = await newProject()
    const id = await campaign(shop, 'Spring', 3)
    const codes = await codesOf(shop, id)
    expect(codes).toHaveLength(3)
    await bin(shop, `/v1/vouchers/${codes[0]}`)
    await binCampaign(shop, 'Spring')
    expect(await entries(shop)).toMatchObject([
      { resource_type: 'voucher', resource_name: codes[0], resource_parent_id: id },
      { resource_type: 'campaign', resource_id: id, resource_name: 'Spring', resource_parent_id: null },
    ])
    expect(
      await shop.call('POST', '/v1/campaigns', { name: 'Spring', campaign_type: 'DISCOUNT_COUPONS', voucher: percent }),
    ).toMatchObject(taken)
    for (const code of codes) expect(await shop.call('POST', `/v1/vouchers/${code}`, percent)).toMatchObject(taken)

    await destroy(shop, await entryOf(shop, id))
    expect(await entries(shop)).toEqual([])
    for (const code of codes)
      expect(await shop.call('POST', `/v1/vouchers/${code}`, percent)).toMatchObject({ status: 200 })
    expect(await campaign(shop, 'Spring')).not.toBe(id)
  })

  test('the entry of a large campaign is deleted at once, and the campaign is destroyed in the background', async () => {
    const shop = await newProject()
    const id = await campaign(shop, 'Large', limits.codes_at_once)
    const [code] = await codesOf(shop, id)
    await binCampaign(shop, 'Large')
    await destroy(shop, await entryOf(shop, id))
    expect(await entries(shop)).toEqual([])
    const again = { name: 'Large', campaign_type: 'DISCOUNT_COUPONS', voucher: percent }
    expect(await shop.call('POST', '/v1/campaigns', again)).toMatchObject(taken)
    await runAsyncActions(shop.service.runtime, shop.project_id, [deleteVouchers])
    expect(await shop.call('POST', '/v1/campaigns', again)).toMatchObject({ status: 200 })
    expect(await shop.call('POST', `/v1/vouchers/${code}`, percent)).toMatchObject({ status: 200 })
  })
})

describe('entries are deleted with their resource', () => {
  test('of SKUs binned before their product, when the product is destroyed', async () => {
    const shop = await newProject()
    const id = await product(shop, 'mug')
    const red = await sku(shop, id, 'mug-red')
    await bin(shop, `/v1/products/mug/skus/${red}`)
    await bin(shop, '/v1/products/mug')
    expect(await entries(shop)).toMatchObject([{ resource_id: red }, { resource_id: id }])
    await destroy(shop, await entryOf(shop, id))
    expect(await entries(shop)).toEqual([])
    await sku(shop, await product(shop, 'cup'), 'mug-red')
  })

  test('of SKUs binned before their product, when the product is deleted with force; others stay', async () => {
    const shop = await newProject()
    const [mug, cup] = [await product(shop, 'mug'), await product(shop, 'cup')]
    const [red, blue] = [await sku(shop, mug, 'mug-red'), await sku(shop, cup, 'cup-blue')]
    await bin(shop, `/v1/products/mug/skus/${red}`)
    await bin(shop, `/v1/products/cup/skus/${blue}`)
    await bin(shop, '/v1/products/mug?force=true')
    expect(await entries(shop)).toMatchObject([{ resource_id: blue }])
  })

  test('a deletion with force creates no entry', async () => {
    const shop = await newProject()
    const id = await product(shop, 'mug')
    const red = await sku(shop, id, 'mug-red')
    await bin(shop, `/v1/products/mug/skus/${red}?force=true`)
    await bin(shop, '/v1/products/mug?force=true')
    expect(await entries(shop)).toEqual([])
    expect(await product(shop, 'mug')).not.toBe(id)
  })

  test('a refused deletion creates no entry', async () => {
    const shop = await newProject()
    const id = await product(shop, 'mug')
    await shop.call('POST', '/v1/product-collections', {
      type: 'STATIC',
      name: 'Mugs',
      products: [{ id, object: 'product' }],
    })
    expect(await shop.call('DELETE', '/v1/products/mug')).toMatchObject({
      status: 400,
      body: { key: 'resource_in_use' },
    })
    expect(await entries(shop)).toEqual([])
  })
})

describe('an entry', () => {
  test('that is unknown or of another project cannot be destroyed', async () => {
    const [shop, other] = [await newProject(), await newProject()]
    const id = await product(shop, 'mug')
    await bin(shop, '/v1/products/mug')
    const entry = await entryOf(shop, id)
    for (const [who, what] of [
      [shop, 'tbe_0'],
      [other, entry],
      [shop, id],
    ] as const)
      expect(await who.call('DELETE', `/v1/trash-bin/${what}`)).toMatchObject({
        status: 404,
        body: { key: 'not_found', resource_type: 'trash_bin_entry', resource_id: what },
      })
    expect(await entries(other)).toEqual([])
    expect(await shop.call('POST', '/v1/products', { source_id: 'mug' })).toMatchObject(taken)
  })

  test('is destroyed by exactly one of twenty concurrent requests', async () => {
    const shop = await newProject()
    const id = await product(shop, 'mug')
    await bin(shop, '/v1/products/mug')
    const path = `/v1/trash-bin/${await entryOf(shop, id)}`
    const answers = await Promise.all(Array.from({ length: 20 }, () => shop.call('DELETE', path)))
    expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array(19).fill(404)])
  })
})

describe('GET /v1/trash-bin', () => {
  test('pages in both directions while entries are added', async () => {
    const shop = await newProject()
    await expectStablePaging({
      shop,
      path: '/v1/trash-bin',
      orders: ['id', '-id'],
      data_ref: 'data',
      async create(n) {
        const id = await product(shop, `mug ${n}`)
        await bin(shop, `/v1/products/${id}`)
        return entryOf(shop, id)
      },
    })
  })

  test('shows the number of rows and the cursor of the next page', async () => {
    const shop = await newProject()
    for (const name of ['a', 'b', 'c']) {
      await product(shop, name)
      await bin(shop, `/v1/products/${name}`)
    }
    const [a, b, c] = (await entries(shop)) as [BinEntry, BinEntry, BinEntry]
    expect([a, b, c].map(({ resource_name }) => resource_name)).toEqual(['a', 'b', 'c'])
    const { body } = await shop.call('GET', '/v1/trash-bin?limit=2')
    expect(body).toMatchObject({ data: [a, b], total: 2, has_more: true, more_starting_after: b.id })
    const rest = await shop.call('GET', `/v1/trash-bin?limit=2&starting_after_id=${b.id}`)
    expect(rest.body).toEqual({ object: 'list', data_ref: 'data', data: [c], total: 1, has_more: false })
    expect(await entries(shop, '?order=-id&limit=1')).toEqual([c])
  })

  const filters: Array<[query: string, found: string]> = [
    ['filters[resource_type][conditions][$is]=sku', 'Mug red'],
    ['filters[resource_type][conditions][$is_not]=sku', 'Cup Mug'],
    ['filters[resource_type][conditions][$in][0]=product&filters[resource_type][conditions][$in][1]=sku', 'Cup Mug Mug red'],
    ['filters[resource_type][conditions][$is]=campaign', ''],
    ['filters[resource_name][conditions][$starts_with]=Mug', 'Mug Mug red'],
    ['filters[resource_name][conditions][$contains]=u', 'Cup Mug Mug red'],
    ['[filters][resource_name][conditions][$is]=Cup', 'Cup'],
    ['filters[resource_id][conditions][$is]=CUP_ID', 'Cup'],
    ['filters[id][conditions][$not_in][0]=CUP_ENTRY', 'Mug Mug red'],
    ['filters[junction]=or&filters[resource_id][conditions][$is]=CUP_ID&filters[resource_type][conditions][$is]=sku', 'Cup Mug red'],
    ['filters[junction]=AND&filters[resource_id][conditions][$is]=CUP_ID&filters[resource_type][conditions][$is]=sku', ''],
  ] // biome-ignore format: a table
  test('filters by type, name, id and resource id', async () => {
    const shop = await newProject()
    const [mug, cup] = [await product(shop, 'Mug'), await product(shop, 'Cup')]
    const red = await sku(shop, mug, 'Mug red')
    await bin(shop, `/v1/products/Mug/skus/${red}`)
    for (const id of [mug, cup]) await bin(shop, `/v1/products/${id}`)
    const ids = { CUP_ID: cup, CUP_ENTRY: await entryOf(shop, cup) }
    for (const [query, found] of filters) {
      const asked = query.replace(/CUP_ID|CUP_ENTRY/g, (name) => ids[name as keyof typeof ids])
      const names = (await entries(shop, `?${asked}`)).map(({ resource_name }) => resource_name)
      expect(names.sort().join(' '), query).toBe(found)
    }
  })

  test.each([
    'order=created_at',
    'limit=0',
    'limit=101',
    'starting_after_id=tbe_0',
    'filters[created_at][conditions][$after]=2020-01-01',
    'filters[resource_name][conditions][$like]=a',
    'filters=a',
    'filters[junction]=xor',
  ])('refuses %s', async (query) => {
    const shop = await newProject()
    expect(await shop.call('GET', `/v1/trash-bin?${query}`)).toMatchObject({
      status: 400,
      body: { key: 'invalid_query_params' },
    })
  })
})
