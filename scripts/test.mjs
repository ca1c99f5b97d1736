// All tests, on the embedded database and on a real PostgreSQL. Arguments go to vitest: npm test -- categories
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { binary, ensureInstalled, runNode } from './workspace.mjs'

await ensureInstalled()
const folder = mkdtempSync(join(tmpdir(), 'guerdon-report-'))
const report = join(folder, 'report.json')
const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
process.exitCode = await runNode([binary('vitest/vitest.mjs'), 'run', ...reporters, ...process.argv.slice(2)])
try {
  const { success, numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(report, 'utf8'))
  console.log(`${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`)
  if (!success || numPassedTests === 0) process.exitCode ||= 1
} catch {
  process.exitCode ||= 1
}
rmSync(folder, { recursive: true, force: true })
