import { evaluate, qualify } from '@guerdon/engine'
import type { Facts } from '@guerdon/engine/schema'
import { amountOff, facts, line, on, order, percentOff, tier, voucher } from '../packages/engine/src/testing/shop.ts'
import { median } from './measure.ts'

const rounds = 15
const roundMs = 60

/** The engine alone: no server, no database. Cases are measured in turn, so that a busy moment affects all of them. */
export async function engine(): Promise<void> {
  const one = facts({ order: cart(3), redeemables: [voucher('TEN', percentOff(10))] })
  const single = measure({
    'one percent code, 3 lines': () => evaluate(one),
    'the same on a clone': () => evaluate(structuredClone(one)),
    'cloning alone': () => structuredClone(one),
  })
  report(single)
  const evaluationMicros = at(single, 'the same on a clone') - at(single, 'cloning alone')
  console.log(`  without cloning the input: ${evaluationMicros.toFixed(2)} µs (target: below 10)`)

  const five = facts({ order: cart(10), redeemables: stack() })
  report(measure({ '5 stacked with rules, 10 lines': () => evaluate(five) }))

  const thousand = facts({
    order: cart(10),
    customer: { id: 'cust_1', metadata: { level: 3 } },
    redeemables: promotions(),
  })
  const separateFacts: Facts[] = thousand.redeemables.map((redeemable) => ({ ...thousand, redeemables: [redeemable] }))
  const many = measure({
    '1,000 promotions with 3 rules, 10 lines': () => qualify(thousand),
    '1,000 single evaluations of them': () => separateFacts.map((facts) => evaluate(facts)),
  })
  report(many)
  const ratio = at(many, '1,000 promotions with 3 rules, 10 lines') / at(many, '1,000 single evaluations of them')
  console.log(`  together compared with one by one: ${ratio.toFixed(2)} × (target: below 1.3)`)

  const sizes = [5, 50, 500]
  const growing = sizes.map((lines) => facts({ order: cart(lines), redeemables: stack() }))
  const byLines = measure(
    Object.fromEntries(growing.map((input, i) => [`5 stacked, ${sizes[i]} lines`, () => evaluate(input)])),
  )
  report(byLines)
  const [, fifty = 0, fiveHundred = 0] = Object.values(byLines)
  console.log(`  cost per line, 500 lines compared with 50: ${(fiveHundred / 10 / fifty).toFixed(2)} × (linear: 1)`)

  const explained = measure({
    'without explanation': () => evaluate(five),
    'with explanation': () => evaluate(five, { explain: true }),
  })
  report(explained)
}

const cart = (lines: number) =>
  order(...Array.from({ length: lines }, (_, i) => line(`prod_${i}`, (i % 4) + 1, 995 + i * 10)))

function stack() {
  const spends = {
    id: 'val_1',
    rules: { '1': { name: 'order.amount', conditions: { $more_than: [100] } }, logic: '1' },
  }
  const items = {
    id: 'val_2',
    rules: { '1': { name: 'order.items.count', conditions: { $more_than: [2] } }, logic: '1' },
  }
  return [
    voucher('A', percentOff(5), { rules: [spends] }),
    voucher('B', amountOff(300, { effect: 'APPLY_TO_ITEMS' }), { rules: [on('prod_1', 'prod_2'), items] }),
    voucher('C', percentOff(7.5, { effect: 'APPLY_TO_ITEMS' }), { rules: [on('prod_0')] }),
    voucher('D', amountOff(1000, { effect: 'APPLY_TO_ITEMS_PROPORTIONALLY' })),
    voucher('E', percentOff(3), { rules: [spends, items] }),
  ]
}

/** Each has its own rules; a third of them applies. */
const promotions = () =>
  Array.from({ length: 1_000 }, (_, i) =>
    tier(`promo_${i}`, percentOff((i % 30) + 1), {
      rules: [
        {
          id: `val_${i}`,
          rules: {
            '1': { name: 'order.amount', conditions: { $more_than_or_equal: [i * 100] } },
            '2': { name: 'order.items.any', conditions: { $is: [{ id: `prod_${i % 12}`, object: 'product' }] } },
            '3': { name: 'customer.metadata', property: 'level', conditions: { $in: [1, 3, 5] } },
            logic: '1 and 2 and 3',
          },
        },
      ],
    }),
  )

type Measured = Record<string, number>

/** Median microseconds of one call of each case. */
function measure(cases: Record<string, () => unknown>): Measured {
  const names = Object.keys(cases)
  const times: Record<string, number[]> = Object.fromEntries(names.map((name) => [name, []]))
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of names) {
      const spent = timeOf(cases[name] as () => unknown)
      if (round > 0) times[name]?.push(spent) // the first round warms up
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(times[name] ?? [])]))
}

function timeOf(run: () => unknown): number {
  const start = performance.now()
  let calls = 0
  while (performance.now() - start < roundMs) {
    for (let i = 0; i < 8; i += 1) run()
    calls += 8
  }
  return ((performance.now() - start) * 1_000) / calls
}

const at = (measured: Measured, name: string): number => measured[name] ?? Number.NaN

function report(measured: Measured): void {
  for (const [name, micros] of Object.entries(measured)) {
    const perSecond = Math.round(1_000_000 / micros).toLocaleString('en')
    console.log(`${name.padEnd(42)} ${micros.toFixed(2).padStart(10)} µs   ${perSecond.padStart(9)}/s`)
  }
}
