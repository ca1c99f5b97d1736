import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { processSegments } from '../audience/segments/worker.ts'
import type { Runtime } from '../core/context.ts'
import type { Project } from '../core/db/project-row.ts'
import { maintain } from '../core/jobs/maintenance.ts'
import { toInstant } from '../core/lib/instant.ts'
import { runDueMembersBatch } from '../loyalty/points/daily-job.ts'
import { newProject, type Shop } from '../testing/app.ts'
import { insertProject, runAsyncActions } from '../testing/background.ts'
import { asyncActions } from '../work.ts'
import { newChance } from './chance.ts'
import { type DemoResult, fillDemoShop } from './fill.ts'
import {
  campaignNames,
  codes,
  demoKeyName,
  plainCustomer,
  refusedForVip,
  segmentNames,
  thanksOrder,
  vipCodes,
  vipCustomer,
  vipGift,
} from './known.ts'
import { newPeople } from './people.ts'
import { dayMs, newPlan, smallSize } from './plan.ts'
import { demoStateOf, insertDemoKey, whyNotFillable } from './state.ts'

let shop: Shop
let runtime: Runtime
let project: Project
let result: DemoResult
let begun: number

beforeAll(async () => {
  shop = await newProject()
  runtime = shop.service.runtime
  project = (await runtime.credentials.project(shop.project_id)) as Project
  begun = Date.now()
  result = await fillDemoShop(runtime, project, smallSize)
}, 240_000)

const get = async (path: string) => (await shop.call('GET', path)).body
const rowsOf = async <T>(query: ReturnType<typeof sql>): Promise<T[]> =>
  (await query.execute(runtime.database.db)).rows as T[]

test('it has goods, customers, segments, and campaigns of every type', async () => {
  expect((await get('/v1/products?limit=1')).total).toBe(41) // and the built-in one
  expect((await get('/v1/product-collections?limit=1')).total).toBe(7)
  expect((await get('/v1/customers?limit=1')).total).toBe(smallSize.customers)
  const segments: Array<{ name: string }> = (await get('/v1/segments')).data
  expect(segments.map(({ name }) => name).sort()).toEqual(Object.values(segmentNames).sort())
  const { campaigns } = await get('/v1/campaigns?limit=100')
  expect(campaigns.map(({ name }: { name: string }) => name).sort()).toEqual(Object.values(campaignNames).sort())
  const types = new Set(campaigns.map(({ campaign_type }: { campaign_type: string }) => campaign_type))
  expect([...types].sort()).toEqual([
    'DISCOUNT_COUPONS',
    'GIFT_VOUCHERS',
    'LOYALTY_PROGRAM',
    'PROMOTION',
    'REFERRAL_PROGRAM',
  ])
})

test('what it says it made is there', async () => {
  expect((await get('/v1/orders?limit=1')).total).toBe(result.orders)
  expect(result.orders).toBeGreaterThan(smallSize.days * 5)
  const [counted] = await rowsOf<Record<string, number>>(sql`
    select count(*) filter (where object = 'redemption' and result = 'SUCCESS' and parent_id is null)::int as redemptions,
      count(*) filter (where object = 'redemption' and result = 'FAILURE' and parent_id is null)::int as refusals,
      count(*) filter (where object = 'redemption_rollback' and parent_id is null)::int as rollbacks
    from redemptions where project_id = ${shop.project_id}`)
  const { redemptions, refusals, rollbacks } = result
  expect(counted).toEqual({ redemptions, refusals, rollbacks })
})

test('codes are refused for several reasons', async () => {
  const rows = await rowsOf<{ refusal: string }>(sql`
    select distinct coalesce(voucher_code, '') || ' ' || failure_code as refusal from redemptions
    where project_id = ${shop.project_id} and result = 'FAILURE'`)
  expect(rows.map(({ refusal }) => refusal)).toEqual(
    expect.arrayContaining([
      `${codes.sale} voucher_expired`,
      `${codes.newsletter} order_rules_violated`,
      `${codes.newsletter} redemption_rules_violated`,
      `${codes.vip} customer_rules_violated`,
      `${codes.podcast} redemption_rules_violated`,
    ]),
  )
})

