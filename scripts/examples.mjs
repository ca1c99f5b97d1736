// Rewrites packages/server/src/platform/docs/examples.json, the calls and replies that /docs shows, from the traffic of the tests. Calls of the story
// (npm run examples -- platform/docs/story) precede all others. An example that still fits its operation is kept, unless the story calls otherwise;
// --fresh records all of them again. Other arguments choose test files: npm run examples -- vouchers campaigns
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runTests } from './vitest.mjs'
import { ensureInstalled, nodeFlags, runNode } from './workspace.mjs'

await ensureInstalled()
const given = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'guerdon-examples-'))
const tests = await runTests('all', ['--project', 'postgres', ...given.filter((argument) => argument !== '--fresh')], {
  env: { GUERDON_RECORD_EXAMPLES: folder },
})
// A test that fails may have recorded what it should not have met.
if (tests === 0)
  process.exitCode = await runNode([
    ...nodeFlags,
    'packages/server/src/testing/examples/write.ts',
    folder,
    ...given.filter((argument) => argument === '--fresh'),
  ])
else process.exitCode = tests
rmSync(folder, { recursive: true, force: true })
