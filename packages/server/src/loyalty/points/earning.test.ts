import { describe, expect, test } from 'vitest'
import { importOrders } from '../../orders/import.ts'
import { newProject, type Shop, uniqueName } from '../../testing/app.ts'
import { runAsyncActions } from '../../testing/background.ts'
import {
  amountOff,
  asClient,
  newDiscount,
  newProduct,
  newRule,
  redeemed,
  vouchers,
  when,
} from '../../testing/checkout.ts'
import {
  addPoints,
  balanceOf,
  buckets,
  card,
  emittedEvents,
  fixed,
  inDays,
  movements,
  newEarningRules,
  newEventSchema,
  newMember,
  newProgram,
  newTiers,
  ofAmount,
  payOrder,
  pendingOf,
  runSegments,
  sendEvent,
  transactions,
} from '../../testing/loyalty.ts'
import { ok } from '../../testing/orders.ts'

/*
 * Which cards earn, when, and how much: docs/reference/earning-rules.md#when-a-rule-fires and
 * docs/reference/earning-rules.md#from-event-to-points.
 */

// biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
type Body = any

/** The cards of a program, by the source ids of their holders. */
async function membersOf(shop: Shop, program: { id: string }, ...sources: string[]): Promise<Body[]> {
  const lists = sources.map((source) => ok(shop, 'GET', `/v1/loyalties/${program.id}/members?customer=${source}`))
  return (await Promise.all(lists)).flatMap(({ vouchers }) => vouchers)
}

describe('a paid order', () => {
  test('earns when it is created as paid, becomes paid, or is paid by a redemption', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    await newEarningRules(shop, program, ofAmount(1_000, 1))
    const { code } = await newMember(shop, program, 'ann')
    await payOrder(shop, 'ann', 1_000)
    const later = await payOrder(shop, 'ann', { amount: 2_000, status: 'CREATED' })
    expect(await balanceOf(shop, code)).toBe(1)
    await ok(shop, 'PUT', `/v1/orders/${later.id}`, { status: 'PAID' })
    expect(await balanceOf(shop, code)).toBe(3)
    await newDiscount(shop, 'OFF', amountOff(500))
    await redeemed(shop, {
      redeemables: vouchers('OFF'),
      order: { amount: 4_000 },
      customer: { source_id: 'ann' },
    })
    expect(await movements(shop, code)).toEqual(['POINTS_ACCRUAL 1', 'POINTS_ACCRUAL 2', 'POINTS_ACCRUAL 4'])
  })

  test('earns once, whatever its later status', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    await newEarningRules(shop, program, fixed(10), fixed(5, inDays(2)))
    const { code } = await newMember(shop, program, 'ann')
    const order = await payOrder(shop, 'ann')
    const become = (status: string) => ok(shop, 'PUT', `/v1/orders/${order.id}`, { status })
    await become('PAID')
    await become('CANCELED')
    await become('PAID')
    await become('CREATED')
    await become('PAID')
    await become('FULFILLED')
    expect(await movements(shop, code)).toEqual(['POINTS_ACCRUAL 10'])
    expect(await pendingOf(shop, code)).toEqual([]) // the entry was canceled with the order and is not created again
  })

  test('earns when paid again what no rule has paid before, also by rules added later', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    await newEarningRules(shop, program, ofAmount(1_000, 1))
    const { code } = await newMember(shop, program, 'ann')
    const order = await payOrder(shop, 'ann', 900)
    await newEarningRules(shop, program, fixed(7))
    await ok(shop, 'PUT', `/v1/orders/${order.id}`, { status: 'CANCELED', amount: 5_000 })
    await ok(shop, 'PUT', `/v1/orders/${order.id}`, { status: 'PAID' })
    expect(await movements(shop, code)).toEqual(['POINTS_ACCRUAL 5', 'POINTS_ACCRUAL 7'])
  })

  test('reassigned to another customer earns on the card of that customer', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    await newEarningRules(shop, program, fixed(10))
    const ann = await newMember(shop, program, 'ann')
    const bob = await newMember(shop, program, 'bob')
    const order = await payOrder(shop, 'ann')
    await ok(shop, 'PUT', `/v1/orders/${order.id}`, { status: 'CREATED' })
    await ok(shop, 'PUT', `/v1/orders/${order.id}`, { status: 'PAID', customer: { source_id: 'bob' } })
    expect([await balanceOf(shop, ann.code), await balanceOf(shop, bob.code)]).toEqual([10, 10])
  })

  test('earns nothing without a customer, without a card, or from an import', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    await newEarningRules(shop, program, fixed(10))
    const { code } = await newMember(shop, program, 'ann')
    await ok(shop, 'POST', '/v1/orders', { amount: 100, status: 'PAID' })
    await payOrder(shop, 'eve')
    await ok(shop, 'POST', '/v1/orders/import', [{ amount: 100, status: 'PAID', customer: { source_id: 'ann' } }])
    await runAsyncActions(shop.service.runtime, shop.project_id, [importOrders])
    expect((await ok(shop, 'GET', '/v1/customers/ann')).summary.orders.total_count).toBe(1)
    expect(await transactions(shop, code)).toEqual([])
    expect(await membersOf(shop, program, 'eve')).toEqual([])
  })

  test('earns in every program of the customer, rule by rule in the order of their creation', async () => {
    const shop = await newProject()
    const one = await newProgram(shop)
    const two = await newProgram(shop)
    await newEarningRules(shop, one, fixed(1), fixed(2))
    await newEarningRules(shop, one, fixed(3))
    await newEarningRules(shop, two, fixed(20))
    const first = await newMember(shop, one, 'ann')
    const second = await newMember(shop, two, 'ann')
    await payOrder(shop, 'ann')
    expect(await movements(shop, first.code)).toEqual(['POINTS_ACCRUAL 1', 'POINTS_ACCRUAL 2', 'POINTS_ACCRUAL 3'])
    expect(await movements(shop, second.code)).toEqual(['POINTS_ACCRUAL 20'])
  })
})

