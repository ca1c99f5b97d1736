import { defaultStackingRules } from '@guerdon/engine'
import type { CalculatedOrder, Facts, StackingRules } from '@guerdon/engine/schema'
import { describe, expect, test } from 'vitest'
import { type Example, examples } from '../../../engine/src/testing/examples.ts'
import { brokenIdentities } from '../../../engine/src/testing/identities.ts'
import { newProject, type Shop, uniqueName } from '../testing/app.ts'
import { eventsOf, getVoucher, newCampaign, runCampaignJobs } from '../testing/campaigns.ts'
import {
  amountOff,
  newCard,
  newCategory,
  newDiscount,
  newGiftCard,
  newProduct,
  newRule,
  newTier,
  percentOff,
  redeem,
  redeemed,
  rollBack,
  rollBackAll,
  setStackingRules,
  stack,
  tier,
  validated,
  voucher,
  vouchers,
} from '../testing/checkout.ts'
import { ok } from '../testing/orders.ts'
import { newPromotion } from '../testing/promotions.ts'
import { scaled } from '../testing/scale.ts'

/*
 * The worked examples of docs/reference/examples-discounts.md, over HTTP. The requests are derived from the facts of the engine's
 * own tests; the expected responses are written here, in the properties of the API.
 *
 * `npm run verify` sends all of them, `npm test` only those named below. The engine calculates, and its own tests check every example
 * with every amount. What HTTP adds depends on the properties of an example and not on its numbers: settings are stored and read, goods
 * and categories looked up, the verdict is written as a response, and redeemed. So an example is named if it is the one with
 *
 * - 5: discounts of an order, credits of a gift card, and amounts of the order before discounts
 * - 6: discounts of lines beside those of the order
 * - 11: a fixed price and a limit of units
 * - 14: limits of amounts
 * - 23: units of a collection
 * - 25: units that replace others, whose price is looked up
 * - 26: points
 * - 29: a bundle
 * - 30b: categories in their hierarchy
 * - 32: exclusive and joint categories, and one redeemable that does not apply
 * - 36b: limits by category
 * - 38b: goods that are discounted once
 * - 45: a formula
 *
 * The other settings of stacking are redeemed in tests of their own (31, 33 to 35, 37). Tiers and stacks differ from codes in how they are
 * found, so that fewer are enough.
 */

// biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
type Body = any

/** The ids of the goods and redeemables of an example in the shop. */
interface Names {
  good(name: string): string
  redeemable(name: string): string
}

const order = (...lines: object[]) => ({ order: { items: lines } })
/** The discount of each redeemable, order and items together. */
const took = (...amounts: number[]) => ({
  redeemables: amounts.map((totalAppliedDiscountAmount) => ({
    status: 'APPLICABLE',
    order: { total_applied_discount_amount: totalAppliedDiscountAmount },
  })),
})
const off = (...amounts: number[]) => ({
  items: amounts.map((discountAmount) => ({ discount_amount: discountAmount })),
})
const discount = (shown: object, amount?: number) => ({
  redeemables: [
    {
      result: { discount: shown },
      ...(amount === undefined ? {} : { order: { total_applied_discount_amount: amount } }),
    },
  ],
})
const skipped = (key: string, message: string) => ({ status: 'SKIPPED', result: { details: { key, message } } })
const overLimit = skipped('applicable_redeemables_limit_exceeded', 'Applicable redeemables limit exceeded')
const mug = (more: object) => ({ items: [more, { quantity: 2, amount: 2000 }] })

