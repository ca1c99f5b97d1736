import { type ESTree, parseAst } from 'vite'

/** A regular expression of the source: where it is written, and how. */
export interface Expression {
  where: string
  source: string
  flags: string
}

/**
 * Every regular expression in a source file: literals, arguments of `RegExp`, and `pattern` of JSON schemas. Parts that are only
 * known at run time stand as the letter `x`.
 */
export function expressionsIn(path: string, text: string): Expression[] {
  const found: Expression[] = []
  const add = (node: Syntax, source: string, flags: string) => {
    const line = text.slice(0, node.start).split('\n').length
    found.push({ where: `${path}:${line}`, source, flags })
  }
  visit(parseAst(text, { lang: path.endsWith('.tsx') ? 'tsx' : 'ts' }), (node) => {
    if (node.type === 'Literal' && node.regex) add(node, node.regex.pattern, node.regex.flags)
    if ((node.type === 'NewExpression' || node.type === 'CallExpression') && node.callee.name === 'RegExp')
      add(node, textOf(node.arguments[0]), textOf(node.arguments[1] ?? null))
    if (node.type === 'Property' && (node.key.name ?? node.key.value) === 'pattern' && isText(node.value))
      add(node, textOf(node.value), 'u')
    // Patterns that a table names and a schema refers to: `patterns[type]`.
    if (node.type === 'VariableDeclarator' && node.id.name === 'patterns')
      visit(node.init, (each) => {
        if (each.type === 'Property' && isText(each.value)) add(each, textOf(each.value), 'u')
      })
  })
  return found
}

// biome-ignore lint/suspicious/noExplicitAny: a node of any kind of the syntax tree
type Syntax = any

function visit(node: ESTree.Program | Syntax, look: (node: Syntax) => void): void {
  if (typeof node !== 'object' || node === null) return
  if (typeof node.type === 'string') look(node)
  for (const part of Object.values(node)) visit(part, look)
}

const isText = ({ type, value }: Syntax): boolean =>
  (type === 'Literal' && typeof value === 'string') || type === 'TemplateLiteral'

function textOf(node: Syntax | null): string {
  if (node === null) return ''
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node.type === 'TemplateLiteral') return node.quasis.map(({ value }: Syntax) => value.cooked).join('x')
  if (node.type === 'BinaryExpression') return textOf(node.left) + textOf(node.right)
  return 'x'
}

/** A part of a regular expression: one character of some, parts in sequence, one of several parts, or a repeated part. */
type Part =
  | One
  | { kind: 'sequence'; parts: Part[] }
  | { kind: 'choice'; parts: Part[] }
  | { kind: 'repeat'; part: Part; least: number; most: number }

interface One {
  kind: 'one'
  characters: string[]
  /** Those of them that the expression can tell apart. */
  samples: string[]
}

/**
 * Texts of about `size` characters that make a backtracking matcher work as much as possible: what leads to a repeated part,
 * that part again and again, and an end at which the match fails.
 */
export function* attacksOn({ source, flags }: Expression, size: number): Generator<string> {
  const seen = new Set<string>()
  const pumps: Pump[] = [
    ...pumpsOf(partOf(source, flags), ''),
    { before: '', pump: ' ' },
    { before: '', pump: 'a' },
    { before: '', pump: '0' },
  ]
  for (const { before, pump, stop } of pumps) {
    if (pump === '') continue
    const heads = before === '' ? [''] : [before, '']
    for (const head of heads) {
      for (const end of new Set(['', '\0', '!', 'x', stop ?? ''])) {
        const key = `${head}\n${pump}\n${end}`
        if (seen.has(key)) continue
        seen.add(key)
        yield head + pump.repeat(Math.ceil(size / pump.length)) + end
      }
    }
    // The beginning itself again and again: every one of them is a place where the search starts anew.
    const unit = before + pump
    if (before !== '' && !seen.has(unit)) {
      seen.add(unit)
      yield `${unit.repeat(Math.ceil(size / unit.length))}\0`
    }
  }
}

interface Pump {
  before: string
  pump: string
  /** A character that the repeated part does not match. */
  stop?: string | undefined
}

/** The repeated parts, each with a text that leads to it. */
function pumpsOf(part: Part, before: string): Pump[] {
  switch (part.kind) {
    case 'one':
      return []
    case 'choice':
      return part.parts.flatMap((each) => pumpsOf(each, before))
    case 'repeat': {
      const samples = part.most > 1 ? samplesOf(part.part) : []
      // Of a counted repetition also one too few, again and again.
      const short = part.least > 2 ? samples.map((pump) => `${pump.repeat(part.least - 1)}\0`) : []
      const stop = alphabet.find((character) => !charactersOf(part.part).has(character))
      return [...samples, ...short].map((pump): Pump => ({ before, pump, stop })).concat(pumpsOf(part.part, before))
    }
    case 'sequence': {
      let lead = before
      return part.parts.flatMap((each) => {
        const found = pumpsOf(each, lead)
        lead += samplesOf(each)[0] ?? ''
        return found
      })
    }
  }
}

