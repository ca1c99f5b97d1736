import type { Cart } from '../cart.ts'
import { type Part, percentOfPart, Ratio } from '../money.ts'
import type { AppliedDiscount, PercentDiscount } from '../schema/index.ts'
import { capUnits, select } from '../selection.ts'
import { discountItems, limitsUnits } from './items.ts'
import { discountWhole, orderBase } from './order-level.ts'
import { percentSetting, type Setting, wholeLimit } from './settings.ts'
import type { ReachedLines, Use } from './use.ts'

/**
 * A percentage of the order, or of each line.
 *
 * 12.5 % of 99.99 is 12.49875, so 12.50; with `amount_limit` 9.00 it is 9.00.
 */
export function percentOff(
  cart: Cart,
  discount: PercentDiscount,
  effect: 'APPLY_TO_ORDER' | 'APPLY_TO_ITEMS',
  use: Use,
): { applied: AppliedDiscount; reached?: ReachedLines } {
  const { scope, trace, mode } = use
  const setting = percentSetting(discount.percent_off, {
    field: 'percent_off',
    formula: discount.percent_off_formula,
    scope,
    trace,
    is_per_line: effect === 'APPLY_TO_ITEMS',
  })
  const limits = {
    amount_limit: wholeLimit(discount.amount_limit),
    aggregated_amount_limit: wholeLimit(discount.aggregated_amount_limit),
  }
  const percent = timesBundles(setting.value, use.bundles)
  const applied = appliedDiscount(setting, percent, effect, limits)

  if (effect === 'APPLY_TO_ORDER') {
    const base = orderBase(cart, mode)
    if (base !== null) {
      const whole: Part = { amount: base, units: 1, of: 1 }
      const exact = trace === null ? {} : { exact: percentage(whole, percent) }
      discountWhole(cart, { base, ...exact, rounded: percentOfPart(whole, percent), ...limits }, use)
    }
    return { applied }
  }

  const selected = select(cart, use.coverage, scope, use.blocked)
  capUnits(selected, scope, 1, trace) // a bundle multiplies the percentage, not the units
  discountItems(
    cart,
    selected,
    {
      ...limits,
      countsUnits: (entry) => limitsUnits(entry, use),
      raw({ line }, worth) {
        const linePercent =
          setting.valueOnLine === null ? percent : timesBundles(setting.valueOnLine(line), use.bundles)
        return {
          rounded: percentOfPart(worth, linePercent),
          ...(trace === null ? {} : { exact: percentage(worth, linePercent) }),
        }
      },
    },
    use,
  )
  return { applied, reached: { selected, counts_units: true } }
}

const hundred = Ratio.of(100, 1)

function timesBundles(percent: Ratio, bundles: number): Ratio {
  if (bundles === 1) return percent
  const multiplied = Ratio.mul(percent, Ratio.of(bundles, 1))
  return Ratio.compare(multiplied, hundred) > 0 ? hundred : multiplied
}

/** Exact, before rounding. */
const percentage = (part: Part, percent: Ratio): Ratio => Ratio.div(Ratio.mul(Ratio.ofPart(part), percent), hundred)

function appliedDiscount(
  setting: Setting<Ratio>,
  percent: Ratio,
  effect: string,
  limits: { amount_limit: number | null; aggregated_amount_limit: number | null },
): AppliedDiscount {
  return {
    type: 'PERCENT',
    effect,
    percent_off: Ratio.toNumber(percent),
    ...(limits.amount_limit === null ? {} : { amount_limit: limits.amount_limit }),
    ...(limits.aggregated_amount_limit === null ? {} : { aggregated_amount_limit: limits.aggregated_amount_limit }),
    is_dynamic: setting.is_dynamic,
  }
}
