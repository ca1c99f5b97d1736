import type { ApplicableEntry, CatalogueProduct, Facts, ItemFacts, OrderFacts, Redeemable } from '../schema/index.ts'
import {
  amountOff,
  category,
  facts,
  fixedPrice,
  giftCard,
  line,
  loyaltyCard,
  on,
  order,
  percentOff,
  product,
  stored,
  unitsOff,
  voucher,
} from './shop.ts'

/**
 * A worked example of docs/reference/examples-discounts.md: facts, and what the verdict must contain. Plain data, so other
 * packages can run it too.
 */
export interface Example {
  number: string
  about: string
  facts: Facts
  expected: unknown
}

const example = (number: string, about: string, given: Facts, expected: unknown): Example => ({
  number,
  about,
  facts: given,
  expected,
})

/** The discount of each redeemable, and the amount to pay. */
const applied = (amounts: number[], totalAmount: number, more: Record<string, unknown> = {}) => ({
  valid: true,
  redeemables: amounts.map((totalAppliedDiscountAmount) => ({
    status: 'APPLICABLE',
    order: { total_applied_discount_amount: totalAppliedDiscountAmount },
  })),
  order: { total_amount: totalAmount, ...more },
})

const items = (...lines: unknown[]) => ({ items: lines })

const one = (given: OrderFacts, redeemable: Redeemable, more: Partial<Parameters<typeof facts>[0]> = {}) =>
  facts({ order: given, redeemables: [redeemable], ...more })

const cartK = () => order(line('A', 3, 1200), line('B', 2, 2500), line('C', 1, 900))
const toItems = { effect: 'APPLY_TO_ITEMS' } as const
const toOrder = { effect: 'APPLY_TO_ORDER' } as const
const gift15 = giftCard('G', 5000, { credits: 1500 })
const three = [gift15, voucher('P', percentOff(15)), voucher('A', amountOff(2000))]
const threeLines = () => order(line('A', 1, 6000), line('B', 1, 2500), line('C', 3, 1500))

const mug: CatalogueProduct = product('mug', { name: 'Mug', price: 1500 })
const tea: CatalogueProduct = product('tea', { name: 'Tea', price: 1000 })
const mugAndTea = () => order(stored(mug, 1), stored(tea, 2))
const freeMugs = (unitOff: number, effect: 'ADD_MISSING_ITEMS' | 'ADD_NEW_ITEMS') =>
  unitsOff(unitOff, 'mug', { effect })

const xyz = () => order(line('X', 2, 300), line('Y', 3, 500), line('Z', 2, 800))
const everything: ApplicableEntry = { object: 'products_collection', id: 'pc_a11pr0dUc75' }
const cupAndTray = () => order(line('cup', 2, 1450), line('tray', 1, 3890))
const coin = { type: 'COIN', id: 'rew_1', exchange_ratio: 3, points_ratio: 40 } as const

const expired = { expiration_date: '2025-02-26T11:59:59.999Z' }
const fiveOff = (id: string, more: Parameters<typeof voucher>[2] = {}) => voucher(id, amountOff(500), more)
const bundle = (id: string, quantity: number) => ({
  name: 'order.items.any',
  conditions: { $is: [{ id, object: 'product', type: 'product_or_sku' }] },
  rules: { '1': { name: 'order.items.aggregated_quantity', conditions: { $is: [quantity] }, rules: {} }, logic: '1' },
})

/** The order of examples 43 to 49: 256.00 in 4 lines and 9 units. */
const formulaOrder: OrderFacts = {
  amount: 25600,
  items: [line('a', 4), line('b', 2), line('c', 2), line('d', 1)] satisfies ItemFacts[],
  metadata: { channel: 'kiosk' },
}
const formula = (discount: Parameters<typeof voucher>[1], products: CatalogueProduct[] = []) =>
  facts({
    order: formulaOrder,
    customer: { id: 'cust_1', metadata: { visits: 12 } },
    redeemables: [voucher('F', discount)],
    products,
  })
const appliedDiscount = (discount: Record<string, unknown>, amount?: number) => ({
  valid: true,
  redeemables: [{ discount, ...(amount === undefined ? {} : { order: { total_applied_discount_amount: amount } }) }],
})