/** The expected results, the right column of the table; valid unless stated otherwise. */
const expected: Record<string, object | ((names: Names) => object)> = {
  '1': { order: { amount: 9999, discount_amount: 1250, total_amount: 8749 } },
  '2': { redeemables: [{ order: { applied_discount_amount: 750 } }], order: { total_amount: 0 } },
  '3': { ...took(9000), order: { total_amount: 31000 } },
  '4': {
    redeemables: [
      { order: { applied_discount_amount: 1500, discount_amount: 1500 }, result: { gift: { credits: 1500 } } },
      { order: { applied_discount_amount: 4575, discount_amount: 6075 } },
      { order: { applied_discount_amount: 2000, discount_amount: 8075 } },
    ],
    order: { total_amount: 23925 },
  },
  '5': { ...took(1500, 4800, 2000), order: { discount_amount: 8300, total_amount: 23700 } },
  '6': {
    redeemables: [
      order({ applied_discount_amount: 700 }, { applied_discount_amount: 700 }, { subtotal_amount: 900 }),
      { order: { applied_discount_amount: 810, items_applied_discount_amount: 0 } },
      order({ discount_amount: 700 }, { discount_amount: 700 }, { applied_discount_amount: 225 }),
    ],
    order: {
      items_discount_amount: 1625,
      discount_amount: 810,
      total_discount_amount: 2435,
      total_amount: 7065,
      items: [{ subtotal_amount: 2900 }, { subtotal_amount: 4300 }, { subtotal_amount: 675 }],
    },
  },
  '7': {
    order: {
      total_amount: 7500,
      items: [
        { discount_amount: 1000, discount_quantity: 2 },
        { discount_amount: 1000, discount_quantity: 2 },
        { subtotal_amount: 900 },
      ],
    },
  },
  '8': { ...took(1200), order: { total_amount: 0 } },
  '9': { order: off(363, 546, 91) },
  '10': { order: off(100, 300, 600) },
  '11': { ...took(753), order: { items: [{ discount_amount: 753, subtotal_amount: 4247 }] } },
  '12': { ...took(2290), order: { total_amount: 5000 } },
  '12b': { ...took(0), order: { total_amount: 4200 } },
  '13': { order: off(2000, 2000, 1000) },
  '14': { order: off(1500, 1000, 1000) },
  '15': { order: { ...off(100, 200, 75), total_amount: 4630 } },
  '16': { ...took(5400, 600), order: { total_amount: 0 } },
  '17': {
    redeemables: [order({ applied_discount_amount: 300 }), { order: { applied_discount_amount: 220 } }],
    order: { amount: 2500, total_amount: 1980 },
  },
  '18': {
    order: {
      initial_amount: 3500,
      amount: 6500,
      total_amount: 2000,
      ...mug({
        quantity: 3,
        initial_quantity: 1,
        discount_quantity: 3,
        applied_quantity: 2,
        amount: 4500,
        discount_amount: 4500,
      }),
    },
  },
  '19': {
    order: {
      amount: 8000,
      total_amount: 3500,
      ...mug({ quantity: 4, discount_quantity: 3, amount: 6000, discount_amount: 4500, subtotal_amount: 1500 }),
    },
  },
  '20': {
    redeemables: [
      { order: { amount: 3500, ...mug({ quantity: 1, applied_discount_amount: 1500 }) } },
      { order: mug({ quantity: 3, discount_amount: 4500, applied_discount_amount: 3000, applied_quantity: 2 }) },
    ],
    order: { amount: 6500, total_amount: 2000 },
  },
  '21': { ...took(100, 225), order: { items: [{ subtotal_amount: 675, quantity: 4 }] } },
  '22': ({ good }) => ({
    order: {
      amount: 9500,
      initial_amount: 9500,
      total_amount: 9500,
      total_discount_amount: 0,
      items: [
        { product_id: good('A') },
        { product_id: good('B') },
        { product_id: good('C') },
        { product_id: 'prod_5h1pp1ng', quantity: 1, initial_quantity: 0, discount_quantity: 1 },
      ],
    },
  }),
  '23': ({ good }) => ({
    redeemables: [
      {
        order: { items: [{ discount_amount: 60 }, { discount_amount: 100 }, { subtotal_amount: 1600 }] },
        applicable_to: {
          data: [
            {
              object: 'products_collection',
              id: 'pc_a11pr0dUc75',
              order_item_indices: [0, 1],
              order_item_units: [
                { index: 0, units: [2] },
                { index: 1, units: [3] },
              ],
            },
            { object: 'product', id: good('X'), strict: true, order_item_indices: [0] },
            { object: 'product', id: good('Y'), strict: true, order_item_indices: [1] },
          ],
        },
      },
    ],
    order: { total_amount: 3540 },
  }),
  '24': { order: { total_amount: 3300, items: [{ amount: 600 }, { amount: 1500 }, { discount_amount: 400 }] } },
  '25': ({ good }) => ({
    order: {
      initial_amount: 960,
      amount: 1140,
      total_amount: 960,
      items: [
        { product_id: good('small'), quantity: 1, applied_quantity: -2, applied_quantity_amount: -640 },
        { product_id: good('large'), quantity: 2, amount: 820, discount_amount: 180 },
      ],
    },
  }),
  '26': { redeemables: [{ result: { loyalty_card: { points: 360 } } }], order: { applied_discount_amount: 2500 } },
  '26b': { redeemables: [{ result: { loyalty_card: { points: 80 } } }], order: { applied_discount_amount: 600 } },
  '26c': { redeemables: [{ result: { loyalty_card: { points: 120 } } }], order: { applied_discount_amount: 900 } },
  '27': {
    redeemables: [{ result: { gift: { credits: 2000 } } }],
    order: {
      items_discount_amount: 2000,
      total_amount: 5400,
      items: [{ discount_amount: 600 }, { discount_amount: 1400 }, { subtotal_amount: 5000 }],
    },
  },
  '29': {
    redeemables: [{ result: { bundle: { quantity: 3, limit: 4 }, discount: { percent_off: 15 } } }],
    order: { applied_discount_amount: 2760, total_amount: 15640 },
  },
  '30': ({ redeemable }) => ({
    redeemables: [
      { id: redeemable('A'), order: { applied_discount_amount: 1000 } },
      { id: redeemable('B'), order: { applied_discount_amount: 3750 } },
    ],
    order: { total_amount: 21250 },
  }),
  '30b': ({ redeemable }) => ({
    redeemables: [
      { id: redeemable('B'), order: { applied_discount_amount: 3900 } },
      { id: redeemable('A'), order: { applied_discount_amount: 1000 } },
    ],
    order: { total_amount: 21100 },
  }),
  '31': ({ redeemable }) => ({
    redeemables: expect.arrayContaining([expect.objectContaining({ id: redeemable('C1'), status: 'SKIPPED' })]),
    skipped_redeemables: [
      {
        id: redeemable('C1'),
        ...skipped('exclusion_rules_not_met', 'Redeemable cannot be applied due to exclusion rules'),
      },
    ],
    order: { applied_discount_amount: 2300, total_amount: 7700 },
  }),
  '31b': ({ redeemable }) => ({
    skipped_redeemables: [{ id: redeemable('C1') }],
    order: { applied_discount_amount: 2240, total_amount: 7760 },
  }),
  '32': ({ redeemable }) => ({
    redeemables: [
      { id: redeemable('C1'), order: { applied_discount_amount: 1000 } },
      { id: redeemable('P1'), order: { applied_discount_amount: 300 } },
    ],
    inapplicable_redeemables: [
      {
        id: redeemable('V1'),
        status: 'INAPPLICABLE',
        result: {
          error: { code: 400, key: 'voucher_expired', message: 'voucher expired', details: redeemable('V1') },
          details: { key: 'voucher_expired', message: 'voucher expired' },
        },
      },
    ],
    order: { total_amount: 8700 },
  }),
  '34': ({ redeemable }) => ({
    redeemables: [{ id: redeemable('A') }, { id: redeemable('B') }],
    inapplicable_redeemables: [{ id: redeemable('X') }],
    order: { total_amount: 9000 },
  }),
  '35': {
    redeemables: [...Array.from({ length: 5 }, () => ({ status: 'APPLICABLE' })), overLimit, overLimit],
    skipped_redeemables: [overLimit, overLimit],
  },
  '36': ({ redeemable }) => ({
    redeemables: [
      { id: redeemable('g1'), status: 'APPLICABLE' },
      {
        id: redeemable('g2'),
        ...skipped(
          'applicable_redeemables_per_category_limit_exceeded',
          'Applicable redeemables limit per category exceeded',
        ),
      },
      { id: redeemable('n'), status: 'APPLICABLE' },
    ],
  }),
  '36b': {
    redeemables: [{ status: 'APPLICABLE' }, { status: 'APPLICABLE' }, { status: 'APPLICABLE' }],
  },
  '37': { ...took(2000, 0), order: { total_amount: 0 } },
  '37b': {
    redeemables: [{ status: 'APPLICABLE' }, skipped('no_effect', 'Redeemable does not have any effect')],
    order: { total_amount: 0 },
  },
  '38': {
    redeemables: [
      order({ applied_discount_amount: 580 }, { subtotal_amount: 3890 }),
      order({ applied_discount_amount: 500 }, { applied_discount_amount: 500 }),
    ],
    order: { total_amount: 5210 },
  },
  '38b': {
    redeemables: [
      order({ applied_discount_amount: 580 }, { subtotal_amount: 3890 }),
      order({ subtotal_amount: 2320 }, { applied_discount_amount: 500 }),
    ],
    order: { total_amount: 5710 },
  },
  '40': { ...took(1200, 3000), order: { total_amount: 7800 } },
  '43': discount({ amount_off: 1800, is_dynamic: true }, 1800),
  '44': discount({ percent_off: 15, is_dynamic: true }, 3840),
  '45': {
    ...discount({ unit_off: 2, is_dynamic: true }),
    order: { items: [{}, {}, {}, {}, { quantity: 2, initial_quantity: 0, discount_quantity: 2 }] },
  },
  '46': discount({ amount_off: 500, is_dynamic: false }, 500),
  '47': discount({ amount_off: 300, is_dynamic: true }, 300),
  '48': discount({ percent_off: 8, is_dynamic: true }, 2048),
  '49': discount({ percent_off: 100, is_dynamic: true }, 25600),
}

