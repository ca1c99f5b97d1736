import { describe, expect, test } from 'vitest'
import { newProject, type Shop } from '../../testing/app.ts'
import { runCampaignJobs } from '../../testing/campaigns.ts'
import {
  addPoints,
  assign,
  balanceOf,
  buckets,
  card,
  emittedEvents,
  fixed,
  inDays,
  newEarningRules,
  newMaterial,
  newMember,
  newProgram,
  newTiers,
  payOrder,
  pendingOf,
  runUntil,
  tierChanges,
  tierLasting,
  transactions,
} from '../../testing/loyalty.ts'
import { ok } from '../../testing/orders.ts'

/* Pending points: docs/reference/points.md#life-of-pending-points and docs/reference/points.md#list-pending-points. */

// biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
type Body = any

/** A member with one entry of this many points, pending for three days. */
async function newMemberWithPending(shop: Shop, points = 20, settings: Record<string, unknown> = {}) {
  const program = await newProgram(shop, settings)
  const rules = await newEarningRules(shop, program, fixed(points, { ...inDays(3), source: { banner: 'Later' } }))
  const member = await newMember(shop, program, 'ann')
  const order = await payOrder(shop, 'ann', { source_id: 'shop-1' })
  const [entry] = await pendingOf(shop, member.code)
  const call = (verb: string, body?: object, id = entry.id) =>
    shop.call('POST', `/v1/loyalties/members/${member.code}/pending-points/${id}/${verb}`, body)
  return { program, rule: rules[0], member, order, entry, call }
}

test('an entry contains its origin', async () => {
  const shop = await newProject()
  shop.service.clock.set('2025-03-06T23:30:00.000Z')
  const program = await newProgram(shop)
  const [rule] = await newEarningRules(shop, program, fixed(10, { ...inDays(3), source: { banner: 'Later' } }))
  const { Silver } = await newTiers(
    shop,
    program,
    { Silver: [0] },
    { Silver: { earning_rules: { [rule.id]: { type: 'MULTIPLY', multiplier: 2 } } } },
  )
  const member = await newMember(shop, program, 'ann')
  const order = await payOrder(shop, 'ann', { source_id: 'shop-1' })
  const tier = { id: Silver.id, name: 'Silver' }
  const [paid] = await emittedEvents(shop, 'customer.order.paid')
  expect(await pendingOf(shop, member.code)).toEqual([
    {
      id: expect.stringMatching(/^lopp_[0-9a-f]{18}$/),
      voucher_id: member.id,
      campaign_id: program.id,
      customer_id: member.holder_id,
      order_id: order.id,
      points: 20,
      activates_at: '2025-03-09',
      details: {
        loyalty_tier: tier,
        holder_loyalty_tier: tier,
        event: {
          id: paid?.id,
          type: 'customer.order.paid',
          group_id: paid?.group_id,
          entity_id: member.holder_id,
          created_at: expect.stringMatching(/^2025-03-06T23:30:/),
          category: 'EFFECT',
          event_source: { channel: 'API', api_key: { name: 'Server key', app_id: shop.app_id } },
        },
        earning_rule: { id: rule.id, source: { banner: 'Later' } },
        order: { id: order.id, source_id: 'shop-1' },
      },
      created_at: expect.stringMatching(/^2025-03-06T23:30:/),
    },
  ])
  expect(await transactions(shop, member.code)).toEqual([])
  expect(await tierChanges(shop)).toEqual(['joined Silver'])
})

test('an entry omits a tier, banner or source id that does not exist', async () => {
  const shop = await newProject()
  const program = await newProgram(shop)
  const [rule] = await newEarningRules(shop, program, fixed(10, inDays(3)))
  const { code } = await newMember(shop, program, 'ann')
  const order = await payOrder(shop, 'ann')
  const [{ details }] = await pendingOf(shop, code)
  expect(Object.keys(details).sort()).toEqual(['earning_rule', 'event', 'order'])
  expect(details.earning_rule).toEqual({ id: rule.id, source: {} })
  expect(details.order).toEqual({ id: order.id, source_id: null })
})