export const examples: readonly Example[] = [
  example('1', '12.5 % of 99.99 is 12.49875', one({ amount: 9999 }, voucher('P', percentOff(12.5))), {
    valid: true,
    order: { discount_amount: 1250, total_amount: 8749 },
  }),
  example('2', 'an amount is capped by the order', one({ amount: 750 }, voucher('A', amountOff(1000))), {
    valid: true,
    redeemables: [{ order: { applied_discount_amount: 750 } }],
    order: { total_amount: 0 },
  }),
  example(
    '3',
    'a percentage with a limit',
    one({ amount: 40000 }, voucher('P', percentOff(30, { amount_limit: 9000 }))),
    {
      valid: true,
      order: { discount_amount: 9000, total_amount: 31000 },
    },
  ),
  example('4', 'redeemables are applied in order', facts({ order: { amount: 32000 }, redeemables: three }), {
    valid: true,
    redeemables: [
      { gift: { credits: 1500 }, order: { applied_discount_amount: 1500, discount_amount: 1500 } },
      { order: { applied_discount_amount: 4575, discount_amount: 6075 } },
      { order: { applied_discount_amount: 2000, discount_amount: 8075 } },
    ],
    order: { applied_discount_amount: 8075, total_amount: 23925 },
  }),
  example(
    '5',
    'percentages of the initial amount',
    facts({ order: { amount: 32000 }, redeemables: three, rules: { discount_calculation_mode: 'INITIAL_AMOUNT' } }),
    applied([1500, 4800, 2000], 23700, { discount_amount: 8300 }),
  ),
  example(
    '6',
    'item-level and order-level discounts mixed',
    facts({
      order: cartK(),
      redeemables: [
        voucher('1', amountOff(700, toItems), { rules: [on('A', 'B')] }),
        voucher('2', percentOff(10, toOrder)),
        voucher('3', percentOff(25, toItems), { rules: [on('C')] }),
      ],
    }),
    {
      valid: true,
      redeemables: [
        { order: items({ applied_discount_amount: 700 }, { applied_discount_amount: 700 }, {}) },
        { order: { applied_discount_amount: 810, items_applied_discount_amount: 0 } },
        { order: { ...items({}, {}, { applied_discount_amount: 225 }), applied_discount_amount: 0 } },
      ],
      order: {
        items_discount_amount: 1625,
        discount_amount: 810,
        total_discount_amount: 2435,
        total_amount: 7065,
        ...items({ subtotal_amount: 2900 }, { subtotal_amount: 4300 }, { subtotal_amount: 675 }),
      },
    },
  ),
  example(
    '7',
    'an amount off each unit, on at most two units per line',
    one(
      cartK(),
      voucher('Q', amountOff(500, { effect: 'APPLY_TO_ITEMS_BY_QUANTITY' }), {
        rules: [on({ object: 'product', id: 'A', quantity_limit: 2 }, 'B')],
      }),
    ),
    applied([2000], 7500, {
      ...items(
        { discount_amount: 1000, discount_quantity: 2 },
        { discount_amount: 1000, discount_quantity: 2 },
        { amount: 900 },
      ),
    }),
  ),
  example(
    '8',
    'a unit price never becomes negative',
    one(order(line('A', 4, 300)), voucher('Q', amountOff(500, { effect: 'APPLY_TO_ITEMS_BY_QUANTITY' }))),
    applied([1200], 0),
  ),
  example(
    '9',
    'split in proportion to amounts',
    one(
      order(line('A', 1, 1999), line('B', 1, 3001), line('C', 1, 501)),
      voucher('S', amountOff(1000, { effect: 'APPLY_TO_ITEMS_PROPORTIONALLY' })),
    ),
    applied([1000], 4501, items({ discount_amount: 363 }, { discount_amount: 546 }, { discount_amount: 91 })),
  ),
  example(
    '10',
    'split by quantity, with the excess of a full line split again',
    one(
      order(line('A', 1, 100), line('B', 2, 1200), line('C', 4, 900)),
      voucher('S', amountOff(1000, { effect: 'APPLY_TO_ITEMS_PROPORTIONALLY_BY_QUANTITY' })),
    ),
    applied([1000], 5100, items({ discount_amount: 100 }, { discount_amount: 300 }, { discount_amount: 600 })),
  ),
  example(
    '11',
    'a new price for three of four units',
    one(
      order(line('A', 4, 1250)),
      voucher('F', fixedPrice(999, toItems), { rules: [on({ object: 'product', id: 'A', quantity_limit: 3 })] }),
    ),
    applied([753], 4247, items({ subtotal_amount: 4247 })),
  ),
  example('12', 'a new total', one({ amount: 7290 }, voucher('F', fixedPrice(5000))), applied([2290], 5000)),
  example('12b', 'a new total above the old one', one({ amount: 4200 }, voucher('F', fixedPrice(5000))), {
    ...applied([0], 4200),
    redeemables: [{ has_effect: false }],
  }),
  example(
    '13',
    'off each line, up to a total limit',
    one(threeLines(), voucher('A', amountOff(2000, { ...toItems, aggregated_amount_limit: 5000 }))),
    applied([5000], 8000, items({ discount_amount: 2000 }, { discount_amount: 2000 }, { discount_amount: 1000 })),
  ),
  example(
    '14',
    'a percentage of each line, with a limit per line and in total',
    one(threeLines(), voucher('P', percentOff(40, { ...toItems, amount_limit: 1500, aggregated_amount_limit: 3500 }))),
    applied([3500], 9500, items({ discount_amount: 1500 }, { discount_amount: 1000 }, { discount_amount: 1000 })),
  ),
  example(
    '15',
    'rounded per line',
    one(order(line('A', 1, 1333), line('B', 1, 2667), line('C', 3, 335)), voucher('P', percentOff(7.5, toItems))),
    applied([375], 4630, items({ discount_amount: 100 }, { discount_amount: 200 }, { discount_amount: 75 })),
  ),
  example(
    '16',
    'a line discount is capped by the amount to pay',
    facts({
      order: order(line('A', 1, 5000), line('B', 1, 1000)),
      redeemables: [
        voucher('1', percentOff(90, toOrder)),
        voucher('2', amountOff(2000, toItems), { rules: [on('A')] }),
      ],
    }),
    applied([5400, 600], 0),
  ),
  example(
    '17',
    'an order amount that differs from its lines',
    facts({
      order: { amount: 2500, ...order(line('A', 1, 3000)) },
      redeemables: [voucher('1', percentOff(10, toItems)), voucher('2', percentOff(10, toOrder))],
    }),
    applied([300, 220], 1980, { amount: 2500 }),
  ),
  example(
    '18',
    'missing units are added',
    one(mugAndTea(), voucher('U', freeMugs(3, 'ADD_MISSING_ITEMS')), { products: [mug, tea] }),
    {
      valid: true,
      free_quantities: [3, 0],
      order: {
        initial_amount: 3500,
        amount: 6500,
        total_amount: 2000,
        ...items(
          {
            quantity: 3,
            initial_quantity: 1,
            discount_quantity: 3,
            applied_quantity: 2,
            amount: 4500,
            discount_amount: 4500,
          },
          { quantity: 2 },
        ),
      },
    },
  ),
  example(
    '19',
    'new units are added',
    one(mugAndTea(), voucher('U', freeMugs(3, 'ADD_NEW_ITEMS')), { products: [mug, tea] }),
    {
      valid: true,
      order: {
        amount: 8000,
        total_amount: 3500,
        ...items({ quantity: 4, discount_quantity: 3, amount: 6000, discount_amount: 4500, subtotal_amount: 1500 }, {}),
      },
    },
  ),
  example(
    '20',
    'units that are free already are not counted again',
    facts({
      order: mugAndTea(),
      products: [mug, tea],
      redeemables: [voucher('1', freeMugs(1, 'ADD_MISSING_ITEMS')), voucher('2', freeMugs(2, 'ADD_MISSING_ITEMS'))],
    }),
    {
      valid: true,
      redeemables: [
        { order: items({ quantity: 1, applied_discount_amount: 1500, discount_quantity: 1 }, {}) },
        {
          order: items({ quantity: 3, discount_amount: 4500, applied_discount_amount: 3000, applied_quantity: 2 }, {}),
        },
      ],
      order: { amount: 6500, total_amount: 2000 },
    },
  ),
  example(
    '21',
    'a freed unit is discounted by its remaining price',
    facts({
      order: order(line('mug', 4, 250)),
      products: [mug],
      redeemables: [voucher('1', percentOff(10, toItems)), voucher('2', freeMugs(1, 'ADD_MISSING_ITEMS'))],
    }),
    applied([100, 225], 675, items({ subtotal_amount: 675, quantity: 4 })),
  ),
  example(
    '22',
    'free shipping',
    one(cartK(), voucher('S', unitsOff(1, 'prod_5h1pp1ng', { effect: 'ADD_MISSING_ITEMS' }))),
    {
      valid: true,
      redeemables: [{ has_effect: true }],
      order: {
        amount: 9500,
        total_amount: 9500,
        ...items(
          {},
          {},
          {},
          {
            product_id: 'prod_5h1pp1ng',
            quantity: 1,
            initial_quantity: 0,
            discount_quantity: 1,
            applied_quantity: 1,
            applied_discount_quantity: 1,
          },
        ),
      },
    },
  ),
  example(
    '23',
    'every third unit from the cheapest, after the first',
    one(
      xyz(),
      voucher('P', percentOff(20), {
        rules: [on({ ...everything, effect: 'APPLY_FROM_CHEAPEST', target: 'UNIT', skip_initially: 1, repeat: 3 })],
      }),
    ),
    {
      valid: true,
      redeemables: [
        {
          order: items({ discount_amount: 60 }, { discount_amount: 100 }, { quantity: 2 }),
          applicable_to: {
            data: [
              {
                id: 'pc_a11pr0dUc75',
                order_item_indices: [0, 1],
                order_item_units: [
                  { index: 0, units: [2] },
                  { index: 1, units: [3] },
                ],
              },
              { id: 'X', object: 'product', strict: true, order_item_indices: [0] },
              { id: 'Y', object: 'product', strict: true, order_item_indices: [1] },
            ],
          },
        },
      ],
      order: { total_amount: 3540 },
    },
  ),
  example(
    '24',
    'one unit of the most expensive',
    one(
      xyz(),
      voucher('P', percentOff(50), {
        rules: [on({ ...everything, effect: 'APPLY_TO_MOST_EXPENSIVE', target: 'UNIT' })],
      }),
    ),
    applied([400], 3300, items({}, {}, { discount_amount: 400 })),
  ),
  example(
    '25',
    'small units are replaced by large ones',
    one(
      order(stored(product('small', { price: 320 }), 3)),
      voucher('R', unitsOff(1, 'large', { effect: 'REPLACE_ITEMS' }), {
        rules: [on({ object: 'product', id: 'small', aggregated_quantity_limit: 2 })],
      }),
      { products: [product('large', { price: 410 })] },
    ),
    {
      valid: true,
      order: {
        initial_amount: 960,
        amount: 1140,
        total_amount: 960,
        ...items(
          { quantity: 1, applied_quantity: -2, applied_quantity_amount: -640 },
          {
            product_id: 'large',
            quantity: 2,
            amount: 820,
            discount_amount: 180,
            application_details: [
              {
                source_index: 0,
                source_applied_quantity: -2,
                source_applied_quantity_amount: -640,
                target_index: 1,
                target_applied_quantity: 2,
                target_applied_quantity_amount: 820,
                target_applied_discount_amount: 180,
              },
            ],
          },
        ),
      },
    },
  ),
  ...(
    [
      ['26', { points: 500 }, 1000, 360, 2500],
      ['26b', { points: 100 }, 1000, 80, 600],
      ['26c', {}, 150, 120, 900],
    ] as const
  ).map(([number, asked, balance, points, discount]) =>
    example(
      number,
      'points pay whole units',
      one({ amount: 2500 }, loyaltyCard('L', balance, { reward: coin, ...asked })),
      {
        valid: true,
        redeemables: [{ loyalty_card: { points }, order: { applied_discount_amount: discount } }],
        order: { total_amount: 2500 - discount },
      },
    ),
  ),
  example(
    '27',
    'a gift card for some items',
    one(
      order(line('A', 2, 300), line('B', 1, 1800), line('other', 1, 5000)),
      giftCard('G', 9000, { credits: 2000, gift: { balance: 9000, effect: 'APPLY_TO_ITEMS' }, rules: [on('A', 'B')] }),
    ),
    {
      valid: true,
      redeemables: [{ gift: { credits: 2000 } }],
      order: {
        items_discount_amount: 2000,
        total_amount: 5400,
        ...items({ discount_amount: 600 }, { discount_amount: 1400 }, { amount: 5000 }),
      },
    },
  ),
  example(
    '28',
    'a stored order that is nearly free',
    one({ id: 'ord_1', status: 'PAID', amount: 8000, discount_amount: 7400 }, voucher('A', amountOff(1000))),
    { valid: true, order: { applied_discount_amount: 600, discount_amount: 8000, total_amount: 0 } },
  ),
  example(
    '29',
    'three complete bundles turn 5 % into 15 %',
    one(
      { amount: 18400, ...order(line('pot', 3), line('lid', 7)) },
      voucher('B', percentOff(5, toOrder), {
        rules: [
          {
            id: 'val_set',
            rules: { logic: '' },
            bundle_rules: { '1': bundle('pot', 1), '2': bundle('lid', 2), limit: 4, logic: '1 and 2' },
          },
        ],
      }),
    ),
    {
      valid: true,
      redeemables: [{ bundle: { quantity: 3, limit: 4 }, discount: { percent_off: 15 } }],
      order: { applied_discount_amount: 2760, total_amount: 15640 },
    },
  ),
  ...(
    [
      ['30', 'REQUESTED_ORDER', ['A', 'B'], [1000, 3750], 21250],
      ['30b', 'CATEGORY_HIERARCHY', ['B', 'A'], [3900, 1000], 21100],
    ] as const
  ).map(([number, redeemablesSortingRule, ids, amounts, totalAmount]) =>
    example(
      number,
      'the order of application',
      facts({
        order: { amount: 26000 },
        rules: { redeemables_sorting_rule: redeemablesSortingRule },
        redeemables: [
          voucher('A', amountOff(1000), category('cat_3', 3)),
          voucher('B', percentOff(15), category('cat_1', 1)),
        ],
      }),
      {
        valid: true,
        redeemables: ids.map((id, i) => ({ id, order: { applied_discount_amount: amounts[i] } })),
        order: { total_amount: totalAmount },
      },
    ),
  ),
  ...(
    [
      ['31', 'JOINT_ALWAYS_LAST', ['V1', 'P1'], [2000, 300], 7700],
      ['31b', 'SORTING_RULE_ORDER', ['P1', 'V1'], [300, 1940], 7760],
    ] as const
  ).map(([number, groupedRedeemablesSortingRule, ids, amounts, totalAmount]) =>
    example(
      number,
      'an exclusive one blocks common ones, a joint one joins',
      facts({
        order: { amount: 10000 },
        rules: {
          grouped_redeemables_sorting_rule: groupedRedeemablesSortingRule,
          exclusive_categories: ['cat_x'],
          joint_categories: ['cat_j'],
        },
        redeemables: [
          voucher('C1', percentOff(10)),
          voucher('P1', amountOff(300), category('cat_j')),
          voucher('V1', percentOff(20), category('cat_x')),
        ],
      }),
      {
        valid: true,
        redeemables: [
          ...ids.map((id, i) => ({ id, status: 'APPLICABLE', order: { applied_discount_amount: amounts[i] } })),
          {
            id: 'C1',
            status: 'SKIPPED',
            reason: {
              key: 'exclusion_rules_not_met',
              message: 'Redeemable cannot be applied due to exclusion rules',
            },
          },
        ],
        order: { total_amount: totalAmount },
      },
    ),
  ),
  example(
    '32',
    'an expired exclusive redeemable blocks nothing',
    facts({
      order: { amount: 10000 },
      rules: {
        exclusive_categories: ['cat_x'],
        joint_categories: ['cat_j'],
        redeemables_application_mode: 'PARTIAL',
      },
      redeemables: [
        voucher('C1', percentOff(10)),
        voucher('P1', amountOff(300), category('cat_j')),
        voucher('V1', percentOff(20), { ...category('cat_x'), ...expired }),
      ],
    }),
    {
      valid: true,
      redeemables: [
        { id: 'C1', order: { applied_discount_amount: 1000 } },
        { id: 'P1', order: { applied_discount_amount: 300 } },
        {
          id: 'V1',
          status: 'INAPPLICABLE',
          reason: { key: 'voucher_expired', message: 'voucher expired', details: 'V1' },
        },
      ],
      order: { total_amount: 8700 },
    },
  ),
  example(
    '33',
    'ALL: a failed redeemable makes the following ones skipped',
    facts({ order: { amount: 10000 }, redeemables: [fiveOff('A'), fiveOff('X', expired), fiveOff('B')] }),
    {
      valid: false,
      redeemables: [
        { id: 'A', status: 'APPLICABLE' },
        { id: 'X', status: 'INAPPLICABLE', reason: { key: 'voucher_expired' } },
        { id: 'B', status: 'SKIPPED', reason: { key: 'preceding_validation_failed' } },
      ],
    },
  ),
  example(
    '34',
    'PARTIAL: the other redeemables are applied',
    facts({
      order: { amount: 10000 },
      rules: { redeemables_application_mode: 'PARTIAL' },
      redeemables: [fiveOff('A'), fiveOff('X', expired), fiveOff('B')],
    }),
    {
      valid: true,
      redeemables: [
        { id: 'A', status: 'APPLICABLE' },
        { id: 'X', status: 'INAPPLICABLE', reason: { key: 'voucher_expired' } },
        { id: 'B', status: 'APPLICABLE' },
      ],
      order: { total_amount: 9000 },
    },
  ),
  example(
    '35',
    'five of seven',
    facts({ order: { amount: 10000 }, redeemables: ['1', '2', '3', '4', '5', '6', '7'].map((id) => fiveOff(id)) }),
    {
      valid: true,
      redeemables: [
        ...[1, 2, 3, 4, 5].map(() => ({ status: 'APPLICABLE' })),
        ...[6, 7].map(() => ({ status: 'SKIPPED', reason: { key: 'applicable_redeemables_limit_exceeded' } })),
      ],
      order: { total_amount: 7500 },
    },
  ),
  ...(
    [
      ['36', {}, 'SKIPPED'],
      ['36b', { cat_g: 2 }, 'APPLICABLE'],
    ] as const
  ).map(([number, applicableRedeemablesCategoryLimits, status]) =>
    example(
      number,
      'one of each category, or as many as it may have',
      facts({
        order: { amount: 10000 },
        rules: { applicable_redeemables_category_limits: applicableRedeemablesCategoryLimits },
        redeemables: [fiveOff('g1', category('cat_g')), fiveOff('g2', category('cat_g')), fiveOff('n')],
      }),
      {
        valid: true,
        redeemables: [
          { id: 'g1', status: 'APPLICABLE' },
          {
            id: 'g2',
            status,
            ...(status === 'SKIPPED' ? { reason: { key: 'applicable_redeemables_per_category_limit_exceeded' } } : {}),
          },
          { id: 'n', status: 'APPLICABLE' },
        ],
      },
    ),
  ),
  ...(
    [
      ['37', 'REDEEM_ANYWAY', { status: 'APPLICABLE', has_effect: false, order: { total_applied_discount_amount: 0 } }],
      ['37b', 'SKIP', { status: 'SKIPPED', reason: { key: 'no_effect' } }],
    ] as const
  ).map(([number, redeemablesNoEffectRule, second]) =>
    example(
      number,
      'nothing left to take off',
      facts({
        order: { amount: 2000 },
        rules: { redeemables_no_effect_rule: redeemablesNoEffectRule },
        redeemables: [giftCard('G', 5000, { credits: 2000 }), voucher('P', percentOff(15))],
      }),
      { valid: true, redeemables: [{ gift: { credits: 2000 } }, second], order: { total_amount: 0 } },
    ),
  ),
  ...(
    [
      ['38', 'STACK', 1000, 5210],
      ['38b', 'ONCE', 500, 5710],
    ] as const
  ).map(([number, redeemablesProductsApplicationMode, second, total]) =>
    example(
      number,
      'twice on the same good, or once',
      facts({
        order: cupAndTray(),
        rules: { redeemables_products_application_mode: redeemablesProductsApplicationMode },
        redeemables: [voucher('1', percentOff(20), { rules: [on('cup')] }), voucher('2', amountOff(500, toItems))],
      }),
      applied([580, second], total),
    ),
  ),
  ...(
    [
      ['39', 1, 'APPLICABLE', {}],
      [
        '39b',
        2,
        'INAPPLICABLE',
        { reason: { key: 'quantity_exceeded', details: 'Q: 0 of 2 redemptions are used, 2 are held by sessions' } },
      ],
    ] as const
  ).map(([number, lockedQuantity, status, more]) =>
    example(
      number,
      'what other sessions hold is not free',
      one({ amount: 1000 }, fiveOff('Q', { quantity: 2, locked_quantity: lockedQuantity })),
      { valid: status === 'APPLICABLE', redeemables: [{ status, ...more }] },
    ),
  ),
  example(
    '40',
    'a percentage and a gift card',
    facts({
      order: { amount: 12000 },
      redeemables: [voucher('P', percentOff(10)), giftCard('G', 5000, { credits: 3000 })],
    }),
    applied([1200, 3000], 7800),
  ),
  example(
    '41',
    'a voucher without redemptions left',
    one({ amount: 1000 }, fiveOff('Q', { quantity: 3, redeemed_quantity: 3 })),
    {
      valid: false,
      redeemables: [{ status: 'INAPPLICABLE', reason: { key: 'quantity_exceeded', message: 'quantity exceeded' } }],
    },
  ),
  example('42', 'more credits than the card has', one({ amount: 1000 }, giftCard('G', 300, { credits: 700 })), {
    valid: false,
    redeemables: [
      { status: 'INAPPLICABLE', reason: { key: 'gift_amount_exceeded', details: 'G: 7.00 is needed, 3.00 is left' } },
    ],
  }),
  example(
    '43',
    'an amount by formula',
    formula(
      amountOff(500, {
        amount_off_formula:
          'IF(ORDER_AMOUNT > 250 AND CUSTOMER_METADATA("visits") > 10;ROUND(ORDER_AMOUNT * 0.07;0);5)',
      }),
    ),
    appliedDiscount({ amount_off: 1800, is_dynamic: true }, 1800),
  ),
  example(
    '44',
    'a percentage by formula',
    formula(percentOff(7, { percent_off_formula: 'MIN(30;5 + ORDER_ITEMS_QUANTITY * 2.5)' })),
    appliedDiscount({ percent_off: 15, is_dynamic: true }, 3840),
  ),
  example(
    '45',
    'units by formula',
    formula(unitsOff(1, 'mug', { unit_off_formula: 'ORDER_UNITS_QUANTITY / 4' }), [mug]),
    appliedDiscount({ unit_off: 2, is_dynamic: true }),
  ),
  example(
    '46',
    'a missing value falls back to the static value',
    formula(amountOff(500, { amount_off_formula: 'CUSTOMER_METADATA("bonus") + 1' })),
    appliedDiscount({ amount_off: 500, is_dynamic: false }, 500),
  ),
  example(
    '47',
    'DEFAULT_TO replaces a missing value',
    formula(amountOff(500, { amount_off_formula: 'DEFAULT_TO(CUSTOMER_METADATA("bonus");3)' })),
    appliedDiscount({ amount_off: 300, is_dynamic: true }, 300),
  ),
  example(
    '48',
    'a SWITCH case',
    formula(
      percentOff(7, {
        percent_off_formula: 'SWITCH(ORDER_METADATA("channel");SWITCH_CASE("app";12) SWITCH_CASE("kiosk";8);4)',
      }),
    ),
    appliedDiscount({ percent_off: 8, is_dynamic: true }, 2048),
  ),
  example(
    '49',
    'a percentage is capped at 100',
    formula(percentOff(7, { percent_off_formula: '120 - 10 / 2' })),
    appliedDiscount({ percent_off: 100, is_dynamic: true }, 25600),
  ),
]