const right = ({ number }: Example, names: Names): object => {
  const of = expected[number] ?? {}
  return { valid: true, ...(typeof of === 'function' ? of(names) : of) }
}

/** Examples with tests of their own: a stored order, a failure, sessions, and the races. */
const toldBelow = ['28', '33', '39', '39b', '41', '42']
const rows = examples.filter(({ number }) => !toldBelow.includes(number))

const sentAlways = {
  codes: ['5', '6', '11', '14', '23', '25', '26', '29', '30b', '32', '36b', '38b', '45'],
  tiers: ['6', '23', '29', '36b'],
  stacks: ['6', '30'],
}

const sent = (all: Example[], always: readonly string[]): Example[] => {
  const those = all.filter(({ number }) => always.includes(number))
  expect(those.map(({ number }) => number)).toEqual(always)
  return scaled(all.length, those.length) === all.length ? all : those
}

test('every example has its expected result', () => {
  expect(rows.map(({ number }) => number).sort()).toEqual(Object.keys(expected).sort())
})

describe('with codes', () => {
  test.each(sent(rows, sentAlways.codes))('example $number: $about', async (example) => {
    const { shop, request, names } = await staged(example, 'voucher')
    const body = await validated(shop, request)
    expect(body).toMatchObject(right(example, names))
    expect(broken(body)).toEqual([])
    expect('inapplicable_redeemables' in body).toBe(['32', '34'].includes(example.number))

    // The redemption has the same result as the validation.
    const done = await redeemed(shop, request)
    expect(amountsOf(done.order)).toEqual(amountsOf(body.order))
    const applied = body.redeemables.filter(({ status }: Body) => status === 'APPLICABLE')
    expect(done.redemptions.map(({ order }: Body) => amountsOf(order))).toEqual(
      applied.map(({ order }: Body) => amountsOf(order)),
    )
    expect('parent_redemption' in done).toBe(applied.length > 1)
    expect(done.order).toMatchObject({ status: 'PAID', object: 'order' })
    for (const { id } of applied) expect((await getVoucher(shop, id)).redemption.redeemed_quantity).toBe(1)
  })
})

/** Redeemables that do not expire and have no balance can be promotion tiers as well, and then a stack. */
const asTiers = rows.filter(({ facts: { redeemables } }) =>
  redeemables.every((one) => one.kind === 'discount_voucher' && one.expiration_date == null),
)
const asStack = asTiers.filter(({ facts }) => facts.redeemables.length > 1 && isDefault(facts.stacking_rules))

describe('with promotion tiers', () => {
  test.each(sent(asTiers, sentAlways.tiers))('example $number: $about', async (example) => {
    const { shop, request, names } = await staged(example, 'promotion_tier')
    const body = await validated(shop, request)
    expect(body).toMatchObject(right(example, names))
    expect(broken(body)).toEqual([])
  })
})

describe('with a promotion stack, which has no stacking limits', () => {
  const applied = asStack.filter(({ number }) => !['35', '36'].includes(number))
  test.each(sent(applied, sentAlways.stacks))('example $number: $about', async (example) => {
    const { shop, request, names } = await staged(example, 'promotion_stack')
    const body = await validated(shop, request)
    expect(body).toMatchObject(right(example, names))
    expect(broken(body)).toEqual([])
    expect(body.redeemables.map(({ object }: Body) => object)).toEqual(
      example.facts.redeemables.map(() => 'promotion_tier'),
    )
    const done = await redeemed(shop, request)
    expect(amountsOf(done.order)).toEqual(amountsOf(body.order))
  })

  test('example 35: all seven tiers apply', async () => {
    const { shop, request } = await staged(numbered('35'), 'promotion_stack')
    expect(await validated(shop, request)).toMatchObject({
      ...took(...Array(7).fill(500)),
      order: { total_amount: 6500 },
    })
  })
})

describe('single examples beyond the table', () => {
  test('example 12: a redeemable without effect can be skipped', async () => {
    const shop = await newProject()
    await setStackingRules(shop, { redeemables_no_effect_rule: 'SKIP' })
    await newDiscount(shop, 'F', { type: 'FIXED', fixed_amount: 5000 })
    const body = await validated(shop, { redeemables: vouchers('F'), order: { amount: 4200 } })
    expect(body).toMatchObject({ valid: false, skipped_redeemables: [{ result: { details: { key: 'no_effect' } } }] })
  })

  test('example 22: shipping has no price, so its line has no amounts, but counts as an effect', async () => {
    const skipping = await newProject()
    await setStackingRules(skipping, { redeemables_no_effect_rule: 'SKIP' })
    const { shop, request } = await staged(numbered('22'), 'voucher', skipping)
    const body = await validated(shop, request)
    expect(body).toMatchObject({ valid: true, redeemables: [{ status: 'APPLICABLE' }] })
    expect(body.order.items[3]).toEqual({
      object: 'order_item',
      product_id: 'prod_5h1pp1ng',
      quantity: 1,
      initial_quantity: 0,
      discount_quantity: 1,
      applied_quantity: 1,
      applied_discount_quantity: 1,
      product: expect.objectContaining({ id: 'prod_5h1pp1ng', source_id: '5h1pp1ng', name: 'Shipping' }),
    })
  })

  test('example 25: the added line shows its origin', async () => {
    const { shop, request } = await staged(numbered('25'), 'voucher')
    const body = await validated(shop, request)
    expect(body.order.items[1].application_details).toEqual([
      {
        source_index: 0,
        source_applied_quantity: -2,
        source_applied_quantity_amount: -640,
        target_index: 1,
        target_applied_quantity: 2,
        target_applied_quantity_amount: 820,
        target_applied_discount_amount: 180,
      },
    ])
  })

  test.each([
    ['JOINT_ALWAYS_LAST', '31', ['V1', 'P1'], [2000, 300]],
    ['SORTING_RULE_ORDER', '31b', ['P1', 'V1'], [300, 1940]],
  ] as const)('example 31: %s', async (_, number, ids, amounts) => {
    const { shop, request, names } = await staged(numbered(number), 'voucher')
    const { redeemables } = await validated(shop, request)
    const applied = redeemables.filter(({ status }: Body) => status === 'APPLICABLE')
    expect(applied.map(({ id }: Body) => id)).toEqual(ids.map(names.redeemable))
    expect(applied.map((one: Body) => one.order.applied_discount_amount)).toEqual(amounts)
  })
})

