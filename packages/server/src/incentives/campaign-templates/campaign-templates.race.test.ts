import { expect, test } from 'vitest'
import { newProject, type Shop } from '../../testing/app.ts'

const path = '/v1/templates/campaigns'
const voucher = { type: 'DISCOUNT_VOUCHER', discount: { type: 'PERCENT', percent_off: 10 } }

const many = <T>(count: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)))

const statuses = (answers: Array<{ status: number }>) => answers.map(({ status }) => status).sort()

/**
 * A template of a campaign whose rule references a product, an SKU of another product and a collection, all deleted
 * since.
 */
async function newTemplate(shop: Shop): Promise<string> {
  const { body: mug } = await shop.call('POST', '/v1/products', { source_id: 'mug' })
  const { body: tea } = await shop.call('POST', '/v1/products', { source_id: 'tea' })
  const { body: green } = await shop.call('POST', `/v1/products/${tea.id}/skus`, { source_id: 'green' })
  const { body: teas } = await shop.call('POST', '/v1/product-collections', {
    name: 'Teas',
    type: 'STATIC',
    products: [{ id: green.id, object: 'sku' }],
  })
  const references = [{ id: mug.id }, { id: teas.id }]
  const rules = { '1': { name: 'order.items.any', conditions: { $is: references } } }
  const { body: rule } = await shop.call('POST', '/v1/validation-rules', { rules })
  await shop.call('POST', '/v1/campaigns', { name: 'Source', voucher, validation_rules: [rule.id] })
  const { body: template } = await shop.call('POST', path, { name: 'Template', campaign_id: 'Source' })
  for (const url of [
    '/v1/campaigns/Source?force=true',
    `/v1/validation-rules/${rule.id}`,
    `/v1/product-collections/${teas.id}`,
    '/v1/products/mug?force=true',
    '/v1/products/tea?force=true',
  ])
    expect((await shop.call('DELETE', url)).status, url).toBeLessThan(300)
  return template.id
}

test('of concurrent creations, renames or copies with one name, exactly one succeeds', async () => {
  const shop = await newProject()
  await shop.call('POST', '/v1/campaigns', { name: 'Source', voucher })
  const create = (name: string) => shop.call('POST', path, { name, campaign_id: 'Source' })
  expect(statuses(await many(10, () => create('Same')))).toEqual([200, ...Array(9).fill(409)])

  const ids = (await many(6, (n) => create(`Template ${n}`))).map(({ body }) => body.id)
  expect(statuses(await many(6, (n) => shop.call('PUT', `${path}/${ids[n]}`, { name: 'Other' })))).toEqual([
    200,
    ...Array(5).fill(409),
  ])
  const copies = await many(8, (n) =>
    shop.manage('POST', `/templates/campaigns/${ids[n % 6]}/copy`, {
      name: 'Copy',
      destination_project_id: shop.project_id,
    }),
  )
  expect(statuses(copies)).toEqual([200, ...Array(7).fill(409)])
})

test('concurrent uses create a missing product and SKU only once, and all reference it', async () => {
  const shop = await newProject()
  const template = await newTemplate(shop)
  const answers = await many(8, (n) => shop.call('POST', `${path}/${template}/campaign-setup`, { name: `C ${n}` }))
  for (const { status, body } of answers) expect(status, JSON.stringify(body)).toBe(200)
  const created = answers.flatMap(({ body }) => body.created_resources as Array<{ id: string; object: string }>)
  const ofKind = (object: string) => created.filter((one) => one.object === object)
  expect(ofKind('product')).toHaveLength(2)
  expect(ofKind('sku')).toHaveLength(1)
  expect(ofKind('validation_rules')).toHaveLength(8)
  // A collection has no source id to match by: each use creates its own, under a different name.
  expect(ofKind('products_collection')).toHaveLength(8)
  const { body: collections } = await shop.call('GET', '/v1/product-collections?limit=100')
  const names = collections.data.map(({ name }: { name: string }) => name)
  expect(new Set(names).size).toBe(names.length)

  const { body: mug } = await shop.call('GET', '/v1/products/mug')
  for (const { rule_id } of answers.map(({ body }) => body.campaign.validation_rules_assignments.data[0])) {
    const { body: rule } = await shop.call('GET', `/v1/validation-rules/${rule_id}`)
    expect(rule.rules['1'].conditions.$is[0].id).toBe(mug.id)
  }
})

