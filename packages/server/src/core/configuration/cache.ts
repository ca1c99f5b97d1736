import { isChanging } from '../db/configuration.ts'
import type { Db } from '../db/database.ts'
import { limits } from '../lib/limits.ts'
import { type Configuration, nothing_configured } from './configuration.ts'
import { refreshed } from './load.ts'

/** What this process knows of the projects it serves; the one used longest ago goes first. */
export interface Configurations {
  /** What is known of a project, perhaps outdated. */
  known(project_id: string): Configuration
  /** The configuration at a version or a later one; of many that need it at once, one loads it. */
  atLeast(db: Db, project_id: string, version: number): Promise<Configuration>
}

export function openConfigurations(): Configurations {
  const kept = new Map<string, Configuration>()
  const loading = new Map<string, Promise<Configuration>>()

  const known = (project_id: string): Configuration => {
    const configuration = kept.get(project_id)
    if (configuration === undefined) return nothing_configured
    kept.delete(project_id)
    kept.set(project_id, configuration)
    return configuration
  }

  /** Inside a transaction that changes configuration, what is seen would be kept also if it were undone. */
  async function load(db: Db, project_id: string): Promise<Configuration> {
    const fresh = await refreshed(db, project_id, known(project_id))
    if (isChanging(db)) return fresh
    kept.delete(project_id)
    kept.set(project_id, fresh)
    if (kept.size > limits.cached_configurations_max) kept.delete(kept.keys().next().value as string)
    return fresh
  }

  return {
    known,
    async atLeast(db, project_id, version) {
      let configuration = known(project_id)
      // A load that began before the version was there may not have seen it.
      for (let attempt = 0; configuration.version < version && attempt < 3; attempt += 1) {
        if (db.isTransaction) return load(db, project_id) // the embedded database has no other connection to wait for
        let load_in_progress = loading.get(project_id)
        if (load_in_progress === undefined) {
          load_in_progress = load(db, project_id).finally(() => loading.delete(project_id))
          loading.set(project_id, load_in_progress)
        }
        configuration = await load_in_progress
      }
      return configuration
    },
  }
}