describe('joining by earning', () => {
  test('a customer joins, gets the initial points of the card, and keeps that card', async () => {
    const shop = await newProject()
    const program = await newProgram(shop, { auto_join: true, points: 5 })
    await newEarningRules(shop, program, fixed(10), fixed(20, inDays(1)))
    await payOrder(shop, 'ann')
    await payOrder(shop, 'ann')
    const members = await membersOf(shop, program, 'ann')
    expect(members).toMatchObject([{ loyalty_card: { points: 25, balance: 25, pending_points: 40 } }])
    const types = (await emittedEvents(shop)).map(({ type }) => type)
    expect(types.filter((type) => type === 'voucher.published')).toHaveLength(1)
    expect(types.indexOf('voucher.published')).toBeLessThan(types.indexOf('customer.rewarded.loyalty_points'))
  })

  test('pending points alone make a customer join', async () => {
    const shop = await newProject()
    const program = await newProgram(shop, { auto_join: true })
    await newEarningRules(shop, program, fixed(20, inDays(1)))
    await payOrder(shop, 'ann')
    expect(await membersOf(shop, program, 'ann')).toMatchObject([{ loyalty_card: { balance: 0, pending_points: 20 } }])
  })

  test('a customer cannot join a program without cards left, and the failure is emitted', async () => {
    const shop = await newProject()
    const program = await newProgram(shop, { auto_join: true, type: 'STATIC', vouchers_count: 1 })
    await newEarningRules(shop, program, fixed(10))
    await payOrder(shop, 'ann')
    await payOrder(shop, 'bob')
    expect(await membersOf(shop, program, 'ann')).toMatchObject([{ loyalty_card: { balance: 10 } }])
    expect(await membersOf(shop, program, 'bob')).toEqual([])
    const failed = await emittedEvents(shop, 'customer.publication.failed')
    expect(failed.map(({ data }) => data.customer.source_id)).toEqual(['bob'])
  })
})

