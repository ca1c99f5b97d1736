import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { codeBlocks, withCode } from './testing/pages/blocks.ts'
import { complaintsOfCompiler } from './testing/pages/programs-of-pages.ts'
import { reasonsNotToExecute } from './testing/pages/reasons.ts'
import { isExecuted, runPage, type Shown } from './testing/pages/run-page.ts'
import { newPageShop } from './testing/pages/shop.ts'
import { settingsOf } from './testing/pages/values.ts'

// The commands and programs of the README and of the guides, executed as a reader would, and their output compared with the page.
// `npm run pages -- --write` writes what they print into the pages.

const root = new URL('../../../', import.meta.url)
const isWriting = process.env.GUERDON_WRITE_PAGES === '1'

/** The decisions are history: what they show was true when they were taken. */
const pages = [
  'README.md',
  ...readdirSync(new URL('packages/', root)).map((name) => `packages/${name}/README.md`),
  ...readdirSync(new URL('docs/', root), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md') && !file.startsWith('decisions/') && !file.includes('node_modules'))
    .map((file) => `docs/${file}`)
    .sort(),
]
  .filter((name) => existsSync(new URL(name, root)))
  .map((name) => {
    const markdown = readFileSync(new URL(name, root), 'utf8')
    return { name, markdown, blocks: codeBlocks(markdown) }
  })

/** Figures and output: shown, not executed. */
const figures = new Set(['', 'json', 'mermaid', 'text'])

/** A reader's service runs in either mode. What is written into the pages is from the default one. */
const authModes = isWriting ? ['strict'] : ['strict', 'either']

describe.each(pages.filter(({ blocks }) => blocks.some(isExecuted)))('$name', ({ name, markdown, blocks }) => {
  test.each(authModes)('its commands do what it shows, with AUTH_MODE=%s', async (authMode) => {
    const shop = await newPageShop({ ...settingsOf(blocks), AUTH_MODE: authMode })
    const { faults, differences, shown, executed } = await runPage(markdown, shop)
    if (isWriting) writeFileSync(fileURLToPath(new URL(name, root)), rewritten(markdown, shown))
    const wrong = isWriting ? faults : [...faults, ...differences]
    expect(wrong.map((fault) => `${name}, ${fault}`).join('\n\n')).toBe('')
    expect(executed).toBe(blocks.filter(isExecuted).length)
  })
})

test('every TypeScript program of a page compiles', async () => {
  const programs = pages
    .map(({ name, blocks }) => ({
      name,
      blocks: blocks.filter((block) => isExecuted(block) && block.language === 'ts'),
    }))
    .filter(({ blocks }) => blocks.length > 0)
  expect(await complaintsOfCompiler(programs)).toBe('')
})

test('every block that is not executed says why, and the reason is one that is tried elsewhere', () => {
  const unexplained = pages.flatMap(({ name, blocks }) =>
    blocks
      .filter((block) => !isExecuted(block) && !figures.has(block.language))
      .flatMap((block) => {
        const reason = block.not_executed ?? 'no reason'
        return reason in reasonsNotToExecute ? [] : [`${name}, line ${block.line}: ${reason}`]
      }),
  )
  expect(unexplained).toEqual([])
})

/** The page with what was printed; a block that leaves something out with `…` stays as its author wrote it. */
function rewritten(markdown: string, shown: readonly Shown[]): string {
  return shown
    .toReversed()
    .reduce((page, { block, printed }) => (block.code.includes('…') ? page : withCode(page, block, printed)), markdown)
}
