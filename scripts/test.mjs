// Runs the tests that need no process, the races of money, and one journey (docs/decisions/0037-what-runs-where.md).
//   npm test                     in three minutes
//   npm test -- --gate           all races and four journeys too, as .ci/run does
//   npm test -- categories       the files that match, of any kind, at full size
// Other arguments are passed to vitest.

import { runTests } from './vitest.mjs'
import { ensureInstalled } from './workspace.mjs'

await ensureInstalled()
const given = process.argv.slice(2)
/** Options whose value follows as an argument of its own. */
const withValue = ['-t', '--testNamePattern', '--project', '--reporter', '--maxWorkers', '--shard', '--bail']
const isFile = (argument, index) => !argument.startsWith('-') && !withValue.includes(given[index - 1])
const purpose = given.includes('--gate') ? 'gate' : given.some(isFile) ? 'all' : 'test'
process.exitCode = await runTests(
  purpose,
  given.filter((argument) => argument !== '--gate'),
)
