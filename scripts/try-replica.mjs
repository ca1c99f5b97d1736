// Runs the race tests on nodes that have a replica: a PostgreSQL and a streaming replica of it, both started here, that shows each commit
// by the time it returns, so that tests which know nothing of replicas read what they wrote. It fails if the replica answered nothing.
//   npm run try-replica                              all of them
//   npm run try-replica -- redemptions exports       the files that match, as with npm test
import { runTests } from './vitest.mjs'
import { ensureInstalled, nodeFlags } from './workspace.mjs'

await ensureInstalled()
const files = process.argv.slice(2)
process.exitCode = await runTests('all', ['--project', 'postgres', ...(files.length > 0 ? files : ['.race.test.ts'])], {
  before: [...nodeFlags, 'packages/server/src/testing/with-replica.ts'],
})
