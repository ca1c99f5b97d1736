import { expect, test } from 'vitest'
import { newProject } from '../../testing/app.ts'

const string = { type: 'string', array: false, optional: true }

test('of concurrent creations of the schema of an object, one succeeds', async () => {
  const shop = await newProject()
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      shop.manage('POST', '/metadata-schemas', { related_object: 'customer', properties: { [`k${n}`]: string } }),
    ),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 11 }, () => 409)])
})

test('concurrent updates lose no definition', async () => {
  const shop = await newProject()
  const { body } = await shop.manage('POST', '/metadata-schemas', { related_object: 'customer', properties: {} })
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      shop.call('PUT', '/v1/metadata-schemas/customer', { properties: { [`k${n}`]: string } }),
    ),
  )
  expect(answers.every(({ status }) => status === 200)).toBe(true)
  const stored = await shop.manage('GET', `/metadata-schemas/${body.id}`)
  expect(Object.keys(stored.body.properties)).toHaveLength(12)
})

test('of concurrent deletions of a schema, one succeeds; a concurrent update succeeds or answers 404', async () => {
  const shop = await newProject()
  const { body } = await shop.manage('POST', '/metadata-schemas', { related_object: 'customer', properties: {} })
  const path = `/metadata-schemas/${body.id}`
  const [update, ...deletions] = await Promise.all([
    shop.manage('PUT', path, { properties: { a: string } }),
    ...Array.from({ length: 8 }, () => shop.manage('DELETE', path)),
  ])
  expect([200, 404]).toContain(update?.status)
  expect(deletions.map(({ status }) => status).sort()).toEqual([204, ...Array.from({ length: 7 }, () => 404)])
})
