import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import type { Db } from '../../core/db/database.ts'
import type { Project } from '../../core/db/project-row.ts'
import { newChance } from '../../demo/chance.ts'
import { fillDemoShop } from '../../demo/fill.ts'
import { type DemoSize, smallSize } from '../../demo/plan.ts'
import { rebuildStatistics } from '../../statistics/sums/work.ts'
import { newProject, type Shop, send } from '../../testing/app.ts'
import { untilFinal } from '../../testing/event-list.ts'
import { type Installation, newInstallation } from '../../testing/installation.ts'
import { exportedText, importText } from '../../testing/move.ts'
import { scaled } from '../../testing/scale.ts'
import { newWebhook } from '../../testing/webhooks.ts'
import { listMovedTables } from './tables.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
type Body = any

let shop: Shop
let there: Installation
let text: string

const size: DemoSize = {
  customers: scaled(smallSize.customers, 20),
  days: scaled(smallSize.days, 14),
  orders_per_day: scaled(smallSize.orders_per_day, 8),
}

/** A shop with a history of redemptions, refusals, rollbacks, expired points and publications, moved to another database. */
beforeAll(async () => {
  shop = await newProject()
  await fillDemoShop(
    shop.service.runtime,
    (await shop.service.runtime.credentials.project(shop.project_id)) as Project,
    size,
  )
  await newWebhook(shop, 'https://receiver.example/hook', ['redemption.succeeded'])
  await untilFinal(shop)
  text = await exportedText(shop.service.runtime.database.db, shop.project_id)
  there = await newInstallation()
  await importText(there.runtime.database.db, text)
}, 400_000)

const original = (method: string, path: string, body?: object): Promise<Body> => shop.call(method, path, body)

/** With the keys of the original: only hashes of their secrets have travelled. */
const imported = async (method: string, path: string, body?: object): Promise<Body> =>
  send(there.app, method, path, body, { ...shop.headers, authorization: `Bearer ${await tokenThere()}` })

const both = async (method: string, path: string, body?: object): Promise<[here: Body, there: Body]> => [
  await original(method, path, body),
  await imported(method, path, body),
]

/** Tokens expire within the hour and do not travel. */
let token: string | undefined
async function tokenThere(): Promise<string> {
  if (token !== undefined) return token
  const { authorization: _, ...headers } = shop.headers
  const asked = 'grant_type=client_credentials&scope=api'
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const { status, body } = await send(there.app, 'POST', '/v1/oauth/token', asked, { ...headers, ...form })
  expect({ status, body }).toMatchObject({ status: 200 })
  token = (body as { access_token: string }).access_token
  return token
}

/** A code that both services make, so that its images have other addresses in each. */
const bothMade = 'AFTERWARDS'

const linesOf = (file: string) => file.trimEnd().split('\n')

test('the imported project, exported again, has the same rows', async () => {
  const again = await exportedText(there.runtime.database.db, shop.project_id)
  const [before, after] = [linesOf(text), linesOf(again)]
  expect(before.length).toBeGreaterThan(scaled(3_000, 1_500))
  expect(after.slice(1, -1).sort()).toEqual(before.slice(1, -1).sort())
  const header = (lines: string[]) => ({ ...JSON.parse(lines[0] as string), exported_at: '' })
  expect(header(after)).toEqual(header(before))
})

test('the service writes no JSON null into a column that can be NULL: an import would read it as NULL', async () => {
  const { db } = shop.service.runtime.database
  const { rows: columns } = await sql<{ name: string; column: string }>`
    select table_name::text as name, column_name::text as column from information_schema.columns
    where table_schema = current_schema() and udt_name = 'jsonb' and is_nullable = 'YES'`.execute(db)
  const moved = new Set((await listMovedTables(db)).map(({ name }) => name))
  const found: string[] = []
  for (const { name, column } of columns.filter(({ name }) => moved.has(name))) {
    const { rows } = await sql`
      select from ${sql.table(name)} where project_id = ${shop.project_id} and ${sql.ref(column)} = 'null' limit 1`.execute(
      db,
    )
    if (rows.length > 0) found.push(`${name}.${column}`)
  }
  expect(columns.length).toBeGreaterThan(20)
  expect(found).toEqual([])
})

test('statistics, totals and lists are those of the original', async () => {
  for (const path of [
    '/v1/campaigns?limit=100',
    '/v1/customers?limit=100',
    '/v1/vouchers?limit=100&page=2',
    '/v1/orders?limit=100',
    '/v1/redemptions?limit=100',
    '/v1/publications?limit=100',
    '/v1/segments',
    '/v1/rewards',
    '/v1/validation-rules',
    '/v1/product-collections',
  ]) {
    const [here, moved] = await both('GET', path)
    expect(here.status, path).toBe(200)
    expect(moved.body, path).toEqual(here.body)
  }
  // Sums have the rows before the oldest open transaction of the server: other files may keep one open while the import adds up.
  const [here, moved] = [shop.service.runtime.database.db, there.runtime.database.db]
  const sumsOf = async (db: Db) => {
    await rebuildStatistics(db, shop.project_id)
    return totals(db)
  }
  await expect.poll(async () => isDeepStrictEqual(await sumsOf(moved), await sumsOf(here))).toBe(true)
  expect(await totals(moved)).toEqual(await totals(here))
})

