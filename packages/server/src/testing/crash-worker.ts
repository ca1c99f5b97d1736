import { connectPglite, connectPostgres } from '../db/connect.ts'
import { migrate } from '../db/migrate.ts'
import { workAsyncActions } from '../jobs/async-action.ts'
import { countingAction } from './counting-action.ts'
import { openTestHouse } from './house.ts'

/**
 * A process that does nothing but work on counting actions, to be killed. It says `ready`, and `step <first row>` after
 * a step has written its rows and before it is stored. Its only argument is the URL or the folder of its database.
 */
const [, , where = ''] = process.argv
const database = where.startsWith('postgres')
  ? connectPostgres({ connectionString: where })
  : await connectPglite({ folder: where })
await migrate(database.db, async () => {})
const house = await openTestHouse(database)
await workAsyncActions(house, [countingAction((first) => void process.stdout.write(`step ${first}\n`))])
process.stdout.write('ready\n')
