import { didYouMean } from '../did-you-mean.ts'
import { valueAt } from '../goods.ts'
import { negate, ofText, tooLong } from './exact.ts'
import { type FormulaFault, isFault } from './fault.ts'
import { functions, type PlainFunction } from './functions.ts'
import { formulaDepthMax, formulaLengthMax, formulaValuesMax } from './limits.ts'
import { keyedOperands, operands } from './operands.ts'
import { type FormulaOperator, type Level, levels } from './operators.ts'
import {
  type Case,
  chainEvaluator,
  constant,
  type Evaluator,
  type Link,
  lazyFunctions,
  type Place,
  switchEvaluator,
  toResult,
} from './run.ts'
import { type Token, tokensOf } from './tokens.ts'
import { isNumber, momentValueOf, readValue, type Value } from './value.ts'

/** Parses a formula to an evaluator, and collects its operands with the position of their first use. */
export function parse(text: string): { run: Evaluator; operands: ReadonlyMap<string, number> } | FormulaFault {
  if (text.length > formulaLengthMax) {
    return { fault: `longer than ${formulaLengthMax} characters`, position: formulaLengthMax }
  }
  const tokens = tokensOf(text)
  if (isFault(tokens)) return tokens
  const parser: ParserState = { tokens, operands: new Map(), next: 0, depth: 0, values: 0, fault: null }
  const run = expression(parser)
  if (peek(parser).kind !== 'end') unexpected(parser)
  return parser.fault ?? { run, operands: parser.operands }
}

/**
 * Parser state. The first fault is kept and moves the parser to the end token, where every grammar rule stops by itself:
 * nothing is thrown, and the partial result is discarded.
 */
interface ParserState {
  readonly tokens: readonly Token[]
  readonly operands: Map<string, number>
  next: number
  depth: number
  values: number
  fault: FormulaFault | null
}

function fail(parser: ParserState, fault: string, position: number): Evaluator {
  parser.fault ??= { fault, position }
  parser.next = parser.tokens.length - 1
  return constant(false)
}

function unexpected(parser: ParserState): Evaluator {
  const { kind, text, position } = peek(parser)
  if (kind === 'end') return fail(parser, 'the formula ends too early', position)
  return fail(parser, `${kind === 'text' ? 'a text' : `"${text}"`} is not expected here`, position)
}

const peek = ({ tokens, next }: ParserState): Token => tokens[next] as Token

/** Consumes the next token; the end token can be consumed repeatedly. */
function consume(parser: ParserState): Token {
  const token = peek(parser)
  if (token.kind !== 'end') parser.next += 1
  return token
}

const isNext = (parser: ParserState, kind: Token['kind'], text: string): boolean =>
  peek(parser).kind === kind && peek(parser).text === text

/** Consumes the next token if it matches. */
const consumeIf = (parser: ParserState, kind: Token['kind'], text: string): boolean =>
  isNext(parser, kind, text) && consume(parser) !== undefined

/** Consumes a required sign. */
function expect(parser: ParserState, sign: string): void {
  if (!consumeIf(parser, 'sign', sign)) fail(parser, `"${sign}" is missing`, peek(parser).position)
}

function expression(parser: ParserState): Evaluator {
  if (parser.depth >= formulaDepthMax) return fail(parser, 'nested too deeply', peek(parser).position)
  parser.depth += 1
  const run = chain(parser, 0)
  parser.depth -= 1
  return run
}

/** Operators of one precedence level, with operands of the next higher level. */
function chain(parser: ParserState, tightness: number): Evaluator {
  const level = levels[tightness]
  if (level === undefined) return unary(parser)
  const first = chain(parser, tightness + 1)
  const links: Link[] = []
  for (let apply = operatorAt(parser, level); apply !== undefined; apply = operatorAt(parser, level)) {
    const { text, position } = consume(parser)
    links.push({ name: text, position, apply, right: chain(parser, tightness + 1) })
    if (!level.repeats) break
  }
  return links.length === 0 ? first : chainEvaluator(first, links)
}

function operatorAt(parser: ParserState, { operators }: Level): FormulaOperator | undefined {
  const { kind, text } = peek(parser)
  return kind === 'sign' || kind === 'word' ? ownMember(operators, text) : undefined
}

/** Own members only: words of a formula are user input, and `constructor` is in no table. */
const ownMember = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined

function unary(parser: ParserState): Evaluator {
  const { position } = peek(parser)
  if (!consumeIf(parser, 'sign', '-')) return primary(parser)
  const run = primary(parser)
  return (state) => {
    const value = run(state)
    if (isFault(value)) return value
    return isNumber(value) ? negate(value) : toResult(null, { name: '-', position }, [value], state)
  }
}

function primary(parser: ParserState): Evaluator {
  const { kind, position } = peek(parser)
  parser.values += 1
  if (parser.values > formulaValuesMax) return fail(parser, 'too many values', position)
  if (kind === 'number') return number(parser)
  if (kind === 'text') return constant(consume(parser).text)
  if (kind === 'word') return functionOrOperand(parser)
  if (!consumeIf(parser, 'sign', '(')) return unexpected(parser)
  const run = expression(parser)
  expect(parser, ')')
  return run
}

