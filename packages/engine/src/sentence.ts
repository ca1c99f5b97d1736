import { isObvious } from './missing-step.ts'
import type { Explanation, RuleStep, Step } from './schema/index.ts'

/**
 * An explanation in one line of plain English: what a redeemable did, or the one thing that stood in its way.
 *
 * "Voucher SUMMER takes 90.00 off: 90.00 off the order (120.00 of 400.00, cut to 90.00 by amount_limit)."
 */
export function sentence({ object, id, status, reason, amount, steps }: Explanation): string {
  const subject = `${object === 'voucher' ? 'Voucher' : 'Promotion'} ${id}`
  if (status === 'APPLICABLE') return `${subject} ${deed(amount ?? 0, steps)}.`
  const cause = causeOf(steps)
  const verb = status === 'SKIPPED' ? 'is skipped' : 'cannot be used'
  return `${subject} ${verb}: ${lowerFirst(reason?.message ?? 'no reason given')}${cause === null ? '' : ` (${cause})`}.`
}

function deed(amount: number, steps: readonly Step[]): string {
  const parts = steps.map(part).filter((text) => text !== null)
  const sum = amount > 0 ? `takes ${money(amount)} off` : parts.length > 0 ? 'takes nothing off' : 'has no effect'
  return parts.length === 0 ? sum : `${sum}: ${parts.join(', ')}`
}

/** What one step of the calculation did, or null when it did nothing. */
function part(step: Step): string | null {
  switch (step.step) {
    case 'amount':
      return step.amount === 0 && step.cuts.length === 0 ? null : amountPart(step)
    case 'units':
      return `${unitWords[step.how](step.quantity)} ${place(step.line)}`
    case 'formula':
      return `${step.field} by formula ${step.value === undefined ? `not calculable (${step.fault})` : step.value}`
    case 'bundle':
      return `${count(step.quantity, 'bundle')} of at most ${step.limit}`
    default:
      return null
  }
}

function amountPart({ line, base, exact, rounded, cuts, amount }: Extract<Step, { step: 'amount' }>): string {
  const ofBase = base === undefined ? '' : ` of ${exactMoney(base)}`
  const value = exact === undefined ? money(rounded) : exactMoney(exact)
  const isRounded = exact !== undefined && exact !== String(rounded) ? `, rounded to ${money(rounded)}` : ''
  const cut = cuts.map(({ by, to }) => `, cut to ${money(to)} by ${by}`).join('')
  const how = ofBase + isRounded + cut === '' ? '' : ` (${value}${ofBase}${isRounded}${cut})`
  return `${money(amount)} off ${line === undefined ? 'the order' : place(line)}${how}`
}

const unitWords = {
  freed: (units: number) => `${count(units, 'unit')} made free on`,
  added: (units: number) => `${count(units, 'free unit')} added to`,
  replaced: (units: number) => `${count(units, 'unit')} replaced on`,
  received: (units: number) => `${count(units, 'unit')} put on`,
}

/** The last thing that failed is what decided; of rules the first, as the error names it. */
function causeOf(steps: readonly Step[]): string | null {
  const failed = steps.filter((step) => 'passed' in step && step.passed === false)
  const rule = failed.find((step) => step.step === 'rule')
  const step = rule ?? failed.at(-1)
  if (step === undefined) return null
  if (step.step === 'limit') return `${step.limit}: ${step.used} of ${step.allowed}`
  if (step.step === 'rule') return ruleCause(step)
  return step.step === 'check' && !isObvious(step.check) ? checkCause(step) : null
}

/** Dates and hours are compared with the moment of the request. */
function checkCause({ check, expected, actual }: Extract<Step, { step: 'check' }>): string {
  if (/_date$|^validity_/.test(check)) return `${check} ${shown(expected)}, and it is ${shown(actual)}`
  return `${check} is ${shown(actual)}, must be ${shown(expected)}`
}

/** A rule and what it saw; of a rule on items also the sub-rule that failed, because it says more. */
function ruleCause(step: RuleStep): string {
  const { rule_id, key, name, property, expected, actual, rules = [] } = step
  const failed = rules.find(({ passed }) => passed === false)
  const subject = property === undefined ? name : `${name} "${property}"`
  const wanted = Object.entries(expected).map(([operator, given]) => `${words(operator)} ${shown(given)}`.trim())
  const must = wanted.length === 0 ? '' : `, must be ${wanted.join(' and ')}`
  const inner = failed === undefined ? '' : `; ${ruleCause(failed)}`
  const saw = isAboutItems(name) && Array.isArray(actual) ? seenOnLines(actual) : `is ${shown(actual)}`
  return `rule ${key} of ${rule_id}: ${subject} ${saw}${must}${inner}`
}

const isAboutItems = (name: string): boolean => /^(?:order\.items|product|sku)\./.test(name)

/** The lines that a rule picked, or what a sub-rule saw on each of these. */
function seenOnLines(actual: Array<number | { line: number; actual: unknown }>): string {
  if (actual.length === 0) return 'finds no line'
  const lines = actual.map((one) =>
    typeof one === 'number' ? place(one) : `${shown(one.actual)} on ${place(one.line)}`,
  )
  return `${typeof actual[0] === 'number' ? 'finds' : 'is'} ${lines.join(', ')}`
}

/** `$more_than_or_equal` → "more than or equal". */
const words = (operator: string): string => operator.replace(/^\$(?:is_?)?/, '').replaceAll('_', ' ')

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.map(shown).join(' or ')
  if (value == null) return 'missing'
  if (typeof value !== 'object') return String(value)
  return 'id' in value ? String(value.id) : JSON.stringify(value) // goods are known by their id
}

const place = (line: number): string => `line ${line + 1}`
const count = (quantity: number, what: string): string => `${quantity} ${what}${quantity === 1 ? '' : 's'}`
const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

/** Minor units as people write them. */
const money = (amount: number): string => {
  const cents = String(Math.abs(amount) % 100).padStart(2, '0')
  return `${amount < 0 ? '-' : ''}${Math.floor(Math.abs(amount) / 100)}.${cents}`
}

/** An exact value in minor units, as a decimal or a fraction: `1249.875` → 12.49875, `1000/3` → 1000/3 cents. */
function exactMoney(text: string): string {
  if (text.includes('/')) return `${text} cents`
  const [whole = '0', fraction = ''] = text.split('.')
  return money(Number(whole)) + fraction
}
