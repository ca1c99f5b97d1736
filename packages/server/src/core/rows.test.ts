import { expect, test } from 'vitest'
import { newProject } from '../testing/app.ts'
import { testDatabase } from '../testing/database.ts'
import { nextConfigurationVersion } from './db/configuration.ts'
import { newId } from './lib/ids.ts'
import { deleteRow, findRow, insertRow, insertRows, listRows, updateRow } from './rows.ts'

const categories = { table: 'categories', type: 'category', configuration_type: 'category', unique: 'name' } as const
const templates = { table: 'campaign_templates', type: 'campaign_template', unique: 'name' } as const

async function newCtx() {
  const { db } = await testDatabase()
  const { project_id } = await newProject()
  return { db, project_id, now: '2030-01-01T00:00:00.000Z' }
}

const category = (name: string) => ({ id: newId('category'), name, hierarchy: 1 })

test('every write to a table of the configuration takes one version, unless the caller has taken it', async () => {
  const ctx = await newCtx()
  const [tea] = await insertRows(ctx, categories, [category('Tea'), category('Milk')])
  expect(tea).toMatchObject({ config_version: 1, created_at: ctx.now, updated_at: null })
  const id = tea?.id as string
  expect(await updateRow(ctx, categories, id, { hierarchy: 2 })).toMatchObject({
    config_version: 2,
    updated_at: ctx.now,
  })
  const taken = await nextConfigurationVersion(ctx.db, ctx.project_id)
  expect(await updateRow(ctx, categories, id, { config_version: taken })).toMatchObject({ config_version: 3 })
  await deleteRow(ctx, categories, id)
  expect(await nextConfigurationVersion(ctx.db, ctx.project_id)).toBe(5)
})

test('a write to another table takes no version', async () => {
  const ctx = await newCtx()
  const id = newId('campaign_template')
  await insertRow(ctx, templates, {
    id,
    name: 'Tea',
    description: null,
    campaign_type: 'DISCOUNT_COUPONS',
    content: '{}',
  })
  await updateRow(ctx, templates, id, { name: 'Milk' })
  await deleteRow(ctx, templates, id)
  expect(await nextConfigurationVersion(ctx.db, ctx.project_id)).toBe(1)
})

test('an update keeps undefined columns; rows are found by null and listed in both directions', async () => {
  const ctx = await newCtx()
  const first = await insertRow(ctx, categories, category('Tea'))
  const second = await insertRow(ctx, categories, category('Milk'))
  expect(await updateRow(ctx, categories, first.id, { name: undefined, hierarchy: 2 })).toMatchObject({ name: 'Tea' })
  expect(await findRow(ctx, categories, { updated_at: null })).toEqual(second)
  expect((await listRows(ctx, categories)).map(({ name }) => name)).toEqual(['Tea', 'Milk'])
  expect((await listRows(ctx, categories, {}, 'desc')).map(({ name }) => name)).toEqual(['Milk', 'Tea'])
})
