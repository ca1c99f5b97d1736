import { describe, expect, test } from 'vitest'
import { qualify } from './evaluate.ts'
import type { OrderFacts, Outcome, Redeemable, StackingRules } from './schema/index.ts'
import { deepFreeze } from './testing/evaluated.ts'
import { brokenIdentities } from './testing/identities.ts'
import {
  amountOff,
  category,
  facts,
  giftCard,
  line,
  loyaltyCard,
  on,
  order,
  percentOff,
  tier,
  voucher,
} from './testing/shop.ts'

const discountsOrReasonsOf = (outcomes: Outcome[]) =>
  outcomes.map((outcome) => {
    if (outcome.status !== 'APPLICABLE') return outcome.reason.key
    if (outcome.order !== undefined) expect(brokenIdentities(outcome.order)).toEqual([])
    return outcome.order?.total_applied_discount_amount
  })
const factsWith = (
  redeemables: Redeemable[],
  givenOrder: OrderFacts | null = { amount: 10_000 },
  more: Partial<Parameters<typeof facts>[0]> = {},
) => deepFreeze(facts({ order: givenOrder, ...more, redeemables }))

describe('qualification', () => {
  test('evaluates each redeemable alone, on the order as sent', () => {
    const redeemables = [voucher('1', percentOff(10)), voucher('2', percentOff(10)), tier('3', amountOff(99_999))]
    expect(discountsOrReasonsOf(qualify(factsWith(redeemables)))).toEqual([1000, 1000, 10_000])
  })

  test('ignores stacking limits and groups', () => {
    const rules: Partial<StackingRules> = {
      applicable_redeemables_limit: 1,
      exclusive_categories: ['cat_x'],
      redeemables_no_effect_rule: 'SKIP',
    }
    const redeemables = [
      voucher('1', percentOff(10), category('cat_x')),
      voucher('2', percentOff(10), category('cat_x')),
      voucher('3', percentOff(0)),
      voucher('X', percentOff(10), { active: false }),
      voucher('4', percentOff(10)),
    ]
    expect(discountsOrReasonsOf(qualify(factsWith(redeemables, { amount: 100 }, { rules })))).toEqual([
      10,
      10,
      0,
      'voucher_disabled',
      10,
    ])
  })

  test('does not carry counters over from one redeemable to the next', () => {
    const rule = {
      id: 'val_1',
      rules: { '1': { name: 'campaign.redemptions.count', conditions: { $less_than_or_equal: [1] } }, logic: '1' },
    }
    const code = (id: string) => voucher(id, amountOff(5), { campaign: { id: 'camp_1', active: true }, rules: [rule] })
    expect(discountsOrReasonsOf(qualify(factsWith([code('1'), code('2')])))).toEqual([5, 5])
  })

  test('ONCE considers goods discounted earlier, not those of other redeemables', () => {
    const rules = { redeemables_products_application_mode: 'ONCE' } as const
    const lines = { ...order(line('a', 1, 100), line('b', 1, 100)), discounted_goods: ['a'] }
    const ten = (id: string) => voucher(id, percentOff(10, { effect: 'APPLY_TO_ITEMS' }))
    expect(discountsOrReasonsOf(qualify(factsWith([ten('1'), ten('2')], lines, { rules })))).toEqual([10, 10])
  })

  test('shows what a gift card would pay, and refuses an empty card', () => {
    const evaluationMode = { is_qualification: true }
    expect(qualify(factsWith([giftCard('G', 300)]), evaluationMode)).toMatchObject([
      { gift: { balance: 300, credits: 300 } },
    ])
    expect(qualify(factsWith([giftCard('G', 300, { locked_credits: 100 })]), evaluationMode)).toMatchObject([
      { gift: { credits: 200 } },
    ])
    expect(
      discountsOrReasonsOf(qualify(factsWith([giftCard('G', 300, { locked_credits: 300 })]), evaluationMode)),
    ).toEqual(['gift_amount_exceeded'])
    expect(qualify(factsWith([giftCard('G', 300)], null), evaluationMode)).toMatchObject([{ status: 'APPLICABLE' }])
  })

  test('lists a loyalty card without a reward, without a discount', () => {
    const evaluationMode = { is_qualification: true }
    expect(discountsOrReasonsOf(qualify(factsWith([loyaltyCard('L', 100)]), evaluationMode))).toEqual([0])
    expect(qualify(factsWith([loyaltyCard('L', 100)]), evaluationMode)[0]).not.toHaveProperty('loyalty_card')
    expect(
      discountsOrReasonsOf(qualify(factsWith([loyaltyCard('L', 100, { locked_points: 100 })]), evaluationMode)),
    ).toEqual(['loyalty_card_points_exceeded'])
    expect(discountsOrReasonsOf(qualify(factsWith([loyaltyCard('L', 100)])))).toEqual(['missing_reward']) // a checkout needs one
  })

  test('can omit rules, which then do not block the calculation', () => {
    const rules = [
      {
        id: 'val_1',
        rules: {
          '1': { name: 'campaign.redemptions.count', conditions: { $less_than: [1] } },
          '2': { name: 'order.amount', conditions: { $more_than: [5] } },
          logic: '1 and 2',
        },
      },
    ]
    const code = voucher('V', percentOff(10), { rules })
    expect(discountsOrReasonsOf(qualify(factsWith([code])))).toEqual(['redemption_rules_violated'])
    expect(discountsOrReasonsOf(qualify(factsWith([code]), { omit: (name) => name.startsWith('campaign.') }))).toEqual([
      1000,
    ])
    expect(
      discountsOrReasonsOf(qualify(factsWith([code], null), { omit: (name) => name.startsWith('campaign.') })),
    ).toEqual(['missing_order'])
    expect(
      discountsOrReasonsOf(
        qualify(factsWith([code], null), { omit: (name) => name.startsWith('campaign.'), omit_missing_order: true }),
      ),
    ).toEqual([undefined])
  })

  test('refuses an incomplete bundle, or only reports it', () => {
    const any = { name: 'order.items.any', conditions: { $is: [{ id: 'pot', object: 'product' }] } }
    const code = voucher('B', percentOff(10), {
      rules: [{ id: 'val_1', rules: {}, bundle_rules: { '1': any, logic: '1' } }],
    })
    const lid = order(line('lid', 1, 1000))
    expect(discountsOrReasonsOf(qualify(factsWith([code], lid)))).toEqual(['order_rules_violated'])
    expect(qualify(factsWith([code], lid), { tolerates_missing_bundle: true })).toMatchObject([
      {
        status: 'APPLICABLE',
        order: { total_applied_discount_amount: 100 },
        bundle: { quantity: 0, missing: [{ id: 'pot' }] },
      },
    ])
  })

  test('refuses every redeemable when an amount is too large', () => {
    expect(
      discountsOrReasonsOf(qualify(factsWith([voucher('1', percentOff(10))], order(line('a', 2, 2 ** 53 - 1))))),
    ).toEqual(['invalid_amount'])
  })

  test('can add explanations', () => {
    const [outcome] = qualify(factsWith([voucher('1', percentOff(10), { rules: [on('a')] })]), { explain: true })
    expect(outcome?.explanation).toMatchObject({ id: '1', status: 'APPLICABLE' })
    expect(qualify(factsWith([voucher('1', percentOff(10))]))[0]).not.toHaveProperty('explanation')
  })
})
