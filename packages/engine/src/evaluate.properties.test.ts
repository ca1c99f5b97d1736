import fc from 'fast-check'
import { expect, test } from 'vitest'
import { evaluate } from './evaluate.ts'
import { Ratio } from './money.ts'
import type { ApplicableEntry, Discount, ItemFacts, OrderFacts, Redeemable } from './schema/index.ts'
import { defaultStackingRules } from './stacking.ts'
import {
  amountCaps,
  amountDiscount,
  anyFacts,
  anyOrder,
  anyRedeemable,
  factsOf,
  fixedDiscount,
  freshOrder,
  percentDiscount,
  selecting,
  unitCaps,
  unitDiscount,
} from './testing/arbitrary.ts'
import { applicable, deepFreeze, evaluateChecked, orderOf } from './testing/evaluated.ts'
import { brokenInVerdict } from './testing/identities.ts'
import { on, voucher } from './testing/shop.ts'

// When one of these fails, fast-check prints the seed and the path: `fc.assert(property, { seed, path })` repeats it.

const initial = { ...defaultStackingRules, discount_calculation_mode: 'INITIAL_AMOUNT' } as const
const everything: ApplicableEntry = { object: 'products_collection', id: 'pc_a11pr0dUc75' }

/** At full size all of them, otherwise a sixth. */
const check = <T>(arbitrary: fc.Arbitrary<T>, numRuns: number, holds: (given: T) => void) =>
  fc.assert(fc.property(arbitrary, holds), {
    numRuns: ['all', 'both'].includes(process.env.GUERDON_TESTS ?? '') ? numRuns : Math.ceil(numRuns / 6),
  })

const alone = (order: OrderFacts, discount: Discount, entries: ApplicableEntry[] = [], rules = defaultStackingRules) =>
  evaluateChecked(
    factsOf(order, [voucher('V', discount, entries.length === 0 ? {} : { rules: [on(...entries)] })], rules),
  )

const replaces = (redeemable: Redeemable): boolean =>
  'discount' in redeemable && redeemable.discount?.type === 'UNIT' && redeemable.discount.effect === 'REPLACE_ITEMS'

test('every verdict adds up, no amount is negative, and facts are not mutated', () => {
  check(anyFacts, 2500, (facts) => {
    expect(brokenInVerdict(evaluate(deepFreeze(facts)))).toEqual([])
  })
})

test('the same facts give the same verdict byte for byte, with or without explanation', () => {
  check(anyFacts, 500, (facts) => {
    const verdict = JSON.stringify(evaluate(facts))
    expect(JSON.stringify(evaluate(structuredClone(facts)))).toBe(verdict)
    const { redeemables, ...rest } = evaluate(facts, { explain: true })
    const plain = redeemables.map(({ explanation: _, ...outcome }) => outcome)
    expect({ ...rest, redeemables: plain }).toEqual(JSON.parse(verdict))
  })
})

test('the discounts of the redeemables add up to that of the request, unless replaced units took their discount away', () => {
  check(anyFacts, 1000, (facts) => {
    fc.pre(!facts.redeemables.some(replaces))
    const { order, redeemables } = evaluate(facts)
    if (order?.amount === undefined) return
    const sum = redeemables.reduce(
      (all, outcome) =>
        all + (outcome.status === 'APPLICABLE' ? (outcome.order?.total_applied_discount_amount ?? 0) : 0),
      0,
    )
    expect(order.total_applied_discount_amount).toBe(sum)
  })
})

test('the amounts of an explanation add up to the discount', () => {
  check(anyFacts, 1000, (facts) => {
    for (const outcome of evaluate(facts, { explain: true }).redeemables) {
      if (outcome.status !== 'APPLICABLE' || outcome.order?.amount === undefined) continue
      const told = outcome.explanation?.steps.reduce((all, step) => {
        if (step.step === 'amount') return all + step.amount
        return step.step === 'units' && step.how !== 'replaced' ? all + step.amount : all
      }, 0)
      expect(told).toBe(outcome.explanation?.amount)
      for (const step of outcome.explanation?.steps ?? []) {
        if (step.step === 'amount') expect(step.amount).toBe(step.cuts.at(-1)?.to ?? step.rounded)
      }
    }
  })
})