describe('nothing is earned', () => {
  /** Each makes one program ineligible; the order is the same for all. */
  const hour = 3_600_000
  const at = (milliseconds: number) => new Date(Date.parse('2025-06-04T12:00:00.000Z') + milliseconds).toISOString()
  const cases: Array<[string, { program?: object; rule?: object; card?: object }, number]> = [
    ['this is how it should be', {}, 10],
    ['a rule that is disabled', { rule: { active: false } }, 0],
    ['a rule that begins later', { rule: { start_date: at(hour) } }, 0],
    ['a rule that is over', { rule: { start_date: at(-2 * hour), expiration_date: at(-hour) } }, 0],
    ['a rule inside its dates', { rule: { start_date: at(-hour), expiration_date: at(hour) } }, 10],
    ['a rule of another weekday', { rule: { validity_day_of_week: [0, 1, 2, 4, 5, 6] } }, 0],
    ['a rule of this weekday', { rule: { validity_day_of_week: [3] } }, 10],
    [
      'a rule of other hours',
      { rule: { validity_hours: { daily: [{ start_time: '13:00', expiration_time: '14:00', days_of_week: [3] }] } } },
      0,
    ],
    [
      'a rule of these hours',
      { rule: { validity_hours: { daily: [{ start_time: '11:00', expiration_time: '13:00', days_of_week: [3] }] } } },
      10,
    ],
    [
      'a rule between its timeframes',
      { rule: { start_date: at(-2 * hour), validity_timeframe: { interval: 'P1D', duration: 'PT1H' } } },
      0,
    ],
    ['a program that is over', { program: { expiration_date: at(-hour) } }, 0],
    [
      'a program of another weekday, whatever the rule says',
      { program: { validity_day_of_week: [0] }, rule: { validity_day_of_week: [3] } },
      0,
    ],
    ['a card that is disabled', { card: { active: false } }, 0],
    ['a card that is over', { card: { expiration_date: at(-hour) } }, 0],
    ['a card that begins later', { card: { start_date: at(hour) } }, 0],
  ]

  test('outside of dates and hours, and when disabled', async () => {
    const shop = await newProject()
    shop.service.clock.set('2025-06-04T12:00:00.000Z') // a Wednesday
    const codes: string[] = []
    for (const [, { program: aboutProgram, rule = {}, card: aboutCard }] of cases) {
      const program = await newProgram(shop)
      await newEarningRules(shop, program, fixed(10, rule))
      const { code } = await newMember(shop, program, 'ann')
      if (aboutProgram !== undefined) await ok(shop, 'PUT', `/v1/loyalties/${program.id}`, aboutProgram)
      if (aboutCard !== undefined) await ok(shop, 'PUT', `/v1/vouchers/${code}`, aboutCard)
      codes.push(code)
    }
    await payOrder(shop, 'ann')
    const paid: Array<[string, number]> = []
    for (const [index, [name]] of cases.entries()) paid.push([name, await balanceOf(shop, codes[index] as string)])
    expect(paid).toEqual(cases.map(([name, , points]) => [name, points]))
  })

  test('while a program is disabled', async () => {
    const shop = await newProject()
    const program = await newProgram(shop, { auto_join: true })
    await newEarningRules(shop, program, fixed(10))
    const { code } = await newMember(shop, program, 'ann')
    await ok(shop, 'POST', `/v1/campaigns/${program.id}/disable`)
    await payOrder(shop, 'ann')
    await payOrder(shop, 'bob')
    await ok(shop, 'POST', `/v1/campaigns/${program.id}/enable`)
    await payOrder(shop, 'ann')
    expect(await movements(shop, code)).toEqual(['POINTS_ACCRUAL 10'])
    expect(await membersOf(shop, program, 'bob')).toEqual([])
  })

  test('while a rule is disabled, and after its deletion', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    const [rule] = await newEarningRules(shop, program, fixed(10))
    const path = `/v1/loyalties/${program.id}/earning-rules/${rule.id}`
    const { code } = await newMember(shop, program, 'ann')
    await ok(shop, 'POST', `${path}/disable`)
    await payOrder(shop, 'ann')
    expect(await balanceOf(shop, code)).toBe(0)
    await ok(shop, 'POST', `${path}/enable`)
    await payOrder(shop, 'ann')
    expect(await balanceOf(shop, code)).toBe(10)
    expect(await shop.call('DELETE', path)).toMatchObject({ status: 204 })
    await payOrder(shop, 'ann')
    expect(await balanceOf(shop, code)).toBe(10)
  })

  test('if the validation rule of an earning rule fails, without an error', async () => {
    const shop = await newProject()
    const large = await newRule(shop, when('order.amount', { $more_than: [5_000] }))
    const vip = await newRule(shop, when('customer.metadata', { $is: [true] }, { property: 'vip' }))
    const program = await newProgram(shop, { auto_join: true })
    await newEarningRules(
      shop,
      program,
      fixed(10, { validation_rule_id: large.id }),
      fixed(100, { validation_rule_id: vip.id }),
    )
    await payOrder(shop, 'ann', 5_000)
    expect(await membersOf(shop, program, 'ann')).toEqual([])
    await payOrder(shop, 'ann', 5_001)
    await ok(shop, 'POST', '/v1/customers', { source_id: 'ann', metadata: { vip: true } })
    await payOrder(shop, 'ann', 6_000)
    const [{ code }] = await membersOf(shop, program, 'ann')
    expect(await movements(shop, code)).toEqual(['POINTS_ACCRUAL 10', 'POINTS_ACCRUAL 10', 'POINTS_ACCRUAL 100'])
  })
})

