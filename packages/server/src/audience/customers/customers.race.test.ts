import { expect, test } from 'vitest'
import { newProject } from '../../testing/app.ts'

test('50 concurrent upserts of one source id create one customer with the fields of all, without errors', async () => {
  const shop = await newProject()
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      n % 2 === 0
        ? shop.call('POST', '/v1/customers', { source_id: 'u1', metadata: { [`k${n}`]: n } })
        : shop.call('POST', '/v1/customers', { source_id: 'u1', name: `name ${n}`, metadata: { [`k${n}`]: n } }),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200))
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
  const { body } = await shop.call('GET', '/v1/customers')
  expect(body.total).toBe(1)
  expect(Object.keys(body.customers[0].metadata)).toHaveLength(50)
  const created = await shop.call('GET', '/v1/customers/u1/activity?type=customer.created')
  expect(created.body.data).toHaveLength(1)
})

test('concurrent upserts, updates and deletions of one source id leave at most one customer, without errors', async () => {
  const shop = await newProject()
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, n) => {
      if (n % 3 === 0) return shop.call('POST', '/v1/customers', { source_id: 'u1', name: `n${n}` })
      return n % 3 === 1
        ? shop.call('PUT', '/v1/customers/u1', { name: `n${n}` })
        : shop.call('DELETE', '/v1/customers/u1')
    }),
  )
  for (const { status, body } of answers) expect([200, 204, 404], JSON.stringify(body)).toContain(status)
  const { body } = await shop.call('GET', '/v1/customers')
  expect(body.total).toBe(body.customers.length)
  expect(body.total).toBeLessThanOrEqual(1)
})