test('a redeemable never raises the total, and a refused or skipped redeemable changes nothing', () => {
  check(fc.tuple(anyOrder, anyRedeemable), 1000, ([order, make]) => {
    const before = orderOf(evaluate(factsOf(order, [voucher('0', { type: 'AMOUNT', amount_off: 0 })])))
    const outcome = evaluate(factsOf(order, [make('R')])).redeemables[0]
    if (outcome?.status !== 'APPLICABLE' || before.total_amount === undefined) return
    expect(outcome.order?.total_amount).toBeLessThanOrEqual(before.total_amount)
    const nothing = evaluate(factsOf(order, [make('R'), voucher('0', { type: 'AMOUNT', amount_off: 0 })]))
    expect(nothing.order?.total_amount).toBe(outcome.order?.total_amount)
  })
})

test('a single discount never exceeds its caps', () => {
  const entry = fc
    .tuple(selecting, unitCaps, amountCaps)
    .map(([...parts]): ApplicableEntry => Object.assign({ ...everything }, ...parts))
  const discount = fc.oneof(amountDiscount, percentDiscount, fixedDiscount)
  check(fc.tuple(anyOrder, discount, entry), 1500, ([order, given, limits]) => {
    const [outcome] = alone(order, given, [limits]).redeemables
    const { order: after, discount: used } = applicable(outcome)
    if (after?.amount === undefined) return
    const onOrder = after.applied_discount_amount!
    const onItems = after.items_applied_discount_amount!
    const most = (limit: number | null | undefined) => (limit == null ? Number.POSITIVE_INFINITY : Math.round(limit))
    expect(Math.min(onOrder, onItems)).toBe(0)
    if (given.type === 'AMOUNT' || given.type === 'PERCENT')
      expect(onOrder + onItems).toBeLessThanOrEqual(most(given.aggregated_amount_limit))
    if (given.type === 'PERCENT') expect(onOrder).toBeLessThanOrEqual(most(given.amount_limit))
    if (given.type === 'AMOUNT' && !/ITEMS(?:_BY_QUANTITY)?$/.test(used!.effect))
      expect(onOrder + onItems).toBeLessThanOrEqual(used!.amount_off!)
    expect(onItems).toBeLessThanOrEqual(most(limits.aggregated_amount_limit))
    for (const item of after.items) {
      const applied = item.applied_discount_amount ?? 0
      expect(applied).toBeLessThanOrEqual(most(limits.amount_limit))
      if (given.type === 'PERCENT' && used!.effect === 'APPLY_TO_ITEMS')
        expect(applied).toBeLessThanOrEqual(most(given.amount_limit))
      if (given.type === 'PERCENT')
        expect(item.applied_discount_quantity ?? 0).toBeLessThanOrEqual(most(limits.quantity_limit))
    }
    const counted = after.items.reduce((sum, item) => sum + (item.applied_discount_quantity ?? 0), 0)
    if (given.type === 'PERCENT') expect(counted).toBeLessThanOrEqual(most(limits.aggregated_quantity_limit))
  })
})

test('a line that is not covered does not change the discount of another line', () => {
  const entry = fc.tuple(fc.constantFrom('apple', 'bread'), selecting, unitCaps, amountCaps)
  const discount = fc
    .oneof(amountDiscount, percentDiscount, fixedDiscount)
    .filter(({ effect }) => effect !== 'APPLY_TO_ORDER')
  const other: ItemFacts = { product_id: 'irrelevant', quantity: 3, price: 77 }
  check(fc.tuple(freshOrder, discount, entry), 800, ([order, given, [id, ...parts]]) => {
    fc.pre(!JSON.stringify(given).includes('formula')) // a formula may read the whole order
    const entries: ApplicableEntry[] = [Object.assign({ object: 'product', id }, ...parts)]
    const without = orderOf(alone(order, given, entries)).items.map(({ discount_amount }) => discount_amount)
    const last = { items: [...order.items!, other] }
    expect(orderOf(alone(last, given, entries)).items.map(({ discount_amount }) => discount_amount)).toEqual([
      ...without,
      undefined,
    ])
    const first = { items: [other, ...order.items!] }
    expect(orderOf(alone(first, given, entries)).items.map(({ discount_amount }) => discount_amount)).toEqual([
      undefined,
      ...without,
    ])
  })
})

