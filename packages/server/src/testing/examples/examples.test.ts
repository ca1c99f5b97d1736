import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { newId } from '../../core/lib/ids.ts'
import { documentOf } from '../../document.ts'
import { operations } from '../../operations.ts'
import { isBetter } from './choose.ts'
import { mergeExamples } from './merge.ts'
import { scrub } from './scrub.ts'

const run = () => {
  const id = newId('voucher')
  const now = Date.now()
  return {
    id,
    again: `/v1/vouchers/${id}`,
    category: newId('category'),
    name: `shirt-${randomUUID().slice(0, 8)}`,
    token: randomUUID(),
    created_at: new Date(now - (now % 60_000) + 1_234).toISOString(),
    start_date: '2026-03-01T00:00:00.000Z',
    applicable_exclusive_redeemables_per_category_limit: 1,
  }
}

test('two runs of a test give the same example, in which equal values stay equal', () => {
  const scrubbed = scrub(run())
  expect(scrub(run())).toEqual(scrubbed)
  expect(scrubbed).toMatchObject({
    id: expect.stringMatching(/^v_[0-9A-Za-z]{32}$/),
    again: `/v1/vouchers/${scrubbed.id}`,
    category: expect.stringMatching(/^cat_[0-9a-f]{18}$/),
    name: 'shirt',
    created_at: '2026-01-15T09:30:00.000Z',
    start_date: '2026-03-01T00:00:00.000Z', // as the test has written it
    applicable_exclusive_redeemables_per_category_limit: 1,
  })
})

test('the example that shows more properties is better, unless it is a dump', () => {
  const reply = (body: unknown) => ({ request: {}, reply: { body } })
  expect(isBetter(reply({ id: 'cat_1', name: 'Shirts' }), reply({ id: 'cat_1', name: null }))).toBe(true)
  expect(isBetter(reply({ rows: 'long text '.repeat(1_000), id: 1 }), reply({ id: 1 }))).toBe(false)
})

test('an example that fits is kept; one that does not is replaced by a recorded one', () => {
  const document = documentOf(operations)
  const category = (name: string) => ({
    request: { path: { categoryId: 'cat_1' } },
    reply: { body: { id: 'cat_1', name, hierarchy: 0, created_at: '2026-01-15T09:30:00.000Z', object: 'category' } },
  })
  const recorded = [{ operation_id: 'getCategory', status: 200, example: category('New') }]
  const merged = (kept: object) =>
    mergeExamples(operations, document, { kept: { getCategory: { 200: kept as never } }, recorded }).getCategory
  expect(merged(category('Old'))).toEqual({ 200: category('Old') })
  expect(merged({ ...category('Old'), reply: { body: { id: 'cat_1' } } })).toEqual({ 200: category('New') })
})

test('a call of the story replaces an example that calls otherwise, and precedes better ones of other tests', () => {
  const create = (name: string, hierarchy: number, request: object = { body: { name, hierarchy } }) => ({
    request,
    reply: { body: { id: 'cat_1', name, hierarchy, created_at: '2026-01-15T09:30:00.000Z', object: 'category' } },
  })
  const recorded = [
    { example: create('Long', 1, { body: { name: 'Long', hierarchy: 1 }, query: 'more=1' }) },
    { example: create('Told', 2), is_story: true as const },
    { example: create('Last', 3, { body: { name: 'Last', hierarchy: 3 }, prefer: 'return=representation' }) },
  ].map((each) => ({ operation_id: 'createCategory', status: 200, ...each }))
  const merged = (existing: ReturnType<typeof create>) =>
    mergeExamples(operations, documentOf(operations), { kept: { createCategory: { 200: existing } }, recorded })
      .createCategory
  expect(merged(create('Old', 1))).toEqual({ 200: create('Told', 2) })
  // The same call with another answer, in which a code that the service made up differs.
  const same = create('Other answer', 2, { body: { name: 'Told', hierarchy: 2 } })
  expect(merged(same)).toEqual({ 200: same })
})