describe('how much is earned', () => {
  test('by metadata of the order and the customer; values that are negative or not numeric pay nothing', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    const share = { every: 2, points: 3 }
    await newEarningRules(
      shop,
      program,
      {
        loyalty: {
          type: 'PROPORTIONAL',
          calculation_type: 'ORDER_METADATA',
          order: { metadata: { ...share, property: 'bags' } },
        },
      },
      {
        loyalty: {
          type: 'PROPORTIONAL',
          calculation_type: 'CUSTOMER_METADATA',
          customer: { metadata: { every: 10, points: 1, property: 'age' } },
        },
      },
    )
    const { code } = await newMember(shop, program, 'ann', { metadata: { age: 35 } })
    for (const bags of [5, -4, '6', null, 1.5]) await payOrder(shop, 'ann', { metadata: { bags } })
    const points = (await transactions(shop, code)).map(({ details }) => details.balance.points)
    expect(points).toEqual([6, 3, 3, 3, 3, 3]) // two times 3 points for 5 bags, and 3 points for 35 years each time
  })

  test('by the amount of the items, before discounts or after line discounts', async () => {
    const shop = await newProject()
    const product = await newProduct(shop, 'P')
    const sku = await ok(shop, 'POST', `/v1/products/${product.id}/skus`, { sku: 'S' })
    const other = await newProduct(shop, 'Q')
    const program = await newProgram(shop)
    const share = { every: 100, points: 1 }
    const items = (calculationType: string, name: string, good: object) => ({
      loyalty: {
        type: 'PROPORTIONAL',
        calculation_type: calculationType,
        order_items: { [name]: { ...share, ...good } },
      },
    })
    const p = { object: 'product', id: product.id }
    const s = { object: 'sku', id: sku.id }
    await newEarningRules(
      shop,
      program,
      items('ORDER_ITEMS_AMOUNT', 'amount', p),
      items('ORDER_ITEMS_SUBTOTAL_AMOUNT', 'subtotal_amount', p),
      items('ORDER_ITEMS_AMOUNT', 'amount', s),
      items('ORDER_ITEMS_AMOUNT', 'amount', { applicable_to: [s, { object: 'product', id: other.id }] }),
    )
    const { code } = await newMember(shop, program, 'ann')
    await payOrder(shop, 'ann', {
      amount: undefined,
      discount_amount: 1_000,
      items: [
        { product_id: product.id, amount: 3_000, discount_amount: 500 },
        { sku_id: sku.id, product_id: product.id, related_object: 'sku', amount: 400 },
        { product_id: other.id, amount: 200 },
      ],
    })
    expect(await movements(shop, code)).toEqual([
      'POINTS_ACCRUAL 34', // a product matches the items of its SKUs
      'POINTS_ACCRUAL 29',
      'POINTS_ACCRUAL 4',
      'POINTS_ACCRUAL 6',
    ])
  })

  test('by the tier and the customer at the time of the event', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    const [small, large] = await newEarningRules(shop, program, fixed(100), fixed(100))
    const times = (multiplier: number) => ({
      earning_rules: { [small.id]: { type: 'MULTIPLY', multiplier }, [large.id]: { type: 'MULTIPLY', multiplier } },
    })
    await newTiers(
      shop,
      program,
      { Bronze: [0, 99], Silver: [100] },
      { Bronze: times(1), Silver: { earning_rules: { [large.id]: { type: 'CUSTOM', points: 7 } } } },
    )
    const { code } = await newMember(shop, program, 'ann')
    await payOrder(shop, 'ann')
    await payOrder(shop, 'ann')
    expect(await movements(shop, code)).toEqual([
      'POINTS_ACCRUAL 100',
      'POINTS_ACCRUAL 100', // Silver now, but not when the order was paid
      'POINTS_ACCRUAL 100', // Silver has no mapping for this rule
      'POINTS_ACCRUAL 7',
    ])
    const details = (await transactions(shop, code)).map((one) => one.details)
    expect(
      details.map(({ loyalty_tier, holder_loyalty_tier }) => [loyalty_tier?.name, holder_loyalty_tier.name]),
    ).toEqual([
      ['Bronze', 'Bronze'],
      ['Bronze', 'Bronze'],
      [undefined, 'Silver'],
      ['Silver', 'Silver'],
    ])
  })

  test('expiring by the rule, else by the program', async () => {
    const shop = await newProject()
    shop.service.clock.set('2025-06-04T12:00:00.000Z')
    const program = await newProgram(shop, { expiration_rules: { period_type: 'MONTH', period_value: 1 } })
    const expirationRules = { period_type: 'FIXED_DAY_OF_YEAR', fixed_month: 12, fixed_day: 31 }
    await newEarningRules(shop, program, fixed(10), fixed(20, { expiration_rules: expirationRules }))
    const member = await newMember(shop, program, 'ann')
    await payOrder(shop, 'ann')
    expect(await buckets(shop, member)).toEqual({ '2025-07-04': 10, '2025-12-31': 20 })
  })
})

