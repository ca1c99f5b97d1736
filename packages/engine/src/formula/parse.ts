import { valueAt } from '../goods.ts'
import { negated, ofText, tooLong } from './exact.ts'
import { type FormulaFault, isFault } from './fault.ts'
import { functions, type PlainFunction } from './functions.ts'
import { formulaDepthMax, formulaLengthMax, formulaValuesMax } from './limits.ts'
import { keyedOperands, operands } from './operands.ts'
import { type Level, levels, type Operator } from './operators.ts'
import {
  type Case,
  chained,
  constant,
  type Link,
  lazyFunctions,
  type Place,
  type Run,
  settled,
  switched,
} from './run.ts'
import { type Token, tokensOf } from './tokens.ts'
import { isNumber, momentOf, readValue, type Value } from './value.ts'

/** What a text says, as a function; and the operands it names, each with the place where it does so first. */
export function parse(text: string): { run: Run; operands: ReadonlyMap<string, number> } | FormulaFault {
  if (text.length > formulaLengthMax) {
    return { fault: `longer than ${formulaLengthMax} characters`, position: formulaLengthMax }
  }
  const tokens = tokensOf(text)
  if (isFault(tokens)) return tokens
  const reading: Reading = { tokens, operands: new Map(), next: 0, depth: 0, values: 0, fault: null }
  const run = expression(reading)
  if (peek(reading).kind !== 'end') unexpected(reading)
  return reading.fault ?? { run, operands: reading.operands }
}

/**
 * The parser on its way through the tokens. The first fault is kept and moves it to the end, where every rule of the
 * grammar stops by itself: nothing is thrown, and what was built until then is dropped.
 */
interface Reading {
  readonly tokens: readonly Token[]
  readonly operands: Map<string, number>
  next: number
  depth: number
  values: number
  fault: FormulaFault | null
}

function refuse(reading: Reading, fault: string, position: number): Run {
  reading.fault ??= { fault, position }
  reading.next = reading.tokens.length - 1
  return constant(false)
}

function unexpected(reading: Reading): Run {
  const { kind, text, position } = peek(reading)
  if (kind === 'end') return refuse(reading, 'the formula ends too early', position)
  return refuse(reading, `${kind === 'text' ? 'a text' : `"${text}"`} is not expected here`, position)
}

const peek = ({ tokens, next }: Reading): Token => tokens[next] as Token

/** The end can be taken again and again. */
function take(reading: Reading): Token {
  const token = peek(reading)
  if (token.kind !== 'end') reading.next += 1
  return token
}

const isNext = (reading: Reading, kind: Token['kind'], text: string): boolean =>
  peek(reading).kind === kind && peek(reading).text === text

/** Takes a token if it comes now. */
const takes = (reading: Reading, kind: Token['kind'], text: string): boolean =>
  isNext(reading, kind, text) && take(reading) !== undefined

/** Takes a sign that must come now. */
function expect(reading: Reading, sign: string): void {
  if (!takes(reading, 'sign', sign)) refuse(reading, `"${sign}" is missing`, peek(reading).position)
}

function expression(reading: Reading): Run {
  if (reading.depth >= formulaDepthMax) return refuse(reading, 'nested too deeply', peek(reading).position)
  reading.depth += 1
  const run = chain(reading, 0)
  reading.depth -= 1
  return run
}

/** Operators of one level between parts of the next tighter one. */
function chain(reading: Reading, tightness: number): Run {
  const level = levels[tightness]
  if (level === undefined) return unary(reading)
  const first = chain(reading, tightness + 1)
  const links: Link[] = []
  for (let apply = operatorAt(reading, level); apply !== undefined; apply = operatorAt(reading, level)) {
    const { text, position } = take(reading)
    links.push({ name: text, position, apply, right: chain(reading, tightness + 1) })
    if (!level.repeats) break
  }
  return links.length === 0 ? first : chained(first, links)
}

function operatorAt(reading: Reading, { operators }: Level): Operator | undefined {
  const { kind, text } = peek(reading)
  return kind === 'sign' || kind === 'word' ? entry(operators, text) : undefined
}

/** Words of a formula come from outside: `constructor` is in no table. */
const entry = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined

function unary(reading: Reading): Run {
  const { position } = peek(reading)
  if (!takes(reading, 'sign', '-')) return primary(reading)
  const run = primary(reading)
  return (course) => {
    const value = run(course)
    if (isFault(value)) return value
    return isNumber(value) ? negated(value) : settled(null, { name: '-', position }, [value], course)
  }
}

