/** Rules joined by words: a key, or parts of which all or any must hold. */
export type Logic = { key: string } | { join: 'and' | 'or'; parts: Logic[] }

const depthMax = 50

/** Reads `1 and (2 or 3)`; undefined for what cannot be read. `and` binds tighter. */
export function readLogic(text: string): Logic | undefined {
  const tokens = text.slice(0, 5000).match(/[()]|[^\s()]+/g) ?? []
  let at = 0
  const word = () => tokens[at]?.toLowerCase()
  const chain = (join: 'and' | 'or', operand: () => Logic | undefined): Logic | undefined => {
    const parts: Logic[] = []
    for (;;) {
      const part = operand()
      if (part === undefined) return undefined
      parts.push(part)
      if (word() !== join) return parts.length === 1 ? part : { join, parts }
      at += 1
    }
  }
  const expression = (depth: number): Logic | undefined =>
    chain('or', () =>
      chain('and', () => {
        const token = tokens[at]
        if (token === undefined || token === ')' || /^(and|or)$/i.test(token) || depth > depthMax) return undefined
        at += 1
        if (token !== '(') return { key: token }
        const inner = expression(depth + 1)
        if (tokens[at] !== ')') return undefined
        at += 1
        return inner
      }),
    )
  const read = expression(0)
  return at === tokens.length ? read : undefined
}
