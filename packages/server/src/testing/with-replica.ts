import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startReplicatedPostgres } from './replicated-postgres.ts'

/*
 * Runs a program of Node whose tests use a server with a replica (testing/test-replica.ts), and says how much the replica did: a run that
 * never read from it would prove nothing, and fails.
 */

const folder = mkdtempSync(join(tmpdir(), 'guerdon-replica-reads-'))
const reads = join(folder, 'reads')
writeFileSync(reads, '')
const servers = await startReplicatedPostgres({ is_synchronous: true })
try {
  process.exitCode = await run()
} finally {
  await servers.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function run(): Promise<number> {
  const [replica] = servers.replicas
  if (replica === undefined) throw new Error('There is no replica')
  const child = spawn(process.execPath, process.argv.slice(2), {
    stdio: 'inherit',
    env: {
      ...process.env,
      TEST_DATABASE_URL: servers.primary.url,
      TEST_REPLICA_URL: replica.url,
      TEST_REPLICA_READS: reads,
    },
  })
  // A signal for the group reaches the child too; here it only must not end this process before the servers.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  const code = await new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
  const counts = readFileSync(reads, 'utf8').split('\n').map(Number)
  const total = counts.reduce((sum, count) => sum + count, 0)
  process.stdout.write(`The replica answered ${total} operations\n`)
  return code === 0 && total === 0 ? 1 : code
}
