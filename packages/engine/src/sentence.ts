import { isObvious } from './missing-step.ts'
import type { Explanation, RuleStep, Step } from './schema/index.ts'

/**
 * An explanation in one line of plain English: what a redeemable did, or why it was refused.
 *
 * "Voucher SUMMER takes 90.00 off: 90.00 off the order (120.00 of 400.00, cut to 90.00 by amount_limit)."
 * /
 */
export function sentence({ object, id, status, reason, amount, steps }: Explanation): string {
  const subject = `${object === 'voucher' ? 'Voucher' : 'Promotion'} ${id}`
  if (status === 'APPLICABLE') return `${subject} ${effectText(amount ?? 0, steps)}.`
  const cause = causeOf(steps)
  const verb = status === 'SKIPPED' ? 'is skipped' : 'cannot be used'
  return `${subject} ${verb}: ${lowerFirst(reason?.message ?? 'no reason given')}${cause === null ? '' : ` (${cause})`}.`
}

function effectText(amount: number, steps: readonly Step[]): string {
  const parts = steps.map(stepText).filter((text) => text !== null)
  const sum = amount > 0 ? `takes ${money(amount)} off` : parts.length > 0 ? 'takes nothing off' : 'has no effect'
  return parts.length === 0 ? sum : `${sum}: ${parts.join(', ')}`
}

/** Text for one step of the calculation; null when it had no effect. */
function stepText(step: Step): string | null {
  switch (step.step) {
    case 'amount':
      return step.amount === 0 && step.cuts.length === 0 ? null : amountPart(step)
    case 'units':
      return `${unitWords[step.how](step.quantity)} ${lineText(step.line)}`
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
  return `${money(amount)} off ${line === undefined ? 'the order' : lineText(line)}${how}`
}

const unitWords = {
  freed: (units: number) => `${count(units, 'unit')} made free on`,
  added: (units: number) => `${count(units, 'free unit')} added to`,
  replaced: (units: number) => `${count(units, 'unit')} replaced on`,
  received: (units: number) => `${count(units, 'unit')} put on`,
}

/** The cause of a refusal: the first failed rule, as the error names it, else the last failed step. */
function causeOf(steps: readonly Step[]): string | null {
  const failedSteps = steps.filter((step) => 'passed' in step && step.passed === false)
  const rule = failedSteps.find((step) => step.step === 'rule')
  const step = rule ?? failedSteps.at(-1)
  if (step === undefined) return null
  if (step.step === 'limit') return limitCause(step)
  if (step.step === 'rule') return ruleCause(step)
  return step.step === 'check' && !isObvious(step.check) ? checkCause(step) : null
}

function limitCause({ limit, used, allowed }: Extract<Step, { step: 'limit' }>): string {
  const text = limit === 'gift.balance' ? money : String
  return `${limit}: ${text(used)} of ${text(allowed)}`
}

/** Checks on dates and hours compare with the time of the request. */
function checkCause({ check, expected, actual }: Extract<Step, { step: 'check' }>): string {
  if (/_date$|^validity_/.test(check)) return `${check} ${valueText(expected)}, and it is ${valueText(actual)}`
  return `${check} is ${valueText(actual)}, must be ${valueText(expected)}`
}

/** A rule and the value it found; for a rule on items also the failed sub-rule, which says more. */
function ruleCause(step: RuleStep): string {
  const { rule_id, rule_name, key, name, property, expected, actual, unlisted = 0, rules = [] } = step
  const failedSubRule = rules.find(({ passed }) => passed === false)
  const subject = property === undefined ? name : `${name} "${property}"`
  const text = property === undefined && isAmount(name) ? amountText : valueText
  const wanted = Object.entries(expected).map(([operator, operand]) =>
    `${operatorText(operator)} ${text(operand)}`.trim(),
  )
  const must = wanted.length === 0 ? '' : `, must be ${wanted.join(' and ')}`
  const inner = failedSubRule === undefined ? '' : `; ${ruleCause(failedSubRule)}`
  const finding = isAboutItems(name) && Array.isArray(actual) ? linesText(actual, unlisted, text) : `is ${text(actual)}`
  return `rule ${key} of ${rule_name === undefined ? rule_id : `"${rule_name}"`}: ${subject} ${finding}${must}${inner}`
}

/** Rules about money, whose values are in minor units. */
const isAmount = (name: string): boolean => /amount|price/.test(name)

/** As amounts are written elsewhere in a sentence. */
function amountText(value: unknown): string {
  if (Array.isArray(value)) return value.map(amountText).join(' or ')
  return Number.isSafeInteger(value) ? money(value as number) : valueText(value)
}

/** What such a rule found are lines, unless it is about a value of any or each of them. */
const isAboutItems = (name: string): boolean => /^(?:order\.items|product|sku)\.(?!.*_(?:any|each)$)/.test(name)

/** The lines that a rule picked, or the values that a sub-rule found on them. */
function linesText(
  actual: Array<number | { line: number; actual: unknown }>,
  unlisted: number,
  text: (value: unknown) => string,
): string {
  if (actual.length === 0) return 'finds no line'
  const lines = actual.map((entry) =>
    typeof entry === 'number' ? lineText(entry) : `${text(entry.actual)} on ${lineText(entry.line)}`,
  )
  return `${typeof actual[0] === 'number' ? 'finds' : 'is'} ${lines.join(', ')}${unlisted === 0 ? '' : ` and ${unlisted} more`}`
}

/** `$more_than_or_equal` → "more than or equal to". */
const operatorText = (operator: string): string =>
  operator
    .replace(/^\$(?:is_?)?/, '')
    .replaceAll('_', ' ')
    .replace(/or equal$/, 'or equal to')

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueText).join(' or ')
  if (value == null) return 'missing'
  if (typeof value !== 'object') return String(value)
  return 'id' in value ? String(value.id) : JSON.stringify(value) // goods are shown by id
}

const lineText = (line: number): string => `line ${line + 1}`
const count = (quantity: number, what: string): string => `${quantity} ${what}${quantity === 1 ? '' : 's'}`
const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

/** Formats minor units as a decimal amount. */
export const money = (amount: number): string => {
  const cents = String(Math.abs(amount) % 100).padStart(2, '0')
  return `${amount < 0 ? '-' : ''}${Math.floor(Math.abs(amount) / 100)}.${cents}`
}

/** Formats an exact value in minor units as a decimal or a fraction: `1249.875` → 12.49875, `1000/3` → 1000/3 cents. */
function exactMoney(text: string): string {
  if (text.includes('/')) return `${text} cents`
  const [whole = '0', fraction = ''] = text.split('.')
  return money(Number(whole)) + fraction
}
