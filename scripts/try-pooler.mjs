// Runs the races of the tests through PgBouncer in transaction mode, with a bundled PostgreSQL behind it (docs/operate/database.md#a-pooler).
//   npm run try-pooler                          all of them
//   npm run try-pooler -- core/http redeem      the files that match, as with npm test
// Needs `pgbouncer`, which is not part of the workspace: in PATH, in /usr/sbin, or where TEST_POOLER says. Before 1.21 it keeps no prepared
// statements: then the tests run with DATABASE_PREPARED=off.
import { spawnSync } from 'node:child_process'
import { runTests } from './vitest.mjs'
import { ensureInstalled } from './workspace.mjs'

const candidates = process.env.TEST_POOLER ? [process.env.TEST_POOLER] : ['pgbouncer', '/usr/sbin/pgbouncer']
const pooler = candidates.find((path) => spawnSync(path, ['--version']).status === 0)
if (pooler === undefined) {
  console.error(`PgBouncer was not found (${candidates.join(', ')}). Install it: apt-get install pgbouncer`)
  process.exit(1)
}
await ensureInstalled()
console.log(spawnSync(pooler, ['--version'], { encoding: 'utf8' }).stdout.split('\n')[0])
const files = process.argv.slice(2)
process.exitCode = await runTests(
  'all',
  ['--project', 'postgres', ...(files.length > 0 ? files : ['.race.test.ts', 'pooler.process.test.ts'])],
  { env: { TEST_POOLER: pooler } },
)
