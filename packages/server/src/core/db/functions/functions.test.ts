import { type RawBuilder, sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import type { DetailQuestion } from '../../../checkout/decision/details.ts'
import type { SaveParameter } from '../../../checkout/decision/payload.ts'
import type { ExtraLookups } from '../../../checkout/decision/rows.ts'
import type { SaveParameter as PublicationSave } from '../../../incentives/publications/save-batch.ts'
import type { TakeParameter } from '../../../incentives/publications/take.ts'
import type { LoyaltyQuestion } from '../../../loyalty/points/load-members.ts'
import { newProject, type Shop } from '../../../testing/app.ts'
import { functionFiles } from '../../../testing/functions.ts'
import type { Db } from '../database.ts'
import { sqlState } from '../transaction.ts'

/*
 * The functions themselves, without the service around them: rows before, parameter, rows after or the SQLSTATE that is raised.
 */

describe('a function reads exactly the keys of its parameter type', () => {
  /** Every key of a type; the compiler checks completeness. */
  type Keys<Parameter> = { [Key in keyof Required<Parameter>]: true }

  const save: Keys<SaveParameter> = {
    now: true,
    lock_timeout: true,
    key: true,
    order: true,
    new_orders: true,
    customers: true,
    customer_sums: true,
    customer_ids: true,
    vouchers: true,
    guards: true,
    lots: true,
    members: true,
    pending_points: true,
    earnings: true,
    reward_redemptions: true,
    redemptions: true,
    rolled_back: true,
    transactions: true,
    postings: true,
    holders: true,
    released: true,
    holds: true,
    usage: true,
    tallies: true,
    segment_checks: true,
    events: true,
    told: true,
  }
  const special: Keys<ExtraLookups> = {
    key: true,
    order_id: true,
    order_source: true,
    voucher_ids: true,
    session: true,
    tiers: true,
    rewards: true,
    lock: true,
    guards: true,
  }
  const details: Keys<DetailQuestion> = {
    caller: true,
    terms: true,
    counted: true,
    app_id: true,
    with_segments: true,
    with_events: true,
    with_publications: true,
    published: true,
    day_start: true,
    week_start: true,
    month_start: true,
    today: true,
    week: true,
    month: true,
    last_moment: true,
    last_day: true,
  }
  const loyalty: Keys<LoyaltyQuestion> = {
    customers: true,
    timezone: true,
    today: true,
    lock_timeout: true,
    periods: true,
    order_id: true,
    pending_id: true,
    since: true,
  }
  const publicationTake: Keys<TakeParameter> = {
    now: true,
    lock_timeout: true,
    is_exclusive: true,
    joins: true,
    customer_sources: true,
    customer_ids: true,
    new_customers: true,
    codes: true,
    wanted: true,
    source_ids: true,
  }
  const publicationSave: Keys<PublicationSave> = {
    publications: true,
    tallies: true,
    events: true,
    told: true,
  }

  const files = functionFiles()
  test.each([
    [['checkout_save_all'], 'p', save],
    [['checkout_facts'], 'special', special],
    [['checkout_details', 'checkout_counted'], 'p', details],
    [['loyalty_rows'], 'p', loyalty],
    [['publication_lock'], 'p', publicationTake],
    [['publication_write'], 'p', publicationSave],
  ] as const)('%s', (names, parameter, sent) => {
    const text = names.map((name) => files.get(name)).join('\n')
    const reads = [...text.matchAll(new RegExp(`\\b${parameter} ?(?:\\?|->>?) ?'(\\w+)'`, 'g'))].map(([, key]) => key)
    expect([...new Set(reads)].sort()).toEqual(Object.keys(sent).sort())
  })
})

describe('checkout_save_all', () => {
  let shop: Shop
  let db: Db
  beforeAll(async () => {
    shop = await newProject()
    db = shop.service.runtime.database.db
  })

  const now = '2026-01-01T12:00:00.000Z'
  const save = async (changes: object, told: string | null = null): Promise<unknown> => {
    const parameter = { now, lock_timeout: '5s', ...changes }
    const saved = await rowOf(
      sql`select checkout_save_all(${shop.project_id}, ${JSON.stringify(parameter)}::jsonb, ${told}) as has_checks`,
    )
    return saved.has_checks
  }
  const refused = (changes: object): Promise<string> =>
    save(changes).then(
      () => 'saved',
      (error: Error) => `${sqlState(error)} ${error.message}`,
    )
  const rowOf = async (query: RawBuilder<unknown>) => (await query.execute(db)).rows[0] as Record<string, unknown>
  const voucher = async (code: string) =>
    (await rowOf(
      sql`select id, xmin::text, redeemed_quantity, credits_added, updated_at from vouchers where project_id = ${shop.project_id} and code = ${code}`,
    )) as { id: string; xmin: string; redeemed_quantity: number; credits_added: number; updated_at: string | null }
  const newVoucher = async (code: string) => {
    const gift = { amount: 100, balance: 100 }
    const created = await shop.call('POST', `/v1/vouchers/${code}`, { type: 'GIFT_VOUCHER', gift })
    expect(created.status).toBe(200)
    return voucher(code)
  }
  const customer = (id: string) =>
    rowOf(sql`select *, xmin::text from customers where project_id = ${shop.project_id} and id = ${id}`)
  const newCustomer = async (sourceId: string) => {
    const { body } = await shop.call('POST', '/v1/customers', { source_id: sourceId })
    return customer(body.id)
  }
  const order = (id: string, sourceId: string | null, amount: number) => ({
    id,
    source_id: sourceId,
    status: 'CREATED',
    amount,
    initial_amount: amount,
    discount_amount: 0,
    items_discount_amount: 0,
    items: [],
    metadata: {},
    customer_id: null,
    referrer_id: null,
    redemptions: {},
    discounted_goods: {},
    created_at: now,
    updated_at: null,
  })
  const orderAmount = async (id: string) =>
    (await rowOf(sql`select amount from orders where project_id = ${shop.project_id} and id = ${id}`))?.amount

  test('increments a voucher whose version is current, and sets updated_at', async () => {
    const { id, xmin } = await newVoucher('V1')
    expect(await save({ vouchers: [{ id, xmin, quantity: 2, credits_added: 5 }] })).toBe(false)
    expect(await voucher('V1')).toMatchObject({ redeemed_quantity: 2, credits_added: 105, updated_at: now })
  })

  test('a hold keeps updated_at of a voucher, but changes its version', async () => {
    const { id, xmin } = await newVoucher('V2')
    await save({ vouchers: [{ id, xmin, is_held: true }] })
    const after = await voucher('V2')
    expect(after.updated_at).toBe(null)
    expect(after.xmin).not.toBe(xmin)
  })

  test('GU001 names the stale voucher, also one of several, and nothing is written', async () => {
    const [first, second] = [await newVoucher('V3'), await newVoucher('V4')]
    await save({ vouchers: [{ id: second.id, xmin: second.xmin, quantity: 1 }] })
    expect(await refused({ vouchers: [{ id: second.id, xmin: second.xmin, quantity: 1 }] })).toBe(
      `GU001 voucher ${second.id}`,
    )
    const both = [first, second].map(({ id, xmin }) => ({ id, xmin, quantity: 1 }))
    const newOrders = [order('ord_undone', null, 100)]
    expect(await refused({ vouchers: both, new_orders: newOrders })).toBe(`GU001 voucher ${second.id}`)
    expect((await voucher('V3')).redeemed_quantity).toBe(0)
    expect(await orderAmount('ord_undone')).toBe(undefined)
  })

  test('a guard is updated from the version that was read, 0 if there was none; otherwise GU001', async () => {
    const guard = (version: number) => ({ guards: [{ name: 'campaign/camp_1', version }] })
    await save(guard(0))
    const { version } = await rowOf(
      sql`select version from guards where project_id = ${shop.project_id} and name = 'campaign/camp_1'`,
    )
    expect(await refused(guard(0))).toBe('GU001 guard campaign/camp_1')
    await save(guard(version as number))
    expect(await refused(guard(version as number))).toBe('GU001 guard campaign/camp_1')
  })

  test('an order is inserted, updated from the version that was read, and refused with GU001 otherwise', async () => {
    await save({ order: { row: order('ord_1', 'web-1', 100), xmin: null } })
    expect(await refused({ order: { row: order('ord_2', 'web-1', 100), xmin: null } })).toBe('GU001 order web-1')
    const { xmin } = await rowOf(
      sql`select xmin::text from orders where project_id = ${shop.project_id} and id = 'ord_1'`,
    )
    await save({ order: { row: order('ord_1', 'web-1', 200), xmin } })
    expect(await refused({ order: { row: order('ord_1', 'web-1', 300), xmin } })).toBe('GU001 order web-1')
    expect(await orderAmount('ord_1')).toBe(200)
    await save({ new_orders: [order('ord_3', null, 1), order('ord_4', null, 2)] })
    expect([await orderAmount('ord_3'), await orderAmount('ord_4')]).toEqual([1, 2])
  })

  test('a customer is updated from the version that was read; sums are incremented without a version check', async () => {
    const { id, xmin, ...row } = await newCustomer('c1')
    const set = { ...row, name: 'Ann', updated_at: now }
    await save({ customers: [{ id, xmin, set }], customer_sums: [{ id, orders_total_count: 1 }] })
    expect(await refused({ customers: [{ id, xmin, set }] })).toBe(`GU001 customer ${id}`)
    const latest = { latest_amount: 700, latest_date: now }
    await save({ customer_sums: [{ id, orders_total_count: 2, redeemed_points: 3, ...latest }] })
    await save({ customer_sums: [{ id, latest_amount: 900, latest_date: '2025-01-01T00:00:00.000Z' }] })
    expect(await customer(id as string)).toMatchObject({
      name: 'Ann',
      orders_total_count: 3,
      redeemed_points: 3,
      last_order_amount: 700, // the order of 2025 is not the latest
      last_order_date: now,
    })
  })

  test('GU001 names a customer that was deleted, or whose source id another customer took', async () => {
    const { id, ...row } = await newCustomer('c2')
    const taken = { id: 'cust_other', row: { ...row, id: 'cust_other' } }
    expect(await refused({ customers: [taken] })).toBe('GU001 customer cust_other')
    const sums = [
      { id, orders_total_count: 1 },
      { id: 'cust_gone', orders_total_count: 1 },
    ]
    expect(await refused({ customer_sums: sums })).toBe('GU001 customer cust_gone')
    expect((await customer(id as string)).orders_total_count).toBe(0)
  })

  test('an idempotency key is stored once, the second time raises GU002; an expired key is replaced', async () => {
    const key = (status: number, expiresAt: string) => ({
      key: { key: 'k', fingerprint: 'ab', status, body: '{}', expires_at: expiresAt },
    })
    await save(key(200, '2026-01-01T12:00:00.001Z'))
    expect(await refused(key(201, '2027-01-01T00:00:00.000Z'))).toBe('GU002 key')
    await save({ ...key(202, '2027-01-01T00:00:00.000Z'), now: '2026-01-01T12:00:00.001Z' })
    expect(await rowOf(sql`select status from idempotency_keys where project_id = ${shop.project_id}`)).toEqual({
      status: 202,
    })
  })

  test('a session replaces its holds; a redemption deletes the expired holds of its voucher', async () => {
    const { id } = await newVoucher('V5')
    const hold = (sessionKey: string, expiresAt: string) => ({
      session_key: sessionKey,
      resource_id: id,
      quantity: 1,
      credits: 0,
      created_at: now,
      expires_at: expiresAt,
    })
    await save({ holds: [hold('over', '2026-01-01T11:00:00.000Z'), hold('open', '2026-01-01T13:00:00.000Z')] })
    const { xmin } = await voucher('V5')
    await save({ vouchers: [{ id, xmin, quantity: 1, ended_at: '2026-01-01T11:00:00.000Z' }] })
    const sessions = async () =>
      (
        await sql<{ session_key: string }>`
          select session_key from holds where project_id = ${shop.project_id} order by 1`.execute(db)
      ).rows.map(({ session_key }) => session_key)
    expect(await sessions()).toEqual(['open'])
    await save({ released: 'open', holds: [hold('next', '2026-01-01T14:00:00.000Z')] })
    expect(await sessions()).toEqual(['next'])
  })

  test('events of one request share their parts, and each returns its own data', async () => {
    const event = (id: string, data: object) => ({
      id,
      type: 'voucher.redeemed',
      category: 'EFFECT',
      entity_id: 'v_1',
      created_at: now,
      group_id: 'v-1',
      event_source: {},
      campaign_id: null,
      voucher_id: 'v_1',
      data: JSON.stringify(data),
      parts_id: 'ev_1',
    })
    const events = [event('ev_1', { voucher: 0, order: 1 }), event('ev_2', { voucher: 0 })]
    await save({ events, told: [['ev_1', 'ev_2']] }, '[{"code":"A"},{"amount":100}]')
    const { rows } = await sql`
      select id, data from events where project_id = ${shop.project_id} and voucher_id = 'v_1' order by id`.execute(db)
    expect(rows).toEqual([
      { id: 'ev_1', data: { voucher: { code: 'A' }, order: { amount: 100 } } },
      { id: 'ev_2', data: { voucher: { code: 'A' } } },
    ])
  })

  test('segment checks are queued, and reported, only if the project has a dynamic segment', async () => {
    const { id } = await newCustomer('c3')
    const checks = { segment_checks: [{ customer_id: id, request_id: 'v-1', caller: {} }] }
    expect(await save(checks)).toBe(false)
    await shop.call('POST', '/v1/segments', {
      name: 'Rome',
      type: 'auto-update',
      filter: { junction: 'and', 'address.city': { conditions: { $is: ['Rome'] } } },
    })
    await sql`delete from segment_checks where project_id = ${shop.project_id}`.execute(db)
    expect(await save(checks)).toBe(true)
  })

  test('usage and tallies are appended: two saves on one day are two rows that add up', async () => {
    const usage = (id: string, redemptions: number) => ({
      usage: [
        {
          scope_id: 'camp_9',
          day: '2026-01-01',
          is_undone: false,
          id,
          redemptions,
          orders_amount: 100,
          discounted_amount: 10,
          credits: 0,
        },
      ],
      tallies: [{ name: 'redemptions', id, delta: redemptions }],
    })
    await save(usage('w-1', 1))
    await save(usage('w-2', 2))
    expect(
      await rowOf(sql`select sum(redemptions)::int as redemptions, sum(orders_amount)::int as orders_amount
        from usage where project_id = ${shop.project_id} and scope_id = 'camp_9'`),
    ).toEqual({ redemptions: 3, orders_amount: 200 })
    expect(
      await rowOf(
        sql`select sum(delta)::int as tally from tallies where project_id = ${shop.project_id} and name = 'redemptions'`,
      ),
    ).toEqual({ tally: 3 })
  })
})

describe('add_to_loyalty', () => {
  const before = {
    points: 30,
    referred_customers: 1,
    campaigns: { Club: { points: 30, referred_customers: 1, loyalty_tier: 'Silver' } },
  }
  const club = (points: number, referredCustomers: number, loyaltyTier?: string) => ({
    points,
    referred_customers: referredCustomers,
    campaigns: {
      Club: {
        points,
        referred_customers: referredCustomers,
        ...(loyaltyTier === undefined ? {} : { loyalty_tier: loyaltyTier }),
      },
    },
  })
  test.each([
    ['points', { Club: { points: 12 } }, club(42, 1, 'Silver')],
    ['points below what there is', { Club: { points: -30 } }, club(0, 1, 'Silver')],
    ['a referred customer', { Club: { referred_customers: 1 } }, club(30, 2, 'Silver')],
    ['another tier', { Club: { loyalty_tier: 'Gold' } }, club(30, 1, 'Gold')],
    ['no tier any more', { Club: { loyalty_tier: null } }, club(30, 1)],
    ['a card that is gone', { Club: { gone: true } }, { points: 0, referred_customers: 0, campaigns: {} }],
    [
      'a second program',
      { Fans: { points: 5 } },
      {
        points: 35,
        referred_customers: 1,
        campaigns: { ...before.campaigns, Fans: { points: 5, referred_customers: 0 } },
      },
    ],
    ['nothing', {}, before],
  ])('%s', async (_title, moves, after) => {
    const { db } = (await newProject()).service.runtime.database
    const { rows } = await sql<{ loyalty: unknown }>`
      select add_to_loyalty(${JSON.stringify(before)}::jsonb, ${JSON.stringify(moves)}::jsonb) as loyalty`.execute(db)
    expect(rows[0]?.loyalty).toEqual(after)
  })
})

describe('count_call', () => {
  test('counts in every window, or in none once one of them is full: GUR01', async () => {
    const { project_id, service } = await newProject()
    const { db } = service.runtime.database
    const count = () =>
      sql<{ seconds: number; calls: number }>`
        select seconds, calls from count_call(${project_id}, array['api', 'api'], array[60, 3600],
          array['2026-01-01T12:00:00Z', '2026-01-01T12:00:00Z']::timestamptz[], array[5, 2]::bigint[])`
        .execute(db)
        .then(
          ({ rows }) => rows.map(({ seconds, calls }) => [seconds, calls]),
          (error) => sqlState(error),
        )
    expect(await count()).toEqual([[60, 1], [3600, 1]]) // biome-ignore format: one line a call
    expect(await count()).toEqual([[60, 2], [3600, 2]]) // biome-ignore format: one line a call
    expect(await count()).toBe('GUR01')
    const { rows } = await sql`
      select seconds, calls from call_windows where project_id = ${project_id} order by seconds`.execute(db)
    expect(rows).toEqual([{ seconds: 60, calls: 2 }, { seconds: 3600, calls: 2 }]) // biome-ignore format: the same
  })
})

describe('event_text', () => {
  const textOf = async (data: string, parts: string | null) => {
    const { db } = (await newProject()).service.runtime.database
    const { rows } = await sql<{ text: string }>`select event_text(${data}, ${parts}) as text`.execute(db)
    return rows[0]?.text
  }

  test('joins the shared parts in the order of the properties, and changes no byte of them', async () => {
    const parts = ['{"b":1.50,"a":"ü \\u00fc","10":[]}', 'null', '"x"']
    expect(await textOf('{"order": 0, "it\\"s": 2, "z": 1, "a": 0}', `[${parts.join(',')}]`)).toBe(
      `{"order":${parts[0]},"it\\"s":"x","z":null,"a":${parts[0]}}`,
    )
  })

  test('is the data itself if nothing is shared', async () => {
    expect(await textOf('{"b":1,"a":2}', null)).toBe('{"b":1,"a":2}')
    expect(await textOf('{}', '[1]')).toBe('{}')
  })
})
