/** A fenced code block of a Markdown page. */
export interface CodeBlock {
  language: string
  code: string
  /** The number of the page's line on which the code begins, from 1. */
  line: number
  /**
   * Why it is not executed: the text of a comment `<!-- not executed: … -->` above the block, with one blank line between them at most, or
   * of `<!-- page not executed: … -->` anywhere on the page.
   */
  not_executed: string | null
}

const opening = /^( *)(`{3,}|~{3,})\s*([\w-]*)/
const mark = /^\s*<!-- not executed: (.*) -->\s*$/
const markOfPage = /^<!-- page not executed: (.*) -->$/m

/** The code blocks of a page, in their order. Code inside a list item loses the indentation of the item. */
export function codeBlocks(markdown: string): CodeBlock[] {
  const lines = markdown.split('\n')
  const blocks: CodeBlock[] = []
  const reasonOfPage = markOfPage.exec(markdown)?.[1] ?? null
  for (let at = 0; at < lines.length; at += 1) {
    const fence = opening.exec(lines[at] as string)
    if (fence === null) continue
    const [, indent = '', ticks = '', language = ''] = fence
    const start = at + 1
    at = start
    while (at < lines.length && !isClosing(lines[at] as string, ticks)) at += 1
    const code = lines.slice(start, at).map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
    blocks.push({
      language,
      code: code.join('\n'),
      line: start + 1,
      not_executed: markAbove(lines, start - 2) ?? reasonOfPage,
    })
  }
  return blocks
}

const isClosing = (line: string, ticks: string): boolean => line.trim() === ticks

function markAbove(lines: readonly string[], at: number): string | null {
  const above = lines[at]?.trim() === '' ? lines[at - 1] : lines[at]
  return mark.exec(above ?? '')?.[1] ?? null
}

/** The page with the code of one of its blocks replaced, indented as it was. */
export function withCode(markdown: string, block: CodeBlock, code: string): string {
  const lines = markdown.split('\n')
  const indent = /^ */.exec(lines[block.line - 2] ?? '')?.[0] ?? ''
  const written = code.split('\n').map((line) => (line === '' ? '' : `${indent}${line}`))
  lines.splice(block.line - 1, block.code.split('\n').length, ...written)
  return lines.join('\n')
}
