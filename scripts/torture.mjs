// Race and crash tests of the checkout, for a given time and seed: npm run torture -- --seconds 300 --seed 1
import { ensureInstalled, nodeFlags, runNode } from './workspace.mjs'

await ensureInstalled()
process.exitCode = await runNode(
  [...nodeFlags, 'packages/server/src/testing/torture/main.ts', ...process.argv.slice(2)],
  { env: { ...process.env, GUERDON_TESTS: 'all' } }, // the races at full size
)
