import { randomBytes } from 'node:crypto'
import { checkFilter, clockAt, compileFilter } from '@guerdon/engine'
import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { ApiError } from '../../http/errors.ts'
import { testDatabase } from '../../testing/database.ts'
import { type Filter, type FilterFields, filterSql, metadataField, parseFilter } from './filter.ts'
import { filterOperators } from './operators.ts'

// A filter decides in the database, for lists, and in the engine, for the lines of an order. It must decide the same.

const fields: FilterFields = {
  name: { type: 'string', column: 'name' },
  price: { type: 'number', column: 'price' },
  birthdate: { type: 'date', column: 'born', ignores_year: true },
  created_at: { type: 'datetime', column: 'seen' },
  attributes: { type: 'array', column: 'tags' },
  'metadata.*': metadataField('metadata'),
}

const words = fc.constantFrom('', 'a', 'ab', 'b', '5', '1.5', 'true', '%', '2025-02-26', '2025-02-25T23:30:00.000Z')
const numbers = fc.constantFrom(-1, 0, 1, 2, 5, 26, 30, 365, 1.5)
const days = fc.constantFrom(
  '2024-02-29',
  '2025-02-25',
  '2025-02-26',
  '2025-02-27',
  '2025-01-27',
  '1990-03-01',
  '2025-12-31',
)
const moments = days.chain((day) =>
  fc.constantFrom(`${day}T00:00:00.000Z`, `${day}T22:59:59.999Z`, `${day}T23:30:00.000Z`),
)
const scalars = fc.oneof(words, numbers, fc.boolean(), days, moments)

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 5 })
const row = fc.record({
  name: maybe(words),
  price: maybe(fc.constantFrom(-1, 0, 1, 5, 30)),
  born: maybe(days),
  seen: maybe(moments),
  tags: maybe(fc.array(fc.oneof(words, numbers), { maxLength: 3 })),
  metadata: fc.record(
    { k: fc.oneof(scalars, fc.array(scalars, { maxLength: 2 }), fc.constant(null)) },
    { requiredKeys: [] },
  ),
})
type Row = typeof row extends fc.Arbitrary<infer R> ? R : never

const conditions = fc
  .tuple(fc.constantFrom(...Object.keys(filterOperators)), fc.array(scalars, { minLength: 1, maxLength: 2 }))
  .map(([operator, given]) => ({ conditions: { [operator]: given } }))
const filters = fc
  .tuple(
    fc.constantFrom('and', 'or'),
    fc.dictionary(fc.constantFrom('name', 'price', 'birthdate', 'created_at', 'attributes', 'metadata.k'), conditions, {
      minKeys: 1,
      maxKeys: 2,
      noNullPrototype: true,
    }),
  )
  .map(([junction, sets]) => ({ junction, ...sets }))

const moment = { now: '2025-02-26T12:00:00.000Z', timezone: 'Europe/Warsaw' }

test('the database and the engine decide the same', async () => {
  const { db } = await testDatabase()
  const table = sql.table(`agreement_${randomBytes(6).toString('hex')}`)
  const columns = sql.raw('id int, name text, price bigint, born date, seen timestamptz, tags jsonb, metadata jsonb')
  await sql`create table ${table} (${columns})`.execute(db)
  const rows: Row[] = fc.sample(row, { numRuns: 120, seed: 7 })
  const json = JSON.stringify(rows.map((one, id) => ({ ...one, id })))
  await sql`insert into ${table} select * from jsonb_to_recordset(${json}::jsonb) as row (${columns})`.execute(db)

  const clock = clockAt(moment.now, moment.timezone)
  let matched = 0
  await fc.assert(
    fc.asyncProperty(filters, async (raw) => {
      const parsed = parsedOrNull(raw)
      if (parsed === null) return // the list knows the types of its fields, and refuses what cannot be compared
      expect(checkFilter(raw)).toBeNull()
      const found = await sql<{
        id: number
      }>`select id from ${table} where ${filterSql(parsed, moment)} order by id`.execute(db)
      const fits = compileFilter(raw)
      const ours = rows.flatMap((one, id) => (fits((field) => fieldOf(one, field), clock, {}) ? [id] : []))
      expect(ours).toEqual(found.rows.map(({ id }) => id))
      matched += ours.length
    }),
    { numRuns: 400 },
  )
  expect(matched).toBeGreaterThan(1_000)
})

function parsedOrNull(raw: unknown): Filter | null {
  try {
    return parseFilter(raw, fields)
  } catch (error) {
    if (error instanceof ApiError) return null
    throw error
  }
}

function fieldOf({ name, price, born, seen, tags, metadata }: Row, field: string): unknown {
  const values: Record<string, unknown> = { name, price, birthdate: born, created_at: seen, attributes: tags }
  return field === 'metadata.k' ? metadata.k : values[field]
}