describe('redeemed', () => {
  test('example 26: points are spent in whole units', async () => {
    const shop = await newProject()
    const coin = { exchange_ratio: 3, points_ratio: 40 }
    for (const [balance, asked, points, money] of [
      [1000, { points: 500 }, 360, 2500],
      [1000, { points: 100 }, 80, 600],
      [150, {}, 120, 900],
    ] as const) {
      const card = await newCard(shop, { points: balance, coin })
      const done = await redeemed(shop, {
        redeemables: [voucher(card.code, { reward: { id: card.reward_id, ...asked } })],
        order: { amount: 2500 },
      })
      expect(done).toMatchObject({
        redemptions: [
          {
            result: 'SUCCESS',
            amount: points,
            loyalty_card: { points },
            customer_id: card.customer_id,
            reward: { id: card.reward_id, assignment_id: card.assignment_id, type: 'COIN' },
            voucher: { loyalty_card: { balance: balance - points }, redemption: { redeemed_points: points } },
          },
        ],
        order: { applied_discount_amount: money, total_amount: 2500 - money },
      })
      expect((await getVoucher(shop, card.code)).loyalty_card.balance).toBe(balance - points)
      const { data } = await ok(shop, 'GET', `/v1/vouchers/${card.code}/transactions`)
      expect(data[0]).toMatchObject({
        type: 'POINTS_REDEMPTION',
        details: { balance: { points: -points, balance: balance - points } },
      })
    }
  })

  test('example 27: a gift card pays for its goods, and loses only what it paid', async () => {
    const { shop, request, names } = await staged(numbered('27'), 'voucher')
    expect(await redeemed(shop, request)).toMatchObject({
      redemptions: [{ amount: 2000, gift: { amount: 2000 }, voucher: { gift: { balance: 7000 } } }],
      order: { items_discount_amount: 2000, total_amount: 5400 },
    })
    expect(await getVoucher(shop, names.redeemable('G'))).toMatchObject({
      gift: { amount: 9000, balance: 7000 },
      redemption: { redeemed_quantity: 1, redeemed_amount: 2000 },
    })
  })

  test('example 28: a stored order that is nearly free', async () => {
    const shop = await newProject()
    await newDiscount(shop, 'FIRST', amountOff(7400))
    await newDiscount(shop, 'A', amountOff(1000))
    const first = await redeemed(shop, { redeemables: vouchers('FIRST'), order: { amount: 8000 } })
    const { id } = first.order
    expect(first.order).toMatchObject({ status: 'PAID', amount: 8000, discount_amount: 7400 })

    const request = { redeemables: vouchers('A'), order: { id } }
    const after = { applied_discount_amount: 600, discount_amount: 8000, total_amount: 0 }
    expect(await validated(shop, request)).toMatchObject({ valid: true, order: after })
    const { order, redemptions } = await redeemed(shop, request)
    expect(order).toMatchObject({ id, ...after })
    expect(Object.keys(order.redemptions).sort()).toEqual([first.redemptions[0].id, redemptions[0].id].sort())
    expect(await ok(shop, 'GET', `/v1/orders/${id}`)).toMatchObject({
      status: 'PAID',
      discount_amount: 8000,
      total_amount: 0,
      redemptions: { [redemptions[0].id]: { related_object_type: 'voucher' } },
    })
  })

  test('example 33: under ALL one inapplicable redeemable fails the whole request', async () => {
    const { shop, request, names } = await staged(numbered('33'), 'voucher')
    const [A, X, B] = ['A', 'X', 'B'].map(names.redeemable) as [string, string, string]
    const body = await validated(shop, request)
    expect(body).toMatchObject({
      valid: false,
      redeemables: [
        { id: A, status: 'APPLICABLE' },
        { id: X, status: 'INAPPLICABLE', result: { error: { code: 400, key: 'voucher_expired', details: X } } },
        {
          id: B,
          ...skipped('preceding_validation_failed', 'Redeemable cannot be applied due to preceding validation failure'),
        },
      ],
      inapplicable_redeemables: [{ id: X }],
      skipped_redeemables: [{ id: B }],
    })
    expect(body).not.toHaveProperty('order')

    const refusal = await redeem(shop, request)
    expect(refusal).toMatchObject({
      status: 400,
      body: {
        code: 400,
        key: 'voucher_expired',
        message: 'voucher expired',
        details: X,
        resource_id: expect.stringMatching(/^rf_/),
        resource_type: 'redemption',
      },
    })
    const { resource_id } = refusal.body
    expect(await ok(shop, 'GET', `/v1/redemptions/${resource_id}`)).toMatchObject({
      result: 'FAILURE',
      status: 'FAILED',
      failure_code: 'voucher_expired',
      failure_message: 'voucher expired',
      related_object_type: 'redemption',
      related_object_id: resource_id,
      order: null,
      customer: null,
      voucher: null,
    })
    for (const code of [A, X, B]) expect((await getVoucher(shop, code)).redemption.redeemed_quantity).toBe(0)
  })

  test('example 34: under PARTIAL the others are redeemed, and the failure is stored', async () => {
    const { shop, request, names } = await staged(numbered('34'), 'voucher')
    const [A, X, B] = ['A', 'X', 'B'].map(names.redeemable) as [string, string, string]
    const { redemptions, parent_redemption, inapplicable_redeemables, skipped_redeemables } = await redeemed(
      shop,
      request,
    )
    const parent = parent_redemption.id
    expect(redemptions).toMatchObject([
      { voucher: { code: A }, redemption: parent, result: 'SUCCESS' },
      { voucher: { code: B }, redemption: parent, result: 'SUCCESS' },
    ])
    expect(inapplicable_redeemables).toMatchObject([{ id: X, result: { error: { key: 'voucher_expired' } } }])
    expect(skipped_redeemables).toEqual([])
    const failures = await ok(shop, 'GET', '/v1/redemptions?result=FAILURE')
    expect(failures).toMatchObject({
      total: 1,
      redemptions: [{ redemption: parent, failure_code: 'voucher_expired', voucher: { code: X } }],
    })
    const told = await eventsOf(shop)
    expect(told.filter((type) => type === 'redemption.succeeded')).toHaveLength(3)
    expect(told.filter((type) => type === 'redemption.failed')).toHaveLength(1)
  })

  test('example 35: five of seven codes are redeemed', async () => {
    const { shop, request, names } = await staged(numbered('35'), 'voucher')
    const body = await validated(shop, request)
    expect(body).not.toHaveProperty('inapplicable_redeemables')
    const done = await redeemed(shop, request)
    expect(done).toMatchObject({
      redemptions: ['1', '2', '3', '4', '5'].map((name) => ({ voucher: { code: names.redeemable(name) } })),
      skipped_redeemables: ['6', '7'].map((name) => ({ id: names.redeemable(name), ...overLimit })),
      order: { total_amount: 7500 },
    })
    expect(done.redemptions).toHaveLength(5)
    expect(done.inapplicable_redeemables).toEqual([])
  })

  test.each([
    ['37', 1],
    ['37b', 0],
  ])('example %s: a percentage of nothing is redeemed %i times', async (number, times) => {
    const { shop, request, names } = await staged(numbered(number), 'voucher')
    const { redemptions, skipped_redeemables } = await redeemed(shop, request)
    expect(redemptions.map(({ voucher: { code } }: Body) => code)).toEqual(
      ['G', 'P'].slice(0, 1 + times).map(names.redeemable),
    )
    expect(skipped_redeemables).toHaveLength(1 - times)
    expect((await getVoucher(shop, names.redeemable('P'))).redemption.redeemed_quantity).toBe(times)
    expect(await getVoucher(shop, names.redeemable('G'))).toMatchObject({
      redemption: { redeemed_quantity: 1, redeemed_amount: 2000 },
    })
  })

  test('example 39: two sessions hold a code of quantity 2', async () => {
    const shop = await newProject()
    await newDiscount(shop, 'Q', amountOff(500), { redemption: { quantity: 2 } })
    const asked = (key?: string) => ({
      redeemables: vouchers('Q'),
      order: { amount: 1000 },
      ...(key === undefined ? {} : { session: { type: 'LOCK', key } }),
    })
    const usedUp = {
      valid: false,
      redeemables: [
        {
          status: 'INAPPLICABLE',
          result: { error: { key: 'quantity_exceeded', details: expect.stringMatching(/^Q: /) } },
        },
      ],
    }
    const session = (key: string) => ({ valid: true, session: { key, type: 'LOCK', ttl: 7, ttl_unit: 'DAYS' } })
    expect(await validated(shop, asked('S1'))).toMatchObject(session('S1'))
    expect(await validated(shop, asked('S2'))).toMatchObject(session('S2'))
    expect(await validated(shop, asked())).toMatchObject(usedUp)
    expect(await redeem(shop, asked())).toMatchObject({ status: 400, body: { key: 'quantity_exceeded' } })

    expect(await redeemed(shop, asked('S1'))).toMatchObject({ redemptions: [{ session: { key: 'S1' } }] })
    expect((await getVoucher(shop, 'Q')).redemption.redeemed_quantity).toBe(1)
    expect(await validated(shop, asked())).toMatchObject(usedUp)

    expect(await shop.call('DELETE', '/v1/vouchers/Q/sessions/S2')).toMatchObject({ status: 204 })
    expect(await shop.call('DELETE', '/v1/vouchers/Q/sessions/S2')).toMatchObject({
      status: 404,
      body: { key: 'not_found', resource_type: 'session' },
    })
    expect(await validated(shop, asked())).toMatchObject({ valid: true })
    await redeemed(shop, asked())
    expect(await validated(shop, asked('S3'))).toMatchObject(usedUp)
  })

  describe('example 40: a percentage and a gift card', () => {
    async function redeemedBoth(rules: Partial<StackingRules> = {}) {
      const shop = await newProject()
      if (Object.keys(rules).length > 0) await setStackingRules(shop, rules)
      await newDiscount(shop, 'P', percentOff(10))
      await newGiftCard(shop, 'G', 5000)
      const done = await redeemed(shop, {
        redeemables: [voucher('P'), voucher('G', { gift: { credits: 3000 } })],
        order: { amount: 12000 },
      })
      expect(done).toMatchObject({
        redemptions: [
          { order: { applied_discount_amount: 1200 } },
          { order: { applied_discount_amount: 3000 }, amount: 3000, gift: { amount: 3000 } },
        ],
        order: { status: 'PAID', total_amount: 7800 },
      })
      expect((await getVoucher(shop, 'G')).gift.balance).toBe(2000)
      return { shop, done, parent: done.parent_redemption.id, order_id: done.order.id }
    }

    test('is rolled back with the order', async () => {
      const { shop, done, parent, order_id } = await redeemedBoth()
      const { status, body } = await rollBackAll(shop, parent)
      expect({ status, body }).toMatchObject({
        status: 200,
        body: {
          rollbacks: [
            { id: expect.stringMatching(/^rr_/), redemption: done.redemptions[0].id, result: 'SUCCESS' },
            { redemption: done.redemptions[1].id, amount: -3000, gift: { amount: -3000 }, status: 'SUCCEEDED' },
          ],
          parent_rollback: { redemption: parent, object: 'redemption_rollback' },
          order: { id: order_id, status: 'CANCELED', amount: 12000, total_amount: 12000 },
        },
      })
      expect(body.rollbacks[0].amount ?? null).toBeNull()
      expect(body.rollbacks[0]).not.toHaveProperty('gift')
      const stored = await ok(shop, 'GET', `/v1/orders/${order_id}`)
      expect(stored).toMatchObject({
        status: 'CANCELED',
        amount: 12000,
        total_amount: 12000,
        redemptions: { [parent]: { rollback_id: body.parent_rollback.id } },
      })
      for (const field of ['discount_amount', 'total_discount_amount', 'items_discount_amount'])
        expect(stored).not.toHaveProperty(field)
      expect(await getVoucher(shop, 'G')).toMatchObject({
        gift: { amount: 5000, balance: 5000 },
        redemption: { redeemed_quantity: 0, redeemed_amount: 0 },
      })
      expect((await getVoucher(shop, 'P')).redemption.redeemed_quantity).toBe(0)
      for (const id of [parent, ...done.redemptions.map(({ id }: Body) => id)])
        expect(await ok(shop, 'GET', `/v1/redemptions/${id}`)).toMatchObject({
          status: 'ROLLED_BACK',
          result: 'SUCCESS',
        })
      expect((await eventsOf(shop)).filter((type) => type === 'redemption.rollback.succeeded')).toHaveLength(3)
    })

    test('is rolled back only once', async () => {
      const { shop, parent } = await redeemedBoth()
      expect(await rollBackAll(shop, parent)).toMatchObject({ status: 200 })
      expect(await rollBackAll(shop, parent)).toMatchObject({
        status: 400,
        body: {
          key: 'already_rolled_back',
          details: 'Redemption has been already rolled back.',
          resource_id: expect.stringMatching(/^rrf_/),
          resource_type: 'redemption_rollback',
        },
      })
      expect((await getVoucher(shop, 'G')).gift.balance).toBe(5000)
    })

    test('is rolled back without the order', async () => {
      const { shop, parent, order_id } = await redeemedBoth({ redeemables_rollback_order_mode: 'WITHOUT_ORDER' })
      expect(await rollBackAll(shop, parent)).toMatchObject({ status: 200 })
      expect(await ok(shop, 'GET', `/v1/orders/${order_id}`)).toMatchObject({
        status: 'PAID',
        total_amount: 7800,
        redemptions: { [parent]: { rollback_id: expect.stringMatching(/^rr_/) } },
      })
      expect((await getVoucher(shop, 'G')).gift.balance).toBe(5000)
    })
  })
})

