/** How a language writes the values of JSON. */
export interface Notation {
  object: readonly [open: string, close: string]
  list: readonly [open: string, close: string]
  emptyObject: string
  pair(key: string, value: string): string
  text(value: string): string
  words: { true: string; false: string; null: string }
}

const widthMax = 80

/** A value of JSON in the notation of a language: on one line if it fits, otherwise with a line for each member. */
export function literal(value: unknown, notation: Notation, indent = ''): string {
  const { object, list, words } = notation
  if (typeof value === 'string') return notation.text(value)
  if (typeof value === 'number') return String(value)
  if (typeof value === 'boolean') return value ? words.true : words.false
  if (value === null || value === undefined) return words.null
  const inner = `${indent}  `
  if (Array.isArray(value))
    return enclosed(
      value.map((each) => literal(each, notation, inner)),
      list,
      indent,
    )
  const members = Object.entries(value).map(([key, each]) => notation.pair(key, literal(each, notation, inner)))
  return members.length === 0 ? notation.emptyObject : enclosed(members, object, indent)
}

function enclosed(members: string[], [open, close]: readonly [string, string], indent: string): string {
  const line = `${open}${members.join(', ')}${close}`
  if (members.length === 0 || (line.length + indent.length <= widthMax && !line.includes('\n'))) return line
  return `${open.trimEnd()}\n${members.map((member) => `${indent}  ${member},\n`).join('')}${indent}${close.trimStart()}`
}
