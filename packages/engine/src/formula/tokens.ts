import { type FormulaFault, isFault } from './fault.ts'

export interface Token {
  readonly kind: 'number' | 'text' | 'word' | 'sign' | 'end'
  /** For a string literal: its content, without quotes and escapes. */
  readonly text: string
  readonly position: number
}

/** Splits a formula into tokens; the last token is the end. */
export function tokensOf(text: string): Token[] | FormulaFault {
  const tokens: Token[] = []
  const end = text.trimEnd().length
  let position = 0
  while (position < end) {
    const token = tokenAt(text, position)
    if (isFault(token)) return token
    tokens.push(token.token)
    position = token.next
  }
  tokens.push({ kind: 'end', text: '', position: end })
  return tokens
}

// No name contains a lowercase x and no word begins with one, so `2x3` and `ORDER_AMOUNTx2` are products.
const form =
  /\s*(?:(\d+(?:\.\d+)?)|"((?:[^"\\]|\\[\s\S])*)"|([A-Z][A-Za-wyz0-9_]*|[a-wyz][A-Za-z_.]*)|(>=|<=|!=|[-+*x×/÷%=<>();]))/y

function tokenAt(text: string, start: number): { token: Token; next: number } | FormulaFault {
  form.lastIndex = start
  const found = form.exec(text)
  if (found === null) {
    const position = start + text.slice(start).search(/\S/)
    const character = String.fromCodePoint(text.codePointAt(position) ?? 0)
    return { fault: character === '"' ? 'a text is not closed' : `"${character}" has no meaning`, position }
  }
  const [whole, number, quoted, word, sign = ''] = found
  const position = start + whole.search(/\S/)
  const next = start + whole.length
  if (number !== undefined) return { token: { kind: 'number', text: number, position }, next }
  // A backslash that does not precede a quote or a backslash is literal.
  if (quoted !== undefined) return { token: { kind: 'text', text: quoted.replace(/\\(["\\])/g, '$1'), position }, next }
  return {
    token: word === undefined ? { kind: 'sign', text: sign, position } : { kind: 'word', text: word, position },
    next,
  }
}
