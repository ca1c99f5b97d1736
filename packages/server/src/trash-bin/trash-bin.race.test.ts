import { expect, test } from 'vitest'
import { newProject, type Shop } from '../testing/app.ts'

/** Creates a product with three SKUs, one of them in the trash bin. */
async function stock(shop: Shop, n: number): Promise<{ path: string; skus: string[]; entry: string }> {
  const path = `/v1/products/mug-${n}`
  await shop.call('POST', '/v1/products', { source_id: `mug-${n}`, name: `Mug ${n}` })
  const skus: string[] = []
  for (const colour of ['red', 'blue', 'green'])
    skus.push((await shop.call('POST', `${path}/skus`, { source_id: `mug-${n}-${colour}` })).body.id)
  await shop.call('DELETE', `${path}/skus/${skus[0]}`)
  const { body } = await shop.call('GET', `/v1/trash-bin?filters[resource_id][conditions][$is]=${skus[0]}`)
  return { path, skus, entry: body.data[0].id }
}

test('concurrent deletions of a product, its SKUs and their entries cause no errors, and leave no entry without its resource', async () => {
  const shop = await newProject()
  const { db } = shop.service.runtime.database
  for (let n = 0; n < 12; n += 1) {
    const { path, skus, entry } = await stock(shop, n)
    const force = n % 2 === 0 ? '?force=true' : ''
    const answers = await Promise.all([
      shop.call('DELETE', `${path}/skus/${skus[1]}`),
      shop.call('DELETE', `${path}${force}`),
      shop.call('DELETE', `/v1/trash-bin/${entry}`),
      shop.call('DELETE', `${path}/skus/${skus[2]}?force=true`),
      shop.call('POST', `${path}/skus`, { source_id: `mug-${n}-white` }),
      shop.call('DELETE', `${path}/skus/${skus[1]}`),
      shop.call('DELETE', path),
      shop.call('DELETE', `/v1/trash-bin/${entry}`),
    ])
    expect(answers.map(({ status }) => status).filter((status) => ![200, 204, 404].includes(status))).toEqual([])
  }
  const listed = (await shop.call('GET', '/v1/trash-bin?limit=100')).body.data
  const there = async (table: 'products' | 'skus') =>
    (await db.selectFrom(table).where('project_id', '=', shop.project_id).select(['id', 'deleted_at']).execute()).map(
      ({ id, deleted_at }) => (deleted_at === null ? 'alive' : (id as string)),
    )
  const [products, skus] = [await there('products'), await there('skus')]
  for (const { resource_type, resource_id } of listed)
    expect(resource_type === 'product' ? products : skus, resource_id).toContain(resource_id)

  // All entries can be destroyed concurrently.
  const emptied = await Promise.all(listed.map(({ id }: { id: string }) => shop.call('DELETE', `/v1/trash-bin/${id}`)))
  // The entry of an SKU may have been deleted with its product.
  expect(emptied.map(({ status }) => status).filter((status) => ![204, 404].includes(status))).toEqual([])
  expect((await shop.call('GET', '/v1/trash-bin')).body.data).toEqual([])
  expect((await there('skus')).filter((id) => id !== 'alive')).toEqual([])
})
