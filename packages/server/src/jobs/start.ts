import type { House } from '../context.ts'
import { purgeProject } from '../projects/purge.ts'
import { type AsyncAction, workAsyncActions } from './async-action.ts'
import { startMaintenance } from './maintenance.ts'

/** Every async action of the service. One that is missing here is started, but never runs. */
const asyncActions: readonly AsyncAction[] = []

/** From here on this process does its share of the background work. */
export async function startJobs(house: House): Promise<void> {
  await workAsyncActions(house, asyncActions)
  await startMaintenance(house)
  await house.jobs.work('purge-project', ({ project_id }, { signal }) =>
    purgeProject(house.database.db, project_id, signal),
  )
}