describe('adjusting pending points', () => {
  test('changes the entry and the card, up and down', async () => {
    const shop = await newProject()
    const { member, call } = await newMemberWithPending(shop)
    expect(await call('balance', { points: 5 })).toMatchObject({ status: 200, body: { points: 5, total: 25 } })
    expect(await call('balance', { points: -24 })).toMatchObject({ status: 200, body: { points: -24, total: 1 } })
    const [entry] = await pendingOf(shop, member.code)
    expect(entry).toMatchObject({ points: 1, updated_at: expect.any(String) })
    expect((await card(shop, member.code)).loyalty_card).toEqual({ points: 0, balance: 0, pending_points: 1 })
    const updated = await emittedEvents(shop, 'voucher.loyalty_card.pending_points.updated')
    expect(updated.map(({ data }) => data.voucher_pending_points_balance)).toMatchObject([
      { points: 5, total: 25, operation_type: 'MANUAL' },
      { points: -24, total: 1, operation_type: 'MANUAL' },
    ])
    expect(await transactions(shop, member.code)).toEqual([])
  })

  test('is refused by 0 and to 0', async () => {
    const shop = await newProject()
    const { member, call } = await newMemberWithPending(shop)
    expect(await call('balance', { points: -20 })).toMatchObject({ status: 400, body: { key: 'invalid_amount' } })
    expect(await call('balance', { points: -21 })).toMatchObject({ status: 400, body: { key: 'invalid_amount' } })
    expect((await call('balance', { points: 0 })).status).toBe(400)
    expect(await call('balance', {})).toMatchObject({ status: 400 })
    expect(await call('balance', { points: 'x' })).toMatchObject({ status: 400, body: { key: 'invalid_payload' } })
    expect((await pendingOf(shop, member.code))[0].points).toBe(20)
  })
})

describe('activating pending points', () => {
  test('by the API credits them now, expiring by the rule of the time they were earned', async () => {
    const shop = await newProject()
    shop.service.clock.set('2025-03-06T10:00:00.000Z')
    const { program, rule, member, order, entry, call } = await newMemberWithPending(shop, 20, {
      expiration_rules: { period_type: 'MONTH', period_value: 1 },
    })
    await shop.call('DELETE', `/v1/loyalties/${program.id}/earning-rules/${rule.id}`)
    shop.service.clock.set('2025-03-07T10:00:00.000Z')
    expect(await call('activate')).toEqual(
      expect.objectContaining({
        status: 200,
        body: {
          points: 20,
          total: 20,
          balance: 20,
          type: 'loyalty_card',
          object: 'balance',
          related_object: { type: 'voucher', id: member.id },
          operation_type: 'MANUAL',
        },
      }),
    )
    expect(await buckets(shop, member)).toEqual({ '2025-04-07': 20 })
    expect((await card(shop, member.code)).loyalty_card).not.toHaveProperty('pending_points')
    const [transaction] = await transactions(shop, member.code)
    expect(transaction).toMatchObject({
      type: 'PENDING_POINTS_ACTIVATION',
      source: null,
      source_id: null,
      reason: null,
      details: {
        balance: { points: 20, total: 20, balance: 20, operation_type: 'MANUAL' },
        order: { id: order.id, source_id: 'shop-1' },
        event: { id: entry.details.event.id, type: 'customer.order.paid' },
        earning_rule: { id: rule.id, source: { banner: 'Later' } },
        pending_points: { id: entry.id, points: 20 },
      },
    })
    expect((await emittedEvents(shop, '%pending_points.activated')).map(({ type }) => type).sort()).toEqual([
      'customer.voucher.loyalty_card.pending_points.activated',
      'voucher.loyalty_card.pending_points.activated',
    ])
  })

  test('on their day also works on a disabled card, followed by automatic redemption and tiers', async () => {
    const shop = await newProject()
    shop.service.clock.set('2025-03-06T10:00:00.000Z')
    const { program, member, rule } = await newMemberWithPending(shop, 120)
    await newTiers(shop, program, { Silver: [20] })
    await assign(shop, program, await newMaterial(shop), 50, { auto_redeem: true })
    await ok(shop, 'POST', `/v1/loyalties/${program.id}/earning-rules/${rule.id}/disable`)
    const other = await newMember(shop, program, 'bob')
    await ok(shop, 'POST', `/v1/loyalties/${program.id}/earning-rules/${rule.id}/enable`)
    await payOrder(shop, 'bob')
    await ok(shop, 'POST', `/v1/vouchers/${other.code}/disable`)
    await runUntil(shop, '2025-03-09T00:00:00.000Z')
    await runUntil(shop, '2025-03-09T12:00:00.000Z') // a second run changes nothing
    expect(
      (await transactions(shop, member.code)).map(({ type, source, details }) => [
        type,
        source,
        details.balance.points,
        details.balance.operation_type,
      ]),
    ).toEqual([
      ['PENDING_POINTS_ACTIVATION', 'Automation', 120, 'AUTOMATIC'],
      ['POINTS_REDEMPTION', null, -50, 'AUTOMATIC'],
      ['POINTS_REDEMPTION', null, -50, 'AUTOMATIC'],
    ])
    expect(await tierChanges(shop, 'ann')).toEqual(['joined Silver'])
    expect((await card(shop, other.code)).loyalty_card.points).toBe(120)
    const [activated] = await emittedEvents(shop, 'voucher.loyalty_card.pending_points.activated')
    expect(activated).toMatchObject({ event_source: { channel: 'INTERNAL' }, group_id: expect.stringMatching(/^w-/) })
  })

  test('late happens day by day, so that points expire on the right day', async () => {
    const shop = await newProject()
    shop.service.clock.set('2025-03-06T10:00:00.000Z')
    const { member } = await newMemberWithPending(shop, 20, {
      expiration_rules: { period_type: 'MONTH', period_value: 0 },
    })
    await runUntil(shop, '2025-03-20T00:00:00.000Z')
    expect((await transactions(shop, member.code)).map(({ type }) => type)).toEqual([
      'PENDING_POINTS_ACTIVATION',
      'POINTS_EXPIRATION',
    ])
    expect((await card(shop, member.code)).loyalty_card).toEqual({ points: 20, balance: 0, expired_points: 20 })
  })
})

