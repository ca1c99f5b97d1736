import { describe, expect, test } from 'vitest'
import { evaluate, qualify } from './evaluate.ts'
import type { ItemFacts, KnownRedeemable, Outcome, ValidationRule } from './schema/index.ts'
import { cpuTimeOf } from './testing/cpu-time.ts'
import { facts, line, percentOff, voucher } from './testing/shop.ts'

const lines = (count: number): ItemFacts[] =>
  Array.from({ length: count }, (_, index) => ({ ...line(`p${index}`, 2, 100), metadata: { a: 'x'.repeat(300) } }))

/** A rule that compares the metadata of every line with very many texts. */
const hostileRule: ValidationRule = {
  id: 'val_hostile',
  rules: {
    '1': {
      name: 'order.items.metadata_each',
      property: 'a',
      conditions: { $not_contain: Array.from({ length: 1_000 }, (_, index) => `${'x'.repeat(20)}y${index}`) },
    },
  },
}

const hostile = (id: string): KnownRedeemable => voucher(id, percentOff(10), { rules: [hostileRule] })
const plain = (id: string): KnownRedeemable => voucher(id, percentOff(10))
const reasonsOf = (outcomes: readonly Outcome[]) =>
  outcomes.map((outcome) => (outcome.status === 'APPLICABLE' ? 'applies' : outcome.reason.details))
const tooMuch = 'Rules and discount take too many steps on this order'

describe('the steps of an evaluation are limited', () => {
  const order = { items: lines(500) }

  test('a redeemable that would take more is inapplicable, on every machine', () => {
    const { valid, redeemables } = evaluate(facts({ order, redeemables: [hostile('A')] }))
    expect(valid).toBe(false)
    expect(redeemables).toMatchObject([
      { status: 'INAPPLICABLE', reason: { key: 'order_rules_violated', details: tooMuch } },
    ])
    const explained = evaluate(facts({ order, redeemables: [hostile('A')] }), { explain: true })
    expect(reasonsOf(explained.redeemables)).toEqual([tooMuch])
  })

  test('the redeemables of one request share the steps, so that many take no longer than one', () => {
    const redeemables = Array.from({ length: 30 }, (_, index) => hostile(`H${index}`))
    evaluate(facts({ order, redeemables })) // compiles the rule
    expect(cpuTimeOf(() => evaluate(facts({ order, redeemables })))).toBeLessThan(1_000) // about 50; without a limit, 10,000
  })

  test('in a qualification, one that takes too many leaves the others as they are', () => {
    const outcomes = qualify(facts({ order, redeemables: [plain('A'), hostile('B'), plain('C')] }))
    expect(reasonsOf(outcomes)).toEqual(['applies', tooMuch, 'applies'])
  })

  test('thirty redeemables on 500 lines are within the limit, and so is the rule on a small order', () => {
    const redeemables = Array.from({ length: 30 }, (_, index) => plain(`P${index}`))
    const rules = { applicable_redeemables_limit: 30, applicable_redeemables_per_category_limit: 30 }
    const { redeemables: outcomes } = evaluate(facts({ order, redeemables, rules }))
    expect(new Set(reasonsOf(outcomes))).toEqual(new Set(['applies']))
    expect(evaluate(facts({ order: { items: lines(5) }, redeemables: [hostile('A')] })).valid).toBe(true)
  })

  test('codes that each pick all lines of a long order are within the limit', () => {
    const picking: ValidationRule = {
      id: 'val_picking',
      rules: {
        '1': {
          name: 'order.items.any',
          conditions: {},
          rules: { '1': { name: 'product.discount_applicable', conditions: { $is: [true] } }, logic: '1' },
        },
        logic: '1',
      },
    }
    const redeemables = Array.from({ length: 5 }, (_, index) =>
      voucher(`D${index}`, percentOff(1), { rules: [picking] }),
    )
    const { redeemables: outcomes } = evaluate(facts({ order, redeemables }))
    expect(reasonsOf(outcomes)).toEqual(Array(5).fill('applies'))
  })
})

describe('an explanation is bounded', () => {
  const manyRules = (count: number, text: string): ValidationRule => ({
    id: 'val_listed',
    rules: {
      ...Object.fromEntries(
        Array.from({ length: count }, (_, index) => [
          String(index + 1),
          { name: 'order.items.metadata_each', property: 'a', conditions: { $is_not: [text] } },
        ]),
      ),
      logic: Array.from({ length: count }, (_, index) => String(index + 1)).join(' and '),
    },
  })
  const explained = (rule: ValidationRule, order: { items: ItemFacts[] }) =>
    evaluate(facts({ order, redeemables: [voucher('A', percentOff(10), { rules: [rule] })] }), { explain: true })
      .redeemables[0]
  const ruleStepsOf = (outcome: Outcome | undefined) =>
    (outcome?.explanation?.steps ?? []).filter((step) => step.step === 'rule')

  test('it lists 50 lines of a rule and counts the others', () => {
    const [step] = ruleStepsOf(explained(manyRules(1, 'b'), { items: lines(120) }))
    expect(step?.actual).toHaveLength(50)
    expect(step).toMatchObject({ unlisted: 70, passed: true })
    const [whole] = ruleStepsOf(explained(manyRules(1, 'b'), { items: lines(50) }))
    expect(whole?.actual).toHaveLength(50)
    expect(whole).not.toHaveProperty('unlisted')
  })

  test('it cuts long texts, lists and objects', () => {
    const metadata = { a: { text: `${'x'.repeat(499)}🎁🎁`, list: Array(100).fill(1), deep: [[[[[]]]]] } }
    const [step] = ruleStepsOf(explained(manyRules(1, 'b'), { items: [{ ...line('p', 1, 100), metadata }] }))
    expect(step?.actual).toEqual([{ text: `${'x'.repeat(499)}…`, list: Array(50).fill(1), deep: [['…']] }])
  })

  test('400 rules on 500 lines do not list 200,000 values, and the verdict stays the same', () => {
    const rule = manyRules(400, 'b')
    const order = { items: lines(500) }
    const redeemables = [voucher('A', percentOff(10), { rules: [rule] })]
    const plainOutcome = evaluate(facts({ order, redeemables })).redeemables[0]
    const outcome = explained(rule, order)
    expect(outcome?.status).toBe(plainOutcome?.status)
    const steps = ruleStepsOf(outcome)
    const values = steps.reduce((sum, { actual }) => sum + (Array.isArray(actual) ? actual.length : 0), 0)
    expect(values).toBeLessThanOrEqual(400 * 50)
    expect(JSON.stringify(steps).length).toBeLessThan(4_000_000) // without a limit, 60,000,000
  })

  test('a rule beyond the budget says only whether it passed, and the verdict is that without an explanation', () => {
    const wide = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`k${index}`, index]))
    const hostileOrder = { items: lines(500).map((item) => ({ ...item, metadata: { a: wide } })) }
    const redeemables = [voucher('A', percentOff(1), { rules: [manyRules(100, 'b')] })]
    const verdict = evaluate(facts({ order: hostileOrder, redeemables }))
    const withSteps = evaluate(facts({ order: hostileOrder, redeemables }), { explain: true })
    expect(reasonsOf(withSteps.redeemables)).toEqual(reasonsOf(verdict.redeemables))
    const steps = withSteps.redeemables.flatMap((outcome) => ruleStepsOf(outcome))
    expect(steps).toHaveLength(100)
    expect(steps.at(0)?.actual).toHaveLength(50)
    expect(steps.at(-1)).toMatchObject({ actual: null, unlisted: 500, passed: true })
  })
})
