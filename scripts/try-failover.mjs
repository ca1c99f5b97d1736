// Sets up PostgreSQL with synchronous standbys on loopback, as docs/operate/failover.md describes it, starts two nodes that know all hosts,
// puts load on them and takes the primary away, again and again. Prints for how long nothing was written, and whether anything was lost.
//   npm run try-failover -- [--kills 20] [--promote] [--seed N]
// With etcd and Patroni, or with --promote without them. Needs Debian's packages postgresql, patroni and etcd-server: CI does not run
// this. Everything is in a temporary folder and on free ports, and is stopped at the end, on Ctrl-C too.
import { ensureInstalled, nodeFlags, runNode } from './workspace.mjs'

await ensureInstalled()
process.exitCode = await runNode([
  ...nodeFlags,
  'packages/server/src/testing/torture/main.ts',
  '--failover',
  ...process.argv.slice(2),
])