function number(parser: ParserState): Evaluator {
  const { text, position } = consume(parser)
  const value = ofText(text) ?? tooLong
  return isFault(value) ? fail(parser, value.fault, position) : constant(value)
}

function functionOrOperand(parser: ParserState): Evaluator {
  const { text: name, position } = consume(parser)
  const place = { name, position }
  if (name === 'SWITCH') return switchExpression(parser, place)
  const lazyFunction = ownMember(lazyFunctions, name)
  if (lazyFunction !== undefined) return lazyFunction.make(argumentsOf(parser, place, lazyFunction), place)
  const plainFunction = ownMember(functions, name)
  return plainFunction === undefined ? operand(parser, place) : call(parser, place, plainFunction)
}

/** `( a ; b ; … )`: checks the number of arguments. */
function argumentsOf(
  parser: ParserState,
  { name, position }: Place,
  { least, most }: { least: number; most: number },
): Evaluator[] {
  const args: Evaluator[] = []
  expect(parser, '(')
  do args.push(expression(parser))
  while (consumeIf(parser, 'sign', ';'))
  expect(parser, ')')
  if (args.length < least || args.length > most) {
    const wanted =
      least === most ? least : most === Number.POSITIVE_INFINITY ? `${least} or more` : `${least} to ${most}`
    fail(parser, `${name} takes ${wanted} argument${wanted === 1 ? '' : 's'}, not ${args.length}`, position)
  }
  return args
}

function call(parser: ParserState, place: Place, { least, most, apply }: PlainFunction): Evaluator {
  const start = parser.next
  const args = argumentsOf(parser, place, { least, most })
  if (constants.has(place.name)) checkConstant(parser, start + 1)
  return (state) => {
    const values: Value[] = []
    for (const arg of args) {
      const value = arg(state)
      if (isFault(value)) return value
      values.push(value)
    }
    return toResult(apply(values, state.scope.clock), place, values, state)
  }
}

const constants: ReadonlySet<string> = new Set(['DATE', 'DATE_TIME'])

/** `DATE("2025-02-30")` can never have a value: reported when the formula is saved, not when it is used. */
function checkConstant(parser: ParserState, index: number): void {
  const [argument, after] = parser.tokens.slice(index, index + 2)
  if (argument?.kind !== 'text' || after?.text !== ')') return
  if (momentValueOf(argument.text) === null) fail(parser, 'this is no date', argument.position)
}

/** `( x ; SWITCH_CASE(v;r) SWITCH_CASE(v;r) … ; d )` */
function switchExpression(parser: ParserState, place: Place): Evaluator {
  expect(parser, '(')
  const subject = expression(parser)
  expect(parser, ';')
  const cases: Case[] = []
  do {
    const { position } = peek(parser)
    if (!consumeIf(parser, 'word', 'SWITCH_CASE')) return fail(parser, 'SWITCH_CASE is missing', position)
    const [value, result] = argumentsOf(parser, { name: 'SWITCH_CASE', position }, { least: 2, most: 2 })
    cases.push({ value: value as Evaluator, result: result as Evaluator })
  } while (isNext(parser, 'word', 'SWITCH_CASE'))
  expect(parser, ';')
  const otherwise = expression(parser)
  expect(parser, ')')
  return switchEvaluator(subject, cases, otherwise, place)
}

/** Every word of the language, for suggestions. */
const words: readonly string[] = [
  ...Object.keys(operands),
  ...Object.keys(keyedOperands),
  ...Object.keys(functions),
  ...Object.keys(lazyFunctions),
  'SWITCH',
]

function operand(parser: ParserState, place: Place): Evaluator {
  const { position } = place
  const name = place.name === 'order.bundle.quantity' ? 'ORDER_BUNDLE_QUANTITY' : place.name
  const readOperand = ownMember(operands, name)
  const readMetadata = ownMember(keyedOperands, name)
  if (readOperand === undefined && readMetadata === undefined)
    return fail(parser, `"${name}" is not known${didYouMean(name, words)}`, position)
  if (!parser.operands.has(name)) parser.operands.set(name, position)
  if (readOperand !== undefined) return ({ scope }) => readOperand(scope) ?? { fault: `${name} has no value`, position }
  const key = keyOf(parser)
  return (state) => {
    const value = readValue(valueAt(readMetadata?.(state.scope), key))
    return value === null ? { fault: `${name}("${key}") has no value`, position } : toResult(value, place, [], state)
  }
}

/** `("key")`: keys are always literals, so the operands of a formula are known statically. */
function keyOf(parser: ParserState): string {
  expect(parser, '(')
  const { kind, text, position } = consume(parser)
  if (kind !== 'text') fail(parser, 'a key in quotes is missing', position)
  expect(parser, ')')
  return text
}