test('something is on every day, and nothing bears the time of the fill or of the future', async () => {
  const { start, present, days } = newPlan(smallSize, begun)
  const perDay = await rowsOf<{ day: string }>(sql`
    select distinct (created_at at time zone 'UTC')::date::text as day from orders
    where project_id = ${shop.project_id} order by 1`)
  const expected = Array.from({ length: days }, (_, day) => toInstant(start + day * dayMs).slice(0, 10))
  expect(perDay.map(({ day }) => day).slice(0, days)).toEqual(expected)

  const columns = await rowsOf<{ table: string; column: string }>(sql`
    select c.table_name::text as table, c.column_name::text as column from information_schema.columns c
    join information_schema.columns p using (table_schema, table_name)
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = current_schema() and t.table_type = 'BASE TABLE' and p.column_name = 'project_id'
      and c.column_name in ('created_at', 'updated_at', 'decided_at', 'occurred_at')`)
  expect(columns.length).toBeGreaterThan(30)
  for (const { table, column } of columns) {
    if (['api_keys', 'oauth_tokens'].includes(table)) continue // those of the test
    const [{ late, early }] = (await rowsOf<{ late: number; early: number }>(sql`
      select count(*) filter (where ${sql.ref(column)} > ${toInstant(present + 2_000)}::timestamptz)::int as late,
        count(*) filter (where ${sql.ref(column)} < ${toInstant(start)}::timestamptz)::int as early
      from ${sql.table(table)} where project_id = ${shop.project_id}`)) as [{ late: number; early: number }]
    expect({ table, column, late, early }).toEqual({ table, column, late: 0, early: 0 })
  }
})

test('there is something that needs attention', async () => {
  const campaign = (name: string) => get(`/v1/campaigns/${encodeURIComponent(name)}`)
  const plan = newPlan(smallSize, begun)
  const [used] = await rowsOf<{ count: number }>(sql`
    select count(*)::int as count from redemptions where project_id = ${shop.project_id}
      and result = 'SUCCESS' and voucher_code = ${codes.influencer}`)
  const share = ((used?.count ?? 0) * 400) / plan.influencer.budget
  expect(share).toBeGreaterThan(0.8)
  expect(share).toBeLessThan(1)

  const [free] = await rowsOf<{ count: number }>(sql`
    select count(*)::int as count from vouchers where project_id = ${shop.project_id} and holder_id is null
      and campaign_id = ${(await campaign(campaignNames.birthday)).id}`)
  expect(free?.count).toBe(plan.birthday.left_count)
  const ends = Date.parse((await campaign(campaignNames.beans)).expiration_date) - Date.now()
  expect(ends).toBeGreaterThan(0)
  expect(ends).toBeLessThan(7 * dayMs)
  const { async_actions: actions } = await get('/v1/async-actions?limit=100')
  const imports = actions.filter(({ type }: { type: string }) => type === 'VOUCHERS.IMPORT_CSV')
  expect(imports.map(({ status }: { status: string }) => status)).toEqual(['DONE', 'FAILED'])
  expect((await get(`/v1/async-actions/${imports[0].id}`)).result).toMatchObject({ done_count: 5, failed_count: 4 })
})

