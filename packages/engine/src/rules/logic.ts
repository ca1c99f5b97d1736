import { isRecord } from '../values.ts'

/** A logic expression: a rule key, or expressions of which all or any must hold. */
export type Logic = { key: string } | { all: Logic[] } | { any: Logic[] }

export interface LogicFault {
  fault: string
  /** Counted in characters, from 0. */
  position: number
}

/** Longer than any real expression; keeps the parser and its result far from a stack overflow. */
const logicLengthMax = 5_000
const parenthesesMax = 50

/**
 * Parses a logic expression (docs/reference/rules.md#rules-and-logic): keys, `and`, `or` and parentheses; `and` binds
 * tighter. Null for a blank expression.
 *
 * `1 or 2 and (3 or 4)` → any of 1, all of (2, any of (3, 4)).
 * /
 */
export function parseLogic(text: string): Logic | LogicFault | null {
  if (text.length > logicLengthMax) return { fault: `is longer than ${logicLengthMax} characters`, position: 0 }
  const tokens = [...text.matchAll(/[()]|[^\s()]+/g)].map((found) => ({ token: found[0], position: found.index }))
  if (tokens.length === 0) return null
  let at = 0
  let open = 0

  const next = (): string => tokens[at]?.token.toLowerCase() ?? ''
  const wrong = (fault: string): LogicFault => ({ fault, position: tokens[at]?.position ?? text.length })

  /** Operands separated by one keyword. */
  function chain(word: 'and' | 'or', operand: () => Logic | LogicFault): Logic | LogicFault {
    const parts: Logic[] = []
    for (;;) {
      const part = operand()
      if ('fault' in part) return part
      parts.push(part)
      if (next() !== word) break
      at += 1
    }
    return parts.length === 1 ? (parts[0] as Logic) : word === 'and' ? { all: parts } : { any: parts }
  }
  const expression = () => chain('or', term)
  const term = () => chain('and', factor)

  function factor(): Logic | LogicFault {
    const word = next()
    if (word === '(') return group()
    if (word === '' || word === ')' || word === 'and' || word === 'or') return wrong('expects a rule or a parenthesis')
    const key = tokens[at]!.token
    at += 1
    return { key }
  }

  function group(): Logic | LogicFault {
    open += 1
    if (open > parenthesesMax) return wrong(`has more than ${parenthesesMax} parentheses in each other`)
    at += 1
    const inner = expression()
    if ('fault' in inner) return inner
    if (next() !== ')') return wrong('expects a closing parenthesis')
    at += 1
    open -= 1
    return inner
  }

  const parsed = expression()
  return 'fault' in parsed || at === tokens.length ? parsed : wrong("expects 'and' or 'or'")
}

/** A key may be any word that `logic` can contain. */
export const isRuleKey = (key: string): boolean => /^[^\s()]+$/.test(key) && !/^(?:and|or|logic)$/i.test(key)

/** The rule keys of a tree in ascending order, numbers first. */
export function ruleKeys(tree: Readonly<Record<string, unknown>>, others: readonly string[] = []): string[] {
  const keys = Object.keys(tree).filter((key) => key !== 'logic' && !others.includes(key))
  const rank = (key: string): number => (/^\d+$/.test(key) ? Number(key) : Number.POSITIVE_INFINITY)
  return keys.sort((a, b) => (rank(a) === rank(b) ? (a < b ? -1 : 1) : rank(a) - rank(b)))
}

/** The default `logic` of a tree: all of its rules. `{"2": …, "1": …}` → `1 and 2`. */
export const defaultLogic = (tree: unknown): string => (isRecord(tree) ? ruleKeys(tree).join(' and ') : '')
