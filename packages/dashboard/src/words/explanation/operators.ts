import type { Words } from './step.ts'
import {
  counted,
  daysText,
  durationText,
  isMissing,
  listText,
  momentText,
  plain,
  type ValueKind,
  valueText,
} from './values.ts'

/** `Order total` *is* `at least €50.00`, so it must *be* `at least €50.00`. */
export interface Phrase {
  verb: string
  infinitive: string
  rest: string
}

type Say = (args: readonly unknown[], values: (word?: 'and' | 'or') => string, words: Words) => Phrase

const is = (rest: string): Phrase => ({ verb: 'is', infinitive: 'be', rest })
const comparison =
  (text: string): Say =>
  (_, values) =>
    is(`${text} ${values()}`)
const isNot: Say = (args, values) =>
  args.length === 1
    ? { verb: 'is not', infinitive: 'not be', rest: values() }
    : { verb: 'is none of', infinitive: 'be none of', rest: values('and') }
const days =
  (verb: string, text: (days: string) => string): Say =>
  (args, _, words) => ({
    verb,
    infinitive: 'be',
    rest: listText(args.map((arg) => text(counted(Number(arg), 'day', words)))),
  })
const has =
  (text: string): Say =>
  (args, _, words) => ({
    verb: 'has',
    infinitive: 'have',
    rest: listText(args.map((arg) => `${text} ${counted(Number(arg), 'value', words)}`)),
  })
const equal: Say = (_, values) => is(values())

/** Every operator of conditions, as the engine knows them. */
const operators: Record<string, Say> = {
  $is: equal,
  $in: equal,
  $is_not: isNot,
  $not_in: isNot,
  $not_intersect: isNot,
  $not_differ: (args, values) => is(args.length === 0 ? 'empty' : `exactly ${values('and')}`),
  $contains: (_, values) => ({ verb: 'contains', infinitive: 'contain', rest: values() }),
  $not_contain: (_, values) => ({ verb: 'does not contain', infinitive: 'not contain', rest: values() }),
  $starts_with: (_, values) => ({ verb: 'starts with', infinitive: 'start with', rest: values() }),
  $ends_with: (_, values) => ({ verb: 'ends with', infinitive: 'end with', rest: values() }),
  $more_than: comparison('more than'),
  $greater_than: comparison('more than'),
  $less_than: comparison('less than'),
  $more_than_equal: comparison('at least'),
  $more_than_or_equal: comparison('at least'),
  $greater_than_or_equal: comparison('at least'),
  $less_than_equal: comparison('at most'),
  $less_than_or_equal: comparison('at most'),
  $after: comparison('after'),
  $before: comparison('before'),
  $count: has('exactly'),
  $count_more: has('more than'),
  $count_less: has('fewer than'),
  $is_days_ago: days('was', (text) => `${text} ago`),
  $more_than_ago: days('was', (text) => `more than ${text} ago`),
  $less_than_ago: days('was', (text) => `less than ${text} ago`),
  $is_days_in_future: days('is', (text) => `${text} from today`),
  $more_than_future: days('is', (text) => `more than ${text} from today`),
  $less_than_future: days('is', (text) => `less than ${text} from today`),
  $dow: (args) => ({ verb: 'is on', infinitive: 'be on', rest: `a ${daysText(args, 'or')}` }),
  $timeframe: (args, _, words) => is(listText(args.map((arg) => timeframe(String(arg), words)))),
  $timeframe_absolute: (args, _, words) => is(listText(args.map((arg) => span(String(arg), words)))),
  $timeframe_daily_hours: (args) => is(listText(args.map((arg) => dailyHours(String(arg))))),
  $from: (_, values) => is(`among ${values('and')}`),
}

export const knownOperators = Object.keys(operators)

/** One condition as a verb and its rest; an operator that is not known here is written without its signs. */
export function phraseOf(operator: string, sent: unknown, kind: ValueKind, words: Words): Phrase {
  const args = Array.isArray(sent) ? sent : isMissing(sent) ? [] : [sent]
  const texts = args.map((arg) => valueText(arg, kind, words))
  const values = (word: 'and' | 'or' = 'or') => listText(texts, word)
  const say = Object.hasOwn(operators, operator) ? operators[operator] : undefined
  return say ? say(args, values, words) : is(`${plain(operator)} ${values()}`.trim())
}

/** `start;interval;duration` */
function timeframe(text: string, words: Words): string {
  const [start = '', interval = '', duration = ''] = text.split(';').map((part) => part.trim())
  const from = momentText(start, words) ?? start
  return `within ${durationText(duration)} of every ${durationText(interval)} from ${from}`
}

/** `from;to` */
function span(text: string, words: Words): string {
  const [from = '', to = ''] = text.split(';').map((part) => part.trim())
  return `between ${momentText(from, words) ?? from} and ${momentText(to, words) ?? to}`
}

/** `HH:mm;HH:mm;day,day` */
function dailyHours(text: string): string {
  const [start = '', end = '', days = ''] = text.split(';').map((part) => part.trim())
  return `between ${start} and ${end} on ${daysText(days.split(','), 'or')}`
}
