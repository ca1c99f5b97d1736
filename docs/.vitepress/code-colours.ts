import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { transformerStyleToClass } from '@shikijs/transformers'
import type { HeadConfig } from 'vitepress'

/**
 * The colours of code blocks as classes and a stylesheet: the Content-Security-Policy blocks the `style` attributes that the
 * highlighter writes. All pages are highlighted before the first head is written, so the stylesheet is complete by then.
 */
export function codeColours() {
  const transformer = transformerStyleToClass({ classPrefix: 'c-' })
  const css = () => transformer.getCSS()
  const path = () => `assets/code.${createHash('sha256').update(css()).digest('hex').slice(0, 8)}.css`
  return {
    transformer,
    head: (base: string): HeadConfig[] => [['link', { rel: 'stylesheet', href: base + path() }]],
    write: (folder: string): void => writeFileSync(join(folder, path()), css()),
  }
}