describe('custom events', () => {
  const newVisit = async (shop: Shop) => {
    const properties = { stars: { type: 'number', optional: true } }
    const name = uniqueName('visit')
    const schema = await newEventSchema(shop, name, properties)
    return { name, rule: { event: name, custom_event: { schema_id: schema.id } } }
  }

  test('earn on all cards of the customer, or on the named card if the customer holds it', async () => {
    const shop = await newProject()
    const { name, rule } = await newVisit(shop)
    const [one, two] = [await newProgram(shop), await newProgram(shop)]
    await newEarningRules(shop, one, { ...fixed(1), ...rule })
    await newEarningRules(shop, two, { ...fixed(2), ...rule })
    const first = await newMember(shop, one, 'ann')
    const second = await newMember(shop, two, 'ann')
    const foreign = await newMember(shop, one, 'bob')
    const balances = async () => [
      await balanceOf(shop, first.code),
      await balanceOf(shop, second.code),
      await balanceOf(shop, foreign.code),
    ]
    await sendEvent(shop, name, 'ann')
    expect(await balances()).toEqual([1, 2, 0])
    const named = await sendEvent(shop, name, 'ann', { loyalty: { code: second.code } })
    expect(named).toMatchObject({ referral: null, loyalty: null })
    expect(await balances()).toEqual([1, 4, 0])
    await sendEvent(shop, name, 'ann', { loyalty: { code: foreign.code } })
    expect(await balances()).toEqual([1, 4, 0])
    const unknown = { event: name, customer: { source_id: 'ann' }, loyalty: { code: 'NONE' } }
    expect(await shop.call('POST', '/v1/events', unknown)).toMatchObject({ status: 404 })
  })

  test('earn by their metadata, obey rules on it, and earn each time they are sent', async () => {
    const shop = await newProject()
    const { name, rule } = await newVisit(shop)
    const program = await newProgram(shop, { auto_join: true })
    const good = await newRule(shop, when('custom_event.metadata', { $more_than: [3] }, { property: 'stars' }))
    await newEarningRules(
      shop,
      program,
      {
        ...rule,
        loyalty: {
          type: 'PROPORTIONAL',
          calculation_type: 'CUSTOM_EVENT_METADATA',
          custom_event: { metadata: { every: 1, points: 5, property: 'stars' } },
        },
      },
      { ...fixed(100), ...rule, validation_rule_id: good.id },
    )
    await sendEvent(shop, name, 'ann')
    expect(await membersOf(shop, program, 'ann')).toEqual([])
    for (const stars of [2, 4, 4]) await sendEvent(shop, name, 'ann', { metadata: { stars } })
    const [{ code }] = await membersOf(shop, program, 'ann')
    expect(await movements(shop, code)).toEqual([
      'POINTS_ACCRUAL 10',
      'POINTS_ACCRUAL 20',
      'POINTS_ACCRUAL 100',
      'POINTS_ACCRUAL 20',
      'POINTS_ACCRUAL 100',
    ])
  })

  test.each([
    [true, 10],
    [false, 0],
  ])('from the client side earn only if the project enables it: %s', async (clientLoyaltyEventsEnabled, points) => {
    const shop = await newProject({
      project: {
        client_trusted_domains: ['shop.example'],
        client_create_customer_enabled: true,
        client_loyalty_events_enabled: clientLoyaltyEventsEnabled,
      },
    })
    const { name, rule } = await newVisit(shop)
    const program = await newProgram(shop)
    await newEarningRules(shop, program, { ...fixed(10), ...rule })
    const { code } = await newMember(shop, program, 'ann')
    const body = { event: name, customer: { source_id: 'ann' } }
    expect(await asClient(shop, 'POST', '/client/v1/events', body)).toMatchObject({ status: 200 })
    expect(await balanceOf(shop, code)).toBe(points)
    const named = await asClient(shop, 'POST', '/client/v1/events', { ...body, loyalty: { code } })
    expect(named.status).toBe(clientLoyaltyEventsEnabled ? 200 : 403)
    expect(await balanceOf(shop, code)).toBe(2 * points)
  })
})

