import { describe, expect, test } from 'vitest'
import type { Redeemable, StackingRules } from './schema/index.ts'
import { discountsOrReasons, evaluateChecked } from './testing/evaluated.ts'
import { amountOff, category, facts, giftCard, percentOff, tier, voucher } from './testing/shop.ts'

const expired = { expiration_date: '2025-02-26T11:59:59.999Z' }
const five = (id: string, more: Parameters<typeof voucher>[2] = {}) => voucher(id, amountOff(500), more)
const unknown = (id: string): Redeemable => ({ kind: 'unknown', object: 'voucher', id })
const exclusive = { exclusive_categories: ['cat_x', 'cat_y'], joint_categories: ['cat_j'] }

/** `A 500` is a discount of 5.00, `B no_effect` a skip; in the order of processing. */
const run = (
  redeemables: Redeemable[],
  rules: Partial<StackingRules> = {},
  more: Partial<Parameters<typeof facts>[0]> = {},
) => {
  const verdict = evaluateChecked(facts({ order: { amount: 10_000 }, rules, ...more, redeemables }))
  const amounts = discountsOrReasons(verdict)
  return {
    valid: verdict.valid,
    outcomes: verdict.redeemables.map(({ id }, i) => `${id} ${amounts[i]}`),
    total: verdict.order?.total_amount,
  }
}

describe('ALL and PARTIAL', () => {
  const three = [five('A'), five('X', expired), five('B')]

  test('ALL: a failed redeemable makes the following ones skipped and the request invalid', () => {
    expect(run(three)).toEqual({
      valid: false,
      outcomes: ['A 500', 'X voucher_expired', 'B preceding_validation_failed'],
      total: undefined,
    })
  })

  test('PARTIAL: the other redeemables are applied', () => {
    expect(run(three, { redeemables_application_mode: 'PARTIAL' })).toEqual({
      valid: true,
      outcomes: ['A 500', 'X voucher_expired', 'B 500'],
      total: 9000,
    })
  })

  test('a request without an applicable redeemable is invalid in both modes', () => {
    expect(run([five('X', expired)]).valid).toBe(false)
    expect(run([five('X', expired)], { redeemables_application_mode: 'PARTIAL' }).valid).toBe(false)
    expect(run([unknown('U')], { redeemables_application_mode: 'PARTIAL' })).toEqual({
      valid: false,
      outcomes: ['U not_found'],
      total: undefined,
    })
    expect(run([]).valid).toBe(false)
  })

  test('a request with only skipped redeemables is invalid', () => {
    const nothing = voucher('N', amountOff(0))
    expect(run([nothing], { redeemables_no_effect_rule: 'SKIP' })).toMatchObject({
      valid: false,
      outcomes: ['N no_effect'],
    })
  })
})

