import type { MarkdownRenderer } from 'vitepress'

type Token = ReturnType<MarkdownRenderer['parse']>[number]

/** Aligns the cells of tables by a class, and shows no header that is empty. */
export function readableTables(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('readable_tables', (state) => {
    for (const token of state.tokens) if (token.type === 'th_open' || token.type === 'td_open') alignByClass(token)
    state.tokens = withoutEmptyHeaders(state.tokens)
  })
}

/** The Content-Security-Policy blocks the `style` attributes that markdown-it writes. */
function alignByClass(cell: Token): void {
  const [, side] = /^text-align:(\w+)$/.exec(cell.attrGet('style') ?? '') ?? []
  if (side !== undefined) cell.attrs = [['class', `align-${side}`]]
}

/**
 * Markdown has no table without a header, so many pages have an empty one: its row is left out. An empty cell in the header of the first
 * column becomes an ordinary cell, as a header without a text says nothing to a screen reader.
 */
function withoutEmptyHeaders(tokens: readonly Token[]): Token[] {
  const kept: Token[] = []
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index] as Token
    if (token.type === 'thead_open') {
      const end = tokens.findIndex(({ type }, at) => at > index && type === 'thead_close')
      const header = tokens.slice(index, end + 1)
      if (header.every(({ type, content }) => type !== 'inline' || content === '')) index = end
      else kept.push(token)
    } else {
      if (token.type === 'inline' && token.content === '' && kept.at(-1)?.type === 'th_open')
        for (const tag of [kept.at(-1), tokens[index + 1]]) if (tag !== undefined) tag.tag = 'td'
      kept.push(token)
    }
  }
  return kept
}
