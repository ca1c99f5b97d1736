// Runs vitest for a purpose (packages/server/src/testing/scale.ts) and prints how many tests passed.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { binary, root, runNode } from './workspace.mjs'

/** Every worker loads the whole service: compiled once, for all of them. */
const compiled = join(root, 'node_modules/.cache/guerdon/compiled')

/** Returns the exit code: not 0 if a test failed or none ran. */
export async function runTests(purpose, args = [], { before = [], env = {} } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'guerdon-report-'))
  const report = join(folder, 'report.json')
  try {
    const code = await runNode(
      [
        ...before,
        binary('vitest/vitest.mjs'),
        'run',
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${report}`,
        ...args,
      ],
      { env: { ...process.env, NODE_COMPILE_CACHE: compiled, GUERDON_TESTS: purpose, ...env } },
    )
    const { success, numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(report, 'utf8'))
    console.log(`${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`)
    return success && numPassedTests > 0 ? code : code || 1
  } catch {
    return 1 // there is no report
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