describe('segments', () => {
  const named = (name: string) => ({ junction: 'and', name: { conditions: { $is: [name] } } })

  test('pay customers who enter, each time, and not those already inside', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    const inside = await newMember(shop, program, 'inside', { name: 'VIP' })
    const outside = await newMember(shop, program, 'outside', { name: 'plain' })
    const segment = await ok(shop, 'POST', '/v1/segments', { name: 'VIPs', type: 'auto-update', filter: named('VIP') })
    const other = await ok(shop, 'POST', '/v1/segments', { name: 'Kings', type: 'auto-update', filter: named('King') })
    await runSegments(shop)
    const entered = { event: 'customer.segment.entered' }
    await newEarningRules(
      shop,
      program,
      { ...fixed(10), ...entered, segment: { id: segment.id } },
      { ...fixed(500), ...entered, segment: { id: other.id } },
    )
    const rename = async (sourceId: string, name: string) => {
      await ok(shop, 'POST', '/v1/customers', { source_id: sourceId, name })
      await runSegments(shop)
    }
    await rename('outside', 'VIP')
    await rename('inside', 'VIP')
    expect([await balanceOf(shop, inside.code), await balanceOf(shop, outside.code)]).toEqual([0, 10])
    await rename('outside', 'plain')
    await rename('outside', 'VIP')
    expect(await movements(shop, outside.code)).toEqual(['POINTS_ACCRUAL 10', 'POINTS_ACCRUAL 10'])
    const [accrual] = await transactions(shop, outside.code)
    expect(accrual).toMatchObject({
      source: 'Automation',
      details: { segment: { id: segment.id, name: 'VIPs' }, event: { type: 'customer.segment.entered' } },
    })
  })

  test('that were passive become active when a rule refers to them', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    const inside = await newMember(shop, program, 'inside', { name: 'VIP' })
    const outside = await newMember(shop, program, 'outside', { name: 'plain' })
    const segment = await ok(shop, 'POST', '/v1/segments', { name: 'VIPs', type: 'passive', filter: named('VIP') })
    const rule = { event: 'customer.segment.entered', segment: { id: segment.id } }
    await newEarningRules(shop, program, { ...fixed(10), ...rule })
    expect((await ok(shop, 'GET', `/v1/segments/${segment.id}`)).type).toBe('auto-update')
    await runSegments(shop)
    expect(await balanceOf(shop, inside.code)).toBe(0)
    await ok(shop, 'POST', '/v1/customers', { source_id: 'outside', name: 'VIP' })
    await runSegments(shop)
    expect(await balanceOf(shop, outside.code)).toBe(10)
  })
})

