import type { CheckStep, StepView, Words } from './step.ts'
import { daysText, durationText, listText, momentText, plain, stateOf, upperFirst, valueText } from './values.ts'

type Texts = Pick<StepView, 'text' | 'detail' | 'because'>
type Say = (step: CheckStep, words: Words) => Texts

const moment = (value: unknown, words: Words) => momentText(String(value), words) ?? String(value)
const now = ({ actual }: CheckStep, words: Words) => `it is ${moment(actual, words)}`
const fixed =
  (text: string, because: string, detail?: string): Say =>
  ({ passed }) => ({ text, because, ...(!passed && detail && { detail }) })

/** Every check that the engine makes of a redeemable itself, by its name. */
const checks: Record<string, Say> = {
  active: ({ passed }) => ({ text: passed ? 'Switched on' : 'Switched off', because: 'it is switched off' }),
  start_date: (step, words) => {
    const date = moment(step.expected, words)
    return {
      text: `Active from ${date}`,
      detail: now(step, words),
      because: `it starts on ${date}, and ${now(step, words)}`,
    }
  },
  expiration_date: (step, words) => {
    const date = moment(step.expected, words)
    return {
      text: `Valid until ${date}`,
      detail: now(step, words),
      because: `it ended on ${date}, and ${now(step, words)}`,
    }
  },
  validity_timeframe: (step, words) => {
    const { interval = '', duration = '' } = (step.expected ?? {}) as { interval?: string; duration?: string }
    const text = `valid for ${durationText(duration)} of every ${durationText(interval)}`
    return {
      text: upperFirst(text),
      detail: now(step, words),
      because: `it is ${text}, and not at ${moment(step.actual, words)}`,
    }
  },
  validity_day_of_week: (step, words) => {
    const days = daysText(Array.isArray(step.expected) ? step.expected : [])
    return {
      text: `Valid on ${days}`,
      detail: now(step, words),
      because: `it is valid on ${days}, and ${now(step, words)}`,
    }
  },
  validity_hours: (step, words) => {
    const hours = hoursText(step.expected)
    return {
      text: `Valid ${hours}`,
      detail: now(step, words),
      because: `it is valid ${hours}, and ${now(step, words)}`,
    }
  },
  published: fixed('Given to a customer', 'it has not been given to a customer yet', 'it has no holder yet'),
  'redeemed by the referrer': fixed(
    'Not used by the customer who refers',
    'it cannot be used by the customer who refers others with it',
    'the customer is the one who refers',
  ),
  holder: (step, words) => ({
    text: `Held by ${valueText(step.expected, 'name', words)}`,
    ...(step.actual != null && { detail: `used by ${valueText(step.actual, 'name', words)}` }),
    because: `the card belongs to ${valueText(step.expected, 'name', words)}, not to ${valueText(step.actual, 'name', words)}`,
  }),
  customer: fixed('Used by its holder', 'the card belongs to somebody else', 'somebody else uses it'),
  exists: fixed('Exists', 'there is nothing by this name', 'it was not found'),
  reward: fixed('A reward is chosen', 'no reward is chosen to spend the points on', 'none is chosen'),
  order: fixed('There is an order', 'it needs an order, and there is none', 'there is none'),
  'order.amount': fixed('The order has an amount', 'it needs an order with an amount', 'it has none'),
  'order.items': fixed('The order has lines', 'it needs an order with lines', 'it has none'),
  'order.items.amount': fixed(
    'A line that it may pay for',
    'the order has no line that it may pay for',
    'there is none',
  ),
  amounts: fixed(
    'The amounts can be calculated exactly',
    'the amounts are too large to be calculated exactly',
    'they are too large',
  ),
  effect: fixed('It changes something in the order', 'it would change nothing in this order', 'it changes nothing'),
  'exclusive redeemables': fixed(
    'No exclusive discount comes first',
    'an exclusive discount is applied and keeps this one out',
    'one is applied',
  ),
  'preceding redeemables': fixed(
    'Everything before it applies',
    'one before it is refused, and the project applies all or none',
    'one before it is refused',
  ),
}

export const knownChecks = Object.keys(checks)

/** A check of the redeemable itself. */
export function checkView(step: CheckStep, words: Words): StepView {
  const say = Object.hasOwn(checks, step.check) ? checks[step.check] : undefined
  const needsOrder = /^order\b|^effect$/.test(step.check)
  return { state: stateOf(step.passed), ...(say ?? unknownCheck)(step, words), ...(needsOrder && { needsOrder }) }
}

const unknownCheck: Say = ({ check, expected, actual }, words) => {
  const name = upperFirst(plain(check))
  const [wanted, found] = [valueText(expected, 'any', words), valueText(actual, 'any', words)]
  return {
    text: `${name} is ${wanted}`,
    detail: `it is ${found}`,
    because: `${plain(check)} is ${found} (must be ${wanted})`,
  }
}

interface DailyHours {
  start_time: string
  expiration_time?: string | null
  days_of_week?: number[]
}

function hoursText(expected: unknown): string {
  const { daily = [] } = (expected ?? {}) as { daily?: DailyHours[] }
  return listText(
    daily.map(({ start_time, expiration_time, days_of_week }) => {
      const hours = `from ${start_time} to ${expiration_time ?? 'the end of the day'}`
      return days_of_week && days_of_week.length > 0 && days_of_week.length < 7
        ? `${hours} on ${daysText(days_of_week)}`
        : hours
    }),
    'and',
  )
}
