import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { limits } from '../../core/lib/limits.ts'
import { newProject, type Shop } from '../../testing/app.ts'
import { amountOff, newDiscount, redeemed, vouchers } from '../../testing/checkout.ts'
import { pageOfEvents, storedEventIds, untilFinal, walkEvents } from '../../testing/event-list.ts'
import { ok } from '../../testing/orders.ts'
import { setLimits } from '../../testing/set-limits.ts'
import type { StoredEventList } from './schema.ts'

// docs/reference/events.md#list-of-events

const idsOf = (events: ReadonlyArray<{ id: string }>): string[] => events.map(({ id }) => id)

/** A shop in which a customer was created and redeemed a code of a campaign. */
async function busyShop() {
  const shop = await newProject()
  await ok(shop, 'POST', '/v1/customers', { source_id: 'ann', name: 'Ann' })
  const campaign = await ok(shop, 'POST', '/v1/campaigns', {
    name: 'Sale',
    campaign_type: 'DISCOUNT_COUPONS',
    type: 'AUTO_UPDATE',
    voucher: { type: 'DISCOUNT_VOUCHER', discount: amountOff(100) },
  })
  const { voucher } = await ok(shop, 'POST', '/v1/publications', { campaign: 'Sale', customer: { source_id: 'ann' } })
  const between = new Date(shop.service.clock.now()).toISOString()
  await newDiscount(shop, 'TEN', amountOff(10))
  await redeemed(shop, {
    redeemables: vouchers(voucher.code, 'TEN'),
    customer: { source_id: 'ann' },
    order: { amount: 1_000 },
  })
  await untilFinal(shop)
  return { shop, campaign, voucher, between }
}

