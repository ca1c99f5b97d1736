import { findProjectOrOnly } from '../account/projects/store.ts'
import { rebuildStatistics } from '../statistics/sums/work.ts'
import type { CommandEnvironment } from './outside.ts'
import { withDatabase } from './with-database.ts'

/** Adds up the statistics of a project again, beside nodes that serve. */
export async function rebuildCommand(
  { settings, say }: CommandEnvironment,
  { project }: { project?: string | undefined },
): Promise<void> {
  await withDatabase(settings, async (db) => {
    const { id, name } = await findProjectOrOnly(db, project)
    say(`Adding up the statistics of ${name} (${id}) again; they are not complete meanwhile …\n`)
    await rebuildStatistics(db, id)
    say('Done.\n')
  })
}
