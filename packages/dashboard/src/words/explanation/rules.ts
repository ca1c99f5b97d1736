import { phraseOf } from './operators.ts'
import { noOrder, type RuleKind, type RuleName, ruleNames } from './rule-names.ts'
import type { RuleStep, StepView, Words } from './step.ts'
import { isMissing, listText, lowerFirst, plain, stateOf, upperFirst, valueText } from './values.ts'

type Texts = Omit<StepView, 'state' | 'parts'>
type Say = (step: RuleStep, name: RuleName, words: Words) => Texts

/** A rule as a sentence: what it asks for, and what was found. */
export function ruleView(step: RuleStep, words: Words): StepView {
  const name: RuleName = Object.hasOwn(ruleNames, step.name)
    ? (ruleNames[step.name] as RuleName)
    : { kind: 'value', subject: upperFirst(plain(step.name)) + (step.property ? ' “%”' : ''), value: 'any' }
  const texts = kinds[name.kind](step, name, words)
  const parts = (step.rules ?? []).map((rule) => ruleView(rule, words))
  if (step.passed === null)
    return { state: 'open', text: texts.text, detail: 'not looked at', ...(parts.length > 0 && { parts }) }
  const failedPart = parts.find(({ state }) => state === 'failed')
  const because = failedPart?.because === undefined ? texts.because : partBecause(step, texts, failedPart.because)
  return {
    ...texts,
    because,
    state: stateOf(step.passed),
    ...(needsOrder(step, name) && { needsOrder: true }),
    ...(parts.length > 0 && { parts }),
  }
}

const needsOrder = (step: RuleStep, { kind, missing }: RuleName) =>
  step.name.startsWith('order.') || missing === noOrder || kind === 'lines' || kind === 'line' || kind === 'goods'

/** A rule that found its goods failed by what it asks of them. */
const partBecause = ({ actual }: RuleStep, { because }: Texts, part: string) =>
  Array.isArray(actual) && actual.length > 0 ? part : because

const subjectOf = ({ subject }: RuleName, { property = '' }: RuleStep) => subject.replace('%', property)

const phrasesOf = (expected: RuleStep['expected'], { value }: RuleName, words: Words) =>
  Object.entries(expected).map(([operator, sent]) => phraseOf(operator, sent, value, words))

/** `is at least €50.00 and is less than €100.00` */
const isText = (phrases: ReturnType<typeof phrasesOf>) =>
  phrases.map(({ verb, rest }) => `${verb} ${rest}`.trim()).join(' and ') || 'is anything'
const mustText = (phrases: ReturnType<typeof phrasesOf>) =>
  phrases.map(({ infinitive, rest }) => `${infinitive} ${rest}`.trim()).join(' and ')

const valueTexts: Say = (step, name, words) => {
  const subject = subjectOf(name, step)
  const phrases = phrasesOf(step.expected, name, words)
  const isUnset = isMissing(step.actual)
  const found = isUnset ? (name.missing ?? 'it is not set') : `it is ${valueText(step.actual, name.value, words)}`
  const is = isUnset
    ? (name.missing ?? '').replace(/^it /, '') || 'is not set'
    : `is ${valueText(step.actual, name.value, words)}`
  return {
    text: `${subject} ${isText(phrases)}`,
    detail: found,
    because:
      isUnset && name.missing === noOrder
        ? `${lowerFirst(subject)} must ${mustText(phrases)}, and there is no order`
        : `${lowerSubject(subject)} ${is} (must ${mustText(phrases)})`,
  }
}

const lowerSubject = (subject: string) => (subject.startsWith('“') ? subject : `the ${lowerFirst(subject)}`)

const linesTexts: Say = (step, name, words) => {
  const subject = subjectOf(name, step)
  const phrases = phrasesOf(step.expected, name, words)
  const values = Array.isArray(step.actual) ? step.actual : [step.actual]
  const found = [...new Set(values.map((value) => valueText(value, name.value, words)))]
  const detail = values.length === 0 ? 'the order has no lines' : `it is ${moreOf(listText(found, 'and'), step)}`
  return {
    text: `${subject} ${isText(phrases)}`,
    detail,
    because: `${lowerSubject(subject)} must ${mustText(phrases)}, and ${detail}`,
  }
}

const moreOf = (text: string, { unlisted = 0 }: RuleStep) => (unlisted > 0 ? `${text} and ${unlisted} more` : text)

interface OnLine {
  line: number
  actual: unknown
}

/** A rule on the lines that the rule above it found. */
const lineTexts: Say = (step, name, words) => {
  const subject = subjectOf(name, step)
  const phrases = phrasesOf(step.expected, name, words)
  const found = foundOnLines(step, name, words)
  const is = found.startsWith('it ')
    ? `${found.slice(3)} (must ${mustText(phrases)})`
    : `must ${mustText(phrases)}, and ${found}`
  return { text: `${subject} ${isText(phrases)}`, detail: found, because: `${lowerSubject(subject)} ${is}` }
}

function foundOnLines(step: RuleStep, name: RuleName, words: Words): string {
  if (!Array.isArray(step.actual)) return `it is ${valueText(step.actual, name.value, words)}`
  const values = step.actual as OnLine[]
  const texts = values.map(({ actual }) => valueText(actual, name.value, words))
  if (values.length === 0) return 'there is no such line'
  if (new Set(texts).size === 1) return `it is ${texts[0]}`
  const onLines = values.map(({ line }, index) => `${texts[index]} on ${words.lineOf(line)}`)
  return `it is ${moreOf(listText(onLines, 'and'), step)}`
}

