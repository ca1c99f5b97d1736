import type { MarkdownRenderer } from 'vitepress'

/** Shows `{{ … }}` as it is written: Vue, which compiles the pages, would take it for an expression. */
export function keepBraces(markdown: MarkdownRenderer): void {
  for (const kind of ['text', 'code_inline']) {
    const render = markdown.renderer.rules[kind]
    if (render === undefined) throw new Error(`The renderer has no rule for ${kind}`)
    markdown.renderer.rules[kind] = (...args) => render(...args).replaceAll('{{', '&#123;&#123;')
  }
}