function primary(reading: Reading): Run {
  const { kind, position } = peek(reading)
  reading.values += 1
  if (reading.values > formulaValuesMax) return refuse(reading, 'too many values', position)
  if (kind === 'number') return number(reading)
  if (kind === 'text') return constant(take(reading).text)
  if (kind === 'word') return named(reading)
  if (!takes(reading, 'sign', '(')) return unexpected(reading)
  const run = expression(reading)
  expect(reading, ')')
  return run
}

function number(reading: Reading): Run {
  const { text, position } = take(reading)
  const value = ofText(text) ?? tooLong
  return isFault(value) ? refuse(reading, value.fault, position) : constant(value)
}

function named(reading: Reading): Run {
  const { text: name, position } = take(reading)
  const place = { name, position }
  if (name === 'SWITCH') return choice(reading, place)
  const lazy = entry(lazyFunctions, name)
  if (lazy !== undefined) return lazy.make(argumentsOf(reading, place, lazy), place)
  const plain = entry(functions, name)
  return plain === undefined ? operand(reading, place) : call(reading, place, plain)
}

/** `( a ; b ; … )`, as many as the function takes. */
function argumentsOf(
  reading: Reading,
  { name, position }: Place,
  { least, most }: { least: number; most: number },
): Run[] {
  const args: Run[] = []
  expect(reading, '(')
  do args.push(expression(reading))
  while (takes(reading, 'sign', ';'))
  expect(reading, ')')
  if (args.length < least || args.length > most) {
    const wanted =
      least === most ? least : most === Number.POSITIVE_INFINITY ? `${least} or more` : `${least} to ${most}`
    refuse(reading, `${name} takes ${wanted} argument${wanted === 1 ? '' : 's'}, not ${args.length}`, position)
  }
  return args
}

function call(reading: Reading, place: Place, { least, most, apply }: PlainFunction): Run {
  const start = reading.next
  const args = argumentsOf(reading, place, { least, most })
  if (constants.has(place.name)) checkConstant(reading, start + 1)
  return (course) => {
    const values: Value[] = []
    for (const arg of args) {
      const value = arg(course)
      if (isFault(value)) return value
      values.push(value)
    }
    return settled(apply(values, course.sight.clock), place, values, course)
  }
}

const constants: ReadonlySet<string> = new Set(['DATE', 'DATE_TIME'])

/** `DATE("2025-02-30")` would never give a value: better said when it is saved than when it is used. */
function checkConstant(reading: Reading, index: number): void {
  const [argument, after] = reading.tokens.slice(index, index + 2)
  if (argument?.kind !== 'text' || after?.text !== ')') return
  if (momentOf(argument.text) === null) refuse(reading, 'this is no date', argument.position)
}

/** `( x ; SWITCH_CASE(v;r) SWITCH_CASE(v;r) … ; d )` */
function choice(reading: Reading, place: Place): Run {
  expect(reading, '(')
  const subject = expression(reading)
  expect(reading, ';')
  const cases: Case[] = []
  do {
    const { position } = peek(reading)
    if (!takes(reading, 'word', 'SWITCH_CASE')) return refuse(reading, 'SWITCH_CASE is missing', position)
    const [value, result] = argumentsOf(reading, { name: 'SWITCH_CASE', position }, { least: 2, most: 2 })
    cases.push({ value: value as Run, result: result as Run })
  } while (isNext(reading, 'word', 'SWITCH_CASE'))
  expect(reading, ';')
  const otherwise = expression(reading)
  expect(reading, ')')
  return switched(subject, cases, otherwise, place)
}

function operand(reading: Reading, place: Place): Run {
  const { position } = place
  const name = place.name === 'order.bundle.quantity' ? 'ORDER_BUNDLE_QUANTITY' : place.name
  const look = entry(operands, name)
  const lookUp = entry(keyedOperands, name)
  if (look === undefined && lookUp === undefined) return refuse(reading, `"${name}" is not known`, position)
  if (!reading.operands.has(name)) reading.operands.set(name, position)
  if (look !== undefined) return ({ sight }) => look(sight) ?? { fault: `${name} has no value`, position }
  const key = keyOf(reading)
  return (course) => {
    const value = readValue(valueAt(lookUp?.(course.sight), key))
    return value === null ? { fault: `${name}("${key}") has no value`, position } : settled(value, place, [], course)
  }
}

/** `("key")`: the key is always written out, so that everybody can see what a formula looks at. */
function keyOf(reading: Reading): string {
  expect(reading, '(')
  const { kind, text, position } = take(reading)
  if (kind !== 'text') refuse(reading, 'a key in quotes is missing', position)
  expect(reading, ')')
  return text
}
