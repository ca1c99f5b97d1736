import { spawn } from 'node:child_process'
import { startReplicatedPostgres } from './replicated-postgres.ts'

/*
 * Runs a program of Node whose tests use a server with a replica (testing/test-replica.ts), and says how much the replica did: a run that
 * never read from it would prove nothing.
 */

const servers = await startReplicatedPostgres({ is_synchronous: true })
const [replica] = servers.replicas
if (replica === undefined) throw new Error('There is no replica')
const child = spawn(process.execPath, process.argv.slice(2), {
  stdio: 'inherit',
  env: { ...process.env, TEST_DATABASE_URL: servers.primary.url, TEST_REPLICA_URL: replica.url },
})
// A signal for the group reaches the child too; here it only must not end this process before the servers.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
const code = await new Promise<number>((resolve) => child.once('exit', (code) => resolve(code ?? 1)))
const [row] = await replica.run(
  'select sum(tup_returned)::text as rows, sum(xact_commit)::text as transactions from pg_stat_database',
)
process.stdout.write(`The replica ran ${row?.transactions} transactions and read ${row?.rows} rows\n`)
await servers.stop()
process.exitCode = code
