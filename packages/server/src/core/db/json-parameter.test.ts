import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { ownDatabase } from '../../testing/nodes.ts'
import { JsonParameter } from './json-parameter.ts'

test('a value is sent unchanged, and released', async () => {
  const { db } = (await ownDatabase()).database
  const value = { text: 'a "b" \\ ü 🎉', list: [1, 0.5, null, { deep: true }] }
  const parameter = new JsonParameter(value)
  const { rows } = await sql`select ${parameter}::jsonb as value`.execute(db)
  expect(rows).toEqual([{ value }])
  expect(parameter.toJSON()).toBe(undefined)
})