describe('tiers', () => {
  const on = (turn: string, tier?: { id: string }) => ({
    event: `customer.loyalty.tier.${turn}`,
    ...(tier === undefined ? {} : { loyalty_tier: { id: tier.id } }),
  })

  test('pay for changes of tier: a rule refers to the tier entered or left', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    const { Bronze, Silver } = await newTiers(shop, program, { Bronze: [0, 99], Silver: [100, 1_000_000] })
    await newEarningRules(
      shop,
      program,
      { ...fixed(1), ...on('joined', Bronze) },
      { ...fixed(2), ...on('upgraded') },
      { ...fixed(4), ...on('upgraded', Bronze) },
      { ...fixed(8), ...on('upgraded', Silver) },
      { ...fixed(16), ...on('downgraded', Bronze) },
      { ...fixed(32), ...on('left', Bronze) },
    )
    const { code } = await newMember(shop, program, 'ann')
    expect(await movements(shop, code)).toEqual(['POINTS_ACCRUAL 1'])
    await addPoints(shop, code, 99)
    expect((await movements(shop, code)).slice(1)).toEqual([
      'POINTS_ADDITION 99',
      'POINTS_ACCRUAL 2',
      'POINTS_ACCRUAL 8',
    ])
    await addPoints(shop, code, -60)
    expect((await movements(shop, code)).slice(4)).toEqual(['POINTS_REMOVAL -60', 'POINTS_ACCRUAL 16'])
    const [joined] = await transactions(shop, code)
    expect(joined.details).toMatchObject({ event: { type: 'customer.loyalty.tier.joined' } })
  })

  test('of one program pay in another program whose rule refers to them', async () => {
    const shop = await newProject()
    const [watched, paying] = [await newProgram(shop), await newProgram(shop)]
    const { Silver } = await newTiers(shop, watched, { Silver: [100] })
    await newEarningRules(shop, paying, { ...fixed(10), ...on('joined', Silver) }, { ...fixed(500), ...on('joined') })
    const paid = await newMember(shop, paying, 'ann')
    const { code } = await newMember(shop, watched, 'ann')
    await addPoints(shop, code, 100)
    expect(await movements(shop, paid.code)).toEqual(['POINTS_ACCRUAL 10'])
  })

  test('that pay for each other do not loop: a rule pays once per request', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    await newTiers(shop, program, { One: [0, 9], Two: [10, 19], Three: [20, 29], Four: [30] })
    await newEarningRules(shop, program, { ...fixed(10), ...on('upgraded') })
    const { code } = await newMember(shop, program, 'ann')
    await addPoints(shop, code, 10)
    expect(await movements(shop, code)).toEqual(['POINTS_ADDITION 10', 'POINTS_ACCRUAL 10'])
    const turns = await emittedEvents(shop, 'customer.loyalty.tier.upgraded')
    expect(turns.map(({ data }) => data.loyalty_tier_to.name)).toEqual(['Two', 'Three'])
    await addPoints(shop, code, 10)
    expect((await movements(shop, code)).slice(2)).toEqual(['POINTS_ADDITION 10', 'POINTS_ACCRUAL 10'])
  })

  test('that were just entered map the points they pay', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    const [rule] = await newEarningRules(shop, program, { ...fixed(10), ...on('upgraded') })
    const triple = { earning_rules: { [rule.id]: { type: 'MULTIPLY', multiplier: 3 } } }
    await newTiers(shop, program, { Bronze: [0, 99], Silver: [100] }, { Silver: triple })
    const { code } = await newMember(shop, program, 'ann')
    await addPoints(shop, code, 100)
    expect(await movements(shop, code)).toEqual(['POINTS_ADDITION 100', 'POINTS_ACCRUAL 30'])
  })
})

