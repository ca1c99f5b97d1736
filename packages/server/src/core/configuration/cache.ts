import { isChanging } from '../db/configuration.ts'
import type { Db } from '../db/database.ts'
import { limits } from '../lib/limits.ts'
import { type Configuration, nothingConfigured } from './configuration.ts'
import { refreshed } from './load.ts'

/** What this process knows of the projects it serves; the one used longest ago goes first. */
export interface Configurations {
  /** What is known of a project, perhaps outdated. */
  known(projectId: string): Configuration
  /** The configuration at a version or a later one; of many that need it at once, one loads it. */
  atLeast(db: Db, projectId: string, version: number): Promise<Configuration>
}

export function openConfigurations(): Configurations {
  const kept = new Map<string, Configuration>()
  const loading = new Map<string, Promise<Configuration>>()

  const known = (projectId: string): Configuration => {
    const configuration = kept.get(projectId)
    if (configuration === undefined) return nothingConfigured
    kept.delete(projectId)
    kept.set(projectId, configuration)
    return configuration
  }

  /** Inside a transaction that changes configuration, what is seen would be kept also if it were undone. */
  async function load(db: Db, projectId: string): Promise<Configuration> {
    const fresh = await refreshed(db, projectId, known(projectId))
    if (isChanging(db)) return fresh
    kept.delete(projectId)
    kept.set(projectId, fresh)
    if (kept.size > limits.cached_configurations_max) kept.delete(kept.keys().next().value as string)
    return fresh
  }

  return {
    known,
    async atLeast(db, projectId, version) {
      let configuration = known(projectId)
      // A load that began before the version was there may not have seen it.
      for (let attempt = 0; configuration.version < version && attempt < 3; attempt += 1) {
        if (db.isTransaction) return load(db, projectId) // the embedded database has no other connection to wait for
        let loadInProgress = loading.get(projectId)
        if (loadInProgress === undefined) {
          loadInProgress = load(db, projectId).finally(() => loading.delete(projectId))
          loading.set(projectId, loadInProgress)
        }
        configuration = await loadInProgress
      }
      return configuration
    },
  }
}
