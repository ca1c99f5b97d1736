import { expect, test } from 'vitest'
import { newProject } from '../../testing/app.ts'
import { testDatabase } from '../../testing/database.ts'
import { findTerms, insertManyTerms, insertTerms } from './store.ts'

const now = '2026-01-01T00:00:00.000Z'

test('terms are found by id, within their project', async () => {
  const { db } = await testDatabase()
  const [shop, other] = [await newProject(), await newProject()]
  const ten = await insertTerms(db, shop.project_id, { discount: { type: 'AMOUNT', amount_off: 1000 } }, now)
  const half = await insertTerms(db, shop.project_id, { discount: { type: 'PERCENT', percent_off: 50 } }, now)
  const found = await findTerms(db, shop.project_id, [half, ten, 'terms_nowhere'])
  expect([found.size, found.get(ten), found.get(half)]).toEqual([
    2,
    { discount: { type: 'AMOUNT', amount_off: 1000 } },
    { discount: { type: 'PERCENT', percent_off: 50 } },
  ])
  expect(await findTerms(db, other.project_id, [ten])).toEqual(new Map())
  expect(await findTerms(db, shop.project_id, [])).toEqual(new Map())
})

test('equal terms share one row, whatever the order of their members', async () => {
  const { db } = await testDatabase()
  const { project_id } = await newProject()
  const one = await insertTerms(
    db,
    project_id,
    { discount: { type: 'AMOUNT', amount_off: 5 }, metadata: { a: 1, b: 2 } },
    now,
  )
  const [other, different] = await insertManyTerms(
    db,
    project_id,
    [
      { metadata: { b: 2, a: 1 }, discount: { amount_off: 5, type: 'AMOUNT' } },
      { metadata: { b: 2, a: 1 }, discount: { amount_off: 6, type: 'AMOUNT' } },
    ],
    now,
  )
  expect(other).toBe(one)
  expect(different).not.toBe(one)
  expect((await findTerms(db, project_id, [one, different!])).size).toBe(2)
})

test('terms are immutable, even with direct SQL', async () => {
  const { db } = await testDatabase()
  const { project_id } = await newProject()
  const id = await insertTerms(db, project_id, { effect: 'APPLY_TO_ITEMS' }, now)
  const change = db
    .updateTable('terms')
    .set({ content: '{"effect":"APPLY_TO_ORDER"}' })
    .where('project_id', '=', project_id)
  await expect(change.where('id', '=', id).execute()).rejects.toThrow(/^terms(_\d+)? never change/)
  expect(await findTerms(db, project_id, [id])).toEqual(new Map([[id, { effect: 'APPLY_TO_ITEMS' }]]))
})
