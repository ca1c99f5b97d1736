import { writeSync } from 'node:fs'
import { connectPglite, connectPostgres } from '../core/db/connect.ts'
import { migrate } from '../core/db/migrate.ts'
import { workAsyncActions } from '../core/jobs/async-action.ts'
import { countingAction } from './counting-action.ts'
import { pooled } from './pooler.ts'
import { openTestRuntime } from './runtime.ts'

/**
 * A process that only runs counting actions, to be killed. It prints `ready`, and `step <first row>` after a step has
 * written its rows and before it is stored. Arguments: the URL or the folder of its database, and the first row of the
 * step in which it blocks until it is killed.
 */
const [, , where = '', blockAt = ''] = process.argv
const database = where.startsWith('postgres') ? connectPostgres(pooled(where)) : await connectPglite({ folder: where })
await database.inSession((db) => migrate(db, async () => {}))
const runtime = await openTestRuntime(database)
await workAsyncActions(runtime, [
  countingAction((first) => {
    writeSync(1, `step ${first}\n`)
    if (first === Number(blockAt)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  }),
])
writeSync(1, 'ready\n')
