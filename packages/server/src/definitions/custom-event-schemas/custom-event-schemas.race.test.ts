import { expect, test } from 'vitest'
import { newProject } from '../../testing/app.ts'

const string = { type: 'string', optional: true }

test('of concurrent creations with one name, one succeeds', async () => {
  const shop = await newProject()
  const body = { name: 'sign-up', schema: { properties: {} } }
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => shop.manage('POST', '/custom-event-schemas', body)),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 11 }, () => 409)])
})

test('concurrent updates lose no property', async () => {
  const shop = await newProject()
  const created = await shop.manage('POST', '/custom-event-schemas', { name: 'sign-up', schema: { properties: {} } })
  const path = `/custom-event-schemas/${created.body.id}`
  await Promise.all(
    Array.from({ length: 12 }, (_, n) => shop.manage('PUT', path, { schema: { properties: { [`k${n}`]: string } } })),
  )
  expect(Object.keys((await shop.manage('GET', path)).body.schema.properties)).toHaveLength(12)
})