test('100 percent off leaves nothing to pay', () => {
  check(anyOrder, 500, (order) => {
    const onOrder = orderOf(alone(order, { type: 'PERCENT', percent_off: 100, effect: 'APPLY_TO_ORDER' }))
    if (onOrder.amount !== undefined) expect(onOrder.total_amount).toBe(0)
  })
  check(freshOrder, 500, (order) => {
    const onItems = orderOf(alone(order, { type: 'PERCENT', percent_off: 100, effect: 'APPLY_TO_ITEMS' }))
    expect(onItems.total_amount).toBe(
      onItems.items.reduce((sum, { quantity, amount }) => sum + (quantity === 0 ? (amount ?? 0) : 0), 0),
    )
  })
})

test('splitting a line into two equal lines does not change an order-level discount', () => {
  const discount = fc
    .oneof(amountDiscount, percentDiscount, fixedDiscount)
    .map((one) => ({ ...one, effect: 'APPLY_TO_ORDER' }) as Discount)
  check(fc.tuple(freshOrder, fc.nat(5), fc.nat(500), discount), 1000, ([order, units, price, given]) => {
    fc.pre(!JSON.stringify(given).includes('formula')) // a formula may count lines
    const half: ItemFacts = { product_id: 'apple', quantity: units, price }
    const one = orderOf(alone({ items: [...order.items!, { ...half, quantity: units * 2 }] }, given))
    const two = orderOf(alone({ items: [...order.items!, half, half] }, given))
    expect({ ...two, items: [] }).toEqual({ ...one, items: [] })
  })
})

test('both calculation modes agree on an order without discounts', () => {
  const discount = fc.oneof(amountDiscount, percentDiscount, fixedDiscount)
  check(fc.tuple(freshOrder, discount, selecting), 800, ([order, given, how]) => {
    const entries = [{ ...everything, ...how }]
    expect(alone(order, given, entries, initial)).toEqual(alone(order, given, entries))
  })
})

test('INITIAL_AMOUNT mode never gives less than DISCOUNTED_AMOUNT mode', () => {
  check(fc.tuple(freshOrder, fc.nat(800), fc.nat(100)), 800, ([order, amountOff, percentOff]) => {
    const first = voucher('1', { type: 'AMOUNT', amount_off: amountOff })
    const second = voucher('2', { type: 'PERCENT', percent_off: percentOff })
    const [left, full] = [defaultStackingRules, initial].map((rules) =>
      orderOf(evaluate(factsOf(order, [first, second], rules))),
    )
    expect(full!.total_amount).toBeLessThanOrEqual(left!.total_amount!)
    const rest = full!.amount! - Math.min(amountOff, full!.amount!)
    const share = Ratio.toInteger(Ratio.of(full!.amount! * percentOff, 100))
    expect(full!.total_amount).toBe(rest - Math.min(rest, share))
  })
})

test('added free units do not change the amount to pay', () => {
  const added = fc.oneof(unitDiscount('ADD_NEW_ITEMS'), unitDiscount('ADD_SAME_ITEMS'))
  check(fc.tuple(anyOrder, added), 1000, ([order, given]) => {
    const before = orderOf(alone(order, { type: 'AMOUNT', amount_off: 0 }))
    const after = orderOf(alone(order, given))
    expect(after.total_amount).toBe(before.total_amount)
    expect(after.initial_amount).toBe(before.initial_amount)
    for (const [i, { subtotal_amount }] of before.items.entries()) {
      if (subtotal_amount !== undefined) expect(after.items[i]?.subtotal_amount).toBe(subtotal_amount)
    }
  })
})

