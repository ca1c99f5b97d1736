import { expect, test } from 'vitest'
import { tablesWithProjects } from '../../account/projects/purge.ts'
import { testDatabase } from '../../testing/database.ts'
import { columnsLeftOut, listMovedTables, tablesLeftOut } from './tables.ts'

/** A new table: shall its rows travel? Then add it here; otherwise to `tablesLeftOut`, with the reason. */
const expectedTables = [
  'api_keys',
  'async_actions',
  'async_failures',
  'bin_entries',
  'brandings',
  'campaign_templates',
  'campaigns',
  'categories',
  'consent_decisions',
  'consent_groups',
  'consent_texts',
  'consents',
  'custom_event_schemas',
  'custom_event_tallies',
  'custom_events',
  'customers',
  'earning_rules',
  'earnings',
  'event_parts',
  'event_rows',
  'holders',
  'locations',
  'lots',
  'loyalty_members',
  'loyalty_tiers',
  'metadata_schemas',
  'notifications',
  'orders',
  'pending_points',
  'postings',
  'product_collections',
  'products',
  'promotion_stacks',
  'promotion_tiers',
  'publications',
  'raised_notifications',
  'redemptions',
  'referral_conversions',
  'referral_grants',
  'referral_tiers',
  'reward_assignments',
  'reward_redemptions',
  'rewards',
  'rule_assignments',
  'segment_checks',
  'segment_members',
  'segments',
  'skus',
  'stacking_rules',
  'tallies',
  'terms',
  'tier_walks',
  'usage',
  'validation_rules',
  'voucher_transactions',
  'vouchers',
  'webhooks',
]

test('every table with rows of projects is exported, or left out for a reason', async () => {
  const { db } = await testDatabase()
  expect((await listMovedTables(db)).map(({ name }) => name).sort()).toEqual(expectedTables)
  const all = (await tablesWithProjects(db)).map(({ name }) => name)
  expect(Object.keys(tablesLeftOut).filter((name) => !all.includes(name))).toEqual([])
})

test('a column that is left out exists', async () => {
  const { db } = await testDatabase()
  const tables = await db.introspection.getTables()
  const columns = new Set(tables.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name}`)))
  expect(Object.keys(columnsLeftOut).filter((name) => !columns.has(name))).toEqual([])
})

test('rows come after those they refer to, and webhooks after the events of the past', async () => {
  const { db } = await testDatabase()
  const names = (await listMovedTables(db)).map(({ name }) => name)
  const place = (name: string) => names.indexOf(name)
  expect(place('campaigns')).toBeLessThan(place('promotion_tiers'))
  expect(place('validation_rules')).toBeLessThan(place('rule_assignments'))
  expect(place('rewards')).toBeLessThan(place('reward_assignments'))
  expect(place('event_rows')).toBeLessThan(place('webhooks'))
})
