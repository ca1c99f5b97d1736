// Runs the race tests on nodes that have a replica: a PostgreSQL and a streaming replica of it, both started here, that shows each commit
// by the time it returns, so that tests which know nothing of replicas read what they wrote. It fails if the replica answered nothing.
//   npm run try-replica                              all of them, at full size
//   npm run try-replica -- --small                   fewer requests per race, without the slowest files, as npm test does
//   npm run try-replica -- redemptions exports       the files that match, as with npm test
import { binary, ensureInstalled, nodeFlags, runNode } from './workspace.mjs'

await ensureInstalled()
const given = process.argv.slice(2)
const isSmall = given.includes('--small')
const files = given.filter((argument) => argument !== '--small')
process.exitCode = await runNode(
  [
    ...nodeFlags,
    'packages/server/src/testing/with-replica.ts',
    binary('vitest/vitest.mjs'),
    'run',
    '--project',
    'postgres',
    ...(files.length > 0 ? files : ['.race.test.ts']),
  ],
  { env: { ...process.env, ...(isSmall ? {} : { GUERDON_TEST_ALL: '1' }) } },
)
