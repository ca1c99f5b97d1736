import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { addUp } from '../statistics/sums/add-up.ts'
import { sourceNames } from '../statistics/sums/sources.ts'
import type { Shop } from './app.ts'

/** Adds up everything that a shop has done. Transactions of other tests on the same server may hold it back for a while. */
export async function addUpAllOf({
  service,
  project_id,
}: {
  service: Pick<Shop['service'], 'runtime'>
  project_id: string
}): Promise<void> {
  const { db } = service.runtime.database
  const isWaiting = async () => {
    const { rows } = await sql<{ waits: boolean }>`select ${sql.join(
      sourceNames.map(
        (
          source,
        ) => sql`exists (select from ${sql.table(source)} r where r.project_id = ${project_id} and r.position > coalesce(
          (select ${sql.ref(`${source}_to`)} from statistics_progress where project_id = ${project_id}), 0))`,
      ),
      sql` or `,
    )} as waits`.execute(db)
    return rows[0]?.waits === true
  }
  do {
    while (await addUp(db, project_id)) await setTimeout(1)
  } while ((await isWaiting()) && (await setTimeout(20, true)))
}