test('the properties of a response, one by one', async () => {
  const shop = await newProject()
  const cup = (await newProduct(shop, 'Cup', { price: 1450 })).id
  const tray = (await newProduct(shop, 'Tray', { price: 3890 })).id
  await newDiscount(shop, 'CUP20', percentOff(20))
  await newRule(shop, { applicable_to: { included: [{ object: 'product', id: cup }] } }, { voucher: 'CUP20' })
  await newDiscount(shop, 'SIX', amountOff(600))
  const body = await validated(shop, {
    redeemables: vouchers('CUP20', 'SIX'),
    customer: { source_id: 'new customer' },
    order: {
      items: [
        { product_id: cup, quantity: 2 },
        { product_id: tray, quantity: 1 },
      ],
    },
  })

  const amounts = (amount: object) => ({ amount: 6790, initial_amount: 6790, items_discount_amount: 580, ...amount })
  const line = (productId: string, name: string, price: number, quantity: number, more: object) => ({
    object: 'order_item',
    product_id: productId,
    quantity,
    initial_quantity: quantity,
    price,
    amount: price * quantity,
    initial_amount: price * quantity,
    product: expect.objectContaining({ id: productId, name, price }),
    ...more,
  })
  const plainTray = line(tray, 'Tray', 3890, 1, { subtotal_amount: 3890 })
  const cutCup = { discount_amount: 580, subtotal_amount: 2320 }
  const appliedCup = line(cup, 'Cup', 1450, 2, { ...cutCup, applied_discount_amount: 580 })
  const common = { metadata: {}, customer_id: null, referrer_id: null, object: 'order' }
  const list = (...data: object[]) => ({ data, total: data.length, data_ref: 'data', object: 'list' })
  const after = { discount_amount: 600, total_discount_amount: 1180, total_amount: 5610, applied_discount_amount: 600 }
  expect(body).toEqual({
    id: expect.stringMatching(/^valid_/),
    valid: true,
    redeemables: [
      {
        status: 'APPLICABLE',
        id: 'CUP20',
        object: 'voucher',
        order: {
          ...amounts({ discount_amount: 0, total_discount_amount: 580, total_amount: 6210 }),
          applied_discount_amount: 0,
          items_applied_discount_amount: 580,
          total_applied_discount_amount: 580,
          items: [appliedCup, plainTray],
          ...common,
        },
        applicable_to: list(
          expect.objectContaining({
            object: 'product',
            id: cup,
            strict: false,
            effect: 'APPLY_TO_EVERY',
            target: 'ITEM',
            skip_initially: 0,
            repeat: 1,
            order_item_indices: [0],
            order_item_units: [{ index: 0, units: [1, 2] }],
          }),
        ),
        inapplicable_to: list(),
        result: { discount: { type: 'PERCENT', effect: 'APPLY_TO_ITEMS', percent_off: 20, is_dynamic: false } },
        metadata: {},
      },
      {
        status: 'APPLICABLE',
        id: 'SIX',
        object: 'voucher',
        order: {
          ...amounts(after),
          items_applied_discount_amount: 0,
          total_applied_discount_amount: 600,
          items: [line(cup, 'Cup', 1450, 2, cutCup), plainTray],
          ...common,
        },
        applicable_to: list(),
        inapplicable_to: list(),
        result: { discount: { type: 'AMOUNT', effect: 'APPLY_TO_ORDER', amount_off: 600, is_dynamic: false } },
        metadata: {},
      },
    ],
    order: {
      ...amounts(after),
      items_applied_discount_amount: 580,
      total_applied_discount_amount: 1180,
      items: [appliedCup, plainTray],
      ...common,
    },
    tracking_id: expect.stringMatching(/^track_/),
    stacking_rules: defaultStackingRules,
  })
})