const totals = async (db: Db) =>
  (
    await sql`select to_jsonb(s) - 'project_id' as sums from statistics_sums s
      where project_id = ${shop.project_id} and grain in (0, 1440) order by scope_id, grain, starts_at`.execute(db)
  ).rows

test('events of the past are in the list in the same order, and only new ones are sent', async () => {
  const list = `/projects/${shop.project_id}/events?limit=100`
  const idsOf = ({ body }: Body): string[] => body.data.map(({ id }: { id: string }) => id)
  let cursor = ''
  for (let page = 0; page < 5; page += 1) {
    const here = await shop.manage('GET', `/events?limit=100${cursor && `&cursor=${cursor.split(' ')[0]}`}`)
    const moved = await there.manage('GET', `${list}${cursor && `&cursor=${cursor.split(' ')[1]}`}`)
    expect(idsOf(here)).toHaveLength(100)
    expect(idsOf(moved)).toEqual(idsOf(here))
    cursor = `${here.body.cursor} ${moved.body.cursor}`
  }
  expect(await sendouts()).toBe(0)
  const discount = { type: 'AMOUNT', amount_off: 100 }
  await both('POST', '/v1/vouchers', { code: bothMade, type: 'DISCOUNT_VOUCHER', discount })
  const body = { redeemables: [{ object: 'voucher', id: bothMade }], order: { amount: 20_000 } }
  for (const { status } of await both('POST', '/v1/redemptions', body)) expect(status).toBe(200)
  expect(await sendouts()).toBe(1)
})

async function sendouts(): Promise<number> {
  const { db } = there.runtime.database
  return (await db.selectFrom('webhook_sendouts').where('project_id', '=', shop.project_id).select('id').execute())
    .length
}

test('random carts get the same verdicts, and go on being redeemed with the same results', async () => {
  const chance = newChance(Number(process.env.FAST_CHECK_SEED ?? 7))
  const list = async (path: string, key: string): Promise<Body[]> => (await shop.call('GET', path)).body[key]
  const codes = [
    ...(await list('/v1/vouchers?limit=100', 'vouchers')),
    ...(await list('/v1/vouchers?limit=100&page=2', 'vouchers')),
  ]
    .map(({ code }) => code as string)
    .filter((code) => code !== bothMade)
  const customers = await list('/v1/customers?limit=100', 'customers')
  const products = (await list('/v1/products?limit=100', 'products')).filter(({ price }) => price > 0)
  const tiers = await list('/v1/promotions/tiers?limit=100', 'tiers')
  const cart = () => ({
    customer: { source_id: chance.pick(customers).source_id },
    order: {
      items: Array.from({ length: chance.between(1, 4) }, () => ({
        product_id: chance.pick(products).id,
        quantity: chance.between(1, 3),
      })),
    },
    redeemables: Array.from({ length: chance.between(1, 2) }, () =>
      chance.isTrue(0.8)
        ? { object: 'voucher', id: chance.pick(codes) }
        : { object: 'promotion_tier', id: chance.pick(tiers).id },
    ),
  })
  const seen = { applied: 0, refused: 0, redeemed: 0 }
  for (let turn = 0; turn < scaled(150, 40); turn += 1) {
    const body = cart()
    const [here, moved] = await both('POST', '/v1/validations', body)
    expect(outcomeOf(moved), JSON.stringify(body)).toEqual(outcomeOf(here))
    seen[here.body.valid === true ? 'applied' : 'refused'] += 1
    if (here.body.valid !== true && turn % 5 > 0) continue
    const [redeemedHere, redeemedThere] = await both('POST', '/v1/redemptions', body)
    expect(outcomeOf(redeemedThere), JSON.stringify(body)).toEqual(outcomeOf(redeemedHere))
    if (redeemedHere.status !== 200) continue
    seen.redeemed += 1
    if (turn % 3 > 0) continue
    expect(outcomeOf(await rollBack(imported, redeemedThere))).toEqual(
      outcomeOf(await rollBack(original, redeemedHere)),
    )
  }
  for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(scaled(5, 2))
}, 200_000)

function rollBack(call: typeof original, { body: { parent_redemption, redemptions } }: Body): Promise<Body> {
  if (parent_redemption !== undefined) return call('POST', `/v1/redemptions/${parent_redemption.id}/rollbacks`, {})
  return call('POST', `/v1/redemptions/${redemptions[0].id}/rollback`, {})
}

/** Fields with ids and moments that each service makes itself. */
const ownFields =
  /^(id|date|request_id|resource_id|tracking_id|source_id|related_object_id|redemption_id|order_id|.*_at|.*_date)$/

/** What an answer says, without them. */
function outcomeOf({ status, body }: Body): unknown {
  const text = JSON.stringify(body, (key, value) => (typeof value === 'string' && ownFields.test(key) ? '' : value))
  return { status, body: JSON.parse(text.replaceAll(/"rr?_\w{20,}"/g, '"r"')) }
}