function charactersOf(part: Part): Set<string> {
  if (part.kind === 'one') return new Set(part.characters)
  return new Set((part.kind === 'repeat' ? [part.part] : part.parts).flatMap((each) => [...charactersOf(each)]))
}

/** Some texts that a part matches, the shortest first. */
function samplesOf(part: Part): string[] {
  switch (part.kind) {
    case 'one':
      return part.samples
    case 'choice':
      return [...new Set(part.parts.flatMap(samplesOf))].slice(0, samplesMax)
    case 'repeat':
      return part.least === 0
        ? ['', ...samplesOf(part.part)].slice(0, samplesMax)
        : samplesOf(part.part).map((each) => each.repeat(part.least))
    case 'sequence': {
      const choices = part.parts.map(samplesOf)
      const longest = Math.max(1, ...choices.map(({ length }) => length))
      return Array.from({ length: Math.min(longest, samplesMax) }, (_, at) =>
        choices.map((each) => each[at % Math.max(1, each.length)] ?? '').join(''),
      )
    }
  }
}

const samplesMax = 12

/** Characters of which at least one belongs to any class that we write. */
const alphabet = [...'09afxzAFZ_ \t\n\r.,;:/\\"\'()[]{}<>=!?#@&%+-*^$|~`', '\0', 'é', '\u2003', '\ud7ff']

/** Parses an expression into parts; what consumes nothing (anchors, look-around) is an empty sequence. */
function partOf(source: string, flags: string): Part {
  let at = 0
  const modes = flags.replaceAll(/[gy]/g, '')

  // A boundary `\b` too tells characters apart.
  const matchers = [/\w/]
  const ones: One[] = []

  const one = (atom: string): Part => {
    const matcher = new RegExp(`^(?:${atom})$`, modes)
    const matching = alphabet.filter((character) => matcher.test(character))
    const characters = matching.length > 0 ? matching : [atom.replace(/^\\/, '')]
    const part: One = { kind: 'one', characters, samples: characters }
    matchers.push(matcher)
    ones.push(part)
    return part
  }
  const nothing: Part = { kind: 'sequence', parts: [] }

  function choice(): Part {
    const parts = [sequence()]
    while (source[at] === '|') {
      at += 1
      parts.push(sequence())
    }
    return parts.length === 1 ? (parts[0] as Part) : { kind: 'choice', parts }
  }

  function sequence(): Part {
    const parts: Part[] = []
    while (at < source.length && source[at] !== '|' && source[at] !== ')') parts.push(repeated(atom()))
    return { kind: 'sequence', parts }
  }

  function repeated(part: Part): Part {
    const [whole, sign, least, isRange, most] = /^(?:([*+?])|\{(\d+)(,)?(\d+)?\})\??/.exec(source.slice(at)) ?? []
    if (whole === undefined) return part
    at += whole.length
    const [from, to] =
      sign === undefined
        ? [Number(least), isRange === undefined ? Number(least) : most === undefined ? Infinity : Number(most)]
        : [sign === '+' ? 1 : 0, sign === '?' ? 1 : Infinity]
    return { kind: 'repeat', part, least: from, most: to }
  }

  function atom(): Part {
    const rest = source.slice(at)
    const [open] = /^\((?:\?(?:[:=!]|<[=!]|<\w+>))?/.exec(rest) ?? []
    if (open !== undefined) {
      at += open.length
      const inside = choice()
      at += 1 // the closing parenthesis
      return /^\(\?<?[=!]/.test(open) ? nothing : inside
    }
    const [text] =
      /^(?:\[(?:\\[\s\S]|[^\]\\])*\]|\\(?:[pP]\{[^}]+\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|[\s\S])|[\s\S])/.exec(
        rest,
      ) as RegExpExecArray
    at += text.length
    return text === '^' || text === '$' || text === '\\b' || text === '\\B' ? nothing : one(text)
  }

  const whole = choice()
  const alike = Map.groupBy(alphabet, (character) => matchers.map((each) => Number(each.test(character))).join(''))
  const others = new Set([...alike.values()].flatMap(([, ...rest]) => rest))
  for (const part of ones) part.samples = part.characters.filter((character) => !others.has(character))
  return whole
}