describe('examples of docs/reference/examples-vouchers.md', () => {
  test('a gift card spends credits and gets them back, each with a transaction', async () => {
    const shop = await newProject()
    await newGiftCard(shop, 'G', 8000)
    const adjust = (amount: number) => shop.call('POST', '/v1/vouchers/G/balance', { amount })
    await adjust(2500)
    await adjust(-1200)
    const transactions = (query = '') => ok(shop, 'GET', `/v1/vouchers/G/transactions${query}`)
    const newest = async () => (await transactions('?limit=1')).data[0]

    const { redemptions } = await redeemed(shop, {
      redeemables: [voucher('G', { gift: { credits: 4000 } })],
      order: { amount: 10000 },
    })
    expect(await newest()).toMatchObject({
      type: 'CREDITS_REDEMPTION',
      details: { balance: { amount: -4000, total: 9300, balance: 5300 }, redemption: { id: redemptions[0].id } },
    })
    expect(await getVoucher(shop, 'G')).toMatchObject({
      gift: { amount: 10500, subtracted_amount: 1200, balance: 5300 },
      redemption: { redeemed_amount: 4000 },
    })

    const undone = await rollBack(shop, redemptions[0].id)
    expect(undone).toMatchObject({ status: 200, body: { amount: -4000 } })
    expect(await newest()).toMatchObject({
      type: 'CREDITS_REFUND',
      details: { balance: { amount: 4000, total: 9300, balance: 9300 }, rollback: { id: undone.body.id } },
    })
    const after = { gift: { balance: 9300 }, redemption: { redeemed_amount: 0 } }
    expect(await getVoucher(shop, 'G')).toMatchObject(after)
    expect(await adjust(-9301)).toMatchObject({ status: 400, body: { key: 'gift_amount_exceeded' } })
    expect(await adjust(0)).toMatchObject({ status: 400, body: { key: 'invalid_add_balance_params' } })
    expect(await getVoucher(shop, 'G')).toMatchObject(after)

    const types = ({ data }: Body) => data.map(({ type }: Body) => type)
    const first = await transactions('?limit=3')
    expect(types(first)).toEqual(['CREDITS_REFUND', 'CREDITS_REDEMPTION', 'CREDITS_REMOVAL'])
    expect(first).toMatchObject({ has_more: true, more_starting_after: first.data[2].id })
    const rest = await transactions(`?limit=3&starting_after_id=${first.more_starting_after}`)
    expect(types(rest)).toEqual(['CREDITS_ADDITION'])
    expect(rest.has_more).toBe(false)
    expect(rest).not.toHaveProperty('more_starting_after')
  })

  const timed: Array<{
    name: string
    timezone: string
    validity: object
    at: Array<[instant: string, is_active: boolean]>
    /** Two moments far enough from a boundary: a redemption succeeds at the first and fails at the second. */
    redeemed_at: [string, string]
  }> = [
    {
      name: 'every day for two hours, across a clock change',
      timezone: 'Europe/Warsaw',
      validity: {
        start_date: '2025-03-28T09:00:00Z',
        validity_timeframe: { interval: 'P1D', duration: 'PT2H' },
      },
      at: [
        ['2025-03-29T10:59:59Z', true],
        ['2025-03-29T11:00:00Z', false],
        ['2025-03-31T08:30:00Z', true],
        ['2025-03-31T10:30:00Z', false],
      ],
      redeemed_at: ['2025-03-31T08:30:00Z', '2025-03-31T10:30:00Z'],
    },
    {
      name: 'every 24 hours',
      timezone: 'Europe/Warsaw',
      validity: {
        start_date: '2025-03-28T09:00:00Z',
        validity_timeframe: { interval: 'PT24H', duration: 'PT2H' },
      },
      at: [['2025-03-31T10:30:00Z', true]],
      redeemed_at: ['2025-03-31T10:30:00Z', '2025-03-31T08:30:00Z'],
    },
    {
      name: 'every other day, on some weekdays',
      timezone: 'Europe/Warsaw',
      validity: {
        start_date: '2025-06-01T22:00:00Z',
        validity_timeframe: { interval: 'P2D', duration: 'P1D' },
        validity_day_of_week: [1, 3, 5],
      },
      at: [
        ['2025-06-04T10:00:00Z', true],
        ['2025-06-08T10:00:00Z', false],
        ['2025-06-09T10:00:00Z', false],
        ['2025-06-05T21:59:59Z', false],
        ['2025-06-05T22:00:00Z', true],
      ],
      redeemed_at: ['2025-06-04T10:00:00Z', '2025-06-09T10:00:00Z'],
    },
    {
      name: 'hours of some days',
      timezone: 'America/New_York',
      validity: {
        validity_hours: { daily: [{ start_time: '16:00', expiration_time: '22:00', days_of_week: [5, 6] }] },
      },
      at: [
        ['2025-07-11T19:59:59Z', false],
        ['2025-07-11T20:00:00Z', true],
        ['2025-07-12T02:00:30Z', true],
        ['2025-07-12T02:01:00Z', false],
        ['2025-07-13T20:00:00Z', false],
        ['2025-01-10T20:30:00Z', false],
        ['2025-01-10T21:00:00Z', true],
      ],
      redeemed_at: ['2025-07-11T21:00:00Z', '2025-07-13T20:00:00Z'],
    },
  ]

  test.each(timed)('$name', async ({ timezone, validity, at, redeemed_at: [inside, outside] }) => {
    const shop = await newProject({ project: { timezone } })
    await newDiscount(shop, 'V', amountOff(500), validity)
    const request = { redeemables: vouchers('V'), order: { amount: 1000 } }
    for (const [asOf, valid] of at) {
      const body = await validated(shop, { ...request, options: { as_of: asOf } })
      expect([asOf, body]).toMatchObject([asOf, { valid }])
      if (!valid) expect(body.redeemables[0].result.error.key).toBe('voucher_not_active_now')
    }

    const { clock } = shop.service
    try {
      clock.set(inside)
      expect(await redeem(shop, request)).toMatchObject({ status: 200 })
      clock.set(outside)
      expect(await redeem(shop, request)).toMatchObject({ status: 400, body: { key: 'voucher_not_active_now' } })
    } finally {
      clock.set(Date.now())
    }
  })

  test('a change of a campaign is not propagated to redeemed codes', async () => {
    const shop = await newProject()
    const before = '2040-12-31T00:00:00.000Z'
    const after = '2041-01-31T00:00:00.000Z'
    await newCampaign(shop, 'C', { expiration_date: before })
    for (const code of ['A', 'B', 'CC', 'D', 'E', 'F']) await ok(shop, 'POST', `/v1/campaigns/C/vouchers/${code}`, {})
    for (const code of ['A', 'B'])
      await ok(shop, 'POST', '/v1/publications', { voucher: code, customer: { source_id: 'anna' } })
    for (const code of ['B', 'CC']) await redeemed(shop, { redeemables: vouchers(code), order: { amount: 1000 } })
    const dates = async () =>
      (await ok(shop, 'GET', '/v1/vouchers?order=code')).vouchers.map((one: Body) => one.expiration_date)
    await ok(shop, 'PUT', '/v1/campaigns/C', { expiration_date: after })
    await runCampaignJobs(shop)
    expect(await dates()).toEqual([before, before, before, after, after, after])
    await ok(shop, 'PUT', '/v1/campaigns/C', { expiration_date: null })
    await runCampaignJobs(shop)
    expect(await dates()).toEqual([before, before, before, null, null, null])
  })
})

