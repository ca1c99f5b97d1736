import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { auditTables } from '../testing/checkout-load/audit.ts'
import { violationsOf } from '../testing/checkout-load/findings.ts'
import { openShopHere, type Shop } from '../testing/checkout-load/shop.ts'
import { newPostgresDatabase } from '../testing/database.ts'
import { races } from '../testing/torture/races/index.ts'

/* The races of `npm run torture`, once: two nodes on one PostgreSQL; requests go to them in turn. */

let shop: Shop
let drop: () => Promise<void>

beforeAll(async () => {
  const database = await newPostgresDatabase({ migrated: true })
  drop = database.drop
  shop = await openShopHere(database.url)
})

afterAll(async () => {
  await shop.close()
  await drop()
})

describe.each(Object.entries(races))('%s', (_, group) => {
  test.each(Object.entries(group))('%s', (_name, race) => race(shop))
})

test('after all races, the tables are consistent with each other', async () => {
  expect(violationsOf(await auditTables(shop))).toEqual([])
})