describe('stacking limits', () => {
  test('in total: five of seven', () => {
    const seven = ['1', '2', '3', '4', '5', '6', '7'].map((id) => five(id))
    expect(run(seven).outcomes.slice(4)).toEqual([
      '5 500',
      '6 applicable_redeemables_limit_exceeded',
      '7 applicable_redeemables_limit_exceeded',
    ])
    expect(run(seven)).toMatchObject({ valid: true, total: 7500 })
  })

  test('are checked before validity: a redeemable beyond a limit cannot make a request invalid', () => {
    const rules = { applicable_redeemables_limit: 1 }
    expect(run([five('A'), five('X', expired), unknown('U')], rules)).toEqual({
      valid: true,
      outcomes: ['A 500', 'X applicable_redeemables_limit_exceeded', 'U applicable_redeemables_limit_exceeded'],
      total: 9500,
    })
  })

  test('count only applied redeemables', () => {
    const rules = {
      applicable_redeemables_limit: 1,
      redeemables_application_mode: 'PARTIAL',
      redeemables_no_effect_rule: 'SKIP',
    } as const
    expect(run([five('X', expired), voucher('N', amountOff(0)), five('A'), five('B')], rules).outcomes).toEqual([
      'X voucher_expired',
      'N no_effect',
      'A 500',
      'B applicable_redeemables_limit_exceeded',
    ])
  })

  const four = [five('g1', category('G')), five('g2', category('G')), five('g3', category('G')), five('n'), five('m')]
  const refused = 'applicable_redeemables_per_category_limit_exceeded'

  test.each<[string, Partial<StackingRules>, number]>([
    ['one per category', {}, 1],
    ['two per category', { applicable_redeemables_per_category_limit: 2 }, 2],
    ['no limit', { applicable_redeemables_per_category_limit: null }, 3],
    ['two of this category', { applicable_redeemables_category_limits: { G: 2 } }, 2],
    [
      'two of this category, no limit for others',
      { applicable_redeemables_per_category_limit: null, applicable_redeemables_category_limits: { G: 2 } },
      2,
    ],
    ['two of another category', { applicable_redeemables_category_limits: { H: 2 } }, 1],
  ])('per category: %s; redeemables without a category are not counted', (_, rules, applied) => {
    const outcomes = ['g1', 'g2', 'g3'].map((id, i) => `${id} ${i < applied ? 500 : refused}`)
    expect(run(four, { applicable_redeemables_limit: 10, ...rules })).toMatchObject({
      valid: true,
      outcomes: [...outcomes, 'n 500', 'm 500'],
    })
  })

  test('in total are checked before those per category', () => {
    expect(run(four.slice(0, 2), { applicable_redeemables_limit: 1 }).outcomes[1]).toBe(
      'g2 applicable_redeemables_limit_exceeded',
    )
  })
})

