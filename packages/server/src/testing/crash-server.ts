import { buildApp } from '../app.ts'
import { connectPostgres } from '../core/db/connect.ts'
import { operations } from '../operations.ts'
import { crashProbe } from './crash-probe.ts'
import { pooled } from './pooler.ts'
import { openTestRuntime } from './runtime.ts'

/**
 * A server to be killed. Arguments: the URL of its database, and the seconds that its crash probe takes. It prints its
 * address when it is ready.
 */
const [, , url = '', seconds = ''] = process.argv
const database = connectPostgres(pooled(url))
const runtime = await openTestRuntime(database)
const app = buildApp({ runtime, operations: [...operations, crashProbe(Number(seconds))], sheds_load: false })
process.stdout.write(`${await app.listen({ port: 0, host: '127.0.0.1' })}\n`)
