import { deflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newId } from '../../core/lib/ids.ts'
import { limits } from '../../core/lib/limits.ts'
import { decompress, packBodies, unpackBodies } from './bodies.ts'

const day = Date.UTC(2026, 0, 31)

const body = fc.option(
  fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.nat(limits.audit_body_bytes_max / 2).map((length) => 'é'.repeat(length)),
    fc.constant(''),
  ),
  { nil: null },
)
const entry = fc.record({
  head: fc.record({
    project_id: fc.constantFrom('proj_a', 'proj_b'),
    at: fc.constantFrom(day, day + 1, day + 86_400_000),
  }),
  request_body: body,
  response_body: body,
})

test('every entry gets its bodies back, from a row of its project and day', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { maxLength: 12 }), async (made) => {
      const entries = made.map(({ head, ...bodies }) => ({
        head: { ...head, id: newId('audit_entry', head.at) },
        ...bodies,
      }))
      const { places, rows } = packBodies(entries)
      const idsOf = (key: string) => new Set(rows.filter(({ project_id }) => project_id === key).map(({ id }) => id))
      for (const [n, { head, request_body, response_body }] of entries.entries()) {
        const place = places[n] as (typeof places)[number]
        if (place.bodies_id === null) {
          expect({ request_body, response_body }).toEqual({ request_body: null, response_body: null })
          continue
        }
        expect(idsOf(head.project_id)).toContain(place.bodies_id)
        const first = entries.find(({ head: { id } }) => id === place.bodies_id)
        expect(Math.floor((first?.head.at ?? 0) / 86_400_000)).toBe(Math.floor(head.at / 86_400_000))
        const row = rows.find(({ id }) => id === place.bodies_id)
        const bytes = await decompress(row?.data as Buffer)
        expect(unpackBodies(bytes, place)).toEqual({ request_body, response_body })
      }
    }),
    { numRuns: 60 },
  )
})

test('bodies of many entries are in few rows, which end at 64 KiB', async () => {
  const entries = Array.from({ length: 100 }, () => ({
    head: { project_id: 'proj_a', id: newId('audit_entry', day), at: day },
    request_body: 'q'.repeat(1_000),
    response_body: 'r'.repeat(3_000),
  }))
  const { rows } = packBodies(entries)
  const sizes = await Promise.all(rows.map(async ({ data }) => (await decompress(data)).length))
  expect(sizes).toEqual([68_000, 68_000, 68_000, 68_000, 68_000, 60_000])
})

test('rows that were deflated stay readable', async () => {
  const texts = fc.oneof(fc.string({ unit: 'grapheme' }), fc.base64String({ minLength: 1_000, maxLength: 3_000 }))
  await fc.assert(
    fc.asyncProperty(texts, fc.constantFrom(0, 1, 9), async (text, level) => {
      expect(String(await decompress(deflateRawSync(Buffer.from(text), { level })))).toBe(text)
    }),
  )
})
