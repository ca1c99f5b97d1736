// Runs the race tests on nodes that have a replica: a PostgreSQL and a streaming replica of it, both started here, that shows each commit
// by the time it returns, so that tests which know nothing of replicas read what they wrote. Arguments are passed to vitest instead:
//   npm run try-replica
//   npm run try-replica -- redemptions exports
import { binary, ensureInstalled, nodeFlags, runNode } from './workspace.mjs'

await ensureInstalled()
const files = process.argv.slice(2)
process.exitCode = await runNode(
  [
    ...nodeFlags,
    'packages/server/src/testing/with-replica.ts',
    binary('vitest/vitest.mjs'),
    'run',
    '--project',
    'postgres',
    ...(files.length === 0 ? ['.race.test.ts'] : files),
  ],
  { env: { ...process.env, GUERDON_TEST_ALL: '1' } },
)
