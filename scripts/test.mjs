// Runs the tests on PostgreSQL, and on the embedded database those whose result can differ there; with --all (CI) the slow ones too, and
// races, kills and properties at full size; with --both all of them on both databases (docs/decisions/0037-one-database-for-most-tests.md).
// Other arguments are passed to vitest: npm test -- categories
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { binary, ensureInstalled, runNode } from './workspace.mjs'

await ensureInstalled()
const folder = mkdtempSync(join(tmpdir(), 'guerdon-report-'))
const report = join(folder, 'report.json')
const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
const given = process.argv.slice(2)
/** Options whose value follows as an argument of its own. */
const withValue = ['-t', '--testNamePattern', '--project', '--reporter', '--maxWorkers', '--retry', '--shard', '--bail']
const isFile = (argument, index) => !argument.startsWith('-') && !withValue.includes(given[index - 1])
// A file that is named is run on both databases and at full size.
const runsTwice = given.includes('--both') || given.some(isFile)
const runsAll = given.includes('--all') || runsTwice
process.exitCode = await runNode(
  [
    binary('vitest/vitest.mjs'),
    'run',
    ...reporters,
    ...given.filter((argument) => !['--all', '--both'].includes(argument)),
  ],
  {
    env: {
      ...process.env,
      ...(runsAll ? { GUERDON_TEST_ALL: '1' } : {}),
      ...(runsTwice ? { GUERDON_TEST_BOTH: '1' } : {}),
    },
  },
)
try {
  const { success, numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(report, 'utf8'))
  console.log(`${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`)
  if (!success || numPassedTests === 0) process.exitCode ||= 1
} catch {
  process.exitCode ||= 1
}
rmSync(folder, { recursive: true, force: true })