describe('the list of events', () => {
  let known: Awaited<ReturnType<typeof busyShop>>
  beforeAll(async () => {
    known = await busyShop()
  })

  test.each([1, 2, 3, 100])('has every event once, oldest first, %d at a time', async (limit) => {
    const { events, pages } = await walkEvents(known.shop, { limit: `${limit}` })
    const stored = await storedEventIds(known.shop)
    expect(stored.length).toBeGreaterThan(10)
    expect(idsOf(events)).toEqual(stored)
    expect(pages.every(({ data }) => data.length <= limit)).toBe(true)
    // Events of one request are in the order in which they were emitted, whatever they are about.
    const times = events.map(({ id }) => id.slice(-18))
    expect(times).toEqual(times.toSorted())
  })

  test.each([1, 4, 100])('has every event once, newest first, %d at a time', async (limit) => {
    const { events } = await walkEvents(known.shop, { order: '-created_at', limit: `${limit}` })
    expect(idsOf(events)).toEqual((await storedEventIds(known.shop)).toReversed())
  })

  test('shows events as they are stored', async () => {
    const { events } = await walkEvents(known.shop, { limit: '100' })
    const ann = await ok(known.shop, 'GET', '/v1/customers/ann')
    expect(events[0]).toEqual({
      id: expect.stringMatching(/^evcus_/),
      type: 'customer.created',
      category: 'ACTION',
      entity_id: ann.id,
      created_at: expect.any(String),
      group_id: expect.stringMatching(/^v-/),
      event_source: { channel: 'API', api_key: expect.anything() },
      data: { customer: expect.objectContaining({ id: ann.id, name: 'Ann' }) },
    })
    const redemptions = events.filter(({ type }) => type === 'redemption.succeeded')
    expect(redemptions).toHaveLength(3)
    expect(redemptions[0]?.data).toMatchObject({ customer: { id: ann.id }, redemption: { object: 'redemption' } })
  })

  test('continues from the cursor when more has happened', async () => {
    const { shop } = known
    const { cursor } = await walkEvents(shop)
    expect(await pageOfEvents(shop, { cursor })).toMatchObject({ data: [], has_more: false, cursor })
    await ok(shop, 'POST', '/v1/customers', { source_id: 'bob' })
    await untilFinal(shop)
    expect((await walkEvents(shop, { cursor })).events).toMatchObject([{ type: 'customer.created' }])
  })

  test('begins after everything at the cursor "end"', async () => {
    const { shop } = known
    const { data, cursor } = await pageOfEvents(shop, { cursor: 'end' })
    expect(data).toEqual([])
    await ok(shop, 'POST', '/v1/customers', { source_id: 'cleo' })
    await untilFinal(shop)
    expect((await walkEvents(shop, { cursor })).events).toMatchObject([{ type: 'customer.created' }])
    const newest = await pageOfEvents(shop, { cursor: 'end', order: '-created_at', limit: '1' })
    expect(newest.data).toMatchObject([{ type: 'customer.created' }])
  })

  test('of a new project is empty, and has a cursor', async () => {
    const shop = await newProject()
    const { data, cursor } = await pageOfEvents(shop)
    expect(data).toEqual([])
    await ok(shop, 'POST', '/v1/customers', { source_id: 'ann' })
    await untilFinal(shop)
    expect((await walkEvents(shop, { cursor })).events).toHaveLength(1)
  })

  test.each(['created_at', '-created_at'])('is filtered, by %s', async (order) => {
    const { shop, campaign, voucher, between } = known
    const all = (await walkEvents(shop, { order, limit: '100' })).events
    const filters: Array<[Record<string, string>, (event: (typeof all)[number]) => boolean]> = [
      [{ type: 'voucher.published' }, ({ type }) => type === 'voucher.published'],
      [{ category: 'EFFECT' }, ({ category }) => category === 'EFFECT'],
      [{ entity_id: all[3]?.entity_id as string }, ({ entity_id }) => entity_id === all[3]?.entity_id],
      [{ group_id: all[4]?.group_id as string }, ({ group_id }) => group_id === all[4]?.group_id],
      [{ campaign_id: campaign.id }, ({ data }) => (data as Data).campaign?.id === campaign.id],
      [{ voucher_id: voucher.id }, ({ data }) => (data as Data).voucher?.id === voucher.id],
      [{ 'created_at[after]': between }, ({ created_at }) => created_at > between],
      [{ 'created_at[before]': between }, ({ created_at }) => created_at < between],
      [
        { 'created_at[after]': between, category: 'ACTION', campaign_id: campaign.id },
        ({ created_at, category, data }) =>
          created_at > between && category === 'ACTION' && (data as Data).campaign?.id === campaign.id,
      ],
      [{ entity_id: 'cust_none' }, () => false],
    ]
    for (const [filter, isWanted] of filters)
      for (const limit of ['3', '100']) {
        const { events } = await walkEvents(shop, { ...filter, order, limit })
        expect(idsOf(events), JSON.stringify(filter)).toEqual(idsOf(all.filter(isWanted)))
        if (!('entity_id' in filter && filter.entity_id === 'cust_none')) expect(events.length).toBeGreaterThan(0)
      }
    const several = await shop.manage('GET', '/events?limit=100&type=customer.created&type=voucher.created')
    expect(new Set(several.body.data.map(({ type }: { type: string }) => type))).toEqual(
      new Set(['customer.created', 'voucher.created']),
    )
  })

  test('is found by a time long after everything, and long before', async () => {
    const { shop } = known
    const all = await storedEventIds(shop)
    expect(idsOf((await walkEvents(shop, { 'created_at[after]': '2001-01-01' })).events)).toEqual(all)
    expect(idsOf((await walkEvents(shop, { 'created_at[before]': '9999-01-01' })).events)).toEqual(all)
    expect((await walkEvents(shop, { 'created_at[after]': '9999-01-01' })).events).toEqual([])
    expect((await walkEvents(shop, { 'created_at[before]': '1960-01-01', order: '-created_at' })).events).toEqual([])
  })

  test.each([
    ['a cursor of nobody', { cursor: 'evcus_1' }, 'Property .cursor must be the cursor of an earlier page'],
    [
      'a cursor of a later state',
      { cursor: '999999999999999_evcus_19b76daa80012ab34c' },
      'Property .cursor is of a later state of the database: it was restored from a backup',
    ],
    ['a limit', { limit: '101' }, 'Property .limit must be <= 100'],
  ])('refuses %s', async (_, query, details) => {
    const answer = await known.shop.manage('GET', `/events?${new URLSearchParams(query)}`)
    expect(answer).toMatchObject({ status: 400, body: { key: 'invalid_query_params', details } })
  })

  test('refuses a type that does not exist', async () => {
    expect(await known.shop.manage('GET', '/events?type=voucher.eaten')).toMatchObject({ status: 400 })
  })
})

interface Data {
  campaign?: { id: string } | null
  voucher?: { id: string } | null
}

describe('events from before positions existed', () => {
  /** Takes the position from the oldest `count` events, as if an earlier release had written them. */
  async function unposition(shop: Shop, count: number): Promise<string[]> {
    const { db } = shop.service.runtime.database
    const ids = await storedEventIds(shop)
    const old = ids.slice(0, count)
    await sql`update event_rows set position = 0 where project_id = ${shop.project_id} and id = any(${old}::text[])`.execute(
      db,
    )
    // Shared with other tests, for which a later bound changes nothing.
    await sql`update event_positions set unpositioned_until =
      greatest(unpositioned_until, ${old.at(-1)?.slice(-18) ?? ''})`.execute(db)
    return ids
  }

  let known: { shop: Shop; between: string; ids: string[] }
  beforeAll(async () => {
    const { shop, between } = await busyShop()
    known = { shop, between, ids: await unposition(shop, 9) }
  })

  test.each([1, 3, 100])('come first, in the order of time, %d at a time', async (limit) => {
    const { shop, between, ids } = known
    expect(idsOf((await walkEvents(shop, { limit: `${limit}` })).events)).toEqual(ids)
    const backwards = await walkEvents(shop, { limit: `${limit}`, order: '-created_at' })
    expect(idsOf(backwards.events)).toEqual(ids.toReversed())
    const entity = backwards.events.at(-1)?.entity_id as string
    const all = backwards.events.toReversed()
    const ofEntity = await walkEvents(shop, { limit: `${limit}`, entity_id: entity })
    expect(idsOf(ofEntity.events)).toEqual(idsOf(all.filter(({ entity_id }) => entity_id === entity)))
    for (const order of ['created_at', '-created_at']) {
      const later = await walkEvents(shop, { limit: `${limit}`, order, 'created_at[after]': between })
      expect(idsOf(later.events).toSorted()).toEqual(
        idsOf(all.filter(({ created_at }) => created_at > between)).toSorted(),
      )
    }
  })
})