test('a replacement never raises the total, and never discounts more than the new units cost', () => {
  check(fc.tuple(anyOrder, unitDiscount('REPLACE_ITEMS'), unitCaps), 1000, ([order, given, caps]) => {
    const before = orderOf(alone(order, { type: 'AMOUNT', amount_off: 0 }))
    const after = orderOf(alone(order, given, [{ ...everything, ...caps }]))
    if (before.total_amount === undefined) return
    expect(after.total_amount).toBeLessThanOrEqual(before.total_amount)
    const left = after.items.reduce((sum, item) => sum + Math.max(0, 0 - (item.applied_quantity_amount ?? 0)), 0)
    expect(before.total_amount - after.total_amount!).toBeLessThanOrEqual(left + (before.discount_amount ?? 0) + 1)
  })
})

test('a higher percentage never gives a smaller discount', () => {
  check(fc.tuple(anyOrder, fc.nat(100), fc.nat(100), selecting, unitCaps), 800, ([order, a, b, how, caps]) => {
    const totals = [Math.min(a, b), Math.max(a, b)].map(
      (percentOff) =>
        orderOf(alone(order, { type: 'PERCENT', percent_off: percentOff }, [{ ...everything, ...how, ...caps }]))
          .total_amount,
    )
    if (totals[0] !== undefined) expect(totals[1]).toBeLessThanOrEqual(totals[0])
  })
})

test('amounts that are too large are refused and never throw', () => {
  const huge = fc.constantFrom(2 ** 53 - 1, 2 ** 52, 2 ** 31, 94_906_267, 1, 0)
  const line = fc.record({ product_id: fc.constantFrom('apple', 'bread'), quantity: huge, price: huge })
  const order = fc.record({ items: fc.array(line, { maxLength: 3 }), amount: fc.option(huge), discount_amount: huge })
  const discount = fc.oneof(
    fc.tuple(amountDiscount, huge).map(([one, amountOff]) => ({ ...one, amount_off: amountOff }) as Discount),
    percentDiscount,
    fc.tuple(fixedDiscount, huge).map(([one, fixedAmount]) => ({ ...one, fixed_amount: fixedAmount }) as Discount),
    fc
      .tuple(
        fc.oneof(
          unitDiscount('ADD_NEW_ITEMS'),
          unitDiscount('ADD_MISSING_ITEMS'),
          unitDiscount('REPLACE_ITEMS'),
          unitDiscount('ADD_SAME_ITEMS'),
        ),
        huge,
      )
      .map(([one, unitOff]) => ({ ...one, unit_off: unitOff }) as Discount),
  )
  const entry = fc.tuple(selecting, unitCaps).map(([how, caps]) => ({ ...everything, ...how, ...caps }))
  check(fc.tuple(order, discount, discount, entry), 2000, ([given, one, other, how]) => {
    const rules = [on(how)]
    evaluateChecked(factsOf(given, [voucher('1', one, { rules }), voucher('2', other, { rules })]))
  })
})

// Reference implementation of docs/reference/discounts.md: slow, unit by unit, with exact fractions and one limit after the
// other. It uses nothing of the engine except fractions.

interface Selected {
  index: number
  units: number
}

/** Paid units of a line and their unit price; lines without paid units are skipped. */
function paid(item: ItemFacts) {
  const quantity = item.quantity ?? 1
  const free = Math.min(item.free_quantity ?? 0, quantity)
  const price = item.price ?? null
  const amount = item.amount ?? (price === null ? null : price * quantity)
  return { quantity, k: quantity - free, price, amount }
}

