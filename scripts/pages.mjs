// Executes the code blocks of README.md and of the guides, and compares what they print with what the pages show.
//   npm run pages                                 all of them
//   npm run pages -- happy-hour free-shipping     pages by a part of their names
//   npm run pages -- --write happy-hour           writes what was printed into the page
import { runTests } from './vitest.mjs'
import { ensureInstalled } from './workspace.mjs'

await ensureInstalled()
const names = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const isWriting = process.argv.includes('--write')
process.exitCode = await runTests(
  'all',
  [
    ...['--project', 'postgres', 'server/src/pages.process.test.ts'],
    ...(names.length > 0 ? ['--testNamePattern', names.map((name) => name.replaceAll('.', '\\.')).join('|')] : []),
  ],
  { env: isWriting ? { GUERDON_WRITE_PAGES: '1' } : {} },
)