/* From the facts of the engine's table to a shop and a request. */

const numbered = (number: string): Example => {
  const found = examples.find((example) => example.number === number)
  if (found === undefined) throw new Error(`There is no example ${number}`)
  return found
}

function isDefault(rules: StackingRules): boolean {
  return Object.keys(changed(rules)).length === 0
}

function changed(rules: StackingRules): Partial<StackingRules> {
  const isDifferent = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(defaultStackingRules[name as keyof StackingRules])
  return Object.fromEntries(Object.entries(rules).filter(isDifferent))
}

let plain: Promise<Shop> | undefined

/** Examples under the default rules share a shop: each uses its own names. */
function shopFor({ stacking_rules }: Facts): Promise<Shop> {
  if (!isDefault(stacking_rules)) return newProject()
  plain ??= newProject()
  return plain
}

/** Creates all objects of an example, and returns its request. */
async function staged(
  { number, facts }: Example,
  as: 'voucher' | 'promotion_tier' | 'promotion_stack',
  there?: Shop,
): Promise<{ shop: Shop; request: { redeemables: object[] } & Record<string, unknown>; names: Names }> {
  const shop = there ?? (await shopFor(facts))
  const tag = uniqueName(number)
  const { good, translate } = goodsOf(shop, facts, tag)
  const categories = await categoriesOf(shop, facts, tag)
  const rules = changed(facts.stacking_rules)
  if (Object.keys(rules).length > 0) await setStackingRules(shop, replaced(rules, categories))

  const campaign = as === 'voucher' ? '' : await newPromotion(shop, tag)
  const redeemables = new Map<string, { object: string; id: string }>()
  for (const one of facts.redeemables) {
    if (one.kind === 'unknown') throw new Error('No example is about something unknown')
    const validationRules: string[] = []
    for (const { rules, applicable_to, bundle_rules } of one.rules ?? [])
      validationRules.push(
        (await newRule(shop, (await translate({ rules, applicable_to, bundle_rules })) as object)).id,
      )
    const settings = {
      validation_rules: validationRules,
      ...(one.category == null ? {} : { category_id: categories.get(one.category.id) }),
      ...(one.expiration_date == null ? {} : { expiration_date: one.expiration_date }),
    }
    const code = `${tag}-${one.id}`
    if (one.kind === 'loyalty_card') {
      const { reward } = one
      if (reward?.type !== 'COIN') throw new Error('Cards of the examples pay with points')
      const card = await newCard(shop, { points: one.balance, coin: reward })
      const points = one.points == null ? {} : { points: one.points }
      redeemables.set(one.id, voucher(card.code, { reward: { id: card.reward_id, ...points } }))
    } else if (one.kind === 'gift_voucher') {
      const { balance, effect } = one.gift
      await newGiftCard(shop, code, balance, { ...(effect == null ? {} : { effect }), ...settings })
      redeemables.set(one.id, voucher(code, one.credits == null ? {} : { gift: { credits: one.credits } }))
    } else {
      const discount = (await translate(one.discount)) as object
      if (as === 'voucher') await newDiscount(shop, code, discount, settings)
      const id = as === 'voucher' ? code : (await newTier(shop, campaign, { action: { discount }, ...settings })).id
      redeemables.set(one.id, as === 'voucher' ? voucher(id) : tier(id))
    }
  }

  let customer = {}
  if (facts.customer != null) {
    await ok(shop, 'POST', '/v1/customers', { source_id: tag, metadata: facts.customer.metadata })
    customer = { customer: { source_id: tag } }
  }
  return {
    shop,
    request: {
      redeemables: as === 'promotion_stack' ? [await stackOf(shop, campaign, redeemables)] : [...redeemables.values()],
      order: await translate(facts.order),
      ...customer,
    },
    names: { good, redeemable: (name) => redeemables.get(name)?.id ?? `no redeemable ${name}` },
  }
}

