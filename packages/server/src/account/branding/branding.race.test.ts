import { expect, test } from 'vitest'
import { newProject } from '../../testing/app.ts'

const body = {
  brand: { name: 'Acme' },
  address: { street: '1 Main Street', city: 'Springfield', postal: null, country: 'USA' },
  contact: { email: 'hello@acme.example' },
}

test('of twenty concurrent creations one succeeds, and concurrent updates lose no field', async () => {
  const shop = await newProject()
  const created = await Promise.all(Array.from({ length: 20 }, () => shop.manage('POST', '/branding', body)))
  expect(created.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)])
  const { data, total } = (await shop.manage('GET', '/branding')).body
  expect(total).toBe(1)

  const changes = [
    { brand: { name: 'New' } },
    { brand: { website_url: 'acme.example' } },
    { address: { city: 'Shelbyville' } },
    { address: { postal: '1' } },
    { contact: { phone: '2' } },
    { contact: { email: 'new@acme.example' } },
  ]
  await Promise.all(changes.map((change) => shop.manage('PUT', `/branding/${data[0].id}`, change)))
  expect((await shop.manage('GET', '/branding')).body.data[0]).toMatchObject({
    brand: { name: 'New', website_url: 'acme.example' },
    address: { city: 'Shelbyville', postal: '1' },
    contact: { phone: '2', email: 'new@acme.example' },
  })
})