function selectSlowly(items: ItemFacts[], discounts: number[], entry: Partial<ApplicableEntry>): Selected[] {
  const lines = items.map((item, index) => ({ index, ...paid(item) })).filter(({ k }) => k > 0)
  const effect = entry.effect ?? 'APPLY_TO_EVERY'
  if (effect !== 'APPLY_TO_EVERY') {
    const sign = effect.includes('CHEAPEST') ? 1 : -1
    const unit = ({ price, amount, quantity }: (typeof lines)[number]) =>
      price !== null ? Ratio.of(price, 1) : amount === null ? null : Ratio.of(amount, quantity)
    const rest = ({ amount, index }: (typeof lines)[number]) => (amount ?? 0) - discounts[index]!
    lines.sort((a, b) => {
      const [one, other] = [unit(a), unit(b)]
      if (one === null || other === null) return Number(one === null) - Number(other === null)
      return sign * Ratio.compare(one, other) || rest(a) - rest(b) || a.index - b.index
    })
  }
  const resources = lines.flatMap(({ index, k }) =>
    entry.target === 'UNIT' ? Array.from({ length: k }, () => ({ index, units: 1 })) : [{ index, units: k }],
  )
  const onlyFirst = effect.startsWith('APPLY_TO_') && effect !== 'APPLY_TO_EVERY'
  const [skip, repeat] = [entry.skip_initially ?? 0, entry.repeat ?? 1]
  const taken = onlyFirst ? resources.slice(0, 1) : resources.filter((_, i) => i >= skip && (i - skip) % repeat === 0)
  const selected: Selected[] = []
  for (const { index, units } of taken) {
    const same = selected.find((one) => one.index === index)
    if (same === undefined) selected.push({ index, units })
    else same.units += units
  }
  return selected
}

function discountSlowly(
  order: OrderFacts,
  discount: Discount,
  entry: ApplicableEntry,
  mode: 'INITIAL' | 'DISCOUNTED',
): number[] {
  const items = order.items!
  const known = items.map(paid)
  let total = order.amount ?? known.reduce((sum, { amount }) => sum + (amount ?? 0), 0)
  const earlier = items.map((item, i) => {
    const cut = Math.min(item.discount_amount ?? 0, known[i]!.amount ?? 0, total)
    total -= cut
    return cut
  })
  total -= Math.min(order.discount_amount ?? 0, total)

  const selected = selectSlowly(items, earlier, entry)
  const isCapped =
    discount.type === 'PERCENT' || discount.type === 'FIXED' || discount.effect === 'APPLY_TO_ITEMS_BY_QUANTITY'
  let aggregatedUnits = entry.aggregated_quantity_limit ?? Number.POSITIVE_INFINITY
  if (isCapped) {
    for (const one of selected) {
      one.units = Math.min(one.units, entry.quantity_limit ?? one.units, aggregatedUnits)
      aggregatedUnits -= one.units
    }
  }

  const applied = items.map(() => 0)
  const whole = (limit: number | null | undefined) =>
    limit == null ? Number.POSITIVE_INFINITY : Math.floor(limit + 0.5)
  let entryLeft = whole(entry.aggregated_amount_limit)
  let discountLeft = whole('aggregated_amount_limit' in discount ? discount.aggregated_amount_limit : null)
  for (const { index, units } of selected) {
    const { amount, quantity, k } = known[index]!
    if (amount === null || units === 0) continue
    const subtotal = amount - earlier[index]!
    const base = mode === 'INITIAL' ? Ratio.of(amount * k, quantity) : Ratio.of(subtotal, 1)
    const bu = Ratio.mul(base, Ratio.of(units, k))
    let raw = 0
    if (discount.type === 'PERCENT') {
      raw = Ratio.toInteger(Ratio.div(Ratio.mul(bu, Ratio.fromDecimal(discount.percent_off!)), Ratio.of(100, 1)))
      raw = Math.min(raw, whole(discount.amount_limit))
    } else if (discount.type === 'AMOUNT') {
      const off = Ratio.of(whole(discount.amount_off), 1)
      const each = Ratio.div(base, Ratio.of(k, 1))
      const cheaper = Ratio.compare(off, each) < 0 ? off : each
      raw =
        discount.effect === 'APPLY_TO_ITEMS'
          ? Math.min(whole(discount.amount_off), Ratio.toInteger(bu))
          : Ratio.toInteger(Ratio.mul(cheaper, Ratio.of(units, 1)))
    } else if (discount.type === 'FIXED') {
      raw = Math.max(0, Ratio.toInteger(bu) - units * whole(discount.fixed_amount))
    }
    const cut = Math.min(raw, whole(entry.amount_limit), entryLeft, discountLeft, subtotal, total)
    applied[index] = cut
    entryLeft -= cut
    discountLeft -= cut
    total -= cut
  }
  return applied
}