describe('canceling pending points', () => {
  test('by the API creates no transaction', async () => {
    const shop = await newProject()
    const { member, entry, call } = await newMemberWithPending(shop)
    expect(await call('cancel')).toMatchObject({ status: 204, body: null })
    expect((await card(shop, member.code)).loyalty_card).toEqual({ points: 0, balance: 0 })
    expect(await pendingOf(shop, member.code)).toEqual([])
    expect(await transactions(shop, member.code)).toEqual([])
    const [canceled] = await emittedEvents(shop, 'voucher.loyalty_card.pending_points.canceled')
    expect(canceled?.data).toMatchObject({
      pending_points: { id: entry.id },
      voucher_pending_points_balance: { points: -20, total: 0, operation_type: 'MANUAL' },
    })
  })

  test('with the order works only while they are pending', async () => {
    const shop = await newProject()
    const { member, order, call } = await newMemberWithPending(shop)
    await call('activate')
    await ok(shop, 'PUT', `/v1/orders/${order.id}`, { status: 'CANCELED' })
    expect(await balanceOf(shop, member.code)).toBe(20)
    expect(await emittedEvents(shop, '%pending_points.canceled')).toEqual([])
  })

  test('with their program emits no events', async () => {
    const shop = await newProject()
    const { program, member } = await newMemberWithPending(shop)
    await ok(shop, 'DELETE', `/v1/loyalties/${program.id}`)
    await runCampaignJobs(shop)
    expect(await shop.call('GET', `/v1/loyalties/members/${member.code}/pending-points`)).toMatchObject({ status: 404 })
    expect(await emittedEvents(shop, '%pending_points.canceled')).toEqual([])
  })
})

test('activated and canceled entries cannot be changed', async () => {
  const shop = await newProject()
  const { call, member, program } = await newMemberWithPending(shop)
  const second = await newMember(shop, program, 'bob')
  await payOrder(shop, 'bob')
  const [foreign] = await pendingOf(shop, second.code)
  const state = (what: string, status: string) => ({
    status: 400,
    body: {
      key: 'invalid_pending_points_state',
      message: 'Invalid pending points state',
      details: `Only pending points in 'PENDING' status can be ${what}. Current status: '${status}'.`,
    },
  })
  await call('activate')
  expect(await call('activate')).toMatchObject(state('activated', 'ACTIVATED'))
  expect(await call('balance', { points: 1 })).toMatchObject(state('updated', 'ACTIVATED'))
  expect(await call('cancel')).toMatchObject(state('canceled', 'ACTIVATED'))
  await payOrder(shop, 'ann')
  const [next] = await pendingOf(shop, member.code)
  await call('cancel', undefined, next.id)
  expect(await call('activate', undefined, next.id)).toMatchObject(state('activated', 'CANCELED'))

  const missing = { status: 404, body: { key: 'not_found', resource_type: 'pending_points' } }
  for (const verb of ['activate', 'balance', 'cancel']) {
    const body = verb === 'balance' ? { points: 1 } : undefined
    expect(await call(verb, body, 'lopp_none')).toMatchObject(missing)
    expect(await call(verb, body, foreign.id)).toMatchObject(missing)
    const path = `/v1/loyalties/members/NONE/pending-points/${foreign.id}/${verb}`
    expect(await shop.call('POST', path, body)).toMatchObject({ status: 404, body: { resource_type: 'voucher' } })
  }
  expect((await card(shop, second.code)).loyalty_card.pending_points).toBe(20)
})

test('pending points are not part of the balance: they cannot be spent or transferred, and do not count for tiers', async () => {
  const shop = await newProject()
  const { program, member } = await newMemberWithPending(shop, 500, tierLasting('P1M'))
  await newTiers(shop, program, { Silver: [100] })
  const other: Body = await newMember(shop, program, 'bob')
  const exceeded = { status: 400, body: { key: 'loyalty_card_points_exceeded' } }
  const path = `/v1/loyalties/${program.id}/members/${other.code}/transfers`
  expect(await shop.call('POST', path, [{ code: member.code, points: 1 }])).toMatchObject(exceeded)
  expect(await shop.call('POST', `/v1/loyalties/members/${member.code}/balance`, { points: -1 })).toMatchObject(
    exceeded,
  )
  await addPoints(shop, member.code, 1)
  expect(await tierChanges(shop)).toEqual([])
})
