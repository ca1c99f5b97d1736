import { expect, test } from 'vitest'
import { clientOf } from './client.ts'

const client = clientOf('categories')

test('a category is created, read, renamed and deleted', async () => {
  const { categories } = (await client()).library
  const made = await categories.create({ name: 'Summer', hierarchy: 5 })
  expect(made).toEqual({
    id: expect.stringMatching(/^cat_/),
    name: 'Summer',
    hierarchy: 5,
    created_at: expect.any(String),
    object: 'category',
  })
  expect(await categories.get(made.id)).toEqual(made)

  const renamed = await categories.update(made.id, { name: 'Spring & Easter', hierarchy: 2 })
  expect(renamed).toEqual({ ...made, name: 'Spring & Easter', hierarchy: 2, updated_at: expect.any(String) })
  expect(await categories.list()).toMatchObject({ object: 'list', data_ref: 'data', data: [renamed], total: 1 })

  await categories.delete(made.id)
  await expect(categories.get(made.id)).rejects.toMatchObject({ code: 404, resource_type: 'category' })
})

test('every method of these objects was called', async () => (await client()).expectAllMethodsCalled())