test('collections created concurrently under one name get different names', async () => {
  const shop = await newProject()
  const { body: cheap } = await shop.call('POST', '/v1/product-collections', {
    name: 'Cheap',
    type: 'AUTO_UPDATE',
    filter: { junction: 'and', price: { conditions: { $less_than: [1000] } } },
  })
  const rules = { '1': { name: 'order.items.any', conditions: { $is: [{ id: cheap.id }] } } }
  const { body: rule } = await shop.call('POST', '/v1/validation-rules', { rules })
  await shop.call('POST', '/v1/campaigns', { name: 'Source', voucher, validation_rules: [rule.id] })
  const { body: template } = await shop.call('POST', path, { name: 'Template', campaign_id: 'Source' })
  await shop.call('PUT', `/v1/product-collections/${cheap.id}`, {
    filter: { junction: 'and', price: { conditions: { $less_than: [2000] } } },
  })
  const answers = await many(8, (n) => shop.call('POST', `${path}/${template.id}/campaign-setup`, { name: `C ${n}` }))
  expect(statuses(answers)).toEqual(Array(8).fill(200))
  const { body } = await shop.call('GET', '/v1/product-collections?limit=100')
  const names = body.data.map(({ name }: { name: string }) => name).filter((name: string) => name.startsWith('Cheap'))
  expect(names.sort()).toEqual(['Cheap', ...[2, 3, 4, 5, 6, 7, 8, 9].map((n) => `Cheap (${n})`)])
})

test('of concurrent setups with one campaign name, one succeeds with all its resources, and the others leave nothing behind', async () => {
  const shop = await newProject()
  const template = await newTemplate(shop)
  const answers = await many(6, () => shop.call('POST', `${path}/${template}/campaign-setup`, { name: 'Same' }))
  expect(statuses(answers)).toEqual([200, ...Array(5).fill(409)])
  expect((await shop.call('GET', '/v1/validation-rules')).body.total).toBe(1)
  expect((await shop.call('GET', '/v1/product-collections')).body.total).toBe(2) // with the built-in one
})

test('a product deleted while a template reuses it is either gone before or in use', async () => {
  const shop = await newProject()
  const template = await newTemplate(shop)
  for (let round = 0; round < 4; round += 1) {
    await shop.call('POST', '/v1/products', { source_id: 'mug' })
    const [deleted, ...made] = await Promise.all([
      shop.call('DELETE', '/v1/products/mug?force=true'),
      ...Array.from({ length: 3 }, (_, n) =>
        shop.call('POST', `${path}/${template}/campaign-setup`, { name: `C ${round} ${n}` }),
      ),
    ])
    expect([204, 400, 404], JSON.stringify(deleted.body)).toContain(deleted.status)
    for (const { status, body } of made) expect(status, JSON.stringify(body)).toBe(200)
    const { body: mug } = await shop.call('GET', '/v1/products/mug')
    for (const { body } of made) {
      const [{ rule_id }] = body.campaign.validation_rules_assignments.data
      const { body: rule } = await shop.call('GET', `/v1/validation-rules/${rule_id}`)
      expect(rule.rules['1'].conditions.$is[0].id).toBe(mug.id)
    }
    for (const { body } of made) {
      const [{ rule_id }] = body.campaign.validation_rules_assignments.data
      await shop.call('DELETE', `/v1/validation-rules/${rule_id}`)
    }
  }
})