describe('estimating points', () => {
  const estimate = (shop: Shop, program: { id: string }, body: object) =>
    shop.call('POST', `/v1/loyalties/${program.id}/qualifications`, body)
  const ann = { customer: { source_id: 'ann' } }

  test('returns the points without crediting them', async () => {
    const shop = await newProject()
    const program = await newProgram(shop, { auto_join: true })
    const [rule] = await newEarningRules(shop, program, ofAmount(1_000, 2), fixed(5, inDays(3)))
    const double = { earning_rules: { [rule.id]: { type: 'MULTIPLY', multiplier: 2 } } }
    await newTiers(shop, program, { Base: [0] }, { Base: double })
    const { code } = await newMember(shop, program, 'ann')
    const campaign = { id: program.id, name: program.name, object: 'campaign' }
    const answer = async (body: object) => {
      const { status, body: said } = await estimate(shop, program, body)
      expect({ status, said }).toMatchObject({ status: 200, said: { campaign } })
      return said.points_estimation
    }
    expect((await estimate(shop, program, { ...ann, order: { amount: 3_000 } })).body).toEqual({
      campaign,
      points_estimation: 17,
    })
    expect(await answer({ customer: { source_id: 'unknown' }, order: { amount: 3_000 } })).toBe(11) // without a tier
    const order = await payOrder(shop, 'ann', { amount: 4_000, source_id: 'o-1' })
    expect(await answer({ ...ann, order: { id: order.id } })).toBe(21)
    expect(await answer({ ...ann, order: { source_id: 'o-1', amount: 1_000 } })).toBe(9) // the order of the request wins
    expect(await answer({ ...ann, order: {} })).toBe(5)
    expect((await card(shop, code)).loyalty_card).toEqual({ points: 16, balance: 16, pending_points: 5 })
    expect(await shop.call('GET', '/v1/customers/unknown')).toMatchObject({ status: 404 })
  })

  test('is refused if nothing can be earned', async () => {
    const shop = await newProject()
    const program = await newProgram(shop)
    await newEarningRules(shop, program, fixed(5))
    const { code } = await newMember(shop, program, 'ann')
    const order = { order: { amount: 100 } }
    const refused = async (body: object, status: number, key: string, more: object = {}) =>
      expect(await estimate(shop, program, body), JSON.stringify(body)).toMatchObject({
        status,
        body: { key, ...more },
      })
    const must = (name: string) => ({ details: `Property .${name} must be object` })
    await refused({ customer: 'ann', ...order }, 400, 'invalid_payload', must('customer'))
    await refused({ ...ann, order: 'one' }, 400, 'invalid_payload', must('order'))
    await refused(order, 400, 'invalid_payload')
    await refused(ann, 400, 'invalid_payload')
    await refused({ customer: { source_id: 'eve' }, ...order }, 400, 'campaign_not_allow_auto_join', {
      message: `Loyalty campaign '${program.id}' does not allow auto-join for non-members`,
      details: 'Given campaign does not allow auto-join',
    })
    await ok(shop, 'POST', `/v1/vouchers/${code}/disable`)
    await refused({ ...ann, ...order }, 400, 'loyalty_card_not_active', {
      message: `Customer's loyalty card '${code}' is not active`,
    })
    await ok(shop, 'POST', `/v1/campaigns/${program.id}/disable`)
    await refused({ ...ann, ...order }, 400, 'campaign_not_active', {
      message: `Loyalty campaign '${program.id}' is not active`,
      details: 'Given campaign is not active',
    })
    expect(await estimate(shop, { id: 'camp_none' }, { ...ann, ...order })).toMatchObject({
      status: 404,
      body: { key: 'not_found', resource_type: 'campaign' },
    })
    const over = await newProgram(shop, { expiration_date: '2020-01-01T00:00:00.000Z', auto_join: true })
    expect(await estimate(shop, over, { ...ann, ...order })).toMatchObject({ body: { key: 'campaign_not_active' } })
  })
})