test('item discounts agree with the unit-by-unit reference calculation', () => {
  const discount = fc
    .oneof(
      amountDiscount,
      percentDiscount,
      fixedDiscount.filter((one) => one.type === 'FIXED' && one.fixed_amount != null),
    )
    .filter((one) => !JSON.stringify(one).includes('formula') && !/PROPORTIONALLY/.test(one.effect ?? ''))
    .map((one) =>
      one.effect == null || one.effect === 'APPLY_TO_ORDER' ? ({ ...one, effect: 'APPLY_TO_ITEMS' } as Discount) : one,
    )
  const small = anyOrder
    .filter(({ items }) => items?.every(({ quantity }) => (quantity ?? 1) < 50) ?? false)
    .map(({ items, ...order }) => ({ ...order, items: items!.map(({ catalogue: _, ...item }) => item) }))
  const entry = fc
    .tuple(selecting, unitCaps, amountCaps)
    .map(([...parts]): ApplicableEntry => Object.assign({ ...everything }, ...parts))
  check(fc.tuple(small, discount, entry, fc.boolean()), 3000, ([order, given, limits, isInitial]) => {
    const rules = isInitial ? initial : defaultStackingRules
    const [outcome] = alone(order, given, [limits], rules).redeemables
    const { items } = applicable(outcome).order!
    const expected = discountSlowly(order, given, limits, isInitial ? 'INITIAL' : 'DISCOUNTED')
    expect(items.map(({ applied_discount_amount }) => applied_discount_amount ?? 0)).toEqual(expected)
  })
})

test('the generated facts cover every kind of outcome', () => {
  const seen = new Map<string, number>()
  const see = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1)
  for (const facts of fc.sample(anyFacts, { numRuns: 1000, seed: 1 })) {
    const { redeemables, order } = evaluate(facts)
    see(order === undefined ? 'no order' : order.amount === undefined ? 'unknown amount' : 'an order')
    if (order?.total_amount === 0) see('nothing to pay')
    for (const [i, outcome] of redeemables.entries()) {
      see(outcome.status)
      if (outcome.status !== 'APPLICABLE') see(outcome.reason.key)
      else {
        if (outcome.units !== undefined) see('units counted')
        if (outcome.has_effect && outcome.order?.amount !== undefined)
          see(`effect ${outcome.discount?.effect ?? (outcome.gift ? 'gift' : 'points')}`)
        if (i > 0 && outcome.order?.discount_amount && outcome.order.items_discount_amount) see('order and items')
      }
    }
  }
  const effects = [
    'APPLY_TO_ORDER',
    'APPLY_TO_ITEMS',
    'APPLY_TO_ITEMS_BY_QUANTITY',
    'APPLY_TO_ITEMS_PROPORTIONALLY',
    'APPLY_TO_ITEMS_PROPORTIONALLY_BY_QUANTITY',
    'ADD_MISSING_ITEMS',
    'ADD_NEW_ITEMS',
    'ADD_MANY_ITEMS',
    'ADD_SAME_ITEMS',
    'REPLACE_ITEMS',
    'gift',
    'points',
  ]
  for (const effect of effects) expect(seen.get(`effect ${effect}`), effect).toBeGreaterThan(10)
  for (const what of [
    'an order',
    'unknown amount',
    'no order',
    'nothing to pay',
    'units counted',
    'order and items',
    'no_effect',
    'exclusion_rules_not_met',
    'order_rules_violated',
    'preceding_validation_failed',
    'applicable_redeemables_limit_exceeded',
    'applicable_redeemables_per_category_limit_exceeded',
  ]) {
    expect(seen.get(what) ?? 0, what).toBeGreaterThan(10)
  }
})