/** Segments and loyalty tiers: a customer is in them, or not. */
const groupTexts: Say = ({ expected, actual }, { subject, missing = '' }, words) => {
  const person = words.customer ?? 'the customer'
  const found = Array.isArray(actual) ? actual : []
  const clauses = Object.entries(expected).map(([operator, sent]) => {
    const names = (Array.isArray(sent) ? sent : [sent]).map((id) => valueText(id, 'name', words))
    const isNegative = /not/.test(operator)
    return {
      isNegative,
      text: `${isNegative ? 'not ' : ''}${subject} ${listText(names)}`,
      opposite: `${isNegative ? '' : 'not '}${subject} ${listText(names)}`,
    }
  })
  return {
    text: `Customer is ${clauses.map(({ text }) => text).join(' and ')}`,
    detail:
      found.length === 0 ? `${person} is ${missing}` : `${person} is ${subject} ${valueText(found, 'name', words)}`,
    because: `${person} is ${clauses.map(({ opposite }) => opposite).join(' or ')}`,
  }
}

/** Uses count the one at hand: "at most 1" with a count of 2 means that it was used once. */
const counterTexts: Say = (step, name, words) => {
  const entries = Object.entries(step.expected)
  const [operator, sent] = entries[0] ?? ['', null]
  const limit = Number(Array.isArray(sent) ? sent[0] : sent)
  const counted = typeof step.actual === 'number' ? step.actual : undefined
  const isAtMost = /^\$less_than/.test(operator)
  if (entries.length !== 1 || !isAtMost || counted === undefined || !Number.isFinite(limit)) {
    return valueTexts(
      step,
      { ...name, subject: `${name.subject}, with this one`, missing: 'nobody is known to count for' },
      words,
    )
  }
  const allowed = Math.max(0, operator === '$less_than' ? Math.ceil(limit) - 1 : Math.floor(limit))
  const used = Math.max(0, counted - 1)
  const { format, customer } = words
  const often = `${format.number(used)} of ${format.number(allowed)} times`
  const who = name.subject.includes('by this customer') ? ` by ${customer ?? 'this customer'}` : ''
  const when = /( today| this week| this month)$/.exec(name.subject)?.[1] ?? ''
  const what = name.subject.includes('campaign') ? 'the campaign' : 'it'
  return {
    text: `${name.subject}: at most ${format.number(allowed)}`,
    detail: `used ${used === 0 && allowed > 0 ? 'not once' : `${often}`}`,
    because: `${what} has been used ${often}${who}${when}${allowed === 0 ? ' (no use is allowed)' : ''}`,
    bar: { used, allowed },
  }
}

/** Goods that must, or must not, be in the order. */
const goodsTexts: Say = (step, name, words) => {
  const { wanted, text, without } =
    name.subject === 'metadata' ? metadataGoods(step, name, words) : goodsSentence(step, name, words)
  const indices = Array.isArray(step.actual) ? step.actual : []
  const names = [...new Set(indices.map((index) => words.lineOf(Number((index as OnLine)?.line ?? index))))]
  const found = names.length === 0 ? 'no line fits' : `found ${moreOf(listText(names, 'and'), step)}`
  const hasParts = step.rules !== undefined && step.rules.length > 0
  return {
    text: hasParts ? `${text}, with` : text,
    detail: found,
    because:
      name.subject === 'none' ? `the order contains ${names.length > 0 ? listText(names, 'and') : wanted}` : without,
  }
}

function metadataGoods(step: RuleStep, name: RuleName, words: Words) {
  const is = `“${step.property ?? ''}” ${isText(phrasesOf(step.expected, name, words))}`
  return {
    wanted: 'such a product',
    text: `The order contains a product whose ${is}`,
    without: `the order contains no product whose ${is}`,
  }
}

function goodsSentence({ expected }: RuleStep, { subject }: RuleName, words: Words) {
  const namesOf = (...operators: string[]) =>
    operators.flatMap((operator) => [expected[operator] ?? []].flat()).map((good) => valueText(good, 'name', words))
  const [wanted, unwanted, pool] = [namesOf('$is', '$in'), namesOf('$is_not', '$not_in'), namesOf('$from')]
  const among = pool.length > 0 ? ` of ${listText(pool, 'and')}` : ''
  const what =
    wanted.length > 0
      ? `${listText(wanted)}${unwanted.length > 0 ? ` except ${listText(unwanted, 'and')}` : ''}`
      : unwanted.length > 0
        ? `anything but ${listText(unwanted, 'and')}`
        : 'any line'
  const such = what + (subject === 'any' || subject === 'every' || subject === 'none' ? among : '')
  if (subject === 'every') return { wanted: such, text: `Every line is ${such}`, without: `not every line is ${such}` }
  if (subject === 'none') return { wanted: such, text: `The order does not contain ${such}`, without: '' }
  if (subject === 'any')
    return { wanted: such, text: `The order contains ${such}`, without: `the order does not contain ${such}` }
  return {
    wanted: such,
    text: `The ${subject} line${among} is ${what}`,
    without: `the ${subject} line${among} is not ${what}`,
  }
}

const holderTexts: Say = ({ expected }, _, { customer }) => {
  const isFree = JSON.stringify(expected).includes('false')
  return isFree
    ? { text: 'Anybody may use it' }
    : { text: 'The customer holds this code', because: `${customer ?? 'the customer'} does not hold this code` }
}

const kinds: Record<RuleKind, Say> = {
  value: valueTexts,
  lines: linesTexts,
  line: lineTexts,
  counter: counterTexts,
  goods: goodsTexts,
  group: groupTexts,
  holder: holderTexts,
  note: (_, { subject }) => ({ text: subject }),
}