async function stackOf(shop: Shop, campaign: string, tiers: Map<string, { id: string }>) {
  const ids = [...tiers.values()].map(({ id }) => id)
  return stack((await ok(shop, 'POST', `/v1/promotions/${campaign}/stacks`, { name: 'All', tiers: { ids } })).id)
}

/** Goods have their own ids in a shop: `translate` replaces the names of goods in the facts by these ids. */
function goodsOf(shop: Shop, facts: Facts, tag: string) {
  const ids = new Map<string, string>()
  const stored = new Map<string, { name?: string | null; price?: number | null }>(
    Object.entries(facts.catalogue?.products ?? {}),
  )
  for (const { product_id, catalogue } of facts.order?.items ?? [])
    if (product_id != null && catalogue?.product != null) stored.set(product_id, catalogue.product)

  async function idOf(name: string): Promise<string> {
    if (name.startsWith('prod_')) return name
    const known = ids.get(name)
    if (known !== undefined) return known
    const { price } = stored.get(name) ?? {}
    const more = { source_id: `${tag}-${name}`, ...(price == null ? {} : { price }) }
    const { id } = await newProduct(shop, name, more)
    ids.set(name, id)
    return id
  }

  async function translate(value: unknown): Promise<unknown> {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) {
      const all: unknown[] = []
      for (const one of value) all.push(await translate(one))
      return all
    }
    const copy: Record<string, unknown> = {}
    for (const [key, member] of Object.entries(value)) {
      if (key === 'catalogue') continue // stored in the shop, not part of a request
      const isGood =
        key === 'product_id' || key === 'unit_type' || (key === 'id' && 'object' in value && value.object === 'product')
      copy[key] = isGood ? await idOf(member as string) : await translate(member)
    }
    return copy
  }
  return { good: (name: string) => ids.get(name) ?? `no good ${name}`, translate }
}

async function categoriesOf(shop: Shop, { redeemables }: Facts, tag: string): Promise<Map<string, string>> {
  const ids = new Map<string, string>()
  for (const one of redeemables) {
    if (one.kind === 'unknown' || one.category == null || ids.has(one.category.id)) continue
    const { id, hierarchy } = one.category
    ids.set(id, (await newCategory(shop, `${tag}-${id}`, hierarchy)).id)
  }
  return ids
}

/** Stacking rules with the category ids of a shop. */
function replaced(rules: Partial<StackingRules>, categories: Map<string, string>): Partial<StackingRules> {
  let text = JSON.stringify(rules)
  for (const [name, id] of categories) text = text.replaceAll(`"${name}"`, `"${id}"`)
  return JSON.parse(text)
}

/* Invariants of every response. */

function broken({ order, redeemables }: Body): string[] {
  const orders: CalculatedOrder[] = [order, ...redeemables.map((one: Body) => one.order)].filter(Boolean)
  return orders.flatMap(brokenIdentities)
}

const amounts = [
  'amount',
  'initial_amount',
  'discount_amount',
  'items_discount_amount',
  'total_discount_amount',
  'total_amount',
  'applied_discount_amount',
  'items_applied_discount_amount',
  'total_applied_discount_amount',
]
const ofLine = [
  'product_id',
  'quantity',
  'initial_quantity',
  'price',
  'amount',
  'initial_amount',
  'discount_amount',
  'applied_discount_amount',
  'discount_quantity',
  'applied_discount_quantity',
  'applied_quantity',
  'applied_quantity_amount',
  'subtotal_amount',
  'application_details',
]

const amountsOf = (order: Body) => ({
  ...Object.fromEntries(amounts.map((field) => [field, order[field]])),
  items: (order.items ?? []).map((line: Body) => Object.fromEntries(ofLine.map((field) => [field, line[field]]))),
})
