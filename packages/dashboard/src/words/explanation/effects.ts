import { limitName } from './limits.ts'
import type { AmountStep, BundleStep, FormulaStep, StepView, UnitsStep, Words } from './step.ts'
import { counted, plain, upperFirst } from './values.ts'

/** A number that may be a fraction or have more decimals than money has, in cents. */
function exactMoney(text: string, { format }: Words): string {
  const [numerator = '', denominator] = text.split('/')
  if (denominator !== undefined) return `about ${format.money(Number(numerator) / Number(denominator))}`
  const [whole = '0', decimals = ''] = text.split('.')
  return format.money(Number(whole)) + decimals
}

/** Discounts in plain words: of what, how it was calculated, what limited it. */
export function amountView({ line, base, exact, rounded, cuts, amount }: AmountStep, words: Words): StepView {
  const { money } = words.format
  const sum: string[] = []
  if (base !== undefined && exact !== undefined) {
    const isRounded = exact !== String(rounded) ? `, rounded to ${money(rounded)}` : ''
    sum.push(`${exactMoney(base, words)} × ${percentOf(exact, base)} = ${exactMoney(exact, words)}${isRounded}`)
  } else if (base !== undefined) {
    sum.push(`${money(rounded)} off ${exactMoney(base, words)}`)
  } else if (cuts.length > 0) {
    sum.push(`${money(rounded)} to take off`)
  }
  for (const { by, to } of cuts) sum.push(cutText(by, money(to)))
  const place = line === undefined ? 'the order' : words.lineOf(line)
  return {
    state: 'effect',
    text: amount === 0 ? `Nothing off ${place}` : `${money(amount)} off ${place}`,
    ...(sum.length > 0 && { sum }),
  }
}

/** The step does not say the percentage; it is what the exact discount is of its base. */
function percentOf(exact: string, base: string): string {
  const [part, whole] = [ratio(exact), ratio(base)]
  if (whole === 0) return '0 %'
  return `${Number(((part / whole) * 100).toFixed(6))} %`
}

function ratio(text: string): number {
  const [numerator = '0', denominator = '1'] = text.split('/')
  return Number(numerator) / Number(denominator)
}

const cuts: Record<string, (money: string) => string> = {
  amount_limit: (money) => `capped at the maximum of ${money}`,
  aggregated_amount_limit: (money) => `capped at ${money}, what is left of the maximum over all lines`,
  'applicable_to.amount_limit': (money) => `capped at the maximum of ${money} for a line of these goods`,
  'applicable_to.aggregated_amount_limit': (money) => `capped at ${money}, what is left of the maximum for these goods`,
  subtotal_amount: (money) => `capped at ${money}, what the line costs`,
  total_amount: (money) => `capped at ${money}, what is left to pay`,
  credits: (money) => `capped at ${money}, what is left on the card`,
}

export const knownCuts = Object.keys(cuts)

const cutText = (by: string, money: string) =>
  Object.hasOwn(cuts, by) ? (cuts[by] as (money: string) => string)(money) : `capped at ${money} by ${plain(by)}`

const unitTexts: Record<UnitsStep['how'], (units: string, line: string) => string> = {
  freed: (units, line) => `${units} of ${line} made free`,
  added: (units, line) => `${units} of ${line} added for free`,
  replaced: (units, line) => `${units} of ${line} taken out in exchange`,
  received: (units, line) => `${units} of ${line} put in instead`,
}

export function unitsView({ line, quantity, how, amount }: UnitsStep, words: Words): StepView {
  const units = counted(quantity, 'unit', words)
  const say = unitTexts[how] ?? ((units: string, line: string) => `${units} of ${line}: ${plain(how)}`)
  const worth = amount > 0 ? `worth ${words.format.money(amount)}` : undefined
  return { state: 'effect', text: say(units, words.lineOf(line)), ...(worth && { detail: worth }) }
}

/** A bundle that is not complete is a refusal. */
export function bundleView({ quantity, limit }: BundleStep, words: Words): StepView {
  return {
    state: quantity > 0 ? 'effect' : 'failed',
    text:
      quantity > 0 ? `${counted(quantity, 'complete set', words)} in the order` : 'The order contains a complete set',
    detail: quantity > 0 ? `at most ${counted(limit, 'set', words)} count` : 'it contains none',
    because: 'the order does not contain a complete set of the goods it needs',
  }
}

const fields: Record<string, string> = {
  percent_off: 'Percentage off',
  amount_off: 'Amount off',
  fixed_amount: 'New price',
  unit_off: 'Free units',
  price: 'Unit price',
}

export const knownFields = Object.keys(fields)

/** Formulas calculate in whole currency units and not in cents. */
export function formulaView({ field, formula, line, value, fault }: FormulaStep, words: Words): StepView {
  const name = fields[field] ?? limitName(field) ?? upperFirst(plain(field))
  const place = line === undefined ? '' : ` for ${words.lineOf(line)}`
  const result =
    value === undefined ? `could not be calculated: ${fault ?? 'no reason given'}` : resultText(field, value)
  return {
    state: 'effect',
    text: `${name} by formula${place}`,
    detail: value === undefined ? `${result}; the fixed value counts` : `= ${result}`,
    formula,
  }
}

function resultText(field: string, value: string): string {
  const number = value.includes('/') ? `${value}, about ${Number(ratio(value).toFixed(4))}` : value
  return field === 'percent_off' ? `${number} %` : number
}