describe('exclusive, joint and common categories', () => {
  const common = voucher('C', percentOff(10))
  const joint = voucher('J', amountOff(300), category('cat_j'))
  const only = voucher('X', percentOff(20), category('cat_x'))

  test('an exclusive redeemable blocks common ones; joint ones come after it', () => {
    expect(run([common, joint, only], exclusive)).toEqual({
      valid: true,
      outcomes: ['X 2000', 'J 300', 'C exclusion_rules_not_met'],
      total: 7700,
    })
  })

  test('joint redeemables can keep their position', () => {
    expect(
      run([common, joint, only], { ...exclusive, grouped_redeemables_sorting_rule: 'SORTING_RULE_ORDER' }),
    ).toEqual({
      valid: true,
      outcomes: ['J 300', 'X 1940', 'C exclusion_rules_not_met'],
      total: 7760,
    })
  })

  test('an ineligible exclusive redeemable blocks nothing', () => {
    const broken = { ...only, ...expired }
    expect(run([common, joint, broken], { ...exclusive, redeemables_application_mode: 'PARTIAL' })).toEqual({
      valid: true,
      outcomes: ['C 1000', 'J 300', 'X voucher_expired'],
      total: 8700,
    })
  })

  test('exclusivity is evaluated on the original order, before anything is applied', () => {
    const rules = [{ id: 'val_1', rules: { '1': { name: 'order.amount', conditions: { $is: [10_000] } }, logic: '1' } }]
    // On the original order it passes, so the common redeemable is blocked, although the joint one before it makes it fail
    // later.
    const picky = { ...only, rules }
    const sorted = { ...exclusive, grouped_redeemables_sorting_rule: 'SORTING_RULE_ORDER' } as const
    expect(run([joint, picky, common], { ...sorted, redeemables_application_mode: 'PARTIAL' })).toEqual({
      valid: true,
      outcomes: ['J 300', 'X order_rules_violated', 'C exclusion_rules_not_met'],
      total: 9700,
    })
  })

  test('an unknown redeemable is reported as not found, not as blocked', () => {
    expect(run([unknown('U'), only], { ...exclusive, redeemables_application_mode: 'PARTIAL' })).toEqual({
      valid: true,
      outcomes: ['U not_found', 'X 2000'],
      total: 8000,
    })
    expect(run([only, unknown('U')], exclusive)).toMatchObject({ valid: false, outcomes: ['X 2000', 'U not_found'] })
  })

  const x = (id: string, cat = 'cat_x') => five(id, category(cat))

  test.each<[string, Redeemable[], Partial<StackingRules>, string[]]>([
    ['one', [x('1'), x('2', 'cat_y')], {}, ['1 500', '2 applicable_exclusive_redeemables_limit_exceeded']],
    [
      'two, one of each category',
      [x('1'), x('2'), x('3', 'cat_y')],
      { applicable_exclusive_redeemables_limit: 2 },
      ['1 500', '2 applicable_exclusive_redeemables_per_category_limit_exceeded', '3 500'],
    ],
    [
      'two of a category, which may have one',
      [x('1'), x('2')],
      { applicable_exclusive_redeemables_limit: 2, applicable_exclusive_redeemables_per_category_limit: null },
      ['1 500', '2 applicable_redeemables_per_category_limit_exceeded'],
    ],
    [
      'two of a category',
      [x('1'), x('2')],
      {
        applicable_exclusive_redeemables_limit: 2,
        applicable_exclusive_redeemables_per_category_limit: 2,
        applicable_redeemables_per_category_limit: 2,
      },
      ['1 500', '2 500'],
    ],
    [
      'the exclusive limit is checked before the total limit',
      [x('1'), x('2', 'cat_y')],
      { applicable_redeemables_limit: 1 },
      ['1 500', '2 applicable_exclusive_redeemables_limit_exceeded'],
    ],
  ])('limits: %s', (_, redeemables, rules, outcomes) => {
    expect(run(redeemables, { ...exclusive, ...rules })).toMatchObject({ valid: true, outcomes })
  })

  test('joint redeemables do not count as exclusive', () => {
    expect(run([only, joint], { ...exclusive, applicable_exclusive_redeemables_limit: 1 }).outcomes).toEqual([
      'X 2000',
      'J 300',
    ])
  })

  test('joint redeemables without an exclusive one behave like common ones', () => {
    expect(run([common, joint], exclusive).outcomes).toEqual(['C 1000', 'J 300'])
    expect(run([joint, common], exclusive).outcomes).toEqual(['J 300', 'C 970'])
  })
})

describe('order of application', () => {
  const a = voucher('A', amountOff(1000), category('cat_3', 3))
  const b = voucher('B', percentOff(15), category('cat_1', 1))
  const none = five('N')
  const byHierarchy = { redeemables_sorting_rule: 'CATEGORY_HIERARCHY' } as const

  test('is as requested, or by category hierarchy', () => {
    expect(run([a, b])).toMatchObject({ outcomes: ['A 1000', 'B 1350'], total: 7650 })
    expect(run([a, b], byHierarchy)).toMatchObject({ outcomes: ['B 1500', 'A 1000'], total: 7500 })
  })

  test('puts redeemables without a category and unknown ones last; ties stay as requested', () => {
    const zero = voucher('Z', amountOff(10), category('cat_0', 0))
    const rules = { ...byHierarchy, redeemables_application_mode: 'PARTIAL' } as const
    expect(run([none, unknown('U'), a, five('M'), zero, b], rules).outcomes.map((text) => text[0])).toEqual([
      'Z',
      'B',
      'A',
      'N',
      'U',
      'M',
    ])
    expect(run([unknown('U'), none, b], byHierarchy)).toMatchObject({
      valid: false,
      outcomes: ['B 1500', 'U not_found', 'N preceding_validation_failed'],
    })
  })

  test('sorts exclusive redeemables first, then joint ones', () => {
    const rules = { ...byHierarchy, ...exclusive, applicable_exclusive_redeemables_limit: 2 }
    const redeemables = [
      five('J', category('cat_j', 0)),
      five('Y', category('cat_y', 9)),
      five('X', category('cat_x', 5)),
    ]
    expect(run(redeemables, rules).outcomes.map((text) => text[0])).toEqual(['X', 'Y', 'J'])
    expect(
      run(redeemables, { ...rules, grouped_redeemables_sorting_rule: 'SORTING_RULE_ORDER' }).outcomes.map(
        (text) => text[0],
      ),
    ).toEqual(['J', 'X', 'Y'])
  })
})