test('the names that guides and tests rely on are there', async () => {
  const elif = await get(`/v1/customers/${vipCustomer.source_id}`)
  expect(elif).toMatchObject(vipCustomer)
  expect(await get(`/v1/customers/${plainCustomer.source_id}`)).toMatchObject(plainCustomer)
  const segments = (await get(`/v1/customers/${elif.id}/segments`)).data.map(({ name }: { name: string }) => name)
  expect(segments).toContain(segmentNames.vip)
  expect((await get(`/v1/vouchers/${vipCodes.gift}`)).gift.balance).toBe(vipGift.amount - vipGift.spent)
  expect(await get(`/v1/vouchers/${vipCodes.club}`)).toMatchObject({ type: 'LOYALTY_CARD', holder_id: elif.id })
  expect(await get(`/v1/vouchers/${vipCodes.friends}`)).toMatchObject({ is_referral_code: true, referrer_id: elif.id })

  const validation = await shop.call('POST', '/v1/validations', {
    redeemables: [{ object: 'voucher', id: refusedForVip.code }],
    customer: { source_id: vipCustomer.source_id },
    order: { amount: 5_000 },
  })
  expect(validation.body).toMatchObject({
    valid: false,
    redeemables: [{ result: { error: { key: refusedForVip.key } } }],
  })
  const said = Object.fromEntries(result.codes.map(({ code, is_valid }) => [code, is_valid]))
  expect(said).toEqual({
    [codes.vip]: true,
    [codes.beans]: true,
    [vipCodes.gift]: true,
    [codes.newsletter]: false,
    [codes.sale]: false,
  })
  for (const { sentence } of result.codes) expect(sentence).toMatch(/^Voucher \S+ (takes|cannot be used)/)

  const { redemptions } = await get(`/v1/vouchers/${vipCodes.thanks}/redemptions?limit=1`).then(async () =>
    get(`/v1/redemptions?limit=10&filters[voucher_code][conditions][$is][0]=${vipCodes.thanks}`),
  )
  expect(redemptions).toHaveLength(1)
  expect(redemptions[0].order.source_id).toBe(thanksOrder)
  const rollback = await shop.call('POST', `/v1/redemptions/${redemptions[0].id}/rollback`, { reason: 'test' })
  expect(rollback).toMatchObject({ status: 200, body: { result: 'SUCCESS' } })
})

test('the jobs of a service find nothing to stumble over', async () => {
  const problems: unknown[] = []
  const log = Object.assign(Object.create(runtime.log), { error: (problem: unknown) => void problems.push(problem) })
  const present = { ...runtime, log }
  while (await processSegments(present, { daily: true, only: shop.project_id }));
  while (await runDueMembersBatch(present, { only: shop.project_id }));
  await runAsyncActions(present, shop.project_id, asyncActions)
  await maintain(runtime.database, toInstant(runtime.now()))
  expect(problems).toEqual([])
})

test('a project with the demo shop, a half of it, or data of its own is refused', async () => {
  const { db } = runtime.database
  await expect(fillDemoShop(runtime, project, smallSize)).rejects.toThrow('has the demo shop already')
  const names = await rowsOf<{ name: string; status: string }>(sql`
    select name, status from api_keys where project_id = ${shop.project_id} and name like 'Demo shop%'`)
  expect(names).toEqual([{ name: demoKeyName.filled, status: 'BLOCKED' }])

  const half = await insertProject(runtime)
  expect(await demoStateOf(db, half.id)).toBe('empty')
  await insertDemoKey(db, half, toInstant(Date.now()))
  await expect(fillDemoShop(runtime, half)).rejects.toThrow(/half of a demo shop.* To start over, delete the /)

  const other = await newProject()
  await other.call('POST', '/v1/categories', { name: 'Mine', hierarchy: 1 })
  const own = (await runtime.credentials.project(other.project_id)) as Project
  await expect(fillDemoShop(runtime, own)).rejects.toThrow('has data, which the demo shop would mix with')
  expect(await demoStateOf(db, own.id)).toBe('occupied')
  const settings = { ...runtime.settings, database_url: null, data_dir: '/data' }
  expect(whyNotFillable('interrupted', half, settings)).toContain('delete the folder /data')
})

test('a shop that is too small for its campaigns is refused', () => {
  expect(() => newPlan({ ...smallSize, days: 3 }, Date.now())).toThrow('at least 14 days')
})

test('the customers are the same every time, and nobody can get a mail', () => {
  const people = newPeople(newChance(1), 500)
  expect(newPeople(newChance(1), 500)).toEqual(people)
  expect(new Set(people.map(({ email }) => email)).size).toBe(500)
  for (const { email } of people) expect(email).toMatch(/^[a-z][a-z.-]*\d*@example\.(com|org|net)$/)
})
