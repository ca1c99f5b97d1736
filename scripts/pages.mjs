// Executes the code blocks of README.md and of the guides, and compares what they print with what the pages show.
//   npm run pages                                 all of them
//   npm run pages -- happy-hour free-shipping     pages by a part of their names
//   npm run pages -- --write happy-hour           writes what was printed into the page
import { binary, ensureInstalled, runNode } from './workspace.mjs'

await ensureInstalled()
const names = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const vitest = [binary('vitest/vitest.mjs'), 'run', '--project', 'postgres', 'server/src/pages.test.ts']
if (names.length > 0) vitest.push('--testNamePattern', names.map((name) => name.replaceAll('.', '\\.')).join('|'))
const isWriting = process.argv.includes('--write')
process.exitCode = await runNode(vitest, {
  env: { ...process.env, GUERDON_TEST_SLOW: '1', ...(isWriting ? { GUERDON_WRITE_PAGES: '1' } : {}) },
})