describe('a request for events', () => {
  /** Writes events, 200 in each transaction. */
  async function fill(shop: Shop, count: number, type: string, data: string, first = 0): Promise<void> {
    for (let written = first; written < first + count; written += 200)
      await sql`
        insert into event_rows (project_id, id, type, category, entity_id, created_at, group_id, event_source, data)
        select ${shop.project_id}, 'evvou_' || lpad(to_hex(n + ${written}::int), 18, '0'), ${type}, 'ACTION', 'v_1', now(),
          'w-1', '{"channel":"INTERNAL"}', ${data} from generate_series(1, ${Math.min(200, count)}::int) n`.execute(
        shop.service.runtime.database.db,
      )
  }

  const orders = ['created_at', '-created_at']
  /** A tenth. */
  const fewExamined = {
    events_examined_max: limits.events_examined_max / 10,
    events_searched_max: limits.events_searched_max / 10,
  }

  test('compares a bounded number of events with its filters, and continues there, in both orders', async () => {
    setLimits(fewExamined)
    const shop = await newProject()
    await ok(shop, 'POST', '/v1/customers', { source_id: 'first' })
    await fill(shop, limits.events_examined_max * 2, 'voucher.updated', '{}')
    await ok(shop, 'POST', '/v1/customers', { source_id: 'last' })
    await untilFinal(shop)
    for (const order of orders) {
      const { events, pages } = await walkEvents(shop, { type: 'customer.created', order })
      expect(events, order).toHaveLength(2)
      expect(pages[0], order).toMatchObject({ data: [{}], has_more: true })
      expectNoGaps(pages)
    }
  })

  test('compares a bounded number of events of an entity with its filters, and continues there, in both orders', async () => {
    setLimits(fewExamined)
    const shop = await newProject()
    const max = limits.events_examined_max
    const rare = async (first: number) => fill(shop, 2, 'voucher.created', '{}', first)
    const wanted = (order: string) => ({ entity_id: 'v_1', type: 'voucher.created', order, limit: '3' })
    await rare(0)
    await fill(shop, max - 200, 'voucher.updated', '{}', 200)
    await rare(max + 200)
    await untilFinal(shop)
    for (const order of orders) {
      const few = await walkEvents(shop, wanted(order))
      expect(few.pages.map(({ data }) => data.length)).toEqual([3, 1]) // the index on entities finds them
    }

    await fill(shop, max, 'voucher.updated', '{}', 2 * max)
    await rare(4 * max)
    await untilFinal(shop)
    for (const order of orders) {
      const many = await walkEvents(shop, wanted(order))
      const { events } = await walkEvents(shop, { type: 'voucher.created', order })
      expect(idsOf(many.events)).toEqual(idsOf(events))
      expect(events).toHaveLength(6)
      expect(many.pages.length).toBeGreaterThan(2)
      expect(many.pages.some(({ data, has_more }) => data.length < 3 && has_more)).toBe(true)
      expectNoGaps(many.pages)
    }
  })

  test('reads on until an event matches, in both orders', async () => {
    setLimits(fewExamined)
    const shop = await newProject()
    const max = limits.events_examined_max
    await fill(shop, 2 * max + 200, 'voucher.updated', '{}')
    await ok(shop, 'POST', '/v1/customers', { source_id: 'between' })
    await fill(shop, 2 * max + 200, 'voucher.updated', '{}', 3 * max)
    await untilFinal(shop)
    const [event] = (await walkEvents(shop, { type: 'customer.created' })).events
    const found = { data: [{ id: event?.id }] }
    for (const order of orders) {
      expect(await pageOfEvents(shop, { type: 'customer.created', order }), order).toMatchObject(found)
      const none = await pageOfEvents(shop, { type: 'customer.deleted', order })
      expect(none, order).toMatchObject({ data: [], has_more: false })
      const after = await pageOfEvents(shop, { cursor: none.cursor, order })
      expect(after, order).toMatchObject({ data: [], has_more: false })
    }
  })

  /** A client that takes an empty page for the end misses nothing. */
  const expectNoGaps = (pages: StoredEventList[]) =>
    expect(pages.filter(({ data, has_more }) => data.length === 0 && has_more)).toEqual([])

  test('returns a bounded number of bytes, and at least one event', async () => {
    const shop = await newProject()
    await fill(shop, 3, 'voucher.updated', JSON.stringify({ text: 'x'.repeat(1_500_000) }))
    await untilFinal(shop)
    const { pages, events } = await walkEvents(shop, { limit: '100' })
    expect(pages.map(({ data }) => data.length)).toEqual([1, 1, 1])
    expect(events).toHaveLength(3)
  })
})
