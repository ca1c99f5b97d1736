import { buildApp } from '../app.ts'
import { connectPostgres } from '../core/db/connect.ts'
import { operations } from '../operations.ts'
import { crashProbe } from './crash-probe.ts'
import { openTestRuntime } from './runtime.ts'

/**
 * A server to be killed. It serves the database of its first argument, its probe takes as many seconds as the second
 * says, and it prints its address when it is ready.
 */
const [, , url = '', seconds = ''] = process.argv
const database = connectPostgres({ connectionString: url })
const runtime = await openTestRuntime(database)
const app = buildApp({ runtime, operations: [...operations, crashProbe(Number(seconds))], sheds_load: false })
process.stdout.write(`${await app.listen({ port: 0, host: '127.0.0.1' })}\n`)