describe('a promotion stack', () => {
  test('that does not exist is one redeemable that is not found', () => {
    const stack: Redeemable = { kind: 'unknown', object: 'promotion_stack', id: 'stack_1' }
    expect(evaluateChecked(facts({ order: { amount: 100 }, redeemables: [stack] }))).toEqual({
      valid: false,
      redeemables: [
        {
          status: 'INAPPLICABLE',
          object: 'promotion_stack',
          id: 'stack_1',
          reason: {
            key: 'not_found',
            message: 'Resource not found',
            details: 'Cannot find promotion_stack with id stack_1',
            resource_type: 'promotion_stack',
            resource_id: 'stack_1',
          },
        },
      ],
    })
  })

  const tiers = ['1', '2', '3', '4', '5', '6', '7'].map((id, i) => tier(id, amountOff(100), category('cat_x', 9 - i)))

  test('keeps the order of its tiers and has no limits', () => {
    const rules = { ...exclusive, redeemables_sorting_rule: 'CATEGORY_HIERARCHY' } as const
    expect(run(tiers, rules, { is_promotion_stack: true })).toEqual({
      valid: true,
      outcomes: tiers.map(({ id }) => `${id} 100`),
      total: 9300,
    })
  })

  test('is not subject to exclusive categories', () => {
    const mixed = [tier('1', amountOff(100)), tier('2', amountOff(100), category('cat_x'))]
    expect(run(mixed, exclusive, { is_promotion_stack: true }).outcomes).toEqual(['1 100', '2 100'])
  })

  test('stops at a tier that fails', () => {
    const [first, second, third] = tiers
    expect(run([first!, { ...second!, active: false }, third!], {}, { is_promotion_stack: true })).toMatchObject({
      valid: false,
      outcomes: ['1 100', '2 promotion_inactive', '3 preceding_validation_failed'],
    })
  })
})

describe('redeemables without effect', () => {
  const gift = giftCard('G', 20_000, { credits: 10_000 })
  const late = voucher('P', percentOff(15), category('cat_1'))

  test.each<[string, Partial<StackingRules>, string]>([
    ['is redeemed anyway', {}, 'P 0'],
    ['is skipped', { redeemables_no_effect_rule: 'SKIP' }, 'P no_effect'],
    ['is skipped for a category', { no_effect_skip_categories: ['cat_1'] }, 'P no_effect'],
    [
      'is redeemed for a category',
      { redeemables_no_effect_rule: 'SKIP', no_effect_redeem_anyway_categories: ['cat_1'] },
      'P 0',
    ],
    [
      'a setting for another category does not apply',
      { redeemables_no_effect_rule: 'SKIP', no_effect_redeem_anyway_categories: ['cat_2'] },
      'P no_effect',
    ],
    ['a skip setting for another category does not apply', { no_effect_skip_categories: ['cat_2'] }, 'P 0'],
  ])('%s', (_, rules, outcomes) => {
    expect(run([gift, late], rules)).toEqual({ valid: true, outcomes: ['G 10000', outcomes], total: 0 })
  })

  test('an order of unknown amount, or no order, counts as an effect', () => {
    const skip = { redeemables_no_effect_rule: 'SKIP' } as const
    expect(run([late], skip, { order: {} }).valid).toBe(true)
    expect(run([late], skip, { order: null }).valid).toBe(true)
  })
})
